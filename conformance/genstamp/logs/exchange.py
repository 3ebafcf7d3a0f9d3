"""The concerns in compact columns, as they go from who reads to who checks.

The same rows as of `tables.CONCERNS`, with what repeats as numbers: an entity is a number and a name, of which most
have only the one. Not here: how they are sent (`genstamp.logs.flat`), and what rows mean.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numba import njit

from genstamp.events import KINDS
from genstamp.logs.kernel import MISSING
from genstamp.logs.tables import CONCERNS, PLACE

_WORDS: Any = pa.dictionary(pa.int32(), pa.string())

EXCHANGED: Any = pa.schema(
    [
        pa.field("namespace", _WORDS, nullable=False),
        pa.field("kind", pa.int8(), nullable=False),
        pa.field("number", pa.int64(), nullable=False),
        pa.field("at_node", pa.bool_(), nullable=False),
        pa.field("name", pa.string()),
        pa.field("unit", pa.int32(), nullable=False),
        pa.field("sequence", pa.int64(), nullable=False),
        pa.field("node", _WORDS, nullable=False),
        pa.field("rule", pa.int32(), nullable=False),
        pa.field("generation_stamp", pa.int64(), nullable=False),
        pa.field("recovery_id", pa.int64(), nullable=False),
        pa.field("num_bytes", pa.int64(), nullable=False),
        pa.field("after", CONCERNS.field("after").type),
        pa.field("file", _WORDS, nullable=False),
        pa.field("line", pa.int64(), nullable=False),
    ]
)
"""`kind` is a place in `events.KINDS`. The entity is `number`, if it is not `NO_NUMBER`, and behind it `name`, if there
is one, or "@" and the node where `at_node` holds. In the three values, `MISSING` means that there is none.
"""

NO_NUMBER = MISSING
"""Stands for the number of an entity whose name does not begin with one."""

VALUES = ("generation_stamp", "recovery_id", "num_bytes")

_DIGITS_MAX = 18


def words(values: Any, numbers: Any) -> Any:
    """A column of few distinct texts: `values[number]` for each of some numbers."""
    return pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), pa.array(values, pa.string()))


def exchanged(concerns: Any) -> Any:
    """A table of `tables.CONCERNS` as one of `EXCHANGED`, row by row."""
    concerns = concerns.combine_chunks()
    columns = {name: concerns.column(name).combine_chunks() for name in concerns.column_names}
    number, name = apart(columns["entity"])
    place = columns["place"]
    return pa.table(
        [
            columns["namespace"].dictionary_encode(),
            pa.array(_kinds(columns["kind"])),
            number,
            pa.array(np.zeros(len(place), np.bool_)),
            name,
            columns["unit"],
            columns["sequence"],
            columns["node"].dictionary_encode(),
            columns["rule"],
            *(columns[value].fill_null(MISSING) for value in VALUES),
            columns["after"],
            pa.compute.struct_field(place, "file").dictionary_encode(),
            pa.compute.struct_field(place, "line"),
        ],
        schema=EXCHANGED,
    )


def concerns_of(rows: Any) -> Any:
    """A table of `EXCHANGED` as one of `tables.CONCERNS`, row by row."""
    held = held_rows(rows)
    every = np.arange(len(held.number))
    places = [_strings(held.files).take(pa.array(held.file)), pa.array(held.line)]
    columns = [
        _strings(held.namespaces).take(pa.array(held.namespace)),
        _strings(KINDS).take(pa.array(held.kind)),
        held.entities(every),
        pa.array(held.unit),
        pa.array(held.sequence),
        _strings(held.nodes).take(pa.array(held.node)),
        pa.array(held.rule),
        *(pa.array(getattr(held, value), mask=getattr(held, value) == MISSING) for value in VALUES),
        held.after,
        pa.StructArray.from_arrays(places, fields=list(PLACE)),
    ]
    return pa.table(columns, schema=CONCERNS)


@dataclass
class Rows:
    """Rows of `EXCHANGED` as arrays, with all texts as numbers.

    Attributes:
        namespaces, names, nodes, files: texts by number; the first of the names is empty.
        after: an array of Arrow.
        others: the columns, arrays with one element a row; `at_node` is in `name`.
    """

    namespaces: list[str]
    names: Any
    nodes: list[str]
    files: list[str]
    namespace: Any
    kind: Any
    number: Any
    name: Any
    unit: Any
    sequence: Any
    node: Any
    rule: Any
    generation_stamp: Any
    recovery_id: Any
    num_bytes: Any
    after: Any
    file: Any
    line: Any

    def entities(self, index: Any) -> Any:
        """The entities of some rows, an array of texts."""
        number, name = self.number[index], pa.array(self.name[index])
        text = self.names.take(name)
        numbered = number != NO_NUMBER
        if not numbered.any():
            return text
        numbers = pa.array(number).cast(pa.string())
        if not numbered.all():
            numbers = pa.compute.if_else(pa.array(numbered), numbers, "")
        return pa.compute.binary_join_element_wise(numbers, text, "")

    def place(self, index: int) -> dict[str, Any]:
        """Where the line of a row stands, as a column of places holds it."""
        return {"file": self.files[self.file[index]], "line": int(self.line[index])}

    def row(self, index: int) -> dict[str, Any]:
        """The columns of `tables.CONCERNS` that the slow path needs."""
        values = {name: int(getattr(self, name)[index]) for name in VALUES}
        return {
            "unit": int(self.unit[index]),
            "sequence": int(self.sequence[index]),
            "node": self.nodes[self.node[index]],
            "rule": int(self.rule[index]),
            "after": self.after[int(index)].as_py(),
            **{name: None if value == MISSING else value for name, value in values.items()},
        }


def held_rows(rows: Any) -> Rows:
    """A table of `EXCHANGED` as arrays."""
    rows = rows.unify_dictionaries().combine_chunks()
    columns = {name: rows.column(name) for name in rows.column_names}
    column = {name: one_array(each) for name, each in columns.items()}
    texts = {name: column[name].dictionary.to_pylist() for name in ("namespace", "node", "file")}
    codes = {name: np.asarray(column[name].indices) for name in texts}
    names, name = _names(column["name"], np.asarray(column["at_node"]), codes["node"], texts["node"])
    plain = {each: np.asarray(column[each]) for each in ("kind", "number", "unit", "sequence", "rule", *VALUES, "line")}
    return Rows(
        namespaces=texts["namespace"],
        names=names,
        nodes=texts["node"],
        files=texts["file"],
        namespace=codes["namespace"],
        name=name,
        node=codes["node"],
        file=codes["file"],
        after=column["after"],
        **plain,
    )


def _names(given: Any, at_node: Any, node: Any, nodes: list[str]) -> tuple[Any, Any]:
    """All names, the first of them empty, and for each row the number of its own."""
    ends = [f"@{each}" for each in nodes]
    if given.null_count == len(given):
        return _strings(["", *ends]), np.where(at_node, node + 1, 0).astype(np.int32)
    first = pa.chunked_array([_strings(["", *ends]), given.fill_null("")]).dictionary_encode()
    first = first.unify_dictionaries().combine_chunks()
    first = one_array(first)
    codes = np.asarray(first.indices)
    of_ends = codes[1 : 1 + len(ends)]
    name = codes[1 + len(ends) :]
    return first.dictionary, np.where(at_node, of_ends[node], name) if len(ends) else name


def one_array(column: Any) -> Any:
    """A column as one array."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column


def _strings(values: Any) -> Any:
    return pa.array(values, pa.string())


def _kinds(column: Any) -> Any:
    encoded = column.dictionary_encode()
    places = np.array([KINDS.index(kind) for kind in encoded.dictionary.to_pylist()], np.int8)
    return places[np.asarray(encoded.indices)] if len(column) else np.zeros(0, np.int8)


def apart(entities: Any) -> tuple[Any, Any]:
    """Entities as numbers and what is behind them."""
    _, ends, text = entities.buffers()
    offsets = np.frombuffer(ends, np.int32)[entities.offset : entities.offset + len(entities) + 1]
    number, began = np.empty(len(entities), np.int64), np.empty(len(entities), np.int32)
    text = np.frombuffer(text or b"", np.uint8)
    stops = np.zeros(len(entities) + 1, np.int32)
    _numbers(offsets, text, number, began, stops)
    rest = np.empty(stops[-1], np.uint8)
    _rests(offsets, text, began, stops, rest)
    names = pa.StringArray.from_buffers(
        len(entities), pa.py_buffer(stops), pa.py_buffer(rest), pa.array(np.diff(stops) > 0).buffers()[1]
    )
    return pa.array(number), names


@njit(cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def _numbers(offsets: Any, text: Any, number: Any, began: Any, stops: Any) -> None:
    """The number that each text begins with, where what follows begins, and where it will end in a row of all."""
    for index in range(len(number)):
        at, end = offsets[index], offsets[index + 1]
        here = at + (at < end and text[at] == 45)
        digits: Any = here
        value: Any = 0
        while here < end and 48 <= text[here] <= 57 and here - digits <= _DIGITS_MAX:
            value = value * 10 + (np.int64(text[here]) - 48)
            here += 1
        size = here - digits
        # Only as it is written without need, so that one entity has one number.
        wanted = 0 < size <= _DIGITS_MAX and (text[digits] != 48 or (size == 1 and digits == at))
        if wanted and (here == end or text[here] == 64):
            number[index], began[index] = -value if digits > at else value, here
        else:
            number[index], began[index] = NO_NUMBER, at
        stops[index + 1] = stops[index] + end - began[index]


@njit(cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def _rests(offsets: Any, text: Any, began: Any, stops: Any, rest: Any) -> None:
    for index in range(len(began)):
        for at in range(began[index], offsets[index + 1]):
            rest[stops[index] + at - began[index]] = text[at]
