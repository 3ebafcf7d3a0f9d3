"""How the steps of hdfs.pipeline are brought about on Apache HDFS: what is driven, and what is not."""

from dataclasses import replace
from typing import Final

from genstamp.stateful.driving import HDFS_PIPELINE

_NOT_DRIVEN: Final = "not driven on Apache HDFS yet"

PIPELINE = replace(
    HDFS_PIPELINE,
    may_decline={
        **HDFS_PIPELINE.may_decline,
        "append": _NOT_DRIVEN,
        "add_datanode": _NOT_DRIVEN,
        "transfer_fails": _NOT_DRIVEN,
        "no_datanode_to_add": _NOT_DRIVEN,
        "datanode_stops_to_restart": _NOT_DRIVEN,
    },
)
