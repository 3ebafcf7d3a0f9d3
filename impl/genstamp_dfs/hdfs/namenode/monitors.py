"""What a namenode does by itself as time passes.

Source: NN/LeaseManager.Monitor, BM/BlockManager.RedundancyMonitor, BM/HeartbeatManager.Monitor, Hadoop 3.4.1.
"""

from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.datanode_calls import remove_datanode
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.lease_recovery import ExpiredLease, check_leases
from genstamp_dfs.hdfs.namenode.redundancy import compute_work, initialize_queues, process_pending_timeouts
from genstamp_dfs.hdfs.namenode.tree_changes import remove_blocks
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


class Monitor:
    """Something that is done again and again, for the first time when a period has passed."""

    def __init__(self, period_ms: int, now_us: int) -> None:
        self._period_us = period_ms * MICROSECONDS_A_MILLISECOND
        self._next_us = now_us + self._period_us

    def is_due(self, now_us: int) -> bool:
        """Whether it is to be done now; if so, the next time is a period from now."""
        if now_us < self._next_us:
            return False
        self._next_us = now_us + self._period_us
        return True


class Monitors:
    """The monitors of a namesystem."""

    def __init__(self, fsn: FSNamesystem) -> None:
        configuration, now_us = fsn.configuration, fsn.clock.now_us()
        self._leases = Monitor(configuration.limits.lease_recheck_ms, now_us)
        self._heartbeats = Monitor(configuration.heartbeat_recheck_ms, now_us)
        self._redundancy = Monitor(configuration.redundancy_interval_ms, now_us)

    def do_what_is_due(self, fsn: FSNamesystem) -> list[ExpiredLease]:
        """Run the monitors whose time has come; gives what the lease monitor did."""
        now_us, bm = fsn.clock.now_us(), fsn.block_manager
        remove_blocks(fsn, fsn.configuration.block_deletion_increment)
        if bm.safe_mode.ends(now_us, _awaited_reports(fsn, now_us)):
            initialize_queues(bm)
        if self._heartbeats.is_due(now_us):
            check_heartbeats(fsn)
        if self._redundancy.is_due(now_us) and not bm.safe_mode.is_on:
            process_pending_timeouts(bm)
            compute_work(bm)
        return check_leases(fsn) if self._leases.is_due(now_us) else []


def _awaited_reports(fsn: FSNamesystem, now_us: int) -> list[str]:
    """The datanodes without whose first full report safe mode does not end; of Hadoop none.

    One that has been silent for too long is not waited for, although safe mode takes nobody for dead.
    """
    if not fsn.repairs(Repair.SAFE_MODE_WAITS_FOR_REPORTS):
        return []
    silent = fsn.datanode_manager.expired_datanodes(now_us)
    known = fsn.datanode_manager.datanodes.values()
    return [each.name for each in known if each.is_alive and each.is_content_stale and each not in silent]


def check_heartbeats(fsn: FSNamesystem) -> None:
    """Take datanodes that have been silent for too long for dead; none in safe mode (HeartbeatManager)."""
    if fsn.block_manager.safe_mode.is_on:
        return
    for datanode in fsn.datanode_manager.expired_datanodes(fsn.clock.now_us()):
        remove_datanode(fsn, datanode.name)
