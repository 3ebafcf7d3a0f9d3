"""What a step may do to a replica, and what the start of a recovery must: promises about steps, whatever takes them.

The systems that contain block recovery share them; a system that exchanges replicas says where a step goes on with one.
"""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Datanode, File, OriginalState, Replica
from genstamp_spec.hdfs.state.streams import Streams
from genstamp_spec.hdfs.systems.recovery_states import RecoveryStates, ReplicaFits
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


class RecoverySteps(Streams):
    """Of replicas, and of the primary that is chosen."""

    def same_replica(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """The datanode has the replica before and after the step, and it is the same one."""
        before, after = s.replica[datanode][file], t.replica[datanode][file]
        return ~before.state.at(ReplicaLifecycle.absent) & ~after.state.at(ReplicaLifecycle.absent)

    @transition(inductive=True)
    def frozen_replicas_stay_what_they_were(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """S23: a replica is put under recovery, and is under one, with its stamp, its bytes, and what it was before."""
        before, after = s.replica[datanode][file], t.replica[datanode][file]
        frozen = s.same_replica(t, datanode, file) & after.state.at(ReplicaLifecycle.rur)
        content = (after.stamp == before.stamp) & (after.num_bytes == before.num_bytes)
        return frozen.implies(content & s.remembers(before, after))

    def remembers(s, before: Replica, after: Replica) -> Bool:
        """The state within a RUR is the one that the replica had."""
        again = before.state.at(ReplicaLifecycle.rur) & (after.original == before.original)
        finalized = before.state.at(ReplicaLifecycle.finalized) & after.original.at(OriginalState.FINALIZED)
        written = before.state.at(ReplicaLifecycle.rbw) & after.original.at(OriginalState.RBW)
        waiting = before.state.at(ReplicaLifecycle.rwr) & after.original.at(OriginalState.RWR)
        return again | finalized | written | waiting

    @transition(inductive=True, given=("replicas_know_what_fits_their_state",))
    def restarts_keep_replicas(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """S5: a datanode comes back with its replicas, and a FINALIZED one is as it was (facts B11, B13, B14).

        One that was being written waits to be recovered, and may have lost its last byte.
        """
        before, after = s.replica[datanode][file], t.replica[datanode][file]
        comes_back = ~s.running.has(datanode) & t.running.has(datanode) & ~before.state.at(ReplicaLifecycle.temporary)
        within = before.state.at(ReplicaLifecycle.rur) & before.original.at(OriginalState.FINALIZED)
        final = before.state.at(ReplicaLifecycle.finalized) | within
        absent = before.state.at(ReplicaLifecycle.absent) & after.state.at(ReplicaLifecycle.absent)
        finalized = final & after.state.at(ReplicaLifecycle.finalized) & (after.num_bytes == before.num_bytes)
        shorter = (after.num_bytes <= before.num_bytes) & (before.num_bytes <= after.num_bytes + 1)
        waiting = ~final & after.state.at(ReplicaLifecycle.rwr) & shorter
        return comes_back.implies((after.stamp == before.stamp) & (absent | finalized | waiting))

    @transition
    def replicas_grow_by_their_writer(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """S7, S23: a replica gets longer only while somebody writes it, byte by byte under one stamp."""
        before, after = s.replica[datanode][file], t.replica[datanode][file]
        grows = s.same_replica(t, datanode, file) & (after.num_bytes > before.num_bytes)
        written = (
            before.state.at(ReplicaLifecycle.rbw) & after.state.at(ReplicaLifecycle.rbw) & ~before.writer.is_none()
        )
        one_byte = (after.num_bytes == before.num_bytes + 1) & (after.stamp == before.stamp)
        return grows.implies(written & (after.writer == before.writer) & one_byte)

    @transition(inductive=True)
    def recovery_is_led(s, t: Self, file: File) -> Bool:
        """L1, G.1: who is to lead a recovery gets the command, and is not the first to be asked when it fails."""
        begun = t.block[file].at(BlockLifecycle.under_recovery) & (t.recovery_id[file] != s.recovery_id[file])
        led = exists(
            Datanode,
            lambda d: (t.primary[file] == d) & t.recovery_queue[d].has(file) & t.tried_as_primary[file].has(d),
        )
        return begun.implies(led | t.primary[file].is_none())


class StepsAndStates(RecoverySteps, ReplicaFits):
    """The same, and what streams, replicas and attempts know, also where a file is opened again."""

    stopped_clients_have_nothing_open = RecoveryStates.stopped_clients_have_nothing_open
    replicas_know_what_fits_their_state = RecoveryStates.replicas_know_what_fits_their_state
    only_running_datanodes_lead = RecoveryStates.only_running_datanodes_lead
    attempts_know_what_fits_their_stage = RecoveryStates.attempts_know_what_fits_their_stage
