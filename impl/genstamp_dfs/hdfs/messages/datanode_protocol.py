"""What datanodes tell the namenode, and the commands in its answers.

Not here: upgrades, caching, several storages in one datanode, leases for full block reports.

Source: DatanodeProtocol.proto; SP/DatanodeProtocol, Hadoop 3.4.1.
"""

from enum import StrEnum

import msgspec

from genstamp_dfs.hdfs.protocol import Block, RecoveringBlock, ReportedReplica
from genstamp_dfs.world.request import Request


class NamespaceInfo(msgspec.Struct, frozen=True):
    """Which cluster a namenode keeps."""

    block_pool_id: str
    cluster_id: str
    namespace_id: int


class RecoverBlocks(msgspec.Struct, frozen=True, tag=True):
    """DNA_RECOVERBLOCK: lead the recovery of these blocks."""

    blocks: tuple[RecoveringBlock, ...]


class InvalidateBlocks(msgspec.Struct, frozen=True, tag=True):
    """DNA_INVALIDATE: delete these replicas, each only in the generation that is named."""

    blocks: tuple[Block, ...]


class TransferBlock(msgspec.Struct, frozen=True):
    """A finalized block, and the datanodes that shall have a copy of it."""

    block: Block
    targets: tuple[str, ...]


class TransferBlocks(msgspec.Struct, frozen=True, tag=True):
    """DNA_TRANSFER: copy these blocks to other datanodes."""

    transfers: tuple[TransferBlock, ...]


class RegisterAgain(msgspec.Struct, frozen=True, tag=True):
    """DNA_REGISTER: the namenode does not know the datanode; it has to register and report everything."""


Command = RecoverBlocks | InvalidateBlocks | TransferBlocks | RegisterAgain


class ReceivedStatus(StrEnum):
    """What an incremental report says of a replica."""

    RECEIVING = "receiving"
    RECEIVED = "received"
    DELETED = "deleted"


class ReceivedDeletedBlock(msgspec.Struct, frozen=True):
    """One line of an incremental block report."""

    block: Block
    status: ReceivedStatus


class VersionRequest(Request[NamespaceInfo], frozen=True):
    """versionRequest(), the first thing that a datanode asks."""


class RegisterDatanode(Request[None], frozen=True):
    """registerDatanode(); the address is what clients and other datanodes connect to.

    Attributes:
        datanode_uuid: of its storage directory, by which two datanodes of one name are told apart; "" is not compared.
    """

    datanode: str
    block_pool_id: str
    host: str = ""
    transfer_port: int = 0
    rpc_port: int = 0
    datanode_uuid: str = ""


class SendHeartbeat(Request[tuple[Command, ...]], frozen=True):
    """sendHeartbeat(); sizes in bytes."""

    datanode: str
    capacity: int = 0
    used: int = 0
    remaining: int = 0
    transfers: int = 0


class BlockReport(Request[tuple[Command, ...]], frozen=True):
    """blockReport(): all replicas of the datanode but TEMPORARY ones."""

    datanode: str
    replicas: tuple[ReportedReplica, ...]


class BlockReceivedAndDeleted(Request[None], frozen=True):
    """blockReceivedAndDeleted(), the incremental block report."""

    datanode: str
    blocks: tuple[ReceivedDeletedBlock, ...]


class CommitBlockSynchronization(Request[None], frozen=True):
    """commitBlockSynchronization(), by which a primary ends a block recovery; `new_length` in bytes."""

    block: Block
    new_generation_stamp: int
    new_length: int
    close_file: bool
    delete_block: bool
    new_targets: tuple[str, ...]


class ReportBadReplicas(Request[None], frozen=True):
    """reportBadBlocks(): replicas of this datanode whose checksums do not match."""

    datanode: str
    blocks: tuple[Block, ...]


class DatanodeError(StrEnum):
    """What a datanode says is wrong with it (DatanodeProtocol#DISK_ERROR, #FATAL_DISK_ERROR)."""

    DISK_ERROR = "disk error"
    FATAL_DISK_ERROR = "fatal disk error"


class ErrorReport(Request[None], frozen=True):
    """errorReport(): after a fatal error of its disks the datanode has no replicas any more, and ends."""

    datanode: str
    error: DatanodeError
    message: str
