"""What Python decides without asking a symbolic value: `is`, `match` by class, a list in place of a condition.

A function is traced once, with values that represent those of every state. Most operators call a method of the value,
which refuses; some do not, and would silently turn a condition into a constant. So the bytecode of an author's
functions is searched for such places. A function that may reach one is traced under watch, since only while it runs is
it known whether it does, and whether a value of the state is involved. Functions of other packages than the
specifications that come with the language are always watched.

Not here: operators that ask the value (see `refusing`), and what such places look like (see `bytecode`).
"""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType, NoneType, UnionType
from typing import Any, Final, get_args, get_origin

from genstamp_model.errors import Source, SpecError
from genstamp_model.language.asked import MANAGER, Classes, elements_asked, place_of
from genstamp_model.language.author import caller, is_author, is_authors, is_authors_class, is_specification
from genstamp_model.language.bytecode import LAZY, Operand, Suspect, functions_in, suspects_in
from genstamp_model.language.chance import CHANCE, drawn
from genstamp_model.language.closures import content
from genstamp_model.language.following import Following, Refuse
from genstamp_model.language.rebound import refuse_twins_among
from genstamp_model.language.symbolic import Symbolic, Traced
from genstamp_model.language.types import Nobody, RefType
from genstamp_model.language.uses import given

_UNKNOWN: Final = Symbolic()
"""An operand that is only known when it is compared."""


_TABLES: Final = (dict, list, tuple, type)

_is_watching = False


@contextmanager
def watched(refuse: Refuse, state: Callable[[], object]) -> Iterator[None]:
    """Refuse such places in every function of an author's that is called in the block.

    The garbage collector waits, for it may call functions that have nothing to do with the block.

    Args:
        refuse: keeps a misuse, which is then raised.
        state: what the state is now, to be compared with what it was.
    """
    global _is_watching
    if _is_watching:
        yield
        return
    before: Any = sys.gettrace()
    following, seen, classes = Following(refuse, state), set[int](), Classes(refuse)

    def look(frame: FrameType, event: str, argument: Any) -> Any:
        others = before(frame, event, argument) if before is not None else None
        code = frame.f_code
        if not is_author(frame):
            asked = place_of(frame) if code is MANAGER else None
            return others if asked is None else following.until_end(frame, asked, others)
        for suspect in suspects_in(code):
            if _is_refused(suspect, frame):
                # At once, because a loop on such a condition would not end.
                place = Source(code.co_filename, suspect.line)
                raise refuse(SpecError(suspect.message, place if place.file != "<string>" else caller()))
        arguments = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount]]
        given(one for one in arguments if issubclass(type(one), Symbolic))
        is_others = not is_specification(frame)
        if is_others:
            classes.meet(map(type, arguments))
        if id(code) not in seen:
            seen.add(id(code))
            _refuse_twins(frame, refuse)
            named: list[Any] = [*map(frame.f_globals.get, code.co_names), *map(frame.f_locals.get, code.co_freevars)]
            classes.meet(one for one in named if is_others and issubclass(type(one), type))
        following.refuse_late(frame)
        following.enters(frame)
        found = drawn(frame)
        if found is not None:
            raise refuse(SpecError(CHANCE.format(found[1]), Source(code.co_filename, found[0])))
        return following.begin(frame, place_of(frame), others)

    collects = gc.isenabled()
    gc.disable()
    sys.settrace(look)
    _is_watching = True
    try:
        with elements_asked(refuse, classes):
            yield
    finally:
        _is_watching = False
        sys.settrace(before)
        classes.leave()
        if collects:
            gc.enable()


def _refuse_twins(frame: FrameType, refuse: Refuse) -> None:
    """Refuse what a function names if a loop has made it, and it is the same for each of its members."""
    known = frame.f_globals
    try:
        refuse_twins_among({name: known[name] for name in frame.f_code.co_names if type(known.get(name)) in _TABLES})
    except SpecError as problem:
        raise refuse(problem) from None


def is_watching() -> bool:
    """Whether what is traced may look at Python's objects in place of values of the state."""
    return _is_watching


class Reach:
    """Which functions of an author may reach a suspect place, by the names that they use.

    Every function that may be meant by a name counts: a global one, a method of the state's class or of a class that is
    named, one in a table that is named.

    Args:
        state: the class of the traced state.
    """

    def __init__(self, state: type) -> None:
        self._clean: set[FunctionType] = set()
        self._attributes: dict[str, list[object]] = {}
        for base in state.__mro__:
            for name, value in vars(base).items():
                self._attributes.setdefault(name, []).append(value)

    def suspects(self, function: Callable[..., object]) -> bool:
        """Whether a function may reach a suspect place."""
        seen = set(_functions(function)) - self._clean
        left = list(seen)
        while left:
            one = left.pop()
            if _holds_suspects(one):
                return True
            called = set(self._calls(one)) - seen - self._clean
            seen |= called
            left.extend(called)
        self._clean |= seen
        return False

    def _calls(self, function: FunctionType) -> Iterator[FunctionType]:
        for cell in function.__closure__ or ():
            yield from _functions(content(cell))
        for name in _names(function.__code__):
            yield from _functions(function.__globals__.get(name))
            for value in self._attributes.get(name, ()):
                yield from _functions(value)


@cache
def _holds_suspects(function: FunctionType) -> bool:
    """Whether a function, or one inside of it, must be watched; for what it calls in vain it need not be.

    A type checker holds the specifications that come with the language to their annotations, so what is annotated with
    `bool` or `Callable` is no value of the state, and of a `bool` no function either.
    """
    flags = {name for name, kind in function.__annotations__.items() if kind is bool}
    called = {name for name, kind in function.__annotations__.items() if _is_callable(kind)}
    return any(not _is_harmless(one, flags, called) for one in suspects_in(function.__code__)) or any(
        not one.asks_generator for code in functions_in(function.__code__) for one in _all_suspects(code)
    )


def _is_callable(kind: object) -> bool:
    """Whether an annotation is that of a function, which may be left out."""
    kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    return all(one is NoneType or get_origin(one) is Callable for one in kinds)


def _is_harmless(suspect: Suspect, flags: Set[str], called: Set[str]) -> bool:
    """Whether the annotations of a function's parameters rule out that a suspect is refused."""
    if suspect.asks_generator:
        return True
    names = flags if suspect.is_function else flags | called
    known = [one for one in suspect.operands if one is None or one.load != "constant"]
    return bool(known) and all(
        one is not None and one.load == "local" and not one.attributes and one.value in names for one in known
    )


def _all_suspects(code: CodeType) -> Iterator[Suspect]:
    yield from suspects_in(code)
    for part in functions_in(code):
        yield from _all_suspects(part)


def _functions(value: object, depth: int = 2) -> Iterator[FunctionType]:
    """The functions that a value may be called for, an author's only."""
    match value:
        case Symbolic() | str() | int() | None:
            return
        case FunctionType():
            if is_authors(str(value.__globals__.get("__name__", "")), value.__code__.co_filename):
                yield value
        case MethodType() | classmethod() | staticmethod():
            yield from _functions(value.__func__)
        case property():
            yield from (one for part in (value.fget, value.fset) for one in _functions(part))
        case Mapping() if depth:
            yield from (one for part in value.values() for one in _functions(part, depth - 1))
        case tuple() | list() | set() | frozenset() if depth:
            yield from (one for part in value for one in _functions(part, depth - 1))
        case _ if depth:
            yield from _methods(value if isinstance(value, type) else type(value))


@cache
def _methods(class_: type) -> tuple[FunctionType, ...]:
    """The methods of a class, and those of what its attributes are, such as descriptors."""
    parts = [part for base in class_.__mro__ for part in (vars(base).values() if is_authors_class(base) else ())]
    kinds = {base for part in parts for base in type(part).__mro__ if is_authors_class(base)}
    parts.extend(part for kind in kinds for part in vars(kind).values())
    return tuple(one for part in parts for one in _functions(part, 0))


@cache
def _names(code: CodeType) -> frozenset[str]:
    """The names that a function may call by, those in strings too."""
    texts = (one for one in code.co_consts if isinstance(one, str) and one.isidentifier())
    inner = (name for one in code.co_consts if isinstance(one, CodeType) for name in _names(one))
    return frozenset([*code.co_names, *texts, *inner])


def _is_refused(suspect: Suspect, frame: FrameType) -> bool:
    if not suspect.operands:
        return True
    if suspect.asks_generator:
        return _gives_generator(suspect.operands[0], frame)
    values = [_resolved(operand, frame) for operand in suspect.operands]
    if suspect.asks_value or suspect.asks_traced:
        return issubclass(type(values[0]), Symbolic if suspect.asks_value else Traced)
    if suspect.is_function:
        return isinstance(values[0], FunctionType | MethodType)
    if not any(isinstance(value, Symbolic) for value in values):
        # The state before a step is never the object that the state after it is.
        return all(isinstance(value, Traced) for value in values)
    if not any(value is None or isinstance(value, Nobody) for value in values):
        return True
    # A value that cannot be none is compared with `None` only to see whether an argument was left out.
    return any(isinstance(value, Symbolic) and _may_be_none(value) for value in values)


def _may_be_none(value: Symbolic) -> bool:
    expr = getattr(value, "expr", None)
    return expr is None or (isinstance(expr.type, RefType) and expr.type.optional)


def _gives_generator(operand: Operand | None, frame: FrameType) -> bool:
    """Whether a function that is called only makes a generator or a coroutine; no attribute is computed to see that."""
    if operand is None:
        return False
    names = frame.f_locals if operand.load == "local" else frame.f_globals
    value = names.get(operand.value)
    for name in operand.attributes:
        value = inspect.getattr_static(value if isinstance(value, type | ModuleType) else type(value), name, None)
    value = value.__func__ if isinstance(value, staticmethod | classmethod) else value
    return isinstance(value, FunctionType) and bool(value.__code__.co_flags & LAZY)


def _resolved(operand: Operand | None, frame: FrameType) -> object:
    """The known value of an operand when the function is called."""
    if operand is None:
        return _UNKNOWN
    if operand.load == "constant":
        value = operand.value
    elif operand.load == "local":
        value = frame.f_locals.get(operand.value, _UNKNOWN)
    else:
        value = frame.f_globals.get(operand.value, frame.f_builtins.get(operand.value, _UNKNOWN))
    for name in operand.attributes:
        if not (hasattr(type(value), name) or name in getattr(value, "__dict__", ())):
            return _UNKNOWN
        value = getattr(value, name)
    return value
