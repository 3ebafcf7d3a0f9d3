"""Faults of the write pipeline by which a write neither goes on nor fails."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.pipeline_set_up import PipelineSetUp
from genstamp_spec.hdfs.parts.state import Datanode


class NobodyTimesOut(PipelineSetUp):
    """A node that does not answer is never noticed, and the write hangs."""

    def is_silent(s, datanode: Datanode) -> Bool:
        """Without heartbeat packets silence cannot be told from an idle writer."""
        return ~s.connected.has(datanode)


HDFS_724 = historic("HDFS-724", NobodyTimesOut, fixed="0.21.0").at(
    "pair", "write_ends_well", "pipeline_is_set_up_again"
)
