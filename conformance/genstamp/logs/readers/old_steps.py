"""The steps that Hadoop 0.20 logs of a block and its replicas, for both readers.

Not here: the two forms in which they come: lines (`merged_log`) and sequences of event ids (`sequences`). In neither
is it known on which datanode a replica is, nor the order between nodes, nor, within a second, that of one node.
"""

from typing import NamedTuple

from genstamp.events import Event, Kind, Place
from genstamp.logs.readers.log_state import NAMENODE, UNKNOWN
from genstamp.logs.readers.sighting import Concern, Sighting
from genstamp.logs.rules.unplaced import UNPLACED


class Step(NamedTuple):
    """The step that a line reports.

    Attributes:
        event: its name.
        at_namenode: whether the NameNode logs it.
        observed: what else it says.
        refused_with: why it failed, if it did.
    """

    event: str
    at_namenode: bool = False
    observed: tuple[tuple[str, str], ...] = ()
    refused_with: str | None = None


ALLOCATED = Step("add_block", True)
RECEIVING = Step("write_block")
WRITE_FAILED = Step("write_block", refused_with="IOException")
RESPONDER_ENDS = Step("packet_responder_ends")
RECEIVED = Step("finalize_replica")
TRANSFER_STARTS = Step("transfer_starts")
TRANSFER_ENDS = Step("transfer_ends")
TRANSFER_FAILS = Step("transfer_fails")
ASKED_TO_REPLICATE = Step("ask_to_replicate", True)
REPLICATION_TIMES_OUT = Step("replication_times_out", True)
STORED = Step("add_stored_block", True, (("block_map", "updated"),))
STORED_AGAIN = Step("add_stored_block", True, (("block_map", "redundant"),))
INVALIDATED = Step("add_to_invalidates", True)
OF_NO_FILE = Step("block_received", True, (("block_state", "none"),))
NOT_NEEDED = Step("drop_needed_replication", True)
ASKED_TO_DELETE = Step("ask_to_delete", True)
DELETING = Step("invalidate_replica")
NOTHING_TO_DELETE = Step("invalidate_absent_replica")

_IN_ORDER_OF_A_LIFE = (
    ALLOCATED,
    RECEIVING,
    WRITE_FAILED,
    RESPONDER_ENDS,
    RECEIVED,
    STORED,
    STORED_AGAIN,
    ASKED_TO_REPLICATE,
    REPLICATION_TIMES_OUT,
    TRANSFER_STARTS,
    TRANSFER_ENDS,
    TRANSFER_FAILS,
    INVALIDATED,
    OF_NO_FILE,
    NOT_NEEDED,
    ASKED_TO_DELETE,
    DELETING,
    NOTHING_TO_DELETE,
)

RANKS = {(step.event, step.observed): rank for rank, step in enumerate(_IN_ORDER_OF_A_LIFE)}
"""Where the order is not known, any order may be taken: that in which a block lives."""


def rank(step: Step) -> int:
    """The place of a step in the life of a block."""
    return RANKS[step.event, step.observed]


class OldSteps:
    """Makes events of steps, numbered by node.

    Args:
        source: name of the source of these events.
        namespace: of the blocks; such logs name none.
    """

    def __init__(self, source: str, namespace: str) -> None:
        self._source = source
        self._namespace = namespace
        self._order = 0
        self._sequences: dict[str, int] = {}

    def seen(
        self,
        place: Place,
        step: Step,
        block_id: str,
        *,
        datanode: str = "",
        time_us: int = 0,
        generation_stamp: int | None = None,
        num_bytes: int | None = None,
        **arguments: str,
    ) -> Sighting:
        """The event of a step.

        Args:
            place: where it stands.
            step: which.
            block_id: decimal, possibly negative.
            datanode: which the line is about; the one that logged it, unless the NameNode did.
            time_us: when.
            generation_stamp, num_bytes: of the block, if the line gives it.
            arguments: what else the line says.
        """
        kind: Kind = "block" if step.at_namenode else "replica"
        node = NAMENODE if step.at_namenode else datanode or UNKNOWN
        if step.at_namenode and datanode:
            arguments["datanode"] = datanode
        self._order += 1
        self._sequences[node] = self._sequences.get(node, 0) + 1
        event = Event(
            source=self._source,
            node=node,
            node_sequence=self._sequences[node],
            time_us=time_us,
            kind=kind,
            namespace=self._namespace,
            entity=block_id if step.at_namenode else f"{block_id}@{node}",
            event=step.event,
            refused_with=step.refused_with,
            generation_stamp=generation_stamp,
            recovery_id=None,
            num_bytes=num_bytes,
            arguments={name: value for name, value in arguments.items() if value},
            observed=dict(step.observed),
            place=place,
        )
        role = "" if step is ALLOCATED else UNPLACED
        return Sighting(self._order, event, [Concern("block", block_id, role)])
