"""Maps the events of a run of GFS to steps of gfs.mutation_order: the order of one lease, and who keeps it.

The notes on the mutations of a lease in `mutations` apply.

Not here: offsets and padding (`record_append`), and what is written; mutations of a lease beyond the first
`FOLLOWED`.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from genstamp.events import Event
from genstamp.lockstep.gfs.mutations import MutationsProjection, more_than, place, step

FOLLOWED: Final = 20
"""The number of mutations of one lease that are followed: a model of more is slower, and few leases have more."""

MORE: Final = more_than(FOLLOWED)

PIECE: Final = "piece"


class MutationOrderProjection(MutationsProjection):
    """The projection of one run on gfs.mutation_order.

    Args:
        chunkservers: their names.
    """

    unseen: Mapping[str, Mapping[str, Sequence[str]]] = {}
    impossible = frozenset({"answer_failure"})
    told_apart: Mapping[str, str] = {}
    forgotten = ("content", "failed", "last_of", "leases", "newest", "overlapped", "skipped", "stands")

    def __init__(self, chunkservers: Sequence[str]) -> None:
        super().__init__(chunkservers, FOLLOWED)
        self.members = {"Client": self._clients, "Piece": (PIECE,), "Chunkserver": self._chunkservers}

    def of_client(self, serial: int) -> dict[str, str]:
        """A client writes one piece."""
        return {**super().of_client(serial), "piece": PIECE}

    def ordered(self, event: Event) -> Event:
        """Writes, appends and padding are all mutations."""
        ordered = step("order_mutation")
        ordered.observed.update(serial=place(event), primary=event.node)
        return ordered

    def at_secondary(self, event: Event) -> Event:
        """In the primary's order."""
        applied = step(event.event, chunkserver=event.node)
        applied.observed["serial"] = place(event)
        return applied

    def answered(self, event: Event) -> Event:
        """All replicas have it."""
        answer = step("answer", **self.of_client(int(event.arguments["serial"])))
        answer.observed["serial"] = place(event)
        return answer
