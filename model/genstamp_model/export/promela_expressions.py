"""Writes expressions in Promela, without side effects, so that they can be used in a guard.

A structured value is never built: `scalar` gives the text of one scalar of it, following the path through stores,
choices and sends. Each quantifier is a macro of its own, its body another one with the bound name as parameter, written
out once for each member. What lies behind a name is told by a scope: the state, a step's two states, or the state
that a step will lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from genstamp_model.evaluate import named_position
from genstamp_model.export.promela_names import Names
from genstamp_model.export.promela_quantifiers import Quantifiers
from genstamp_model.export.promela_scope import STATE, Bound, Scope
from genstamp_model.export.promela_shapes import At, Field, Path, Place, Shapes, Size, is_scalar
from genstamp_model.export.promela_text import bare, every, following, infix, preceding, some
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.types import ArrayType, BagType, RecordType, RefType, SequenceType, SetType, Type


class Expressions:
    """Writes expressions of one instance, and collects the macros that they need."""

    def __init__(self, shapes: Shapes, names: Names) -> None:
        self.shapes = shapes
        self.names = names
        self.quantifiers = Quantifiers(self, shapes, names)
        self._sizes = shapes.instance.sizes
        self._types = shapes.instance.model.types
        self._reads: set[str] = set()

    def reading(self, write: Callable[[], str]) -> tuple[str, frozenset[str]]:
        """A text and the leaves of the state that it reads: variables with their fields, without positions."""
        outer, self._reads = self._reads, set()
        text, reads = write(), frozenset(self._reads)
        self._reads = outer | reads
        return text, reads

    def leaf(self, variable: str, path: Path) -> str:
        """The variable with the fields of a path: what reads and writes are distinguished by."""
        return ".".join([variable, *(str(step.position) for step in path if isinstance(step, Field))])

    def scalar(self, expr: Expr, bound: Bound, scope: Scope = STATE, path: Path = ()) -> str:
        """The text of one scalar of an expression's value."""
        if scope.shared is not None and expr in scope.shared:
            assert not path
            return scope.shared[expr]
        match expr.op:
            case Op.VARIABLE | Op.NEXT:
                return self._variable(expr, scope, path)
            case Op.PARAMETER:
                given = bound[expr.data]
                if isinstance(given, str):
                    return given
                return self.scalar(given.bag, bound, scope, (Place(given.place), *path))
            case Op.CONST:
                return "0" if path else self.shapes.constant(expr.type, named_position(expr, self._sizes))
            case Op.SELECT:
                return self._select(expr, bound, scope, path)
            case Op.AT:
                return self._at(expr, bound, scope, path)
            case Op.FIELD:
                return self.scalar(expr.args[0], bound, scope, (Field(expr.data), *path))
            case Op.ITE:
                return self._choice(expr, bound, scope, path)
            case op if op in _BUILDING:
                return _BUILDING[op](self, expr, bound, scope, path)
            case op if op in ir.BINDERS and op is not Op.TABULATE:
                text, reads = self.quantifiers.text(expr, bound, scope)
                self._reads |= reads
                return text
            case Op.TABULATE:
                first, *rest = path
                assert isinstance(first, At)
                return self.scalar(expr.args[0], {**bound, expr.data.name: first.text}, scope, tuple(rest))
            case _:
                assert not path, f"{expr.op} has no parts"
                return self._operation(expr, bound, scope)

    def _variable(self, expr: Expr, scope: Scope, path: Path) -> str:
        type_ = self._types[expr.data]
        if scope.effects is not None and expr.data in scope.effects:
            assert scope.given is not None and scope.beneath is not None
            return self.scalar(scope.effects[expr.data], scope.given, scope.beneath, path)
        for step in path:
            # A sequence that grows within a step has places that the state has not.
            if isinstance(step, Place) and isinstance(step.where, int) and step.where >= self._room(type_, path, step):
                return "0"
        self._reads.add(self.leaf(expr.data, path))
        name = self.shapes.variables[expr.data]
        prefix = scope.before if expr.op is Op.VARIABLE else ""
        return self.shapes.place(f"{prefix}{name}", type_, path)

    def _room(self, type_: Type, path: Path, place: Place) -> int:
        container = part(type_, path[: path.index(place)])
        assert isinstance(container, SequenceType | BagType)
        return self.shapes.room(container)

    def _select(self, expr: Expr, bound: Bound, scope: Scope, path: Path) -> str:
        array, position = expr.args
        index = self.scalar(position, bound, scope)
        found = self.scalar(array, bound, scope, (At(index), *path))
        return self.within(array.type, position, index, found, self.shapes.zero(expr.type, path))

    def within(self, array: Type, position: Expr, index: str, found: str, otherwise: str) -> str:
        """One text for a position within an array, another one for none."""
        outside = self.outside(array, position, index)
        return f"({outside} -> {otherwise} : {found})" if outside else found

    def outside(self, array: Type, position: Expr, index: str) -> str | None:
        """The condition that a position is none; None if that is impossible."""
        assert isinstance(array, ArrayType) and isinstance(position.type, RefType)
        if not position.type.optional:
            return None
        return f"{index} >= {self._sizes.of(array.index)}"

    def _at(self, expr: Expr, bound: Bound, scope: Scope, path: Path) -> str:
        items, position = expr.args
        where: str | int = position.data if position.op is Op.CONST else self.scalar(position, bound, scope)
        otherwise = self.shapes.zero(expr.type, path)
        if isinstance(where, int) and where < 0:
            return otherwise
        size = self.scalar(items, bound, scope, (Size(),))
        found = self.scalar(items, bound, scope, (Place(where), *path))
        inside = f"{where} < {size}" if isinstance(where, int) else f"{where} >= 0 && {where} < {size}"
        return f"({inside} -> {found} : {otherwise})"

    def _choice(self, expr: Expr, bound: Bound, scope: Scope, path: Path) -> str:
        condition, then, otherwise = expr.args
        yes, no = self.scalar(then, bound, scope, path), self.scalar(otherwise, bound, scope, path)
        return yes if yes == no else f"({bare(self.scalar(condition, bound, scope))} -> {yes} : {no})"

    # What builds structured values.

    def _store(self, expr: Expr, bound: Bound, scope: Scope, path: Path) -> str:
        array, position, element = expr.args
        first, *rest = path
        assert isinstance(first, At)
        index = self.scalar(position, bound, scope)
        new = self.scalar(element, bound, scope, tuple(rest))
        if index == first.text:
            return new
        old = self.scalar(array, bound, scope, path)
        return f"({first.text} == {index} -> {new} : {old})"

    def _with_field(self, expr: Expr, bound: Bound, scope: Scope, path: Path) -> str:
        record, value = expr.args
        assert isinstance(path[0], Field)
        if path[0].position == expr.data:
            return self.scalar(value, bound, scope, path[1:])
        return self.scalar(record, bound, scope, path)

    def _record(self, expr: Expr, bound: Bound, scope: Scope, path: Path) -> str:
        assert isinstance(path[0], Field)
        return self.scalar(expr.args[path[0].position], bound, scope, path[1:])

    def _append(self, expr: Expr, bound: Bound, scope: Scope, path: Path) -> str:
        items, value = expr.args
        size = self.scalar(items, bound, scope, (Size(),))
        first, *rest = path
        if isinstance(first, Size):
            return f"({size} + 1)"
        assert isinstance(first, Place)
        new, old = self.scalar(value, bound, scope, tuple(rest)), self.scalar(items, bound, scope, path)
        return f"({first.where} == {size} -> {new} : {old})"

    def _drop_first(self, expr: Expr, bound: Bound, scope: Scope, path: Path) -> str:
        items = expr.args[0]
        first, *rest = path
        if isinstance(first, Size):
            size = self.scalar(items, bound, scope, path)
            return f"({size} > 0 -> {size} - 1 : 0)"
        assert isinstance(first, Place)
        return self.scalar(items, bound, scope, (Place(following(first.where)), *rest))

    def _without(self, expr: Expr, bound: Bound, scope: Scope, path: Path) -> str:
        items, position = expr.args[0], self.scalar(expr.args[1], bound, scope)
        size = self.scalar(items, bound, scope, (Size(),))
        there = f"{position} >= 0 && {position} < {size}"
        first, *rest = path
        if isinstance(first, Size):
            return f"({there} -> {size} - 1 : {size})"
        assert isinstance(first, Place)
        here, later = (
            self.scalar(items, bound, scope, (Place(at), *rest)) for at in (first.where, following(first.where))
        )
        return f"({there} && {position} <= {first.where} -> {later} : {here})"

    def _send(self, expr: Expr, bound: Bound, scope: Scope, path: Path) -> str:
        bag, message = expr.args
        size = self.scalar(bag, bound, scope, (Size(),))
        first, *rest = path
        if isinstance(first, Size):
            return f"({size} + 1)"
        assert isinstance(first, Place)
        here, where = tuple(rest), first.where
        mine = " + ".join(
            f"({k} < {size} && !{self.before(message, bag, k, bound, scope)})" for k in self.bag_places(bag)
        )
        place, new = f"({mine or 0})", self.scalar(message, bound, scope, here)
        kept = self.scalar(bag, bound, scope, path)
        earlier = "0" if where == 0 else self.scalar(bag, bound, scope, (Place(preceding(where)), *here))
        return f"({where} < {place} -> {kept} : ({where} == {place} -> {new} : {earlier}))"

    def _take(self, expr: Expr, bound: Bound, scope: Scope, path: Path) -> str:
        bag, message = expr.args
        size = self.scalar(bag, bound, scope, (Size(),))
        first, *rest = path
        found = [f"({k} < {size} && {self._is(message, bag, k, bound, scope)})" for k in self.bag_places(bag)]
        if isinstance(first, Size):
            return f"({size} - {some(found)})"
        assert isinstance(first, Place)
        passed = some([f"({k} <= {first.where} && {one})" for k, one in enumerate(found)])
        kept = self.scalar(bag, bound, scope, path)
        later = self.scalar(bag, bound, scope, (Place(following(first.where)), *rest))
        return f"({passed} -> {later} : {kept})"

    def bag_places(self, bag: Expr) -> range:
        """The places of a bag, those included that it may fill within a step."""
        assert isinstance(bag.type, BagType)
        return range(self.shapes.room(bag.type) + spare(bag))

    def before(self, message: Expr, bag: Expr, place: int, bound: Bound, scope: Scope) -> str:
        """Whether a message sorts before the one at a place of a bag, scalar by scalar."""
        result = ""
        for path, _ in reversed(list(self.shapes.scalars(message.type))):
            mine = self.scalar(message, bound, scope, path)
            its = self.scalar(bag, bound, scope, (Place(place), *path))
            result = f"({mine} < {its} || ({mine} == {its} && {result}))" if result else f"({mine} < {its})"
        return result or "false"

    def _is(self, message: Expr, bag: Expr, place: int, bound: Bound, scope: Scope) -> str:
        same = [
            f"{self.scalar(message, bound, scope, path)} == {self.scalar(bag, bound, scope, (Place(place), *path))}"
            for path, _ in self.shapes.scalars(message.type)
        ]
        return every(same)

    # Operations that give a scalar.

    def _operation(self, expr: Expr, bound: Bound, scope: Scope) -> str:
        match expr.op:
            case Op.EQ:
                return self._equal(expr, bound, scope)
            case Op.CARDINALITY:
                return self._cardinality(expr, bound, scope)
            case Op.LENGTH:
                return self.scalar(expr.args[0], bound, scope, (Size(),))
            case Op.RANK | Op.SUCCESSOR | Op.PREDECESSOR:
                return self._in_order(expr, bound, scope)
            case Op.INSERT:
                return self._insert(expr, bound, scope)
            case Op.HOLDS:
                bag, message = expr.args
                size = self.scalar(bag, bound, scope, (Size(),))
                places = self.bag_places(bag)
                return some([f"({k} < {size} && {self._is(message, bag, k, bound, scope)})" for k in places])
            case op:
                return _TEXTS[op]([self.scalar(arg, bound, scope) for arg in expr.args])

    def _equal(self, expr: Expr, bound: Bound, scope: Scope) -> str:
        left, right = expr.args
        if is_scalar(left.type):
            return f"({self.scalar(left, bound, scope)} == {self.scalar(right, bound, scope)})"
        more = max(spare(left), spare(right))
        paths = [path for path, _ in self.shapes.scalars(left.type)]
        if more:
            assert isinstance(left.type, SequenceType | BagType), "what grows within a step is compared as a whole"
            element = left.type.element if isinstance(left.type, SequenceType) else left.type.message
            room = self.shapes.room(left.type)
            further = [path for path, _ in self.shapes.scalars(element)]
            paths += [(Place(room + k), *path) for k in range(more) for path in further]
        same = [
            f"{self.scalar(left, bound, scope, path)} == {self.scalar(right, bound, scope, path)}" for path in paths
        ]
        return every(same)

    def _cardinality(self, expr: Expr, bound: Bound, scope: Scope) -> str:
        members, kind = self.scalar(expr.args[0], bound, scope), expr.args[0].type
        assert isinstance(kind, SetType)
        names = self.shapes.members(kind.index)
        return "(" + " + ".join(f"has({members}, {name})" for name in names) + ")"

    def _in_order(self, expr: Expr, bound: Bound, scope: Scope) -> str:
        member, kind = self.scalar(expr.args[0], bound, scope), expr.args[0].type
        if not isinstance(kind, RefType):
            return member
        size = self._sizes.of(kind.index)
        if expr.op is Op.RANK:
            found, otherwise = member, "0"
        elif expr.op is Op.SUCCESSOR:
            found, otherwise = f"({member} == {size - 1} -> 0 : {member} + 1)", member
        else:
            found, otherwise = f"({member} == 0 -> {size - 1} : {member} - 1)", member
        return f"({member} >= {size} -> {otherwise} : {found})" if kind.optional else found

    def _insert(self, expr: Expr, bound: Bound, scope: Scope) -> str:
        members, position = expr.args
        before, member = self.scalar(members, bound, scope), self.scalar(position, bound, scope)
        more = f"adding({before}, {member})"
        assert isinstance(position.type, RefType) and isinstance(members.type, SetType)
        if not position.type.optional:
            return more
        return f"({member} >= {self._sizes.of(members.type.index)} -> {before} : {more})"


def part(type_: Type, path: Path) -> Type:
    """The type at a path into a value."""
    for step in path:
        match type_, step:
            case RecordType(fields=fields), Field(position):
                type_ = fields[position][1]
            case ArrayType(element=element), At():
                type_ = element
            case SequenceType(element=element) | BagType(message=element), Place():
                type_ = element
            case _:
                raise AssertionError(f"no {step} in {type_}")
    return type_


def spare(expr: Expr) -> int:
    """How many places more than the state's a sequence or bag may fill within a step."""
    match expr.op:
        case Op.APPEND | Op.SEND:
            return spare(expr.args[0]) + 1
        case Op.DROP_FIRST | Op.WITHOUT | Op.TAKE | Op.FIELD | Op.SELECT | Op.AT:
            return spare(expr.args[0])
        case Op.ITE:
            return max(spare(expr.args[1]), spare(expr.args[2]))
        case Op.VARIABLE | Op.NEXT | Op.CONST | Op.PARAMETER:
            return 0
        case _:
            return max((spare(arg) for arg in expr.args), default=0)


_TEXTS: dict[Op, Callable[[Sequence[str]], str]] = {
    Op.NOT: lambda parts: f"!({parts[0]})" if parts[0].startswith("!") else f"!{parts[0]}",
    Op.AND: infix("&&"),
    Op.OR: infix("||"),
    Op.LT: infix("<"),
    Op.LE: infix("<="),
    Op.ADD: infix("+"),
    Op.SUB: infix("-"),
    Op.MUL: infix("*"),
    Op.DIV: lambda parts: f"divided{'' if parts[1].isdigit() else '_by'}({', '.join(map(bare, parts))})",
    Op.MOD: lambda parts: f"left_over{'' if parts[1].isdigit() else '_by'}({', '.join(map(bare, parts))})",
    Op.MIN: lambda parts: f"smaller({', '.join(map(bare, parts))})",
    Op.MAX: lambda parts: f"larger({', '.join(map(bare, parts))})",
    Op.MEMBER: lambda parts: f"has({', '.join(map(bare, parts))})",
    Op.REMOVE: lambda parts: f"removing({', '.join(map(bare, parts))})",
    Op.UNION: infix("|"),
    Op.INTERSECTION: infix("&"),
    Op.DIFFERENCE: lambda parts: f"({parts[0]} & ~{parts[1]})",
    Op.SUBSET: lambda parts: f"(({parts[0]} & ~{parts[1]}) == 0)",
}

_BUILDING: dict[Op, Callable[[Expressions, Expr, Bound, Scope, Path], str]] = {
    Op.STORE: Expressions._store,
    Op.WITH_FIELD: Expressions._with_field,
    Op.RECORD: Expressions._record,
    Op.APPEND: Expressions._append,
    Op.DROP_FIRST: Expressions._drop_first,
    Op.WITHOUT: Expressions._without,
    Op.SEND: Expressions._send,
    Op.TAKE: Expressions._take,
}
