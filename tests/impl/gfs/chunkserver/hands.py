"""What a master and clients ask of chunkservers, by hand: of a chunk that the real master knows nothing of."""

from functools import partial
from typing import Any

import google_crc32c
from tests.impl.gfs.cluster import GfsCluster

from genstamp_dfs.gfs.messages.chunkserver_protocol import CreateChunk, GrantLease, Read, RecordVersion
from genstamp_dfs.gfs.messages.data_flow import DataPiece, PushData, Pushed
from genstamp_dfs.world.request import Request

HANDLE = 1000


def id_of(number: int) -> bytes:
    return number.to_bytes(16, "big")


class ByHand(GfsCluster):
    """A cluster with one chunk more, which the test is the master of."""

    def refusal(self, node: str, request: Request[Any]) -> str:
        """The name of what a request is refused with; empty if it is not."""
        came_of_it = self.later(node, request)
        self.until(partial(bool, came_of_it))
        return type(came_of_it[0]).__name__ if isinstance(came_of_it[0], Exception) else ""

    def later(self, node: str, request: Request[Any]) -> list[Any]:
        return self.begin(self.runtimes["k1"].call(node, request, timeout_us=60_000_000))

    def make_chunk(self, version: int = 1) -> None:
        for name in self.names:
            self.ask(name, CreateChunk(HANDLE, version))

    def grant(self, version: int, primary: str = "c1", to: tuple[str, ...] = ()) -> None:
        """Record a version at replicas (of all if none are named), and make one the primary."""
        members = to or self.names
        for name in members:
            self.ask(name, RecordVersion(HANDLE, version))
        self.ask(primary, GrantLease(HANDLE, version, tuple(name for name in members if name != primary)))

    def push(self, number: int, data: bytes, chain: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Push data along all chunkservers, or those named; gives who has not got it."""
        first, *others = chain or self.names
        operation = PushData(id_of(number), len(data), google_crc32c.value(data), tuple(others))

        async def push() -> tuple[str, ...]:
            connection = await self.runtimes["k1"].connect(first, operation)
            for offset in range(0, len(data), 100):
                await connection.send(DataPiece(data[offset : offset + 100]))
            answer = await connection.receive(60_000_000)
            assert isinstance(answer, Pushed)
            return answer.failed

        failed: tuple[str, ...] = self.do(push())
        return failed

    def bytes_of(self, name: str, version: int = 1) -> bytes:
        data: bytes = self.ask(name, Read(HANDLE, version, 0, self.limits.chunk_bytes))
        return data
