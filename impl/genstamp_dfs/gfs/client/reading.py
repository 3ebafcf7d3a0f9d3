"""How a client reads: from any chunkserver with a current replica, and from another one where that fails.

Where replicas are is remembered (`locations`), so one that has become stale since may be read. It may have old bytes,
for as long as that is remembered. But most files are appended to, so most of what it lacks lies behind its end: a chunk
that ends early is believed only if the master says after the reading has begun that nothing newer counts. A replica
without which anything was acknowledged has a lower version than the chunk.

Not here: choosing the nearest.

Source: section 2.7.1.
"""

from dataclasses import dataclass

from genstamp_dfs.errors import NETWORK_FAILURES, Refusal
from genstamp_dfs.gfs.client.configuration import ClientConfiguration
from genstamp_dfs.gfs.client.locations import ASK_AGAIN, Known, Locations
from genstamp_dfs.gfs.errors import ChunkNotFound, CorruptReplica, NoReplica, StaleVersion
from genstamp_dfs.gfs.messages.chunkserver_protocol import Read
from genstamp_dfs.gfs.protocol import PIECE_BYTES, ChunkLocations
from genstamp_dfs.gfs.runtime import Runtime

TRY_ANOTHER = (ChunkNotFound, CorruptReplica, StaleVersion, *NETWORK_FAILURES)
"""What is so of one chunkserver, and need not be of another one."""


@dataclass(frozen=True, slots=True)
class ChunkRead:
    """Bytes of a chunk, and whether it was the last one of its file."""

    data: bytes
    is_last: bool


class Reading:
    """Reads chunks."""

    def __init__(self, configuration: ClientConfiguration, runtime: Runtime, locations: Locations) -> None:
        self._configuration = configuration
        self._runtime = runtime
        self._locations = locations

    async def read(self, path: str, index: int, offset: int, num_bytes: int, begun_us: int) -> ChunkRead | None:
        """Bytes of a chunk, fewer than asked for where it ends; None if the file has no such chunk.

        Args:
            path, index: which chunk.
            offset, num_bytes: which of its bytes.
            begun_us: when the reading of the file has begun, by the client's clock in microseconds: the end of a chunk
                is not believed of a replica that was named before.

        Raises:
            PathNotFound, IsADirectory: it is no file.
            Refusal: nobody has given them for as long as the client tries.
        """
        give_up_us = self._runtime.now_us() + self._configuration.give_up_us
        while True:
            try:
                known = await self._locations.find(path, index)
                if known is None:
                    return None
                data = await self._read_any(path, index, known.chunk, offset, num_bytes)
                if len(data) == num_bytes or known.asked_us >= begun_us:
                    return ChunkRead(data, known.is_last)
                now = await self._locations.ask(path, index)
                if now is not None and _is_same(now, known):
                    return ChunkRead(data, now.is_last)
                continue
            except (*ASK_AGAIN, *TRY_ANOTHER) as problem:
                failure: Refusal = problem
            self._locations.forget_chunk(path, index)
            if self._runtime.now_us() >= give_up_us:
                raise failure
            await self._runtime.sleep_us(self._configuration.retry_interval_us)

    async def _read_any(self, path: str, index: int, chunk: ChunkLocations, offset: int, num_bytes: int) -> bytes:
        """Bytes of a chunk from the first chunkserver that gives them, in some order.

        Raises:
            Refusal: as the last one did.
        """
        failure: Refusal = NoReplica(f"no chunkserver with chunk {index} of {path} is known")
        for chunkserver in self._runtime.random.sample(chunk.chunkservers, len(chunk.chunkservers)):
            try:
                return await self._read_all(chunkserver, chunk, offset, num_bytes)
            except TRY_ANOTHER as problem:
                failure = problem
        raise failure

    async def _read_all(self, chunkserver: str, chunk: ChunkLocations, offset: int, num_bytes: int) -> bytes:
        pieces, done = [], 0
        while done < num_bytes:
            wanted = min(PIECE_BYTES, num_bytes - done)
            request = Read(chunk.handle, chunk.version, offset + done, wanted)
            piece = await self._runtime.call(chunkserver, request, timeout_us=self._configuration.call_timeout_us)
            pieces.append(piece)
            done += len(piece)
            if len(piece) < wanted:
                break
        return b"".join(pieces)


def _is_same(now: Known, known: Known) -> bool:
    """Whether what was known of a chunk is so still: all that was acknowledged is on replicas of this version."""
    return (now.chunk.handle, now.chunk.version) == (known.chunk.handle, known.chunk.version)
