"""The memory of one search. It is as large as the search may grow, but is taken from the machine only as it does."""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genstamp_model.errors import ConfigurationError
from genstamp_model.explore.driver import PARTITIONS, ROUND
from genstamp_model.explore.table import BUCKET, LOAD

# A place, with the partition that it lies in, is kept in 32 bits.
MOST_STATES = 2**32 - PARTITIONS * 2
FIRST_BUCKETS = 256

LEAST_MEMORY = 1 << 20

# Python knows the flag's name from 3.13 on.
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)


@dataclass(frozen=True)
class Memory:
    """Store, parents and hash table of a partition."""

    store: NDArray[np.int64]
    parents: NDArray[np.uint32]
    table: NDArray[np.int64]

    @property
    def capacity(self) -> int:
        """How many states fit."""
        return int(self.store.shape[0])


def allocate(words: int, states: int, room: int) -> list[Memory]:
    """The memory of each partition, for a number of states altogether.

    Args:
        words: int64 words a state.
        states: how many may be found.
        room: successors that one state may have.
    """
    while True:
        # The hash deals states out evenly, but not exactly so; and a round begins only where its successors have room.
        each = states // PARTITIONS
        capacity = min(states, each + each // 16 + 65_536) + PARTITIONS * (ROUND + room) + 1
        try:
            return [_allocated(words, capacity) for _ in range(PARTITIONS)]
        except OSError:
            # Where address space itself is rationed, less has to do.
            if states < ROUND:
                raise
            states //= 2


def _allocated(words: int, capacity: int) -> Memory:
    buckets = FIRST_BUCKETS
    while buckets * BUCKET * LOAD < capacity * 100:
        buckets += buckets // 2
    return Memory(
        store=reserved(8 * words * capacity).view(np.int64).reshape(capacity, words),
        parents=reserved(4 * capacity).view(np.uint32),
        table=reserved(8 * BUCKET * buckets).view(np.int64),
    )


def reserved(size: int) -> NDArray[np.uint8]:
    """Memory full of zeros that is given when it is written to, in large pages where there are any."""
    if hasattr(mmap, "MAP_ANONYMOUS"):
        mapped = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            mapped.madvise(mmap.MADV_HUGEPAGE)
    else:
        mapped = mmap.mmap(-1, size)
    return np.frombuffer(mapped, np.uint8)


def granted(memory_bytes: int | None) -> int:
    """How much memory a search may take: what it is given, or three quarters of what is free.

    Raises:
        ConfigurationError: what it is given is less than it needs to begin.
    """
    if memory_bytes is None:
        return available_bytes() * 3 // 4
    if memory_bytes < LEAST_MEMORY:
        raise ConfigurationError(
            f"{memory_bytes:,} bytes of memory are too few for a search; expected at least {LEAST_MEMORY:,}"
        )
    return memory_bytes


def table_bytes_at_most() -> int:
    """Most bytes that a state takes of a table: of one that has just grown by half."""
    return -(-8 * 150 // LOAD)


def bytes_at_most(words: int) -> int:
    """Most bytes that a state takes: itself, its parent, and its share of the table."""
    return 8 * words + 4 + table_bytes_at_most()


def bytes_taken(words: int, states: int, buckets: int) -> int:
    """Bytes in use by a search that has found this many states, with this many buckets in its tables."""
    return states * (8 * words + 4) + 8 * BUCKET * buckets


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
