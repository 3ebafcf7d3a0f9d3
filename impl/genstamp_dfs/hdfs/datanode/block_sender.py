"""Sending the bytes of a replica: to a reader, to another datanode, or only the digest of their checksums.

What is read together is read between two waits, so bytes and checksums always fit each other, also of a chunk that is
being written. Checksums go out as they are stored, for the receiver to judge; only that of a chunk that is cut short is
computed anew, after the whole chunk was verified.

Not here: short-circuit reads, throttling, the scanner of replicas.

Source: DN/BlockSender, DN/BlockChecksumHelper, Hadoop 3.4.1; facts W.4.7, W.4.8.
"""

import hashlib

from genstamp_dfs.errors import DiskError, HdfsIOException, ReplicaNotFoundException
from genstamp_dfs.hdfs.checksums import checksums_of, first_mismatch
from genstamp_dfs.hdfs.datanode.replica_steps import ReplicaSteps
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.messages.data_transfer import CHECKSUM_BYTES, CHUNK_BYTES, Packet, ReadBlock
from genstamp_dfs.hdfs.protocol import Block, ReplicaState
from genstamp_dfs.hdfs.runtime import Connection
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND

_WAIT_STEP_US = 100_000


class CorruptReplicaError(Exception):
    """Bytes of a replica do not match their checksums; `block` is to be reported to the namenode."""

    def __init__(self, block: Block, offset: int) -> None:
        self.block = block
        super().__init__(f"blk_{block.block_id} is corrupt in the chunk at {offset}")


def readable_replica(steps: ReplicaSteps, block: Block) -> Replica:
    """The replica, if it can be read in the block's generation or a later one.

    Raises:
        ReplicaNotFoundException: there is none, or it is older than the block.
        HdfsIOException: nobody may read it: it waits for a recovery, or is a copy that arrives.

    Source: BlockSender#<init>, Hadoop 3.4.1.
    """
    replica = steps.dataset.existing(block.block_id)
    if replica.generation_stamp < block.generation_stamp:
        raise ReplicaNotFoundException(f"replica {replica.name} is older than the block's {block.generation_stamp}")
    if replica.visible_length() < 0:
        raise HdfsIOException(f"replica {replica.name} is not readable: it is {replica.visible_state().name}")
    return replica


async def range_to_read(steps: ReplicaSteps, request: ReadBlock) -> tuple[Replica, int, int]:
    """The replica, and the chunks to send of it: where the first begins, and where the last ends.

    Bytes that are not here yet are waited for, some seconds: the reader may have heard of them at another node.

    Raises:
        HdfsIOException: the replica cannot be read, or the range is not in it.

    Source: BlockSender#<init>, #waitForMinLength, Hadoop 3.4.1.
    """
    runtime = steps.runtime
    end = request.offset + request.length
    limit_us = runtime.now_us() + steps.configuration.lost_bytes_wait_ms * MICROSECONDS_A_MILLISECOND
    replica = readable_replica(steps, request.block)
    while replica.bytes_on_disk < end and replica.state is ReplicaState.RBW and runtime.now_us() < limit_us:
        await runtime.sleep_us(_WAIT_STEP_US)
        replica = readable_replica(steps, request.block)
    if request.offset < 0 or request.length < 0 or end > replica.bytes_on_disk:
        raise HdfsIOException(
            f"offset {request.offset} and length {request.length} don't match block {replica.name} of "
            f"{replica.bytes_on_disk} bytes"
        )
    rounded = -(-end // CHUNK_BYTES) * CHUNK_BYTES
    return replica, request.offset - request.offset % CHUNK_BYTES, min(rounded, replica.bytes_on_disk)


def read_chunks(steps: ReplicaSteps, replica: Replica, offset: int, end: int) -> tuple[bytes, bytes]:
    """Bytes from a chunk boundary to `end`, with the checksums of their chunks.

    Raises:
        HdfsIOException: the replica has become shorter, or is gone.
        CorruptReplicaError: the last chunk is to be cut, and does not match its checksum.
    """
    files, cut = steps.dataset.files, end % CHUNK_BYTES
    try:
        data = files.read(replica, offset, end - offset)
        checksums = files.read_checksums(replica, offset, end - offset)
        if cut and end < replica.bytes_on_disk:
            chunk = files.read(replica, end - cut, min(CHUNK_BYTES, replica.bytes_on_disk - (end - cut)))
            if first_mismatch(chunk, checksums[-CHECKSUM_BYTES:]) is not None:
                raise CorruptReplicaError(replica.block(), end - cut)
            checksums = checksums[:-CHECKSUM_BYTES] + checksums_of(chunk[:cut])
    except DiskError as problem:
        raise HdfsIOException(f"cannot read {replica.name}: {problem}") from problem
    if len(data) != end - offset:
        raise HdfsIOException(f"replica {replica.name} has become shorter than {end} bytes")
    return data, checksums


async def send_chunks(
    steps: ReplicaSteps, replica: Replica, connection: Connection, offset: int, end: int, *, with_checksums: bool
) -> None:
    """Send a range as packets, and an empty last one (BlockSender#sendBlock).

    Raises:
        HdfsIOException: the connection is broken, or the replica has changed.
        CorruptReplicaError: as `read_chunks`.
    """
    size = max(CHUNK_BYTES, steps.configuration.packet_bytes // CHUNK_BYTES * CHUNK_BYTES)
    seqno = 0
    for start in range(offset, end, size):
        data, checksums = read_chunks(steps, replica, start, min(end, start + size))
        await connection.send(Packet(seqno, start, data=data, checksums=checksums if with_checksums else b""))
        seqno += 1
    await connection.send(Packet(seqno, max(offset, end), is_last=True))


def block_digest(steps: ReplicaSteps, block: Block) -> bytes:
    """MD5 of the checksums of the first `block.num_bytes` bytes; of all that is visible if that is less.

    Raises:
        HdfsIOException: the replica cannot be read.
        CorruptReplicaError: as `read_chunks`.

    Source: BlockChecksumHelper.ReplicatedBlockChecksumComputer, Hadoop 3.4.1.
    """
    replica = readable_replica(steps, block)
    end = min(block.num_bytes, replica.visible_length())
    digest = hashlib.md5(usedforsecurity=False)
    size = 1024 * CHUNK_BYTES
    for start in range(0, end, size):
        digest.update(read_chunks(steps, replica, start, min(end, start + size))[1])
    return digest.digest()
