"""Refinements: every step of a system is a step of an upper one, or changes nothing there.

A mapping gives each variable of the upper system as an expression over the lower one's state. Substituted for the upper
variables, before a step and after it, it turns "this step is one of the upper system's" into an ordinary transition
property of the lower system: some upper action, with some arguments, passes its checks, and its effects are what the
mapping gives after the step. So every judge of transition properties judges refinements.

A projection gives some of the upper variables only: `genstamp_model.language.projection` says what is judged then.

Not here: that the initial state is mapped to the upper one's, which needs sizes (`genstamp_model.refinement`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from genstamp_model.errors import Source, SpecError
from genstamp_model.language import ir
from genstamp_model.language import model as traced
from genstamp_model.language.given import by_name, is_text, refuse_others, several
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.members import Index
from genstamp_model.language.parameters import is_index
from genstamp_model.language.projection import Projected, rests_on, told
from genstamp_model.language.rebound import refuse_twins
from genstamp_model.language.trace import ActionParameter, MessageOf, OptionalMember, Range, Subset
from genstamp_model.language.types import BOOL, ArrayType, IndexSet, NumberType, RecordType, RefType, Type
from genstamp_model.language.values import Value

if TYPE_CHECKING:
    from genstamp_model.language.system import System

_MOST_NUMBERS: Final = 64
"""Numbers that a pick may range over where it cannot be read off what the step does."""


@dataclass(frozen=True)
class RefinementDeclaration:
    """Every step is a step of an upper system, or none there; judged as the transition property `refines UPPER`.

    Attributes:
        upper: the upper system, under its default semantics.
        mapping: each of its variables as a function of this one's state, and of a member where there is `each`.
        each: the index set for each of whose members the mapping must hold: each file is such a file.
        hidden: upper variables that the mapping does not give, with the reason why: any values will do. Upper actions
            that change no other variable are none.
        unreachable: upper actions that no step is, with the reason why; a step that is one breaks the property.
        inductive, given: as of a transition property.
    """

    upper: System
    mapping: Mapping[str, Callable[..., Value | bool | int]]
    each: type[Index] | None = None
    hidden: Mapping[str, str] = field(default_factory=dict)
    unreachable: Mapping[str, str] = field(default_factory=dict)
    inductive: bool = False
    given: tuple[str, ...] = ()
    source: Source = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        frame = sys._getframe(2)  # below this and the generated __init__: the author's
        object.__setattr__(self, "source", Source(frame.f_code.co_filename, frame.f_lineno))
        refuse_others(
            "a refinement",
            self,
            upper=(lambda value: hasattr(value, "configurations"), "the upper System"),
            mapping=(by_name(callable), "{'name': lambda s: s.name}, a function by upper variable"),
            each=(lambda value: value is None or is_index(value), "a class derived from Index"),
            hidden=(by_name(is_text), "{'name': 'why'}"),
            unreachable=(by_name(is_text), "{'action': 'why'}"),
            given=(several(is_text), "the names of properties"),
        )
        refuse_twins(self.mapping, "the mappings of ", self.source)

    @property
    def name(self) -> str:
        """The name of the property."""
        return f"refines {self.upper.name}"

    @property
    def parameters(self) -> tuple[ActionParameter, ...]:
        """The member for which the mapping is, if there is one."""
        if self.each is None:
            return ()
        index = self.each.set
        return (ActionParameter(f"each_{index.name.lower()}", RefType(index), index),)


def refinement(
    declaration: RefinementDeclaration, upper: traced.Model, mapping: Mapping[str, Expr]
) -> traced.Refinement:
    """The refinement with its claims.

    Args:
        declaration: as the system declares it.
        upper: the upper system, traced.
        mapping: each of its variables over this one's state, in its order.

    Raises:
        SpecError: an action is named that there is not, or a pick that ranges over too many numbers.
    """
    for name in declaration.unreachable:
        if name not in {action.name for action in upper.actions}:
            known = ", ".join(action.name for action in upper.actions)
            raise SpecError(f"there is no action '{name}' of {upper.system}; it has {known}", declaration.source)
    for name in declaration.hidden:
        if name not in upper.types or name in declaration.mapping:
            raise SpecError(
                f"'{name}' is hidden, but is not a variable of {upper.system} or is mapped", declaration.source
            )
    steps = _Steps(declaration, upper, mapping)
    taken = {a.name: steps.taken(a) for a in upper.actions if a.name not in declaration.unreachable and steps.shows(a)}
    claim = _property(
        declaration,
        declaration.name,
        "transition",
        ir.disjunction([steps.stutter, *taken.values()]),
        f"Every step is a step of {upper.system}, or changes nothing there{steps.but}.",
        inductive=declaration.inductive,
        given=declaration.given,
    )
    witnesses = tuple(
        _property(
            declaration,
            f"{upper.system}.{action}",
            "witness",
            ir.conjunction([ir.negation(steps.stutter), condition]),
            f"Some step is {action} of {upper.system}, and changes something there.",
        )
        for action, condition in taken.items()
    )
    return traced.Refinement(
        upper,
        mapping,
        claim,
        witnesses,
        declaration.parameters,
        dict(declaration.unreachable),
        dict(declaration.hidden),
        declaration.source,
    )


def _property(
    declaration: RefinementDeclaration,
    name: str,
    kind: str,
    condition: Expr,
    doc: str,
    *,
    inductive: bool = False,
    given: tuple[str, ...] = (),
) -> traced.Property:
    return traced.Property(
        name=name,
        kind=kind,
        parameters=declaration.parameters,
        condition=condition,
        target=None,
        inductive=inductive,
        given=given,
        fair=(),
        doc=doc,
        source=declaration.source,
    )


class _Steps:
    """The upper system's steps as conditions over a lower state and the next one."""

    def __init__(self, declaration: RefinementDeclaration, upper: traced.Model, mapping: Mapping[str, Expr]) -> None:
        self._declaration = declaration
        self._upper = upper
        self._before = dict(mapping)
        self._after = {name: _next(value) for name, value in mapping.items()}
        self._substituted: dict[Expr, Expr] = {}
        self._hidden = frozenset(declaration.hidden)

    @property
    def but(self) -> str:
        """The subjects that the claim does not cover, as text."""
        return f", whatever {', '.join(self._declaration.hidden)} may be" if self._hidden else ""

    def shows(self, action: traced.Action) -> bool:
        """The action may change a variable that is mapped."""
        return not self._hidden or any(effect.variable not in self._hidden for effect in action.effects)

    @property
    def stutter(self) -> Expr:
        """The mapping gives the same before and after."""
        return _all(_equal(self._after[name], value) for name, value in self._before.items())

    def taken(self, action: traced.Action) -> Expr:
        """The step is one of this action, for some arguments."""
        effects = {effect.variable: effect.value for effect in action.effects}
        parts = self._projected(action, effects) if self._hidden else self._whole(action, effects)
        condition = _all(parts)
        for parameter in reversed(action.parameters):
            condition = self._some(action, parameter, effects, condition)
        return condition

    def _whole(self, action: traced.Action, effects: Mapping[str, Expr]) -> list[Expr]:
        """The checks hold, and every variable gets the value of its effect."""
        parts = [self._here(check.condition) for check in action.checks]
        for variable in self._upper.variables:
            after = self._after[variable.name]
            if variable.name in effects:
                parts.append(_equal(after, self._here(effects[variable.name])))
                parts.extend(_in_range(after, variable.type, variable.name))
            else:
                parts.append(_equal(after, self._before[variable.name]))
        return parts

    def _projected(self, action: traced.Action, effects: Mapping[str, Expr]) -> list[Expr]:
        """The same for some values of the hidden variables, bounded from above."""
        checks = [check.condition for check in action.checks]
        known = told(checks, effects, self._after, self._hidden, self._here)
        unknown = frozenset(
            p.name for p in action.parameters if isinstance(p.domain, MessageOf) and p.domain.bag in self._hidden
        )
        values = {**self._before, **known}
        rule = Projected(
            self._hidden - known.keys(),
            unknown,
            lambda expr: _rebuilt(expr, lambda node: values[node.data] if node.op is Op.VARIABLE else None),
            _equal,
        )
        parts = [rule.possible(condition) for condition in checks]
        for variable in self._upper.variables:
            after = self._after.get(variable.name)
            if after is None:
                continue
            if variable.name in effects:
                parts.append(rule.becomes(after, effects[variable.name]))
                parts.extend(_in_range(after, variable.type, variable.name))
            else:
                parts.append(_equal(after, self._before[variable.name]))
        return parts

    def _some(self, action: traced.Action, parameter: ActionParameter, effects: Mapping[str, Expr], body: Expr) -> Expr:
        """The body for some value of a parameter."""
        name = parameter.name
        match parameter.domain:
            case IndexSet() as index:
                return ir.make(Op.EXISTS, (body,), BOOL, ir.Binder(name, index))
            case OptionalMember(index=index):
                nobody = with_parameters(body, {name: ir.const(None, parameter.type)})
                return ir.disjunction([ir.make(Op.EXISTS, (body,), BOOL, ir.Binder(name, index)), nobody])
            case MessageOf(bag=bag) if bag in self._hidden:
                return body
            case MessageOf(bag=bag):
                assert isinstance(parameter.type, RecordType)
                binder = ir.Binder(name, parameter.type)
                return ir.make(Op.EXISTS_IN, (self._before[bag], body), BOOL, binder)
            case Range() | Subset() as domain:
                for variable, effect in effects.items():
                    if variable not in self._after or rests_on(effect, self._hidden):
                        continue
                    picked = _read_off(self._here(effect), self._after[variable], name)
                    if picked is not None:
                        bounds = _in_range(picked, parameter.type, name)
                        return _all([*bounds, with_parameters(body, {name: picked})])
                if isinstance(domain, Subset) or domain.high - domain.low >= _MOST_NUMBERS:
                    many = "subsets" if isinstance(domain, Subset) else f"{domain.high - domain.low + 1} numbers"
                    raise SpecError(
                        f"action {action.name} of {self._upper.system} picks '{name}' from {many}, and no variable is "
                        "assigned just what is picked: a refinement cannot try them all",
                        self._declaration.source,
                    )
                return ir.disjunction([with_parameters(body, {name: one}) for one in parameter.constants])

    def _here(self, expr: Expr) -> Expr:
        """An upper expression, over the lower state before the step."""
        found = self._substituted.get(expr)
        if found is None:
            found = self._substituted[expr] = _rebuilt(
                expr, lambda node: self._before[node.data] if node.op is Op.VARIABLE else None
            )
        return found


def _next(expr: Expr) -> Expr:
    """The expression over the state after the step."""
    return _rebuilt(expr, lambda n: ir.make(Op.NEXT, (), n.type, n.data) if n.op is Op.VARIABLE else None)


def with_parameters(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """The expression with values for free parameters."""
    return _rebuilt(expr, lambda node: values.get(node.data) if node.op is Op.PARAMETER else None)


def _rebuilt(expr: Expr, leaf: Callable[[Expr], Expr | None]) -> Expr:
    """The expression with some leaves replaced.

    No name is captured: a parameter that is replaced is bound nowhere below, because bound variables are numbered and
    arguments are not; and what takes the place of a leaf has no free parameter but the `each` of the mapping.
    """
    found: dict[Expr, Expr] = {}
    for node in ir.walk(expr):
        new = leaf(node)
        if new is None:
            args = tuple(found[arg] for arg in node.args)
            new = node if args == node.args else _made(node, args)
        found[node] = new
    return found[expr]


def _made(node: Expr, args: tuple[Expr, ...]) -> Expr:
    """A node like another one with other operands, without what is true of anything."""
    match node.op:
        case Op.SELECT if isinstance(args[0].type, ArrayType):
            return ir.select(*args)
        case Op.FIELD:
            return ir.field(args[0], node.data)
        case Op.EQ:
            return _equal(*args)
        case Op.AND:
            return _all(args)
        case op:
            return ir.make(op, args, node.type, node.data)


def _equal(left: Expr, right: Expr) -> Expr:
    same_constant = left.op is right.op is Op.CONST and left.data == right.data
    return ir.TRUE if left is right or same_constant else ir.equal(left, right)


def _all(parts: Iterable[Expr]) -> Expr:
    """All of the parts, each once, those within one another taken apart."""
    flat = (inner for part in parts for inner in (part.args if part.op is Op.AND else (part,)))
    return ir.conjunction([part for part in dict.fromkeys(flat) if part is not ir.TRUE])


def _read_off(effect: Expr, after: Expr, name: str) -> Expr | None:
    """What was picked, given what it was assigned to; None where that cannot be told."""
    match effect.op:
        case Op.PARAMETER if effect.data == name:
            return after
        case Op.STORE:
            _, position, element = effect.args
            sure = isinstance(position.type, RefType) and not position.type.optional
            return _read_off(element, ir.select(after, position), name) if sure else None
        case Op.WITH_FIELD:
            return _read_off(effect.args[1], ir.field(after, effect.data), name)
        case Op.RECORD:
            found = (_read_off(part, ir.field(after, i), name) for i, part in enumerate(effect.args))
            return next((one for one in found if one is not None), None)
        case _:
            return None


def _in_range(value: Expr, type_: Type, name: str) -> list[Expr]:
    """The condition that the numbers in a value keep to the range of their type."""
    match type_:
        case NumberType(low=low, high=high) if value.op is Op.CONST:
            inside = (low is None or low <= value.data) and (high is None or value.data <= high)
            return [] if inside else [ir.FALSE]
        case NumberType(low=low, high=high):
            found = [] if low is None else [ir.make(Op.LE, (ir.number(low), value), BOOL)]
            return found if high is None else [*found, ir.make(Op.LE, (value, ir.number(high)), BOOL)]
        case RecordType(fields=fields):
            parts = (_in_range(ir.field(value, i), kind, name) for i, (_, kind) in enumerate(fields))
            return [claim for part in parts for claim in part]
        case ArrayType(index=index, element=element):
            binder = ir.Binder(f"{name}_{index.name.lower()}", index)
            position = ir.make(Op.PARAMETER, (), RefType(index), binder.name)
            inner = _in_range(ir.select(value, position), element, binder.name)
            return [ir.make(Op.FORALL, (claim,), BOOL, binder) for claim in inner]
        case _:
            return []
