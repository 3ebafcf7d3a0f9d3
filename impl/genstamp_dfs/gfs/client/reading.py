"""How a client reads: from any chunkserver with a current replica, and from another one where that fails.

Leaves out: choosing the nearest.
"""

from genstamp_dfs.errors import NETWORK_FAILURES, Refusal
from genstamp_dfs.gfs.client.configuration import ClientConfiguration
from genstamp_dfs.gfs.client.mutating import ASK_AGAIN
from genstamp_dfs.gfs.errors import ChunkNotFound, CorruptReplica, NoReplica, StaleVersion
from genstamp_dfs.gfs.messages.chunkserver_protocol import Read
from genstamp_dfs.gfs.messages.master_protocol import FindChunk
from genstamp_dfs.gfs.protocol import MASTER, PIECE_BYTES, ChunkLocations
from genstamp_dfs.gfs.runtime import Runtime

TRY_ANOTHER = (ChunkNotFound, CorruptReplica, StaleVersion, *NETWORK_FAILURES)
"""What is so of one chunkserver, and need not be of another one."""


class Reading:
    """Reads chunks, and remembers for a while where they are."""

    def __init__(self, configuration: ClientConfiguration, runtime: Runtime) -> None:
        self._configuration = configuration
        self._runtime = runtime
        self._locations: dict[tuple[str, int], tuple[ChunkLocations, int]] = {}

    def forget(self) -> None:
        """Ask the master again for the chunks of files: they are opened anew (section 2.7.1)."""
        self._locations.clear()

    async def read(self, path: str, index: int, offset: int, num_bytes: int) -> bytes:
        """Bytes of a chunk, fewer than asked for where it ends.

        Raises:
            PathNotFound, IsADirectory, ChunkNotFound: there is no such chunk.
            Refusal: nobody has given them for as long as the client tries.
        """
        give_up_us = self._runtime.now_us() + self._configuration.give_up_us
        while True:
            try:
                locations = await self._find(path, index)
            except ASK_AGAIN as problem:
                failure: Refusal = problem
            else:
                failure = NoReplica(f"no chunkserver with chunk {index} of {path} is known")
                for chunkserver in self._in_some_order(locations.chunkservers):
                    try:
                        return await self._read_all(chunkserver, locations, offset, num_bytes)
                    except TRY_ANOTHER as problem:
                        failure = problem
            self._locations.pop((path, index), None)
            if self._runtime.now_us() >= give_up_us:
                raise failure
            await self._runtime.sleep_us(self._configuration.retry_interval_us)

    async def _read_all(self, chunkserver: str, locations: ChunkLocations, offset: int, num_bytes: int) -> bytes:
        pieces, done = [], 0
        while done < num_bytes:
            wanted = min(PIECE_BYTES, num_bytes - done)
            request = Read(locations.handle, locations.version, offset + done, wanted)
            piece = await self._runtime.call(chunkserver, request, timeout_us=self._configuration.call_timeout_us)
            pieces.append(piece)
            done += len(piece)
            if len(piece) < wanted:
                break
        return b"".join(pieces)

    def _in_some_order(self, chunkservers: tuple[str, ...]) -> list[str]:
        return self._runtime.random.sample(chunkservers, len(chunkservers))

    async def _find(self, path: str, index: int) -> ChunkLocations:
        now_us = self._runtime.now_us()
        known = self._locations.get((path, index))
        if known is not None and now_us < known[1]:
            return known[0]
        found = await self._runtime.call(
            MASTER, FindChunk(path, index), timeout_us=self._configuration.master_timeout_us
        )
        self._locations[path, index] = (found, now_us + self._configuration.cache_us)
        return found
