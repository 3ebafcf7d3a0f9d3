"""Events as JSON lines in a file that goes on where the last process of the node ended.

A line is written at once, so that a process that is killed leaves at most its last line torn; the next one cuts that
off. Nothing is forced to the disk: events are for whoever looks at a run, no promise rests on them.

A file with a limit gets the name with `.1` at its end when it is full, in place of the one that had it; so a node keeps
the younger half of its events at least, and no more than two files.

An event that cannot be written is dropped: its step has happened, and the call is answered all the same. Drops are
counted, the first one is logged, and the numbers of the events show the gap.
"""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Unpack

from genstamp_dfs.errors import MalformedEventError
from genstamp_dfs.events import Step, decode_line, encode_line, event_of
from genstamp_dfs.server.disk import DIRECTORY_MODE, FILE_MODE

EVENTS_LIMIT_MIB = 256
"""How long a cluster's files of events get."""

_TAIL_BYTES = 1 << 20

_LOG = logging.getLogger(__name__)


class EventFile:
    """Takes the events of one node (`genstamp_dfs.events.EventSink`).

    Args:
        path: the file; it is made if it is not there.
        limit_bytes: when another one is begun; 0 for never.

    Attributes:
        namespace: says the block pool, as far as it is known.
        dropped: how many events could not be written.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path, limit_bytes: int = 0) -> None:
        self.namespace: Callable[[], str] = str
        self.dropped = 0
        self._path = path
        self._limit_bytes = limit_bytes
        path.parent.mkdir(DIRECTORY_MODE, parents=True, exist_ok=True)
        self._descriptor: int | None = None
        self._size = 0
        self._is_torn = False
        self._open()
        self._sequence = self._go_on() or self._last_of_older()

    def record(self, **step: Unpack[Step]) -> None:
        """Write an event under the next number; one that cannot be written is dropped and counted."""
        self._sequence += 1
        recorded = event_of(step, self._sequence, self.namespace())
        try:
            self._write(encode_line(recorded))
        except Exception as problem:
            # Every exception, also one of encoding: the step has happened, and must be answered.
            self._drop(problem)

    def _write(self, line: bytes) -> None:
        """Put a line at the end of the file, all of it or nothing."""
        if self._is_torn:
            assert self._descriptor is not None, "only a file that is open gets a torn line"
            os.ftruncate(self._descriptor, self._size)
            self._is_torn = False
        if self._descriptor is None:
            self._open()
        elif self._limit_bytes and self._size and self._size + len(line) > self._limit_bytes:
            self._begin_another()
        assert self._descriptor is not None, "the file is open"
        written = 0
        while written < len(line):
            self._is_torn = True
            written += os.write(self._descriptor, line[written:])
        self._is_torn = False
        self._size += len(line)

    def _drop(self, problem: Exception) -> None:
        self.dropped += 1
        if self.dropped == 1:
            _LOG.warning("%s: an event cannot be written and is dropped; more may follow: %s", self._path, problem)

    def close(self) -> None:
        """Take no more events."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._descriptor = os.open(self._path, flags, FILE_MODE)
        self._size = os.fstat(self._descriptor).st_size

    def _begin_another(self) -> None:
        """The file is full: it becomes the older one, whose place it takes."""
        self.close()
        self._path.replace(_older(self._path))
        self._open()

    def _last_of_older(self) -> int:
        """The number of the last event of the file before, for a process that died when it had just begun this one."""
        older = _older(self._path)
        lines = older.read_bytes()[-_TAIL_BYTES:].splitlines() if older.exists() else []
        return decode_line(lines[-1]).node_sequence if lines else 0

    def _go_on(self) -> int:
        """The number of the last event in the file; what is torn after it is cut off."""
        assert self._descriptor is not None, "the file is open"
        start = max(0, self._size - _TAIL_BYTES)
        lines = os.pread(self._descriptor, _TAIL_BYTES, start).splitlines(keepends=True)
        while lines:
            try:
                if lines[-1].endswith(b"\n"):
                    return decode_line(lines[-1]).node_sequence
            except MalformedEventError:
                pass
            self._size -= len(lines.pop())
            os.ftruncate(self._descriptor, self._size)
        return 0


def _older(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


class NoEvents:
    """Takes events and keeps none."""

    def record(self, **event: object) -> None:
        """Forget an event."""
