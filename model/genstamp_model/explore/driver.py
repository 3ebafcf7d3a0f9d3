"""The loop of the compiled search: independent of the model, compiled once by numba and kept on disk.

States stand in `store` in the order in which they are found, so that it is also the queue; `parents` holds the place of
the state that each was first reached from. `table` holds, for a state at place p, the upper half of its hash and p + 1
in one int64; an empty slot is 0. Successors are made in batches, and what a batch will touch is fetched ahead of use.

`advance` works until its caller has something to do, and says what in `control`; everything it needs to go on stands
in its arguments. All levels of the search are finished in order, so the first path to a state is a shortest one.

numba keeps what it compiled as long as this one file's text stays the same: all that is compiled stands here.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

# Slots of `control`.
STATES: Final = 0  # how many stand in the store
HEAD: Final = 1  # the next one to expand
LEVEL_END: Final = 2  # the first one of the next level
LEVEL: Final = 3  # levels begun, the initial state's included
GENERATED: Final = 4  # the initial state and every step taken
JUDGED: Final = 5  # the next one whose invariants are to be judged
COVERING: Final = 6  # whether coverage still has something to see
AT: Final = 7  # the state that a verdict is about
TABLE_BITS: Final = 8  # the table's first 2**TABLE_BITS slots are in use
SLOTS: Final = 9

# What `advance` gives.
DONE: Final = 0  # every reachable state has been expanded
PAUSED: Final = 1  # the quota is used up
FULL: Final = 2  # the store has no room for another batch
INVARIANT: Final = 3  # state AT breaks an invariant
ALARM: Final = 4  # a step from state AT breaks a transition property or goes wrong
DEADLOCK: Final = 5  # state AT has no step and may not stop

BATCH: Final = 256
LOAD: Final = 7  # tenths of the table that may be full
_ALARM_COUNTER: Final = 0
_CUT_COUNTER: Final = 1
_UPPER: Final = -(2**32)
_LOWER: Final = 2**32 - 1
_MATCHING: Final = 255  # the bits of `_look` that mean a matching slot; those above mean an empty one

Words = NDArray[np.int64]

# Slots of the hash table that are looked at together: a line of the cache.
BUCKET: Final = 8

# numba's types know neither a decorated intrinsic's own parameters nor numpy's integers.
_intrinsic: Any = intrinsic
_njit: Any = njit

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)


def _element(context: Any, builder: Any, kind: Any, array: Any, position: Any) -> Any:
    """Pointer to an array's element, or to a matrix' row."""
    view = context.make_array(kind)(context, builder, array)
    if kind.ndim == 2:
        position = builder.mul(position, builder.extract_value(view.shape, 1))
    return builder.gep(view.data, [position])


def _through(context: Any, builder: Any, address: Any, pointers: list[Any]) -> Any:
    kind = ir.FunctionType(_I64, [pointer.type for pointer in pointers])
    return builder.call(builder.inttoptr(address, kind.as_pointer()), pointers)


@_intrinsic
def _call_expand(typing: Any, address: Any, store: Any, row: Any, batch: Any, free: Any, counters: Any) -> Any:
    """`expand(&store[row], &batch[free], counters)` through its address."""
    signature = types.int64(address, store, row, batch, free, counters)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        state = _element(context, builder, sig.args[1], args[1], args[2])
        out = _element(context, builder, sig.args[3], args[3], args[4])
        return _through(
            context, builder, args[0], [state, out, _element(context, builder, sig.args[5], args[5], _I64(0))]
        )

    return signature, generate


@_intrinsic
def _call_on_state(typing: Any, address: Any, store: Any, row: Any) -> Any:
    """`f(&store[row])` through its address."""
    signature = types.int64(address, store, row)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _through(context, builder, args[0], [_element(context, builder, sig.args[1], args[1], args[2])])

    return signature, generate


@_intrinsic
def _call_cover(typing: Any, address: Any, store: Any, row: Any, seen: Any) -> Any:
    """`cover(&store[row], row + 1, seen)` through its address."""
    signature = types.int64(address, store, row, seen)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        state = _element(context, builder, sig.args[1], args[1], args[2])
        noted = _element(context, builder, sig.args[3], args[3], _I64(0))
        return _through(context, builder, args[0], [state, builder.add(args[2], _I64(1)), noted])

    return signature, generate


@_intrinsic
def _prefetch(typing: Any, array: Any, position: Any) -> Any:
    """Begin to bring an array's element, or a matrix' row, into the cache."""
    signature = types.void(array, position)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = builder.bitcast(_element(context, builder, sig.args[0], args[0], args[1]), _I8.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [_I8.as_pointer(), _I32, _I32, _I32])
        insert: Any = cgutils.get_or_insert_function
        function = insert(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [place, _I32(0), _I32(3), _I32(1)])
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def _look(typing: Any, table: Any, bucket: Any, tag: Any) -> Any:
    """One bit for each slot of a bucket whose upper half is the tag's; eight bits higher, one for each empty slot."""
    signature = types.int64(table, bucket, tag)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        line = ir.VectorType(_I64, BUCKET)
        place = _element(context, builder, sig.args[0], args[0], builder.mul(args[1], _I64(BUCKET)))
        slots = builder.load(builder.bitcast(place, line.as_pointer()))
        slots.align = 8
        tags = builder.insert_element(ir.Constant(line, ir.Undefined), args[2], _I32(0))
        tags = builder.shuffle_vector(
            tags, ir.Constant(line, ir.Undefined), ir.Constant(ir.VectorType(_I32, BUCKET), [0] * BUCKET)
        )
        upper = builder.lshr(builder.xor(slots, tags), ir.Constant(line, [32] * BUCKET))
        zero = ir.Constant(line, [0] * BUCKET)
        matching = builder.zext(builder.bitcast(builder.icmp_unsigned("==", upper, zero), _I8), _I64)
        empty = builder.zext(builder.bitcast(builder.icmp_unsigned("==", slots, zero), _I8), _I64)
        return builder.or_(matching, builder.shl(empty, _I64(8)))

    return signature, generate


@_intrinsic
def _lowest(typing: Any, bits: Any) -> Any:
    """Position of the lowest bit that is set."""
    signature = types.int64(bits)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return signature, generate


@_njit(cache=True, inline="always")
def _hash(states: Words, row: int, words: int) -> Any:
    h = np.int64(-7046029254386353131)
    for k in range(words):
        h ^= states[row, k]
        h *= np.int64(-49064778989728563)
        h ^= (h >> 32) & np.int64(0xFFFFFFFF)
        h *= np.int64(-4265267296055464877)
        h ^= (h >> 29) & np.int64(0x7FFFFFFFF)
    return h


@_njit(cache=True, inline="always")
def _home(h: int, bits: int) -> Any:
    """The bucket of a hash, or of a slot's entry, among 2**bits: its upper bits."""
    return (h >> (64 - bits)) & ((np.int64(1) << bits) - 1)


@_njit(cache=True)
def _enter(table: Words, bits: int, entry: int, last: int) -> bool:
    """Put an entry that is not there yet into the first free slot from its home on, unless that is past `last`."""
    bucket = _home(entry, bits)
    while True:
        free = _look(table, bucket, np.int64(0)) >> BUCKET
        if free != 0:
            table[bucket * BUCKET + _lowest(free)] = entry
            return True
        if bucket == last:
            return False
        bucket = (bucket + 1) & ((np.int64(1) << bits) - 1)


@_njit(cache=True)
def enter_first(table: Words, store: Words, bits: int) -> None:
    """Enter the first state into an empty table."""
    _enter(table, bits, (_hash(store, 0, store.shape[1]) & _UPPER) | 1, -1)


@_njit(cache=True)
def _double(table: Words, bits: int) -> None:
    """Make 2**bits buckets twice as many, in place.

    What belongs to bucket q belongs to 2q or 2q + 1 afterwards, which lies above all that is still to be moved when one
    begins at the top; the few entries that would come to lie below, or wrap around, wait until the end.
    """
    buckets = np.int64(1) << bits
    moving = np.empty(BUCKET, np.int64)
    waiting = np.empty(1024, np.int64)
    count = 0
    for p in range(buckets - 1, -1, -1):
        for i in range(BUCKET):
            moving[i] = table[p * BUCKET + i]
            table[p * BUCKET + i] = 0
        for i in range(BUCKET):
            entry = moving[i]
            if entry == 0 or (_home(entry, bits + 1) >= p and _enter(table, bits + 1, entry, 2 * buckets - 1)):
                continue
            if count == waiting.shape[0]:
                longer = np.empty(2 * count, np.int64)
                for k in range(count):
                    longer[k] = waiting[k]
                waiting = longer
            waiting[count] = entry
            count += 1
    for i in range(count):
        _enter(table, bits + 1, waiting[i], -1)


@_njit(cache=True)
def _judge_new(control: Words, store: Words, seen: Words, functions: Words) -> int:
    """Judge the invariants of the states found last, and look for what coverage still misses."""
    judge, cover = functions[1], functions[3]
    for place in range(control[JUDGED], control[STATES]):
        if _call_on_state(judge, store, place) != 0:
            control[AT] = place
            return INVARIANT
        if control[COVERING] != 0 and _call_cover(cover, store, place, seen) != 0:
            control[COVERING] = 0
    control[JUDGED] = control[STATES]
    return DONE


@_njit(cache=True)
def _make_batch(
    control: Words,
    store: Words,
    batch: Words,
    batch_parents: NDArray[np.uint32],
    counters: Words,
    functions: Words,
) -> tuple[int, int]:
    """Fill the batch with successors of the states that are next; gives what stopped it, and how many there are."""
    expand, may_stop = functions[0], functions[2]
    head, level_end = control[HEAD], control[LEVEL_END]
    size = 0
    while head < level_end and size < BATCH:
        cut = counters[_CUT_COUNTER]
        made = _call_expand(expand, store, head, batch, size, counters)
        if counters[_ALARM_COUNTER] != 0:
            control[AT] = head
            return ALARM, 0
        stuck = made == 0 and counters[_CUT_COUNTER] == cut
        if stuck and may_stop != 0 and _call_on_state(may_stop, store, head) == 0:
            control[AT] = head
            return DEADLOCK, 0
        for j in range(size, size + made):
            batch_parents[j] = head
        size += made
        head += 1
    control[HEAD] = head
    control[GENERATED] += size
    return DONE, size


@_njit(cache=True)
def _enter_batch(
    control: Words,
    store: Words,
    parents: NDArray[np.uint32],
    table: Words,
    batch: Words,
    batch_parents: NDArray[np.uint32],
    hashes: Words,
    size: int,
) -> None:
    """Put those states of the batch that are new into store and table."""
    words, bits, states = store.shape[1], control[TABLE_BITS], control[STATES]
    mask = (np.int64(1) << bits) - 1
    for j in range(size):
        hashes[j] = _hash(batch, j, words)
        _prefetch(table, _home(hashes[j], bits) * BUCKET)
    for j in range(size):
        h = hashes[j]
        bucket = _home(h, bits)
        found = False
        while True:
            slots = _look(table, bucket, h)
            matching = slots & _MATCHING
            while matching != 0 and not found:
                place = (table[bucket * BUCKET + _lowest(matching)] & _LOWER) - 1
                matching &= matching - 1
                found = True
                for k in range(words):
                    if store[place, k] != batch[j, k]:
                        found = False
            if found:
                break
            if slots > _MATCHING:
                for k in range(words):
                    store[states, k] = batch[j, k]
                parents[states] = batch_parents[j]
                states += 1
                table[bucket * BUCKET + _lowest(slots >> BUCKET)] = (h & _UPPER) | states
                break
            bucket = (bucket + 1) & mask
    control[STATES] = states


@_njit(cache=True)
def advance(
    control: Words,
    store: Words,
    parents: NDArray[np.uint32],
    table: Words,
    batch: Words,
    batch_parents: NDArray[np.uint32],
    counters: Words,
    seen: Words,
    functions: Words,
    quota: int,
) -> int:
    """Go on with the search for at least `quota` more states to expand; gives the reason why it stopped.

    `batch` has room for BATCH successors and those of one more state. `functions` are the addresses of expand, judge,
    may_stop and cover; 0 leaves out the deadlock check.
    """
    room = batch.shape[0]
    hashes = np.empty(room, np.int64)
    outcome: int
    stop_at = control[HEAD] + quota
    while True:
        outcome = _judge_new(control, store, seen, functions)
        if outcome != DONE:
            return outcome
        if control[HEAD] == control[LEVEL_END]:
            if control[HEAD] == control[STATES]:
                return DONE
            control[LEVEL_END] = control[STATES]
            control[LEVEL] += 1
        if control[HEAD] >= stop_at:
            return PAUSED
        if control[STATES] + room > store.shape[0]:
            return FULL
        while (control[STATES] + room) * 10 > (BUCKET << control[TABLE_BITS]) * LOAD:
            _double(table, control[TABLE_BITS])
            control[TABLE_BITS] += 1
        outcome, size = _make_batch(control, store, batch, batch_parents, counters, functions)
        if outcome != DONE:
            return outcome
        _enter_batch(control, store, parents, table, batch, batch_parents, hashes, size)
