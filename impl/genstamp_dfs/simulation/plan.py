"""What shall happen in a simulated run: what its clients do, and what goes wrong, and when.

A plan is made from a seed before the run and is plain data, so that a run that fails can be repeated with less of it.

Not here: how it is done (`workload`, `chaos`), and what can go wrong (`faults`).
"""

import random
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.simulation.faults import Fault, Nodes, make_disk_faults, make_faults
from genstamp_dfs.world.times import SECOND_US


class Flush(StrEnum):
    """What a writer does after a piece."""

    NOTHING = "nothing"
    HFLUSH = "hflush"
    HSYNC = "hsync"


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes to write at once, what is done after them, and how long the writer rests then, in microseconds."""

    num_bytes: int
    flush: Flush
    rest_us: int


class JobKind(StrEnum):
    """What a client can do with a path."""

    CREATE = "create"
    OVERWRITE = "overwrite"
    APPEND = "append"
    APPEND_NEW_BLOCK = "append new block"
    TAKE_OVER = "take over"
    TRUNCATE = "truncate"
    DELETE = "delete"
    RENAME = "rename"
    READ = "read"


WRITES: Final = (JobKind.CREATE, JobKind.OVERWRITE, JobKind.APPEND, JobKind.APPEND_NEW_BLOCK)
"""Jobs that write pieces."""


@dataclass(frozen=True, slots=True)
class Job:
    """One thing that a client does.

    Attributes:
        start_us: not before this time.
        pieces: what is written, for a job of `WRITES`.
        closes: whether the writer closes in the end, or leaves the file open and does something else.
        argument: for TRUNCATE how much of the file stays, in per mille; else nothing.
        target: for RENAME, the other path.
    """

    start_us: int
    kind: JobKind
    path: str
    pieces: tuple[Piece, ...] = ()
    closes: bool = True
    argument: int = 0
    target: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A run.

    Attributes:
        seed: of the dice inside the run.
        datanodes, clients: names of the nodes.
        jobs: client -> what it does, one after the other.
        faults: what goes wrong.
        safety_us: when faults stop.
    """

    seed: int
    datanodes: tuple[str, ...]
    clients: tuple[str, ...]
    jobs: dict[str, tuple[Job, ...]]
    faults: tuple[Fault, ...]
    safety_us: int


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How large and how bad a run shall be.

    Attributes:
        safety_s: how long anything may fail, in virtual seconds.
        files: how many paths there are for all clients together.
        mean_fault_s: mean time between two faults; 0 for none.
        mean_disk_fault_s: mean time between two faults of disks, which are full or fail to sync; 0 for none.
        block_size: of the files, in bytes; small, so that files have several blocks.
        sync_ms: a datanode does other things for less than this while packets are forced to its disk; 0 for no time.
    """

    datanodes: int = 4
    clients: int = 3
    files: int = 4
    jobs_per_client: int = 8
    pieces: int = 6
    safety_s: int = 600
    mean_fault_s: int = 25
    mean_disk_fault_s: int = 0
    block_size: int = 4096
    sync_ms: int = 0


def make_plan(seed: int, options: PlanOptions | None = None) -> Plan:
    """The plan of a seed; the same for the same options."""
    options = options or PlanOptions()
    chance = random.Random(f"plan {seed}")
    datanodes = tuple(f"datanode{number}" for number in range(1, options.datanodes + 1))
    clients = tuple(f"client{number}" for number in range(1, options.clients + 1))
    jobs = {client: tuple(_jobs(chance, options)) for client in clients}
    nodes = Nodes(NAMENODE, datanodes, clients)
    faults = make_faults(chance, nodes, options.mean_fault_s, options.safety_s)
    disk_chance = random.Random(f"disks of plan {seed}")
    faults += make_disk_faults(disk_chance, nodes, options.mean_disk_fault_s, options.safety_s)
    return Plan(
        seed=seed,
        datanodes=datanodes,
        clients=clients,
        jobs=jobs,
        faults=tuple(sorted(faults, key=lambda fault: fault.at_us)),
        safety_us=options.safety_s * SECOND_US,
    )


# -- jobs -----------------------------------------------------------------------------------------------------------

_JOB_WEIGHTS: Final = {
    JobKind.CREATE: 8,
    JobKind.OVERWRITE: 2,
    JobKind.APPEND: 6,
    JobKind.APPEND_NEW_BLOCK: 1,
    JobKind.TAKE_OVER: 4,
    JobKind.TRUNCATE: 2,
    JobKind.DELETE: 1,
    JobKind.RENAME: 1,
    JobKind.READ: 4,
}


def _jobs(chance: random.Random, options: PlanOptions) -> list[Job]:
    """What one client does; it begins by writing something."""
    mean_us = options.safety_s * SECOND_US // max(1, options.jobs_per_client)
    jobs: list[Job] = []
    start_us = 0
    for number in range(options.jobs_per_client):
        start_us += int(chance.expovariate(1 / mean_us)) if number else chance.randrange(5 * SECOND_US)
        kinds = list(_JOB_WEIGHTS)
        kind = chance.choices(kinds, list(_JOB_WEIGHTS.values()))[0] if number else JobKind.CREATE
        jobs.append(_job(chance, options, start_us, kind))
    return jobs


def _job(chance: random.Random, options: PlanOptions, start_us: int, kind: JobKind) -> Job:
    paths = [f"/file{number}" for number in range(1, options.files + 1)]
    path, target = chance.sample(paths, 2) if len(paths) > 1 else (paths[0], paths[0])
    pieces: tuple[Piece, ...] = ()
    if kind in WRITES:
        pieces = tuple(_piece(chance, options) for _ in range(chance.randint(0, options.pieces)))
    return Job(
        start_us=start_us,
        kind=kind,
        path=path,
        pieces=pieces,
        closes=chance.random() < 0.8,
        argument=chance.choice((0, 250, 500, 999, 1000)),
        target=target if kind is JobKind.RENAME else "",
    )


def _piece(chance: random.Random, options: PlanOptions) -> Piece:
    num_bytes = chance.choice((1, 100, 511, 512, 513, 1000, options.block_size // 2, options.block_size))
    flush = chance.choices((Flush.NOTHING, Flush.HFLUSH, Flush.HSYNC), (3, 4, 3))[0]
    return Piece(num_bytes, flush, int(chance.expovariate(1 / (3 * SECOND_US))))
