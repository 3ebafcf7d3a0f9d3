"""The loop of a search by fingerprints: machine functions that know no model.

It goes in rounds of two phases, as the loop of the exact search (`driver`) does, and shares its barrier, and most slots
of its boards. First each partition expands some of its states of the level, and hands the successors to the partitions
that they belong to. Then each enters the fingerprints of what it was handed, in the order of the partitions that it
came from; what is new is judged, and kept for the next level. In a phase a partition writes only what is its own, so
nothing depends on which thread does what, or how fast.

A record that is handed over is a slot's bits, the region with the successor's origin, and the state's words. The origin
is the place of the state that was expanded, counted from the first of its block, and which of its successors it is. A
trace holds, for each state, the same with the partition and counted from the first of all: so every state can be found
again from the initial one by expanding.
"""

from __future__ import annotations

from typing import Final

from genstamp_model.explore.barrier import wait
from genstamp_model.explore.driver import (
    ALARM,
    ALLOWED,
    AT,
    COUNTERS,
    COUNTS,
    COVER,
    COVERING,
    DEADLOCK,
    DONE,
    ENTERING,
    EXPAND,
    EXPANDING,
    FULL,
    GENERATED,
    GO,
    HANDED,
    HEAD,
    INVARIANT,
    JUDGE,
    MAY_STOP,
    NEXT,
    PARTITION,
    PARTITIONS,
    PAUSED,
    RECORD,
    ROOM,
    ROUND,
    SCRATCH,
    SEEN,
    STATES,
    STOP_AT,
    SUCCESSORS,
    TABLE,
    least,
)
from genstamp_model.explore.fingerprint_table import (
    MOST_SPAN,
    PARTITION_BITS,
    PROMISED,
    REGION_BITS,
    SPAN,
    WORDS,
    fetch,
    fingerprint,
    lengthen,
    put,
)
from genstamp_model.explore.machine import Word, Words, call, function, inlined
from genstamp_model.explore.table import memory_at

# Slots of the board other than those of the exact search.
KEYS: Final = 13  # address of the hash's keys
WAITING_ROWS: Final = 14  # new states that may wait to be put away

# Slots of a partition other than those; its HEAD counts within the block.
BLOCK_END: Final = 2  # how many states the block has
LEFT: Final = 4  # states of the level behind the block
FOUND: Final = 6  # how many new states have not been put away
EXPANDED: Final = 10
BLOCK: Final = 11  # address of the states that are expanded
BLOCK_ORIGIN: Final = 12  # trace of the successor 0 of the block's first state
NEW: Final = 17  # address of new states
TRACES: Final = 20  # address of their traces
RECENT: Final = 21  # address of fingerprints handed over lately

# What `advance` gives, beside what the exact search's does.
SERVE: Final = 8  # a block is at its end, or there is much to put away
NO_ROOM: Final = 9  # the table is full

# A trace: a successor's number, a place, a partition. What `cover` notes: a place, a partition, plus one.
SUCCESSOR_BITS: Final = 16
PLACE_BITS: Final = 41
ORIGIN_BITS: Final = 40
ORIGIN: Final = (1 << ORIGIN_BITS) - 1
MOST_BLOCK: Final = 1 << (ORIGIN_BITS - SUCCESSOR_BITS)

BEFORE: Final = 2  # words of a record before the state
TOGETHER: Final = 64  # records whose slots are fetched together
RECENT_BITS: Final = 13
_ALARM_COUNTER: Final = 0
_CUT_COUNTER: Final = 1


@function
def expand_block(board: Words, partition: Words) -> Word:
    """First phase: hand out successors of the block's next states; gives what stopped it."""
    expand, may_stop, enough = board[EXPAND], board[MAY_STOP], board[SUCCESSORS]
    block, counters, keys = memory_at(partition[BLOCK]), memory_at(partition[COUNTERS]), memory_at(board[KEYS])
    handed, made, recent = memory_at(partition[HANDED]), memory_at(partition[SCRATCH]), memory_at(partition[RECENT])
    length = (enough + board[ROOM]) * RECORD
    out = made + board[ROOM] * WORDS
    counts = partition + COUNTS
    for q in range(PARTITIONS):
        counts[q] = 0
    row, end, sent = partition[HEAD], partition[BLOCK_END], 0
    while row < end and sent < enough:
        state = block + row * WORDS
        cut = counters[_CUT_COUNTER]
        count = call(expand, state, made, counters)
        if counters[_ALARM_COUNTER] != 0:
            partition[AT] = partition[EXPANDED]
            return ALARM
        if count == 0 and may_stop != 0 and counters[_CUT_COUNTER] == cut and call(may_stop, state) == 0:
            partition[AT] = partition[EXPANDED]
            return DEADLOCK
        for j in range(count):
            after = made + j * WORDS
            owner = fingerprint(after, keys, out)
            record = handed + owner * length + counts[owner] * RECORD
            # What is not to be handed over is written too, and written over: nobody could foresee a branch here.
            fresh = is_not_recent(recent, out[0], (owner << REGION_BITS) | out[1])
            counts[owner] += fresh
            sent += fresh
            record[0] = out[0]
            record[1] = (out[1] << ORIGIN_BITS) | (row << SUCCESSOR_BITS) | j
            for k in range(WORDS):
                record[BEFORE + k] = after[k]
        partition[GENERATED] += count
        partition[EXPANDED] += 1
        row += 1
    partition[HEAD] = row
    return DONE


@inlined
def is_not_recent(recent: Words, slot: Word, rest: Word) -> Word:
    """Whether a fingerprint was not handed over lately, so that its owner may have none of it yet; notes it.

    Neighbours of a level have many successors in common: this spares more than half of the hand-overs for some systems.
    `rest` is all that the slot leaves out, region and owner: the doubt counts every bit of a fingerprint.
    """
    place = recent + ((slot >> (64 - RECENT_BITS)) << 1)
    difference = (place[0] ^ slot) | (place[1] ^ rest)
    place[0] = slot
    place[1] = rest
    return difference != 0


@inlined
def fetch_buckets(table: Words, span: Word, records: Words, begin: Word, end: Word) -> None:
    """Bring the buckets of some records into the cache."""
    for i in range(begin, end):
        record = records + i * RECORD
        fetch(table, record[0], record[1] >> ORIGIN_BITS, span)


@function
def enter_records(partition: Words, table: Words, origin: Word, records: Words, begin: Word, end: Word) -> Word:
    """Enter the fingerprints of some records, and keep those that are new; gives what stopped it."""
    span, new, traces = partition[SPAN], memory_at(partition[NEW]), memory_at(partition[TRACES])
    for i in range(begin, end):
        record = records + i * RECORD
        entered = put(table, record[0], record[1] >> ORIGIN_BITS, span)
        if entered == 1:
            place = partition[FOUND]
            for k in range(WORDS):
                new[place * WORDS + k] = record[BEFORE + k]
            traces[place] = origin + (record[1] & ORIGIN)
            partition[FOUND] = place + 1
            partition[STATES] += 1
        elif entered != 0:
            return NO_ROOM
    return DONE


@function
def enter_handed(board: Words, partition: Words, origin: Word, records: Words, count: Word) -> Word:
    """Enter and judge what one partition handed to another; gives what stopped it."""
    table, span = memory_at(partition[TABLE]), partition[SPAN]
    for begin in range(-TOGETHER, count, TOGETHER):
        onward = begin + TOGETHER
        if onward < count:
            fetch_buckets(table, span, records, onward, least(onward + TOGETHER, count))
        if begin >= 0:
            first = partition[FOUND]
            if enter_records(partition, table, origin, records, begin, least(onward, count)) != DONE:
                return NO_ROOM
            if judge_new(board, partition, first) != DONE:
                return INVARIANT
    return DONE


@function
def judge_new(board: Words, partition: Words, first: Word) -> Word:
    """Judge the invariants of the states found last, and look for what coverage still misses."""
    judge, cover, seen, new = board[JUDGE], board[COVER], memory_at(partition[SEEN]), memory_at(partition[NEW])
    before = partition[STATES] - partition[FOUND]
    for i in range(first, partition[FOUND]):
        state = new + i * WORDS
        if call(judge, state) != 0:
            partition[AT] = before + i
            return INVARIANT
        if partition[COVERING] != 0 and call(cover, state, before + i + 1, seen) != 0:
            partition[COVERING] = 0
    return DONE


@function
def enter_all(board: Words, partitions: Words, number: Word) -> Word:
    """Second phase: enter what was handed to a partition; gives what stopped it."""
    partition = partitions + number * PARTITION
    table, waiting = memory_at(partition[TABLE]), memory_at(partition[SCRATCH])
    incoming = 0
    for q in range(PARTITIONS):
        incoming += partitions[q * PARTITION + COUNTS + number]
    while partition[STATES] + incoming > partition[PROMISED] and partition[SPAN] < partition[MOST_SPAN]:
        if lengthen(partition, table, waiting) == 0:
            return NO_ROOM
    length = (board[SUCCESSORS] + board[ROOM]) * RECORD
    for q in range(PARTITIONS):
        giver = partitions + q * PARTITION
        records = memory_at(giver[HANDED]) + number * length
        outcome = enter_handed(board, partition, giver[BLOCK_ORIGIN], records, giver[COUNTS + number])
        if outcome != DONE:
            return outcome
    return DONE


@function
def plan(board: Words, partitions: Words) -> Word:
    """The next step: another round, or the reason to stop."""
    states, expanded, waiting, serve = 0, 0, 0, 0
    for q in range(PARTITIONS):
        partition = partitions + q * PARTITION
        if partition[EXPANDING] != DONE:
            return partition[EXPANDING]
    # No room in one partition hides nothing that another has found.
    for q in range(PARTITIONS):
        partition = partitions + q * PARTITION
        if partition[ENTERING] != DONE and partition[ENTERING] != NO_ROOM:
            return partition[ENTERING]
    for q in range(PARTITIONS):
        partition = partitions + q * PARTITION
        if partition[ENTERING] != DONE:
            return partition[ENTERING]
        if partition[FOUND] + PARTITIONS * (ROUND + board[ROOM]) > board[WAITING_ROWS]:
            serve = 1
        here = partition[BLOCK_END] - partition[HEAD]
        if here == 0 and partition[LEFT] != 0:
            serve = 1
        waiting += here
        expanded += partition[EXPANDED]
        states += partition[STATES]
    if states > board[ALLOWED]:
        return FULL
    if waiting == 0 or serve != 0:
        return SERVE
    if expanded >= board[STOP_AT]:
        return PAUSED
    # Not many more than are allowed, so that where it ends says what was asked for.
    board[SUCCESSORS] = least(((board[ALLOWED] - states) >> PARTITION_BITS) + TOGETHER, ROUND)
    return GO


@function
def advance(board: Words, partitions: Words, thread: Word, threads: Word) -> Word:
    """Continue the search until there is a reason to stop: one of several threads, all of which call this."""
    while True:
        wait(board, threads)
        if thread == 0:
            board[NEXT] = plan(board, partitions)
        wait(board, threads)
        if board[NEXT] != GO:
            return board[NEXT]
        for number in range(thread, PARTITIONS, threads):
            partition = partitions + number * PARTITION
            partition[EXPANDING] = expand_block(board, partition)
        wait(board, threads)
        stopped = 0
        for q in range(PARTITIONS):
            stopped |= partitions[q * PARTITION + EXPANDING]
        if stopped == 0:
            for number in range(thread, PARTITIONS, threads):
                partitions[number * PARTITION + ENTERING] = enter_all(board, partitions, number)


@function
def enter_first(board: Words, partitions: Words, state: Words) -> Word:
    """Enter an initial state, as if it had been handed over; gives the partition that it belongs to."""
    scratch = memory_at(partitions[SCRATCH])
    for q in range(PARTITIONS):
        partition = partitions + q * PARTITION
        while partition[STATES] + 1 > partition[PROMISED] and partition[SPAN] < partition[MOST_SPAN]:
            if lengthen(partition, memory_at(partition[TABLE]), scratch) == 0:
                partition[ENTERING] = NO_ROOM
                return q
    number = fingerprint(state, memory_at(board[KEYS]), scratch)
    scratch[1] <<= ORIGIN_BITS
    for k in range(WORDS):
        scratch[BEFORE + k] = state[k]
    partition = partitions + number * PARTITION
    partition[ENTERING] = enter_handed(board, partition, 0, scratch, 1)
    return number
