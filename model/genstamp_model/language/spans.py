"""Where the text of a function has the table or the call that a value is made for."""

from __future__ import annotations

import dis
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise, takewhile
from types import CodeType
from typing import Final, TypeAlias

from genstamp_model.language.bytecode import DISPLAYS, LOCAL, STORES

_TABLES: Final = DISPLAYS | {"CALL", "CALL_KW"}
_ENDING: Final = frozenset({"RESUME", "STORE_FAST", "STORE_DEREF", "STORE_ATTR", "STORE_SUBSCR", "POP_TOP"})
"""Instructions that end a statement, or come before the first."""

Span: TypeAlias = tuple[tuple[int, int], tuple[int, int]]
"""A part of the text of a function: line and column of its beginning and of its end."""


@cache
def tables(code: CodeType) -> Mapping[int, Span | None]:
    """For each instruction where in the text the table or the call is that what it makes is a part of; else None.

    What is assigned to several names at once is one table, and so are the names that are returned together.
    """
    known = [(one, span) for one in dis.get_instructions(code) if (span := _span(one)) is not None]
    found = {one.offset: table for one, span in known if (table := _table_around(span, known)) is not None}
    returned = {
        one.argval: found[one.offset]
        for one, span in known
        if one.opname in LOCAL and one.offset in found and _is_returned(found[one.offset], known)
    }
    for position, (one, _) in enumerate(known):
        stores = list(takewhile(lambda next_: next_[0].opname in STORES, known[position + 1 :]))
        if stores and one.offset not in found and stores[0][0].argval in returned:
            found[one.offset] = returned[stores[0][0].argval]
    return dict.fromkeys(one.offset for one, _ in known) | found | _unpacked(known, found)


def _table_around(span: Span, known: Sequence[tuple[dis.Instruction, Span]]) -> Span | None:
    """The innermost part of the text around another one, if it is a call or a table; of tables in one the outermost."""
    around = [other for _, other in known if other != span and other[0] <= span[0] and span[1] <= other[1]]
    inner = max(around, key=lambda other: (other[0], [-part for part in other[1]]), default=None)
    if inner is None or not any(other == inner and one.opname in _TABLES for one, other in known):
        return None
    outer = _table_around(inner, known) if _is_display(inner, known) else None
    return outer if outer is not None and _is_display(outer, known) else inner


def _is_display(span: Span, known: Sequence[tuple[dis.Instruction, Span]]) -> bool:
    return any(other == span and one.opname in DISPLAYS for one, other in known)


def _is_returned(table: Span, known: Sequence[tuple[dis.Instruction, Span]]) -> bool:
    """Whether a table is what the function returns."""
    pairs = pairwise(known)
    return any(span == table and after.opname == "RETURN_VALUE" for (_, span), (after, _) in pairs)


def _unpacked(known: Sequence[tuple[dis.Instruction, Span]], found: Mapping[int, Span]) -> dict[int, Span]:
    """The values that are assigned to several names at once, without a table."""
    together: dict[int, Span] = {}
    position = 0
    while position < len(known):
        stores = list(takewhile(lambda next_: next_[0].opname in STORES, known[position:]))
        if len(stores) > 1:
            begins = next((i for i in reversed(range(position)) if known[i][0].opname in _ENDING), -1)
            for one, _ in known[begins + 1 : position]:
                if one.offset not in found:
                    together[one.offset] = stores[0][1]
        position += max(1, len(stores))
    return together


def _span(one: dis.Instruction) -> Span | None:
    at = one.positions
    if at is None or None in (at.lineno, at.col_offset, at.end_lineno, at.end_col_offset):
        return None
    return (at.lineno or 0, at.col_offset or 0), (at.end_lineno or 0, at.end_col_offset or 0)
