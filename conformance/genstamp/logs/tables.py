"""The columns of the tables that the pipeline makes, and what they mean; Spark's schemas are derived from these.

Not here: the event (`genstamp.events`), which needs no Arrow, so that checks of implementations do not either.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from genstamp.events import Kind

ROLES_MAX = 16
"""Rows that one event can have for one entity, one a role."""


class Column(NamedTuple):
    """One column.

    Attributes:
        type: in Arrow.
        meaning: what it holds, for the page docs/logs-tables.md.
        unit: what a number counts; "" for none.
        null: when it has no value; "" if it always has one.
    """

    type: Any
    meaning: str
    unit: str = ""
    null: str = ""


class Table(NamedTuple):
    """One table that is kept.

    Attributes:
        row: what one row is.
        columns: by name.
    """

    row: str
    columns: Mapping[str, Column]

    def schema(self) -> Any:
        """In Arrow; Spark's is derived from it."""
        return pa.schema([pa.field(name, each.type, nullable=bool(each.null)) for name, each in self.columns.items()])


_TEXT, _NUMBER = pa.string(), pa.int64()

PLACE: Any = pa.struct([pa.field("file", _TEXT, nullable=False), pa.field("line", _NUMBER, nullable=False)])

_SOURCE = Column(_TEXT, "the reader's name for what it read: `hdfs-namenode-log`, `hdfs-edits`, ...")
_NAMESPACE = Column(_TEXT, "the cluster: block pool id, else what `--group` names, else the source's first file")
_NODE = Column(
    _TEXT,
    "the node that wrote it: `namenode`, `namenode:PORT` where one file has several, a datanode's address, a client",
)
_KIND = Column(_TEXT, "`file`, `block`, `replica`, `lease` or `node`")
_PLACE = Column(PLACE, "file, as it was given or found, and line; in an edit log the record; both from 1")


DECLARED: Mapping[str, Table] = {
    "events": Table(
        "one step of the protocol as one node saw it. The order of rows has no meaning.",
        {
            "source": _SOURCE,
            "node": _NODE,
            "node_sequence": Column(_NUMBER, "rises with each event of a node; by one where nothing is missing"),
            "time_us": Column(
                _NUMBER,
                "the node's own clock; never compare two nodes by it",
                "µs since 1970, as if the log's local time were UTC",
                "the source has no clock",
            ),
            "kind": Column(_TEXT, "what `entity` is: `file`, `block`, `replica`, `lease` or `node`"),
            "namespace": _NAMESPACE,
            "entity": Column(
                _TEXT,
                "block: its id, signed; replica: `<block id>@<datanode>`; file: inode id, or `<path>#<epoch>`, where"
                " the epoch counts creations that were seen and 0 is that of none; lease: its holder; node: its name",
            ),
            "event": Column(_TEXT, "the step, as HDFS calls it, in snake case"),
            "refused_with": Column(_TEXT, "simple name of the exception", null="the step was not refused"),
            "generation_stamp": Column(
                _NUMBER, "of the block or replica, after the step", "a stamp", "the source does not have it"
            ),
            "recovery_id": Column(
                _NUMBER,
                "the stamp that the recovery is to install",
                "a stamp",
                "no recovery, or the source does not have it",
            ),
            "num_bytes": Column(
                _NUMBER, "length of the block or replica, after the step", "bytes", "the source does not have it"
            ),
            "arguments": Column(
                pa.map_(_TEXT, _TEXT), "who took part: `client`, `file`, `datanode`, `primary`, `holder`, `block`, ..."
            ),
            "observed": Column(
                pa.map_(_TEXT, _TEXT),
                "what the node shows after the step: `closed`, `closed_before` where a call has closed another's file"
                " past its soft limit before it went on, `new_holder` of a file that is recovered, `block_state`,"
                " `locations`, ...",
            ),
            "place": Column(PLACE, _PLACE.meaning, null="never, in events that were read"),
        },
    ),
    "concerns": Table(
        "one event and one entity that it concerns: what was checked. An event that concerns several entities has a row"
        " for each; `place` joins it to its event.",
        {
            "namespace": Column(_TEXT, "as in `events`"),
            "kind": Column(_TEXT, "kind of the entity whose lifecycle the event was checked against"),
            "entity": Column(_TEXT, "its key within the namespace and kind"),
            "unit": Column(
                pa.int32(), "which story of files it was read from; the events of one unit are ordered by `sequence`"
            ),
            "sequence": Column(_NUMBER, "rises in the order in which the unit was written"),
            "node": _NODE,
            "rule": Column(
                pa.int32(), "number of the rule in `genstamp.logs.rules`, of this version; -1 where none fits"
            ),
            "generation_stamp": Column(
                _NUMBER,
                "as in `events`; for a file, a number that encodes the name of its writer or lease holder",
                "a stamp",
                "the event has none",
            ),
            "recovery_id": Column(
                _NUMBER,
                "as in `events`; for a file, a number that encodes the name of the client that gets its lease",
                "a stamp",
                "the event has none",
            ),
            "num_bytes": Column(_NUMBER, "as in `events`; null for a file", "bytes", "the event has none"),
            "after": Column(
                pa.list_(_NUMBER),
                "which events of the unit certainly came before on other nodes: each its `sequence` without roles, that"
                f" is divided by {ROLES_MAX}",
                null="no cause is known",
            ),
            "place": _PLACE,
        },
    ),
    "verdicts": Table(
        "one key: an entity of a namespace, with its two answers.",
        {
            "namespace": Column(_TEXT, "as in `events`; followed by its file if two runs have the same name"),
            "kind": _KIND,
            "entity": Column(_TEXT, "as in `events`"),
            "safety": Column(
                _TEXT,
                "`conformant`: some history that the specification allows has these events; `violated`: none does;"
                " `undetermined`: the check could not decide",
            ),
            "completion": Column(
                _TEXT,
                "`complete`: its history ended with nothing pending; `unfinished`: it did not; `unknown`: the log"
                " does not show, or its source never logs how such a life ends",
            ),
            "path": Column(
                _TEXT, "`fast`: the order given decided; `slow`: other orders of several nodes' events were tried"
            ),
            "events": Column(_NUMBER, "how many events concern it", "events"),
            "states": Column(
                pa.list_(_TEXT),
                "the states that the log shows at the end; before the rejected event, if one was",
                "HDFS' names",
            ),
            "rejected_event": Column(
                _TEXT, "the first event that no allowed history has at its place", null="nothing was rejected"
            ),
            "states_before": Column(
                pa.list_(_TEXT), "the states that were possible before it", "HDFS' names", "nothing was rejected"
            ),
            "failed": Column(
                _TEXT, "the check that failed, with its values; or why it is undetermined", null="conformant"
            ),
            "accepted": Column(
                _TEXT, "the nearest event that would have been accepted instead", null="nothing was rejected"
            ),
            "place": Column(PLACE, "of the rejected event", null="nothing was rejected"),
        },
    ),
    "coverage": Table(
        "how often something occurs in a file.",
        {
            "source": Column(_TEXT, "as in `events`; of lines and remarks the kind of reader: `log`, `edit log`, ..."),
            "file": Column(_TEXT, "as it was given or found"),
            "what": Column(
                _TEXT,
                "`event`; `line`: a line or record that is no event; `remark`: a gap, or something that has no key",
            ),
            "name": Column(_TEXT, "of the event, or what the line or remark is"),
            "count": Column(_NUMBER, "how often", "events, lines or records"),
        },
    ),
    "steps": Table(
        "one edge of a lifecycle that events of a part of the keys stood for; rows of one edge add up. Events are"
        " followed in the order given, up to the first that is rejected there.",
        {
            "kind": _KIND,
            "event": Column(_TEXT, "of the lifecycle, as the diagrams show it"),
            "before": Column(_TEXT, "id of the state in which it happened"),
            "after": Column(_TEXT, "id of the state to which it led; `deleted` for a file that is gone"),
            "seen": Column(_NUMBER, "how often an event can only have been this step", "events"),
            "perhaps": Column(_NUMBER, "how often an event may have been this step or another", "events"),
        },
    ),
    "rejects": Table(
        "something that should have been read and could not be. A run with such a row is never conformant.",
        {
            "source": Column(_TEXT, "kind of reader; `none` for a file that no reader takes"),
            "place": Column(PLACE, f"{_PLACE.meaning}; line 0 for a whole file"),
            "reason": Column(_TEXT, "what is wrong"),
            "text": Column(_TEXT, "the text at that place, escaped and cut; empty for bytes that are not text"),
        },
    ),
}
"""The tables that are kept, each a directory of Parquet files, in the order of the page."""

TABLES: Mapping[str, Any] = {name: table.schema() for name, table in DECLARED.items()}
"""Their schemas; the columns of events are in the order of the fields of `events.Event`."""

EVENT_SCHEMA, CONCERNS, VERDICTS, COVERAGE, STEPS, REJECTS = TABLES.values()

# `concerns` is what is shuffled: its `sequence` is the order of the event times `ROLES_MAX`, more for a further role.
# The three numbers are those that the rules of the kind compare: of a file the first stands for who works on it, the
# second for who gets it (`rows.holder_number`).


def _schema(**columns: Any) -> Any:
    """Of columns that always have a value."""
    return pa.schema([pa.field(name, type_, nullable=False) for name, type_ in columns.items()])


COUNTS: Any = _schema(kind=_TEXT, safety=_TEXT, completion=_TEXT, path=_TEXT, begun=pa.bool_(), keys=_NUMBER)
"""How many keys have such verdicts, `begun` where they show another state than the one in which a life begins; several
rows of one sort add up. Stands for the verdicts without details, if the tables are not kept.
"""


SPANS: Any = _schema(
    unit=pa.int32(), file=_TEXT, source=_TEXT, namespace=_TEXT, node=_TEXT, gapless=_TEXT, first=_NUMBER, last=_NUMBER,
    events=_NUMBER, lines=_NUMBER, rejects=_NUMBER,
)  # fmt: skip
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
