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
from genstamp_spec.hdfs.state.appends import Appends
from genstamp_spec.hdfs.state.messages import Contact, Contacts
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

        Coarser  than markBlockAsCorrupt, which counts the good replicas (facts I.3): here one that is up is enough.
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


class DatanodeAppend(Appends, lane=Datanode):
    """append and recoverAppend of a replica.

    Coarser than HDFS: a node of the pipeline takes the block or fails by itself, not along the chain; a node that fails
    is not replaced; checksums of a partial last chunk are not looked at.
    """

    def sets_up(s, client: Client, file: File, datanode: Datanode) -> Replica:
        """Checks: the client asks a node of its pipeline to take the block."""
        stream = s.stream[client][file]
        require(s.alive.has(client), "the client is running")
        require(s.is_setting_up(client, file), "the client sets up a pipeline")
        require(stream.stamp > 0, "the client has a stamp")
        require(stream.pipeline.has(datanode), "the datanode is in the client's pipeline")
        require(~stream.set_up.has(datanode), "the pipeline is not set up there yet")
        return s.replica[datanode][file]

    @action
    def append_replica(s, client: Client, file: File, datanode: Datanode) -> None:
        """A finalized replica is written again, under the new stamp (FsDatasetImpl#append, Hadoop 3.4.1; facts B2)."""
        replica = s.sets_up(client, file, datanode)
        require(s.running.has(datanode), "the datanode is running")
        require(s.is_first_try(client, file), "no node has failed so far")
        require(s.takes(client, file, replica), "the replica is as the client says")
        replica.state.fire(ReplicaLifecycle.append)
        s.opened_by(client, file, datanode)

    @action
    def recover_append(s, client: Client, file: File, datanode: Datanode) -> None:
        """The same once a node has failed: what an earlier try has opened is taken as well.

        Source  FsDatasetImpl#recoverAppend, #recoverCheck, Hadoop 3.4.1; facts B3, B.3.
        """
        replica = s.sets_up(client, file, datanode)
        require(s.running.has(datanode), "the datanode is running")
        require(~s.is_first_try(client, file), "a node has failed")
        require(s.takes(client, file, replica), "the replica is as the client says")
        replica.state.fire(ReplicaLifecycle.recover_append)
        s.opened_by(client, file, datanode)

    def opened_by(s, client: Client, file: File, datanode: Datanode) -> None:
        """The client writes the replica under its stamp."""
        replica, stream = s.replica[datanode][file], s.stream[client][file]
        replica.stamp = stream.stamp
        replica.writer = client
        stream.set_up.add(datanode)
        observe(generation_stamp=stream.stamp, num_bytes=replica.num_bytes)

    @action(event="append_replica", refuses="ReplicaNotFoundException")
    def append_replica_refused(s, client: Client, file: File, datanode: Datanode) -> None:
        """The replica is another one, or is not open to a writer: the client goes on without the node (facts B.3)."""
        replica = s.sets_up(client, file, datanode)
        require(s.running.has(datanode), "the datanode is running")
        require(~s.takes(client, file, replica), "the replica is not as the client says")
        s.goes_on_without(client, file, datanode)

    @action
    def append_replica_failed(s, client: Client, file: File, datanode: Datanode) -> None:
        """A node of the pipeline is down: the client goes on without it (facts C.5)."""
        s.sets_up(client, file, datanode)
        require(~s.running.has(datanode), "the datanode is down")
        s.goes_on_without(client, file, datanode)

    def goes_on_without(s, client: Client, file: File, datanode: Datanode) -> None:
        """The client needs a new stamp for the nodes that are left; without any it gives up."""
        stream = s.stream[client][file]
        left = stream.pipeline - only(datanode)
        last = left.is_empty()
        stream.set_up.clear()
        stream.stamp = 0
        stream.pipeline = left
        stream.acked = when(last, 0, stream.acked)
        stream.stage = when(last, StreamStage.NONE, stream.stage)


class DatanodeContact(Contacts, lane="namenode"):
    """Stale and dead datanodes, and storages that the NameNode does not know.

    Coarser than HDFS: a datanode is taken for dead only if it is down; its replicas of complete blocks stay counted.
    """

    @action(hidden=True)
    def datanode_becomes_stale(s, datanode: Datanode) -> None:
        """Time: nothing was heard of a datanode for 30 s (DatanodeInfo#isStale; facts G.2)."""
        require(s.contact[datanode].at(Contact.FRESH, Contact.UNKNOWN), "the datanode was heard of lately")
        s.may_fall_silent(datanode)
        s.contact[datanode] = Contact.STALE
        s.silences = s.silences + 1

    @action(hidden=True)
    def datanode_is_taken_for_dead(s, datanode: Datanode) -> None:
        """Time: a datanode that is down was silent for ten minutes (HeartbeatManager#heartbeatCheck; facts G.1)."""
        require(s.contact[datanode].at(Contact.STALE), "the datanode was not heard of lately")
        require(~s.running.has(datanode), "the datanode is down")
        s.contact[datanode] = Contact.DEAD
        s.given_up.add(datanode)

    @action(hidden=True)
    def datanode_is_heard_of(s, datanode: Datanode) -> None:
        """A heartbeat of a datanode that was silent, or the report of a storage that was forgotten."""
        require(s.running.has(datanode), "the datanode is running")
        require(s.contact[datanode].at(Contact.STALE, Contact.UNKNOWN), "the datanode was silent or unknown")
        s.contact[datanode] = Contact.FRESH

    @action(hidden=True)
    def storage_is_forgotten(s, datanode: Datanode) -> None:
        """The NameNode drops the storage of a datanode that goes on (DatanodeDescriptor#pruneStorageMap; facts G.6)."""
        require(s.contact[datanode].at(Contact.FRESH), "the datanode was heard of lately")
        require(s.running.has(datanode), "the datanode is running")
        s.may_fail()
        s.contact[datanode] = Contact.UNKNOWN
        s.silences = s.silences + 1
