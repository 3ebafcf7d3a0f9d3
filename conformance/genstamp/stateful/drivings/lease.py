"""How the steps of hdfs.lease are brought about."""

from collections.abc import Mapping
from typing import Final

from genstamp.adapters import Cluster
from genstamp.lockstep.hdfs.lease_words import FORGOTTEN
from genstamp.stateful.driving import HARD_LIMIT_MS, SOFT_LIMIT_MS, Driving
from genstamp.track import Timer
from genstamp_model.language import Configuration

_REPLICAS_BEFORE: Final = (
    "the model leaves out that a complete block before the last may have no replica, which keeps a file open"
)
_COUNTED: Final = "of the blocks before the last two the model has the number only, so that none becomes the last one"
GATES_MS: Final = (30_000, 1_800_000)
"""How soon one recovery may follow another: before a soft limit passes, or after a hard one."""

_SEEDS_OF_A_GATE: Final = 3

_BOUNDARY: Final = "append_at_block_boundary"
_FULL: Final = "whether the last block is full is left open in the model"


_REOPENINGS: Final = dict.fromkeys(("recover_lease", "release_expired_lease", "create", "append", _BOUNDARY))
_LEASE_RENEWALS: Final = {**dict.fromkeys(("create_over", "namenode_restart")), **_REOPENINGS, "renew_lease": "client"}


def _lease_clock(gate: Timer) -> Mapping[str, Timer]:
    """The times of a run in which one recovery may follow another so soon."""
    return {
        "soft_limit_passes": Timer(SOFT_LIMIT_MS, SOFT_LIMIT_MS, put_off_by=_LEASE_RENEWALS),
        # Possible once the soft limit has passed, but counted from the last renewal as well.
        "hard_limit_passes": Timer(
            HARD_LIMIT_MS - SOFT_LIMIT_MS,
            HARD_LIMIT_MS,
            due_ms=HARD_LIMIT_MS - SOFT_LIMIT_MS,
            put_off_by=_LEASE_RENEWALS,
        ),
        "recovery_gate_opens": gate,
    }


def _lease_clock_of(cluster: Cluster) -> Mapping[str, Timer]:
    """The times of a run; its seed says how soon one recovery may follow another."""
    gate = GATES_MS[cluster.seed // _SEEDS_OF_A_GATE % len(GATES_MS)]
    # A file that is renamed has waited under its old name.
    soonest = gate if len(cluster.files) == 1 else 0
    return _lease_clock(Timer(soonest, gate, put_off_by={**_REOPENINGS, "namenode_restart": None}))


_ONE_OF_EACH: Final = {"Client": 1, "File": 1, "Datanode": 1}
_NOTHING: Final = dict.fromkeys(
    ("bytes", "stamps", "older", "renames", "removals", "restarts", "late_calls", "lost", "crashes"), 0
)


def _small(name: str, sizes: Mapping[str, int], **limits: int) -> Configuration:
    """A configuration to be walked: small enough, each for some of the actions and refusals of hdfs.lease."""
    return Configuration(name, {**_ONE_OF_EACH, **sizes}, {**_NOTHING, "bytes": 1, **limits})


LEASE: Final = Driving(
    members=lambda cluster: {"Client": cluster.clients, "File": cluster.files, "Datanode": cluster.datanodes},
    faults=frozenset({"client_crash", "datanode_stops", "datanode_returns", "namenode_restart"}),
    clock=_lease_clock(Timer(*GATES_MS)),
    clock_of=_lease_clock_of,
    settings=len(GATES_MS) * _SEEDS_OF_A_GATE,
    forgotten=FORGOTTEN,
    walked=(
        _small("one_block_restart", {}, stamps=1, restarts=1),
        "two_clients",
        _small("two_blocks_restart", {}, stamps=2, restarts=1),
        _small("lost_and_late", {}, stamps=2, late_calls=1, lost=1),
        _small("late_restart_of_one_block", {}, stamps=1, late_calls=1, restarts=1),
        _small("late_lengths", {}, stamps=1, bytes=2, late_calls=1),
        _small("outages", {}, stamps=2, crashes=1),
        _small("three_blocks", {}, stamps=3),
        _small("names", {"File": 2}, stamps=1, renames=1, removals=1),
        _small("removals", {}, stamps=2, removals=1),
        _small("overwritten", {"Client": 2}, stamps=1, removals=1),
    ),
    ticks_ms=(1_000, GATES_MS[0] + 1, SOFT_LIMIT_MS + 1, HARD_LIMIT_MS + 1, GATES_MS[1] + 1),
    weights={
        "complete": 0.5,
        "complete_unanswered": 0.3,
        "recover_lease": 0.3,
        "renew_lease": 0.3,
        "delete": 0.2,
        "create_over": 0.2,
        "rename": 0.5,
        "client_crash": 0.2,
        "namenode_restart": 0.5,
        "datanode_stops": 0.5,
    },
    brought_about=frozenset(
        {"finalize_replicas", "add_block_is_analysed", "fsync_is_delayed", "late_call_ends", "safe_mode_ends"}
    ),
    told_apart={
        "create_over": "create_over",
        _BOUNDARY: _BOUNDARY,
        "append_closes_and_opens": _BOUNDARY,
        "add_block_unanswered": "add_block_unanswered",
        "add_block_goes_on": "add_block_goes_on",
        "add_block_was_repeated": "add_block_goes_on",
        "complete_unanswered": "complete_unanswered",
        "fsync_arrives_late": "fsync_arrives_late",
        "block_received_earlier": "block_received_earlier",
    },
    may_decline={
        "append": _FULL,
        "create": _REPLICAS_BEFORE,
        "recover_lease": _REPLICAS_BEFORE,
        _BOUNDARY: _FULL,
        "write": "a full block takes no byte more, which the model leaves out",
        "add_block_goes_on": "a late addBlock needs a datanode here, and, where it names no block, one that is full",
        "commit_block_synchronization": _COUNTED,
        "abandon_block": _COUNTED,
        "datanode_stops": "in safe mode a namenode takes no datanode for dead",
        "release_expired_lease": "the namenode's own leases have ages of their own, which the model leaves out",
        "namenode_restart": "an image and the edits leave the last blocks of open files in states of their own",
    },
)
