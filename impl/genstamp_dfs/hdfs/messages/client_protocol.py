"""What clients ask the namenode, a record for each call of ClientProtocol that this implementation answers.

Fields are those that a step of the namenode reads. A file is meant by its id where one is given, else by its path, so
that the writer of a file is not disturbed by a rename (HDFS-6294).

Not here: calls about the state of the cluster (`cluster_status`).

Not here: calls about snapshots, quotas, caching, erasure coding, encryption, storage policies and tokens.

Source: ClientNamenodeProtocol.proto, hdfs.proto; CL/protocol/ClientProtocol, Hadoop 3.4.1.
"""

from enum import IntFlag, StrEnum

import msgspec

from genstamp_dfs.hdfs.protocol import NO_FILE_ID, Block, LocatedBlock
from genstamp_dfs.world.request import Request


class CreateFlag(IntFlag):
    """What create() and append() are asked for, as bits."""

    CREATE = 1
    OVERWRITE = 2
    APPEND = 4
    LAZY_PERSIST = 16
    NEW_BLOCK = 32
    SHOULD_REPLICATE = 128


class SafeModeAction(StrEnum):
    """What setSafeMode() is asked for."""

    LEAVE = "leave"
    ENTER = "enter"
    GET = "get"
    FORCE_EXIT = "force exit"


class LocatedBlocks(msgspec.Struct, frozen=True):
    """The blocks of a file, or of a range of it.

    Attributes:
        file_length: in bytes, without the last block while that is under construction.
        is_under_construction: whether the file is open.
        blocks: those that overlap the range, by offset.
        last_block: the file's last block, whether in the range or not; None if it has none.
        is_last_block_complete: whether that is COMPLETE.
    """

    file_length: int
    is_under_construction: bool
    blocks: tuple[LocatedBlock, ...]
    last_block: LocatedBlock | None
    is_last_block_complete: bool


class HdfsFileStatus(msgspec.Struct, frozen=True):
    """A file or directory as the namenode tells of it.

    Attributes:
        path: its name below the directory that was listed; empty where the caller named it.
        length: in bytes, with what the namenode knows of a block under construction.
        modification_time_ms, access_time_ms: since 1970.
        replication, block_size: 0 for a directory.
        children: number of entries of a directory; 0 for a file.
        locations: the blocks of a file, where they were asked for.
    """

    file_id: int
    path: str
    is_directory: bool
    length: int = 0
    replication: int = 0
    block_size: int = 0
    modification_time_ms: int = 0
    access_time_ms: int = 0
    permission: int = 0o644
    owner: str = "hdfs"
    group: str = "supergroup"
    children: int = 0
    locations: LocatedBlocks | None = None


class LastBlockWithStatus(msgspec.Struct, frozen=True):
    """Answer to append(): the block to extend, None if a new one has to be added, and the file."""

    block: LocatedBlock | None
    status: HdfsFileStatus


class DirectoryListing(msgspec.Struct, frozen=True):
    """A page of a directory, by name as bytes, and how many entries follow it."""

    entries: tuple[HdfsFileStatus, ...]
    remaining: int


class FsServerDefaults(msgspec.Struct, frozen=True):
    """What a client takes where it was told nothing; sizes in bytes."""

    block_size: int
    bytes_per_checksum: int
    write_packet_size: int
    replication: int


class ContentSummary(msgspec.Struct, frozen=True):
    """Totals of a tree; lengths in bytes."""

    length: int
    file_count: int
    directory_count: int
    space_consumed: int


class GetServerDefaults(Request[FsServerDefaults], frozen=True):
    """getServerDefaults()"""


class Create(Request[HdfsFileStatus], frozen=True):
    """create(); `block_size` in bytes."""

    path: str
    client_name: str
    flag: CreateFlag
    create_parent: bool = True
    replication: int = 3
    block_size: int = 128 * 1024 * 1024
    permission: int = 0o644


class Append(Request[LastBlockWithStatus], frozen=True):
    """append(); NEW_BLOCK in `flag` leaves the last block as it is."""

    path: str
    client_name: str
    flag: CreateFlag = CreateFlag.APPEND


class AddBlock(Request[LocatedBlock], frozen=True):
    """addBlock(): commits `previous`, the last block as the client knows it, and gives the next one."""

    path: str
    client_name: str
    previous: Block | None = None
    excluded: tuple[str, ...] = ()
    file_id: int = NO_FILE_ID


class AbandonBlock(Request[None], frozen=True):
    """abandonBlock()"""

    block: Block
    path: str
    holder: str
    file_id: int = NO_FILE_ID


class GetAdditionalDatanode(Request[LocatedBlock], frozen=True):
    """getAdditionalDatanode(): the block with the existing nodes and `number` new ones."""

    path: str
    block: Block
    existing: tuple[str, ...]
    excluded: tuple[str, ...]
    number: int
    client_name: str
    file_id: int = NO_FILE_ID


class UpdateBlockForPipeline(Request[LocatedBlock], frozen=True):
    """updateBlockForPipeline(): the block with a new generation stamp."""

    block: Block
    client_name: str


class UpdatePipeline(Request[None], frozen=True):
    """updatePipeline(): the pipeline of `old_block` was set up again, as `new_block` on `new_nodes`."""

    client_name: str
    old_block: Block
    new_block: Block
    new_nodes: tuple[str, ...]


class Complete(Request[bool], frozen=True):
    """complete(): whether the file is closed now."""

    path: str
    client_name: str
    last: Block | None = None
    file_id: int = NO_FILE_ID


class Fsync(Request[None], frozen=True):
    """fsync(); `last_block_length` in bytes, -1 leaves the length as it is.

    Attributes:
        block: whose length it is, where the client says so; Hadoop's cannot.
        pipeline: the datanodes that have the bytes, where the client says so; Hadoop's cannot.
    """

    path: str
    client_name: str
    last_block_length: int = -1
    file_id: int = NO_FILE_ID
    block: Block | None = None
    pipeline: tuple[str, ...] = ()


class RenewLease(Request[None], frozen=True):
    """renewLease()"""

    client_name: str


class RecoverLease(Request[bool], frozen=True):
    """recoverLease(): whether the file is closed now."""

    path: str
    client_name: str


class IsFileClosed(Request[bool], frozen=True):
    """isFileClosed()"""

    path: str


class Truncate(Request[bool], frozen=True):
    """truncate() to `new_length` bytes: whether it is done now."""

    path: str
    new_length: int
    client_name: str


class Delete(Request[bool], frozen=True):
    """delete(): whether there was something."""

    path: str
    recursive: bool = False


class Rename(Request[bool], frozen=True):
    """rename(), the old form: says whether it was done, and throws little."""

    source: str
    destination: str


class Rename2(Request[None], frozen=True):
    """rename2(), the form that throws."""

    source: str
    destination: str
    overwrite: bool = False


class Concat(Request[None], frozen=True):
    """concat(): the blocks of the sources go to the end of the target."""

    target: str
    sources: tuple[str, ...]


class Mkdirs(Request[bool], frozen=True):
    """mkdirs()"""

    path: str
    create_parent: bool = True
    permission: int = 0o755


class GetFileInfo(Request[HdfsFileStatus | None], frozen=True):
    """getFileInfo(): None if there is nothing at the path; getLocatedFileInfo() where locations are needed."""

    path: str
    needs_locations: bool = False


class GetListing(Request[DirectoryListing | None], frozen=True):
    """getListing(): the entries after `start_after`; None if there is nothing at the path."""

    path: str
    start_after: str = ""
    needs_locations: bool = False


class GetBlockLocations(Request[LocatedBlocks], frozen=True):
    """getBlockLocations() of a range; both numbers in bytes."""

    path: str
    offset: int = 0
    length: int = 2**63 - 1


class SetReplication(Request[bool], frozen=True):
    """setReplication(): whether the path is a file."""

    path: str
    replication: int


class SetPermission(Request[None], frozen=True):
    """setPermission()"""

    path: str
    permission: int


class SetOwner(Request[None], frozen=True):
    """setOwner(); None leaves a name as it is."""

    path: str
    owner: str | None = None
    group: str | None = None


class SetTimes(Request[None], frozen=True):
    """setTimes(), in milliseconds since 1970; -1 leaves a time as it is."""

    path: str
    modification_time_ms: int
    access_time_ms: int


class GetContentSummary(Request[ContentSummary], frozen=True):
    """getContentSummary()"""

    path: str


class SetSafeMode(Request[bool], frozen=True):
    """setSafeMode(): whether the namenode is in safe mode afterwards."""

    action: SafeModeAction


class ReportBadBlocks(Request[None], frozen=True):
    """reportBadBlocks(): replicas whose checksums do not match, each block with the datanodes that have them."""

    blocks: tuple[LocatedBlock, ...]
