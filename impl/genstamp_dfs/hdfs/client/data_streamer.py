"""Sends the packets of a stream, block after block, hears their acknowledgements, and mends the pipeline when it fails.

One process sends, another hears. A packet that was sent waits until every datanode has acknowledged it; after a failure
all that wait are sent again through the mended pipeline, under their numbers.

Not here: how a pipeline is set up; that is `pipeline`.

Source: CL/DataStreamer, Hadoop 3.4.1; facts C.2, C.5.
"""

from typing import TYPE_CHECKING, Final

from genstamp_dfs.errors import EOFException, HdfsIOException, SocketTimeoutException
from genstamp_dfs.hdfs.client.packets import OutgoingPacket, PacketQueues
from genstamp_dfs.hdfs.client.pipeline import Pipeline, recovery_stage
from genstamp_dfs.hdfs.messages.client_protocol import HdfsFileStatus
from genstamp_dfs.hdfs.messages.data_transfer import (
    HEARTBEAT_SEQNO,
    BlockConstructionStage,
    Packet,
    PipelineAck,
    Status,
)
from genstamp_dfs.hdfs.protocol import LocatedBlock
from genstamp_dfs.hdfs.runtime import Connection
from genstamp_dfs.world.runtime import Task

if TYPE_CHECKING:
    from genstamp_dfs.hdfs.client.dfs_client import DFSClient

_HEARTBEAT: Final = Packet(HEARTBEAT_SEQNO, 0)


class DataStreamer:
    """The sending side of one open file.

    Args:
        client: the client.
        path: the path that the file was opened by.
        status: the file as the namenode told of it.
        appended: the last block, if its end is to be extended.

    Attributes:
        stage: what the pipeline is at.
        file_offset: where the present block begins in the file, in bytes.
        changed: notified whenever something was queued, acknowledged, or went wrong.
        persist_blocks: whether the namenode has not been told a length of the present block yet.
        is_hflushed: whether the stream was flushed.
    """

    def __init__(
        self, client: "DFSClient", path: str, status: HdfsFileStatus, appended: LocatedBlock | None = None
    ) -> None:
        self.client = client
        self.path = path
        self.queues = PacketQueues()
        self.pipeline = Pipeline(client, path, status.file_id, status.replication)
        self.stage = BlockConstructionStage.PIPELINE_SETUP_CREATE
        self.file_offset = status.length
        self.changed = client.runtime.condition()
        self.persist_blocks = True
        self.is_hflushed = False
        self.failure: HdfsIOException | None = None
        self._is_append = appended is not None
        self._is_stopped = False
        self._has_error = False
        self._recoveries = 0
        self._last_sent_us = 0
        self._responder: Task | None = None
        if appended is not None:
            self.pipeline.take(appended)
            self.stage = BlockConstructionStage.PIPELINE_SETUP_APPEND
            self.file_offset -= appended.block.num_bytes
        self._sender: Task = client.runtime.spawn(self._run(), f"DataStreamer {path}")

    @property
    def has_open_block(self) -> bool:
        """Whether the pipeline's block is being written, and not one that has ended."""
        return self.stage is not BlockConstructionStage.PIPELINE_SETUP_CREATE

    # -- for the stream -----------------------------------------------------------------------------------------

    def queue(self, packet: OutgoingPacket) -> None:
        """A packet to send, after all before it."""
        self.queues.queue(packet)
        self.changed.notify_all()

    def fail(self, problem: HdfsIOException) -> None:
        """The stream has failed; the first failure is the one that is told."""
        if self.failure is None:
            self.failure = problem
        self._is_stopped = True
        self.queues.clear()
        self.changed.notify_all()

    def raise_failure(self) -> None:
        """Raise what ended the stream, if it has failed."""
        if self.failure is not None:
            raise self.failure

    def stop(self) -> None:
        """No more packets will come."""
        self._is_stopped = True
        self.pipeline.close()
        for task in (self._responder, self._sender):
            if task is not None:
                task.cancel()

    # -- sending ------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        """Send until the stream ends or fails."""
        try:
            while not self._is_stopped:
                if self._has_error:
                    await self._recover()
                elif self.queues.data:
                    await self._send_next()
                else:
                    await self._wait_or_beat()
        except HdfsIOException as problem:
            self.fail(problem)
            self.pipeline.close()

    async def _wait_or_beat(self) -> None:
        """Wait for a change; a pipeline through which nothing was sent for too long gets a heartbeat (#sendHeartbeat).

        Also while the last packet of a block is held back or waits for its acknowledgement: a datanode that hears
        nothing takes its upstream for dead, and a node that is well would be left out for a slow one.
        """
        half_us = self.client.configuration.socket_timeout_ms * 1_000 // 2
        connection = self.pipeline.connection
        silent_us = self.client.runtime.now_us() - self._last_sent_us
        if connection is None:
            await self.changed.wait(half_us)
        elif silent_us < half_us:
            await self.changed.wait(half_us - silent_us)
        else:
            await self._send(connection, _HEARTBEAT)

    async def _send_next(self) -> None:
        """Send the oldest packet; the last one of a block only when all others are acknowledged."""
        match self.stage:
            case BlockConstructionStage.PIPELINE_SETUP_CREATE:
                await self.pipeline.create()
                self.client.events.block_begun(self)
                self._begin_streaming()
            case BlockConstructionStage.PIPELINE_SETUP_APPEND:
                await self._mend(self.stage)
                self._begin_streaming()
            case _:
                pass
        packet = self.queues.data[0]
        if packet.is_last:
            await self._wait_for_acks()
            if self._has_error or self._is_stopped:
                return
            self.stage = BlockConstructionStage.PIPELINE_CLOSE
        connection = self.pipeline.connection
        assert connection is not None, f"{self.path} streams without a connection"
        self.queues.sent()
        self.pipeline.bytes_sent = max(self.pipeline.bytes_sent, packet.end)
        await self._send(connection, packet.message())
        if packet.is_last:
            await self._wait_for_acks()
            if not self._has_error and not self._is_stopped:
                self._end_block()

    async def _send(self, connection: Connection, message: Packet) -> None:
        self._last_sent_us = self.client.runtime.now_us()
        try:
            await connection.send(message)
        except EOFException:
            self._note_error(None)

    async def _wait_for_acks(self) -> None:
        while self.queues.ack and not self._has_error and not self._is_stopped:
            await self._wait_or_beat()

    def _begin_streaming(self) -> None:
        """The pipeline is set up: data flows, and somebody listens."""
        connection = self.pipeline.connection
        assert connection is not None, f"the pipeline of {self.path} is not set up"
        self.stage = BlockConstructionStage.DATA_STREAMING
        self._last_sent_us = self.client.runtime.now_us()
        self._responder = self.client.runtime.spawn(
            self._hear(connection, len(self.pipeline.nodes)), f"ResponseProcessor {self.path}"
        )

    def _end_block(self) -> None:
        """All datanodes have finalized the block."""
        self.pipeline.close()
        self.file_offset += self.pipeline.bytes_acked
        self.stage = BlockConstructionStage.PIPELINE_SETUP_CREATE
        self.persist_blocks = True
        self._is_append = False
        self.client.events.block_ended(self)

    # -- hearing ------------------------------------------------------------------------------------------------

    async def _hear(self, connection: Connection, nodes: int) -> None:
        """Take acknowledgements until the last packet's, or a failure."""
        timeout_us = self.client.configuration.socket_timeout_us(nodes)
        try:
            while True:
                ack = await connection.receive(timeout_us)
                if not isinstance(ack, PipelineAck) or not self._take(ack):
                    return
        except (EOFException, SocketTimeoutException):
            self._note_error(None)

    def _take(self, ack: PipelineAck) -> bool:
        """Take one acknowledgement; False if no other will be heard."""
        for index in range(len(ack.replies) - 1, -1, -1):
            if ack.replies[index] is Status.OOB_RESTART:
                self.pipeline.restarting = index
                self._note_error(None)
                return False
            if ack.replies[index] is not Status.SUCCESS:
                self._note_error(index)
                return False
        if ack.seqno == HEARTBEAT_SEQNO:
            return True
        if not self.queues.ack or self.queues.ack[0].seqno != ack.seqno:
            self._note_error(None)
            return False
        packet = self.queues.acknowledged()
        self.pipeline.bytes_acked = max(self.pipeline.bytes_acked, packet.end)
        self._recoveries = 0
        self.client.events.acknowledged(self, packet)
        self.changed.notify_all()
        return not packet.is_last

    def _note_error(self, bad: int | None) -> None:
        """Something failed; where nobody says which datanode it was, it is the first."""
        self._has_error = True
        if self.pipeline.bad is None and self.pipeline.restarting is None:
            self.pipeline.bad = bad if bad is not None else 0
        self.changed.notify_all()

    # -- mending ------------------------------------------------------------------------------------------------

    async def _recover(self) -> None:
        """Set the pipeline up again, and send again what was not acknowledged."""
        self.pipeline.close()
        if self._responder is not None:
            self._responder.cancel()
        closes = self.stage is BlockConstructionStage.PIPELINE_CLOSE
        if closes and not self.queues.ack:
            # The end of the block was acknowledged before the failure was noticed (HDFS-16127).
            self._has_error = False
            self.pipeline.bad = self.pipeline.restarting = None
            self._end_block()
            return
        self.queues.take_back()
        if self.pipeline.restarting is None:
            self._recoveries += 1
        if self._recoveries > self.client.configuration.max_pipeline_recoveries:
            raise HdfsIOException(
                f"{self.path} failed {self._recoveries} times in a row without an acknowledged packet, aborting"
            )
        self._has_error = False
        await self._mend(recovery_stage(self.stage))
        if closes:
            self._drop_last_packet()
        else:
            self._begin_streaming()

    async def _mend(self, stage: BlockConstructionStage) -> None:
        await self.pipeline.mend(stage, is_append=self._is_append, is_hflushed=self.is_hflushed)
        self.client.events.pipeline_updated(self)

    def _drop_last_packet(self) -> None:
        """The datanodes have finalized the block by the set-up itself: its last packet need not be sent."""
        packet = self.queues.data[0]
        assert packet.is_last, f"packet {packet.seqno} of {self.path} waits behind the end of its block"
        self.queues.sent()
        self.queues.acknowledged()
        self._end_block()
        self.changed.notify_all()
