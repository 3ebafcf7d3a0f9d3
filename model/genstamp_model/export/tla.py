"""A model as a TLA+ module that a reader of TLA+ can follow, and the configuration that TLC needs to check it.

Kept: quantifiers, parameters, records, the names of actions and properties, labels of checks, documentation and source
lines. Left out: refusals (no step; the exception stands in a comment), observations, refinements.

The module speaks of the protocol alone; what a configuration limits is a section of its own, where each claim is said
again for states within the limits. TLC looks once at states beyond a CONSTRAINT before it turns back, and a search that
counts them would not agree with ours. A step that changes nothing is no step in TLA+, so `[][claim]_vars` does not
judge it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from genstamp_model.export.known import Known
from genstamp_model.export.tla_expressions import Expressions
from genstamp_model.export.tla_layout import WIDTH, Lines, Piece, bullets, hang, opened
from genstamp_model.export.tla_names import (
    MODULES,
    NONE,
    VARIABLES,
    Names,
    clean,
    parameter_names,
)
from genstamp_model.export.tla_values import limits, literal, quoted, ranges, type_set
from genstamp_model.language.ir import Expr
from genstamp_model.language.model import Action, Instance, Property
from genstamp_model.language.trace import ActionParameter, Check, MessageOf, OptionalMember, Range
from genstamp_model.language.types import EnumType, IndexSet

RANGES: Final = "TypeOK"
STOPS: Final = "NoDeadlock"
_LIMITS: Final = "WithinLimits"
_BOUNDED: Final = "_within_limits"

_HELPERS: Final = {
    "Smaller": ["Smaller(a, b) == IF a <= b THEN a ELSE b"],
    "Larger": ["Larger(a, b) == IF a >= b THEN a ELSE b"],
    "Smallest": [
        "Smallest(S, otherwise) ==",
        "    IF S = {} THEN otherwise ELSE CHOOSE a \\in S : \\A b \\in S : a <= b",
    ],
    "Largest": [
        "Largest(S, otherwise) ==",
        "    IF S = {} THEN otherwise ELSE CHOOSE a \\in S : \\A b \\in S : a >= b",
    ],
    "First": [
        "\\* The member of S that comes first in a sequence.",
        "First(sequence, S) ==",
        "    IF S = {} THEN None",
        "    ELSE LET Places == {place \\in DOMAIN sequence : sequence[place] \\in S}",
        "         IN  sequence[CHOOSE a \\in Places : \\A b \\in Places : a <= b]",
    ],
    "ElementAt": [
        "\\* Places are counted from 0.",
        "ElementAt(sequence, place, otherwise) ==",
        "    IF place + 1 \\in DOMAIN sequence THEN sequence[place + 1] ELSE otherwise",
    ],
    "DropFirst": ["DropFirst(sequence) == SubSeq(sequence, 2, Len(sequence))"],
}


@dataclass(frozen=True)
class Claims:
    """What TLC is asked to check in one run.

    Attributes:
        invariants: operators of the module.
        properties: temporal formulas of the module.
        specification: the behaviours.
    """

    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    specification: str = "Spec"


@dataclass(frozen=True)
class TlaModule:
    """A module, and what its operators stand for.

    Attributes:
        name: of the module, and so of its file.
        text: the module.
        constants: what the configuration assigns, by name.
        is_limited: whether there is a CONSTRAINT.
        claims: what to ask for to judge a property (for a witness, that it is never seen), by the property's name;
            `RANGES` and `STOPS` included.
    """

    name: str
    text: str
    constants: dict[str, str]
    is_limited: bool
    claims: dict[str, Claims]

    def config(self, claims: Claims) -> str:
        """The text of a configuration that checks some claims."""
        lines = [f"SPECIFICATION {claims.specification}"]
        if self.constants:
            lines += ["CONSTANTS", *(f"    {name} = {value}" for name, value in self.constants.items())]
        if self.is_limited:
            lines.append(f"CONSTRAINT {_LIMITS}")
        if claims.invariants:
            lines += ["INVARIANTS", *(f"    {name}" for name in claims.invariants)]
        if claims.properties:
            lines += ["PROPERTIES", *(f"    {name}" for name in claims.properties)]
        return "\n".join(lines) + "\n"


def together(claims: Sequence[Claims]) -> Claims:
    """Several claims in one run; they are about the same behaviours."""
    specifications = {one.specification for one in claims} or {"Spec"}
    assert len(specifications) == 1, specifications
    return Claims(
        tuple(name for one in claims for name in one.invariants),
        tuple(name for one in claims for name in one.properties),
        specifications.pop(),
    )


def tla(instance: Instance) -> TlaModule:
    """An instance as a TLA+ module. Equal instances give equal text."""
    return _Writer(instance).module()


def tla_module(instance: Instance) -> str:
    """The text of the module, to be written to a file with its name and the ending `.tla`."""
    return tla(instance).text


def tla_config(instance: Instance) -> str:
    """A configuration for TLC that checks all that must hold of every state and step.

    Witnesses and leads-to properties are left out: each needs a run of its own.
    """
    written = tla(instance)
    kinds = {claim.name: claim.kind for claim in instance.model.properties}
    kept = [one for name, one in written.claims.items() if kinds.get(name, "invariant") in ("invariant", "transition")]
    return written.config(together(kept))


class _Writer:
    """Writes one module."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.model = instance.model
        self.names = Names(instance)
        self.expressions = Expressions(self.names)
        self.is_limited = bool(self.model.limit_names)
        self.claims: dict[str, Claims] = {}

    def module(self) -> TlaModule:
        # What stands first depends on what is used below it, so that it is written last.
        name = clean(self.model.system)
        body = [*self._start(), *self._steps(), *self._behaviours(), *self._properties(), *self._limits()]
        types = self._types()
        head = [*self._head(name), *types, *self._variables(), *self._helpers()]
        text = "\n".join([*head, *body, "=" * WIDTH]) + "\n"
        return TlaModule(name, text, self._constants(), self.is_limited, self.claims)

    def _head(self, name: str) -> Iterator[str]:
        model = self.model
        title = f" MODULE {name} "
        dashes = "-" * ((WIDTH - len(title)) // 2)
        yield dashes + title + "-" * (WIDTH - len(title) - len(dashes))
        bugs = f", with {', '.join(model.bugs)}" if model.bugs else ""
        yield f"(* {model.system}, semantics {model.semantics}{bugs}: written by genstamp. *)"
        yield f"EXTENDS {', '.join(MODULES)}"
        yield ""
        yield from self._declared_constants()

    def _declared_constants(self) -> Iterator[str]:
        names = self.names
        declared = [(name, f"the members of {index.name}") for index, name in names.sets.items()]
        declared += [(name, "one of them") for name in names.members.values()]
        declared += [(NONE, "no member of any set")] if names.has_none else []
        declared += [(name, f"largest value of {limit}") for limit, name in names.limits.items()]
        yield "CONSTANTS"
        width = max(len(name) for name, _ in declared) + 1
        for number, (name, said) in enumerate(declared):
            comma = "" if number == len(declared) - 1 else ","
            yield f"    {name + comma:{width}}  \\* {said}"
        yield ""
        for index, name in names.ordered.items():
            members = ", ".join(names.member(index, place) for place in range(names.sizes.of(index)))
            yield f"{name} == <<{members}>>"

    def _constants(self) -> dict[str, str]:
        names = self.names
        found = {}
        for index, name in names.sets.items():
            members = (names.sizes.member_name(index, place) for place in range(names.sizes.of(index)))
            found[name] = "{" + ", ".join(members) + "}"
        for (root, place), name in names.members.items():
            found[name] = self._member_name(root, place)
        found |= {NONE: NONE} if names.has_none else {}
        return found | {name: str(self.instance.limits[limit]) for limit, name in names.limits.items()}

    def _member_name(self, root: str, place: int) -> str:
        """A member as the largest set that has it calls it: only the root knows the named ones."""
        sizes = self.names.sizes
        known = [index for index in self.names.sets if root in (index.name, index.root)]
        return sizes.member_name(max(known, key=sizes.of), place)

    def _types(self) -> list[str]:
        """Enumerations and records, those that others speak of first."""
        names = self.names
        lines: dict[str, list[str]] = {}
        pending = list(names.types)
        while pending:
            for type_ in pending:
                name = names.types[type_]
                if isinstance(type_, EnumType):
                    labels = ", ".join(quoted(label) for label in type_.labels)
                    lines[name] = [f"{name} == {{{labels}}}"]
                else:
                    fields = [f"{field} : {type_set(kind, names).inline}" for field, kind in type_.fields]
                    lines[name] = hang(f"{name} == [", [*(f"{field}," for field in fields[:-1]), f"{fields[-1]}]"])
            pending = [type_ for type_ in names.types if names.types[type_] not in lines]
        # A record's fields mention their types after the record itself, so that the order is turned round.
        return [line for name in reversed(list(lines)) for line in lines[name]] + [""]

    def _variables(self) -> Iterator[str]:
        names = list(self.names.variables.values())
        yield "VARIABLES"
        yield from (f"    {name}{',' if name != names[-1] else ''}" for name in names)
        yield ""
        yield from hang(f"{VARIABLES} == <<", _wrapped([*names], WIDTH - 12), ">>")
        yield ""

    def _helpers(self) -> Iterator[str]:
        for name, lines in _HELPERS.items():
            if name in self.expressions.helpers:
                yield from lines
                yield ""

    def _start(self) -> Iterator[str]:
        names = self.names
        initial = [
            (f"{names.variables[v.name]} = ", literal(v.initial(names.sizes), v.type, names))
            for v in self.model.variables
        ]
        yield "Init =="
        for label, value in initial:
            yield from hang(f"    /\\ {label}", value.lines(WIDTH - 7 - len(label)))
        yield ""
        yield "\\* Every variable is of its type, and every number in the range that the protocol claims for it."
        yield f"{RANGES} =="
        for variable in self.model.variables:
            for demand in ranges(names.variables[variable.name], variable.type, names):
                yield f"    /\\ {demand}"
        yield ""
        self.claims[RANGES] = Claims(invariants=(RANGES,))

    def _steps(self) -> Iterator[str]:
        yield from _rule()
        for action in self.model.actions:
            yield from self._action(action)

    def _action(self, action: Action) -> Iterator[str]:
        wanted = [(parameter.name, _candidates(parameter)) for parameter in action.parameters]
        with self.names.binding(wanted) as parameters:
            yield from self._told(action)
            arguments = f"({', '.join(parameters)})" if parameters else ""
            yield f"{self.names.actions[action.name]}{arguments} =="
            conditions = [check.condition for check in action.checks]
            known = Known(conditions)
            effects = {effect.variable: known.plain(effect.value) for effect in action.effects}
            body = self.expressions.sharing([*conditions, *effects.values()], lambda: self._step(action, effects))
            yield from hang("    ", body.lines(WIDTH - 4))
            yield ""

    def _told(self, action: Action) -> Iterator[str]:
        yield from _comment(action.doc)
        notes = [str(action.source)]
        if action.event != action.name:
            notes.append(f"an outcome of {action.event}")
        if action.refuses is not None:
            notes.append(f"the caller gets {action.refuses}")
        if action.hidden:
            notes.append("nobody sees it")
        yield f"\\* {', '.join(notes)}"

    def _step(self, action: Action, effects: Mapping[str, Expr]) -> Piece:
        parts = [(self.expressions.piece(check.condition), _label(check)) for check in action.checks]
        for variable, value in effects.items():
            parts.append((_assigned(self.names.variables[variable], self.expressions.piece(value)), ""))
        kept = [name for variable, name in self.names.variables.items() if variable not in effects]
        if kept:
            parts.append((_unchanged(kept, all_of_them=not effects), ""))
        inline = " /\\ ".join(part.inline for part, _ in parts)
        return Piece(inline, broken=lambda width: _conjuncts(parts, width), must_break=True)

    def _behaviours(self) -> Iterator[str]:
        yield from _rule()
        yield "Next =="
        for action in self.model.actions:
            yield from hang("    \\/ ", self._some(action, action.parameters).lines(WIDTH - 7))
        yield ""
        yield f"Spec == Init /\\ [][Next]_{VARIABLES}"
        yield ""

    def _some(self, action: Action, chosen: Sequence[ActionParameter]) -> Piece:
        """The action for some of the values of the chosen parameters; the others are bound outside."""
        with self.names.binding([(p.name, _candidates(p)) for p in chosen]) as names:
            arguments = ", ".join(self.names.bound(parameter.name) for parameter in action.parameters)
            text = f"{self.names.actions[action.name]}({arguments})" if arguments else self.names.actions[action.name]
            if not chosen:
                return Piece(text)
            over = [f"{name} \\in {self._domain(p)}" for name, p in zip(names, chosen, strict=True)]
            return opened(f"\\E {', '.join(over)} :", Piece(text))

    def _domain(self, parameter: ActionParameter) -> str:
        match parameter.domain:
            case IndexSet() as index:
                return self.names.set(index)
            case OptionalMember(index=index):
                return f"{self.names.set(index)} \\cup {{{self.names.none()}}}"
            case MessageOf(bag=bag):
                return f"BagToSet({self.names.variables[bag]})"
            case Range(low=low, high=high):
                return f"{low}..{high}"

    def _properties(self) -> Iterator[str]:
        yield from _rule()
        for claim in self.model.properties:
            yield from _comment(claim.doc)
            yield f"\\* {claim.source}{' (a witness: some state shows it)' if claim.kind == 'witness' else ''}"
            if claim.kind == "leads_to":
                yield from self._leads_to(claim)
            else:
                yield from self._claim(claim)
            yield ""
        if self.model.may_stop is not None:
            yield "\\* Where it is fine that nothing more can happen."
            yield from _defined("MayStop", self.expressions.scoped(self.model.may_stop))
            yield ""
            yield from _defined(STOPS, Piece("MayStop \\/ ENABLED Next"))
            yield ""
            self.claims[STOPS] = Claims(invariants=(STOPS,))

    def _claim(self, claim: Property) -> Iterator[str]:
        name = self.names.claims[claim.name]
        yield from _defined(name, self._closed(claim))
        match claim.kind:
            case "invariant":
                self.claims[claim.name] = Claims(invariants=(name,))
            case "witness":
                self.claims[claim.name] = Claims(invariants=(f"never_{name}",))
                yield f"never_{name} == ~{name}"
            case _:
                self.claims[claim.name] = Claims(properties=(f"always_{name}",))
                yield f"always_{name} == [][{name}]_{VARIABLES}"

    def _closed(self, claim: Property) -> Piece:
        quantifier = "\\E" if claim.kind == "witness" else "\\A"
        with self._over(claim) as over:
            body = self.expressions.scoped(claim.condition)
            return opened(f"{quantifier} {over} :", body) if over else body

    def _over(self, claim: Property) -> _Quantified:
        return _Quantified(self, claim.parameters)

    def _leads_to(self, claim: Property) -> Iterator[str]:
        assert claim.target is not None
        name = self.names.claims[claim.name]
        with self._over(claim) as over:
            condition, target = self.expressions.scoped(claim.condition), self.expressions.scoped(claim.target)
            formula = Piece(
                f"({condition.inline}) ~> ({target.inline})",
                broken=lambda width: [
                    *hang("(", condition.lines(width - 2), ")"),
                    *hang("~> (", target.lines(width - 5), ")"),
                ],
            )
            yield from _defined(name, opened(f"\\A {over} :", formula) if over else formula)
        fairness = [*self._fairness("WF", claim.fair), *self._fairness("SF", claim.strongly_fair)]
        yield from _defined(f"FairFor_{name}", bullets("/\\", fairness) if fairness else Piece("TRUE"))
        yield f"SpecFor_{name} == Spec /\\ FairFor_{name}"
        self.claims[claim.name] = Claims(properties=(name,), specification=f"SpecFor_{name}")

    def _fairness(self, kind: str, actions: Sequence[str]) -> Iterator[Piece]:
        """Fairness of each action for each choice of members; messages and numbers may be any."""
        for name in actions:
            action = self.model.action(name)
            outer = [p for p in action.parameters if isinstance(p.domain, IndexSet | OptionalMember)]
            inner = [p for p in action.parameters if p not in outer]
            with self.names.binding([(p.name, _candidates(p)) for p in outer]) as bound:
                fair = Piece(f"{kind}_{VARIABLES}({self._some(action, inner).inline})")
                over = ", ".join(f"{b} \\in {self._domain(p)}" for b, p in zip(bound, outer, strict=True))
                yield opened(f"\\A {over} :", fair) if over else fair

    def _limits(self) -> Iterator[str]:
        if not self.is_limited:
            return
        yield from _rule()
        yield "(* Limits of a search. They are no part of the protocol: TLC gets them as a CONSTRAINT, and judges a"
        yield "   claim within them only. *)"
        yield f"{_LIMITS} =="
        for name, expr in self.model.limits:
            value = self.expressions.scoped(expr)
            yield from hang("    /\\ ", value.lines(WIDTH - 7), f" <= {self.names.limits[name]}")
        for variable in self.model.variables:
            for demand in limits(self.names.variables[variable.name], variable.type, self.names):
                yield f"    /\\ {demand}"
        yield ""
        for name, claim in self.claims.items():
            if name == RANGES or claim.specification != "Spec":
                continue
            for plain in claim.invariants:
                yield f"{plain}{_BOUNDED} == {_LIMITS} => {plain}"
            for plain in claim.properties:
                formula = self.names.claims[name]
                yield f"{plain}{_BOUNDED} == [][{_LIMITS}' => {formula}]_{VARIABLES}"
            self.claims[name] = Claims(
                tuple(f"{plain}{_BOUNDED}" for plain in claim.invariants),
                tuple(f"{plain}{_BOUNDED}" for plain in claim.properties),
            )


class _Quantified:
    """Binds a claim's parameters for the time of a block, and gives what a quantifier says of them."""

    def __init__(self, writer: _Writer, parameters: Sequence[ActionParameter]) -> None:
        self._writer = writer
        self._parameters = parameters
        self._binding = writer.names.binding([(p.name, parameter_names(p.name)) for p in parameters])

    def __enter__(self) -> str:
        names = self._binding.__enter__()
        pairs = zip(names, self._parameters, strict=True)
        return ", ".join(f"{name} \\in {self._writer._domain(p)}" for name, p in pairs)

    def __exit__(self, *problem: object) -> None:
        self._binding.__exit__(None, None, None)


def _candidates(parameter: ActionParameter) -> tuple[str, ...]:
    return ("m",) if isinstance(parameter.domain, MessageOf) else parameter_names(parameter.name)


def _label(check: Check) -> str:
    return check.label if check.refuses is None else f"{check.label}, else {check.refuses}"


def _assigned(name: str, value: Piece) -> Piece:
    label = f"{name}' = "
    return Piece(
        label + value.inline,
        broken=lambda width: hang(label, value.lines(width - len(label))),
        must_break=value.must_break,
    )


def _unchanged(names: Sequence[str], *, all_of_them: bool) -> Piece:
    if all_of_them:
        return Piece(f"UNCHANGED {VARIABLES}")
    if len(names) == 1:
        return Piece(f"UNCHANGED {names[0]}")
    head = "UNCHANGED <<"
    return Piece(
        f"{head}{', '.join(names)}>>", broken=lambda width: hang(head, _wrapped(names, width - len(head) - 2), ">>")
    )


def _conjuncts(parts: Sequence[tuple[Piece, str]], width: int) -> Lines:
    """A list of conjuncts, a comment behind each, or before it where it is long."""
    lines: Lines = []
    for part, comment in parts:
        said = f"  \\* {comment}" if comment else ""
        if not part.must_break and len(part.inline) + len(said) + 3 <= width:
            lines.append(f"/\\ {part.inline}{said}")
        else:
            lines += [f"\\* {comment}"] if comment else []
            lines += hang("/\\ ", part.lines(width - 3))
    return lines


def _defined(name: str, body: Piece) -> Lines:
    if len(name) + 4 + len(body.inline) <= WIDTH and not body.must_break:
        return [f"{name} == {body.inline}"]
    return [f"{name} ==", *hang("    ", body.lines(WIDTH - 4))]


def _comment(text: str) -> Iterator[str]:
    yield from (f"\\* {line}".rstrip() for line in text.strip().splitlines())


def _rule() -> Lines:
    return ["-" * WIDTH, ""]


def _wrapped(names: Sequence[str], width: int) -> Lines:
    """Names with commas, as many on a line as there is room for."""
    lines = [""]
    for number, name in enumerate(names):
        text = name + ("," if number < len(names) - 1 else "")
        if lines[-1] and len(lines[-1]) + 1 + len(text) > width:
            lines.append(text)
        else:
            lines[-1] = f"{lines[-1]} {text}".strip()
    return lines
