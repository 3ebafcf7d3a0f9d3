"""The data transfer protocol, version 28, as bytes: operations, their answers, packets, acknowledgements.

Not here: sockets. A reader hands over whole messages; how long one is, is told by its first bytes.

Source: facts W.4.1, W.4.2, W.4.3; CL/protocol/datatransfer/Sender, PacketHeader, PacketReceiver, Hadoop 3.4.1.
"""

import struct
from typing import Final

from google.protobuf.message import Message

from genstamp_dfs.hdfs.messages import data_transfer as ours
from genstamp_dfs.hdfs.messages.data_transfer import CHECKSUM_BYTES, CHUNK_BYTES, BlockConstructionStage, Status
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.server.wire import hdfs_pb2 as hdfs
from genstamp_dfs.server.wire import transfer_pb2 as theirs
from genstamp_dfs.server.wire.convert import NO_TOKEN, Converter, storage_id
from genstamp_dfs.server.wire.frames import WireError, delimited, parse

VERSION: Final = 28
WRITE_BLOCK: Final = 80
READ_BLOCK: Final = 81
BLOCK_CHECKSUM: Final = 85
TRANSFER_BLOCK: Final = 86

OPENING_BYTES: Final = 3
"""Version and operation, before the first message."""

MAX_PACKET_BYTES: Final = 16 * 1024 * 1024
MAX_HEADER_BYTES: Final = 512

_CHECKSUM: Final = theirs.Checksum(type=hdfs.ChecksumType.CHECKSUM_CRC32C, bytesPerChecksum=CHUNK_BYTES)
_PACKET_START: Final = struct.Struct(">ih")


def operation_code(opening: bytes) -> int:
    """The operation that a connection begins with.

    Raises:
        WireError: the version is another one, or the operation is not known.
    """
    version, code = struct.unpack(">hB", opening)
    if version != VERSION:
        raise WireError(f"data transfer version {version}, accepted: {VERSION}")
    if code not in (WRITE_BLOCK, READ_BLOCK, BLOCK_CHECKSUM, TRANSFER_BLOCK):
        raise WireError(f"operation {code}, accepted: {WRITE_BLOCK}, {READ_BLOCK}, {BLOCK_CHECKSUM}, {TRANSFER_BLOCK}")
    return int(code)


# -- operations -----------------------------------------------------------------------------------------------------


def write_operation(operation: ours.Operation, c: Converter) -> bytes:
    """The first bytes of a connection."""
    match operation:
        case ours.WriteBlock():
            return _opening(WRITE_BLOCK, _write_block(operation, c))
        case ours.ReadBlock():
            return _opening(READ_BLOCK, _read_block(operation, c))
        case ours.TransferReplica():
            return _opening(TRANSFER_BLOCK, _transfer_block(operation, c))
        case ours.BlockChecksum():
            return _opening(BLOCK_CHECKSUM, _block_checksum(operation, c))


def _opening(code: int, message: Message) -> bytes:
    return struct.pack(">hB", VERSION, code) + delimited(message)


def _header(block: Block, client: str, c: Converter) -> theirs.ClientOperationHeader:
    return theirs.ClientOperationHeader(baseHeader=_base_header(block, c), clientName=client)


def _base_header(block: Block, c: Converter) -> theirs.BaseHeader:
    return theirs.BaseHeader(block=c.block(block), token=NO_TOKEN)


def _write_block(operation: ours.WriteBlock, c: Converter) -> theirs.OpWriteBlock:
    targets = operation.targets
    return theirs.OpWriteBlock(
        header=_header(operation.block, operation.client_name, c),
        targets=[c.datanode(name) for name in targets],
        source=None if operation.source is None else c.datanode(operation.source),
        stage=operation.stage.name,
        pipelineSize=operation.pipeline_size,
        minBytesRcvd=operation.min_bytes_received,
        maxBytesRcvd=operation.max_bytes_received,
        latestGenerationStamp=operation.latest_generation_stamp,
        requestedChecksum=_CHECKSUM,
        storageType=hdfs.StorageType.DISK,
        targetStorageTypes=[hdfs.StorageType.DISK] * len(targets),
        targetStorageIds=[storage_id(name) for name in targets],
    )


def _read_block(operation: ours.ReadBlock, c: Converter) -> theirs.OpReadBlock:
    return theirs.OpReadBlock(
        header=_header(operation.block, operation.client_name, c),
        offset=operation.offset,
        len=operation.length,
        sendChecksums=operation.send_checksums,
    )


def _transfer_block(operation: ours.TransferReplica, c: Converter) -> theirs.OpTransferBlock:
    targets = operation.targets
    return theirs.OpTransferBlock(
        header=_header(operation.block, operation.client_name, c),
        targets=[c.datanode(name) for name in targets],
        targetStorageTypes=[hdfs.StorageType.DISK] * len(targets),
        targetStorageIds=[storage_id(name) for name in targets],
    )


def _block_checksum(operation: ours.BlockChecksum, c: Converter) -> theirs.OpBlockChecksum:
    return theirs.OpBlockChecksum(header=_base_header(operation.block, c))


def read_operation(code: int, data: bytes, c: Converter) -> ours.Operation:
    """The operation that a connection asks for.

    Raises:
        WireError: the bytes are no such operation.
    """
    if code == WRITE_BLOCK:
        return _to_write_block(parse(theirs.OpWriteBlock, data), c)
    if code == READ_BLOCK:
        m = parse(theirs.OpReadBlock, data)
        block = c.to_block(m.header.baseHeader.block)
        return ours.ReadBlock(block, m.header.clientName, m.offset, m.len, m.sendChecksums)
    if code == TRANSFER_BLOCK:
        t = parse(theirs.OpTransferBlock, data)
        block = c.to_block(t.header.baseHeader.block)
        return ours.TransferReplica(block, t.header.clientName, c.to_datanodes(t.targets))
    checksum = parse(theirs.OpBlockChecksum, data)
    return ours.BlockChecksum(c.to_block(checksum.header.block))


def _to_write_block(m: theirs.OpWriteBlock, c: Converter) -> ours.WriteBlock:
    if m.requestedChecksum.type != hdfs.ChecksumType.CHECKSUM_CRC32C or m.requestedChecksum.bytesPerChecksum != 512:
        raise WireError(
            f"checksum type {m.requestedChecksum.type} of {m.requestedChecksum.bytesPerChecksum} bytes, "
            f"accepted: CRC32C of {CHUNK_BYTES}"
        )
    return ours.WriteBlock(
        block=c.to_block(m.header.baseHeader.block),
        client_name=m.header.clientName,
        targets=c.to_datanodes(m.targets),
        stage=BlockConstructionStage(m.stage),
        pipeline_size=m.pipelineSize,
        min_bytes_received=m.minBytesRcvd,
        max_bytes_received=m.maxBytesRcvd,
        latest_generation_stamp=m.latestGenerationStamp,
        source=c.to_datanode(m.source.id) if m.HasField("source") else None,
    )


# -- packets --------------------------------------------------------------------------------------------------------


def write_packet(packet: ours.Packet) -> bytes:
    """A packet, from its length to its last byte."""
    header = theirs.PacketHeader(
        offsetInBlock=packet.offset,
        seqno=packet.seqno,
        lastPacketInBlock=packet.is_last,
        dataLen=len(packet.data),
    )
    if packet.sync:
        header.syncBlock = True
    encoded = header.SerializeToString()
    payload = CHECKSUM_BYTES + len(packet.checksums) + len(packet.data)
    return b"".join((_PACKET_START.pack(payload, len(encoded)), encoded, packet.checksums, packet.data))


def packet_lengths(start: bytes) -> tuple[int, int]:
    """Lengths of a packet's header and of what follows it, from the packet's first six bytes.

    Raises:
        WireError: one of them is negative or too much.
    """
    payload, header = _PACKET_START.unpack(start)
    if not 0 < header <= MAX_HEADER_BYTES:
        raise WireError(f"packet header of {header} bytes, accepted: 1 to {MAX_HEADER_BYTES}")
    if not CHECKSUM_BYTES <= payload <= MAX_PACKET_BYTES:
        raise WireError(f"packet payload of {payload} bytes, accepted: {CHECKSUM_BYTES} to {MAX_PACKET_BYTES}")
    return int(header), int(payload) - CHECKSUM_BYTES


PACKET_START_BYTES: Final = _PACKET_START.size


def read_packet(header: bytes, body: bytes) -> ours.Packet:
    """The packet that these bytes are.

    Raises:
        WireError: as `packet_header`.
    """
    read, checksum_bytes = packet_header(header, len(body))
    return packet_of(read, body[:checksum_bytes], body[checksum_bytes:])


def packet_header(header: bytes, body_bytes: int) -> tuple[theirs.PacketHeader, int]:
    """The header of a packet, and how many of the bytes after it are checksums; the others are data.

    Raises:
        WireError: the header is none, or its length of data does not fit.
    """
    m = parse(theirs.PacketHeader, header)
    checksum_bytes = body_bytes - m.dataLen
    chunks = -(-m.dataLen // CHUNK_BYTES)
    if m.dataLen < 0 or checksum_bytes not in (0, chunks * CHECKSUM_BYTES):
        raise WireError(
            f"packet {m.seqno} says it has {m.dataLen} bytes of data, and {checksum_bytes} of checksums are left, "
            f"accepted: 0 or {chunks * CHECKSUM_BYTES}"
        )
    return m, checksum_bytes


def packet_of(header: theirs.PacketHeader, checksums: bytes, data: bytes) -> ours.Packet:
    """The packet of a header that was read."""
    m = header
    return ours.Packet(m.seqno, m.offsetInBlock, m.lastPacketInBlock, m.syncBlock, data, checksums)


# -- answers --------------------------------------------------------------------------------------------------------


def write_answer(
    message: ours.BlockOpResponse | ours.PipelineAck | ours.TransferAck | ours.ReadStatus,
    c: Converter,
    *,
    of_read: bool = False,
    of_checksum: bool = False,
) -> bytes:
    """An answer after its length.

    Args:
        message: the answer.
        c: knows the addresses of bad links.
        of_read: whether a read is answered, which needs to know of checksums.
        of_checksum: whether BLOCK_CHECKSUM is answered.
    """
    match message:
        case ours.PipelineAck(seqno, replies):
            return delimited(theirs.PipelineAck(seqno=seqno, reply=[reply.name for reply in replies]))
        case ours.TransferAck(status):
            return delimited(theirs.DNTransferAck(status=status.name))
        case ours.ReadStatus(status):
            return delimited(theirs.ClientReadStatus(status=status.name))
        case ours.BlockOpResponse():
            return delimited(_block_op_response(message, c, of_read=of_read, of_checksum=of_checksum))


def _block_op_response(
    message: ours.BlockOpResponse, c: Converter, *, of_read: bool, of_checksum: bool
) -> theirs.BlockOpResponse:
    answer = theirs.BlockOpResponse(status=message.status.name)
    if message.message:
        answer.message = message.message
    if of_read and message.status is Status.SUCCESS:
        answer.readOpChecksumInfo.CopyFrom(
            theirs.ReadOpChecksumInfo(checksum=_CHECKSUM, chunkOffset=message.chunk_offset)
        )
    elif of_checksum and message.status is Status.SUCCESS:
        answer.checksumResponse.CopyFrom(
            theirs.OpBlockChecksumResponse(
                bytesPerCrc=CHUNK_BYTES,
                crcPerBlock=0,
                blockChecksum=message.checksum,
                crcType=hdfs.ChecksumType.CHECKSUM_CRC32C,
            )
        )
    else:
        bad = message.first_bad_link
        answer.firstBadLink = c.addresses.address(bad).transfer if bad else ""
    return answer


def read_block_op_response(data: bytes, c: Converter) -> ours.BlockOpResponse:
    """The answer to an operation.

    Raises:
        WireError: the bytes are none.
    """
    m = parse(theirs.BlockOpResponse, data)
    return ours.BlockOpResponse(
        status=_status(m.status),
        first_bad_link=c.addresses.name(m.firstBadLink) if m.firstBadLink else "",
        message=m.message,
        chunk_offset=m.readOpChecksumInfo.chunkOffset,
        checksum=m.checksumResponse.blockChecksum,
    )


def read_ack(data: bytes) -> ours.PipelineAck:
    """An acknowledgement; flags, where they stand, count more than replies.

    Raises:
        WireError: the bytes are none.
    """
    m = parse(theirs.PipelineAck, data)
    statuses = [flag & 0xF for flag in m.flag] or list(m.reply)
    return ours.PipelineAck(m.seqno, tuple(_status(one) for one in statuses))


def read_transfer_ack(data: bytes) -> ours.TransferAck:
    """The end of a copy."""
    return ours.TransferAck(_status(parse(theirs.DNTransferAck, data).status))


def read_read_status(data: bytes) -> ours.ReadStatus:
    """The end of a read."""
    return ours.ReadStatus(_status(parse(theirs.ClientReadStatus, data).status))


def _status(number: int) -> Status:
    """A status; one that is reserved for later is an error."""
    return Status(number) if number in Status.__members__.values() else Status.ERROR
