"""Examines a refinement with `evaluate`: the mapped state of a state, and the reason why a step is not a step of the
upper system.

The claim itself is a transition property of the lower model, which every judge judges as it is
(`genstamp_model.language.refinement`). Here are what it needs besides, the initial state, and the story of an edge that
breaks it. The upper steps are taken by `evaluate` from the upper model itself, so that the story does not come from
the expressions that it explains. Of a projection there are no such steps to take: its story tells what changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from genstamp_model.errors import EvaluationError, SpecError
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.language.model import Action, Configuration, Instance, Model, Refinement
from genstamp_model.language.types import IndexSet, show
from genstamp_model.path import Path, changes

_ANY_NUMBER = 2**31 - 1


class OtherBeginningError(SpecError):
    """An initial state is mapped elsewhere than where the upper system begins."""


class Mapped:
    """One refinement of one instance, for one member where it is for each of an index set.

    Attributes:
        refinement, upper: the refinement, and what evaluates its upper system.
        images: the upper system with the variables that are mapped: an image is a state of it.
        beginnings: where the upper system begins, as images.
    """

    def __init__(self, evaluator: Evaluator, refinement: Refinement, members: Sequence[int] = ()) -> None:
        self.refinement = refinement
        self.upper = Evaluator(_unlimited(refinement.upper, evaluator.instance))
        images = tuple(variable for variable in refinement.upper.variables if variable.name in refinement.mapping)
        self.images = _unlimited(
            replace(refinement.upper, variables=images, limits=(), beginnings=()), evaluator.instance
        )
        kept = [i for i, variable in enumerate(refinement.upper.variables) if variable.name in refinement.mapping]
        self.beginnings = tuple(dict.fromkeys(tuple(start[i] for i in kept) for start in self.upper.initials))
        self._lower = evaluator
        self._bound = {parameter.name: member for parameter, member in zip(refinement.parameters, members, strict=True)}

    def image(self, state: State) -> State:
        """Where the mapping takes a state."""
        return tuple(self._lower.value(value, state, bound=self._bound) for value in self.refinement.mapping.values())

    def steps(self, before: State, after: State) -> Iterator[tuple[Action, Arguments]]:
        """The upper steps that a lower step is, those declared unreachable included; a stutter is none.

        Not of a projection, where the upper state is not known.
        """
        assert not self.refinement.hidden
        here, there = self.image(before), self.image(after)
        if here == there:
            return
        for action in self.refinement.upper.actions:
            for arguments in self.upper.choices(action, here):
                if self._why_not(action, arguments, here, there) is None:
                    yield action, arguments

    def is_step(self, before: State, after: State) -> bool:
        """Whether a lower step is an upper one, or none there."""
        if self.refinement.hidden:
            return bool(self._lower.value(self.refinement.claim.condition, before, after, self._bound))
        reachable = (a for a, _ in self.steps(before, after) if a.name not in self.refinement.unreachable)
        return self.image(before) == self.image(after) or next(reachable, None) is not None

    def lines(self, before: State, after: State) -> Iterator[str]:
        """Why a step is none of the upper system, in lines."""
        here, there = self.image(before), self.image(after)
        system, instance = self.refinement.upper.system, self.images
        whose = "".join(
            f" of {show(self._bound[one.name], one.type, self._lower.sizes)}" for one in self.refinement.parameters
        )
        yield f"that step{whose} is none of {system}, where it"
        for change in changes(instance, here, there):
            yield f"     {change}"
        changed = {re.split(r"[.\[]", change.name)[0] for change in changes(instance, here, there)}
        pairs = zip(instance.model.variables, here, strict=True)
        same = [f"{v.name} {show(value, v.type, instance.sizes)}" for v, value in pairs if v.name not in changed]
        if same:
            yield f"     and leaves {', '.join(same)}"
        if self.refinement.hidden:
            yield f"  whatever {', '.join(self.refinement.hidden)} may be"
            return
        for action in self.refinement.upper.actions:
            yield f"  not {self._closest(action, here, there)}"

    def _closest(self, action: Action, here: State, there: State) -> str:
        """The arguments with which an upper action comes closest to a step, and what is wrong with it even so."""
        best: tuple[_WhyNot, Arguments] | None = None
        for arguments in self.upper.choices(action, here):
            found = self._why_not(action, arguments, here, there)
            if found is None:
                return f"{action.name}: {self.refinement.unreachable[action.name]}"
            if best is None or found.passed > best[0].passed:
                best = found, arguments
        if best is None:
            return f"{action.name}: there is nothing to receive"
        why, chosen = best
        return f"{self.upper.call(action, chosen)}: {why.text}"

    def _why_not(self, action: Action, arguments: Arguments, here: State, there: State) -> _WhyNot | None:
        """The reason why an upper step does not match; None if it matches."""
        failing = self.upper.first_failing(action, arguments, here)
        if failing is not None:
            return _WhyNot(action.checks.index(failing), f'"{failing.label}" does not hold')
        passed = len(action.checks)
        try:
            after = self.upper.apply(action, arguments, here)
        except EvaluationError as error:
            return _WhyNot(passed, str(error))
        differing = changes(self.upper.instance, after, there)
        if not differing:
            return None
        first = differing[0]
        text = f"{first.name} would be {first.before}, not {first.after}"
        return _WhyNot(passed + 1 + len(here) - len({one.name.split("[")[0] for one in differing}), text)


def _unlimited(model: Model, lower: Instance) -> Instance:
    """A model in the sizes of a lower instance, with limits that are never met."""
    sizes = {base: lower.configuration.sizes[base] for base in model.sized}
    return Instance(model, Configuration("upper", sizes, dict.fromkeys(model.limit_names, _ANY_NUMBER)))


@dataclass(frozen=True)
class _WhyNot:
    """The reason why an upper step does not match.

    Attributes:
        passed: how much of it is right.
        text: what is wrong first.
    """

    passed: int
    text: str


def mapped(evaluator: Evaluator, refinement: Refinement) -> Iterator[Mapped]:
    """A refinement for each member that it is for."""
    domains = (parameter.domain for parameter in refinement.parameters)
    ranges = [range(evaluator.sizes.of(index)) for index in domains if isinstance(index, IndexSet)]
    for members in product(*ranges):
        yield Mapped(evaluator, refinement, members)


def refuse_other_beginnings(instance: Instance) -> None:
    """Refuse a mapping that takes an initial state elsewhere than where the upper system begins.

    Raises:
        OtherBeginningError: one does; names the variables.
    """
    evaluator = Evaluator(instance)
    for refinement in instance.model.refinements:
        for one in mapped(evaluator, refinement):
            upper = frozenset(one.beginnings)
            other = next((image for image in map(one.image, evaluator.initials) if image not in upper), None)
            if other is not None:
                nearest = min((changes(one.images, start, other) for start in one.beginnings), key=len)
                told = ", ".join(f"{change.name} is {change.after}, not {change.before}" for change in nearest)
                which, whose = ("an", "one") if instance.model.chooses else ("the", "that")
                raise OtherBeginningError(
                    f"{which} initial state of {instance.model.system} is not mapped to {whose} of "
                    f"{refinement.upper.system}: {told}",
                    refinement.source,
                )


def refuse_other_beginnings_of_any_size(model: Model) -> None:
    """The same for a proof for any size, in two instances: of one member each, and of two."""
    if model.refinements:
        for size in (1, 2):
            sizes = dict.fromkeys(model.sized, size)
            limits = dict.fromkeys(model.limit_names, _ANY_NUMBER)
            refuse_other_beginnings(Instance(model, Configuration("any size", sizes, limits)))


def story(path: Path, name: str) -> tuple[str, ...]:
    """Why the last step of a path breaks a property, where that is a refinement; else nothing."""
    evaluator = Evaluator(path.instance)
    for refinement in path.instance.model.refinements:
        if refinement.claim.name == name:
            for one in mapped(evaluator, refinement):
                if not one.is_step(*path.states[-2:]):
                    return tuple(one.lines(*path.states[-2:]))
    return ()
