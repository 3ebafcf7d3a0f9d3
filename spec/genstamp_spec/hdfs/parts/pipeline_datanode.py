"""Datanodes of a pipeline: packets, acks, the operations that set a pipeline up, transfers, crash and restart.

Coarser than HDFS: a packet's byte is on disk when the packet is received, also on a node that acknowledges it earlier;
bytes have no checksums; stopping a writer takes no time; a transfer is one step, so that TEMPORARY replicas are not
seen; a replica that is stale stays.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.pipeline_state import Stage
from genstamp_spec.hdfs.parts.replica_state import DetailedReplica, Writer
from genstamp_spec.hdfs.parts.state import Datanode, only
from genstamp_spec.hdfs.state.chain import Chain
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class PipelineDatanode(Chain, lane=Datanode):
    """BlockReceiver, its PacketResponder, and FsDatasetImpl."""

    def works(s, datanode: Datanode) -> None:
        """Checks: the node's receiver and responder are up, and it takes part in the pipeline."""
        require(s.pipeline.has(datanode), "the datanode is in the pipeline")
        require(s.connected.has(datanode) & ~s.hung.has(datanode), "the datanode's receiver works")

    def takes_packet(s, datanode: Datanode) -> Number:
        """Checks: the next packet is here. It is forwarded in the same step. Gives its number."""
        connection = s.connection[datanode]
        packet = connection.taken + 1
        s.works(datanode)
        require(s.offered(datanode) >= packet, "the node before has forwarded it")
        return packet

    @action
    def receive_packet(s, datanode: Datanode) -> None:
        """A packet is received, written and forwarded (BlockReceiver#receivePacket, Hadoop 3.4.1; facts C.2)."""
        packet = s.takes_packet(datanode)
        require(~s.is_last(packet), "the packet has data")
        require(s.replica[datanode].num_bytes < packet, "its byte is not here yet")
        s.receive_byte(datanode)
        s.connection[datanode].taken = packet
        observe(packet=packet)

    @action(event="receive_packet")
    def receive_packet_without_news(s, datanode: Datanode) -> None:
        """The packet is empty, or its byte is here already: it is only forwarded (facts C.2)."""
        packet = s.takes_packet(datanode)
        require(s.is_last(packet) | (s.replica[datanode].num_bytes >= packet), "its byte is here already")
        s.connection[datanode].taken = packet
        observe(packet=packet)

    def receive_byte(s, datanode: Datanode) -> None:
        """Received and on disk at once."""
        replica = s.replica[datanode]
        require(replica.writer.at(Writer.RUNNING), "a thread writes the replica", defensive=True)
        s.set_lengths(replica, replica.num_bytes + 1)

    def writer_is_stopped(s, replica: DetailedReplica) -> None:
        """Stopping a writer takes no time: the connections of an older pipeline have ended."""

    # The responder takes the acks one after the other: first the packet counts as acknowledged here, or the replica is
    # finalized if it was the last one, and only then the ack goes up.

    def answers(s, datanode: Datanode) -> Number:
        """Checks: the responder has the packet and the ack of the nodes after it. Gives the packet."""
        connection = s.connection[datanode]
        packet = connection.confirmed + 1
        s.works(datanode)
        require(connection.bad_node.is_none(), "no node after it was found bad")
        require(connection.taken >= packet, "the packet was received")
        return packet

    def confirmed_below(s, datanode: Datanode, packet: Number) -> Bool:
        """The next node has acknowledged the packet, or there is none."""
        mirror = s.mirror(datanode)
        return mirror.is_none() | (s.connection[mirror].confirmed >= packet)

    @action
    def raise_bytes_acked(s, datanode: Datanode) -> None:
        """The packet's byte becomes visible on this node.

        Source  BlockReceiver.PacketResponder#sendAckUpstreamUnprotected, Hadoop 3.4.1; facts C.2 (HDFS-2021).
        """
        packet, replica = s.answers(datanode), s.replica[datanode]
        require(~s.is_last(packet), "the packet has data")
        require(s.confirmed_below(datanode, packet), "the next node has acknowledged it")
        require(replica.bytes_acked < packet, "it does not count as acknowledged yet")
        s.acknowledge_byte(datanode)
        observe(bytes_acked=packet)

    @action
    def finalize_replica(s, datanode: Datanode) -> None:
        """The last packet is acknowledged by the nodes after this one: the replica is finalized.

        Source  BlockReceiver.PacketResponder#finalizeBlock, FsDatasetImpl#finalizeBlock, Hadoop 3.4.1; facts B8, C.2.
        """
        packet, replica = s.answers(datanode), s.replica[datanode]
        call = attempt(lambda: s.finalize_block(datanode, replica.stamp, ~s.connected.has(datanode)))
        require(s.is_last(packet), "the packet is the last one of the block")
        require(s.confirmed_below(datanode, packet), "the next node has acknowledged it")
        require(call.possible, "the replica can be finalized")
        call.take()

    @action
    def send_ack(s, datanode: Datanode) -> None:
        """The ack goes up the chain.

        Source  BlockReceiver.PacketResponder#sendAckUpstream, Hadoop 3.4.1; facts C.2.
        """
        packet, replica = s.answers(datanode), s.replica[datanode]
        last, finalized = s.is_last(packet), replica.state.at(ReplicaLifecycle.finalized)
        acted = last & finalized  # since the next node had acknowledged it, whatever has become of that one
        require(acted | s.confirmed_below(datanode, packet), "the next node has acknowledged it")
        require(last | (replica.bytes_acked >= packet), "its byte is visible here")
        require(~last | finalized, "the replica is finalized")
        s.connection[datanode].confirmed = packet

    @action
    def set_up_create(s, datanode: Datanode) -> None:
        """The replica is created (FsDatasetImpl#createRbw, Hadoop 3.4.1; facts B1, C.1, C.5)."""
        s.asked(datanode, Stage.SETUP_CREATE)
        s.grants(datanode, attempt(lambda: s.create(datanode)))

    @action(event="set_up_create")
    def set_up_create_again(s, datanode: Datanode) -> None:
        """What an earlier attempt has left is replaced, since HDFS-17299 (facts B1', C.5)."""
        s.asked(datanode, Stage.SETUP_CREATE)
        require(s.new_stamp > s.stamp, "the stamp is a new one")
        s.grants(datanode, attempt(lambda: s.create_again(datanode)))

    @action
    def set_up_streaming_recovery(s, datanode: Datanode) -> None:
        """What was not acknowledged is cut off, to be sent again (FsDatasetImpl#recoverRbw; facts B4, C.1)."""
        s.asked(datanode, Stage.STREAMING_RECOVERY)
        s.grants(datanode, attempt(lambda: s.stream_again(datanode)))

    @action
    def set_up_close_recovery(s, datanode: Datanode) -> None:
        """The replica is finalized, if it is not yet; no packets follow (FsDatasetImpl#recoverClose; facts B5, C.1)."""
        s.asked(datanode, Stage.CLOSE_RECOVERY)
        s.grants(datanode, attempt(lambda: s.close_again(datanode)))

    # Faults.

    @action
    def datanode_crash(s, datanode: Datanode) -> None:
        """A datanode stops without warning. What is on disk stays."""
        s.may_fail(datanode)
        finalized = s.replica[datanode].state.at(ReplicaLifecycle.finalized)
        s.stop(datanode)
        s.restarting.remove(datanode)
        s.steady = when(finalized, s.steady, s.steady - only(datanode))
        s.crashes = s.crashes + 1
        s.disconnect(datanode)

    @action
    def receiver_fails(s, datanode: Datanode) -> None:
        """A disk error or an exception ends the writing on this node; the replica stays as it is, the node lives on.

        Source  BlockReceiver#receiveBlock, Hadoop 3.4.1; facts X.4.14 to X.4.19, X.5.44 to X.5.51.
        """
        require(s.connected.has(datanode), "the datanode's receiver is up")
        s.may_fail(datanode)
        s.faults = s.faults + 1
        s.disconnect(datanode)

    @action
    def receiver_hangs(s, datanode: Datanode) -> None:
        """The threads of this connection do nothing any more, until it is closed (facts X.4.34)."""
        require(s.connected.has(datanode) & ~s.hung.has(datanode), "the datanode's receiver works")
        s.may_fail(datanode)
        s.hangs = s.hangs + 1
        s.hung.add(datanode)
        s.failed.add(datanode)

    def disconnect(s, datanode: Datanode) -> None:
        """A fault: the node's connections close."""
        s.close_connections(datanode)
        s.failed.add(datanode)

    @action
    def datanode_restart(s, datanode: Datanode) -> None:
        """A datanode comes back; a replica that was being written waits to be recovered and is of no use here.

        Source  BlockPoolSlice#addReplicaToReplicasMap, Hadoop 3.4.1; facts B11.
        """
        require(~s.restarting.has(datanode), "its restart was not planned")
        s.restart(datanode, s.replica[datanode].num_bytes)


class PipelineNetwork(PipelineDatanode, lane=Datanode):
    """Errors on their way to the client.

    A node that cannot read from the next one or write to it says so in its acks; the nodes before pass that on. The
    client takes the farthest node that an ack calls bad; if it knows none, it takes the first one (facts C.2).

    Coarser than HDFS: of the statuses in an ack, one for each node, only the node that is bad is kept.
    """

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
