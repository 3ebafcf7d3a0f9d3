"""LLVM IR as text: one function's body, with every scalar bound to a name at most once where it is visible.

Text is built rather than llvmlite's objects because parsing it takes a fraction of the time. Values computed in a
*scope* are visible in the scopes opened from it: the spine of a function and, inside it, the block of one step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from genstamp_model.explore.layout import Field, Layout
from genstamp_model.explore.scalar import Op, Scalar

Scope = dict[Scalar, str]

_INFIX = {Op.ADD: "add nsw", Op.SUB: "sub nsw", Op.MUL: "mul nsw", Op.DIV: "udiv", Op.MOD: "urem"}
_COMPARE = {Op.EQ: "eq", Op.LT: "slt", Op.LE: "sle"}
_CALL = {Op.MIN: "smin", Op.MAX: "smax"}

DECLARATIONS = "declare i64 @llvm.smin.i64(i64, i64)\ndeclare i64 @llvm.smax.i64(i64, i64)\n"


class Body:
    """The body of a function whose first argument `%state` points to a packed state."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._lines: list[str] = []
        self._names = 0
        self._scopes: list[Scope] = [{}]
        self._block = "entry"
        self.words: list[str] = []
        self.line("entry:")
        for i in range(layout.words):
            self.words.append(self.load("%state", i))

    def text(self) -> str:
        """All lines."""
        return "\n".join(self._lines)

    @property
    def block(self) -> str:
        """Name of the block being written."""
        return self._block

    def line(self, text: str) -> None:
        """Add a line as it is."""
        self._lines.append(text)

    def name(self, prefix: str = "v") -> str:
        """A name not used before, without the `%`."""
        self._names += 1
        return f"{prefix}{self._names}"

    def let(self, instruction: str) -> str:
        """Add an instruction, and give its result's name."""
        name = f"%{self.name()}"
        self._lines.append(f"  {name} = {instruction}")
        return name

    def start(self, block: str) -> None:
        """Begin a block."""
        self._lines.append(f"{block}:")
        self._block = block

    def open(self) -> None:
        """Open an inner scope."""
        self._scopes.append({})

    def close(self) -> None:
        """Leave the innermost scope: what was computed in it is not visible any more."""
        self._scopes.pop()

    def address(self, pointer: str, position: int) -> str:
        """Address of the int64 at a position."""
        return self.let(f"getelementptr i64, ptr {pointer}, i64 {position}") if position else pointer

    def load(self, pointer: str, position: int) -> str:
        """The int64 at a position."""
        return self.let(f"load i64, ptr {self.address(pointer, position)}")

    def store(self, value: str, pointer: str, position: int) -> None:
        """Put an int64 at a position."""
        self._lines.append(f"  store i64 {value}, ptr {self.address(pointer, position)}")

    def increase(self, pointer: str, position: int, amount: str) -> None:
        """Add to the int64 at a position."""
        place = self.address(pointer, position)
        total = self.let(f"add i64 {self.let(f'load i64, ptr {place}')}, {amount}")
        self._lines.append(f"  store i64 {total}, ptr {place}")

    def value(self, scalar: Scalar) -> str:
        """The operand that stands for a scalar here, computed now unless it is visible already."""
        stack = [scalar]
        while stack:
            node = stack[-1]
            if self._visible(node) is not None:
                stack.pop()
                continue
            missing = [arg for arg in self._operands(node) if self._visible(arg) is None]
            if missing:
                stack.extend(reversed(missing))
            else:
                stack.pop()
                self._scopes[-1][node] = self._compute(node)
        found = self._visible(scalar)
        assert found is not None
        return found

    def number(self, scalar: Scalar) -> str:
        """As `value`, but a flag becomes 0 or 1."""
        operand = self.value(scalar)
        if scalar.op is Op.CONST:
            return str(scalar.value)
        return self.let(f"zext i1 {operand} to i64") if scalar.flag else operand

    def _visible(self, node: Scalar) -> str | None:
        if node.op is Op.CONST:
            return ("true" if node.value else "false") if node.flag else str(node.value)
        return next((scope[node] for scope in reversed(self._scopes) if node in scope), None)

    @staticmethod
    def _operands(node: Scalar) -> Sequence[Scalar]:
        # A cell is compared with a constant within its word, without being extracted.
        return () if _is_masked(node) else node.args

    def _compute(self, node: Scalar) -> str:
        if _is_masked(node):
            return self._masked(node.args[0], node.args[1].value)
        args = [self._visible(arg) for arg in node.args]
        kind = "i1" if node.args and node.args[0].flag else "i64"
        match node.op:
            case Op.CELL:
                return self._cell(node)
            case Op.NOT:
                return self.let(f"xor i1 {args[0]}, true")
            case Op.AND | Op.OR:
                result = args[0]
                for arg in args[1:]:
                    result = self.let(f"{node.op.name.lower()} i1 {result}, {arg}")
                assert result is not None
                return result
            case Op.EQ | Op.LT | Op.LE:
                return self.let(f"icmp {_COMPARE[node.op]} {kind} {args[0]}, {args[1]}")
            case Op.MIN | Op.MAX:
                return self.let(f"call i64 @llvm.{_CALL[node.op]}.i64(i64 {args[0]}, i64 {args[1]})")
            case Op.ITE:
                if not node.flag and (node.args[1].value, node.args[2].value) == (1, 0) and _constant(node.args[1:]):
                    return self.let(f"zext i1 {args[0]} to i64")
                kind = "i1" if node.flag else "i64"
                return self.let(f"select i1 {args[0]}, {kind} {args[1]}, {kind} {args[2]}")
            case _:
                return self.let(f"{_INFIX[node.op]} i64 {args[0]}, {args[1]}")

    def _cell(self, node: Scalar) -> str:
        field = self._layout.fields[node.value]
        if node.flag:
            return self._masked(node, 1)
        result = self.words[field.word]
        if field.shift:
            result = self.let(f"lshr i64 {result}, {field.shift}")
        result = self.let(f"and i64 {result}, {(1 << field.bits) - 1}")
        return self.let(f"add nsw i64 {result}, {field.low}") if field.low else result

    def _masked(self, cell: Scalar, value: int) -> str:
        field = self._layout.fields[cell.value]
        inside = self.let(f"and i64 {self.words[field.word]}, {field.mask}")
        return self.let(f"icmp eq i64 {inside}, {(value - field.low) << field.shift}")

    def packed(self, before: Sequence[Scalar], after: Sequence[Scalar]) -> list[str]:
        """The words of the state after a step; `before` are the cells that the words hold now."""
        changed: dict[int, list[tuple[Field, Scalar]]] = {}
        for field, old, new in zip(self._layout.fields, before, after, strict=True):
            if new is not old:
                changed.setdefault(field.word, []).append((field, new))
        return [self._word(i, changed[i]) if i in changed else word for i, word in enumerate(self.words)]

    def replaced(self, values: Mapping[int, str]) -> list[str]:
        """The words of the state with some cells, by position, given other values as operands."""
        words = list(self.words)
        for position, value in values.items():
            field = self._layout.fields[position]
            if field.bits == 0:
                continue
            if field.low:
                value = self.let(f"sub nsw i64 {value}, {field.low}")
            placed = self.let(f"shl i64 {value}, {field.shift}") if field.shift else value
            words[field.word] = self.let(f"or i64 {self.let(f'and i64 {words[field.word]}, {~field.mask}')}, {placed}")
        return words

    def _word(self, word: int, changed: Iterable[tuple[Field, Scalar]]) -> str:
        keep, constant, parts = -1, 0, []
        for field, new in changed:
            keep &= ~field.mask
            if new.op is Op.CONST:
                constant |= (new.value - field.low) << field.shift
            else:
                parts.append(self._placed(field, new))
        result = self.let(f"and i64 {self.words[word]}, {keep}")
        if constant:
            result = self.let(f"or i64 {result}, {constant}")
        for part in parts:
            result = self.let(f"or i64 {result}, {part}")
        return result

    def _placed(self, field: Field, new: Scalar) -> str:
        value = self.number(new)
        if field.low:
            value = self.let(f"sub nsw i64 {value}, {field.low}")
        return self.let(f"shl nsw i64 {value}, {field.shift}") if field.shift else value


def _is_masked(node: Scalar) -> bool:
    return node.op is Op.EQ and node.args[0].op is Op.CELL and node.args[1].op is Op.CONST


def _constant(nodes: Iterable[Scalar]) -> bool:
    return all(node.op is Op.CONST for node in nodes)
