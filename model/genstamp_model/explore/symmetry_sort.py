"""Sorting the members of groups by what belongs to each, in the compiled search.

    sort(state)   number the members of the sorted groups by their keys

Keys are gathered into words, put in order by a network of comparisons, and scattered again; references follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from genstamp_model.expand import Cell
from genstamp_model.explore.layout import WORD_BITS, Layout
from genstamp_model.explore.scalar import Graph, Scalar
from genstamp_model.explore.symmetry import Group
from genstamp_model.explore.symmetry_plan import Plan, pieces
from genstamp_model.explore.text import Body
from genstamp_model.language.model import Instance


@dataclass(frozen=True)
class Kernel:
    """What the functions are written from: the instance, its cells as declared and as scalars, and their places."""

    instance: Instance
    declared: Sequence[Cell]
    graph: Graph
    cells: Sequence[Scalar]
    layout: Layout


def sort_function(kernel: Kernel, plan: Plan) -> str:
    """The text of `sort`."""
    body = Body(kernel.layout)
    words = list(body.words)
    for group in plan.sorted:
        _Sorter(kernel, plan, group, body, words).sort()
    for i, word in enumerate(words):
        body.store(word, "%state", i)
    body.line("  ret void")
    return f"define internal void @sort(ptr noalias %state) {{\n{body.text()}\n}}\n"


@dataclass(frozen=True)
class _Piece:
    """Part of a member: this many bits, at a place of a word for each member."""

    bits: int
    places: tuple[tuple[int, int], ...]


class _Sorter:
    """Writes how one group is sorted; `words` are those of the state so far, and are replaced."""

    def __init__(self, kernel: Kernel, plan: Plan, group: Group, body: Body, words: list[str]) -> None:
        self._kernel = kernel
        self._group = group
        self._body = body
        self._words = words
        self._pieces = list(_pieces(kernel, plan, group))
        self._references = [self._reference(plan, cell) for cell in plan.referring(group)]

    def _reference(self, plan: Plan, cell: int) -> tuple[int, str]:
        """A reference into the group: its cell, and whether it refers to one of the members, as an operand."""
        graph, cells = self._kernel.graph, self._kernel.cells
        is_member = graph.lt(cells[cell], graph.constant(self._group.size))
        length = plan.spots[cell].length
        if length is not None:
            is_member = graph.and_([is_member, graph.lt(graph.constant(length[1]), cells[length[0]])])
        return cell, self._body.value(is_member)

    def sort(self) -> None:
        """Gather keys, sort them, scatter them, and let references follow."""
        keys = [self._key(member) for member in range(self._group.size)]
        for left, right in network(self._group.size):
            keys[left], keys[right] = self._exchanged(keys[left], keys[right])
        for number, piece in enumerate(self._pieces):
            self._scatter(piece, [key[number] for key in keys])
        for number, (cell, is_member) in enumerate(self._references):
            self._follow(cell, is_member, [self._bit(key, number) for key in keys])

    def _key(self, member: int) -> list[str]:
        """The words of a member's key: its pieces, then a bit for each reference, from the last piece's room on."""
        body = self._body
        key = []
        for piece in self._pieces:
            word, shift = piece.places[member]
            shifted = body.let(f"lshr i64 {body.words[word]}, {shift}") if shift else body.words[word]
            key.append(body.let(f"and i64 {shifted}, {(1 << piece.bits) - 1}"))
        for number, (cell, is_member) in enumerate(self._references):
            graph = self._kernel.graph
            is_me = body.value(graph.eq(self._kernel.cells[cell], graph.constant(member)))
            here = body.let(f"and i1 {is_me}, {is_member}")
            place, shift = self._bit_place(number)
            if place == len(key):
                key.append("0")
            bit = body.let(f"select i1 {here}, i64 {1 << shift}, i64 0")
            key[place] = body.let(f"or i64 {key[place]}, {bit}")
        return key

    def _bit_place(self, number: int) -> tuple[int, int]:
        """The word of the key, and the bit in it, that stands for a reference."""
        used = self._pieces[-1].bits if self._pieces else 0
        last = max(len(self._pieces) - 1, 0)
        return last + (used + number) // WORD_BITS, (used + number) % WORD_BITS

    def _bit(self, key: Sequence[str], number: int) -> str:
        place, shift = self._bit_place(number)
        shifted = self._body.let(f"lshr i64 {key[place]}, {shift}") if shift else key[place]
        return self._body.let(f"and i64 {shifted}, 1")

    def _exchanged(self, left: list[str], right: list[str]) -> tuple[list[str], list[str]]:
        """Two keys in order."""
        body = self._body
        if len(left) == 1:
            low, high = (
                body.let(f"call i64 @llvm.{which}.i64(i64 {left[0]}, i64 {right[0]})") for which in ("smin", "smax")
            )
            return [low], [high]
        wrong = _less(body, right, left)
        smaller = [body.let(f"select i1 {wrong}, i64 {b}, i64 {a}") for a, b in zip(left, right, strict=True)]
        larger = [body.let(f"select i1 {wrong}, i64 {a}, i64 {b}") for a, b in zip(left, right, strict=True)]
        return smaller, larger

    def _scatter(self, piece: _Piece, values: Sequence[str]) -> None:
        body, mask = self._body, (1 << piece.bits) - 1
        for value, (word, shift) in zip(values, piece.places, strict=True):
            kept = body.let(f"and i64 {self._words[word]}, {~(mask << shift)}")
            part = body.let(f"and i64 {value}, {mask}")
            part = body.let(f"shl i64 {part}, {shift}") if shift else part
            self._words[word] = body.let(f"or i64 {kept}, {part}")

    def _follow(self, cell: int, is_member: str, bits: Sequence[str]) -> None:
        """A reference to the member that has its bit now."""
        body, field = self._body, self._kernel.layout.fields[cell]
        if not field.bits:
            return
        assert field.low == 0, "references begin at 0"
        position = "0"
        for i, bit in enumerate(bits):
            if i:
                part = body.let(f"mul i64 {bit}, {i}") if i > 1 else bit
                position = body.let(f"or i64 {position}, {part}")
        kept = body.value(self._kernel.cells[cell])
        value = body.let(f"select i1 {is_member}, i64 {position}, i64 {kept}")
        placed = body.let(f"shl i64 {value}, {field.shift}") if field.shift else value
        rest = body.let(f"and i64 {self._words[field.word]}, {~field.mask}")
        self._words[field.word] = body.let(f"or i64 {rest}, {placed}")


def _pieces(kernel: Kernel, plan: Plan, group: Group) -> Iterator[_Piece]:
    """The parts of a group's members: what stands side by side in a word."""
    fields = kernel.layout.fields
    of_members = [plan.of_member(group, member) for member in range(group.size)]
    for first, last in pieces([kernel.declared[i] for i in of_members[0]]):
        bits = sum(fields[i].bits for i in of_members[0][first:last])
        if bits:
            starts = tuple((fields[cells[first]].word, fields[cells[first]].shift) for cells in of_members)
            yield _Piece(bits, starts)


def network(size: int) -> Iterator[tuple[int, int]]:
    """Batcher's odd-even merge sort: pairs of positions to compare and exchange, in order."""
    run = 1
    while run < size:
        step = run
        while step:
            for start in range(step % run, size - step, 2 * step):
                for i in range(start, start + min(step, size - start - step)):
                    if i // (2 * run) == (i + step) // (2 * run):
                        yield i, i + step
            step //= 2
        run *= 2


def _less(body: Body, left: Sequence[str], right: Sequence[str]) -> str:
    """Whether some words come before others, the first one deciding first."""
    result = "false"
    for a, b in reversed(list(zip(left, right, strict=True))):
        same = body.let(f"icmp eq i64 {a}, {b}")
        smaller = body.let(f"icmp ult i64 {a}, {b}")
        result = body.let(f"select i1 {same}, i1 {result}, i1 {smaller}")
    return result
