"""What block recovery promises, whatever stands around it: shared by the systems that contain it."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import AttemptStage, Client, Datanode, File, OriginalState, Replica, StreamStage
from genstamp_spec.hdfs.state.streams import Streams
from genstamp_spec.hdfs.systems.shared_promises import BlocksAndReplicas
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, ReplicaLifecycle


class RecoveryPromises(BlocksAndReplicas):
    """Stamps, blocks and replicas, ownership; numbers S are those of the facts, page J."""

    # Stamps.

    @transition(inductive=True, given=("stamps_come_from_the_counter",))
    def stamps_are_given_out_once(s, t: Self, file: File) -> Bool:
        """S9: a new block's stamp and a new recovery id are above every stamp given out before."""
        new_block = s.block[file].at(BlockLifecycle.absent) & ~t.block[file].at(BlockLifecycle.absent)
        new_recovery = t.recovery_id[file] != s.recovery_id[file]
        return new_block.implies(t.block_stamp[file] > s.last_stamp) & new_recovery.implies(
            t.recovery_id[file] > s.last_stamp
        )

    @transition(inductive=True, given=("current_recovery_is_above_the_block", "stamps_come_from_the_counter"))
    def block_stamp_never_decreases(s, t: Self, file: File) -> Bool:
        """S8, at the NameNode."""
        return t.block_stamp[file] >= s.block_stamp[file]

    @transition(inductive=True, given=("replica_under_recovery_is_below_it",))
    def replica_stamp_never_decreases(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """S8, at a datanode: while it has the replica."""
        before, after = s.replica[datanode][file], t.replica[datanode][file]
        kept = ~before.state.at(ReplicaLifecycle.absent) & ~after.state.at(ReplicaLifecycle.absent)
        return kept.implies(after.stamp >= before.stamp)

    @invariant(inductive=True)
    def stamps_come_from_the_counter(s, file: File) -> Bool:
        """A block's stamp and recovery id were given out."""
        return s.given_out(file)

    def given_out(s, file: File) -> Bool:
        """Every stamp that the NameNode has, or will be told of, was given out."""
        return (s.block_stamp[file] <= s.last_stamp) & (s.recovery_id[file] <= s.last_stamp)

    @invariant(inductive=True, given=("stamps_come_from_the_counter",))
    def current_recovery_is_above_the_block(s, file: File) -> Bool:
        """A block under recovery will get a higher stamp."""
        return s.block[file].at(BlockLifecycle.under_recovery).implies(s.recovery_id[file] > s.block_stamp[file])

    @invariant(inductive=True)
    def replica_under_recovery_is_below_it(s, datanode: Datanode, file: File) -> Bool:
        """A replica under recovery has a stamp below the recovery's id."""
        replica = s.replica[datanode][file]
        return replica.state.at(ReplicaLifecycle.rur).implies(replica.stamp < replica.recovery_id)

    # Blocks and replicas.

    @invariant
    def hflushed_bytes_survive(s, file: File) -> Bool:
        """S5, S6: what an hflush promised is in the block eventually, if a node of its pipeline has never stopped."""
        promised = when(s.steady[file].is_empty(), 0, s.hflushed[file])
        removed = s.block[file].at(BlockLifecycle.removed) & ~s.file[file].at(FileLifecycle.absent)
        ended = s.block[file].at(BlockLifecycle.complete) | removed
        length = when(s.block[file].at(BlockLifecycle.removed), 0, s.block_bytes[file])
        return ended.implies(length >= promised)

    @transition
    def only_empty_blocks_are_dropped(s, t: Self, file: File) -> Bool:
        """S18: recovery drops a block only if no datanode, up or down, has bytes of its generation that were acked."""
        dropped = ~s.block[file].at(BlockLifecycle.removed) & t.block[file].at(BlockLifecycle.removed)
        dropped = dropped & ~t.file[file].at(FileLifecycle.absent)
        data = exists(Datanode, lambda d: s.holds_promised_bytes(d, file))
        return dropped.implies(~data)

    # Ownership.

    @transition(inductive=True)
    def fenced_client_changes_nothing(s, t: Self, file: File) -> Bool:
        """S11: while a recovery is under way the block stays as it was; it ends with the recovery's stamp, or gone."""
        fenced = s.block[file].at(BlockLifecycle.under_recovery)
        same_block = (t.block_stamp[file] == s.block_stamp[file]) & (t.block_bytes[file] == s.block_bytes[file])
        kept = same_block & (t.locations[file] == s.locations[file])
        recovered = t.block_stamp[file] == s.recovery_id[file]
        left = recovered | t.block[file].at(BlockLifecycle.removed)
        return fenced.implies(when(t.block[file].at(BlockLifecycle.under_recovery), kept, left))

    @invariant
    def one_primary_per_recovery_id(s, first: Datanode, second: Datanode, file: File) -> Bool:
        """S12: two datanodes never lead a recovery of a block under one id: no check would tell them apart."""
        both = (first != second) & s.leads(first, file) & s.leads(second, file)
        return both.implies(s.attempt[first][file].recovery_id != s.attempt[second][file].recovery_id)

    # What must be possible.

    def leads(s, datanode: Datanode, file: File) -> Bool:
        """The datanode leads a recovery of the file's block."""
        return ~s.attempt[datanode][file].stage.at(AttemptStage.IDLE)

    @witness
    def two_recoveries_in_flight(s, first: Datanode, second: Datanode, file: File) -> Bool:
        """Two primaries work on one block under different ids."""
        both = s.leads(first, file) & s.leads(second, file)
        return both & (s.attempt[first][file].recovery_id < s.attempt[second][file].recovery_id)

    @witness
    def recovery_closes_a_file(s, file: File) -> Bool:
        """Block recovery completes a block with promised bytes, and the file is closed."""
        recovered = (s.recovery_id[file] == s.block_stamp[file]) & (s.hflushed[file] > 0)
        return s.file[file].at(FileLifecycle.closed) & s.block[file].at(BlockLifecycle.complete) & recovered

    @witness
    def recovery_from_waiting_replicas_only(s, datanode: Datanode, file: File) -> Bool:
        """A recovery finds RWR replicas only."""
        attempt = s.attempt[datanode][file]
        waiting = exists(Datanode, lambda d: attempt.found[d].original.at(OriginalState.RWR))
        better = exists(Datanode, lambda d: attempt.found[d].original.at(OriginalState.FINALIZED, OriginalState.RBW))
        return attempt.stage.at(AttemptStage.UPDATING) & waiting & ~better

    @witness
    def writer_goes_on_unaware(s, client: Client, file: File) -> Bool:
        """A client still writes a block that is under recovery: nobody has told it (J.3)."""
        writing = exists(Datanode, lambda d: s.writes_to(client, file, d))
        return writing & s.block[file].at(BlockLifecycle.under_recovery)


class ReplicaFits(Streams):
    """What may be known of a replica in its state.

    No promise to anybody outside, but what the steps rely on without asking: each of these is why some check need not
    be made, or why it does not matter which of two ways a step goes.
    """

    def fits_its_state(s, replica: Replica) -> Bool:
        """Only an RBW has a writer, only a RUR a recovery and a state within; what is not there has nothing."""
        absent, recovered = replica.state.at(ReplicaLifecycle.absent), replica.state.at(ReplicaLifecycle.rur)
        nothing = absent.implies((replica.stamp == 0) & (replica.num_bytes == 0))
        written = replica.writer.is_none() | s.may_have_a_writer(replica)
        inside = replica.original.at(OriginalState.NONE) != recovered
        idle = recovered | (replica.recovery_id == 0)
        return nothing & written & inside & idle & ~replica.state.at(ReplicaLifecycle.temporary)

    def may_have_a_writer(s, replica: Replica) -> Bool:
        """The replica is being written."""
        return replica.state.at(ReplicaLifecycle.rbw)


class RecoveryStates(ReplicaFits):
    """Of blocks, streams, replicas and attempts."""

    @invariant(inductive=True, given=("files_come_before_blocks",))
    def open_files_keep_their_block(s, file: File) -> Bool:
        """A step that removes the last block of a file closes the file, too."""
        return s.block[file].at(BlockLifecycle.removed).implies(s.has_ended(file))

    def has_ended(s, file: File) -> Bool:
        """The file is closed; where files are deleted, it may also be gone."""
        return s.file[file].at(FileLifecycle.closed)

    @invariant(inductive=True, given=("open_files_keep_their_block",))
    def files_come_before_blocks(s, file: File) -> Bool:
        """A file that was never created has no block and no writer."""
        never = s.file[file].at(FileLifecycle.absent) & ~s.block[file].at(BlockLifecycle.removed)
        unwritten = forall(Client, lambda client: s.stream[client][file].stage.at(StreamStage.NONE))
        return never.implies(s.block[file].at(BlockLifecycle.absent) & unwritten)

    @invariant(inductive=True)
    def young_attempts_are_under_way(s, file: File) -> Bool:
        """The gate is closed only for a block that is under recovery, or gone with its file (facts F.4)."""
        return s.attempt_is_young[file].implies(s.may_have_an_attempt(file))

    def may_have_an_attempt(s, file: File) -> Bool:
        """The block is under recovery, or gone."""
        return s.block[file].at(BlockLifecycle.under_recovery, BlockLifecycle.removed)

    @invariant(inductive=True)
    def stopped_clients_have_nothing_open(s, client: Client, file: File) -> Bool:
        """Streams end with their client."""
        return s.stream[client][file].stage.at(StreamStage.NONE) | s.alive.has(client)

    @invariant(inductive=True, given=("files_come_before_blocks", "open_files_keep_their_block"))
    def who_has_no_block_yet_owns_the_file(s, client: Client, file: File) -> Bool:
        """A client that has asked for no block finds none, and nobody else has the file open."""
        own = s.under_construction(file).implies(s.client_name[file] == client)
        nothing = own & s.block[file].at(BlockLifecycle.absent)
        return s.stream[client][file].stage.at(StreamStage.OPEN).implies(nothing)

    @invariant(inductive=True, given=("files_come_before_blocks", "open_files_keep_their_block"))
    def only_writers_know_a_block(s, client: Client, file: File) -> Bool:
        """A stream has a stamp and a pipeline from addBlock on; bytes and nodes that it knows are of that block."""
        stream = s.stream[client][file]
        writes = stream.stage.at(StreamStage.STREAMING, StreamStage.CLOSING)
        of_the_pipeline = (stream.set_up <= stream.pipeline) & (stream.finalized <= stream.pipeline)
        written = ~s.block[file].at(BlockLifecycle.absent) & (stream.stamp > 0) & of_the_pipeline
        nothing = (stream.stamp == 0) & (stream.acked == 0) & stream.pipeline.is_empty() & stream.set_up.is_empty()
        return (writes & written) | (~writes & nothing & stream.finalized.is_empty())

    @invariant(inductive=True)
    def replicas_know_what_fits_their_state(s, datanode: Datanode, file: File) -> Bool:
        """A replica has what its state allows, and no other."""
        return s.fits_its_state(s.replica[datanode][file])

    @invariant(inductive=True, given=("only_writers_know_a_block",))
    def blocks_come_before_replicas(s, datanode: Datanode, file: File) -> Bool:
        """Of a block that was not given out there is no replica, no recovery and no command."""
        block, attempt = s.block[file], s.attempt[datanode][file]
        nothing = s.replica[datanode][file].state.at(ReplicaLifecycle.absent) & (s.recovery_id[file] == 0)
        no_attempt = attempt.stage.at(AttemptStage.IDLE) & ~s.recovery_queue[datanode].has(file)
        known = s.stored[file].is_empty() & s.locations[file].is_empty() & (s.block_bytes[file] == 0)
        return block.at(BlockLifecycle.absent).implies(nothing & no_attempt & known)

    @invariant(
        inductive=True,
        given=(
            "blocks_come_before_replicas",
            "only_writers_know_a_block",
            "replicas_know_what_fits_their_state",
            "stopped_clients_have_nothing_open",
            "who_has_no_block_yet_owns_the_file",
        ),
    )
    def writers_write_what_they_were_given(s, client: Client, datanode: Datanode, file: File) -> Bool:
        """A replica that takes the packets of a client that is up has the stamp of its stream."""
        replica, stream = s.replica[datanode][file], s.stream[client][file]
        writes = stream.stage.at(StreamStage.STREAMING, StreamStage.CLOSING) & (replica.writer == client)
        return writes.implies((replica.stamp == stream.stamp) & stream.set_up.has(datanode))

    @invariant(inductive=True)
    def only_running_datanodes_lead(s, primary: Datanode, file: File) -> Bool:
        """An attempt ends with its primary."""
        return s.attempt[primary][file].stage.at(AttemptStage.IDLE) | s.running.has(primary)

    @invariant(inductive=True, given=("replicas_know_what_fits_their_state",))
    def attempts_know_what_fits_their_stage(s, primary: Datanode, file: File) -> Bool:
        """Who counts has answered, who takes part counts, and who was updated or not takes part."""
        attempt = s.attempt[primary][file]
        collecting, updating = attempt.stage.at(AttemptStage.COLLECTING), attempt.stage.at(AttemptStage.UPDATING)
        answered = forall(
            Datanode,
            lambda d: (
                (attempt.found[d].original.at(OriginalState.NONE) == (attempt.found[d].num_bytes == 0))
                & (attempt.found[d].original.at(OriginalState.NONE) | attempt.answered.has(d))
            ),
        )
        asked = attempt.answered <= attempt.locations
        one_way = (attempt.answered & attempt.failed).is_empty() & (attempt.failed <= attempt.locations)
        another = (attempt.updated & attempt.failed).is_empty() & (attempt.failed <= attempt.participants)
        agreed = (attempt.participants <= attempt.answered) & ~attempt.participants.is_empty()
        takes_part = agreed & another & (attempt.updated <= attempt.participants)
        not_yet = attempt.participants.is_empty() & attempt.updated.is_empty() & (attempt.new_bytes == 0)
        idle = attempt.stage.at(AttemptStage.IDLE).implies(attempt.locations.is_empty() & attempt.failed.is_empty())
        fits = (updating & takes_part) | (~updating & not_yet)
        return answered & asked & idle & collecting.implies(one_way) & fits


class RecoverySteps(Streams):
    """Of replicas, and of the primary that is chosen.

    The systems that contain block recovery share them; a system that exchanges replicas says where a step goes on with
    one.
    """

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
