"""Claims about lifecycles: an action moves an entity only along edges of its lifecycle, and still along each one.

A lifecycle is declared apart from the actions. A changed guard may skip a state in which an event was fired, and a
changed effect may move an entity along no edge.

Not here: lifecycles in sequences and bags, and events that do not change the state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from genstamp_model.language import ir
from genstamp_model.language.ir import Binder, Expr, Op
from genstamp_model.language.model import Action, Model, Property
from genstamp_model.language.types import BOOL, ArrayType, EnumType, RecordType, RefType
from genstamp_model.mutate.moves import judged, possible

OFF: Final = " as its lifecycle does not"
"""The end of the name of each witness that an action moves an entity along no edge."""


@dataclass(frozen=True)
class _Place:
    """The state of an entity before and after a step, for bound members."""

    name: str
    binders: tuple[Binder, ...]
    before: Expr
    after: Expr

    @property
    def kind(self) -> EnumType:
        assert isinstance(self.before.type, EnumType)
        return self.before.type

    def moved(self, source: str, target: str) -> Expr:
        """The condition that the step moves the entity from one state to another."""
        before, after = (
            ir.equal(state, ir.const(self.kind.labels.index(label), self.kind))
            for state, label in ((self.before, source), (self.after, target))
        )
        return ir.conjunction([before, after])

    def some(self, condition: Expr) -> Expr:
        """A condition for some members."""
        for binder in reversed(self.binders):
            condition = ir.make(Op.EXISTS, (condition,), BOOL, binder)
        return condition


def edges(model: Model, action: str) -> tuple[Property, ...]:
    """For each lifecycle that an action assigns, and each of its edges, the witness that a step takes the edge."""
    return tuple(
        possible(
            model, one, f"{one.name} moves {place.name}: {source} to {target}", place.some(place.moved(source, target))
        )
        for one in judged(model, action)
        for place in _places(model, one)
        for source, target in _edges(place.kind)
    )


def off_edges(model: Model, action: str) -> tuple[Property, ...]:
    """For each lifecycle that an action assigns, the witness that a step moves an entity along no edge."""
    return tuple(
        possible(model, one, f"{one.name} moves {place.name}{OFF}", place.some(_off(place)))
        for one in judged(model, action)
        for place in _places(model, one)
    )


def _off(place: _Place) -> Expr:
    known = [place.moved(source, target) for source, target in _edges(place.kind)]
    return ir.negation(ir.disjunction([ir.equal(place.before, place.after), *known]))


def _edges(kind: EnumType) -> list[tuple[str, str]]:
    """The edges of a lifecycle, from state to state."""
    return list(dict.fromkeys((source, target) for source, _, target in kind.lifecycle if source != target))


def _places(model: Model, action: Action) -> Iterator[_Place]:
    for effect in action.effects:
        before = ir.make(Op.VARIABLE, (), model.types[effect.variable], effect.variable)
        yield from _below(_Place(effect.variable, (), before, effect.value))


def _below(place: _Place) -> Iterator[_Place]:
    match place.before.type:
        case EnumType(lifecycle=lifecycle) if lifecycle:
            yield place
        case ArrayType(index=index, element=element):
            name = f"{index.name.lower()}_of_{place.name.replace('.', '_')}"
            member = ir.make(Op.PARAMETER, (), RefType(index), name)
            before, after = (ir.make(Op.SELECT, (one, member), element) for one in (place.before, place.after))
            yield from _below(_Place(place.name, (*place.binders, Binder(name, index)), before, after))
        case RecordType(fields=fields):
            for i, (name, _) in enumerate(fields):
                before, after = ir.field(place.before, i), ir.field(place.after, i)
                yield from _below(_Place(f"{place.name}.{name}", place.binders, before, after))
        case _:
            pass
