"""Rows of events that were decided by compiled code, made for many at once.

What an event has in common with all of its sort is found once, by the same rules as for any other event. Not here:
reading (`log_fast`) and events that are made one by one (`genstamp.logs.rows`).
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute

from genstamp.events import KINDS, Event, Kind
from genstamp.logs.exchange import EXCHANGED, words
from genstamp.logs.kernel import MISSING
from genstamp.logs.readers.log_forms import Told
from genstamp.logs.readers.log_scan import Found
from genstamp.logs.readers.log_state import NAMENODE
from genstamp.logs.rows import Tally
from genstamp.logs.rules import rule_of
from genstamp.logs.sources import DATANODE_LOG, NAMENODE_LOG
from genstamp.logs.tables import EVENT_SCHEMA, PLACE, ROLES_MAX


class _Sort(NamedTuple):
    """The common part of events with the same meaning."""

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
    """The number of the rule for each kind of step."""
    return np.array([rule_for(sort.kind, sort.event, sort.arguments) for _, sort in sorted(_SORTS.items())], np.int32)


@cache
def _kinds() -> Any:
    """The number of the entity's kind for each kind of step."""
    return np.array([KINDS.index(sort.kind) for _, sort in sorted(_SORTS.items())], np.int8)


def rule_for(kind: Kind, event: str, arguments: dict[str, str], role: str = "", **observed: str) -> int:
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
        for group in np.flatnonzero(np.bincount(groups)):
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
