"""The traced model: what every judge works on.

A `Model` is a system under one semantics and one choice of bugs: variables, actions and properties as expressions,
with parameters and quantifiers kept. An `Instance` adds a configuration: sizes of the index sets and limits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from genstamp_model.errors import ConfigurationError, Source, SpecError
from genstamp_model.language import ir
from genstamp_model.language.author import caller
from genstamp_model.language.beginning import MOST, Choice, TooManyError
from genstamp_model.language.given import a, by_name, is_flag, is_name, is_text, refuse_others
from genstamp_model.language.ir import Expr
from genstamp_model.language.trace import ActionParameter, Case, Check, Subset
from genstamp_model.language.types import (
    BOOL,
    ArrayType,
    BagType,
    IndexSet,
    NumberType,
    RefType,
    SequenceType,
    SetType,
    Sizes,
    Type,
    Value,
    misfit,
    nested,
)

_MOST_MEMBERS = 16
"""Of an index set over whose subsets an argument may range."""


@dataclass(frozen=True)
class Variable:
    """A variable of the state; `initial` gives its value for given sizes, `starts` the expressions that it is by.

    `choice` says what else it may begin with; `initial` gives the first value then.
    """

    name: str
    type: Type
    initial: Callable[[Sizes], Value]
    source: Source
    starts: tuple[Expr, ...] = ()
    choice: Choice | None = None

    def initials(self, sizes: Sizes) -> tuple[Value, ...]:
        """All values that it may begin with.

        Raises:
            TooManyError: there are too many.
        """
        return (self.initial(sizes),) if self.choice is None else self.choice.values(sizes)

    def lines(self, sizes: Sequence[Sizes], worded: Callable[[Expr], str]) -> Iterator[str]:
        """What is declared, line by line, for `Model.text`."""
        yield f"variable {self.name}: {self.type} initially {self.initial(sizes[0])}"
        for start in self.starts:
            yield f"  or, of other sizes, {worded(start)}"
        if self.starts:
            # The expressions alone do not say which part of the value begins with which.
            yield f"  as {', '.join(str(self.initial(larger)) for larger in sizes[1:])}"
        if self.choice is not None:
            yield f"  or {self.choice.text(worded)}"


@dataclass(frozen=True)
class Beginning:
    """A condition on the combinations of what variables may begin with."""

    name: str
    condition: Expr
    source: Source


@dataclass(frozen=True)
class Effect:
    """One assignment of a step: the variable's value after it, over the state before it."""

    variable: str
    value: Expr
    source: Source


@dataclass(frozen=True)
class Action:
    """A step: checks in order, then effects, all over the state before the step.

    `refuses` is the exception that the caller gets although the step changes the state (None: it succeeds).
    A check that fails with an exception of its own leaves the state unchanged. `unchanged` says why the step changes
    nothing, where that is declared. `lane` says where the step happens, for pictures: at a member of an index set, or
    at the one node of a name; `caller` is the parameter whose member calls. `declared` is the name of the function, of
    which the action is one way, along these answers to its cases. `marks` names the variations whose marks it met.
    """

    name: str
    event: str
    parameters: tuple[ActionParameter, ...]
    checks: tuple[Check, ...]
    effects: tuple[Effect, ...]
    observations: tuple[tuple[str, Expr], ...]
    hidden: bool
    refuses: str | None
    doc: str
    source: Source
    lane: str | IndexSet | None = None
    unchanged: str = ""
    caller: str | None = None
    declared: str = ""
    cases: tuple[Case, ...] = ()
    marks: tuple[str, ...] = ()

    def leaves_open(self, other: Action) -> bool:
        """Whether both are ways of one declared action that part at a choice which the text leaves open."""
        ways = zip(self.cases, other.cases, strict=False)
        parting = next((mine for mine, its in ways if mine.follows != its.follows), None)
        return self.declared == other.declared and parting is not None and parting.is_open


@dataclass(frozen=True)
class Property:
    """A claim with free index parameters.

    `kind` is invariant, transition, witness or leads_to; `target` is the second condition of a leads_to, `fair` and
    `strongly_fair` the actions assumed so, `again` the conditions that are assumed to hold again and again. "From some
    time on always P" is a leads-to, too: that ~P holds again and again leads to what never is. `inductive` claims must
    be proved, relative to `given`. `vacuous` says why some part cannot fail, where that is declared.
    """

    name: str
    kind: str
    parameters: tuple[ActionParameter, ...]
    condition: Expr
    target: Expr | None
    inductive: bool
    given: tuple[str, ...]
    fair: tuple[str, ...]
    doc: str
    source: Source
    strongly_fair: tuple[str, ...] = ()
    vacuous: str = ""
    again: tuple[Expr, ...] = ()

    @cached_property
    def closed(self) -> Expr:
        """The condition with its parameters quantified: for all, or for some in a witness."""
        op = ir.Op.EXISTS if self.kind == "witness" else ir.Op.FORALL
        result = self.condition
        for parameter in reversed(self.parameters):
            assert isinstance(parameter.domain, IndexSet)
            result = ir.make(op, (result,), BOOL, ir.Binder(parameter.name, parameter.domain))
        return result


@dataclass(frozen=True)
class Observation:
    """The observations of a node about one entity at any time."""

    name: str
    parameters: tuple[ActionParameter, ...]
    value: Expr


@dataclass(frozen=True)
class Refinement:
    """A mapping to an upper model: each of its variables that is not hidden as an expression over this one's state.

    Attributes:
        claim: that every step is a step of the upper model, or none there; one of the model's properties.
        taken: for each upper action that is not unreachable the claim that some step is one, and changes something.
        parameters: the member for which the mapping is, if it is for each member of an index set.
        unreachable: upper actions that no step may be, with the reason.
        hidden: upper variables that the mapping does not give, likewise.
    """

    upper: Model
    mapping: Mapping[str, Expr]
    claim: Property
    taken: tuple[Property, ...]
    parameters: tuple[ActionParameter, ...]
    unreachable: Mapping[str, str]
    hidden: Mapping[str, str]
    source: Source


@dataclass(frozen=True)
class Model:
    """A system, traced.

    Attributes:
        may_stop: where a state without a step is no deadlock; None where deadlock is not looked for.
        may_stop_anywhere: whether that is so because the system says that a run may end anywhere.
        idle: why actions change nothing, and variables are not used, where that is declared.
        beginnings: what holds of initial states, of all combinations of what variables may begin with.
        source: the line of its declaration.
    """

    system: str
    semantics: str
    bugs: tuple[str, ...]
    variables: tuple[Variable, ...]
    actions: tuple[Action, ...]
    properties: tuple[Property, ...]
    limits: tuple[tuple[str, Expr], ...]
    observations: tuple[Observation, ...]
    refinements: tuple[Refinement, ...] = ()
    may_stop: Expr | None = None
    may_stop_anywhere: bool = False
    idle: Mapping[str, str] = field(default_factory=dict)
    source: Source | None = field(default=None, repr=False, compare=False)
    beginnings: tuple[Beginning, ...] = ()

    def refuse_standstill(self) -> None:
        """Refuse a model in which nothing happens: whatever is claimed of it would hold.

        Raises:
            SpecError: it has no action.
        """
        if not self.actions:
            message = f"system {self.system} has no action, so nothing happens; decorate its steps with @action"
            raise SpecError(message, self.source)

    def stopping_nowhere(self) -> Model:
        """The model in which each state without a step is a deadlock, regardless of the system's `may_stop`."""
        return replace(self, may_stop=ir.const(False, BOOL), may_stop_anywhere=False)

    @cached_property
    def chooses(self) -> bool:
        """Whether it may have more than one initial state."""
        return any(variable.choice is not None for variable in self.variables)

    @property
    def says_where_it_may_stop(self) -> bool:
        """Whether its system says so; where it does not, deadlock is not looked for."""
        return self.may_stop is not None or self.may_stop_anywhere

    @property
    def looks_for_deadlock(self) -> str:
        """Whether deadlock is looked for, in words of a verdict."""
        if not self.says_where_it_may_stop:
            return "not looked for"
        return "none, as it may stop anywhere" if self.may_stop_anywhere else "looked for"

    def action(self, name: str) -> Action:
        """An action by name."""
        return next(action for action in self.actions if action.name == name)

    def property(self, name: str) -> Property:
        """A property by name."""
        return next(claim for claim in self.properties if claim.name == name)

    @cached_property
    def types(self) -> dict[str, Type]:
        """Type of each variable by name."""
        return {variable.name: variable.type for variable in self.variables}

    @cached_property
    def index_sets(self) -> tuple[IndexSet, ...]:
        """Every index set that the model mentions, in order of appearance."""
        found: dict[str, IndexSet] = {}
        for index in self._mentioned():
            found.setdefault(index.name, index)
        return tuple(found.values())

    @cached_property
    def sized(self) -> frozenset[str]:
        """Names under which a configuration must size index sets."""
        return frozenset(index.base for index in self.index_sets if not index.only_named)

    def _mentioned(self) -> Iterator[IndexSet]:
        for variable in self.variables:
            yield from index_sets(variable.type)
        for action in self.actions:
            for parameter in action.parameters:
                yield from index_sets(parameter.type)
        for claim in self.properties:
            for parameter in claim.parameters:
                yield from index_sets(parameter.type)

    @cached_property
    def limit_names(self) -> frozenset[str]:
        """Every limit that a configuration must give."""
        found = {name for name, _ in self.limits}
        for variable in self.variables:
            found |= set(limit_names(variable.type))
        return frozenset(found)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the canonical text, in which expressions stand by theirs: equal digests mean the same model."""
        known: dict[int, str] = {}
        return hashlib.sha256("\n".join(self._lines(lambda expr: ir.digest(expr, known))).encode()).hexdigest()

    @cached_property
    def digest_of_steps(self) -> str:
        """The digest of all that is no claim: equal ones mean the same states and steps, which show the same."""
        return replace(self, properties=(), refinements=(), may_stop=None).digest

    def text(self) -> Iterator[str]:
        """The model's canonical text, line by line."""
        return self._lines(ir.text)

    def _lines(self, worded: Callable[[Expr], str]) -> Iterator[str]:
        """A line for everything that is declared; `worded` says how an expression stands there."""
        sizes = [Sizes(dict.fromkeys((index.base for index in self.index_sets), size)) for size in (1, 2, 3)]
        yield f"system {self.system} {self.semantics} {','.join(self.bugs)}"
        yield from (f"{index.name} is {', '.join(index.named)}" for index in self.index_sets if index.only_named)
        for variable in self.variables:
            yield from variable.lines(sizes, worded)
        for beginning in self.beginnings:
            yield f"initially {beginning.name}: {worded(beginning.condition)}"
        for action in self.actions:
            names = ", ".join(f"{p.name} in {p.domain}" for p in action.parameters)
            yield f"action {action.name}({names}) event {action.event} refuses {action.refuses} hidden {action.hidden}"
            for check in action.checks:
                defensive = " defensive" if check.defensive else ""
                yield f"  require {worded(check.condition)} [{check.label}] {check.refuses}{defensive}"
            for effect in action.effects:
                yield f"  {effect.variable}' = {worded(effect.value)}"
            for name, value in action.observations:
                yield f"  shows {name} = {worded(value)}"
        for claim in self.properties:
            target = f" ~> {worded(claim.target)}" if claim.target is not None else ""
            demands = f"inductive {claim.inductive} given {claim.given} fair {claim.fair}"
            if claim.strongly_fair:
                demands += f" strongly fair {claim.strongly_fair}"
            demands += "".join(f" again {worded(one)}" for one in claim.again)
            yield f"{claim.kind} {claim.name}: {worded(claim.closed)}{target} {demands}"
        for name, expression in self.limits:
            yield f"limit {name}: {worded(expression)}"
        for observation in self.observations:
            names = ", ".join(parameter.name for parameter in observation.parameters)
            yield f"observation {observation.name}({names}): {worded(observation.value)}"
        for refinement in self.refinements:
            # A projection's claim says all that it takes from the upper model, of which the rest may change.
            upper = refinement.upper.system if refinement.hidden else refinement.upper.digest
            for name, expression in refinement.mapping.items():
                yield f"refines {upper} {name} = {worded(expression)}"
        if self.may_stop is not None:
            yield f"may stop where {worded(self.may_stop)}"


def index_sets(type_: Type) -> Iterator[IndexSet]:
    """Every index set in a type."""
    return (one.index for one in nested(type_) if isinstance(one, RefType | SetType | ArrayType))


def limit_names(type_: Type) -> Iterator[str]:
    """Names of the limits in a type."""
    limits = (one.limit for one in nested(type_) if isinstance(one, NumberType | SequenceType | BagType))
    return (limit for limit in limits if limit is not None)


@dataclass(frozen=True)
class Configuration:
    """Sizes and limits for one finite search.

    Attributes:
        name: as in `SYSTEM:NAME` on the command line.
        sizes: number of unnamed members by name of the index set.
        limits: largest value by name of the limit; a step beyond is cut off and counted.
        doc: what the configuration is good for.
        on_demand: too large to be checked every time; only where it is asked for by name.
        renumber: a leads-to property that limits leave open is judged once more with ordered numbers by rank, so that
            endless retries become cycles. The system must be one whose numbers can be renumbered.
        source: the line of its declaration.
    """

    name: str
    sizes: Mapping[str, int]
    limits: Mapping[str, int] = field(default_factory=dict)
    doc: str = ""
    on_demand: bool = False
    renumber: bool = False
    source: Source | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.source is None:
            object.__setattr__(self, "source", caller())
        refuse_others("a configuration", self, name=(is_name, "its name in one line without a colon"))
        refuse_others(
            f"configuration {self.name}",
            self,
            sizes=(by_name(a(object)), "{'Node': 2}, a number by index set"),
            limits=(by_name(a(object)), "{'messages': 3}, a number by name"),
            doc=(is_text, "a text"),
            on_demand=(is_flag, "True or False"),
            renumber=(is_flag, "True or False"),
        )


@dataclass(frozen=True)
class Instance:
    """A model in one configuration.

    Raises:
        SpecError: the model has no action.
        ConfigurationError: a size or limit is unknown, missing, or out of range, or the initial state is beyond one.
    """

    model: Model
    configuration: Configuration

    def __post_init__(self) -> None:
        self.model.refuse_standstill()
        given, wanted = self.configuration.sizes, self.model.sized
        _same_names("size", given, wanted, self)
        _same_names("limit", self.configuration.limits, self.model.limit_names, self)
        for name, size in given.items():
            if type(size) is not int or not 1 <= size <= 62:
                raise self._error(f"size {name}={size!r} of configuration {self.configuration.name} must be 1 to 62")
        for name, bound in self.configuration.limits.items():
            if type(bound) is not int or not 0 <= bound < 2**31:
                raise self._error(
                    f"limit {name}={bound!r} of configuration {self.configuration.name} must be 0 to 2147483647"
                )
        self._refuse_many_subsets()
        self._refuse_beginning_beyond()

    def _refuse_many_subsets(self) -> None:
        for action in self.model.actions:
            for parameter in action.parameters:
                if isinstance(parameter.domain, Subset) and self.sizes.of(parameter.domain.index) > _MOST_MEMBERS:
                    index, size = parameter.domain.index.name, self.sizes.of(parameter.domain.index)
                    message = f"'{parameter.name}' of {action.name} ranges over the subsets of {size} members"
                    raise self._error(
                        f"{message} in configuration {self.configuration.name}, each a step of its own; size {index} "
                        f"at {_MOST_MEMBERS} at most"
                    )

    def _error(self, message: str) -> ConfigurationError:
        return ConfigurationError(message, self.configuration.source)

    def _refuse_beginning_beyond(self) -> None:
        """Refuse an initial state that a type or a limit does not allow: nothing would be searched."""
        where = f"configuration {self.configuration.name} of {self.model.system}"
        ways = 1
        for variable in self.model.variables:
            try:
                values = variable.initials(self.sizes)
            except TooManyError as problem:
                raise ConfigurationError(f"'{variable.name}' {problem} in {where}", variable.source) from problem
            for value in values:
                wrong = misfit(value, variable.type, self.sizes, self.limits)
                if wrong:
                    raise ConfigurationError(f"'{variable.name}' is {wrong} initially in {where}", variable.source)
            ways *= len(values)
            if ways > MOST:
                message = f"with '{variable.name}' the system {TooManyError(ways)} in {where}"
                raise ConfigurationError(message, variable.source)
        # Here, because what evaluates a model is built on it.
        from genstamp_model.evaluate import Evaluator

        evaluator = Evaluator(self)
        if not evaluator.initials:
            names = " and ".join(one.name for one in self.model.beginnings)
            message = f"{names} holds in none of the {ways:,} combinations of initial values in {where}"
            raise ConfigurationError(message, self.model.beginnings[0].source)
        for state in evaluator.initials:
            for name in evaluator.beyond(state):
                values = tuple(evaluator.value(expr, state) for known, expr in self.model.limits if known == name)
                raise self._error(
                    f"'{name}' is {values[0]} initially, above its limit {self.limits[name]} in {where}; nothing would "
                    "be searched"
                )

    @cached_property
    def sizes(self) -> Sizes:
        """Sizes of the index sets."""
        return Sizes(self.configuration.sizes)

    @property
    def limits(self) -> Mapping[str, int]:
        """Limits by name."""
        return self.configuration.limits


def _same_names(what: str, given: Mapping[str, int], wanted: frozenset[str] | set[str], instance: Instance) -> None:
    where = f"configuration {instance.configuration.name} of {instance.model.system}"
    known = ", ".join(sorted(wanted)) or "none"
    for name in sorted(set(given) - wanted):
        message = f"{where} gives {what} '{name}', which the system does not have; it has {known}"
        raise ConfigurationError(message, instance.configuration.source)
    for name in sorted(wanted - set(given)):
        raise ConfigurationError(f"{where} needs {what} '{name}'", instance.configuration.source)
