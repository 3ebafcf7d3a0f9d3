"""Where each cell of a state lies in its words.

A word is an int64 of which 63 bits are used, so that it is never negative and shifts need no care. No cell straddles
two words. A cell takes as many bits as its range needs, and none where it has one value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from genstamp_model.expand import Cell

WORD_BITS = 63


@dataclass(frozen=True)
class Field:
    """Place of one cell: `bits` bits from bit `shift` of word `word` hold its value minus `low`."""

    word: int
    shift: int
    bits: int
    low: int

    @property
    def mask(self) -> int:
        """The field's bits within its word."""
        return ((1 << self.bits) - 1) << self.shift


@dataclass(frozen=True)
class Layout:
    """Places of all cells, and the number of words a state takes (at least one)."""

    fields: tuple[Field, ...]
    words: int

    def pack(self, values: Sequence[int]) -> list[int]:
        """The words of a state given by its cell values, each of which lies in its cell's range."""
        words = [0] * self.words
        for field, value in zip(self.fields, values, strict=True):
            offset = value - field.low
            assert 0 <= offset < 1 << field.bits, f"{value} does not fit {field}"
            words[field.word] |= offset << field.shift
        return words

    def unpack(self, words: Sequence[int]) -> list[int]:
        """The cell values of a packed state."""
        return [((int(words[f.word]) & f.mask) >> f.shift) + f.low for f in self.fields]


def span(cell: Cell) -> tuple[int, int]:
    """Smallest and largest value that a cell may have to hold, the 0 of a free place included."""
    return (min(cell.low, 0), max(cell.high, 0)) if cell.in_place else (cell.low, cell.high)


def layout(cells: Sequence[Cell], blocks: Iterable[Sequence[int]] = ()) -> Layout:
    """Each cell in the first word that still has room for it, in the order given.

    Args:
        blocks: positions of cells that stand first, and side by side in one word, which has room for them.
    """
    blocks = list(blocks)
    apart = {i for block in blocks for i in block}
    used = [0]
    fields: dict[int, Field] = {}
    for block in [*blocks, *([i] for i in range(len(cells)) if i not in apart)]:
        spans = [span(cells[i]) for i in block]
        widths = [(high - low).bit_length() for low, high in spans]
        word = next((i for i, taken in enumerate(used) if taken + sum(widths) <= WORD_BITS), len(used))
        if word == len(used):
            used.append(0)
        for i, (low, _), bits in zip(block, spans, widths, strict=True):
            fields[i] = Field(word, used[word], bits, low)
            used[word] += bits
    return Layout(tuple(fields[i] for i in range(len(cells))), len(used))
