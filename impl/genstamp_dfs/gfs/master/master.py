"""A master: its start, the requests that it answers, and what it does in the background.

Whatever an answer tells of, a refusal's too, was flushed to the log before: the answer waits until all that was logged
up to then is. So nobody ever sees what a crash could take back.

A request is carried out in a process of its own, since it may wait for chunkservers with locks held, and whoever has
asked may be gone before its end.

Leaves out: authorization, and the choice of another master when this one's machine is gone.

Source: Ghemawat, Gobioff, Leung, "The Google File System", SOSP 2003, section 2.4.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from genstamp_dfs.errors import DiskError, GenstampDfsError
from genstamp_dfs.events import EventSink
from genstamp_dfs.gfs.errors import GfsRefusal, MasterStarting
from genstamp_dfs.gfs.master.base import Base, Outcome
from genstamp_dfs.gfs.master.chunk_calls import ChunkCalls
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.leases import Leases
from genstamp_dfs.gfs.master.operation_log import OperationLog
from genstamp_dfs.gfs.master.recovery import recover
from genstamp_dfs.gfs.master.reports import Reports
from genstamp_dfs.gfs.master.state import MasterState
from genstamp_dfs.gfs.master.telling import CALLS
from genstamp_dfs.gfs.master.tree_calls import TreeCalls
from genstamp_dfs.gfs.messages import master_protocol as messages
from genstamp_dfs.gfs.runtime import Runtime
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
    """

    def __init__(self, configuration: MasterConfiguration, runtime: Runtime, disk: Disk, events: EventSink) -> None:
        self.configuration = configuration
        self._runtime = runtime
        self._disk = disk
        self._events = events
        self._base: Base | None = None
        self._handlers: dict[type[Request[Any]], Handler] = {}

    # -- starting -----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Build again what the disk keeps, and begin to answer.

        Raises:
            StorageError: log or checkpoints are damaged, or something is missing; they were left as they were.
            DiskError: the disk failed.
        """
        started_us = self._runtime.now_us()
        recovered = await recover(self._disk, self._runtime, self._new_state)
        log = OperationLog(self._disk, self._runtime, recovered.next_position, self._replicate)
        log.start_file()
        base = Base(self.configuration, self._runtime, recovered.state, log, self._events, started_us)
        self._connect(base)
        self._runtime.spawn(log.run(), "operation log")
        self._runtime.spawn(self._look_after(base), "monitors")
        self._base = base
        base.tell(
            "start_master", "node", self._runtime.node, {}, observed={"records": str(recovered.next_position - 1)}
        )

    def _new_state(self) -> MasterState:
        # One slot more than replicas are wanted, for when a chunkserver comes back whose replicas were made elsewhere.
        return MasterState(self.configuration.limits.replicas + 1, self.configuration.remembered_answers)

    def _connect(self, base: Base) -> None:
        """Make the parts, and know which of them answers what."""
        self._leases = leases = Leases(base)
        self._reports = reports = Reports(base, leases)
        self._chunk_calls = chunks = ChunkCalls(base, leases)
        tree = TreeCalls(base)
        self._handlers = {
            messages.Create: tree.create,
            messages.MakeDirectory: tree.make_directory,
            messages.Delete: tree.delete,
            messages.Undelete: tree.undelete,
            messages.Rename: tree.rename,
            messages.List: tree.list,
            messages.GetFileInfo: tree.get_file_info,
            messages.FindChunk: chunks.find_chunk,
            messages.FindLease: chunks.find_lease,
            messages.Register: reports.register,
            messages.Heartbeat: reports.heartbeat,
        }

    async def _replicate(self, first: int, frame: bytes) -> None:
        """Give records to the log replicas."""

    @property
    def failure(self) -> DiskError | None:
        """Why the master has stopped: its disk failed, and nobody may be told of what is not on it."""
        return None if self._base is None else self._base.log.failure

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
        work = self._carry_out(self._base, handler, request, caller)
        return await Outcome(self._runtime, work, type(request).__name__).result()

    async def _carry_out(self, base: Base, handler: Handler, request: Request[Any], caller: Caller) -> Any:
        describe = CALLS[type(request)]
        try:
            answer = await handler(request, caller)
        except GfsRefusal as refusal:
            await base.flushed()
            describe(base, request, caller, None, refusal)
            raise
        await base.flushed()
        describe(base, request, caller, answer, None)
        return answer

    # -- in the background --------------------------------------------------------------------------------------------

    async def _look_after(self, base: Base) -> None:
        """Do from time to time what nobody asks for."""
        while base.log.failure is None:
            await self._runtime.sleep_us(self.configuration.scan_period_us)
            self._leases.expire()
            self._reports.expire()
