"""Functions that are made while a function is traced, and called when a name that they read means something else.

Python looks such a name up when the function is called: of the functions that a loop makes all read what its variable
was last, and a generator reads what a name was when it is looped over. An author mostly means what the name was where
the function was made. Neither is guessed.

Not here: functions that are made before something is traced (see `rebound`).
"""

from __future__ import annotations

import dis
import gc
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any, Final

from genstamp_model.errors import Source, SpecError

_MESSAGE: Final = (
    "'{0}' was assigned after the function here was made, which reads its value when it is called; give it the value "
    "that is meant, as in lambda {0}={0}: ..., or call it before the assignment"
)
_EXPRESSIONS: Final = frozenset({"<lambda>", "<genexpr>"})


@dataclass(frozen=True)
class Store:
    """An instruction that assigns a name which functions read that were made before, as far as the text shows."""

    name: str
    readers: tuple[CodeType, ...]


@cache
def late_stores(code: CodeType) -> Mapping[int, Store]:
    """By offset, the assignments that change what a name means to functions which may have been made before.

    A function with a name that is made once is left alone: it is written to be called again and again.
    """
    if not code.co_cellvars:
        return {}
    instructions = list(dis.get_instructions(code))
    loops = [(one.argval, one.offset) for one in instructions if one.opcode in dis.hasjrel and one.argval < one.offset]
    made = [
        (after.offset, before.argval)
        for before, after in pairwise(instructions)
        if after.opname == "MAKE_FUNCTION" and isinstance(before.argval, CodeType)
    ]
    found = {}
    for one in instructions:
        if one.opname not in ("STORE_DEREF", "DELETE_DEREF"):
            continue
        around = [(begin, end) for begin, end in loops if begin <= one.offset <= end]
        readers: list[CodeType] = []
        for offset, inner in made:
            is_again = any(begin <= offset <= end for begin, end in around)
            if is_again or (offset < one.offset and inner.co_name in _EXPRESSIONS):
                readers.extend(_readers(inner, one.argval))
        if readers:
            found[one.offset] = Store(one.argval, tuple(readers))
    return found


def _readers(code: CodeType, name: str) -> Iterator[CodeType]:
    """A function that reads a name of the one around it, and those inside of it that do."""
    if name in code.co_freevars:
        yield code
        for inner in code.co_consts:
            if isinstance(inner, CodeType):
                yield from _readers(inner, name)


@dataclass(frozen=True)
class _Made:
    function: weakref.ref[FunctionType]
    name: str
    cell: CellType
    meant: object

    @property
    def is_late(self) -> bool:
        """Whether the function can still be called, and its name means something else by now."""
        now = content(self.cell)
        if self.function() is None or now is self.meant:
            return False
        return not (isinstance(now, _PLAIN) and type(now) is type(self.meant) and now == self.meant)


_PLAIN: Final = (bool, int, str, bytes, float)


class Closures:
    """The functions made so far of which a name was assigned since."""

    def __init__(self) -> None:
        self._made: dict[int, list[_Made]] = {}

    def assigned(self, store: Store, frame: FrameType) -> None:
        """Note which functions read a name that is assigned next.

        Args:
            store: the assignment.
            frame: of the function that makes it.
        """
        if store.name not in frame.f_locals:
            return
        meant = frame.f_locals[store.name]
        for one in gc.get_referrers(*store.readers):
            if isinstance(one, FunctionType) and one.__code__ in store.readers:
                cell = (one.__closure__ or ())[one.__code__.co_freevars.index(store.name)]
                if content(cell) is meant:
                    made = _Made(weakref.ref(one), store.name, cell, meant)
                    self._made.setdefault(id(one.__code__), []).append(made)

    def late(self, frame: FrameType) -> SpecError | None:
        """What is wrong with the call of a function, if a name that it reads was assigned since it was made."""
        code = frame.f_code
        found = next((one for one in self._made.get(id(code), ()) if one.is_late), None)
        if found is None:
            return None
        return SpecError(_MESSAGE.format(found.name), Source(code.co_filename, code.co_firstlineno))


def content(cell: CellType) -> Any:
    """What a name of the function around stands for; None as long as it stands for nothing."""
    try:
        return cell.cell_contents
    except ValueError:
        return None
