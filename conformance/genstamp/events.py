"""The one event that implementations, foreign logs and model traces are turned into.

Not here: what an event means (see `genstamp.logs.rules` and the systems of the specification) and its columns in Arrow
(`genstamp.logs.tables`).
"""

from typing import Annotated, Literal, get_args

import msgspec

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
