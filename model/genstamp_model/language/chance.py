"""Chance, clocks, files and the environment in a function that is traced: what one trace reads would be fixed for all.

A function that draws is mostly another one when it is traced again, and refused for that; but a coin falls on the same
side twice half of the time, a seeded generator always, and a file rarely changes in between. So whatever a function
names of these modules is refused. What is read where a module is loaded is a constant of the system, as any other.
"""

from __future__ import annotations

import dis
import io
import os
import random
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Final

from genstamp_model.language.symbolic import Traced

CHANCE: Final = (
    "a function is traced once, so that '{}' would give the same in every step; write pick(name, low, high), "
    "either(...) or a variable of the part, or read it where the module is loaded"
)
_DRAWING: Final = {"random", "secrets", "time", "uuid", "datetime", "numpy.random"}
_READING: Final = {"io", "pathlib", "glob", "tempfile", "shutil", "fileinput", "posix", "nt"}
_PATHS: Final = {"genericpath", "posixpath", "ntpath"}
_AROUND: Final = {"subprocess", "socket", "platform", "getpass", "locale", "urllib.request"}
_MODULES: Final = frozenset(_DRAWING | _READING | _PATHS | _AROUND)
_PARTLY: Final = {
    "os": frozenset({"_exit", "sep", "linesep"}),
    "sys": frozenset({"exit", "maxsize", "setrecursionlimit", "getrecursionlimit"}),
}
"""What may be named of modules that otherwise tell of what is around the process."""
_CONSTANT: Final = frozenset({"timedelta", "timezone", "_exit"})
"""What gives what it is asked for, and has the name of one of these modules."""
_OPENING: Final = frozenset({"open", "input"})
_OBJECTS: Final = (random.Random, Path, io.IOBase, type(os.environ))


def drawn(frame: FrameType) -> tuple[int, str] | None:
    """Of a function that begins to run, a line and the name there that draws or reads; None if it has none."""
    code = frame.f_code
    for line, name, is_import in _names(code):
        value = sys.modules.get(name) if is_import else frame.f_globals.get(name, frame.f_builtins.get(name))
        if _draws(value, code):
            return line, name
    given = (*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *code.co_freevars)
    return next(
        ((code.co_firstlineno, name) for name in given if issubclass(type(frame.f_locals.get(name)), _OBJECTS)), None
    )


def _draws(value: object, code: CodeType) -> bool:
    # A member that stands in a global variable refuses to be asked for its class and attributes.
    if issubclass(type(value), Traced):
        return False
    if isinstance(value, ModuleType):
        tells = frozenset(code.co_names) & frozenset(dir(value)) - _PARTLY.keys()
        return value.__name__ in _MODULES or not tells <= _PARTLY.get(value.__name__, tells)
    if isinstance(value, _OBJECTS) or isinstance(getattr(value, "__self__", None), random.Random):
        return True
    name = getattr(value, "__name__", "")
    is_from = getattr(value, "__module__", None) in (*_MODULES, *_PARTLY) and callable(value)
    return (is_from and name not in _CONSTANT) or (value is not None and name in _OPENING and callable(value))


@cache
def _names(code: CodeType) -> tuple[tuple[int, str, bool], ...]:
    return tuple(_found(code))


def _found(code: CodeType) -> Iterator[tuple[int, str, bool]]:
    """Line and name of each global variable and each import, and whether it is an import."""
    for one in dis.get_instructions(code):
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME", "IMPORT_NAME"):
            line = one.positions.lineno if one.positions else None
            yield line or code.co_firstlineno, one.argval, one.opname == "IMPORT_NAME"
