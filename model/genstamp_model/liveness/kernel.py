"""Machine functions that find the pending states of one obligation, and the steps between them.

A state is *pending* if the obligation has arisen and is not met: it is reached from a state that owes, through states
that do not meet it. `grow_pending` finds them breadth first and numbers them in that order; the steps from pending
state v are the elements `offsets[v]` to `offsets[v + 1]` of `steps`. A step is one word: its lower half is the number
of the next pending state, its upper half the label. A label is 1 + the number of the fair instance that the step takes
(an action with its members), or 0. Each pending state has a row of bits: bit n is set if the instance labelled n is
enabled, and bit 0 if a limit cuts off a step.
"""

from __future__ import annotations

from typing import Final

from genstamp_model.explore.driver import same
from genstamp_model.explore.machine import Halves, Word, Words, assembly, call, function
from genstamp_model.explore.table import LOWER, UPPER, WORDS, hashed, prefetch

# Words of a row of bits; a build gives the true number.
WIDTH: Final = 1

# How a state stands to an obligation: the second condition holds; only the first one does; neither.
NEITHER: Final = 0
OWED: Final = 1
MET: Final = 2

# In place of the number of a pending state.
NOWHERE: Final = 2**32 - 1  # it has not been found to be pending
IS_MET: Final = 2**32 - 2  # what is owed is done there

# Slots of the board.
PENDING: Final = 0  # how many states are pending
HEAD: Final = 1  # the next one whose steps are to be found
STEPS: Final = 2  # how many steps there are between pending states
STRANGE: Final = 3  # 1 + the place of a state with a step to a state that the search has not found
EDGES: Final = 4  # address of the model's `edges`
MASK: Final = 5  # slots of the index, less one
BOARD: Final = 8

# Pending states whose steps are found together, so that memory can be fetched ahead of use.
BLOCK: Final = 32


@assembly(
    "call void @llvm.prefetch.p0(ptr %place, i32 1, i32 3, i32 1)\nret i64 0",
    declares="declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
)
def prefetch_half(place: Halves) -> None:
    """Begin to bring memory into the cache."""


@function
def index_states(store: Words, slots: Words, mask: Word, begin: Word, end: Word) -> None:
    """Enter states into an index: a slot has the upper half of the hash and 1 + the place, or 0 if it is free."""
    for place in range(begin, end):
        h = hashed(store + place * WORDS)
        slot = h & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = (h & UPPER) | (place + 1)


@function
def stand(
    obligation: Word,
    store: Words,
    numbers: Halves,
    places: Halves,
    parents: Halves,
    board: Words,
    begin: Word,
    end: Word,
) -> None:
    """Evaluate an obligation in some states; those that owe are pending, and are numbered."""
    pending = board[PENDING]
    for place in range(begin, end):
        standing = call(obligation, store + place * WORDS)
        numbers[place] = IS_MET if standing == MET else NOWHERE
        if standing == OWED:
            numbers[place] = pending
            places[pending] = place
            parents[pending] = pending
            pending += 1
    board[PENDING] = pending


@function
def expand_block(
    board: Words, store: Words, slots: Words, places: Halves, records: Words, hashes: Words, counts: Words
) -> Word:
    """Make the steps of the next pending states, with hashes and counts; returns the number of states."""
    edges, mask, head = board[EDGES], board[MASK], board[HEAD]
    states, total = 0, 0
    while states < BLOCK and head + states < board[PENDING]:
        size = call(edges, store + places[head + states] * WORDS, records + total * (WORDS + 1))
        count = 0
        while count * (WORDS + 1) < size:
            record = records + total * (WORDS + 1)
            if record[WORDS] >= 0:
                hashes[total] = hashed(record)
                prefetch(slots + (hashes[total] & mask))
            count += 1
            total += 1
        counts[states] = count
        states += 1
    return states


@function
def next_likely(slots: Words, mask: Word, h: Word, slot: Word) -> Word:
    """The first slot from one on that has a state with this hash, or is free."""
    while slots[slot] != 0:
        if (slots[slot] ^ h) & UPPER == 0:
            break
        slot = (slot + 1) & mask
    return slot


@function
def fetch_states(
    board: Words, store: Words, slots: Words, numbers: Halves, records: Words, hashes: Words, total: Word
) -> None:
    """Prefetch the states that the steps are likely to lead to."""
    mask = board[MASK]
    for j in range(total):
        if records[j * (WORDS + 1) + WORDS] >= 0:
            slot = next_likely(slots, mask, hashes[j], hashes[j] & mask)
            if slots[slot] != 0:
                place = (slots[slot] & LOWER) - 1
                prefetch(store + place * WORDS)
                prefetch_half(numbers + place)


@function
def place_of(store: Words, slots: Words, mask: Word, state: Words, h: Word) -> Word:
    """The place of a state; -1 if the index does not have it."""
    slot = next_likely(slots, mask, h, h & mask)
    while slots[slot] != 0:
        place = (slots[slot] & LOWER) - 1
        if same(store + place * WORDS, state):
            return place
        slot = next_likely(slots, mask, h, (slot + 1) & mask)
    return -1


@function
def keep_step(
    board: Words, numbers: Halves, places: Halves, parents: Halves, steps: Words, state: Word, place: Word, label: Word
) -> None:
    """Keep a step from a pending state to the state at a place, unless the obligation is met there."""
    if numbers[place] == IS_MET:
        return
    if numbers[place] == NOWHERE:
        pending = board[PENDING]
        numbers[place] = pending
        places[pending] = place
        parents[pending] = state
        board[PENDING] = pending + 1
    steps[board[STEPS]] = (label << 32) | numbers[place]
    board[STEPS] += 1


@function
def grow_pending(
    board: Words,
    store: Words,
    slots: Words,
    numbers: Halves,
    places: Halves,
    parents: Halves,
    offsets: Words,
    steps: Words,
    enabled: Words,
    labels: Words,
    records: Words,
    hashes: Words,
    counts: Words,
    quota: Word,
) -> Word:
    """Find the steps of some more pending states, and the states that they lead to; returns whether there are more.

    Args:
        board: its slots are listed above; `stand` fills them first.
        store, slots: all states, and their index.
        numbers: for each place, its number among the pending states, NOWHERE or IS_MET.
        places, parents: for each pending state, its place, and the state from which it was first reached (or itself).
        offsets, steps: the steps between pending states.
        enabled: for each pending state, its row of bits.
        labels: for each step of the model, its label.
        records, hashes, counts: room for the steps of BLOCK states.
        quota: about how many states to handle.
    """
    last = board[HEAD] + quota
    while board[HEAD] < board[PENDING] and board[HEAD] < last:
        states = expand_block(board, store, slots, places, records, hashes, counts)
        total = 0
        for i in range(states):
            total += counts[i]
        fetch_states(board, store, slots, numbers, records, hashes, total)
        j = 0
        for i in range(states):
            v = board[HEAD]
            row = enabled + v * WIDTH
            for k in range(WIDTH):
                row[k] = 0
            for _ in range(counts[i]):
                record = records + j * (WORDS + 1)
                step = record[WORDS]
                label = labels[step if step >= 0 else -1 - step]
                if label != 0:
                    row[label >> 6] |= 1 << (label & 63)
                if step < 0:
                    row[0] |= 1
                else:
                    place = place_of(store, slots, board[MASK], record, hashes[j])
                    if place < 0:
                        board[STRANGE] = places[v] + 1
                        return 0
                    keep_step(board, numbers, places, parents, steps, v, place, label)
                j += 1
            board[HEAD] = v + 1
            offsets[v + 1] = board[STEPS]
    return board[HEAD] < board[PENDING]
