"""The representative of a state in the compiled search, as `symmetry_plan` says.

    sort(state)        number the members of the sorted groups by their keys
    exchange<i>(state) exchange two members of a group that is tried; its messages are sorted anew
    canonical(state)   the representative, in the state's place

Numberings are tried in the order of plain changes: from each to the next two neighbours are exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from genstamp_model.expand import Cell, Items, Slot
from genstamp_model.expand.trees import Tree, Trees
from genstamp_model.explore.layout import WORD_BITS, Layout
from genstamp_model.explore.scalar import Graph, Scalar
from genstamp_model.explore.symmetry import Group
from genstamp_model.explore.symmetry_plan import Plan, mentioned, pieces
from genstamp_model.explore.text import Body
from genstamp_model.language.model import Instance
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
)


@dataclass(frozen=True)
class Kernel:
    """What the functions are written from: the instance, its cells as declared and as scalars, and their places."""

    instance: Instance
    declared: Sequence[Cell]
    graph: Graph
    cells: Sequence[Scalar]
    layout: Layout


def canonical_functions(kernel: Kernel, plan: Plan) -> Iterator[str]:
    """The texts of the functions above, and of `expand` around `successors`."""
    yield _sort_function(kernel, plan)
    exchanges = [(group, i) for group in plan.tried for i in range(group.size - 1)]
    for number, (group, first) in enumerate(exchanges):
        yield _exchange_function(kernel, number, group, first)
    yield _canonical_function(kernel.layout.words, exchanges, list(_changes(plan.tried)))
    yield _EXPAND.replace("WORDS", str(kernel.layout.words))


# The successors, each replaced by its representative.
_EXPAND = """define i64 @expand(ptr %state, ptr %out, ptr %counters) {
entry:
  %count = call i64 @successors(ptr %state, ptr %out, ptr %counters)
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %offset = mul i64 %i, WORDS
  %row = getelementptr i64, ptr %out, i64 %offset
  call void @canonical(ptr %row)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret i64 %count
}
"""


# Sorting.


def _sort_function(kernel: Kernel, plan: Plan) -> str:
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
    """Part of a member: so many bits, at a place of a word for each member."""

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


# Trying.


def _changes(tried: Sequence[Group]) -> Iterator[int]:
    """The exchanges, by number, that go through every numbering of some groups, each from the one before."""
    sequence: list[int] = []
    first = 0
    for group in tried:
        outer = [first + place for place in plain_changes(group.size)]
        sequence = [*sequence, *(number for change in outer for number in (change, *sequence))]
        first += group.size - 1
    return iter(sequence)


def plain_changes(size: int) -> list[int]:
    """Steinhaus, Johnson and Trotter: places at which neighbours are exchanged, so that every order occurs once."""
    if size < 2:
        return []
    inner, found, down = plain_changes(size - 1), list[int](), True
    for change in [*inner, None]:
        found += range(size - 2, -1, -1) if down else range(size - 1)
        if change is not None:
            # The largest one stands at an end: at the beginning it shifts the places of the others.
            found.append(change + 1 if down else change)
        down = not down
    return found


def _exchange_function(kernel: Kernel, number: int, group: Group, first: int) -> str:
    body = Body(kernel.layout)
    trees, exchange = Trees(kernel.instance, kernel.graph), _Exchange(kernel, group, first)
    source, after = iter(kernel.cells), list[Scalar]()
    for variable in kernel.instance.model.variables:
        tree = exchange.of(variable.type, trees.read(variable.type, source), kernel.graph.true)
        trees.write(variable.type, tree, after, [])
    for i, word in enumerate(body.packed(kernel.cells, after)):
        body.store(word, "%state", i)
    body.line("  ret void")
    return f"define internal void @exchange{number}(ptr noalias %state) {{\n{body.text()}\n}}\n"


class _Exchange:
    """Two neighbouring members of a group exchanged, in trees of scalars."""

    def __init__(self, kernel: Kernel, group: Group, first: int) -> None:
        self._graph = kernel.graph
        self._trees = Trees(kernel.instance, kernel.graph)
        self._group = group
        self._first = first

    def of(self, type_: Type, tree: Tree, taken: Scalar) -> Tree:
        """A tree after the exchange; `taken` says whether it is in use, so that its zeros are not members."""
        match type_:
            case RefType(index=index) if self._group.has(index):
                return self._other(tree, taken)
            case RecordType(fields=fields):
                return tuple(self.of(kind, part, taken) for (_, kind), part in zip(fields, tree, strict=True))
            case ArrayType(index=index, element=element):
                parts = tuple(self.of(element, part, taken) for part in tree)
                return self._swapped(parts) if self._group.has(index) else parts
            case SetType(index=index) if self._group.has(index):
                return self._swapped(tree)
            case SequenceType(element=element):
                graph = self._graph
                here = (graph.lt(graph.constant(i), tree.length) for i in range(len(tree.elements)))
                parts = tuple(self.of(element, part, at) for part, at in zip(tree.elements, here, strict=True))
                return Items(tree.length, parts)
            case BagType(message=message) if any(mentioned(message, [self._group])):
                return self._in_order(
                    type_, [Slot(slot.present, self.of(message, slot.message, slot.present)) for slot in tree]
                )
            case _:
                return tree

    def _other(self, reference: Scalar, taken: Scalar) -> Scalar:
        graph = self._graph
        pair = [graph.constant(self._first), graph.constant(self._first + 1)]
        result = reference
        for member, image in (pair, pair[::-1]):
            result = graph.ite(graph.and_([taken, graph.eq(reference, member)]), image, result)
        return result

    def _swapped(self, parts: Sequence[Tree]) -> tuple[Tree, ...]:
        i = self._first
        return (*parts[:i], parts[i + 1], parts[i], *parts[i + 2 :])

    def _in_order(self, type_: BagType, slots: list[Slot]) -> tuple[Slot, ...]:
        """Messages sorted; the places that are taken stay first."""
        graph, trees, kind = self._graph, self._trees, type_.message
        for end in range(len(slots) - 1, 0, -1):
            for i in range(end):
                left, right = slots[i], slots[i + 1]
                wrong = graph.and_([right.present, trees.before(kind, right.message, left.message)])
                slots[i] = Slot(left.present, trees.choose(kind, wrong, right.message, left.message))
                slots[i + 1] = Slot(right.present, trees.choose(kind, wrong, left.message, right.message))
        return tuple(slots)


def _canonical_function(words: int, exchanges: Sequence[object], changes: Sequence[int]) -> str:
    if not changes:
        return "define void @canonical(ptr %state) {\n  call void @sort(ptr %state)\n  ret void\n}\n"
    size = 8 * words
    cases = " ".join(f"i8 {i}, label %change{i}" for i in range(len(exchanges)))
    made = [f"change{i}:\n  call void @exchange{i}(ptr %work)\n  br label %sort" for i in range(len(exchanges))]
    loads = [
        f"  %{name}.at{i} = getelementptr i64, ptr %{name}, i64 {i}\n  %{name}{i} = load i64, ptr %{name}.at{i}"
        for name in ("try", "state")
        for i in range(words)
    ]
    less, compare = "false", list[str]()
    for i in reversed(range(words)):
        compare.append(f"  %same{i} = icmp eq i64 %try{i}, %state{i}\n  %smaller{i} = icmp ult i64 %try{i}, %state{i}")
        compare.append(f"  %less{i} = select i1 %same{i}, i1 {less}, i1 %smaller{i}")
        less = f"%less{i}"
    copy = "call void @llvm.memcpy.p0.p0.i64"
    return "\n".join(
        [
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
            f"@changes = internal constant [{len(changes)} x i8] [{', '.join(f'i8 {change}' for change in changes)}]",
            "define void @canonical(ptr %state) {",
            "entry:",
            f"  %work = alloca [{words} x i64]",
            f"  %try = alloca [{words} x i64]",
            f"  {copy}(ptr %work, ptr %state, i64 {size}, i1 false)",
            "  call void @sort(ptr %state)",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [0, %entry], [%next, %again]",
            "  %at = getelementptr i8, ptr @changes, i64 %i",
            "  %change = load i8, ptr %at",
            f"  switch i8 %change, label %sort [{cases}]",
            *made,
            "sort:",
            f"  {copy}(ptr %try, ptr %work, i64 {size}, i1 false)",
            "  call void @sort(ptr %try)",
            *loads,
            *compare,
            f"  br i1 {less}, label %better, label %again",
            "better:",
            f"  {copy}(ptr %state, ptr %try, i64 {size}, i1 false)",
            "  br label %again",
            "again:",
            "  %next = add i64 %i, 1",
            f"  %more = icmp slt i64 %next, {len(changes)}",
            "  br i1 %more, label %loop, label %done",
            "done:",
            "  ret void",
            "}",
            "",
        ]
    )
