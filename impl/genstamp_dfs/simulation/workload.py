"""What the clients of a simulated run do, job after job; what is refused is counted, and the next job follows.

Not here: which jobs; see `plan`.
"""

from collections import Counter

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.client import DFSClient, DFSOutputStream
from genstamp_dfs.hdfs.messages.client_protocol import Delete, GetFileInfo, Rename, Truncate
from genstamp_dfs.simulation.ledger import Ledger, pattern
from genstamp_dfs.simulation.plan import WRITES, Flush, Job, JobKind
from genstamp_dfs.world.times import SECOND_US

RECOVER_TRIES = 20
RECOVER_PAUSE_US = 5 * SECOND_US


class Workload:
    """One client's work.

    Args:
        client: who does it.
        jobs: what.
        ledger: told what was read.
        start_us: what the client's clock shows at the beginning of the run.
        outcomes: counts what came of the jobs.
    """

    def __init__(
        self, client: DFSClient, jobs: tuple[Job, ...], ledger: Ledger, start_us: int, outcomes: Counter[str]
    ) -> None:
        self._client = client
        self._jobs = jobs
        self._ledger = ledger
        self._start_us = start_us
        self._outcomes = outcomes

    async def run(self) -> None:
        """Do all jobs, each not before its time."""
        for job in self._jobs:
            early_us = self._start_us + job.start_us - self._client.runtime.now_us()
            if early_us > 0:
                await self._client.runtime.sleep_us(early_us)
            try:
                await self._do(job)
            except HdfsIOException as refusal:
                self._outcomes[f"{job.kind.value}: {refusal.hadoop_name}"] += 1
            else:
                self._outcomes[f"{job.kind.value}: done"] += 1

    async def _do(self, job: Job) -> None:
        if job.kind in WRITES:
            await self._write(job)
            return
        match job.kind:
            case JobKind.TAKE_OVER:
                await self._take_over(job.path)
            case JobKind.TRUNCATE:
                await self._truncate(job)
            case JobKind.DELETE:
                await self._client.ask(Delete(job.path))
            case JobKind.RENAME:
                await self._client.ask(Rename(job.path, job.target))
            case JobKind.READ:
                await read_whole(self._client, job.path, self._ledger)
            case _:
                raise AssertionError(f"no way to do {job.kind}")

    async def _open(self, job: Job) -> DFSOutputStream:
        match job.kind:
            case JobKind.APPEND | JobKind.APPEND_NEW_BLOCK:
                return await self._client.append(job.path, new_block=job.kind is JobKind.APPEND_NEW_BLOCK)
            case _:
                return await self._client.create(job.path, overwrite=job.kind is JobKind.OVERWRITE)

    async def _write(self, job: Job) -> None:
        """Open, write all pieces, and close or leave the file open."""
        stream = await self._open(job)
        for piece in job.pieces:
            await stream.write(pattern(stream.file_id, stream.position, piece.num_bytes))
            match piece.flush:
                case Flush.HFLUSH:
                    await stream.hflush()
                case Flush.HSYNC:
                    await stream.hsync()
                case Flush.NOTHING:
                    pass
            await self._client.runtime.sleep_us(piece.rest_us)
        if job.closes:
            await stream.close()

    async def _take_over(self, path: str) -> None:
        """recoverLease() again and again, as applications do it, until the file is closed."""
        for _ in range(RECOVER_TRIES):
            if await self._client.recover_lease(path):
                return
            await self._client.runtime.sleep_us(RECOVER_PAUSE_US)
        raise HdfsIOException(f"{path} was not closed by {RECOVER_TRIES} calls")

    async def _truncate(self, job: Job) -> None:
        status = await self._client.ask(GetFileInfo(job.path))
        if status is not None:
            await self._client.ask(Truncate(job.path, status.length * job.argument // 1000, self._client.name))


async def read_whole(client: DFSClient, path: str, ledger: Ledger) -> None:
    """Read a file from its beginning and have its bytes judged, if there is such a file.

    Raises:
        HdfsIOException: it cannot be read now.
    """
    status = await client.ask(GetFileInfo(path))
    if status is None:
        return
    data = await (await client.open(path)).read()
    again = await client.ask(GetFileInfo(path))
    if again is not None and again.file_id == status.file_id:
        ledger.read(status.file_id, path, data)


async def read_blocks(client: DFSClient, path: str, file_id: int, ledger: Ledger) -> tuple[dict[int, int], list[str]]:
    """Read a file block by block and have its bytes judged.

    Returns:
        Offset and length of each block that can be read, and why the others cannot.
    """
    readable: dict[int, int] = {}
    reasons = []
    stream = await client.open(path)
    for located in stream.blocks:
        try:
            data = await stream.read(located.offset, located.block.num_bytes)
        except HdfsIOException as problem:
            reasons.append(f"{problem.hadoop_name}: {problem}")
        else:
            ledger.read(file_id, path, data, located.offset)
            readable[located.offset] = len(data)
    return readable, reasons
