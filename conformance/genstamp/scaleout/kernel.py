"""What runs at the machine's speed on an executor: expanding rows, dealing them out to owners, finding what is new.

Machine functions of `genstamp_model.explore.machine`; they know no model.
"""

from __future__ import annotations

from functools import cache

from genstamp_model.explore.driver import ALARM, DEADLOCK, DONE, enter_row
from genstamp_model.explore.machine import Library, Word, Words, build, call, function
from genstamp_model.explore.table import WORDS, hashed

_ALARM_COUNTER = 0
_CUT_COUNTER = 1


@function
def expand_rows(board: Words, rows: Words, count: Word, made: Words, room: Word, counters: Words) -> Word:
    """Successors of rows from board[2] on, until `made` has no room for those of one more; gives how many there are.

    board: addresses of expand and of may_stop (0 leaves it out), the next row, what stopped it, room for one row's
    successors.
    """
    size, row = 0, board[2]
    while row < count and size + board[4] <= room:
        cut = counters[_CUT_COUNTER]
        state = rows + row * WORDS
        more = call(board[0], state, made + size * WORDS, counters)
        if counters[_ALARM_COUNTER] != 0:
            board[3] = ALARM
            break
        if more == 0 and board[1] != 0 and counters[_CUT_COUNTER] == cut and call(board[1], state) == 0:
            board[3] = DEADLOCK
            break
        size += more
        row += 1
    board[2] = row
    return size


@function
def owners_of(rows: Words, count: Word, owners: Word, found: Words) -> Word:
    """The owner of each row."""
    for j in range(count):
        found[j] = ((hashed(rows + j * WORDS) & 4294967295) * owners) >> 32
    return DONE


@function
def enter_rows(table: Words, buckets: Word, store: Words, states: Word, rows: Words, count: Word) -> Word:
    """Put those rows that are new behind the states of a store, and into its table; gives how many states there are."""
    for j in range(count):
        row = store + states * WORDS
        for k in range(WORDS):
            row[k] = rows[j * WORDS + k]
        states += enter_row(table, buckets, store, states, hashed(row))
    return states


@function
def enter_stored(table: Words, buckets: Word, store: Words, states: Word) -> Word:
    """Put the states of a store, all different, into an empty table."""
    for place in range(states):
        enter_row(table, buckets, store, place, hashed(store + place * WORDS))
    return DONE


@function
def judge_rows(board: Words, rows: Words, count: Word, first: Word, seen: Words) -> Word:
    """The first row that breaks an invariant, or `count`; `seen` gets the place of what shows a target of coverage.

    board: addresses of judge and cover. Places count from `first`.
    """
    for j in range(count):
        state = rows + j * WORDS
        if call(board[0], state) != 0:
            return j
        call(board[1], state, first + j + 1, seen)
    return count


@function
def leads_to_row(expand: Word, rows: Words, count: Word, target: Words, made: Words, counters: Words) -> Word:
    """The first row that has the target among its successors, or `count`."""
    for j in range(count):
        more = call(expand, rows + j * WORDS, made, counters)
        for i in range(more):
            difference = 0
            for k in range(WORDS):
                difference |= made[i * WORDS + k] ^ target[k]
            if difference == 0:
                return j
    return count


@cache
def library(words: int) -> Library:
    """The functions above for states of so many words, compiled once in a process."""
    return build(expand_rows, owners_of, enter_rows, enter_stored, judge_rows, leads_to_row, constants={"WORDS": words})
