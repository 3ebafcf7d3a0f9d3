"""How the steps of hdfs.block_recovery are brought about on Apache HDFS; genstamp has no driving of this system."""

from genstamp.stateful.driving import RECOVERY_GATE_MS, Driving, driving_of
from genstamp.track import Timer

_RECOVERY = driving_of("hdfs.recovery")
_TOLD = (
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

BLOCK_RECOVERY = Driving(
    members=lambda cluster: {
        "Client": cluster.clients,
        "File": cluster.files[:1],
        "Datanode": cluster.datanodes,
    },
    faults=_RECOVERY.faults,
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
        **_RECOVERY.may_decline,
        "storage_is_forgotten": "a block is placed on storages that are known",
    },
    # The model hides these; the adapter makes them when it is asked to, and tells of them.
    told_apart={name: name for name in _TOLD},
    forgotten=("crashes", "deletions", "given_up", "hflushed", "holding", "lost_commands", "silences", "steady"),
    walked=("late", "overlapping", "silent", "deleted"),
)
