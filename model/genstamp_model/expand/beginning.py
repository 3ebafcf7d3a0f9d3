"""The initial states by their cells, in groups of cells that are chosen independently of each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from genstamp_model.evaluate import Evaluator
from genstamp_model.expand.cells import cells, to_cells
from genstamp_model.language import ir
from genstamp_model.language.ir import Op
from genstamp_model.language.model import Instance


@dataclass(frozen=True)
class Beginnings:
    """Some cells, and what these begin with.

    Attributes:
        cells: their positions.
        rows: their values, one row of which an initial state has.
    """

    cells: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]


def beginnings(instance: Instance) -> Iterator[Beginnings]:
    """Every cell in one group; an initial state is a row of each group, whichever."""
    declared = cells(instance)
    states = [to_cells(instance, state) for state in Evaluator(instance).initials]
    for names in _groups(instance):
        here = [i for i, cell in enumerate(declared) if cell.variable in names]
        yield from _apart(here, list(dict.fromkeys(tuple(state[i] for i in here) for state in states)))


def _groups(instance: Instance) -> list[frozenset[str]]:
    """The variables that conditions on initial states read together, and each other one by itself."""
    conditions = [one.condition for one in instance.model.beginnings]
    together = {node.data for one in conditions for node in ir.walk(one) if node.op is Op.VARIABLE}
    alone = [variable.name for variable in instance.model.variables if variable.name not in together]
    return [*map(frozenset, [together] if together else []), *(frozenset([name]) for name in alone)]


def _apart(here: Sequence[int], rows: Sequence[tuple[int, ...]]) -> Iterator[Beginnings]:
    """Cell by cell where the rows are all combinations; else without the cells that all rows agree on."""
    columns = [tuple(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    if prod(map(len, columns)) == len(rows):
        kept: list[int] = []
    else:
        kept = [i for i, column in enumerate(columns) if len(column) > 1]
        yield Beginnings(tuple(here[i] for i in kept), tuple(tuple(row[i] for i in kept) for row in rows))
    for i, column in enumerate(columns):
        if i not in kept:
            yield Beginnings((here[i],), tuple((value,) for value in column))
