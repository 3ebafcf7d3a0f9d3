"""Finds logs that are copies of another log or of its beginning, by comparing their whole contents.

The same log is often collected more than once: plain and compressed, while it is written and afterwards, from each
JournalNode. A file is left out only if its whole content equals another file's content or the beginning of it, byte by
byte. The padding behind the last operation of an edit log in progress, and the tag at the end of an XML edit log, do
not count as content.

Only files with the same beginning are compared, and a comparison stops at the first difference.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cmp_to_key
from itertools import islice
from typing import NamedTuple

from genstamp.logs.readers import merged_log
from genstamp.logs.readers.log_line import log_line
from genstamp.logs.streams import DamagedSourceError, Stream

Chunks = Callable[[], Iterator[bytes]]
"""Reads the content of a file; each call begins at the beginning.

Raises:
    DamagedSourceError: the file cannot be read to its end.
    OSError: the file cannot be read.
"""

BINARY_EDITS, XML_EDITS, LINES = range(3)
"""The type of a file, which determines its entries and what is no content at its end."""

_BEGINNING = 1 << 12
_BINARY_ENTRY = 24
_RECORD = re.compile(rb"</RECORD>")
_XML_END = b"</EDITS>"
_XML_END_MAX = 1 << 10
_PADDING = b"\xff"


class Copy(NamedTuple):
    """A file that is left out.

    Attributes:
        file: the name of the copy.
        original: the name of the other file.
        is_whole: whether it has the whole content of the other file, or only its beginning.
    """

    file: str
    original: str
    is_whole: bool

    def why(self) -> str:
        """The note on the copy in the report."""
        if self.is_whole:
            return f"left out, because its content equals that of {self.original}"
        return f"left out, because its content is the beginning of {self.original}"


def beginning_of(text: bytes, sort: int, many: int) -> bytes:
    """The first entries of a content: lines with a time, or records; in a binary edit log, a number of bytes for each.

    Two logs that share two entries are of the same time. A single entry may be a banner, or the first operation of any
    edit log.

    Args:
        text: the beginning of the content.
        sort: `BINARY_EDITS`, `XML_EDITS` or `LINES`.
        many: how many entries; fewer if there are not so many.
    """
    if sort == BINARY_EDITS:
        return text[: many * _BINARY_ENTRY]
    if sort == XML_EDITS:
        ends = [found.end() for found in islice(_RECORD.finditer(text[:_BEGINNING]), many)]
        return text[: ends[-1]] if ends else text[:_BEGINNING]
    end = 0
    for line in text.splitlines(keepends=True):
        end += len(line)
        if log_line(line) is not None or merged_log.is_line(line):
            many -= 1
            if not many:
                break
    return text[:end].rstrip(b"\r\n")


def file_chunks(file: str) -> Chunks:
    """A reader of the decompressed content of a file."""

    def chunks() -> Iterator[bytes]:
        with Stream(file) as stream:
            yield from stream.chunks()

    return chunks


def copies_among(files: Mapping[str, Chunks], sort: int) -> list[Copy]:
    """The copies among some files with the same beginning.

    The first one of equal files is kept. A file that cannot be read to its end is not a copy.

    Args:
        files: the readers of their contents, by name.
        sort: `BINARY_EDITS`, `XML_EDITS` or `LINES`.
    """
    if len(files) < 2:
        return []
    sizes = {file: _size(_content(chunks, sort)) for file, chunks in files.items()}
    whole = [file for file, size in sizes.items() if size is not None]

    def order(one: str, other: str) -> int:
        return _difference(_content(files[one], sort), _content(files[other], sort))

    # A beginning sorts directly before the files that begin with it. Of equal files the first given comes last.
    whole.reverse()
    ordered = sorted(whole, key=cmp_to_key(order))
    copies: list[Copy] = []
    kept: list[str] = []
    for file in reversed(ordered):
        if kept and _is_beginning(_content(files[file], sort), _content(files[kept[-1]], sort)):
            copies.append(Copy(file, kept[-1], sizes[file] == sizes[kept[-1]]))
        else:
            kept.append(file)
    return copies


def is_beginning(one: Chunks, other: Chunks, sort: int) -> bool:
    """Whether the content of a file equals that of another one, or its beginning; False if either cannot be read.

    Args:
        one, other: the readers of their contents.
        sort: `BINARY_EDITS`, `XML_EDITS` or `LINES`.
    """
    try:
        return _is_beginning(_content(one, sort), _content(other, sort))
    except (DamagedSourceError, OSError):
        return False


def _size(content: Iterable[bytes]) -> int | None:
    """The number of bytes of a content; None if it cannot be read to its end."""
    try:
        return sum(map(len, content))
    except (DamagedSourceError, OSError):
        return None


def _content(chunks: Chunks, sort: int) -> Iterator[bytes]:
    """The content of a file without padding and end tag."""
    if sort == BINARY_EDITS:
        return _without_padding(chunks())
    return _without_end_tag(chunks()) if sort == XML_EDITS else chunks()


def _without_padding(chunks: Iterator[bytes]) -> Iterator[bytes]:
    padding = 0
    for chunk in chunks:
        content = chunk.rstrip(_PADDING)
        if content:
            # Content follows, so these bytes were not padding.
            while padding:
                size = min(padding, _BEGINNING)
                yield _PADDING * size
                padding -= size
            yield content
        padding += len(chunk) - len(content)


def _without_end_tag(chunks: Iterator[bytes]) -> Iterator[bytes]:
    kept = b""
    for chunk in chunks:
        kept += chunk
        yield kept[:-_XML_END_MAX]
        kept = kept[-_XML_END_MAX:]
    yield kept.rstrip().removesuffix(_XML_END).rstrip()


def _pairs(one: Iterator[bytes], other: Iterator[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Two contents in pieces of the same length, until one of them ends; last what is left of both pieces."""
    mine = yours = b""
    while True:
        mine, yours = mine or next(filter(None, one), b""), yours or next(filter(None, other), b"")
        if not mine or not yours:
            yield mine, yours
            return
        size = min(len(mine), len(yours))
        yield mine[:size], yours[:size]
        mine, yours = mine[size:], yours[size:]


def _difference(one: Iterator[bytes], other: Iterator[bytes]) -> int:
    """Negative if the first content sorts before the second, 0 if they are equal, positive otherwise."""
    for mine, yours in _pairs(one, other):
        if mine != yours:
            return -1 if mine < yours else 1
    return 0


def _is_beginning(one: Iterator[bytes], other: Iterator[bytes]) -> bool:
    return all(mine == yours or not mine for mine, yours in _pairs(one, other))
