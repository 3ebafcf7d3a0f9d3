"""Virtual time, and the processes that run in it: an event loop for coroutines in which nothing is left to chance.

What is ready runs first, in the order in which it became so; when nothing is, time jumps to the next timer. A run takes
no longer than its steps, and the same calls in the same order give the same run.

A process belongs to a node. `kill` is what a crash does to all processes of a node: they do not run again, and nothing
of them does, not even what they have under `finally`. `Task.cancel` is what a program does to itself: that runs.

Not here: what the processes do, and any randomness.
"""

import heapq
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Final, Generic, TypeVar

from genstamp_dfs.errors import DiskFailedError

Result = TypeVar("Result")

NO_LIMIT: Final = 2**62


class ProcessCrashedError(BaseException):
    """The process dies here; nothing may catch it but the loop. `node` is the name of its node."""

    def __init__(self, node: str) -> None:
        self.node = node
        super().__init__(f"{node} crashed")


class Future(Generic[Result]):
    """A value that is not there yet; one task may wait for it."""

    __slots__ = ("_loop", "_result", "_waiter", "failure", "is_done")

    def __init__(self, loop: "Loop") -> None:
        self._loop = loop
        self._waiter: Task | None = None
        self._result: Result | None = None
        self.failure: BaseException | None = None
        self.is_done = False

    def succeed(self, result: Result) -> None:
        """Give the value; a second value, or one after a failure, is dropped."""
        if not self.is_done:
            self.is_done = True
            self._result = result
            self._wake()

    def fail(self, failure: BaseException) -> None:
        """Raise this where the value is waited for."""
        if not self.is_done:
            self.is_done = True
            self.failure = failure
            self._wake()

    def _wake(self) -> None:
        if self._waiter is not None:
            self._loop.make_ready(self._waiter)

    def __await__(self) -> Generator["Future[Any]", None, Result]:
        if not self.is_done:
            yield self
        if self.failure is not None:
            raise self.failure
        return self._result  # type: ignore[return-value]

    def set_waiter(self, task: "Task") -> None:
        """The task that waits; there is one at most."""
        assert self._waiter is None, f"{self._waiter.name} and {task.name} wait for one future"
        self._waiter = task


class Task:
    """A coroutine that the loop runs, until it ends or its node dies."""

    __slots__ = ("_loop", "coroutine", "is_done", "life", "name")

    def __init__(self, loop: "Loop", coroutine: Coroutine[Any, Any, None], life: "Life", name: str) -> None:
        self._loop = loop
        self.coroutine = coroutine
        self.life = life
        self.name = name
        self.is_done = False

    def cancel(self) -> None:
        """End it where it waits; what it has under `finally` is done, and may not wait."""
        if not self.is_done and self.life.is_on:
            self.is_done = True
            self.coroutine.close()
            self.life.tasks.pop(self, None)


class Life:
    """One life of a node, from a start to a crash. Its tasks are kept in the order in which they were started."""

    __slots__ = ("is_on", "node", "tasks")

    def __init__(self, node: str) -> None:
        self.node = node
        self.is_on = True
        self.tasks: dict[Task, None] = {}


class Timer:
    """Something to be done at a time, unless it is cancelled before."""

    __slots__ = ("action",)

    def __init__(self, action: Callable[[], None]) -> None:
        self.action: Callable[[], None] | None = action

    def cancel(self) -> None:
        """It will not be done, and time does not wait for it."""
        self.action = None


class Loop:
    """Runs tasks and timers.

    Args:
        on_crash: told the life whose process died by `ProcessCrashedError`; it has been killed already.
    """

    def __init__(self, on_crash: Callable[[Life], None] | None = None) -> None:
        self.now_us = 0
        self.steps = 0
        self._ready: deque[Task] = deque()
        self._timers: list[tuple[int, int, Timer]] = []
        self._arrivals = 0
        self._on_crash = on_crash
        self._dead: list[Task] = []

    def spawn(self, life: Life, coroutine: Coroutine[Any, Any, None], name: str) -> Task:
        """Start a process; it runs for the first time when its turn comes."""
        task = Task(self, coroutine, life, name)
        life.tasks[task] = None
        self._ready.append(task)
        return task

    def kill(self, life: Life) -> None:
        """End a life: none of its tasks runs again."""
        life.is_on = False
        # Kept, as a coroutine that is let go of runs what it has under `finally`.
        self._dead += life.tasks
        life.tasks.clear()

    def at(self, time_us: int, action: Callable[[], None]) -> Timer:
        """Do something at a time, or now if that is past."""
        timer = Timer(action)
        self._arrivals += 1
        heapq.heappush(self._timers, (max(time_us, self.now_us), self._arrivals, timer))
        return timer

    def future(self) -> "Future[Any]":
        """A new value to wait for."""
        return Future(self)

    async def sleep_us(self, duration_us: int) -> None:
        """Wait so many microseconds of the loop's time."""
        future: Future[None] = Future(self)
        timer = self.at(self.now_us + duration_us, lambda: future.succeed(None))
        try:
            await future
        finally:
            timer.cancel()

    def make_ready(self, task: Task) -> None:
        """What the task waited for is there."""
        if not task.is_done and task.life.is_on:
            self._ready.append(task)

    def run(self, until_us: int = NO_LIMIT, max_steps: int = NO_LIMIT) -> None:
        """Run until nothing is left to do before `until_us`, or so many steps of tasks were made."""
        last = self.steps + max_steps
        while self.steps < last:
            if self._ready:
                self._step(self._ready.popleft())
            elif not self._next_timer(until_us):
                return

    def close(self) -> None:
        """The end of the run: what is left of all tasks is let go of."""
        for task in self._dead:
            try:
                task.coroutine.close()
            except KeyboardInterrupt:
                # Of whoever runs the simulation, and not of the process that is dead.
                raise
            except BaseException:
                # A dead process that finds its disk and network gone; nobody is there to be told.
                continue
        self._dead.clear()

    def _next_timer(self, until_us: int) -> bool:
        """Let time pass to the next timer that is due by `until_us`; False if there is none."""
        while self._timers:
            time_us, _, timer = self._timers[0]
            if timer.action is not None and time_us > until_us:
                break
            heapq.heappop(self._timers)
            if timer.action is not None:
                self.now_us = time_us
                timer.action()
                return True
        self.now_us = max(self.now_us, until_us) if until_us < NO_LIMIT else self.now_us
        return False

    def _step(self, task: Task) -> None:
        """Run a task to its next wait."""
        if task.is_done or not task.life.is_on:
            return
        self.steps += 1
        try:
            future = task.coroutine.send(None)
        except StopIteration:
            task.is_done = True
            task.life.tasks.pop(task, None)
        except DiskFailedError:
            # The node knows: its volume ends it. A task that had to do with the disk ends here.
            task.is_done = True
            task.life.tasks.pop(task, None)
        except ProcessCrashedError:
            self.kill(task.life)
            if self._on_crash is not None:
                self._on_crash(task.life)
        else:
            future.set_waiter(task)
