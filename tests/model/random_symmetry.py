"""Random systems over index sets whose members are declared alike, for the decision about symmetry and its search.

What may prefer a member, a read of what is not there, is guarded in most places: by a check of the step, by another
part of a conjunction or disjunction, by a choice. Some guards are wrong, as an author's may be: of the wrong number,
the wrong way round, or left out; such systems are to be refused. `random_deep_system` has some that no random walk
could refuse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tests.model.random_kinds import symmetric
from tests.model.random_systems import HERE, RandomSystem, Scope

from genstamp_model.language import Instance, ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action, Effect, Model, Variable
from genstamp_model.language.trace import Check
from genstamp_model.language.types import (
    BOOL,
    INTEGER,
    ArrayType,
    BoolType,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
)


class SymmetricSystem(RandomSystem):
    """A random system over members that are alike.

    Attributes:
        carelessness: how often a guard is wrong.
    """

    def __init__(self, seed: int, *, carelessness: float = 0.0) -> None:
        super().__init__(seed, symmetric(seed))
        self.carelessness = carelessness

    def model(self) -> Model:
        """The traced system, with guards."""
        model = super().model()
        actions = tuple(self._guarded_action(action) for action in model.actions)
        claims = tuple(replace(claim, condition=self._guarded(claim.condition)) for claim in model.properties)
        return replace(
            model,
            actions=actions,
            properties=claims,
            limits=tuple((name, self._guarded(expr)) for name, expr in model.limits),
            may_stop=model.may_stop and self._guarded(model.may_stop),
        )

    def small_instances(self, many: int) -> Iterator[Instance]:
        """Systems of one step or one claim each, which look at what need not be there: for the decision alone."""
        model = super().model()
        scope = Scope(model.variables)
        configuration = super().instance().configuration
        nothing = Action("nothing", "nothing", (), (), (), (), False, None, "", HERE)
        bare = replace(model, actions=(nothing,), properties=(), limits=(), may_stop=None)
        for i in range(many):
            if self.draw.random() < 0.6:
                claim = self._property("claim", "invariant", self._guarded(self._look(scope, 2)))
                small = replace(bare, properties=(claim,))
            else:
                small = replace(bare, actions=(self._look_and_set(scope, model.variables),))
            names = small.limit_names
            limits = {name: self.profile.limits[name] for name in sorted(names)}
            yield Instance(small, replace(configuration, limits=limits, name=f"small {i}"))

    def _look_and_set(self, scope: Scope, variables: Sequence[Variable]) -> Action:
        parameters = tuple(self._parameters(scope))
        inside = replace(scope, parameters=[parameter.expr for parameter in parameters])
        checks = [
            Check(self._guarded(self._look(inside, 1)), f"check {i}", None, HERE)
            for i in range(self.draw.randint(0, 2))
        ]
        variable = self.draw.choice(variables)
        effect = Effect(variable.name, self.value(variable.type, inside, 2), HERE)
        action = Action("act", "act", parameters, tuple(checks), (effect,), (), False, None, "", HERE)
        return self._guarded_action(action)

    def _look(self, scope: Scope, depth: int) -> Expr:
        """A condition that depends on a member who is read and need not be there, or several of them."""
        if depth > 0:
            ways = (self._looks_joined, self._looks_chosen, self._looks_of_each, self._look_at_one, self._look_at_one)
            return self.draw.choice(ways)(scope, depth - 1)
        return self._look_at_one(scope, 0)

    def _looks_joined(self, scope: Scope, depth: int) -> Expr:
        parts = [self._look(scope, depth) for _ in range(2)]
        return self.draw.choice((ir.conjunction, ir.disjunction))(parts)

    def _looks_chosen(self, scope: Scope, depth: int) -> Expr:
        return ir.choice(*(self._look(scope, depth) for _ in range(3)))

    def _looks_of_each(self, scope: Scope, depth: int) -> Expr:
        binder = ir.Binder(f"i{scope.depth}", self.draw.choice((self.node, self.client)))
        body = self._look(scope.within(binder), depth)
        return ir.make(self.draw.choice((Op.FORALL, Op.EXISTS)), (body,), BOOL, binder)

    def _look_at_one(self, scope: Scope, depth: int) -> Expr:
        parts = [part for root in scope.roots() for part in self._parts(root, scope)]
        members = [part for part in parts if isinstance(part.type, RefType) and not part.type.optional]
        reads = [part for part in members if any(map(_may_name_first, ir.walk(part)))]
        if not reads:
            return self.condition(scope, depth + 1)
        read = self.draw.choice(reads)
        assert isinstance(read.type, RefType)
        others = [part for part in members if part.type == read.type and part is not read] or [read]
        flags = [part for part in parts if part.type in (ArrayType(read.type.index, BOOL), SetType(read.type.index))]
        if flags and self.draw.random() < 0.6:
            held = self.draw.choice(flags)
            return ir.make(Op.MEMBER, (held, read), BOOL) if isinstance(held.type, SetType) else ir.select(held, read)
        return ir.equal(read, self.draw.choice(others))

    def _guarded_action(self, action: Action) -> Action:
        if self.draw.random() < 0.3:
            action = self._checked(action)
        checks = tuple(replace(check, condition=self._guarded(check.condition)) for check in action.checks)
        effects = tuple(
            replace(
                effect, value=self._guarded(effect.value, ir.make(Op.VARIABLE, (), effect.value.type, effect.variable))
            )
            for effect in action.effects
        )
        return replace(action, checks=checks, effects=effects)

    def _checked(self, action: Action) -> Action:
        """The action with checks before the others that there is something to read, as far as parameters say it."""
        names = {parameter.name for parameter in action.parameters}
        roots = [*(check.condition for check in action.checks), *(effect.value for effect in action.effects)]
        reads = dict.fromkeys(node for root in roots for node in ir.walk(root) if _may_name_first(node))
        guards = [self._guard(read) for read in reads if read.free <= names]
        checks = (Check(guard, f"guard {i}", None, HERE) for i, guard in enumerate(guards[:2]))
        return replace(action, checks=(*checks, *action.checks))

    def _guarded(self, expr: Expr, default: Expr | None = None) -> Expr:
        """An expression in which nothing is read that is not there, but for what is done carelessly.

        Args:
            default: its value where there is nothing to read, if it names a member itself.
        """
        value, reads = _Guarding(self).rewritten(expr)
        return ir.choice(self._all(reads), value, default) if reads and default is not None else value

    def around(self, node: Expr, reads: dict[Expr, None]) -> Expr:
        """A flag, number or label that is computed only where there is something to read."""
        guard = self._all(reads)
        if node.type == BOOL:
            if self.draw.random() < self.carelessness / 2:
                guard = ir.negation(guard)
            ways = (
                lambda: ir.conjunction([guard, node]),
                lambda: ir.conjunction([node, guard]),
                lambda: ir.disjunction([ir.negation(guard), node]),
                lambda: ir.choice(guard, node, ir.FALSE),
                lambda: ir.choice(ir.negation(guard), ir.TRUE, node),
            )
            return self.draw.choice(ways)()
        low = node.type.low or 0 if isinstance(node.type, NumberType) else 0
        return ir.choice(guard, node, ir.const(low, node.type))

    def _all(self, reads: dict[Expr, None]) -> Expr:
        return ir.conjunction([self._guard(read) for read in reads])

    def _guard(self, read: Expr) -> Expr:
        """That there is something to read; or something else, where the author is careless."""
        items, position = read.args
        careless = self.draw.random() < self.carelessness
        if read.op is Op.SELECT:
            return self._names_somebody(position, careless)
        assert position.op is Op.CONST, "a place in a sequence is written down"
        return self._is_longer(items, position.data + (self.draw.choice((-1, 1)) if careless else 0))

    def _names_somebody(self, position: Expr, careless: bool) -> Expr:
        assert isinstance(position.type, RefType)
        nobody = ir.equal(position, ir.const(None, RefType(position.type.index, optional=True)))
        if careless:
            return self.draw.choice((nobody, ir.TRUE, ir.negation(ir.conjunction([nobody, self._some_flag()]))))
        binder = ir.Binder("somebody", position.type.index)
        somebody = ir.equal(position, ir.make(Op.PARAMETER, (), RefType(position.type.index), binder.name))
        ways = (
            ir.negation(nobody),
            ir.make(Op.EXISTS, (somebody,), BOOL, binder),
            ir.negation(ir.make(Op.FORALL, (ir.negation(somebody),), BOOL, binder)),
            ir.disjunction([ir.negation(nobody), ir.conjunction([ir.negation(nobody), self._some_flag()])]),
        )
        return self.draw.choice(ways)

    def _is_longer(self, items: Expr, position: int) -> Expr:
        if position < 0:
            return ir.FALSE
        size = ir.make(Op.LENGTH, (items,), INTEGER)
        ways = [
            ir.make(Op.LT, (ir.number(position), size), BOOL),
            ir.make(Op.LE, (ir.number(position + 1), size), BOOL),
            ir.negation(ir.make(Op.LE, (size, ir.number(position)), BOOL)),
            ir.disjunction([ir.equal(size, ir.number(position + more)) for more in (1, 2)]),
            ir.make(Op.LE, (ir.number(0), ir.make(Op.SUB, (size, ir.number(position + 1)), INTEGER)), BOOL),
        ]
        if position == 0:
            ways += [
                ir.negation(ir.equal(size, ir.number(0))),
                ir.negation(ir.equal(items, ir.const((), items.type))),
            ]
        return self.draw.choice(ways)

    def _some_flag(self) -> Expr:
        """A condition over the state alone."""
        return ir.equal(ir.make(Op.VARIABLE, (), self.profile.always[0], "v0"), ir.const(None, self.profile.always[0]))


class _Guarding:
    """Rewrites one expression; guards stand where the value names no member, and within the quantifier they need."""

    def __init__(self, system: SymmetricSystem) -> None:
        self._system = system
        self._done: dict[Expr, tuple[Expr, dict[Expr, None]]] = {}

    def rewritten(self, expr: Expr) -> tuple[Expr, dict[Expr, None]]:
        """The expression, and the reads in it that are not guarded yet."""
        if expr not in self._done:
            self._done[expr] = self._rewritten(expr)
        return self._done[expr]

    def _rewritten(self, expr: Expr) -> tuple[Expr, dict[Expr, None]]:
        parts = [self.rewritten(arg) for arg in expr.args]
        args = [arg for arg, _ in parts]
        if expr.op in ir.BINDERS:
            bound = expr.data.name
            parts = [(arg, {read: None for read in reads if bound not in read.free}) for arg, reads in parts]
        if expr.op is Op.AT and args[1].data < 0 and _names_first(expr.type):
            # There is never anything to read, so that a guard would be dead text.
            args[1] = ir.number(0)
        node = ir.make(expr.op, tuple(args), expr.type, expr.data)
        reads = {read: None for _, found in parts for read in found}
        if _may_name_first(node):
            reads[node] = None
        if reads and isinstance(node.type, BoolType | NumberType):
            return self._system.around(node, reads), {}
        return node, reads


def _may_name_first(node: Expr) -> bool:
    """Whether a node reads what need not be there, and then names the first member."""
    if node.op is Op.SELECT:
        position = node.args[1].type
        return isinstance(position, RefType) and position.optional and _names_first(node.type)
    return node.op is Op.AT and _names_first(node.type)


def _names_first(type_: Type) -> bool:
    match type_:
        case RefType(optional=optional):
            return not optional
        case RecordType(fields=fields):
            return any(_names_first(kind) for _, kind in fields)
        case ArrayType(element=element):
            return _names_first(element)
        case SequenceType():
            return False
        case _:
            return False
