"""Tracing the actions of a system: each way through a declared one becomes an action of the model.

An action without a `case` has one way. With cases it is traced again and again, each time along other answers, in the
order in which the ways are in the text.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from genstamp_model.errors import SpecError
from genstamp_model.language import model as traced
from genstamp_model.language.declarations import BY_PART, ActionDeclaration
from genstamp_model.language.declare import Part
from genstamp_model.language.ir import Expr
from genstamp_model.language.leaks import refuse_leak
from genstamp_model.language.parameters import parameters_of
from genstamp_model.language.trace import ActionParameter, Case, Check, Trace
from genstamp_model.language.types import IndexSet, RefType

_MOST_WAYS = 200
"""More ways through one action than a reader can follow: a `case` is in a loop, or cases do not end in `return`."""


@dataclass
class ActionTracer:
    """Traces the actions of a composed state.

    Args:
        state: the class of the state.
        values: each variable as an expression.
        meets: refusals that are defensive elsewhere and given here, as (action, label).
        begin: an empty trace for a declared action, along the given answers.
        follow: runs the declared function along a trace.
    """

    state: type[Part]
    values: Mapping[str, Expr]
    meets: Sequence[tuple[str, str]]
    begin: Callable[[ActionDeclaration, tuple[bool, ...]], Trace]
    follow: Callable[[ActionDeclaration, Trace], None]

    def __post_init__(self) -> None:
        self.seen_labels: dict[str, set[str]] = {}

    def actions(self, only: Container[str] | None = None) -> tuple[traced.Action, ...]:
        """Every action, with the ways of each declared one beside each other.

        Args:
            only: the declared ones that are asked for; all if it is None.

        Raises:
            SpecError: two have one name, or a declaration misuses the language.
        """
        found: dict[str, traced.Action] = {}
        asked = (one for one in self.state.actions() if only is None or one.name in only)
        for declaration in asked:
            for way in _named(list(self._ways(declaration))):
                other = found.setdefault(way.name, way)
                if other is not way:
                    message = f"two actions are named '{way.name}', here and at {other.source}; name the case otherwise"
                    raise SpecError(message, way.source)
        return tuple(found.values())

    def _ways(self, declaration: ActionDeclaration) -> Iterator[traced.Action]:
        answers: tuple[bool, ...] | None = ()
        before: Sequence[Case] = ()
        parameters = parameters_of(declaration.function, 1, declaration.source, members_only=False)
        for _ in range(_MOST_WAYS):
            if answers is None:
                return
            trace = self.begin(declaration, answers)
            trace.parameters.extend(parameters)
            self.follow(declaration, trace)
            met, expected = ([case.name for case in cases][: len(answers)] for cases in (trace.asked, before))
            if met != expected:
                message = f"{declaration.name} meets the cases {expected} and then {met}; what it does may depend on "
                raise SpecError(message + "the state, its arguments and its cases alone", declaration.source)
            self.seen_labels.setdefault(declaration.name, set()).update(trace.labels)
            yield self._action(declaration, trace, parameters)
            before, answers = trace.asked, _next_answers([case.follows for case in trace.asked])
        message = f"there are more than {_MOST_WAYS} ways through {declaration.name}; end each case with return"
        raise SpecError(message, declaration.source)

    def _action(
        self, declaration: ActionDeclaration, trace: Trace, parameters: Sequence[ActionParameter]
    ) -> traced.Action:
        followed = [case for case in trace.cases if case.follows]
        last = followed[-1] if followed else None
        unchanged = (last.unchanged if last else "") or declaration.unchanged
        if unchanged and trace.sources:
            name = next(iter(trace.sources))
            message = f"action {declaration.name} is declared unchanged ('{unchanged}') and assigns '{name}'"
            raise SpecError(message, trace.sources[name])
        effects = tuple(
            traced.Effect(name, value, trace.sources[name])
            for name, value in trace.values.items()
            if value is not self.values[name]
        )
        met = {label for name, label in self.meets if name == declaration.name}
        checks = [replace(check, defensive=check.defensive and check.label not in met) for check in trace.checks]
        _refuse_leaks(declaration, checks, effects, trace)
        return traced.Action(
            name="_".join([declaration.name, *(case.name for case in followed[-1:])]),
            event=declaration.event,
            parameters=tuple(trace.parameters),
            checks=tuple(checks),
            effects=effects,
            observations=tuple(sorted(trace.observations.items())),
            hidden=declaration.hidden,
            refuses=next((case.refuses for case in reversed(followed) if case.refuses is not None), declaration.refuses)
            or None,
            doc=_doc(declaration, followed),
            source=last.source if last else declaration.source,
            lane=self.state.lane_of(declaration),
            unchanged=unchanged,
            caller=self._caller(declaration, parameters),
            declared=declaration.name,
            cases=tuple(trace.cases),
            marks=tuple(sorted(trace.marked)),
        )

    @cached_property
    def _nodes(self) -> frozenset[IndexSet]:
        """The index sets whose members do steps, or call."""
        declared = self.state.actions()
        lanes = {lane for lane in map(self.state.lane_of, declared) if isinstance(lane, IndexSet)}
        return frozenset(lanes.union(*map(self.state.callers_of, declared)))

    def _caller(self, declaration: ActionDeclaration, parameters: Sequence[ActionParameter]) -> str | None:
        """The parameter whose member calls.

        Where a step happens at one of several nodes, its first argument is another node that calls. Where it happens at
        the only node of a name, that is so only if the part says it: its own steps may be about other nodes.
        """
        name = self.state.caller_of(declaration)
        if name is None or (name == BY_PART and declaration.hidden):
            return None
        if name != BY_PART:
            known = [parameter.name for parameter in parameters]
            if name not in known:
                has = ", ".join(known) or "none"
                message = f"caller '{name}' of {declaration.name} is not one of its parameters; it has {has}"
                raise SpecError(message, declaration.source)
            return name
        asked = self.state.callers_of(declaration)
        if isinstance(self.state.lane_of(declaration), IndexSet):
            asked |= self._nodes
        first = next(iter(parameters), None)
        is_node = first is not None and isinstance(first.type, RefType) and first.type.index in asked
        return first.name if first is not None and is_node else None


def _named(ways: Sequence[traced.Action]) -> list[traced.Action]:
    """The ways by the last case that each follows, or by all of them where several would have that name."""
    times = Counter(way.name for way in ways)
    return [
        way
        if times[way.name] == 1
        else replace(way, name="_".join([way.declared, *(case.name for case in way.cases if case.follows)]))
        for way in ways
    ]


def _next_answers(answers: Sequence[bool]) -> tuple[bool, ...] | None:
    """The answers of the next way: the last case that was followed is not followed any more."""
    last = next((i for i in reversed(range(len(answers))) if answers[i]), None)
    return None if last is None else (*answers[:last], False)


def _doc(declaration: ActionDeclaration, followed: Sequence[Case]) -> str:
    doc = inspect.getdoc(declaration.function) or ""
    labels = [case.label for case in followed if not case.is_only]
    if not labels:
        return doc
    first, blank, rest = doc.partition("\n\n")
    return f"{first} Here {', and '.join(labels)}.".lstrip() + blank + rest


def _refuse_leaks(
    declaration: ActionDeclaration, checks: Sequence[Check], effects: Sequence[traced.Effect], trace: Trace
) -> None:
    names = frozenset(parameter.name for parameter in trace.parameters)
    for check in checks:
        refuse_leak(check.condition, names, check.source)
    for effect in effects:
        refuse_leak(effect.value, names, effect.source)
    for shown in trace.observations.values():
        refuse_leak(shown, names, declaration.source)
