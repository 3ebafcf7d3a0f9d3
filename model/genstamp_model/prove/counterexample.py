"""From Z3's model to a step that a reader can follow, computed again by `evaluate` before it is believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import z3

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Arguments, Evaluator, State, Step
from genstamp_model.expand import from_cells, initial_cells, plain_arguments, to_cells
from genstamp_model.false_part import failing
from genstamp_model.language.model import Action, Property
from genstamp_model.path import beginning, changes
from genstamp_model.prove.algebra import Term, lift, literal, plain
from genstamp_model.prove.encoding import Claim, EncodedStep, Encoding
from genstamp_model.prove.near import nearest
from genstamp_model.prove.relevance import relevant, shown
from genstamp_model.prove.report import Break


class Replay:
    """Turns counterexamples of one encoding into breaks."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._instance = encoding.instance
        self._evaluator = Evaluator(encoding.instance)
        self._initial = initial_cells(encoding.instance)

    def holds_initially(self, declared: Property) -> bool:
        """Whether a property holds in the initial states; a transition property says nothing of them."""
        return declared.kind == "transition" or self._failing(declared) is None

    def _failing(self, declared: Property) -> State | None:
        """The first initial state in which a property fails."""
        return next((state for state in self._evaluator.initials if not self._evaluator.holds(declared, state)), None)

    def begins_in(self, claim: Claim) -> bool:
        """Whether a claim about cells holds in the first initial state."""
        pairs = self._fixed(self._initial)
        return all(z3.is_true(z3.simplify(z3.substitute(lift(c.term), *pairs))) for c in claim.conjuncts)

    def initially(self, declared: Property) -> Break:
        """The break of a property that fails in an initial state."""
        initial = self._failing(declared)
        assert initial is not None, f"'{declared.name}' holds initially"
        fails = failing(self._evaluator, declared, initial, None)
        return Break(None, (), initial, None, "", tuple(beginning(self._instance, initial)), (), fails)

    def step(
        self,
        solver: z3.Solver,
        model: Term,
        step: EncodedStep,
        relied_on: Sequence[Property],
        declared: Property | None,
        earlier: Sequence[Sequence[Term]] = (),
    ) -> Break:
        """The step of a satisfiable question, from a state that differs in as little as possible from the initial one.

        Args:
            solver: holds the question.
            model: its answer.
            relied_on: what must hold before the step (transition properties: of it).
            declared: the property that must fail after it; None for the ranges.
            earlier: the cells of the states before it in k-induction; then the first of these is near.
        """
        rows = [*earlier, self._encoding.before]
        model = nearest(solver, model, rows[0], self._initial)
        *_, values = valued = [[plain(model.eval(cell, model_completion=True)) for cell in row] for row in rows]
        *leading, before = (from_cells(self._instance, row) for row in valued)
        action = step.action
        arguments = plain_arguments(self._instance, action, step.arguments, before)
        assert arguments is not None, "evaluate has no such message"
        assert self._evaluator.first_failing(action, arguments, before) is None, "evaluate does not enable the step"
        after, fault = self._apply(action, arguments, before)
        if declared is None:
            assert fault, "evaluate finds every number in its range"
            found = self._break(action, arguments, [*leading, before], None, fault)
            return replace(found, relevant=self._relevant(step, values, self._encoding.well_formed("in range")))
        assert after is not None, f"evaluate cannot take the step: {fault}"
        assert to_cells(self._instance, after) == self._computed(step, values), "evaluate gives another state"
        for claim in relied_on:
            for one, next_one in pairwise([*leading, before, after]):
                holds = self._evaluator.holds(claim, one, next_one)
                assert holds, f"evaluate finds that '{claim.name}', which is relied on, does not hold"
        assert not self._evaluator.holds(declared, *((before, after) if declared.kind == "transition" else (after,)))
        fails = failing(self._evaluator, declared, before, after)
        found = self._break(action, arguments, [*leading, before], after, fails)
        if leading:
            return found
        return replace(found, relevant=self._relevant(step, values, self._encoding.claim(declared)))

    def _relevant(self, step: EncodedStep, values: Sequence[int], claim: Claim) -> tuple[str, ...]:
        """The relevant part of the state before a step, as text."""
        return tuple(shown(self._instance, i, values[i]) for i in relevant(self._encoding, step, values, claim))

    def first_steps(self, rows: Sequence[Sequence[Term]], declared: Property) -> Break:
        """The path from the initial state to where a property fails, at least a step away.

        Args:
            rows: the values of the cells in each state.
        """
        states = [from_cells(self._instance, [plain(value) for value in row]) for row in rows]
        assert self._evaluator.begins_in(states[0]), "the path does not begin in an initial state"
        *_, before, after = states
        assert not self._evaluator.holds(declared, *((before, after) if declared.kind == "transition" else (after,)))
        step = self._leading_to(before, after)
        return self._break(
            step.action, step.arguments, states[:-1], after, failing(self._evaluator, declared, before, after)
        )

    def _computed(self, step: EncodedStep, values: Sequence[int]) -> list[int]:
        """The cells after the step, as the encoding computes them."""
        pairs = self._fixed(values)
        after = list(values)
        for i, term in step.changed.items():
            after[i] = plain(z3.simplify(z3.substitute(lift(term), *pairs)))
        return after

    def _fixed(self, values: Sequence[int]) -> list[tuple[Term, Term]]:
        """Each cell before the step with its value."""
        return [(cell, literal(cell, value)) for cell, value in zip(self._encoding.before, values, strict=True)]

    def _apply(self, action: Action, arguments: Arguments, before: State) -> tuple[State | None, str]:
        try:
            return self._evaluator.apply(action, arguments, before), ""
        except EvaluationError as error:
            return None, str(error)

    def _break(
        self, action: Action, arguments: Arguments, states: Sequence[State], after: State | None, fails: str
    ) -> Break:
        """The break of a step, after some states in a row."""
        initial, before = self._evaluator.initial(), states[-1]
        steps = [(self._leading_to(one, other), one) for one, other in pairwise(states)]
        return Break(
            action=action,
            arguments=arguments,
            before=before,
            after=after,
            call=self._evaluator.call(action, arguments),
            state=tuple(self._unlike(initial, states[0])),
            changes=self._changes(before, after or before),
            fails=fails,
            earlier=tuple(
                (self._evaluator.call(step.action, step.arguments), self._changes(one, step.after))
                for step, one in steps
            ),
        )

    def _unlike(self, initial: State, state: State) -> Iterator[str]:
        """What is not as in the initial state; where there are several, all that these choose."""
        instance = self._instance
        yield from (line.replace(": ", " is ", 1) for line in beginning(instance, state))
        chosen = [variable.choice is not None for variable in instance.model.variables]
        alike = tuple(there if one else here for one, here, there in zip(chosen, initial, state, strict=True))
        yield from (f"{one.name} is {one.after}" for one in changes(instance, alike, state))

    def _changes(self, before: State, after: State) -> tuple[str, ...]:
        return tuple(map(str, changes(self._instance, before, after)))

    def _leading_to(self, before: State, after: State) -> Step:
        """The first step of evaluate from one state to another."""
        for action in self._instance.model.actions:
            for arguments in self._evaluator.choices(action, before):
                enabled = self._evaluator.first_failing(action, arguments, before) is None
                if enabled and self._apply(action, arguments, before)[0] == after:
                    return Step(action, arguments, after)
        raise AssertionError(f"evaluate has no step from {before} to {after}")
