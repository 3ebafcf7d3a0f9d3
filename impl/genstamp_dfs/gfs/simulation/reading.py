"""Reads everything in the end of a run, from every replica that the master names, and as users do.

Not here: the judgement of what was read; see `ledger`.
"""

from collections.abc import Callable, Iterable, Iterator

from genstamp_dfs.errors import Refusal
from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.gfs.messages.chunkserver_protocol import Read
from genstamp_dfs.gfs.messages.master_protocol import FindChunk
from genstamp_dfs.gfs.protocol import MASTER, PIECE_BYTES
from genstamp_dfs.gfs.records import MARK, RecordId, decode_record
from genstamp_dfs.gfs.simulation.ledger import FileRead, Ledger
from genstamp_dfs.gfs.simulation.refusals import refusal_name


class Reading:
    """What is read in the end.

    Args:
        client: who reads.
        ledger: told what was read.
        now_us: time of the run, in microseconds.
        holds_cells: whether a path has cells, and not records.

    Attributes:
        files: what was read of each path.
        problems: what could not be read.
    """

    def __init__(
        self, client: Client, ledger: Ledger, now_us: Callable[[], int], holds_cells: Callable[[str], bool]
    ) -> None:
        self._client = client
        self._ledger = ledger
        self._now_us = now_us
        self._chunk_bytes = client.limits.chunk_bytes
        self._holds_cells = holds_cells
        self.files: dict[str, FileRead] = {}
        self.problems: list[str] = []

    async def read_all(self) -> None:
        """Read all files, deleted ones included."""
        for info in await self._client.list("/", hidden=True):
            try:
                await self._read(info.path, info.chunks)
            except Refusal as refusal:
                self.problems.append(f"{info.path} cannot be read: {refusal_name(refusal)}: {refusal}")

    async def _read(self, path: str, chunks: int) -> None:
        read = self.files[path] = FileRead()
        holds_cells = self._holds_cells(path)
        for index in range(chunks):
            begun_us, start = self._now_us(), index * self._chunk_bytes
            replicas = await self._read_chunk(path, index)
            if holds_cells:
                for name, data in replicas.items():
                    self._ledger.read_cells(path, data, start, start + self._chunk_bytes, begun_us, name)
                self._ledger.compare_cells(path, replicas, start, start + self._chunk_bytes, begun_us)
            else:
                read.whole |= {start + offset: one for offset, one in _everywhere(replicas.values())}
        if not holds_cells:
            async for record in self._client.records(path):
                read.records.add(record.id)
                self._ledger.read_record(path, record)

    async def _read_chunk(self, path: str, index: int) -> dict[str, bytes]:
        """The bytes of each replica of a chunk that the master names."""
        runtime = self._client.runtime
        chunk = await runtime.call(MASTER, FindChunk(path, index))
        found = {}
        for name in chunk.chunkservers:
            data, piece = b"", b"more"
            while piece and len(data) < self._chunk_bytes:
                most = min(PIECE_BYTES, self._chunk_bytes - len(data))
                piece = await runtime.call(name, Read(chunk.handle, chunk.version, len(data), most))
                data += piece
            found[name] = data
        if not found:
            self.problems.append(f"chunk {index} of {path} has no replica")
        return found


def _everywhere(replicas: Iterable[bytes]) -> Iterable[tuple[int, RecordId]]:
    """The records that stand whole at one offset on all replicas of a chunk."""
    found = [set(_records(data)) for data in replicas]
    return set.intersection(*found) if found else ()


def _records(chunk: bytes) -> Iterator[tuple[int, RecordId]]:
    """The offsets at which whole records stand in a chunk."""
    offset = chunk.find(MARK)
    while offset >= 0:
        decoded = decode_record(chunk, offset)
        if decoded is not None:
            yield offset, decoded[0].id
        offset = chunk.find(MARK, offset + 1)
