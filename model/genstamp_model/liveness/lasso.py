"""A lasso: a path and a cycle that is repeated for ever, in which an obligation is never met.

All its states are computed by `evaluate`, and `check` verifies it with `evaluate`. Not here: how it is found
(`judging`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from genstamp_model.evaluate import Evaluator, State, Step
from genstamp_model.explore.canonical import Canonical
from genstamp_model.language import ir
from genstamp_model.language.types import show
from genstamp_model.liveness.emit import Obligation
from genstamp_model.liveness.fairness import FairInstance
from genstamp_model.path import Path, changes, told_beginning


@dataclass(frozen=True)
class Lasso:
    """A fair behaviour that violates a leads-to property.

    Attributes:
        obligation: the property with its members.
        prefix: the path from the initial state to the beginning of the cycle.
        cycle: the cycle; without steps, the behaviour stays in one state for ever.
        owed: after how many steps of the prefix the first condition holds; the second one never holds from then on.
        fair: the instances to which the behaviour is fair.
        renumbered: whether the last state of the cycle equals the first one only after renumbering; then the same steps
            are repeated with higher numbers.
    """

    obligation: Obligation
    prefix: Path
    cycle: Path
    owed: int
    fair: tuple[FairInstance, ...]
    renumbered: bool

    def lines(self) -> Iterator[str]:
        """The lasso in lines of text: numbered steps with their changes, where they repeat, and why it is fair."""
        evaluator = Evaluator(self.prefix.instance)
        name = shown_obligation(evaluator, self.obligation)
        number = 0
        yield from told_beginning(self.prefix.instance, self.prefix.initial)
        for path in (self.prefix, self.cycle):
            if path is self.cycle:
                yield from self._turn(name)
            for step, before in zip(path.steps, path.states, strict=False):
                number += 1
                yield f"{number:>3}. {evaluator.call(step.action, step.arguments)}"
                for change in changes(path.instance, before, step.after):
                    yield f"       {change}"
        if self.cycle.steps:
            again = f"and again from step {len(self.prefix) + 1}"
            yield f"{again}, with higher numbers" if self.renumbered else again
        for one, why in self.why_fair(evaluator):
            yield f"fair to {one.shown(evaluator)}: {why}"
        for condition, after in zip(self.obligation.claim.again, self._again(evaluator), strict=True):
            yield f"{ir.text(condition)} holds again and again: after step {after}"

    def _turn(self, name: str) -> Iterator[str]:
        owed = f"{name} owed since step {self.owed}" if self.owed else f"{name} owed from the start"
        yield f"for ever, with {owed}:" if self.cycle.steps else f"it stays here for ever, with {owed}"

    def why_fair(self, evaluator: Evaluator) -> list[tuple[FairInstance, str]]:
        """Why the cycle is fair to each instance that is possible in it."""
        found = []
        states = self.cycle.states[: max(1, len(self.cycle))]
        enabled = [{one for one in self.fair if any(one.steps(evaluator, state))} for state in states]
        for one in self.fair:
            if not any(one in those for those in enabled):
                continue
            taken = next(
                (i for i, (x, y) in enumerate(pairwise(self.cycle.states), 1) if y in one.steps(evaluator, x)), None
            )
            if taken is not None:
                found.append((one, f"taken in step {len(self.prefix) + taken}"))
                continue
            not_possible = [i for i, those in enumerate(enabled) if one not in those]
            assert not_possible, f"the cycle never takes {one.shown(evaluator)}, which is possible all the time"
            assert not one.strong, f"the cycle never takes {one.shown(evaluator)}, which is strongly fair"
            found.append((one, f"not possible after step {len(self.prefix) + not_possible[0]}"))
        return found

    def _again(self, evaluator: Evaluator) -> list[int]:
        """After which step of the cycle each condition holds that is assumed to hold again and again."""
        found = []
        for condition in self.obligation.claim.again:
            states = enumerate(self.cycle.states[: max(1, len(self.cycle))], len(self.prefix))
            step = next((i for i, s in states if evaluator.value(condition, s, bound=self.obligation.bound)), None)
            assert step is not None, f"{ir.text(condition)} does not hold again and again"
            found.append(step)
        return found

    def check(self) -> None:
        """Assert with `evaluate` that the lasso is a fair behaviour that violates its property."""
        evaluator = Evaluator(self.prefix.instance)
        claim, bound = self.obligation.claim, self.obligation.bound
        states = [*self.prefix.states[self.owed :], *self.cycle.states[1:]]
        assert evaluator.begins_in(self.prefix.initial), "the lasso does not begin in an initial state"
        assert self.prefix.states[-1] == self.cycle.initial, "the cycle does not begin where the prefix ends"
        assert evaluator.value(claim.condition, states[0], bound=bound), "nothing is owed"
        assert claim.target is not None
        assert not any(evaluator.value(claim.target, state, bound=bound) for state in states), "what is owed is done"
        closed = self.cycle.states[-1] == self.cycle.initial
        assert closed != self.renumbered, "the cycle is not closed"
        self.why_fair(evaluator)
        self._again(evaluator)


def shown_obligation(evaluator: Evaluator, obligation: Obligation) -> str:
    """The name of an obligation in reports, as `closes(file file1)`; without members only the property's name."""
    claim = obligation.claim
    if not obligation.members:
        return claim.name
    names = [
        f"{parameter.name} {show(member, parameter.type, evaluator.sizes)}"
        for parameter, member in zip(claim.parameters, obligation.members, strict=True)
    ]
    return f"{claim.name}({', '.join(names)})"


def owed_since(evaluator: Evaluator, obligation: Obligation, prefix: Path) -> int:
    """After how many steps of a path the obligation arises that is open at its end."""
    claim, bound = obligation.claim, obligation.bound
    assert claim.target is not None, "a leads-to has two conditions"
    first = len(prefix)
    for i in range(len(prefix), -1, -1):
        if evaluator.value(claim.target, prefix.states[i], bound=bound):
            break
        if evaluator.value(claim.condition, prefix.states[i], bound=bound):
            first = i
    return first


def replay(
    evaluator: Evaluator,
    canonical: Canonical,
    start: State,
    rows: Sequence[Sequence[int]],
    wanted: Sequence[FairInstance | None],
) -> Path:
    """The path of states from a start through the states that a search has stored as these rows.

    Asserts that there is such a path, because the search found each row from the one before it.

    Args:
        evaluator: computes the steps.
        canonical: how the search stores a state.
        start: the first state.
        rows: the rows of the next states.
        wanted: the fair instance that each step must take; None for any step.
    """
    steps: list[Step] = []
    state = start
    for row, one in zip(rows, wanted, strict=True):
        step = next(
            (
                step
                for step in evaluator.whole_steps(state)
                if step.after != state
                and (one is None or one.is_taken_by(step.action, step.arguments))
                and not canonical.beyond(evaluator, step.after)
                and canonical.row(step.after) == tuple(row)
            ),
            None,
        )
        assert step is not None, f"evaluate has no step from {state} to {row}"
        steps.append(step)
        state = step.after
    return Path(evaluator.instance, start, tuple(steps))
