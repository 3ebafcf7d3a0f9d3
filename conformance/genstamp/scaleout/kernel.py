"""Code that runs at the machine's speed on an executor: expanding rows, dealing them out to parts, finding what is new.

Machine functions of `genstamp_model.explore.machine`; they know no model.
"""

from __future__ import annotations

from functools import cache

from genstamp_model.explore.driver import ALARM, DEADLOCK, DONE, enter_row, same
from genstamp_model.explore.machine import Library, Word, Words, build, call, function
from genstamp_model.explore.table import BUCKET, LOWER, MATCHING, WORDS, hashed, home, look, lowest

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
def parts_of_rows(rows: Words, count: Word, parts: Word, found: Words) -> Word:
    """The part of each row: the fraction that the lower half of its hash is."""
    for j in range(count):
        found[j] = ((hashed(rows + j * WORDS) & LOWER) * parts) >> 32
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
def strike_rows(table: Words, buckets: Word, store: Words, struck: Words, rows: Words, count: Word) -> Word:
    """Mark those states of a store that are among some rows."""
    for j in range(count):
        row = rows + j * WORDS
        h = hashed(row)
        bucket, slots = home(h, buckets), 0
        # As in a search of the table, up to the first slot that is empty.
        while slots <= MATCHING:
            slots = look(table, bucket, h)
            matching = slots & MATCHING
            while matching != 0:
                place = (table[bucket * BUCKET + lowest(matching)] & LOWER) - 1
                if same(store + place * WORDS, row):
                    struck[place] = 1
                matching &= matching - 1
            bucket += 1
            if bucket == buckets:
                bucket = 0
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
    """The functions above for states of this many words, compiled once in a process."""
    return build(
        expand_rows,
        parts_of_rows,
        enter_rows,
        strike_rows,
        judge_rows,
        leads_to_row,
        constants={"WORDS": words},
    )
