from genstamp_dfs.server.wire import hdfs_pb2 as _hdfs_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetFileInfoRequest(_message.Message):
    __slots__ = ("src",)
    SRC_FIELD_NUMBER: _ClassVar[int]
    src: str
    def __init__(self, src: _Optional[str] = ...) -> None: ...

class GetFileInfoResponse(_message.Message):
    __slots__ = ("fs",)
    FS_FIELD_NUMBER: _ClassVar[int]
    fs: _hdfs_pb2.HdfsFileStatus
    def __init__(self, fs: _Optional[_Union[_hdfs_pb2.HdfsFileStatus, _Mapping]] = ...) -> None: ...

class GetListingRequest(_message.Message):
    __slots__ = ("src", "startAfter", "needLocation")
    SRC_FIELD_NUMBER: _ClassVar[int]
    STARTAFTER_FIELD_NUMBER: _ClassVar[int]
    NEEDLOCATION_FIELD_NUMBER: _ClassVar[int]
    src: str
    startAfter: bytes
    needLocation: bool
    def __init__(self, src: _Optional[str] = ..., startAfter: _Optional[bytes] = ..., needLocation: _Optional[bool] = ...) -> None: ...

class GetListingResponse(_message.Message):
    __slots__ = ("dirList",)
    DIRLIST_FIELD_NUMBER: _ClassVar[int]
    dirList: _hdfs_pb2.DirectoryListing
    def __init__(self, dirList: _Optional[_Union[_hdfs_pb2.DirectoryListing, _Mapping]] = ...) -> None: ...

class GetBlockLocationsRequest(_message.Message):
    __slots__ = ("src", "offset", "length")
    SRC_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    src: str
    offset: int
    length: int
    def __init__(self, src: _Optional[str] = ..., offset: _Optional[int] = ..., length: _Optional[int] = ...) -> None: ...

class GetBlockLocationsResponse(_message.Message):
    __slots__ = ("locations",)
    LOCATIONS_FIELD_NUMBER: _ClassVar[int]
    locations: _hdfs_pb2.LocatedBlocks
    def __init__(self, locations: _Optional[_Union[_hdfs_pb2.LocatedBlocks, _Mapping]] = ...) -> None: ...

class GetServerDefaultsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetServerDefaultsResponse(_message.Message):
    __slots__ = ("serverDefaults",)
    SERVERDEFAULTS_FIELD_NUMBER: _ClassVar[int]
    serverDefaults: _hdfs_pb2.FsServerDefaults
    def __init__(self, serverDefaults: _Optional[_Union[_hdfs_pb2.FsServerDefaults, _Mapping]] = ...) -> None: ...

class CreateRequest(_message.Message):
    __slots__ = ("src", "masked", "clientName", "createFlag", "createParent", "replication", "blockSize", "cryptoProtocolVersion", "unmasked", "ecPolicyName", "storagePolicy")
    SRC_FIELD_NUMBER: _ClassVar[int]
    MASKED_FIELD_NUMBER: _ClassVar[int]
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    CREATEFLAG_FIELD_NUMBER: _ClassVar[int]
    CREATEPARENT_FIELD_NUMBER: _ClassVar[int]
    REPLICATION_FIELD_NUMBER: _ClassVar[int]
    BLOCKSIZE_FIELD_NUMBER: _ClassVar[int]
    CRYPTOPROTOCOLVERSION_FIELD_NUMBER: _ClassVar[int]
    UNMASKED_FIELD_NUMBER: _ClassVar[int]
    ECPOLICYNAME_FIELD_NUMBER: _ClassVar[int]
    STORAGEPOLICY_FIELD_NUMBER: _ClassVar[int]
    src: str
    masked: _hdfs_pb2.FsPermission
    clientName: str
    createFlag: int
    createParent: bool
    replication: int
    blockSize: int
    cryptoProtocolVersion: _containers.RepeatedScalarFieldContainer[_hdfs_pb2.CryptoProtocolVersion.Value]
    unmasked: _hdfs_pb2.FsPermission
    ecPolicyName: str
    storagePolicy: str
    def __init__(self, src: _Optional[str] = ..., masked: _Optional[_Union[_hdfs_pb2.FsPermission, _Mapping]] = ..., clientName: _Optional[str] = ..., createFlag: _Optional[int] = ..., createParent: _Optional[bool] = ..., replication: _Optional[int] = ..., blockSize: _Optional[int] = ..., cryptoProtocolVersion: _Optional[_Iterable[_Union[_hdfs_pb2.CryptoProtocolVersion.Value, str]]] = ..., unmasked: _Optional[_Union[_hdfs_pb2.FsPermission, _Mapping]] = ..., ecPolicyName: _Optional[str] = ..., storagePolicy: _Optional[str] = ...) -> None: ...

class CreateResponse(_message.Message):
    __slots__ = ("fs",)
    FS_FIELD_NUMBER: _ClassVar[int]
    fs: _hdfs_pb2.HdfsFileStatus
    def __init__(self, fs: _Optional[_Union[_hdfs_pb2.HdfsFileStatus, _Mapping]] = ...) -> None: ...

class AppendRequest(_message.Message):
    __slots__ = ("src", "clientName", "flag")
    SRC_FIELD_NUMBER: _ClassVar[int]
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    FLAG_FIELD_NUMBER: _ClassVar[int]
    src: str
    clientName: str
    flag: int
    def __init__(self, src: _Optional[str] = ..., clientName: _Optional[str] = ..., flag: _Optional[int] = ...) -> None: ...

class AppendResponse(_message.Message):
    __slots__ = ("block", "stat")
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    STAT_FIELD_NUMBER: _ClassVar[int]
    block: _hdfs_pb2.LocatedBlock
    stat: _hdfs_pb2.HdfsFileStatus
    def __init__(self, block: _Optional[_Union[_hdfs_pb2.LocatedBlock, _Mapping]] = ..., stat: _Optional[_Union[_hdfs_pb2.HdfsFileStatus, _Mapping]] = ...) -> None: ...

class AddBlockRequest(_message.Message):
    __slots__ = ("src", "clientName", "previous", "excludeNodes", "fileId", "favoredNodes", "flags")
    SRC_FIELD_NUMBER: _ClassVar[int]
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDENODES_FIELD_NUMBER: _ClassVar[int]
    FILEID_FIELD_NUMBER: _ClassVar[int]
    FAVOREDNODES_FIELD_NUMBER: _ClassVar[int]
    FLAGS_FIELD_NUMBER: _ClassVar[int]
    src: str
    clientName: str
    previous: _hdfs_pb2.ExtendedBlock
    excludeNodes: _containers.RepeatedCompositeFieldContainer[_hdfs_pb2.DatanodeInfo]
    fileId: int
    favoredNodes: _containers.RepeatedScalarFieldContainer[str]
    flags: _containers.RepeatedScalarFieldContainer[_hdfs_pb2.AddBlockFlag.Value]
    def __init__(self, src: _Optional[str] = ..., clientName: _Optional[str] = ..., previous: _Optional[_Union[_hdfs_pb2.ExtendedBlock, _Mapping]] = ..., excludeNodes: _Optional[_Iterable[_Union[_hdfs_pb2.DatanodeInfo, _Mapping]]] = ..., fileId: _Optional[int] = ..., favoredNodes: _Optional[_Iterable[str]] = ..., flags: _Optional[_Iterable[_Union[_hdfs_pb2.AddBlockFlag.Value, str]]] = ...) -> None: ...

class AddBlockResponse(_message.Message):
    __slots__ = ("block",)
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    block: _hdfs_pb2.LocatedBlock
    def __init__(self, block: _Optional[_Union[_hdfs_pb2.LocatedBlock, _Mapping]] = ...) -> None: ...

class AbandonBlockRequest(_message.Message):
    __slots__ = ("b", "src", "holder", "fileId")
    B_FIELD_NUMBER: _ClassVar[int]
    SRC_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    FILEID_FIELD_NUMBER: _ClassVar[int]
    b: _hdfs_pb2.ExtendedBlock
    src: str
    holder: str
    fileId: int
    def __init__(self, b: _Optional[_Union[_hdfs_pb2.ExtendedBlock, _Mapping]] = ..., src: _Optional[str] = ..., holder: _Optional[str] = ..., fileId: _Optional[int] = ...) -> None: ...

class AbandonBlockResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetAdditionalDatanodeRequest(_message.Message):
    __slots__ = ("src", "blk", "existings", "excludes", "numAdditionalNodes", "clientName", "existingStorageUuids", "fileId")
    SRC_FIELD_NUMBER: _ClassVar[int]
    BLK_FIELD_NUMBER: _ClassVar[int]
    EXISTINGS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDES_FIELD_NUMBER: _ClassVar[int]
    NUMADDITIONALNODES_FIELD_NUMBER: _ClassVar[int]
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    EXISTINGSTORAGEUUIDS_FIELD_NUMBER: _ClassVar[int]
    FILEID_FIELD_NUMBER: _ClassVar[int]
    src: str
    blk: _hdfs_pb2.ExtendedBlock
    existings: _containers.RepeatedCompositeFieldContainer[_hdfs_pb2.DatanodeInfo]
    excludes: _containers.RepeatedCompositeFieldContainer[_hdfs_pb2.DatanodeInfo]
    numAdditionalNodes: int
    clientName: str
    existingStorageUuids: _containers.RepeatedScalarFieldContainer[str]
    fileId: int
    def __init__(self, src: _Optional[str] = ..., blk: _Optional[_Union[_hdfs_pb2.ExtendedBlock, _Mapping]] = ..., existings: _Optional[_Iterable[_Union[_hdfs_pb2.DatanodeInfo, _Mapping]]] = ..., excludes: _Optional[_Iterable[_Union[_hdfs_pb2.DatanodeInfo, _Mapping]]] = ..., numAdditionalNodes: _Optional[int] = ..., clientName: _Optional[str] = ..., existingStorageUuids: _Optional[_Iterable[str]] = ..., fileId: _Optional[int] = ...) -> None: ...

class GetAdditionalDatanodeResponse(_message.Message):
    __slots__ = ("block",)
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    block: _hdfs_pb2.LocatedBlock
    def __init__(self, block: _Optional[_Union[_hdfs_pb2.LocatedBlock, _Mapping]] = ...) -> None: ...

class UpdateBlockForPipelineRequest(_message.Message):
    __slots__ = ("block", "clientName")
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    block: _hdfs_pb2.ExtendedBlock
    clientName: str
    def __init__(self, block: _Optional[_Union[_hdfs_pb2.ExtendedBlock, _Mapping]] = ..., clientName: _Optional[str] = ...) -> None: ...

class UpdateBlockForPipelineResponse(_message.Message):
    __slots__ = ("block",)
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    block: _hdfs_pb2.LocatedBlock
    def __init__(self, block: _Optional[_Union[_hdfs_pb2.LocatedBlock, _Mapping]] = ...) -> None: ...

class UpdatePipelineRequest(_message.Message):
    __slots__ = ("clientName", "oldBlock", "newBlock", "newNodes", "storageIDs")
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    OLDBLOCK_FIELD_NUMBER: _ClassVar[int]
    NEWBLOCK_FIELD_NUMBER: _ClassVar[int]
    NEWNODES_FIELD_NUMBER: _ClassVar[int]
    STORAGEIDS_FIELD_NUMBER: _ClassVar[int]
    clientName: str
    oldBlock: _hdfs_pb2.ExtendedBlock
    newBlock: _hdfs_pb2.ExtendedBlock
    newNodes: _containers.RepeatedCompositeFieldContainer[_hdfs_pb2.DatanodeID]
    storageIDs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, clientName: _Optional[str] = ..., oldBlock: _Optional[_Union[_hdfs_pb2.ExtendedBlock, _Mapping]] = ..., newBlock: _Optional[_Union[_hdfs_pb2.ExtendedBlock, _Mapping]] = ..., newNodes: _Optional[_Iterable[_Union[_hdfs_pb2.DatanodeID, _Mapping]]] = ..., storageIDs: _Optional[_Iterable[str]] = ...) -> None: ...

class UpdatePipelineResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CompleteRequest(_message.Message):
    __slots__ = ("src", "clientName", "last", "fileId")
    SRC_FIELD_NUMBER: _ClassVar[int]
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    FILEID_FIELD_NUMBER: _ClassVar[int]
    src: str
    clientName: str
    last: _hdfs_pb2.ExtendedBlock
    fileId: int
    def __init__(self, src: _Optional[str] = ..., clientName: _Optional[str] = ..., last: _Optional[_Union[_hdfs_pb2.ExtendedBlock, _Mapping]] = ..., fileId: _Optional[int] = ...) -> None: ...

class CompleteResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: bool
    def __init__(self, result: _Optional[bool] = ...) -> None: ...

class FsyncRequest(_message.Message):
    __slots__ = ("src", "client", "lastBlockLength", "fileId", "pipeline")
    SRC_FIELD_NUMBER: _ClassVar[int]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    LASTBLOCKLENGTH_FIELD_NUMBER: _ClassVar[int]
    FILEID_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_FIELD_NUMBER: _ClassVar[int]
    src: str
    client: str
    lastBlockLength: int
    fileId: int
    pipeline: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, src: _Optional[str] = ..., client: _Optional[str] = ..., lastBlockLength: _Optional[int] = ..., fileId: _Optional[int] = ..., pipeline: _Optional[_Iterable[str]] = ...) -> None: ...

class FsyncResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RenewLeaseRequest(_message.Message):
    __slots__ = ("clientName", "namespaces")
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACES_FIELD_NUMBER: _ClassVar[int]
    clientName: str
    namespaces: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, clientName: _Optional[str] = ..., namespaces: _Optional[_Iterable[str]] = ...) -> None: ...

class RenewLeaseResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RecoverLeaseRequest(_message.Message):
    __slots__ = ("src", "clientName")
    SRC_FIELD_NUMBER: _ClassVar[int]
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    src: str
    clientName: str
    def __init__(self, src: _Optional[str] = ..., clientName: _Optional[str] = ...) -> None: ...

class RecoverLeaseResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: bool
    def __init__(self, result: _Optional[bool] = ...) -> None: ...

class IsFileClosedRequest(_message.Message):
    __slots__ = ("src",)
    SRC_FIELD_NUMBER: _ClassVar[int]
    src: str
    def __init__(self, src: _Optional[str] = ...) -> None: ...

class IsFileClosedResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: bool
    def __init__(self, result: _Optional[bool] = ...) -> None: ...

class TruncateRequest(_message.Message):
    __slots__ = ("src", "newLength", "clientName")
    SRC_FIELD_NUMBER: _ClassVar[int]
    NEWLENGTH_FIELD_NUMBER: _ClassVar[int]
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    src: str
    newLength: int
    clientName: str
    def __init__(self, src: _Optional[str] = ..., newLength: _Optional[int] = ..., clientName: _Optional[str] = ...) -> None: ...

class TruncateResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: bool
    def __init__(self, result: _Optional[bool] = ...) -> None: ...

class RenameRequest(_message.Message):
    __slots__ = ("src", "dst")
    SRC_FIELD_NUMBER: _ClassVar[int]
    DST_FIELD_NUMBER: _ClassVar[int]
    src: str
    dst: str
    def __init__(self, src: _Optional[str] = ..., dst: _Optional[str] = ...) -> None: ...

class RenameResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: bool
    def __init__(self, result: _Optional[bool] = ...) -> None: ...

class Rename2Request(_message.Message):
    __slots__ = ("src", "dst", "overwriteDest", "moveToTrash")
    SRC_FIELD_NUMBER: _ClassVar[int]
    DST_FIELD_NUMBER: _ClassVar[int]
    OVERWRITEDEST_FIELD_NUMBER: _ClassVar[int]
    MOVETOTRASH_FIELD_NUMBER: _ClassVar[int]
    src: str
    dst: str
    overwriteDest: bool
    moveToTrash: bool
    def __init__(self, src: _Optional[str] = ..., dst: _Optional[str] = ..., overwriteDest: _Optional[bool] = ..., moveToTrash: _Optional[bool] = ...) -> None: ...

class Rename2Response(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DeleteRequest(_message.Message):
    __slots__ = ("src", "recursive")
    SRC_FIELD_NUMBER: _ClassVar[int]
    RECURSIVE_FIELD_NUMBER: _ClassVar[int]
    src: str
    recursive: bool
    def __init__(self, src: _Optional[str] = ..., recursive: _Optional[bool] = ...) -> None: ...

class DeleteResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: bool
    def __init__(self, result: _Optional[bool] = ...) -> None: ...

class MkdirsRequest(_message.Message):
    __slots__ = ("src", "masked", "createParent", "unmasked")
    SRC_FIELD_NUMBER: _ClassVar[int]
    MASKED_FIELD_NUMBER: _ClassVar[int]
    CREATEPARENT_FIELD_NUMBER: _ClassVar[int]
    UNMASKED_FIELD_NUMBER: _ClassVar[int]
    src: str
    masked: _hdfs_pb2.FsPermission
    createParent: bool
    unmasked: _hdfs_pb2.FsPermission
    def __init__(self, src: _Optional[str] = ..., masked: _Optional[_Union[_hdfs_pb2.FsPermission, _Mapping]] = ..., createParent: _Optional[bool] = ..., unmasked: _Optional[_Union[_hdfs_pb2.FsPermission, _Mapping]] = ...) -> None: ...

class MkdirsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: bool
    def __init__(self, result: _Optional[bool] = ...) -> None: ...

class ConcatRequest(_message.Message):
    __slots__ = ("trg", "srcs")
    TRG_FIELD_NUMBER: _ClassVar[int]
    SRCS_FIELD_NUMBER: _ClassVar[int]
    trg: str
    srcs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, trg: _Optional[str] = ..., srcs: _Optional[_Iterable[str]] = ...) -> None: ...

class ConcatResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SetReplicationRequest(_message.Message):
    __slots__ = ("src", "replication")
    SRC_FIELD_NUMBER: _ClassVar[int]
    REPLICATION_FIELD_NUMBER: _ClassVar[int]
    src: str
    replication: int
    def __init__(self, src: _Optional[str] = ..., replication: _Optional[int] = ...) -> None: ...

class SetReplicationResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: bool
    def __init__(self, result: _Optional[bool] = ...) -> None: ...

class SetPermissionRequest(_message.Message):
    __slots__ = ("src", "permission")
    SRC_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    src: str
    permission: _hdfs_pb2.FsPermission
    def __init__(self, src: _Optional[str] = ..., permission: _Optional[_Union[_hdfs_pb2.FsPermission, _Mapping]] = ...) -> None: ...

class SetPermissionResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SetOwnerRequest(_message.Message):
    __slots__ = ("src", "username", "groupname")
    SRC_FIELD_NUMBER: _ClassVar[int]
    USERNAME_FIELD_NUMBER: _ClassVar[int]
    GROUPNAME_FIELD_NUMBER: _ClassVar[int]
    src: str
    username: str
    groupname: str
    def __init__(self, src: _Optional[str] = ..., username: _Optional[str] = ..., groupname: _Optional[str] = ...) -> None: ...

class SetOwnerResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SetTimesRequest(_message.Message):
    __slots__ = ("src", "mtime", "atime")
    SRC_FIELD_NUMBER: _ClassVar[int]
    MTIME_FIELD_NUMBER: _ClassVar[int]
    ATIME_FIELD_NUMBER: _ClassVar[int]
    src: str
    mtime: int
    atime: int
    def __init__(self, src: _Optional[str] = ..., mtime: _Optional[int] = ..., atime: _Optional[int] = ...) -> None: ...

class SetTimesResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetContentSummaryRequest(_message.Message):
    __slots__ = ("path",)
    PATH_FIELD_NUMBER: _ClassVar[int]
    path: str
    def __init__(self, path: _Optional[str] = ...) -> None: ...

class GetContentSummaryResponse(_message.Message):
    __slots__ = ("summary",)
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    summary: _hdfs_pb2.ContentSummary
    def __init__(self, summary: _Optional[_Union[_hdfs_pb2.ContentSummary, _Mapping]] = ...) -> None: ...

class GetFsStatsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetFsStatsResponse(_message.Message):
    __slots__ = ("capacity", "used", "remaining", "under_replicated", "corrupt_blocks", "missing_blocks", "missing_repl_one_blocks", "blocks_in_future", "pending_deletion_blocks")
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    USED_FIELD_NUMBER: _ClassVar[int]
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    UNDER_REPLICATED_FIELD_NUMBER: _ClassVar[int]
    CORRUPT_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    MISSING_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    MISSING_REPL_ONE_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_IN_FUTURE_FIELD_NUMBER: _ClassVar[int]
    PENDING_DELETION_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    capacity: int
    used: int
    remaining: int
    under_replicated: int
    corrupt_blocks: int
    missing_blocks: int
    missing_repl_one_blocks: int
    blocks_in_future: int
    pending_deletion_blocks: int
    def __init__(self, capacity: _Optional[int] = ..., used: _Optional[int] = ..., remaining: _Optional[int] = ..., under_replicated: _Optional[int] = ..., corrupt_blocks: _Optional[int] = ..., missing_blocks: _Optional[int] = ..., missing_repl_one_blocks: _Optional[int] = ..., blocks_in_future: _Optional[int] = ..., pending_deletion_blocks: _Optional[int] = ...) -> None: ...

class GetFsReplicatedBlockStatsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetFsReplicatedBlockStatsResponse(_message.Message):
    __slots__ = ("low_redundancy", "corrupt_blocks", "missing_blocks", "missing_repl_one_blocks", "blocks_in_future", "pending_deletion_blocks", "highest_prio_low_redundancy_blocks")
    LOW_REDUNDANCY_FIELD_NUMBER: _ClassVar[int]
    CORRUPT_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    MISSING_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    MISSING_REPL_ONE_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_IN_FUTURE_FIELD_NUMBER: _ClassVar[int]
    PENDING_DELETION_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    HIGHEST_PRIO_LOW_REDUNDANCY_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    low_redundancy: int
    corrupt_blocks: int
    missing_blocks: int
    missing_repl_one_blocks: int
    blocks_in_future: int
    pending_deletion_blocks: int
    highest_prio_low_redundancy_blocks: int
    def __init__(self, low_redundancy: _Optional[int] = ..., corrupt_blocks: _Optional[int] = ..., missing_blocks: _Optional[int] = ..., missing_repl_one_blocks: _Optional[int] = ..., blocks_in_future: _Optional[int] = ..., pending_deletion_blocks: _Optional[int] = ..., highest_prio_low_redundancy_blocks: _Optional[int] = ...) -> None: ...

class GetFsECBlockGroupStatsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetFsECBlockGroupStatsResponse(_message.Message):
    __slots__ = ("low_redundancy", "corrupt_blocks", "missing_blocks", "blocks_in_future", "pending_deletion_blocks", "highest_prio_low_redundancy_blocks")
    LOW_REDUNDANCY_FIELD_NUMBER: _ClassVar[int]
    CORRUPT_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    MISSING_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_IN_FUTURE_FIELD_NUMBER: _ClassVar[int]
    PENDING_DELETION_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    HIGHEST_PRIO_LOW_REDUNDANCY_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    low_redundancy: int
    corrupt_blocks: int
    missing_blocks: int
    blocks_in_future: int
    pending_deletion_blocks: int
    highest_prio_low_redundancy_blocks: int
    def __init__(self, low_redundancy: _Optional[int] = ..., corrupt_blocks: _Optional[int] = ..., missing_blocks: _Optional[int] = ..., blocks_in_future: _Optional[int] = ..., pending_deletion_blocks: _Optional[int] = ..., highest_prio_low_redundancy_blocks: _Optional[int] = ...) -> None: ...

class GetPreferredBlockSizeRequest(_message.Message):
    __slots__ = ("filename",)
    FILENAME_FIELD_NUMBER: _ClassVar[int]
    filename: str
    def __init__(self, filename: _Optional[str] = ...) -> None: ...

class GetPreferredBlockSizeResponse(_message.Message):
    __slots__ = ("bsize",)
    BSIZE_FIELD_NUMBER: _ClassVar[int]
    bsize: int
    def __init__(self, bsize: _Optional[int] = ...) -> None: ...

class ReportBadBlocksRequest(_message.Message):
    __slots__ = ("blocks",)
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    blocks: _containers.RepeatedCompositeFieldContainer[_hdfs_pb2.LocatedBlock]
    def __init__(self, blocks: _Optional[_Iterable[_Union[_hdfs_pb2.LocatedBlock, _Mapping]]] = ...) -> None: ...

class ReportBadBlocksResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CheckAccessRequest(_message.Message):
    __slots__ = ("path", "mode")
    PATH_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    path: str
    mode: _hdfs_pb2.FsAction.Value
    def __init__(self, path: _Optional[str] = ..., mode: _Optional[_Union[_hdfs_pb2.FsAction.Value, str]] = ...) -> None: ...

class CheckAccessResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetLocatedFileInfoRequest(_message.Message):
    __slots__ = ("src", "needBlockToken")
    SRC_FIELD_NUMBER: _ClassVar[int]
    NEEDBLOCKTOKEN_FIELD_NUMBER: _ClassVar[int]
    src: str
    needBlockToken: bool
    def __init__(self, src: _Optional[str] = ..., needBlockToken: _Optional[bool] = ...) -> None: ...

class GetLocatedFileInfoResponse(_message.Message):
    __slots__ = ("fs",)
    FS_FIELD_NUMBER: _ClassVar[int]
    fs: _hdfs_pb2.HdfsFileStatus
    def __init__(self, fs: _Optional[_Union[_hdfs_pb2.HdfsFileStatus, _Mapping]] = ...) -> None: ...

class GetFileLinkInfoRequest(_message.Message):
    __slots__ = ("src",)
    SRC_FIELD_NUMBER: _ClassVar[int]
    src: str
    def __init__(self, src: _Optional[str] = ...) -> None: ...

class GetFileLinkInfoResponse(_message.Message):
    __slots__ = ("fs",)
    FS_FIELD_NUMBER: _ClassVar[int]
    fs: _hdfs_pb2.HdfsFileStatus
    def __init__(self, fs: _Optional[_Union[_hdfs_pb2.HdfsFileStatus, _Mapping]] = ...) -> None: ...

class GetDatanodeReportRequest(_message.Message):
    __slots__ = ("type",)
    TYPE_FIELD_NUMBER: _ClassVar[int]
    type: _hdfs_pb2.DatanodeReportType.Value
    def __init__(self, type: _Optional[_Union[_hdfs_pb2.DatanodeReportType.Value, str]] = ...) -> None: ...

class GetDatanodeReportResponse(_message.Message):
    __slots__ = ("di",)
    DI_FIELD_NUMBER: _ClassVar[int]
    di: _containers.RepeatedCompositeFieldContainer[_hdfs_pb2.DatanodeInfo]
    def __init__(self, di: _Optional[_Iterable[_Union[_hdfs_pb2.DatanodeInfo, _Mapping]]] = ...) -> None: ...

class OpenFilesType(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ALL_OPEN_FILES: _ClassVar[OpenFilesType.Value]
        BLOCKING_DECOMMISSION: _ClassVar[OpenFilesType.Value]
    ALL_OPEN_FILES: OpenFilesType.Value
    BLOCKING_DECOMMISSION: OpenFilesType.Value
    def __init__(self) -> None: ...

class ListOpenFilesRequest(_message.Message):
    __slots__ = ("id", "types", "path")
    ID_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    id: int
    types: _containers.RepeatedScalarFieldContainer[OpenFilesType.Value]
    path: str
    def __init__(self, id: _Optional[int] = ..., types: _Optional[_Iterable[_Union[OpenFilesType.Value, str]]] = ..., path: _Optional[str] = ...) -> None: ...

class OpenFilesBatchResponse(_message.Message):
    __slots__ = ("id", "path", "clientName", "clientMachine")
    ID_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    CLIENTMACHINE_FIELD_NUMBER: _ClassVar[int]
    id: int
    path: str
    clientName: str
    clientMachine: str
    def __init__(self, id: _Optional[int] = ..., path: _Optional[str] = ..., clientName: _Optional[str] = ..., clientMachine: _Optional[str] = ...) -> None: ...

class ListOpenFilesResponse(_message.Message):
    __slots__ = ("entries", "hasMore", "types")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    HASMORE_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[OpenFilesBatchResponse]
    hasMore: bool
    types: _containers.RepeatedScalarFieldContainer[OpenFilesType.Value]
    def __init__(self, entries: _Optional[_Iterable[_Union[OpenFilesBatchResponse, _Mapping]]] = ..., hasMore: _Optional[bool] = ..., types: _Optional[_Iterable[_Union[OpenFilesType.Value, str]]] = ...) -> None: ...

class SetSafeModeRequest(_message.Message):
    __slots__ = ("action", "checked")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    CHECKED_FIELD_NUMBER: _ClassVar[int]
    action: _hdfs_pb2.SafeModeAction.Value
    checked: bool
    def __init__(self, action: _Optional[_Union[_hdfs_pb2.SafeModeAction.Value, str]] = ..., checked: _Optional[bool] = ...) -> None: ...

class SetSafeModeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: bool
    def __init__(self, result: _Optional[bool] = ...) -> None: ...

class GetDelegationTokenRequest(_message.Message):
    __slots__ = ("renewer",)
    RENEWER_FIELD_NUMBER: _ClassVar[int]
    renewer: str
    def __init__(self, renewer: _Optional[str] = ...) -> None: ...

class GetDelegationTokenResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetDataEncryptionKeyRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetDataEncryptionKeyResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetEZForPathRequest(_message.Message):
    __slots__ = ("src",)
    SRC_FIELD_NUMBER: _ClassVar[int]
    src: str
    def __init__(self, src: _Optional[str] = ...) -> None: ...

class GetEZForPathResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetSlowDatanodeReportRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetSlowDatanodeReportResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetErasureCodingPoliciesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetErasureCodingPoliciesResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetErasureCodingPolicyRequest(_message.Message):
    __slots__ = ("src",)
    SRC_FIELD_NUMBER: _ClassVar[int]
    src: str
    def __init__(self, src: _Optional[str] = ...) -> None: ...

class GetErasureCodingPolicyResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetStoragePoliciesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetStoragePoliciesResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetEnclosingRootRequest(_message.Message):
    __slots__ = ("filename",)
    FILENAME_FIELD_NUMBER: _ClassVar[int]
    filename: str
    def __init__(self, filename: _Optional[str] = ...) -> None: ...

class GetEnclosingRootResponse(_message.Message):
    __slots__ = ("enclosingRootPath",)
    ENCLOSINGROOTPATH_FIELD_NUMBER: _ClassVar[int]
    enclosingRootPath: str
    def __init__(self, enclosingRootPath: _Optional[str] = ...) -> None: ...

class MsyncRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MsyncResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HAServiceStateRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HAServiceStateResponse(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: _hdfs_pb2.HAServiceState.Value
    def __init__(self, state: _Optional[_Union[_hdfs_pb2.HAServiceState.Value, str]] = ...) -> None: ...
