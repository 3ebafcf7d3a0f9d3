"""Faults along the chain of a write pipeline: who is blamed, what becomes visible when, who takes another's place.

Faults of what the client and the NameNode say of the block stand in `pipeline_block.py`.
"""

from genstamp_model.language import Bool, Bug, Ordered, action, require, when
from genstamp_spec.hdfs.parts.pipeline_network import PipelineNetwork
from genstamp_spec.hdfs.parts.pipeline_restarts import PlannedRestarts
from genstamp_spec.hdfs.parts.pipeline_set_up import PipelineSetUp
from genstamp_spec.hdfs.parts.pipeline_state import Stage
from genstamp_spec.hdfs.parts.state import Datanode


class NodeStopsWithItsMirror(PipelineNetwork):
    """A node that cannot write to the next one ends its own receiver, and nobody learns which of the two is bad."""

    def name_bad_node(s, datanode: Datanode, mirror: Datanode) -> None:
        """Nothing goes up: the connection to the node before is closed."""
        del mirror
        s.close_connections(datanode)


HDFS_101 = Bug(
    "HDFS-101",
    "a node whose mirror failed stops itself, so that the client blames the wrong node",
    parts=(NodeStopsWithItsMirror,),
    breaks=("only_failed_nodes_are_given_up",),
    configuration="pair",
    depth=6,
    source="https://issues.apache.org/jira/browse/HDFS-101; fixed in 0.20.2, 0.21.0",
)


class RequestCarriesTheNewStamp(PipelineSetUp):
    """A node stamps the block object of the request before it passes it on."""

    def requested_stamp(s, datanode: Datanode) -> Ordered:
        """Only the first node is asked for the block's old stamp."""
        return when(s.first_node() == datanode, s.stamp, s.new_stamp)


HDFS_1467 = Bug(
    "HDFS-1467",
    "a node passes a request on with the stamp that it has raised already, and the next one refuses",
    parts=(RequestCarriesTheNewStamp,),
    breaks=("only_failed_nodes_are_given_up",),
    configuration="chain",
    depth=10,
    source="https://issues.apache.org/jira/browse/HDFS-1467; fixed in 0.22.0",
)

HDFS_2021 = Bug(
    "HDFS-2021",
    "the ack goes up before its bytes are visible on the node",
    drops=(("send_ack", "its byte is visible here"),),
    breaks=("acked_bytes_are_visible_on_every_node",),
    configuration="pair",
    depth=7,
    source="https://issues.apache.org/jira/browse/HDFS-2021; fixed in 0.23.0",
)

VISIBLE_BEFORE_THE_ACK = Bug(
    "visible-before-the-ack",
    "a byte becomes visible on a node before the next node has acknowledged it",
    drops=(("raise_bytes_acked", "the next node has acknowledged it"),),
    breaks=("chain_is_in_order",),
    configuration="pair",
    depth=7,
    source="the other order in BlockReceiver.PacketResponder#run; compare HDFS-2021",
)


class WriteErrorNamesNobody(PipelineSetUp, lane="client"):
    """An error while the client writes to the first node does not say which node is bad."""

    @action
    def write_to_first_node_fails(s) -> None:
        """The stream dies of the exception."""
        s.has_to_recover()
        require(s.sent > s.acked, "something was sent")
        require(~s.connected.has(s.first_node()), "its connection is closed")
        s.stage = Stage.FAILED


HDFS_3398 = Bug(
    "HDFS-3398",
    "an error while the client writes to the first node ends the whole write",
    parts=(WriteErrorNamesNobody,),
    breaks=("write_fails_only_with_cause",),
    configuration="pair",
    depth=7,
    source="https://issues.apache.org/jira/browse/HDFS-3398; fixed in 2.0.2",
)


class NobodyIsReplaced(PipelineSetUp):
    """The pipeline goes on with the nodes that are left."""

    def wants_replacement(s) -> Bool:
        """Never."""
        return s.pipeline.is_empty() & ~s.pipeline.is_empty()


HDFS_1606 = Bug(
    "HDFS-1606",
    "no datanode takes the place of one that failed, until hflushed bytes are on a single node",
    parts=(NobodyIsReplaced,),
    breaks=("lost_node_is_replaced",),
    configuration="spare",
    depth=9,
    source="https://issues.apache.org/jira/browse/HDFS-1606; fixed in 0.23.0",
)


class NobodyIsReplacedWhileClosing(PipelineSetUp):
    """While the block is closed, the client does without the failed node."""

    def wants_replacement(s) -> Bool:
        """Not while closing."""
        return super().wants_replacement() & ~s.stage.at(Stage.CLOSE_RECOVERY)


HDFS_16146 = Bug(
    "HDFS-16146",
    "a node that fails while the block is closed is not replaced by one that has the data",
    parts=(NobodyIsReplacedWhileClosing,),
    breaks=("lost_node_is_replaced",),
    configuration="spare",
    depth=10,
    source="https://issues.apache.org/jira/browse/HDFS-16146; fixed in 3.4.0",
)


class SourceMustHaveTheClientsStamp(PipelineSetUp):
    """The source of a transfer compares its replica with the request, and not with what it has stored."""

    def can_copy(s, source: Datanode) -> Bool:
        """Not after an attempt that failed half-way: then the source has that attempt's stamp."""
        return super().can_copy(source) & (s.replica[source].stamp == s.stamp)


HDFS_3436 = Bug(
    "HDFS-3436",
    "no datanode can be added after a recovery that failed half-way, since the source has that one's stamp",
    parts=(SourceMustHaveTheClientsStamp,),
    breaks=("write_fails_only_with_cause",),
    configuration="four",
    depth=13,
    source="https://issues.apache.org/jira/browse/HDFS-3436; fixed in 2.0.2",
)


class SameTargetEachTime(PipelineSetUp):
    """Every try takes the same two nodes, and after the third one the write ends."""

    def leave_out(s, target: Datanode) -> None:
        """The target is tried again, in vain."""
        del target
        s.stage = Stage.FAILED


class RestartsCount(PlannedRestarts):
    """The client counts every recovery since the last ack."""

    def waits(s) -> None:
        """As if a node had failed."""
        s.count_recovery()


HDFS_9752 = Bug(
    "HDFS-9752",
    "planned restarts use up the recoveries that a slow writer has, and its write fails",
    parts=(RestartsCount,),
    breaks=("write_fails_only_with_cause",),
    configuration="upgrade",
    depth=35,
    source="https://issues.apache.org/jira/browse/HDFS-9752; fixed in 2.6.5, 2.7.3",
)

HDFS_9106 = Bug(
    "HDFS-9106",
    "a transfer that fails is tried again between the same nodes, and then the write fails",
    parts=(SameTargetEachTime,),
    breaks=("write_fails_only_with_cause",),
    configuration="four",
    depth=8,
    source="https://issues.apache.org/jira/browse/HDFS-9106; fixed in 2.7.2, 2.8.0",
)
