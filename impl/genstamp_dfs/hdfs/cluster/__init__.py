"""A whole cluster in one process: the cores, and one method for each atomic step of the protocol.

A step happens completely or not at all. It leaves exactly one event, also when the protocol refuses it; a step that
cannot happen now raises `StepNotPossibleError`, leaves no event and changes nothing. Who decides which step comes next
(somebody's hand, a simulated network) is not known here.
"""

from typing import Final

from genstamp_dfs.hdfs.cluster.faults import FaultSteps
from genstamp_dfs.hdfs.cluster.recovery import RecoverySteps
from genstamp_dfs.hdfs.cluster.writing import WritingSteps


class Cluster(WritingSteps, RecoverySteps, FaultSteps):
    """The cores and all their steps."""


STEPS: Final[dict[str, tuple[str, ...]]] = {
    "create": ("client", "file"),
    "add_block": ("client", "file"),
    "create_rbw": ("client", "file", "datanode"),
    "receive_packet": ("client", "file", "datanode"),
    "hflush": ("client", "file"),
    "last_packet": ("client", "file"),
    "finalize_replica": ("client", "file", "datanode"),
    "block_received": ("file", "datanode"),
    "complete": ("client", "file"),
    "renew_lease": ("client",),
    "recover_lease": ("client", "file"),
    "receive_recovery_command": ("file", "datanode"),
    "init_replica_recovery": ("primary", "file", "datanode"),
    "init_replica_recovery_failed": ("primary", "file", "datanode"),
    "sync_block": ("primary", "file"),
    "abandon_recovery": ("primary", "file"),
    "update_replica_under_recovery": ("primary", "file", "datanode"),
    "update_replica_failed": ("primary", "file", "datanode"),
    "commit_block_synchronization": ("primary", "file"),
    "invalidate_replica": ("file", "datanode"),
}
"""Protocol steps that can be asked for, with the names of their arguments."""

FAULTS: Final[dict[str, tuple[str, ...]]] = {
    "client_crash": ("client",),
    "datanode_crash": ("datanode",),
    "datanode_restart": ("datanode",),
    "datanode_restart_losing_bytes": ("datanode",),
}
"""Faults that can be asked for, with the names of their arguments."""

TIMED: Final[dict[str, tuple[str, ...]]] = {"release_expired_lease": ("holder", "file")}
"""Steps that nobody asks for: they come with time."""

__all__ = ["Cluster", "STEPS", "FAULTS", "TIMED"]
