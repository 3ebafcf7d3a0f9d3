"""Generators, `map` and the like that a name stands for while a function is traced: they give what they have once.

What has given all that it has is empty when it is asked again, so that a condition over it would be about nothing, and
it is true whatever it gives.
"""

from __future__ import annotations

import dis
import itertools
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from operator import length_hint
from types import CodeType, FrameType
from typing import Any, Final, cast

from genstamp_model.errors import Source, SpecError
from genstamp_model.language.asked import UNENTERED, is_unentered, reached, wrong
from genstamp_model.language.author import is_authors_class
from genstamp_model.language.bytecode import LOCAL, SILENT, STORES, Path, is_asked, may_give_iterator, path_after
from genstamp_model.language.symbolic import Traced

_SPENT: Final = "'{0}' has given all that it has before, and gives nothing here; write {0} = list(...) where it is made"
_LATE: Final = (
    "'{0}' was made before an assignment, and reads the state as it is after it; write {0} = list(...) where it is made"
)
_UNASKED: Final = "'{}' does nothing until it is looped over, and nothing does; write a for loop, or list(...)"
_DECIDED: Final = (
    "'{0}' is a generator or the like, which Python compares and asks for its truth as an object; write {0} = "
    "list(...) where it is made, and ask that"
)
_CONSUMED: Final = "'in' takes from '{0}' what stands before the element; write {0} = list(...) where it is made"
_ENDLESS: Final = (itertools.cycle, itertools.count, itertools.repeat)
_LOADS: Final = LOCAL - {"LOAD_CLASSDEREF"}


@dataclass(frozen=True)
class Read:
    """A local name, or what stands in it at a path, and the instruction that comes next."""

    name: str
    path: Path
    after: dis.Instruction

    def __str__(self) -> str:
        return self.name + "".join(f".{key}" if is_attribute else f"[{key!r}]" for is_attribute, key in self.path)


@dataclass(frozen=True)
class Names:
    """The local names of a function that may stand for an iterator, and where it loads them.

    Attributes:
        called: names that are what a call has given.
        asked: names that are assigned here, and of which Python is asked the truth.
        given: names that come from outside: parameters, and those of the function around it.
        loads: by offset, what the text reads there.
        made: by offset of the instruction that comes next, the names that are assigned what a call has given.
        taken: offsets of loads for `next()`, which takes one element on purpose.
    """

    called: frozenset[str]
    asked: frozenset[str]
    given: tuple[str, ...]
    loads: Mapping[int, Read]
    made: Mapping[int, str]
    taken: frozenset[int]


@cache
def names_of(code: CodeType) -> Names:
    instructions = [one for one in dis.get_instructions(code) if one.opname not in SILENT | {"COPY"}]
    pairs = list(pairwise(instructions))
    made = {
        instructions[position + 1].offset: one.argval
        for position, one in enumerate(instructions)
        if one.opname in STORES and may_give_iterator(instructions[:position])
    }
    # What a generator loops over was loaded where the generator is made.
    loads = {}
    for position, one in enumerate(instructions):
        if one.opname in _LOADS and one.argval != ".0":
            path, after = path_after(instructions, position + 1)
            loads[one.offset] = Read(one.argval, path, instructions[after])
    taken = {after.offset for before, after in pairs if before.opname == "LOAD_GLOBAL" and before.argval == "next"}
    count = code.co_argcount + code.co_kwonlyargcount
    stored = {one.argval for one in instructions if one.opname in STORES}
    asked = frozenset(read.name for read in loads.values() if read.name in stored and is_asked(read.after))
    return Names(
        frozenset(made.values()), asked, (*code.co_varnames[:count], *code.co_freevars), loads, made, frozenset(taken)
    )


def may_hold(frame: FrameType) -> bool:
    """Whether a name of a function that begins may stand for an iterator."""
    names = names_of(frame.f_code)
    given = {name: frame.f_locals.get(name) for name in names.given}
    has_paths = any(
        one.path and not issubclass(type(given.get(one.name)), Traced) and _is_table(given, one)
        for one in names.loads.values()
    )
    return bool(names.called or names.asked) or has_paths or any(map(is_iterator, given.values()))


def _is_table(given: Mapping[str, object], read: Read) -> bool:
    """Whether what a function begins to read may come to hold an iterator: a table or an object of an author's."""
    kind = type(given[read.name]) if read.name in given else list
    return issubclass(kind, list | tuple | dict) or is_authors_class(kind)


def is_iterator(value: object) -> bool:
    """Whether a value is an iterator; a value of the state would not tell its class."""
    return issubclass(type(value), Iterator)


class Iterators:
    """The iterators that a name has stood for so far, and whether they had nothing to give when it was first asked.

    Args:
        state: what the state is now, to be compared with what it was.
    """

    def __init__(self, state: Callable[[], object]) -> None:
        self._state = state
        self.entered: set[int] = set()
        self._made: dict[int, object] = {}
        self._seen: dict[int, tuple[object, bool]] = {}

    def loaded(self, frame: FrameType) -> SpecError | None:
        """What is wrong with the load that is next in a frame, if anything is."""
        names = names_of(frame.f_code)
        made = frame.f_locals.get(names.made.get(frame.f_lasti, ""))
        if is_iterator(made) and isinstance(made, Generator | map | filter):
            self._made[id(made)] = self._state()
        read = names.loads.get(frame.f_lasti)
        if read is None:
            return None
        value: Any = reached(frame.f_locals.get(read.name), read.path)
        if is_iterator(value):
            message = self._wrong(value, read.after, is_taken=frame.f_lasti in names.taken)
        elif is_asked(read.after) and not isinstance(value, list | dict | set):
            message = wrong(value)
        else:
            return None
        return SpecError(message.format(read), Source(frame.f_code.co_filename, frame.f_lineno)) if message else None

    def _wrong(self, value: Iterator[Any], after: dis.Instruction, *, is_taken: bool) -> str:
        is_spent = _is_spent(value)
        # Its place in memory is its own as long as it is kept here.
        _, was_spent = self._seen.setdefault(id(value), (value, is_spent))
        if is_asked(after) or after.opname == "COMPARE_OP":
            return _DECIDED
        if after.opname == "CONTAINS_OP":
            return _CONSUMED
        if not is_spent and self._made.get(id(value), now := self._state()) != now and _reads_state(value):
            return _LATE
        return _SPENT if is_spent and not (was_spent or is_taken) else ""

    def left(self, frame: FrameType, given: object) -> SpecError | None:
        """What is wrong when a function ends, if it has made an iterator that was never asked.

        Args:
            frame: of the function.
            given: what it returns.
        """
        for name in names_of(frame.f_code).called:
            value = frame.f_locals.get(name)
            if is_unentered(value, self.entered) and value is not given:
                return SpecError(UNENTERED, Source(frame.f_code.co_filename, frame.f_lineno))
            if is_iterator(value) and value is not given and id(value) not in self._seen:
                line = cast(Any, value).gi_code.co_firstlineno if isinstance(value, Generator) else frame.f_lineno
                return SpecError(_UNASKED.format(name), Source(frame.f_code.co_filename, line))
        return None


def _reads_state(value: Iterator[Any]) -> bool:
    """Whether an iterator may compute with the state when it is asked."""
    function = None if isinstance(value, Generator) else cast(Any, value).__reduce__()[1][0]
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    names = cast(Any, value).gi_frame.f_locals.values() if isinstance(value, Generator) else cells
    return any(issubclass(type(one), Traced) for one in names)


def _is_spent(value: Iterator[Any]) -> bool:
    """Whether an iterator has nothing more to give, as far as it tells."""
    if isinstance(value, Generator):
        return cast(Any, value).gi_frame is None
    if type(value).__module__ not in ("builtins", "itertools") or isinstance(value, _ENDLESS):
        return False
    left = length_hint(value, -1)
    if left >= 0:
        return left == 0
    try:
        _, arguments, *rest = cast(Any, value).__reduce__()
    except TypeError:
        return False
    inner = [one for one in arguments if is_iterator(one)]
    return any(map(_is_spent, inner)) if inner else not rest and not any(arguments[:1])
