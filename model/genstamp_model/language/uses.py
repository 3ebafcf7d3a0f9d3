"""Which values an author's code was given and never used: Python has decided something without asking them.

`bool([s.busy])`, `len([s.busy])`, `any([True, s.busy])`, `callable(s.busy)` and a value in a table that is only counted
ask no value, so that none can refuse. But then nothing ever uses the value: neither an operator, nor what the function
returns or assigns. A place of the text is at fault if no value that was made there is used, in any function of the
system and on any way through it.

Not here: places at fault that also have a use, which are known by their form (see `suspects`).
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Final

from genstamp_model.errors import Source, SpecError
from genstamp_model.language.author import has_file, is_author, is_specification
from genstamp_model.language.spans import Span, tables

_MESSAGE: Final = (
    "a value of the state is made here and never used: Python has decided without asking it, or it is left over; write "
    "the condition on the value, or leave it out"
)

_BETWEEN: Final = frozenset({"EXTENDED_ARG", "LOAD_FAST"})
"""Instructions that bring the object in place which takes an attribute."""


@dataclass(frozen=True)
class Made:
    """An instruction of an author's function that has made values."""

    code: CodeType
    offset: int
    line: int
    used: set[tuple[int, int]]

    @property
    def table(self) -> Span | None:
        """Where the text has the table, or the call, that the value is an element or an argument of."""
        known = tables(self.code)
        # A frame that calls stands behind the instruction, at what belongs to it.
        return known.get(max((offset for offset in known if offset <= self.offset), default=0))

    @property
    def is_kept(self) -> bool:
        """Whether the value becomes an attribute of an object, of which not every function uses each."""
        after = (one.opname for one in dis.get_instructions(self.code) if one.offset > self.offset)
        return (
            next((name for name in after if name not in ("PRECALL", "EXTENDED_ARG", "LOAD_FAST")), "") == "STORE_ATTR"
        )

    def is_used_now(self) -> bool:
        """Whether another instruction than this one asks the value now; then one that was made here is used."""
        frame = _innermost()
        if frame is not None and frame.f_code is self.code and frame.f_lasti == self.offset:
            return False
        self.used.add((id(self.code), self.offset))
        return True


class Uses:
    """The places at which an author's code was given values, and those whose values were used."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, int], Made] = {}
        self._used: set[tuple[int, int]] = set()

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note the values that are made in the block."""
        global _noting
        before, _noting = _noting, (self, sys._getframe())
        try:
            yield
        finally:
            _noting = before

    def at(self, frame: FrameType) -> Made:
        """The instruction that runs in a frame."""
        place = id(frame.f_code), frame.f_lasti
        if place not in self.made:
            self.made[place] = Made(frame.f_code, frame.f_lasti, frame.f_lineno, self._used)
        return self.made[place]

    def refuse_unused(self) -> None:
        """Refuse the first place whose values were never used.

        Raises:
            SpecError: there is one.
        """
        # Who makes a table, or calls a function, need not use all of what is in it.
        together = {(id(made.code), made.table) for place, made in self.made.items() if place in self._used}
        for place, made in self.made.items():
            is_beside = made.table is not None and (id(made.code), made.table) in together
            if place not in self._used and not is_beside and not made.is_kept:
                raise SpecError(_MESSAGE, Source(made.code.co_filename, made.line))


_noting: tuple[Uses, FrameType] | None = None


def made_now() -> Made | None:
    """The author's instruction that makes a value now; None where none does, or where it is not noted.

    Not noted is what a specification that comes with the language makes for whoever calls a function of it.
    """
    frame = _innermost() if _noting is not None else None
    return None if _noting is None or frame is None or is_specification(frame) else _noting[0].at(frame)


def changes_now() -> None:
    """Count as used what the author's instruction makes now: it changes the state by it."""
    made = made_now()
    if made is not None:
        made.used.add((id(made.code), made.offset))


def given(values: Iterable[object]) -> None:
    """Count as used some values with which an author's function is called: it may do without them."""
    for value in values:
        made: Made | None = getattr(value, "_made_at", None)
        if made is not None:
            made.used.add((id(made.code), made.offset))


def _innermost() -> FrameType | None:
    """The innermost frame of an author's code in the block in which values are noted; None outside of it."""
    frame: FrameType | None = sys._getframe(2) if _noting is not None else None
    while frame is not None and _noting is not None and frame is not _noting[1]:
        if is_author(frame) and has_file(frame):
            return frame
        frame = frame.f_back
    return None
