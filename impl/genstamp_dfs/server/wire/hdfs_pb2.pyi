from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FileType(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        IS_DIR: _ClassVar[FileType.Value]
        IS_FILE: _ClassVar[FileType.Value]
        IS_SYMLINK: _ClassVar[FileType.Value]
    IS_DIR: FileType.Value
    IS_FILE: FileType.Value
    IS_SYMLINK: FileType.Value
    def __init__(self) -> None: ...

class Flags(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        HAS_ACL: _ClassVar[Flags.Value]
        HAS_CRYPT: _ClassVar[Flags.Value]
        HAS_EC: _ClassVar[Flags.Value]
        SNAPSHOT_ENABLED: _ClassVar[Flags.Value]
    HAS_ACL: Flags.Value
    HAS_CRYPT: Flags.Value
    HAS_EC: Flags.Value
    SNAPSHOT_ENABLED: Flags.Value
    def __init__(self) -> None: ...

class AdminState(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        NORMAL: _ClassVar[AdminState.Value]
        DECOMMISSION_INPROGRESS: _ClassVar[AdminState.Value]
        DECOMMISSIONED: _ClassVar[AdminState.Value]
        ENTERING_MAINTENANCE: _ClassVar[AdminState.Value]
        IN_MAINTENANCE: _ClassVar[AdminState.Value]
    NORMAL: AdminState.Value
    DECOMMISSION_INPROGRESS: AdminState.Value
    DECOMMISSIONED: AdminState.Value
    ENTERING_MAINTENANCE: AdminState.Value
    IN_MAINTENANCE: AdminState.Value
    def __init__(self) -> None: ...

class StorageType(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        DISK: _ClassVar[StorageType.Value]
        SSD: _ClassVar[StorageType.Value]
        ARCHIVE: _ClassVar[StorageType.Value]
        RAM_DISK: _ClassVar[StorageType.Value]
        PROVIDED: _ClassVar[StorageType.Value]
        NVDIMM: _ClassVar[StorageType.Value]
    DISK: StorageType.Value
    SSD: StorageType.Value
    ARCHIVE: StorageType.Value
    RAM_DISK: StorageType.Value
    PROVIDED: StorageType.Value
    NVDIMM: StorageType.Value
    def __init__(self) -> None: ...

class ChecksumType(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CHECKSUM_NULL: _ClassVar[ChecksumType.Value]
        CHECKSUM_CRC32: _ClassVar[ChecksumType.Value]
        CHECKSUM_CRC32C: _ClassVar[ChecksumType.Value]
    CHECKSUM_NULL: ChecksumType.Value
    CHECKSUM_CRC32: ChecksumType.Value
    CHECKSUM_CRC32C: ChecksumType.Value
    def __init__(self) -> None: ...

class CreateFlag(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CREATE: _ClassVar[CreateFlag.Value]
        OVERWRITE: _ClassVar[CreateFlag.Value]
        APPEND: _ClassVar[CreateFlag.Value]
        LAZY_PERSIST: _ClassVar[CreateFlag.Value]
        NEW_BLOCK: _ClassVar[CreateFlag.Value]
        SHOULD_REPLICATE: _ClassVar[CreateFlag.Value]
    CREATE: CreateFlag.Value
    OVERWRITE: CreateFlag.Value
    APPEND: CreateFlag.Value
    LAZY_PERSIST: CreateFlag.Value
    NEW_BLOCK: CreateFlag.Value
    SHOULD_REPLICATE: CreateFlag.Value
    def __init__(self) -> None: ...

class AddBlockFlag(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        NO_LOCAL_WRITE: _ClassVar[AddBlockFlag.Value]
        IGNORE_CLIENT_LOCALITY: _ClassVar[AddBlockFlag.Value]
    NO_LOCAL_WRITE: AddBlockFlag.Value
    IGNORE_CLIENT_LOCALITY: AddBlockFlag.Value
    def __init__(self) -> None: ...

class DatanodeReportType(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ALL: _ClassVar[DatanodeReportType.Value]
        LIVE: _ClassVar[DatanodeReportType.Value]
        DEAD: _ClassVar[DatanodeReportType.Value]
        DECOMMISSIONING: _ClassVar[DatanodeReportType.Value]
        ENTERING_MAINTENANCE: _ClassVar[DatanodeReportType.Value]
        IN_MAINTENANCE: _ClassVar[DatanodeReportType.Value]
    ALL: DatanodeReportType.Value
    LIVE: DatanodeReportType.Value
    DEAD: DatanodeReportType.Value
    DECOMMISSIONING: DatanodeReportType.Value
    ENTERING_MAINTENANCE: DatanodeReportType.Value
    IN_MAINTENANCE: DatanodeReportType.Value
    def __init__(self) -> None: ...

class SafeModeAction(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        SAFEMODE_LEAVE: _ClassVar[SafeModeAction.Value]
        SAFEMODE_ENTER: _ClassVar[SafeModeAction.Value]
        SAFEMODE_GET: _ClassVar[SafeModeAction.Value]
        SAFEMODE_FORCE_EXIT: _ClassVar[SafeModeAction.Value]
    SAFEMODE_LEAVE: SafeModeAction.Value
    SAFEMODE_ENTER: SafeModeAction.Value
    SAFEMODE_GET: SafeModeAction.Value
    SAFEMODE_FORCE_EXIT: SafeModeAction.Value
    def __init__(self) -> None: ...

class FsAction(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        NONE: _ClassVar[FsAction.Value]
        EXECUTE: _ClassVar[FsAction.Value]
        WRITE: _ClassVar[FsAction.Value]
        WRITE_EXECUTE: _ClassVar[FsAction.Value]
        READ: _ClassVar[FsAction.Value]
        READ_EXECUTE: _ClassVar[FsAction.Value]
        READ_WRITE: _ClassVar[FsAction.Value]
        PERM_ALL: _ClassVar[FsAction.Value]
    NONE: FsAction.Value
    EXECUTE: FsAction.Value
    WRITE: FsAction.Value
    WRITE_EXECUTE: FsAction.Value
    READ: FsAction.Value
    READ_EXECUTE: FsAction.Value
    READ_WRITE: FsAction.Value
    PERM_ALL: FsAction.Value
    def __init__(self) -> None: ...

class CryptoProtocolVersion(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        UNKNOWN_PROTOCOL_VERSION: _ClassVar[CryptoProtocolVersion.Value]
        ENCRYPTION_ZONES: _ClassVar[CryptoProtocolVersion.Value]
    UNKNOWN_PROTOCOL_VERSION: CryptoProtocolVersion.Value
    ENCRYPTION_ZONES: CryptoProtocolVersion.Value
    def __init__(self) -> None: ...

class CipherSuite(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        UNKNOWN: _ClassVar[CipherSuite.Value]
        AES_CTR_NOPADDING: _ClassVar[CipherSuite.Value]
        SM4_CTR_NOPADDING: _ClassVar[CipherSuite.Value]
    UNKNOWN: CipherSuite.Value
    AES_CTR_NOPADDING: CipherSuite.Value
    SM4_CTR_NOPADDING: CipherSuite.Value
    def __init__(self) -> None: ...

class ErasureCodingPolicyState(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        DISABLED: _ClassVar[ErasureCodingPolicyState.Value]
        ENABLED: _ClassVar[ErasureCodingPolicyState.Value]
        REMOVED: _ClassVar[ErasureCodingPolicyState.Value]
    DISABLED: ErasureCodingPolicyState.Value
    ENABLED: ErasureCodingPolicyState.Value
    REMOVED: ErasureCodingPolicyState.Value
    def __init__(self) -> None: ...

class HAServiceState(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        INITIALIZING: _ClassVar[HAServiceState.Value]
        ACTIVE: _ClassVar[HAServiceState.Value]
        STANDBY: _ClassVar[HAServiceState.Value]
        OBSERVER: _ClassVar[HAServiceState.Value]
    INITIALIZING: HAServiceState.Value
    ACTIVE: HAServiceState.Value
    STANDBY: HAServiceState.Value
    OBSERVER: HAServiceState.Value
    def __init__(self) -> None: ...

class HdfsFileStatus(_message.Message):
    __slots__ = ("fileType", "path", "length", "permission", "owner", "group", "modification_time", "access_time", "symlink", "block_replication", "blocksize", "locations", "fileId", "childrenNum", "fileEncryptionInfo", "storagePolicy", "ecPolicy", "flags", "namespace")
    FILETYPE_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    MODIFICATION_TIME_FIELD_NUMBER: _ClassVar[int]
    ACCESS_TIME_FIELD_NUMBER: _ClassVar[int]
    SYMLINK_FIELD_NUMBER: _ClassVar[int]
    BLOCK_REPLICATION_FIELD_NUMBER: _ClassVar[int]
    BLOCKSIZE_FIELD_NUMBER: _ClassVar[int]
    LOCATIONS_FIELD_NUMBER: _ClassVar[int]
    FILEID_FIELD_NUMBER: _ClassVar[int]
    CHILDRENNUM_FIELD_NUMBER: _ClassVar[int]
    FILEENCRYPTIONINFO_FIELD_NUMBER: _ClassVar[int]
    STORAGEPOLICY_FIELD_NUMBER: _ClassVar[int]
    ECPOLICY_FIELD_NUMBER: _ClassVar[int]
    FLAGS_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    fileType: FileType.Value
    path: bytes
    length: int
    permission: FsPermission
    owner: str
    group: str
    modification_time: int
    access_time: int
    symlink: bytes
    block_replication: int
    blocksize: int
    locations: LocatedBlocks
    fileId: int
    childrenNum: int
    fileEncryptionInfo: FileEncryptionInfo
    storagePolicy: int
    ecPolicy: ErasureCodingPolicy
    flags: int
    namespace: str
    def __init__(self, fileType: _Optional[_Union[FileType.Value, str]] = ..., path: _Optional[bytes] = ..., length: _Optional[int] = ..., permission: _Optional[_Union[FsPermission, _Mapping]] = ..., owner: _Optional[str] = ..., group: _Optional[str] = ..., modification_time: _Optional[int] = ..., access_time: _Optional[int] = ..., symlink: _Optional[bytes] = ..., block_replication: _Optional[int] = ..., blocksize: _Optional[int] = ..., locations: _Optional[_Union[LocatedBlocks, _Mapping]] = ..., fileId: _Optional[int] = ..., childrenNum: _Optional[int] = ..., fileEncryptionInfo: _Optional[_Union[FileEncryptionInfo, _Mapping]] = ..., storagePolicy: _Optional[int] = ..., ecPolicy: _Optional[_Union[ErasureCodingPolicy, _Mapping]] = ..., flags: _Optional[int] = ..., namespace: _Optional[str] = ...) -> None: ...

class DirectoryListing(_message.Message):
    __slots__ = ("partialListing", "remainingEntries")
    PARTIALLISTING_FIELD_NUMBER: _ClassVar[int]
    REMAININGENTRIES_FIELD_NUMBER: _ClassVar[int]
    partialListing: _containers.RepeatedCompositeFieldContainer[HdfsFileStatus]
    remainingEntries: int
    def __init__(self, partialListing: _Optional[_Iterable[_Union[HdfsFileStatus, _Mapping]]] = ..., remainingEntries: _Optional[int] = ...) -> None: ...

class LocatedBlocks(_message.Message):
    __slots__ = ("fileLength", "blocks", "underConstruction", "lastBlock", "isLastBlockComplete", "fileEncryptionInfo", "ecPolicy")
    FILELENGTH_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    UNDERCONSTRUCTION_FIELD_NUMBER: _ClassVar[int]
    LASTBLOCK_FIELD_NUMBER: _ClassVar[int]
    ISLASTBLOCKCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    FILEENCRYPTIONINFO_FIELD_NUMBER: _ClassVar[int]
    ECPOLICY_FIELD_NUMBER: _ClassVar[int]
    fileLength: int
    blocks: _containers.RepeatedCompositeFieldContainer[LocatedBlock]
    underConstruction: bool
    lastBlock: LocatedBlock
    isLastBlockComplete: bool
    fileEncryptionInfo: FileEncryptionInfo
    ecPolicy: ErasureCodingPolicy
    def __init__(self, fileLength: _Optional[int] = ..., blocks: _Optional[_Iterable[_Union[LocatedBlock, _Mapping]]] = ..., underConstruction: _Optional[bool] = ..., lastBlock: _Optional[_Union[LocatedBlock, _Mapping]] = ..., isLastBlockComplete: _Optional[bool] = ..., fileEncryptionInfo: _Optional[_Union[FileEncryptionInfo, _Mapping]] = ..., ecPolicy: _Optional[_Union[ErasureCodingPolicy, _Mapping]] = ...) -> None: ...

class LocatedBlock(_message.Message):
    __slots__ = ("b", "offset", "locs", "corrupt", "blockToken", "isCached", "storageTypes", "storageIDs", "blockIndices", "blockTokens")
    B_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    LOCS_FIELD_NUMBER: _ClassVar[int]
    CORRUPT_FIELD_NUMBER: _ClassVar[int]
    BLOCKTOKEN_FIELD_NUMBER: _ClassVar[int]
    ISCACHED_FIELD_NUMBER: _ClassVar[int]
    STORAGETYPES_FIELD_NUMBER: _ClassVar[int]
    STORAGEIDS_FIELD_NUMBER: _ClassVar[int]
    BLOCKINDICES_FIELD_NUMBER: _ClassVar[int]
    BLOCKTOKENS_FIELD_NUMBER: _ClassVar[int]
    b: ExtendedBlock
    offset: int
    locs: _containers.RepeatedCompositeFieldContainer[DatanodeInfo]
    corrupt: bool
    blockToken: Token
    isCached: _containers.RepeatedScalarFieldContainer[bool]
    storageTypes: _containers.RepeatedScalarFieldContainer[StorageType.Value]
    storageIDs: _containers.RepeatedScalarFieldContainer[str]
    blockIndices: bytes
    blockTokens: _containers.RepeatedCompositeFieldContainer[Token]
    def __init__(self, b: _Optional[_Union[ExtendedBlock, _Mapping]] = ..., offset: _Optional[int] = ..., locs: _Optional[_Iterable[_Union[DatanodeInfo, _Mapping]]] = ..., corrupt: _Optional[bool] = ..., blockToken: _Optional[_Union[Token, _Mapping]] = ..., isCached: _Optional[_Iterable[bool]] = ..., storageTypes: _Optional[_Iterable[_Union[StorageType.Value, str]]] = ..., storageIDs: _Optional[_Iterable[str]] = ..., blockIndices: _Optional[bytes] = ..., blockTokens: _Optional[_Iterable[_Union[Token, _Mapping]]] = ...) -> None: ...

class ExtendedBlock(_message.Message):
    __slots__ = ("poolId", "blockId", "generationStamp", "numBytes")
    POOLID_FIELD_NUMBER: _ClassVar[int]
    BLOCKID_FIELD_NUMBER: _ClassVar[int]
    GENERATIONSTAMP_FIELD_NUMBER: _ClassVar[int]
    NUMBYTES_FIELD_NUMBER: _ClassVar[int]
    poolId: str
    blockId: int
    generationStamp: int
    numBytes: int
    def __init__(self, poolId: _Optional[str] = ..., blockId: _Optional[int] = ..., generationStamp: _Optional[int] = ..., numBytes: _Optional[int] = ...) -> None: ...

class DatanodeInfo(_message.Message):
    __slots__ = ("id", "capacity", "dfsUsed", "remaining", "blockPoolUsed", "lastUpdate", "xceiverCount", "location", "nonDfsUsed", "adminState", "cacheCapacity", "cacheUsed", "lastUpdateMonotonic", "upgradeDomain", "lastBlockReportTime", "lastBlockReportMonotonic", "numBlocks", "softwareVersion")
    ID_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    DFSUSED_FIELD_NUMBER: _ClassVar[int]
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    BLOCKPOOLUSED_FIELD_NUMBER: _ClassVar[int]
    LASTUPDATE_FIELD_NUMBER: _ClassVar[int]
    XCEIVERCOUNT_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    NONDFSUSED_FIELD_NUMBER: _ClassVar[int]
    ADMINSTATE_FIELD_NUMBER: _ClassVar[int]
    CACHECAPACITY_FIELD_NUMBER: _ClassVar[int]
    CACHEUSED_FIELD_NUMBER: _ClassVar[int]
    LASTUPDATEMONOTONIC_FIELD_NUMBER: _ClassVar[int]
    UPGRADEDOMAIN_FIELD_NUMBER: _ClassVar[int]
    LASTBLOCKREPORTTIME_FIELD_NUMBER: _ClassVar[int]
    LASTBLOCKREPORTMONOTONIC_FIELD_NUMBER: _ClassVar[int]
    NUMBLOCKS_FIELD_NUMBER: _ClassVar[int]
    SOFTWAREVERSION_FIELD_NUMBER: _ClassVar[int]
    id: DatanodeID
    capacity: int
    dfsUsed: int
    remaining: int
    blockPoolUsed: int
    lastUpdate: int
    xceiverCount: int
    location: str
    nonDfsUsed: int
    adminState: AdminState.Value
    cacheCapacity: int
    cacheUsed: int
    lastUpdateMonotonic: int
    upgradeDomain: str
    lastBlockReportTime: int
    lastBlockReportMonotonic: int
    numBlocks: int
    softwareVersion: str
    def __init__(self, id: _Optional[_Union[DatanodeID, _Mapping]] = ..., capacity: _Optional[int] = ..., dfsUsed: _Optional[int] = ..., remaining: _Optional[int] = ..., blockPoolUsed: _Optional[int] = ..., lastUpdate: _Optional[int] = ..., xceiverCount: _Optional[int] = ..., location: _Optional[str] = ..., nonDfsUsed: _Optional[int] = ..., adminState: _Optional[_Union[AdminState.Value, str]] = ..., cacheCapacity: _Optional[int] = ..., cacheUsed: _Optional[int] = ..., lastUpdateMonotonic: _Optional[int] = ..., upgradeDomain: _Optional[str] = ..., lastBlockReportTime: _Optional[int] = ..., lastBlockReportMonotonic: _Optional[int] = ..., numBlocks: _Optional[int] = ..., softwareVersion: _Optional[str] = ...) -> None: ...

class DatanodeID(_message.Message):
    __slots__ = ("ipAddr", "hostName", "datanodeUuid", "xferPort", "infoPort", "ipcPort", "infoSecurePort")
    IPADDR_FIELD_NUMBER: _ClassVar[int]
    HOSTNAME_FIELD_NUMBER: _ClassVar[int]
    DATANODEUUID_FIELD_NUMBER: _ClassVar[int]
    XFERPORT_FIELD_NUMBER: _ClassVar[int]
    INFOPORT_FIELD_NUMBER: _ClassVar[int]
    IPCPORT_FIELD_NUMBER: _ClassVar[int]
    INFOSECUREPORT_FIELD_NUMBER: _ClassVar[int]
    ipAddr: str
    hostName: str
    datanodeUuid: str
    xferPort: int
    infoPort: int
    ipcPort: int
    infoSecurePort: int
    def __init__(self, ipAddr: _Optional[str] = ..., hostName: _Optional[str] = ..., datanodeUuid: _Optional[str] = ..., xferPort: _Optional[int] = ..., infoPort: _Optional[int] = ..., ipcPort: _Optional[int] = ..., infoSecurePort: _Optional[int] = ...) -> None: ...

class Token(_message.Message):
    __slots__ = ("identifier", "password", "kind", "service")
    IDENTIFIER_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SERVICE_FIELD_NUMBER: _ClassVar[int]
    identifier: bytes
    password: bytes
    kind: str
    service: str
    def __init__(self, identifier: _Optional[bytes] = ..., password: _Optional[bytes] = ..., kind: _Optional[str] = ..., service: _Optional[str] = ...) -> None: ...

class FsPermission(_message.Message):
    __slots__ = ("perm",)
    PERM_FIELD_NUMBER: _ClassVar[int]
    perm: int
    def __init__(self, perm: _Optional[int] = ...) -> None: ...

class FsServerDefaults(_message.Message):
    __slots__ = ("blockSize", "bytesPerChecksum", "writePacketSize", "replication", "fileBufferSize", "encryptDataTransfer", "trashInterval", "checksumType", "keyProviderUri", "policyId", "snapshotTrashRootEnabled")
    BLOCKSIZE_FIELD_NUMBER: _ClassVar[int]
    BYTESPERCHECKSUM_FIELD_NUMBER: _ClassVar[int]
    WRITEPACKETSIZE_FIELD_NUMBER: _ClassVar[int]
    REPLICATION_FIELD_NUMBER: _ClassVar[int]
    FILEBUFFERSIZE_FIELD_NUMBER: _ClassVar[int]
    ENCRYPTDATATRANSFER_FIELD_NUMBER: _ClassVar[int]
    TRASHINTERVAL_FIELD_NUMBER: _ClassVar[int]
    CHECKSUMTYPE_FIELD_NUMBER: _ClassVar[int]
    KEYPROVIDERURI_FIELD_NUMBER: _ClassVar[int]
    POLICYID_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOTTRASHROOTENABLED_FIELD_NUMBER: _ClassVar[int]
    blockSize: int
    bytesPerChecksum: int
    writePacketSize: int
    replication: int
    fileBufferSize: int
    encryptDataTransfer: bool
    trashInterval: int
    checksumType: ChecksumType.Value
    keyProviderUri: str
    policyId: int
    snapshotTrashRootEnabled: bool
    def __init__(self, blockSize: _Optional[int] = ..., bytesPerChecksum: _Optional[int] = ..., writePacketSize: _Optional[int] = ..., replication: _Optional[int] = ..., fileBufferSize: _Optional[int] = ..., encryptDataTransfer: _Optional[bool] = ..., trashInterval: _Optional[int] = ..., checksumType: _Optional[_Union[ChecksumType.Value, str]] = ..., keyProviderUri: _Optional[str] = ..., policyId: _Optional[int] = ..., snapshotTrashRootEnabled: _Optional[bool] = ...) -> None: ...

class ContentSummary(_message.Message):
    __slots__ = ("length", "fileCount", "directoryCount", "quota", "spaceConsumed", "spaceQuota", "typeQuotaInfos", "snapshotLength", "snapshotFileCount", "snapshotDirectoryCount", "snapshotSpaceConsumed", "erasureCodingPolicy")
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    FILECOUNT_FIELD_NUMBER: _ClassVar[int]
    DIRECTORYCOUNT_FIELD_NUMBER: _ClassVar[int]
    QUOTA_FIELD_NUMBER: _ClassVar[int]
    SPACECONSUMED_FIELD_NUMBER: _ClassVar[int]
    SPACEQUOTA_FIELD_NUMBER: _ClassVar[int]
    TYPEQUOTAINFOS_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOTLENGTH_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOTFILECOUNT_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOTDIRECTORYCOUNT_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOTSPACECONSUMED_FIELD_NUMBER: _ClassVar[int]
    ERASURECODINGPOLICY_FIELD_NUMBER: _ClassVar[int]
    length: int
    fileCount: int
    directoryCount: int
    quota: int
    spaceConsumed: int
    spaceQuota: int
    typeQuotaInfos: StorageTypeQuotaInfos
    snapshotLength: int
    snapshotFileCount: int
    snapshotDirectoryCount: int
    snapshotSpaceConsumed: int
    erasureCodingPolicy: str
    def __init__(self, length: _Optional[int] = ..., fileCount: _Optional[int] = ..., directoryCount: _Optional[int] = ..., quota: _Optional[int] = ..., spaceConsumed: _Optional[int] = ..., spaceQuota: _Optional[int] = ..., typeQuotaInfos: _Optional[_Union[StorageTypeQuotaInfos, _Mapping]] = ..., snapshotLength: _Optional[int] = ..., snapshotFileCount: _Optional[int] = ..., snapshotDirectoryCount: _Optional[int] = ..., snapshotSpaceConsumed: _Optional[int] = ..., erasureCodingPolicy: _Optional[str] = ...) -> None: ...

class DatanodeInfos(_message.Message):
    __slots__ = ("datanodes",)
    DATANODES_FIELD_NUMBER: _ClassVar[int]
    datanodes: _containers.RepeatedCompositeFieldContainer[DatanodeInfo]
    def __init__(self, datanodes: _Optional[_Iterable[_Union[DatanodeInfo, _Mapping]]] = ...) -> None: ...

class StorageTypeQuotaInfos(_message.Message):
    __slots__ = ("typeQuotaInfo",)
    TYPEQUOTAINFO_FIELD_NUMBER: _ClassVar[int]
    typeQuotaInfo: _containers.RepeatedCompositeFieldContainer[StorageTypeQuotaInfo]
    def __init__(self, typeQuotaInfo: _Optional[_Iterable[_Union[StorageTypeQuotaInfo, _Mapping]]] = ...) -> None: ...

class StorageTypeQuotaInfo(_message.Message):
    __slots__ = ("type", "quota", "consumed")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    QUOTA_FIELD_NUMBER: _ClassVar[int]
    CONSUMED_FIELD_NUMBER: _ClassVar[int]
    type: StorageType.Value
    quota: int
    consumed: int
    def __init__(self, type: _Optional[_Union[StorageType.Value, str]] = ..., quota: _Optional[int] = ..., consumed: _Optional[int] = ...) -> None: ...

class FileEncryptionInfo(_message.Message):
    __slots__ = ("suite", "cryptoProtocolVersion", "key", "iv", "keyName", "ezKeyVersionName")
    SUITE_FIELD_NUMBER: _ClassVar[int]
    CRYPTOPROTOCOLVERSION_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    IV_FIELD_NUMBER: _ClassVar[int]
    KEYNAME_FIELD_NUMBER: _ClassVar[int]
    EZKEYVERSIONNAME_FIELD_NUMBER: _ClassVar[int]
    suite: CipherSuite.Value
    cryptoProtocolVersion: CryptoProtocolVersion.Value
    key: bytes
    iv: bytes
    keyName: str
    ezKeyVersionName: str
    def __init__(self, suite: _Optional[_Union[CipherSuite.Value, str]] = ..., cryptoProtocolVersion: _Optional[_Union[CryptoProtocolVersion.Value, str]] = ..., key: _Optional[bytes] = ..., iv: _Optional[bytes] = ..., keyName: _Optional[str] = ..., ezKeyVersionName: _Optional[str] = ...) -> None: ...

class ErasureCodingPolicy(_message.Message):
    __slots__ = ("name", "schema", "cellSize", "id", "state")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    CELLSIZE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    name: str
    schema: ECSchema
    cellSize: int
    id: int
    state: ErasureCodingPolicyState.Value
    def __init__(self, name: _Optional[str] = ..., schema: _Optional[_Union[ECSchema, _Mapping]] = ..., cellSize: _Optional[int] = ..., id: _Optional[int] = ..., state: _Optional[_Union[ErasureCodingPolicyState.Value, str]] = ...) -> None: ...

class ECSchema(_message.Message):
    __slots__ = ("codecName", "dataUnits", "parityUnits", "options")
    CODECNAME_FIELD_NUMBER: _ClassVar[int]
    DATAUNITS_FIELD_NUMBER: _ClassVar[int]
    PARITYUNITS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    codecName: str
    dataUnits: int
    parityUnits: int
    options: _containers.RepeatedCompositeFieldContainer[ECSchemaOptionEntry]
    def __init__(self, codecName: _Optional[str] = ..., dataUnits: _Optional[int] = ..., parityUnits: _Optional[int] = ..., options: _Optional[_Iterable[_Union[ECSchemaOptionEntry, _Mapping]]] = ...) -> None: ...

class ECSchemaOptionEntry(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: str
    def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class BlockStoragePolicy(_message.Message):
    __slots__ = ("policyId", "name", "creationPolicy", "creationFallbackPolicy", "replicationFallbackPolicy")
    POLICYID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CREATIONPOLICY_FIELD_NUMBER: _ClassVar[int]
    CREATIONFALLBACKPOLICY_FIELD_NUMBER: _ClassVar[int]
    REPLICATIONFALLBACKPOLICY_FIELD_NUMBER: _ClassVar[int]
    policyId: int
    name: str
    creationPolicy: StorageTypes
    creationFallbackPolicy: StorageTypes
    replicationFallbackPolicy: StorageTypes
    def __init__(self, policyId: _Optional[int] = ..., name: _Optional[str] = ..., creationPolicy: _Optional[_Union[StorageTypes, _Mapping]] = ..., creationFallbackPolicy: _Optional[_Union[StorageTypes, _Mapping]] = ..., replicationFallbackPolicy: _Optional[_Union[StorageTypes, _Mapping]] = ...) -> None: ...

class StorageTypes(_message.Message):
    __slots__ = ("storageTypes",)
    STORAGETYPES_FIELD_NUMBER: _ClassVar[int]
    storageTypes: _containers.RepeatedScalarFieldContainer[StorageType.Value]
    def __init__(self, storageTypes: _Optional[_Iterable[_Union[StorageType.Value, str]]] = ...) -> None: ...

class DataEncryptionKey(_message.Message):
    __slots__ = ("keyId", "blockPoolId", "nonce", "encryptionKey", "expiryDate", "encryptionAlgorithm")
    KEYID_FIELD_NUMBER: _ClassVar[int]
    BLOCKPOOLID_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    ENCRYPTIONKEY_FIELD_NUMBER: _ClassVar[int]
    EXPIRYDATE_FIELD_NUMBER: _ClassVar[int]
    ENCRYPTIONALGORITHM_FIELD_NUMBER: _ClassVar[int]
    keyId: int
    blockPoolId: str
    nonce: bytes
    encryptionKey: bytes
    expiryDate: int
    encryptionAlgorithm: str
    def __init__(self, keyId: _Optional[int] = ..., blockPoolId: _Optional[str] = ..., nonce: _Optional[bytes] = ..., encryptionKey: _Optional[bytes] = ..., expiryDate: _Optional[int] = ..., encryptionAlgorithm: _Optional[str] = ...) -> None: ...
