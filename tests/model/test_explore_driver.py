"""The parts of the driver that no count of states would show to be wrong: the table while it grows, memory."""

import numpy as np
import pytest
from tests.model.systems.every_form import EVERY_FORM

from genstamp_model.expand import cells
from genstamp_model.explore import driver, memory
from genstamp_model.explore.layout import WORD_BITS, Layout, layout, span


def entries(count: int, buckets_bits: int, crowded: bool) -> list[int]:
    """Entries of a table as the driver writes them; crowded ones belong to the first and the last buckets only."""
    upper = np.random.default_rng(1).integers(0, 2**32, count, dtype=np.uint64)
    if crowded:
        upper %= np.uint64(2 ** (34 - buckets_bits))
        upper[::2] = np.uint64(2**32 - 1) - upper[::2]
    packed = (upper << np.uint64(32)) | np.arange(1, count + 1, dtype=np.uint64)
    return packed.astype(np.int64).tolist()  # type: ignore[no-any-return]


def found(table: driver.Words, bits: int, entry: int) -> bool:
    """Whether an entry is where a search for it looks."""
    bucket = (entry & 2**64 - 1) >> (64 - bits)
    for _ in range(2**bits):
        slots = table[bucket * driver.BUCKET : (bucket + 1) * driver.BUCKET].tolist()
        if entry in slots:
            return True
        if 0 in slots:
            return False
        bucket = (bucket + 1) % 2**bits
    return False


@pytest.mark.parametrize("crowded", [False, True])
def test_every_entry_is_found_while_the_table_doubles(crowded: bool) -> None:
    bits, doublings = 4, 4
    table = np.zeros((driver.BUCKET << (bits + doublings)) + driver.BUCKET, np.int64)
    given = entries((driver.BUCKET << bits) * driver.LOAD // 10, bits, crowded)
    for entry in given:
        assert driver._enter(table, bits, entry, -1)
    for _ in range(doublings):
        driver._double(table, bits)
        bits += 1
        assert all(found(table, bits, entry) for entry in given)
        assert np.count_nonzero(table) == len(given)


def test_a_full_table_takes_at_most_what_is_promised() -> None:
    for words in (1, 2, 3, 8):
        assert memory.bytes_at_most(words) <= 8 * words + 31
        just_doubled = (driver.BUCKET << 19) * driver.LOAD // 10
        assert memory.bytes_taken(words, just_doubled, 20) <= just_doubled * memory.bytes_at_most(words)


def test_memory_holds_what_is_asked_for() -> None:
    room = memory.allocate(3, 1_000, 300)
    assert room.capacity == 1_300
    assert room.store.shape == (1_300, 3)
    assert room.table.ctypes.data % 64 == 0
    assert room.table.shape[0] * driver.LOAD >= 1_300 * 10
    assert memory.allocate(1, None, 300).capacity > 100_000


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
