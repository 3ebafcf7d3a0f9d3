"""Systems: a choice of parts, with variations and configurations; tracing turns one into a `Model`.

A variation drops labelled checks or replaces actions by those of further parts, and names the property that it must
break. A `Bug` is a historic fault; a `Hole` is what a released version lacks; a `Difference` breaks nothing, and names
what shows it. A semantics is a list of them: what a release does otherwise.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

from genstamp_model.errors import ConfigurationError, Source, SpecError
from genstamp_model.language import ir
from genstamp_model.language import model as traced
from genstamp_model.language.author import authored, caller, is_specification
from genstamp_model.language.constant import is_constant
from genstamp_model.language.declare import (
    BY_PART,
    ActionDeclaration,
    LimitDeclaration,
    ObservationDeclaration,
    Part,
    PropertyDeclaration,
    parameters_of,
)
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Configuration, Instance, Model
from genstamp_model.language.refinement import RefinementDeclaration, refinement
from genstamp_model.language.suspects import Reach
from genstamp_model.language.trace import ActionParameter, OptionalMember, Trace, misuse, tracing
from genstamp_model.language.types import BOOL, INTEGER, IndexSet, RefType, Type, describe, fits
from genstamp_model.language.values import Value, coerce, member_of
from genstamp_model.language.variables import Declared

T = TypeVar("T")


@dataclass(frozen=True)
class Variation:
    """A named change of a system.

    Attributes:
        name: as on the command line.
        title: what changes, in a sentence.
        drops: checks left out, as (action, label).
        parts: parts whose actions replace those of the same name, or are added.
        breaks: names of the properties of which at least one must break.
        configuration: where it must be found.
        depth: length in steps of the shortest counterexample there.
        source: issue and versions, or where it is argued.
        kind: what it is, in a word.
    """

    kind: ClassVar[str] = "variation"

    name: str
    title: str
    drops: tuple[tuple[str, str], ...] = ()
    parts: tuple[type[Part], ...] = ()
    breaks: tuple[str, ...] = ()
    configuration: str = ""
    depth: int = 0
    source: str = ""


@dataclass(frozen=True)
class Bug(Variation):
    """A historic fault."""

    kind: ClassVar[str] = "bug"


@dataclass(frozen=True)
class Hole(Variation):
    """What a released version lacks: the text states the repaired protocol, and a hole takes the repair out.

    Attributes:
        repair: what to change in that version, in a sentence or two.
    """

    kind: ClassVar[str] = "hole"

    repair: str = ""


def ANYWHERE(state: Any) -> bool:
    """As `System.may_stop`: a run may end in any state, and no state is a deadlock."""
    return True


def NOWHERE(state: Any) -> bool:
    """As `System.may_stop`: no run ends, and a state without a step is a deadlock, as for TLC by default."""
    return False


_NUMBERED = re.compile(r"_\d+$")
"""How the name of a quantifier's member ends."""

OTHER_STATES = "other states"
"""What a difference shows where nothing in particular tells it from the text."""


@dataclass(frozen=True)
class Difference(Variation):
    """What a released version does otherwise, by which no promise breaks: `breaks` is empty.

    Attributes:
        shows: what tells it from the text: `witness NAME` of one of its parts, `action NAME`, or `refusal ACTION,
            EXCEPTION: LABEL`, which must be reached in the configuration, and which the system does not have without;
            or `OTHER_STATES`, where there are more states in the configuration, or fewer, than without.
    """

    kind: ClassVar[str] = "difference"

    shows: str = ""


@dataclass(frozen=True)
class System:
    """A system: parts, semantics, bugs, configurations.

    Attributes:
        name: as on the command line.
        parts: the chosen parts; later ones may replace actions of earlier ones.
        configurations: the first is the default.
        limits: those of a configuration that gives no others.
        semantics: by name, what a released version does otherwise: the holes that it has still, the historic faults
            that it has not got rid of, and differences that break nothing.
        default_semantics: the one used unless told otherwise.
        may_stop: where no further step is fine, so that it is no deadlock: a condition, `ANYWHERE` or `NOWHERE`. By
            default nothing is said of it: then deadlock is not looked for, and verdicts say so.
        meets: refusals that are defensive elsewhere and given here, as (action, label): coverage asks for them.
        idle: what its parts have and what does nothing here, by name, with the reason why: actions that change nothing,
            and variables that no action sets or that nothing reads.
        omits: what the system leaves out, a sentence each.
        source: the line of its declaration.

    Raises:
        SpecError: a part or a configuration is none.
    """

    name: str
    parts: Sequence[type[Part]]
    configurations: Sequence[Configuration]
    limits: Mapping[str, int] = field(default_factory=dict)
    doc: str = ""
    semantics: Mapping[str, tuple[Variation, ...]] = field(default_factory=lambda: {"default": ()})
    default_semantics: str = "default"
    bugs: Sequence[Bug] = ()
    refines: Sequence[RefinementDeclaration] = ()
    may_stop: Callable[[Any], Any] | None = None
    meets: Sequence[tuple[str, str]] = ()
    idle: Mapping[str, str] = field(default_factory=dict)
    omits: Sequence[str] = ()
    source: Source = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", caller())
        self._refuse_what_is_none()
        whole = tuple(replace(one, limits={**self.limits, **one.limits}) for one in self.configurations)
        object.__setattr__(self, "configurations", whole)

    def _refuse_what_is_none(self) -> None:
        parts: object = self.parts
        if not isinstance(parts, Sequence) or not all(map(_is_part, parts)):
            raise misuse(f"the parts of system {self.name} are a list of classes derived from Part")
        given: object = self.configurations
        if not isinstance(given, Sequence) or not all(isinstance(one, Configuration) for one in given):
            raise misuse(f"the configurations of system {self.name} are a list of Configuration(...)")

    def configuration(self, name: str | None = None) -> Configuration:
        """A configuration by name, or the default one.

        Raises:
            ConfigurationError: there is none of this name, there are two, or none at all.
        """
        self._refuse_configurations()
        if name is None:
            return self.configurations[0]
        return _named("configuration", name, {c.name: c for c in self.configurations}, self.name)

    @property
    def every_time(self) -> Sequence[Configuration]:
        """The configurations that are searched where none is named.

        Raises:
            ConfigurationError: there is none, so that nothing would be searched, or there are two of one name.
        """
        self._refuse_configurations()
        found = [one for one in self.configurations if not one.on_demand]
        if not found:
            names = ", ".join(one.name for one in self.configurations)
            message = f"every configuration of {self.name} is on demand, so nothing is searched; name one of {names}"
            raise ConfigurationError(message, self.source)
        return found

    def _refuse_configurations(self) -> None:
        if not self.configurations:
            message = (
                f"system {self.name} has no configuration, so nothing is searched; write Configuration('small', ...)"
            )
            raise ConfigurationError(message, self.source)
        names = [one.name for one in self.configurations]
        twice = next((one for i, one in enumerate(self.configurations) if one.name in names[:i]), None)
        if twice is not None:
            message = f"two configurations of system {self.name} are named '{twice.name}'; give each its own name"
            raise ConfigurationError(message, twice.source)

    @property
    def variations(self) -> tuple[Variation, ...]:
        """Every bug, and everything that some semantics does otherwise."""
        holes = (hole for holes in self.semantics.values() for hole in holes)
        return tuple(dict.fromkeys([*self.bugs, *holes]))

    def bug(self, name: str) -> Variation:
        """A bug or hole by name.

        Raises:
            ConfigurationError: there is none of this name.
        """
        return _named("bug", name, {variation.name: variation for variation in self.variations}, self.name)

    def model(self, semantics: str | None = None, bugs: Sequence[str] = ()) -> Model:
        """Trace the system.

        Raises:
            SpecError: the text misuses the language.
            ConfigurationError: the semantics or a bug is unknown.
        """
        chosen = semantics or self.default_semantics
        holes = _named("semantics", chosen, self.semantics, self.name)
        variations = [*holes, *(self.bug(name) for name in bugs)]
        try:
            return _Builder(self, chosen, variations, tuple(bugs)).build()
        except RecursionError as problem:
            message = (
                f"an expression of system {self.name} is too deep; write forall, exists or count in place of loops"
            )
            raise SpecError(message, self.source) from problem

    def instance(
        self, configuration: str | None = None, semantics: str | None = None, bugs: Sequence[str] = ()
    ) -> Instance:
        """The traced system in one configuration."""
        return Instance(self.model(semantics, bugs), self.configuration(configuration))


def _is_part(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Part)


def _named(what: str, name: str, known: Mapping[str, T], system: str) -> T:
    if name not in known:
        raise ConfigurationError(f"{system} has no {what} '{name}'; it has {', '.join(known) or 'none'}")
    return known[name]


class _Builder:
    """Traces one system under some variations."""

    def __init__(self, system: System, semantics: str, variations: Sequence[Variation], bugs: tuple[str, ...]) -> None:
        self.system = system
        self.semantics = semantics
        self.bugs = bugs
        self.variations = variations
        parts = [*system.parts, *(part for v in variations for part in v.parts)]
        _refuse_namesakes(parts)
        self.state = _compose(parts)
        self.variables = self.state.variables()
        self._seen_labels: dict[str, set[str]] = {}
        self.values = {d.name: ir.make(Op.VARIABLE, (), d.type, d.name) for d in self.variables}
        self.reach = Reach(self.state)

    def build(self) -> Model:
        actions = tuple(self._action(declaration) for declaration in self.state.actions())
        self._refuse_unknown_drops()
        self._refuse_unknown_meetings(actions)
        self._refuse_unknown_idlers({action.name for action in actions})
        refinements = tuple(
            self._refinement(declaration) for declaration in self.system.refines if self._is_judged(declaration)
        )
        declared = tuple(self._property(declaration) for declaration in self.state.properties())
        properties = (*declared, *(refinement.claim for refinement in refinements))
        _refuse_two_alike(refinements)
        self._refuse_unknown_breaks({p.name for p in properties})
        for claim in properties:
            _refuse_unknown("property", claim.given, [p.name for p in properties], claim)
            _refuse_unknown("action", claim.fair + claim.strongly_fair, [a.name for a in actions], claim)
        return Model(
            system=self.system.name,
            semantics=self.semantics,
            bugs=self.bugs,
            variables=tuple(traced.Variable(d.name, d.type, d.initial, d.source) for d in self.variables),
            actions=actions,
            properties=properties,
            limits=tuple(self._limit(declaration) for declaration in self.state.limits()),
            observations=tuple(self._observation(declaration) for declaration in self.state.observations()),
            refinements=refinements,
            may_stop=self._may_stop(),
            may_stop_anywhere=self.system.may_stop is ANYWHERE,
            idle=self.system.idle,
            source=self.system.source,
        )

    def _trace(self, may_assign: bool, dropped: frozenset[str] = frozenset()) -> Trace:
        return Trace(dict(self.values), may_assign, dropped=dropped)

    def _traced(self, function: Callable[..., Any], trace: Trace, source: Source, *arguments: Any) -> Any:
        """What a function of the author's returns while it is traced."""
        # To watch costs as much time as to trace. What others write may call what no name in it tells of.
        is_suspect = not is_specification(function) or self.reach.suspects(function)
        with authored(source), tracing(trace, is_suspect=is_suspect):
            return function(*arguments)

    def _action(self, declaration: ActionDeclaration) -> traced.Action:
        dropped = frozenset(label for v in self.variations for name, label in v.drops if name == declaration.name)
        trace = self._trace(True, dropped)
        parameters = parameters_of(declaration.function, 1, declaration.source)
        trace.parameters.extend(parameters)
        members = [member_of(p.expr) for p in parameters]
        result = self._traced(declaration.function, trace, declaration.source, self.state(), *members)
        if result is not None:
            raise SpecError(f"action {declaration.name} returns a value; it should assign instead", declaration.source)
        self._seen_labels[declaration.name] = trace.labels
        if declaration.unchanged and trace.sources:
            name = next(iter(trace.sources))
            message = (
                f"action {declaration.name} is declared unchanged ('{declaration.unchanged}') and assigns '{name}'"
            )
            raise SpecError(message, trace.sources[name])
        effects = tuple(
            traced.Effect(name, value, trace.sources[name])
            for name, value in trace.values.items()
            if value is not self.values[name]
        )
        names = frozenset(parameter.name for parameter in trace.parameters)
        met = {label for name, label in self.system.meets if name == declaration.name}
        checks = [replace(check, defensive=check.defensive and check.label not in met) for check in trace.checks]
        for check in checks:
            _refuse_leak(check.condition, names, check.source)
        for effect in effects:
            _refuse_leak(effect.value, names, effect.source)
        for shown in trace.observations.values():
            _refuse_leak(shown, names, declaration.source)
        return traced.Action(
            name=declaration.name,
            event=declaration.event,
            parameters=tuple(trace.parameters),
            checks=tuple(checks),
            effects=effects,
            observations=tuple(sorted(trace.observations.items())),
            hidden=declaration.hidden,
            refuses=declaration.refuses,
            doc=inspect.getdoc(declaration.function) or "",
            source=declaration.source,
            lane=self.state.lane_of(declaration),
            unchanged=declaration.unchanged,
            caller=self._caller(declaration, parameters),
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
                message = f"caller '{name}' of {declaration.name} is none of its parameters; it has {has}"
                raise SpecError(message, declaration.source)
            return name
        asked = self.state.callers_of(declaration)
        if isinstance(self.state.lane_of(declaration), IndexSet):
            asked |= self._nodes
        first = next(iter(parameters), None)
        is_node = first is not None and isinstance(first.type, RefType) and first.type.index in asked
        return first.name if first is not None and is_node else None

    def _refuse_unknown_breaks(self, known: set[str]) -> None:
        for name in self.bugs:
            for broken in self.system.bug(name).breaks:
                if broken not in known:
                    message = f"{name} breaks property '{broken}', which {self.system.name} does not have"
                    raise SpecError(message, self.system.source)

    def _refuse_unknown_drops(self) -> None:
        for variation in self.variations:
            for name, label in variation.drops:
                known = self._seen_labels.get(name)
                if known is None or label not in known:
                    raise SpecError(
                        f"{variation.name} drops check '{label}' of {name}, which {self.system.name} does not have",
                        self.system.source,
                    )

    def _refuse_unknown_meetings(self, actions: Sequence[traced.Action]) -> None:
        """A variation may have replaced an action whose refusal is met."""
        known = {(action.name, check.label) for action in actions for check in action.checks if check.refuses}
        for name, label in () if self.variations else self.system.meets:
            if (name, label) not in known:
                message = f"{self.system.name} meets '{label}' of {name}, which refuses nothing there"
                raise SpecError(message, self.system.source)

    def _refuse_unknown_idlers(self, actions: set[str]) -> None:
        for name in self.system.idle:
            if name not in actions and name not in self.values:
                raise SpecError(f"{self.system.name} has no action or variable '{name}', which it declares idle")

    def _property(self, declaration: PropertyDeclaration) -> traced.Property:
        states = 2 if declaration.kind == "transition" else 1
        parameters = parameters_of(declaration.function, states, declaration.source)
        for parameter in parameters:
            if isinstance(parameter.domain, OptionalMember):
                message = f"parameter '{parameter.name}' of {declaration.name} may be none, which only an action's can"
                raise SpecError(message, declaration.source)
        arguments: list[Any] = [self.state(), self._next_state()][:states]
        arguments.extend(member_of(p.expr) for p in parameters)
        claim = self._traced(declaration.function, self._trace(False), declaration.source, *arguments)
        if declaration.kind == "leads_to":
            if not (isinstance(claim, tuple) and len(claim) == 2):
                raise SpecError(f"leads_to {declaration.name} must return two conditions", declaration.source)
            condition, target = _condition(claim[0], declaration), _condition(claim[1], declaration)
        else:
            condition, target = _condition(claim, declaration), None
        # "Always followed by" may be claimed from every state on, by a plain True.
        is_from_every_state = target is not None and claim[0] is True
        for part in (None if is_from_every_state else condition, target):
            if part is not None and is_constant(part):
                raise SpecError(
                    f"{declaration.kind} {declaration.name} is the same in every state; write a condition on the state",
                    declaration.source,
                )
        for part in (condition, target):
            if part is not None:
                _refuse_leak(part, frozenset(p.name for p in parameters), declaration.source)
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

    def _observation(self, declaration: ObservationDeclaration) -> traced.Observation:
        parameters = parameters_of(declaration.function, 1, declaration.source)
        members = [member_of(p.expr) for p in parameters]
        value = self._traced(declaration.function, self._trace(False), declaration.source, self.state(), *members)
        if not isinstance(value, Value):
            message = f"observation {declaration.name} returns {value!r}; it should return a value of the state"
            raise SpecError(message, declaration.source)
        _refuse_leak(value.expr, frozenset(parameter.name for parameter in parameters), declaration.source)
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
        members = [member_of(parameter.expr) for parameter in declaration.parameters]
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
        parameters = frozenset(parameter.name for parameter in declaration.parameters)
        for value in mapping.values():
            _refuse_leak(value, parameters, declaration.source)
        return refinement(declaration, upper, mapping)

    def _may_stop(self) -> Expr | None:
        if self.system.may_stop in (None, ANYWHERE):
            return None
        assert self.system.may_stop is not None
        value = self._traced(self.system.may_stop, self._trace(False), self.system.source, self.state())
        return _coerced(value, BOOL, "may_stop", self.system.source)


def _condition(value: object, declaration: PropertyDeclaration) -> Expr:
    return _coerced(value, BOOL, f"{declaration.kind} {declaration.name}", declaration.source)


def _coerced(value: object, type_: Type, what: str, source: Source) -> Expr:
    """The expression of what a function of the author's has returned."""
    if isinstance(value, Value) and fits(value.expr.type, type_):
        return value.expr
    shown = describe(value.expr.type) if isinstance(value, Value) else repr(value)
    plain = (type_ == BOOL and isinstance(value, bool)) or (type_ == INTEGER and type(value) is int)
    if not plain and (value is None or isinstance(value, Value)):
        hint = "; is there a return?" if value is None else ""
        raise SpecError(f"{what} returns {shown}, not {describe(type_)}{hint}", source)
    try:
        return coerce(value, type_)
    except SpecError as error:
        raise SpecError(f"{what} returns {shown}, not {describe(type_)}", source) from error


def _compose(parts: Sequence[type[Part]]) -> type[Part]:
    """One class of all parts; actions of later parts replace those of earlier ones."""
    chosen = [part for part in parts if not any(other is not part and issubclass(other, part) for other in parts)]
    bases = tuple(dict.fromkeys(reversed(chosen)))
    state = type("State", bases, {})
    declared: dict[str, Declared[Any]] = {}
    for base in reversed(state.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, Declared) and declared.setdefault(name, value) is not value:
                raise SpecError(
                    f"variable '{name}' is declared twice, here and at {declared[name].source}", value.source
                )
    assert issubclass(state, Part)
    return state


def _refuse_namesakes(parts: Sequence[type[Part]]) -> None:
    """Refuse what has one name in two parts of which neither inherits from the other: one would vanish."""
    kinds = ActionDeclaration | PropertyDeclaration | LimitDeclaration | ObservationDeclaration
    found: dict[str, tuple[type[Part], Source]] = {}
    for part in parts:
        for base in part.__mro__:
            for name, value in vars(base).items():
                if not isinstance(value, kinds):
                    continue
                other, source = found.setdefault(name, (base, value.source))
                if issubclass(base, other):
                    found[name] = (base, value.source)
                elif not issubclass(other, base):
                    message = f"'{name}' is declared here and at {source}; inherit from {other.__name__} to replace it"
                    raise SpecError(message, value.source)


def _refuse_two_alike(refinements: Sequence[traced.Refinement]) -> None:
    """Refuse two refinements of one name."""
    found: set[str] = set()
    for one in refinements:
        if one.claim.name in found:
            raise SpecError(f"{one.upper.system} is refined twice", one.source)
        found.add(one.claim.name)


def _refuse_unknown(what: str, names: Sequence[str], known: Sequence[str], claim: traced.Property) -> None:
    for name in names:
        if name not in known:
            raise SpecError(
                f"{claim.name} speaks of {what} '{name}'; there are {', '.join(known) or 'none'}", claim.source
            )


def _refuse_leak(expr: Expr, parameters: frozenset[str], source: Source) -> None:
    """Refuse a quantifier's member that is used outside of its quantifier, and a parameter of a member's name."""
    leaked = sorted(expr.free - parameters)
    if leaked:
        raise SpecError(f"'{leaked[0]}' is used outside of the quantifier that it stands for a member of", source)
    if any(_NUMBERED.search(name) for name in parameters):
        bound = {node.data.name for node in ir.walk(expr) if node.op in ir.BINDERS}
        captured = sorted(parameters & bound)
        if captured:
            message = f"parameter '{captured[0]}' has the name of a member that a quantifier here is over; rename it"
            raise SpecError(message, source)
