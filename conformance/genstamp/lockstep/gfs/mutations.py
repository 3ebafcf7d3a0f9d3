"""Maps the events of a run of GFS to the mutations of one chunk under one lease, for any system.

A lease begins where its primary learns of it; chunkservers that it does not name are left out by the model's master.
Each serial number that the primary gives is the mutation of a client of its own, so that it is known which one a
replica applies, and which one is answered. A secondary that continues with a later serial number has failed those
before. A failure that the primary answers is the end of the client's waiting, as not all replicas need have answered.

Not here: what the steps show of a mutation, which is each system's own; clients that hear of a failure and try again,
since each attempt that is ordered has a serial number of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from genstamp.events import Event
from genstamp.lockstep.projection import Entity, Happened, LeftOut, Projected, Step, model_step

MASTERS: Final = "what the master does: gfs.chunk_lease, gfs.master_log"
REPLICAS: Final = "versions, leases and copies of a chunkserver: gfs.chunk_lease"
WAITING: Final = "a client pushes, tries again, or hears of a failure or of a full chunk"
HEARD: Final = "a client hears once more of a mutation that succeeded"
AGAIN: Final = "a grant that arrives again"

ORDERS: Final = frozenset({"order_mutation", "order_append", "pad_chunk"})
ATTEMPTS: Final = frozenset({"push_data", "retry", "hear_failure", "hear_full"})
MUTATION: Final = ORDERS | {"fail_at_primary", "apply_mutation", "fail_to_apply", "answer", "acknowledge"}


@dataclass
class Lease:
    """One lease of one chunk, and what was ordered under it.

    Attributes:
        key: under which it is checked.
        data: of each mutation, by serial number; None of padding.
        heard: serial numbers of which a client has heard that they succeeded.
        processed: secondary -> the last serial number that it has applied or failed.
        has_tried: the next mutation has failed at the primary before.
        is_over: it is not checked any further.
    """

    key: str
    data: list[str | None] = field(default_factory=list)
    heard: set[int] = field(default_factory=set)
    processed: dict[str, int] = field(default_factory=dict)
    has_tried: bool = False
    is_over: bool = False

    def serial_of(self, data: str) -> int | None:
        """The last serial number that was given to some data."""
        found = [serial for serial, one in enumerate(self.data, start=1) if one == data]
        return found[-1] if found else None


class MutationsProjection:
    """The common part of the projections of mutations.

    Args:
        chunkservers: their names.
        followed: so many mutations of one lease are followed.
    """

    def __init__(self, chunkservers: Sequence[str], followed: int) -> None:
        self._chunkservers = tuple(chunkservers)
        self._followed = followed
        self._clients = tuple(f"m{number}" for number in range(1, followed + 1))
        self._more = more_than(followed)
        self._leases: dict[tuple[str, int | None], Lease] = {}

    # -- each system's own --------------------------------------------------------------------------------------------

    def of_client(self, serial: int) -> dict[str, str]:
        """The arguments of a step of the client of a mutation."""
        return {"client": self._clients[serial - 1]}

    def ordered(self, event: Event) -> Event:
        """The primary gives a serial number."""
        raise NotImplementedError

    def at_secondary(self, event: Event) -> Event:
        """A secondary applies a mutation, or fails to."""
        raise NotImplementedError

    def answered(self, event: Event) -> Event:
        """The primary answers that a mutation has succeeded."""
        raise NotImplementedError

    def before(self, _event: Event) -> list[Step]:
        """The state before a lease."""
        return []

    # -- events -----------------------------------------------------------------------------------------------------

    def project(self, events: Sequence[Event]) -> Iterator[tuple[Event, list[Projected]]]:
        """Each event of a run, with what it is to the system."""
        for event in events:
            yield event, [self._projected(event)]

    def _projected(self, event: Event) -> Projected:
        if event.event == "learn_lease":
            return self._begun(event)
        if event.event in ATTEMPTS:
            return LeftOut(WAITING)
        if event.event not in MUTATION:
            return LeftOut(MASTERS if event.node == "master" else REPLICAS)
        lease = self._lease(event)
        if lease.is_over:
            return LeftOut(self._more)
        if event.event in ORDERS or event.event == "fail_at_primary":
            return self._at_primary(lease, event)
        if event.event == "acknowledge":
            return self._acknowledged(lease, event)
        if event.event == "answer":
            return Entity(lease.key, (self._answered(event),))
        return Entity(lease.key, self._at_secondary(lease, event))

    def _lease(self, event: Event) -> Lease:
        """The lease under which something is done, whether it was granted or not."""
        key = (event.entity, event.generation_stamp)
        return self._leases.setdefault(key, Lease(f"{event.entity} under version {event.generation_stamp}"))

    def _begun(self, event: Event) -> Projected:
        if (event.entity, event.generation_stamp) in self._leases:
            return LeftOut(AGAIN)
        lease = self._lease(event)
        secondaries = {name for name in event.arguments["secondaries"].split(",") if name}
        left_out = [name for name in self._chunkservers if name != event.node and name not in secondaries]
        granted = [step("grant_lease", chunkserver=event.node, left_out=name) for name in left_out or ["none"]]
        return Entity(lease.key, (*self.before(event), *granted))

    def _at_primary(self, lease: Lease, event: Event) -> Projected:
        if len(lease.data) == self._followed:
            lease.is_over = True
            return LeftOut(self._more, lease.key)
        client = self.of_client(len(lease.data) + 1)
        pushed: Step = step("retry" if lease.has_tried else "push_data", **client)
        lease.has_tried = event.event == "fail_at_primary"
        if lease.has_tried:
            return Entity(lease.key, (pushed, step("fail_at_primary", **client)))
        lease.data.append(None if event.event == "pad_chunk" else event.arguments["data"])
        ordered = self.ordered(event)
        ordered.arguments.update(client)
        return Entity(lease.key, (pushed, ordered))

    def _at_secondary(self, lease: Lease, event: Event) -> tuple[Step, ...]:
        serial = int(event.arguments["serial"])
        missed = serial - 1 - lease.processed.get(event.node, 0)
        lease.processed[event.node] = max(serial, lease.processed.get(event.node, 0))
        failed: list[Step] = [Happened("fail_to_apply", {"chunkserver": event.node})] * max(0, missed)
        return (*failed, self.at_secondary(event))

    def _answered(self, event: Event) -> Event:
        if event.refused_with is not None:
            return step("time_out", **self.of_client(int(event.arguments["serial"])))
        return self.answered(event)

    def _acknowledged(self, lease: Lease, event: Event) -> Projected:
        serial = lease.serial_of(event.arguments["data"])
        if serial in lease.heard:
            return LeftOut(HEARD)
        # Of data that nobody ordered the first mutation is said to have succeeded, which does not fit.
        lease.heard.add(serial or 1)
        return Entity(lease.key, (step("acknowledge", **self.of_client(serial or 1)),))


def more_than(followed: int) -> str:
    """The reason why a lease with more mutations is not checked any further."""
    return f"of more than {followed} mutations under one lease"


def place(event: Event) -> str:
    """The serial number of an event; the model counts them from 0."""
    return str(int(event.arguments["serial"]) - 1)


def step(name: str, **arguments: str) -> Event:
    """A step of the model as an event."""
    return model_step(name, arguments)
