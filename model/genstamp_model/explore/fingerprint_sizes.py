"""How a search by fingerprints divides memory, and how sure it can be with the bits that are kept.

The probability that something was missed is over the choice of the hash's keys. For any n: that two of the first n + 1
states, in a fixed breadth-first order, share a fingerprint has at most the probability (n + 1) n / 2 / 2**bits, since
any two do with 2**-bits. A search that misses a state has met such a pair, in that order, among as many states as it
found and one more: up to the level of the first pair it finds all. So the number of states *found* bounds how likely
it was to miss one; the number that there are need not be known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from genstamp_model.explore.driver import PARTITIONS
from genstamp_model.explore.fingerprint_table import (
    KEPT_BITS,
    LEAST_REGION_BITS,
    MOST_AWAY,
    MOST_REGION_BITS,
    PARTITION_BITS,
)

_BUCKET_BYTES: Final = 64

# What a queue, and what the traces, keep in memory: a 64th of it, and no more than pays. The table gets the rest.
_MOST_QUEUED: Final = 1 << 24


@dataclass(frozen=True)
class Sizes:
    """The memory limit of one partition.

    Attributes:
        region_bits: of a region's number.
        most_span: buckets a region at most.
        queue_rows: states of one level that are kept in memory.
        trace_rows: traces that are kept in memory.
    """

    region_bits: int
    most_span: int
    queue_rows: int
    trace_rows: int

    def slots(self, span: int) -> int:
        """Slots of a table with this many buckets a region, those behind its last region included."""
        return ((span << self.region_bits) + MOST_AWAY) * _BUCKET_BYTES // 8

    @property
    def most_slots(self) -> int:
        """Slots of the longest table."""
        return self.slots(self.most_span)

    @property
    def bits(self) -> int:
        """Bits that distinguish fingerprints."""
        return KEPT_BITS + self.region_bits + PARTITION_BITS


def divided(memory_bytes: int, words: int) -> Sizes:
    """Divide memory among the partitions.

    Args:
        memory_bytes: for tables, queues and traces together.
        words: int64 words a state.
    """
    share = memory_bytes // PARTITIONS
    queued = min(share // 64, _MOST_QUEUED)
    buckets = (share - 3 * queued) // _BUCKET_BYTES - MOST_AWAY
    # A table begins with a bucket a region, and should have somewhere to grow.
    region_bits = max(LEAST_REGION_BITS, min(MOST_REGION_BITS, (buckets >> 3).bit_length() - 1))
    return Sizes(
        region_bits=region_bits,
        most_span=buckets >> region_bits,
        queue_rows=queued // (8 * words),
        trace_rows=queued // 8,
    )


def keys(words: int, seed: int, bits: int) -> NDArray[np.uint64]:
    """Keys of the hash for states of this many words, and the mask of the bits that count."""
    drawn = np.random.PCG64(seed).random_raw(2 * (2 * words + 1))
    mask = (1 << 128) - (1 << (128 - bits))
    return np.array([*drawn.tolist(), mask & (2**64 - 1), mask >> 64], np.uint64)


def doubt(states: int, bits: int) -> float:
    """At most the probability with which a search that found this many states has missed one."""
    return min(1.0, (states + 1) * states / 2 / 2.0**bits)
