"""The columns of the tables that the pipeline makes, in Arrow.

Not here: Spark's schemas, which are derived from these (`genstamp.logs.job`).
"""

from typing import Any, NamedTuple

import pyarrow as pa

from genstamp.events import Kind
from genstamp.logs.event_columns import EVENT_SCHEMA

PLACE: Any = EVENT_SCHEMA.field("place").type

CONCERNS: Any = pa.schema(
    [
        pa.field("namespace", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("entity", pa.string(), nullable=False),
        pa.field("unit", pa.int32(), nullable=False),
        pa.field("sequence", pa.int64(), nullable=False),
        pa.field("node", pa.string(), nullable=False),
        pa.field("rule", pa.int32(), nullable=False),
        pa.field("generation_stamp", pa.int64()),
        pa.field("recovery_id", pa.int64()),
        pa.field("num_bytes", pa.int64()),
        pa.field("after", pa.list_(pa.int64())),
        pa.field("place", PLACE, nullable=False),
    ]
)
"""What is shuffled: one row an event and entity that it concerns. `sequence` orders the events of one unit; it is the
order of the event times `ROLES_MAX`, and more for a further role. `after` are orders of events of the same unit that
certainly came before.

The three numbers are those that the rules of the kind compare: of a file the first stands for who works on it, the
second for who gets it (`rows.holder_number`).
"""

ROLES_MAX = 16
"""Rows that one event can have for one entity, one a role."""

VERDICTS: Any = pa.schema(
    [
        pa.field("namespace", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("entity", pa.string(), nullable=False),
        pa.field("safety", pa.string(), nullable=False),
        pa.field("completion", pa.string(), nullable=False),
        pa.field("path", pa.string(), nullable=False),
        pa.field("events", pa.int64(), nullable=False),
        pa.field("states", pa.list_(pa.string()), nullable=False),
        pa.field("rejected_event", pa.string()),
        pa.field("states_before", pa.list_(pa.string())),
        pa.field("failed", pa.string()),
        pa.field("accepted", pa.string()),
        pa.field("place", PLACE),
    ]
)
"""One row a key. `states` are those that the log shows at the end; what follows is told of violated and undetermined
keys.
"""

COUNTS: Any = pa.schema(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("safety", pa.string(), nullable=False),
        pa.field("completion", pa.string(), nullable=False),
        pa.field("path", pa.string(), nullable=False),
        pa.field("begun", pa.bool_(), nullable=False),
        pa.field("keys", pa.int64(), nullable=False),
    ]
)
"""How many keys have such verdicts, `begun` where they show another state than the one in which a life begins; several
rows of one sort add up. Stands for the verdicts without details, if the tables are not kept.
"""

COVERAGE: Any = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("file", pa.string(), nullable=False),
        pa.field("what", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
    ]
)
"""What was read: `what` is "event", "line" that is none, or "remark"; `name` is the event's, or what it is."""

STEPS: Any = pa.schema(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("event", pa.string(), nullable=False),
        pa.field("before", pa.string(), nullable=False),
        pa.field("after", pa.string(), nullable=False),
        pa.field("seen", pa.int64(), nullable=False),
        pa.field("perhaps", pa.int64(), nullable=False),
    ]
)
"""Edges of lifecycles that events stood for, as far as the order given goes; several rows of one edge add up."""

REJECTS: Any = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("place", PLACE, nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
    ]
)
"""Input that should have been read and could not be."""

SPANS: Any = pa.schema(
    [
        pa.field("unit", pa.int32(), nullable=False),
        pa.field("file", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("namespace", pa.string(), nullable=False),
        pa.field("node", pa.string(), nullable=False),
        pa.field("gapless", pa.string(), nullable=False),
        pa.field("first", pa.int64(), nullable=False),
        pa.field("last", pa.int64(), nullable=False),
        pa.field("events", pa.int64(), nullable=False),
        pa.field("lines", pa.int64(), nullable=False),
        pa.field("rejects", pa.int64(), nullable=False),
    ]
)
"""The facts in one file about one node: its first and last number, how many events. Rows without a namespace count the
lines and the rejects of a file. `gapless` is of edit logs: `FROM_THE_FIRST` or `LATER` where no transaction of the unit
is missing, else empty.
"""

FROM_THE_FIRST, LATER = "from the first transaction", "from a later transaction"


class Key(NamedTuple):
    """An entity that has a verdict."""

    namespace: str
    kind: str
    entity: str

    def __str__(self) -> str:
        return f"{self.kind} {self.entity} of {self.namespace}"


SAFETIES = ("conformant", "violated", "undetermined")
COMPLETIONS = ("complete", "unfinished", "unknown")
PATHS = ("fast", "slow")

COUNTED: frozenset[Kind] = frozenset({"file", "block"})
"""The kinds whose completion decides that of a run.

A file that was opened has to be closed and a block that was allocated has to become COMPLETE or go: that is what
lease and block recovery promise (J.2). A replica may stay behind for ever (an RBW whose pipeline went on without it,
one left out of a recovery), and a lease lives exactly as long as it has an open file, so neither adds anything but
noise.
"""
