"""Rows of events that were decided by compiled code, made for many at once.

What an event has in common with all of its sort is found once, by the same rules as for any other event. Leaves out
reading (`log_fast`) and events that are made one by one (`genstamp.logs.rows`).
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute

from genstamp.events import EVENT_SCHEMA, KINDS, Event, Kind
from genstamp.logs.exchange import EXCHANGED, NO_NUMBER, words
from genstamp.logs.kernel import MISSING
from genstamp.logs.readers.file_tree import KnownBlock, KnownFile
from genstamp.logs.readers.log_file_rows import (
    ALLOCATED,
    ALLOCATED_BLOCK,
    ALLOCATED_FILE,
    ALLOCATED_LEASE,
    ALLOCATED_PREVIOUS,
    COMPLETED,
    COMPLETED_BLOCK,
    COMPLETED_FILE,
    COMPLETED_LEASE,
    LINE,
    NAME_END,
    NUMBER,
    PART,
    ROWS,
    SEQUENCE,
    VALUE,
    FileFound,
)
from genstamp.logs.readers.log_forms import Told
from genstamp.logs.readers.log_scan import Found
from genstamp.logs.readers.log_state import NAMENODE
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.rows import Tally, holder_number
from genstamp.logs.rules import rule_of
from genstamp.logs.sources import DATANODE_LOG, NAMENODE_LOG
from genstamp.logs.tables import PLACE, ROLES_MAX


class _Sort(NamedTuple):
    """What all events that tell the same have in common."""

    event: str
    kind: Kind
    arguments: dict[str, str]
    """By name; `ARGUMENT` stands for what each event has of its own."""


_ARGUMENT = "\0"

_SORTS = {
    Told.WRITE_BLOCK: _Sort("write_block", "replica", {}),
    Told.FINALIZE_REPLICA: _Sort("finalize_replica", "replica", {"client": _ARGUMENT}),
    Told.RESPONDER_ENDS: _Sort("packet_responder_ends", "replica", {}),
    Told.INVALIDATE_REPLICA: _Sort("invalidate_replica", "replica", {}),
    Told.STORED: _Sort("add_stored_block", "block", {"datanode": _ARGUMENT}),
    **{
        told: _Sort("add_stored_block", "block", {"datanode": _ARGUMENT, "block_state_before": told.name[7:]})
        for told in Told
        if told > Told.STORED
    },
}


@cache
def _rules() -> Any:
    """By what is told, the number of its rule."""
    return np.array([_rule(sort.kind, sort.event, sort.arguments) for _, sort in sorted(_SORTS.items())], np.int32)


@cache
def _kinds() -> Any:
    """By what is told, the number of its kind."""
    return np.array([KINDS.index(sort.kind) for _, sort in sorted(_SORTS.items())], np.int8)


def _rule(kind: Kind, event: str, arguments: dict[str, str], role: str = "", **observed: str) -> int:
    sample = Event(
        source=NAMENODE_LOG, node="", node_sequence=0, kind=kind, namespace="", entity="", event=event,
        arguments=arguments, observed=observed,
    )  # fmt: skip
    return rule_of(kind, role, sample)


def decided(
    found: Found, number: int, unit: int, file: str, nodes: Sequence[str], namespaces: tuple[str, str]
) -> "Decided":
    """Events that were decided.

    Args:
        found: what they tell.
        number: how many there are.
        unit: its number.
        file: where they stand.
        nodes: names by number.
        namespaces: of lines that do not name the block pool, and of those that do.
    """
    # Copies: Arrow would go on looking at what is written over by what is found next.
    columns = _Columns._make(found.events[:number].T.copy())
    arguments = found.arguments[: columns.argument_end[-1]].tobytes()
    return Decided(columns, arguments, unit, file, nodes, namespaces)


class _Columns(NamedTuple):
    """The columns of `log_scan.Found`, each an array."""

    told: Any
    line: Any
    time_us: Any
    block: Any
    stamp: Any
    length: Any
    node: Any
    pooled: Any
    sequence: Any
    order: Any
    argument_end: Any


class Decided:
    """Events that were decided; made by `decided`."""

    def __init__(
        self,
        found: "_Columns",
        arguments: bytes,
        unit: int,
        file: str,
        nodes: Sequence[str],
        namespaces: tuple[str, str],
    ) -> None:
        self._found, self._given, self._unit, self._file = found, arguments, unit, file
        self._nodes, self._namespaces = nodes, namespaces

    def tallies(self) -> Iterator[Tally]:
        """The events counted."""
        found = self._found
        groups = (found.told.astype(np.int64) * 64 + found.node) * 2 + found.pooled
        for group in np.unique(groups):
            sequences = found.sequence[groups == group]
            rest, pooled = divmod(int(group), 2)
            told, node = divmod(rest, 64)
            name = self._nodes[node]
            yield Tally(
                _source(name),
                self._file,
                self._namespaces[pooled],
                name,
                _SORTS[Told(told)].event,
                int(sequences.min()),
                int(sequences.max()),
                len(sequences),
            )

    def concerns(self) -> Any:
        """One row an event: each concerns its block or its replica alone. A table of `exchange.EXCHANGED`."""
        found, number = self._found, len(self._found.told)
        none = pa.array(np.full(number, MISSING))
        columns = [
            words(self._namespaces, found.pooled),
            pa.array(_kinds()[found.told]),
            pa.array(found.block),
            # The NameNode's are of blocks, the others of replicas.
            pa.array(found.node > 0),
            pa.nulls(number, pa.string()),
            pa.array(np.full(number, self._unit, np.int32)),
            pa.array(found.order * ROLES_MAX),
            words(self._nodes, found.node),
            pa.array(_rules()[found.told]),
            pa.array(found.stamp),
            none,
            pa.array(np.where(found.length < 0, MISSING, found.length)),
            pa.nulls(number, EXCHANGED.field("after").type),
            words([self._file], np.zeros(number, np.int32)),
            pa.array(found.line),
        ]
        return pa.table(columns, schema=EXCHANGED)

    def events(self) -> Any:
        """A table of `EVENT_SCHEMA`."""
        found, number = self._found, len(self._found.told)
        sources = pa.array([_source(node) for node in self._nodes])
        events = pa.array([sort.event for _, sort in sorted(_SORTS.items())])
        told = pa.array(found.told.astype(np.int32))
        empty = pa.MapArray.from_arrays(np.zeros(number + 1, np.int32), _strings([]), _strings([]))
        columns = [
            sources.take(pa.array(found.node)),
            self._node(),
            pa.array(found.sequence),
            pa.array(found.time_us),
            self._kind(),
            self._namespace(),
            self._entity(),
            events.take(told),
            pa.nulls(number, pa.string()),
            pa.array(found.stamp),
            pa.nulls(number, pa.int64()),
            pa.array(found.length, mask=found.length < 0),
            self._arguments(),
            empty,
            _places(self._file, found.line),
        ]
        return pa.table(columns, schema=EVENT_SCHEMA)

    def _arguments(self) -> Any:
        """Each event's own argument, and before it none, behind it the state of its block."""
        found, number = self._found, len(self._found.told)
        ends = found.argument_end.astype(np.int32)
        own = pa.StringArray.from_buffers(
            number, pa.py_buffer(np.concatenate(([0], ends)).astype(np.int32).tobytes()), pa.py_buffer(self._given)
        )
        counts = np.array([len(sort.arguments) for _, sort in sorted(_SORTS.items())])[found.told]
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
        names = sorted({name for sort in _SORTS.values() for name in sort.arguments})
        states = [told.name[7:] for told in Told if told > Told.STORED]
        keys = np.zeros(offsets[-1], np.int32)
        values = np.zeros(offsets[-1], np.int64)
        first = offsets[:-1][counts > 0]
        keys[first] = np.where(
            found.told[counts > 0] == Told.FINALIZE_REPLICA, names.index("client"), names.index("datanode")
        )
        values[first] = np.flatnonzero(counts > 0)
        second = offsets[:-1][counts > 1] + 1
        keys[second] = names.index("block_state_before")
        values[second] = number + found.told[counts > 1].astype(np.int64) - Told.STORED - 1
        all_values = pa.concat_arrays([own, _strings(states)])
        return pa.MapArray.from_arrays(offsets, _strings(names).take(pa.array(keys)), all_values.take(pa.array(values)))

    def _namespace(self) -> Any:
        return _strings(self._namespaces).take(pa.array(self._found.pooled))

    def _node(self) -> Any:
        return _strings(self._nodes).take(pa.array(self._found.node))

    def _kind(self) -> Any:
        kinds = _strings([sort.kind for _, sort in sorted(_SORTS.items())])
        return kinds.take(pa.array(self._found.told))

    def _entity(self) -> Any:
        blocks = pa.array(self._found.block).cast(pa.string())
        # The NameNode's are of blocks, the others of replicas.
        at = _strings(["", *(f"@{node}" for node in self._nodes[1:])])
        return pa.compute.binary_join_element_wise(blocks, at.take(pa.array(self._found.node)), "")


def _source(node: str) -> str:
    return NAMENODE_LOG if node.startswith(NAMENODE) else DATANODE_LOG


def _strings(values: Sequence[str]) -> Any:
    return pa.array(values, pa.string())


def _places(file: str, lines: Any) -> Any:
    files = _strings([file]).take(pa.array(np.zeros(len(lines), np.int32)))
    return pa.StructArray.from_arrays([files, pa.array(lines)], fields=list(PLACE))


class _Part(NamedTuple):
    """In which part an event of a file concerns an entity."""

    kind: Kind
    rule: int


@cache
def _parts() -> tuple[_Part, ...]:
    allocated, completed = {"file": "/f"}, {"client": "c", "file": "/f"}
    return (
        _Part("block", _rule("block", "add_block", allocated)),
        _Part("file", _rule("file", "add_block", allocated)),
        _Part("lease", _rule("lease", "add_block", allocated)),
        _Part("block", _rule("block", "add_block", allocated, "previous")),
        _Part("file", _rule("file", "complete", completed, closed="true")),
        _Part("lease", _rule("lease", "complete", completed, closed="true")),
        _Part("block", _rule("block", "complete", completed, closed="true")),
    )


_Row = tuple[int, int, int]
"""Order, number among those of the NameNode, line."""


class FileRows:
    """Rows of allocations and completions, as `log_namenode` gives them, without the table of events."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._part: list[int] = []
        self._number: list[int] = []
        self._name: list[str | None] = []
        self._order: list[int] = []
        self._value: list[int | None] = []
        self._line: list[int] = []
        self._counts: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._part)

    def allocated(self, row: _Row, file: KnownFile, block_id: str, stamp: int, previous: KnownBlock | None) -> None:
        """A file gets a block."""
        order, sequence, line = row
        order *= ROLES_MAX
        self._add(ALLOCATED_BLOCK, block_id, order, stamp, line)
        self._add(ALLOCATED_FILE, file.key, order + 1, None, line)
        if file.holder:
            self._add(ALLOCATED_LEASE, file.holder, order + 2, stamp, line)
        if previous is not None and str(previous.block_id) != block_id:
            at = order + 2 + bool(file.holder)
            self._add(ALLOCATED_PREVIOUS, str(previous.block_id), at, stamp, line)
        self._count("add_block", sequence)

    def completed(self, row: _Row, file: KnownFile, holder: str, closed: Sequence[str]) -> None:
        """A file is closed, and with it its blocks."""
        order, sequence, line = row
        order *= ROLES_MAX
        self._add(COMPLETED_FILE, file.key, order, holder_number(holder), line)
        self._add(COMPLETED_LEASE, holder, order + 1, None, line)
        for number, block_id in enumerate(closed, 2):
            self._add(COMPLETED_BLOCK, block_id, order + min(number, ROLES_MAX - 1), None, line)
        self._count("complete", sequence)

    def _add(self, part: int, entity: str, order: int, value: int | None, line: int) -> None:
        # As in `exchange`, where longer numbers are names.
        is_number = _parts()[part].kind == "block" and len(entity) <= 18
        self._part.append(part)
        self._number.append(int(entity) if is_number else NO_NUMBER)
        self._name.append(None if is_number else entity)
        self._order.append(order)
        self._value.append(value)
        self._line.append(line)

    def _count(self, event: str, sequence: int) -> None:
        counted = self._counts.get(event)
        if counted is None:
            self._counts[event] = [sequence, sequence, 1]
        else:
            counted[1] = sequence
            counted[2] += 1

    def tallies(self, file: str, namespace: str) -> Iterator[Tally]:
        """The events counted."""
        for event, (first, last, events) in self._counts.items():
            yield Tally(NAMENODE_LOG, file, namespace, NAMENODE, event, first, last, events)

    def concerns(self, file: str, namespace: str) -> Any:
        """The rows, a table of `exchange.EXCHANGED`."""
        value = np.array([MISSING if value is None else value for value in self._value], np.int64)
        columns = self._part, self._number, self._order, value, self._line
        return _of_files(self._unit.number, file, namespace, pa.array(self._name, pa.string()), *columns)


def _of_files(
    unit: int, file: str, namespace: str, name: Any, part: Any, number: Any, sequence: Any, value: Any, line: Any
) -> Any:
    rows = len(part)
    part, always = np.array(part, np.int32), np.zeros(rows, np.int32)
    none = pa.array(np.full(rows, MISSING))
    columns = [
        words([namespace], always),
        pa.array(np.array([KINDS.index(part.kind) for part in _parts()], np.int8)[part]),
        pa.array(number, pa.int64()),
        pa.array(np.zeros(rows, np.bool_)),
        name,
        pa.array(np.full(rows, unit, np.int32)),
        pa.array(sequence, pa.int64()),
        words([NAMENODE], always),
        pa.array(np.array([part.rule for part in _parts()], np.int32)[part]),
        pa.array(value, pa.int64()),
        none,
        none,
        pa.nulls(rows, EXCHANGED.field("after").type),
        words([file], always),
        pa.array(line, pa.int64()),
    ]
    return pa.table(columns, schema=EXCHANGED)


def found_rows(found: FileFound, unit: int, file: str, namespace: str) -> tuple[Any, list[Tally]]:
    """The rows that compiled code has made, a table of `exchange.EXCHANGED`, and the events counted; room again."""
    rows = int(found.totals[ROWS])
    # Copies: Arrow would go on looking at what is written over by what is found next.
    columns = found.rows[:rows].T.copy()
    ends = np.concatenate(([0], columns[NAME_END])).astype(np.int32)
    text = found.names[: ends[-1]].tobytes()
    name = pa.StringArray.from_buffers(rows, pa.py_buffer(ends.tobytes()), pa.py_buffer(text))
    table = _of_files(unit, file, namespace, name, *columns[[PART, NUMBER, SEQUENCE, VALUE, LINE]])
    tallies = []
    for event, at in (("add_block", ALLOCATED), ("complete", COMPLETED)):
        first, last, events = found.totals[at : at + 3].tolist()
        if events:
            tallies.append(Tally(NAMENODE_LOG, file, namespace, NAMENODE, event, first, last, events))
    found.totals[:] = 0
    return table, tallies
