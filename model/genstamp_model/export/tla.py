"""A model as a TLA+ module that a reader of TLA+ can follow, and the configuration that TLC needs to check it.

Kept: quantifiers, parameters, records, the names of actions and properties, labels of checks, documentation and source
lines. Not here: refusals (no step; the exception is in a comment), observations.

The module mentions the protocol alone; what a configuration limits is a section of its own, where each claim is said
again for states within the limits. TLC looks once at states beyond a CONSTRAINT before it turns back, and a search that
counts them would not agree with ours. A step that changes nothing is no step in TLA+: `[][claim]_vars` does not judge
it, and an invariant does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from genstamp_model.export.tla_claims import LIMITS, RANGES, STOPS, Claims, Properties, together
from genstamp_model.export.tla_expressions import Expressions
from genstamp_model.export.tla_layout import WIDTH, Piece, hang, wrapped
from genstamp_model.export.tla_names import MODULES, NONE, VARIABLES, Names, module_name
from genstamp_model.export.tla_numbers import refuse_large
from genstamp_model.export.tla_steps import Steps
from genstamp_model.export.tla_values import choices, literal, named_types, quoted, ranges, type_set
from genstamp_model.language.model import Instance, Variable
from genstamp_model.language.types import EnumType, RecordType

__all__ = [
    "LIMITS",
    "RANGES",
    "STOPS",
    "VARIABLES",
    "Claims",
    "TlaModule",
    "tla",
    "tla_config",
    "together",
]

_HELPERS: Final[dict[str, tuple[tuple[str, ...], list[str]]]] = {
    "Smaller": (("a", "b"), ["Smaller({a}, {b}) == IF {a} <= {b} THEN {a} ELSE {b}"]),
    "Larger": (("a", "b"), ["Larger({a}, {b}) == IF {a} >= {b} THEN {a} ELSE {b}"]),
    "Smallest": (
        ("S", "otherwise", "a", "b"),
        [
            "Smallest({S}, {otherwise}) ==",
            "    IF {S} = {{}} THEN {otherwise} ELSE CHOOSE {a} \\in {S} : \\A {b} \\in {S} : {a} <= {b}",
        ],
    ),
    "Largest": (
        ("S", "otherwise", "a", "b"),
        [
            "Largest({S}, {otherwise}) ==",
            "    IF {S} = {{}} THEN {otherwise} ELSE CHOOSE {a} \\in {S} : \\A {b} \\in {S} : {a} >= {b}",
        ],
    ),
    "First": (
        ("sequence", "S", "Places", "place", "a", "b"),
        [
            "\\* The member of {S} that comes first in a sequence.",
            "First({sequence}, {S}) ==",
            "    IF {S} = {{}} THEN None",
            "    ELSE LET {Places} == {{{place} \\in DOMAIN {sequence} : {sequence}[{place}] \\in {S}}}",
            "         IN  {sequence}[CHOOSE {a} \\in {Places} : \\A {b} \\in {Places} : {a} <= {b}]",
        ],
    ),
    "ElementAt": (
        ("sequence", "place", "otherwise"),
        [
            "\\* Places are counted from 0.",
            "ElementAt({sequence}, {place}, {otherwise}) ==",
            "    IF {place} + 1 \\in DOMAIN {sequence} THEN {sequence}[{place} + 1] ELSE {otherwise}",
        ],
    ),
    "Quotient": (
        ("number", "by"),
        ["Quotient({number}, {by}) == IF {by} > 0 THEN {number} \\div {by} ELSE 0"],
    ),
    "Remainder": (
        ("number", "by"),
        ["Remainder({number}, {by}) == IF {by} > 0 THEN {number} % {by} ELSE 0"],
    ),
    "Rank": (
        ("sequence", "member", "place"),
        [
            "\\* How many members of a sequence come before one.",
            "Rank({sequence}, {member}) ==",
            "    (CHOOSE {place} \\in DOMAIN {sequence} : {sequence}[{place}] = {member}) - 1",
        ],
    ),
    "Successor": (
        ("sequence", "member", "place", "p"),
        [
            "\\* The next member of a sequence, which is a ring.",
            "Successor({sequence}, {member}) ==",
            "    LET {place} == CHOOSE {p} \\in DOMAIN {sequence} : {sequence}[{p}] = {member}",
            "    IN  {sequence}[IF {place} = Len({sequence}) THEN 1 ELSE {place} + 1]",
        ],
    ),
    "Predecessor": (
        ("sequence", "member", "place", "p"),
        [
            "\\* The member of a sequence, which is a ring, that comes before one.",
            "Predecessor({sequence}, {member}) ==",
            "    LET {place} == CHOOSE {p} \\in DOMAIN {sequence} : {sequence}[{p}] = {member}",
            "    IN  {sequence}[IF {place} = 1 THEN Len({sequence}) ELSE {place} - 1]",
        ],
    ),
    "Without": (
        ("sequence", "place"),
        [
            "\\* Places are counted from 0.",
            "Without({sequence}, {place}) ==",
            "    IF {place} + 1 \\in DOMAIN {sequence}",
            "    THEN SubSeq({sequence}, 1, {place}) \\o SubSeq({sequence}, {place} + 2, Len({sequence}))",
            "    ELSE {sequence}",
        ],
    ),
    "DropFirst": (("sequence",), ["DropFirst({sequence}) == SubSeq({sequence}, 2, Len({sequence}))"]),
}
"""Operators of our own, with the names that they bind."""


@dataclass(frozen=True)
class TlaModule:
    """A module, and the meanings of its operators.

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
            lines.append(f"CONSTRAINT {LIMITS}")
        if claims.invariants:
            lines += ["INVARIANTS", *(f"    {name}" for name in claims.invariants)]
        if claims.properties:
            lines += ["PROPERTIES", *(f"    {name}" for name in claims.properties)]
        return "\n".join(lines) + "\n"


def tla(instance: Instance) -> TlaModule:
    """An instance as a TLA+ module. Equal instances give equal text.

    Raises:
        ConfigurationError: TLC has no such large numbers.
    """
    refuse_large(instance.model)
    return _Writer(instance).module()


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

    def module(self) -> TlaModule:
        """The module: what stands first depends on what is used below it, so that it is written last."""
        name = module_name(self.model.system)
        steps = Steps(self.model, self.names, self.expressions)
        properties = Properties(self.instance, self.names, self.expressions, steps)
        body = [*self._start(), *steps.lines(), *properties.lines()]
        if self.is_limited:
            body += properties.limits()
        types = self._types()
        head = [*self._head(name), *types, *self._variables(), *self._helpers()]
        text = "\n".join([*head, *body, "=" * WIDTH]) + "\n"
        return TlaModule(name, text, self._constants(), self.is_limited, properties.claims)

    def _head(self, name: str) -> Iterator[str]:
        model = self.model
        title = f" MODULE {name} "
        dashes = "-" * ((WIDTH - len(title)) // 2)
        yield dashes + title + "-" * (WIDTH - len(title) - len(dashes))
        bugs = f", with {', '.join(model.bugs)}" if model.bugs else ""
        told = f"{model.system}, semantics {model.semantics}{bugs}: written by genstamp."
        yield f"(* {' '.join(told.split()).replace('*)', '* )').replace('(*', '( *')} *)"
        yield f"EXTENDS {', '.join(MODULES)}"
        yield ""
        yield from self._declared_constants()

    def _declared_constants(self) -> Iterator[str]:
        names = self.names
        declared = [(name, f"the members of {index.name}") for index, name in names.sets.items()]
        declared += [(name, "one of them") for name in names.members.values()]
        declared += [(NONE, "no member of any set")] if names.has_none else []
        declared += [(name, f"largest value of {limit}") for limit, name in names.limits.items()]
        if not declared:
            return
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
            members = (self._value(index.root or index.name, place) for place in range(names.sizes.of(index)))
            found[name] = "{" + ", ".join(members) + "}"
        for (root, place), name in names.members.items():
            found[name] = self._value(root, place)
        found |= {NONE: NONE} if names.has_none else {}
        return found | {name: str(self.instance.limits[limit]) for limit, name in names.limits.items()}

    def _value(self, root: str, place: int) -> str:
        """TLC's model value for a member, called as the largest set does: only the root knows the named ones."""
        sizes = self.names.sizes
        known = [index for index in self.names.sets if root in (index.name, index.root)]
        return self.names.value(root, place, sizes.member_name(max(known, key=sizes.of), place))

    def _types(self) -> list[str]:
        """Enumerations and records, each after those that it is made of."""
        found: dict[str, list[str]] = {}
        for type_ in list(self.names.types):
            self._add_type(type_, found)
        return [*(line for lines in found.values() for line in lines), ""] if found else []

    def _add_type(self, type_: EnumType | RecordType, found: dict[str, list[str]]) -> None:
        name = self.names.type(type_)
        if name in found:
            return
        if isinstance(type_, EnumType):
            found[name] = [f"{name} == {{{', '.join(quoted(label) for label in type_.labels)}}}"]
            return
        for _, kind in type_.fields:
            for part in named_types(kind):
                self._add_type(part, found)
        kinds = zip(self.names.fields(type_), type_.fields, strict=True)
        fields = [f"{field} : {type_set(kind, self.names).inline}" for field, (_, kind) in kinds]
        found[name] = hang(f"{name} == [", [*(f"{field}," for field in fields[:-1]), f"{fields[-1]}]"])

    def _variables(self) -> Iterator[str]:
        names = self.names.declared
        yield "VARIABLES"
        yield from (f"    {name}{',' if name != names[-1] else ''}" for name in names)
        yield ""
        yield from hang(f"{VARIABLES} == <<", wrapped([*names], WIDTH - 12), ">>")
        yield ""

    def _helpers(self) -> Iterator[str]:
        for name, (bound, lines) in _HELPERS.items():
            if name in self.expressions.helpers:
                with self.names.binding([(one, (one,)) for one in bound]) as chosen:
                    yield from (line.format(**dict(zip(bound, chosen, strict=True))) for line in lines)
                yield ""

    def _beginning(self, variable: Variable) -> tuple[str, Piece]:
        """What is said of a variable initially."""
        name, values = self.names.variables[variable.name], variable.initials(self.names.sizes)
        if variable.choice is None:
            return f"{name} = ", literal(values[0], variable.type, self.names)
        return f"{name} \\in ", choices(values, variable.type, self.names)

    def _start(self) -> Iterator[str]:
        names = self.names
        initial = [self._beginning(variable) for variable in self.model.variables]
        yield "Init =="
        if not initial:
            yield f"    {names.nothing} = 0"
        for label, value in initial:
            yield from hang(f"    /\\ {label}", value.lines(WIDTH - 7 - len(label)))
        for one in self.model.beginnings:
            yield f"    \\* {one.name}"
            yield from hang("    /\\ ", self.expressions.scoped(one.condition).lines(WIDTH - 7))
        yield ""
        yield "\\* Every variable is of its type, and every number in the range that the protocol claims for it."
        yield f"{RANGES} =="
        if not initial:
            yield f"    {names.nothing} = 0"
        for variable in self.model.variables:
            for demand in ranges(names.variables[variable.name], variable.type, names):
                yield f"    /\\ {demand}"
        yield ""
