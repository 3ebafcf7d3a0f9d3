"""What else happens to a block that is written: its file is opened again, its writer crashes or is shut out.

And a datanode registers anew, a call of the writer comes a second time, a client asks for no stamp. Coarser than HDFS:
the recovery that shuts the writer out only begins here, and of all calls only updatePipeline can come again.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.pipeline_set_up import PipelineSetUp
from genstamp_spec.hdfs.parts.pipeline_state import Stage
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.lifecycles.block import BlockLifecycle


class PipelineAppends(PipelineSetUp, lane="client"):
    """A closed file is opened again by its writer."""

    @action(event="append")
    def append_file(s) -> None:
        """The writer opens its file again; the locations are the datanodes that have the block.

        Their replicas count as reported until the NameNode is told of another pipeline.

        Coarser  than HDFS, where anybody may: it is the same writer here.
        Source  FSDirAppendOp#appendFile, DataStreamer#setAppendClosePipeline, Hadoop 3.4.1; facts A2, A.4, E.2, C.5.
        """
        s.in_stage(Stage.CLOSED)
        require(s.bytes_sent > 0, "there is something to append to")
        s.block.fire(BlockLifecycle.append)
        s.locations = s.stored
        s.pipeline = s.stored
        s.steady = s.pipeline
        s.acked = s.block_bytes
        s.sent = s.block_bytes
        s.appends = s.appends + 1
        s.has_flushed = False
        s.excluded.clear()
        s.stage = Stage.SETUP_APPEND
        s.start_attempt()

    @action
    def set_up_append(s, datanode: Datanode) -> None:
        """The FINALIZED replica is opened again (FsDatasetImpl#append, Hadoop 3.4.1; facts B2, C.1)."""
        s.asked(datanode, Stage.SETUP_APPEND)
        s.grants(datanode, attempt(lambda: s.open_again(datanode)))

    @action
    def set_up_append_recovery(s, datanode: Datanode) -> None:
        """The node has opened its replica already, or not yet (FsDatasetImpl#recoverAppend; facts B3, B.3, C.1)."""
        s.asked(datanode, Stage.SETUP_APPEND_RECOVERY)
        s.grants(datanode, attempt(lambda: s.open_again_again(datanode)))


class StampsAreReused(PipelineAppends, lane="client"):
    """The writer is another client than Hadoop's: it sets a pipeline up under the stamp that the block has."""

    reused_stamps = number(limit="reused_stamps")  # history: no step reads it

    @action
    def reuse_stamp(s) -> None:
        """The client asks for no stamp, and the NameNode is not told of the pipeline that comes about.

        Third-party clients append so (colinmarc/hdfs since 2016; hdfs-native 0.14, as measured); here also after a
        datanode has failed.

        Source  HDFS-17850; DataStreamer#setupPipelineInternal, Hadoop 3.4.1, always asks for a stamp.
        """
        s.asks_for_stamp()
        require(
            s.stage.at(Stage.SETUP_APPEND, Stage.SETUP_APPEND_RECOVERY, Stage.STREAMING_RECOVERY),
            "a block that was written before is opened",
        )
        s.new_stamp = s.stamp
        s.reused_stamps = s.reused_stamps + 1


class WriterIsFenced(PipelineSetUp, lane="client"):
    """The writer crashes, or somebody has its block recovered, and it finds out."""

    @action
    def client_crash(s) -> None:
        """The client stops without warning. What it sent goes on down the chain."""
        require(s.writer_alive, "the client is running")
        s.writer_alive = False
        s.client_crashes = s.client_crashes + 1

    @action(hidden=True)
    def recovery_starts(s) -> None:
        """Somebody has the file recovered: a recovery of the block begins, and its end is not looked at here.

        Nor is what becomes of an empty block without a location: it is dropped, and the file is closed.

        Source  FSNamesystem#internalReleaseLease, BlockUnderConstructionFeature#initializeBlockRecovery, Hadoop 3.4.1;
                facts A11, A12, A16, F.4 step 1.
        """
        require(s.block.at(BlockLifecycle.under_construction, BlockLifecycle.committed), "the block is not complete")
        require(~s.locations.is_empty() | (s.block_bytes > 0), "the block is not dropped")
        s.block.fire(BlockLifecycle.start_recovery)
        s.last_stamp = s.last_stamp + 1
        s.takeovers = s.takeovers + 1

    @action(event="no_datanode_to_add", refuses="IOException")
    def no_datanode_to_add_refused(s) -> None:
        """The lease is another's: the NameNode names no datanode to this writer, and the write ends (facts E.13)."""
        s.looks_for_a_node()
        require(~s.under_construction(), "the block is not under construction")
        s.stage = Stage.FAILED

    @action(event="update_block_for_pipeline", refuses="IOException")
    def update_block_for_pipeline_refused(s) -> None:
        """The block is under recovery: the NameNode refuses the stamp, and the write ends (HDFS-1555; facts E.6)."""
        s.asks_for_stamp()
        require(~s.under_construction(), "the block is not under construction")
        s.stage = Stage.FAILED

    @action(event="update_pipeline", refuses="IOException")
    def update_pipeline_refused(s) -> None:
        """The block is under recovery by now: the write ends (facts E.7)."""
        s.whole_pipeline_is_up()
        require(s.new_stamp > s.stamp, "the stamp is a new one")
        require(~s.under_construction(), "the block is not under construction")
        s.stage = Stage.FAILED

    @action(event="complete", refuses="IOException")
    def complete_refused(s) -> None:
        """The block is under recovery: nothing is committed, and the client gives up (HDFS-10240; facts A.3)."""
        s.in_stage(Stage.ENDED)
        require(s.block.at(BlockLifecycle.under_recovery), "the block is under recovery")
        s.stage = Stage.FAILED
