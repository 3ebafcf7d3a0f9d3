"""Chance and clocks in a function that is traced: what one trace draws would be taken for what every step does.

A function that draws is mostly another one when it is traced again, and refused for that; but a coin falls on the same
side twice half of the time, and a seeded generator always. So whatever a function names of these modules is refused.
"""

from __future__ import annotations

import dis
import random
from collections.abc import Iterator
from functools import cache
from types import CodeType, FrameType, ModuleType
from typing import Final

CHANCE: Final = (
    "a function is traced once, so that '{}' would give the same in every step; write pick(name, low, high), "
    "either(...) or a variable of the part"
)
_MODULES: Final = frozenset({"random", "secrets", "time", "uuid", "datetime", "numpy.random"})
_CONSTANT: Final = frozenset({"timedelta", "timezone"})
"""Classes of these modules that give what they are asked for."""


def drawn(frame: FrameType) -> tuple[int, str] | None:
    """Of a function that begins to run, a line and the name there that draws or tells the time; None if it has none."""
    for line, name, is_import in _names(frame.f_code):
        if name in _MODULES if is_import else _draws(frame.f_globals.get(name)):
            return line, name
    return None


def _draws(value: object) -> bool:
    if isinstance(value, ModuleType):
        return value.__name__ in _MODULES
    if isinstance(value, random.Random) or isinstance(getattr(value, "__self__", None), random.Random):
        return True
    is_from = getattr(value, "__module__", None) in _MODULES and callable(value)
    return is_from and getattr(value, "__name__", "") not in _CONSTANT


@cache
def _names(code: CodeType) -> tuple[tuple[int, str, bool], ...]:
    return tuple(_found(code))


def _found(code: CodeType) -> Iterator[tuple[int, str, bool]]:
    """Line and name of each global variable and each import, and whether it is an import."""
    for one in dis.get_instructions(code):
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME", "IMPORT_NAME"):
            line = one.positions.lineno if one.positions else None
            yield line or code.co_firstlineno, one.argval, one.opname == "IMPORT_NAME"
