"""What a datanode owes the namenode: incremental reports of its replicas, and full ones.

Reports are sent one after the other, by one thread in Hadoop 3.4.1. In 3.3.6 incremental reports have a thread of their
own (HDFS-16016), so that an older full report may arrive later and win (HDFS-17129).

Not here: splitting a full report, and leases for it.

Source: DN/IncrementalBlockReportManager, DN/BPServiceActor#blockReport, Hadoop 3.4.1; facts B.9.
"""

from collections.abc import Awaitable, Callable

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    BlockReceivedAndDeleted,
    BlockReport,
    Command,
    ReceivedDeletedBlock,
    ReceivedStatus,
)
from genstamp_dfs.hdfs.protocol import NAMENODE, Block, ReportedReplica
from genstamp_dfs.hdfs.runtime import Runtime
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND

Finish = Callable[[], Awaitable[None]]


class BlockReports:
    """The reports of one datanode.

    Attributes:
        is_full_report_due: whether the namenode has to be told everything.
    """

    def __init__(self, configuration: DataNodeConfiguration, runtime: Runtime) -> None:
        self.is_full_report_due = True
        self._configuration = configuration
        self._runtime = runtime
        self._pending: dict[int, ReceivedDeletedBlock] = {}
        self._in_flight: dict[int, ReceivedDeletedBlock] = {}
        self._is_full_report_in_flight = False
        self._is_urgent = False
        self._changed = runtime.condition()

    # -- what is owed -------------------------------------------------------------------------------------------

    def add(self, block: Block, status: ReceivedStatus) -> None:
        """Something to report of a replica; it takes the place of what was to be reported of it before.

        A finished replica is reported at once, others with the next heartbeat (#notifyNamenodeBlock).
        """
        self._pending.pop(block.block_id, None)
        self._pending[block.block_id] = ReceivedDeletedBlock(block, status)
        if status is ReceivedStatus.RECEIVED:
            self.trigger()

    def trigger(self) -> None:
        """Send what is pending."""
        if self._pending:
            self._is_urgent = True
            self._changed.notify_all()

    def unsettled(self) -> frozenset[int] | None:
        """Blocks of which a report is pending or under way; None if that may be any block."""
        if self._is_full_report_in_flight or self.is_full_report_due:
            return None
        return frozenset(self._pending) | frozenset(self._in_flight)

    def forget(self) -> None:
        """A full report will tell everything (BPServiceActor#reRegister clears what is pending)."""
        self._pending.clear()
        self.is_full_report_due = True

    # -- sending ------------------------------------------------------------------------------------------------

    async def send_incremental_reports(self, finish: Finish) -> None:
        """Send what is urgent, for as long as the datanode is registered.

        Args:
            finish: waits until all is on the disk that has been reported by then.
        """
        interval_us = self._configuration.incremental_report_interval_ms * MICROSECONDS_A_MILLISECOND
        while True:
            while not self._is_urgent:
                await self._changed.wait()
            await self._runtime.sleep_us(interval_us)
            self._is_urgent = False
            if not await self._send_pending(finish):
                await self._runtime.sleep_us(self._configuration.retry_interval_ms * MICROSECONDS_A_MILLISECOND)
                self._is_urgent = bool(self._pending)

    async def send_full_report(
        self, replicas: Callable[[], tuple[ReportedReplica, ...]], finish: Finish
    ) -> tuple[Command, ...] | None:
        """Tell the namenode of all replicas, after what was pending; None if that failed.

        Args:
            replicas: gives them, when the report is made.
            finish: waits until all is on the disk that they are by then.
        """
        if not await self._send_pending(finish):
            return None
        while self._is_full_report_in_flight or self._in_flight:
            await self._changed.wait()
        self._is_full_report_in_flight = True
        try:
            self.is_full_report_due = False
            request = BlockReport(self._runtime.node, replicas())
            await finish()
            return await self._runtime.call(NAMENODE, request, timeout_us=self._timeout_us())
        except HdfsIOException:
            self.is_full_report_due = True
            return None
        finally:
            self._is_full_report_in_flight = False
            self._changed.notify_all()

    async def _send_pending(self, finish: Finish) -> bool:
        """Send what is pending now; whether it has arrived. What has not is pending again, if nothing newer is."""
        while self._in_flight or self._is_full_report_in_flight:
            await self._changed.wait()
        if not self._pending:
            return True
        sent, self._pending = self._pending, {}
        self._in_flight = sent
        request = BlockReceivedAndDeleted(self._runtime.node, tuple(sent.values()))
        try:
            await finish()
            await self._runtime.call(NAMENODE, request, timeout_us=self._timeout_us())
        except HdfsIOException:
            if not self.is_full_report_due:
                self._pending = {**sent, **self._pending}
            return False
        finally:
            self._in_flight = {}
            self._changed.notify_all()
        return True

    def _timeout_us(self) -> int:
        return self._configuration.call_timeout_ms * MICROSECONDS_A_MILLISECOND
