"""From Z3's answer to a step of an instance, computed again by `evaluate` before it is believed."""

from __future__ import annotations

from collections.abc import Sequence

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.false_part import failing
from genstamp_model.language.model import Action, Model, Property
from genstamp_model.parametric.answer import Answer
from genstamp_model.parametric.finite import smallest
from genstamp_model.parametric.questions import Claim, Question
from genstamp_model.parametric.report import Break
from genstamp_model.path import changes


class Replay:
    """Makes a break of a question that has an answer.

    Attributes:
        reason: why `find` has found none.
    """

    def __init__(self, model: Model, claim: Claim, action: Action | None, given: Sequence[Property]) -> None:
        self.reason = ""
        self._model = model
        self._claim = claim
        self._action = action
        self._given = given

    def find(self, question: Question, timeout_ms: int, most: int) -> Break | None:
        """The break at the smallest sizes, from a state near the initial one; None with a reason where there is none.

        Args:
            timeout_ms: time for each question at some sizes, in milliseconds.
            most: as many members of one sort are tried.
        """
        finite = smallest([*question.assertions, *question.further], question.values.sorts, timeout_ms, most)
        if finite is None:
            self.reason = "there is a counterexample, but none is found that is small"
            return None
        answer = Answer(self._model, question, finite)
        instance = answer.instance()
        evaluator = Evaluator(instance)
        if self._action is None:
            found = self._initial(evaluator)
        else:
            found = self._replayed(evaluator, self._action, answer.state(), answer.arguments(self._action))
        if isinstance(found, Break):
            return found
        # Copies of messages, and effects that do not matter, may be known less exactly than `evaluate` knows them.
        assert not question.exact, found
        self.reason = f"the solver has a counterexample, but no such step: {found}"
        return None

    def _initial(self, evaluator: Evaluator) -> Break | str:
        declared, initial = self._claim.declared, evaluator.initial()
        assert declared is not None, "declarations refuse initial values outside of their range"
        if evaluator.holds(declared, initial):
            return f"'{declared.name}' holds initially"
        fails = failing(evaluator, declared, initial, None)
        return Break(evaluator.instance, None, (), initial, None, ("initially", *_sizes(evaluator), f"fails: {fails}"))

    def _replayed(self, evaluator: Evaluator, action: Action, before: State, arguments: Arguments) -> Break | str:
        """The violation as `evaluate` computes it, or a differing result of `evaluate`."""
        declared = self._claim.declared
        check = evaluator.first_failing(action, arguments, before)
        if check is not None:
            return f"{action.name} cannot happen unless {check.label}"
        try:
            after = evaluator.apply(action, arguments, before)
        except EvaluationError as error:
            return _break(evaluator, action, arguments, before, None, str(error)) if declared is None else str(error)
        if declared is None:
            return "every number stays in its range"
        for claim in [*self._given, *([] if self._claim.two_states else [declared])]:
            if not evaluator.holds(claim, before, after):
                return f"'{claim.name}', which is relied on, does not hold"
        if evaluator.holds(declared, *((before, after) if self._claim.two_states else (after,))):
            return f"'{declared.name}' holds after the step"
        fails = failing(evaluator, declared, before, after)
        return _break(evaluator, action, arguments, before, after, fails)


def _break(
    evaluator: Evaluator, action: Action, arguments: Arguments, before: State, after: State | None, fails: str
) -> Break:
    instance = evaluator.instance
    near = [f"{one.name} is {one.after}" for one in changes(instance, evaluator.initial(), before)]
    lines = (
        *_sizes(evaluator),
        *(f"before: {line}" for line in near or ["everything as in the initial state"]),
        f"step: {evaluator.call(action, arguments)}",
        *map(str, changes(instance, before, after or before)),
        f"fails: {fails}",
    )
    return Break(instance, action, arguments, before, after, lines)


def _sizes(evaluator: Evaluator) -> list[str]:
    """The sizes as a line; none where there is no index set."""
    sizes = evaluator.instance.configuration.sizes
    return [f"with {', '.join(f'{size} {name}' for name, size in sorted(sizes.items()))}"] if sizes else []
