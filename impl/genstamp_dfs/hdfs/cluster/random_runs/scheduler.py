"""Virtual time, and the processes that wait in it.

Leaves out: what the processes do.
"""

import heapq
from collections.abc import Generator, Iterator
from typing import TypeAlias

Process: TypeAlias = Generator[int, None, None]
"""What a node does, step by step; it yields how many microseconds it waits before the next."""

Task: TypeAlias = Generator[int, None, bool]
"""A part of a process that says in the end whether it succeeded; run by `yield from`."""


class Scheduler:
    """Runs processes in the order of the times they wait for; ties go to who came first."""

    def __init__(self) -> None:
        self.now_us = 0
        self._waiting: list[tuple[int, int, str, int, Process]] = []
        self._arrivals = 0
        self._lives: dict[str, int] = {}

    def spawn(self, owner: str, process: Process) -> None:
        """Start a process that lives as long as its owner."""
        self._resume(owner, self._lives.get(owner, 0), process)

    def kill(self, owner: str) -> None:
        """End all processes of the owner; it may start others, in its next life."""
        self._lives[owner] = self._lives.get(owner, 0) + 1

    def run_until(self, end_us: int) -> Iterator[None]:
        """Run what is due up to `end_us`; yields after each resumed process, so that a caller may stop."""
        while self._waiting and self._waiting[0][0] <= end_us:
            self.now_us, _, owner, life, process = heapq.heappop(self._waiting)
            if life == self._lives.get(owner, 0):
                self._resume(owner, life, process)
                yield
        self.now_us = end_us

    def _resume(self, owner: str, life: int, process: Process) -> None:
        delay_us = next(process, None)
        if delay_us is not None:
            self._arrivals += 1
            heapq.heappush(self._waiting, (self.now_us + delay_us, self._arrivals, owner, life, process))
