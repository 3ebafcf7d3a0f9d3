"""Drops parts of sources that may be missing: lines, records, files; never parts of one.

Not here: images, which are one state as a whole, and traces of models, which are one document.
"""

import random
import re
import struct
from collections.abc import Mapping

from tests.conformance.logs.fuzz.samples import Files

_LINE = rb"[^\n]*\n"
_ROW = rb"(?<=\n)[^\n]*\n"
_XML_RECORD = rb"\s*<RECORD>.*?</RECORD>"
_BINARY = b""

_PARTS: Mapping[str, bytes] = {
    "edit log": _BINARY,
    "edit log as XML": _XML_RECORD,
    "logs of servers": _LINE,
    "audit log": _LINE,
    "client log": _LINE,
    "merged log": _LINE,
    "sequences": rb" \d+",
    "events": _LINE,
    "trace of calls": _ROW,
    "storage directories": _BINARY,
    "cluster": _LINE,
}
"""What may be missing, as a pattern; the records of binary edit logs have none."""

DROPPED = tuple(_PARTS)
"""Names of the samples of which parts may be missing."""


def less(choose: random.Random, name: str, files: Files) -> Files:
    """The files of a sample without some of what they tell, each file more or less; perhaps whole files are gone."""
    kept = {}
    for path, content in files.items():
        part = choose.choice((0.0, 0.3, 0.7, 0.95, 1.0))
        if path.startswith(("name/", "data/")) and "edits_" not in path:
            if path.endswith("VERSION") or choose.random() < 0.7:
                kept[path] = content
        elif part:
            pattern = _XML_RECORD if path == "edits.xml" else _PARTS[name]
            kept[path] = _thinned(choose, pattern, content, part) if pattern else _records(choose, content, part)
    return kept


def _thinned(choose: random.Random, pattern: bytes, content: bytes, part: float) -> bytes:
    return re.sub(pattern, lambda found: found[0] if choose.random() < part else b"", content, flags=re.DOTALL)


def _records(choose: random.Random, content: bytes, part: float) -> bytes:
    """An edit log of a layout that tells the lengths of records, with some of them."""
    kept, at = [content[:8]], 8
    while at < len(content) and content[at] != 0xFF:
        end = at + 1 + struct.unpack(">i", content[at + 1 : at + 5])[0] + 4
        if choose.random() < part:
            kept.append(content[at:end])
        at = end
    return b"".join([*kept, content[at:]])
