"""How news of a broken chain travels: whom a node calls bad, and how the client comes to know it.

A node that cannot read from the next one or write to it says so in its acks; the nodes before pass that on. The client
takes the farthest node that an ack calls bad; if it knows none, it takes the first one (facts C.2).

Coarser than HDFS: of the statuses in an ack, one for each node, only the node that is bad is kept.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.pipeline_datanode import PipelineDatanode
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class PipelineNetwork(PipelineDatanode, lane=Datanode):
    """Errors on their way to the client."""

    @action
    def mirror_fails(s, datanode: Datanode) -> None:
        """Nothing comes from the next node: this node is fine, the next one is not.

        A node that has finalized its replica acknowledges that first, and listens no more.

        Source  BlockReceiver.PacketResponder#run, BlockReceiver#handleMirrorOutError, Hadoop 3.4.1; facts C.2.
        """
        connection, mirror = s.connection[datanode], s.mirror(datanode)
        s.works(datanode)
        require(connection.bad_node.is_none(), "no node after it was found bad")
        require(~mirror.is_none() & s.set_up.has(mirror), "it was connected to a next node")
        require(s.is_silent(mirror), "the connection is closed, or nothing comes")
        require(~s.is_last(connection.confirmed), "the block is not acknowledged here")
        finalized = s.replica[datanode].state.at(ReplicaLifecycle.finalized)
        require(~finalized, "the replica is not finalized")
        s.name_bad_node(datanode, mirror)

    def name_bad_node(s, datanode: Datanode, mirror: Datanode) -> None:
        """The acks say from now on that the next node is bad (HDFS-101)."""
        s.connection[datanode].bad_node = mirror

    @action
    def error_ack_passes(s, datanode: Datanode) -> None:
        """An ack that calls a node bad goes up, this node's own success in front of it.

        Source  BlockReceiver.PacketResponder#sendAckUpstreamUnprotected, Hadoop 3.4.1; facts C.2.
        """
        connection, mirror = s.connection[datanode], s.mirror(datanode)
        s.works(datanode)
        require(connection.bad_node.is_none(), "no node after it was found bad")
        require(~mirror.is_none() & ~s.connection[mirror].bad_node.is_none(), "an ack calls a node bad")
        require(connection.confirmed == s.connection[mirror].confirmed, "all acks before it have gone up")
        connection.bad_node = s.connection[mirror].bad_node
