"""How the steps of hdfs.block_recovery are brought about. The reference implementation has no adapter of them."""

from typing import Final

from genstamp.stateful.driving import RECOVERY_GATE_MS, Driving
from genstamp.stateful.drivings.recovery import RECOVERY
from genstamp.track import Timer
from genstamp_model.language import Configuration

_TOLD: Final = (
    "block_is_removed",
    "datanode_becomes_stale",
    "datanode_is_heard_of",
    "datanode_is_taken_for_dead",
    "init_replica_recovery_late",
    "recovery_command_is_lost",
    "report_back",
    "storage_is_forgotten",
    "update_replica_late",
)


def _small(name: str, datanodes: int, doc: str, *, clients: int = 1, **limits: int) -> Configuration:
    """A configuration to be walked, with the system's own limits but for those given."""
    sizes = {"Client": clients, "File": 1, "Datanode": datanodes}
    return Configuration(name, sizes, limits, doc=doc)


BLOCK_RECOVERY: Final = Driving(
    members=lambda cluster: {
        "Client": cluster.clients,
        "File": cluster.files[:1],
        "Datanode": cluster.datanodes,
    },
    faults=RECOVERY.faults,
    settings=8,  # Which datanode leads a recovery is left to chance.
    clock={
        "recovery_gate_opens": Timer(RECOVERY_GATE_MS, RECOVERY_GATE_MS, put_off_by={"release": None}),
    },
    ticks_ms=(1_000, RECOVERY_GATE_MS + 1),
    # What can be done all the time, or ends something too soon.
    weights={
        "client_crash": 0.3,
        "complete": 0.2,
        "datanode_becomes_stale": 0.05,
        "datanode_is_heard_of": 0.1,
        "delete": 0.1,
        "release": 0.5,
        "storage_is_forgotten": 0.1,
    },
    may_decline={
        **RECOVERY.may_decline,
        "storage_is_forgotten": "a block is placed on storages that are known",
    },
    # The model hides these; the adapter makes them when it is asked to, and tells of them.
    told_apart={name: name for name in _TOLD},
    forgotten=("crashes", "deletions", "given_up", "hflushed", "holding", "lost_commands", "silences", "steady"),
    walked=(
        "late",
        _small("two_clients", 1, "another client, and a deletion", clients=2, crashes=1, deletions=1),
        _small("reported_twice", 1, "a report that comes again, and late", stamps=3, reports=2, lost_commands=1),
        _small("deleted", 1, "two recoveries and a deletion", stamps=3, reports=2, deletions=1, lost_commands=1),
        _small("silent", 1, "two recoveries of a silent datanode's block", stamps=3, crashes=1, silences=2),
        _small("silent_pair", 2, "one of two datanodes is silent", crashes=1, silences=1),
        _small("crashes", 2, "a crash and a call that comes late", calls=1, crashes=1),
        _small("overlapping", 2, "two recoveries at a time", stamps=3, reports=2),
    ),
)
