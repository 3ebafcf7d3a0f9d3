"""The loop in which a client sets its pipeline up, again and again, until it works or no node is left.

Coarser than HDFS: a failed set-up of a new block sets the same block up again on the nodes that are left, as Hadoop
3.4.1 does if it is told so (HDFS-17299), and never takes a new block.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.block_record import BlockRecord, may_replace_generation
from genstamp_spec.hdfs.parts.pipeline_client import PipelineClient
from genstamp_spec.hdfs.parts.pipeline_state import MOST_RECOVERIES, Stage
from genstamp_spec.hdfs.parts.state import Datanode, only

RECOVERY_STAGES = (
    Stage.SETUP_CREATE,
    Stage.SETUP_APPEND,
    Stage.SETUP_APPEND_RECOVERY,
    Stage.STREAMING_RECOVERY,
    Stage.CLOSE_RECOVERY,
)
"""Stages in which the client sets a pipeline up."""


class PipelineSetUp(PipelineClient, lane="client"):
    """DataStreamer's recovery: whom it gives up, whom it adds, and what it agrees on with the NameNode."""

    # The recovery loop (C.5).

    def give_up_node(s, bad: Datanode) -> None:
        """Step 3b: the bad node is left out and remembered; if it was the only one, the write fails."""
        last_one = s.pipeline.size() == 1
        s.set_up_again()
        s.count_recovery()
        s.stage = when(last_one, Stage.FAILED, s.stage)
        s.pipeline = when(last_one, s.pipeline, s.pipeline - only(bad))
        s.excluded.add(bad)
        observe(bad_node=bad)

    def count_recovery(s) -> None:
        """Step 2: too many recoveries in a row end the write."""
        over = s.recoveries == MOST_RECOVERIES
        s.recoveries = when(over, s.recoveries, s.recoveries + 1)
        s.stage = when(over, Stage.FAILED, s.stage)

    @action
    def error_ack_comes(s, bad: Datanode) -> None:
        """An ack calls a node bad, after all that were sent before it.

        Source  DataStreamer.ResponseProcessor#run, DataStreamer#processDatanodeOrExternalError, Hadoop 3.4.1;
                facts C.2, C.5 step 1.
        """
        connection = s.connection[s.first_node()]
        s.has_to_recover()
        require(connection.bad_node == bad, "the ack calls this node bad")
        require(~s.restarting.has(bad), "the node does not restart")
        require(connection.confirmed == s.acked, "all acks before it have come")
        s.give_up_node(bad)

    @action
    def connection_fails(s, bad: Datanode) -> None:
        """The client can neither read from the first node nor write to it: that one is bad (HDFS-3398).

        Source  DataStreamer#run, DataStreamer.ResponseProcessor#run, Hadoop 3.4.1; facts C.2, C.5 step 1.
        """
        s.has_to_recover()
        require(s.first_node() == bad, "it is the first node")
        require(s.is_silent(bad), "its connection is closed, or nothing comes")
        require(~s.restarting.has(bad), "the node does not restart")
        s.give_up_node(bad)

    def sets_up(s) -> None:
        """Checks: the client sets a pipeline up."""
        s.in_stage(*RECOVERY_STAGES)

    # Step 3c: another datanode (C.6).

    def looks_for_a_node(s) -> None:
        """Checks: it is time to add a datanode."""
        s.sets_up()
        require(s.new_stamp == 0, "no stamp is asked for yet")
        require(s.wants_replacement(), "the policy wants a replacement")

    def is_answered(s) -> None:
        """Checks: the NameNode answers getAdditionalDatanode: the writer has its lease still (facts E.13)."""
        require(s.under_construction(), "the block is under construction")
        s.is_known_by_storages()

    def is_to_copy(s, source: Datanode, target: Datanode) -> None:
        """Checks: the NameNode names the target, and the source is asked to copy to it."""
        s.looks_for_a_node()
        s.is_answered()
        require(s.is_spare(target), "the NameNode may name this datanode")
        require(s.pipeline.has(source), "the source is in the pipeline")

    @action
    def add_datanode(s, source: Datanode, target: Datanode) -> None:
        """The NameNode names another datanode, and one of the pipeline copies to it what is acknowledged.

        Coarser  than HDFS, where the sources take turns: it is any.
        Source  DataStreamer#addDatanode2ExistingPipeline, FSNamesystem#getAdditionalDatanode, Hadoop 3.4.1;
                facts B6, B7, B18, B.5, C.6, E.13 (HDFS-1606, HDFS-9106).
        """
        s.is_to_copy(source, target)
        require(s.running.has(target), "the datanode takes the transfer")
        require(~s.exists(s.replica[target]), "nothing is in the way", defensive=True)
        require(s.can_copy(source), "the source has the replica")
        s.transfer(source, target)
        s.pipeline.add(target)
        s.steady.add(target)
        s.has_replaced = True

    @action
    def transfer_fails(s, source: Datanode, target: Datanode) -> None:
        """The transfer does not work: the target is left out, and another one is asked for.

        Source  DataStreamer#addDatanode2ExistingPipeline, Hadoop 3.4.1; facts C.6 (HDFS-9106).
        """
        s.is_to_copy(source, target)
        require(s.failure_is_told(source, target), "source or target does not work")
        s.leave_out(target)

    def failure_is_told(s, source: Datanode, target: Datanode) -> Bool:
        """The source answers that there is no copy: it has nothing to copy, or the target does not take it."""
        return ~s.running.has(target) | ~s.can_copy(source)

    def leave_out(s, target: Datanode) -> None:
        """The next try asks for another datanode."""
        s.passed_over.add(target)

    @action
    def no_datanode_to_add(s) -> None:
        """There is no other datanode, and without best effort the write ends (C.6)."""
        s.looks_for_a_node()
        s.is_answered()
        require(~exists(Datanode, lambda d: s.is_spare(d)), "the NameNode has no other datanode")
        s.stage = Stage.FAILED

    # Step 3d and 4: a stamp, and the new pipeline at the NameNode (E.6, E.7).

    @action
    def update_block_for_pipeline(s) -> None:
        """The client gets a stamp for this attempt. The NameNode's block stays as it is.

        Source  FSNamesystem#bumpBlockGenerationStamp, Hadoop 3.4.1; facts E.6, C.5 step 3, H.7.
        """
        s.asks_for_stamp()
        require(s.under_construction(), "the block is under construction")
        s.new_stamp = s.next_stamp()
        observe(generation_stamp=s.new_stamp)

    def asks_for_stamp(s) -> None:
        """Checks: it is time to ask for a stamp."""
        s.sets_up()
        require(s.new_stamp == 0, "no stamp is asked for yet")
        require(~s.wants_replacement(), "the pipeline is large enough")

    @action
    def set_up_fails(s, bad: Datanode) -> None:
        """Step 3e: a node is down, refuses, or fails before the answer is through; the nearest one is called bad.

        Source  DataStreamer#createBlockOutputStream, Hadoop 3.4.1; facts C.5 step 3.
        """
        s.sets_up()
        broken = s.set_up.has(bad) & ~s.connected.has(bad)
        before = forall(Datanode, lambda d: ~s.pipeline.has(d) | ~s.nearer(d, bad) | s.connected.has(d))
        require(s.new_stamp > 0, "the client has a stamp for it")
        require(s.pipeline.has(bad) & before, "the nodes before it are set up")
        unable = ~s.set_up.has(bad) & (~s.running.has(bad) | s.refuses(bad))
        require(broken | unable, "the node does not do what it is asked for")
        # A node that restarts is given the rest of its time, also if it is up again and refuses.
        require(~s.restarting.has(bad) | s.running.has(bad), "the node does not restart")
        s.give_up_node(bad)

    def whole_pipeline_is_up(s) -> None:
        """Checks: the answers of all nodes have come back up the chain."""
        s.sets_up()
        require(s.new_stamp > 0, "the client has a stamp for it")
        require(s.pipeline <= s.connected, "every node is set up")

    @action
    def start_streaming(s) -> None:
        """The pipeline of a new block is set up, at the first attempt (facts C.5).

        A client that reuses the block's stamp goes on so too: it has nothing to tell the NameNode.
        """
        s.whole_pipeline_is_up()
        require(s.new_stamp == s.stamp, "the block has this stamp")
        s.stage = Stage.STREAMING
        s.new_stamp = 0
        s.steady = s.pipeline

    @action
    def update_pipeline(s) -> None:
        """Step 4: the NameNode takes stamp and nodes over; the client goes on, or is done if it was closing.

        Source  FSNamesystem#updatePipeline, DataStreamer#updatePipeline, Hadoop 3.4.1; facts A5, E.7, C.5 steps 4, 5.
        """
        s.whole_pipeline_is_up()
        require(s.new_stamp > s.stamp, "the stamp is a new one")
        require(s.under_construction(), "the block is under construction")
        may_replace_generation(BlockRecord(s), s.new_stamp, s.acked_bytes())
        s.replace_generation(s.new_stamp, s.acked_bytes(), s.pipeline)
        s.take_new_stamp()
        s.new_stamp = 0
        s.steady = s.pipeline
        closing = s.stage.at(Stage.CLOSE_RECOVERY)
        s.acked = when(closing, s.bytes_sent + 1, s.acked)
        s.stage = Stage.STREAMING
        s.stage = when(closing, Stage.ENDED, s.stage)

    def take_new_stamp(s) -> None:
        """The client's block has the new stamp, for all of its threads (HDFS-9289)."""
        s.stamp = s.new_stamp
