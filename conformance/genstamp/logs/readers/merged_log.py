"""Reads logs of Hadoop 0.20 that were merged: `yymmdd hhmmss thread LEVEL component: message`, as HDFS_v1 is.

One file contains lines of many nodes, and no line names the node that wrote it. `Receiving` and `Received` name the
sender twice: what they print after `dest:` is the sender's address again, so the receiver, whose replica it is, stays
unknown. What the NameNode tells of a datanode, and who serves or sends a replica, is named. Lines of one second are not
in the order in which they were written, so they are taken in that in which a block lives.

Not here: files: of their life the lines show only the names given to allocateBlock.
"""

import re
from calendar import timegm
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from genstamp.events import Place
from genstamp.logs.readers import log_patterns, old_steps
from genstamp.logs.readers.log_state import UNKNOWN
from genstamp.logs.readers.old_steps import OldSteps, Step, rank
from genstamp.logs.readers.sighting import OF_NO_LAYOUT, UNREAD, Counts, Reject, Sighting, Unit, shortened, whole_number
from genstamp.logs.sources import MERGED_LOG
from genstamp.logs.streams import LINE_LENGTH_MAX

_LINE = re.compile(rb"(\d{6} \d{6}) (\d{1,10}) (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) ([\w.$]{1,200}): ")
_BLOCK = rb"blk_(?P<block>-?\d{1,20})(?:_(?P<stamp>\d{1,20}))?"
_BLOCKS = re.compile(rb"blk_(-?\d{1,20})(?:_(\d{1,20}))?")


class _Form(NamedTuple):
    """A form of message: what it tells, or else under which name it is counted."""

    regex: re.Pattern[bytes]
    step: Step | None
    counted: str


def _form(pattern: bytes, told: Step | str) -> _Form:
    regex = re.compile(pattern.replace(b"%b", _BLOCK))
    return _Form(regex, None, told) if isinstance(told, str) else _Form(regex, told, "")


_PLACE = rb"/?(?P<datanode>[\w.-]+:\d+)"

# The most frequent first.
_FORMS = (
    _form(rb"Receiving block %b src: /(?P<sender>\S+) dest: ", old_steps.RECEIVING),
    _form(rb"BLOCK\* NameSystem\.addStoredBlock: blockMap updated: " + _PLACE
          + rb" is added to %b size (?P<length>\d+)", old_steps.STORED),
    _form(rb"PacketResponder \d+ for block %b terminating", old_steps.RESPONDER_ENDS),
    _form(rb"Received block %b of size (?P<length>\d+) from /?(?P<sender>\S+)", old_steps.RECEIVED),
    _form(rb"BLOCK\* NameSystem\.allocateBlock: (?P<file>/.*)\. %b$", old_steps.ALLOCATED),
    _form(rb"Deleting block %b file ", old_steps.DELETING),
    _form(rb"BLOCK\* NameSystem\.delete: %b is added to invalidSet of " + _PLACE, old_steps.INVALIDATED),
    _form(_PLACE + rb" Served block %b to ", "read of a replica"),
    _form(_PLACE + rb":Got exception while serving %b to ", "read of a replica that failed"),
    _form(rb"Verification succeeded for %b", "scan of a replica"),
    _form(rb"Received block %b src: /(?P<sender>\S+) dest: \S+ of size (?P<length>\d+)", old_steps.RECEIVED),
    _form(rb"BLOCK\* ask " + _PLACE + rb" to replicate %b to datanode\(s\) (?P<targets>.*)",
          old_steps.ASKED_TO_REPLICATE),
    _form(rb"BLOCK\* ask " + _PLACE + rb" to delete +%b", old_steps.ASKED_TO_DELETE),
    _form(_PLACE + rb" Starting thread to transfer block %b to (?P<targets>.*)", old_steps.TRANSFER_STARTS),
    _form(_PLACE + rb":Transmitted block %b to /?(?P<targets>.*)", old_steps.TRANSFER_ENDS),
    _form(_PLACE + rb":Failed to transfer %b to /?(?P<targets>\S+) got ", old_steps.TRANSFER_FAILS),
    _form(rb"BLOCK\* NameSystem\.addStoredBlock: Redundant addStoredBlock request received for %b on " + _PLACE,
          old_steps.STORED_AGAIN),
    _form(rb"BLOCK\* NameSystem\.addStoredBlock: addStoredBlock request received for %b on " + _PLACE
          + rb" size (?P<length>\d+) ?But it does not belong to any file", old_steps.OF_NO_FILE),
    _form(rb"BLOCK\* Removing block %b from neededReplications as it does not belong to any file",
          old_steps.NOT_NEEDED),
    _form(rb"PendingReplicationMonitor timed out block %b", old_steps.REPLICATION_TIMES_OUT),
    _form(rb"Unexpected error trying to delete block %b\. BlockInfo not found in volumeMap",
          old_steps.NOTHING_TO_DELETE),
    _form(rb"writeBlock %b received exception ", old_steps.WRITE_FAILED),
    _form(rb"PacketResponder (?:\d+ for block )?%b(?: \d+)?:? ?(?:Exception|Interrupted)", "fault in a pipeline"),
    _form(rb"Exception in receiveBlock for block %b", "fault in a pipeline"),
    _form(_PLACE + rb":Exception writing block %b to mirror ", "fault in a pipeline"),
    _form(rb"Receiving empty packet for block %b", "empty packet"),
    _form(rb"Changing block file offset of block %b from ", "writer that goes back in a replica"),
    _form(rb"Reopen Block %b", "writer that goes back in a replica"),
    _form(rb"Adding an already existing block %b", "block that a datanode had already"),
    _form(rb".{0,500}Block %b is valid, and cannot be written to", "write that a datanode refused"),
    _form(rb".{0,500}Block %b is not valid", "block that a datanode does not have"),
)  # fmt: skip


def states_step(line: bytes) -> bool:
    """Whether a line is of this layout and states a step, for those who read others."""
    found = _LINE.match(line)
    if found is None:
        return False
    return any(form.step is not None and form.regex.match(line, found.end()) for form in _FORMS)


def is_line(line: bytes) -> bool:
    """Whether a line is of this layout."""
    return _LINE.match(line) is not None


def is_merged_log(head: bytes) -> bool:
    """Whether a file that begins so has lines of this layout."""
    return any(map(is_line, head.splitlines()))


def first_time(head: bytes) -> int:
    """Microseconds since 1970 of the first line; 0 if there is none."""
    times = (_time_us(found[1]) for line in head.splitlines() if (found := _LINE.match(line)))
    return next((time for time in times if time is not None), 0)


class MergedLogReader:
    """Reads the files of a unit one after another.

    Args:
        unit: whose files these are.
        counts: where lines are counted that are no events.
    """

    def __init__(self, unit: Unit, counts: Counts) -> None:
        self._counts = counts
        self._steps = OldSteps(MERGED_LOG, unit.namespace)
        self._second = b""
        self._waiting: list[tuple[int, Callable[[], Sighting]]] = []

    def sightings(self, file: str, lines: Iterator[bytes | None]) -> Iterator[Sighting | Reject]:
        """The events of a file, given its lines; those of the last second come with `rest`."""
        for number, line in enumerate(lines, 1):
            place = Place(file, number)
            if line is None:
                yield Reject(place, f"the line is longer than {LINE_LENGTH_MAX} bytes")
                continue
            found = _LINE.match(line)
            time_us = None if found is None else _time_us(found[1])
            if found is None or time_us is None:
                if log_patterns.states_step(line):
                    yield Reject(place, UNREAD, shortened(line))
                else:
                    self._counts.lines[file, OF_NO_LAYOUT if line.strip() else "blank"] += 1
                continue
            if found[1] != self._second:
                yield from self.rest()
                self._second = found[1]
            yield from self._message(place, time_us, line[found.end() :].rstrip())

    def rest(self) -> Iterator[Sighting]:
        """The events of the last second, in the order in which a block lives."""
        waiting, self._waiting = sorted(self._waiting, key=lambda each: each[0]), []
        for _, seen in waiting:
            yield seen()

    def _message(self, place: Place, time_us: int, message: bytes) -> Iterator[Reject]:
        for form in _FORMS:
            match = form.regex.match(message)
            if match is None:
                continue
            if form.step is None:
                self._counts.lines[place.file, form.counted] += 1
            else:
                yield from self._told(place, time_us, form.step, match)
            return
        if b"blk_" in message:
            yield Reject(place, "names a block, and is of no form that is known", shortened(message))
        else:
            self._counts.lines[place.file, "of something else"] += 1

    def _told(self, place: Place, time_us: int, step: Step, match: re.Match[bytes]) -> Iterator[Reject]:
        groups = {name: text.decode(errors="backslashreplace") for name, text in match.groupdict(b"").items()}
        blocks = [(groups.pop("block"), groups.pop("stamp"))]
        if step is old_steps.ASKED_TO_DELETE:  # One line for many blocks.
            blocks = [(block.decode(), stamp.decode()) for block, stamp in _BLOCKS.findall(match.string)]
        length, datanode = groups.pop("length", ""), groups.pop("datanode", UNKNOWN)
        numbers = [length, *(number for block in blocks for number in block)]
        if any(number and whole_number(number) is None for number in numbers):
            yield Reject(place, "a number does not fit 64 bits", shortened(match.string))
            return
        for block_id, stamp in blocks:

            def seen(block_id: str = block_id, stamp: str = stamp) -> Sighting:
                return self._steps.seen(
                    place,
                    step,
                    block_id,
                    datanode="" if datanode == UNKNOWN else datanode,
                    time_us=time_us,
                    generation_stamp=int(stamp) if stamp else None,
                    num_bytes=int(length) if length else None,
                    **groups,
                )

            self._waiting.append((rank(step), seen))


@lru_cache(maxsize=64)
def _time_us(second: bytes) -> int | None:
    """Microseconds since 1970 of `yymmdd hhmmss`, taken as UTC; None if there is no such time."""
    year, month, day, hour, minute, of_minute = (int(second[at : at + 2]) for at in (0, 2, 4, 7, 9, 11))
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and of_minute < 60):
        return None
    return timegm((2000 + year, month, day, hour, minute, of_minute)) * 1_000_000
