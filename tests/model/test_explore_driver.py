"""The parts of the driver that no count of states would show to be wrong: the table while it grows, memory."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.model.systems.every_form import EVERY_FORM

from genstamp_model.expand import cells
from genstamp_model.explore import machine, memory, table
from genstamp_model.explore.layout import WORD_BITS, Layout, layout, span


def entries(count: int, crowded: bool) -> list[int]:
    """Entries of a table as the driver writes them; crowded ones belong to the first and the last buckets only."""
    upper = np.random.default_rng(1).integers(0, 2**32, count, dtype=np.uint64)
    if crowded:
        upper >>= np.uint64(4)
        upper[::2] = np.uint64(2**32 - 1) - upper[::2]
    packed = (upper << np.uint64(32)) | np.arange(1, count + 1, dtype=np.uint64)
    return packed.astype(np.int64).tolist()  # type: ignore[no-any-return]


def found(slots: NDArray[np.int64], buckets: int, entry: int) -> bool:
    """Whether an entry is where a search for it looks."""
    bucket = ((entry & 2**64 - 1) >> 32) * buckets >> 32
    for _ in range(buckets):
        line = slots[bucket * table.BUCKET : (bucket + 1) * table.BUCKET].tolist()
        if entry in line:
            return True
        if 0 in line:
            return False
        bucket = (bucket + 1) % buckets
    return False


@pytest.fixture(scope="module")
def library() -> machine.Library:
    return machine.build(table.enter, table.grow)


@pytest.mark.parametrize("crowded", [False, True])
@pytest.mark.parametrize("sizes", [(16, 17, 18, 27), (16, 24, 36, 54, 81), (16, 32, 64, 128, 256)])
def test_every_entry_is_found_while_the_table_grows(
    library: machine.Library, sizes: Sequence[int], crowded: bool
) -> None:
    buckets = sizes[0]
    slots = np.zeros(table.BUCKET * sizes[-1], np.int64)
    waiting = np.empty(table.WAITING + table.BUCKET, np.int64)
    given = entries(buckets * table.BUCKET * table.LOAD // 100, crowded)
    for entry in given:
        assert library.run(table.enter, slots, buckets, entry, -1)
    for more in sizes[1:]:
        assert library.run(table.grow, slots, buckets, more, waiting)
        buckets = more
        assert all(found(slots, buckets, entry) for entry in given)
        assert np.count_nonzero(slots) == len(given)


def test_a_table_of_which_too_much_would_have_to_wait_does_not_grow(library: machine.Library) -> None:
    slots = np.zeros(table.BUCKET * 2000, np.int64)
    waiting = np.empty(table.WAITING + table.BUCKET, np.int64)
    for place in range(table.WAITING + table.BUCKET + 1):
        library.run(table.enter, slots, 1000, place + 1, -1)
    assert not library.run(table.grow, slots, 1000, 2000, waiting)


def test_a_full_table_takes_at_most_what_is_promised() -> None:
    for words in (1, 2, 3, 8):
        assert memory.bytes_at_most(words) <= 8 * words + 31
        just_grown = 1000 * table.BUCKET * table.LOAD // 100
        assert memory.bytes_taken(words, just_grown, 1500) <= just_grown * memory.bytes_at_most(words)


def test_memory_holds_what_is_asked_for() -> None:
    parts = memory.allocate(3, 1_000, 300)
    for part in parts:
        assert part.capacity >= 1_000 + 2 * 300
        assert part.store.shape == (part.capacity, 3)
        assert part.table.ctypes.data % 64 == 0
        assert part.table.shape[0] * table.LOAD >= part.capacity * 100
    assert memory.granted(None) > 1 << 30


def test_cells_lie_apart_in_their_words() -> None:
    places = layout(cells(EVERY_FORM.instance("wide")))
    used = [0] * places.words
    for field in places.fields:
        assert field.shift + field.bits <= WORD_BITS
        assert not used[field.word] & field.mask
        used[field.word] |= field.mask


def test_a_cell_of_a_place_holds_the_zero_of_a_free_one() -> None:
    weights = [cell for cell in cells(EVERY_FORM.instance("wide")) if cell.name == "orders[0].weight"]
    assert [(cell.low, span(cell)) for cell in weights] == [(1, (0, 2))]


def test_words_are_undone_to_the_extremes() -> None:
    described = cells(EVERY_FORM.instance("wide"))
    places: Layout = layout(described)
    for values in ([span(cell)[0] for cell in described], [span(cell)[1] for cell in described]):
        assert places.unpack(places.pack(values)) == values
