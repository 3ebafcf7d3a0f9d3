"""What cannot occur while a block is written and recovered: states that no step leads to.

No promise to anybody outside, but what the steps rely on without asking: each of these is why some check need not be
made, or why it does not matter which of two ways a step goes.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import AttemptStage, Client, Datanode, File, OriginalState, Replica, StreamStage
from genstamp_spec.hdfs.state.streams import Streams
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, ReplicaLifecycle


class ReplicaFits(Streams):
    """What may be known of a replica in its state."""

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
