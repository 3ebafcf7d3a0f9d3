"""Names of a function that mean something else when it is traced than where it was declared: a loop's variable.

Python looks names up when a function is called, so that all functions of a loop read what its variable was last.
"""

from __future__ import annotations

import dis
import enum
from collections.abc import Callable, Mapping
from functools import cache
from types import CodeType, FunctionType
from typing import Any, Final

from genstamp_model.errors import Source, SpecError

_PLAIN: Final = bool | int | float | str | bytes | tuple | frozenset | range | enum.Enum | None


def plain_names(function: Callable[..., object]) -> dict[str, object]:
    """What the names of a function mean now, those of others than itself, as far as it is a plain value."""
    code: CodeType | None = getattr(function, "__code__", None)
    if code is None:
        return {}
    names: dict[str, Any] = getattr(function, "__globals__", {})
    found = {name: names[name] for name in sorted(_globals(code)) if name in names}
    for name, cell in zip(code.co_freevars, getattr(function, "__closure__", None) or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return {name: value for name, value in found.items() if isinstance(value, _PLAIN)}


def refuse_rebound(name: str, function: Callable[..., object], before: Mapping[str, object], source: Source) -> None:
    """Refuse a function of which a name means something else by now.

    Raises:
        SpecError: there is such a name.
    """
    now = plain_names(function)
    for one, value in before.items():
        if one in now and now[one] != value:
            message = f"'{one}' was {value!r} where {name} is declared, and is {now[one]!r} when it is traced"
            raise SpecError(f"{message}; declare it in a function that is given '{one}', and returns it", source)


def refuse_twins(functions: Mapping[str, Callable[..., object]], what: str, source: Source | None = None) -> None:
    """Refuse functions that a loop has made and that all read its variable, which now has its last value.

    Args:
        functions: by name.
        what: what they are of, if that needs to be said.
        source: the line to name; by default that of the function.

    Raises:
        SpecError: two of them are one function.
    """
    found: dict[tuple[object, ...], tuple[str, object]] = {}
    for name, function in functions.items():
        code: CodeType | None = getattr(function, "__code__", None)
        variable = "" if code is None else _variable(function, code)
        if code is None or not variable:
            continue
        cells = map(id, getattr(function, "__closure__", None) or ())
        defaults = getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None)
        made = id(code), *cells, *(id(one) for default in defaults for one in default or ())
        other, before = found.setdefault(made, (name, function))
        if before is not function:
            message = f"{what}'{other}' and '{name}' are one function, which reads the last value of '{variable}'"
            place = source or Source(code.co_filename, code.co_firstlineno)
            raise SpecError(f"{message}; write lambda s, {variable}={variable}: ...", place)


def _variable(function: Callable[..., object], code: CodeType) -> str:
    """The name that a function reads outside of itself, and that a loop may have assigned; empty if there is none."""
    names = getattr(function, "__globals__", {})
    read = (name for name in sorted(_globals(code)) if name in names and isinstance(names[name], _PLAIN))
    return next(iter(code.co_freevars), next(read, ""))


def refuse_twins_among(values: Mapping[str, object]) -> None:
    """Refuse such functions in what names stand for: in lists and dictionaries, and in those that are in a class.

    Raises:
        SpecError: two functions of one of them are one function.
    """
    for name, value in values.items():
        if isinstance(value, type):
            refuse_twins_among({f"{name}.{one}": table for one, table in _tables_of(value).items()})
        elif isinstance(value, dict | list | tuple) and len(value) > 1:
            items: Any = value.items() if isinstance(value, dict) else enumerate(value)
            functions = {key: one for key, one in items if isinstance(one, FunctionType)}
            if len(functions) > 1:
                refuse_twins({f"{name}[{key!r}]": one for key, one in functions.items()}, "")


@cache
def _tables_of(class_: type) -> dict[str, object]:
    """The lists and dictionaries that are attributes of a class."""
    return {name: value for name, value in vars(class_).items() if isinstance(value, dict | list | tuple)}


@cache
def _globals(code: CodeType) -> frozenset[str]:
    """The global names that a function reads, and those inside of it."""
    read = {one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return frozenset(read.union(*(_globals(inner) for inner in code.co_consts if isinstance(inner, CodeType))))
