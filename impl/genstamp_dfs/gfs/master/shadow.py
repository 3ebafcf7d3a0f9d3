"""A shadow master: it keeps a replica of the log, and answers reads from what is in it.

It lags the master a little: a record is shown when the master has said that all log replicas have it, which it says
with the next one. After a start it answers when the master has said so of all that its disk has. Where replicas are it
hears from chunkservers that register here too. Its disk is as good as the master's: a master may be started over it.

Not here: when that is done, and by whom; a master that lives on must not be there any more. Checkpoints: a shadow
that starts replays its log from the checkpoint that it was begun with.

Source: sections 5.1.2 and 5.1.3.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import islice
from typing import Any

from genstamp_dfs.errors import GenstampDfsError
from genstamp_dfs.events import EventSink
from genstamp_dfs.gfs.errors import MasterStarting, ReadOnlyMaster
from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.master.chunk_calls import ChunkCalls
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.leases import Leases
from genstamp_dfs.gfs.master.log_telling import LogTelling
from genstamp_dfs.gfs.master.operation_log import OperationLog, decode_batch
from genstamp_dfs.gfs.master.operations import AnyOperation, SetVersion
from genstamp_dfs.gfs.master.recovery import recover
from genstamp_dfs.gfs.master.state import new_state
from genstamp_dfs.gfs.master.tree_calls import TreeCalls
from genstamp_dfs.gfs.messages import master_protocol as messages
from genstamp_dfs.gfs.messages.log_protocol import AppendRecords
from genstamp_dfs.gfs.protocol import ReplicaReport
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.gfs.side_by_side import Outcome
from genstamp_dfs.world.disk import Disk
from genstamp_dfs.world.request import Caller, Request


class ShadowMaster:
    """One life of a shadow master.

    Args:
        configuration: the master's settings; its log replicas are not this one's.
        runtime: its world.
        disk: where its log is.
        events: where it tells of its log, and what of it is shown.
        on_failure: called when it has stopped, as its disk has failed: its process shall end.
    """

    def __init__(
        self,
        configuration: MasterConfiguration,
        runtime: Runtime,
        disk: Disk,
        events: EventSink,
        on_failure: Callable[[GenstampDfsError], None] = lambda failure: None,
    ) -> None:
        self._on_failure = on_failure
        self._configuration = configuration
        self._runtime = runtime
        self._disk = disk
        self._events = events
        self._telling = LogTelling(runtime, events)
        self._base: Base | None = None
        self._handlers: dict[type[Request[Any]], Callable[[Any, Caller], Awaitable[Any]]] = {}
        self._waiting: deque[AnyOperation] = deque()
        self._applied = 0
        self._committed = 0
        self._shown = 0

    async def start(self) -> None:
        """Build again what the disk keeps.

        Raises:
            StorageError: the log is damaged, or something is missing; it was left as it was.
            DiskError: the disk failed.
        """
        started_us = self._runtime.now_us()
        recovered = await recover(self._disk, self._runtime, lambda: new_state(self._configuration), self._telling)
        log = OperationLog(
            self._disk, self._runtime, recovered.next_position, _nowhere, self._telling, self._on_failure
        )
        log.start_file()
        self._applied = recovered.next_position
        base = Base(self._configuration, self._runtime, recovered.state, log, self._events, started_us)
        tree, chunks = TreeCalls(base), ChunkCalls(base, Leases(base))
        self._handlers = {
            messages.List: tree.list,
            messages.GetFileInfo: tree.get_file_info,
            messages.FindChunk: chunks.find_chunk,
            messages.Register: self._register,
            messages.Heartbeat: self._heartbeat,
        }
        self._runtime.spawn(log.run(), "operation log")
        self._base = base

    def close(self) -> None:
        """Force the log to the disk and end it: the shadow stops in order. Its processes have ended.

        Raises:
            DiskError: the disk failed, now or earlier.
        """
        if self._base is not None:
            self._base.log.close()

    async def handle(self, request: Request[Any], caller: Caller) -> Any:
        """Answer a request.

        Raises:
            GfsRefusal: it is refused: ReadOnlyMaster if the master would have to be asked.
            DiskError: the disk failed, now or earlier, and the shadow has stopped.
            GenstampDfsError: it is no request of a master.
        """
        if self._base is None:
            raise MasterStarting("the shadow master replays its log")
        if isinstance(request, AppendRecords):
            return await Outcome(self._runtime, partial(self._append, self._base, request), "records").result()
        handler = self._handlers.get(type(request))
        if handler is None:
            if type(request).__module__ != messages.__name__:
                raise GenstampDfsError(f"{type(request).__name__} is no request of a master")
            raise ReadOnlyMaster(f"a shadow master does not answer {type(request).__name__}, but the master does")
        if self._committed < self._applied:
            raise MasterStarting("the master has not said yet that all of this log may be told of")
        return await handler(request, caller)

    # -- the log ------------------------------------------------------------------------------------------------------

    async def _append(self, base: Base, request: AppendRecords) -> int:
        """Have records on disk; gives the position of the first that is not."""
        log = base.log
        batch = decode_batch(request.frame)
        known = log.next_position - batch.first
        if known >= 0:
            for operation in islice(batch.records, known, None):
                log.append(operation)
                self._waiting.append(operation)
        await base.flushed()
        self._committed = max(self._committed, request.committed)
        self._show(base)
        return log.flushed_position

    def _show(self, base: Base) -> None:
        """Apply what may be told of, and tell how much it is."""
        while self._waiting and self._applied < self._committed:
            operation = self._waiting.popleft()
            base.state.apply(operation)
            if isinstance(operation, SetVersion):
                # Who has it is to be heard from the chunkservers.
                base.state.chunks.set_locations(operation.handle, ())
            self._applied += 1
        if self._shown < self._applied <= self._committed:
            self._shown = self._applied
            self._telling.replayed(self._shown)

    # -- where replicas are -------------------------------------------------------------------------------------------

    async def _register(self, request: messages.Register, caller: Caller) -> messages.Registered:
        """A chunkserver is there; what is garbage the master says."""
        self._hear(request.chunkserver, request.replicas, is_all=True)
        return messages.Registered(())

    async def _heartbeat(self, request: messages.Heartbeat, caller: Caller) -> messages.HeartbeatReply:
        """A chunkserver lives."""
        self._hear(request.chunkserver, request.replicas, is_all=False)
        return messages.HeartbeatReply((), ())

    def _hear(self, name: str, replicas: tuple[ReplicaReport, ...], *, is_all: bool) -> None:
        assert self._base is not None
        chunks = self._base.state.chunks
        chunkserver = self._base.chunkservers.meet(name)
        chunkserver.is_live = True
        if is_all:
            chunks.drop_chunkserver(chunkserver.number)
        for replica in replicas:
            if replica.handle in chunks and replica.version >= chunks.version(replica.handle):
                chunks.add_location(replica.handle, chunkserver.number)


async def _nowhere(first: int, frame: bytes, after: int) -> None:
    """A shadow has no log replicas of its own."""
