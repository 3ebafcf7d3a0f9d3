"""Checks whether edit logs of one name in one directory, binary and as XML, have the same operations.

Not here: what does not matter to files, blocks and leases, and pairs larger than `COMPARED_MAX`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import zip_longest
from pathlib import Path

from genstamp.logs.readers import edit_binary, edit_xml
from genstamp.logs.readers.edit_codec import TELLING
from genstamp.logs.readers.edit_ops import EditOp
from genstamp.logs.streams import DamagedSourceError, Stream

COMPARED_MAX = 256 << 20
"""Bytes of the XML of a pair that is compared: both are read once more for it."""

SHOWN_MAX = 200
"""Characters of a value that are shown."""

_NAME = re.compile(r"(?:\.xml)?(?:\.gz|\.bz2|\.xz|\.zst)?$")
_OF_ALL = ("record", "layout_version", "txid", "name")


def differing(binary: Iterable[str], xml: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each XML file that does not tell what the binary file of its name tells, and where they begin to differ.

    Args:
        binary, xml: names of edit logs, including compression suffixes.
    """
    by_name = {_NAME.sub("", file): file for file in binary}
    for file in xml:
        twin = by_name.get(_NAME.sub("", file))
        if twin is not None and Path(file).stat().st_size <= COMPARED_MAX:
            difference = first_difference(Path(twin), Path(file))
            if difference:
                yield file, f"has other operations than {twin}: {difference}"


def first_difference(binary: Path, xml: Path) -> str:
    """Where an edit log and an XML file begin to differ; "" if they do not, as far as both can be read."""
    try:
        with Stream(binary) as one, Stream(xml) as other:
            return _first_difference(edit_binary.operations(one), edit_xml.operations(other))
    except (DamagedSourceError, OSError):
        return ""  # Which is told where they are read.


def _first_difference(binary: Iterator[EditOp], xml: Iterator[EditOp]) -> str:
    for one, other in zip_longest(binary, xml):
        if one is None or other is None:
            there, where = (one, "binary file") if other is None else (other, "XML")
            return f"record {there.record}, {there.name}, is in the {where} only"
        # Of an operation that tells nothing of files the binary reader decodes no more than its head.
        for name in [each.name for each in fields(EditOp)] if one.name in TELLING else _OF_ALL:
            mine, yours = (repr(getattr(each, name))[:SHOWN_MAX] for each in (one, other))
            if getattr(one, name) != getattr(other, name):
                return f"record {one.record}, {one.name}, has {name.replace('_', ' ')} {yours} where that has {mine}"
    return ""
