"""From machine functions to LLVM IR: the translator behind `machine`.

A function is read as Python's own syntax tree and written statement by statement; every variable is a place on the
stack, which LLVM makes a register of. A form that machine functions do not have is our own mistake, and an assertion.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genstamp_model.explore.machine import Function

FLAG, WORD = "i1", "i64"
_ELEMENTS = {"Words": "i64", "Halves": "i32"}
_BINARY: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "lshr",
}
_COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}


@dataclass(frozen=True)
class Value:
    """An operand: `kind` is i1, i64, Words or Halves."""

    kind: str
    text: str

    @property
    def typed(self) -> str:
        """The operand with its type in LLVM."""
        return f"{_llvm(self.kind)} {self.text}"


def _llvm(kind: str) -> str:
    return "ptr" if kind in _ELEMENTS else kind


def _kinds(function: Function[..., Any]) -> tuple[dict[str, str], str]:
    """Kinds of a function's parameters, and of what it gives; a word where it gives nothing."""
    signature = inspect.signature(function.python)
    words = ("Word", "int", "None")
    found = {name: _written(parameter.annotation) for name, parameter in signature.parameters.items()}
    found["return"] = _written(signature.return_annotation)
    kinds = {name: WORD if kind in words else kind for name, kind in found.items()}
    return kinds, kinds.pop("return")


def _written(annotation: Any) -> str:
    """An annotation as it is written, whether or not Python has evaluated it."""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def module(functions: Iterable[Function[..., Any]], constants: Mapping[str, int]) -> str:
    """LLVM IR of functions and all that they call; only those named can be called from outside."""
    outside = list(functions)
    found: dict[str, Function[..., Any]] = {}
    texts: list[str] = []
    declared: set[str] = set()
    waiting = list(outside)
    while waiting:
        one = waiting.pop()
        if one.name in found:
            assert found[one.name] is one, f"there are two machine functions named {one.name}"
            continue
        found[one.name] = one
        text, callees = _Translator(one, constants).definition(internal=one not in outside)
        texts.append(text)
        declared.update(line for line in one.declares.splitlines() if line)
        waiting += callees
    return "\n".join([*sorted(declared), *texts])


class _Translator:
    """One function's text while it is written."""

    def __init__(self, function: Function[..., Any], constants: Mapping[str, int]) -> None:
        self._function = function
        self._constants = constants
        self._lines: list[str] = []
        self._stack: list[str] = []
        self._variables: dict[str, str] = {}
        self._loops: list[tuple[str, str]] = []
        self._names = 0
        self._block: str | None = "entry.0"
        self._callees: list[Function[..., Any]] = []

    def definition(self, internal: bool) -> tuple[str, list[Function[..., Any]]]:
        """The function's text, and the functions that it calls."""
        kinds, result = _kinds(self._function)
        listed = ", ".join(f"{_llvm(kind)} %{name}" for name, kind in kinds.items())
        head = f"define {'internal ' if internal else ''}{_llvm(result)} @{self._function.name}({listed})"
        if self._function.inlined:
            head += " alwaysinline"
        if self._function.body:
            return f"{head} {{\n{self._function.body.strip()}\n}}\n", []
        for name, kind in kinds.items():
            self._assign(name, Value(kind, f"%{name}"))
        tree = ast.parse(textwrap.dedent(inspect.getsource(self._function.python)))
        definition = tree.body[0]
        assert isinstance(definition, ast.FunctionDef)
        self._statements(definition.body)
        if self._block is not None:
            self._line("ret i64 0")
        body = "\n".join(["entry.0:", *self._stack, *self._lines])
        return f"{head} {{\n{body}\n}}\n", self._callees

    # What is written.

    def _line(self, text: str) -> None:
        self._lines.append(f"  {text}")

    def _name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}.{self._names}"

    def _let(self, kind: str, instruction: str) -> Value:
        name = f"%{self._name('v')}"
        self._line(f"{name} = {instruction}")
        return Value(kind, name)

    def _start(self, block: str) -> None:
        if self._block is not None:
            self._line(f"br label %{block}")
        self._lines.append(f"{block}:")
        self._block = block

    def _end(self, instruction: str) -> None:
        self._line(instruction)
        self._block = None

    def _branch(self, condition: Value, yes: str, no: str) -> None:
        self._end(f"br {self._flag(condition).typed}, label %{yes}, label %{no}")

    # Statements.

    def _statements(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if self._block is None:
                return
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=value):
                self._value(value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, given in zip(targets, [self._value(value) for value in values], strict=True):
                    self._store(target, given)
            case ast.Assign(targets=[target], value=value):
                self._store(target, self._value(value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._store(target, self._value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                self._store(target, self._binary(self._value(_read(target)), op, self._value(value)))
            case ast.If(test=test, body=body, orelse=orelse):
                self._if(test, body, orelse)
            case ast.While(test=test, body=body, orelse=[]):
                self._while(test, body)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=bounds), body=body, orelse=[]):
                self._for(name, [self._value(bound) for bound in bounds], body)
            case ast.Break():
                self._end(f"br label %{self._loops[-1][1]}")
            case ast.Continue():
                self._end(f"br label %{self._loops[-1][0]}")
            case ast.Return(value=value):
                self._end(f"ret {self._word(self._value(value)).typed}" if value else "ret i64 0")
            case _:
                raise AssertionError(self._unknown(node))

    def _if(self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> None:
        yes, no, after = self._name("then"), self._name("else"), self._name("after")
        self._branch(self._value(test), yes, no)
        ended = True
        for block, statements in ((yes, body), (no, orelse)):
            self._start(block)
            self._statements(statements)
            if self._block is not None:
                self._end(f"br label %{after}")
                ended = False
        if not ended:
            self._start(after)

    def _while(self, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        head, inside, after = self._name("while"), self._name("do"), self._name("after")
        self._start(head)
        self._branch(self._value(test), inside, after)
        self._start(inside)
        self._loops.append((head, after))
        self._statements(body)
        self._loops.pop()
        if self._block is not None:
            self._end(f"br label %{head}")
        self._start(after)

    def _for(self, name: str, bounds: Sequence[Value], body: Sequence[ast.stmt]) -> None:
        first, last = (Value(WORD, "0"), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        step = bounds[2].text if len(bounds) > 2 else "1"
        head, inside, onward, after = (self._name(word) for word in ("for", "do", "next", "after"))
        self._assign(name, first)
        self._start(head)
        test = "sgt" if step.startswith("-") else "slt"
        self._branch(self._let(FLAG, f"icmp {test} i64 {self._variable(name).text}, {last.text}"), inside, after)
        self._start(inside)
        self._loops.append((onward, after))
        self._statements(body)
        self._loops.pop()
        self._start(onward)
        self._assign(name, self._let(WORD, f"add i64 {self._variable(name).text}, {step}"))
        self._end(f"br label %{head}")
        self._start(after)

    def _store(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                self._assign(name, value)
            case ast.Subscript(value=memory, slice=position):
                place, element = self._element(memory, position)
                value = self._word(value)
                if element == "i32":
                    value = self._let("i32", f"trunc i64 {value.text} to i32")
                self._line(f"store {value.typed}, ptr {place}")
            case _:
                raise AssertionError(self._unknown(target))

    def _assign(self, name: str, value: Value) -> None:
        if value.kind == FLAG:
            value = self._word(value)
        kind = self._variables.setdefault(name, value.kind)
        assert kind == value.kind, f"{self._function.name}: {name} is {kind}, and given {value.kind}"
        place = f"  %{name}.place = alloca {_llvm(kind)}"
        if place not in self._stack:
            self._stack.append(place)
        self._line(f"store {value.typed}, ptr %{name}.place")

    def _variable(self, name: str) -> Value:
        kind = self._variables[name]
        return self._let(kind, f"load {_llvm(kind)}, ptr %{name}.place")

    # Expressions.

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool(number)):
                return Value(FLAG, str(number).lower())
            case ast.Constant(value=int(number)):
                return Value(WORD, _signed(number))
            case ast.Name(id=name):
                return self._variable(name) if name in self._variables else self._global(name)
            case ast.Subscript(value=memory, slice=position):
                place, element = self._element(memory, position)
                found = self._let(element, f"load {element}, ptr {place}")
                return found if element == "i64" else self._let(WORD, f"zext {found.typed} to i64")
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(self._value(left), op, self._value(right))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
                return Value(WORD, _signed(-number))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._let(WORD, f"sub i64 0, {self._word(self._value(operand)).text}")
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self._let(WORD, f"xor i64 {self._word(self._value(operand)).text}, -1")
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._let(FLAG, f"xor i1 {self._flag(self._value(operand)).text}, true")
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                operands = f"{self._word(self._value(left)).text}, {self._word(self._value(right)).text}"
                return self._let(FLAG, f"icmp {_COMPARE[type(op)]} i64 {operands}")
            case ast.BoolOp(op=op, values=values):
                return self._either(isinstance(op, ast.Or), values)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self._flag(self._value(test))
                yes, no = self._word(self._value(body)), self._word(self._value(orelse))
                return self._let(yes.kind, f"select {condition.typed}, {yes.typed}, {no.typed}")
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._call(name, [self._value(argument) for argument in arguments])
            case _:
                raise AssertionError(self._unknown(node))

    def _global(self, name: str) -> Value:
        number = self._constants.get(name, self._function.python.__globals__.get(name))
        assert isinstance(number, int), f"{self._function.name}: {name} is no integer of the module"
        return Value(WORD, _signed(number))

    def _element(self, memory: ast.expr, position: ast.expr) -> tuple[str, str]:
        """Place of an element of memory, and its type in LLVM."""
        base, offset = self._value(memory), self._word(self._value(position))
        element = _ELEMENTS[base.kind]
        return self._let(base.kind, f"getelementptr {element}, ptr {base.text}, {offset.typed}").text, element

    def _binary(self, left: Value, op: ast.operator, right: Value) -> Value:
        right = self._word(right)
        if left.kind in _ELEMENTS:
            assert isinstance(op, ast.Add), f"{self._function.name}: memory is only added to"
            return self._let(left.kind, f"getelementptr {_ELEMENTS[left.kind]}, ptr {left.text}, {right.typed}")
        assert type(op) in _BINARY, f"{self._function.name}: machine functions have no {type(op).__name__}"
        return self._let(WORD, f"{_BINARY[type(op)]} i64 {self._word(left).text}, {right.text}")

    def _either(self, either: bool, values: Sequence[ast.expr]) -> Value:
        """`and` and `or`: what follows is only computed where it matters."""
        after, ways = self._name("after"), []
        for value in values[:-1]:
            condition, onward = self._flag(self._value(value)), self._name("and")
            ways.append(f"[{'true' if either else 'false'}, %{self._block}]")
            self._branch(condition, *((after, onward) if either else (onward, after)))
            self._start(onward)
        last = self._flag(self._value(values[-1]))
        ways.append(f"[{last.text}, %{self._block}]")
        self._start(after)
        return self._let(FLAG, f"phi i1 {', '.join(ways)}")

    def _call(self, name: str, arguments: Sequence[Value]) -> Value:
        given = [self._word(argument) for argument in arguments]
        if name == "call":
            function = self._let("ptr", f"inttoptr {given[0].typed} to ptr").text
            return self._let(WORD, f"call i64 {function}({', '.join(value.typed for value in given[1:])})")
        callee = self._function.python.__globals__[name]
        kinds, result = _kinds(callee)
        assert [value.kind for value in given] == [*kinds.values()], f"{self._function.name}: {name} takes {kinds}"
        self._callees.append(callee)
        return self._let(result, f"call {_llvm(result)} @{name}({', '.join(value.typed for value in given)})")

    # Words and flags.

    def _word(self, value: Value) -> Value:
        return self._let(WORD, f"zext {value.typed} to i64") if value.kind == FLAG else value

    def _flag(self, value: Value) -> Value:
        return value if value.kind == FLAG else self._let(FLAG, f"icmp ne {value.typed}, 0")

    def _unknown(self, node: ast.AST) -> str:
        return f"{self._function.name}: machine functions have no `{ast.unparse(node)}`"


def _read(target: ast.expr) -> ast.expr:
    """What an assignment's target is as a value."""
    return ast.parse(ast.unparse(target), mode="eval").body


def _signed(number: int) -> str:
    """A constant as 64 bits hold it."""
    return str((number + 2**63) % 2**64 - 2**63)
