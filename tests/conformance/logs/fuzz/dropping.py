"""Drops parts of sources that may be missing: lines, records, files; never parts of one.

Leaves out images, which are one state as a whole, and traces of models, which are one document.
"""

import random
import re
import struct
from collections.abc import Callable, Mapping

from tests.conformance.logs.fuzz.samples import Files


def _pieces(content: bytes, pattern: bytes) -> tuple[bytes, list[bytes], bytes]:
    """What comes before the pieces that a pattern finds, the pieces, and what comes after."""
    found = list(re.finditer(pattern, content, re.DOTALL))
    return content[: found[0].start()], [match[0] for match in found], content[found[-1].end() :]


def _lines(content: bytes) -> tuple[bytes, list[bytes], bytes]:
    return b"", content.splitlines(keepends=True), b""


def _rows(content: bytes) -> tuple[bytes, list[bytes], bytes]:
    head, *rows = content.splitlines(keepends=True)
    return head, rows, b""


def _records(content: bytes) -> tuple[bytes, list[bytes], bytes]:
    """The records of an edit log of a layout that tells their lengths."""
    records, at = [], 8
    while at < len(content) and content[at] != 0xFF:
        end = at + 1 + struct.unpack(">i", content[at + 1 : at + 5])[0] + 4
        records.append(content[at:end])
        at = end
    return content[:8], records, content[at:]


def _ids(content: bytes) -> tuple[bytes, list[bytes], bytes]:
    """The ids in the rows of sequences, each with the blank before it."""
    head, rest = content.split(b"\n", 1)
    return head + b"\n", re.findall(rb"[^ \n]+,|[^ \n]+\n?| ", rest), b""


_CUTS: Mapping[str, Callable[[bytes], tuple[bytes, list[bytes], bytes]]] = {
    "edit log": _records,
    "edit log as XML": lambda content: _pieces(content, rb"\s*<RECORD>.*?</RECORD>"),
    "logs of servers": _lines,
    "audit log": _lines,
    "client log": _lines,
    "merged log": _lines,
    "sequences": _rows,
    "events": _lines,
    "trace of calls": _rows,
    "storage directories": _records,
}

DROPPED = tuple(_CUTS)
"""Names of the samples of which parts may be missing."""


def less(choose: random.Random, name: str, files: Files) -> Files:
    """The files of a sample without some of what they tell, each file more or less; perhaps whole files are gone."""
    kept = {}
    for path, content in files.items():
        if name == "storage directories" and "edits_" not in path:
            if path.endswith("VERSION") or choose.random() < 0.7:
                kept[path] = content
            continue
        before, pieces, after = _CUTS[name](content)
        part = choose.choice((0.0, 0.3, 0.7, 0.95, 1.0))
        left = [piece for piece in pieces if choose.random() < part]
        if left:
            kept[path] = before + b"".join(left) + after
    return kept
