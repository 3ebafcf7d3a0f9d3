"""What an application writes a file with: bytes in, packets out, and promises about what was flushed.

hflush promises that a new reader sees the bytes as long as one node of the pipeline lives; hsync also that they were
forced to disk on each of them. Both mean what all of the pipeline has acknowledged.

A packet that does not begin at the start of a chunk ends with it, and its checksum covers its own bytes alone.

Not here: writing on when the stream has failed; every further call raises the failure that ended it.

Source: CL/DFSOutputStream, Hadoop 3.4.1; facts C.4, C.7.
"""

from typing import TYPE_CHECKING

from genstamp_dfs.errors import HdfsIOException, RetriableException
from genstamp_dfs.hdfs.client.data_streamer import DataStreamer
from genstamp_dfs.hdfs.client.packets import OutgoingPacket
from genstamp_dfs.hdfs.messages.client_protocol import Complete, Fsync, HdfsFileStatus, RecoverLease
from genstamp_dfs.hdfs.messages.data_transfer import CHUNK_BYTES
from genstamp_dfs.hdfs.protocol import LocatedBlock

if TYPE_CHECKING:
    from genstamp_dfs.hdfs.client.dfs_client import DFSClient


class DFSOutputStream:
    """An open file of this client.

    Args:
        client: the client.
        path: the path that it was opened by.
        status: the file as the namenode told of it.
        appended: the last block, if its end is to be extended.
        is_append: whether the file was opened by append.
    """

    def __init__(
        self,
        client: "DFSClient",
        path: str,
        status: HdfsFileStatus,
        *,
        appended: LocatedBlock | None = None,
        is_append: bool = False,
    ) -> None:
        self.client = client
        self.path = path
        self.file_id = status.file_id
        self.block_size = status.block_size
        self.is_closed = False
        self.streamer = DataStreamer(client, path, status, appended)
        self._buffer = bytearray()
        self._buffer_offset = appended.block.num_bytes if appended is not None else 0
        self._block_position = self._buffer_offset
        self._position = status.length if is_append else 0
        self._seqno = 0

    @property
    def position(self) -> int:
        """Length of the file with everything that was written to this stream, in bytes."""
        return self._position

    @property
    def acknowledged(self) -> int:
        """Length of the file as far as all datanodes have acknowledged, in bytes."""
        return self.streamer.file_offset + self.streamer.pipeline.bytes_acked

    # -- what an application calls ------------------------------------------------------------------------------

    async def write(self, data: bytes) -> None:
        """Write at the end of the file; waits while too many packets are on their way.

        Raises:
            HdfsIOException: the stream has failed, now or before, or is closed.
        """
        self._check_open()
        view = memoryview(data)
        while view:
            room = self._room_in_packet()
            self._buffer += view[:room]
            taken = min(room, len(view))
            view = view[taken:]
            self._block_position += taken
            self._position += taken
            if taken == room:
                await self._queue_packet(sync=False)
            if self._block_position == self.block_size:
                await self._end_block()

    async def hflush(self) -> None:
        """Wait until all datanodes have what was written; what this promises is said above.

        Raises:
            HdfsIOException: the stream has failed.
        """
        await self._flush_or_sync(sync=False, update_length=False)

    async def hsync(self, *, update_length: bool = False) -> None:
        """As hflush, with the bytes forced to the disks; `update_length` tells the namenode the length as well.

        Raises:
            HdfsIOException: the stream has failed.
        """
        await self._flush_or_sync(sync=True, update_length=update_length)

    async def close(self) -> None:
        """End the last block, wait for all acknowledgements, and complete the file.

        Raises:
            HdfsIOException: the stream has failed, or the namenode does not close the file. It may stay open there
                until its lease expires.
        """
        if self.is_closed:
            self.streamer.raise_failure()
            return
        try:
            await self._queue_packet(sync=False)
            if self._block_position > 0:
                await self._end_block()
            await self._wait_for_acked(self.streamer.queues.last_queued_seqno)
            await self._complete()
            self.client.events.closed(self)
        except HdfsIOException as problem:
            self.streamer.fail(problem)
            if self.client.configuration.recover_lease_on_close_exception:
                await self.client.runtime.call(self.client.namenode, RecoverLease(self.path, self.client.name))
            raise
        finally:
            # Whatever came of it: a file that is not written any more must not be renewed (HDFS-10549).
            self._leave()

    def abort(self) -> None:
        """Give the file up without completing it; it stays open at the namenode."""
        if not self.is_closed:
            self.streamer.fail(HdfsIOException(f"{self.path} was given up"))
            self._leave()

    # -- packets ------------------------------------------------------------------------------------------------

    def _room_in_packet(self) -> int:
        """How many bytes the packet under construction can still take."""
        start = self._buffer_offset
        in_chunk = start % CHUNK_BYTES
        most = CHUNK_BYTES - in_chunk if in_chunk else self.client.configuration.packet_data_size
        return min(most - len(self._buffer), self.block_size - self._block_position)

    async def _queue_packet(self, *, sync: bool, even_empty: bool = False, is_last: bool = False) -> None:
        """Hand the packet under construction to the streamer."""
        if not self._buffer and not even_empty:
            return
        configuration = self.client.configuration
        while len(self.streamer.queues) > configuration.max_packets_in_flight:
            self.streamer.raise_failure()
            await self.streamer.changed.wait()
        self.streamer.raise_failure()
        packet = OutgoingPacket(self._seqno, self._buffer_offset, bytes(self._buffer), is_last, sync)
        self._seqno += 1
        self._buffer_offset += len(self._buffer)
        self._buffer.clear()
        self.streamer.queue(packet)

    async def _end_block(self) -> None:
        """Queue the empty packet that ends the block; the next byte begins another."""
        await self._queue_packet(sync=False)
        await self._queue_packet(sync=self.client.configuration.syncs_blocks, even_empty=True, is_last=True)
        self._buffer_offset = 0
        self._block_position = 0

    async def _flush_or_sync(self, *, sync: bool, update_length: bool) -> None:
        self._check_open()
        if self._buffer or (sync and self._block_position > 0):
            await self._queue_packet(sync=sync, even_empty=True)
        await self._wait_for_acked(self.streamer.queues.last_queued_seqno)
        if self._block_position > 0 and (self.streamer.persist_blocks or update_length):
            # The first flush of a block makes the namenode know its length (HDFS-4516).
            await self._tell_length()
        self.streamer.is_hflushed = True
        on_disk = self._block_position > 0 or self.client.configuration.syncs_blocks
        self.client.events.flushed(self, sync=sync, on_disk=sync and on_disk)

    async def _tell_length(self) -> None:
        """fsync(); a later flush tells no length. Repaired, one after a call that failed does, and replicas are known.

        Raises:
            HdfsIOException: the namenode refuses, or did not hear of a replica for too long.
        """
        if not self.client.configuration.waits_for_reports:
            self.streamer.persist_blocks = False
            await self.client.ask(self._fsync())
            return
        for delay_us in self.client.configuration.delays_us():
            try:
                await self.client.ask(self._fsync(self.streamer.pipeline.nodes))
            except RetriableException:
                await self.client.runtime.sleep_us(delay_us)
            else:
                self.streamer.persist_blocks = False
                return
        await self.client.ask(self._fsync(self.streamer.pipeline.nodes))
        self.streamer.persist_blocks = False

    def _fsync(self, pipeline: tuple[str, ...] = ()) -> Fsync:
        """What the namenode is told; the datanodes are those of now, as the pipeline may be set up again meanwhile."""
        acked = self.streamer.pipeline.bytes_acked
        return Fsync(self.path, self.client.name, acked, self.file_id, pipeline=pipeline)

    async def _wait_for_acked(self, seqno: int) -> None:
        while self.streamer.queues.last_acked_seqno < seqno:
            self.streamer.raise_failure()
            await self.streamer.changed.wait()
        self.streamer.raise_failure()

    # -- the end ------------------------------------------------------------------------------------------------

    async def _complete(self) -> None:
        """complete(), repeated while the namenode knows too few replicas."""
        request = Complete(self.path, self.client.name, self.streamer.pipeline.block, self.file_id)
        for delay_us in self.client.configuration.delays_us():
            if await self.client.ask(request):
                return
            await self.client.runtime.sleep_us(delay_us)
        if await self.client.ask(request):
            return
        raise HdfsIOException(
            f"unable to close {self.path}: the last block {self.streamer.pipeline.block} does not have enough replicas"
        )

    def _leave(self) -> None:
        self.is_closed = True
        self.streamer.stop()
        self.client.end_file(self)

    def _check_open(self) -> None:
        self.streamer.raise_failure()
        if self.is_closed:
            raise HdfsIOException(f"{self.path} is closed")
