"""Rows of allocations and completions of files that compiled code knows, made as their lines are read.

Which rows there are, `log_rows.FileRows` says, who makes those of all other files. Not here: the files themselves
(`log_files`) and lines (`log_scan`).
"""

from typing import Any, NamedTuple

import numpy as np

from genstamp.logs.compiled import compiled
from genstamp.logs.kernel import MISSING
from genstamp.logs.readers.log_bytes import is_plain
from genstamp.logs.readers.log_files import (
    BLOCKS,
    BYTES,
    COMPLETE,
    FIRST,
    FOLLOWING,
    HERE,
    ID,
    IS_OPEN,
    PATHS,
    SORT,
    Files,
    found_at,
    give_block,
    is_simple,
    number_of,
)
from genstamp.logs.tables import ROLES_MAX

PATH_MAX = 4096
"""Bytes of a path; HDFS allows 8000 characters, and hardly anybody has a tenth of it."""


class FileFound(NamedTuple):
    """Rows that were found.

    Attributes:
        rows: for each its `PART` and so on.
        names: bytes of the names, one after another.
        totals: rows; of allocations the first and last number among the events of the NameNode, and how many; the same
        of completions.
    """

    rows: Any
    names: Any
    totals: Any


PART, NUMBER, NAME_END, SEQUENCE, VALUE, LINE = range(6)
"""Of a row: in which part the entity is concerned, see below; the id of a block; where the entity's name ends in the
names; its sequence in `tables.CONCERNS`; the first of the three values, `MISSING` if there is none; the line's number.
"""


class Holders(NamedTuple):
    """Names of holders, with the number that stands for each in values (`rows.holder_number`)."""

    names: Files
    value: Any


ROWS, ALLOCATED, _, _, COMPLETED, _, _ = range(7)

(
    ALLOCATED_BLOCK,
    ALLOCATED_FILE,
    ALLOCATED_LEASE,
    ALLOCATED_PREVIOUS,
    COMPLETED_FILE,
    COMPLETED_LEASE,
    COMPLETED_BLOCK,
    SYNCED_FILE,
    SYNCED_LEASE,
    PERHAPS_COMPLETED,
) = range(10)
"""In which part an event of a file concerns an entity."""

TAKEN, UNCERTAIN, ROWS_FULL, FILES_FULL, NEW_HOLDER, NOT_HERE = range(6)
"""What became of a line: rows were made; it is for the reader of all lines; there is no room for rows, or for files;
the holder is not among the holders; the file is not here.
"""

_EPOCH = 35, 48
"""Behind the path of a file whose creation was not seen: "#0"."""


def room_for(rows: int) -> FileFound:
    """Room for that many rows."""
    names = np.zeros(64 * rows + 4 * PATH_MAX, np.uint8)
    return FileFound(np.zeros((rows, 6), np.int64), names, np.zeros(7, np.int64))


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _add(rows: Any, totals: Any, part: int, number: int, sequence: int, value: int, line: int) -> None:
    at = totals[ROWS]
    row = rows[at]
    row[PART], row[NUMBER], row[SEQUENCE], row[VALUE], row[LINE] = part, number, sequence, value, line
    row[NAME_END] = rows[at - 1, NAME_END] if at else 0
    totals[ROWS] = at + 1


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _name(found: FileFound, text: Any, at: int, end: int, is_file: bool) -> None:
    """Names the entity of the last row."""
    row, names = found.rows[found.totals[ROWS] - 1], found.names
    here = row[NAME_END]
    for index in range(at, end):
        names[here] = text[index]
        here += 1
    if is_file:
        names[here], names[here + 1] = _EPOCH
        here += 2
    row[NAME_END] = here


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _count(totals: Any, event: int, sequence: int) -> None:
    if totals[event + 2] == 0:
        totals[event] = sequence
    totals[event + 1] = sequence
    totals[event + 2] += 1


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _file(text: Any, at: int, end: int, files: Files, found: FileFound) -> tuple[int, int]:
    """The treatment of a line about a path, and the number of its file."""
    size = end - at
    if size > PATH_MAX or not is_simple(text, at, end):
        return UNCERTAIN, 0
    totals = files.totals
    if (
        totals[PATHS] + size >= len(files.paths)
        or totals[BLOCKS] >= len(files.blocks)
        or totals[BYTES] + size * size >= len(files.text)
    ):
        return FILES_FULL, 0
    row = found.totals[ROWS]
    used = found.rows[row - 1, NAME_END] if row else 0
    if row + 4 > len(found.rows) or used + 3 * PATH_MAX > len(found.names):
        return ROWS_FULL, 0
    number = number_of(files, text, at, end, HERE)
    if number < 0:
        return UNCERTAIN, 0
    return TAKEN if files.paths[number, SORT] == HERE else NOT_HERE, number


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def take_allocated(
    text: Any, at: int, end: int, block: int, stamp: int, order: int, sequence: int, line: int, files: Files,
    found: FileFound,
) -> Any:  # fmt: skip
    """A file whose path is given gets a block."""
    became, number = _file(text, at, end, files, found)
    if became != TAKEN:
        return became
    before, rows = give_block(files, number, block), found.rows
    order *= ROLES_MAX
    _add(rows, found.totals, ALLOCATED_BLOCK, block, order, stamp, line)
    _add(rows, found.totals, ALLOCATED_FILE, MISSING, order + 1, MISSING, line)
    _name(found, text, at, end, True)
    if before >= 0 and files.blocks[before, ID] != block:
        _add(rows, found.totals, ALLOCATED_PREVIOUS, files.blocks[before, ID], order + 2, stamp, line)
    _count(found.totals, ALLOCATED, sequence)
    return TAKEN


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def take_completed(
    text: Any, at: int, end: int, holder: int, holder_end: int, order: int, sequence: int, line: int, files: Files,
    found: FileFound, holders: Holders,
) -> Any:  # fmt: skip
    """A file whose path is given is closed, and with it its blocks."""
    became, number = _file(text, at, end, files, found)
    if became != TAKEN:
        return became
    if holder_end - holder > PATH_MAX or not is_plain(text, holder, holder_end):
        return UNCERTAIN
    who = found_at(holders.names, text, holder, holder_end)
    if who < 0:
        return NEW_HOLDER
    blocks, rows = files.blocks, found.rows
    closed, block = 0, files.paths[number, FIRST] - 1
    while block >= 0:
        closed += 1 - blocks[block, COMPLETE]
        block = blocks[block, FOLLOWING] - 1
    if found.totals[ROWS] + 2 + closed > len(rows):
        return UNCERTAIN if 2 + closed > len(rows) else ROWS_FULL
    order *= ROLES_MAX
    _add(rows, found.totals, COMPLETED_FILE, MISSING, order, holders.value[who], line)
    _name(found, text, at, end, True)
    _add(rows, found.totals, COMPLETED_LEASE, MISSING, order + 1, MISSING, line)
    _name(found, text, holder, holder_end, False)
    role, block = 2, files.paths[number, FIRST] - 1
    while block >= 0:
        if not blocks[block, COMPLETE]:
            blocks[block, COMPLETE] = 1
            role_at = order + min(role, ROLES_MAX - 1)
            _add(rows, found.totals, COMPLETED_BLOCK, blocks[block, ID], role_at, MISSING, line)
            role += 1
        block = blocks[block, FOLLOWING] - 1
    files.paths[number, IS_OPEN] = 0
    _count(found.totals, COMPLETED, sequence)
    return TAKEN
