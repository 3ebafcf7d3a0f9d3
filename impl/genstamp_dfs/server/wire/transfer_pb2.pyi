from genstamp_dfs.server.wire import hdfs_pb2 as _hdfs_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Status(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        SUCCESS: _ClassVar[Status.Value]
        ERROR: _ClassVar[Status.Value]
        ERROR_CHECKSUM: _ClassVar[Status.Value]
        ERROR_INVALID: _ClassVar[Status.Value]
        ERROR_EXISTS: _ClassVar[Status.Value]
        ERROR_ACCESS_TOKEN: _ClassVar[Status.Value]
        CHECKSUM_OK: _ClassVar[Status.Value]
        ERROR_UNSUPPORTED: _ClassVar[Status.Value]
        OOB_RESTART: _ClassVar[Status.Value]
        OOB_RESERVED1: _ClassVar[Status.Value]
        OOB_RESERVED2: _ClassVar[Status.Value]
        OOB_RESERVED3: _ClassVar[Status.Value]
        IN_PROGRESS: _ClassVar[Status.Value]
        ERROR_BLOCK_PINNED: _ClassVar[Status.Value]
    SUCCESS: Status.Value
    ERROR: Status.Value
    ERROR_CHECKSUM: Status.Value
    ERROR_INVALID: Status.Value
    ERROR_EXISTS: Status.Value
    ERROR_ACCESS_TOKEN: Status.Value
    CHECKSUM_OK: Status.Value
    ERROR_UNSUPPORTED: Status.Value
    OOB_RESTART: Status.Value
    OOB_RESERVED1: Status.Value
    OOB_RESERVED2: Status.Value
    OOB_RESERVED3: Status.Value
    IN_PROGRESS: Status.Value
    ERROR_BLOCK_PINNED: Status.Value
    def __init__(self) -> None: ...

class BlockConstructionStage(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PIPELINE_SETUP_APPEND: _ClassVar[BlockConstructionStage.Value]
        PIPELINE_SETUP_APPEND_RECOVERY: _ClassVar[BlockConstructionStage.Value]
        DATA_STREAMING: _ClassVar[BlockConstructionStage.Value]
        PIPELINE_SETUP_STREAMING_RECOVERY: _ClassVar[BlockConstructionStage.Value]
        PIPELINE_CLOSE: _ClassVar[BlockConstructionStage.Value]
        PIPELINE_CLOSE_RECOVERY: _ClassVar[BlockConstructionStage.Value]
        PIPELINE_SETUP_CREATE: _ClassVar[BlockConstructionStage.Value]
        TRANSFER_RBW: _ClassVar[BlockConstructionStage.Value]
        TRANSFER_FINALIZED: _ClassVar[BlockConstructionStage.Value]
    PIPELINE_SETUP_APPEND: BlockConstructionStage.Value
    PIPELINE_SETUP_APPEND_RECOVERY: BlockConstructionStage.Value
    DATA_STREAMING: BlockConstructionStage.Value
    PIPELINE_SETUP_STREAMING_RECOVERY: BlockConstructionStage.Value
    PIPELINE_CLOSE: BlockConstructionStage.Value
    PIPELINE_CLOSE_RECOVERY: BlockConstructionStage.Value
    PIPELINE_SETUP_CREATE: BlockConstructionStage.Value
    TRANSFER_RBW: BlockConstructionStage.Value
    TRANSFER_FINALIZED: BlockConstructionStage.Value
    def __init__(self) -> None: ...

class BlockChecksumType(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        MD5CRC: _ClassVar[BlockChecksumType.Value]
        COMPOSITE_CRC: _ClassVar[BlockChecksumType.Value]
    MD5CRC: BlockChecksumType.Value
    COMPOSITE_CRC: BlockChecksumType.Value
    def __init__(self) -> None: ...

class OpWriteBlock(_message.Message):
    __slots__ = ("header", "targets", "source", "stage", "pipelineSize", "minBytesRcvd", "maxBytesRcvd", "latestGenerationStamp", "requestedChecksum", "cachingStrategy", "storageType", "targetStorageTypes", "allowLazyPersist", "pinning", "targetPinnings", "storageId", "targetStorageIds")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    PIPELINESIZE_FIELD_NUMBER: _ClassVar[int]
    MINBYTESRCVD_FIELD_NUMBER: _ClassVar[int]
    MAXBYTESRCVD_FIELD_NUMBER: _ClassVar[int]
    LATESTGENERATIONSTAMP_FIELD_NUMBER: _ClassVar[int]
    REQUESTEDCHECKSUM_FIELD_NUMBER: _ClassVar[int]
    CACHINGSTRATEGY_FIELD_NUMBER: _ClassVar[int]
    STORAGETYPE_FIELD_NUMBER: _ClassVar[int]
    TARGETSTORAGETYPES_FIELD_NUMBER: _ClassVar[int]
    ALLOWLAZYPERSIST_FIELD_NUMBER: _ClassVar[int]
    PINNING_FIELD_NUMBER: _ClassVar[int]
    TARGETPINNINGS_FIELD_NUMBER: _ClassVar[int]
    STORAGEID_FIELD_NUMBER: _ClassVar[int]
    TARGETSTORAGEIDS_FIELD_NUMBER: _ClassVar[int]
    header: ClientOperationHeader
    targets: _containers.RepeatedCompositeFieldContainer[_hdfs_pb2.DatanodeInfo]
    source: _hdfs_pb2.DatanodeInfo
    stage: BlockConstructionStage.Value
    pipelineSize: int
    minBytesRcvd: int
    maxBytesRcvd: int
    latestGenerationStamp: int
    requestedChecksum: Checksum
    cachingStrategy: CachingStrategy
    storageType: _hdfs_pb2.StorageType.Value
    targetStorageTypes: _containers.RepeatedScalarFieldContainer[_hdfs_pb2.StorageType.Value]
    allowLazyPersist: bool
    pinning: bool
    targetPinnings: _containers.RepeatedScalarFieldContainer[bool]
    storageId: str
    targetStorageIds: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, header: _Optional[_Union[ClientOperationHeader, _Mapping]] = ..., targets: _Optional[_Iterable[_Union[_hdfs_pb2.DatanodeInfo, _Mapping]]] = ..., source: _Optional[_Union[_hdfs_pb2.DatanodeInfo, _Mapping]] = ..., stage: _Optional[_Union[BlockConstructionStage.Value, str]] = ..., pipelineSize: _Optional[int] = ..., minBytesRcvd: _Optional[int] = ..., maxBytesRcvd: _Optional[int] = ..., latestGenerationStamp: _Optional[int] = ..., requestedChecksum: _Optional[_Union[Checksum, _Mapping]] = ..., cachingStrategy: _Optional[_Union[CachingStrategy, _Mapping]] = ..., storageType: _Optional[_Union[_hdfs_pb2.StorageType.Value, str]] = ..., targetStorageTypes: _Optional[_Iterable[_Union[_hdfs_pb2.StorageType.Value, str]]] = ..., allowLazyPersist: _Optional[bool] = ..., pinning: _Optional[bool] = ..., targetPinnings: _Optional[_Iterable[bool]] = ..., storageId: _Optional[str] = ..., targetStorageIds: _Optional[_Iterable[str]] = ...) -> None: ...

class OpReadBlock(_message.Message):
    __slots__ = ("header", "offset", "len", "sendChecksums", "cachingStrategy")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    LEN_FIELD_NUMBER: _ClassVar[int]
    SENDCHECKSUMS_FIELD_NUMBER: _ClassVar[int]
    CACHINGSTRATEGY_FIELD_NUMBER: _ClassVar[int]
    header: ClientOperationHeader
    offset: int
    len: int
    sendChecksums: bool
    cachingStrategy: CachingStrategy
    def __init__(self, header: _Optional[_Union[ClientOperationHeader, _Mapping]] = ..., offset: _Optional[int] = ..., len: _Optional[int] = ..., sendChecksums: _Optional[bool] = ..., cachingStrategy: _Optional[_Union[CachingStrategy, _Mapping]] = ...) -> None: ...

class OpTransferBlock(_message.Message):
    __slots__ = ("header", "targets", "targetStorageTypes", "targetStorageIds")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    TARGETSTORAGETYPES_FIELD_NUMBER: _ClassVar[int]
    TARGETSTORAGEIDS_FIELD_NUMBER: _ClassVar[int]
    header: ClientOperationHeader
    targets: _containers.RepeatedCompositeFieldContainer[_hdfs_pb2.DatanodeInfo]
    targetStorageTypes: _containers.RepeatedScalarFieldContainer[_hdfs_pb2.StorageType.Value]
    targetStorageIds: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, header: _Optional[_Union[ClientOperationHeader, _Mapping]] = ..., targets: _Optional[_Iterable[_Union[_hdfs_pb2.DatanodeInfo, _Mapping]]] = ..., targetStorageTypes: _Optional[_Iterable[_Union[_hdfs_pb2.StorageType.Value, str]]] = ..., targetStorageIds: _Optional[_Iterable[str]] = ...) -> None: ...

class OpBlockChecksum(_message.Message):
    __slots__ = ("header", "blockChecksumOptions")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    BLOCKCHECKSUMOPTIONS_FIELD_NUMBER: _ClassVar[int]
    header: BaseHeader
    blockChecksumOptions: BlockChecksumOptions
    def __init__(self, header: _Optional[_Union[BaseHeader, _Mapping]] = ..., blockChecksumOptions: _Optional[_Union[BlockChecksumOptions, _Mapping]] = ...) -> None: ...

class ClientOperationHeader(_message.Message):
    __slots__ = ("baseHeader", "clientName")
    BASEHEADER_FIELD_NUMBER: _ClassVar[int]
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    baseHeader: BaseHeader
    clientName: str
    def __init__(self, baseHeader: _Optional[_Union[BaseHeader, _Mapping]] = ..., clientName: _Optional[str] = ...) -> None: ...

class BaseHeader(_message.Message):
    __slots__ = ("block", "token", "traceInfo")
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    TRACEINFO_FIELD_NUMBER: _ClassVar[int]
    block: _hdfs_pb2.ExtendedBlock
    token: _hdfs_pb2.Token
    traceInfo: DataTransferTraceInfo
    def __init__(self, block: _Optional[_Union[_hdfs_pb2.ExtendedBlock, _Mapping]] = ..., token: _Optional[_Union[_hdfs_pb2.Token, _Mapping]] = ..., traceInfo: _Optional[_Union[DataTransferTraceInfo, _Mapping]] = ...) -> None: ...

class CachingStrategy(_message.Message):
    __slots__ = ("dropBehind", "readahead")
    DROPBEHIND_FIELD_NUMBER: _ClassVar[int]
    READAHEAD_FIELD_NUMBER: _ClassVar[int]
    dropBehind: bool
    readahead: int
    def __init__(self, dropBehind: _Optional[bool] = ..., readahead: _Optional[int] = ...) -> None: ...

class Checksum(_message.Message):
    __slots__ = ("type", "bytesPerChecksum")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    BYTESPERCHECKSUM_FIELD_NUMBER: _ClassVar[int]
    type: _hdfs_pb2.ChecksumType.Value
    bytesPerChecksum: int
    def __init__(self, type: _Optional[_Union[_hdfs_pb2.ChecksumType.Value, str]] = ..., bytesPerChecksum: _Optional[int] = ...) -> None: ...

class BlockOpResponse(_message.Message):
    __slots__ = ("status", "firstBadLink", "checksumResponse", "readOpChecksumInfo", "message", "shortCircuitAccessVersion")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    FIRSTBADLINK_FIELD_NUMBER: _ClassVar[int]
    CHECKSUMRESPONSE_FIELD_NUMBER: _ClassVar[int]
    READOPCHECKSUMINFO_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SHORTCIRCUITACCESSVERSION_FIELD_NUMBER: _ClassVar[int]
    status: Status.Value
    firstBadLink: str
    checksumResponse: OpBlockChecksumResponse
    readOpChecksumInfo: ReadOpChecksumInfo
    message: str
    shortCircuitAccessVersion: int
    def __init__(self, status: _Optional[_Union[Status.Value, str]] = ..., firstBadLink: _Optional[str] = ..., checksumResponse: _Optional[_Union[OpBlockChecksumResponse, _Mapping]] = ..., readOpChecksumInfo: _Optional[_Union[ReadOpChecksumInfo, _Mapping]] = ..., message: _Optional[str] = ..., shortCircuitAccessVersion: _Optional[int] = ...) -> None: ...

class ReadOpChecksumInfo(_message.Message):
    __slots__ = ("checksum", "chunkOffset")
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    CHUNKOFFSET_FIELD_NUMBER: _ClassVar[int]
    checksum: Checksum
    chunkOffset: int
    def __init__(self, checksum: _Optional[_Union[Checksum, _Mapping]] = ..., chunkOffset: _Optional[int] = ...) -> None: ...

class OpBlockChecksumResponse(_message.Message):
    __slots__ = ("bytesPerCrc", "crcPerBlock", "blockChecksum", "crcType", "blockChecksumOptions")
    BYTESPERCRC_FIELD_NUMBER: _ClassVar[int]
    CRCPERBLOCK_FIELD_NUMBER: _ClassVar[int]
    BLOCKCHECKSUM_FIELD_NUMBER: _ClassVar[int]
    CRCTYPE_FIELD_NUMBER: _ClassVar[int]
    BLOCKCHECKSUMOPTIONS_FIELD_NUMBER: _ClassVar[int]
    bytesPerCrc: int
    crcPerBlock: int
    blockChecksum: bytes
    crcType: _hdfs_pb2.ChecksumType.Value
    blockChecksumOptions: BlockChecksumOptions
    def __init__(self, bytesPerCrc: _Optional[int] = ..., crcPerBlock: _Optional[int] = ..., blockChecksum: _Optional[bytes] = ..., crcType: _Optional[_Union[_hdfs_pb2.ChecksumType.Value, str]] = ..., blockChecksumOptions: _Optional[_Union[BlockChecksumOptions, _Mapping]] = ...) -> None: ...

class BlockChecksumOptions(_message.Message):
    __slots__ = ("blockChecksumType", "stripeLength")
    BLOCKCHECKSUMTYPE_FIELD_NUMBER: _ClassVar[int]
    STRIPELENGTH_FIELD_NUMBER: _ClassVar[int]
    blockChecksumType: BlockChecksumType.Value
    stripeLength: int
    def __init__(self, blockChecksumType: _Optional[_Union[BlockChecksumType.Value, str]] = ..., stripeLength: _Optional[int] = ...) -> None: ...

class ClientReadStatus(_message.Message):
    __slots__ = ("status",)
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: Status.Value
    def __init__(self, status: _Optional[_Union[Status.Value, str]] = ...) -> None: ...

class DNTransferAck(_message.Message):
    __slots__ = ("status",)
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: Status.Value
    def __init__(self, status: _Optional[_Union[Status.Value, str]] = ...) -> None: ...

class PacketHeader(_message.Message):
    __slots__ = ("offsetInBlock", "seqno", "lastPacketInBlock", "dataLen", "syncBlock")
    OFFSETINBLOCK_FIELD_NUMBER: _ClassVar[int]
    SEQNO_FIELD_NUMBER: _ClassVar[int]
    LASTPACKETINBLOCK_FIELD_NUMBER: _ClassVar[int]
    DATALEN_FIELD_NUMBER: _ClassVar[int]
    SYNCBLOCK_FIELD_NUMBER: _ClassVar[int]
    offsetInBlock: int
    seqno: int
    lastPacketInBlock: bool
    dataLen: int
    syncBlock: bool
    def __init__(self, offsetInBlock: _Optional[int] = ..., seqno: _Optional[int] = ..., lastPacketInBlock: _Optional[bool] = ..., dataLen: _Optional[int] = ..., syncBlock: _Optional[bool] = ...) -> None: ...

class PipelineAck(_message.Message):
    __slots__ = ("seqno", "reply", "downstreamAckTimeNanos", "flag")
    SEQNO_FIELD_NUMBER: _ClassVar[int]
    REPLY_FIELD_NUMBER: _ClassVar[int]
    DOWNSTREAMACKTIMENANOS_FIELD_NUMBER: _ClassVar[int]
    FLAG_FIELD_NUMBER: _ClassVar[int]
    seqno: int
    reply: _containers.RepeatedScalarFieldContainer[Status.Value]
    downstreamAckTimeNanos: int
    flag: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seqno: _Optional[int] = ..., reply: _Optional[_Iterable[_Union[Status.Value, str]]] = ..., downstreamAckTimeNanos: _Optional[int] = ..., flag: _Optional[_Iterable[int]] = ...) -> None: ...

class DataTransferTraceInfo(_message.Message):
    __slots__ = ("traceId", "parentId", "spanContext")
    TRACEID_FIELD_NUMBER: _ClassVar[int]
    PARENTID_FIELD_NUMBER: _ClassVar[int]
    SPANCONTEXT_FIELD_NUMBER: _ClassVar[int]
    traceId: int
    parentId: int
    spanContext: bytes
    def __init__(self, traceId: _Optional[int] = ..., parentId: _Optional[int] = ..., spanContext: _Optional[bytes] = ...) -> None: ...
