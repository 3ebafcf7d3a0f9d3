"""What is being traced right now: the state as it stands after the effects so far, and the checks met on the way.

An action is an ordinary function that runs once with symbolic state. Reading gives expressions over the state before
the step; assigning replaces a variable's expression, so that later reads see it (a step is atomic: only its end
counts). This module knows no syntax; `values` and `declare` put Python's operators and attributes on top of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from genstamp_model.errors import Source, SpecError
from genstamp_model.language import ir, suspects
from genstamp_model.language.author import caller
from genstamp_model.language.constant import is_constant
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.types import BagType, EnumType, IndexSet, RecordType, RefType, Sizes, Type, Value


def misuse(message: str) -> SpecError:
    """An error at the author's line, to be raised.

    The functions being traced keep it: an author's `except` cannot make it unsaid, because what was traced after it
    would be one of the ways through the function, taken for the only one.
    """
    error = SpecError(message, caller())
    for trace in _open:
        trace.refuse(error)
    return error


@dataclass(frozen=True)
class MessageOf:
    """Domain of a parameter: the distinct messages in a bag before the step."""

    bag: str


@dataclass(frozen=True)
class Range:
    """Domain of a parameter: the numbers from `low` to `high`, both included, or the labels at these positions."""

    low: int
    high: int


@dataclass(frozen=True)
class OptionalMember:
    """Domain of a parameter: the members of an index set, and none."""

    index: IndexSet


@dataclass(frozen=True)
class Subset:
    """Domain of a parameter: the subsets of an index set, in the order of the numbers whose bits are the members."""

    index: IndexSet


Domain = IndexSet | OptionalMember | MessageOf | Range | Subset


def values_of(domain: IndexSet | OptionalMember | Range | Subset, sizes: Sizes) -> Sequence[Value]:
    """What a parameter ranges over in every state."""
    match domain:
        case IndexSet() as index:
            return range(sizes.of(index))
        case OptionalMember(index=index):
            return [*range(sizes.of(index)), None]
        case Range(low=low, high=high):
            return range(low, high + 1)
        case Subset(index=index):
            return [subset(bits) for bits in range(1 << sizes.of(index))]


def subset(bits: int) -> frozenset[int]:
    """The set of the positions of a number's bits."""
    return frozenset(i for i in range(bits.bit_length()) if bits >> i & 1)


@dataclass(frozen=True)
class ActionParameter:
    """A parameter of an action, with the values that it ranges over."""

    name: str
    type: Type
    domain: Domain

    @property
    def constants(self) -> list[Expr]:
        """The values of a `Range`, as expressions."""
        assert isinstance(self.domain, Range)
        values = range(self.domain.low, self.domain.high + 1)
        return [ir.const(i, self.type) if isinstance(self.type, EnumType) else ir.number(i) for i in values]

    @property
    def expr(self) -> Expr:
        """The parameter as an expression."""
        return ir.make(Op.PARAMETER, (), self.type, self.name)


@dataclass(frozen=True)
class Check:
    """A condition of a step, in the order in which the protocol checks.

    `refuses` names the exception that the caller gets when this is the first check that fails; None means that the step
    just cannot happen. `lifecycle` checks come from firing an event. Coverage does not require that a `defensive` check
    fails somewhere; a system in which it does says so (`System.meets`). `mark` names the variation that does not have
    the check.
    """

    condition: Expr
    label: str
    refuses: str | None
    source: Source
    lifecycle: bool = False
    defensive: bool = False
    mark: str = ""


@dataclass(frozen=True)
class Case:
    """A place where an action goes one of two ways, and which of them this trace goes.

    `is_open` says that both ways are open in every state, `is_only` that there is no other: only a name is given.
    `place` is how many checks come before it; if it is neither, the check of its condition is the next one.
    """

    name: str
    label: str
    follows: bool
    is_open: bool
    is_only: bool
    refuses: str | None
    unchanged: str
    source: Source
    place: int = 0


_MOST_CASES = 100
"""A way through more cases than these does not end."""


@dataclass
class Trace:
    """One function being traced: an action (which may assign), or a property (which may not).

    Attributes:
        values: current expression of each variable, in order of declaration.
        sources: line of the last assignment of each variable assigned.
        scopes: the quantifiers that are open, outermost first; how many there are names their bound variables.
        is_again: the function of a quantifier is called for the second time.
        refusal: the first misuse of the language that was met, if any.
        answers: whether the first cases are followed; those met later are.
        left_out: names of the variations whose marked lines are left out.
        marks: the marks that were met, as (variation, kind of mark), shared by all traces of a system.
        marked: the variations of the marks that this trace has met.
    """

    values: dict[str, Expr]
    may_assign: bool
    checks: list[Check] = field(default_factory=list)
    parameters: list[ActionParameter] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    observations: dict[str, Expr] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    labels: set[str] = field(default_factory=set)
    scopes: tuple[ir.Binder, ...] = ()
    is_again: bool = False
    refusal: SpecError | None = None
    answers: tuple[bool, ...] = ()
    cases: list[Case] = field(default_factory=list)
    left_out: frozenset[str] = frozenset()
    marks: dict[tuple[str, str], Source] = field(default_factory=dict)
    marked: set[str] = field(default_factory=set)

    def refuse(self, error: SpecError) -> SpecError:
        """Keep a misuse, to be raised; the first one counts."""
        self.refusal = self.refusal or error
        return error

    def read(self, variable: str) -> Expr:
        """The variable's value after the effects so far."""
        return self.values[variable]

    def write(self, variable: str, value: Expr) -> None:
        """Assign a whole variable."""
        if not self.may_assign:
            raise misuse(f"a property cannot assign '{variable}'; assign in an action")
        if self.scopes:
            raise misuse(f"'{variable}' is assigned inside a quantifier; write s.{variable}.update(lambda i: value)")
        self.values[variable] = value
        self.sources[variable] = caller()

    def check(
        self,
        condition: Expr,
        label: str,
        refuses: str | None,
        *,
        lifecycle: bool = False,
        defensive: bool = False,
        mark: str = "",
    ) -> None:
        """Add a check, unless a variation drops the one with this label."""
        if self.scopes:
            raise misuse(f"check '{label}' is inside a quantifier; write require(forall(...), ...)")
        if not lifecycle and not self.may_assign:
            raise misuse(f"check '{label}' is in a property; return the condition instead")
        if not lifecycle and self.sources:
            raise misuse(f"check '{label}' comes after an assignment; checks must precede effects")
        if not lifecycle and label in self.labels:
            raise misuse(f"two checks are labelled '{label}'; give each its own label")
        if not lifecycle and is_constant(condition):
            raise misuse(
                f"check '{label}' has the same value in every state; write a condition on the state or a parameter"
            )
        self.labels.add(label)
        if label not in self.dropped:
            # A check before the last answer was met on the way before, whose refusal it is.
            refuses = None if len(self.asked) < len(self.answers) else refuses
            self.checks.append(Check(condition, label, refuses, caller(), lifecycle, defensive, mark))

    @property
    def asked(self) -> list[Case]:
        """The cases that have another way."""
        return [case for case in self.cases if not case.is_only]

    def case(
        self,
        name: str,
        condition: Expr | None,
        label: str,
        otherwise: str,
        refuses: str | None,
        unchanged: str,
        mark: str = "",
    ) -> bool:
        """Whether this trace goes the way of a case, with the check that it does or does not; None: both are open."""
        if len(self.asked) == _MOST_CASES:
            raise misuse(f"case '{name}' follows {_MOST_CASES} other cases; a case cannot be in a loop")
        if label in self.dropped:
            self.labels.add(label)
            return False
        number, place = len(self.asked), len(self.checks)
        follows = self.answers[number] if number < len(self.answers) else True
        if condition is not None:
            other = condition.args[0] if condition.op is Op.NOT else ir.negation(condition)
            self.check(*((condition, label) if follows else (other, otherwise)), None, mark=mark)
        elif not self.may_assign or self.scopes:
            raise misuse(f"the choice '{name}' is in a property or a quantifier; only an action can choose")
        self.labels.add(label)
        self.cases.append(Case(name, label, follows, condition is None, False, refuses, unchanged, caller(), place))
        return follows

    def way(self, name: str, refuses: str | None, unchanged: str) -> None:
        """Name the way that this trace goes now."""
        self.cases.append(Case(name, "", True, False, True, refuses, unchanged, caller(), len(self.checks)))

    def leaves_out(self, **marks: str | None) -> bool:
        """Whether a line is left out, by its marks: the kind of a mark, and the variation that it names."""
        for kind, variation in marks.items():
            if variation is not None:
                self.marks.setdefault((variation, kind), caller())
                self.marked.add(variation)
        return not self.left_out.isdisjoint(marks.values())

    def choose_message(self, bag: str) -> Expr:
        """A fresh parameter that ranges over the messages of a bag."""
        if not self.may_assign:
            raise misuse(
                f"only an action can receive from '{bag}'; a property says s.{bag}.every(...) or s.{bag}.some(...)"
            )
        bag_type = self.values[bag].type
        assert isinstance(bag_type, BagType)
        if self.values[bag].op is not Op.VARIABLE:
            raise misuse(f"'{bag}' was changed in this step before it is received from; receive first")
        name = bag if all(p.name != bag for p in self.parameters) else f"{bag}{len(self.parameters)}"
        return self._add(ActionParameter(name, bag_type.message, MessageOf(bag)))

    def choose(self, name: str, type_: Type, domain: Domain) -> Expr:
        """A fresh parameter that ranges over numbers, members, subsets or labels."""
        if not self.may_assign:
            raise misuse(f"only an action can pick '{name}'; a property quantifies over an index set")
        return self._add(ActionParameter(name, type_, domain))

    def _add(self, parameter: ActionParameter) -> Expr:
        if self.scopes:
            raise misuse(f"'{parameter.name}' is picked or received inside a quantifier; do it once, before it")
        if any(known.name == parameter.name for known in self.parameters):
            raise misuse(f"this action already has a parameter '{parameter.name}'; pick under another name")
        self.parameters.append(parameter)
        return parameter.expr


_open: list[Trace] = []


@contextmanager
def tracing(trace: Trace, *, is_suspect: bool = False) -> Iterator[Trace]:
    """Make a trace the current one for the time of a block.

    Args:
        trace: it.
        is_suspect: what is traced may look at Python's objects in place of values of the state.

    Raises:
        SpecError: the language was misused in the block, even if its author's code has caught the error.
    """
    _open.append(trace)
    try:
        with suspects.watched(trace.refuse, lambda: list(trace.values.values())) if is_suspect else nullcontext():
            yield trace
    finally:
        _open.pop()
    if trace.refusal is not None:
        raise trace.refusal


def is_open() -> bool:
    """Whether something is being traced."""
    return bool(_open)


def current() -> Trace:
    """The trace that is open; a `SpecError` where nothing is traced."""
    if not _open:
        raise misuse("this can only be used inside an action or a property of a part")
    return _open[-1]


@contextmanager
def binding(over: IndexSet | RecordType) -> Iterator[tuple[ir.Binder, Expr]]:
    """Open a quantifier: its binder, and the bound variable as an expression."""
    trace = current()
    name = f"{over.name.lower()}_{len(trace.scopes)}"
    type_: Type = RefType(over) if isinstance(over, IndexSet) else over
    around, binder = trace.scopes, ir.Binder(name, over)
    trace.scopes = (*around, binder)
    try:
        yield binder, ir.make(Op.PARAMETER, (), type_, name)
    finally:
        trace.scopes = around


def outermost() -> Trace | None:
    """The trace of the action or property that is traced, and not of an attempt in it; None where nothing is traced."""
    return _open[0] if _open else None


def scopes() -> tuple[ir.Binder, ...]:
    """The quantifiers that are open now, outermost first; none where nothing is traced."""
    return _open[-1].scopes if _open else ()


def refuse_outside(expr: Expr, made_in: tuple[ir.Binder, ...]) -> None:
    """Refuse an expression of a member that is used when its quantifier is closed.

    The next quantifier over the same set gives its member the same name, and would take this one for its own.

    Args:
        expr: the expression.
        made_in: the quantifiers that were open when it was made.
    """
    now = scopes()
    closed = next((i for i, binder in enumerate(made_in) if i >= len(now) or now[i] is not binder), len(made_in))
    leaked = sorted(expr.free & {binder.name for binder in made_in[closed:]})
    if leaked:
        raise misuse(f"'{leaked[0]}' is the member of a quantifier and is used outside it")
