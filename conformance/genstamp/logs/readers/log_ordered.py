"""Takes up in order what ranges of a log have set aside, so that all is as if the log were read from its beginning.

The beginning of a log is read here, and so is a range again that took something for known that is otherwise. Leaves out
reading a range by itself (`log_ranges`).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from genstamp.events import Place
from genstamp.logs.readers.log_fast import FastReading
from genstamp.logs.readers.log_line import log_line
from genstamp.logs.readers.log_ranges import Aside, Context, Range
from genstamp.logs.readers.log_scan import BEFORE
from genstamp.logs.readers.log_state import EVENTS_OF_A_LINE
from genstamp.logs.readers.sighting import Counts, Reject, Unit
from genstamp.logs.rows import Batch
from genstamp.logs.tables import ROLES_MAX


class ContextChangedError(Exception):
    """In the midst of a range a line has changed what the range took for known: the unit is to be read from its
    beginning.
    """


class Shift(NamedTuple):
    """What is added to numbers of a range whose rows hold.

    Attributes:
        range: its number.
        line: to lines.
        sequence: to the sequences of concerns.
    """

    range: int
    line: int
    sequence: int


class OrderedReading(FastReading):
    """Reads a unit with the help of its ranges, without the table of events.

    Args:
        unit: what is read.
        beginning: of the unit's first file, for the block pools that it names.
        ranges: of the unit, in order.
        aside: what a range has set aside; None if it was not read.

    Attributes:
        shifts: of the ranges whose rows hold; complete after `batches`.
    """

    def __init__(
        self, unit: Unit, beginning: bytes, ranges: Sequence[Range], aside: Callable[[Range], Aside | None]
    ) -> None:
        self._assumed: Aside | None = None
        super().__init__(unit, Counts(), beginning, keeps_events=False)
        self._ranges, self._aside = ranges, aside
        self._previous: dict[int, bytes] = {}
        self._seen: list[Any] = []
        self.shifts: list[Shift] = []

    def batches(self) -> Iterator[Batch]:
        """The tables of the unit, but for the rows of the ranges that hold.

        Raises:
            ContextChangedError: see there; nothing that was given so far holds.
        """
        for number, file in enumerate(self._unit.files):
            self._begin(file)
            try:
                yield from self._file_in_ranges(number, file)
            except OSError as error:
                yield from self._flush()
                self._collected.reject(Reject(Place(file, self._last), f"cannot be read: {error.strerror}"))
            yield from self._flush()
        yield from self.rest()

    def _file_in_ranges(self, number: int, file: str) -> Iterator[Batch]:
        ranges = [each for each in self._ranges if each.file == number]
        if ranges[0].begins:
            yield from self._lines(file, 0, ranges[0].begins)
        for each in ranges:
            aside = self._aside(each)
            if aside is None or not self._holds(aside):
                yield from self._lines(file, each.begins, each.ends)
            else:
                yield from self._flush()
                yield from self._set_aside(each.number, aside)

    # -- a range --------------------------------------------------------------------------------------------------

    def _holds(self, aside: Aside) -> bool:
        """Whether what a range took for known is so."""
        lacking = self._state.lacking(self._context[1])
        stored = np.frombuffer(aside.stored, np.int64)
        return self._fits(aside) and not (lacking and np.isin(stored, lacking).any())

    def _fits(self, aside: Aside) -> bool:
        known, now = aside.context, Context(*self._context[:3], tuple(self._state.datanodes()))
        if aside.uses_nodes:
            return known == now
        return (known.pool, known.namespace) == (now.pool, now.namespace)

    def _set_aside(self, number: int, aside: Aside) -> Iterator[Batch]:
        before = self._line - 1
        sequence = (int(self._counters.totals[BEFORE]) + before) * EVENTS_OF_A_LINE * ROLES_MAX
        self.shifts.append(Shift(number, before, sequence))
        self._assumed, self._previous, self._seen = aside, aside.previous, list(aside.seen)
        self._numbers = np.frombuffer(aside.numbers, np.int64) + before
        self._line, last = 0, self._last
        if aside.text:
            yield from self._piece(aside.text, len(aside.text))
        yield from self._flush()
        self._tell_seen(len(self._numbers))
        if len(self._numbers) in self._previous:
            self.reader.before = log_line(self._previous[len(self._numbers)]) or self.reader.before
        self._numbers = np.zeros(0, np.int64)
        self._assumed, self._previous = None, {}
        self._line = before + aside.lines + 1
        self._last = max(self._last, last, before + aside.last if aside.last else 0)
        for tally in aside.tallies:
            self._collected.tally(tally)
        for what, count in aside.counts.items():
            self._counts.lines[self._file, what] += count
        for node, count in aside.sequences.items():
            if node in self._nodes:
                self._counters.sequences[self._nodes.index(node)] += count

    def _undecided(self, line: bytes | None) -> None:
        if self._assumed is not None:
            if self._line in self._previous:
                previous = self._previous[self._line].removesuffix(b"\r")
                self.reader.before = log_line(previous) or self.reader.before
            if line is not None and b"STARTUP_MSG" in line:
                self._tell_seen(self._line)
        super()._undecided(line)

    def _tell_seen(self, place: int) -> None:
        """Takes over the replicas that were seen before a line that was set aside."""
        while self._seen and self._seen[0].before <= place:
            seen = self._seen.pop(0)
            blocks = np.frombuffer(seen.blocks, np.int64)
            self._seen_replicas.add(seen.namespace, self._nodes.index(seen.node), blocks)

    def _look(self) -> None:
        super()._look()
        if self._assumed is not None and not self._fits(self._assumed):
            raise ContextChangedError
