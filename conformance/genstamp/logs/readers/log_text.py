"""Reads the text logs of NameNodes and datanodes, of one or of many processes in one file.

Not here: what lines mean (the modules `log_*` beside this one). Lines that report no step are counted by kind; a line
that begins like one that does, and continues differently, is rejected.
"""

import re
from collections.abc import Iterator, Sequence

from genstamp.events import Place
from genstamp.logs.readers import log_refusals, merged_log
from genstamp.logs.readers.log_head import LogLine, bare, part_of
from genstamp.logs.readers.log_late import LateLines
from genstamp.logs.readers.log_line import cut_line, log_line
from genstamp.logs.readers.log_message import Message, Pattern, UnreadableError
from genstamp.logs.readers.log_patterns import PATTERNS, may_state_step, states_another, states_step
from genstamp.logs.readers.log_state import LogState
from genstamp.logs.readers.sighting import OF_NO_LAYOUT, UNREAD, Counts, Reject, Sighting, Unit, shortened
from genstamp.logs.streams import LINE_LENGTH_MAX

_POOL = re.compile(rb"\bBP-\d{1,20}-[\w.:-]{1,255}?-\d{10,20}\b")

SOMETHING_ELSE = "of something else"
"""The names under which lines are counted whose beginning is not that of a step."""

PART = "part of a line, which the next one goes on with"
"""The name under which a line is counted that a container's runtime has cut."""

_PART_MIN, _HEAD_OF_PART = 1 << 14, 64

GLUED = "two lines in one, of which the second states a step, too"

TORN = "the line breaks off in zeros, which a crash has left"

ZEROS = b"\0\0"
"""What a line has in it that was not written to its end; UTF-16 has no two of them together."""

_BREAK = re.compile(rb"\0{2,}")

_DATED = re.compile(rb"^\.*\d{4}-\d\d-\d\d[ T]", re.MULTILINE)


def tells_in_vain(line: bytes) -> bool:
    """Whether a line that is of no layout of a log states a step, be it in UTF-16 behind lines in UTF-8."""
    line = line.replace(b"\0", b"")
    return states_step(line) or states_another(line) or merged_log.states_step(line) or _is_event(line)


def _is_event(line: bytes) -> bool:
    """Whether a line is an event of one's own, which no log has."""
    return line.lstrip().startswith(b"{") and b'"event"' in line and b'"node_sequence"' in line


def is_log(head: bytes) -> bool:
    """Whether a file that begins so has lines of a layout that is known."""
    return any(log_line(line) is not None for line in head.splitlines())


def is_log_somewhere(text: bytes) -> bool:
    """Whether a text of whole lines has one of a layout that is known, or one that states a step."""
    dated = (found.start() for found in _DATED.finditer(text))
    if any(log_line(text[at : text.find(b"\n", at) + 1 or len(text)]) is not None for at in dated):
        return True
    return may_state_step(text) and any(tells_in_vain(line) for line in text.splitlines())


def pools_named(head: bytes) -> list[str]:
    """The block pools that the beginning of a log names."""
    return list(dict.fromkeys(pool.decode() for pool in _POOL.findall(head)))


class LogReader:
    """Reads the files of a unit one after another.

    Args:
        unit: whose files these are.
        counts: where lines are counted that are no events.
        head: beginning of the first file, for the block pools that it names.

    Attributes:
        state: the content of the lines so far.
        before: the last line that was one of a log.
    """

    def __init__(self, unit: Unit, counts: Counts, head: bytes = b"") -> None:
        self._counts = counts
        self.state = LogState(unit, counts, pools_named(head))
        self.before = LogLine(0, b"", b"", b"")
        self._late = LateLines(self.state) if unit.complete else None
        self._goes_on: Place | None = None
        self._cut, self._cut_at = b"", Place("", 0)

    def sightings(self, file: str, lines: Iterator[bytes | None]) -> Iterator[Sighting | Reject]:
        """The events of a file of the unit, given its lines without their ends, None for one that is too long; `rest`
        gives those that could not be decided at once.
        """
        for number, line in enumerate(lines, 1):
            yield from self.line(Place(file, number), line)

    def line(self, place: Place, line: bytes | None) -> Iterator[Sighting | Reject]:
        """The events of the next line of the unit; `None` is one that is too long."""
        self.state.next_line()
        if line is None:
            yield Reject(place, f"the line is longer than {LINE_LENGTH_MAX} bytes")
            return
        part = (
            part_of(line, is_next=bool(self._cut))
            if self._cut or len(line) > _PART_MIN or b" P " in line[:_HEAD_OF_PART]
            else None
        )
        if part is not None:
            text, goes_on = part
            line = self._cut + text if self._cut else text if line.startswith(b"{") else line
            self._cut = b""
            if goes_on and len(line) <= LINE_LENGTH_MAX:
                self._cut, self._cut_at = line, place
                self._counts.lines[place.file, PART] += 1
                return
        yield from self._last_part()
        yield from self._whole(place, line)

    def _last_part(self) -> Iterator[Sighting | Reject]:
        """The parts of a line that were stored, and nothing goes on with it."""
        line, self._cut = self._cut, b""
        if line:
            yield from self._whole(self._cut_at, line)

    def _whole(self, place: Place, line: bytes) -> Iterator[Sighting | Reject]:
        if ZEROS in line:
            *torn, line = _BREAK.split(line)
            for text in torn:
                yield from self._torn(place, text)
            if not line.strip(b"\r") and any(torn):
                return
        parts = log_line(line) or cut_line(line, self.before)
        if parts is None:
            yield from self._below(place, line)
            return
        self.before = parts
        self.state.learn(parts)
        if parts.message:
            yield from self._message(place, line, parts)
        else:
            self._goes_on = place

    def _torn(self, place: Place, line: bytes) -> Iterator[Reject]:
        """What is left of a line whose end was not written: even where it looks whole, more may have stood there."""
        if tells_in_vain(line):
            yield Reject(place, TORN, shortened(line))
        elif line:
            self._counts.lines[place.file, SOMETHING_ELSE] += 1

    def _message(self, place: Place, line: bytes, parts: LogLine) -> Iterator[Sighting | Reject]:
        forms = PATTERNS.forms(parts.message)
        if forms is not None:
            yield from self._read(place, line, parts, parts.message, forms)
        elif states_step(parts.message) or states_another(parts.message):
            yield Reject(place, UNREAD, shortened(line))
        else:
            self._counts.lines[place.file, SOMETHING_ELSE] += 1

    def _below(self, place: Place, line: bytes) -> Iterator[Sighting | Reject]:
        """A line below another: of a stack trace, mostly."""
        text = bare(line, self.before)
        forms = log_refusals.PATTERNS.forms(text)
        if self._goes_on == Place(place.file, place.line - 1):  # A terminal has made two lines of one.
            yield from self._message(place, line, self.before._replace(message=text))
        elif forms is not None and any(form.regex.match(text) for form in forms):
            yield from self._read(place, line, self.before, text, forms)
        elif tells_in_vain(text):
            yield Reject(place, UNREAD, shortened(line))
        else:
            self._counts.lines[place.file, OF_NO_LAYOUT if text.strip() else "blank"] += 1

    def _read(
        self, place: Place, line: bytes, parts: LogLine, text: bytes, forms: Sequence[Pattern]
    ) -> Iterator[Sighting | Reject]:
        for form in forms:
            match = form.regex.match(text)
            if match is None:
                continue
            if states_another(text):
                yield Reject(place, GLUED, shortened(line))
                return
            try:
                message = Message(place, parts, match, self.state)
                message.number("block")  # Which is part of keys, as a text.
                for seen in form.handler(message):
                    yield seen
                    if self._late is not None:
                        yield from self._late.marks(seen, parts)
            except UnreadableError as error:
                yield Reject(place, str(error), shortened(line))
            return
        yield Reject(place, "begins like a line that states a step, but continues differently", shortened(line))

    def rest(self) -> Iterator[Sighting | Reject]:
        """The events that waited for a line that never came, after the last file."""
        yield from self._last_part()
        yield from self.state.rest()
