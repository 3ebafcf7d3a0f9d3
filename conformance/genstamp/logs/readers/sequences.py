"""Reads labelled sequences: a CSV file with a block in each row and, in it, the ids of what was logged of the block.

The ids are those of the templates of HDFS_v1 (Hadoop 0.20). The label is never read. Not here: any order: the ids of a
row come from logs of many nodes with clocks of one second.
"""

import csv
import re
from collections.abc import Iterator

from genstamp.events import Place
from genstamp.logs.readers import old_steps
from genstamp.logs.readers.old_steps import OldSteps, Step, rank
from genstamp.logs.readers.sighting import Counts, Reject, Sighting, Unit, shortened
from genstamp.logs.sources import SEQUENCES
from genstamp.logs.streams import LINE_LENGTH_MAX

_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?block_id,(?:\w+,)*events\r?\n")
_BLOCK = re.compile(r"blk_(-?\d{1,19})")

STEPS: dict[int, Step] = {
    5: old_steps.RECEIVING,
    6: old_steps.RECEIVED,
    7: old_steps.WRITE_FAILED,
    9: old_steps.RECEIVED,
    11: old_steps.RESPONDER_ENDS,
    16: old_steps.TRANSFER_ENDS,
    17: old_steps.TRANSFER_FAILS,
    18: old_steps.TRANSFER_STARTS,
    20: old_steps.NOTHING_TO_DELETE,
    21: old_steps.DELETING,
    22: old_steps.ALLOCATED,
    23: old_steps.INVALIDATED,
    24: old_steps.NOT_NEEDED,
    25: old_steps.ASKED_TO_REPLICATE,
    26: old_steps.STORED,
    27: old_steps.STORED_AGAIN,
    28: old_steps.OF_NO_FILE,
    29: old_steps.REPLICATION_TIMES_OUT,
    30: old_steps.ASKED_TO_DELETE,
}
"""The meaning of the ids that report a step."""

ASIDE: dict[int, str] = {
    1: "block that a datanode had already",
    2: "scan of a replica",
    3: "read of a replica",
    4: "read of a replica that failed",
    8: "fault in a pipeline",
    10: "fault in a pipeline",
    12: "fault in a pipeline",
    13: "empty packet",
    14: "fault in a pipeline",
    15: "writer that goes back in a replica",
    19: "writer that goes back in a replica",
    31: "write that a datanode refused",
    32: "block that a datanode does not have",
    33: "file that a datanode cannot open",
}
"""The mappings of the others."""


def is_sequences(head: bytes) -> bool:
    """Whether a file that begins so has a header of labelled sequences."""
    return _HEADER.match(head) is not None


class SequenceReader:
    """Reads the files of a unit one after another.

    Args:
        unit: whose files these are.
        counts: where ids are counted that report no step.
    """

    def __init__(self, unit: Unit, counts: Counts) -> None:
        self._counts = counts
        self._steps = OldSteps(SEQUENCES, unit.namespace)

    def sightings(self, file: str, lines: Iterator[bytes | None]) -> Iterator[Sighting | Reject]:
        """The events of a file, given its lines; those of a block in the order in which a block lives."""
        columns: list[str] = []
        for number, line in enumerate(lines, 1):
            place = Place(file, number)
            if line is None:
                yield Reject(place, f"the line is longer than {LINE_LENGTH_MAX} bytes")
            elif number == 1:
                columns = line.decode(errors="backslashreplace").lstrip("\ufeff").strip().split(",")
                self._counts.lines[file, "header"] += 1
            elif not line.strip():
                self._counts.lines[file, "blank"] += 1
            else:
                yield from self._row(place, columns, line)

    def _row(self, place: Place, columns: list[str], line: bytes) -> Iterator[Sighting | Reject]:
        try:
            fields = next(csv.reader([line.decode()]))
        except (csv.Error, UnicodeDecodeError) as error:
            yield Reject(place, f"not a row: {error}", shortened(line))
            return
        if len(fields) != len(columns):
            yield Reject(place, f"a row of {len(fields)} fields, where the header has {len(columns)}", shortened(line))
            return
        row = dict(zip(columns, fields, strict=True))
        block = _BLOCK.fullmatch(row["block_id"])
        if block is None or not -(2**63) <= int(block[1]) < 2**63:
            yield Reject(
                place, f"{row['block_id'][:60]!r} is not a block id; expected blk_ and a 64-bit number", shortened(line)
            )
            return
        steps = []
        for told in row["events"].split():
            number = int(told) if told.isascii() and told.isdecimal() and len(told) < 4 else 0
            if number in STEPS:
                steps.append(STEPS[number])
            elif number in ASIDE:
                self._counts.lines[place.file, ASIDE[number]] += 1
            else:
                yield Reject(place, f"event {told[:20]!r} is none of the templates 1 to 33", shortened(line))
        for step in sorted(steps, key=rank):
            yield self._steps.seen(place, step, block[1])
