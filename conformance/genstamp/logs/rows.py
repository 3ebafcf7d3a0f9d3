"""Collects what a reader gives into tables of Arrow: events, concerns, coverage, rejects.

Not here: reading and checking.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import pyarrow as pa

from genstamp.events import Event, Place
from genstamp.logs.readers.sighting import TEXT_MAX, Counts, Reject, Sighting, Unit
from genstamp.logs.rules import NO_RULE, rule_of
from genstamp.logs.sources import EDIT_LOGS
from genstamp.logs.tables import CONCERNS, COVERAGE, EVENT_SCHEMA, PLACE, REJECTS, ROLES_MAX, SPANS

ROWS_IN_A_BATCH = 20_000

_KIND, _ENTITY, _RULE = (CONCERNS.get_field_index(name) for name in ("kind", "entity", "rule"))

Batch = tuple[str, Any]
"""Name of a table, and rows of it."""


def batches(
    unit: Unit, source: str, found: Iterable[Sighting | Reject], counts: Counts, keeps_events: bool = True
) -> Iterator[Batch]:
    """The tables of what was found in a unit, in pieces; the spans come last, and once.

    Args:
        unit: whose finds these are.
        source: name under which rejects and lines are counted.
        found: by the reader.
        counts: of the same reader; complete when `found` is exhausted.
        keeps_events: whether the table of events is made.
    """
    collected = Collected(unit, source, keeps_events)
    for one in found:
        if isinstance(one, Reject):
            collected.reject(one)
        else:
            collected.see(one)
        if collected.is_full():
            yield from collected.flush()
    yield from collected.rest(counts)


class Tally(NamedTuple):
    """Some events of one node, counted.

    Attributes:
        source, file, namespace, node, event: what they have in common.
        first, last: the lowest and the highest of their numbers.
        events: how many.
    """

    source: str
    file: str
    namespace: str
    node: str
    event: str
    first: int
    last: int
    events: int


class Collected:
    """Rows that were not given yet, and counts of all.

    Args:
        unit: whose finds these are.
        source: name under which rejects and lines are counted.
        keeps_events: whether the table of events is made.
    """

    def __init__(self, unit: Unit, source: str, keeps_events: bool = True) -> None:
        self._keeps_events = keeps_events
        self._unit = unit
        self._source = source
        self._events: list[Event] = []
        self._count = 0
        self._concerns: list[tuple[Any, ...]] = []
        self._rejects: list[dict[str, Any]] = []
        self._by_event: Counter[tuple[str, str, str]] = Counter()
        self._rejected: Counter[str] = Counter()
        self._telling: Counter[str] = Counter()
        self._last_place: Place | None = None
        self._spans: dict[tuple[str, str, str, str], list[int]] = {}

    def see(self, sighting: Sighting) -> None:
        """Takes an event with what it concerns."""
        event = sighting.event
        assert event.place is not None, f"a reader gave an event without a place: {event}"
        self._by_event[event.source, event.place.file, event.event] += 1
        span = self._spans.setdefault(
            (event.place.file, event.source, event.namespace, event.node), [event.node_sequence, event.node_sequence, 0]
        )
        span[0], span[1] = min(span[0], event.node_sequence), max(span[1], event.node_sequence)
        span[2] += 1
        if event.place != self._last_place:  # A record can tell several events.
            self._telling[event.place.file] += 1
            self._last_place = event.place
        self._count += 1
        if self._keeps_events:
            self._events.append(event)
        for row in _concern_rows(self._unit, sighting):
            self._concerns.append(row)
            if row[_RULE] == NO_RULE:
                reason = f"no rule says what {event.event!r} means for a {row[_KIND]}"
                self.reject(Reject(event.place, reason, str(row[_ENTITY])))

    def tally(self, told: "Tally") -> None:
        """Counts events of separate lines whose rows are made elsewhere."""
        self._by_event[told.source, told.file, told.event] += told.events
        span = self._spans.setdefault((told.file, told.source, told.namespace, told.node), [told.first, told.last, 0])
        span[0], span[1] = min(span[0], told.first), max(span[1], told.last)
        span[2] += told.events
        self._telling[told.file] += told.events

    def reject(self, reject: Reject) -> None:
        """Takes what could not be read."""
        self._rejected[reject.place.file] += 1
        self._rejects.append(reject_row(self._source, reject))

    def is_full(self) -> bool:
        """Whether there are as many rows as are given at once."""
        return self._count >= ROWS_IN_A_BATCH or len(self._rejects) >= ROWS_IN_A_BATCH

    def flush(self) -> Iterator[Batch]:
        """The tables of what was taken since the last time."""
        if self._events:
            yield "events", events_table(self._events)
        if self._concerns:
            yield "concerns", _concerns_table(self._concerns)
        if self._rejects:
            yield "rejects", pa.Table.from_pylist(self._rejects, REJECTS)
        self._events, self._concerns, self._rejects, self._count = [], [], [], 0

    def rest(self, counts: Counts) -> Iterator[Batch]:
        """All that was not given yet, and the counts; the spans come last."""
        yield from self.flush()
        coverage = self._coverage(counts)
        if coverage:
            yield "coverage", pa.Table.from_pylist(coverage, COVERAGE)
        yield "spans", pa.Table.from_pylist(self._all_spans(counts), SPANS)

    def _coverage(self, counts: Counts) -> list[dict[str, Any]]:
        rows = [(of, file, "event", name, count) for (of, file, name), count in self._by_event.items()]
        rows += [(self._source, file, "line", name, count) for (file, name), count in counts.lines.items()]
        # Numbers of events and transactions are what a file says, and so are gaps.
        rows += [
            (self._source, file, "remark", name, min(count, 2**63 - 1))
            for (file, name), count in counts.remarks.items()
        ]
        return [dict(zip(COVERAGE.names, row, strict=True)) for row in rows]

    def _all_spans(self, counts: Counts) -> list[dict[str, Any]]:
        rows: list[tuple[Any, ...]] = [
            (*key, counts.gapless.get(key[2], "") if key[1] in EDIT_LOGS else "", *span, 0, 0)
            for key, span in self._spans.items()
        ]
        # What stands in an archive or below a storage directory is a file of its own.
        inside = {*self._telling, *self._rejected, *(file for file, _ in counts.lines)} - {*self._unit.files}
        for file in (*self._unit.files, *sorted(inside)):
            lines = sum(count for (of, _), count in counts.lines.items() if of == file)
            lines += self._telling[file] + self._rejected[file]
            rows.append((file, self._source, "", "", "", 0, 0, 0, lines, self._rejected[file]))
        return [dict(zip(SPANS.names, (self._unit.number, *row), strict=True)) for row in rows]


def events_table(events: Sequence[Event]) -> Any:
    """A pyarrow table of `EVENT_SCHEMA` with one row an event, in the order given."""
    columns: dict[str, Any] = {name: [getattr(event, name) for event in events] for name in EVENT_SCHEMA.names}
    columns["place"] = _places([event.place for event in events])
    for name in ("arguments", "observed"):
        columns[name] = [list(pairs.items()) for pairs in columns[name]]
    return pa.table(columns, schema=EVENT_SCHEMA)


def _places(given: Sequence[Place | None]) -> Any:
    """A pyarrow array of places."""
    files = pa.array(["" if place is None else place.file for place in given], pa.string())
    lines = pa.array([0 if place is None else place.line for place in given], pa.int64())
    absent = pa.array([place is None for place in given], pa.bool_())
    return pa.StructArray.from_arrays([files, lines], fields=list(PLACE), mask=absent)


def rejects_table(source: str, rejects: Iterable[Reject]) -> Any:
    """A table of `tables.REJECTS`."""
    return pa.Table.from_pylist([reject_row(source, reject) for reject in rejects], REJECTS)


def reject_row(source: str, reject: Reject) -> dict[str, Any]:
    """A row of `tables.REJECTS`; the reason may contain text of the file, which is cut like the text."""
    return {
        "source": source,
        "place": {"file": reject.place.file, "line": reject.place.line},
        "reason": reject.reason[:TEXT_MAX],
        "text": reject.text[:TEXT_MAX],
    }


def _concern_rows(unit: Unit, sighting: Sighting) -> Iterator[tuple[Any, ...]]:
    """Rows of `CONCERNS`, the place as it is."""
    event = sighting.event
    for number, concern in enumerate(sighting.concerns):
        yield (
            event.namespace,
            concern.kind,
            concern.entity,
            unit.number,
            # An event can concern an entity twice, in two roles: first the first.
            sighting.order * ROLES_MAX + min(number, ROLES_MAX - 1),
            event.node,
            rule_of(concern.kind, concern.role, event),
            *(_holders(event) if concern.kind == "file" else _numbers(event)),
            concern.after or None,
            event.place,
        )


def _numbers(event: Event) -> tuple[int | None, int | None, int | None]:
    return event.generation_stamp, event.recovery_id, event.num_bytes


def _holders(event: Event) -> tuple[int | None, int | None, int | None]:
    """What is compared of a file: who works on it, or holds it, and who gets it, each as a number; the recovery id."""
    arguments = event.arguments
    actor, heir = arguments.get("client") or arguments.get("holder"), arguments.get("new_holder")
    return holder_number(actor) if actor else None, holder_number(heir) if heir else None, event.recovery_id


@lru_cache(maxsize=1 << 16)
def holder_number(name: str) -> int:
    """A number that stands for the name of a lease's holder: everywhere the same, and hardly ever that of two names."""
    return int.from_bytes(hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest()) >> 1


def _concerns_table(rows: list[tuple[Any, ...]]) -> Any:
    *columns, of_places = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, list(CONCERNS)[:-1], strict=True)]
    return pa.table([*arrays, _places(of_places)], schema=CONCERNS)
