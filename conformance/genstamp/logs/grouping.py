"""Brings rows in the order of their keys, compiled: a table of the keys by hash, then counting.

Not here: what keys are.
"""

from typing import Any

import numpy as np
from numba import njit

from genstamp.logs.compiled import KEEPS

_INSERTED_MAX = 64


def by_key(words: Any, numbers: Any, units: Any, sequences: Any) -> tuple[Any, Any]:
    """Rows key by key, those of a key by unit and sequence.

    Args:
        words, numbers: int64; both together are the key of a row.
        units, sequences: int32 and int64; what orders the rows of a key.

    Returns:
        The rows in order, and where the rows of each key begin, with one more element for the end.
    """
    group = np.empty(len(words), np.int64)
    groups = _number(words, numbers, group)
    starts = np.zeros(groups + 1, np.int64)
    order = np.empty(len(words), np.int64)
    _gather(group, starts, order)
    for start, end in _sort(starts, order, units, sequences):
        rows = order[start:end]
        order[start:end] = rows[np.lexsort((sequences[rows], units[rows]))]
    return order, starts


def distinct(numbers: Any) -> Any:
    """Each of some numbers once, in the order in which they are met."""
    group, none = np.empty(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
    firsts = np.empty(_number(none, numbers, group), np.int64)
    # Backwards, so that the first of each is what stays.
    firsts[group[::-1]] = numbers[::-1]
    return firsts


@njit(cache=KEEPS)  # type: ignore[untyped-decorator, unused-ignore]
def _number(words: Any, numbers: Any, group: Any) -> int:
    """For each row the number of its key, in the order in which keys are met; gives how many there are."""
    bits = 4
    while 1 << bits < 2 * len(words):
        bits += 1
    mask, shift = (1 << bits) - 1, np.uint64(64 - bits)
    first = np.full(1 << bits, -1, np.int64)
    groups = 0
    for row in range(len(words)):
        mixed = (np.uint64(numbers[row]) + np.uint64(words[row]) * np.uint64(0xC2B2AE3D27D4EB4F)) * np.uint64(
            0x9E3779B97F4A7C15
        )
        at = np.int64(mixed >> shift)
        while first[at] >= 0:
            other = first[at]
            if words[other] == words[row] and numbers[other] == numbers[row]:
                break
            at = (at + 1) & mask
        if first[at] < 0:
            first[at] = row
            group[row] = groups
            groups += 1
        else:
            group[row] = group[first[at]]
    return groups


@njit(cache=KEEPS)  # type: ignore[untyped-decorator, unused-ignore]
def _gather(group: Any, starts: Any, order: Any) -> None:
    for row in range(len(group)):
        starts[group[row] + 1] += 1
    for number in range(1, len(starts)):
        starts[number] += starts[number - 1]
    free = starts[:-1].copy()
    for row in range(len(group)):
        order[free[group[row]]] = row
        free[group[row]] += 1


@njit(cache=KEEPS)  # type: ignore[untyped-decorator, unused-ignore]
def _sort(starts: Any, order: Any, units: Any, sequences: Any) -> Any:
    """Sorts short keys; gives where those begin and end that are too long for this and not in order yet."""
    long = [(np.int64(0), np.int64(0))]
    for number in range(len(starts) - 1):
        start, end = starts[number], starts[number + 1]
        for at in range(start + 1, end):
            row, to = order[at], at
            before = order[to - 1]
            if units[before] < units[row] or (units[before] == units[row] and sequences[before] <= sequences[row]):
                continue
            if end - start > _INSERTED_MAX:
                long.append((start, end))
                break
            while to > start:
                before = order[to - 1]
                if units[before] < units[row] or (units[before] == units[row] and sequences[before] <= sequences[row]):
                    break
                order[to] = before
                to -= 1
            order[to] = row
    return long[1:]
