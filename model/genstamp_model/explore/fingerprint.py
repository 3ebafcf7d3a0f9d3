"""A search that keeps fingerprints of states in place of states: 9 to 10 bytes each, however long a state is.

What it finds is real: a counterexample is taken step by step from the initial state. It may miss a violation, with a
probability that it reports (`fingerprint_sizes`). States in full stand only in the queues of two levels. Not here: the
states themselves, once their level is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import barrier
from genstamp_model.explore import driver as exact
from genstamp_model.explore import fingerprint_driver as driver
from genstamp_model.explore import fingerprint_table as table
from genstamp_model.explore.board import Partitioned, padded, yielding
from genstamp_model.explore.emit import Program
from genstamp_model.explore.fingerprint_sizes import Sizes, divided, doubt, keys
from genstamp_model.explore.machine import Library, build
from genstamp_model.explore.memory import LEAST_MEMORY, reserved
from genstamp_model.explore.native import EXPAND, Native
from genstamp_model.explore.spool import Disk, DiskError, Spool
from genstamp_model.explore.table import BUCKET

_PARTITIONS = exact.PARTITIONS


@dataclass(frozen=True)
class Fingerprints:
    """How states are distinguished where only fingerprints of them are kept.

    Attributes:
        seed: chooses the hash. What one search misses another one finds, except with the product of their doubts.
        bits: how many bits of a fingerprint count; all that the table can distinguish unless fewer are asked for.
    """

    seed: int = 0
    bits: int | None = None


@cache
def _driver_for(words: int, region_bits: int) -> Library:
    constants = {"WORDS": words, "RECORD": driver.BEFORE + words, "REGION_BITS": region_bits}
    return build(driver.advance, driver.enter_first, table.allow, constants=constants)


def _reserved(memory_bytes: int, words: int) -> tuple[Sizes, list[NDArray[np.uint8]]]:
    """How memory is divided, and a table for each partition, as long as it may grow."""
    while True:
        sizes = divided(memory_bytes, words)
        try:
            return sizes, [reserved(8 * sizes.most_slots) for _ in range(_PARTITIONS)]
        except OSError:
            # Where address space itself is rationed, less has to do.
            if memory_bytes < LEAST_MEMORY:
                raise
            memory_bytes //= 2


class Partition:
    """What waits beside a partition's table: the level that is expanded, the next one, and all traces."""

    def __init__(self, slots: NDArray[np.int64], number: int, words: int, rows: int, sizes: Sizes, disk: Disk) -> None:
        self._slots = slots
        self._number = number
        self._level = Spool(words, sizes.queue_rows, disk)
        self._next_level = Spool(words, sizes.queue_rows, disk)
        self._traces = Spool(1, sizes.trace_rows, disk)
        self._new = np.empty((rows, words), np.int64)
        self._new_traces = np.empty(rows, np.int64)
        self._begun = 0
        self._block = self._new[:0]
        slots[driver.NEW] = self._new.ctypes.data
        slots[driver.TRACES] = self._new_traces.ctypes.data

    @property
    def memory_bytes(self) -> int:
        """Memory that the spools have taken."""
        return sum(spool.memory_bytes for spool in (self._level, self._next_level, self._traces))

    def put_away(self) -> None:
        """Bring new states to the next level, and their traces to the others."""
        found = int(self._slots[driver.FOUND])
        self._next_level.append(self._new[:found])
        self._traces.append(self._new_traces[:found, np.newaxis])
        self._slots[driver.FOUND] = 0

    def begin_level(self) -> None:
        """Make the next level the one that is expanded."""
        self._level.clear()
        self._level, self._next_level = self._next_level, self._level
        self._begun = 0
        self._slots[driver.LEFT] = len(self._level)

    def begin_block(self) -> None:
        """Expand the next states of the level, if those before them have been and there are more."""
        slots = self._slots
        if slots[exact.HEAD] < slots[driver.BLOCK_END] or self._begun == len(self._level):
            return
        self._block = self._level.read(self._begun, driver.MOST_BLOCK)
        self._begun += len(self._block)
        slots[driver.BLOCK] = self._block.ctypes.data
        slots[exact.HEAD], slots[driver.BLOCK_END] = 0, len(self._block)
        slots[driver.LEFT] = len(self._level) - self._begun
        place = int(slots[driver.EXPANDED])
        slots[driver.BLOCK_ORIGIN] = (self._number << driver.PLACE_BITS | place) << driver.SUCCESSOR_BITS

    def origin(self, place: int) -> tuple[int, int, int]:
        """Where the state at a place comes from: the partition and the place, and which successor it is."""
        kept = len(self._traces)
        code = int(self._traces.read(place, 1)[0, 0] if place < kept else self._new_traces[place - kept])
        from_place = code >> driver.SUCCESSOR_BITS & (1 << driver.PLACE_BITS) - 1
        return code >> driver.SUCCESSOR_BITS + driver.PLACE_BITS, from_place, code & (1 << driver.SUCCESSOR_BITS) - 1


class FingerprintBoard(Partitioned):
    """A search that has found its initial states; it is used as `board.Board` is.

    Attributes:
        outcome: of the last turn, one of the exact driver's.
        full: why there is no room for more, in words, where that is not because of how many states are allowed.
    """

    def __init__(
        self,
        program: Program,
        native: Native,
        first: Sequence[Sequence[int]],
        may_stop: bool,
        allowed: int,
        memory_bytes: int,
        disk: Disk,
        how: Fingerprints,
    ) -> None:
        """Set up.

        Args:
            program, native: the model, compiled.
            first: words of the initial states, each once.
            may_stop: whether a state without a step is examined.
            allowed: how many states may be found.
            memory_bytes: for tables, queues and traces.
            disk: for what has no room there.
            how: the choice of the hash.

        Raises:
            ConfigurationError: there are too many steps.
        """
        words, room = program.layout.words, len(program.steps)
        if room >= 1 << driver.SUCCESSOR_BITS:
            raise ConfigurationError(f"there are {room} steps; a search by fingerprints takes fewer than 65536")
        super().__init__(program, len(first))
        self._native = native
        self._sizes, self._tables = _reserved(memory_bytes, words)
        self.bits = self._sizes.bits if how.bits is None else min(how.bits, self._sizes.bits)
        self._keys = keys(words, how.seed, self.bits)
        self._library = _driver_for(words, self._sizes.region_bits)
        self._disk = disk
        self.full = ""
        self._scratch = np.empty((_PARTITIONS, padded(max(room * words, 2 * table.WAITING) + BUCKET)), np.int64)
        self._recent = np.full((_PARTITIONS, 2 << driver.RECENT_BITS), -1, np.int64)
        length = (exact.ROUND + room) * (driver.BEFORE + words)
        self._handed = np.empty((_PARTITIONS, _PARTITIONS * length), np.int64)
        self._set_up(may_stop, allowed)
        self._roots: dict[tuple[int, int], list[int]] = {}
        self.outcome: int = exact.PAUSED
        self._enter(first)

    def _enter(self, first: Sequence[Sequence[int]]) -> None:
        """Enter the initial states, up to one that breaks an invariant."""
        for row in first:
            before = self._slots[:, exact.STATES].tolist()
            number = self._library.run(driver.enter_first, self._board, self._slots, np.array(row, np.int64))
            if self._slots[number, exact.STATES] > before[number]:
                self._roots[number, before[number]] = list(row)
            if self._slots[number, exact.ENTERING] != exact.DONE:
                break
            if self._slots[number, driver.FOUND] == exact.ROUND:
                self._partitions[number].put_away()

    def _set_up(self, may_stop: bool, allowed: int) -> None:
        program, native, board = self._program, self._native, self._board
        room = len(program.steps)
        rows = 4 * _PARTITIONS * (exact.ROUND + room)
        board[exact.ALLOWED], board[exact.ROOM] = allowed, room
        board[exact.EXPAND], board[exact.JUDGE], board[exact.COVER] = native.expand, native.judge, native.cover
        board[exact.MAY_STOP] = native.may_stop if may_stop else 0
        board[barrier.YIELD] = yielding()
        board[driver.KEYS], board[driver.WAITING_ROWS] = self._keys.ctypes.data, rows
        self._partitions = [
            Partition(slots, number, program.layout.words, rows, self._sizes, self._disk)
            for number, slots in enumerate(self._slots)
        ]
        for number, slots in enumerate(self._slots):
            slots[exact.COVERING] = len(program.targets) > 0
            slots[exact.COUNTERS] = self._counters[number].ctypes.data
            slots[exact.SEEN] = self._seen[number].ctypes.data
            slots[exact.SCRATCH] = self._scratch[number].ctypes.data
            slots[exact.HANDED] = self._handed[number].ctypes.data
            slots[exact.TABLE] = self._tables[number].ctypes.data
            slots[driver.RECENT] = self._recent[number].ctypes.data
            slots[table.SPAN], slots[table.MOST_SPAN] = 1, self._sizes.most_span
            self._library.run(table.allow, slots)

    def turn(self, quota: int, threads: int) -> None:
        """Expand this many states more, unless there is a reason to stop before; `outcome` says why it stopped."""
        if self.full:
            # What could not be put away would be put away twice.
            return
        self._board[exact.STOP_AT] = self.expanded + quota
        try:
            self._advance(threads)
            while self.outcome == driver.SERVE:
                if not self._serve():
                    self.outcome = exact.DONE
                    return
                self._advance(threads)
        except DiskError as error:
            self.outcome, self.full = exact.FULL, str(error)
        if self.outcome == driver.NO_ROOM:
            self.outcome, self.full = exact.FULL, "the memory for fingerprints is used up"

    def _advance(self, threads: int) -> None:
        self.outcome = self._library.side_by_side(threads, driver.advance, self._board, self._slots)

    def _serve(self) -> bool:
        """Do for the partitions what they wait for; false where all states have been expanded."""
        for partition in self._partitions:
            partition.put_away()
        if self.expanded == self.states:
            return False
        if not self._waiting:
            self._merge_seen()
            self._board[exact.LEVEL] += 1
            for partition in self._partitions:
                partition.begin_level()
        for partition in self._partitions:
            partition.begin_block()
        return True

    @property
    def _waiting(self) -> int:
        """States of the level that are still to be expanded."""
        return self._sum(driver.BLOCK_END) - self._sum(exact.HEAD) + self._sum(driver.LEFT)

    def _merge_seen(self) -> None:
        """Let no partition look for what another one has seen on an earlier level."""
        anywhere = (self._seen != 0).any(axis=0)
        self._seen[:, anywhere] = np.where(self._seen[:, anywhere] == 0, exact.MERGED, self._seen[:, anywhere])

    @property
    def expanded(self) -> int:
        """States whose steps have been taken."""
        return self._sum(driver.EXPANDED)

    @property
    def levels(self) -> int:
        """Levels of which states have been found, be it by the turn that stopped within the level before."""
        return int(self._board[exact.LEVEL]) + (self.states > self.expanded + self._waiting)

    @property
    def memory_bytes(self) -> int:
        """Memory in use for tables, queues and traces."""
        tables = sum(8 * self._sizes.slots(int(span)) for span in self._slots[:, table.SPAN])
        return tables + sum(partition.memory_bytes for partition in self._partitions)

    @property
    def disk_bytes(self) -> int:
        """Most that files took at a time."""
        return self._disk.most_used

    @property
    def doubt(self) -> float:
        """At most the probability with which a state was missed so far."""
        return doubt(self.states, self.bits)

    def way(self, place: int) -> list[list[int]]:
        """Words of the states on a shortest path to the one at a place, the initial one first."""
        number, place = place % _PARTITIONS, place // _PARTITIONS
        successors = []
        while (number, place) not in self._roots:
            number, place, successor = self._partitions[number].origin(place)
            successors.append(successor)
        states = [self._roots[number, place]]
        for successor in reversed(successors):
            states.append(self._successors(states[-1])[successor])
        return states

    def _successors(self, state: list[int]) -> list[list[int]]:
        program = self._program
        before = np.array(state, np.int64)
        after = np.empty((len(program.steps), program.layout.words), np.int64)
        counters = np.zeros(program.counters, np.int64)
        made = EXPAND(self._native.expand)(before.ctypes.data, after.ctypes.data, counters.ctypes.data)
        found: list[list[int]] = after[:made].tolist()
        return found
