"""What Hadoop 2.7.4 does otherwise in hdfs.truncate and hdfs.truncate_ends, beside what they have of 3.4.1."""

from dataclasses import replace

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.block_recovery_2_7 import HDFS_13758
from genstamp_spec.hdfs.bugs.hadoop_2_7 import NoGate
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.bugs.recovery import HDFS_2484, HDFS_10240, HDFS_12070, HDFS_14498, HDFS_15725
from genstamp_spec.hdfs.bugs.truncate import HDFS_12638

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
