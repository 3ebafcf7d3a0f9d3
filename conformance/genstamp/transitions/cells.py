"""Cells of a state, and which of them an expression reads.

A cell is a variable, or one element of a variable that is an array. Its values are numbered, so that states are short
tuples of small numbers. Not here: what happens in a step: see `stepping`.
"""

from collections.abc import Mapping
from itertools import islice
from typing import Any, TypeAlias

from genstamp_model.evaluate import Evaluator, State, named_position
from genstamp_model.language.ir import BINDERS, Expr, Op
from genstamp_model.language.types import ArrayType, Type, Value
from genstamp_model.ranges import limited

Numbers: TypeAlias = tuple[int, ...]
"""A state: of each cell the number of its value."""


class Cells:
    """The cells of an instance's states.

    Args:
        evaluator: of the instance.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._sizes = evaluator.sizes
        self._limits = evaluator.instance.limits
        self._of: dict[str, list[int]] = {}
        self._kinds: list[Type] = []
        self._widths: list[int | None] = []
        for variable in evaluator.model.variables:
            kind = variable.type
            if isinstance(kind, ArrayType):
                width = evaluator.sizes.of(kind.index)
                self._widths.append(width)
                kinds = [kind.element] * width
            else:
                self._widths.append(None)
                kinds = [kind]
            self._of[variable.name] = list(range(len(self._kinds), len(self._kinds) + len(kinds)))
            self._kinds += kinds
        self._values: list[list[Value]] = [[] for _ in self._kinds]
        self._numbers: list[dict[Value, int]] = [{} for _ in self._kinds]
        self._excess: list[list[bool]] = [[] for _ in self._kinds]

    def of(self, variable: str) -> list[int]:
        """The cells of a variable."""
        return self._of[variable]

    def element(self, variable: str, position: Expr, bound: Mapping[str, Value]) -> int | None:
        """The cell of a variable's element; None if the position is not fixed by what is bound."""
        if position.op is Op.PARAMETER:
            place: Any = bound.get(position.data)
        elif position.op is Op.CONST:
            place = named_position(position, self._sizes)
        else:
            return None
        cells = self._of[variable]
        return cells[place] if isinstance(place, int) and 0 <= place < len(cells) else None

    def number(self, cell: int, value: Value) -> int:
        """The number of a value; a new one if it is new."""
        numbers = self._numbers[cell]
        number = numbers.get(value)
        if number is None:
            number = numbers[value] = len(numbers)
            self._values[cell].append(value)
            sizes = limited(value, self._kinds[cell], self._limits)
            self._excess[cell].append(any(size > self._limits[name] for name, size in sizes))
        return number

    def numbered(self, state: State) -> Numbers:
        """A state in numbers."""
        return tuple(self.number(cell, value) for cell, value in enumerate(self._parts(state)))

    def known(self, state: State) -> Numbers | None:
        """A state in numbers, if all its values are known."""
        found = [numbers.get(value) for numbers, value in zip(self._numbers, self._parts(state), strict=True)]
        return None if None in found else tuple(number for number in found if number is not None)

    def state(self, numbers: Numbers) -> State:
        """A state in values."""
        values = map(list.__getitem__, self._values, numbers)
        return tuple(next(values) if width is None else tuple(islice(values, width)) for width in self._widths)

    def exceed(self, numbers: Numbers) -> bool:
        """Whether some value is larger than the limit of its type."""
        return any(map(list.__getitem__, self._excess, numbers))

    def _parts(self, state: State) -> list[Value]:
        found: list[Value] = []
        for value, width in zip(state, self._widths, strict=True):
            if width is None:
                found.append(value)
            else:
                assert isinstance(value, tuple)
                found += value
        return found


def cells_read(expr: Expr, bound: Mapping[str, Value], cells: Cells) -> set[int]:
    """Cells that an expression reads in the state before a step.

    Args:
        expr: it reads no state after a step.
        bound: arguments of the step by parameter, which fix positions.
        cells: of the instance.
    """
    found: set[int] = set()
    seen: set[tuple[int, frozenset[str]]] = set()
    pending = [(expr, frozenset(bound))]
    while pending:
        node, fixed = pending.pop()
        fixed &= node.free
        if (id(node), fixed) in seen:
            continue
        seen.add((id(node), fixed))
        if node.op is Op.VARIABLE:
            found.update(cells.of(node.data))
            continue
        if node.op is Op.SELECT and node.args[0].op is Op.VARIABLE:
            variable, position = node.args[0].data, node.args[1]
            cell = cells.element(variable, position, {name: bound[name] for name in fixed})
            if cell is not None:
                found.add(cell)
                continue
        if node.op in BINDERS:
            # Of a quantifier over messages the first operand is outside; to leave its argument open only reads more.
            fixed -= {node.data.name}
        pending += [(part, fixed) for part in node.args]
    return found
