"""Abstract transitions: what a model's steps are when names, numbers and all that they do not concern is taken away.

An abstract transition is an action, or a check that refuses one; the lifecycle states, before and after, of the
entities that its arguments name; and how their stamps, and their lengths, compare before it.

Leaves out hidden actions, variables of no entity, and those that the arguments name in part only.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from genstamp.transitions.cells import Cells
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.language.model import Action
from genstamp_model.language.trace import Check
from genstamp_model.language.types import (
    ArrayType,
    EnumType,
    IndexSet,
    NumberType,
    RecordType,
    Sizes,
    Type,
    Value,
)

LENGTHS: Final = "bytes"
"""The limit by which a number is known for a length."""


@dataclass(frozen=True, order=True)
class Transition:
    """An abstract transition.

    Attributes:
        action: name of the action.
        refusal: label of the check that refuses it; empty where it is taken.
        before, after: lifecycle states of the entities that it names, as "variable state".
        stamps, lengths: how they compare before it, as "first < second = third".
    """

    action: str
    refusal: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    stamps: str
    lengths: str

    def __str__(self) -> str:
        head = f"{self.action} refused, '{self.refusal}'" if self.refusal else self.action
        changed = self.after if self.after != self.before else ()
        told = f"{head}: {', '.join(self.before)}"
        if changed:
            told += f" -> {', '.join(changed)}"
        orders = "; ".join(order for order in (self.stamps, self.lengths) if order)
        return f"{told} [{orders}]" if orders else told


@dataclass(frozen=True)
class _Reader:
    """Reads a part of a state."""

    position: int
    path: tuple[int, ...] = ()

    def __call__(self, state: State) -> Value:
        value: Any = state[self.position]
        for step in self.path:
            value = value[step]
        return value  # type: ignore[no-any-return]

    def into(self, step: int) -> "_Reader":
        """The part of a part."""
        return _Reader(self.position, (*self.path, step))


@dataclass(frozen=True)
class _Place:
    """A value in a state that some arguments lead to: a variable, and a way into it."""

    name: str
    read: _Reader
    type: Type


class Abstraction:
    """Takes away from the steps of one instance what does not count.

    Args:
        evaluator: of the instance.
        forgotten: variables that do not count.
    """

    def __init__(self, evaluator: Evaluator, forgotten: Iterable[str]) -> None:
        left_out = set(forgotten)
        self._sizes = evaluator.sizes
        self._names = [variable.name for variable in evaluator.model.variables]
        self._variables = [
            (position, variable)
            for position, variable in enumerate(evaluator.model.variables)
            if isinstance(variable.type, ArrayType) and variable.name not in left_out
        ]
        self._places: dict[tuple[str, Arguments], list[_Place]] = {}

    def of(
        self, action: Action, arguments: Arguments, refused: Check | None, before: State, after: State
    ) -> Transition:
        """The abstract transition of a step."""
        places = self._named(action, arguments)
        return Transition(
            action.name,
            "" if refused is None else refused.label,
            _lifecycles(places, before),
            _lifecycles(places, after),
            _order(_numbers(places, before, ordered=True)),
            _order(_numbers(places, before, ordered=False)),
        )

    def cells(self, action: Action, arguments: Arguments, cells: Cells) -> list[int]:
        """Cells of a state that the abstract transition of a call depends on, beside the check that refuses it."""
        readers = [place.read for place in self._named(action, arguments)]
        return sorted({cells.of(self._names[reader.position])[reader.path[0]] for reader in readers})

    def _named(self, action: Action, arguments: Arguments) -> list[_Place]:
        key = (action.name, arguments)
        places = self._places.get(key)
        if places is None:
            places = self._places[key] = list(self._find(action, arguments))
        return places

    def _find(self, action: Action, arguments: Arguments) -> Iterator[_Place]:
        named: dict[str, list[int]] = {}
        for parameter, value in zip(action.parameters, arguments, strict=True):
            domain = parameter.domain
            index = domain if isinstance(domain, IndexSet) else getattr(domain, "index", None)
            if isinstance(index, IndexSet) and isinstance(value, int):
                named.setdefault(index.base, []).append(value)
        for position, variable in self._variables:
            yield from _places(variable.name, variable.type, _Reader(position), named, self._sizes)


def _places(name: str, kind: Type, reader: _Reader, named: dict[str, list[int]], sizes: Sizes) -> Iterator[_Place]:
    match kind:
        case ArrayType(index=index, element=element):
            for number, member in enumerate(named.get(index.base, ())):
                # A part of an index set has fewer members: the NameNode holds leases, but writes nothing.
                if member < sizes.of(index):
                    again = f" {number + 1}" if number else ""
                    yield from _places(f"{name}{again}", element, reader.into(member), named, sizes)
        case RecordType(fields=fields):
            for number, (field, element) in enumerate(fields):
                yield from _places(f"{name}.{field}", element, reader.into(number), named, sizes)
        case EnumType() | NumberType():
            yield _Place(name, reader, kind)
        case _:
            return


def _lifecycles(places: Sequence[_Place], state: State) -> tuple[str, ...]:
    found = []
    for place in places:
        if isinstance(place.type, EnumType) and place.type.lifecycle:
            value = place.read(state)
            assert isinstance(value, int)
            found.append(f"{place.name} {place.type.labels[value]}")
    return tuple(found)


def _numbers(places: Sequence[_Place], state: State, *, ordered: bool) -> list[tuple[Any, str]]:
    return [
        (place.read(state), place.name)
        for place in places
        if isinstance(place.type, NumberType) and (place.type.ordered if ordered else place.type.limit == LENGTHS)
    ]


def _order(numbers: list[tuple[Any, str]]) -> str:
    """How numbers compare: by value, those of one value in the order of their names."""
    told, last = "", None
    for value, name in sorted(numbers):
        told += name if last is None else f" = {name}" if value == last else f" < {name}"
        last = value
    return told
