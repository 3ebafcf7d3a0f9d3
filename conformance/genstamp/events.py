"""The one event that implementations, foreign logs and model traces are turned into, and its columns in Arrow.

Not here: what an event means (see `genstamp.logs.rules` and the systems of the specification) and Spark's own
schema, which `genstamp.logs.schema` derives from the one here, so that nothing else needs pyspark.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

import msgspec
import pyarrow as pa

Kind = Literal["file", "block", "replica", "lease", "node"]
"""The kinds of entities that an event acts on."""

KINDS: tuple[Kind, ...] = get_args(Kind)


Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""Parquet and Java have no wider integer."""


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where an event was read.

    Attributes:
        file: path as it was given, or found below a directory that was given.
        line: number of the line, from 1; of the record, from 1, in an edit log.
    """

    file: str
    line: Int64


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One protocol step as one party saw it.

    Attributes:
        source: who produced the event: "genstamp-dfs", or a reader's name such as "hdfs-edits".
        node: "namenode", "client1", "datanode1", or a datanode's address.
        node_sequence: rises with each event of a node; by one where nothing is missing.
        time_us: microseconds, virtual or of the node's own clock; never compared across nodes.
        kind: what `entity` is.
        namespace: block pool id, else the group declared for the source, else the source's file.
        entity: file: inode id or path; block: block id; replica: "<block id>@<datanode>"; lease: holder; node: its
        name. event: the protocol's step, in snake case. refused_with: simple name of Hadoop's exception if the step
        was refused. generation_stamp: of the block or replica, after the step. recovery_id: the stamp that the
        recovery installs. num_bytes: length in bytes, after the step. arguments: who took part: client, file,
        datanode, primary, holder, block. observed: what the answering node shows after the step; `closed_before` is
        true where a call has closed another's file past its soft limit before it went on, `new_holder` is who has a
        file while it is recovered. place: where it was
        read, if it was.
    """

    source: str
    node: str
    node_sequence: Int64
    time_us: Int64 | None = None
    kind: Kind
    namespace: str
    entity: str
    event: str
    refused_with: str | None = None
    generation_stamp: Int64 | None = None
    recovery_id: Int64 | None = None
    num_bytes: Int64 | None = None
    arguments: dict[str, str] = {}
    observed: dict[str, str] = {}
    place: Place | None = None


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
