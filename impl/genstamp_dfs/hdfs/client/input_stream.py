"""Reads a file, also one that is being written: its visible length is what a datanode says that all have acknowledged.

A datanode that fails, or whose bytes do not match their checksums, is left for another one; bytes that do not match are
reported to the namenode.

Not here: several reads at once, connections kept for the next read, and reads from a node's own disk.

Source: CL/DFSInputStream, CL/client/impl/BlockReaderRemote, Hadoop 3.4.1; facts C.3.
"""

from typing import TYPE_CHECKING

from genstamp_dfs.errors import (
    BlockMissingException,
    CannotObtainBlockLengthException,
    EOFException,
    HdfsIOException,
    ReplicaNotFoundException,
)
from genstamp_dfs.hdfs.block_operation import begin_operation
from genstamp_dfs.hdfs.checksums import first_mismatch
from genstamp_dfs.hdfs.messages.client_protocol import GetBlockLocations, LocatedBlocks, ReportBadBlocks
from genstamp_dfs.hdfs.messages.data_transfer import CHUNK_BYTES, Packet, ReadBlock, ReadStatus, Status
from genstamp_dfs.hdfs.messages.inter_datanode import GetReplicaVisibleLength
from genstamp_dfs.hdfs.protocol import Block, LocatedBlock, Semantics
from genstamp_dfs.hdfs.runtime import Connection

if TYPE_CHECKING:
    from genstamp_dfs.hdfs.client.dfs_client import DFSClient

REFETCHES = 3
"""How often the locations are asked for again (`dfs.client.max.block.acquire.failures`)."""

REFETCH_DELAY_US = 3_000_000


class ChecksumError(HdfsIOException):
    """The bytes that a datanode sent do not match their checksums."""


class DFSInputStream:
    """An open file, as it was when it was opened.

    Attributes:
        length: its visible length in bytes.
        blocks: its blocks, by offset.
    """

    def __init__(self, client: "DFSClient", path: str) -> None:
        self._client = client
        self.path = path
        self.length = 0
        self.blocks: tuple[LocatedBlock, ...] = ()
        self._dead: set[str] = set()

    async def open(self) -> "DFSInputStream":
        """Find the blocks and the visible length.

        Raises:
            FileNotFoundException: there is no such file.
            CannotObtainBlockLengthException: nobody can say how long the last block of an open file is.
        """
        await self._fetch()
        return self

    async def read(self, offset: int = 0, length: int | None = None) -> bytes:
        """Bytes of the file from `offset`, as many as there are up to `length`.

        Raises:
            BlockMissingException: no datanode could give the bytes of a block.
        """
        end = self.length if length is None else min(self.length, offset + length)
        parts: list[bytes] = []
        while offset < end:
            located = self._block_at(offset)
            start = offset - located.offset
            taken = await self._read_block(offset, start, min(located.block.num_bytes - start, end - offset))
            parts.append(taken)
            offset += len(taken)
        return b"".join(parts)

    # -- where the bytes are ------------------------------------------------------------------------------------

    async def _fetch(self) -> None:
        located = await self._client.runtime.call(self._client.namenode, GetBlockLocations(self.path))
        blocks = list(located.blocks)
        last = located.last_block
        if last is not None and not located.is_last_block_complete:
            visible = await self._visible_length(last)
            blocks = [one for one in blocks if one.block.block_id != last.block.block_id]
            blocks.append(_with_length(last, visible))
        self.blocks = tuple(blocks)
        self.length = _length(located, self.blocks)

    async def _visible_length(self, last: LocatedBlock) -> int:
        """What the datanodes say that know; none knowing it anywhere means that nothing was written.

        Hadoop takes the first answer. Repaired, the smallest one counts: what only a node far down the pipeline shows
        may be cut off when the pipeline is set up again.
        """
        without_replica = 0
        answers: list[int] = []
        for datanode in last.locations:
            try:
                visible = await self._client.runtime.call(datanode, GetReplicaVisibleLength(last.block))
            except ReplicaNotFoundException:
                without_replica += 1
            except HdfsIOException:
                continue
            else:
                if visible >= 0 and self._client.configuration.semantics is not Semantics.REPAIRED:
                    return visible
                answers += [visible] if visible >= 0 else []
        if answers:
            return min(answers)
        if without_replica == len(last.locations) and (last.locations or last.block.num_bytes == 0):
            return 0
        raise CannotObtainBlockLengthException(f"cannot obtain the length of {last.block} of {self.path}")

    def _block_at(self, offset: int) -> LocatedBlock:
        for located in self.blocks:
            if located.offset <= offset < located.offset + located.block.num_bytes:
                return located
        raise BlockMissingException(f"no block of {self.path} has byte {offset}")

    # -- reading ------------------------------------------------------------------------------------------------

    async def _read_block(self, offset: int, start: int, length: int) -> bytes:
        """Read a part of one block from whoever can give it."""
        for attempt in range(REFETCHES + 1):
            located = self._block_at(offset)
            for datanode in located.locations:
                if datanode in self._dead:
                    continue
                try:
                    return await self._read_from(datanode, located.block, start, length)
                except ChecksumError:
                    self._dead.add(datanode)
                    await self._report(located, datanode)
                except HdfsIOException:
                    self._dead.add(datanode)
            if attempt < REFETCHES:
                self._dead.clear()
                await self._client.runtime.sleep_us(REFETCH_DELAY_US)
                await self._fetch()
        raise BlockMissingException(f"could not obtain {self._block_at(offset).block} of {self.path}")

    async def _read_from(self, datanode: str, block: Block, start: int, length: int) -> bytes:
        timeout_us = self._client.configuration.socket_timeout_us(1)
        operation = ReadBlock(block, self._client.name, start, length)
        connection, answer = await begin_operation(self._client.runtime, datanode, operation, timeout_us)
        try:
            if answer.status is not Status.SUCCESS:
                raise HdfsIOException(f"{datanode} does not give {block}: {answer}")
            if not start - CHUNK_BYTES < answer.chunk_offset <= start:
                # Else the bytes would be taken for others (BlockReaderRemote#newBlockReader).
                raise HdfsIOException(f"{datanode} begins at byte {answer.chunk_offset} of {block}, expected {start}")
            end = start + length + CHUNK_BYTES
            data = await self._receive(connection, datanode, answer.chunk_offset, end, timeout_us)
            first = start - answer.chunk_offset
            wanted = memoryview(data)[first : first + length]
            if not wanted:
                raise EOFException(f"{datanode} has no byte {start} of {block}")
            await connection.send(ReadStatus(Status.CHECKSUM_OK))
            return bytes(wanted)
        finally:
            connection.close()

    async def _receive(
        self, connection: Connection, datanode: str, offset: int, end: int, timeout_us: int
    ) -> bytearray:
        """The bytes of all packets to the last, each checked; they begin at `offset`, and none is from `end` on."""
        data = bytearray()
        seqno = 0
        while True:
            packet = await connection.receive(timeout_us)
            if not isinstance(packet, Packet) or (packet.seqno, packet.offset) != (seqno, offset + len(data)):
                raise HdfsIOException(f"{datanode} sent {type(packet).__name__}, expected packet {seqno}")
            if packet.is_last:
                return data
            if first_mismatch(packet.data, packet.checksums) is not None:
                raise ChecksumError(f"bytes from {packet.offset} that {datanode} sent do not match their checksums")
            data += packet.data
            if offset + len(data) > end:
                raise HdfsIOException(f"{datanode} sent bytes to {offset + len(data)}, expected no more than to {end}")
            seqno += 1

    async def _report(self, located: LocatedBlock, datanode: str) -> None:
        """Tell the namenode of a replica whose bytes are bad.

        Source: CL/DFSClient#reportChecksumFailure, Hadoop 3.4.1.
        """
        bad = LocatedBlock(located.block, (datanode,), located.offset)
        try:
            await self._client.runtime.call(self._client.namenode, ReportBadBlocks((bad,)))
        except HdfsIOException:
            # Another datanode may have the bytes: a namenode that is away must not end the read.
            return


def _with_length(located: LocatedBlock, num_bytes: int) -> LocatedBlock:
    """The block with the length that a datanode told."""
    block = Block(located.block.block_id, located.block.generation_stamp, num_bytes)
    return LocatedBlock(block, located.locations, located.offset, located.corrupt)


def _length(located: LocatedBlocks, blocks: tuple[LocatedBlock, ...]) -> int:
    """Length of the file: what is complete, and what is visible of the last block."""
    ends = (one.offset + one.block.num_bytes for one in blocks)
    return max(located.file_length, max(ends, default=0))
