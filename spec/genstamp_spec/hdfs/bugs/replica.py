"""Faults of what one datanode does to a replica."""

from dataclasses import replace
from typing import Final

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.replica_operations import ReplicaOperations
from genstamp_spec.hdfs.parts.replica_recovery import ReplicaRecovery
from genstamp_spec.hdfs.parts.replica_requests import ReplicaRequests
from genstamp_spec.hdfs.parts.replica_state import DetailedReplica
from genstamp_spec.hdfs.parts.replica_threads import Operation, ReplicaThreads
from genstamp_spec.hdfs.parts.replica_writers import BYTES, Generation, ReplicaWriters
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.lifecycles.replica import ReplicaLifecycle

ISSUE = "https://issues.apache.org/jira/browse/"


class CloseInTwoSteps(ReplicaWriters, lane=Datanode):
    """recoverClose checks the stamp and raises it in two steps: a late call lowers it."""

    closing = per(Datanode, ordered(limit="stamps"))  # the stamp that a checked call will set; 0: none waits

    @action(event="recover_close")
    def serve_recover_close(s, datanode: Datanode, old: Generation, new: Generation) -> None:
        """The checks are passed."""
        stamp, new_stamp = s.serves(datanode, old, new)
        s.recover_check(datanode, stamp, new_stamp, pick("expected_bytes", 0, BYTES))
        s.closing[datanode] = new_stamp

    @action(event="recover_close")
    def recover_close_goes_on(s, datanode: Datanode) -> None:
        """What was checked is done, whatever has happened since."""
        replica = s.replica[datanode]
        require(s.running.has(datanode) & (s.closing[datanode] > 0), "a call waits that was checked")
        replica.state.fire(ReplicaLifecycle.recover_close)
        replica.stamp = s.closing[datanode]
        s.closing[datanode] = 0
        s.becomes_final(datanode)


HDFS_7065 = historic("HDFS-7065", CloseInTwoSteps, fixed="2.6.0").at("generations", "replica_stamp_never_decreases")


class NothingIsCut(ReplicaOperations):
    """recoverRbw does not cut the replica to what was acknowledged, so that a broken pipeline's bytes stay."""

    def cut_to_acknowledged(s, replica: DetailedReplica) -> None:
        """The file stays as it is."""


HDFS_3875 = historic("HDFS-3875", NothingIsCut, fixed="0.23.10, 2.2.0 or shortly before").at(
    "requests", "unacknowledged_bytes_end_with_their_pipeline"
)


class MemoryDecides(ReplicaOperations):
    """After a failed write memory lags behind the file, and recoverRbw goes by it: the file's tail stays, or it
    refuses.
    """

    def bytes_to_recover(s, replica: DetailedReplica) -> Number:
        """Less than the file has, after a write that failed."""
        return replica.bytes_on_disk

    def cut_to_acknowledged(s, replica: DetailedReplica) -> None:
        """Nothing is cut where memory has no more than what was acknowledged."""
        longer = replica.bytes_on_disk > replica.bytes_acked
        replica.num_bytes = when(longer, replica.bytes_acked, replica.num_bytes)
        replica.file_bytes = when(longer, replica.bytes_acked, replica.file_bytes)
        replica.bytes_on_disk = when(longer, replica.bytes_acked, replica.bytes_on_disk)


HDFS_11472 = historic("HDFS-11472", MemoryDecides, fixed="2.7.4, 2.8.2").at(
    "requests", "unacknowledged_bytes_end_with_their_pipeline"
)

HDFS_897 = historic(
    "HDFS-897",
    fixed="0.21.0",
    drops=(("serve_invalidate", "the replica has the stamp that is to be deleted"),),
    title="invalidate compares a stamp with itself: a replica of any generation is deleted",
).at("requests", "only_condemned_generations_are_deleted")


class FileIsNotCut(ReplicaRecovery):
    """An RWR keeps a file longer than its checksums cover, so that every recovery of it fails."""

    def restart(s, datanode: Datanode, kept_bytes: Number | int, planned: Bool | bool = False) -> None:
        """The file stays longer than what its checksums cover."""
        file_bytes = s.replica[datanode].file_bytes
        super().restart(datanode, kept_bytes, planned)
        replica = s.replica[datanode]
        replica.file_bytes = when(replica.state.at(ReplicaLifecycle.rwr), file_bytes, replica.file_bytes)


HDFS_5728 = historic("HDFS-5728", FileIsNotCut, fixed="2.3.0").at("requests", "waiting_replicas_can_be_recovered")


class LengthIsNotRecorded(ReplicaRequests):
    """updateReplicaUnderRecovery finalizes the replica with another length than the one agreed on."""

    def update_replica_under_recovery(
        s, datanode: Datanode, recovery_id: Ordered, old_bytes: Number, new_bytes: Number
    ) -> None:
        """The finalized replica claims bytes that its file has lost."""
        num_bytes = s.replica[datanode].num_bytes
        super().update_replica_under_recovery(datanode, recovery_id, old_bytes, new_bytes)
        s.replica[datanode].num_bytes = num_bytes


HDFS_676 = historic("HDFS-676", LengthIsNotRecorded, fixed="0.21.0").at(
    "requests", "finalized_replicas_have_one_length"
)

RECOVER_RBW_WITHOUT_WINDOW = Bug(
    "recover-rbw-without-window",
    "recoverRbw does not compare stamps: a pipeline that was overtaken lowers the replica's",
    drops=(("serve_recover_rbw", "the replica's stamp lies between the block's and the new one"),),
    source="facts L.5; the check is in FsDatasetImpl#recoverRbw since appends were redesigned (HDFS-265)",
).at("generations", "replica_stamp_never_decreases")


class NothingIsReplaced(ReplicaWriters, lane=Datanode):
    """createRbw refuses whatever replica is there, under a new stamp as well."""

    @action(event="create_rbw")
    def serve_create_rbw_again(s, datanode: Datanode, generation: Generation) -> None:
        """A pipeline that could not be set up is given up with its block (FsDatasetImpl#createRbw; facts B1, C.5)."""
        (new_stamp,) = s.serves(datanode, generation)
        s.create_rbw(datanode, new_stamp)


HDFS_17299 = Difference(
    "HDFS-17299",
    "createRbw refuses whatever replica is there: a pipeline is not set up again, but for another block",
    parts=(NothingIsReplaced,),
    source=ISSUE + "HDFS-17299; otherwise since 3.4.1",
).seen("requests", "refusal serve_create_rbw_again, ReplicaAlreadyExistsException: the datanode has no replica")


class AppendComparesStampsFirst(ReplicaOperations):
    """An append compares the stamps of the request before it looks for the replica."""

    def append(s, datanode: Datanode, stamp: Ordered, new_stamp: Ordered, expected_bytes: Number) -> None:
        """The lock is the dataset's: only that of a volume needs the replica first (FsDatasetImpl#append; facts B2)."""
        require(new_stamp >= stamp, "the new stamp is not below the old one, whatever is there", "IOException")
        super().append(datanode, stamp, new_stamp, expected_bytes)


APPEND_COMPARES_STAMPS_FIRST = Difference(
    "append-compares-stamps-first",
    parts=(AppendComparesStampsFirst,),
    source="found on Apache HDFS 3.3.6; FsDatasetImpl#append, Hadoop 2.7.4, 2.10.2 and 3.3.6, otherwise in 3.4.1",
).seen("requests", "refusal serve_append, IOException: the new stamp is not below the old one, whatever is there")

_BRINGS_A_STAMP: Final = ("serve_append", "serve_recover_append", "serve_recover_close", "serve_recover_rbw")

PIPELINES_BRING_A_NEW_STAMP = Hole(
    "pipelines-bring-a-new-stamp",
    "a datanode gives its replica to a pipeline whose new stamp is the one that the block has (HDFS-17850)",
    drops=tuple((action, "the new stamp is above the old one") for action in _BRINGS_A_STAMP),
    source=ISSUE + "HDFS-17850; facts B2 to B5, B.3; FsDatasetImpl#append, #recoverCheck, #recoverRbwImpl, Hadoop "
    "3.4.1 and 3.5.0; acknowledged bytes that it loses are shown as HDFS-17850 in hdfs.write_path",
).at("requests", "pipelines_go_on_under_a_later_stamp")


class PlannedRestartShowsAll(ReplicaRecovery):
    """After a planned restart bytes are visible that no other node of the pipeline need have."""

    def restart(s, datanode: Datanode, kept_bytes: Number | int, planned: Bool | bool = False) -> None:
        """The constructor of ReplicaBeingWritten takes its length for what was acknowledged."""
        super().restart(datanode, kept_bytes, planned)
        replica = s.replica[datanode]
        goes_on = replica.state.at(ReplicaLifecycle.rbw)
        replica.bytes_acked = when(goes_on, replica.num_bytes, replica.bytes_acked)


RESTART_KEEPS_WHAT_WAS_ACKNOWLEDGED = Hole(
    "restart-keeps-what-was-acknowledged",
    parts=(PlannedRestartShowsAll,),
    source="found with this model; facts B12; LocalReplicaInPipeline's constructor, Hadoop 3.4.1",
).at("requests", "only_acknowledged_bytes_become_visible", "restart_keeps_finalized_replicas")


class WaitsUnderTheLock(ReplicaThreads):
    """An operation waits without end for a writer, under the lock that the writer's responder needs to end."""

    def takes_lock(s, datanode: Datanode) -> None:
        """Checks: nobody waits, and so the lock is free."""
        require(s.operation[datanode].at(Operation.NONE), "the dataset lock is free")


HDFS_5016 = historic("HDFS-5016", WaitsUnderTheLock, fixed="2.1.0-beta").at("copy", "waiting_for_a_writer_ends")
STOPS_UNDER_THE_LOCK = replace(
    HDFS_5016,
    name="stops-under-the-lock",
    title="an operation that waits for a writer keeps the lock that the writer's responder needs to end: only the "
    "time-out helps",
    source="facts B.6; FsDatasetImpl#recoverRbw, ReplicaInPipeline#stopWriter, Hadoop 2.7.4; otherwise in 3.x",
)


class AnyReplicaIsInTheWay(ReplicaThreads, lane=Datanode):
    """A copy of a newer generation is refused for ever because an older replica lies there that was being written."""

    @action(event="create_temporary")
    def copy_replaces_older(s, datanode: Datanode) -> None:
        """Nothing makes room: the copy begins only where there is no replica."""
        s.copy_is_wanted(datanode)
        s.create_temporary(datanode, s.new_stamp)


HDFS_6948 = historic("HDFS-6948", AnyReplicaIsInTheWay, fixed="2.6.0").at("copy", "newer_copy_arrives")
