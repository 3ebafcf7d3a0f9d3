"""The writer: packets, acks, hflush, close.

Coarser than HDFS: a packet is queued when it is sent. How a broken pipeline is set up again stands in
`pipeline_set_up.py`.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.pipeline_state import Stage
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.hdfs.state.chain import Chain
from genstamp_spec.lifecycles.block import BlockLifecycle


class PipelineClient(Chain, lane="client"):
    """DFSOutputStream and DataStreamer."""

    @action
    def add_block(s, last: Datanode) -> None:
        """The NameNode gives the client a block and the datanodes to write it to, here those up to the last.

        Source  FSNamesystem#getAdditionalBlock, DataStreamer#setupPipelineForCreate, Hadoop 3.4.1; facts A1, E.5, C.5.
        """
        s.in_stage(Stage.NONE)
        s.pipeline = those(Datanode, lambda d: (d == last) | s.nearer(d, last))
        s.replication = s.pipeline.size()
        s.always_replaces = pick("always", 0, 1)
        s.allocate(s.pipeline)
        s.stamp = s.last_stamp
        s.new_stamp = s.last_stamp
        s.stage = Stage.SETUP_CREATE
        observe(generation_stamp=s.stamp)

    # Packets and acks (C.2).

    @action
    def send_packet(s) -> None:
        """The next packet is sent: one that was sent before and is not acknowledged, or a new one.

        Source  DataStreamer#run, Hadoop 3.4.1; facts C.2.
        """
        s.in_stage(Stage.STREAMING)
        s.may_write()
        s.sent = s.sent + 1
        s.bytes_sent = largest(s.bytes_sent, s.sent)

    @action
    def send_last_packet(s) -> None:
        """The application closes: everything is acknowledged, and the empty last packet is sent.

        Source  DataStreamer#run, Hadoop 3.4.1; facts C.2, C.7.
        """
        s.in_stage(Stage.STREAMING)
        require(s.acked == s.bytes_sent, "everything is acknowledged")
        s.sent = s.sent + 1
        s.stage = Stage.CLOSE

    @action
    def receive_ack(s) -> None:
        """Every node has acknowledged the packet (DataStreamer.ResponseProcessor#run, Hadoop 3.4.1; facts C.2)."""
        first = s.first_node()
        s.in_stage(Stage.STREAMING, Stage.CLOSE)
        require(s.connection[first].confirmed > s.acked, "an ack has come")
        s.acked = s.acked + 1
        s.recoveries = 0

    @action
    def hflush(s) -> None:
        """hflush returns: what was written is acknowledged. The first one of a block tells the NameNode its length.

        Source  DFSOutputStream#flushOrSync, FSDirWriteFileOp#persistNewBlock, Hadoop 3.4.1; facts A6, C.4, E.10.
        """
        s.in_stage(Stage.STREAMING)
        require((s.acked > 0) & (s.acked == s.bytes_sent), "everything is acknowledged")
        require(s.hflushed < s.acked, "something new was written")
        require(s.has_flushed | s.under_construction(), "the block is not under recovery at its first hflush")
        s.block.fire(BlockLifecycle.fsync, where=~s.has_flushed)
        s.block_bytes = when(s.has_flushed, s.block_bytes, s.acked)
        s.has_flushed = True
        s.hflushed = s.acked
        observe(num_bytes=s.acked)

    @action
    def end_block(s) -> None:
        """The ack of the last packet has come: the block is done, whatever happens to the connections.

        Source  DataStreamer#endBlock, Hadoop 3.4.1; facts C.2, C.5 step 5.
        """
        s.in_stage(Stage.CLOSE)
        require(s.is_last(s.acked), "the last packet is acknowledged")
        s.stage = Stage.ENDED

    # Closing (C.7).

    @action
    def complete(s) -> None:
        """The client asks for the file to be closed: the block is committed with the acknowledged length.

        Source  FSDirWriteFileOp#completeFileInternal, BlockManager#commitBlock, Hadoop 3.4.1; facts A7, A.3, E.9, C.7.
        """
        s.in_stage(Stage.ENDED)
        require(s.under_construction(), "the block is under construction")
        require(s.stamp == s.block_stamp, "the client's stamp is the block's", "IOException", defensive=True)
        s.commit(s.stamp, s.length_to_commit())
        s.hflushed = s.block_bytes
        s.stage = when(s.block.at(BlockLifecycle.complete), Stage.CLOSED, s.stage)
        observe(block_state=s.block)

    def length_to_commit(s) -> Number:
        """The block's length as the client knows it once all is acknowledged (HDFS-8498)."""
        return s.acked_bytes()

    @action(event="complete")
    def complete_closes(s) -> None:
        """The block is COMPLETE: the file is closed (facts E.9, A.5, C.7)."""
        s.in_stage(Stage.ENDED)
        require(s.block.at(BlockLifecycle.complete), "the block is complete")
        s.stage = Stage.CLOSED
        observe(block_state=s.block)
