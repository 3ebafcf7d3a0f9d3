"""Random small systems over every operation of the intermediate representation, for comparing judges with each other.

A seed and a profile (`random_kinds`) give a model: some variables of random kinds, a few actions with random checks and
effects, properties, limits.
Expressions are typed, as the language would make them, and otherwise as odd as chance makes them. Most effects keep
their numbers within range, so that a search gets somewhere; some do not, and the judges must say so alike.

Not here: the language's surface (`tests/model/test_language.py`), refinements and leads-to properties.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from tests.model.random_kinds import MOOD, STANDARD, Profile

from genstamp_model.errors import Source
from genstamp_model.evaluate import Evaluator
from genstamp_model.language import Configuration, Instance, ir
from genstamp_model.language.beginning import Weaker, Worded
from genstamp_model.language.ir import Binder, Expr, Op
from genstamp_model.language.model import Action, Beginning, Effect, Model, Property, Variable
from genstamp_model.language.trace import ActionParameter, Check, Domain, MessageOf, OptionalMember, Range, Subset
from genstamp_model.language.types import (
    BOOL,
    INTEGER,
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
    Sizes,
    Type,
    Value,
)

HERE = Source("random_systems.py", 1)


@dataclass
class Scope:
    """What an expression may read: variables, parameters, and in a transition property the next state."""

    variables: Sequence[Variable]
    parameters: list[Expr] = field(default_factory=list)
    next_too: bool = False
    depth: int = 0

    def within(self, binder: Binder) -> Scope:
        """The scope inside a quantifier."""
        return replace(self, parameters=[*self.parameters, bound(binder)], depth=self.depth + 1)

    def roots(self) -> Iterator[Expr]:
        """Everything that can be read as it is."""
        for variable in self.variables:
            yield ir.make(Op.VARIABLE, (), variable.type, variable.name)
            if self.next_too:
                yield ir.make(Op.NEXT, (), variable.type, variable.name)
        yield from self.parameters


def bound(binder: Binder) -> Expr:
    """The variable of a quantifier."""
    over = binder.over
    return ir.make(Op.PARAMETER, (), RefType(over) if isinstance(over, IndexSet) else over, binder.name)


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a variable begins with: a value drawn by each seed."""

    type_: Type
    seeds: tuple[float, ...]
    profile: Profile

    def values(self, sizes: Sizes) -> tuple[Value, ...]:
        """All of them, each once."""
        drawn = (self.profile.first(self.type_, sizes, random.Random(seed)) for seed in self.seeds)
        return tuple(dict.fromkeys(drawn))

    def first(self, sizes: Sizes) -> Value:
        """That of the first seed."""
        return self.values(sizes)[0]

    def text(self, worded: Worded = ir.text) -> str:  # noqa: ARG002 - there are no expressions
        """The seeds."""
        return f"drawn by {self.seeds}"

    def weaker(self) -> Weaker:
        """Without one seed."""
        for seed in self.seeds[1:]:
            yield f"drawn by {seed}", replace(self, seeds=tuple(one for one in self.seeds if one != seed))


class RandomSystem:
    """Draws one system from a seed."""

    def __init__(self, seed: int, profile: Profile = STANDARD) -> None:
        self.draw = random.Random(seed)
        self.name = f"random_{seed}"
        self.profile = profile
        self.node, self.holder, self.client = profile.sets.node, profile.sets.holder, profile.sets.client
        self._kept = 0

    def instance(self) -> Instance:
        """The system in its only configuration."""
        model = self._beginning(self.model())
        limits = {name: self.profile.limits[name] for name in sorted(model.limit_names)}
        sizes = {index.base: self.profile.sizes[index.base] for index in model.index_sets}
        if "busy" in limits:
            # A search begins within its limits; one that no limit lets begin goes without.
            limits["busy"] = max(limits["busy"], self._busy(model))
            if limits["busy"] >= 2**31:
                model, limits = replace(model, limits=()), {name: limits[name] for name in limits if name != "busy"}
        return Instance(model, Configuration("only", sizes, limits))

    def _beginning(self, model: Model) -> Model:
        """The system with a condition on its initial states, if one of them meets it."""
        if self.profile.begins == 1 or self.draw.random() < 0.5:
            return model
        condition = self.condition(Scope(model.variables), 2)
        plain = replace(model, limits=())
        limits = {name: self.profile.limits[name] for name in sorted(plain.limit_names)}
        sizes = {index.base: self.profile.sizes[index.base] for index in plain.index_sets}
        evaluator = Evaluator(Instance(plain, Configuration("plain", sizes, limits)))
        if not any(evaluator.value(condition, state) for state in evaluator.initials):
            condition = ir.negation(condition)
        return replace(model, beginnings=(Beginning("some", condition, HERE),))

    def _busy(self, model: Model) -> int:
        """The largest size of an initial state under the limit that is an expression."""
        plain = replace(model, limits=())
        limits = {name: self.profile.limits[name] for name in sorted(plain.limit_names)}
        sizes = {index.base: self.profile.sizes[index.base] for index in plain.index_sets}
        evaluator = Evaluator(Instance(plain, Configuration("plain", sizes, limits)))
        [(_, busy)] = model.limits
        return max(cast(int, evaluator.value(busy, state)) for state in evaluator.initials)

    def model(self) -> Model:
        """The traced system."""
        kinds = [*self.profile.always, *self.draw.sample(self.profile.kinds, self.draw.randint(2, 4))]
        variables = tuple(self._variable(f"v{i}", kind) for i, kind in enumerate(kinds))
        scope = Scope(variables)
        actions = tuple(self._action(f"a{i}", scope) for i in range(self.draw.randint(4, 8)))
        limits = (("busy", self.number(scope, 2)),) if self.draw.random() < 0.3 else ()
        return Model(
            system=self.name,
            semantics="default",
            bugs=(),
            variables=variables,
            actions=actions,
            properties=tuple(self._properties(scope)),
            limits=limits,
            observations=(),
            may_stop=self.condition(scope, 2) if self.draw.random() < 0.3 else None,
        )

    def _variable(self, name: str, type_: Type) -> Variable:
        seed = self.draw.random()
        chosen = self.draw.randint(1, self.profile.begins) if self.profile.begins > 1 else 1
        drawn = Drawn(type_, tuple(seed + i for i in range(chosen)), self.profile)
        return Variable(name, type_, drawn.first, HERE, choice=drawn if chosen > 1 else None)

    def _action(self, name: str, scope: Scope) -> Action:
        parameters = tuple(self._parameters(scope))
        inside = replace(scope, parameters=[parameter.expr for parameter in parameters])
        checks = tuple(
            Check(self.condition(inside, 2), f"check {i}", self.draw.choice((None, "Refused")), HERE)
            for i in range(self.draw.choice((0, 0, 0, 0, 1, 2)))
        )
        # The variables after the first ones are those that differ from system to system.
        twice = [*scope.variables, *scope.variables[len(self.profile.always) :]]
        chosen = self.draw.sample(twice, self.draw.choice((1, 1, 2)))
        effects = tuple(Effect(v.name, self._after(v, inside), HERE) for v in dict.fromkeys(chosen))
        return Action(name, name, parameters, checks, effects, (), False, None, "", HERE)

    def _parameters(self, scope: Scope) -> Iterator[ActionParameter]:
        bags = [(v.name, v.type.message) for v in scope.variables if isinstance(v.type, BagType)]
        domains: list[tuple[Type, Domain]] = [
            (RefType(self.node), self.node),
            (RefType(self.client), self.client),
            (RefType(self.holder, optional=True), OptionalMember(self.holder)),
            (NumberType(-1, 1), Range(-1, 1)),
            *((message, MessageOf(name)) for name, message in bags),
        ]
        if self.profile.orders:
            labels = next(
                (v.type for v in scope.variables if isinstance(v.type, EnumType) and not v.type.lifecycle), MOOD
            )
            domains[:0] = [(SetType(one), Subset(one)) for one in (self.node, self.client)]
            domains[:0] = [(labels, Range(0, len(labels.labels) - 1))]
        for i in range(self.draw.choice((0, 1, 1, 2))):
            type_, domain = domains[-1] if bags and self.draw.random() < 0.5 else self.draw.choice(domains)
            yield ActionParameter(f"p{i}", type_, domain)

    def _after(self, variable: Variable, scope: Scope) -> Expr:
        old = ir.make(Op.VARIABLE, (), variable.type, variable.name)
        if self.draw.random() < 0.7:
            return self._kept_in_range(variable.type, self._stirred(old, scope))
        value = self.value(variable.type, scope, 3)
        return value if self.draw.random() < 0.05 else self._kept_in_range(variable.type, value)

    def _stirred(self, old: Expr, scope: Scope) -> Expr:
        """Something other than what was there, as far as that is easily said."""
        match old.type:
            case BoolType():
                return ir.negation(old)
            case NumberType(ordered=ordered):
                return ir.make(Op.ADD, (old, ir.number(1)), NumberType(ordered=True) if ordered else INTEGER)
            case EnumType(labels=labels):
                return ir.const(self.draw.randrange(len(labels)), old.type)
            case RecordType(fields=fields):
                i = self.draw.randrange(len(fields))
                return ir.with_field(old, i, self._stirred(ir.field(old, i), scope))
            case ArrayType(index=index):
                position = self._simple_position(index, scope)
                return ir.store(old, position, self._stirred(ir.select(old, position), scope))
            case SetType(index=index):
                op = self.draw.choice((Op.INSERT, Op.REMOVE))
                return ir.make(op, (old, self._simple_position(index, scope)), old.type)
            case SequenceType(element=element):
                return ir.make(Op.APPEND, (old, self._kept_in_range(element, self.value(element, scope, 0))), old.type)
            case BagType(message=message):
                return ir.make(Op.SEND, (old, self._record(message, scope, 0)), old.type)
            case _:
                return self._other(old.type, scope, 1)

    def _kept_in_range(self, type_: Type, value: Expr) -> Expr:
        """The value, with the lowest one instead of any that would leave the declared range."""
        match type_:
            case NumberType(low=low, high=high, ordered=False):
                assert low is not None
                top = 7 if high is None else high
                fine = ir.conjunction([_le(ir.number(low), value), _le(value, ir.number(top))])
                return ir.choice(fine, value, ir.number(low))
            case RecordType(fields=fields):
                parts = [self._kept_in_range(kind, ir.field(value, i)) for i, (_, kind) in enumerate(fields)]
                return ir.make(Op.RECORD, tuple(parts), type_)
            case ArrayType(index=index, element=element):
                # A name of its own, for the element may be an array that is kept in range as well.
                binder = Binder(f"kept{self._kept}", index)
                self._kept += 1
                body = self._kept_in_range(element, ir.select(value, bound(binder)))
                return value if body.op is Op.SELECT else ir.make(Op.TABULATE, (body,), type_, binder)
            case _:
                return value

    def _properties(self, scope: Scope) -> Iterator[Property]:
        for i in range(2):
            yield self._property(f"never{i}", "invariant", ir.negation(self._rare(scope)))
            yield self._property(f"sometimes{i}", "witness", self.condition(scope, 3))
        edge = replace(scope, next_too=True)
        yield self._property("step", "transition", ir.negation(self._rare(edge)))

    def _rare(self, scope: Scope) -> Expr:
        return ir.conjunction([self.condition(scope, 2) for _ in range(3)])

    def _property(self, name: str, kind: str, condition: Expr) -> Property:
        return Property(name, kind, (), condition, None, False, (), (), "", HERE)

    def value(self, type_: Type, scope: Scope, depth: int) -> Expr:
        """An expression of a type."""
        match type_:
            case BoolType():
                return self.condition(scope, depth)
            case NumberType(ordered=True):
                return self._stamp(scope, depth)
            case NumberType():
                return self.number(scope, depth)
            case _:
                return self._other(type_, scope, depth)

    def _read(self, wanted: Callable[[Type], bool], scope: Scope) -> Expr | None:
        """Something of a wanted type that is a variable, a parameter, or a part of one; None where there is none."""
        found = [expr for root in scope.roots() for expr in self._parts(root, scope) if wanted(expr.type)]
        return self.draw.choice(found) if found else None

    def _parts(self, expr: Expr, scope: Scope) -> Iterator[Expr]:
        yield expr
        match expr.type:
            case RecordType(fields=fields):
                for i in range(len(fields)):
                    yield from self._parts(ir.field(expr, i), scope)
            case ArrayType(index=index):
                yield from self._parts(ir.select(expr, self._simple_position(index, scope)), scope)
            case SequenceType(element=element):
                place = ir.make(Op.AT, (expr, ir.number(self.draw.randint(-1, 2))), element)
                yield from self._parts(place, scope)

    def _simple_position(self, index: IndexSet, scope: Scope) -> Expr:
        wanted = RefType(index, optional=True)
        # A parameter leads to more states than what is already there.
        found = [root for root in scope.parameters if _stands_for(root.type, wanted)]
        if not found or self.draw.random() < 0.3:
            found = [root for root in scope.roots() if _stands_for(root.type, wanted)]
        return self.draw.choice(found) if found else ir.const(None, wanted)

    def _position(self, index: IndexSet, scope: Scope, depth: int) -> Expr:
        """A member of an index set or of its subset, or nobody."""
        if depth <= 0 or self.draw.random() < 0.5:
            return self._simple_position(index, scope)
        indexes = [index, self.client] if index == self.holder else [index]
        return self._other(RefType(self.draw.choice(indexes), optional=self.draw.random() < 0.4), scope, depth)

    def condition(self, scope: Scope, depth: int) -> Expr:
        """A flag."""
        if depth <= 0 or self.draw.random() < 0.15:
            return self._read(lambda kind: kind == BOOL, scope) or self.draw.choice((ir.TRUE, ir.FALSE))
        return self.draw.choice(self._conditions)(self, scope, depth - 1)

    def _not(self, scope: Scope, depth: int) -> Expr:
        return ir.negation(self.condition(scope, depth))

    def _junction(self, scope: Scope, depth: int) -> Expr:
        parts = [self.condition(scope, depth) for _ in range(self.draw.randint(2, 3))]
        return self.draw.choice((ir.conjunction, ir.disjunction))(parts)

    def _equal(self, scope: Scope, depth: int) -> Expr:
        left = self._read(lambda kind: True, scope)
        assert left is not None
        if isinstance(left.type, RefType):
            right = self._position(self.holder if left.type.index == self.client else left.type.index, scope, depth)
        else:
            right = self.value(left.type, scope, depth)
        return ir.equal(left, right)

    def _compare(self, scope: Scope, depth: int) -> Expr:
        stamped = self._read(_is_stamp, scope)
        if stamped is not None and self.draw.random() < 0.3:
            left, right = stamped, self._stamp(scope, depth)
        else:
            left, right = self.number(scope, depth), self.number(scope, depth)
        return ir.make(self.draw.choice((Op.LT, Op.LE)), (left, right), BOOL)

    def _either(self, scope: Scope, depth: int) -> Expr:
        return ir.choice(*(self.condition(scope, depth) for _ in range(3)))

    def _in_set(self, scope: Scope, depth: int) -> Expr:
        kind = SetType(self.draw.choice((self.node, self.holder)))
        members = self._other(kind, scope, depth)
        if self.draw.random() < 0.5:
            return ir.make(Op.SUBSET, (members, self._other(kind, scope, depth)), BOOL)
        return ir.make(Op.MEMBER, (members, self._position(kind.index, scope, depth)), BOOL)

    def _quantified(self, scope: Scope, depth: int) -> Expr:
        binder = Binder(f"i{scope.depth}", self.draw.choice((self.node, self.client, self.holder)))
        body = self.condition(scope.within(binder), depth)
        return ir.make(self.draw.choice((Op.FORALL, Op.EXISTS)), (body,), BOOL, binder)

    def _of_bag(self, scope: Scope, depth: int) -> Expr:
        bag = self._read(lambda kind: isinstance(kind, BagType), scope)
        if bag is None:
            return self._quantified(scope, depth)
        assert isinstance(bag.type, BagType)
        if self.draw.random() < 0.4:
            return ir.make(Op.HOLDS, (bag, self._other(bag.type.message, scope, depth)), BOOL)
        binder = Binder(f"m{scope.depth}", bag.type.message)
        body = self.condition(scope.within(binder), depth)
        return ir.make(self.draw.choice((Op.FORALL_IN, Op.EXISTS_IN)), (bag, body), BOOL, binder)

    _conditions = (_not, _junction, _equal, _equal, _compare, _either, _in_set, _quantified, _of_bag)

    def number(self, scope: Scope, depth: int) -> Expr:
        """A number that may be computed with."""
        if depth <= 0 or self.draw.random() < 0.3:
            read = self._read(lambda kind: isinstance(kind, NumberType) and not kind.ordered, scope)
            return read if read is not None and self.draw.random() < 0.7 else ir.number(self.draw.randint(-1, 3))
        return self.draw.choice(self._numbers)(self, scope, depth - 1)

    def _computed(self, scope: Scope, depth: int) -> Expr:
        if self.profile.orders and self.draw.random() < 0.4:
            label = self._read(lambda kind: isinstance(kind, EnumType), scope) if self.draw.random() < 0.4 else None
            return ir.make(Op.RANK, (label or self._position(self._index(), scope, depth),), INTEGER)
        if self.profile.orders and self.draw.random() < 0.4:
            op, by = self.draw.choice((Op.DIV, Op.MOD)), ir.number(self.draw.randint(1, 4))
            by = self.number(scope, depth) if self.draw.random() < 0.4 else by
            return ir.make(op, (self.number(scope, depth), by), INTEGER)
        op = self.draw.choice((Op.ADD, Op.ADD, Op.SUB, Op.MUL, Op.MIN, Op.MAX))
        return ir.make(op, (self.number(scope, depth), self.number(scope, depth)), INTEGER)

    def _index(self) -> IndexSet:
        return self.draw.choice((self.node, self.holder, self.client))

    def _chosen_number(self, scope: Scope, depth: int) -> Expr:
        return ir.choice(self.condition(scope, depth), self.number(scope, depth), self.number(scope, depth))

    def _size(self, scope: Scope, depth: int) -> Expr:
        held = self._read(lambda kind: isinstance(kind, SequenceType | BagType), scope)
        if held is not None:
            return ir.make(Op.LENGTH, (held,), INTEGER)
        return ir.make(Op.CARDINALITY, (self._other(SetType(self.holder), scope, depth),), INTEGER)

    def _over_members(self, scope: Scope, depth: int) -> Expr:
        binder = Binder(f"i{scope.depth}", self.draw.choice((self.node, self.client, self.holder)))
        inside = scope.within(binder)
        where = self.condition(inside, depth)
        op = self.draw.choice((Op.COUNT, Op.MINIMUM, Op.MAXIMUM, Op.CARDINALITY))
        if op is Op.CARDINALITY:
            assert isinstance(binder.over, IndexSet)
            return ir.make(op, (ir.make(Op.MEMBERS, (where,), SetType(binder.over), binder),), INTEGER)
        if op is Op.COUNT:
            return ir.make(op, (where,), INTEGER, binder)
        default = ir.number(self.draw.randint(0, 2))
        return ir.make(op, (where, self.number(inside, depth), default), INTEGER, binder)

    _numbers = (_computed, _computed, _chosen_number, _size, _over_members)

    def _stamp(self, scope: Scope, depth: int) -> Expr:
        """An ordered number: one that is there, the next one, or the larger of two."""
        read = self._read(_is_stamp, scope)
        if read is None:
            return ir.number(self.draw.randint(0, 1))
        if depth <= 0 or self.draw.random() < 0.4:
            return read
        if self.draw.random() < 0.6:
            return ir.make(Op.ADD, (read, ir.number(1)), NumberType(ordered=True))
        op = self.draw.choice((Op.MIN, Op.MAX))
        return ir.make(op, (read, self._stamp(scope, depth - 1)), NumberType(ordered=True))

    def _other(self, type_: Type, scope: Scope, depth: int) -> Expr:
        """A reference, label, record, array, set, sequence or bag."""
        read = self._read(lambda kind: _stands_for(kind, type_), scope)
        if depth <= 0 or self.draw.random() < 0.2:
            return read if read is not None else self._plain(type_, scope, depth)
        if self.draw.random() < 0.15:
            then, otherwise = (self._other(type_, scope, depth - 1) for _ in range(2))
            return ir.choice(self.condition(scope, depth - 1), then, otherwise)
        return self._made(type_, scope, depth - 1)

    def _plain(self, type_: Type, scope: Scope, depth: int) -> Expr:
        """Something of a type where there is nothing to read."""
        match type_:
            case RecordType():
                return self._record(type_, scope, depth)
            case ArrayType(index=index, element=element):
                binder = Binder(f"i{scope.depth}", index)
                return ir.make(Op.TABULATE, (self.value(element, scope.within(binder), 0),), type_, binder)
            case EnumType(labels=labels):
                return ir.const(self.draw.randrange(len(labels)), type_)
            case RefType(index=index, optional=optional):
                if optional:
                    return ir.const(None, type_)
                # Only a named member can be written down; of the others, a variable has one, or `choose` gives one.
                if not self.profile.chooses:
                    found = self._read(lambda kind: _stands_for(kind, type_), scope)
                    assert found is not None, "a variable that every system has"
                    return found
                if index.named:
                    return ir.const(index.named[0], RefType(index))
                where = ir.make(Op.EXISTS, (ir.TRUE,), BOOL, Binder(f"i{scope.depth}", index))
                array = ir.make(Op.TABULATE, (bound(b := Binder("own", index)),), ArrayType(index, RefType(index)), b)
                first = ir.make(Op.CHOOSE, (where,), RefType(index, optional=True), Binder(f"i{scope.depth}", index))
                return ir.select(array, first)
            case _:
                return ir.const(frozenset() if isinstance(type_, SetType) else (), type_)

    def _record(self, type_: RecordType, scope: Scope, depth: int) -> Expr:
        values = (self._kept_in_range(kind, self.value(kind, scope, depth)) for _, kind in type_.fields)
        return ir.make(Op.RECORD, tuple(values), type_)

    def _made(self, type_: Type, scope: Scope, depth: int) -> Expr:
        if self.profile.orders and isinstance(type_, RefType) and self.draw.random() < 0.6:
            # Of something that is read: a choice here may be of a client or a holder, who have other neighbours.
            member = self._read(lambda kind: _stands_for(kind, type_), scope) or ir.const(0, type_)
            for near in self.draw.choices((Op.SUCCESSOR, Op.PREDECESSOR), k=self.draw.randint(1, 2)):
                member = ir.make(near, (member,), member.type)
            return member
        old = self._read(lambda kind: kind == type_, scope)
        match type_:
            case RecordType(fields=fields) if old is not None and self.draw.random() < 0.5:
                i = self.draw.randrange(len(fields))
                return ir.with_field(old, i, self._kept_in_range(fields[i][1], self.value(fields[i][1], scope, depth)))
            case RecordType():
                return self._record(type_, scope, depth)
            case ArrayType(index=index, element=element) if old is not None and self.draw.random() < 0.7:
                value = self._kept_in_range(element, self.value(element, scope, depth))
                return ir.store(old, self._position(index, scope, depth), value)
            case ArrayType(index=index, element=element):
                binder = Binder(f"i{scope.depth}", index)
                body = self.value(element, scope.within(binder), depth)
                return ir.make(Op.TABULATE, (self._kept_in_range(element, body),), type_, binder)
            case SetType():
                return self._set(type_, scope, depth)
            case SequenceType(element=element) if old is not None:
                if self.draw.random() < 0.4:
                    return ir.make(Op.DROP_FIRST, (old,), type_)
                if self.profile.orders and self.draw.random() < 0.4:
                    return ir.make(Op.WITHOUT, (old, self.number(scope, depth)), type_)
                value = self._kept_in_range(element, self.value(element, scope, depth))
                return ir.make(Op.APPEND, (old, value), type_)
            case BagType(message=message) if old is not None:
                op = self.draw.choice((Op.SEND, Op.TAKE))
                return ir.make(op, (old, self._other(message, scope, depth)), type_)
            case RefType(index=index, optional=True) if self.profile.chooses and self.draw.random() < 0.5:
                binder = Binder(f"i{scope.depth}", index)
                return ir.make(Op.CHOOSE, (self.condition(scope.within(binder), depth),), type_, binder)
            case _:
                return self._plain(type_, scope, depth)

    def _set(self, type_: SetType, scope: Scope, depth: int) -> Expr:
        if self.draw.random() < 0.25:
            binder = Binder(f"i{scope.depth}", type_.index)
            return ir.make(Op.MEMBERS, (self.condition(scope.within(binder), depth),), type_, binder)
        members = self._other(type_, scope, depth)
        if self.draw.random() < 0.5:
            position = self._position(type_.index, scope, depth)
            return ir.make(self.draw.choice((Op.INSERT, Op.REMOVE)), (members, position), type_)
        op = self.draw.choice((Op.UNION, Op.INTERSECTION, Op.DIFFERENCE))
        return ir.make(op, (members, self._other(type_, scope, depth)), type_)


def _is_stamp(kind: Type) -> bool:
    return isinstance(kind, NumberType) and kind.ordered


def _stands_for(given: Type, wanted: Type) -> bool:
    match given, wanted:
        case RefType(), RefType():
            same = given.index == wanted.index or given.index.root == wanted.index.name
            return same and (wanted.optional or not given.optional)
        case _:
            return given == wanted


def _le(left: Expr, right: Expr) -> Expr:
    return ir.make(Op.LE, (left, right), BOOL)
