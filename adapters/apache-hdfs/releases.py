"""The releases of Hadoop that the adapter drives, in which systems, and the semantics that each is held against."""

from __future__ import annotations

from types import MappingProxyType

SYSTEMS = ("hdfs.recovery", "hdfs.block_recovery", "hdfs.pipeline", "hdfs.lease", "hdfs.replica")
_LIKE_3_4 = dict.fromkeys(SYSTEMS, "hadoop-3.4")
HELD_AGAINST = MappingProxyType(
    {
        "3.4.1": _LIKE_3_4,
        # A recovery command leaves out dead datanodes (HDFS-17430).
        "3.5.0": _LIKE_3_4 | {"hdfs.recovery": "hadoop-3.5", "hdfs.block_recovery": "hadoop-3.5"},
        # What 3.4.1 does otherwise to a replica is no older: HDFS-17299, and the order of an append's checks.
        "3.3.6": {
            "hdfs.recovery": "hadoop-3.4",
            "hdfs.block_recovery": "hadoop-3.4",
            "hdfs.pipeline": "hadoop-3.3",
            "hdfs.lease": "hadoop-3.4",
            "hdfs.replica": "hadoop-2.7",
        },
        # Of what was mended after 2.7.4, 2.10.2 lacks HDFS-10240; HDFS-12886 it has.
        "2.10.2": {"hdfs.lease": "hadoop-2.10"},
    }
)
"""By release and system, the semantics; the first release is the usual one."""
