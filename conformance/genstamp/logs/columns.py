"""The meaning of each column of the tables, for the page docs/logs-tables.md.

Not here: names and types, which the schemas have (`genstamp.logs.tables`, `genstamp.logs.event_columns`).
"""

from collections.abc import Mapping
from typing import NamedTuple

from genstamp.logs.tables import ROLES_MAX


class Column(NamedTuple):
    """One column.

    Attributes:
        meaning: what it holds.
        unit: what a number counts; "" for none.
        null: when it has no value; "" if it always has one.
    """

    meaning: str
    unit: str = ""
    null: str = ""


class TableText(NamedTuple):
    """One table.

    Attributes:
        row: what one row is.
        columns: by name.
    """

    row: str
    columns: Mapping[str, Column]


_SOURCE = Column("the reader's name for what it read: `hdfs-namenode-log`, `hdfs-edits`, ...")
_NAMESPACE = Column("the cluster: block pool id, else what `--group` names, else the source's first file")
_NODE = Column(
    "the node that wrote it: `namenode`, `namenode:PORT` where one file has several, a datanode's address, a client"
)
_KIND = Column("`file`, `block`, `replica`, `lease` or `node`")
_PLACE = Column("file, as it was given or found, and line; in an edit log the record; both from 1")

EVENTS = TableText(
    "one step of the protocol as one node saw it. The order of rows has no meaning.",
    {
        "source": _SOURCE,
        "node": _NODE,
        "node_sequence": Column("rises with each event of a node; by one where nothing is missing"),
        "time_us": Column(
            "the node's own clock; never compare two nodes by it",
            "µs since 1970, as if the log's local time were UTC",
            "the source has no clock",
        ),
        "kind": Column("what `entity` is: `file`, `block`, `replica`, `lease` or `node`"),
        "namespace": _NAMESPACE,
        "entity": Column(
            "block: its id, signed; replica: `<block id>@<datanode>`; file: inode id, or `<path>#<epoch>`, where the"
            " epoch counts creations that were seen and 0 is that of none; lease: its holder; node: its name"
        ),
        "event": Column("the step, as HDFS calls it, in snake case"),
        "refused_with": Column("simple name of the exception", null="the step was not refused"),
        "generation_stamp": Column("of the block or replica, after the step", "a stamp", "the source does not have it"),
        "recovery_id": Column(
            "the stamp that the recovery is to install", "a stamp", "no recovery, or the source does not have it"
        ),
        "num_bytes": Column("length of the block or replica, after the step", "bytes", "the source does not have it"),
        "arguments": Column("who took part: `client`, `file`, `datanode`, `primary`, `holder`, `block`, ..."),
        "observed": Column(
            "what the node shows after the step: `closed`, `closed_before` where a call has closed another's file"
            " past its soft limit before it went on, `new_holder` of a file that is recovered, `block_state`,"
            " `locations`, ..."
        ),
        "place": Column(_PLACE.meaning, null="never, in events that were read"),
    },
)

CONCERNS = TableText(
    "one event and one entity that it concerns: what was checked. An event that concerns several entities has a row"
    " for each; `place` joins it to its event.",
    {
        "namespace": Column("as in `events`"),
        "kind": Column("kind of the entity whose lifecycle the event was checked against"),
        "entity": Column("its key within the namespace and kind"),
        "unit": Column("which story of files it was read from; the events of one unit are ordered by `sequence`"),
        "sequence": Column("rises in the order in which the unit was written"),
        "node": _NODE,
        "rule": Column("number of the rule in `genstamp.logs.rules`, of this version; -1 where none fits"),
        "generation_stamp": Column(
            "as in `events`; for a file, a number that encodes the name of its writer or lease holder",
            "a stamp",
            "the event has none",
        ),
        "recovery_id": Column(
            "as in `events`; for a file, a number that encodes the name of the client that gets its lease",
            "a stamp",
            "the event has none",
        ),
        "num_bytes": Column("as in `events`; null for a file", "bytes", "the event has none"),
        "after": Column(
            "which events of the unit certainly came before on other nodes: each its `sequence` without roles, that is"
            f" divided by {ROLES_MAX}",
            null="no cause is known",
        ),
        "place": _PLACE,
    },
)

VERDICTS = TableText(
    "one key: an entity of a namespace, with its two answers.",
    {
        "namespace": Column("as in `events`; followed by its file if two runs have the same name"),
        "kind": _KIND,
        "entity": Column("as in `events`"),
        "safety": Column(
            "`conformant`: some history that the specification allows has these events; `violated`: none does;"
            " `undetermined`: the check could not decide"
        ),
        "completion": Column(
            "`complete`: its history ended with nothing pending; `unfinished`: it did not; `unknown`: the log"
            " does not show, or its source never logs how such a life ends"
        ),
        "path": Column("`fast`: the order given decided; `slow`: other orders of several nodes' events were tried"),
        "events": Column("how many events concern it", "events"),
        "states": Column(
            "the states that the log shows at the end; before the rejected event, if one was", "HDFS' names"
        ),
        "rejected_event": Column(
            "the first event that no allowed history has at its place", null="nothing was rejected"
        ),
        "states_before": Column("the states that were possible before it", "HDFS' names", "nothing was rejected"),
        "failed": Column("the check that failed, with its values; or why it is undetermined", null="conformant"),
        "accepted": Column("the nearest event that would have been accepted instead", null="nothing was rejected"),
        "place": Column("of the rejected event", null="nothing was rejected"),
    },
)

COVERAGE = TableText(
    "how often something occurs in a file.",
    {
        "source": Column("as in `events`; of lines and remarks the kind of reader: `log`, `edit log`, ..."),
        "file": Column("as it was given or found"),
        "what": Column(
            "`event`; `line`: a line or record that is no event; `remark`: a gap, or something that has no key"
        ),
        "name": Column("of the event, or what the line or remark is"),
        "count": Column("how often", "events, lines or records"),
    },
)

STEPS = TableText(
    "one edge of a lifecycle that events of a part of the keys stood for; rows of one edge add up. Events are followed"
    " in the order given, up to the first that is rejected there.",
    {
        "kind": _KIND,
        "event": Column("of the lifecycle, as the diagrams show it"),
        "before": Column("id of the state in which it happened"),
        "after": Column("id of the state to which it led; `deleted` for a file that is gone"),
        "seen": Column("how often an event can only have been this step", "events"),
        "perhaps": Column("how often an event may have been this step or another", "events"),
    },
)

REJECTS = TableText(
    "something that should have been read and could not be. A run with such a row is never conformant.",
    {
        "source": Column("kind of reader; `none` for a file that no reader takes"),
        "place": Column(f"{_PLACE.meaning}; line 0 for a whole file"),
        "reason": Column("what is wrong"),
        "text": Column("the text at that place, escaped and cut; empty for bytes that are not text"),
    },
)

COLUMNS: Mapping[str, TableText] = {
    "events": EVENTS,
    "concerns": CONCERNS,
    "verdicts": VERDICTS,
    "coverage": COVERAGE,
    "steps": STEPS,
    "rejects": REJECTS,
}
"""Every table that is written, in the order of the page."""
