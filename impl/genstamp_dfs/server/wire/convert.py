"""Our records as Hadoop's messages, and back.

Hadoop's messages name datanodes by address and identity, ours by identity alone: an `AddressBook` knows the rest. Who
talks to a namenode that it trusts learns from every message that names both.

Not here: calls, each of which puts these together (`client_calls`).

Source: facts W.2.4; CL/protocolPB/PBHelperClient, Hadoop 3.4.1.
"""

from collections.abc import Iterable
from typing import Final

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.messages.client_protocol import (
    DirectoryListing,
    HdfsFileStatus,
    LocatedBlocks,
)
from genstamp_dfs.hdfs.messages.cluster_status import DatanodeStatus
from genstamp_dfs.hdfs.protocol import Block, LocatedBlock
from genstamp_dfs.server.addresses import Address, AddressBook
from genstamp_dfs.server.wire import hdfs_pb2 as hdfs

NO_TOKEN: Final = hdfs.Token(identifier=b"", password=b"", kind="", service="")
"""Block tokens are required, and empty where security is off."""

RACK: Final = "/default-rack"
"""Clients insist on a location."""

UNSET: Final = 2**64 - 1
"""How -1, which is no number or one that is not set, crosses the wire where the field has no sign."""


def signed(number: int) -> int:
    """A number of Java's, whose field on the wire has no sign.

    >>> signed(UNSET), signed(7)
    (-1, 7)
    """
    return number - (UNSET + 1) if number > UNSET >> 1 else number


def unsigned(number: int) -> int:
    """A number of Java's as a field without a sign has it.

    >>> unsigned(-1) == UNSET, unsigned(7)
    (True, 7)
    """
    return number & UNSET


class Converter:
    """Converts for one cluster.

    Args:
        block_pool_id: named in each block; a client that does not know it takes the first that it is told.
        addresses: where datanodes are.
        learns: whether addresses in messages are believed; a namenode believes none but those of registrations.
    """

    def __init__(self, block_pool_id: str, addresses: AddressBook, *, learns: bool = True) -> None:
        self.block_pool_id = block_pool_id
        self.addresses = addresses
        self._learns = learns

    # -- blocks -------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> hdfs.ExtendedBlock:
        """A block, with the pool that it is in."""
        return hdfs.ExtendedBlock(
            poolId=self.block_pool_id,
            blockId=block.block_id,
            generationStamp=block.generation_stamp,
            numBytes=block.num_bytes,
        )

    def to_block(self, message: hdfs.ExtendedBlock) -> Block:
        """A block.

        Raises:
            HdfsIOException: it is of another pool.
        """
        if not self.block_pool_id:
            self.block_pool_id = message.poolId
        if message.poolId != self.block_pool_id:
            raise HdfsIOException(f"Unexpected BlockPoolId: {message.poolId} - expected {self.block_pool_id}")
        return Block(message.blockId, message.generationStamp, message.numBytes)

    def located_block(self, located: LocatedBlock) -> hdfs.LocatedBlock:
        """A block and where it is. Storage types and ids stand there for each location, as clients insist on them."""
        return hdfs.LocatedBlock(
            b=self.block(located.block),
            offset=unsigned(located.offset),
            locs=[self.datanode(name) for name in located.locations],
            corrupt=located.corrupt,
            blockToken=NO_TOKEN,
            storageTypes=[hdfs.StorageType.DISK] * len(located.locations),
            storageIDs=[storage_id(name) for name in located.locations],
        )

    def to_located_block(self, message: hdfs.LocatedBlock) -> LocatedBlock:
        """A block and where it is; the addresses are noted."""
        locations = tuple(self.to_datanode(info.id) for info in message.locs)
        return LocatedBlock(self.to_block(message.b), locations, signed(message.offset), message.corrupt)

    def located_blocks(self, located: LocatedBlocks) -> hdfs.LocatedBlocks:
        """The blocks of a file."""
        message = hdfs.LocatedBlocks(
            fileLength=located.file_length,
            blocks=[self.located_block(one) for one in located.blocks],
            underConstruction=located.is_under_construction,
            isLastBlockComplete=located.is_last_block_complete,
        )
        if located.last_block is not None:
            message.lastBlock.CopyFrom(self.located_block(located.last_block))
        return message

    def to_located_blocks(self, message: hdfs.LocatedBlocks) -> LocatedBlocks:
        """The blocks of a file."""
        return LocatedBlocks(
            file_length=message.fileLength,
            is_under_construction=message.underConstruction,
            blocks=tuple(self.to_located_block(one) for one in message.blocks),
            last_block=self.to_located_block(message.lastBlock) if message.HasField("lastBlock") else None,
            is_last_block_complete=message.isLastBlockComplete,
        )

    # -- datanodes ----------------------------------------------------------------------------------------------

    def datanode_id(self, name: str) -> hdfs.DatanodeID:
        """A datanode with its address."""
        address = self.addresses.address(name)
        return hdfs.DatanodeID(
            ipAddr=address.host,
            hostName=address.host,
            datanodeUuid=name,
            xferPort=address.transfer_port,
            infoPort=0,
            ipcPort=address.rpc_port,
        )

    def datanode(self, name: str) -> hdfs.DatanodeInfo:
        """A datanode with its address and rack."""
        return hdfs.DatanodeInfo(id=self.datanode_id(name), location=RACK)

    def datanode_status(self, status: DatanodeStatus) -> hdfs.DatanodeInfo:
        """A datanode with its sizes."""
        return hdfs.DatanodeInfo(
            id=self.datanode_id(status.name),
            location=RACK,
            capacity=status.capacity,
            dfsUsed=status.used,
            remaining=status.remaining,
            blockPoolUsed=status.used,
            lastUpdate=status.last_update_ms,
            lastUpdateMonotonic=status.last_update_us // 1000,
            lastBlockReportTime=status.last_block_report_ms,
            numBlocks=status.blocks,
        )

    def to_datanode(self, message: hdfs.DatanodeID) -> str:
        """The name of a datanode; its address is noted."""
        if self._learns:
            self.addresses.note(message.datanodeUuid, Address(message.ipAddr, message.xferPort, message.ipcPort))
        return message.datanodeUuid

    def to_datanodes(self, messages: Iterable[hdfs.DatanodeInfo]) -> tuple[str, ...]:
        """The names of datanodes."""
        return tuple(self.to_datanode(message.id) for message in messages)

    # -- files --------------------------------------------------------------------------------------------------

    def file_status(self, status: HdfsFileStatus) -> hdfs.HdfsFileStatus:
        """A file or directory."""
        message = hdfs.HdfsFileStatus(
            fileType=hdfs.FileType.IS_DIR if status.is_directory else hdfs.FileType.IS_FILE,
            path=status.path.encode(),
            length=status.length,
            permission=hdfs.FsPermission(perm=status.permission),
            owner=status.owner,
            group=status.group,
            modification_time=status.modification_time_ms,
            access_time=status.access_time_ms,
            block_replication=status.replication,
            blocksize=status.block_size,
            fileId=status.file_id,
            childrenNum=status.children,
        )
        if status.locations is not None:
            message.locations.CopyFrom(self.located_blocks(status.locations))
        return message

    def to_file_status(self, message: hdfs.HdfsFileStatus) -> HdfsFileStatus:
        """A file or directory."""
        return HdfsFileStatus(
            file_id=message.fileId,
            path=message.path.decode(errors="replace"),
            is_directory=message.fileType == hdfs.FileType.IS_DIR,
            length=message.length,
            replication=message.block_replication,
            block_size=message.blocksize,
            modification_time_ms=message.modification_time,
            access_time_ms=message.access_time,
            permission=message.permission.perm,
            owner=message.owner,
            group=message.group,
            children=message.childrenNum,
            locations=self.to_located_blocks(message.locations) if message.HasField("locations") else None,
        )

    def listing(self, listing: DirectoryListing) -> hdfs.DirectoryListing:
        """A page of a directory."""
        return hdfs.DirectoryListing(
            partialListing=[self.file_status(entry) for entry in listing.entries], remainingEntries=listing.remaining
        )

    def to_listing(self, message: hdfs.DirectoryListing) -> DirectoryListing:
        """A page of a directory."""
        return DirectoryListing(
            tuple(self.to_file_status(entry) for entry in message.partialListing), message.remainingEntries
        )


def storage_id(datanode: str) -> str:
    """The one storage of a datanode."""
    return f"DS-{datanode}"
