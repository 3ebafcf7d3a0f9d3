"""What Hadoop 3.4.1 does otherwise than hdfs.replica asks for."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.replica import PIPELINES_BRING_A_NEW_STAMP, RESTART_KEEPS_WHAT_WAS_ACKNOWLEDGED
from genstamp_spec.hdfs.parts.replica_requests import ReplicaRequests
from genstamp_spec.hdfs.parts.replica_state import DetailedReplica, Report, Writer
from genstamp_spec.hdfs.parts.replica_writers import BYTES, Generation
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class StampBeforeLength(ReplicaRequests, lane=Datanode):
    """A refused update has raised the replica's stamp already."""

    def may_cut(s, replica: DetailedReplica, new_bytes: Number) -> None:
        """Where the replica is too short, the update is another step."""
        require(s.bytes_to_update(replica) >= new_bytes, "the replica is not too short")

    @action(event="update_replica_under_recovery", refuses="IOException")
    def serve_update_too_long(s, datanode: Datanode, generation: Generation) -> None:
        """The refused update leaves a replica that bears the recovery's stamp (facts B.4 steps 6 and 7)."""
        (recovery_id,) = s.serves(datanode, generation)
        replica = s.replica[datanode]
        require(replica.state.at(ReplicaLifecycle.rur), "the replica is under recovery")
        require(replica.recovery_id == recovery_id, "the replica is under this recovery")
        s.files_are_there(datanode, None)
        require(s.bytes_to_update(replica) < pick("new_bytes", 0, BYTES), "the replica is too short")
        replica.stamp = recovery_id


class UpdateGoesByReceivedBytes(ReplicaRequests, lane=Datanode):
    """An update to more bytes than are on disk fills the file with zeros, or finalizes a replica longer than its file.

    Where they differ the replica was being written. A file that is to be cut to more than it has is filled with zeros.
    One that is to stay as it is, is finalized as long as what was received; then it does not agree with its file, and
    the update is refused, too late.

    Source  FsDatasetImpl#updateReplicaUnderRecovery, LocalReplica#truncateBlock, Hadoop 3.4.1; facts B.4.17, B.4.20,
            B.4.24.
    """

    def bytes_to_update(s, replica: DetailedReplica) -> Number:
        """Block#getNumBytes of a RUR: the bytes received."""
        return replica.num_bytes

    def may_cut(s, replica: DetailedReplica, new_bytes: Number) -> None:
        """Where the replica will not agree with its file, the update is another step."""
        super().may_cut(replica, new_bytes)
        agrees = (new_bytes < replica.num_bytes) | (replica.num_bytes == replica.file_bytes)
        require(agrees, "the replica will be as long as its file")

    def may_copy(s, replica: DetailedReplica, new_bytes: Number) -> None:
        """A copy leaves the old file as it is: where it is too short, the update is another step."""
        super().may_copy(replica, new_bytes)
        require(replica.num_bytes == replica.file_bytes, "the replica will be as long as its file")

    def finalized_bytes(s, replica: DetailedReplica) -> Number:
        """A restart goes by the file."""
        return replica.file_bytes

    @action(event="update_replica_under_recovery", refuses="IOException")
    def serve_update_past_the_file(s, datanode: Datanode, generation: Generation) -> None:
        """The refused update leaves a replica that is finalized and longer than its file; no report follows."""
        (recovery_id,) = s.serves(datanode, generation)
        old_bytes, new_bytes = pick("old_bytes", 0, BYTES), pick("new_bytes", 0, BYTES)
        replica = s.found_past_the_file(datanode, recovery_id, old_bytes)
        require(replica.num_bytes == new_bytes, "all that was received is to be kept")
        s.keep_received(replica)
        replica.stamp = recovery_id

    @action(event="update_replica_under_recovery", refuses="IOException")
    def serve_update_by_copy_past_the_file(s, datanode: Datanode, generation: Generation) -> None:
        """As above, after the copy was made; the old replica keeps its stamp."""
        (recovery_id,) = s.serves(datanode, generation)
        old_bytes, new_bytes = pick("old_bytes", 0, BYTES), pick("new_bytes", 0, BYTES)
        copy = s.copy[datanode]
        require(copy.state.at(ReplicaLifecycle.absent), "the new block has no replica yet")
        require(new_bytes != old_bytes, "the truncate asks for another length")
        replica = s.found_past_the_file(datanode, recovery_id, old_bytes)
        require(replica.num_bytes > new_bytes, "less than was received is to be kept")
        copy.state.fire(ReplicaLifecycle.copy_on_truncate)
        copy.stamp = recovery_id
        copy.num_bytes = new_bytes
        s.keep_received(replica)

    def found_past_the_file(s, datanode: Datanode, recovery_id: Ordered, old_bytes: Number) -> DetailedReplica:
        """Checks: the replica is under this recovery, and not all that it has received is on disk."""
        replica = s.replica[datanode]
        require(replica.state.at(ReplicaLifecycle.rur), "the replica is under recovery")
        require(replica.recovery_id == recovery_id, "the replica is under this recovery")
        require(replica.bytes_on_disk == old_bytes, "the replica is as long as it was found")
        s.files_are_there(datanode, None)
        require(replica.num_bytes > replica.file_bytes, "not all that was received is on disk")
        return replica

    def keep_received(s, replica: DetailedReplica) -> None:
        """The replica is finalized as long as what was received, of which the file has less."""
        replica.state.fire(ReplicaLifecycle.update_under_recovery)
        replica.bytes_on_disk = replica.num_bytes
        s.forget(replica)


class FilesState(Part):
    """Whether a datanode has lost the files of a replica that it has in memory still."""

    without_files = members(Datanode)


class CreateDeletesFirst(ReplicaRequests, FilesState, lane=Datanode):
    """createRbw under a new stamp deletes the files of a replica, fails for lack of room, and has the replica still.

    The datanode has the replica in memory still, and answers for it: to a primary that asks for a finalized one, too,
    which is refused only when it wants it updated.

    Coarser than HDFS: that other requests for the replica fail is not told, nor of a thread that writes it. No volume
    has room, so that no replica takes its place.

    Source  FsDatasetImpl#createRbw, #cleanupReplica, #checkReplicaFiles, Hadoop 3.4.1.
    """

    def has_space_to_create_again(s, datanode: Datanode) -> None:
        """Where there is none, the request is another step."""
        require(~s.full.has(datanode), "a volume has room")

    @action(event="create_rbw", refuses="DiskOutOfSpaceException")
    def serve_create_rbw_again_without_room(s, datanode: Datanode, generation: Generation) -> None:
        """Whatever is there has no files any more."""
        s.serves(datanode, generation)
        replica = s.replica[datanode]
        require(s.exists(replica), "the datanode has a replica")
        require(~replica.writer.at(Writer.RUNNING), "no thread writes the replica")
        require(s.full.has(datanode), "no volume has room")
        s.without_files.add(datanode)

    def files_are_there(s, datanode: Datanode, refused: str | None, where: Bool | bool = True) -> None:
        """Checks: no such request has deleted them."""
        require(~(s.without_files.has(datanode) & where), "the replica has its files", refused)

    @action(event="datanode_restart")
    def datanode_restarts_without_files(s, datanode: Datanode) -> None:
        """What has no files is not found.

        After an orderly stop, which leaves a list of the replicas, it is there again (BlockPoolSlice#getVolumeMap).
        """
        require(s.without_files.has(datanode), "the replica's files were deleted")
        s.comes_back(datanode, 0)
        replica = s.replica[datanode]
        replica.state.fire(ReplicaLifecycle.invalidate, where=s.exists(replica))
        s.remove(replica)


class CopyDeletesFirst(ReplicaRequests, lane=Datanode):
    """A copy that no volume has room for has deleted the replica that it was to replace.

    Source  FsDatasetImpl#createTemporary, Hadoop 2.6.0 to 3.4.1; facts B.5.
    """

    def has_space_to_copy(s, datanode: Datanode) -> None:
        """Where there is none, the request is another step."""
        require(~s.full.has(datanode), "a volume has room")

    @action(event="create_temporary", refuses="DiskOutOfSpaceException")
    def serve_create_temporary_without_room(s, datanode: Datanode, generation: Generation) -> None:
        """A copy for re-replication: what was being written or copied is gone."""
        s.is_deleted_for_a_copy(datanode, generation, transfer=False)

    @action(event="create_temporary", refuses="DiskOutOfSpaceException")
    def serve_transfer_without_room(s, datanode: Datanode, generation: Generation) -> None:
        """A copy for a pipeline: whatever was there is gone."""
        s.is_deleted_for_a_copy(datanode, generation, transfer=True)

    def is_deleted_for_a_copy(s, datanode: Datanode, generation: Generation, *, transfer: bool) -> None:
        """The older replica leaves memory and disk, and the NameNode is told so."""
        (stamp,) = s.serves(datanode, generation)
        replica = s.replica[datanode]
        replaced = ReplicaLifecycle.existing if transfer else (ReplicaLifecycle.temporary, ReplicaLifecycle.rbw)
        require(replica.state.at(*replaced), "the replica is one that such a copy replaces")
        require(replica.stamp < stamp, "the replica is older than the copy")
        require(replica.writer.at(Writer.NONE), "no thread writes the replica")
        require(s.full.has(datanode), "no volume has room")
        replica.state.fire(ReplicaLifecycle.invalidate)
        s.remove(replica)
        s.tells(datanode, Report.DELETED)


CREATE_REPLACES_ONLY_ITS_OWN = Hole(
    "create-replaces-only-its-own",
    "createRbw under a new stamp deletes whatever replica is there: finalized, under recovery, of a higher stamp",
    drops=tuple(
        ("serve_create_rbw_again", label)
        for label in (
            "only a replica that is being written is replaced",
            "the replica is older",
            "nothing of the replica was acknowledged",
            "no thread writes the replica",
            "the interrupted writer has ended in time",
        )
    ),
    source="facts B1'; FsDatasetImpl#createRbw since HDFS-17299, Hadoop 3.4.1",
).at("requests", "replica_stamp_never_decreases", "visible_bytes_stay", "younger_recovery_is_not_overtaken")
TRANSFER_SPARES_A_YOUNGER_RECOVERY = Hole(
    "transfer-spares-a-younger-recovery",
    "a copy for a pipeline replaces a replica that is under a recovery younger than the copy",
    drops=(("serve_transfer", "no recovery younger than the copy has begun here"),),
    source="found with this model; facts B.5; FsDatasetImpl#createTemporary, Hadoop 3.4.1",
).at("generations", "younger_recovery_is_not_overtaken")
LENGTH_IS_CHECKED_BEFORE_THE_STAMP = Hole(
    "length-is-checked-before-the-stamp",
    parts=(StampBeforeLength,),
    source="facts B.4 steps 6 and 7; FsDatasetImpl#updateReplicaUnderRecovery, Hadoop 3.4.1",
).at("requests", "replica_under_recovery_is_below_it")
UPDATE_KEEPS_TO_BYTES_ON_DISK = Hole(
    "update-keeps-to-bytes-on-disk",
    parts=(UpdateGoesByReceivedBytes,),
    source="found with Apache HDFS; facts B.4.17, B.4.24; FsDatasetImpl#updateReplicaUnderRecovery, Hadoop 3.4.1",
).at("requests", "bytes_on_disk_were_received", "finalized_replicas_have_one_length")
CREATE_LOOKS_FOR_ROOM_FIRST = Hole(
    "create-looks-for-room-first",
    parts=(CreateDeletesFirst,),
    source="found with Apache HDFS; facts B1'; FsDatasetImpl#createRbw since HDFS-17299, Hadoop 3.4.1 and 3.5.0",
).at("requests", "only_condemned_generations_are_deleted")
COPY_LOOKS_FOR_ROOM_FIRST = Hole(
    "copy-looks-for-room-first",
    parts=(CopyDeletesFirst,),
    source="found with Apache HDFS; facts B.5; FsDatasetImpl#createTemporary, Hadoop 2.6.0, 2.7.4, 3.3.6 and 3.4.1",
).at("requests", "only_condemned_generations_are_deleted")
HOLES_BEFORE_17299 = (
    TRANSFER_SPARES_A_YOUNGER_RECOVERY,
    LENGTH_IS_CHECKED_BEFORE_THE_STAMP,
    UPDATE_KEEPS_TO_BYTES_ON_DISK,
    RESTART_KEEPS_WHAT_WAS_ACKNOWLEDGED,
    PIPELINES_BRING_A_NEW_STAMP,
    COPY_LOOKS_FOR_ROOM_FIRST,
)
HOLES_3_4 = (CREATE_REPLACES_ONLY_ITS_OWN, CREATE_LOOKS_FOR_ROOM_FIRST, *HOLES_BEFORE_17299)
