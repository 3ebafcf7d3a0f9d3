"""The state of an entity's lifecycle while a function is traced."""

from __future__ import annotations

from typing import Any

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr
from genstamp_model.language.registry import belongs, container
from genstamp_model.language.trace import current, misuse
from genstamp_model.language.types import BOOL, EnumType, Type
from genstamp_model.language.values import Bool, Value, coerce, some


@container(EnumType)
class Lifecycle(Value):
    """The state of one entity's lifecycle; moved only by firing events."""

    def at(self, *states: Any) -> Bool:
        """Whether the entity is in one of these states (attributes of the python-statemachine class)."""
        some(states, "state of the lifecycle")
        return Bool(ir.disjunction([ir.equal(self.expr, coerce(state, self.expr.type)) for state in states]))

    def fire(self, *events: Any, where: Bool | bool = True) -> None:
        """Fire events in sequence within this step, each checked against the state that the former left.

        A state in which the first event cannot be fired makes the step impossible (a check, labelled by place and
        event). With `where` the events are fired only where the condition holds.
        """
        if not events:
            raise misuse("fire() needs at least one event of the lifecycle")
        condition = coerce(where, BOOL)
        for event in events:
            self._fire(event, condition)

    def after(self, event: Any) -> Lifecycle:
        """The state that an event leads to; the same state where it cannot be fired. For `update` of many at once."""
        return Lifecycle(self._target(self._edges(event)))

    def _edges(self, event: Any) -> list[tuple[str, str]]:
        kind, wanted = self.expr.type, _event_name(event)
        assert isinstance(kind, EnumType)
        edges = [(source, target) for source, name, target in kind.lifecycle if name == wanted]
        if not edges:
            known = ", ".join(sorted({name for _, name, _ in kind.lifecycle}))
            raise misuse(f"lifecycle {kind.name} has no event '{wanted}'; it has {known}")
        if type(event) is not str and not belongs(event, kind):
            raise misuse(f"event '{wanted}' belongs to another lifecycle; write an event of {kind.name}")
        return edges

    def _target(self, edges: list[tuple[str, str]]) -> Expr:
        kind, before = self.expr.type, self.expr
        assert isinstance(kind, EnumType)
        after = before
        for source, target in edges:
            if source != target:
                after = ir.choice(ir.equal(before, _label(kind, source)), _label(kind, target), after)
        return after

    def _fire(self, event: Any, condition: Expr) -> None:
        kind, before = self.expr.type, self.expr
        assert isinstance(kind, EnumType)
        edges = self._edges(event)
        allowed = ir.disjunction([ir.equal(before, _label(kind, source)) for source, _ in edges])
        after = self._target(edges)
        if condition is not ir.TRUE:
            allowed = ir.disjunction([ir.negation(condition), allowed])
            after = ir.choice(condition, after, before)
        place = self._place.name if self._place else kind.name
        sources = " or ".join(source for source, _ in edges)
        current().check(allowed, f"{place} is {sources} to {_event_name(event)}", None, lifecycle=True)
        self._assign(after)


def _event_name(event: Any) -> str:
    return str(getattr(event, "id", event))


def refuse_lifecycle(name: str, type_: Type, instead: str = "fire") -> None:
    """Refuse to assign where only events may change something."""
    if isinstance(type_, EnumType) and type_.lifecycle:
        raise misuse(f"lifecycle '{name}' cannot be assigned; write .{instead}(event)")


def _label(kind: EnumType, label: str) -> Expr:
    return ir.const(kind.labels.index(label), kind)
