"""Tells of which files the order of steps is not known, as lines of the audit log may come late.

A NameNode writes the line of a call after it has released its lock and synced its edits (FSNamesystem#logAuditEvent and
#logSync), so that lines of later calls of other clients may stand before it. Where nothing is missing from a log, such
a line seems to be of a file that is not there any more, or not yet: what is a violation only then is undetermined
(`genstamp.logs.check`). This concerns the files that were at the path, or at one that it was renamed from or to,
within `LATE_US`.

Not here: logs of which lines may be missing, where a step that was not seen in time is no violation anyway.
"""

from collections.abc import Iterator
from typing import NamedTuple

from genstamp.logs.readers.log_head import LogLine
from genstamp.logs.readers.log_state import LogState
from genstamp.logs.readers.sighting import Concern, Sighting
from genstamp.logs.rules.file import LATE
from genstamp.logs.sources import AUDIT_LOG

LATE_US = 10_000_000
"""How late a line is, in microseconds: the sync of edits before it may wait for a journal."""

_PATHS_MAX = 100_000

_LATEST = 16
"""How many files and paths are kept of those that were at a path lately."""

_Path = tuple[str, str]
"""A namespace, and a path there; or a file."""


class _Lately(NamedTuple):
    """What was at a path lately: when last, which files, and the paths that it was renamed from or to."""

    time_us: int
    files: tuple[_Path, ...]
    paths: tuple[_Path, ...]


class LateLines:
    """Takes the events of a log in the order of its lines.

    Args:
        state: of the log.
    """

    def __init__(self, state: LogState) -> None:
        self._state = state
        self._lately: dict[_Path, _Lately] = {}
        self._until: dict[_Path, int] = {}
        self._marked: set[_Path] = set()

    def marks(self, seen: Sighting, line: LogLine) -> Iterator[Sighting]:
        """Events of the files whose order is not known, as far as an event shows it; one of each file."""
        event, time_us = seen.event, line.time_us
        assert event.place is not None, f"a reader gave an event without a place: {event}"
        names = (event.arguments.get(name) for name in ("file", "destination"))
        paths = [(event.namespace, name) for name in names if name]
        files = [(event.namespace, concern.entity) for concern in seen.concerns if concern.kind == "file"]
        former = [self._lately[path] for path in paths if path in self._lately]
        former = [lately for lately in former if time_us - lately.time_us <= LATE_US]
        files = _latest([*(each for lately in former for each in lately.files), *files])
        linked = _latest([*(each for lately in former for each in lately.paths), *paths])
        if event.source == AUDIT_LOG and former:
            self._until.update((path, time_us + LATE_US) for path in linked)
        for kept in (self._lately, self._until):
            if len(kept) >= _PATHS_MAX:
                kept.clear()
        self._lately.update((path, _Lately(time_us, tuple(files), tuple(linked))) for path in paths)
        if any(self._until.get(path, 0) >= time_us for path in paths):
            new = [file for file in files if file not in self._marked]
            self._marked.update(new)
            for namespace, file in new:
                yield self._state.seen(
                    event.place, line, LATE, "file", file, [Concern("file", file)],
                    namespace=namespace, node=event.node, source=AUDIT_LOG,
                )  # fmt: skip


def _latest(given: list[_Path]) -> list[_Path]:
    """The last of some, each once."""
    return list(dict.fromkeys(reversed(given)))[:_LATEST][::-1]
