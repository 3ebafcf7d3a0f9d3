"""The NameNode's part in a pipeline: addBlock, stamps and locations for it, other datanodes, commit and complete.

Coarser than HDFS: one block and one writer, so that checks of names and leases cannot fail here; a call and its answer
are one step; somebody else's recovery of the block only begins here.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.pipeline_state import LateCall, PipelineState, Stage
from genstamp_spec.hdfs.parts.state import Datanode, no_datanode, only
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


class PipelineNamenode(PipelineState, lane="namenode"):
    """What the NameNode does at a call of the writer, by call; the actions of the client use it."""

    @action(caller="datanode")
    def block_received(s, datanode: Datanode) -> None:
        """A FINALIZED replica of the block's generation is reported; a COMMITTED block is COMPLETE with the first one.

        Coarser  than HDFS, where a report shows the replica as it was: it matches here.
        Source  BlockManager#addStoredBlock, Hadoop 3.4.1; facts A8, I.1.
        """
        replica = s.replica[datanode]
        require(s.running.has(datanode), "the datanode is running")
        require(replica.state.at(ReplicaLifecycle.finalized), "the replica is finalized")
        require(replica.stamp == s.block_stamp, "the replica is of the block's generation")
        require(s.block.at(BlockLifecycle.committed, BlockLifecycle.complete), "the block is committed")
        require(replica.num_bytes == s.block_bytes, "the replica has the block's length")
        s.stored = s.stored | only(datanode)
        s.block.fire(BlockLifecycle.complete_block, where=s.block.at(BlockLifecycle.committed))
        observe(block_state=s.block)


class LateCalls(PipelineState, lane="namenode"):
    """Datanodes that the NameNode does not know, and calls that it knows already."""

    @action(hidden=True)
    def datanode_registers_again(s, datanode: Datanode) -> None:
        """The NameNode forgets a datanode's storages until it reports them, which is not looked at here.

        Source  DatanodeManager#registerDatanode, Hadoop 3.4.1; K.3 testUpdatePipeLineAfterDNReg.
        """
        require(s.running.has(datanode), "the datanode is running")
        require(~s.unknown.has(datanode), "the NameNode knows its storages")
        s.unknown.add(datanode)
        s.registrations = s.registrations + 1

    @action(hidden=True)
    def update_pipeline_is_sent_twice(s) -> None:
        """A copy of the last updatePipeline call is still on its way, since it was sent again (facts E.0)."""
        changed = ~s.excluded.is_empty() | (s.appends > 0)
        require(s.stage.at(Stage.STREAMING) & changed, "the call was answered")
        require(s.late_call.stamp == 0, "no copy is on its way")
        s.late_calls = s.late_calls + 1
        s.late_call = LateCall(stamp=s.block_stamp, num_bytes=s.block_bytes, locations=s.locations)

    @action(event="update_pipeline", refuses="IOException")
    def update_pipeline_comes_late(s) -> None:
        """The copy arrives: its stamp is not above the block's (FSNamesystem#updatePipelineInternal; facts E.7)."""
        require(s.late_call.stamp > 0, "a copy is on its way")
        s.forget_late_call()

    def forget_late_call(s) -> None:
        """Nothing is on its way any more."""
        s.late_call = LateCall(stamp=0, num_bytes=0, locations=no_datanode())
