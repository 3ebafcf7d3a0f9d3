"""What administrators ask the namenode of its cluster: totals, datanodes, and files that are open.

Source: ClientNamenodeProtocol.proto, hdfs.proto; CL/protocol/ClientProtocol, Hadoop 3.4.1.
"""

from enum import IntEnum

import msgspec

from genstamp_dfs.world.request import Request


class DatanodeReportType(IntEnum):
    """Which datanodes getDatanodeReport() is asked for; the numbers are those of hdfs.proto."""

    ALL = 1
    LIVE = 2
    DEAD = 3
    DECOMMISSIONING = 4
    ENTERING_MAINTENANCE = 5
    IN_MAINTENANCE = 6


class OpenFilesType(IntEnum):
    """Which open files listOpenFiles() is asked for; the numbers are those of ClientNamenodeProtocol.proto."""

    ALL_OPEN_FILES = 1
    BLOCKING_DECOMMISSION = 2


class FsStats(msgspec.Struct, frozen=True):
    """Totals of the cluster; sizes in bytes.

    Attributes:
        capacity, used, remaining: of the live datanodes.
        under_replicated: blocks that have live replicas and need more.
        corrupt_blocks: blocks with a corrupt replica.
        missing_blocks: blocks that need replicas and have no live one.
        missing_replication_one: those of them whose file asks for one replica.
        pending_deletion: replicas whose deletion waits for a heartbeat.
        highest_priority: under-replicated blocks with one live replica; None from a getFsStats(), which lacks it.
    """

    capacity: int
    used: int
    remaining: int
    under_replicated: int
    corrupt_blocks: int
    missing_blocks: int
    missing_replication_one: int = 0
    pending_deletion: int = 0
    highest_priority: int | None = None


class DatanodeStatus(msgspec.Struct, frozen=True):
    """A datanode as the namenode knows it.

    Attributes:
        last_update_us, last_update_ms: when it was heard of last, by the namenode's own clock and since 1970.
        capacity, used, remaining: in bytes.
        last_block_report_ms: when its last full report came, since 1970; 0 before the first.
    """

    name: str
    is_alive: bool
    is_stale: bool
    last_update_us: int
    capacity: int = 0
    used: int = 0
    remaining: int = 0
    blocks: int = 0
    last_update_ms: int = 0
    last_block_report_ms: int = 0


class OpenFileEntry(msgspec.Struct, frozen=True):
    """An open file and its owner of record."""

    file_id: int
    path: str
    client_name: str
    client_machine: str


class OpenFiles(msgspec.Struct, frozen=True):
    """A page of open files, by id, and whether more follow."""

    entries: tuple[OpenFileEntry, ...]
    has_more: bool


class GetFsStats(Request[FsStats], frozen=True):
    """getFsStats()"""


class GetDatanodeReport(Request[tuple[DatanodeStatus, ...]], frozen=True):
    """getDatanodeReport()"""

    report_type: DatanodeReportType = DatanodeReportType.ALL


class ListOpenFiles(Request[OpenFiles], frozen=True):
    """listOpenFiles(): the open files with an id above `after`, at the path or below."""

    after: int = 0
    path: str = "/"
    types: tuple[OpenFilesType, ...] = (OpenFilesType.ALL_OPEN_FILES,)
