"""Which ordered numbers are compared with one another: classes, found by unification over a model's expressions.

Renumbering keeps the order within a class and nothing else, so two numbers are in one class as soon as some expression
compares them or gives one to the other. Constants that a class meets are fixed points of its renumbering. Refused is
what needs more than order: arithmetic, a number of another kind, and a raised number in a check or property.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

from genstamp_model.errors import ConfigurationError
from genstamp_model.language import ir
from genstamp_model.language.ir import Binder, Expr, Op
from genstamp_model.language.model import Action, Effect, Instance
from genstamp_model.language.trace import ActionParameter, MessageOf, Range
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    NumberType,
    RecordType,
    SequenceType,
    Type,
)


@dataclass(frozen=True)
class Raise:
    """`operand + amount` on the way to an effect, for all members of the binders, wherever `premise` holds."""

    action: Action
    effect: Effect
    binders: tuple[Binder, ...]
    premise: Expr
    operand: Expr
    amount: int
    class_: int


@dataclass(frozen=True)
class Many:
    """The numbers in the elements of an array or sequence, or in the messages of a bag."""

    element: Shape


# Where the numbers of a type stand, each as what stands for its class; None where there are none.
Shape: TypeAlias = Any


class _Class:
    """A class while it grows: joined with another, one of the two points to the other."""

    def __init__(self, ordered: str = "", plain: str = "", constants: frozenset[int] = frozenset()) -> None:
        self.ordered = ordered
        self.plain = plain
        self.constants = constants
        self.joined: _Class | None = None

    def root(self) -> _Class:
        """The present representative of the class."""
        found = self
        while found.joined is not None:
            found = found.joined
        return found


@dataclass(frozen=True)
class Classes:
    """The classes of an instance's ordered numbers.

    Attributes:
        fixed: for each class the largest value that keeps its meaning: up to it, numbers stay as they are.
        shapes: for each variable where its ordered numbers stand; leaves are numbers of classes, or None.
        raises: by action.
    """

    fixed: tuple[int, ...]
    shapes: Mapping[str, Shape]
    raises: Mapping[str, tuple[Raise, ...]]


def classes(instance: Instance) -> Classes:
    """The classes of an instance.

    Raises:
        ConfigurationError: the model does more with an ordered number than to compare and to raise it.
    """
    return _Inference(instance).classes()


@dataclass
class _Inference:
    instance: Instance
    _where: str = ""
    _in_effect: bool = False
    _variables: dict[str, Shape] = field(default_factory=dict)
    _memo: dict[tuple[Expr, tuple[int, ...]], tuple[Shape, list[Shape]]] = field(default_factory=dict)
    _raised: dict[Expr, _Class] = field(default_factory=dict)
    _within: dict[Expr, bool] = field(default_factory=dict)
    _raised_elsewhere: list[tuple[_Class, str]] = field(default_factory=list)

    def classes(self) -> Classes:
        model = self.instance.model
        for variable in model.variables:
            self._variables[variable.name] = self._declared(variable.type, variable.name)
        for action in model.actions:
            self._action(action)
        for claim in model.properties:
            self._where = f"{claim.source}: {claim.kind} {claim.name}"
            for condition in (claim.closed, *([claim.target] if claim.target is not None else []), *claim.again):
                self._shape(condition, {parameter.name: None for parameter in claim.parameters})
        for name, expression in model.limits:
            self._where = f"limit {name}"
            self._join(self._shape(expression, {}), _Class(constants=frozenset([self.instance.limits[name]])))
        if model.may_stop is not None:
            self._where = "the condition under which the system may stop"
            self._shape(model.may_stop, {})
        for class_, where in self._raised_elsewhere:
            if class_.root().ordered:
                raise ConfigurationError(
                    f"{where} raises the ordered number {class_.root().ordered} outside an effect, which "
                    f"renumbering does not support; compare without '+', or search without renumbering"
                )
        return self._numbered()

    def _action(self, action: Action) -> None:
        bound = {parameter.name: self._parameter(parameter) for parameter in action.parameters}
        for check in action.checks:
            self._where = f"{check.source}: check '{check.label}' of action {action.name}"
            self._shape(check.condition, bound)
        self._in_effect = True
        for effect in action.effects:
            self._where = f"{effect.source}: action {action.name}"
            self._join(self._variables[effect.variable], self._shape(effect.value, bound))
        self._in_effect = False

    def _numbered(self) -> Classes:
        numbers: dict[_Class, int] = {}
        shapes = {name: self._leaves(shape, numbers) for name, shape in self._variables.items()}
        # 0 fills what is free and stands for "none yet".
        fixed = tuple(max(class_.constants | {0}) for class_ in numbers)
        raises = {
            action.name: tuple(one for effect in action.effects for one in self._raises(action, effect, numbers))
            for action in self.instance.model.actions
        }
        return Classes(fixed, shapes, raises)

    def _leaves(self, shape: Shape, numbers: dict[_Class, int]) -> Shape:
        match shape:
            case _Class():
                root = shape.root()
                return numbers.setdefault(root, len(numbers)) if root.ordered else None
            case Many(element=element):
                return Many(self._leaves(element, numbers))
            case tuple():
                return tuple(self._leaves(part, numbers) for part in shape)
            case _:
                return None

    def _declared(self, type_: Type, name: str) -> Shape:
        match type_:
            case NumberType(ordered=ordered):
                return _Class(ordered=name) if ordered else _Class(plain=f"the number {name}")
            case RecordType(fields=fields):
                return tuple(self._declared(kind, f"{name}.{part}") for part, kind in fields)
            case ArrayType(element=element) | SequenceType(element=element) | BagType(message=element):
                return Many(self._declared(element, name))
            case _:
                return None

    def _constant(self, type_: Type) -> Shape:
        """An empty container: it says nothing about its later elements."""
        match type_:
            case NumberType():
                return _Class()
            case RecordType(fields=fields):
                return tuple(self._constant(kind) for _, kind in fields)
            case ArrayType(element=element) | SequenceType(element=element) | BagType(message=element):
                return Many(self._constant(element))
            case _:
                return None

    def _parameter(self, parameter: ActionParameter) -> Shape:
        match parameter.domain:
            case MessageOf(bag=bag):
                return self._variables[bag].element
            case Range() if isinstance(parameter.type, NumberType):
                return _Class(plain=f"the picked number {parameter.name}")
            case _:
                return None

    def _join(self, left: Shape, right: Shape) -> Shape:
        match left, right:
            case _Class(), _Class():
                self._merge(left.root(), right.root())
            case Many(), Many():
                self._join(left.element, right.element)
            case tuple(), tuple():
                for x, y in zip(left, right, strict=True):
                    self._join(x, y)
        return left

    def _merge(self, left: _Class, right: _Class) -> None:
        if left is right:
            return
        left.ordered = left.ordered or right.ordered
        left.plain = left.plain or right.plain
        left.constants |= right.constants
        right.joined = left
        if left.ordered and left.plain:
            self._refuse(left)

    def _refuse(self, class_: _Class) -> NoReturn:
        raise ConfigurationError(
            f"{self._where} relates the ordered number {class_.ordered} to {class_.plain}, which renumbering does "
            f"not preserve; search without renumbering"
        )

    def _arithmetic(self, shape: Shape) -> None:
        class_ = shape.root()
        class_.plain = class_.plain or "a number computed from it"
        if class_.ordered:
            self._refuse(class_)

    def _shape(self, expr: Expr, bound: Mapping[str, Shape]) -> Shape:
        used = [bound[name] for name in sorted(expr.free) if name in bound]
        key = (expr, (self._in_effect, *map(id, used)))
        found = self._memo.get(key)
        if found is None:
            # The bound shapes are kept beside the result, so that their ids stay theirs.
            found = self._memo[key] = (self._compute(expr, bound), used)
        return _anew(found[0])

    def _compute(self, expr: Expr, bound: Mapping[str, Shape]) -> Shape:
        match expr.op:
            case Op.VARIABLE | Op.NEXT:
                return self._variables[expr.data]
            case Op.PARAMETER:
                return bound[expr.data]
            case Op.CONST:
                if isinstance(expr.type, NumberType):
                    return _Class(constants=frozenset([expr.data]))
                return self._constant(expr.type)
            case op if op in ir.BINDERS:
                return self._quantifier(expr, bound)
            case _:
                return self._operation(expr, [self._shape(arg, bound) for arg in expr.args])

    def _quantifier(self, expr: Expr, bound: Mapping[str, Shape]) -> Shape:
        if expr.op in (Op.FORALL_IN, Op.EXISTS_IN):
            messages = self._shape(expr.args[0], bound)
            in_effect, self._in_effect = self._in_effect, False
            self._shape(expr.args[1], {**bound, expr.data.name: messages.element})
            self._in_effect = in_effect
            return None
        parts = [self._shape(arg, {**bound, expr.data.name: None}) for arg in expr.args]
        match expr.op:
            case Op.TABULATE:
                return Many(parts[0])
            case Op.MINIMUM | Op.MAXIMUM:
                return self._join(parts[1], parts[2])
            case Op.COUNT:
                return _Class(plain="a count")
            case _:
                return None

    def _operation(self, expr: Expr, args: list[Shape]) -> Shape:
        match expr.op:
            case Op.EQ | Op.LT | Op.LE:
                self._join(args[0], args[1])
                return None
            case Op.MIN | Op.MAX:
                return self._join(args[0], args[1])
            case Op.ITE:
                return self._join(args[1], args[2])
            case Op.ADD:
                return self._sum(expr, args)
            case Op.SUB | Op.MUL | Op.DIV | Op.MOD:
                for arg in args:
                    self._arithmetic(arg)
                return _Class(plain="a computed number")
            case Op.CARDINALITY | Op.LENGTH:
                return _Class(plain="a size")
            case Op.RANK:
                return _Class(plain="a rank")
            case Op.SELECT | Op.AT:
                return args[0].element
            case Op.STORE:
                self._join(args[0].element, args[2])
                return args[0]
            case Op.APPEND | Op.SEND | Op.TAKE:
                self._join(args[0].element, args[1])
                return args[0]
            case Op.HOLDS:
                self._join(args[0].element, args[1])
                return None
            case Op.DROP_FIRST | Op.WITHOUT:
                return args[0]
            case _:
                return self._of_record(expr, args)

    def _of_record(self, expr: Expr, args: list[Shape]) -> Shape:
        match expr.op:
            case Op.FIELD:
                return args[0][expr.data]
            case Op.WITH_FIELD:
                self._join(args[0][expr.data], args[1])
                return args[0]
            case Op.RECORD:
                return tuple(args)
            case _:
                return None

    def _sum(self, expr: Expr, args: list[Shape]) -> Shape:
        operand, amount = _raised(expr)
        if operand is None:
            for arg in args:
                self._arithmetic(arg)
            return _Class(plain="a sum")
        class_: _Class = args[expr.args.index(operand)].root()
        if amount < 1:
            self._arithmetic(class_)
        if self._in_effect:
            self._merge(self._raised.setdefault(expr, class_).root(), class_)
        else:
            self._raised_elsewhere.append((class_, self._where))
        return class_

    def _raises(self, action: Action, effect: Effect, numbers: Mapping[_Class, int]) -> Iterator[Raise]:
        """Every raise on the way to an effect, with what must hold for its value to count."""
        stack: list[tuple[Expr, tuple[Binder, ...], tuple[Expr, ...]]] = [(effect.value, (), ())]
        seen: set[tuple[Expr, tuple[Binder, ...], tuple[Expr, ...]]] = set()
        while stack:
            expr, binders, premises = entry = stack.pop()
            if entry in seen:
                continue
            seen.add(entry)
            class_ = self._raised.get(expr)
            if class_ is not None and class_.root() in numbers:
                operand, amount = _raised(expr)
                assert operand is not None
                premise = ir.conjunction(list(premises))
                yield Raise(action, effect, binders, premise, operand, amount, numbers[class_.root()])
            # A raise within a quantifier over messages was refused, so every binder here ranges over members.
            inner = (*binders, expr.data) if expr.op in ir.BINDERS else binders
            assumed: list[tuple[Expr, ...]] = [premises] * len(expr.args)
            if expr.op is Op.ITE:
                condition = expr.args[0]
                assumed = [premises, (*premises, condition), (*premises, ir.negation(condition))]
            stack.extend(
                (arg, inner, holding)
                for arg, holding in zip(expr.args, assumed, strict=True)
                if self._raises_within(arg)
            )

    def _raises_within(self, expr: Expr) -> bool:
        found = self._within.get(expr)
        if found is None:
            found = self._within[expr] = any(node in self._raised for node in ir.walk(expr))
        return found


def _anew(shape: Shape) -> Shape:
    """The shape, with new classes for what is only constants so far: an expression may be in several places."""
    match shape:
        case _Class():
            root = shape.root()
            return root if root.ordered or root.plain else _Class(constants=root.constants)
        case Many(element=element):
            return Many(_anew(element))
        case tuple():
            return tuple(_anew(part) for part in shape)
        case _:
            return None


def _raised(expr: Expr) -> tuple[Expr | None, int]:
    """The raised operand of a sum, and the amount; nothing if no operand is a constant."""
    left, right = expr.args
    for operand, amount in ((left, right), (right, left)):
        if amount.op is Op.CONST:
            return operand, int(amount.data)
    return None, 0
