"""All calls of the namenode in one class, and what it does by itself as time passes.

Each call stands in a file of its concern; each class there adds to the one before:

    base, lease_recovery, tree_changes, create, append, add_block, complete, truncate, pipeline_calls,
    block_recovery_calls, datanode_calls, tree_calls, attribute_calls, read_calls

Not here: who calls, and what becomes of the answer (`namenode`).

Source: NN/FSNamesystem, BM/BlockManager.RedundancyMonitor, BM/HeartbeatManager.Monitor, Hadoop 3.4.1.
"""

import random
from dataclasses import dataclass

from genstamp_dfs.hdfs.messages.datanode_protocol import NamespaceInfo
from genstamp_dfs.hdfs.namenode.base import Journal
from genstamp_dfs.hdfs.namenode.configuration import Clock, NameNodeConfiguration, Repair
from genstamp_dfs.hdfs.namenode.lease_recovery import ExpiredLease
from genstamp_dfs.hdfs.namenode.read_calls import ReadCalls
from genstamp_dfs.hdfs.namenode.redundancy import compute_work, initialize_queues, process_pending_timeouts
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


@dataclass
class Monitor:
    """Something that is done again and again: how often, and when next."""

    period_us: int
    next_us: int

    def is_due(self, now_us: int) -> bool:
        """Whether it is to be done now; if so, the next time is a period from now."""
        if now_us < self.next_us:
            return False
        self.next_us = now_us + self.period_us
        return True


class FSNamesystem(ReadCalls):
    """The namenode's state, the calls on it, and its monitors."""

    def __init__(
        self,
        configuration: NameNodeConfiguration,
        clock: Clock,
        chance: random.Random,
        journal: Journal,
        namespace: NamespaceInfo,
    ) -> None:
        super().__init__(configuration, clock, chance, journal, namespace)
        self.lease_monitor = self._monitor(configuration.limits.lease_recheck_ms)
        self.heartbeat_monitor = self._monitor(configuration.heartbeat_recheck_ms)
        self.redundancy_monitor = self._monitor(configuration.redundancy_interval_ms)

    def _monitor(self, period_ms: int) -> Monitor:
        period_us = period_ms * MICROSECONDS_A_MILLISECOND
        return Monitor(period_us, self.clock.now_us() + period_us)

    def do_what_is_due(self) -> list[ExpiredLease]:
        """Run the monitors whose time has come; gives what the lease monitor did."""
        now_us = self.clock.now_us()
        self.remove_blocks(self.configuration.block_deletion_increment)
        if self.block_manager.safe_mode.ends(now_us, self._awaited_reports(now_us)):
            initialize_queues(self.block_manager)
        if self.heartbeat_monitor.is_due(now_us):
            self.check_heartbeats()
        if self.redundancy_monitor.is_due(now_us) and not self.block_manager.safe_mode.is_on:
            process_pending_timeouts(self.block_manager)
            compute_work(self.block_manager)
        return self.check_leases() if self.lease_monitor.is_due(now_us) else []

    def _awaited_reports(self, now_us: int) -> list[str]:
        """The datanodes without whose first full report safe mode does not end; of Hadoop none.

        One that has been silent for too long is not waited for, although safe mode takes nobody for dead.
        """
        if not self.is_closed_hole(Repair.SAFE_MODE_WAITS_FOR_REPORTS):
            return []
        silent = self.datanode_manager.expired_datanodes(now_us)
        known = self.datanode_manager.datanodes.values()
        return [each.name for each in known if each.is_alive and each.is_content_stale and each not in silent]

    def check_heartbeats(self) -> None:
        """Take datanodes that have been silent for too long for dead; none in safe mode (HeartbeatManager)."""
        if self.block_manager.safe_mode.is_on:
            return
        for datanode in self.datanode_manager.expired_datanodes(self.clock.now_us()):
            self.remove_datanode(datanode.name)
