"""Finds logs that tell lines of another log once more: the end of it, a part of it, what `grep` has found in it, or
parts of it that overlap.

The steps of such lines would be taken twice. A log is one of these if its first two lines with a time are in the
other, in this order. It is left out only if its lines are those with which the other one begins; else each is checked
by itself. What carries a line (`genstamp.logs.readers.log_head`) does not count where the line itself has Hadoop's
layout.

Other parts are not left out, as what their lines say may depend on lines that they do not have: in the log that a
collector has made of those of two datanodes, nothing says which of them has written a line without an address, in the
log of one of them alone it is known, and so is what it does wrong.

Not here: logs with one beginning (`genstamp.logs.copies`), which are compared byte by byte whatever their size; logs of
more than `COMPARED_MAX` bytes, as all of them are read once more for this.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import islice, zip_longest

from genstamp.logs.streams import DamagedSourceError, Stream, lines

COMPARED_MAX = 256 << 20
"""Bytes, as they are stored, of all logs among which parts of others are looked for."""

FIRST_LINES = 2
"""Lines that one log has of another, and not by chance: their times have milliseconds."""

_TIME = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} ")


def fragments(files: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    """The logs of which others have lines, too: each with another one, and whether that begins with all of its lines.

    Args:
        files: of logs of no more than `COMPARED_MAX` bytes together.
    """
    if len(files) < 2:
        return
    firsts = {file: list(islice(_dated(file), FIRST_LINES)) for file in files}
    of: dict[str, str] = {}
    for other in files:
        for file in _beginning_in(other, {file: begins for file, begins in firsts.items() if begins and file != other}):
            # Of two that tell the same neither is a part of the other's part.
            if of.get(other) != file:
                of.setdefault(file, other)
    for file, other in of.items():
        yield file, other, file not in of.values() and _is_beginning(file, other)


def _beginning_in(other: str, firsts: Mapping[str, list[bytes]]) -> list[str]:
    """The files whose first lines a log has, in their order."""
    wanted: dict[bytes, list[tuple[str, int]]] = defaultdict(list)
    for file in sorted(_mentioned(other, {file: begins[0] for file, begins in firsts.items()})):
        for number, line in enumerate(firsts[file]):
            wanted[line].append((file, number))
    met: dict[str, int] = defaultdict(int)
    for line in _dated(other) if wanted else ():
        for file, number in wanted.get(line, ()):
            if met[file] == number:
                met[file] += 1
    return [file for file, number in met.items() if number == len(firsts[file])]


def _mentioned(other: str, firsts: Mapping[str, bytes]) -> set[str]:
    """The files whose first line is somewhere in a log; much quicker than to look at each of its lines."""
    found: set[str] = set()
    rest, most = b"", max(map(len, firsts.values()), default=1)
    try:
        with Stream(other) as stream:
            for chunk in stream.chunks():
                text = rest + chunk
                found.update(file for file, line in firsts.items() if file not in found and line in text)
                rest = text[-most:]
    except (DamagedSourceError, OSError):
        pass  # What comes before the damage is read.
    return found


def _is_beginning(file: str, other: str) -> bool:
    """Whether a log begins with all lines of a file; False if either cannot be read so far."""
    pairs = zip_longest(_texts(file), _texts(other))
    return all(one is None or (one == another and one[0] is not None) for one, another in pairs)


def _dated(file: str) -> Iterator[bytes]:
    """The lines of a log with a time."""
    return (text for text, is_dated in _texts(file) if text is not None and is_dated)


def _texts(file: str) -> Iterator[tuple[bytes | None, bool]]:
    """The lines of a log, and whether they have a time, from which on each is given; no text where one is not read."""
    try:
        with Stream(file) as stream:
            for line in lines(stream):
                found = None if line is None else _TIME.search(line)
                yield (line, False) if line is None or found is None else (line[found.start() :], True)
    except (DamagedSourceError, OSError):
        yield None, False
