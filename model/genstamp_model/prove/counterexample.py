"""From Z3's model to a step that a reader can follow, computed again by `evaluate` before it is believed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import z3

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.expand import from_cells, initial_cells, plain_arguments, to_cells
from genstamp_model.language.ir import text
from genstamp_model.language.model import Action, Property
from genstamp_model.language.types import IndexSet
from genstamp_model.path import changes
from genstamp_model.prove.algebra import Term, lift, literal, plain
from genstamp_model.prove.encoding import Claim, EncodedStep, Encoding
from genstamp_model.prove.report import Break

# How far from its initial value a number is looked for before any value will do.
_NEAR = 4


class Replay:
    """Turns counterexamples of one encoding into breaks."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._instance = encoding.instance
        self._evaluator = Evaluator(encoding.instance)
        self._initial = initial_cells(encoding.instance)

    def holds_initially(self, declared: Property) -> bool:
        """Whether a property holds in the initial state; a transition property says nothing of it."""
        return declared.kind == "transition" or self._evaluator.holds(declared, self._evaluator.initial())

    def begins_in(self, claim: Claim) -> bool:
        """Whether a claim about cells holds in the initial state."""
        pairs = self._fixed(self._initial)
        return all(z3.is_true(z3.simplify(z3.substitute(lift(c.term), *pairs))) for c in claim.conjuncts)

    def initially(self, declared: Property) -> Break:
        """The break of a property that fails in the initial state."""
        initial = self._evaluator.initial()
        return Break(None, (), initial, None, "", (), (), self._failing(declared, initial, None))

    def step(
        self,
        solver: z3.Solver,
        model: Term,
        step: EncodedStep,
        relied_on: Sequence[Property],
        declared: Property | None,
    ) -> Break:
        """The step of a satisfiable question, as near to the initial state as can be found one cell at a time.

        Args:
            solver: holds the question.
            model: its answer.
            relied_on: what must hold before the step (transition properties: of it).
            declared: the property that must fail after it; None for the ranges.
        """
        values = self._near_initial(solver, model)
        before = from_cells(self._instance, values)
        action = step.action
        arguments = plain_arguments(self._instance, action, step.arguments, before)
        assert arguments is not None, "evaluate has no such message"
        assert self._evaluator.first_failing(action, arguments, before) is None, "evaluate does not enable the step"
        after, fault = self._apply(action, arguments, before)
        if declared is None:
            assert fault, "evaluate finds every number in its range"
            return self._break(action, arguments, before, None, fault)
        assert after is not None, f"evaluate cannot take the step: {fault}"
        assert to_cells(self._instance, after) == self._computed(step, values), "evaluate comes to another state"
        for claim in relied_on:
            holds = self._evaluator.holds(claim, before, after)
            assert holds, f"evaluate finds that '{claim.name}', which is relied on, does not hold"
        assert not self._evaluator.holds(declared, *((before, after) if declared.kind == "transition" else (after,)))
        return self._break(action, arguments, before, after, self._failing(declared, before, after))

    def _near_initial(self, solver: z3.Solver, model: Term) -> list[int]:
        """Values of all cells before the step, as initially or nearly so wherever that still breaks the claim.

        Cells are fixed one by one; what the last model already shows costs no question.
        """
        cells = self._encoding.before
        far: list[int] = []
        for i, (cell, initial) in enumerate(zip(cells, self._initial, strict=True)):
            wish = cell == literal(cell, initial)
            if not z3.is_true(model.eval(wish, model_completion=True)):
                better = _model_with(solver, wish)
                if better is None:
                    far.append(i)
                    continue
                model = better
            solver.add(wish)
        for i in far:
            model = self._nearer(solver, model, i)
        return [plain(model.eval(cell, model_completion=True)) for cell in cells]

    def _nearer(self, solver: z3.Solver, model: Term, position: int) -> Term:
        """A model in which a number is near its initial value, if there is one; the number is fixed in it."""
        cell, initial = self._encoding.before[position], self._initial[position]
        if not z3.is_bool(cell):
            for distance in range(1, _NEAR + 1):
                better = _model_with(solver, cell == initial + distance)
                if better is not None:
                    model = better
                    break
        solver.add(cell == model.eval(cell, model_completion=True))
        return model

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

    def _break(self, action: Action, arguments: Arguments, before: State, after: State | None, fails: str) -> Break:
        initial = self._evaluator.initial()
        return Break(
            action=action,
            arguments=arguments,
            before=before,
            after=after,
            call=self._evaluator.call(action, arguments),
            state=tuple(f"{one.name} is {one.after}" for one in changes(self._instance, initial, before)),
            changes=tuple(map(str, changes(self._instance, before, after or before))),
            fails=fails,
        )

    def _failing(self, declared: Property, before: State, after: State | None) -> str:
        """The property's name, with the first choice of its parameters for which it fails."""
        sizes = self._instance.sizes
        one, other = (before, after) if declared.kind == "transition" else (after or before, None)
        domains = [p.domain for p in declared.parameters if isinstance(p.domain, IndexSet)]
        for choice in product(*(range(sizes.of(domain)) for domain in domains)):
            bound = {p.name: position for p, position in zip(declared.parameters, choice, strict=True)}
            if not self._evaluator.value(declared.condition, one, other, bound):
                shown = [
                    f"{p.name} {sizes.member_name(d, i)}"
                    for p, d, i in zip(declared.parameters, domains, choice, strict=True)
                ]
                where = f"({', '.join(shown)})" if shown else ""
                return f"{declared.name}{where}: {text(declared.condition)}"
        raise AssertionError(f"{declared.name} fails for no choice of its parameters")


def _model_with(solver: z3.Solver, wish: Term) -> Term | None:
    """A model of what the solver holds and one wish; None where there is none, or none in time."""
    solver.push()
    solver.add(wish)
    model = solver.model() if solver.check() == z3.sat else None
    solver.pop()
    return model
