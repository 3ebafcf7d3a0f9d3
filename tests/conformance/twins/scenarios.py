"""Plans made for the purpose: what clients do and what goes wrong, where random plans would take too long.

Each takes a datanode as its victim, or a moment, and makes a plan of it, since where replicas go is left to the dice.
Where nothing worse happens than the scenario says, some jobs have to come to a good end: those are `due`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations

from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.simulation.cluster import ClusterOptions
from genstamp_dfs.simulation.faults import Fault, FaultKind
from genstamp_dfs.simulation.plan import Flush, Job, JobKind, Piece, Plan, make_plan
from genstamp_dfs.simulation.run import default_options
from genstamp_dfs.world.times import SECOND_US

DATANODES = ("datanode1", "datanode2", "datanode3", "datanode4")
FILE = "/file1"


@dataclass(frozen=True)
class Scenario:
    """Some plans of one kind.

    Attributes:
        name: as the table has it.
        plans: what happens, in each.
        due: what has to come of the jobs, at least.
        options: how the nodes are set up.
    """

    name: str
    plans: tuple[Plan, ...]
    due: frozenset[str] = frozenset()
    options: ClusterOptions = field(default_factory=default_options)


def of_seeds(count: int) -> Scenario:
    """Random plans with faults of all kinds."""
    return Scenario(f"seeds 0 to {count - 1}", tuple(make_plan(seed) for seed in range(count)))


# -- words ------------------------------------------------------------------------------------------------------------


def us(seconds: float) -> int:
    """So many seconds."""
    return int(seconds * SECOND_US)


def job(start_s: float, kind: JobKind, *pieces: Piece, closes: bool = True, path: str = FILE) -> Job:
    """One thing that a client does."""
    return Job(us(start_s), kind, path, pieces, closes)


def hflush(num_bytes: int, rest_s: float = 1) -> Piece:
    """Bytes that are flushed, and a rest."""
    return Piece(num_bytes, Flush.HFLUSH, us(rest_s))


def bytes_only(num_bytes: int, rest_s: float = 0) -> Piece:
    """Bytes that nobody flushes."""
    return Piece(num_bytes, Flush.NOTHING, us(rest_s))


def crash(at_s: float, node: str, lasts_s: float, *, power_loss: bool = False) -> Fault:
    """A node dies, and comes back."""
    return Fault(us(at_s), FaultKind.POWER_LOSS if power_loss else FaultKind.CRASH, node, us(lasts_s))


def part(at_s: float, node: str, others: tuple[str, ...], lasts_s: float) -> Fault:
    """A node does not hear others."""
    return Fault(us(at_s), FaultKind.PARTITION, node, us(lasts_s), others=others)


def plan(jobs: dict[str, tuple[Job, ...]], *faults: Fault, safety_s: int = 200, datanodes: int = 4) -> Plan:
    """A plan of these jobs and faults."""
    return Plan(7, DATANODES[:datanodes], tuple(jobs), jobs, faults, us(safety_s))


def each(make: Callable[[str], Plan]) -> tuple[Plan, ...]:
    """The plan with each datanode as its victim."""
    return tuple(make(datanode) for datanode in DATANODES)


# -- writers ----------------------------------------------------------------------------------------------------------

QUIET = Scenario(
    "written, appended to, nothing fails",
    (
        plan(
            {
                "client1": (
                    job(1, JobKind.CREATE, bytes_only(3000), hflush(1000)),
                    job(10, JobKind.APPEND, bytes_only(700), hflush(96, 4), bytes_only(1000)),
                )
            },
            safety_s=60,
        ),
    ),
    due=frozenset({"create: done", "append: done"}),
)

FULL_BLOCK = Scenario(
    "appended to where a block is full",
    (plan({"client1": (job(1, JobKind.CREATE, hflush(4096)), job(10, JobKind.APPEND, hflush(100)))}, safety_s=60),),
    due=frozenset({"create: done", "append: done"}),
)

LONG_WRITE = Scenario(
    "a living writer's file is wanted by another",
    (
        plan(
            {
                "client1": (job(1, JobKind.CREATE, *[hflush(100, 10)] * 20),),
                "client2": (job(100, JobKind.APPEND, hflush(10)),),
            },
            safety_s=300,
        ),
    ),
    due=frozenset({"create: done", "append: AlreadyBeingCreatedException"}),
)

IDLE_WRITER = Scenario(
    "a writer rests between its flushes",
    (plan({"client1": (job(1, JobKind.CREATE, *[hflush(100, 100)] * 4),)}, safety_s=500, datanodes=3),),
    due=frozenset({"create: done"}),
)

ONE_NODE_DIES = Scenario(
    "a datanode dies under a writer",
    each(
        lambda node: plan(
            {"client1": (job(1, JobKind.CREATE, *[hflush(100, 2)] * 6),)}, crash(6, node, 10_000), safety_s=100
        )
    ),
    due=frozenset({"create: done"}),
)

NODES_COME_TOO_LATE = Scenario(
    "a datanode dies under a writer, and another is unknown to a restarted namenode",
    tuple(
        plan(
            {"client1": (job(1, JobKind.CREATE, *[bytes_only(600, 2)] * 6),)},
            part(3, NAMENODE, (unheard,), 60),
            crash(4, NAMENODE, 1),
            crash(8, dead, 10_000),
            safety_s=100,
        )
        for dead in DATANODES
        for unheard in DATANODES
        if dead != unheard
    ),
)

FAILED_CLOSE = Scenario(
    "a close fails, and another client wants the file",
    (
        plan(
            {
                "client1": (job(1, JobKind.CREATE, hflush(100), bytes_only(100, 4)),),
                "client2": (job(150, JobKind.APPEND, hflush(10)), job(170, JobKind.APPEND, hflush(10))),
            },
            *(crash(4, datanode, 30) for datanode in DATANODES),
            safety_s=250,
        ),
    ),
    due=frozenset({"append: RecoveryInProgressException", "append: done"}),
)

TWO_BLOCKS_ONE_UNHEARD = Scenario(
    "replicas of the first of two blocks are not reported",
    each(
        lambda node: plan(
            {"client1": (job(1, JobKind.CREATE, bytes_only(4096), hflush(100)),)},
            part(0.9, NAMENODE, (node,), 15),
            safety_s=60,
        )
    ),
    options=replace(default_options(), client=replace(default_options().client, replication=1)),
)

# -- recoveries -------------------------------------------------------------------------------------------------------

_LEFT_OPEN = job(1, JobKind.CREATE, *[hflush(300)] * 4, closes=False)

TAKEN_OVER = Scenario(
    "a dead writer's file is taken over while a datanode is down",
    each(
        lambda node: plan(
            {"client1": (_LEFT_OPEN,), "client2": (job(10, JobKind.TAKE_OVER),)},
            crash(6, "client1", 0),
            crash(6, node, 10_000),
            safety_s=150,
        )
    ),
    due=frozenset({"take over: done"}),
)

TAKEN_OVER_AFTER_POWER_LOSS = Scenario(
    "a dead writer's file is taken over after a datanode has lost its power",
    each(
        lambda node: plan(
            {"client1": (_LEFT_OPEN,), "client2": (job(15, JobKind.TAKE_OVER),)},
            crash(5.5, "client1", 0),
            crash(5.5, node, 1, power_loss=True),
            safety_s=150,
        )
    ),
    due=frozenset({"take over: done"}),
)

TAKEN_FROM_A_LIVING_WRITER = Scenario(
    "a file is taken over whose writer cannot hear the namenode and goes on, and the recovery waits for a datanode",
    tuple(
        plan(
            {
                "client1": (job(1, JobKind.CREATE, *[hflush(50, 0.3)] * 60),),
                "client2": (job(8, JobKind.TAKE_OVER),),
            },
            part(5, "client1", (NAMENODE,), 60),
            part(5, one, (other,), 60),
            safety_s=150,
        )
        for one, other in combinations(DATANODES, 2)
    ),
)

NOBODY_KNOWS_THE_BLOCK = Scenario(
    "a dead writer's file is taken over while a restarted namenode knows of no replica",
    (
        plan(
            {"client1": (_LEFT_OPEN,), "client2": (job(20, JobKind.TAKE_OVER),)},
            crash(6, "client1", 0),
            part(9, NAMENODE, DATANODES, 30),
            crash(10, NAMENODE, 1),
            safety_s=150,
        ),
    ),
)

DELETED_MEANWHILE = Scenario(
    "a file is deleted while its block is recovered",
    tuple(
        plan(
            {
                "client1": (_LEFT_OPEN,),
                "client2": (job(10, JobKind.TAKE_OVER),),
                "client3": (job(10 + tenth / 10, JobKind.DELETE),),
            },
            crash(6, "client1", 0),
            safety_s=60,
        )
        for tenth in range(1, 40)
    ),
)

APPENDED_WITHOUT_A_NODE = Scenario(
    "a datanode misses an append and reports its old replica",
    each(
        lambda node: plan(
            {
                "client1": (
                    job(1, JobKind.CREATE, hflush(300)),
                    job(12, JobKind.APPEND, hflush(100, 40), hflush(100, 1)),
                )
            },
            crash(10, node, 15),
            safety_s=100,
        )
    ),
    due=frozenset({"create: done", "append: done"}),
)

APPEND_RECOVERED_WITHOUT_A_NODE = Scenario(
    "a file that was opened for append is recovered without one of its datanodes",
    each(
        lambda node: plan(
            {
                "client1": (job(1, JobKind.CREATE, hflush(300)), job(11, JobKind.APPEND, closes=False)),
                "client2": (job(20, JobKind.TAKE_OVER),),
            },
            crash(10, node, 100),
            crash(15, "client1", 0),
            safety_s=100,
        )
    ),
    due=frozenset({"create: done", "take over: done"}),
)

TWO_FILES_EXPIRE = Scenario(
    "a writer dies that has two files open",
    (
        plan(
            {"client1": (_LEFT_OPEN, job(8, JobKind.CREATE, hflush(300), closes=False, path="/file2"))},
            crash(15, "client1", 0),
            safety_s=400,
        ),
    ),
)

LONG_SAFE_MODE = Scenario(
    "a restarted namenode stays in safe mode for longer than the hard limit",
    (
        plan(
            {
                "client1": (
                    job(1, JobKind.CREATE, hflush(300)),
                    job(3, JobKind.CREATE, hflush(300), path="/file2"),
                    job(5, JobKind.CREATE, hflush(300), closes=False, path="/file3"),
                )
            },
            crash(15, "client1", 0),
            part(19, NAMENODE, DATANODES, 400),
            crash(20, NAMENODE, 1),
            safety_s=450,
        ),
    ),
)
