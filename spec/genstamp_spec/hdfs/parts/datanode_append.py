"""Datanodes: a finalized replica is opened again by a client that appends.

Coarser than HDFS: a node of the pipeline takes the block or fails by itself, not along the chain; a node that fails is
not replaced; checksums of a partial last chunk are not looked at.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, Replica, StreamStage, only
from genstamp_spec.hdfs.state.appends import Appends
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class DatanodeAppend(Appends, lane=Datanode):
    """append and recoverAppend of a replica."""

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
