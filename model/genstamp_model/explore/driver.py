"""The loop of the compiled search: machine functions that know no model, for one thread or several.

States are dealt out to PARTITIONS by their hash. Each partition has a store of its states in the order in which they
were found, which is its queue as well, the place of the state that each was first reached from, and a hash table. The
search goes in rounds, and a round in two phases: first each partition expands some of its states of the level, and
hands the successors to the partitions that they belong to; then each enters what it was handed, in the order of the
partitions that it came from. In a phase every partition writes only what is its own, so threads share them out and
wait for each other in between. Nothing depends on which thread does what or how fast: any number of threads finds the
same states in the same places, and shows the same path to each.

`advance` works until its caller has something to do. All levels are finished in order, so the first path to a state is
a shortest one.
"""

from __future__ import annotations

from typing import Final

from genstamp_model.explore.barrier import wait
from genstamp_model.explore.machine import Halves, Word, Words, assembly, call, function, inlined
from genstamp_model.explore.table import (
    BUCKET,
    LOAD,
    LOWER,
    MATCHING,
    NEITHER,
    UPPER,
    WORDS,
    grow,
    hashed,
    home,
    look,
    lowest,
    memory_at,
    prefetch,
)

PARTITIONS: Final = 2

# Slots of the board, which all partitions share; those of the barrier are in `barrier`.
STOP_AT: Final = 0  # pause once so many states have been expanded
ALLOWED: Final = 1  # states that may be found
LEVEL: Final = 2  # levels begun, that of the initial states included
NEXT: Final = 3  # what all threads do next: one of the reasons below
SUCCESSORS: Final = 4  # how many each partition hands out in this round, and those of one more state
ROOM: Final = 5  # successors that one state may have
EXPAND: Final = 6  # addresses of the model's functions; 0 leaves out the deadlock check
JUDGE: Final = 7
MAY_STOP: Final = 8
COVER: Final = 9
TARGETS: Final = 10  # how many things `cover` looks for
FIRST: Final = 11  # hash of the first initial state, which belongs to partition 0
BOARD: Final = 32

# Slots of a partition.
STATES: Final = 0  # how many stand in the store
HEAD: Final = 1  # the next one to expand
LEVEL_END: Final = 2  # the first one of the next level
GENERATED: Final = 3  # steps taken from its states
JUDGED: Final = 4  # the next one whose invariants are to be judged
COVERING: Final = 5  # whether coverage still has something to see
BUCKETS: Final = 6
EXPANDING: Final = 7  # how the first phase of a round ended, and how the second did
ENTERING: Final = 8
AT: Final = 9  # place of the state that a verdict is about
CAPACITY: Final = 10  # states that the store has room for
STORE: Final = 11  # addresses
PARENTS: Final = 12
TABLE: Final = 13
COUNTERS: Final = 14
SEEN: Final = 15
SCRATCH: Final = 16  # room for the successors of one state, and for what waits while the table grows
HANDED: Final = 18  # address of what is handed to each partition, one after another
COUNTS: Final = 24  # how many those are
PARTITION: Final = 32

# What `advance` gives.
DONE: Final = 0  # every reachable state has been expanded
PAUSED: Final = 1  # as many states as were asked for have been expanded
FULL: Final = 2  # there are more states than are allowed
INVARIANT: Final = 3  # a partition's state AT breaks an invariant
ALARM: Final = 4  # a step from it breaks a transition property or goes wrong
DEADLOCK: Final = 5  # it has no step and may not stop
CROWDED: Final = 6  # the table cannot grow: the hash is broken
GO: Final = 7  # not an outcome: another round

RECORD: Final = 3  # words that are handed over for a successor: hash, where it comes from, state; a build knows better
ROUND: Final = 8192  # successors that a partition hands out in a round
BLOCK: Final = 32  # successors whose slots are fetched together
MERGED: Final = -1  # in SEEN: another partition has seen it on an earlier level
_ALARM_COUNTER: Final = 0
_CUT_COUNTER: Final = 1


@assembly("%memory = inttoptr i64 %address to ptr\nret ptr %memory")
def halves_at(address: Word) -> Halves:
    """The memory at an address."""
    raise NotImplementedError


@function
def expand_level(board: Words, partition: Words, number: Word) -> Word:
    """First phase: hand out successors of the states that are next; gives what stopped it."""
    expand, may_stop, enough, first = board[EXPAND], board[MAY_STOP], board[SUCCESSORS], board[FIRST]
    store, counters = memory_at(partition[STORE]), memory_at(partition[COUNTERS])
    handed, made = memory_at(partition[HANDED]), memory_at(partition[SCRATCH])
    length = (enough + board[ROOM]) * RECORD
    counts = partition + COUNTS
    for q in range(PARTITIONS):
        counts[q] = 0
    head, level_end, successors = partition[HEAD], partition[LEVEL_END], 0
    while head < level_end and successors < enough:
        cut = counters[_CUT_COUNTER]
        count = call(expand, store + head * WORDS, made, counters)
        if counters[_ALARM_COUNTER] != 0:
            partition[AT] = head
            return ALARM
        if count == 0 and may_stop != 0 and counters[_CUT_COUNTER] == cut and call(may_stop, store + head * WORDS) == 0:
            partition[AT] = head
            return DEADLOCK
        for j in range(count):
            state = made + j * WORDS
            h = hashed(state)
            owner = (h ^ first) & (PARTITIONS - 1)
            record = handed + owner * length + counts[owner] * RECORD
            counts[owner] += 1
            record[0] = h
            record[1] = head * PARTITIONS + number
            for k in range(WORDS):
                record[2 + k] = state[k]
        successors += count
        head += 1
    partition[HEAD] = head
    partition[GENERATED] += successors
    return DONE


@inlined
def fetch_slots(table: Words, buckets: Word, records: Words, begin: Word, end: Word) -> None:
    """Bring the buckets of some records into the cache."""
    for j in range(begin, end):
        prefetch(table + home(records[j * RECORD], buckets) * BUCKET)


@inlined
def likely_slot(slots: Word) -> Word:
    """The first slot that matches, of what `look` gives; else the first empty one; else any."""
    return lowest(slots | NEITHER) & (BUCKET - 1)


@inlined
def fetch_states(table: Words, buckets: Word, store: Words, records: Words, begin: Word, end: Word) -> None:
    """Bring the states that some records are likely to be equal to into the cache, or the buckets to examine next.

    No branch depends on the result, because it is not predictable.
    """
    for j in range(begin, end):
        h = records[j * RECORD]
        bucket = home(h, buckets)
        slots = look(table, bucket, h)
        place = (table[bucket * BUCKET + likely_slot(slots)] & LOWER) - 1
        line = table + (bucket + (slots == 0)) * BUCKET
        prefetch(store + place * WORDS if slots & MATCHING != 0 else line)


@inlined
def same(left: Words, right: Words) -> Word:
    """Whether two states are equal."""
    difference = 0
    for k in range(WORDS):
        difference |= left[k] ^ right[k]
    return difference == 0


@function
def enter_records(partition: Words, table: Words, store: Words, records: Words, begin: Word, end: Word) -> None:
    """Put those of some records that are new into store and table.

    A record's home has, nearly always, either the state itself as the first that matches, or none that matches and an
    empty slot. The outcome is not predictable, so both cases take the same way: what a new state needs is written where
    the next state will stand, and its entry to no purpose where it is not new.
    """
    parents, buckets, states = halves_at(partition[PARENTS]), partition[BUCKETS], partition[STATES]
    nowhere = memory_at(partition[SCRATCH])
    for j in range(begin, end):
        record = records + j * RECORD
        h = record[0]
        bucket = home(h, buckets)
        slots = look(table, bucket, h)
        slot = table + (bucket * BUCKET + likely_slot(slots))
        new = slots & MATCHING == 0
        row = store + states * WORDS
        for k in range(WORDS):
            row[k] = record[2 + k]
        parents[states] = record[1]
        if slots != 0 and same(row if new else store + ((slot[0] & LOWER) - 1) * WORDS, record + 2):
            entry = slot if new else nowhere
            entry[0] = (h & UPPER) | (states + 1)
            states += new
        else:
            states += enter_row(table, buckets, store, states, h)
    partition[STATES] = states


@function
def enter_row(table: Words, buckets: Word, store: Words, place: Word, h: Word) -> Word:
    """Enter the state at a place of the store, behind all others, into the table; 0 where it is there already."""
    bucket = home(h, buckets)
    while True:
        slots = look(table, bucket, h)
        matching = slots & MATCHING
        while matching != 0:
            other = (table[bucket * BUCKET + lowest(matching)] & LOWER) - 1
            if same(store + other * WORDS, store + place * WORDS):
                return 0
            matching &= matching - 1
        if slots > MATCHING:
            table[bucket * BUCKET + lowest(slots >> BUCKET)] = (h & UPPER) | (place + 1)
            return 1
        bucket += 1
        if bucket == buckets:
            bucket = 0


@inlined
def least(left: Word, right: Word) -> Word:
    """The smaller of two numbers."""
    return left if left < right else right


@inlined
def make_room(partition: Words, incoming: Word) -> Word:
    """Let the table grow until it has room for this many more states; 0 where it cannot."""
    buckets, needed = partition[BUCKETS], (partition[STATES] + incoming) * 100
    if needed <= buckets * (BUCKET * LOAD):
        return 1
    more = buckets
    while needed > more * (BUCKET * LOAD):
        more += more >> 1
    partition[BUCKETS] = more
    return grow(memory_at(partition[TABLE]), buckets, more, memory_at(partition[SCRATCH]))


@function
def enter_handed(partition: Words, records: Words, count: Word) -> Word:
    """Enter what one partition handed to another: each block while what the next ones touch is on its way.

    Gives CROWDED where the table cannot grow.
    """
    table, store = memory_at(partition[TABLE]), memory_at(partition[STORE])
    for begin in range(-2 * BLOCK, count, BLOCK):
        ahead, onward, buckets = begin + 2 * BLOCK, begin + BLOCK, partition[BUCKETS]
        if ahead < count:
            fetch_slots(table, buckets, records, ahead, least(ahead + BLOCK, count))
        if onward >= 0 and onward < count:
            fetch_states(table, buckets, store, records, onward, least(onward + BLOCK, count))
        if begin >= 0:
            if make_room(partition, BLOCK) == 0:
                return CROWDED
            enter_records(partition, table, store, records, begin, least(begin + BLOCK, count))
    return DONE


@function
def judge_new(board: Words, partition: Words) -> Word:
    """Judge the invariants of the states found last, and look for what coverage still misses."""
    judge, cover, store, seen = board[JUDGE], board[COVER], memory_at(partition[STORE]), memory_at(partition[SEEN])
    for place in range(partition[JUDGED], partition[STATES]):
        state = store + place * WORDS
        if call(judge, state) != 0:
            partition[AT] = place
            return INVARIANT
        if partition[COVERING] != 0 and call(cover, state, place + 1, seen) != 0:
            partition[COVERING] = 0
    partition[JUDGED] = partition[STATES]
    return DONE


@function
def enter_all(board: Words, partitions: Words, number: Word) -> Word:
    """Second phase: enter what was handed to a partition, and judge what is new; gives what stopped it."""
    partition = partitions + number * PARTITION
    length = (board[SUCCESSORS] + board[ROOM]) * RECORD
    for q in range(PARTITIONS):
        giver = partitions + q * PARTITION
        if enter_handed(partition, memory_at(giver[HANDED]) + number * length, giver[COUNTS + number]) != DONE:
            return CROWDED
    return judge_new(board, partition)


@function
def merge_seen(board: Words, partitions: Words) -> None:
    """Let no partition look for what another one has seen on an earlier level."""
    for i in range(board[TARGETS]):
        anywhere = 0
        for q in range(PARTITIONS):
            anywhere |= memory_at(partitions[q * PARTITION + SEEN])[i]
        if anywhere != 0:
            for q in range(PARTITIONS):
                seen = memory_at(partitions[q * PARTITION + SEEN])
                if seen[i] == 0:
                    seen[i] = MERGED


@function
def plan(board: Words, partitions: Words) -> Word:
    """The next step: another round, or the reason to stop."""
    states, expanded, waiting = 0, 0, 0
    for q in range(PARTITIONS):
        partition = partitions + q * PARTITION
        if partition[EXPANDING] != DONE:
            return partition[EXPANDING]
    for q in range(PARTITIONS):
        partition = partitions + q * PARTITION
        if partition[ENTERING] != DONE:
            return partition[ENTERING]
    # No room in one partition hides nothing that another has found.
    for q in range(PARTITIONS):
        partition = partitions + q * PARTITION
        if partition[STATES] + PARTITIONS * (ROUND + board[ROOM]) > partition[CAPACITY]:
            return FULL
        states += partition[STATES]
        expanded += partition[HEAD]
        waiting += partition[LEVEL_END] - partition[HEAD]
    if states > board[ALLOWED]:
        return FULL
    if waiting == 0:
        if expanded == states:
            return DONE
        merge_seen(board, partitions)
        for q in range(PARTITIONS):
            partition = partitions + q * PARTITION
            partition[LEVEL_END] = partition[STATES]
        board[LEVEL] += 1
    if expanded >= board[STOP_AT]:
        return PAUSED
    # Not many more than are allowed, so that where it ends says what was asked for.
    board[SUCCESSORS] = least(board[ALLOWED] - states + BLOCK, ROUND)
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
            partition[EXPANDING] = expand_level(board, partition, number)
        wait(board, threads)
        stopped = 0
        for q in range(PARTITIONS):
            stopped |= partitions[q * PARTITION + EXPANDING]
        if stopped == 0:
            for number in range(thread, PARTITIONS, threads):
                partitions[number * PARTITION + ENTERING] = enter_all(board, partitions, number)


@function
def enter_first(board: Words, partitions: Words, records: Words, count: Word) -> Word:
    """Enter the initial states, the first one into partition 0, and judge them; gives CROWDED or DONE.

    Each comes from itself, which tells it from the others.
    """
    board[FIRST] = hashed(records + 2)
    for j in range(count):
        record = records + j * RECORD
        record[0] = hashed(record + 2)
        number = (record[0] ^ board[FIRST]) & (PARTITIONS - 1)
        partition = partitions + number * PARTITION
        record[1] = partition[STATES] * PARTITIONS + number
        if enter_handed(partition, record, 1) != DONE:
            return CROWDED
    for q in range(PARTITIONS):
        partition = partitions + q * PARTITION
        partition[ENTERING] = judge_new(board, partition)
    return DONE
