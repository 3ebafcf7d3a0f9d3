"""What Python decides of an author's objects without asking the values that they hold.

A function, a method and an object are true whatever they hold, a table is as long as it is, and two objects are equal
only if they are one. While a function is traced under watch, what a call gives is looked at where the text asks it,
compares it or drops it; `any()` and `all()` look at each element; and the classes of an author answer for themselves.

Not here: what is known from the text alone (see `bytecode`), and values that nothing uses (see `uses`).
"""

from __future__ import annotations

import builtins
import dis
import inspect
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from sys import _getframe
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from genstamp_model.errors import Source, SpecError
from genstamp_model.language.author import caller, is_author, is_authors_class
from genstamp_model.language.bytecode import (
    DISPLAY,
    FUNCTION,
    GENERATOR,
    LOCAL,
    SILENT,
    Operand,
    Path,
    called_by,
    is_asked,
    path_after,
)
from genstamp_model.language.symbolic import Traced

_EQUAL: Final = "two objects of {0} are equal only if they are one object; compare what they hold, or give {0} __eq__"
_TRUE: Final = "{} has no __bool__, so that Python does not ask the values that it holds; write the condition"
_NOTHING: Final = "'{}' gives nothing, so that what asks it goes one way only; is there a return?"
_DROPPED: Final = "what '{}' gives is a function that nothing calls; call it, or leave it out"
UNENTERED: Final = "a context manager does nothing until it is entered, and nothing enters it; write with ...:"

MANAGER: Final = contextmanager(lambda: iter(())).__code__
"""The code of every function that a generator has become which makes a context manager."""
_TABLES: Final = (list, tuple, dict, set, frozenset)
_FUNCTIONS: Final = (FunctionType, MethodType)


@dataclass(frozen=True)
class Place:
    """A call of which the text asks, compares or drops what it gives, or what that has at a path."""

    called: Operand | None
    name: str
    path: Path
    how: str
    line: int


@cache
def places(code: CodeType) -> Mapping[int, Place]:
    """By the offset of the call, and of all that belongs to it."""
    every = list(dis.get_instructions(code, show_caches=True))
    known = [one for one in every if one.opname not in SILENT]
    ends = {one.offset: after.offset for one, after in zip(known, [*known[1:], every[-1]], strict=True)}
    found: dict[int, Place] = {}
    for position, one in enumerate(known):
        if one.opname == "CALL" and position + 1 < len(known):
            path, after = path_after(known, position + 1)
            how = _how(known, after)
            operand, name = called_by(known, position)
            if how and name:
                line = one.positions.lineno if one.positions else None
                place = Place(operand, name, path, how, line or code.co_firstlineno)
                found.update(dict.fromkeys(range(one.offset, ends[one.offset], 2), place))
    return found


def _how(known: list[dis.Instruction], position: int) -> str:
    """What becomes of what stands before an instruction: it is asked, compared or dropped; else empty."""
    one, *after = known[position : position + 2]
    if (one.opname == "LOAD_CONST" or one.opname in LOCAL) and after and after[0].opname == "COMPARE_OP":
        return "compared"
    if is_asked(one) or (one.opname == "CALL" and called_by(known, position)[1] == "bool"):
        return "asked"
    return {"COMPARE_OP": "compared", "CONTAINS_OP": "compared", "POP_TOP": "dropped"}.get(one.opname, "")


def place_of(frame: FrameType) -> Place | None:
    """Where an author's text asks, compares or drops what a function gives that begins; None if it does not."""
    around = frame.f_back
    if around is None or frame.f_code.co_flags & inspect.CO_GENERATOR or not is_author(around):
        return None
    place = places(around.f_code).get(around.f_lasti)
    return place if place is not None and _is_called(place, frame, around) else None


def _is_called(place: Place, frame: FrameType, around: FrameType) -> bool:
    """Whether a function that begins is the one that is called in the text, and not one that is called by that."""
    code = frame.f_code
    if place.called is None:
        return place.name in (code.co_name, code.co_qualname.rpartition(".")[0].rpartition(".")[2])
    names = around.f_locals if place.called.load == "local" else {**around.f_builtins, **around.f_globals}
    value = reached(names.get(place.called.value), [(True, name) for name in place.called.attributes])
    if isinstance(value, type):
        return code.co_name == "__init__" and isinstance(_made(frame), value)
    return getattr(getattr(value, "__func__", value), "__code__", None) is code


def _made(frame: FrameType) -> object:
    """The object that `__init__` is called for."""
    return frame.f_locals.get(frame.f_code.co_varnames[0]) if frame.f_code.co_varnames else None


def wrong_of_call(place: Place, frame: FrameType, given: object) -> SpecError | None:
    """What is wrong with what the text does with what a function has given, if anything is.

    Args:
        place: in the text.
        frame: of the function, which ends.
        given: what it returns.
    """
    assert frame.f_back is not None
    source = Source(frame.f_back.f_code.co_filename, place.line)
    if place.how == "asked" and given is None and not place.path and _gives_nothing(frame.f_code):
        return SpecError(_NOTHING.format(place.name), source)
    value = reached(_made(frame) if frame.f_code.co_name == "__init__" else given, place.path)
    if place.how != "dropped":
        message = wrong(value, is_compared=place.how == "compared")
    elif is_unentered(value):
        message = UNENTERED
    else:
        message = _DROPPED.format(place.name) if isinstance(value, FunctionType) else ""
    return SpecError(message, source) if message else None


@cache
def _gives_nothing(code: CodeType) -> bool:
    """Whether a function has no return that gives anything; one that always raises has none at all."""
    known = [one for one in dis.get_instructions(code) if one.opname not in SILENT]
    ends = [(known[i - 1], one) for i, one in enumerate(known) if one.opname.startswith("RETURN_")]
    return code.co_name != "__init__" and all(
        one.argval is None if one.opname == "RETURN_CONST" else before.opname == "LOAD_CONST" and before.argval is None
        for before, one in ends
    )


def is_unentered(value: object, entered: Container[int] = ()) -> bool:
    """Whether a value is a context manager, of an author's class or a generator, that was not entered.

    Args:
        value: it.
        entered: where in memory the objects are that were.
    """
    if issubclass(type(value), Traced) or not hasattr(type(value), "__enter__"):
        return False
    generator: Any = getattr(value, "gen", None)
    is_fresh = issubclass(type(generator), Generator) and inspect.getgeneratorstate(generator) == inspect.GEN_CREATED
    return is_fresh or (is_authors_class(type(value)) and id(value) not in entered)


def wrong(value: object, *, is_compared: bool = False) -> str:
    """What is wrong where Python is asked for the truth of a value, or compares it; empty if nothing is."""
    if issubclass(type(value), _FUNCTIONS):
        return FUNCTION
    if issubclass(type(value), Iterator):
        return GENERATOR
    return DISPLAY if not is_compared and issubclass(type(value), _TABLES) and _holds(value) else ""


def _holds(value: object, depth: int = 3) -> bool:
    """Whether something of the state is in a table, or is an attribute of an object of an author's."""
    kind = type(value)
    if issubclass(kind, Traced) or not depth:
        return issubclass(kind, Traced)
    parts: Iterable[object] = ()
    if issubclass(kind, dict):
        parts = dict.values(value)  # type: ignore[arg-type]
    elif issubclass(kind, _TABLES):
        parts = value  # type: ignore[assignment]
    elif is_authors_class(kind) and not isinstance(value, type | ModuleType):
        slots = (one for base in kind.__mro__ for one in vars(base).values() if inspect.ismemberdescriptor(one))
        parts = [*getattr(value, "__dict__", {}).values(), *(_slot(one, value) for one in slots)]
    return any(_holds(one, depth - 1) for one in parts)


def _slot(descriptor: Any, value: object) -> object:
    try:
        return descriptor.__get__(value)
    except AttributeError:
        return None


def reached(value: object, path: Iterable[tuple[bool, Any]]) -> object:
    """What stands at a path of attributes and keys, without computing anything; None where that is not known."""
    for is_attribute, key in path:
        kind = type(value)
        if issubclass(kind, Traced):
            return None
        if is_attribute:
            is_namespace = isinstance(value, type | ModuleType)
            known = vars(value) if is_namespace else getattr(value, "__dict__", {})
            value = known[key] if key in known else inspect.getattr_static(value if is_namespace else kind, key, None)
            value = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        elif issubclass(kind, dict | list | tuple):
            try:
                value = value[key]  # type: ignore[index]
            except (LookupError, TypeError):
                return None
        else:
            return None
    return value


class Classes:
    """The classes of an author that answer for their objects while a function is traced.

    Args:
        refuse: keeps a misuse, which is then raised.
    """

    def __init__(self, refuse: Callable[[SpecError], SpecError]) -> None:
        self._refuse = refuse
        self._known: set[type] = set()
        self._changed: list[tuple[type, str]] = []

    def meet(self, classes: Iterable[type]) -> None:
        """Let some classes answer, as far as they are an author's."""
        for one in classes:
            if one not in self._known:
                self._known.add(one)
                if is_authors_class(one) and not issubclass(one, Traced):
                    self._change(one)

    def leave(self) -> None:
        """Leave all classes as they were."""
        for one, name in self._changed:
            type.__delattr__(one, name)

    def wrong(self, value: object) -> str:
        """What is wrong where Python is asked for the truth of an object; empty if nothing is."""
        kind = type(value)
        is_asked = any((base, "__bool__") in self._changed for base in kind.__mro__)
        return _TRUE.format(kind.__name__) if is_asked and _holds(value) else ""

    def _change(self, class_: type) -> None:
        def equal(one: object, other: object) -> Any:
            is_alike = isinstance(other, type(one)) or isinstance(one, type(other))
            if one is not other and is_alike and is_author(_getframe(1)) and (_holds(one) or _holds(other)):
                raise self._refuse(SpecError(_EQUAL.format(class_.__name__), caller()))
            return one is other or NotImplemented

        def true(one: Any) -> bool:
            if is_author(_getframe(1)) and (message := self.wrong(one)):
                raise self._refuse(SpecError(message, caller()))
            return not hasattr(class_, "__len__") or len(one) > 0

        def key(one: object) -> int:
            if is_author(_getframe(1)) and _holds(one):
                raise self._refuse(SpecError(_EQUAL.format(class_.__name__), caller()))
            return object.__hash__(one)

        plain: Any = object
        if class_.__eq__ is plain.__eq__:
            self._set(class_, "__eq__", equal)
            if class_.__hash__ is plain.__hash__:
                self._set(class_, "__hash__", key)
        if not hasattr(class_, "__bool__"):
            self._set(class_, "__bool__", true)

    def _set(self, class_: type, name: str, function: Callable[..., object]) -> None:
        type.__setattr__(class_, name, function)
        self._changed.append((class_, name))


@contextmanager
def elements_asked(refuse: Callable[[SpecError], SpecError], classes: Classes) -> Iterator[None]:
    """Let `any()` and `all()` of an author's code look at each element, and classes answer that are made meanwhile."""

    def looked_at(one: object) -> object:
        if message := wrong(one) or classes.wrong(one):
            raise refuse(SpecError(message, caller()))
        return one

    def asking(function: Callable[[Iterable[object]], bool]) -> Callable[[Iterable[object]], bool]:
        def ask(values: Iterable[object], /) -> bool:
            return function(map(looked_at, values) if is_author(_getframe(1)) else values)

        return ask

    def built(*arguments: Any, **named: Any) -> Any:
        made = before[2](*arguments, **named)
        classes.meet([made] if type(made) is type else ())
        return made

    kept: Any = builtins
    before = kept.any, kept.all, kept.__build_class__
    kept.any, kept.all, kept.__build_class__ = *map(asking, before[:2]), built
    try:
        yield
    finally:
        kept.any, kept.all, kept.__build_class__ = before
