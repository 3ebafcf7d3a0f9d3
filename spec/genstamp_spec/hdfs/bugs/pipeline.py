"""Faults along the chain of a write pipeline: who is blamed, what becomes visible when, who takes another's place.

Faults of what the client and the NameNode say of the block stand in `pipeline_block.py`.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.pipeline_datanode import PipelineNetwork
from genstamp_spec.hdfs.parts.pipeline_set_up import PipelineSetUp
from genstamp_spec.hdfs.parts.pipeline_state import Stage
from genstamp_spec.hdfs.parts.pipeline_surroundings import PlannedRestarts
from genstamp_spec.hdfs.parts.state import Datanode


class NodeStopsWithItsMirror(PipelineNetwork):
    """A node whose mirror failed stops itself, so that the client blames the wrong node."""

    def name_bad_node(s, datanode: Datanode, mirror: Datanode) -> None:
        """Nothing goes up: the connection to the node before is closed."""
        del mirror
        s.close_connections(datanode)


HDFS_101 = historic("HDFS-101", NodeStopsWithItsMirror, fixed="0.20.2, 0.21.0").at(
    "pair", "only_failed_nodes_are_given_up"
)


class RequestCarriesTheNewStamp(PipelineSetUp):
    """A node passes a request on with the stamp that it has raised already, and the next one refuses."""

    def requested_stamp(s, datanode: Datanode) -> Ordered:
        """Only the first node is asked for the block's old stamp."""
        return when(s.first_node() == datanode, s.stamp, s.new_stamp)


HDFS_1467 = historic("HDFS-1467", RequestCarriesTheNewStamp, fixed="0.22.0").at(
    "chain", "only_failed_nodes_are_given_up"
)

HDFS_2021 = historic(
    "HDFS-2021",
    fixed="0.23.0",
    drops=(("send_ack", "its byte is visible here"),),
    title="the ack goes up before its bytes are visible on the node",
).at("pair", "acked_bytes_are_visible_on_every_node")

VISIBLE_BEFORE_THE_ACK = Bug(
    "visible-before-the-ack",
    "a byte becomes visible on a node before the next node has acknowledged it",
    drops=(("raise_bytes_acked", "the next node has acknowledged it"),),
    source="the other order in BlockReceiver.PacketResponder#run; compare HDFS-2021",
).at("pair", "chain_is_in_order")


class WriteErrorNamesNobody(PipelineSetUp, lane="client"):
    """An error while the client writes to the first node ends the whole write."""

    @action
    def write_to_first_node_fails(s) -> None:
        """The stream dies of the exception."""
        s.has_to_recover()
        require(s.sent > s.acked, "something was sent")
        require(~s.connected.has(s.first_node()), "its connection is closed")
        s.stage = Stage.FAILED


HDFS_3398 = historic("HDFS-3398", WriteErrorNamesNobody, fixed="2.0.2").at("pair", "write_fails_only_with_cause")


class NobodyIsReplaced(PipelineSetUp):
    """No datanode takes the place of one that failed, until hflushed bytes are on a single node."""

    def wants_replacement(s) -> Bool:
        """Never."""
        return s.pipeline.is_empty() & ~s.pipeline.is_empty()


HDFS_1606 = historic("HDFS-1606", NobodyIsReplaced, fixed="0.23.0").at("spare", "lost_node_is_replaced")


class NobodyIsReplacedWhileClosing(PipelineSetUp):
    """A node that fails while the block is closed is not replaced by one that has the data."""

    def wants_replacement(s) -> Bool:
        """Not while closing."""
        return super().wants_replacement() & ~s.stage.at(Stage.CLOSE_RECOVERY)


HDFS_16146 = historic("HDFS-16146", NobodyIsReplacedWhileClosing, fixed="3.4.0").at("spare", "lost_node_is_replaced")


class SourceMustHaveTheClientsStamp(PipelineSetUp):
    """No datanode can be added after a recovery that failed half-way, since the source has that one's stamp."""

    def can_copy(s, source: Datanode) -> Bool:
        """Not after an attempt that failed half-way: then the source has that attempt's stamp."""
        return super().can_copy(source) & (s.replica[source].stamp == s.stamp)


HDFS_3436 = historic("HDFS-3436", SourceMustHaveTheClientsStamp, fixed="2.0.2").at(
    "four", "write_fails_only_with_cause"
)


class SameTargetEachTime(PipelineSetUp):
    """A transfer that fails is tried again between the same nodes, and then the write fails."""

    def leave_out(s, target: Datanode) -> None:
        """The target is tried again, in vain."""
        del target
        s.stage = Stage.FAILED


class RestartsCount(PlannedRestarts):
    """Planned restarts use up the recoveries that a slow writer has, and its write fails."""

    def waits(s) -> None:
        """As if a node had failed."""
        s.count_recovery()


HDFS_9752 = historic("HDFS-9752", RestartsCount, fixed="2.6.5, 2.7.3").at("upgrade", "write_fails_only_with_cause")

HDFS_9106 = historic("HDFS-9106", SameTargetEachTime, fixed="2.7.2, 2.8.0").at("four", "write_fails_only_with_cause")


class NobodyTimesOut(PipelineSetUp):
    """A node that does not answer is never noticed, and the write hangs."""

    def is_silent(s, datanode: Datanode) -> Bool:
        """Without heartbeat packets silence cannot be told from an idle writer."""
        return ~s.connected.has(datanode)


HDFS_724 = historic("HDFS-724", NobodyTimesOut, fixed="0.21.0").at(
    "pair", "write_ends_well", "pipeline_is_set_up_again"
)
