"""Tracing a system under some variations: a choice of parts becomes a `Model`.

Not here: what a system and a variation are (`system`).
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from genstamp_model.errors import Source, SpecError
from genstamp_model.language import ir
from genstamp_model.language import model as traced
from genstamp_model.language.actions import ActionTracer
from genstamp_model.language.author import authored, is_specification, suggested
from genstamp_model.language.composing import compose
from genstamp_model.language.constant import is_constant
from genstamp_model.language.declarations import (
    ActionDeclaration,
    Declaration,
    LimitDeclaration,
    ObservationDeclaration,
    PropertyDeclaration,
)
from genstamp_model.language.declare import Part
from genstamp_model.language.ending import ANYWHERE
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.labels import never_taken
from genstamp_model.language.leaks import refuse_leak
from genstamp_model.language.mismatch import shown
from genstamp_model.language.model import Model
from genstamp_model.language.parameters import parameters_of
from genstamp_model.language.rebound import refuse_twins_among
from genstamp_model.language.refinement import RefinementDeclaration, refinement
from genstamp_model.language.suspects import Reach
from genstamp_model.language.trace import Trace, tracing
from genstamp_model.language.types import BOOL, INTEGER, Sizes, Type, describe, fits
from genstamp_model.language.uses import Uses
from genstamp_model.language.values import Value, coerce, wrap

if TYPE_CHECKING:
    from genstamp_model.language.system import System, Variation


_MARKED: Final = {"repairs": ("hole",), "since": ("bug", "difference")}
"""The kinds of variations that a mark of a kind is for."""


class Builder:
    """Traces one system under some variations.

    Args:
        again: it was traced before, so that no function needs to be watched.
    """

    def __init__(
        self,
        system: System,
        semantics: str,
        variations: Sequence[Variation],
        bugs: tuple[str, ...],
        *,
        again: bool = False,
    ) -> None:
        self.system = system
        self._again = again
        self._uses = Uses()
        self.semantics = semantics
        self.bugs = bugs
        self.variations = variations
        parts = [*system.parts, *(part for v in variations for part in v.parts)]
        if not parts:
            raise SpecError(
                f"system {system.name} has no parts; write parts=[...], classes derived from Part", system.source
            )
        self.state = compose(parts, system.source)
        self.variables = self.state.variables()
        self.values = {d.name: ir.make(Op.VARIABLE, (), d.type, d.name) for d in self.variables}
        self.reach = Reach(self.state)
        self._left_out = frozenset(variation.name for variation in variations)
        self._marks: dict[tuple[str, str], Source] = {}

    def actions(self, only: Container[str] | None) -> tuple[traced.Action, ...]:
        """Some actions by the names of their declarations, or all."""
        return self._tracer().actions(only)

    def _tracer(self) -> ActionTracer:
        return ActionTracer(self.state, self.values, self.system.meets, self._begin, self._follow)

    def build(self) -> Model:
        for declaration in self._declared if not self._again else ():
            declaration.refuse_rebound()
        for base in self.state.__mro__:
            refuse_twins_among({"s": base})
        tracer = self._tracer()
        actions = tracer.actions()
        self._refuse_unknown_drops(tracer.seen_labels)
        self._refuse_unknown_meetings(actions)
        refinements = tuple(
            self._refinement(declaration) for declaration in self.system.refines if self._is_judged(declaration)
        )
        declared = tuple(self._property(declaration) for declaration in self.state.properties())
        properties = (*declared, *(refinement.claim for refinement in refinements))
        _refuse_two_alike(refinements)
        _refuse_one_name(declared)
        self._refuse_unknown_breaks({p.name for p in properties})
        variables = tuple(
            traced.Variable(d.name, d.type, d.initial, d.source, d.starts, d.choice) for d in self.variables
        )
        self._refuse_unknown_idlers(variables, actions, properties)
        for claim in properties:
            _refuse_unknown("property", claim.given, [p.name for p in properties], claim)
            _refuse_unknown("action", claim.fair + claim.strongly_fair, [a.name for a in actions], claim)
        self._refuse_marks()
        model = Model(
            system=self.system.name,
            semantics=self.semantics,
            bugs=self.bugs,
            variables=variables,
            actions=actions,
            properties=properties,
            limits=tuple(self._limit(declaration) for declaration in self.state.limits()),
            beginnings=self._beginnings(variables),
            observations=tuple(self._observation(declaration) for declaration in self.state.observations()),
            refinements=refinements,
            may_stop=self._may_stop(),
            may_stop_anywhere=self.system.may_stop is ANYWHERE,
            idle=self.system.idle,
            source=self.system.source,
        )
        # Lines that a variation leaves out may use what others have read.
        if self._left_out.isdisjoint(name for name, _ in self._marks):
            self._uses.refuse_unused()
        return model

    @property
    def is_of_others(self) -> bool:
        """Whether some function is not of the specifications that come with the language."""
        return not all(is_specification(one.function) for one in self._declared)

    @property
    def _declared(self) -> tuple[Declaration, ...]:
        state = self.state
        return (*state.actions(), *state.properties(), *state.limits(), *state.beginnings(), *state.observations())

    def _trace(self, may_assign: bool) -> Trace:
        return Trace(dict(self.values), may_assign, left_out=self._left_out, marks=self._marks)

    def _traced(self, function: Callable[..., Any], trace: Trace, source: Source, *arguments: Any) -> Any:
        """The result of an author's function during tracing; arguments that are expressions it gets as values."""
        # To watch costs as much time as to trace. What others write may call what no name in it tells of.
        is_suspect = not self._again and (not is_specification(function) or self.reach.suspects(function))
        # What is printed is printed once.
        printed = redirect_stdout(io.StringIO()) if self._again else nullcontext()
        noted = self._uses.noted() if is_suspect and not is_specification(function) else nullcontext()
        with authored(source), printed, noted, tracing(trace, is_suspect=is_suspect):
            if not is_specification(function):
                _refuse_other_parameters(function, len(arguments), source)
            return function(*(wrap(one) if isinstance(one, Expr) else one for one in arguments))

    def _begin(self, declaration: ActionDeclaration, answers: tuple[bool, ...]) -> Trace:
        dropped = frozenset(label for v in self.variations for name, label in v.drops if name == declaration.name)
        return replace(self._trace(True), dropped=dropped, answers=answers)

    def _follow(self, declaration: ActionDeclaration, trace: Trace) -> None:
        members = [parameter.expr for parameter in trace.parameters]
        result = self._traced(declaration.function, trace, declaration.source, self.state(), *members)
        if result is not None:
            raise SpecError(f"action {declaration.name} returns a value; it should assign instead", declaration.source)

    @property
    def _stated(self) -> list[Variation]:
        """The variations of which this text shows whether what they name is there.

        One that is not taken may name what its parts bring, or what another one takes out.
        """
        others = () if self.variations else self.system.variations
        return [*self.variations, *(one for one in others if not one.parts)]

    def _refuse_unknown_breaks(self, known: set[str]) -> None:
        for variation in self._stated:
            for broken in variation.breaks:
                if broken not in known:
                    has = suggested(broken, sorted(known))
                    message = f"{variation.name} breaks property '{broken}', which {self.system.name} does not have"
                    raise SpecError(f"{message}; {has}", self.system.source)

    def _refuse_unknown_drops(self, seen: Mapping[str, set[str]]) -> None:
        for variation in self._stated:
            for name, label in variation.drops:
                known = seen.get(name)
                if known is None or label not in known:
                    what = f"{variation.name} drops check '{label}' of {name}"
                    has = suggested(name, seen) if known is None else suggested(label, sorted(known))
                    message = f"{what}, which {self.system.name} does not have; {has}"
                    raise SpecError(message, self.system.source)

    def _refuse_marks(self) -> None:
        """Refuse a mark of the other kind, and a variation that does not occur in the text."""
        kinds = {variation.name: variation.kind for variation in self.system.variations}
        for (name, mark), source in self._marks.items():
            if name in kinds and kinds[name] not in _MARKED[mark]:
                what = f"'{name}' is marked with {mark}=, which is for a {' or a '.join(_MARKED[mark])}"
                raise SpecError(f"{what}, and is a {kinds[name]} of {self.system.name}", source)
        marked = {name for name, _ in self._marks}
        for variation in self._stated:
            if not (variation.drops or variation.parts or variation.name in marked):
                message = f"{variation.kind} {variation.name} changes nothing in {self.system.name}: no line is marked "
                raise SpecError(message + "with it, and it drops no check and has no parts", self.system.source)

    def _refuse_unknown_meetings(self, actions: Sequence[traced.Action]) -> None:
        """A variation may have replaced an action whose refusal is met."""
        known = {(action.declared, check.label) for action in actions for check in action.checks if check.refuses}
        for name, label in () if self.variations else self.system.meets:
            if (name, label) not in known:
                message = f"{self.system.name} meets '{label}' of {name}, which refuses nothing there"
                raise SpecError(message, self.system.source)

    def _refuse_unknown_idlers(
        self,
        variables: Sequence[traced.Variable],
        actions: Sequence[traced.Action],
        properties: Sequence[traced.Property],
    ) -> None:
        """A variation may set a label that is idle without it."""
        known = {
            *(variable.name for variable in variables),
            *(action.name for action in actions),
            *(claim.name for claim in properties),
        }
        labels = [name for name in self.system.idle if "." in name]
        if labels and not self.variations:
            index_sets = {found.base for variable in variables for found in traced.index_sets(variable.type)}
            known |= never_taken(variables, actions, Sizes(dict.fromkeys(index_sets, 1)))
        for name in self.system.idle:
            if name not in known and not (self.variations and name in labels):
                known_as = "label that no step sets" if name in labels else "action, variable or property"
                message = f"{self.system.name} has no {known_as} '{name}', which it declares idle"
                raise SpecError(message, self.system.source)

    def _property(self, declaration: PropertyDeclaration) -> traced.Property:
        states = 2 if declaration.kind == "transition" else 1
        parameters = parameters_of(declaration.function, states, declaration.source)
        arguments: list[Any] = [self.state(), self._next_state()][:states]
        arguments.extend(p.expr for p in parameters)
        claim = self._traced(declaration.function, self._trace(False), declaration.source, *arguments)
        condition, target, again = _conditions(claim, declaration)
        # "Always followed by" may be claimed from every state on, by a plain True.
        is_pair = isinstance(claim, tuple)
        is_from_every_state = claim[0] is True if is_pair else declaration.form == "always_eventually"
        whole = () if is_from_every_state else (condition,)
        said = (
            again
            if declaration.form == "eventually_always"
            else (*whole, *(() if target is None else (target,)), *again)
        )
        for part in said:
            if is_constant(part):
                raise SpecError(
                    f"{declaration.form} {declaration.name} has the same value in every state; write a condition on "
                    f"the state",
                    declaration.source,
                )
            refuse_leak(part, frozenset(p.name for p in parameters), declaration.source)
        return traced.Property(
            name=declaration.name,
            kind=declaration.kind,
            parameters=parameters,
            condition=condition,
            target=target,
            inductive=declaration.inductive,
            given=declaration.given,
            fair=declaration.fair,
            strongly_fair=declaration.strongly_fair,
            vacuous=declaration.vacuous,
            again=again,
            doc=inspect.getdoc(declaration.function) or "",
            source=declaration.source,
        )

    def _next_state(self) -> Part:
        state = self.state()
        state._next = True
        return state

    def _limit(self, declaration: LimitDeclaration) -> tuple[str, Expr]:
        value = self._traced(declaration.function, self._trace(False), declaration.source, self.state())
        return declaration.name, _coerced(value, INTEGER, f"limit {declaration.name}", declaration.source)

    def _beginnings(self, variables: Sequence[traced.Variable]) -> tuple[traced.Beginning, ...]:
        found = []
        for declaration in self.state.beginnings():
            if all(variable.choice is None for variable in variables):
                message = f"{declaration.name} has nothing to choose from: no variable begins with any_of(...)"
                raise SpecError(message, declaration.source)
            value = self._traced(declaration.function, self._trace(False), declaration.source, self.state())
            condition = _coerced(value, BOOL, declaration.name, declaration.source)
            refuse_leak(condition, frozenset(), declaration.source)
            found.append(traced.Beginning(declaration.name, condition, declaration.source))
        return tuple(found)

    def _observation(self, declaration: ObservationDeclaration) -> traced.Observation:
        parameters = parameters_of(declaration.function, 1, declaration.source)
        members = [p.expr for p in parameters]
        value = self._traced(declaration.function, self._trace(False), declaration.source, self.state(), *members)
        if not isinstance(value, Value):
            message = f"observation {declaration.name} returns {value!r}; it should return a value of the state"
            raise SpecError(message, declaration.source)
        refuse_leak(value.expr, frozenset(parameter.name for parameter in parameters), declaration.source)
        return traced.Observation(declaration.name, parameters, value.expr)

    def _is_judged(self, declaration: RefinementDeclaration) -> bool:
        """Whether a refinement is judged: of a variation only where it says so, or else all would break it first."""
        breaks = {name for bug in self.bugs for name in self.system.bug(bug).breaks}
        return not self.bugs or declaration.name in breaks

    def _refinement(self, declaration: RefinementDeclaration) -> traced.Refinement:
        upper = declaration.upper.model()
        mapping: dict[str, Expr] = {}
        for name in declaration.mapping:
            if name not in upper.types:
                known = ", ".join(upper.types)
                message = f"{self.system.name} maps '{name}', which {upper.system} does not have; it has {known}"
                raise SpecError(message, declaration.source)
        members = [parameter.expr for parameter in declaration.parameters]
        for name, type_ in upper.types.items():
            if name in declaration.hidden:
                continue
            if name not in declaration.mapping:
                message = f"the mapping from {self.system.name} to {upper.system} leaves out '{name}'"
                raise SpecError(message, declaration.source)
            value = self._traced(
                declaration.mapping[name], self._trace(False), declaration.source, self.state(), *members
            )
            mapping[name] = _coerced(value, type_, f"the mapping of '{name}'", declaration.source)
        if not any(node.op is Op.VARIABLE for value in mapping.values() for node in ir.walk(value)):
            message = f"the mapping from {self.system.name} to {upper.system} is the same in every state"
            raise SpecError(f"{message}; give a variable of {upper.system} by those of the state", declaration.source)
        parameters = frozenset(parameter.name for parameter in declaration.parameters)
        for value in mapping.values():
            refuse_leak(value, parameters, declaration.source)
        return refinement(declaration, upper, mapping)

    def _may_stop(self) -> Expr | None:
        if self.system.may_stop in (None, ANYWHERE):
            return None
        assert self.system.may_stop is not None
        value = self._traced(self.system.may_stop, self._trace(False), self.system.source, self.state())
        return _coerced(value, BOOL, "may_stop", self.system.source)


def refuse_unlike(model: Model, again: Model) -> None:
    """Refuse functions that are not traced the same again: what they do depends on more than the state.

    Raises:
        SpecError: some function is; the message names the first.
    """
    pairs: list[tuple[str, Source | None, object, object]] = []
    for kind, one, other in (
        *(("action", one, other) for one, other in zip_longest(model.actions, again.actions)),
        *(("property", one, other) for one, other in zip_longest(model.properties, again.properties)),
    ):
        named = one or other
        pairs.append((f"{kind} {named.name}", named.source, one, other))
    pairs.append(
        ("a limit, an initial condition, an observation or may_stop", model.source, _rest(model), _rest(again))
    )
    for what, source, one, other in pairs:
        if one != other:
            message = f"{what} is another one when it is traced again; what it does may depend on the state and its "
            raise SpecError(message + "arguments alone, so declare what changes as a variable of the part", source)


def _refuse_other_parameters(function: Callable[..., Any], count: int, source: Source) -> None:
    """Refuse a function that cannot be called with so many arguments."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError as problem:
        wanted = "the state s" if count == 1 else "the state s and a member"
        line = getattr(function, "__code__", None)
        place = Source(line.co_filename, line.co_firstlineno) if line else source
        raise SpecError(f"a function of {wanted} is needed here: {problem}", place) from problem


def _rest(model: Model) -> object:
    return model.limits, [(one.name, one.condition) for one in model.beginnings], model.observations, model.may_stop


def _conditions(claim: object, declaration: PropertyDeclaration) -> tuple[Expr, Expr | None, tuple[Expr, ...]]:
    """The first and the second condition of a claim, and those that are assumed to hold again and again."""
    if declaration.form == "leads_to":
        if not (isinstance(claim, tuple) and len(claim) >= 2):
            raise SpecError(f"leads_to {declaration.name} must return two conditions", declaration.source)
        condition, target, *again = (_condition(one, declaration) for one in claim)
        return condition, target, tuple(again)
    condition = _condition(claim, declaration)
    match declaration.form:
        case "always_eventually":
            return ir.TRUE, condition, ()
        case "eventually_always":
            return ir.TRUE, ir.FALSE, (ir.negation(condition),)
        case _:
            return condition, None, ()


def _condition(value: object, declaration: PropertyDeclaration) -> Expr:
    return _coerced(value, BOOL, f"{declaration.form} {declaration.name}", declaration.source)


def _coerced(value: object, type_: Type, what: str, source: Source) -> Expr:
    """The expression of what a function of the author's has returned."""
    if isinstance(value, Value) and fits(value.expr.type, type_):
        return value.expr
    found = describe(value.expr.type) if isinstance(value, Value) else shown(value)
    plain = (type_ == BOOL and isinstance(value, bool)) or (type_ == INTEGER and type(value) is int)
    if not plain and (value is None or isinstance(value, Value)):
        hint = "; is there a return?" if value is None else ""
        raise SpecError(f"{what} returns {found}, not {describe(type_)}{hint}", source)
    try:
        return coerce(value, type_)
    except SpecError as error:
        raise SpecError(f"{what} returns {found}, not {describe(type_)}", source) from error


def _refuse_two_alike(refinements: Sequence[traced.Refinement]) -> None:
    """Refuse two refinements of one name."""
    found: set[str] = set()
    for one in refinements:
        if one.claim.name in found:
            raise SpecError(f"{one.upper.system} is refined twice", one.source)
        found.add(one.claim.name)


def _refuse_one_name(properties: Sequence[traced.Property]) -> None:
    """Refuse two properties of one name, as of functions that another one makes: one would be taken for the other."""
    found: dict[str, Source] = {}
    for claim in properties:
        if claim.name in found:
            message = f"two properties are named '{claim.name}', here and at {found[claim.name]}"
            raise SpecError(f"{message}; give their functions names of their own", claim.source)
        found[claim.name] = claim.source


def _refuse_unknown(what: str, names: Sequence[str], known: Sequence[str], claim: traced.Property) -> None:
    for name in names:
        if name not in known:
            raise SpecError(f"{claim.name} names {what} '{name}'; there are {', '.join(known) or 'none'}", claim.source)
