"""Which function of the specification an expression comes from, so that a page can name it in place of the formula.

While a system is traced, what its functions return is watched: `s.nothing_to_recover(file)` gives an expression, and
the page writes `nothing_to_recover(file)` for it. What is returned after an assignment is not named, because it
mentions a state in the middle of the step.
"""

from __future__ import annotations

import enum
import inspect
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import takewhile
from types import FrameType
from typing import Any, Final, TypeAlias

from genstamp_model.language import System
from genstamp_model.language.actions import ActionTracer
from genstamp_model.language.author import is_authors
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action, Model
from genstamp_model.language.trace import Case, MessageOf, Trace, current, is_open
from genstamp_model.language.values import Value

_SHORT: Final = frozenset({Op.CONST, Op.VARIABLE, Op.PARAMETER, Op.SELECT, Op.FIELD})
"""Expressions that are as short as a name."""


@dataclass(frozen=True)
class Name:
    """A call of a function of the specification.

    Attributes:
        function: its name.
        arguments: expressions, and labels of enumerations.
        says: the first sentence of its docstring.
    """

    function: str
    arguments: tuple[Expr | str, ...]
    says: str


@dataclass(frozen=True)
class Written:
    """What a function of the specification assigned on one way, with all that it called; it checks nothing."""

    name: Name
    variables: tuple[str, ...]


WrittenBy: TypeAlias = Mapping[tuple[str, tuple[Case, ...]], tuple[Written, ...]]


@dataclass(frozen=True)
class Traced:
    """Actions, and what was seen while they were traced.

    Attributes:
        actions: they.
        names: expressions that functions return before they assign.
        written: by action, its functions that assign, outermost first, in order.
        history: variables that no check, no other variable and no answer depends on: only properties read them.
    """

    actions: tuple[Action, ...]
    names: Mapping[Expr, Name]
    written: WrittenBy
    history: frozenset[str]

    def by(self, action: Action) -> tuple[Written, ...]:
        """The assignments that functions of the specification make in an action."""
        return self.written[action.declared, action.cases]


def watched_model(system: System) -> tuple[Model, Traced]:
    """Trace a system under its default semantics, and watch its functions."""
    system.model()  # The systems that it refines are traced here, unwatched: their functions assign other variables.
    watch = _Watch()
    with _watching(watch):
        model = system.trace()
    return model, Traced(model.actions, watch.names, watch.written, _history(model))


def watched_actions(system: System, semantics: str, only: Container[str], history: frozenset[str]) -> Traced:
    """Trace some actions under other semantics, likewise."""
    watch = _Watch()
    with _watching(watch):
        actions = system.actions(only, semantics)
    return Traced(actions, watch.names, watch.written, history)


@contextmanager
def _watching(watch: _Watch) -> Iterator[None]:
    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before if callable(before) else None)


def _history(model: Model) -> frozenset[str]:
    history = {variable.name for variable in model.variables}
    domains = [parameter.domain for action in model.actions for parameter in action.parameters]
    received = {domain.bag for domain in domains if isinstance(domain, MessageOf)}
    while True:
        exprs = [value for action in model.actions for _, value in action.observations]
        for action in model.actions:
            exprs += [check.condition for check in action.checks if check.label.partition("[")[0] not in history]
            exprs += [effect.value for effect in action.effects if effect.variable not in history]
        seen: set[Expr] = set()
        read = {node.data for expr in exprs for node in _fresh(expr, seen) if node.op is Op.VARIABLE} | received
        if not history & read:
            return frozenset(history)
        history -= read


def _fresh(root: Expr, seen: set[Expr]) -> Iterator[Expr]:
    """The nodes of an expression that were not seen in another one."""
    left = [root]
    while left:
        node = left.pop()
        if node not in seen:
            seen.add(node)
            yield node
            left += node.args


class _Watch:
    """Sees calls and returns while a system is traced."""

    def __init__(self) -> None:
        self.names: dict[Expr, Name] = {}
        self.written: dict[tuple[str, tuple[Case, ...]], tuple[Written, ...]] = {}
        self._writes: list[tuple[tuple[FrameType, ...], str]] = []
        self._deciding: set[FrameType] = set()

    def __call__(self, frame: FrameType, event: str, result: Any) -> None:
        code = frame.f_code
        if event == "call":
            if code is Trace.write.__code__:
                self._writes.append((tuple(_authors(frame)), frame.f_locals["variable"]))
            elif code in _DECIDES and not frame.f_locals.get("lifecycle"):
                self._deciding.update(_authors(frame))
        elif event == "return":
            if issubclass(type(result), Value) and is_open() and not current().sources:
                expr, name = _expr(result), _name(frame)
                if name is not None and expr.op not in _SHORT:
                    self.names[expr] = name
            elif code is ActionTracer._action.__code__ and result is not None:
                self.written[result.declared, result.cases] = tuple(self._functions())
                self._writes.clear()
                self._deciding.clear()

    def _functions(self) -> Iterator[Written]:
        """The outermost functions that assign and decide nothing; without a name, what was assigned outside of them."""
        found: dict[FrameType | None, dict[str, None]] = {}
        # Where a function extends one of its name, the text of that one says what is done.
        extended: dict[FrameType, list[FrameType]] = {}
        for stack, variable in self._writes:
            outermost = next((one for one in stack[1:] if one not in self._deciding and _name(one) is not None), None)
            found.setdefault(outermost, {})[variable] = None
            if outermost is not None:
                alike = _of_one_name(stack[stack.index(outermost) :])
                extended[outermost] = max(extended.get(outermost, []), alike, key=len)
        for frame, variables in found.items():
            name = (_name(frame) if frame is not None else None) or Name("", (), "")
            said = _name(extended[frame][-1]) if frame is not None else None
            yield Written(replace(name, says=said.says) if said else name, tuple(variables))


def _of_one_name(stack: Sequence[FrameType]) -> list[FrameType]:
    """The first function, and those of its name that it calls, one after the other."""
    name = stack[0].f_code.co_name
    return list(takewhile(lambda one: one.f_code.co_name == name, stack))


_DECIDES: Final = (Trace.check.__code__, Trace.case.__code__, Trace.way.__code__)


def _authors(frame: FrameType) -> list[FrameType]:
    """The functions of the specification that are running, outermost first."""
    found = []
    above: FrameType | None = frame
    while above is not None:
        if is_authors(str(above.f_globals.get("__name__", "")), above.f_code.co_filename):
            found.append(above)
        above = above.f_back
    return found[::-1]


def _expr(value: Value) -> Expr:
    """What a value is, without the refusals that are for authors."""
    expr = value._expr
    if expr is None:
        assert value._place is not None
        expr = value._place.seen
    return expr


def _name(frame: FrameType) -> Name | None:
    code = frame.f_code
    is_plain = code.co_name.isidentifier() and "<" not in code.co_qualname
    if not is_plain or not is_authors(str(frame.f_globals.get("__name__", "")), code.co_filename):
        return None
    arguments = list(_arguments(frame))
    if None in arguments:
        return None
    doc = code.co_consts[0] if code.co_consts and isinstance(code.co_consts[0], str) else ""
    says = " ".join(inspect.cleandoc(doc).split("\n\n")[0].split())
    return Name(code.co_name, tuple(one for one in arguments if one is not None), says)


def _arguments(frame: FrameType) -> Iterator[Expr | str | None]:
    """The arguments but the state; None for one that cannot be written."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values: list[Any] = [frame.f_locals.get(name) for name in names if name not in ("s", "t", "self")]
    if code.co_flags & inspect.CO_VARARGS:
        values.extend(frame.f_locals.get(code.co_varnames[len(names)]) or ())
    for value in values:
        if issubclass(type(value), Value):
            yield _expr(value)
        elif isinstance(value, enum.Enum):
            yield value.name
        else:
            yield None
