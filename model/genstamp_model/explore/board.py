"""One search as the driver sees it: its memory, and turns of the driver on one thread or several."""

from __future__ import annotations

import ctypes
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from genstamp_model.explore import barrier, driver, memory
from genstamp_model.explore.emit import Program
from genstamp_model.explore.machine import Library, build
from genstamp_model.explore.native import Native
from genstamp_model.explore.spill import Spill
from genstamp_model.explore.spool import Disk, DiskError
from genstamp_model.explore.table import BUCKET, WAITING

_PARTITIONS = driver.PARTITIONS


class AnyBoard(Protocol):
    """The interface of a store of states.

    Attributes:
        outcome: of the last turn, one of the driver's.
        full: why there is no room for more, in words, where that is not because of how many states are allowed.
        begun: initial states.
    """

    outcome: int
    full: str
    begun: int

    @property
    def doubt(self) -> float:
        """At most the probability with which a state was missed."""

    def turn(self, quota: int, threads: int) -> None:
        """Continue for about this many states, on so many threads."""

    @property
    def states(self) -> int:
        """Distinct states found."""

    @property
    def expanded(self) -> int:
        """States whose steps have been taken."""

    @property
    def generated(self) -> int:
        """The initial states and every step taken."""

    @property
    def levels(self) -> int:
        """Levels of which states have been found."""

    @property
    def memory_bytes(self) -> int:
        """Memory in use."""

    @property
    def disk_bytes(self) -> int:
        """Most that files took at a time."""

    @property
    def counters(self) -> NDArray[np.int64]:
        """The program's counters."""

    @property
    def at(self) -> int:
        """Place of the state that the outcome is about."""

    def seen(self, target: int) -> list[int]:
        """Places of states that first show what `cover` looks for."""

    def depth(self, place: int) -> int:
        """Steps of a shortest path to the state at a place."""

    def way(self, place: int) -> list[list[int]]:
        """Words of the states on a shortest path to the one at a place, the initial one first."""


@cache
def driver_for(words: int) -> Library:
    """The driver for states of this many words, compiled once in a process."""
    return build(driver.advance, driver.enter_first, constants={"WORDS": words, "RECORD": words + 2})


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Partitioned(ABC):
    """What boards have in common whose states are dealt out to partitions: the counts, and where something was seen.

    Attributes:
        begun: initial states.
    """

    def __init__(self, program: Program, begun: int) -> None:
        self.begun = begun
        self._program = program
        self._board = np.zeros(driver.BOARD, np.int64)
        self._slots = np.zeros((_PARTITIONS, driver.PARTITION), np.int64)
        self._counters = np.zeros((_PARTITIONS, padded(program.counters)), np.int64)
        self._seen = np.zeros((_PARTITIONS, padded(len(program.targets))), np.int64)

    def _sum(self, slot: int) -> int:
        return int(self._slots[:, slot].sum())

    @property
    def states(self) -> int:
        """Distinct states found, or fingerprints of them."""
        return self._sum(driver.STATES)

    @property
    def generated(self) -> int:
        """The initial states and every step taken."""
        return self.begun + self._sum(driver.GENERATED)

    @property
    def counters(self) -> NDArray[np.int64]:
        """The program's counters."""
        total: NDArray[np.int64] = self._counters.sum(axis=0)[: self._program.counters]
        return total

    @property
    def at(self) -> int:
        """Place of the state that the outcome is about: of the first partition that stopped for one."""
        stopped = (driver.INVARIANT, driver.ALARM, driver.DEADLOCK)
        for number, slots in enumerate(self._slots):
            if slots[driver.EXPANDING] in stopped or slots[driver.ENTERING] in stopped:
                return int(slots[driver.AT]) * _PARTITIONS + number
        raise AssertionError("no partition has stopped for a state")

    def seen(self, target: int) -> list[int]:
        """Places of the states that first show what `cover` looks for: one of each partition, or none."""
        found = self._seen[:, target].tolist()
        return [(place - 1) * _PARTITIONS + number for number, place in enumerate(found) if place > 0]

    def depth(self, place: int) -> int:
        """Steps of a shortest path to the state at a place."""
        return len(self.way(place)) - 1

    @abstractmethod
    def way(self, place: int) -> list[list[int]]:
        """Words of the states on a shortest path to the one at a place, the initial one first."""


class Board(Partitioned):
    """A search that has found its initial states.

    Args:
        program, native: the model, compiled.
        first: words of the initial states, each once.
        may_stop: whether a state without a step is examined.
        allowed: how many states may be found.
        memory_bytes: how much memory states may take before they are brought to files.
        disk: for the files.

    Attributes:
        outcome: of the last turn.
        full: why there is no room for more, in words, where that is not because of how many states are allowed.
        doubt: 0; no state is missed.
    """

    doubt = 0.0

    def __init__(
        self,
        program: Program,
        native: Native,
        first: Sequence[Sequence[int]],
        may_stop: bool,
        allowed: int,
        memory_bytes: int,
        disk: Disk,
    ) -> None:
        words, room = program.layout.words, len(program.steps)
        self.library = driver_for(words)
        super().__init__(program, len(first))
        self._allowed = min(allowed, memory.MOST_STATES)
        enough = max(self.begun, min(self._allowed, memory_bytes // memory.table_bytes_at_most()))
        self.memory = memory.allocate(words, enough, room)
        assert all(part.capacity >= self.begun for part in self.memory), "the initial states have no room"
        self._spill = Spill(self.memory, words, memory_bytes, disk)
        self.full = ""
        self._scratch = np.empty((_PARTITIONS, padded(max(room * words, WAITING + BUCKET))), np.int64)
        length = (driver.ROUND + driver.BLOCK + room) * (words + 2)
        self._handed = np.empty((_PARTITIONS, _PARTITIONS, padded(length)), np.int64)
        self._set_up(native, may_stop, room)
        records = np.zeros((len(first), words + 2), np.int64)
        records[:, 2:] = first
        self.outcome = driver.PAUSED
        entered = self.library.run(driver.enter_first, self._board, self._slots, records, len(first))
        assert entered == driver.DONE, "the hashes of the initial states crowd together: the hash is broken"

    def _set_up(self, native: Native, may_stop: bool, room: int) -> None:
        board, partitions, targets = self._board, self._slots, len(self._program.targets)
        board[driver.ALLOWED] = min(self._allowed, self._spill.allowed)
        board[driver.ROOM], board[driver.TARGETS] = room, targets
        board[driver.EXPAND], board[driver.JUDGE], board[driver.COVER] = native.expand, native.judge, native.cover
        board[driver.MAY_STOP] = native.may_stop if may_stop else 0
        board[barrier.YIELD] = yielding()
        partitions[:, driver.BUCKETS] = memory.FIRST_BUCKETS
        partitions[:, driver.COVERING] = targets > 0
        for partition, room_of, counters, seen, scratch, handed in zip(
            partitions, self.memory, self._counters, self._seen, self._scratch, self._handed, strict=True
        ):
            partition[driver.CAPACITY] = room_of.capacity
            partition[driver.STORE] = room_of.store.ctypes.data
            partition[driver.PARENTS] = room_of.parents.ctypes.data
            partition[driver.TABLE] = room_of.table.ctypes.data
            partition[driver.COUNTERS] = counters.ctypes.data
            partition[driver.SEEN] = seen.ctypes.data
            partition[driver.SCRATCH] = scratch.ctypes.data
            partition[driver.HANDED] = handed.ctypes.data

    def turn(self, quota: int, threads: int) -> None:
        """Let the driver expand this many states more, unless it has to stop before; `outcome` says why it stopped."""
        self._board[driver.STOP_AT] = self.expanded + quota
        self._go_on(threads)
        while self.outcome == driver.FULL and self.states <= self._allowed and self._make_room():
            self._go_on(threads)

    def _make_room(self) -> bool:
        """Bring states to files, so that there is memory for more; false where there is not."""
        try:
            self._spill.bring_out(self._slots[:, driver.STATES].tolist())
        except DiskError as error:
            self.full = str(error)
            return False
        before = int(self._board[driver.ALLOWED])
        self._board[driver.ALLOWED] = min(self._allowed, self._spill.allowed)
        if self._board[driver.ALLOWED] > max(before, self.states):
            return True
        self.full = "the memory is used up"
        return False

    def _go_on(self, threads: int) -> None:
        self.outcome = self.library.side_by_side(threads, driver.advance, self._board, self._slots)
        assert self.outcome != driver.CROWDED, "the states' hashes crowd together: the hash is broken"

    @property
    def expanded(self) -> int:
        """States whose steps have been taken."""
        return self._sum(driver.HEAD)

    @property
    def levels(self) -> int:
        """Levels of which states have been found, be it by the turn that stopped within the level before."""
        return int(self._board[driver.LEVEL]) + (self.states > self._sum(driver.LEVEL_END))

    @property
    def memory_bytes(self) -> int:
        """Memory in use for states and tables."""
        taken = memory.bytes_taken(self.memory[0].store.shape[1], self.states, self._sum(driver.BUCKETS))
        return taken - self._spill.outside

    @property
    def disk_bytes(self) -> int:
        """Bytes of the states that were brought to files."""
        return self._spill.outside

    def row(self, place: int) -> list[int]:
        """Words of the state at a place."""
        words: list[int] = self.memory[place % _PARTITIONS].store[place // _PARTITIONS].tolist()
        return words

    def way(self, place: int) -> list[list[int]]:
        """Words of the states on a shortest path to the one at a place, the initial one first."""
        found = [place]
        while (before := int(self.memory[found[-1] % _PARTITIONS].parents[found[-1] // _PARTITIONS])) != found[-1]:
            found.append(before)
        return [self.row(place) for place in reversed(found)]

    def rows(self) -> NDArray[np.int64]:
        """All states found, the first initial one first."""
        counts = self._slots[:, driver.STATES].tolist()
        return np.concatenate([room.store[:count] for room, count in zip(self.memory, counts, strict=True)])

    def places(self) -> NDArray[np.int64]:
        """Of each of those its place."""
        counts = self._slots[:, driver.STATES].tolist()
        return np.concatenate([np.arange(count) * _PARTITIONS + number for number, count in enumerate(counts)])


def padded(words: int) -> int:
    """At least this many words, and a distance at which threads do not share a line of the cache."""
    return -(-words // 16) * 16 + 16


def yielding() -> int:
    """Address of the system's function that lets other threads run; 0 where there is none."""
    try:
        function = ctypes.CDLL(None).sched_yield
    except (AttributeError, OSError, TypeError):
        return 0
    return ctypes.cast(function, ctypes.c_void_p).value or 0
