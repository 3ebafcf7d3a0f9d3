"""How long recoveries took, files were open and blocks waited for a report, by the NameNode's own clock.

Two clocks are never compared: both ends are events of one node. Not here: drawing (`genstamp.logs.histogram`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute

from genstamp.logs.kept import Kept
from genstamp.logs.orders import NAMENODE

_OPENS = ("create", "append", "add_block")
_CLOSES = ("complete", "close")
_COMMITS = "commit_block_synchronization"
_WAITS, _REPORTED = "check_file_progress", "add_stored_block"
_COLUMNS = ["namespace", "node", "kind", "entity", "event", "time_us", "recovery_id", "arguments", "observed"]


@dataclass
class Durations:
    """Durations in microseconds.

    Attributes:
        recoveries: from the NameNode's first event with a recovery id to its commitBlockSynchronization.
        files: from a file's creation or append, or its first block where that was not seen, to its close.
        reports: from a line that shows a block COMMITTED, and without replicas enough, to the next replica reported.
        recovering, open, unreported: how many had begun, and were not seen to end.
        backwards: durations that are left out because the clock was put back in between.
    """

    recoveries: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)
    reports: list[int] = field(default_factory=list)
    recovering: int = 0
    open: int = 0
    unreported: int = 0
    backwards: int = 0


def durations(kept: Kept) -> Durations:
    """Every duration that the tables show.

    The events are read once, in the order in which they are kept, which is that of each log; only what has begun and
    not ended is remembered.
    """
    found = Durations()
    recovering: dict[tuple[str, str, int], int] = {}
    opened: dict[tuple[str, str, str], int] = {}
    waiting: dict[tuple[str, str, str], int] = {}
    for event in _namenode_events(kept):
        owner, at = (event["namespace"], event["node"]), event["time_us"]
        if event["recovery_id"] is not None:
            key = (*owner, event["recovery_id"])
            if event["event"] == _COMMITS and key in recovering:
                _add(found, found.recoveries, at - recovering.pop(key))
            elif event["event"] != _COMMITS:
                recovering.setdefault(key, at)
        block = (*owner, event["entity"])
        if event["event"] == _WAITS and dict(event["observed"]).get("block_state") == "COMMITTED":
            waiting.setdefault(block, at)
        elif event["event"] == _REPORTED and block in waiting:
            _add(found, found.reports, at - waiting.pop(block))
        file = _file(event)
        if file and _is_close(event):
            began = opened.pop((*owner, file), None)
            if began is not None:
                _add(found, found.files, at - began)
        elif file and event["event"] in _OPENS:
            opened.setdefault((*owner, file), at)
    found.recovering, found.open, found.unreported = len(recovering), len(opened), len(waiting)
    return found


def _namenode_events(kept: Kept) -> Iterator[dict[str, Any]]:
    column = pa.compute.field
    matters = column("event").isin([*_OPENS, *_CLOSES, _WAITS, _REPORTED]) | column("recovery_id").is_valid()
    fits = matters & column("time_us").is_valid() & column("refused_with").is_null()
    for batch in kept.tables["events"].to_batches(columns=_COLUMNS, filter=fits):
        for event in batch.to_pylist():
            if event["node"].startswith(NAMENODE):
                yield event


def _file(event: dict[str, Any]) -> str:
    """The path that an event is about."""
    path = dict(event["arguments"]).get("file", "")
    return path or (event["entity"] if event["kind"] == "file" else "")


def _is_close(event: dict[str, Any]) -> bool:
    closed = dict(event["observed"]).get("closed", "true" if event["event"] == "close" else "false")
    return event["event"] in (*_CLOSES, _COMMITS) and closed == "true"


def _add(found: Durations, to: list[int], duration: int) -> None:
    if duration < 0:
        found.backwards += 1
    else:
        to.append(duration)
