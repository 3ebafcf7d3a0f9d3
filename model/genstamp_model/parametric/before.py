"""What questions say of the state before a step: told once for each variable, property and action, and used again."""

from __future__ import annotations

from dataclasses import dataclass

import z3

from genstamp_model.errors import Source
from genstamp_model.language.ir import Expr
from genstamp_model.language.model import Action, Property
from genstamp_model.language.trace import ActionParameter, MessageOf, OptionalMember, Range, Subset
from genstamp_model.language.types import EnumType, IndexSet
from genstamp_model.parametric.state import States
from genstamp_model.parametric.symbolic import Reference, Symbolic, Table, Values
from genstamp_model.parametric.translate import Bound, Translation, refusal
from genstamp_model.prove.algebra import Term


class NotFirstOrderError(Exception):
    """Something that a step does has no translation."""

    def __init__(self, reason: str, source: Source) -> None:
        super().__init__(f"{source}: {reason}")


@dataclass(frozen=True)
class Told:
    """Some conditions.

    Attributes:
        definitions: axioms of the witnesses in them.
        read: names of the variables that they read.
    """

    terms: tuple[Term, ...]
    definitions: tuple[Term, ...]
    read: tuple[str, ...]


@dataclass(frozen=True)
class Guards:
    """When an action can happen: its arguments, that they lie in their domains, and its checks."""

    arguments: dict[str, Symbolic]
    told: Told


class Before:
    """The state before a step of one model."""

    def __init__(self, states: States, values: Values) -> None:
        self._states = states
        self._values = values
        self._types = states.model.types
        self._shapes: dict[str, tuple[Term, ...]] = {}
        self._invariants: dict[str, Told] = {}
        self._guards: dict[str, Guards | NotFirstOrderError] = {}

    def shape(self, name: str) -> tuple[Term, ...]:
        """The condition that a variable has a value of its type."""
        if name not in self._shapes:
            type_, value = self._types[name], self._states.any[name]
            self._shapes[name] = (self._states.in_range(type_, value), self._states.is_typed(type_, value))
        return self._shapes[name]

    def invariant(self, declared: Property) -> Told:
        """The condition that an invariant holds."""
        if declared.name not in self._invariants:
            self._invariants[declared.name] = self._told([declared.closed], {}, [])
        return self._invariants[declared.name]

    def guards(self, action: Action) -> Guards:
        """When an action can happen.

        Raises:
            NotFirstOrderError: a check has no translation.
        """
        if action.name not in self._guards:
            self._guards[action.name] = self._guards_of(action)
        found = self._guards[action.name]
        if isinstance(found, NotFirstOrderError):
            raise found
        return found

    def _guards_of(self, action: Action) -> Guards | NotFirstOrderError:
        names = frozenset(parameter.name for parameter in action.parameters)
        for check in action.checks:
            reason = refusal(check.condition, names)
            if reason is not None:
                return NotFirstOrderError(f"{action.name} cannot be reasoned about: {reason}", check.source)
        domains: list[Term] = []
        arguments = {parameter.name: self._argument(parameter, domains) for parameter in action.parameters}
        told = self._told([check.condition for check in action.checks], arguments, domains)
        bags = [parameter.domain.bag for parameter in action.parameters if isinstance(parameter.domain, MessageOf)]
        return Guards(arguments, Told(told.terms, told.definitions, tuple(dict.fromkeys([*told.read, *bags]))))

    def _told(self, conditions: list[Expr], bound: Bound, more: list[Term]) -> Told:
        read: dict[str, None] = {}

        def any_value(name: str) -> Symbolic:
            read[name] = None
            return self._states.any[name]

        translation = Translation(self._values, any_value, any_value)
        terms = [translation.value(condition, bound) for condition in conditions]
        return Told((*more, *terms), tuple(translation.definitions), tuple(read))

    def _argument(self, parameter: ActionParameter, domains: list[Term]) -> Symbolic:
        """A value of which only the parameter's range is known."""
        name, sorts = f"{parameter.name}?", self._values.sorts
        match parameter.domain:
            case IndexSet() as index:
                member = z3.Const(name, sorts.of(index))
                domains += sorts.belongs(index, member)
                return Reference(False, member)
            case OptionalMember(index=index):
                member, nobody = z3.Const(name, sorts.of(index)), z3.Bool(f"{name} is none")
                domains += [z3.Or(nobody, other) for other in sorts.belongs(index, member)]
                return Reference(nobody, member)
            case Subset(index=index):
                has = z3.Function(name, sorts.of(index), z3.BoolSort())
                return Table(lambda member: self._values.algebra.and_([*sorts.belongs(index, member), has(member)]))
            case Range() if isinstance(parameter.type, EnumType):
                return z3.Const(name, self._values.scalar_sort(parameter.type))
            case Range(low=low, high=high):
                number = z3.Int(name)
                domains += [low <= number, number <= high]
                return number
            case MessageOf(bag=bag):
                value = self._states.any[bag]
                assert value.look is not None, "a step receives from the state before it"
                on_its_way, content = value.look(z3.Const(name, value.sort))
                domains.append(on_its_way)
                return content
