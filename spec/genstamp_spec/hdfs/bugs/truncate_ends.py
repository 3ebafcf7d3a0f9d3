"""Faults that keep a truncate from ending: one of old, and one of Hadoop 3.4.1."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.datanode_truncate import DatanodeTruncate
from genstamp_spec.hdfs.parts.state import Datanode, File


class CopyGoesElsewhere(DatanodeTruncate, lane=Datanode):
    """The copy for a truncate goes to any of a datanode's disks, and fails where that is not the original's."""

    @action(event="update_replica_under_recovery", refuses="IOException")
    def update_replica_copies_elsewhere(s, primary: Datanode, file: File, datanode: Datanode) -> None:
        """It is not the original's disk: the copy cannot be renamed into its place."""
        attempt, replica = s.updates(primary, file, datanode), s.replica[datanode][file]
        s.is_as_found(replica, attempt.recovery_id, attempt.found[datanode].num_bytes)
        require(s.makes_copies(primary, file), "the replica is copied")
        attempt.failed.add(datanode)


HDFS_9516 = historic("HDFS-9516", CopyGoesElsewhere, fixed="2.7.3").at("one_datanode", "truncate_ends")


class LengthsMustAgree(DatanodeTruncate, lane=Datanode):
    """An attempt that cuts some replicas in place and then fails leaves finalized replicas of two lengths, and so every
    later attempt fails: the truncate never ends.
    """

    def finalized_fit(s, primary: Datanode, file: File) -> Bool:
        """They are of one length."""
        return BlockRecovery.finalized_fit(s, primary, file)


HALF_A_CUT_IS_ENOUGH = Hole(
    "half-a-cut-is-enough",
    parts=(LengthsMustAgree,),
    source="found with this model; facts G.4 row 1, G.5; BlockRecoveryWorker.RecoveryTaskContiguous#syncBlock, "
    "Hadoop 3.4.1",
).at("in_place", "truncate_ends")
