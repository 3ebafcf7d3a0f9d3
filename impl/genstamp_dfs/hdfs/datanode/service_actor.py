"""What a datanode does for its namenode: register, heartbeats, reports, and what the answers order.

Hadoop carries orders out in a thread of its own (HDFS-14997), also while a report of the same replica is under way that
the order does not know of. Repaired, such an order to delete is dropped, and a full report lets the namenode see.

Not here: several namenodes, lifelines, caching, upgrades.

Source: DN/BPServiceActor, DN/BPOfferService, Hadoop 3.4.1; facts B.9, B17.
"""

from collections.abc import Awaitable, Callable
from functools import partial

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.datanode.block_recovery_worker import BlockRecoveryWorker
from genstamp_dfs.hdfs.datanode.block_reports import BlockReports
from genstamp_dfs.hdfs.datanode.block_sender import CorruptReplicaError
from genstamp_dfs.hdfs.datanode.data_xceiver import DataXceiver
from genstamp_dfs.hdfs.datanode.repairs import Repair
from genstamp_dfs.hdfs.datanode.replica_steps import ReplicaSteps
from genstamp_dfs.hdfs.messages.data_transfer import BlockConstructionStage
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    Command,
    InvalidateBlocks,
    RecoverBlocks,
    RegisterAgain,
    RegisterDatanode,
    SendHeartbeat,
    TransferBlock,
    TransferBlocks,
)
from genstamp_dfs.hdfs.protocol import NAMENODE, Block, ReplicaState
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND

Unsettled = frozenset[int] | None
"""Blocks of which a report is pending or under way; None if that may be any block."""


class ServiceActor:
    """Keeps the namenode informed, and does what it orders.

    Args:
        steps: the replicas.
        reports: what the namenode is owed.
        xceiver: whom copies are made with.
        worker: who leads recoveries.
        block_pool_id: whose datanode this is.
        datanode_uuid: of its storage directory.
        report_bad: tells the namenode of a corrupt replica, and of the datanode that has it.
    """

    def __init__(
        self,
        steps: ReplicaSteps,
        reports: BlockReports,
        xceiver: DataXceiver,
        worker: BlockRecoveryWorker,
        block_pool_id: str,
        datanode_uuid: str,
        report_bad: Callable[[Block, str], Awaitable[None]],
    ) -> None:
        self._steps = steps
        self._configuration = steps.configuration
        self._runtime = steps.runtime
        self._reports = reports
        self._xceiver = xceiver
        self._worker = worker
        self._block_pool_id = block_pool_id
        self._datanode_uuid = datanode_uuid
        self._report_bad = report_bad
        self._must_register = True
        self._next_full_report_us = 0

    async def offer_service(self) -> None:
        """Register, and then send heartbeats and full reports, for ever (BPServiceActor#offerService)."""
        interval_us = self._configuration.heartbeat_interval_ms * MICROSECONDS_A_MILLISECOND
        while True:
            if self._must_register:
                await self.register()
            await self._send_heartbeat()
            await self._send_full_report_if_due()
            if not self._must_register:
                await self._runtime.sleep_us(interval_us)

    async def register(self) -> None:
        """Register, as often as it takes; the namenode knows nothing of the replicas then (#register)."""
        configuration = self._configuration
        request = RegisterDatanode(
            self._runtime.node,
            self._block_pool_id,
            configuration.host,
            configuration.transfer_port,
            configuration.rpc_port,
            self._datanode_uuid,
        )
        while True:
            try:
                await self._runtime.call(NAMENODE, request, timeout_us=self._timeout_us())
            except HdfsIOException:
                await self._runtime.sleep_us(configuration.retry_interval_ms * MICROSECONDS_A_MILLISECOND)
            else:
                self._must_register = False
                self._reports.forget()
                self._worker.namenode_changed()
                return

    async def _send_heartbeat(self) -> None:
        """One heartbeat, and what its answer orders (#sendHeartBeat)."""
        self._reports.trigger()
        used = sum(replica.bytes_on_disk for replica in self._steps.dataset.replicas.values())
        capacity = self._configuration.capacity_bytes
        request = SendHeartbeat(
            self._runtime.node, capacity, used, max(0, capacity - used), len(self._xceiver.receivers)
        )
        unsettled = self._reports.unsettled()
        try:
            commands = await self._runtime.call(NAMENODE, request, timeout_us=self._timeout_us())
        except HdfsIOException:
            return
        self._obey(commands, unsettled)

    async def _send_full_report_if_due(self) -> None:
        """A full report when the namenode needs one, or it is time; its answer may hold orders too (#blockReport)."""
        if not (self._reports.is_full_report_due or self._runtime.now_us() >= self._next_full_report_us):
            return
        commands = await self._reports.send_full_report(self._steps.dataset.block_report, self._steps.finish)
        if commands is None:
            return
        interval_us = self._configuration.block_report_interval_ms * MICROSECONDS_A_MILLISECOND
        self._next_full_report_us = self._runtime.now_us() + interval_us
        self._obey(commands, self._reports.unsettled())

    # -- orders (BPOfferService#processCommandFromActive) --------------------------------------------------------

    def _obey(self, commands: tuple[Command, ...], unsettled: Unsettled) -> None:
        """Carry orders out; `unsettled` is what was when the namenode was asked."""
        for command in commands:
            if isinstance(command, RecoverBlocks):
                self._worker.spawn(command.blocks)
            elif isinstance(command, InvalidateBlocks):
                self._runtime.spawn(self._invalidate(command.blocks, unsettled), "invalidation")
            elif isinstance(command, TransferBlocks):
                for transfer in command.transfers:
                    self._runtime.spawn(self._copy(transfer), f"copy of blk_{transfer.block.block_id}")
            elif isinstance(command, RegisterAgain):
                self._must_register = True

    async def _invalidate(self, blocks: tuple[Block, ...], unsettled: Unsettled) -> None:
        """Delete replicas, each only in the generation that is named; one that fails does not stop the next."""
        for block in blocks:
            if self._configuration.closes(Repair.ORDERS_OVERTAKE_REPORTS) and self._is_unsettled(block, unsettled):
                self._reports.is_full_report_due = True
                continue
            if self._steps.dataset.get_replica(block.block_id) is None:
                continue  # Ordered twice and deleted before; nothing has happened, so no event tells of it.
            try:
                operation = partial(self._steps.dataset.invalidate, block)
                await self._steps.perform("invalidate_replica", block.block_id, operation)
            except HdfsIOException:
                continue

    def _is_unsettled(self, block: Block, before: Unsettled) -> bool:
        """Whether the namenode may not have known what it is told of the block."""
        now = self._reports.unsettled()
        return before is None or now is None or block.block_id in before or block.block_id in now

    async def _copy(self, transfer: TransferBlock) -> None:
        """Copy a finalized replica to other datanodes (DataNode#transferBlock)."""
        block = transfer.block
        try:
            replica = self._steps.dataset.get_replica_info(block)
            if replica.state is not ReplicaState.FINALIZED:
                return
            if replica.num_bytes < block.num_bytes:
                await self._report_bad(block, self._runtime.node)
                return
            stage = BlockConstructionStage.PIPELINE_SETUP_CREATE
            await self._xceiver.copy_replica(replica.block(), transfer.targets, stage)
        except HdfsIOException:
            return  # the namenode orders another copy when this one does not show
        except CorruptReplicaError as corrupt:
            await self._report_bad(corrupt.block, self._runtime.node)

    def _timeout_us(self) -> int:
        return self._configuration.call_timeout_ms * MICROSECONDS_A_MILLISECOND
