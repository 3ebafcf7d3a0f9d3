"""A namenode under somebody's hand: the calls on files and leases, one at a time, with arguments that clients pass.

What becomes of blocks is reduced to what the namenode hears of them: reports, and how recoveries end.
"""

from typing import Final

from genstamp_dfs.hdfs.leases.base import LeaseOptions
from genstamp_dfs.hdfs.leases.restarts import LeaseCluster

_CALL: Final = ("client", "file")
_REPORT: Final = ("file", "datanode")

STEPS: Final[dict[str, tuple[str, ...]]] = {
    "create": _CALL,
    "create_over": _CALL,
    "append": _CALL,
    "append_at_block_boundary": _CALL,
    "recover_lease": _CALL,
    "renew_lease": ("client",),
    "delete": _CALL,
    "rename": ("client", "source", "target"),
    "release_expired_lease": ("holder", "file"),
    "add_block": _CALL,
    "add_block_unanswered": _CALL,
    "add_block_goes_on": _CALL,
    "abandon_block": _CALL,
    "get_additional_datanode": _CALL,
    "write": _CALL,
    "last_packet": _CALL,
    "fsync": _CALL,
    "fsync_arrives_late": _CALL,
    "complete": _CALL,
    "complete_unanswered": _CALL,
    "block_received": _REPORT,
    "block_received_earlier": _REPORT,
    "replica_reported": _REPORT,
    "commit_block_synchronization": ("primary", "file"),
}
"""Steps that can be asked for, with the names of their arguments."""

FAULTS: Final[dict[str, tuple[str, ...]]] = {
    "client_crash": ("client",),
    "datanode_stops": ("datanode",),
    "datanode_returns": ("datanode",),
    "namenode_restart": (),
    "finalize_replicas": ("file",),
    "add_block_is_analysed": _CALL,
    "fsync_is_delayed": _CALL,
    "late_call_ends": (),
    "safe_mode_ends": (),
}
"""Faults, and what nobody is told of, with the names of their arguments."""

__all__ = ["LeaseCluster", "LeaseOptions", "STEPS", "FAULTS"]
