"""Scalars simplified by what is known where they are used: the effect of a step, given that its checks hold."""

from __future__ import annotations

from collections.abc import Iterable

from genstamp_model.explore.scalar import Graph, Op, Scalar


class Assumption:
    """Some flags are known to hold.

    Known flags become constants, cells that are known to equal a constant become that constant, and comparisons with
    constants narrow the interval of a cell.
    """

    def __init__(self, graph: Graph, facts: Iterable[Scalar]) -> None:
        self._graph = graph
        self._known: dict[Scalar, Scalar] = {}
        pending = list(facts)
        while pending:
            fact = pending.pop()
            if fact.op is Op.CONST or fact in self._known:
                continue
            self._known[fact] = graph.true
            self._known[graph.not_(fact)] = graph.false
            pending.extend(graph.literals(Op.AND, fact))
            if fact.op in (Op.EQ, Op.LT, Op.LE):
                self._narrow(fact)

    def _narrow(self, fact: Scalar) -> None:
        left, right = fact.args
        strict = fact.op is Op.LT
        if left.op is Op.CELL and right.op is Op.CONST:
            if fact.op is Op.EQ:
                self._bound(left, right.value, right.value)
            else:
                self._bound(left, left.low, right.value - strict)
        elif right.op is Op.CELL and left.op is Op.CONST:
            self._bound(right, left.value + strict, right.high)

    def _bound(self, cell: Scalar, low: int, high: int) -> None:
        now = self._known.get(cell, cell)
        self._known[cell] = self._graph.cell(cell.value, cell.flag, max(low, now.low), min(high, now.high))

    def simplify(self, scalar: Scalar) -> Scalar:
        """An equal scalar, where the assumption holds."""
        stack = [scalar]
        while stack:
            node = stack[-1]
            if node in self._known:
                stack.pop()
                continue
            missing = [arg for arg in node.args if arg not in self._known]
            if missing:
                stack.extend(missing)
            else:
                stack.pop()
                self._known[node] = self._rebuilt(node, [self._known[arg] for arg in node.args])
        return self._known[scalar]

    def _rebuilt(self, node: Scalar, args: list[Scalar]) -> Scalar:
        if all(new is old for new, old in zip(args, node.args, strict=True)):
            return node
        graph = self._graph
        match node.op:
            case Op.NOT:
                return graph.not_(args[0])
            case Op.AND:
                return graph.and_(args)
            case Op.OR:
                return graph.or_(args)
            case Op.ITE:
                return graph.ite(*args)
            case Op.EQ:
                return graph.eq(*args)
            case Op.LT:
                return graph.lt(*args)
            case Op.LE:
                return graph.le(*args)
            case Op.ADD:
                return graph.add(*args)
            case Op.SUB:
                return graph.sub(*args)
            case Op.MUL:
                return graph.mul(*args)
            case Op.DIV:
                return graph.quotient(*args)
            case Op.MOD:
                return graph.mod(args[0], args[1].value)
            case Op.MIN:
                return graph.minimum(*args)
            case _:
                assert node.op is Op.MAX, node
                return graph.maximum(*args)
