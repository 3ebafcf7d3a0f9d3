"""The columns of events in Arrow; Spark's schema is derived from them.

Not here: the event (`genstamp.events`), which needs no Arrow, so that checks of implementations do not either.
"""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from genstamp.events import Event, Place

EVENT_SCHEMA: Any = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("node", pa.string(), nullable=False),
        pa.field("node_sequence", pa.int64(), nullable=False),
        pa.field("time_us", pa.int64()),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("namespace", pa.string(), nullable=False),
        pa.field("entity", pa.string(), nullable=False),
        pa.field("event", pa.string(), nullable=False),
        pa.field("refused_with", pa.string()),
        pa.field("generation_stamp", pa.int64()),
        pa.field("recovery_id", pa.int64()),
        pa.field("num_bytes", pa.int64()),
        pa.field("arguments", pa.map_(pa.string(), pa.string()), nullable=False),
        pa.field("observed", pa.map_(pa.string(), pa.string()), nullable=False),
        pa.field(
            "place",
            pa.struct([pa.field("file", pa.string(), nullable=False), pa.field("line", pa.int64(), nullable=False)]),
        ),
    ]
)
"""Columns of the table `events`, in the order of the fields of `Event`."""


def events_table(events: Sequence[Event]) -> Any:
    """A pyarrow table of `EVENT_SCHEMA` with one row an event, in the order given."""
    columns: dict[str, Any] = {name: [getattr(event, name) for event in events] for name in EVENT_SCHEMA.names}
    columns["place"] = places([event.place for event in events])
    for name in ("arguments", "observed"):
        columns[name] = [list(pairs.items()) for pairs in columns[name]]
    return pa.table(columns, schema=EVENT_SCHEMA)


def places(given: Sequence[Place | None]) -> Any:
    """A pyarrow array of places."""
    files = pa.array(["" if place is None else place.file for place in given], pa.string())
    lines = pa.array([0 if place is None else place.line for place in given], pa.int64())
    absent = pa.array([place is None for place in given], pa.bool_())
    fields = list(EVENT_SCHEMA.field("place").type)
    return pa.StructArray.from_arrays([files, lines], fields=fields, mask=absent)
