"""Pipeline recovery as the writer and its datanodes see it, where a replica's length is one number.

Coarser than `hdfs.pipeline`: no packet is sent again, as those that some node lacks may still reach it; what a node has
received counts as acknowledged, so that nothing is cut; no node joins. A client knows at once which nodes have failed.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, StreamStage, forget
from genstamp_spec.hdfs.state.resumptions import Resumptions
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class PipelineRecovery(Resumptions, lane=Datanode):
    """recoverRbw, recoverClose, and the client between updateBlockForPipeline and updatePipeline.

    A client that has no pipeline yet, because it appends, is set up by the steps of `DatanodeAppend`.
    """

    def takes_up(s, client: Client, file: File, datanode: Datanode) -> None:
        """Checks: the client sets its pipeline up on a node that is not ready yet."""
        require(s.alive.has(client) & s.running.has(datanode), "client and datanode are running")
        require(s.is_resuming(client, file), "the client sets its pipeline up again")
        require(s.stream[client][file].pipeline.has(datanode), "the datanode is in the client's pipeline")
        require(~s.resumption[client][file].ready.has(datanode), "the datanode is not ready yet")

    def stamp_fits(s, client: Client, file: File, datanode: Datanode) -> Bool:
        """The replica's stamp lies between the one that the client knows and the new one."""
        stamp = s.replica[datanode][file].stamp
        return (stamp >= s.stream[client][file].stamp) & (stamp <= s.resumption[client][file].new_stamp)

    @action
    def recover_rbw(s, client: Client, file: File, datanode: Datanode) -> None:
        """A node of the pipeline goes on under the new stamp.

        Source  FsDatasetImpl#recoverRbw, Hadoop 3.4.1; facts B4.
        """
        stream, replica = s.stream[client][file], s.replica[datanode][file]
        s.takes_up(client, file, datanode)
        require(stream.stage.at(StreamStage.STREAMING), "the client is streaming")
        require(replica.state.at(ReplicaLifecycle.rbw), "the replica is being written", "ReplicaNotFoundException")
        require(
            s.stamp_fits(client, file, datanode), "the replica's stamp fits", "ReplicaNotFoundException", defensive=True
        )
        replica.state.fire(ReplicaLifecycle.recover_rbw)
        replica.stamp = s.resumption[client][file].new_stamp
        replica.writer = client
        s.resumption[client][file].ready.add(datanode)
        observe(generation_stamp=replica.stamp, num_bytes=replica.num_bytes)

    @action
    def recover_close(s, client: Client, file: File, datanode: Datanode) -> None:
        """A node of the pipeline closes its replica under the new stamp.

        Source  FsDatasetImpl#recoverClose, #recoverCheck, Hadoop 3.4.1; facts B5, B.3.
        """
        stream, replica = s.stream[client][file], s.replica[datanode][file]
        s.takes_up(client, file, datanode)
        require(stream.stage.at(StreamStage.CLOSING), "the last packet is sent")
        fits = replica.state.at(ReplicaLifecycle.finalized, ReplicaLifecycle.rbw)
        require(fits, "the replica is finalized or being written", "ReplicaNotFoundException")
        require(
            s.stamp_fits(client, file, datanode), "the replica's stamp fits", "ReplicaNotFoundException", defensive=True
        )
        require(
            replica.num_bytes == stream.acked,
            "the replica is as long as was acknowledged",
            "IOException",
            defensive=True,
        )
        replica.state.fire(ReplicaLifecycle.recover_close)
        replica.stamp = s.resumption[client][file].new_stamp
        forget(replica)
        s.resumption[client][file].ready.add(datanode)
        observe(generation_stamp=replica.stamp, num_bytes=replica.num_bytes)
