"""States in a row, numbers unbounded: what lies before a step for k-induction, and what follows the initial states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import z3

from genstamp_model.expand import Beginnings, beginnings
from genstamp_model.prove.algebra import Term, lift, literal
from genstamp_model.prove.encoding import Claim, Encoding


class Links:
    """One step of an encoding as a relation between two rows of cells, under any names."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self._chosen = [z3.Bool(f"step {i}") for i in range(len(encoding.steps))]
        self._relation = z3.And(list(self._conjuncts()))

    def _conjuncts(self) -> Iterator[Term]:
        """The condition that one step is chosen, is enabled, and gives each cell its value; rooms are part of being
        enabled.
        """
        steps = self.encoding.steps
        yield z3.Or(self._chosen)
        yield z3.AtMost(*self._chosen, 1)
        for here, step in zip(self._chosen, steps, strict=True):
            yield z3.Implies(here, lift(step.enabled))
        for i, (before, after) in enumerate(zip(self.encoding.before, self.encoding.after, strict=True)):
            value = before
            for here, step in zip(self._chosen, steps, strict=True):
                if i in step.changed:
                    value = z3.If(here, lift(step.changed[i]), value)
            yield after == value

    def row(self, name: str) -> list[Term]:
        """The cells once more, under other names."""
        return [z3.Const(f"{cell} {name}", cell.sort()) for cell in self.encoding.before]

    def step(self, before: Sequence[Term], after: Sequence[Term], name: str) -> Term:
        """Some step leads from one row to the other; the name tells its choice from others."""
        chosen = [z3.Bool(f"{here} {name}") for here in self._chosen]
        pairs = zip(
            [*self.encoding.before, *self.encoding.after, *self._chosen], [*before, *after, *chosen], strict=True
        )
        return z3.substitute(self._relation, *pairs)

    def of_state(self, claim: Claim, row: Sequence[Term]) -> Term:
        """A claim about a state, of a row."""
        term = z3.And([conjunct.term for conjunct in claim.conjuncts])
        return z3.substitute(term, *zip(self.encoding.before, row, strict=True))

    def of_step(self, claim: Claim, before: Sequence[Term], after: Sequence[Term]) -> Term:
        """A claim about a step, of two rows."""
        term = z3.And([conjunct.term for conjunct in claim.conjuncts])
        pairs = zip([*self.encoding.before, *self.encoding.after], [*before, *after], strict=True)
        return z3.substitute(term, *pairs)


def different(left: Sequence[Term], right: Sequence[Term]) -> Term:
    """Two rows are not the same state."""
    return z3.Or([x != y for x, y in zip(left, right, strict=True)])


def _begins(row: Sequence[Term], group: Beginnings) -> Term:
    """Some cells of a row begin as they may."""
    here = [row[i] for i in group.cells]
    return z3.Or(
        [
            z3.And([cell == literal(cell, value) for cell, value in zip(here, values, strict=True)])
            for values in group.rows
        ]
    )


class Earlier:
    """Some steps in a row that end in the cells before a step.

    Attributes:
        rows: the cells of each state, the earliest first; the last row is that of the cells before the step.
        steps: that each row leads to the next and, where asked for, that no two rows are the same state. A shortest
            path to a violation visits no state twice, so nothing is lost by that.
    """

    def __init__(self, links: Links, count: int, *, distinct: bool) -> None:
        self._links = links
        self.rows = [*(links.row(f"{number} before") for number in range(count, 0, -1)), links.encoding.before]
        self.steps = [links.step(x, y, f"{i} of the earlier") for i, (x, y) in enumerate(pairwise(self.rows))]
        if distinct:
            self.steps += [different(x, y) for x, y in combinations(self.rows, 2)]

    def hold(self, claim: Claim) -> Term:
        """A claim holds in the earlier states, or of the earlier steps."""
        if claim.two_states:
            return z3.And([self._links.of_step(claim, x, y) for x, y in pairwise(self.rows)])
        return z3.And([self._links.of_state(claim, row) for row in self.rows[:-1]])


class FirstSteps:
    """The paths from the initial states, for what must hold within this many steps; numbers without bounds."""

    def __init__(self, links: Links, timeout_ms: int) -> None:
        self._links = links
        self._solver = z3.Solver()
        self._solver.set("timeout", timeout_ms)
        self._rows = [links.row("0")]
        self._so_long: list[Term] = []
        self._solver.add([_begins(self._rows[0], group) for group in beginnings(links.encoding.instance)])

    def fail(self, claim: Claim, steps: int) -> tuple[Term, list[list[Term]]]:
        """Whether a claim can fail after exactly this many steps: Z3's answer, and the values of each state if so."""
        while len(self._rows) <= steps:
            # Behind a literal: a state from which no step leads is a state all the same.
            number = len(self._rows)
            self._rows.append(self._links.row(str(number)))
            self._so_long.append(z3.Bool(f"at least {number} steps"))
            self._solver.add(
                z3.Implies(self._so_long[-1], self._links.step(self._rows[-2], self._rows[-1], str(number)))
            )
        if not claim.two_states:
            held = self._links.of_state(claim, self._rows[steps])
        elif steps:
            held = self._links.of_step(claim, self._rows[steps - 1], self._rows[steps])
        else:
            return z3.unsat, []
        failing = z3.FreshBool("fails")
        self._solver.add(z3.Implies(failing, z3.Not(held)))
        answer = self._solver.check(failing, *self._so_long[:steps])
        if answer != z3.sat:
            return answer, []
        model = self._solver.model()
        rows = self._rows[: steps + 1]
        return answer, [[model.eval(cell, model_completion=True) for cell in row] for row in rows]
