"""Trying every numbering of the members of groups, in the compiled search.

    exchange<i>(state)   exchange two neighbouring members; messages that mention them are sorted again
    compare<i>(state)    whether the first of them belongs before the second (0), after it (2), or either way (1)
    canonical(state)     the representative, in the state's place

First the members are put in order as far as what belongs to each of them alone tells; mostly that leaves nothing to be
tried. Where two are equal, every numbering that keeps this order is examined, and the least row kept: the numberings
are those in order whichever of them one begins with, so all states of an orbit have one representative. Numberings are
made in the order of plain changes: from each to the next two neighbours are exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from genstamp_model.expand import Items, Slot
from genstamp_model.expand.trees import Tree, Trees
from genstamp_model.explore.layout import WORD_BITS
from genstamp_model.explore.scalar import Scalar
from genstamp_model.explore.symmetry import Group
from genstamp_model.explore.symmetry_plan import Plan, mentioned
from genstamp_model.explore.symmetry_sort import Kernel
from genstamp_model.explore.text import Body
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
)


def try_functions(kernel: Kernel, plan: Plan) -> Iterator[str]:
    """The texts of the functions above; they call `sort`."""
    exchanges = [(group, i) for group in plan.tried for i in range(group.size - 1)]
    for number, (group, first) in enumerate(exchanges):
        yield _exchange_function(kernel, number, group, first)
        yield _compare_function(kernel, plan, number, group, first)
    yield _canonical_function(kernel.layout.words, plan)


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


def _compare_function(kernel: Kernel, plan: Plan, number: int, group: Group, first: int) -> str:
    body = Body(kernel.layout)
    left, right = (_own_key(kernel, plan, group, member, body) for member in (first, first + 1))
    equal, greater = (body.let(f"icmp {how} i64 {left}, {right}") for how in ("eq", "ugt"))
    unlike = body.let(f"select i1 {greater}, i64 2, i64 0")
    body.line(f"  ret i64 {body.let(f'select i1 {equal}, i64 1, i64 {unlike}')}")
    return f"define internal i64 @compare{number}(ptr noalias %state) {{\n{body.text()}\n}}\n"


def _own_key(kernel: Kernel, plan: Plan, group: Group, member: int, body: Body) -> str:
    """A word of what belongs to a member whatever the numbering of all groups, as much as fits."""
    graph, key, used = kernel.graph, "0", 0
    for i in plan.of_nobody_else(group, member):
        spot, field = plan.spots[i], kernel.layout.fields[i]
        bits = 1 if spot.refers else field.bits
        if not bits or used + bits > WORD_BITS:
            continue
        if spot.refers:
            is_me = graph.eq(kernel.cells[i], graph.constant(member))
            if spot.length is not None:
                place = graph.constant(spot.length[1])
                is_me = graph.and_([is_me, graph.lt(place, kernel.cells[spot.length[0]])])
            part = body.number(is_me)
        else:
            shifted = body.let(f"lshr i64 {body.words[field.word]}, {field.shift}")
            part = body.let(f"and i64 {shifted}, {(1 << bits) - 1}")
        key = body.let(f"or i64 {key}, {body.let(f'shl i64 {part}, {used}')}")
        used += bits
    return key


def _canonical_function(words: int, plan: Plan) -> str:
    size, changes = 8 * words, list(_changes(plan.tried))
    exchanges = sum(group.size - 1 for group in plan.tried)
    copy = "call void @llvm.memcpy.p0.p0.i64"
    return "\n".join(
        [
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
            f"@changes = internal constant [{len(changes)} x i8] [{', '.join(f'i8 {change}' for change in changes)}]",
            "define void @canonical(ptr %state) {",
            "entry:",
            f"  %work = alloca [{words} x i64]",
            f"  %try = alloca [{words} x i64]",
            *_put_in_order(plan.tried),
            f"  {copy}(ptr %work, ptr %state, i64 {size}, i1 false)",
            "  call void @sort(ptr %state)",
            *_any_equal(exchanges),
            "  br i1 %tied, label %loop, label %done",
            "loop:",
            "  %i = phi i64 [0, %ordered], [%next, %again]",
            "  %at = getelementptr i8, ptr @changes, i64 %i",
            "  %change = load i8, ptr %at",
            f"  switch i8 %change, label %made [{' '.join(f'i8 {i}, label %change{i}' for i in range(exchanges))}]",
            *(f"change{i}:\n  call void @exchange{i}(ptr %work)\n  br label %made" for i in range(exchanges)),
            "made:",
            *_all_in_order(exchanges),
            "  br i1 %wrong, label %again, label %right",
            "right:",
            f"  {copy}(ptr %try, ptr %work, i64 {size}, i1 false)",
            "  call void @sort(ptr %try)",
            *_less(words),
            "  br i1 %less, label %better, label %again",
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


def _put_in_order(tried: Sequence[Group]) -> Iterator[str]:
    """Neighbours exchanged until each group is in the order of its own keys."""
    first = number = 0
    for group in tried:
        for end in range(group.size - 1, 0, -1):
            for i in range(first, first + end):
                yield f"  %order{number} = call i64 @compare{i}(ptr %state)"
                yield f"  %after{number} = icmp eq i64 %order{number}, 2"
                yield f"  br i1 %after{number}, label %swap{number}, label %next{number}"
                yield f"swap{number}:\n  call void @exchange{i}(ptr %state)\n  br label %next{number}"
                yield f"next{number}:"
                number += 1
        first += group.size - 1
    yield "  br label %ordered"
    yield "ordered:"


def _any_equal(exchanges: int) -> Iterator[str]:
    """`%tied`: whether two neighbours have equal keys."""
    tied = "false"
    for i in range(exchanges):
        yield f"  %tie{i} = call i64 @compare{i}(ptr %work)\n  %equal{i} = icmp eq i64 %tie{i}, 1"
        yield f"  %tied{i} = or i1 {tied}, %equal{i}"
        tied = f"%tied{i}"
    yield f"  %tied = or i1 {tied}, false"


def _all_in_order(exchanges: int) -> Iterator[str]:
    """`%wrong`: whether two neighbours are not in the order of their keys."""
    wrong = "false"
    for i in range(exchanges):
        yield f"  %test{i} = call i64 @compare{i}(ptr %work)\n  %greater{i} = icmp eq i64 %test{i}, 2"
        yield f"  %wrong{i} = or i1 {wrong}, %greater{i}"
        wrong = f"%wrong{i}"
    yield f"  %wrong = or i1 {wrong}, false"


def _less(words: int) -> Iterator[str]:
    """`%less`: whether the row tried is less than the least one so far."""
    for name in ("try", "state"):
        for i in range(words):
            yield f"  %{name}.at{i} = getelementptr i64, ptr %{name}, i64 {i}"
            yield f"  %{name}{i} = load i64, ptr %{name}.at{i}"
    less = "false"
    for i in reversed(range(words)):
        yield f"  %same{i} = icmp eq i64 %try{i}, %state{i}\n  %smaller{i} = icmp ult i64 %try{i}, %state{i}"
        yield f"  %less{i} = select i1 %same{i}, i1 {less}, i1 %smaller{i}"
        less = f"%less{i}"
    yield f"  %less = or i1 {less}, false"
