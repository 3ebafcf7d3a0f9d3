"""What is said on a connection that carries a block, from the operation that opens it to the last acknowledgement.

Not here: checksums other than CRC32C of 512-byte chunks, tokens, encryption, short-circuit reads, block moves.

Source: datatransfer.proto; CL/protocol/datatransfer/Sender, PacketHeader, PipelineAck, Hadoop 3.4.1.
"""

from enum import IntEnum

import msgspec

from genstamp_dfs.hdfs.protocol import Block

HEARTBEAT_SEQNO = -1
UNKNOWN_SEQNO = -2
"""Sequence number of an acknowledgement that no packet asked for."""

CHUNK_BYTES = 512
CHECKSUM_BYTES = 4


class Status(IntEnum):
    """Outcome of an operation or a packet at one node."""

    SUCCESS = 0
    ERROR = 1
    ERROR_CHECKSUM = 2
    ERROR_INVALID = 3
    ERROR_EXISTS = 4
    ERROR_ACCESS_TOKEN = 5
    CHECKSUM_OK = 6
    ERROR_UNSUPPORTED = 7
    OOB_RESTART = 8
    IN_PROGRESS = 12


class BlockConstructionStage(IntEnum):
    """What a pipeline is set up for."""

    PIPELINE_SETUP_APPEND = 0
    PIPELINE_SETUP_APPEND_RECOVERY = 1
    DATA_STREAMING = 2
    PIPELINE_SETUP_STREAMING_RECOVERY = 3
    PIPELINE_CLOSE = 4
    PIPELINE_CLOSE_RECOVERY = 5
    PIPELINE_SETUP_CREATE = 6
    TRANSFER_RBW = 7
    TRANSFER_FINALIZED = 8

    @property
    def is_transfer(self) -> bool:
        """Whether a replica is copied to a datanode that shall join a pipeline."""
        return self in (BlockConstructionStage.TRANSFER_RBW, BlockConstructionStage.TRANSFER_FINALIZED)


class WriteBlock(msgspec.Struct, frozen=True, tag=True):
    """WRITE_BLOCK.

    Attributes:
        block: with the stamp that the replica has before the set-up.
        client_name: empty if a datanode copies.
        targets: the nodes after the receiver, in order.
        source: the datanode that copies, if one does.
        pipeline_size: number of nodes of the whole pipeline.
        min_bytes_received, max_bytes_received: bytes that the client has acknowledged, and sent.
        latest_generation_stamp: the stamp that the replica shall have.
    """

    block: Block
    client_name: str
    targets: tuple[str, ...]
    stage: BlockConstructionStage
    pipeline_size: int
    min_bytes_received: int = 0
    max_bytes_received: int = 0
    latest_generation_stamp: int = 0
    source: str | None = None


class ReadBlock(msgspec.Struct, frozen=True, tag=True):
    """READ_BLOCK; `offset` and `length` in bytes."""

    block: Block
    client_name: str
    offset: int
    length: int
    send_checksums: bool = True


class TransferReplica(msgspec.Struct, frozen=True, tag=True):
    """TRANSFER_BLOCK: copy the replica to the targets, for a pipeline that lost a node."""

    block: Block
    client_name: str
    targets: tuple[str, ...]


class BlockChecksum(msgspec.Struct, frozen=True, tag=True):
    """BLOCK_CHECKSUM: of the first `num_bytes` of the block."""

    block: Block


Operation = WriteBlock | ReadBlock | TransferReplica | BlockChecksum


class BlockOpResponse(msgspec.Struct, frozen=True, tag=True):
    """Answer to an operation.

    Attributes:
        first_bad_link: the node that a pipeline could not be set up beyond; empty if none.
        chunk_offset: where the packets of a read begin, in bytes, on a chunk boundary.
        checksum: MD5 of the chunks' checksums, for BLOCK_CHECKSUM.
    """

    status: Status
    first_bad_link: str = ""
    message: str = ""
    chunk_offset: int = 0
    checksum: bytes = b""


class Packet(msgspec.Struct, frozen=True, tag=True):
    """A piece of a block.

    Attributes:
        seqno: `HEARTBEAT_SEQNO`, or rising by one.
        offset: of its first byte in the block.
        is_last: the last packet of the block, which is empty.
        sync: whether the data has to be on disk before the acknowledgement.
        data: the bytes.
        checksums: CRC32C of each chunk of 512 bytes counted from its first byte, 4 bytes each, big-endian; empty if
            the reader wants none.
    """

    seqno: int
    offset: int
    is_last: bool = False
    sync: bool = False
    data: bytes = b""
    checksums: bytes = b""


class PipelineAck(msgspec.Struct, frozen=True, tag=True):
    """Acknowledgement of one packet: a status for each node from the sender to the end of the pipeline."""

    seqno: int
    replies: tuple[Status, ...]


class TransferAck(msgspec.Struct, frozen=True, tag=True):
    """The end of a copy, from its receiver."""

    status: Status


class ReadStatus(msgspec.Struct, frozen=True, tag=True):
    """What a reader says when it has read to the end: CHECKSUM_OK, or SUCCESS if it did not verify."""

    status: Status


Message = Operation | BlockOpResponse | Packet | PipelineAck | TransferAck | ReadStatus
