"""Ordered numbers by rank: a state's stamps replaced by 0, 1, 2, ... in order, so that endless retries become cycles.

Only the order of ordered numbers matters, so two states that differ in nothing else behave alike. In each class of
numbers that are compared with one another (`renumber_classes`), those above the largest constant that the class meets
are renumbered from there on; what is not above it stays: 0 keeps meaning "none yet". That is a bisimulation as long as
only the largest number of a class is raised (or the result is not above the constant), which the search checks at every
step. A limit then bounds how many distinct numbers are alive at once, not how often a number is raised.

Here in plain Python, for single states; `renumber_emit` writes the same for the compiled search.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.expand.cells import places
from genstamp_model.explore.renumber_classes import Classes, Many, Raise, Shape, classes
from genstamp_model.language.model import Action, Instance
from genstamp_model.language.types import ArrayType, BagType, IndexSet, RecordType, SequenceType, SetType, Type


@dataclass(frozen=True)
class Renumbering:
    """The ordered numbers of one instance.

    Attributes:
        classes: which numbers are compared with one another, and what raises them.

    Raises:
        ConfigurationError: the model does more with an ordered number than to compare and to raise it.
    """

    instance: Instance

    @cached_property
    def classes(self) -> Classes:
        """The classes, found on first use."""
        return classes(self.instance)

    @cached_property
    def cells(self) -> tuple[int | None, ...]:
        """For each cell the class of the ordered number that it holds."""
        variables = self.instance.model.variables
        return tuple(found for v in variables for found in self._of_cells(v.type, self.classes.shapes[v.name]))

    def _of_cells(self, type_: Type, shape: Shape) -> Iterator[int | None]:
        match type_:
            case ArrayType(index=index, element=element):
                for _ in range(self.instance.sizes.of(index)):
                    yield from self._of_cells(element, shape.element)
            case SequenceType(element=element) | BagType(message=element):
                if isinstance(type_, SequenceType):
                    yield None
                for _ in range(places(self.instance, type_)):
                    if isinstance(type_, BagType):
                        yield None
                    yield from self._of_cells(element, shape.element)
            case RecordType(fields=fields):
                for (_, kind), part in zip(fields, shape, strict=True):
                    yield from self._of_cells(kind, part)
            case SetType(index=index):
                yield from [None] * self.instance.sizes.of(index)
            case _:
                yield shape

    def renumbered(self, state: State) -> State:
        """The state with its ordered numbers replaced by their ranks."""
        present: dict[int, set[int]] = {class_: set() for class_ in range(len(self.classes.fixed))}
        shapes = [self.classes.shapes[variable.name] for variable in self.instance.model.variables]
        for shape, value in zip(shapes, state, strict=True):
            for class_, number in _numbers(shape, value):
                present[class_].add(number)
        ranks = {class_: _ranks(numbers, self.classes.fixed[class_]) for class_, numbers in present.items()}
        return tuple(_replaced(shape, value, ranks) for shape, value in zip(shapes, state, strict=True))

    def fault(self, evaluator: Evaluator, action: Action, arguments: Arguments, state: State) -> str | None:
        """Why a step cannot be taken under renumbering: what it raises is not the largest of its class."""
        bound = {p.name: value for p, value in zip(action.parameters, arguments, strict=True)}
        largest = dict.fromkeys(range(len(self.classes.fixed)), 0)
        for variable, value in zip(self.instance.model.variables, state, strict=True):
            for class_, number in _numbers(self.classes.shapes[variable.name], value):
                largest[class_] = max(largest[class_], number)
        for one in self.classes.raises[action.name]:
            for members in self.choices(one):
                here = {**bound, **members}
                operand = evaluator.value(one.operand, state, None, here)
                assert isinstance(operand, int)
                sound = operand >= largest[one.class_] or operand + one.amount <= self.classes.fixed[one.class_]
                if not sound and evaluator.value(one.premise, state, None, here):
                    return (
                        f"{one.effect.source}: {evaluator.call(action, arguments)} raises {operand} although its class "
                        f"of ordered numbers holds {largest[one.class_]}; only the largest one can be raised where "
                        "numbers are renumbered, so search without renumbering, or bound the number in the protocol: "
                        "number(0, N) and a check"
                    )
        return None

    def refuse(self, evaluator: Evaluator, state: State) -> None:
        """Refuse to renumber if a step from this state raises a number that is not the largest of its class.

        Raises:
            ConfigurationError: there is such a step.
        """
        for action in self.instance.model.actions:
            for arguments in evaluator.choices(action, state):
                if evaluator.first_failing(action, arguments, state) is None:
                    fault = self.fault(evaluator, action, arguments, state)
                    if fault is not None:
                        raise ConfigurationError(fault)

    def choices(self, one: Raise) -> Iterator[Mapping[str, int]]:
        """Every choice of members for the binders around a raise."""
        ranges = []
        for binder in one.binders:
            assert isinstance(binder.over, IndexSet)
            ranges.append(range(self.instance.sizes.of(binder.over)))
        for members in product(*ranges):
            yield {binder.name: i for binder, i in zip(one.binders, members, strict=True)}


def _ranks(numbers: set[int], fixed: int) -> dict[int, int]:
    above = sorted(number for number in numbers if number > fixed)
    return {number: number for number in numbers} | {number: fixed + 1 + i for i, number in enumerate(above)}


def _numbers(shape: Shape, value: Any) -> Iterator[tuple[int, int]]:
    """Each ordered number in a value, with its class."""
    match shape:
        case int():
            yield shape, value
        case Many(element=element):
            if element is not None:
                for part in value:
                    yield from _numbers(element, part)
        case tuple():
            for kind, part in zip(shape, value, strict=True):
                yield from _numbers(kind, part)


def _replaced(shape: Shape, value: Any, ranks: Mapping[int, Mapping[int, int]]) -> Any:
    match shape:
        case int():
            return ranks[shape][value]
        case Many(element=element) if element is not None:
            return tuple(_replaced(element, part, ranks) for part in value)
        case tuple():
            return tuple(_replaced(kind, part, ranks) for kind, part in zip(shape, value, strict=True))
        case _:
            return value
