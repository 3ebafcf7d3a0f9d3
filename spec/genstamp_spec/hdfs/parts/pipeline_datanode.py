"""Datanodes of a pipeline: packets, acks, the operations that set a pipeline up, transfers, crash and restart.

Coarser than HDFS: a packet's byte is on disk when the packet is received, also on a node that acknowledges it earlier;
bytes have no checksums; stopping a writer takes no time; a transfer is one step, so that TEMPORARY replicas are not
seen; a replica that is stale stays.
"""

from genstamp_model.language import Bool, Number, Ordered, action, forall, largest, none, observe, require, when
from genstamp_spec.hdfs.parts.pipeline_state import Connection, NodeReplica, PipelineState, Stage
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class PipelineDatanode(PipelineState, lane=Datanode):
    """BlockReceiver, its PacketResponder, and FsDatasetImpl."""

    def works(s, datanode: Datanode) -> None:
        """Checks: the node's receiver and responder are up, and it takes part in the pipeline."""
        require(s.pipeline.has(datanode), "the datanode is in the pipeline")
        require(s.connected.has(datanode), "the datanode's receiver is up")

    @action
    def receive_packet(s, datanode: Datanode) -> None:
        """The next packet is received, written, and forwarded. Bytes that are there already are not written again.

        Source  BlockReceiver#receivePacket, Hadoop 3.4.1; facts C.2.
        """
        replica, connection = s.replica[datanode], s.connection[datanode]
        packet = connection.taken + 1
        s.works(datanode)
        require(s.offered(datanode) >= packet, "the node before has forwarded it")
        connection.taken = packet
        replica.num_bytes = when(s.is_last(packet), replica.num_bytes, largest(replica.num_bytes, packet))
        observe(packet=packet)

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
        replica.bytes_acked = packet
        observe(bytes_acked=packet)

    @action
    def finalize_replica(s, datanode: Datanode) -> None:
        """The last packet is acknowledged by the nodes after this one: the replica is finalized.

        Source  BlockReceiver.PacketResponder#finalizeBlock, FsDatasetImpl#finalizeBlock, Hadoop 3.4.1; facts B8, C.2.
        """
        packet, replica = s.answers(datanode), s.replica[datanode]
        require(s.is_last(packet), "the packet is the last one of the block")
        require(s.confirmed_below(datanode, packet), "the next node has acknowledged it")
        require(replica.state.at(ReplicaLifecycle.rbw), "the replica is not finalized yet")
        replica.state.fire(ReplicaLifecycle.finalize)

    @action
    def send_ack(s, datanode: Datanode) -> None:
        """The ack goes up the chain.

        Source  BlockReceiver.PacketResponder#sendAckUpstream, Hadoop 3.4.1; facts C.2.
        """
        packet, replica = s.answers(datanode), s.replica[datanode]
        require(s.confirmed_below(datanode, packet), "the next node has acknowledged it")
        last = s.is_last(packet)
        require(last | (replica.bytes_acked >= packet), "its byte is visible here")
        require(~last | replica.state.at(ReplicaLifecycle.finalized), "the replica is finalized")
        s.connection[datanode].confirmed = packet

    # Setting up a pipeline: what a node asks of its replica, and what it does then. The request names the block's old
    # and new stamp, and how many bytes the client has had acknowledged and has sent.

    def in_window(s, datanode: Datanode) -> Bool:
        """The replica's stamp lies between the block's and the new one: nobody newer was here."""
        stamp = s.replica[datanode].stamp
        return (stamp >= s.requested_stamp(datanode)) & (stamp <= s.new_stamp)

    def requested_stamp(s, datanode: Datanode) -> Ordered:
        """The block's stamp in the request that reaches this node: each node passes it on as it came (HDFS-1467)."""
        del datanode
        return s.stamp

    def can_create(s, datanode: Datanode) -> Bool:
        """createRbw: nothing is there; under a new stamp, what is there is replaced (facts B1, B1')."""
        return s.replica[datanode].state.at(ReplicaLifecycle.absent) | (s.new_stamp > s.stamp)

    def can_append(s, datanode: Datanode) -> Bool:
        """append: the FINALIZED replica of the block's generation and length (facts B2)."""
        replica = s.replica[datanode]
        found = replica.state.at(ReplicaLifecycle.finalized) & (replica.stamp == s.requested_stamp(datanode))
        return found & (replica.num_bytes == s.acked_bytes())

    def can_recover_append(s, datanode: Datanode) -> Bool:
        """FsDatasetImpl#recoverCheck: finalized or being written, in the window, all of it acknowledged (facts B.3)."""
        replica = s.replica[datanode]
        finalized, rbw = replica.state.at(ReplicaLifecycle.finalized), replica.state.at(ReplicaLifecycle.rbw)
        whole = finalized | (rbw & (replica.bytes_acked == replica.num_bytes))
        return whole & s.in_window(datanode) & (replica.num_bytes == s.acked_bytes())

    def can_recover_rbw(s, datanode: Datanode) -> Bool:
        """recoverRbw: being written, in the window, no less than acknowledged and no more than sent (facts B4)."""
        replica = s.replica[datanode]
        enough = (replica.bytes_acked >= s.acked_bytes()) & (replica.num_bytes <= s.bytes_sent)
        return replica.state.at(ReplicaLifecycle.rbw) & s.in_window(datanode) & enough

    def restamp(s, datanode: Datanode) -> None:
        """The replica gets the new stamp, and the node is connected."""
        s.replica[datanode].stamp = s.new_stamp
        s.set_up.add(datanode)
        s.connected.add(datanode)
        s.connection[datanode] = Connection(taken=s.acked, confirmed=s.acked, bad_node=none)
        observe(generation_stamp=s.new_stamp)

    def next_to_set_up(s, datanode: Datanode, *stages: Stage) -> NodeReplica:
        """Checks: the request reaches this node, from the client or the node before it."""
        before = forall(Datanode, lambda d: ~s.pipeline.has(d) | ~s.nearer(d, datanode) | s.connected.has(d))
        require(s.stage.at(*stages), "the client sets the pipeline up in this stage")
        require(s.new_stamp > 0, "the client has a stamp for it")
        require(s.pipeline.has(datanode) & ~s.set_up.has(datanode), "the datanode is in the pipeline, not set up yet")
        require(before, "the nodes before it are set up")
        require(s.running.has(datanode), "the datanode is running")
        return s.replica[datanode]

    @action
    def set_up_create(s, datanode: Datanode) -> None:
        """PIPELINE_SETUP_CREATE: the replica is created (FsDatasetImpl#createRbw, 3.4.1; facts B1, B1', C.1)."""
        replica = s.next_to_set_up(datanode, Stage.SETUP_CREATE)
        require(s.can_create(datanode), "no replica is in the way")
        there = ~replica.state.at(ReplicaLifecycle.absent)
        replica.state.fire(ReplicaLifecycle.create_rbw_over_existing, where=there)
        replica.state.fire(ReplicaLifecycle.create_rbw, where=~there)
        replica.num_bytes = 0
        replica.bytes_acked = 0
        s.restamp(datanode)

    @action
    def set_up_append(s, datanode: Datanode) -> None:
        """PIPELINE_SETUP_APPEND: the FINALIZED replica is opened again (FsDatasetImpl#append, 3.4.1; facts B2, C.1)."""
        replica = s.next_to_set_up(datanode, Stage.SETUP_APPEND)
        require(s.can_append(datanode), "the replica is the one that was closed")
        replica.state.fire(ReplicaLifecycle.append)
        replica.bytes_acked = replica.num_bytes
        s.restamp(datanode)

    @action
    def set_up_append_again(s, datanode: Datanode) -> None:
        """PIPELINE_SETUP_APPEND_RECOVERY (FsDatasetImpl#recoverAppend, Hadoop 3.4.1; facts B3, B.3, C.1)."""
        replica = s.next_to_set_up(datanode, Stage.SETUP_APPEND_RECOVERY)
        require(s.can_recover_append(datanode), "the replica is in the window and has the closed length")
        replica.state.fire(ReplicaLifecycle.recover_append)
        replica.bytes_acked = replica.num_bytes
        s.restamp(datanode)

    @action
    def set_up_streaming_again(s, datanode: Datanode) -> None:
        """PIPELINE_SETUP_STREAMING_RECOVERY: what was not acknowledged is cut off; the client sends it again.

        Source  FsDatasetImpl#recoverRbw, Hadoop 3.4.1; facts B4, C.1 (HDFS-4660).
        """
        replica = s.next_to_set_up(datanode, Stage.STREAMING_RECOVERY)
        require(s.can_recover_rbw(datanode), "the replica is in the window and has what was acknowledged")
        replica.state.fire(ReplicaLifecycle.recover_rbw)
        replica.num_bytes = replica.bytes_acked
        s.restamp(datanode)

    @action
    def set_up_close_again(s, datanode: Datanode) -> None:
        """PIPELINE_CLOSE_RECOVERY: the replica is finalized, if it is not yet.

        Source  FsDatasetImpl#recoverClose, Hadoop 3.4.1; facts B5, B.3, C.1.
        """
        replica = s.next_to_set_up(datanode, Stage.CLOSE_RECOVERY)
        require(s.can_recover_append(datanode), "the replica is in the window and has all bytes")
        replica.state.fire(ReplicaLifecycle.recover_close)
        s.restamp(datanode)

    def refuses_set_up(s, datanode: Datanode) -> Bool:
        """The operation that the stage asks for would be refused."""
        create, append = s.stage.at(Stage.SETUP_CREATE), s.stage.at(Stage.SETUP_APPEND)
        streaming = s.stage.at(Stage.STREAMING_RECOVERY)
        accepts = when(streaming, s.can_recover_rbw(datanode), s.can_recover_append(datanode))
        accepts = when(append, s.can_append(datanode), accepts)
        return ~when(create, s.can_create(datanode), accepts)

    # A node joins (B18, B.5).

    def can_transfer(s, source: Datanode) -> Bool:
        """The source has the replica, of the block's generation or a later one (HDFS-3436)."""
        replica = s.replica[source]
        kept = replica.state.at(ReplicaLifecycle.rbw, ReplicaLifecycle.finalized)
        return s.running.has(source) & kept & (replica.stamp >= s.stamp)

    def transfer(s, source: Datanode, target: Datanode) -> None:
        """DataNode#transferReplicaForPipelineRecovery: visible bytes are copied, under the stamp that the source has.

        Facts B6, B7, B8, B18, B.5.
        """
        from_, to = s.replica[source], s.replica[target]
        finalized = from_.state.at(ReplicaLifecycle.finalized)
        visible = when(finalized, from_.num_bytes, from_.bytes_acked)
        to.state.fire(ReplicaLifecycle.create_temporary)
        to.state.fire(ReplicaLifecycle.finalize, where=finalized)
        to.state.fire(ReplicaLifecycle.convert_temporary_to_rbw, where=~finalized)
        to.stamp = from_.stamp
        to.num_bytes = visible
        to.bytes_acked = visible

    # Faults.

    @action
    def datanode_crash(s, datanode: Datanode) -> None:
        """A datanode stops without warning. What is on disk stays."""
        require(s.running.has(datanode), "the datanode is running")
        s.running.remove(datanode)
        s.crashes = s.crashes + 1
        s.disconnect(datanode)

    @action
    def receiver_fails(s, datanode: Datanode) -> None:
        """A disk error or an exception ends the writing on this node; the replica stays as it is, the node lives on.

        Source  BlockReceiver#receiveBlock, Hadoop 3.4.1; fault scenarios pipeline_Fi_14 to 19 and 44 to 51.
        """
        require(s.connected.has(datanode), "the datanode's receiver is up")
        s.faults = s.faults + 1
        s.disconnect(datanode)

    def disconnect(s, datanode: Datanode) -> None:
        """The node's connections close. What was on its way to it or from it is lost, or was received before."""
        s.connected.remove(datanode)
        s.connection[datanode] = Connection(taken=0, confirmed=0, bad_node=none)
        s.failed.add(datanode)
        s.steady.remove(datanode)

    @action
    def datanode_restart(s, datanode: Datanode) -> None:
        """A datanode comes back; a replica that was being written waits to be recovered and is of no use here.

        Source  BlockPoolSlice#addReplicaToReplicasMap, Hadoop 3.4.1; facts B11.
        """
        replica = s.replica[datanode]
        require(~s.running.has(datanode), "the datanode is down")
        s.running.add(datanode)
        replica.state.fire(ReplicaLifecycle.restart_as_rwr, where=replica.state.at(ReplicaLifecycle.rbw))
