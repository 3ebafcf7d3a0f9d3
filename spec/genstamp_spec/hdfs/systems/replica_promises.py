"""What each system promises that keeps a datanode's replica in full: which fields belong to which state."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.replica_requests import ReplicaRequests
from genstamp_spec.hdfs.parts.replica_state import ReplicaState, Writer
from genstamp_spec.hdfs.parts.replica_writers import Generation
from genstamp_spec.hdfs.parts.state import Datanode, OriginalState
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class ReplicaPromises(ReplicaState):
    """Numbers S are those of the facts, page J."""

    @invariant(inductive=True)
    def only_replicas_being_written_have_a_writer(s, datanode: Datanode) -> Bool:
        """S23: no thread writes a replica that is under recovery, waiting or finalized."""
        replica = s.replica[datanode]
        written = replica.state.at(ReplicaLifecycle.rbw, ReplicaLifecycle.temporary)
        return written | replica.writer.at(Writer.NONE)

    @invariant(inductive=True)
    def recovery_has_an_original(s, datanode: Datanode) -> Bool:
        """S24: a recovery is over a FINALIZED, RBW or RWR replica."""
        replica = s.replica[datanode]
        return replica.state.at(ReplicaLifecycle.rur) == ~replica.original.at(OriginalState.NONE)

    @invariant(inductive=True)
    def only_recoveries_have_an_id(s, datanode: Datanode) -> Bool:
        """S12: what another recovery left behind, its id, never speaks to the next one."""
        replica = s.replica[datanode]
        return replica.state.at(ReplicaLifecycle.rur) | (replica.recovery_id == 0)

    @invariant(inductive=True)
    def only_pipelines_acknowledge(s, datanode: Datanode) -> Bool:
        """B.1: BA is kept of a replica that is being written, and while that is recovered; of any other it is 0."""
        replica = s.replica[datanode]
        written = replica.state.at(ReplicaLifecycle.rbw) | s.was(replica, OriginalState.RBW)
        return written | (replica.bytes_acked == 0)

    @invariant(inductive=True, given=("only_replicas_being_written_have_a_writer",))
    def nothing_is_left_of_a_deleted_replica(s, datanode: Datanode) -> Bool:
        """S22: a replica that comes after a deleted one starts with none of its bytes, nor with its stamp."""
        replica = s.replica[datanode]
        empty = (replica.num_bytes == 0) & (replica.bytes_on_disk == 0) & (replica.file_bytes == 0)
        return s.exists(replica) | (empty & (replica.stamp == 0))


class ReplicaStamps(ReplicaRequests):
    """Numbers S are those of the facts, page J."""

    @transition(inductive=True)
    def last_stamp_never_decreases(s, t: Self) -> Bool:
        """S9: the counter only rises."""
        return t.last_stamp >= s.last_stamp

    @invariant(inductive=True)
    def replicas_bear_given_stamps(s, datanode: Datanode) -> Bool:
        """S9: a replica's stamp was given out, and so was the id of a recovery that it is under."""
        replica = s.replica[datanode]
        under_recovery = replica.state.at(ReplicaLifecycle.rur).implies(s.was_given(replica.recovery_id))
        return s.exists(replica).implies(s.was_given(replica.stamp) & under_recovery)

    def was_given(s, stamp: Ordered) -> Bool:
        """The NameNode has given a stamp out."""
        return (stamp > 0) & exists(Generation, lambda generation: s.given[generation] == stamp)

    @transition(inductive=True, given=("replica_under_recovery_is_below_it",))
    def replica_stamp_never_decreases(s, t: Self, datanode: Datanode) -> Bool:
        """S8: while a datanode has a replica its stamp never decreases, and so no newer one is finalized over."""
        before, after = s.replica[datanode], t.replica[datanode]
        return (s.exists(before) & s.exists(after)).implies(after.stamp >= before.stamp)

    @transition(inductive=True, given=("replicas_bear_given_stamps",))
    def pipelines_go_on_under_a_later_stamp(s, t: Self, datanode: Datanode) -> Bool:
        """S8: whoever takes up a replica that is here brings a stamp that was given out after the block's own."""
        before, after = s.replica[datanode], t.replica[datanode]
        idle = before.state.at(ReplicaLifecycle.rbw, ReplicaLifecycle.finalized) & before.writer.at(Writer.NONE)
        written = after.state.at(ReplicaLifecycle.rbw) & after.writer.at(Writer.RUNNING)
        closed = before.state.at(ReplicaLifecycle.rbw) & after.state.at(ReplicaLifecycle.finalized)
        earlier = exists(Generation, lambda g: (s.given[g] > 0) & (s.given[g] < after.stamp))
        return (idle & (written | closed)).implies(earlier)

    @transition(inductive=True)
    def replica_recovery_id_only_grows(s, t: Self, datanode: Datanode) -> Bool:
        """S12: while a replica is under recovery, the recovery id only grows."""
        before, after = s.replica[datanode], t.replica[datanode]
        stays = before.state.at(ReplicaLifecycle.rur) & after.state.at(ReplicaLifecycle.rur)
        return stays.implies(after.recovery_id >= before.recovery_id)

    @invariant(inductive=True)
    def replica_under_recovery_is_below_it(s, datanode: Datanode) -> Bool:
        """S8, S14: a replica bears a recovery's stamp only once it has the length that the recovery agreed on."""
        replica = s.replica[datanode]
        return replica.state.at(ReplicaLifecycle.rur).implies(replica.stamp < replica.recovery_id)

    @transition(inductive=True)
    def younger_recovery_is_not_overtaken(s, t: Self, datanode: Datanode) -> Bool:
        """S12: a replica under recovery is never replaced by one that is older than the recovery."""
        before, after = s.replica[datanode], t.replica[datanode]
        replaced = after.state.at(ReplicaLifecycle.rbw, ReplicaLifecycle.temporary)
        return (before.state.at(ReplicaLifecycle.rur) & replaced).implies(after.stamp >= before.recovery_id)

    @transition(inductive=True)
    def answered_requests_have_their_replica(s, t: Self, datanode: Datanode) -> Bool:
        """S8: when a datanode answers that a replica is there under a stamp, that is the replica's stamp."""
        answers = t.answered[datanode] != s.answered[datanode]
        return answers.implies(t.replica[datanode].stamp == t.answered[datanode])
