"""What all parts of a master share: its settings, its world, what is durable, its locks, and how it tells of its steps.

Not here: what the parts do.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from genstamp_dfs.errors import Refusal
from genstamp_dfs.events import EventSink
from genstamp_dfs.gfs.errors import GfsRefusal
from genstamp_dfs.gfs.master.chunkservers import Chunkservers
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.locks import Locks, NamespaceLocks
from genstamp_dfs.gfs.master.operation_log import OperationLog
from genstamp_dfs.gfs.master.operations import AnyOperation
from genstamp_dfs.gfs.master.state import MasterState
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.gfs.side_by_side import together
from genstamp_dfs.world.request import Request

Answer = TypeVar("Answer")


class Base:
    """What the parts of one life of a master share.

    Attributes:
        configuration: its settings.
        runtime: its world.
        state: what is durable.
        log: where changes of it are written.
        chunkservers: who was heard of.
        locks: of paths.
        chunk_locks: of chunks: who has one alone grants, revokes and copies; taken after those of paths.
        started_us: when this life began.
        first_handle: chunks with lower handles are older than this life.
    """

    def __init__(
        self,
        configuration: MasterConfiguration,
        runtime: Runtime,
        state: MasterState,
        log: OperationLog,
        events: EventSink,
        started_us: int,
    ) -> None:
        self.configuration = configuration
        self.runtime = runtime
        self.state = state
        self.log = log
        self.chunkservers = Chunkservers()
        self.locks = NamespaceLocks(runtime.condition)
        self.chunk_locks = Locks(runtime.condition)
        self.started_us = started_us
        self.first_handle = state.next_handle
        self._events = events
        self._lost: dict[int, set[str]] = {}

    def commit(self, operation: AnyOperation) -> None:
        """Make a change, and log it; nobody may be told before `flushed`."""
        self.state.apply(operation)
        self.log.append(operation)

    async def flushed(self) -> None:
        """Wait until all changes up to now may be told of.

        Raises:
            DiskError: the disk failed.
        """
        await self.log.flushed(self.log.next_position)

    async def ask(self, chunkserver: str, request: Request[Answer], timeout_us: int | None = None) -> Answer:
        """Ask a chunkserver, as `Runtime.call` says; it has the time that the settings give it."""
        return await self.runtime.call(
            chunkserver, request, timeout_us=timeout_us or self.configuration.call_timeout_us
        )

    async def ask_all(self, chunkservers: Iterable[str], request: Request[Any]) -> list[str]:
        """Ask several chunkservers at once; gives those that did it, in order."""

        async def does(chunkserver: str) -> bool:
            try:
                await self.ask(chunkserver, request)
            except Refusal:
                return False
            return True

        names = list(chunkservers)
        answers = await together(self.runtime, [partial(does, name) for name in names], type(request).__name__)
        return [name for name, done in zip(names, answers, strict=True) if done]

    @contextmanager
    def watched(self, handle: int) -> Iterator[set[str]]:
        """While chunkservers are asked about their replicas of a chunk: gives the names of those that lose theirs.

        A replica that was there when its chunkserver answered may be found corrupt, and deleted, before the others have
        answered. Only who has the chunk's lock may watch it.
        """
        assert handle not in self._lost, f"chunk {handle} is watched already"
        lost: set[str] = set()
        self._lost[handle] = lost
        try:
            yield lost
        finally:
            del self._lost[handle]

    def is_watched(self, handle: int) -> bool:
        """Whether chunkservers are asked about their replicas, or to make one."""
        return handle in self._lost

    def lose(self, handle: int, chunkserver: str) -> None:
        """A chunkserver says that its replica is corrupt."""
        if handle in self._lost:
            self._lost[handle].add(chunkserver)

    def keep_only(self, handles: Collection[int], chunkserver: str) -> None:
        """A chunkserver says which replicas it has."""
        for handle, lost in self._lost.items():
            if handle not in handles:
                lost.add(chunkserver)

    # -- events -----------------------------------------------------------------------------------------------------

    def tell(
        self,
        event: str,
        kind: str,
        entity: str,
        arguments: Mapping[str, str],
        *,
        refusal: Refusal | None = None,
        version: int | None = None,
        observed: Mapping[str, str] | None = None,
    ) -> None:
        """Record a step of the protocol."""
        refused_with = refusal.name if isinstance(refusal, GfsRefusal) else None
        self._events.record(
            node=self.runtime.node,
            time_us=self.runtime.now_us(),
            kind=kind,
            entity=entity,
            event=event,
            arguments=arguments,
            refused_with=refused_with,
            generation_stamp=version,
            observed=observed,
        )

    @property
    def records(self) -> str:
        """How many records there are in the log, flushed or not, as events say it."""
        return str(self.log.next_position - 1)

    def tell_of_chunk(self, event: str, handle: int, version: int, **arguments: str) -> None:
        """Record a step that concerns a chunk: its handle is the entity, its version the stamp."""
        self.tell(event, "chunk", str(handle), arguments, version=version)


Handler = Callable[[Any], Awaitable[Any]]
"""Answers requests of one class."""
