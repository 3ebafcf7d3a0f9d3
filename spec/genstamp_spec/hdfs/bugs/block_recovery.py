"""Faults of block recovery that hdfs.block_recovery shows, each as one change."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery, CarefulAgreement
from genstamp_spec.hdfs.parts.state import Attempt, Client, Datanode, File, OriginalState, Replica, StreamStage, forget
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class WriterIsNotStopped(BlockRecovery, lane=Datanode):
    """The writer is not stopped when a recovery begins: bytes are added after the length was answered."""

    def writes_to(s, client: Client, file: File, datanode: Datanode) -> Bool:
        """A replica under recovery takes packets like one that is being written."""
        replica, stream = s.replica[datanode][file], s.stream[client][file]
        in_pipeline = s.alive.has(client) & s.running.has(datanode) & stream.pipeline.has(datanode)
        frozen = replica.state.at(ReplicaLifecycle.rur) & (replica.stamp == stream.stamp)
        return super().writes_to(client, file, datanode) | (in_pipeline & frozen & (replica.writer == client))

    def freeze(s, replica: Replica, recovery_id: Ordered) -> None:
        """The writer stays."""
        writer = replica.writer
        super().freeze(replica, recovery_id)
        replica.writer = writer


HDFS_1186 = historic("HDFS-1186", WriterIsNotStopped, fixed="in the 0.20-append line").at(
    "late", "frozen_replicas_take_no_bytes", "frozen_replicas_stay_what_they_were"
)
HDFS_1197 = historic(
    "HDFS-1197",
    fixed="in the 0.20-append line",
    drops=(("report_back", "every participant is updated or has failed"),),
    title="a block becomes complete with the report of its recovery, though no datanode has finalized a replica",
).at("late", "complete_blocks_have_a_replica")
HDFS_1260 = historic(
    "HDFS-1260",
    fixed="in the 0.20-append line",
    drops=(("init_replica_recovery", "no recovery with this id or a later one has begun here"),),
    title="datanodes take part in any recovery that asks, so that several give one block different stamps",
).at("overlapping", "replica_recovery_id_only_grows")


class ResponderFinalizes(BlockRecovery, lane=Datanode):
    """A responder that the recovery has interrupted finalizes the replica all the same."""

    @action(event="finalize_replica")
    def finalize_replica_interrupted(s, client: Client, file: File, datanode: Datanode) -> None:
        """The last packet was acknowledged just before the recovery began; the RUR is replaced by its original."""
        replica, stream = s.replica[datanode][file], s.stream[client][file]
        require(s.alive.has(client) & s.running.has(datanode), "client and datanode are running")
        require(stream.stage.at(StreamStage.CLOSING), "the last packet is sent")
        require(replica.state.at(ReplicaLifecycle.rur), "the replica is under recovery")
        require(replica.original.at(OriginalState.RBW) & (replica.stamp == stream.stamp), "it is what the client wrote")
        replica.state.fire(ReplicaLifecycle.update_under_recovery)
        forget(replica)
        stream.finalized.add(datanode)


HDFS_3541 = historic("HDFS-3541", ResponderFinalizes, fixed="2.0.2").at("late", "frozen_replicas_take_no_bytes")


class StampIsNotRecorded(BlockRecovery, lane=Datanode):
    """The update of a replica under recovery records another stamp than the recovery's."""

    def install(s, replica: Replica, recovery_id: Ordered, num_bytes: Number) -> None:
        """The replica keeps its stamp."""
        stamp = replica.stamp
        super().install(replica, recovery_id, num_bytes)
        replica.stamp = stamp


HDFS_736 = historic("HDFS-736", StampIsNotRecorded, fixed="0.21").at(
    "late", "counted_replicas_match", "frozen_replicas_take_no_bytes"
)
RECOVERY_ID_IGNORED = Bug(
    "recovery-id-ignored",
    "commitBlockSynchronization takes the report of any recovery, not only of the current one",
    drops=(("commit_block_synchronization", "the recovery id is the current one"),),
    source="facts G.6 row 7, S12",
).at("overlapping", "only_the_current_recovery_counts", "fenced_client_changes_nothing", "no_recovery_drops_data")


class LongestDecides(CarefulAgreement):
    """Replicas that are being written take the longest length among them instead of the shortest."""

    def chosen(
        s, attempt: Attempt, finalized: Members[Datanode], rbw: Members[Datanode], rwr: Members[Datanode]
    ) -> tuple[Members[Datanode], Number]:
        """Who takes part, and the length: the maximum where RBW replicas decide."""
        participants, shortest = super().chosen(attempt, finalized, rbw, rwr)
        longest = maximum(Datanode, lambda d: attempt.found[d].num_bytes, where=lambda d: rbw.has(d), default=0)
        return participants, when(finalized.is_empty() & ~rbw.is_empty(), longest, shortest)


LONGEST_DECIDES = Bug("longest-rbw-decides", parts=(LongestDecides,), source="facts G.4 row 2, S7").at(
    "restarts", "agreed_length_was_found", "recoveries_make_no_bytes_up"
)


class AnyLengthJoins(CarefulAgreement):
    """RBW replicas of another length take part beside FINALIZED ones."""

    def chosen(
        s, attempt: Attempt, finalized: Members[Datanode], rbw: Members[Datanode], rwr: Members[Datanode]
    ) -> tuple[Members[Datanode], Number]:
        """Who takes part, and the length: all RBW join."""
        participants, length = super().chosen(attempt, finalized, rbw, rwr)
        return when(finalized.is_empty(), participants, participants | rbw), length


ANY_LENGTH_JOINS = Bug("unequal-rbw-joins", parts=(AnyLengthJoins,), source="facts G.4 row 1, S7").at(
    "lengths", "agreed_length_was_found", "recoveries_make_no_bytes_up"
)


class EqualIdIsAccepted(BlockRecovery, lane=Datanode):
    """A replica under recovery goes over to a recovery of the same id.

    A replica under recovery goes over to a recovery of the same id, not only to a younger one (facts B.4 step 5).

    Is that harmless? A datanode is asked twice under one id only if two primaries work under it, or one on a command
    that came twice. In the repaired text neither happens, and the comparison of equal ids never decides: as many states
    are reached with it as without. Where two primaries share an id (command-belongs-to-its-attempt), both go on to the
    end instead of the second giving up, and still no promise breaks that the sharing does not break anyway: the
    NameNode takes one of the two reports and finds the block complete when the other comes (facts G.6 row 6), and what
    the other primary has finalized counts if it is as long as the block. So the guard saves work, not data.
    `test_equal_recovery_ids` searches all of this.
    """

    def is_younger(s, replica: Replica, recovery_id: Ordered) -> Bool:
        """The replica takes part in a later recovery."""
        return replica.state.at(ReplicaLifecycle.rur) & (replica.recovery_id > recovery_id)


EQUAL_ID_IS_ACCEPTED = Bug("equal-id-is-accepted", parts=(EqualIdIsAccepted,))
BUGS = (LONGEST_DECIDES, ANY_LENGTH_JOINS, HDFS_736, HDFS_1186, HDFS_1197, HDFS_1260, HDFS_3541, RECOVERY_ID_IGNORED)
