"""What a node of any of our file systems has on asyncio without another node: time, chance, processes, waiting.

Not here: how other nodes are asked; each file system has its own way (`runtime`, `genstamp_dfs.gfs.server.runtime`).
"""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from genstamp_dfs.errors import DiskFailedError
from genstamp_dfs.world.runtime import Process

Answer = TypeVar("Answer")

RETRY_INTERVAL_US: Final = 500_000

FORCED_AT_ONCE: Final = 64
"""Files that a process forces to its disk at a time. Those that are forced together share a commit of the journal."""

_LOG = logging.getLogger(__name__)

_POOL: Final = ThreadPoolExecutor(FORCED_AT_ONCE, thread_name_prefix="force")


class RealClock:
    """Time as it is."""

    def now_us(self) -> int:
        """The monotonic clock."""
        return time.monotonic_ns() // 1000

    def time_ms(self) -> int:
        """The wall clock."""
        return time.time_ns() // 1_000_000


class AsyncioTask:
    """A process that runs as an asyncio task."""

    def __init__(self, task: "asyncio.Task[None]") -> None:
        self._task = task

    @property
    def is_done(self) -> bool:
        """Whether it has ended."""
        return self._task.done()

    def cancel(self) -> None:
        """End it where it waits."""
        self._task.cancel()


class AsyncioCondition:
    """Something to wait for."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def notify_all(self) -> None:
        """Wake all that wait now."""
        for future in self._waiting:
            if not future.done():
                future.set_result(None)
        self._waiting.clear()

    async def wait(self, timeout_us: int | None = None) -> bool:
        """Wait to be woken; False if the time passed first."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            async with asyncio.timeout(None if timeout_us is None else timeout_us / 1_000_000):
                await future
        except TimeoutError:
            # It may have been woken in the same turn of the loop in which the time passed.
            return future.done() and not future.cancelled()
        finally:
            if future in self._waiting:
                self._waiting.remove(future)
        return True


async def again_and_again(
    ask: Callable[[], Awaitable[Answer]],
    try_again: tuple[type[Exception], ...],
    patience_us: int,
    whom: str,
    on_wait: Callable[[str], None],
) -> Answer:
    """Ask until there is an answer, or something else goes wrong, or the patience is at its end.

    Args:
        ask: asks once.
        try_again: after these it is asked again.
        patience_us: for how long, in microseconds; 0 to ask once.
        whom: who is asked, for the user.
        on_wait: is told in a sentence that he is waited for, and when that was given up.
    """
    clock = RealClock()
    give_up_us = clock.now_us() + patience_us
    is_waiting = False
    while True:
        try:
            return await ask()
        except try_again as problem:
            if clock.now_us() + RETRY_INTERVAL_US > give_up_us:
                if is_waiting:
                    on_wait(f"gave up after {patience_us / 1_000_000:g} s")
                raise
            if not is_waiting:
                on_wait(f"waiting up to {patience_us / 1_000_000:g} s for {whom}: {problem}")
                is_waiting = True
            await asyncio.sleep(RETRY_INTERVAL_US / 1_000_000)


class LocalRuntime(RealClock):
    """The world of one node, as far as it is alone.

    Args:
        node: its name.
    """

    def __init__(self, node: str) -> None:
        self._node = node
        self._random = random.Random()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def node(self) -> str:
        """Name of the node."""
        return self._node

    @property
    def random(self) -> random.Random:
        """Real chance: nothing here is to be replayed."""
        return self._random

    async def sleep_us(self, duration_us: int) -> None:
        """Wait so many microseconds."""
        await asyncio.sleep(duration_us / 1_000_000)

    def spawn(self, process: Process, name: str) -> AsyncioTask:
        """Start a process; if it fails by a fault of ours, the operator is told."""
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(process, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return AsyncioTask(task)

    def condition(self) -> AsyncioCondition:
        """Something new to wait for."""
        return AsyncioCondition()

    async def force(self, *syncs: Callable[[], None]) -> None:
        """Force files to the disk at the same time, each in a thread.

        Raises:
            DiskError: one of them failed, the first that is named here; none of the others is under way any more.
        """
        loop = asyncio.get_running_loop()
        forced = (loop.run_in_executor(_POOL, sync) for sync in syncs)
        for failure in await asyncio.gather(*forced, return_exceptions=True):
            if failure is not None:
                raise failure

    async def ahead(self, *syncs: Callable[[], None]) -> None:
        """As `force`; the step that follows finds it done, as `RealDisk` forces nothing twice."""
        await self.force(*syncs)

    async def stop(self) -> None:
        """End all processes of the node."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            if isinstance(failure, DiskFailedError):
                _LOG.debug("%s: %s ends, as the disk has failed", self._node, task.get_name())
            else:
                _LOG.error("%s: %s failed", self._node, task.get_name(), exc_info=failure)
