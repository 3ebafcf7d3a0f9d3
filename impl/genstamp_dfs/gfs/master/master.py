"""A master: its start, the requests that it answers, and what it does in the background.

Whatever an answer tells of, a refusal's too, was flushed to the log before: the answer waits until all that was logged
up to then is. So nobody ever sees what a crash could take back.

A request is carried out in a process of its own, since it may wait for chunkservers with locks held, and whoever has
asked may be gone before its end.

Not here: authorization, and the choice of another master when this one's machine is gone.

Source: Ghemawat, Gobioff, Leung, "The Google File System", SOSP 2003, section 2.4.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from genstamp_dfs.errors import DiskError, DiskFullError, GenstampDfsError
from genstamp_dfs.events import EventSink
from genstamp_dfs.gfs.errors import GfsRefusal, MasterStarting
from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.master.checkpoint import Checkpointer
from genstamp_dfs.gfs.master.chunk_calls import ChunkCalls
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.garbage import GarbageCollection
from genstamp_dfs.gfs.master.leases import Leases
from genstamp_dfs.gfs.master.log_replicas import LogReplicas
from genstamp_dfs.gfs.master.log_telling import LogTelling
from genstamp_dfs.gfs.master.operation_log import OperationLog, encode_batch
from genstamp_dfs.gfs.master.rebalancing import Rebalancing
from genstamp_dfs.gfs.master.recovery import Recovered, recover
from genstamp_dfs.gfs.master.replication import Replication
from genstamp_dfs.gfs.master.reports import Reports
from genstamp_dfs.gfs.master.snapshot import Snapshots
from genstamp_dfs.gfs.master.state import MasterState, new_state
from genstamp_dfs.gfs.master.telling import CALLS
from genstamp_dfs.gfs.master.tree_calls import TreeCalls
from genstamp_dfs.gfs.messages import master_protocol as messages
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.gfs.side_by_side import Outcome
from genstamp_dfs.world.disk import Disk
from genstamp_dfs.world.request import Caller, Request

Handler = Callable[[Any, Caller], Awaitable[Any]]


class Master:
    """One life of a master.

    Args:
        configuration: its settings.
        runtime: its world.
        disk: where log and checkpoints are.
        events: where it tells of what it does.
        on_failure: called when it has stopped, as a disk has failed: its process shall end.
        on_full: told when a checkpoint is given up, as the disk is full.

    Attributes:
        parts: what it is made of; None before it has started.
    """

    def __init__(
        self,
        configuration: MasterConfiguration,
        runtime: Runtime,
        disk: Disk,
        events: EventSink,
        on_failure: Callable[[GenstampDfsError], None] = lambda failure: None,
        on_full: Callable[[DiskFullError], None] = lambda problem: None,
    ) -> None:
        self.configuration = configuration
        self._runtime = runtime
        self._disk = disk
        self._events = events
        self._on_failure = on_failure
        self._on_full = on_full
        self._base: Base | None = None
        self._handlers: dict[type[Request[Any]], Handler] = {}
        self.parts: Parts | None = None

    # -- starting -----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Build again what the disk keeps, and begin to answer.

        Raises:
            StorageError: log or checkpoints are damaged, or something is missing; they were left as they were. Or a
                log replica has not what it should.
            DiskError: the disk failed.
        """
        started_us = self._runtime.now_us()
        telling = LogTelling(self._runtime, self._events)
        recovered = await recover(self._disk, self._runtime, lambda: new_state(self.configuration), telling)
        replicas = LogReplicas(
            self.configuration.log_replicas, self._runtime, self._disk, self.configuration.call_timeout_us
        )
        log = OperationLog(
            self._disk, self._runtime, recovered.next_position, replicas.replicate, telling, self._on_failure
        )
        log.start_file()
        await replicas.replicate(log.next_position, encode_batch(log.next_position, []), log.next_position)
        base = Base(self.configuration, self._runtime, recovered.state, log, self._events, started_us)
        self.parts = self._connect(base)
        self._spawn_monitors(base, recovered, telling, self.parts)
        self._runtime.spawn(self._repeat(base, replicas.announce, self.configuration.monitor_period_us), "log replicas")
        self._base = base
        base.tell(
            "start_master", "node", self._runtime.node, {}, observed={"records": str(recovered.next_position - 1)}
        )

    def close(self) -> None:
        """Force the log to the disk and end it: the master stops in order. Its processes have ended.

        Raises:
            DiskError: the disk failed, now or earlier.
        """
        if self._base is not None:
            self._base.log.close()

    def _connect(self, base: Base) -> "Parts":
        """Make the parts, and know which of them answers what."""
        leases = Leases(base)
        reports = Reports(base, leases)
        chunks = ChunkCalls(base, leases)
        garbage = GarbageCollection(base, chunks.being_made)
        tree = TreeCalls(base)
        self._handlers = {
            messages.Create: tree.create,
            messages.MakeDirectory: tree.make_directory,
            messages.Delete: tree.delete,
            messages.Undelete: tree.undelete,
            messages.Rename: tree.rename,
            messages.Snapshot: Snapshots(base, leases).snapshot,
            messages.List: tree.list,
            messages.GetFileInfo: tree.get_file_info,
            messages.FindChunk: chunks.find_chunk,
            messages.FindLease: chunks.find_lease,
            messages.Register: reports.register,
            messages.Heartbeat: reports.heartbeat,
        }
        replication = Replication(base, leases, chunks, garbage)
        return Parts(leases, reports, chunks, garbage, replication, Rebalancing(base, leases, replication))

    @property
    def failure(self) -> GenstampDfsError | None:
        """Why the master has stopped: a disk failed, and nobody may be told of what is not on it."""
        return None if self._base is None else self._base.log.failure

    @property
    def state(self) -> MasterState | None:
        """What is durable, or will be when it is flushed; None before it is known."""
        return None if self._base is None else self._base.state

    @property
    def is_flushed(self) -> bool:
        """Whether all of the state may be told of: what may not be yet, a crash can take back."""
        return self._base is not None and self._base.log.flushed_position == self._base.log.next_position

    # -- requests -----------------------------------------------------------------------------------------------------

    async def handle(self, request: Request[Any], caller: Caller) -> Any:
        """Answer a request.

        Raises:
            GfsRefusal: it is refused.
            DiskError: the disk failed, now or earlier, and the master has stopped.
            GenstampDfsError: it is no request of a master.
        """
        if self._base is None:
            raise MasterStarting("the master replays its log")
        handler = self._handlers.get(type(request))
        if handler is None:
            raise GenstampDfsError(f"{type(request).__name__} is no request of a master")
        work = partial(self._carry_out, self._base, handler, request, caller)
        return await Outcome(self._runtime, work, type(request).__name__).result()

    async def _carry_out(self, base: Base, handler: Handler, request: Request[Any], caller: Caller) -> Any:
        describe = CALLS[type(request)]
        try:
            answer = await handler(request, caller)
        except GfsRefusal as refusal:
            shown = base.log.next_position
            await base.flushed()
            describe(base, request, caller, None, refusal, shown)
            raise
        shown = base.log.next_position
        await base.flushed()
        describe(base, request, caller, answer, None, shown)
        return answer

    # -- in the background --------------------------------------------------------------------------------------------

    def _spawn_monitors(self, base: Base, recovered: Recovered, telling: LogTelling, parts: "Parts") -> None:
        """Start what nobody asks for."""
        settings = self.configuration
        checkpointer = Checkpointer(
            self._disk,
            self._runtime,
            base.state,
            base.log,
            records=settings.checkpoint_records,
            kept=settings.checkpoints_kept,
            position=recovered.checkpoint,
            damaged=recovered.skipped,
            telling=telling,
            on_full=self._on_full,
        )

        async def monitor() -> None:
            parts.leases.expire()
            parts.reports.expire()
            parts.replication.go_on()
            parts.rebalancing.go_on()

        async def make_checkpoint() -> None:
            if checkpointer.is_due:
                await checkpointer.make()

        self._runtime.spawn(base.log.run(), "operation log")
        self._runtime.spawn(self._repeat(base, monitor, settings.monitor_period_us), "monitors")
        self._runtime.spawn(self._repeat(base, make_checkpoint, settings.monitor_period_us), "checkpoints")
        self._runtime.spawn(self._repeat(base, parts.garbage.scan, settings.garbage_period_us), "garbage collection")

    async def _repeat(self, base: Base, work: Callable[[], Awaitable[None]], period_us: int) -> None:
        """Do something from time to time, until the disk fails."""
        while base.log.failure is None:
            await self._runtime.sleep_us(period_us)
            try:
                await work()
            except DiskError as failure:
                base.log.fail(failure)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a master that do something by themselves."""

    leases: Leases
    reports: Reports
    chunk_calls: ChunkCalls
    garbage: GarbageCollection
    replication: Replication
    rebalancing: Rebalancing
