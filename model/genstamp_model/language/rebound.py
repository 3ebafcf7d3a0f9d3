"""Names of a function that mean something else when it is traced than where it was declared: a loop's variable.

Python looks names up when a function is called, so that all functions of a loop read what its variable was last.
"""

from __future__ import annotations

import dis
import enum
from collections.abc import Callable, Mapping
from functools import cache
from types import CodeType
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


def refuse_twins(functions: Mapping[str, Callable[..., object]], what: str, source: Source) -> None:
    """Refuse functions that a loop has made and that all read its variable, which now has its last value.

    Raises:
        SpecError: two of them are one function.
    """
    found: dict[tuple[object, ...], tuple[str, object]] = {}
    for name, function in functions.items():
        cells = getattr(function, "__closure__", None) or ()
        if not cells:
            continue
        made = getattr(function, "__code__", None), *map(id, cells), getattr(function, "__defaults__", None)
        other, before = found.setdefault(made, (name, function))
        if before is not function:
            variable = function.__code__.co_freevars[0]
            message = f"{what} of '{other}' and '{name}' are one function, which reads the last value of '{variable}'"
            raise SpecError(f"{message}; write lambda s, {variable}={variable}: ...", source)


@cache
def _globals(code: CodeType) -> frozenset[str]:
    """The global names that a function reads, and those inside of it."""
    read = {one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return frozenset(read.union(*(_globals(inner) for inner in code.co_consts if isinstance(inner, CodeType))))
