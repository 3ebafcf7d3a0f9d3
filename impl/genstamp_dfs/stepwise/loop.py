"""An event loop in which chosen processes wait to be let run, and no timer fires by itself.

A process that is not held runs as soon as it can. A held one runs only while somebody settles it: it stands for a
thread that the scheduler has not given a processor yet.

Not here: which processes are held, and why.
"""

from collections.abc import Callable, Coroutine
from enum import StrEnum
from inspect import CORO_CREATED, getcoroutinestate
from typing import Any

from genstamp_dfs.simulation.loop import Life, Loop, Task, Timer


class Held(StrEnum):
    """Processes that run only when they are let, by a part of their names."""

    STREAMER = "DataStreamer "
    RESPONDER = "responder of "
    SERVICE_ACTOR = "service actor"
    INCREMENTAL_REPORTS = "incremental reports"
    BLOCK_RECOVERY = "block recovery"


class Sleep:
    """A process that waits for a time of the loop."""

    def __init__(self, loop: "HeldLoop", due_us: int) -> None:
        self.task = loop.current
        self.due_us = due_us
        self.future = loop.future()


class HeldLoop(Loop):
    """Runs what may run, and keeps the rest.

    Attributes:
        held: the processes that are held.
        holds: whether processes are held at all.
        passes_time: whether the time for which a process waits has passed when it is woken; else it is woken sooner.
        current: the task that runs now.
    """

    def __init__(self, on_crash: Callable[[Life], None] | None = None) -> None:
        super().__init__(on_crash)
        self.held = frozenset(Held)
        self.holds = True
        self.passes_time = True
        self.current: Task | None = None
        self._held: dict[Task, None] = {}
        self._sleeping: list[Sleep] = []
        self._settling: tuple[str, ...] = ()
        self._settling_task: Task | None = None

    def spawn(self, life: Life, coroutine: Coroutine[Any, Any, None], name: str) -> Task:
        """Start a process; a held one waits for its first step."""
        task = Task(self, coroutine, life, name)
        life.tasks[task] = None
        if not life.is_on:
            coroutine.close()
        self.make_ready(task)
        return task

    def make_ready(self, task: Task) -> None:
        """What the task waited for is there."""
        if task.is_done or not task.life.is_on:
            return
        if self.holds and self._is_held(task):
            self._held[task] = None
        else:
            self._ready.append(task)

    def close(self) -> None:
        """The end of the run; what was never let run its first step is let go of, too."""
        for task in (*self._held, *self._ready):
            if getcoroutinestate(task.coroutine) == CORO_CREATED:
                task.coroutine.close()
        super().close()

    def settle(self, *names: str, task: Task | None = None) -> None:
        """Run until nothing can go on: what is not held, the task, and whatever has one of these in its name."""
        self._settling, self._settling_task = names, task
        for task in [task for task in self._held if not self._is_held(task)]:
            del self._held[task]
            self._ready.append(task)
        self.run()
        self._settling, self._settling_task = (), None

    def wake(self, name: str) -> None:
        """The time has come for which processes wait whose name has this part; they go on when they are let."""
        for sleep in [one for one in self._sleeping if one.task is not None and name in one.task.name]:
            if self.passes_time:
                self.now_us = max(self.now_us, sleep.due_us)
            sleep.future.succeed(None)

    def at(self, time_us: int, action: Callable[[], None]) -> Timer:  # noqa: ARG002
        """A timer that does not fire: whoever waits is told by hand that it took too long."""
        return Timer(action)

    async def sleep_us(self, duration_us: int) -> None:
        """Wait until somebody says that the time has come."""
        sleep = Sleep(self, self.now_us + duration_us)
        self._sleeping.append(sleep)
        try:
            await sleep.future
        finally:
            self._sleeping.remove(sleep)

    def _is_held(self, task: Task) -> bool:
        if task is self._settling_task or any(part in task.name for part in self._settling):
            return False
        return any(held in task.name for held in self.held)

    def _step(self, task: Task) -> None:
        self.current = task
        super()._step(task)
        self.current = None
