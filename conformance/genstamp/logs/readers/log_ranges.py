"""Reads a range of a log by itself, with what the beginning of the log tells, and sets aside what needs more than that.

Decided lines become rows at once, with numbers of lines that count from the range's beginning. Lines of files, and
lines that compiled code does not decide, are set aside for who takes them up in order (`log_ordered`), with all that he
needs to know of the others. Leaves out dividing a log, and files on the disk (`genstamp.logs.ranges`).
"""

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
from numba import njit

from genstamp.logs.opening import open_binary
from genstamp.logs.readers.log_fast import EVENTS_AT_ONCE, FastReading
from genstamp.logs.readers.log_forms import SET_ASIDE
from genstamp.logs.readers.log_line import log_line
from genstamp.logs.readers.log_scan import BLOCK, EVENTS, FILE_COLUMNS, FILES, NODE
from genstamp.logs.readers.log_state import NAMENODE
from genstamp.logs.readers.sighting import Counts, Unit
from genstamp.logs.rows import Batch, Collected, Tally
from genstamp.logs.streams import LINE_LENGTH_MAX

LOOK_BACK = 1 << 20
"""Bytes before a range that are searched for blocks whose replicas are counted: a file is closed within seconds."""

_LACKING = b"but not COMPLETE"
_TOO_LONG = b"x" * (LINE_LENGTH_MAX + 1)


class Range(msgspec.Struct, frozen=True):
    """Some lines of a unit: those that begin there.

    Attributes:
        number: among the ranges of the unit.
        file: place of the file among those of the unit.
        begins, ends: bytes of the file; None for its end.
    """

    number: int
    file: int
    begins: int
    ends: int | None


class Context(msgspec.Struct, frozen=True):
    """What lines before have told that decides what a line tells.

    Attributes:
        pool, namespace: the block pool, and the namespace of lines that name none.
        only: the only datanode, if there is one.
        datanodes: all that are known.
    """

    pool: str
    namespace: str
    only: str
    datanodes: tuple[str, ...]


class Seen(msgspec.Struct, frozen=True):
    """Replicas that decided lines tell of.

    Attributes:
        before: which of the lines set aside is the first after them.
        namespace, node: theirs.
        blocks: their ids, int64.
    """

    before: int
    namespace: str
    node: str
    blocks: bytes


class Aside(msgspec.Struct):
    """What is left of a range when its rows are made.

    Attributes:
        context: what was taken for known. uses_nodes: whether rows depend on its datanodes.
        lines: how many the range has.
        text: the lines set aside, each with its end.
        numbers: of these, int64; the first of the range is 1.
        previous: lines of a log right before one of these, by its place among them; behind the last the last of all.
        seen: replicas. stored: ids of blocks of which decided lines tell that a replica was stored, int64.
        tallies, counts, sequences: of events by their sort, of lines that are no events by kind, of events by node.
        last: number of the last line that told of an event.
    """

    context: Context
    uses_nodes: bool = False
    lines: int = 0
    text: bytes = b""
    numbers: bytes = b""
    previous: dict[int, bytes] = msgspec.field(default_factory=dict)
    seen: list[Seen] = msgspec.field(default_factory=list)
    stored: bytes = b""
    tallies: list[Tally] = msgspec.field(default_factory=list)
    counts: dict[str, int] = msgspec.field(default_factory=dict)
    sequences: dict[str, int] = msgspec.field(default_factory=dict)
    last: int = 0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _together(text: Any, rows: Any) -> Any:
    """Lines one after another, each with its end; where they begin and end are the second and third column of rows."""
    size = 0
    for row in range(len(rows)):
        size += rows[row, 2] - rows[row, 1] + 1
    lines = np.empty(size, np.uint8)
    here = 0
    for row in range(len(rows)):
        begins, ends = rows[row, 1], rows[row, 2]
        lines[here : here + ends - begins] = text[begins:ends]
        here += ends - begins
        if text[ends - 1] != 10:  # The last of a file.
            lines[here] = 10
            here += 1
    return lines[:here]


class RangeReading(FastReading):
    """Reads one range of a unit, without the table of events.

    Args:
        unit: whose file it is of.
        beginning: of the unit's first file, for the block pools that it names.
        begins: where its first range begins; what lines before tell is taken for known.

    Attributes:
        aside: what was set aside; complete after `range`.
    """

    def __init__(self, unit: Unit, beginning: bytes, begins: int) -> None:
        known = FastReading(unit, Counts(), beginning, keeps_events=False)
        for _ in known.lines_of(unit.files[0], 0, begins):
            pass
        counts = Counts()
        super().__init__(unit, counts, b"", keeps_events=False)
        self.reader, self._state = known.reader, known.reader.state
        self._range_counts = counts
        self._of_files = SET_ASIDE
        self._collected = self._tallies = _Tallies(unit, unit.reader, keeps_events=False)
        self._file_lines = np.zeros((EVENTS_AT_ONCE, FILE_COLUMNS), np.int64)
        self._look()
        self._counters.sequences[:] = 0
        self.aside = Aside(Context(*self._context[:3], tuple(self._state.datanodes())))
        self._previous: bytes | None = None
        self._texts: list[bytes] = []
        self._numbers_aside: list[Any] = []
        self._count = 0
        self._stored: list[bytes] = []

    def range(self, of: Range) -> Iterator[Batch]:
        """The rows of a range; asked for once.

        Raises:
            OSError: the file cannot be read.
        """
        file = self._unit.files[of.file]
        self._look_back(file, of.begins)
        yield from self.lines_of(file, of.begins, of.ends)
        self._close()

    def _look_back(self, file: str, begins: int) -> None:
        with open_binary(file) as opened:
            opened.seek(max(0, begins - LOOK_BACK))
            text = opened.read(min(begins, LOOK_BACK))
        at = text.find(_LACKING)
        while at >= 0:
            self._note_lacking(text[text.rfind(b"\n", 0, at) + 1 : at])
            at = text.find(_LACKING, at + 1)

    def _close(self) -> None:
        aside = self.aside
        self._note_seen()
        if self._previous is not None:
            aside.previous[self._count] = self._previous
        aside.lines, aside.last = self._line - 1, self._last
        aside.text, aside.stored = b"".join(self._texts), b"".join(self._stored)
        aside.numbers = b"".join(numbers.tobytes() for numbers in self._numbers_aside)
        aside.tallies = self._tallies.tallies
        aside.uses_nodes = any(tally.node != NAMENODE for tally in aside.tallies)
        aside.counts = {what: count for (_, what), count in self._range_counts.lines.items()}
        aside.sequences = {
            node: count for node, count in zip(self._nodes, self._counters.sequences.tolist(), strict=False) if count
        }

    # -- what is set aside ----------------------------------------------------------------------------------------

    def _take_files(self, data: bytes | bytearray) -> None:
        totals = self._counters.totals
        rows = self._file_lines[: totals[FILES], :3]
        self._count += len(rows)
        self._numbers_aside.append(rows[:, 0].copy())
        self._texts.append(_together(np.frombuffer(data, np.uint8), rows).tobytes())
        totals[FILES] = 0

    def _before(self, data: bytes | bytearray, stop_at: int) -> None:
        self._previous = self._last_line(data, stop_at)

    def _undecided(self, line: bytes | None) -> None:
        number, self._line = self._line, self._line + 1
        if line is not None and b"STARTUP_MSG" in line:
            self._note_replicas()
            self._note_seen()
        if line is not None and _LACKING in line:
            self._note_lacking(line)
        if self._previous is not None and (line is None or log_line(line) is None):
            self.aside.previous[self._count] = self._previous
        self._previous = None
        self._put(number, _TOO_LONG if line is None else line)

    def _put(self, number: int, line: bytes) -> None:
        self._count += 1
        self._numbers_aside.append(np.array([number]))
        self._texts += line, b"\n"

    def _state_has_changed(self) -> bool:
        return False

    def _note_replicas(self) -> None:
        super()._note_replicas()
        events = self._found.events[: int(self._counters.totals[EVENTS])]
        self._stored.append(events[events[:, NODE] == 0, BLOCK].tobytes())

    def _note_seen(self) -> None:
        for namespace, node, blocks in self._seen_replicas.take():
            self.aside.seen.append(Seen(self._count, namespace, self._nodes[node], blocks.tobytes()))


class _Tallies(Collected):
    """Counts that are handed on as they are."""

    def __init__(self, unit: Unit, source: str, keeps_events: bool) -> None:
        super().__init__(unit, source, keeps_events)
        self.tallies: list[Tally] = []

    def tally(self, told: Tally) -> None:
        self.tallies.append(told)
