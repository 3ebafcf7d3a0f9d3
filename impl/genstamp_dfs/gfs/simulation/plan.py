"""What shall happen in a simulated run of GFS: what its clients do, and what goes wrong, and when.

A plan is made from a seed before the run and is plain data, so that a run that fails can be repeated with less of it.

Not here: how it is done (`workload`), and what can go wrong (`genstamp_dfs.simulation.faults`).
"""

import random
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.simulation.faults import EVERYDAY, Fault, FaultKind, Nodes, make_disk_faults, make_faults
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND, SECOND_US

CELL_BYTES: Final = 32
"""Writes begin and end at multiples of this many bytes of a file."""


FAULTS: Final = {
    **EVERYDAY,
    FaultKind.LATE_MESSAGES: 3,
    FaultKind.ROT: 4,
    FaultKind.SLOW_DISK: 2,
    FaultKind.FULL_DISK: 2,
}
"""How often each fault happens, against the others."""


class JobKind(StrEnum):
    """What a client can do with a path."""

    CREATE = "create"
    APPEND = "append"
    WRITE = "write"
    SNAPSHOT = "snapshot"
    DELETE = "delete"
    UNDELETE = "undelete"
    RENAME = "rename"
    READ = "read"


@dataclass(frozen=True, slots=True)
class Piece:
    """One record, or one write, and how long the client rests then.

    Attributes:
        num_bytes: of the record's data; of a write, a multiple of `CELL_BYTES`.
        offset: where a write begins in the file, a multiple of `CELL_BYTES`.
        rest_us: in microseconds of the client's clock.
    """

    num_bytes: int
    offset: int
    rest_us: int


@dataclass(frozen=True, slots=True)
class Job:
    """One thing that a client does.

    Attributes:
        start_us: not before this time.
        pieces: what is appended or written.
        is_at_once: the pieces are begun at the same time, and not one after the other.
        target: the new path, of RENAME and SNAPSHOT.
    """

    start_us: int
    kind: JobKind
    path: str
    pieces: tuple[Piece, ...] = ()
    target: str = ""
    is_at_once: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A run.

    Attributes:
        seed: of the dice inside the run.
        chunk_bytes: size of a chunk.
        chunkservers, clients: names of the nodes.
        jobs: client -> what it does, one after the other.
        faults: what goes wrong.
        safety_us: when faults stop.
    """

    seed: int
    chunk_bytes: int
    chunkservers: tuple[str, ...]
    clients: tuple[str, ...]
    jobs: dict[str, tuple[Job, ...]]
    faults: tuple[Fault, ...]
    safety_us: int


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How large and how bad a run shall be.

    Attributes:
        logs, tables: how many paths there are that records are appended to, and that cells are written to.
        pieces: how many records or writes a job has at most.
        mean_rest_ms: how long a client rests after a record or a write, on average.
        safety_s: how long anything may fail, in virtual seconds.
        mean_fault_s: mean time between two faults; 0 for none.
        mean_disk_fault_s: mean time between two more faults of disks, the master's too, which are full or fail to sync;
            0 for none.
        without: faults that do not happen; the others come instead.
        chunk_sizes: one of these is the size of a chunk, in bytes; small, so that files have several chunks.
        sync_ms: a chunkserver does other things for less than this while bytes are forced to its disk; 0 for no time.
    """

    chunkservers: int = 4
    clients: int = 3
    logs: int = 2
    tables: int = 2
    jobs_per_client: int = 14
    pieces: int = 8
    mean_rest_ms: int = 3000
    safety_s: int = 400
    mean_fault_s: int = 18
    mean_disk_fault_s: int = 0
    without: tuple[FaultKind, ...] = ()
    chunk_sizes: tuple[int, ...] = (2048, 2048, 4096, 160_000)
    sync_ms: int = 0


def make_plan(seed: int, options: PlanOptions | None = None) -> Plan:
    """The plan of a seed; the same for the same options."""
    options = options or PlanOptions()
    chance = random.Random(f"gfs plan {seed}")
    chunkservers = tuple(f"chunkserver{number}" for number in range(1, options.chunkservers + 1))
    clients = tuple(f"client{number}" for number in range(1, options.clients + 1))
    chunk_bytes = chance.choice(options.chunk_sizes)
    jobs = {client: tuple(_Jobs(chance, options, chunk_bytes, client).make()) for client in clients}
    nodes = Nodes(MASTER, chunkservers, clients)
    weights = {kind: weight for kind, weight in FAULTS.items() if kind not in options.without}
    faults = make_faults(chance, nodes, options.mean_fault_s, options.safety_s, weights)
    disk_chance = random.Random(f"disks of gfs plan {seed}")
    faults += make_disk_faults(disk_chance, nodes, options.mean_disk_fault_s, options.safety_s)
    return Plan(
        seed=seed,
        chunk_bytes=chunk_bytes,
        chunkservers=chunkservers,
        clients=clients,
        jobs=jobs,
        faults=tuple(sorted(faults, key=lambda fault: fault.at_us)),
        safety_us=options.safety_s * SECOND_US,
    )


_WEIGHTS: Final = {
    JobKind.APPEND: 10,
    JobKind.WRITE: 8,
    JobKind.SNAPSHOT: 3,
    JobKind.READ: 4,
    JobKind.RENAME: 1,
    JobKind.DELETE: 1,
    JobKind.UNDELETE: 1,
    JobKind.CREATE: 1,
}


class _Jobs:
    """What one client does."""

    def __init__(self, chance: random.Random, options: PlanOptions, chunk_bytes: int, client: str) -> None:
        self._chance = chance
        self._options = options
        self._chunk_bytes = chunk_bytes
        self._client = client
        self._logs = [f"/log{number}" for number in range(1, options.logs + 1)]
        self._tables = [f"/table{number}" for number in range(1, options.tables + 1)]

    def make(self) -> list[Job]:
        """The files are made first, by whichever client comes first; then come the others."""
        chance, options = self._chance, self._options
        jobs = [Job(chance.randrange(SECOND_US), JobKind.CREATE, path) for path in (*self._logs, *self._tables)]
        mean_us = options.safety_s * SECOND_US // max(1, options.jobs_per_client)
        start_us = 5 * SECOND_US
        for number in range(options.jobs_per_client):
            start_us += int(chance.expovariate(1 / mean_us)) if number else chance.randrange(5 * SECOND_US)
            kind = chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0] if number else JobKind.APPEND
            jobs.append(self._job(number, start_us, kind))
        return jobs

    def _job(self, number: int, start_us: int, kind: JobKind) -> Job:
        chance = self._chance
        pieces: tuple[Piece, ...] = ()
        target = ""
        is_at_once = kind in (JobKind.APPEND, JobKind.WRITE) and chance.random() < 0.25
        match kind:
            case JobKind.APPEND:
                path = chance.choice(self._logs)
                pieces = tuple(self._record() for _ in range(chance.randint(1, self._options.pieces)))
            case JobKind.WRITE:
                path = chance.choice(self._tables)
                pieces = tuple(self._write() for _ in range(chance.randint(1, self._options.pieces)))
                if is_at_once:
                    # All of them have some cells in common: who comes last is what is seen.
                    pieces = tuple(replace(piece, offset=pieces[0].offset) for piece in pieces)
            case _:
                path = chance.choice((*self._logs, *self._tables))
        if kind is JobKind.SNAPSHOT:
            target = f"{path}-{self._client}-{number}"
        elif kind is JobKind.RENAME:
            target = chance.choice([f"{path}-moved", f"{path}-moved-again"])
        return Job(start_us, kind, path, pieces, target, is_at_once)

    def _rest_us(self) -> int:
        return int(self._chance.expovariate(1 / (self._options.mean_rest_ms * MICROSECONDS_A_MILLISECOND)))

    def _record(self) -> Piece:
        """A record with data from none to what still fits into a quarter of a chunk."""
        most = self._chunk_bytes // 4 - 64
        num_bytes = self._chance.choice((0, 1, most // 10, most // 2, most))
        return Piece(num_bytes, 0, self._rest_us())

    def _write(self) -> Piece:
        """A write somewhere in the first chunks, of a few cells or across the end of a chunk."""
        cells = self._chance.choice((1, 1, 4, self._chunk_bytes // CELL_BYTES // 2))
        first = self._chance.randrange(3 * self._chunk_bytes // CELL_BYTES)
        if self._chance.random() < 0.5:
            first = self._chance.choice((0, 1, 2, self._chunk_bytes // CELL_BYTES - 1))
        return Piece(cells * CELL_BYTES, first * CELL_BYTES, self._rest_us())
