"""What Hadoop 2.7.4 does otherwise in hdfs.truncate and hdfs.truncate_ends, beside what they have of 3.4.1."""

from dataclasses import replace

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.block_recovery_2_7 import HDFS_13758
from genstamp_spec.hdfs.bugs.hadoop_2_7 import NoGate
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.bugs.recovery import HDFS_2484, HDFS_10240, HDFS_12070, HDFS_14498, HDFS_15725
from genstamp_spec.hdfs.bugs.truncate import HDFS_12638
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.datanode_truncate import DatanodeTruncate
from genstamp_spec.hdfs.parts.state import Datanode, File

_SMALL = tuple(one.at("one_datanode") for one in (HDFS_2484, HDFS_14498, HDFS_15725, HDFS_13758))
_ONE_PARTICIPANT_FAILS = HDFS_12070.at("in_place")

TRUNCATE_2_7 = (
    *_SMALL,
    HDFS_10240.at("one_datanode", "recovery_shuts_out_clients"),
    _ONE_PARTICIPANT_FAILS,
    HDFS_12638,
)
"""A recovery may follow another at once in 2.7.4 (HDFS-11576); in hdfs.truncate the gate may open at any time."""

_OVERTAKEN = historic(
    "HDFS-11576",
    NoGate,
    fixed="2.9.1, 3.0.3",
    title="a recovery may follow another at once, however young that is, and each preempts the one before: no cut ends",
).at("one_datanode", "truncate_ends")
_COMMITTED_UNDER_RECOVERY = replace(
    HDFS_10240, title="a client that wrote the file commits it while it is being cut: the cut is forgotten"
).at("one_datanode", "recovery_shuts_out_clients")
TRUNCATE_ENDS_2_7 = (*_SMALL, _COMMITTED_UNDER_RECOVERY, _OVERTAKEN, _ONE_PARTICIPANT_FAILS)


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
