"""How the events of a system are brought about: what its model does not say and a test must know.

Not here: the model itself, and the names of files and nodes, which are the run's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from genstamp.adapters import Cluster
from genstamp.errors import DrivingError
from genstamp.lockstep.hdfs.lease_words import FORGOTTEN
from genstamp.track import Timer
from genstamp_model.language import Configuration


@dataclass(frozen=True)
class Times:
    """Other times than those by which an implementation usually goes, as the model knows none.

    Attributes:
        times_ms: the times that are others, by name.
        clock: the clock with them.
        ticks_ms: how much time passes at once while something is waited for; as ever where nothing is said.
    """

    times_ms: Mapping[str, int]
    clock: Mapping[str, Timer]
    ticks_ms: tuple[int, ...] = ()


@dataclass(frozen=True)
class Driving:
    """How the events of one system are brought about.

    Attributes:
        members: the index sets' members in a cluster, by base name.
        faults: events asked for as faults.
        spontaneous: events that nobody asks for: they come while time passes.
        clock: when hidden actions happen that only time brings about.
        ticks_ms: how much time a test lets pass at once.
        weights: how much less or more often than others an event is asked for; 1 where nothing is said.
        may_decline: events that the implementation may say are not possible although the model can do them, because
            the model leaves out what decides; each with the reason.
        may_not_come: spontaneous events that may not come although the model can do them; each with the reason.
        forgotten: variables that do not count for abstract transitions, as only limits and properties read them.
        walked: the configurations that are walked, of the system by name, or others; together they have what is to be
            driven. The first is small enough to be walked in every verification.
        other_times: with which a walk goes to what cannot be had in the usual times.
        brought_about: hidden actions that a test asks for as faults, and that happen at no other time. No event reports
            them.
        chosen: by event, numbers that the model picks and a test says with it, as the implementation can be told.
        told_apart: actions that a test asks for by a name of their own: others share their event, or the model hides
            them and the implementation tells of them.
        settings: how many seeds in a row set up a run otherwise: what one does not do, the next may.
        depends_on_way: of a cluster, whether what can be done in a state depends on the way to it, as orders do that
            the model leaves out: a walk then picks among shortest ways by chance, and gives no step up that it has
            taken once.
        clock_of: where the times depend on the run, its clock; `clock` then has the soonest and the latest of all.
    """

    members: Callable[[Cluster], Mapping[str, Sequence[str]]]
    faults: frozenset[str] = frozenset()
    spontaneous: frozenset[str] = frozenset()
    clock: Mapping[str, Timer] = field(default_factory=dict)
    ticks_ms: tuple[int, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    may_decline: Mapping[str, str] = field(default_factory=dict)
    may_not_come: Mapping[str, str] = field(default_factory=dict)
    forgotten: tuple[str, ...] = ()
    walked: tuple[str | Configuration, ...] = ()
    other_times: tuple[Times, ...] = ()
    brought_about: frozenset[str] = frozenset()
    told_apart: Mapping[str, str] = field(default_factory=dict)
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settings: int = 1
    depends_on_way: Callable[[Cluster], bool] = lambda cluster: False
    clock_of: Callable[[Cluster], Mapping[str, Timer]] | None = None

    def timers(self, cluster: Cluster) -> Mapping[str, Timer]:
        """The clock of a run."""
        return self.clock if self.clock_of is None else self.clock_of(cluster)


SOFT_LIMIT_MS: Final = 60_000
HARD_LIMIT_MS: Final = 1_200_000
RECOVERY_GATE_MS: Final = 90_000

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


_HDFS_RECOVERY = Driving(
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

HDFS_PIPELINE: Final = Driving(
    members=lambda cluster: {"Client": cluster.clients, "Datanode": cluster.datanodes},
    faults=frozenset(
        {
            "datanode_crash",
            "datanode_restart",
            "datanode_stops_to_restart",
            "datanode_comes_back",
            "restart_takes_too_long",
            "receiver_fails",
            "receiver_hangs",
            "client_crash",
        }
    ),
    weights={
        "client_crash": 0.05,
        "datanode_crash": 0.5,
        "datanode_stops_to_restart": 0.5,
        "read": 0.5,
        "reuse_stamp": 0.2,
    },
    brought_about=frozenset({"recovery_starts", "update_pipeline_is_sent_twice", "datanode_registers_again"}),
    chosen={"add_block": ("always",)},
    told_apart={"update_pipeline_comes_late": "late_update_pipeline"},
    # What the model allows and this client, or any, never does.
    may_decline={
        "send_last_packet": "a block without a byte is ended by who has opened the file to close it at once",
        "reuse_stamp": "a client need not be able to set a pipeline up under the stamp that the block has",
        "add_datanode": "whom a client has copy first is the first node; and whoever joins is the last of the chain",
        "transfer_fails": "whom a client has copy first is the first node",
        "error_ack_comes": "the news that a node restarts comes as it was sent, also once its time is over",
        "mirror_fails": "a node listens once the pipeline is set up, and to what was acknowledged before the end",
        "connection_fails": "what a node has acknowledged arrives before the end of its connection",
        "receiver_fails": "once the last packet is acknowledged, the receivers end by themselves",
        "receiver_hangs": "once the last packet is acknowledged, the receivers end by themselves",
    },
    forgotten=("hflushed", "steady", "failed"),
    walked=("fenced", "pair", "upgrade", "client", "append", "reused_stamps", "restart", "chain", "spare"),
)

_REPLICAS_BEFORE: Final = (
    "the model leaves out that a complete block before the last may have no replica, which keeps a file open"
)
_COUNTED: Final = "of the blocks before the last two the model has the number only, so that none becomes the last one"
LEASE_GATES_MS: Final = (30_000, 1_800_000)
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
    gate = LEASE_GATES_MS[cluster.seed // _SEEDS_OF_A_GATE % len(LEASE_GATES_MS)]
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


HDFS_LEASE: Final = Driving(
    members=lambda cluster: {"Client": cluster.clients, "File": cluster.files, "Datanode": cluster.datanodes},
    faults=frozenset({"client_crash", "datanode_stops", "datanode_returns", "namenode_restart"}),
    clock=_lease_clock(Timer(*LEASE_GATES_MS)),
    clock_of=_lease_clock_of,
    settings=len(LEASE_GATES_MS) * _SEEDS_OF_A_GATE,
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
    ticks_ms=(1_000, LEASE_GATES_MS[0] + 1, SOFT_LIMIT_MS + 1, HARD_LIMIT_MS + 1, LEASE_GATES_MS[1] + 1),
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

DRIVINGS: Final[Mapping[str, Driving]] = {
    "hdfs.lease": HDFS_LEASE,
    "hdfs.recovery": _HDFS_RECOVERY,
    "hdfs.pipeline": HDFS_PIPELINE,
}


def driving_of(system: str) -> Driving:
    """How the events of a system are brought about.

    Raises:
        DrivingError: nothing is known of this system.
    """
    if system not in DRIVINGS:
        raise DrivingError(system, sorted(DRIVINGS))
    return DRIVINGS[system]
