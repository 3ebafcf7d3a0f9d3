"""Maps the events of a run of GFS to steps of gfs.record_append: the appends to one chunk under one lease.

The notes on the mutations of a lease in `mutations` apply; so records that stand twice are those of two clients.

Offsets of a run are bytes; those of the model have room for one record each. The contents of the primary's replica when
it recorded the version of the lease count as one record. The next offset is its end, and each later offset is the end
of a record of the primary. A record that the primary puts anywhere but at its own end has an offset that the model does
not know, and so has one that a secondary puts elsewhere, or that is answered with another. Whether a record fits is
told by its length, which its client's push shows, and by that of a chunk that is padded. A secondary whose replica ends
before the end of what it says to have applied has put it elsewhere.

Not here: chunks that are written too, as a write goes where its client likes; what is in a replica, and how long those
of the secondaries are otherwise; which chunk comes next; mutations of a lease beyond the first `FOLLOWED`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from genstamp.events import Event
from genstamp.lockstep.gfs.mutations import MUTATION, MutationsProjection, more_than, place, step
from genstamp.lockstep.projection import LeftOut, Projected, Step

FOLLOWED: Final = 20
"""The number of mutations of one lease that are followed: a model of more is slower, and few leases have more."""

MORE: Final = more_than(FOLLOWED)
WRITTEN: Final = "of a chunk that is written too: gfs.mutation_order"
FULL: Final = "the answer to a client that found the chunk full"

_OF_SECONDARY: Final = {"apply_mutation": "apply_append", "fail_to_apply": "fail_to_apply"}

BEFORE: Final = "before"
"""The author of the record that represents the chunk's contents before the lease."""

NOWHERE: Final = "none"
"""The model's offset of padding."""


_Key: TypeAlias = tuple[str, int | None]


class RecordAppendProjection(MutationsProjection):
    """The projection of one run on gfs.record_append.

    Args:
        chunkservers: their names.
    """

    unseen: Mapping[str, Mapping[str, Sequence[str]]] = {}
    impossible = frozenset({"answer_failure", "fail_to_apply_in_part", "add_chunk"})
    told_apart: Mapping[str, str] = {}
    forgotten = ("content", "leases", "chunks", "told")

    def __init__(self, chunkservers: Sequence[str]) -> None:
        super().__init__(chunkservers, FOLLOWED)
        self._names = tuple(f"offset {number}" for number in range(FOLLOWED + 2))
        clients = (*self._clients, BEFORE)
        self.members = {"Client": clients, "Offset": self._names, "Chunkserver": self._chunkservers}
        self._chunk_bytes: float = math.inf
        self._offsets: dict[_Key, dict[int, str]] = {}  # bytes at which a record of the lease ends -> their name
        self._padded: dict[_Key, tuple[str, int]] = {}  # the serial number of the padding, and where it begins
        self._ends: dict[tuple[_Key, str], int] = {}  # by serial number: where the mutation ends at the primary
        self._lengths: dict[tuple[str, str], int] = {}  # chunkserver and chunk -> bytes, when it recorded a version
        self._pushed: dict[str, int] = {}  # data -> bytes

    def project(self, events: Sequence[Event]) -> Iterator[tuple[Event, list[Projected]]]:
        """Each event of a run, with what it is to the system.

        A run does not say how long its chunks are; what is padded is that long.
        """
        padded = [event.num_bytes for event in events if event.event == "pad_chunk" and event.num_bytes is not None]
        self._chunk_bytes = min(padded, default=math.inf)
        written = {event.entity for event in events if event.event == "order_mutation"}
        for event in events:
            self._hear_of_lengths(event)
            is_of_lease = event.event in MUTATION or event.event == "learn_lease"
            if is_of_lease and event.entity in written:
                yield event, [LeftOut(WRITTEN)]
            elif event.event == "answer" and self._padded.get(_key(event), ("",))[0] == event.arguments["serial"]:
                yield event, [LeftOut(FULL)]
            else:
                yield event, [self._projected(event)]

    def _hear_of_lengths(self, event: Event) -> None:
        match event.event:
            case "record_version" if event.num_bytes is not None:
                self._lengths[event.node, event.entity] = event.num_bytes
            case "push_data" | "retry" if event.num_bytes is not None:
                self._pushed[event.arguments["data"]] = event.num_bytes
            case "learn_lease":
                begins = self._lengths.get((event.node, event.entity), 0)
                self._offsets.setdefault(_key(event), dict(zip(sorted({0, begins}), self._names, strict=False)))

    def before(self, event: Event) -> list[Step]:
        """A record under an earlier lease, if something is in the primary's replica."""
        if not self._lengths.get((event.node, event.entity)):
            return []
        client = {"client": BEFORE}
        granted = step("grant_lease", chunkserver=event.node, left_out="none")
        return [granted, step("push_data", **client), step("order_append", **client), step("time_out", **client)]

    def ordered(self, event: Event) -> Event:
        """A record at the primary's end, or padding."""
        begins, data = int(event.arguments["offset"]), event.arguments["data"]
        assert event.num_bytes is not None, "an order tells where it ends"
        ends = begins + self._pushed.get(data, event.num_bytes - begins)
        self._ends[_key(event), event.arguments["serial"]] = event.num_bytes
        ordered = step(event.event)
        ordered.observed.update(serial=place(event), primary=event.node, fits=str(ends <= self._chunk_bytes).lower())
        if event.event == "pad_chunk":
            self._padded[_key(event)] = event.arguments["serial"], begins
        else:
            ordered.observed["offset"] = self._offset(event)
            offsets = self._offsets.setdefault(_key(event), {})
            offsets.setdefault(ends, self._names[len(offsets)])
        return ordered

    def at_secondary(self, event: Event) -> Event:
        """At the offset that the primary has chosen."""
        applied = step(_OF_SECONDARY[event.event], chunkserver=event.node)
        applied.observed.update(serial=place(event), offset=self._offset(event))
        return applied

    def answered(self, event: Event) -> Event:
        """With the offset."""
        answer = step("answer", **self.of_client(int(event.arguments["serial"])))
        answer.observed.update(serial=place(event), offset=self._offset(event))
        return answer

    def _offset(self, event: Event) -> str:
        """The model's name for the offset of an event."""
        byte = int(event.arguments["offset"])
        offsets = self._offsets.get(_key(event), {})
        ends = self._ends.get((_key(event), event.arguments["serial"]), 0)
        if event.event == "apply_mutation" and event.num_bytes is not None and byte in offsets:
            byte += min(0, event.num_bytes - ends)
        if self._padded.get(_key(event)) == (event.arguments["serial"], byte):
            return NOWHERE
        return offsets.get(byte, f"byte {byte}")


def _key(event: Event) -> _Key:
    """The lease of an event: its chunk and version."""
    return event.entity, event.generation_stamp
