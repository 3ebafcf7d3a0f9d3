"""How the steps of hdfs.recovery are brought about."""

from collections.abc import Mapping
from typing import Final

from genstamp.stateful.driving import HARD_LIMIT_MS, RECOVERY_GATE_MS, SOFT_LIMIT_MS, Driving, Times
from genstamp.track import Timer
from genstamp_model.language import Configuration

_RECOVERY_STARTS: Final = dict.fromkeys(("recover_lease", "release_expired_lease", "create"))
_RENEWALS: Final = {**_RECOVERY_STARTS, "renew_lease": "client"}


def _recovery_clock(soft_limit_ms: int, recovery_gate_ms: int) -> Mapping[str, Timer]:
    # The hard limit can pass once the soft limit has passed, but is counted from the last renewal as well.
    rest_ms = HARD_LIMIT_MS - soft_limit_ms
    return {
        "soft_limit_passes": Timer(soft_limit_ms, soft_limit_ms, put_off_by=_RENEWALS),
        "hard_limit_passes": Timer(rest_ms, HARD_LIMIT_MS, due_ms=rest_ms, put_off_by=_RENEWALS),
        "recovery_gate_opens": Timer(recovery_gate_ms, recovery_gate_ms, put_off_by=_RECOVERY_STARTS),
    }


def _recovery_times(soft_limit_ms: int, recovery_gate_ms: int) -> Times:
    times = {"soft_limit_ms": soft_limit_ms, "recovery_gate_ms": recovery_gate_ms}
    return Times(times, _recovery_clock(soft_limit_ms, recovery_gate_ms))


RECOVERY: Final = Driving(
    members=lambda cluster: {"Client": cluster.clients, "File": cluster.files, "Datanode": cluster.datanodes},
    faults=frozenset({"client_crash", "datanode_crash", "datanode_restart", "datanode_restart_losing_bytes"}),
    spontaneous=frozenset({"release_expired_lease"}),
    clock=_recovery_clock(SOFT_LIMIT_MS, RECOVERY_GATE_MS),
    # A little more than each limit, as expiry is strict; the lease monitor looks every 2 s.
    ticks_ms=(1_000, SOFT_LIMIT_MS + 1, RECOVERY_GATE_MS + 1, HARD_LIMIT_MS + 2_001),
    # What ends something too soon, or can be done all the time.
    weights={"complete": 0.2, "recover_lease": 0.2, "renew_lease": 0.3, "client_crash": 0.5},
    # What a client, its pipeline and replication do by themselves: the model allows more than they do.
    may_decline={
        "add_block": "a client that was refused a block has given the file up",
        "create_rbw": "a client sets a node of its pipeline up once, even if the node has lost the replica since",
        "receive_packet": "packets pass along the chain of the pipeline, whose order the model leaves out",
        "finalize_replica": "the last packet is acknowledged along the chain, from its end",
        "hflush": "a client waits for what is on its way, and need not ask where it has nothing new to flush",
        "last_packet": "a client that has written nothing need not have a block to end",
        "update_replica_under_recovery": "a primary updates one participant after the other, in its own order",
        "update_replica_failed": "a primary updates one participant after the other, in its own order",
        "invalidate_replica": "how long a useless replica is kept depends on replication, which the model leaves out",
    },
    may_not_come={
        "release_expired_lease": "the namenode has a lease for each hour in which it took files over, the model one "
        "for all; a file that it has just taken over waits for the lease of its own hour",
    },
    forgotten=("hflushed",),
    # In which order nodes were set up and asked is the order in which they get packets, and are updated.
    depends_on_way=lambda cluster: len(cluster.datanodes) > 1,
    walked=(
        "one_recovery",
        "takeover",
        "outages",
        # What the others lack: two attempts at one recovery, each with a primary of its own.
        Configuration(
            "two_primaries",
            sizes={"Client": 1, "File": 1, "Datanode": 2},
            limits={"stamps": 3, "bytes": 1, "crashes": 0},
            doc="two recoveries of one block by two primaries, and nothing crashes",
        ),
    ),
    # A recovery that is young still when leases expire, and one that is not young any more when they have not aged; and
    # a monitor that comes so seldom that a lease is surely past its hard limit before it does.
    other_times=(
        _recovery_times(SOFT_LIMIT_MS, 4 * HARD_LIMIT_MS),
        _recovery_times(HARD_LIMIT_MS // 2, 1_000),
        Times(
            {"lease_recheck_ms": HARD_LIMIT_MS // 2},
            _recovery_clock(SOFT_LIMIT_MS, RECOVERY_GATE_MS),
            (HARD_LIMIT_MS // 10 + 1,),
        ),
    ),
)
