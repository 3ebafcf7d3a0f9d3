"""The event that every protocol step leaves behind, refusals included, and its form as a JSON line.

The columns, their order and their types are the schema that all sources of events share (foreign logs and traces
of the model too), so a run of this implementation can be judged by whatever judges those.

Not here: writing to files. An `EventLog` only collects; what to do with the events is the driver's business.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, Protocol, TypedDict, Unpack

import msgspec

from genstamp_dfs.errors import MalformedEventError

SOURCE = "genstamp-dfs"


class Place(msgspec.Struct, frozen=True):
    """Where an event was read: file and line (from 1). Events produced here have none."""

    file: str
    line: int | None = None


class Event(msgspec.Struct, frozen=True):
    """One protocol step at one node.

    Attributes:
        source: who produced the event.
        node: "namenode", or the name of a datanode or client.
        node_sequence: rises by one for each event of a node, from 1.
        time_us: virtual time in microseconds; never compared across nodes.
        kind: kind of the entity: "file", "block", "replica", "lease" or "node".
        namespace: block pool id; keeps the blocks of two clusters apart.
        entity: key within the kind: path, block id, "<block id>@<datanode>", holder, or node name.
        event: the step, in snake case.
        refused_with: Hadoop's simple exception name if the step was refused.
        generation_stamp: stamp of the block or replica that the step handled.
        recovery_id: stamp that the recovery of this step will install.
        num_bytes: length in bytes, after the step.
        arguments: who took part.
        observed: what the answering node shows after the step.
        place: where the event was read.
    """

    source: str
    node: str
    node_sequence: int
    time_us: int | None
    kind: str
    namespace: str
    entity: str
    event: str
    refused_with: str | None = None
    generation_stamp: int | None = None
    recovery_id: int | None = None
    num_bytes: int | None = None
    arguments: dict[str, str] = msgspec.field(default_factory=dict)
    observed: dict[str, str] = msgspec.field(default_factory=dict)
    place: Place | None = None


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Event)


def encode_line(event: Event) -> bytes:
    """The event as one JSON line, newline included; columns in the order of the schema.

    >>> event = Event("genstamp-dfs", "client1", 1, 0, "node", "BP-0", "client1", "client_crash")
    >>> decode_line(encode_line(event)) == event
    True
    """
    return _ENCODER.encode(event) + b"\n"


def encode_lines(events: Iterable[Event]) -> bytes:
    """The events as JSON lines, in order."""
    return b"".join(encode_line(event) for event in events)


def decode_line(line: bytes | str) -> Event:
    """The event that a JSON line holds.

    Raises:
        MalformedEventError: the line is not JSON, or a column is missing or of another type.
    """
    try:
        return _DECODER.decode(line)
    except msgspec.MsgspecError as problem:
        raise MalformedEventError(f"not an event: {problem}") from problem


def decode_lines(text: bytes) -> list[Event]:
    """The events of a text of JSON lines, in order; blank lines are skipped.

    Raises:
        MalformedEventError: as `decode_line`, for the first line that is no event.
    """
    return [decode_line(line) for line in text.splitlines() if line.strip()]


class Step(TypedDict):
    """What a node says of a step that it took or refused; the columns are those of `Event`."""

    node: str
    time_us: int
    kind: str
    entity: str
    event: str
    arguments: Mapping[str, str]
    refused_with: NotRequired[str | None]
    generation_stamp: NotRequired[int | None]
    recovery_id: NotRequired[int | None]
    num_bytes: NotRequired[int | None]
    observed: NotRequired[Mapping[str, str] | None]


class EventSink(Protocol):
    """Whatever takes the events of a node."""

    def record(self, **step: Unpack[Step]) -> object:
        """Take an event; its place in the order of its node is where it is taken."""


def event_of(step: Step, node_sequence: int, namespace: str) -> Event:
    """The event of a step of this implementation, under its node's number."""
    shown: dict[str, Any] = {**step, "arguments": dict(step["arguments"]), "observed": dict(step.get("observed") or {})}
    return Event(source=SOURCE, node_sequence=node_sequence, namespace=namespace, **shown)


class EventLog:
    """Collects the events of one run and numbers them by node."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self.events: list[Event] = []
        self._sequences: dict[str, int] = {}
        self._handed_over = 0

    def record(self, **step: Unpack[Step]) -> Event:
        """Append an event under the node's next number, and return it."""
        node = step["node"]
        self._sequences[node] = self._sequences.get(node, 0) + 1
        recorded = event_of(step, self._sequences[node], self.namespace)
        self.events.append(recorded)
        return recorded

    def hand_over(self) -> list[Event]:
        """The events that no earlier call handed over, in order."""
        fresh = self.events[self._handed_over :]
        self._handed_over = len(self.events)
        return fresh
