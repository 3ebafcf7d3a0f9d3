"""Candidates for supporting invariants: clauses of few conditions that hold in every state of a small configuration.

A clause says of all members that one of some literals holds; a literal is a condition or its negation. Only the
shortest are kept: a clause that holds because a shorter one does is none of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from genstamp_model.expand import Expansion, cells
from genstamp_model.explore import INTERRUPTED, Compiled, Search
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr
from genstamp_model.language.model import Instance
from genstamp_model.language.types import IndexSet, RefType
from genstamp_model.prove.algebra import Term
from genstamp_model.prove.atoms import parameters, with_parameters
from genstamp_model.prove.columns import ColumnAlgebra, flags

# A literal: twice the place of its condition, and one more where the condition is negated.
Clause = tuple[int, ...]
Choice = tuple[int, ...]

# Clauses of three literals are many: only so many conditions are tried.
_CONDITIONS_IN_TRIPLES = 30


@dataclass(frozen=True)
class Ground:
    """Conditions for every choice of the members that they mention.

    Attributes:
        conditions: over members named as in `names`.
        names: the members that any of them mentions, with their index sets.
    """

    instance: Instance
    conditions: tuple[Expr, ...]
    names: dict[str, IndexSet]

    @classmethod
    def of(cls, instance: Instance, conditions: Sequence[Expr]) -> Ground:
        """The conditions of an instance."""
        names: dict[str, IndexSet] = {}
        for condition in conditions:
            names.update(parameters(condition))
        return cls(instance, tuple(conditions), names)

    @cached_property
    def choices(self) -> list[Choice]:
        """Every choice of members, as positions in the order of the names."""
        return list(product(*(range(self.instance.sizes.of(index)) for index in self.names.values())))

    def condition(self, number: int, choice: Choice) -> Expr:
        """A condition about chosen members, closed."""
        condition = self.conditions[number]
        chosen = dict(zip(self.names, choice, strict=True))
        constants = {n: ir.const(chosen[n], RefType(index)) for n, index in parameters(condition).items()}
        return with_parameters(condition, constants)

    def literals(self, clause: Clause) -> list[tuple[Expr, bool]]:
        """The literals of a clause: each condition, and whether it is meant to hold."""
        return [(self.conditions[literal // 2], literal % 2 == 0) for literal in clause]


def reached(instance: Instance, most: int) -> NDArray[np.int64]:
    """Cells of states that the instance reaches within its limits, one a row: all, or the initial and some others.

    All initial states are among them: what holds there, and is inductive, holds always.
    """
    compiled = Compiled(instance)
    search = Search(compiled, max_states=100 * most)
    if search.run().undetermined == INTERRUPTED:
        raise KeyboardInterrupt
    words = search.states()
    if len(words) > most:
        rest = words[most // 2 :]
        words = np.concatenate([compiled.first_rows(), words[: most // 2], rest[:: max(1, 2 * len(rest) // most)]])
    fields = compiled.program.layout.fields
    columns = [((words[:, f.word] >> f.shift) & ((1 << f.bits) - 1)) + f.low for f in fields]
    return np.stack(columns, axis=1)


def truth(ground: Ground, states: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where each condition holds: by condition, choice of members, and state."""
    values: list[Term] = [
        states[:, i].astype(bool) if cell.kind == "flag" else states[:, i]
        for i, cell in enumerate(cells(ground.instance))
    ]
    expansion = Expansion(ground.instance, ColumnAlgebra(), values)
    found: dict[Expr, NDArray[np.bool_]] = {}
    table = np.empty((len(ground.conditions), len(ground.choices), len(states)), bool)
    for number in range(len(ground.conditions)):
        for place, choice in enumerate(ground.choices):
            closed = ground.condition(number, choice)
            if closed not in found:
                found[closed] = flags(expansion.condition(closed), len(states))
            table[number, place] = found[closed]
    return table


class Clauses:
    """The shortest clauses that hold in some states, those of relevant conditions first.

    Attributes:
        cut: whether there are more than were asked for.
    """

    def __init__(self, holds: NDArray[np.bool_], distance: Sequence[int]) -> None:
        """Take where each condition holds (see `truth`), and how far it is from what is of interest."""
        rows = holds.reshape(len(holds), -1)
        both = np.stack([~rows, rows], axis=1).reshape(2 * len(rows), -1)
        self._fails = np.packbits(both, axis=1)
        self._distance = distance
        self.cut = False
        self._always = ~self._fails.any(axis=1)
        self._pairs: set[Clause] = set()
        # What always holds, and what never does, has no part in longer clauses.
        constant = self._always | self._always.reshape(-1, 2)[:, ::-1].reshape(-1)
        self._open = [int(literal) for literal in np.flatnonzero(~constant)]

    def of(self, width: int, most: int) -> list[Clause]:
        """Clauses of 1, 2 or 3 literals; ask in this order.

        Args:
            most: how many at most.
        """
        found: list[Clause]
        match width:
            case 1:
                found = [(int(literal),) for literal in np.flatnonzero(self._always)]
            case 2:
                found = self._double()
            case _:
                found = list(self._triples(self._nearest(_CONDITIONS_IN_TRIPLES)))
        self.cut = self.cut or len(found) > most
        return sorted(found, key=lambda clause: (sum(self._distance[x // 2] for x in clause), clause))[:most]

    def _double(self) -> list[Clause]:
        opened = np.array(self._open, int)
        for place, literal in enumerate(self._open):
            others = opened[place + 1 :]
            never_both = ~(self._fails[others] & self._fails[literal]).any(axis=1)
            self._pairs.update((literal, int(other)) for other in others[never_both] if other // 2 != literal // 2)
        return sorted(self._pairs)

    def _nearest(self, most: int) -> list[int]:
        """The open literals of the most relevant conditions."""
        conditions = sorted({literal // 2 for literal in self._open}, key=lambda place: (self._distance[place], place))
        self.cut = self.cut or len(conditions) > most
        chosen = set(conditions[:most])
        return [literal for literal in self._open if literal // 2 in chosen]

    def _triples(self, opened: Sequence[int]) -> Iterator[Clause]:
        """Of three literals, no two of which are a clause of their own."""
        places = np.array(opened, int)
        for i, first in enumerate(opened):
            for j in range(i + 1, len(opened)):
                second = opened[j]
                if first // 2 == second // 2 or (first, second) in self._pairs:
                    continue
                both = self._fails[first] & self._fails[second]
                used = np.flatnonzero(both)
                others = places[j + 1 :]
                for third in others[~(self._fails[np.ix_(others, used)] & both[used]).any(axis=1)]:
                    rest = int(third)
                    shorter = (first, rest) in self._pairs or (second, rest) in self._pairs
                    if not shorter and rest // 2 not in (first // 2, second // 2):
                        yield first, second, rest
