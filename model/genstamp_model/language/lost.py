"""Declarations that a part would lose without a word: hidden by something else, or where nothing looks for them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from types import FunctionType
from typing import Any

from genstamp_model.errors import Source, SpecError
from genstamp_model.language.author import caller
from genstamp_model.language.beginning import Chosen
from genstamp_model.language.closures import content
from genstamp_model.language.declarations import Declaration
from genstamp_model.language.variables import Declared


def refuse_lost(part: type) -> None:
    """Refuse what hides a declaration of a base, and a declaration inside of something else.

    Raises:
        SpecError: the part would be traced without the declaration, or with one that its author means to replace.
    """
    known = [value for base in part.__mro__ for value in vars(base).values()]
    for name, value in vars(part).items():
        if name.startswith("__"):
            continue
        for before in (vars(base).get(name) for base in part.__mro__[1:]):
            if isinstance(before, Declaration | Declared):
                _refuse_another_kind(name, value, before)
        if isinstance(value, Chosen):
            message = f"'{name}' is {value!r}, and no variable; declare one, such as number(0, 9, initially={value!r})"
            raise SpecError(message, caller())
        if isinstance(value, FunctionType) and value.__module__ == Declared.__module__:
            form = value.__name__
            raise SpecError(f"'{name}' is {form} itself, and no variable; write {name} = {form}(...)", caller())
        if isinstance(value, cached_property):
            place = source_of(value.func) or caller()
            raise SpecError(f"'{name}' would not show later assignments; write @property", place)
        for inner in () if isinstance(value, Declaration | Declared) else _inside(value):
            if not any(inner is one for one in known):
                what = f"'{name}' has the {_kind(inner)} inside, where nothing looks for it"
                cure = "declare it in the part itself, with its decorator above all others"
                raise SpecError(f"{what}; {cure}", inner.source)


def _refuse_another_kind(name: str, value: object, before: Declaration | Declared[Any]) -> None:
    kind = _kind(before)
    over = f", or declare it with @{kind}" if isinstance(before, Declaration) else ""
    if not isinstance(value, Declaration | Declared):
        what = f"'{name}' hides the {kind} at {before.source}, which the part has all the same"
        raise SpecError(f"{what}; give it another name{over}", source_of(value) or caller())
    if _kind(value) != kind:
        what = f"{_kind(value)} '{name}' would replace the {kind} at {before.source}"
        raise SpecError(f"{what}; give it another name{over}", value.source)


def _kind(declared: Declaration | Declared[Any]) -> str:
    return getattr(declared, "kind", "variable")


def _inside(value: object) -> Iterator[Declaration | Declared[Any]]:
    """The declarations that a value holds: as a decorator of Python's does, or as a list."""
    match value:
        case staticmethod() | classmethod():
            parts: list[Any] = [value.__func__]
        case property():
            parts = [value.fget, value.fset]
        case FunctionType():
            parts = [getattr(value, "__wrapped__", None), *(content(cell) for cell in value.__closure__ or ())]
        case list() | tuple() | set() | frozenset():
            parts = list(value)
        case dict():
            parts = list(value.values())
        case _:
            parts = [getattr(value, "func", None)]
    yield from (part for part in parts if isinstance(part, Declaration | Declared))


def source_of(value: object) -> Source | None:
    """The line of what an attribute of a part is; None where it does not know its line."""
    code = getattr(value, "__code__", None)
    if isinstance(value, Declaration | Declared):
        return value.source
    return None if code is None else Source(code.co_filename, code.co_firstlineno)
