"""The pending states of one obligation, and the steps between them: compiled once by numba, independent of the model.

A state is *pending* where the obligation has arisen and is not met: it is reached from a state that owes, through
states that do not meet it. `grow` finds them breadth first and numbers them in that order; the steps from pending
state v stand at `offsets[v]` up to `offsets[v + 1]` of `targets` and `labels`. A label is the number of the fair
instance that the step belongs to (an action with its members), or UNLABELLED.

numba keeps what it compiled as long as this one file's text stays the same: all that is compiled together stands here.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

# Slots of `control`.
PENDING: Final = 0  # how many states are pending
HEAD: Final = 1  # the next one whose steps are to be found
EDGES: Final = 2  # how many steps between pending states
STRANGE: Final = 3  # 1 + the place of a state from which a step leads to a state that the search has not found
SLOTS: Final = 4

# How a state stands to an obligation: the second condition holds; only the first one does; neither.
NEITHER: Final = 0
OWED: Final = 1
MET: Final = 2

UNLABELLED: Final = 2**16 - 1
NOWHERE: Final = 2**32 - 1

Words = NDArray[np.int64]
Places = NDArray[np.uint32]
Labels = NDArray[np.uint16]
Bits = NDArray[np.uint64]
Flags = NDArray[np.uint8]

# numba's types know neither a decorated intrinsic's own parameters nor numpy's integers.
_intrinsic: Any = intrinsic
_njit: Any = njit

_I64 = ir.IntType(64)


def _row(context: Any, builder: Any, kind: Any, array: Any, row: Any) -> Any:
    """Pointer to a matrix' row, or to a vector's element."""
    view = context.make_array(kind)(context, builder, array)
    if kind.ndim == 2:
        row = builder.mul(row, builder.extract_value(view.shape, 1))
    return builder.gep(view.data, [row])


def _through(builder: Any, address: Any, pointers: list[Any]) -> Any:
    kind = ir.FunctionType(_I64, [pointer.type for pointer in pointers])
    return builder.call(builder.inttoptr(address, kind.as_pointer()), pointers)


@_intrinsic
def _call_obligation(typing: Any, address: Any, store: Any, row: Any) -> Any:
    """`obligation(&store[row])` through its address."""
    signature = types.int64(address, store, row)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _through(builder, args[0], [_row(context, builder, sig.args[1], args[1], args[2])])

    return signature, generate


@_intrinsic
def _call_edges(typing: Any, address: Any, store: Any, row: Any, out: Any) -> Any:
    """`edges(&store[row], out)` through its address."""
    signature = types.int64(address, store, row, out)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        state = _row(context, builder, sig.args[1], args[1], args[2])
        return _through(builder, args[0], [state, _row(context, builder, sig.args[3], args[3], _I64(0))])

    return signature, generate


@_njit(cache=True, inline="always")
def _hash(states: Words, start: int, words: int) -> Any:
    """Hash of the words from a position of a vector on."""
    h = np.int64(-7046029254386353131)
    for k in range(words):
        h ^= states[start + k]
        h *= np.int64(-49064778989728563)
        h ^= (h >> 32) & np.int64(0xFFFFFFFF)
        h *= np.int64(-4265267296055464877)
        h ^= (h >> 29) & np.int64(0x7FFFFFFFF)
    return h & np.int64(0x7FFFFFFFFFFFFFFF)


@_njit(cache=True)
def enter(store: Words, slots: Places, begin: int, end: int) -> None:
    """Enter states into an index, by place: a slot holds one more than the place, 0 is free.

    The number of slots is a power of two and greater than that of all states.
    """
    words, mask = store.shape[1], np.int64(slots.shape[0] - 1)
    flat = store.reshape(-1)
    for place in range(begin, end):
        slot = _hash(flat, place * words, words) & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = place + 1


@_njit(cache=True)
def _find(flat: Words, words: int, slots: Places, states: Words, start: int) -> Any:
    """Place of the state that stands at a position of `states`; -1 where the index does not have it."""
    mask = np.int64(slots.shape[0] - 1)
    slot = _hash(states, start, words) & mask
    while slots[slot] != 0:
        place = np.int64(slots[slot]) - 1
        same = True
        for k in range(words):
            if flat[place * words + k] != states[start + k]:
                same = False
                break
        if same:
            return place
        slot = (slot + 1) & mask
    return np.int64(-1)


@_njit(cache=True)
def stand(obligation: int, store: Words, standing: Flags, begin: int, end: int) -> int:
    """Ask how some states stand to an obligation; gives how many of them owe."""
    owing = 0
    for place in range(begin, end):
        standing[place] = _call_obligation(obligation, store, place)
        owing += standing[place] == OWED
    return owing


@_njit(cache=True)
def sow(control: Words, standing: Flags, numbers: Places, places: Places, parents: Places) -> None:
    """Number the states that owe: they are pending, and the search for others begins with them."""
    pending = 0
    for place in range(standing.shape[0]):
        if standing[place] == OWED:
            numbers[place] = pending
            places[pending] = place
            parents[pending] = pending
            pending += 1
    control[PENDING] = pending


@_njit(cache=True)
def grow(
    control: Words,
    functions: Words,
    store: Words,
    slots: Places,
    standing: Flags,
    numbers: Places,
    places: Places,
    parents: Places,
    offsets: Words,
    targets: Places,
    labels: Labels,
    enabled: Bits,
    is_cut: Flags,
    instances: Labels,
    records: Words,
    quota: int,
) -> bool:
    """Find the steps of some more pending states, and the pending states that they lead to.

    Args:
        control: as the slots above say; after `sow`.
        functions: addresses of `edges`, and of the function that makes a state canonical (0: states are as they are).
        numbers: of each place its number among the pending states, NOWHERE where it is not one of them.
        places, parents: of each pending state its place, and the one that it was first reached from (or itself).
        enabled: of each pending state a bit for each fair instance, in rows of whole words.
        is_cut: of each pending state whether a limit cuts off a step from it.
        instances: fair instance of each step number, or UNLABELLED.
        records: room for what `edges` writes.
        quota: how many states at most.

    Returns:
        Whether there is more to do.
    """
    words = store.shape[1]
    flat = store.reshape(-1)
    last = control[HEAD] + quota
    while control[HEAD] < control[PENDING] and control[HEAD] < last:
        v = control[HEAD]
        offsets[v] = control[EDGES]
        is_cut[v] = 0
        for k in range(enabled.shape[1]):
            enabled[v, k] = 0
        size = _call_edges(functions[0], store, np.int64(places[v]), records)
        for start in range(0, size, words + 1):
            step = records[start + words]
            cut = step < 0
            label = instances[-1 - step if cut else step]
            if label != UNLABELLED:
                enabled[v, label >> 6] |= np.uint64(1) << np.uint64(label & 63)
            if cut:
                is_cut[v] = 1
                continue
            if functions[1] != 0:
                _call_obligation(functions[1], records, start)
            place = _find(flat, words, slots, records, start)
            if place < 0:
                control[STRANGE] = np.int64(places[v]) + 1
                return False
            if standing[place] == MET:
                continue
            if numbers[place] == NOWHERE:
                numbers[place] = control[PENDING]
                places[control[PENDING]] = place
                parents[control[PENDING]] = v
                control[PENDING] += 1
            targets[control[EDGES]] = numbers[place]
            labels[control[EDGES]] = label
            control[EDGES] += 1
        control[HEAD] += 1
        offsets[control[HEAD]] = control[EDGES]
    return bool(control[HEAD] < control[PENDING])
