"""Events as JSON lines in a file that goes on where the last process of the node ended.

A line is written at once, so that a process that is killed leaves at most its last line torn; the next one cuts that
off. Nothing is forced to the disk: events are for whoever looks at a run, no promise rests on them.

A file with a limit gets the name with `.1` at its end when it is full, in place of the one that had it; so a node keeps
the younger half of its events at least, and no more than two files.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from genstamp_dfs.errors import MalformedEventError
from genstamp_dfs.events import SOURCE, Event, decode_line, encode_line

EVENTS_LIMIT_MIB = 256
"""How long a cluster's files of events get."""

_TAIL_BYTES = 1 << 20


class EventFile:
    """Takes the events of one node (`genstamp_dfs.events.EventSink`).

    Args:
        path: the file; it is made if it is not there.
        limit_bytes: when another one is begun; 0 for never.

    Attributes:
        namespace: says the block pool, as far as it is known.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path, limit_bytes: int = 0) -> None:
        self.namespace: Callable[[], str] = str
        self._path = path
        self._limit_bytes = limit_bytes
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = self._open()
        self._sequence = self._go_on() or self._last_of_older()
        self._size = os.fstat(self._descriptor).st_size

    def record(
        self,
        *,
        node: str,
        time_us: int,
        kind: str,
        entity: str,
        event: str,
        arguments: Mapping[str, str],
        refused_with: str | None = None,
        generation_stamp: int | None = None,
        recovery_id: int | None = None,
        num_bytes: int | None = None,
        observed: Mapping[str, str] | None = None,
    ) -> None:
        """Write an event under the next number."""
        self._sequence += 1
        recorded = Event(
            source=SOURCE,
            node=node,
            node_sequence=self._sequence,
            time_us=time_us,
            kind=kind,
            namespace=self.namespace(),
            entity=entity,
            event=event,
            refused_with=refused_with,
            generation_stamp=generation_stamp,
            recovery_id=recovery_id,
            num_bytes=num_bytes,
            arguments=dict(arguments),
            observed=dict(observed or {}),
        )
        line = encode_line(recorded)
        if self._limit_bytes and self._size and self._size + len(line) > self._limit_bytes:
            self._begin_another()
        os.write(self._descriptor, line)
        self._size += len(line)

    def close(self) -> None:
        """Take no more events."""
        os.close(self._descriptor)

    def _open(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)

    def _begin_another(self) -> None:
        """The file is full: it becomes the older one, whose place it takes."""
        os.close(self._descriptor)
        self._path.replace(_older(self._path))
        self._descriptor, self._size = self._open(), 0

    def _last_of_older(self) -> int:
        """The number of the last event of the file before, for a process that died when it had just begun this one."""
        older = _older(self._path)
        lines = older.read_bytes()[-_TAIL_BYTES:].splitlines() if older.exists() else []
        return decode_line(lines[-1]).node_sequence if lines else 0

    def _go_on(self) -> int:
        """The number of the last event in the file; what is torn after it is cut off."""
        size = os.fstat(self._descriptor).st_size
        start = max(0, size - _TAIL_BYTES)
        lines = os.pread(self._descriptor, _TAIL_BYTES, start).splitlines(keepends=True)
        while lines:
            try:
                if lines[-1].endswith(b"\n"):
                    return decode_line(lines[-1]).node_sequence
            except MalformedEventError:
                pass
            size -= len(lines.pop())
            os.ftruncate(self._descriptor, size)
        return 0


def _older(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


class NoEvents:
    """Takes events and keeps none."""

    def record(self, **event: object) -> None:
        """Forget an event."""
