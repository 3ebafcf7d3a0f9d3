"""What else happens to a block that is written: its file is opened again, its writer crashes or is shut out.

And a datanode registers anew, a call of the writer comes a second time, a client asks for no stamp. Coarser than HDFS:
the recovery that shuts the writer out only begins here, and of all calls only updatePipeline can come again.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.pipeline_set_up import PipelineSetUp
from genstamp_spec.hdfs.parts.pipeline_state import Stage
from genstamp_spec.hdfs.parts.state import Client, Datanode, only
from genstamp_spec.hdfs.state.chain import Chain
from genstamp_spec.lifecycles.block import BlockLifecycle
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class PipelineAppends(PipelineSetUp, lane="client"):
    """A closed file is opened again by its writer."""

    @action(event="append")
    def append_file(s) -> None:
        """The writer opens its file again; the locations are the datanodes that have the block.

        Their replicas count as reported until the NameNode is told of another pipeline.

        Coarser  than HDFS, where anybody may: it is the same writer here.
        Source  FSDirAppendOp#appendFile, DataStreamer#setPipelineInConstruction, Hadoop 3.4.1; facts A2, A.4, E.2, C.5.
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


class PlannedRestarts(Chain, lane=Datanode):
    """The announcement (OOB_RESTART), the wait, the node that comes back with its replica, or too late.

    Coarser than HDFS: the client waits for any such node, not only for one that is local or alone; nodes restart while
    packets flow, not while a pipeline is set up.
    """

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


class BlockReaders(Chain, lane="client"):
    """DFSInputStream.

    Coarser than HDFS: a reader asks for the length and reads no bytes; checksums play no part.
    """

    @action
    def read(s, client: Client, datanode: Datanode) -> None:
        """A reader opens the file and asks its locations how much is visible. The smallest answer counts.

        Locations that restart and will be back are waited for; how a reader tells them from dead ones is left open.

        Hadoop takes the first answer: bytes that only a node far down the chain shows may be cut off by a recovery.

        Source  DFSInputStream#readBlockLength, Hadoop 3.4.1; facts C.3.
        """
        require(s.serves(datanode), "the datanode answers")
        visible = s.visible_bytes(s.replica[datanode])
        least = forall(Datanode, lambda d: ~s.serves(d) | (visible <= s.visible_bytes(s.replica[d])))
        away = exists(Datanode, lambda d: s.locations.has(d) & s.restarting.has(d) & ~s.running.has(d))
        require(least & ~away, "no location shows less")
        require(visible > s.shown[client], "something new is shown")
        s.shown[client] = visible
        observe(num_bytes=visible)
