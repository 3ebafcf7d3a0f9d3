"""Where chunks may be read, as a client remembers it: for a while, of a number of chunks, and of those to come.

What is remembered may lead to a replica that has become stale since (section 2.7.1); `reading` says what follows.

Not here: leases (`mutating`), and what is read.

Source: sections 2.4 and 2.7.1.
"""

from collections import OrderedDict
from dataclasses import dataclass

from genstamp_dfs.errors import NETWORK_FAILURES
from genstamp_dfs.gfs.client.configuration import ClientConfiguration
from genstamp_dfs.gfs.errors import ChunkNotFound, LeaseUnavailable, MasterStarting, NoReplica
from genstamp_dfs.gfs.messages.master_protocol import FindChunk
from genstamp_dfs.gfs.protocol import MASTER, ChunkLease, ChunkLocations
from genstamp_dfs.gfs.runtime import Runtime

ASK_AGAIN = (LeaseUnavailable, NoReplica, MasterStarting, *NETWORK_FAILURES)
"""What may be over when the master is asked again."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the master has said of a chunk.

    Attributes:
        chunk: where it may be read.
        asked_us: when the master was asked, which was before it answered.
        is_last: whether no chunk followed.
    """

    chunk: ChunkLocations
    asked_us: int
    is_last: bool


class Locations:
    """Where chunks are, by path and index."""

    def __init__(self, configuration: ClientConfiguration, runtime: Runtime) -> None:
        self._configuration = configuration
        self._runtime = runtime
        self._known: OrderedDict[tuple[str, int], Known] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    async def find(self, path: str, index: int) -> Known | None:
        """Where a chunk is, as was last heard; None if the file has no such chunk.

        Raises:
            PathNotFound, IsADirectory: it is no file.
            MasterStarting, or what `NETWORK_FAILURES` has: nobody says.
        """
        known = self._known.get((path, index))
        if known is None or self._runtime.now_us() >= known.asked_us + self._configuration.cache_us:
            return await self.ask(path, index)
        self._known.move_to_end((path, index))
        return known

    async def ask(self, path: str, index: int) -> Known | None:
        """Ask the master where a chunk and those after it are; None if the file has no such chunk. Raises as `find`."""
        asked_us = self._runtime.now_us()
        request = FindChunk(path, index, self._configuration.prefetch_chunks)
        try:
            found = await self._runtime.call(MASTER, request, timeout_us=self._configuration.master_timeout_us)
        except ChunkNotFound:
            return None
        # The chunk itself last: it is the one that is used now.
        for place, chunk in reversed(list(enumerate(found.following, start=index + 1))):
            self._remember(path, place, Known(chunk, asked_us, is_last=place + 1 == found.chunks))
        known = Known(found, asked_us, is_last=index + 1 == found.chunks)
        self._remember(path, index, known)
        return known

    def forget(self) -> None:
        """Paths become those of other files."""
        self._known.clear()

    def forget_file(self, path: str) -> None:
        """A file is opened anew."""
        for key in [key for key in self._known if key[0] == path]:
            del self._known[key]

    def forget_chunk(self, path: str, index: int) -> None:
        """A chunk is not where it was said to be."""
        self._known.pop((path, index), None)

    def heard_of_lease(self, path: str, index: int, lease: ChunkLease) -> None:
        """What is going to be written under a lease is not on replicas of another version."""
        known = self._known.get((path, index))
        if known is not None and (known.chunk.handle, known.chunk.version) != (lease.handle, lease.version):
            del self._known[path, index]

    def _remember(self, path: str, index: int, known: Known) -> None:
        """Remember of a chunk what may be of use, as long as there is room."""
        self._known.pop((path, index), None)
        if known.chunk.chunkservers:
            self._known[path, index] = known
            if len(self._known) > self._configuration.cache_chunks:
                self._known.popitem(last=False)
