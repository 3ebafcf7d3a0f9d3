"""Whether a model treats the members of symmetric sets alike, decided from its text.

Members may be compared for equality, quantified over and stored. An expression made of such forms commutes with every
renaming of members: renaming a state first and computing then gives what computing first and renaming then gives. A
model whose checks, effects, limits and properties are such expressions behaves alike in a state and in the same state
renamed, whether or not its initial state is symmetric: a path from the one is a path from the other, renamed. That is
all that a search by symmetry needs.

Not such are `choose` over such a set, which prefers earlier members; a smallest or largest member; a member that is
written down by its number; and a read of what is not there (through none, of a sequence past its end), where the value
that stands for nothing is a member: the first one. Such a read is accepted where conditions in the text say that it
reads something: earlier checks of the step, other parts of a conjunction, the condition of a `when`. Their consequences
are those of `symmetry_facts`. Everything else is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from genstamp_model.errors import ConfigurationError
from genstamp_model.explore.symmetry import Group
from genstamp_model.explore.symmetry_facts import Facts
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action, Instance
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    BoolType,
    EnumType,
    IndexSet,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
)

# Positions of fields, outermost last: what of a value is used.
Path = tuple[int, ...]

_ARITHMETIC = frozenset({Op.LT, Op.LE, Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MOD, Op.MIN, Op.MAX})
_SHOWN = 60

_BEFORE = "write require({0}, ...) before it"
_ONLY_EQUAL = "compare members with == only"


def refuse_asymmetry(instance: Instance, groups: Sequence[Group]) -> None:
    """Refuse a model that cannot be seen to treat the members of some groups alike.

    Raises:
        ConfigurationError: an action, property or limit prefers a member, or may do so; the message names the line and
            says what to write.
    """
    decision = _Decision(groups)
    for action in instance.model.actions:
        _refuse_in_action(decision, action)
    for where, condition in _claims(instance):
        decision.refuse(where, condition, Facts(), "write when({0}, ..., ...) around it")


def treats_alike(groups: Sequence[Group], condition: Expr) -> bool:
    """Whether a condition can be seen to treat the members of some groups alike."""
    return _Decision(groups).accepts(condition)


def _refuse_in_action(decision: _Decision, action: Action) -> None:
    facts = Facts()
    for check in action.checks:
        where = f"{check.source}: check '{check.label}' of action {action.name}"
        decision.refuse(where, check.condition, facts, _BEFORE)
        facts = facts.given(check.condition)
    for effect in action.effects:
        decision.refuse(f"{effect.source}: action {action.name}", effect.value, facts, _BEFORE)


def _claims(instance: Instance) -> Iterator[tuple[str, Expr]]:
    """Every expression that the search computes beside those of actions, with what it is part of."""
    model = instance.model
    upper = (claim for refinement in model.refinements for claim in refinement.taken)
    for claim in (*model.properties, *upper):
        if claim.kind != "leads_to":
            yield f"{claim.source}: {claim.kind} {claim.name}", claim.closed
    for name, expression in model.limits:
        yield f"{model.source}: limit {name}", expression
    if model.may_stop is not None:
        yield f"{model.source}: the condition under which the system may stop", model.may_stop


@dataclass(frozen=True)
class _Fault:
    """An expression that may prefer a member.

    Attributes:
        words: what the text does.
        cure: what to write instead.
        condition: where it would prefer none, if that is a condition; the cure then has a place for it.
    """

    words: str
    cure: str = ""
    condition: str = ""


class _Decision:
    """Decides expressions over some groups."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self._groups = groups
        self._suspect: dict[Expr, bool] = {}
        self._accepted: dict[tuple[Expr, Path], list[Facts]] = {}

    def refuse(self, where: str, expr: Expr, facts: Facts, cure: str) -> None:
        """Refuse an expression with the first form in it that may prefer a member."""
        fault = self._fault(expr, (), facts)
        if fault is not None:
            mend = fault.cure or cure.format(fault.condition)
            raise ConfigurationError(f"{where} {fault.words}; {mend}, or search without symmetry")

    def accepts(self, expr: Expr) -> bool:
        """Whether nothing in an expression may prefer a member."""
        return self._fault(expr, (), Facts()) is None

    def _fault(self, expr: Expr, path: Path, facts: Facts) -> _Fault | None:
        """What may prefer a member in the part of a value that a path leads to; None if nothing does."""
        if not self._is_suspect(expr):
            return None
        accepted = self._accepted.setdefault((expr, path), [])
        if any(facts.include(fewer) for fewer in accepted):
            return None
        fault = self._own_fault(expr, path, facts) or self._inner_fault(expr, path, facts)
        if fault is None:
            accepted.append(facts)
        return fault

    def _is_suspect(self, expr: Expr) -> bool:
        """Whether some form in an expression might prefer a member, wherever it stands."""
        if expr not in self._suspect:
            for node in ir.walk(expr):
                if node not in self._suspect:
                    below = any(self._suspect[arg] for arg in node.args)
                    self._suspect[node] = below or self._own_fault(node, (), Facts()) is not None
        return self._suspect[expr]

    def _own_fault(self, expr: Expr, path: Path, facts: Facts) -> _Fault | None:
        """A member that the outermost form of an expression may prefer."""
        match expr.op:
            case Op.CONST if self._names_a_number(expr):
                return _Fault(f"writes down the member {_shown(expr)} of a symmetric set", "declare it with named()")
            case Op.INITIAL if not isinstance(expr.type, BoolType | NumberType | EnumType):
                return _Fault("reads the initial state, which may prefer some members", _ONLY_EQUAL)
            case Op.CHOOSE if self._ours(expr.data.over):
                return _Fault(
                    f"chooses the first {expr.data.over.name}, and so prefers some of the members, which are "
                    "declared symmetric",
                    "give the choice as a parameter of the action",
                )
            case Op.RANK | Op.SUCCESSOR | Op.PREDECESSOR if self._is_ours(expr.args[0].type):
                return _Fault(f"asks for the order of the members of a symmetric set in {_shown(expr)}", _ONLY_EQUAL)
            case Op.MINIMUM | Op.MAXIMUM if not _is_numeric(expr.args[1]):
                return _Fault(f"orders members of a symmetric set in {_shown(expr)}", _ONLY_EQUAL)
            case op if op in _ARITHMETIC and not all(map(_is_numeric, expr.args)):
                return _Fault(f"orders members of a symmetric set in {_shown(expr)}", _ONLY_EQUAL)
            case Op.EQ if _is_numeric(expr.args[0]) is not _is_numeric(expr.args[1]):
                return _Fault(f"compares a member of a symmetric set with a number in {_shown(expr)}", _ONLY_EQUAL)
            case Op.AT | Op.SELECT:
                return self._fault_of_read(expr, path, facts)
            case _:
                return None

    def _fault_of_read(self, expr: Expr, path: Path, facts: Facts) -> _Fault | None:
        """A read that may read nothing, and then gives a member."""
        named = self._first_named(_at(expr.type, path))
        if named is None:
            return None
        items, position = expr.args
        if expr.op is Op.AT:
            if facts.is_inside(items, position):
                return None
            shown, condition = f"{_shown(items)}.at({_shown(position)})", _longer(items, position)
        else:
            assert isinstance(items.type, ArrayType) and isinstance(position.type, RefType)
            if facts.is_member(position) and _within(position.type.index, items.type.index):
                return None
            shown, condition = _shown(expr), f"~{_shown(position)}.is_none()"
        words = f"reads {shown}, which gives the first {named} unless {condition}, and {named} is declared symmetric"
        return _Fault(words, condition=condition)

    def _inner_fault(self, expr: Expr, path: Path, facts: Facts) -> _Fault | None:
        """The operands that may prefer a member, each with the facts known at its use."""
        args = expr.args
        match expr.op:
            case Op.AND | Op.OR:
                return self._fault_of_junction(args, facts, holds=expr.op is Op.AND)
            case Op.ITE:
                condition, then, otherwise = args
                return (
                    self._fault(condition, (), facts)
                    or self._fault(then, path, facts.given(condition))
                    or self._fault(otherwise, path, facts.given(condition, False))
                )
            case Op.FIELD:
                return self._fault(args[0], (expr.data, *path), facts)
            case Op.WITH_FIELD if path:
                if path[0] == expr.data:
                    return self._fault(args[1], path[1:], facts)
                return self._fault(args[0], path, facts)
            case Op.RECORD if path:
                return self._fault(args[path[0]], path[1:], facts)
            case Op.STORE:
                # Without a position nothing is stored, whatever the element is.
                stored = self._fault(args[2], (), facts.named(args[1]))
                return stored or self._first_fault(args[:2], facts)
            case Op.MINIMUM | Op.MAXIMUM:
                where, value, default = args
                inside = facts.without(expr.data.name)
                return (
                    self._fault(where, (), inside)
                    or self._fault(value, (), inside.given(where))
                    or self._fault(default, (), facts)
                )
            case op if op in ir.BINDERS:
                *outer, body = args
                return self._first_fault(outer, facts) or self._fault(body, (), facts.without(expr.data.name))
            case _:
                return self._first_fault(args, facts)

    def _first_fault(self, args: Iterable[Expr], facts: Facts) -> _Fault | None:
        return next((fault for arg in args if (fault := self._fault(arg, (), facts))), None)

    def _fault_of_junction(self, args: Sequence[Expr], facts: Facts, *, holds: bool) -> _Fault | None:
        """Of a conjunction, or with `holds` false of a disjunction: each part matters only where the others hold.

        A part may rely on others that were accepted before it, in any order.
        """
        waiting = list(args)
        while waiting:
            accepted = [arg for arg in waiting if self._fault(arg, (), facts) is None]
            if not accepted:
                return self._fault(waiting[0], (), facts)
            for arg in accepted:
                facts = facts.given(arg, holds)
            waiting = [arg for arg in waiting if arg not in accepted]
        return None

    def _ours(self, index: IndexSet | RecordType) -> bool:
        return isinstance(index, IndexSet) and any(group.has(index) for group in self._groups)

    def _is_ours(self, type_: Type) -> bool:
        return isinstance(type_, RefType) and self._ours(type_.index)

    def _first_named(self, type_: Type) -> str | None:
        """The index set whose first member the value that stands for nothing names, if it names one."""
        match type_:
            case RefType(index=index, optional=False):
                return index.name if self._ours(index) else None
            case RecordType(fields=fields):
                return next((name for _, kind in fields if (name := self._first_named(kind))), None)
            case ArrayType(element=element):
                return self._first_named(element)
            case _:
                return None

    def _names_a_number(self, constant: Expr) -> bool:
        """Whether a constant names an unnamed member."""
        match constant.type:
            case RefType(index=index):
                return self._ours(index) and isinstance(constant.data, int)
            case SetType(index=index):
                return self._ours(index) and bool(constant.data)
            case RecordType() | ArrayType():
                return True
            case SequenceType() | BagType():
                return bool(constant.data)
            case _:
                return False


def _at(type_: Type, path: Path) -> Type:
    for position in path:
        assert isinstance(type_, RecordType)
        type_ = type_.fields[position][1]
    return type_


def _within(given: IndexSet, wanted: IndexSet) -> bool:
    """Whether every member of one set has a position in the other."""
    return given == wanted or given.root == wanted.name


def _is_numeric(expr: Expr) -> bool:
    """Whether the order of an expression's values has nothing to do with members."""
    return isinstance(expr.type, NumberType | BoolType | EnumType)


def _longer(sequence: Expr, position: Expr) -> str:
    """The condition under which a sequence has an element at a position, of the sequence before the step if it can."""
    dropped = 0
    while sequence.op in (Op.DROP_FIRST, Op.APPEND) and position.op is Op.CONST:
        dropped += 1 if sequence.op is Op.DROP_FIRST else -1
        sequence = sequence.args[0]
    return f"{_shown(sequence)}.size() > {position.data + dropped if dropped else _shown(position)}"


def _shown(expr: Expr) -> str:
    """An expression as it is written, if it is short."""
    text = ir.beginning(expr, _SHOWN + 1, {})
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
