"""Abstract transitions: what a model's steps are when names, numbers and all that they do not concern is taken away.

An abstract transition is an action, or a check that refuses one; the lifecycle states, before and after, of the
entities that its arguments name; and how their stamps, and their lengths, compare before it.

Not here: hidden actions, variables of no entity, and those that the arguments name in part only.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

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
)

LENGTHS: Final = "bytes"
"""The limit by which a number is known for a length."""

_Values: TypeAlias = tuple[Any, ...]


class Transition(NamedTuple):
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
class _Place:
    """A value in a state that some arguments lead to: a variable, and a way into it."""

    name: str
    position: int
    path: tuple[int, ...]
    type: Type


class _Entities:
    """The parts that are read of the entities that some arguments name.

    Attributes:
        places: their lifecycle states, stamps and lengths.
        before, after: read, of a state before a step and of one after it, all that counts.
        known: transitions by action, refusal, and what was read.
    """

    def __init__(self, places: Sequence[_Place]) -> None:
        self.places = places
        self._lifecycles = [one for one in places if isinstance(one.type, EnumType) and one.type.lifecycle]
        self._stamps = [one for one in places if isinstance(one.type, NumberType) and one.type.ordered]
        self._lengths = [
            one
            for one in places
            if isinstance(one.type, NumberType) and not one.type.ordered and one.type.limit == LENGTHS
        ]
        self.before = _reader([*self._lifecycles, *self._stamps, *self._lengths])
        self.after = _reader(self._lifecycles)
        self.known: dict[tuple[object, ...], Transition] = {}

    def transition(self, action: Action, refused: Check | None, before: _Values, after: _Values) -> Transition:
        """The transition of a step by what was read before and after it."""
        first, second = len(self._lifecycles), len(self._lifecycles) + len(self._stamps)
        return Transition(
            action.name,
            "" if refused is None else refused.label,
            self._texts(before[:first]),
            self._texts(after),
            _order(zip(before[first:second], (one.name for one in self._stamps), strict=True)),
            _order(zip(before[second:], (one.name for one in self._lengths), strict=True)),
        )

    def _texts(self, states: _Values) -> tuple[str, ...]:
        return tuple(
            f"{one.name} {one.type.labels[state]}"  # type: ignore[union-attr]
            for one, state in zip(self._lifecycles, states, strict=True)
        )


def _reader(places: Sequence[_Place]) -> Callable[[State], _Values]:
    """A function that reads the values at some places, written out, because every step needs it."""
    values = (f"s[{']['.join(map(str, (one.position, *one.path)))}], " for one in places)
    found: Callable[[State], _Values] = eval(f"lambda s: ({''.join(values)})")
    return found


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
        self._entities: dict[tuple[str, Arguments], _Entities] = {}
        self._by_members: dict[tuple[tuple[str, int], ...], _Entities] = {}

    def of(
        self, action: Action, arguments: Arguments, refused: Check | None, before: State, after: State
    ) -> Transition:
        """The abstract transition of a step."""
        entities = self._named(action, arguments)
        read, then = entities.before(before), entities.after(after)
        key = (action.name, None if refused is None else refused.label, read, then)
        found = entities.known.get(key)
        if found is None:
            found = entities.known[key] = entities.transition(action, refused, read, then)
        return found

    def cells(self, action: Action, arguments: Arguments, cells: Cells) -> list[int]:
        """Cells of a state that the abstract transition of a call depends on, beside the check that refuses it."""
        places = self._named(action, arguments).places
        return sorted({cells.of(self._names[place.position])[place.path[0]] for place in places})

    def _named(self, action: Action, arguments: Arguments) -> _Entities:
        key = (action.name, arguments)
        entities = self._entities.get(key)
        if entities is None:
            members = tuple(_members(action, arguments))
            if members not in self._by_members:
                self._by_members[members] = _Entities(list(self._find(members)))
            entities = self._entities[key] = self._by_members[members]
        return entities

    def _find(self, members: Iterable[tuple[str, int]]) -> Iterator[_Place]:
        named: dict[str, list[int]] = {}
        for base, value in members:
            named.setdefault(base, []).append(value)
        for position, variable in self._variables:
            yield from _places(variable.name, variable.type, position, (), named, self._sizes)


def _members(action: Action, arguments: Arguments) -> Iterator[tuple[str, int]]:
    """The members that the arguments name, each with its index set."""
    for parameter, value in zip(action.parameters, arguments, strict=True):
        domain = parameter.domain
        index = domain if isinstance(domain, IndexSet) else getattr(domain, "index", None)
        if isinstance(index, IndexSet) and isinstance(value, int):
            yield index.base, value


def _places(
    name: str, kind: Type, position: int, path: tuple[int, ...], named: dict[str, list[int]], sizes: Sizes
) -> Iterator[_Place]:
    match kind:
        case ArrayType(index=index, element=element):
            for number, member in enumerate(named.get(index.base, ())):
                # A part of an index set has fewer members: the NameNode holds leases, but writes nothing.
                if member < sizes.of(index):
                    again = f" {number + 1}" if number else ""
                    yield from _places(f"{name}{again}", element, position, (*path, member), named, sizes)
        case RecordType(fields=fields):
            for number, (field, element) in enumerate(fields):
                yield from _places(f"{name}.{field}", element, position, (*path, number), named, sizes)
        case EnumType() | NumberType():
            yield _Place(name, position, path, kind)
        case _:
            return


def _order(numbers: Iterable[tuple[Any, str]]) -> str:
    """How numbers compare: by value, those of one value in the order of their names."""
    told, last = "", None
    for value, name in sorted(numbers):
        told += name if last is None else f" = {name}" if value == last else f" < {name}"
        last = value
    return told
