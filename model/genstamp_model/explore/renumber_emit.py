"""Renumbering by rank in the compiled search: a function that the steps which change ordered numbers call.

    renumber(state) -> one bit for each limit that the renumbered state exceeds

A class' numbers are marked as bits of one word, so that the rank of a number is how many bits are set up to its own.
A step that another limit cuts off is not renumbered, and so is not counted for the limits of its ordered numbers too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from genstamp_model.errors import ConfigurationError
from genstamp_model.expand import Cell, Expansion, Step
from genstamp_model.explore.layout import Layout
from genstamp_model.explore.renumber import Renumbering
from genstamp_model.explore.scalar import Graph, Scalar
from genstamp_model.explore.text import Body

_DECLARATION = "declare i64 @llvm.ctpop.i64(i64)\n"

# Where a class' numbers begin and where they may end: so many bits has a word.
_MOST_ABOVE = 62
# Above every number: what is renumbered is cut off by its rank, not by its value before.
_UNBOUNDED = 2**40


def unbounded(renumbering: Renumbering, cells: Sequence[Cell]) -> list[Cell]:
    """The cells, with ordered numbers that no limit cuts off."""
    return [
        cell if class_ is None else replace(cell, high=_UNBOUNDED)
        for cell, class_ in zip(cells, renumbering.cells, strict=True)
    ]


def widened(renumbering: Renumbering, cells: Sequence[Cell], steps: Sequence[Step[Scalar]]) -> list[Cell]:
    """The cells, with room for what ordered numbers are between a step and renumbering.

    Raises:
        ConfigurationError: a class can have more different numbers than a word has bits.
    """
    found = list(cells)
    for class_, fixed in enumerate(renumbering.classes.fixed):
        members = [i for i, other in enumerate(renumbering.cells) if other == class_]
        high = max([cells[i].high for i in members] + [step.next_cells[i].high for step in steps for i in members])
        if high - fixed > _MOST_ABOVE:
            raise ConfigurationError(
                f"{cells[members[0]].name} can rise to {high}, and numbers above {_MOST_ABOVE + fixed} cannot be "
                f"renumbered; lower limit {cells[members[0]].limit}"
            )
        for i in members:
            found[i] = replace(cells[i], high=high)
    return found


def changes(renumbering: Renumbering, cells: Sequence[Scalar], next_cells: Sequence[Scalar]) -> bool:
    """Whether a step changes an ordered number."""
    parts = zip(renumbering.cells, cells, next_cells, strict=True)
    return any(class_ is not None and after is not before for class_, before, after in parts)


def faults(renumbering: Renumbering, expansion: Expansion[Scalar], step: Step[Scalar]) -> Iterator[Scalar]:
    """Conditions under which a step raises a number that is not the largest of its class."""
    graph, classes = expansion.algebra, renumbering.classes
    for one in classes.raises[step.action.name]:
        fixed = graph.constant(classes.fixed[one.class_])
        for members in renumbering.choices(one):
            premise = expansion.value(one.premise, step, members)
            operand = expansion.value(one.operand, step, members)
            within = graph.le(graph.add(operand, graph.constant(one.amount)), fixed)
            numbers = [v for v, c in zip(expansion.values, renumbering.cells, strict=True) if c == one.class_]
            largest = graph.and_([graph.le(number, operand) for number in numbers])
            yield graph.and_([premise, graph.not_(graph.or_([within, largest]))])


def renumber_function(
    renumbering: Renumbering,
    graph: Graph,
    layout: Layout,
    cells: Sequence[Cell],
    wide: Sequence[Cell],
    limits: Sequence[str],
) -> str:
    """The text of `renumber`.

    Args:
        cells, wide: as declared, and with room for what numbers are before they are renumbered.
        limits: in the order of the bits of its result.
    """
    body = Body(layout)
    before = [graph.cell(i, cell.kind == "flag", cell.low, cell.high) for i, cell in enumerate(wide)]
    after, beyond = dict[int, str](), "0"
    for class_, fixed in enumerate(renumbering.classes.fixed):
        members = [i for i, found in enumerate(renumbering.cells) if found == class_]
        numbers = [body.value(before[i]) for i in members]
        above = [body.let(f"call i64 @llvm.smax.i64(i64 {v}, i64 {fixed})") if fixed else v for v in numbers]
        places = [body.let(f"sub i64 {v}, {fixed}") if fixed else v for v in above]
        present = "0"
        for place in places:
            present = body.let(f"or i64 {present}, {body.let(f'shl i64 1, {place}')}")
        # Bit 0 stands for all that keeps its meaning.
        present = body.let(f"and i64 {present}, -2")
        for i, number, place in zip(members, numbers, places, strict=True):
            upto = body.let(f"sub i64 {body.let(f'shl i64 2, {place}')}, 1")
            rank = body.let(f"call i64 @llvm.ctpop.i64(i64 {body.let(f'and i64 {present}, {upto}')})")
            kept = body.let(f"call i64 @llvm.smin.i64(i64 {number}, i64 {fixed})") if fixed else "0"
            after[i] = body.let(f"add i64 {rank}, {kept}") if fixed else rank
            limit = cells[i].limit
            assert limit is not None, "an ordered number has a limit"
            if wide[i].high > cells[i].high:
                exceeds = body.let(f"icmp sgt i64 {after[i]}, {cells[i].high}")
                bit = body.let(f"select i1 {exceeds}, i64 {1 << limits.index(limit)}, i64 0")
                beyond = body.let(f"or i64 {beyond}, {bit}")
    for i, word in enumerate(body.replaced(after)):
        body.store(word, "%state", i)
    body.line(f"  ret i64 {beyond}")
    return f"{_DECLARATION}define internal i64 @renumber(ptr noalias %state) {{\n{body.text()}\n}}\n"
