"""Makes the events of an edit log, each from the operation that is being replayed."""

from collections.abc import Callable
from itertools import count

from genstamp.events import Event, Place
from genstamp.logs.readers.edit_ops import EditOp
from genstamp.logs.readers.sighting import Concern, Reject, Sighting, Unit
from genstamp.logs.sources.edits import edits_source

NAMENODE = "namenode"
"""The node that edits are events of, and the key of its counters of stamps and block ids."""


class EditEvents:
    """Makes events of one operation after another.

    Args:
        unit: the log.
        order: gives the place of the next event among those of the unit; needed if others make events of it, too.

    Attributes:
        file, op: the operation, and the file that it is in.
    """

    def __init__(self, unit: Unit, order: Callable[[], int] | None = None) -> None:
        self._unit = unit
        self._next = order or count(1).__next__
        self.file = ""
        self.op = EditOp(0, 0, None, "")

    def seen(
        self,
        event: str,
        *concerns: Concern,
        observed: dict[str, str] | None = None,
        stamp: int | None = None,
        recovery_id: int | None = None,
        num_bytes: int | None = None,
        **arguments: str,
    ) -> Sighting:
        """An event of the operation.

        Args:
            event: its name in the event schema.
            concerns: the entities that it concerns, and first the one that it is about; without any, it is about the
                operation's path.
            observed: further values, as in `Event`.
            stamp, recovery_id, num_bytes: its numbers, as in `Event`.
            arguments: its arguments, as in `Event`; those that are empty are left out.
        """
        about = concerns[0] if concerns else Concern("file", self.op.path)
        txid = "" if self.op.txid is None else str(self.op.txid)
        made = Event(
            source=edits_source(self.op.layout_version),
            node=NAMENODE,
            node_sequence=self._next(),
            kind=about.kind,
            namespace=self._unit.namespace,
            entity=about.entity,
            event=event,
            generation_stamp=stamp,
            recovery_id=recovery_id,
            num_bytes=num_bytes,
            arguments={name: value for name, value in {**arguments, "txid": txid}.items() if value},
            observed=observed or {},
            place=Place(self.file, self.op.record),
        )
        return Sighting(made.node_sequence, made, concerns)

    def reject(self, reason: str) -> Reject:
        """The operation as one that could not be read."""
        return Reject(Place(self.file, self.op.record), reason, self.op.name)
