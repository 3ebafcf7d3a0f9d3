"""What datanodes tell: that they start, that they live, what they have.

Not here: upgrades, caching, leases for full reports, decommissioning.

Source: NN/NameNodeRpcServer, BM/DatanodeManager#registerDatanode, #handleHeartbeat, Hadoop 3.4.1; facts G.2, I.1.
"""

import random

from genstamp_dfs.errors import DisallowedDatanodeException, HdfsIOException, UnregisteredNodeException
from genstamp_dfs.hdfs.messages.client_protocol import ReportBadBlocks
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    BlockReceivedAndDeleted,
    BlockReport,
    Command,
    DatanodeError,
    ErrorReport,
    InvalidateBlocks,
    NamespaceInfo,
    RecoverBlocks,
    RegisterAgain,
    RegisterDatanode,
    ReportBadReplicas,
    SendHeartbeat,
    TransferBlocks,
    VersionRequest,
)
from genstamp_dfs.hdfs.namenode.base import Journal
from genstamp_dfs.hdfs.namenode.block_recovery_calls import BlockRecoveryCalls
from genstamp_dfs.hdfs.namenode.block_reports import process_incremental_block_report, process_report
from genstamp_dfs.hdfs.namenode.configuration import Clock, NameNodeConfiguration
from genstamp_dfs.hdfs.namenode.corruption import find_and_mark_block_as_corrupt
from genstamp_dfs.hdfs.namenode.datanode_manager import DatanodeDescriptor
from genstamp_dfs.hdfs.namenode.redundancy import remove_blocks_associated_to
from genstamp_dfs.world.request import Caller


class DatanodeCalls(BlockRecoveryCalls):
    """DatanodeProtocol, but for commitBlockSynchronization()."""

    def __init__(
        self,
        configuration: NameNodeConfiguration,
        clock: Clock,
        chance: random.Random,
        journal: Journal,
        namespace: NamespaceInfo,
    ) -> None:
        super().__init__(configuration, clock, chance, journal)
        self.namespace = namespace

    def version_request(self, request: VersionRequest, caller: Caller) -> NamespaceInfo:
        """versionRequest(): which cluster this is."""
        return self.namespace

    def register_datanode(self, request: RegisterDatanode, caller: Caller) -> None:
        """registerDatanode(): the datanode is alive; what was queued for its former life is dropped.

        Raises:
            DisallowedDatanodeException: it belongs to another cluster, or another datanode of its name is there. In
                Hadoop a datanode is its uuid; here all that is known of it stands under its name.
        """
        if request.block_pool_id != self.namespace.block_pool_id:
            raise DisallowedDatanodeException(
                f"{request.datanode} belongs to {request.block_pool_id}, accepted: {self.namespace.block_pool_id}"
            )
        now_us = self.clock.now_us()
        if self.datanode_manager.has_another(request.datanode, request.datanode_uuid, now_us):
            raise DisallowedDatanodeException(
                f"another datanode that is called {request.datanode} is there, accepted: a name of its own"
            )
        self.datanode_manager.register_datanode(request.datanode, request.datanode_uuid, now_us)
        self._count_datanodes()

    def remove_datanode(self, datanode: str) -> None:
        """A datanode is dead: nothing that it has counts.

        Source: DatanodeManager#removeDeadDatanode, BlockManager#removeBlocksAssociatedTo,
            DatanodeDescriptor#resetBlocks, Hadoop 3.4.1.
        """
        descriptor = self.datanode_manager.datanodes[datanode]
        descriptor.is_alive = False
        descriptor.capacity = descriptor.used = descriptor.remaining = 0
        remove_blocks_associated_to(self.block_manager, datanode)
        self._count_datanodes()

    def _count_datanodes(self) -> None:
        alive = len(self.datanode_manager.live_datanodes())
        self.block_manager.safe_mode.count_datanodes(alive, self.clock.now_us())

    def send_heartbeat(self, request: SendHeartbeat, caller: Caller) -> tuple[Command, ...]:
        """sendHeartbeat(): what the datanode shall do.

        In safe mode nothing; recoveries alone if there are any, so that other work waits for the next heartbeat; else
        copies as far as it is free to make some, and deletions.
        """
        datanode = self.datanode_manager.get_live(request.datanode)
        if datanode is None:
            return (RegisterAgain(),)
        self.datanode_manager.update_heartbeat(datanode, request, self.clock.now_us())
        if self.block_manager.safe_mode.is_on:
            return ()
        if datanode.recover_blocks:
            recoveries = self.take_recovery_commands(datanode)
            if recoveries:
                return (RecoverBlocks(recoveries),)
        commands: list[Command] = []
        free = max(0, self.configuration.max_replication_streams - request.transfers)
        if datanode.replicate_blocks and free:
            commands.append(TransferBlocks(datanode.take_transfers(free)))
        if datanode.invalidate_blocks:
            commands.append(InvalidateBlocks(datanode.take_invalidations(self.configuration.invalidate_limit)))
        return tuple(commands)

    def block_report(self, request: BlockReport, caller: Caller) -> tuple[Command, ...]:
        """blockReport(): all that the datanode has.

        Raises:
            UnregisteredNodeException: nobody knows it.
            HdfsIOException: it is dead.
        """
        process_report(self.block_manager, self._reporting(request.datanode), request.replicas)
        return ()

    def block_received_and_deleted(self, request: BlockReceivedAndDeleted, caller: Caller) -> None:
        """blockReceivedAndDeleted(): what has changed at the datanode.

        Raises:
            UnregisteredNodeException: nobody knows it.
            HdfsIOException: it is dead.
        """
        datanode = self._reporting(request.datanode)
        for line in request.blocks:
            process_incremental_block_report(self.block_manager, datanode, line)

    def _reporting(self, name: str) -> DatanodeDescriptor:
        """The datanode that reports, which must be alive."""
        descriptor = self.datanode_manager.datanodes.get(name)
        if descriptor is None:
            raise UnregisteredNodeException(f"{name} is not registered")
        if not descriptor.is_alive:
            raise HdfsIOException(f"report from dead or unregistered node {name}")
        return descriptor

    def error_report(self, request: ErrorReport, caller: Caller) -> None:
        """errorReport(): a datanode whose last disk has failed is dead at once, and its replicas count no more.

        Source: NN/NameNodeRpcServer#errorReport, Hadoop 3.4.1.
        """
        datanode = self.datanode_manager.get_live(request.datanode)
        if datanode is not None and request.error is DatanodeError.FATAL_DISK_ERROR:
            self.remove_datanode(request.datanode)

    def report_bad_replicas(self, request: ReportBadReplicas, caller: Caller) -> None:
        """reportBadBlocks() of a datanode about its own replicas."""
        for block in request.blocks:
            find_and_mark_block_as_corrupt(self.block_manager, block, request.datanode)

    def report_bad_blocks(self, request: ReportBadBlocks, caller: Caller) -> None:
        """reportBadBlocks() of a client that has read them."""
        for located in request.blocks:
            for datanode in located.locations:
                find_and_mark_block_as_corrupt(self.block_manager, located.block, datanode)
