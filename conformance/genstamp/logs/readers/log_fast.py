"""Reads the text logs of NameNodes and datanodes as `log_text` does, the most frequent lines compiled.

`log_scan` decides these; every other line goes to `log_text`, whose state stays the only one. Gives tables instead of
one event after another. Not here: which rows events have (`log_rows`).
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from genstamp.events import Place
from genstamp.logs.exchange import concerns_of
from genstamp.logs.grouping import distinct
from genstamp.logs.readers.file_tree import KnownBlock, KnownFile
from genstamp.logs.readers.log_file_rows import LINE, ROWS, room_for
from genstamp.logs.readers.log_file_tables import FileRows, found_rows
from genstamp.logs.readers.log_forms import LACKING_BITS, Known
from genstamp.logs.readers.log_head import LogLine
from genstamp.logs.readers.log_line import log_line, plain_line
from genstamp.logs.readers.log_message import NO_STEP
from genstamp.logs.readers.log_moves import CompiledFiles
from genstamp.logs.readers.log_patterns import LOWERED, PARTS, PATTERNS
from genstamp.logs.readers.log_pieces import Content, pieces
from genstamp.logs.readers.log_rows import decided
from genstamp.logs.readers.log_scan import (
    BEFORE,
    BLOCK,
    EVENT_COLUMNS,
    EVENTS,
    FILE_COLUMNS,
    FILES,
    IGNORED_LINES,
    LAST_LINE,
    LOGGERS,
    NODE,
    OTHER,
    POOLED,
    SYNC,
    Counters,
    Form,
    Found,
    Heads,
    Here,
    Stop,
    scan,
)
from genstamp.logs.readers.log_scan import LINE as EVENT_LINE
from genstamp.logs.readers.log_state import NAMENODE, UNKNOWN
from genstamp.logs.readers.log_text import SOMETHING_ELSE, ZEROS, LogReader
from genstamp.logs.readers.mapped import SeenReplicas
from genstamp.logs.readers.sighting import Counts, Reject, Unit
from genstamp.logs.rows import Batch, Collected
from genstamp.logs.streams import LINE_LENGTH_MAX, DamagedSourceError, Stream

EVENTS_AT_ONCE = 1 << 17
"""Events whose rows are made together."""

FILE_LINES_AT_ONCE = 1 << 14
FILES_REMEMBERED = 1 << 14
_NODES_MAX = 64
_NOBODY = LogLine(0, b"", b"", b"")
_ROOM = frozenset({"_heads", "_found", "_file_lines", "_file_found", "_known"})

_FORMS = {
    b"BLOCK* addStoredBlock:": Form.STORED,
    b"Receiving ": Form.RECEIVING,
    b"src: ": Form.TRACE,
    b"PacketResponder": Form.RESPONDER,
    b"Scheduling blk_": Form.SCHEDULING,
    b"BLOCK* allocate": Form.ALLOCATED,
    b"DIR* completeFile:": Form.COMPLETED,
    b"BLOCK* fsync:": Form.SYNCED,
}
_HOLDER = re.compile(rb"[^ \t-\r]+\Z")
_LACKING = re.compile(rb"blk_(-?\d{1,18})_")


def _heads() -> Heads:
    known = PATTERNS.beginnings()
    ordered = sorted(known, key=lambda text: (text[0], -len(text)))
    forms = [_FORMS.get(text, Form.IGNORED if known[text] else Form.UNDECIDED) for text in ordered]
    firsts = np.array([text[0] for text in ordered])
    lower = np.frombuffer(bytes(range(256)).lower(), np.uint8)
    lowered = np.array([text[0] for text in LOWERED])
    return Heads(
        np.frombuffer(b"".join(ordered), np.uint8),
        np.cumsum([0, *map(len, ordered)]),
        np.array(forms, np.int64),
        np.searchsorted(firsts, np.arange(257)),
        np.isin(np.arange(256), np.frombuffer(PARTS, np.uint8)),
        np.frombuffer(b"".join(LOWERED), np.uint8),
        np.cumsum([0, *map(len, LOWERED)]),
        np.searchsorted(lowered, lower),
        np.searchsorted(lowered, lower, "right"),
        lower,
    )


_SHOWN, _SHOWING = 1 << 14, 20
"""Bytes and lines at the beginning of a piece that show whether it is laid out as Hadoop does by default."""


def _room() -> Found:
    size = EVENTS_AT_ONCE
    arguments = np.zeros(max(2 * LINE_LENGTH_MAX, 64 * size), np.uint8)
    return Found(np.zeros((size, EVENT_COLUMNS), np.int64), arguments)


def log_batches(unit: Unit, counts: Counts, beginning: bytes, keeps_events: bool) -> Iterator[Batch]:
    """The tables of a unit of text logs, as `rows.batches` gives them for `log_text`.

    Args:
        unit: whose files are read.
        counts: where lines are counted that are no events.
        keeps_events: whether the table of events is made; else what concerns keys may be in the columns of
            `exchange.EXCHANGED`.
    """
    reading = FastReading(unit, counts, beginning, keeps_events)
    for file in unit.files:
        yield from reading.file(file)
    yield from reading.rest()


class FastReading:
    """Reads one unit.

    Args:
        unit, counts, beginning, keeps_events: see `log_batches`.

    Attributes:
        reader: the reader of all lines, with the state.
    """

    def __init__(self, unit: Unit, counts: Counts, beginning: bytes, keeps_events: bool) -> None:
        self._unit, self._counts, self._keeps_events = unit, counts, keeps_events
        self.reader = LogReader(unit, counts, beginning)
        self._state = self.reader.state
        self._collected = Collected(unit, unit.reader, keeps_events)
        self._make_room()
        self._lacking = np.zeros(1 << LACKING_BITS, np.bool_)
        self._counters = Counters(np.zeros(_NODES_MAX, np.int64), np.zeros(6, np.int64))
        self._forget_last_line()
        self._nodes: list[str] = [NAMENODE]
        self._context: tuple[str, str, str, int, bool] = ("", "", "", 0, False)
        self._known_files: dict[bytes, KnownFile] = {}
        self._files = FileRows(unit)
        self._here = CompiledFiles(self._state, self._state.namespace(_NOBODY))
        self._seen_replicas = SeenReplicas()
        self._line, self._last = 1, 0
        self._lines_as_written: list[bytes] = []
        self._piece_line = 1
        self._loggers = np.zeros((LOGGERS, 2), np.int64)
        self._look()

    # -- files and lines ------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """For who goes on later: what is only room for the next lines is left out."""
        return {name: value for name, value in vars(self).items() if name not in _ROOM}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._make_room()
        self._look()

    def _make_room(self) -> None:
        self._heads = _heads()
        self._found = _room()
        self._file_lines = np.zeros((FILE_LINES_AT_ONCE, FILE_COLUMNS), np.int64)
        self._file_found = room_for(max(16, EVENTS_AT_ONCE))

    def file(self, file: str) -> Iterator[Batch]:
        """The tables of a file; its facts about the end of others may come later."""
        yield from self.more(file, 0, lambda: Stream(file))

    def more(self, file: str, lines_before: int, content: Callable[[], Content]) -> Iterator[Batch]:
        """The tables of new content of a file.

        Args:
            file: its name.
            lines_before: its lines that were read before.
            content: opens what comes after them.
        """
        self._begin(file, lines_before)
        try:
            with content() as stream:
                yield from self._pieces(stream)
        except DamagedSourceError as error:
            yield from self._flush()
            self._collected.reject(Reject(Place(file, self._last), error.reason))
        except OSError as error:
            yield from self._flush()
            self._collected.reject(Reject(Place(file, self._last), f"cannot be read: {error.strerror}"))
        yield from self._flush()

    def lines(self) -> int:
        """How many lines of the last file were read."""
        return self._line - 1

    def _pieces(self, stream: Content) -> Iterator[Batch]:
        for piece in pieces(stream):
            if piece is None:
                self._undecided(None)
            else:
                yield from self._piece(*piece)

    def _begin(self, file: str, lines_before: int) -> None:
        self._counters.totals[BEFORE] += self._line - 1 - lines_before
        self._file, self._line, self._last = file, lines_before + 1, lines_before

    def rest(self) -> Iterator[Batch]:
        """The events that waited for lines that never came, and the counts."""
        for sighting in self.reader.rest():
            self._take(sighting)
        yield from self.told()

    def told(self) -> Iterator[Batch]:
        """The events not given yet, and the counts since the last time."""
        yield from self._collected.rest(self._counts)
        self._collected = Collected(self._unit, self._unit.reader, self._keeps_events)

    def _piece(self, data: bytes | bytearray, stop_at: int) -> Iterator[Batch]:
        begins = data.find(b"\n", 0, stop_at) + 1 or stop_at
        beginning = bytes(data[: max(begins, min(stop_at, _SHOWN))]).split(b"\n")
        self._lines_as_written, self._piece_line = [], self._line
        is_torn = data.find(ZEROS, 0, stop_at) >= 0
        if is_torn or any(plain_line(line) is not line for line in beginning[:_SHOWING]):
            self._lines_as_written = bytes(data[:stop_at]).split(b"\n")
            # Of zeros alone compiled code decides nothing.
            data = b"\n".join(ZEROS if ZEROS in line else plain_line(line) for line in self._lines_as_written)
            stop_at = len(data)
        text = np.frombuffer(data, np.uint8)
        text.flags.writeable = False  # Compiled once, for either.
        totals, at = self._counters.totals, 0
        while True:
            here = self._here
            stop, at, self._line = scan(
                text,
                at,
                stop_at,
                self._line,
                self._heads,
                self._known,
                self._counters,
                self._found,
                self._file_lines,
                Here(here.files, self._file_found, here.holders),
                self._loggers,
            )
            if totals[FILES]:
                self._take_files(data)
            if stop == Stop.AT_END:
                break
            if stop == Stop.FULL or len(self._files) >= EVENTS_AT_ONCE:
                yield from self._flush()
            if stop == Stop.FILES_FULL:
                here.make_room()
            if stop in (Stop.FULL, Stop.FILES_FULL):
                continue
            newline = data.find(b"\n", at, stop_at)
            end = stop_at if newline < 0 else newline
            if stop == Stop.NEW_HOLDER:
                here.add_holder(_HOLDER.findall(bytes(data[at:end]).removesuffix(b"\r"))[0])
                continue
            if totals[LAST_LINE] >= 0:
                self._before(data, stop_at)
            self._undecided(self._as_written(self._line) or bytes(data[at:end]))
            if self._state_has_changed():
                yield from self._flush()
                if self._state.has_several_pools():
                    self._tell_replicas()
                self._look()
            if self._collected.is_full():
                yield from self._collected.flush()
            at = end + 1
        if totals[LAST_LINE] >= 0:
            self._before(data, stop_at)

    def _before(self, data: bytes | bytearray, stop_at: int) -> None:
        """Tells the reader of the last line that it has not seen: what comes next may belong to it."""
        self.reader.before = log_line(self._last_line(data, stop_at)) or _NOBODY

    def _last_line(self, data: bytes | bytearray, stop_at: int) -> bytes:
        """The last line that was decided, reported once."""
        at = int(self._counters.totals[LAST_LINE])
        end = data.find(b"\n", at, stop_at)
        self._forget_last_line()
        written = self._as_written(self._line - 1)
        return written.removesuffix(b"\r") or bytes(data[at : stop_at if end < 0 else end]).removesuffix(b"\r")

    def _as_written(self, line: int) -> bytes:
        """A line that was given to compiled code otherwise, as it is in the file; else empty."""
        at = line - self._piece_line
        return self._lines_as_written[at] if 0 <= at < len(self._lines_as_written) else b""

    def _forget_last_line(self) -> None:
        self._counters.totals[LAST_LINE] = -1

    def _undecided(self, line: bytes | None) -> None:
        """Lets the reader of all lines read one line."""
        sequences, totals = self._counters
        self._known_files.clear()
        number = self._line
        self._line += 1
        if line is not None and b"STARTUP_MSG" in line:
            self._tell_replicas()
        self._state.count_on(int(totals[BEFORE]) + number - 1, dict(zip(self._nodes, sequences.tolist(), strict=False)))
        whole = None if line is None or len(line) > LINE_LENGTH_MAX else line.removesuffix(b"\r")
        for find in self.reader.line(Place(self._file, number), whole):
            self._take(find)
            self._last = number
        for index, node in enumerate(self._nodes):
            sequences[index] = self._state.counted(node)
        if line is not None and b"but not COMPLETE" in line:
            self._note_lacking(line)

    def _note_lacking(self, line: bytes) -> None:
        for block in _LACKING.findall(line):
            self._lacking[int(block) & ((1 << LACKING_BITS) - 1)] = True

    def _take(self, find: Any) -> None:
        if isinstance(find, Reject):
            self._collected.reject(find)
        else:
            self._collected.see(find)

    # -- what lines have told -------------------------------------------------------------------------------------

    def _now(self) -> tuple[str, str, str, int, bool]:
        """The block pool, the namespace of lines that name none, the only datanode, how many there are, whether files
        may be here.
        """
        state = self._state
        # With several pools what names none may be of either, and so is for the reader of all lines.
        only, several = (UNKNOWN, 0) if state.has_several_pools() else (state.datanode(_NOBODY), len(state.datanodes()))
        return state.pool(), state.namespace(_NOBODY), only, several, self._here.is_open

    def _state_has_changed(self) -> bool:
        return self._now() != self._context

    def _look(self) -> None:
        """Takes over the content of the lines so far."""
        namespace = self._state.namespace(_NOBODY)
        if self._here.namespace != namespace:
            self._here.close()
            self._here = CompiledFiles(self._state, namespace)
        self._context = self._now()
        pool, _, only, several, files_here = self._context
        sequences = self._counters.sequences
        for datanode in self._state.datanodes():
            if datanode not in self._nodes and len(self._nodes) < _NODES_MAX - 1:
                sequences[len(self._nodes)] = self._state.counted(datanode)
                self._nodes.append(datanode)
        names = [node.encode(errors="surrogatepass") for node in self._nodes[: None if several else 1]]
        self._known = Known(
            np.frombuffer(pool.encode(), np.uint8),
            np.frombuffer(b"".join(names), np.uint8),
            np.cumsum([0, *map(len, names)]),
            self._nodes.index(only) if only != UNKNOWN and only in self._nodes else -1,
            self._lacking,
            not self._keeps_events,
            files_here,
            self._state.granted(namespace),
        )

    def _tell_replicas(self) -> None:
        """Tells the state of the replicas that were decided without it."""
        self._note_replicas()
        for namespace, node, blocks in self._seen_replicas.take():
            name = self._nodes[node]
            self._state.saw_replicas(namespace, name, [f"{block}@{name}" for block in blocks.tolist()])

    def _note_replicas(self) -> None:
        """Keeps which replicas the events found are of, before they are given."""
        events = self._found.events[: int(self._counters.totals[EVENTS])]
        nodes = events[:, NODE]
        pool, namespace, _, _, _ = self._context
        for node in np.flatnonzero(np.bincount(nodes, minlength=1)[1:]) + 1:
            for pooled in (0, 1):
                here = (nodes == node) & (events[:, POOLED] == pooled)
                if here.any():
                    blocks = distinct(events[here, BLOCK])
                    self._seen_replicas.add(pool if pooled else namespace, int(node), blocks)

    # -- files ----------------------------------------------------------------------------------------------------

    def _take_files(self, data: bytes | bytearray) -> None:
        """Does what `log_namenode` does for such lines, in their order."""
        namespace, rows, files = self._context[1], self._files, self._known_files
        tree, give_block = self._state.tree(namespace), self._state.give_block
        number = int(self._counters.totals[FILES])
        self._counters.totals[FILES] = 0
        lines = self._file_lines[:number].tolist()
        for line, sequence, order, path, path_end, block, stamp, holder, holder_end in lines:
            name, displaced = bytes(data[path:path_end]), tree.displaced
            row, client = (order, sequence, line), data[holder:holder_end].decode(errors="backslashreplace")
            if block == SYNC:
                asked = files.get(name) or tree.was_at(name.decode(errors="backslashreplace"))
                rows.synced(row, asked, client)
            elif holder:
                these = self._state.closed_by(namespace, name.decode(errors="backslashreplace"), client)
                if len(these) != 1:
                    rows.one_completed(row, these, client)
                else:
                    file = these[0]
                    closed = [str(each.block_id) for each in file.blocks if not each.complete]
                    for each in file.blocks:
                        each.complete = True
                    file.is_open, file.holder = False, ""
                    file.sole.clear()
                    rows.completed(row, file, client, closed)
                files.pop(name, None)
            else:
                file = files.get(name) or tree.at(name.decode(errors="backslashreplace"))
                files[name] = file
                block_id = str(block)
                rows.allocated(row, file, block_id, stamp, file.last_block())
                file.is_open = True
                file.blocks.append(KnownBlock(block))
                give_block(namespace, block_id, file)
            if tree.displaced != displaced:
                files.clear()
        self._last = line
        if len(files) > FILES_REMEMBERED:
            files.clear()

    # -- tables ---------------------------------------------------------------------------------------------------

    def _flush(self) -> Iterator[Batch]:
        """The tables of all that was found since the last time."""
        totals = self._counters.totals
        for what, count in ((SOMETHING_ELSE, OTHER), (NO_STEP, IGNORED_LINES)):
            if totals[count]:
                self._counts.lines[self._file, what] += int(totals[count])
                totals[count] = 0
        number = int(totals[EVENTS])
        if number:
            self._note_replicas()
            self._last = max(self._last, int(self._found.events[number - 1, EVENT_LINE]))
            pool, namespace, _, _, _ = self._context
            rows = decided(self._found, number, self._unit.number, self._file, self._nodes, (namespace, pool))
            for tally in rows.tallies():
                self._collected.tally(tally)
            if self._keeps_events:
                yield "concerns", concerns_of(rows.concerns())
                yield "events", rows.events()
            else:
                yield "concerns", rows.concerns()
            totals[EVENTS] = 0
        namespace = self._context[1]
        if self._file_found.totals[ROWS]:
            self._last = max(self._last, int(self._file_found.rows[self._file_found.totals[ROWS] - 1, LINE]))
            table, tallies = found_rows(self._file_found, self._unit.number, self._file, namespace)
            for tally in tallies:
                self._collected.tally(tally)
            yield "concerns", table
        if self._files:
            for tally in self._files.tallies(self._file, namespace):
                self._collected.tally(tally)
            yield "concerns", self._files.concerns(self._file, namespace)
            self._files = FileRows(self._unit)
        yield from self._collected.flush()
