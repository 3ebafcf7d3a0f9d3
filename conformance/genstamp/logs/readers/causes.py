"""The known order of the moments of one task: each host's own clock, and which record began which.

A moment is the start or the end of a record. Before a record's start comes that of the record that began it; before
the end of a remote call comes the end of what it called. Clocks of two hosts are never compared.

Not here: reading records (`genstamp.logs.readers.trace_records`) and what they mean.
"""

import heapq
from collections.abc import Sequence
from typing import NamedTuple

from genstamp.logs.readers.trace_records import Record, Task

REMOTE_CALL = "RPC:"
"""Begins the name of a record of a caller that waits for the answer."""

SERVERS = frozenset({"Namenode", "Datanode"})
"""Agents that act when they are called."""


class Moment(NamedTuple):
    """The start or the end of a record.

    Attributes:
        record: its index in the task.
        ends: whether it is the end.
    """

    record: int
    ends: bool


def fathers(task: Task) -> list[int | None]:
    """For each record of a task the index of the record that began its thread; None if no edge tells."""
    by_start: dict[tuple[str, int], list[int]] = {}
    for index, record in enumerate(task.records):
        by_start.setdefault((record.thread, record.start), []).append(index)
    found: list[int | None] = []
    for index, record in enumerate(task.records):
        father = task.fathers.get(record.thread)
        began = [each for each in by_start.get(father, ()) if each != index] if father is not None else []
        found.append(min(began, key=lambda each: _distance(task.records[each], record), default=None))
    return found


def _distance(father: Record, child: Record) -> tuple[bool, int, int]:
    """If records of a thread begin at the same time, the caller is the record with this call, else the innermost."""
    return father.operation != REMOTE_CALL + child.operation, father.end - father.start, father.line


class Order:
    """The moments of a task in an order that nothing known contradicts, and what is certainly before each.

    Attributes:
        moments: in that order; empty if clocks and edges contradict each other.
    """

    def __init__(self, records: Sequence[Record], begun_by: Sequence[int | None]) -> None:
        self._records = records
        self._before: dict[Moment, list[Moment]] = {
            Moment(index, ends): [Moment(index, False)] if ends else []
            for index in range(len(records))
            for ends in (False, True)
        }
        self._add_clocks()
        self._add_edges(begun_by)
        self.moments = self._sorted()

    def predecessors(self, moment: Moment) -> Sequence[Moment]:
        """The moments directly before a moment; all before is what comes before those, too."""
        return self._before[moment]

    def _add_clocks(self) -> None:
        """The clock orders two moments of one host, unless they are at the same time."""
        by_host: dict[str, dict[int, list[Moment]]] = {}
        for moment in self._before:
            by_host.setdefault(self._records[moment.record].host, {}).setdefault(self._time(moment), []).append(moment)
        for times in by_host.values():
            former: list[Moment] = []
            for time in sorted(times):
                for moment in times[time]:
                    self._before[moment].extend(former)
                former = times[time]

    def _add_edges(self, begun_by: Sequence[int | None]) -> None:
        for index, father in enumerate(begun_by):
            if father is None:
                continue
            self._before[Moment(index, False)].append(Moment(father, False))
            if self._records[father].operation.startswith(REMOTE_CALL):
                self._before[Moment(father, True)].append(Moment(index, True))

    def _sorted(self) -> list[Moment]:
        """Kahn's algorithm; what is free comes by its rank, so that the order of the file does not count."""
        after: dict[Moment, list[Moment]] = {moment: [] for moment in self._before}
        waits = dict.fromkeys(self._before, 0)
        for moment, before in self._before.items():
            for each in before:
                after[each].append(moment)
                waits[moment] += 1
        free = [(self._rank(moment), moment) for moment, number in waits.items() if number == 0]
        heapq.heapify(free)
        given = []
        while free:
            _, moment = heapq.heappop(free)
            given.append(moment)
            for each in after[moment]:
                waits[each] -= 1
                if waits[each] == 0:
                    heapq.heappush(free, (self._rank(each), each))
        return given if len(given) == len(waits) else []

    def _rank(self, moment: Moment) -> tuple[bool, str, int, bool, int, str, str]:
        record = self._records[moment.record]
        # Servers first: so what a call led to stands beside it. Of records that begin at once the longer one holds
        # the other.
        asks = record.agent not in SERVERS
        return asks, record.host, self._time(moment), moment.ends, -record.end, record.operation, record.thread

    def _time(self, moment: Moment) -> int:
        record = self._records[moment.record]
        return record.end if moment.ends else record.start
