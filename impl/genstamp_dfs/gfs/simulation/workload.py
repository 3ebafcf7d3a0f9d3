"""What the clients of a simulated run of GFS do, job after job; what is refused is counted, and the next job follows.

Not here: which jobs; see `plan`.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

from genstamp_dfs.errors import Refusal
from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.gfs.errors import PathExists
from genstamp_dfs.gfs.records import Record, RecordId
from genstamp_dfs.gfs.side_by_side import together
from genstamp_dfs.gfs.simulation.cells import content
from genstamp_dfs.gfs.simulation.ledger import Ledger, record_data
from genstamp_dfs.gfs.simulation.plan import CELL_BYTES, Job, JobKind, Piece
from genstamp_dfs.gfs.simulation.refusals import refusal_name
from genstamp_dfs.world.times import SECOND_US

READ_AGAIN_S: Final = (0, 1, 2, 4, 8, 4, 2, 1)
"""How long a client rests before each time it reads a file, in seconds; every other time it opens it anew."""

SLOWEST_CLOCK: Final = 2
"""No client's clock needs so many times as long as the others'."""


class Workload:
    """One client's work.

    Args:
        client: who does it.
        writer: its number in the ids of records, another one for each client.
        jobs: what.
        ledger: told what is begun, acknowledged and read.
        now_us: time of the run, the same for everybody, in microseconds.
        outcomes: counts what came of the jobs.
    """

    def __init__(
        self,
        client: Client,
        writer: int,
        jobs: tuple[Job, ...],
        ledger: Ledger,
        now_us: Callable[[], int],
        outcomes: Counter[str],
    ) -> None:
        self._client = client
        self._writer = writer
        self._jobs = jobs
        self._ledger = ledger
        self._now_us = now_us
        self._outcomes = outcomes
        self._records = 0
        self._hidden: dict[str, str] = {}

    async def run(self) -> None:
        """Do all jobs, each not before its time."""
        start_us = self._client.runtime.now_us()
        for job in self._jobs:
            early_us = start_us + job.start_us - self._client.runtime.now_us()
            if early_us > 0:
                await self._client.runtime.sleep_us(early_us)
            try:
                await self._do(job)
            except Refusal as refusal:
                self._outcomes[f"{job.kind.value}: {refusal_name(refusal)}"] += 1
            else:
                self._outcomes[f"{job.kind.value}: done"] += 1

    async def _do(self, job: Job) -> None:
        match job.kind:
            case JobKind.CREATE:
                await self._create(job.path)
            case JobKind.APPEND:
                await self._do_pieces(job, self._append)
            case JobKind.WRITE:
                await self._do_pieces(job, self._write)
            case JobKind.SNAPSHOT:
                begun_us = self._now_us()
                await self._client.snapshot(job.path, job.target)
                self._ledger.made_snapshot(job.path, job.target, begun_us)
            case JobKind.RENAME:
                self._ledger.asked_to_move(job.path)
                self._ledger.asked_to_move(job.target)
                await self._client.rename(job.path, job.target)
            case JobKind.DELETE:
                self._ledger.asked_to_remove(job.path)
                self._hidden[job.path] = await self._client.delete(job.path)
            case JobKind.UNDELETE:
                await self._undelete(job.path)
            case JobKind.READ:
                await read_file(self._client, job.path, self._ledger, self._now_us)

    async def _create(self, path: str) -> None:
        """Make a file, unless another client has done so already."""
        with contextlib.suppress(PathExists):
            await self._client.create(path)
        self._ledger.created(path)

    async def _undelete(self, path: str) -> None:
        hidden = self._hidden.pop(path, None)
        if hidden is not None:
            await self._client.undelete(hidden)

    async def _do_pieces(self, job: Job, do: Callable[[str, Piece], Coroutine[Any, Any, None]]) -> None:
        """Do all pieces, one after the other with rests, or all at once."""
        runtime = self._client.runtime
        if job.is_at_once:
            await together(runtime, [partial(do, job.path, piece) for piece in job.pieces], job.kind.value)
            return
        for piece in job.pieces:
            await do(job.path, piece)
            await runtime.sleep_us(piece.rest_us)

    async def _append(self, path: str, piece: Piece) -> None:
        self._records += 1
        one = RecordId(self._writer, self._records)
        record = Record(one, record_data(one, piece.num_bytes))
        appended = self._ledger.begin_append(path, record)
        self._ledger.end_append(appended, await self._client.append_record(path, record))

    async def _write(self, path: str, piece: Piece) -> None:
        write = self._ledger.begin_write(path, piece.offset, piece.num_bytes)
        await self._client.write(path, piece.offset, content(write))
        self._ledger.end_write(write, piece.num_bytes)


def holds_cells(path: str) -> bool:
    """Whether cells are written to the file, or to that of which it is a snapshot, and no records appended."""
    return "table" in path


async def read_file(client: Client, path: str, ledger: Ledger, now_us: Callable[[], int]) -> None:
    """Open a file and read it as its users do, several times if it has cells, and have what is read judged.

    Raises:
        Refusal: it cannot be read now.
    """
    begun_us = opened_us = now_us()
    if not holds_cells(path):
        found = set()
        async for record in client.records(path):
            ledger.read_record(path, record)
            found.add(record.id)
        ledger.read_records(path, found, begun_us)
        return
    chunks = 0
    for number, rest_s in enumerate(READ_AGAIN_S):
        await client.runtime.sleep_us(rest_s * SECOND_US)
        begun_us = now_us()
        if number % 2 == 0:
            opened_us = begun_us
            chunks = (await client.open(path)).chunks
        data = await client.read(path, 0, chunks * client.limits.chunk_bytes)
        # Old bytes may be read for a while, by a clock that may be slow; but the file may not end too early.
        since_us = max(opened_us, begun_us - SLOWEST_CLOCK * client.configuration.cache_us)
        end = len(data) // CELL_BYTES * CELL_BYTES
        ledger.read_cells(path, data, 0, end, since_us, "whatever replica was read")
        ledger.read_cells(path, b"", end, chunks * client.limits.chunk_bytes, begun_us, "its end")
