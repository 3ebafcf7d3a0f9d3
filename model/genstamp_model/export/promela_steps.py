"""Steps in Promela: each action is an inline of one d_step, with the action's parameters.

What a step assigns is written scalar by scalar. A value that must be checked first, or that reads what was assigned
just before, is computed into a hidden variable, which is no part of the state; so are sequences and bags. A step that
leads beyond a limit is given up before anything is assigned.

A check is part of the guard, an expression, in which nothing can be computed once and used twice. One that would be too
long for Spin is judged within the step, which changes nothing where it does not hold: no state is added, but a state
without any other step would look as if it had one. So that is done only where no deadlock is looked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product

from genstamp_model.evaluate import Evaluator
from genstamp_model.export.promela_bounds import Bounds
from genstamp_model.export.promela_containers import Containers, StepText
from genstamp_model.export.promela_expressions import Expressions
from genstamp_model.export.promela_hidden import Hidden
from genstamp_model.export.promela_names import Names, comment
from genstamp_model.export.promela_scope import STATE, Bound, Message, Scope
from genstamp_model.export.promela_shapes import At, Field, Path, Shapes, is_scalar
from genstamp_model.export.promela_text import bare
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action, Instance
from genstamp_model.language.trace import ActionParameter, Check, MessageOf, OptionalMember, Range, Subset, values_of
from genstamp_model.language.types import (
    INTEGER,
    ArrayType,
    BagType,
    IndexSet,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    Type,
)

# What is needed more than once is computed once if it has so many nodes; an optimum always.
_SMALL = 8
# A check with more nodes than this, each counted as often as it is written, is judged within the step.
_LONG = 1000
_OPTIMA = {Op.MINIMUM: "least", Op.MAXIMUM: "most", Op.CHOOSE: "first"}


@dataclass(frozen=True)
class _Where:
    """A place that a step may change.

    Attributes:
        variable, path: the place.
        type: of what stands there.
        current: what stands there by now, as an expression over the state before the step.
        inside: conditions under which there is such a place.
    """

    variable: str
    path: Path
    type: Type
    current: Expr
    inside: tuple[str, ...] = ()

    def within(self, step: Field | At, type_: Type, current: Expr) -> _Where:
        """A part of it."""
        return replace(self, path=(*self.path, step), type=type_, current=current)


@dataclass(frozen=True)
class _Update:
    """One scalar, sequence or bag that a step changes: the statements that do so.

    Attributes:
        leaf: what is changed, without positions.
        reads: leaves that the statements read.
        inside: conditions under which there is such a place.
        target, value: of a scalar.
        statements: of a sequence or bag.
    """

    leaf: str
    reads: frozenset[str]
    inside: tuple[str, ...]
    target: str
    value: str
    statements: tuple[str, ...] = ()


class Steps:
    """Writes the actions of one instance."""

    def __init__(self, shapes: Shapes, names: Names, expressions: Expressions, hidden: Hidden) -> None:
        self.instance: Instance = shapes.instance
        self.errors: list[str] = []
        self.containers = Containers(shapes, names, expressions, hidden)
        self.shapes = shapes
        self.names = names
        self.expressions = expressions
        self.hidden = hidden
        self._judged = any(claim.kind == "transition" for claim in self.instance.model.properties)
        evaluator = Evaluator(self.instance)
        self.exceeded = frozenset(name for state in evaluator.initials for name in evaluator.beyond(state))

    def action(self, action: Action) -> tuple[list[str], list[str]]:
        """The inline of an action, and its calls: one for each choice of arguments."""
        name = self.names.unique(action.name)
        self.expressions.quantifiers.owner = name
        bound = self._bind(action)
        late = [] if self.instance.model.may_stop is not None else [one for one in action.checks if _is_long(one)]
        guard = list(self._guard(action, bound, late))
        body = self._body(action, _Writing(self, action, bound, late).step())
        places = [given if isinstance(given, str) else given.place for given in bound.values()]
        lines = [
            *self.expressions.quantifiers.take(),
            comment(f"{action.doc.splitlines()[0] if action.doc else action.name} ({action.source})"),
            f"inline {name}({', '.join(places)}) {{",
            "  d_step {",
            *(f"    {line}" for line in [*guard, *body]),
            "  }",
            "}",
        ]
        domains = [self._domain(parameter) for parameter in action.parameters]
        return lines, [f"{name}({', '.join(arguments)})" for arguments in product(*domains)]

    def _bind(self, action: Action) -> dict[str, str | Message]:
        bound: dict[str, str | Message] = {}
        for parameter in action.parameters:
            name = self.expressions.quantifiers.bound_name(parameter.name)
            if isinstance(parameter.domain, MessageOf):
                kind = self.instance.model.types[parameter.domain.bag]
                bound[parameter.name] = Message(ir.make(Op.VARIABLE, (), kind, parameter.domain.bag), name)
            else:
                bound[parameter.name] = name
        return bound

    def _domain(self, parameter: ActionParameter) -> Sequence[str]:
        match parameter.domain:
            case IndexSet() as index:
                return self.shapes.members(index)
            case OptionalMember(index=index):
                return [*self.shapes.members(index), self.shapes.none(index)]
            case MessageOf(bag=bag):
                kind = self.instance.model.types[bag]
                assert isinstance(kind, BagType)
                return [str(place) for place in range(self.shapes.room(kind))]
            case Range() | Subset() as domain:
                values = values_of(domain, self.instance.sizes)
                return [self.shapes.constant(parameter.type, value) for value in values]

    def _guard(self, action: Action, bound: Bound, late: Sequence[Check]) -> Iterator[str]:
        """The checks that are not late, one a line, each with its label; a message must be there."""
        conditions = []
        for given in bound.values():
            if isinstance(given, Message):
                size = self.expressions.scalar(ir.make(Op.LENGTH, (given.bag,), INTEGER), {})
                conditions.append((f"({given.place} < {size})", "there is such a message"))
        early = [check for check in action.checks if check not in late]
        conditions += [(self.expressions.scalar(check.condition, bound), _label(check)) for check in early]
        if not conditions:
            yield "true ->"
        for i, (condition, label) in enumerate(conditions):
            yield f"{'( ' if i == 0 else '&&'} {condition} {comment(label)}"
        if conditions:
            yield ") ->"

    def _body(self, action: Action, step: StepText) -> Iterator[str]:
        if self._judged:
            yield "remember();"
        yield from step.first
        # Spin loses its way where a d_step ends with a loop.
        last = "judge_step()" if self._judged else "skip"
        commit = (
            [*step.commit, last] if self._judged or not step.commit or "for " in "".join(step.commit) else step.commit
        )
        if step.beyond:
            commit = (
                ["if", f":: {_any(step.beyond)} -> skip", ":: else ->"] + [f"   {line}" for line in commit] + ["fi"]
            )
        if step.wrong:
            self.errors.append(action.name)
            told = f'failed({len(self.errors) - 1}, "error: {action.name}\\n")'
            commit = (
                ["if", f":: {_any(step.wrong)} -> {told}", ":: else ->"] + [f"   {line}" for line in commit] + ["fi"]
            )
        commit = [*step.before, *commit]
        if step.late:
            commit = ["if", ":: " + " && ".join(step.late) + " ->", *(f"   {line}" for line in commit), ":: else", "fi"]
        yield from commit


class _Writing:
    """The writing of one step."""

    def __init__(self, steps: Steps, action: Action, bound: Bound, late: Sequence[Check]) -> None:
        self._steps = steps
        self._shapes = steps.shapes
        self._expressions = steps.expressions
        self._hidden = steps.hidden
        self._action = action
        self._bound = bound
        self._bounds = Bounds(steps.instance, action.parameters)
        self._late = late
        self._step = StepText()
        self._scope = self._share()
        for check in late:
            holds = self._expressions.scalar(check.condition, bound, self._scope)
            self._step.late.append(f"{holds} {comment(_label(check))}")
        self._positions = 0
        self._written: dict[str, int] = {}

    def step(self) -> StepText:
        """The text of the step."""
        types = self._steps.instance.model.types
        updates: list[_Update] = []
        for effect in self._action.effects:
            kind = types[effect.variable]
            variable = ir.make(Op.VARIABLE, (), kind, effect.variable)
            updates.extend(self._updates(effect.value, self._bound, _Where(effect.variable, (), kind, variable)))
        self._commit(updates)
        self._declared_limits()
        return self._step

    def _share(self) -> Scope:
        """A scope in which what several effects need, and every optimum, has been computed once."""
        roots = [*(check.condition for check in self._late), *(effect.value for effect in self._action.effects)]
        sizes = ir.written_sizes(roots)
        uses = Counter([*roots, *(arg for node in sizes for arg in node.args)])
        wanted = [
            node
            for node, size in sizes.items()
            if is_scalar(node.type)
            and node.free <= set(self._bound)
            and (node.op in _OPTIMA or (uses[node] > 1 and size >= _SMALL))
        ]
        if not wanted:
            return STATE
        shared: dict[Expr, str] = {}
        scope = Scope(shared=shared)
        for number, node in enumerate(wanted, 1):
            text = self._expressions.scalar(node, self._bound, scope)
            shared_name = self._hidden.number(f"{_OPTIMA.get(node.op, 'shared')}_{number}")
            self._step.first.append(f"{shared_name} = {bare(text)};")
            shared[node] = shared_name
        return scope

    def _updates(self, expr: Expr, bound: Bound, where: _Where) -> Iterator[_Update]:
        """The assignments that give a place with `where.current` the value of an expression."""
        if expr is where.current:
            return
        match expr.op, where.type:
            case Op.STORE, _:
                yield from self._store(expr, bound, where)
            case Op.WITH_FIELD, RecordType(fields=fields):
                record, value = expr.args
                yield from self._updates(record, bound, where)
                part = where.within(Field(expr.data), fields[expr.data][1], ir.field(record, expr.data))
                yield from self._updates(value, bound, part)
            case _, RecordType(fields=fields):
                for i, (_, kind) in enumerate(fields):
                    part = where.within(Field(i), kind, ir.field(where.current, i))
                    yield from self._updates(ir.field(expr, i), bound, part)
            case _, ArrayType(index=index, element=element):
                for i, member in enumerate(self._shapes.members(index)):
                    position = ir.const(i, RefType(index))
                    part = where.within(At(member), element, ir.select(where.current, position))
                    if expr.op is Op.TABULATE:
                        yield from self._updates(expr.args[0], {**bound, expr.data.name: member}, part)
                    else:
                        yield from self._updates(ir.select(expr, position), bound, part)
            case _, SequenceType() | BagType():
                yield self._container(expr, bound, where)
            case _:
                yield from self._scalar(expr, bound, where)

    def _store(self, expr: Expr, bound: Bound, where: _Where) -> Iterator[_Update]:
        array, position, element = expr.args
        assert isinstance(where.type, ArrayType)
        yield from self._updates(array, bound, where)
        index, reads = self._expressions.reading(lambda: self._expressions.scalar(position, bound, self._scope))
        if reads:
            self._positions += 1
            name = self._hidden.number(f"where_{self._positions}")
            self._step.before.append(f"{name} = {bare(index)};")
            index = name
        part = where.within(At(index), where.type.element, ir.select(array, position))
        outside = self._expressions.outside(where.type, position, index)
        if outside is not None:
            size = outside.split(" >= ")[1]
            part = replace(part, inside=(*part.inside, f"{index} < {size}"))
        yield from self._updates(element, bound, part)

    def _place(self, where: _Where) -> str:
        return self._shapes.place(self._shapes.variables[where.variable], self._shape(where), where.path)

    def _shape(self, where: _Where) -> Type:
        return self._steps.instance.model.types[where.variable]

    def _name(self, where: _Where) -> str:
        """The name of a hidden variable for what a place will hold."""
        words, kind = [where.variable], self._shape(where)
        for step in where.path:
            match step, kind:
                case Field(position), RecordType(fields=fields):
                    label, kind = fields[position]
                    words.append(label)
                case At(), ArrayType(element=element):
                    kind = element
        name = f"new_{'_'.join(words)}"
        self._written[name] = self._written.get(name, 0) + 1
        return name if self._written[name] == 1 else f"{name}_{self._written[name]}"

    def _scalar(self, expr: Expr, bound: Bound, where: _Where) -> Iterator[_Update]:
        value, reads = self._expressions.reading(lambda: self._expressions.scalar(expr, bound, self._scope))
        target = self._place(where)
        if value == target:
            return
        leaf = self._expressions.leaf(where.variable, where.path)
        if isinstance(where.type, NumberType):
            low, high = self._shapes.span(where.type)
            below, above = self._bounds.may_leave(expr, low, high)
            if below or above:
                value, reads = self._computed(where, value), frozenset()
                inside = " && ".join([*where.inside, ""])
                if below:
                    self._step.wrong.append(f"{inside}{value} < {low}")
                if above and where.type.limit is None:
                    self._step.wrong.append(f"{inside}{value} > {high}")
                elif above and where.type.limit is not None:
                    self._step.beyond.append(f"{inside}{value} > {self._shapes.limit(where.type.limit)}")
        yield _Update(leaf, reads, where.inside, target, value)

    def _computed(self, where: _Where, value: str) -> str:
        """A hidden variable that holds a value before anything is assigned."""
        name = self._hidden.number(self._name(where))
        self._step.before.append(f"{name} = {bare(value)};")
        return name

    def _container(self, expr: Expr, bound: Bound, where: _Where) -> _Update:
        assert isinstance(where.type, SequenceType | BagType)
        target = self._place(where)
        statements = self._steps.containers.update(
            target,
            self._name(where),
            where.type,
            expr,
            where.inside,
            bound,
            self._scope,
            self._bounds,
            self._step,
        )
        leaf = self._expressions.leaf(where.variable, where.path)
        return _Update(leaf, frozenset(), where.inside, target, "", tuple(statements))

    def _commit(self, updates: Sequence[_Update]) -> None:
        """Assign in order; what reads a leaf that was assigned before is computed first."""
        assigned: set[str] = set()
        lines: list[tuple[tuple[str, ...], list[str]]] = []
        for number, update in enumerate(updates):
            value = update.value
            if any(_overlap(read, leaf) for read in update.reads for leaf in assigned):
                name = self._hidden.number(f"kept_{number + 1}")
                self._step.before.append(f"{name} = {bare(value)};")
                value = name
            assigned.add(update.leaf)
            lines.append((update.inside, list(update.statements) or [f"{update.target} = {bare(value)};"]))
        for inside, group in groupby(lines, key=lambda line: line[0]):
            statements = [statement for _, found in group for statement in found]
            if inside:
                self._step.commit += ["if", f":: {' && '.join(inside)} ->", *(f"   {s}" for s in statements)]
                self._step.commit += [":: else", "fi;"]
            else:
                self._step.commit += statements

    def _declared_limits(self) -> None:
        """Limits of expressions, over the state that the step leads to."""
        effects: Mapping[str, Expr] = {effect.variable: effect.value for effect in self._action.effects}
        after = Scope(effects=effects, given=self._bound, beneath=self._scope)
        for name, expr in self._steps.instance.model.limits:
            touched = any(node.op is Op.VARIABLE and node.data in effects for node in ir.walk(expr))
            if effects and (touched or name in self._steps.exceeded):
                value = self._expressions.scalar(expr, {}, after)
                self._step.beyond.append(f"{value} > {self._shapes.limit(name)}")


def _overlap(one: str, other: str) -> bool:
    """Whether one of two leaves is the other or holds it, as a bag holds the fields of its messages."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _label(check: Check) -> str:
    return check.label if check.refuses is None else f"{check.label}, else {check.refuses}"


def _is_long(check: Check) -> bool:
    """Whether a check has more nodes than a guard should have, each counted as often as it is written."""
    return ir.written_size(check.condition) > _LONG


def _any(conditions: Sequence[str]) -> str:
    found = list(dict.fromkeys(conditions))
    return found[0] if len(found) == 1 else " || ".join(f"({condition})" for condition in found)
