"""The arrays of one search. They are as large as the search may grow, but take memory only as it does."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genstamp_model.explore.driver import BUCKET, LOAD, Words

# Places are kept in 32 bits.
MOST_STATES = 2**32 - 2
FIRST_TABLE_BITS = 10


@dataclass(frozen=True)
class Memory:
    """Store, parents and hash table of a search."""

    store: Words
    parents: NDArray[np.uint32]
    table: Words

    @property
    def capacity(self) -> int:
        """How many states fit."""
        return int(self.store.shape[0])


def allocate(words: int, states: int | None, room: int) -> Memory:
    """Arrays for a number of states, or for as many as three quarters of the free memory hold.

    Args:
        words: int64 words a state.
        states: how many may be found; None for as many as fit.
        room: how many more the driver wants free before it begins a batch.
    """
    fitting = available_bytes() * 3 // 4 // bytes_at_most(words)
    capacity = min(fitting if states is None else states, MOST_STATES) + room
    while True:
        try:
            return _allocated(words, capacity)
        except MemoryError:
            # Where address space itself is rationed, less has to do.
            if capacity <= 2 * room:
                raise
            capacity //= 2


def _allocated(words: int, capacity: int) -> Memory:
    slots = BUCKET << FIRST_TABLE_BITS
    while slots * LOAD < capacity * 10:
        slots *= 2
    table = np.zeros(slots + BUCKET, np.int64)
    # A bucket is one line of the cache only where it begins with one.
    first = -(table.ctypes.data // 8) % BUCKET
    return Memory(np.empty((capacity, words), np.int64), np.empty(capacity, np.uint32), table[first : first + slots])


def bytes_at_most(words: int) -> int:
    """Most bytes that a state takes: itself, its parent, and its share of a table that has just been doubled."""
    return 8 * words + 4 + -(-8 * 2 * 10 // LOAD)


def bytes_taken(words: int, states: int, table_bits: int) -> int:
    """Bytes in use by a search that has found so many states."""
    return states * (8 * words + 4) + (8 * BUCKET << table_bits)


def available_bytes() -> int:
    """Memory that this process may still take without swapping, in bytes; on systems other than Linux half of all."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = 1024 * int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1])
    except (OSError, StopIteration):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    group = Path("/sys/fs/cgroup")
    try:
        most = (group / "memory.max").read_text().strip()
        used = int((group / "memory.current").read_text())
    except OSError:
        return free
    return free if most == "max" else min(free, int(most) - used)
