"""The world as one life of a node sees it in a simulation (`genstamp_dfs.world.runtime.Runtime`).

Clocks differ: each node's begins somewhere, and runs a little faster or slower than the loop's.

Not here: what the node does.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from genstamp_dfs.errors import NETWORK_FAILURES
from genstamp_dfs.simulation.loop import Future, Life, Loop, Task
from genstamp_dfs.simulation.network import Network, SimulatedConnection
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.runtime import Process

Answer = TypeVar("Answer")

EPOCH_MS: Final = 1_700_000_000_000
"""Wall clock of a run at its beginning: 14 November 2023."""


@dataclass(frozen=True)
class Clock:
    """A node's clock: what it shows at the beginning of the run, in microseconds, and how fast it runs (1 is right)."""

    start_us: int = 0
    rate: float = 1.0


class SimulatedCondition:
    """Something to wait for."""

    def __init__(self, loop: Loop, rate: float) -> None:
        self._loop = loop
        self._rate = rate
        self._waiting: list[Future[bool]] = []

    def notify_all(self) -> None:
        """Wake all that wait now."""
        for future in self._waiting:
            future.succeed(True)
        self._waiting.clear()

    async def wait(self, timeout_us: int | None = None) -> bool:
        """Wait to be woken; False if the time passed first."""
        future: Future[bool] = self._loop.future()
        self._waiting.append(future)
        if timeout_us is None:
            return await future
        timer = self._loop.at(self._loop.now_us + math.ceil(timeout_us / self._rate), lambda: self._give_up(future))
        try:
            return await future
        finally:
            timer.cancel()

    def _give_up(self, future: Future[bool]) -> None:
        if future in self._waiting:
            self._waiting.remove(future)
        future.succeed(False)


class SimulatedRuntime:
    """One life of a node in a simulated world.

    Args:
        loop: the loop.
        network: the network.
        life: the life.
        chance: the node's source of random choices.
        clock: its clock.
        call_attempts: how often a call is made whose answer is lost; 1 is once.
        sync_us: a sync that others need not wait for takes less than this, in microseconds; 0 for no time.

    Attributes:
        sync_us: as above, now; a disk may become slow.
    """

    def __init__(
        self,
        loop: Loop,
        network: Network,
        life: Life,
        chance: random.Random,
        clock: Clock | None = None,
        call_attempts: int = 1,
        sync_us: int = 0,
    ) -> None:
        self.life = life
        self._loop = loop
        self._network = network
        self._chance = chance
        self._clock = clock or Clock()
        self._call_attempts = call_attempts
        self._client_id = chance.getrandbits(128).to_bytes(16, "big")
        self._calls = 0
        self.sync_us = sync_us
        # Dice of its own: the other choices of a run are the same whether its disks are slow or not.
        self._disk_chance = random.Random(f"slow disk {life.node} {self._client_id.hex()}")

    @property
    def node(self) -> str:
        """Name of the node."""
        return self.life.node

    @property
    def random(self) -> random.Random:
        """The node's source of random choices."""
        return self._chance

    def now_us(self) -> int:
        """What the node's clock shows."""
        return self._clock.start_us + int(self._loop.now_us * self._clock.rate)

    def time_ms(self) -> int:
        """The node's wall clock."""
        return EPOCH_MS + self.now_us() // 1000

    async def sleep_us(self, duration_us: int) -> None:
        """Wait so many microseconds of the node's clock."""
        # Rounded up, as waiting for the last microsecond of a time would else take none, again and again.
        await self._loop.sleep_us(math.ceil(duration_us / self._clock.rate))

    def spawn(self, process: Process, name: str) -> Task:
        """Start a process of this life."""
        return self._loop.spawn(self.life, process, f"{self.node} {name}")

    def condition(self) -> SimulatedCondition:
        """Something new to wait for."""
        return SimulatedCondition(self._loop, self._clock.rate)

    async def force(self, *syncs: Callable[[], None]) -> None:
        """Let others run for as long as a slow disk takes, and then do it in no time, one after the other."""
        await self.ahead()
        for sync in syncs:
            sync()

    async def ahead(self, *syncs: Callable[[], None]) -> None:  # noqa: ARG002 (made by the step that follows)
        """Let others run for as long as a slow disk takes; the step that follows does the work, in no time."""
        if self.sync_us:
            await self._loop.sleep_us(self._disk_chance.randrange(self.sync_us))

    async def call(self, node: str, request: Request[Answer], *, timeout_us: int | None = None) -> Answer:
        """Ask another node."""
        caller = Caller(self.node, self._client_id, self._calls)
        self._calls += 1
        for _ in range(self._call_attempts - 1):
            try:
                return await self._call_once(node, request, caller, timeout_us)
            except NETWORK_FAILURES:
                await self.sleep_us(self._chance.randrange(1_000_000))
        return await self._call_once(node, request, caller, timeout_us)

    async def connect(self, node: str, operation: Any, *, timeout_us: int | None = None) -> SimulatedConnection:
        """Open a connection to another node."""
        return await self._network.connect(self.life, node, operation, timeout_us)

    async def _call_once(self, node: str, request: Request[Answer], caller: Caller, timeout_us: int | None) -> Answer:
        answer: Answer = await self._network.call(self.life, node, request, caller, timeout_us)
        return answer
