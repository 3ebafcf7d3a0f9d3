"""What the rest of a run says of a block: its lengths, calls without an answer, and what a datanode does next.

A model takes a call and its answer as one step, and shows nothing of who is down; a run tells such things later. All
that a projection has to know in advance is collected here, in one pass over the run.

Not here: what follows from it (`block`).
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from genstamp.events import Event

CALLS = {"init_replica_recovery_failed": "init_replica_recovery", "update_replica_failed": "update_replica"}
"""What a primary reports for an unanswered call, and the call."""


@dataclass
class Foretold:
    """Facts about a whole run, by block.

    Attributes:
        lengths: lengths that replicas of a block have, in order.
        unanswered: calls of primaries without an answer, as (block, recovery id, call, datanode).
        asked: (block, recovery id) -> the datanodes that a primary has asked for their replica.
        dropped: recoveries whose primary has registered again meanwhile, and so may have ended them.
        decided: recoveries whose primary has heard of all locations that its command names, and was not preempted.
    """

    lengths: dict[str, list[int]] = field(default_factory=dict)
    unanswered: set[tuple[str, int, str, str]] = field(default_factory=set)
    asked: dict[tuple[str, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    dropped: set[tuple[str, int]] = field(default_factory=set)
    decided: set[tuple[str, int]] = field(default_factory=set)
    _at_replica: dict[tuple[str, str], tuple[list[int], list[str]]] = field(default_factory=dict)

    def rank(self, block: str, num_bytes: int) -> int:
        """A length by its order among those of the block; no byte is 0."""
        return bisect_right(self.lengths.get(block, []), num_bytes)

    def comes_back_next(self, block: str, datanode: str, position: int) -> bool:
        """Whether a datanode does nothing more with the block from here on before it restarts."""
        positions, events = self._at_replica.get((block, datanode), ([], []))
        following = bisect_right(positions, position)
        return following == len(events) or events[following] == "restart"


def foretell(events: Sequence[Event]) -> Foretold:
    """The facts about blocks that a run gives."""
    told = Foretold()
    lengths: dict[str, set[int]] = defaultdict(set)
    preempted: set[tuple[str, int]] = set()
    led: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for position, event in enumerate(events):
        if event.node == "namenode":
            if event.event == "register_datanode":
                told.dropped |= led.pop(event.arguments["datanode"], set())
            continue
        if event.kind == "replica":
            block = event.entity.partition("@")[0]
            if event.num_bytes:
                lengths[block].add(event.num_bytes)
            positions, names = told._at_replica.setdefault((block, event.node), ([], []))
            positions.append(position)
            names.append(event.event)
            if event.event == "init_replica_recovery" and event.recovery_id is not None:
                told.asked[block, event.recovery_id].add(event.node)
                if event.refused_with == "RecoveryInProgressException":
                    preempted.add((block, event.recovery_id))
        elif event.recovery_id is not None:
            if event.event == "receive_recovery_command":
                led[event.node].add((event.entity, event.recovery_id))
            elif event.event != "abandon_recovery":
                # It has gone on, and gives up for a reason of its own if it does.
                told.dropped.discard((event.entity, event.recovery_id))
            _of_primary(event, told, preempted | told.dropped)
    told.lengths = {block: sorted(found) for block, found in lengths.items()}
    return told


def _of_primary(event: Event, told: Foretold, preempted: Set[tuple[str, int]]) -> None:
    assert event.recovery_id is not None
    block, recovery_id = event.entity, event.recovery_id
    if event.event in CALLS:
        datanode = event.arguments["datanode"]
        told.unanswered.add((block, recovery_id, CALLS[event.event], datanode))
        if event.event == "init_replica_recovery_failed":
            told.asked[block, recovery_id].add(datanode)
    elif event.event == "sync_block" or (event.event == "abandon_recovery" and (block, recovery_id) not in preempted):
        told.decided.add((block, recovery_id))
