"""How a client has data written or appended: lease, push, request, and all over again where something fails.

A failure is tried again under the same lease once, from the push on, then with a new one: a replica that missed a
mutation because its chunkserver is away, or has started again, takes part under a new version only (sections 3.1 and
4.5). Who is the primary is remembered until it cannot be reached, or says that it is not (section 3.1, step 3); and
forgotten after a while all the same, as somebody else may give the path to another file, and no primary is told.

Not here: what is written where (`client`).
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import google_crc32c

from genstamp_dfs.errors import NETWORK_FAILURES, Refusal
from genstamp_dfs.events import EventSink
from genstamp_dfs.gfs.client.configuration import ClientConfiguration
from genstamp_dfs.gfs.client.locations import ASK_AGAIN, Locations
from genstamp_dfs.gfs.errors import (
    CorruptReplica,
    DataNotFound,
    GfsRefusal,
    MutationFailed,
    NoRoom,
    NotPrimary,
    StaleVersion,
)
from genstamp_dfs.gfs.messages.chunkserver_protocol import Append
from genstamp_dfs.gfs.messages.data_flow import DataPiece, PushData, Pushed
from genstamp_dfs.gfs.messages.master_protocol import FindLease
from genstamp_dfs.gfs.protocol import MASTER, PIECE_BYTES, ChunkLease
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.world.request import Request

Answer = TypeVar("Answer")


class PushFailedError(Exception):
    """Some chunkservers did not get the data."""

    def __init__(self, failed: tuple[str, ...]) -> None:
        self.failed = failed
        super().__init__(f"{', '.join(failed)} did not get the data")


@dataclass
class Attempts:
    """What was tried so far of one mutation.

    Attributes:
        data_id, data: what is pushed.
        pushed_to: chunkservers that have it.
        count: how often a primary was asked.
    """

    data_id: bytes
    data: bytes
    pushed_to: frozenset[str] = frozenset()
    count: int = 0


class Mutating:
    """Has mutations done, and remembers leases meanwhile.

    Args:
        configuration: settings of the client.
        runtime: its world.
        events: told of what was pushed, and heard.
        locations: where chunks are read, of which a lease may tell that they are so no more.
    """

    def __init__(
        self, configuration: ClientConfiguration, runtime: Runtime, events: EventSink, locations: Locations
    ) -> None:
        self._configuration = configuration
        self._runtime = runtime
        self._events = events
        self._locations = locations
        self._leases: OrderedDict[tuple[str, int], tuple[ChunkLease, int]] = OrderedDict()

    def forget(self) -> None:
        """Paths become those of other files."""
        self._leases.clear()

    async def mutate(
        self, path: str, index: int, data: bytes, request: Callable[[ChunkLease, bytes], Request[Answer]]
    ) -> Answer:
        """Push data to all replicas of a chunk, and have its primary do something with it.

        Args:
            path, index: which chunk.
            data: what is pushed.
            request: the request to the primary, of the lease and the data's id.

        Raises:
            Refusal: it is refused, or has failed for as long as the client tries.
        """
        give_up_us = self._runtime.now_us() + self._configuration.give_up_us
        attempts = Attempts(self._runtime.random.randbytes(16), data)
        unreachable: tuple[str, ...] = ()
        failures = 0
        while True:
            lease: ChunkLease | None = None
            try:
                lease = await self._lease(path, index, unreachable)
                unreachable = ()
                return await self._attempt(attempts, lease, request(lease, attempts.data_id))
            except PushFailedError as problem:
                failure: Exception = problem
                unreachable = self._start_over(path, index, problem.failed)
            except DataNotFound as problem:
                failure, attempts.pushed_to = problem, frozenset()
            except MutationFailed as problem:
                # Perhaps a secondary has not got the data any more.
                failure, failures, attempts.pushed_to = problem, failures + 1, frozenset()
                if failures % 2 == 0 and lease is not None:
                    unreachable = self._start_over(path, index, lease.secondaries)
            except (NotPrimary, StaleVersion) as problem:
                failure, unreachable = problem, self._start_over(path, index, ())
            except (CorruptReplica, NoRoom, *ASK_AGAIN) as problem:
                failure = problem
                unreachable = self._start_over(path, index, (lease.primary,) if lease is not None else unreachable)
            if self._runtime.now_us() >= give_up_us:
                raise failure if isinstance(failure, Refusal) else MutationFailed(str(failure))
            await self._runtime.sleep_us(self._some_time_us())

    async def _attempt(self, attempts: Attempts, lease: ChunkLease, request: Request[Answer]) -> Answer:
        """Push the data to who has not got it, and ask the primary."""
        if not attempts.pushed_to.issuperset(lease.chunkservers):
            attempts.pushed_to = await self._push(lease, attempts.data_id, attempts.data)
        self._tell("retry" if attempts.count else "push_data", lease, attempts)
        attempts.count += 1
        try:
            timeout_us = self._configuration.call_timeout_us
            answer = await self._runtime.call(lease.primary, request, timeout_us=timeout_us)
        except Refusal as refusal:
            self._tell("hear_failure", lease, attempts, refusal)
            raise
        is_full = isinstance(request, Append) and answer is None
        self._tell("hear_full" if is_full else "acknowledge", lease, attempts)
        return answer

    def _tell(self, event: str, lease: ChunkLease, attempts: Attempts, refusal: Refusal | None = None) -> None:
        self._events.record(
            node=self._runtime.node,
            time_us=self._runtime.now_us(),
            kind="chunk",
            entity=str(lease.handle),
            event=event,
            arguments={"data": attempts.data_id.hex(), "primary": lease.primary},
            refused_with=refusal.name if isinstance(refusal, GfsRefusal) else None,
            generation_stamp=lease.version,
            num_bytes=len(attempts.data),
        )

    def _some_time_us(self) -> int:
        """How long to wait; clients that have disturbed each other do not come back at the same time."""
        interval_us = self._configuration.retry_interval_us
        return interval_us // 2 + self._runtime.random.randrange(interval_us)

    def _start_over(self, path: str, index: int, unreachable: tuple[str, ...]) -> tuple[str, ...]:
        self._leases.pop((path, index), None)
        return unreachable

    async def _lease(self, path: str, index: int, unreachable: tuple[str, ...]) -> ChunkLease:
        """Who orders the mutations of a chunk, as was last heard."""
        now_us = self._runtime.now_us()
        known = self._leases.get((path, index))
        if known is not None and now_us < known[1]:
            self._leases.move_to_end((path, index))
            return known[0]
        found = await self._runtime.call(
            MASTER, FindLease(path, index, unreachable), timeout_us=self._configuration.master_timeout_us
        )
        self._leases[path, index] = (found, now_us + self._configuration.lease_cache_us)
        if len(self._leases) > self._configuration.cache_chunks:
            self._leases.popitem(last=False)
        self._locations.heard_of_lease(path, index, found)
        return found

    async def _push(self, lease: ChunkLease, data_id: bytes, data: bytes) -> frozenset[str]:
        """Push data along all chunkservers of a lease; gives those that have it.

        Raises:
            PushFailedError: some have not got it.
        """
        first, *others = lease.chunkservers
        operation = PushData(data_id, len(data), google_crc32c.value(data), tuple(others))
        try:
            connection = await self._runtime.connect(first, operation, timeout_us=self._configuration.call_timeout_us)
        except NETWORK_FAILURES as problem:
            raise PushFailedError((first,)) from problem
        try:
            for offset in range(0, len(data), PIECE_BYTES):
                await connection.send(DataPiece(data[offset : offset + PIECE_BYTES]))
            answer = await connection.receive(2 * self._configuration.call_timeout_us)
        except NETWORK_FAILURES as problem:
            raise PushFailedError((first,)) from problem
        finally:
            connection.close()
        if not isinstance(answer, Pushed) or answer.failed:
            raise PushFailedError(answer.failed if isinstance(answer, Pushed) else (first,))
        return frozenset(lease.chunkservers)
