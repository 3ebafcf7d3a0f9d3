"""Datanodes: replicas being written, finalized, invalidated; crash and restart.

Coarser than HDFS: what a node has received it has on disk; packets reach the nodes of a pipeline in any order, not
along the chain; an unplanned stop is the only kind, and loses at most the last byte of a replica that was being
written, while a FINALIZED one loses nothing.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import (
    Client,
    Datanode,
    File,
    OriginalState,
    Replica,
    StreamStage,
    forget,
    no_attempt,
    only,
)
from genstamp_spec.hdfs.state.streams import Streams
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


class DatanodeReplicas(Streams, lane=Datanode):
    """createRbw, packets, finalizeBlock, invalidate, crash and restart."""

    @action
    def create_rbw(s, client: Client, file: File, datanode: Datanode) -> None:
        """A pipeline is set up on one of its nodes (FsDatasetImpl#createRbw, Hadoop 3.4.1; facts B1)."""
        stream, replica = s.stream[client][file], s.replica[datanode][file]
        require(s.alive.has(client) & s.running.has(datanode), "client and datanode are running")
        require(stream.stage.at(StreamStage.STREAMING), "the client has a block to write")
        require(stream.pipeline.has(datanode), "the datanode is in the client's pipeline")
        require(
            replica.state.at(ReplicaLifecycle.absent), "the datanode has no replica", "ReplicaAlreadyExistsException"
        )
        require(~stream.set_up.has(datanode), "the pipeline is not set up there yet")
        stream.set_up.add(datanode)
        replica.state.fire(ReplicaLifecycle.create_rbw)
        replica.stamp = stream.stamp
        replica.writer = client
        observe(generation_stamp=stream.stamp)

    def sends_packets(s, client: Client, file: File) -> None:
        """Checks: the client streams. Coarser: also to a node of a pipeline that is not set up on all of its nodes."""
        require(s.stream[client][file].stage.at(StreamStage.STREAMING), "the client is streaming")

    @action
    def receive_packet(s, client: Client, file: File, datanode: Datanode) -> None:
        """One more byte reaches the replica (BlockReceiver#receivePacket)."""
        s.sends_packets(client, file)
        require(s.writes_to(client, file, datanode), "the datanode takes the client's packets")
        replica = s.replica[datanode][file]
        replica.num_bytes = replica.num_bytes + 1
        observe(num_bytes=replica.num_bytes)

    @action
    def finalize_replica(s, client: Client, file: File, datanode: Datanode) -> None:
        """The last packet is written and acknowledged (PacketResponder, FsDatasetImpl#finalizeBlock; facts B8)."""
        require(s.stream[client][file].stage.at(StreamStage.CLOSING), "the last packet is sent")
        require(s.writes_to(client, file, datanode), "the datanode takes the client's packets")
        replica = s.replica[datanode][file]
        replica.state.fire(ReplicaLifecycle.finalize)
        replica.writer = none
        s.stream[client][file].finalized.add(datanode)

    @action
    def invalidate_replica(s, file: File, datanode: Datanode) -> None:
        """A replica is deleted that does not match its complete block while a good one lives, or whose block is gone.

        Coarser  than markBlockAsCorrupt in when the NameNode does it at the latest: replication is no matter here.
        Source  BlockManager#checkReplicaCorrupt, FsDatasetImpl#invalidate, Hadoop 3.4.1; facts B17, I.2, I.3.
        """
        replica = s.replica[datanode][file]
        require(s.running.has(datanode), "the datanode is running")
        require(~replica.state.at(ReplicaLifecycle.absent), "the datanode has a replica")
        require(s.is_of_no_use(file, datanode), "the replica does not match the block")
        replica.state.fire(ReplicaLifecycle.invalidate)
        forget(replica)
        replica.stamp = 0
        replica.num_bytes = 0

    @action
    def datanode_crash(s, datanode: Datanode) -> None:
        """A datanode stops without warning; the recoveries that it led end with it.

        Coarser  than HDFS, where ten minutes pass until the NameNode forgets its replicas (removeBlocksAssociatedTo).
                 Of complete blocks they stay counted here: those that it was completed with.
        """
        require(s.running.has(datanode), "the datanode is running")
        s.may_crash()
        s.running.remove(datanode)
        s.stored.update(
            lambda file: when(
                s.block[file].at(BlockLifecycle.complete), s.stored[file], s.stored[file] - only(datanode)
            )
        )
        s.crashes = s.crashes + 1
        s.attempt[datanode].update(lambda file: no_attempt())
        s.steady.update(lambda file: s.steady[file] - only(datanode))

    @action
    def datanode_restart(s, datanode: Datanode) -> None:
        """A datanode comes back with all bytes.

        Source  BlockPoolSlice#addReplicaToReplicasMap, Hadoop 3.4.1; facts B11, B13, B14.
        """
        s.come_back(datanode, lost_bytes=0)

    @action
    def datanode_restart_losing_bytes(s, datanode: Datanode) -> None:
        """A machine comes back without the last byte of each replica that was being written (facts B.8, J.3)."""
        s.come_back(datanode, lost_bytes=1)

    def come_back(s, datanode: Datanode, lost_bytes: int) -> None:
        """The node registers; replicas are what their directories say, and a queued recovery still waits (facts G.2).

        Source  DatanodeManager#registerDatanode leaves DatanodeDescriptor.recoverBlocks as it is, Hadoop 3.4.1.
        """
        require(~s.running.has(datanode), "the datanode is down")
        s.running.add(datanode)
        s.replica[datanode].update(lambda file: s.reloaded(s.replica[datanode][file], lost_bytes))
        s.came_back(datanode)

    def reloaded(s, replica: Replica, lost_bytes: int) -> Replica:
        """The replica after a restart."""
        over_finalized = replica.original.at(OriginalState.FINALIZED)
        under_recovery = when(
            over_finalized,
            replica.state.after(ReplicaLifecycle.restart_over_finalized),
            replica.state.after(ReplicaLifecycle.restart_over_unfinalized),
        )
        being_recovered = replica.state.at(ReplicaLifecycle.rur)
        state = when(being_recovered, under_recovery, replica.state.after(ReplicaLifecycle.restart_as_rwr))
        unsynced = replica.state.at(ReplicaLifecycle.rbw) | replica.original.at(OriginalState.RBW)
        kept = when(unsynced, largest(replica.num_bytes - lost_bytes, 0), replica.num_bytes)
        return Replica(
            state=state,
            stamp=replica.stamp,
            num_bytes=kept,
            writer=none,
            original=OriginalState.NONE,
            recovery_id=0,
        )


class StreamingOnceSetUp(DatanodeReplicas, lane=Datanode):
    """Packets, sent when the last node of the pipeline has said that it is set up."""

    def sends_packets(s, client: Client, file: File) -> None:
        """Checks: the client streams, and its pipeline is whole (DataStreamer#createBlockOutputStream; facts C.1)."""
        super().sends_packets(client, file)
        stream = s.stream[client][file]
        require(stream.pipeline <= stream.set_up, "every node of the pipeline is set up")
