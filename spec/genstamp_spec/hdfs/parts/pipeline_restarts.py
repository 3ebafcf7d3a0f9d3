"""Planned restarts of datanodes: a node tells its writers before it stops, and they wait for it.

Coarser than HDFS: the client waits for any such node, not only for one that is local or alone; nodes restart while
packets flow, not while a pipeline is set up.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.pipeline_state import Stage
from genstamp_spec.hdfs.parts.state import Datanode, only
from genstamp_spec.hdfs.state.chain import Chain
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class PlannedRestarts(Chain, lane=Datanode):
    """The announcement (OOB_RESTART), the wait, the node that comes back with its replica, or too late."""

    @action
    def datanode_stops_to_restart(s, datanode: Datanode) -> None:
        """A datanode is upgraded: it tells the nodes before it, and stops (BlockReceiver#sendOOB, 3.4.1; facts C.2)."""
        require(s.stage.at(Stage.STREAMING, Stage.CLOSE), "packets and acks flow")
        require(s.connected.has(datanode) & ~s.hung.has(datanode), "the datanode's receiver works")
        s.stop(datanode)
        s.restarts = s.restarts + 1
        s.notes_replica(datanode)
        s.close_connections(datanode)
        s.restarting.add(datanode)

    @action
    def client_waits_for_restart(s, datanode: Datanode) -> None:
        """An ack says that a node restarts: the same nodes are set up again, which is no failure of the write.

        Source  DataStreamer#processDatanodeOrExternalError, #handleRestartingDatanode, Hadoop 3.4.1;
                facts C.5 steps 2, 3 (HDFS-9752).
        """
        first = s.first_node()
        acks = s.connection[first]
        told = (first == datanode) | ((acks.bad_node == datanode) & (acks.confirmed == s.acked))
        s.has_to_recover()
        require(s.pipeline.has(datanode) & s.restarting.has(datanode), "a node of the pipeline restarts")
        require(told, "the client was told")
        s.set_up_again()
        s.waits()

    @action
    def datanode_comes_back(s, datanode: Datanode) -> None:
        """In time: what was being written still is, and as much of it is acknowledged as was.

        Source  BlockPoolSlice#addReplicaToReplicasMap, Hadoop 3.4.1; facts B12, B.8.
        """
        require(s.restarting.has(datanode), "the datanode restarts")
        s.restart(datanode, s.replica[datanode].num_bytes, planned=True)

    @action
    def restart_takes_too_long(s, datanode: Datanode) -> None:
        """The time is over: the node is as good as crashed (facts C.5 step 3)."""
        require(s.restarting.has(datanode) & ~s.running.has(datanode), "the datanode restarts")
        s.may_fail(datanode)
        finalized = s.replica[datanode].state.at(ReplicaLifecycle.finalized)
        s.crashes = s.crashes + 1
        s.restarting.remove(datanode)
        s.failed.add(datanode)
        s.steady = when(finalized, s.steady, s.steady - only(datanode))
