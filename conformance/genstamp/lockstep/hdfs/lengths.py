"""The lengths of blocks that a NameNode gets in a run, by their order.

A model counts bytes one by one, a run has thousands; but the NameNode only compares lengths, so that they can be
renamed by rank: the shortest length that is reported for a block is 1.

Not here: whose the lengths are.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from genstamp.events import Event


@dataclass
class Told:
    """The lengths that the NameNode gets in the whole run.

    Attributes:
        by_event: number of an event of the NameNode -> the reported block and its length.
        in_order: block -> the numbers of these events and the lengths, in order.
    """

    by_event: dict[int, tuple[str, int]]
    in_order: dict[str, list[tuple[int, int]]]
    _said: dict[str, int] = field(default_factory=dict)

    def is_told(self, event: Event) -> int | None:
        """The NameNode is told with this event: of how much, by rank; None where it is told of nothing."""
        told = self.by_event.get(event.node_sequence)
        if told is None:
            return None
        block, num_bytes = told
        self._said[block] = event.node_sequence
        return self._rank(block, num_bytes)

    def next_rank(self, block: str) -> int:
        """The length of a block that it gets next, by rank; 0 if there is none."""
        said = self._said.get(block, -1)
        following = (length for number, length in self.in_order.get(block, ()) if number > said)
        return next((self._rank(block, length) for length in following), 0)

    def _rank(self, block: str, num_bytes: int) -> int:
        lengths = sorted({length for _, length in self.in_order[block]})
        return lengths.index(num_bytes) + 1


def told_lengths(events: Sequence[Event], is_repetition: Callable[[Event], bool]) -> Told:
    """The lengths that a NameNode gets in a run, by the calls that it has carried out, without repetitions."""
    told = Told({}, defaultdict(list))
    last: dict[str, list[str]] = defaultdict(list)
    for event in events:
        if event.node != "namenode" or event.refused_with is not None or is_repetition(event):
            continue
        found = _told(event, last)
        if found is not None:
            told.by_event[event.node_sequence] = found
            told.in_order[found[0]].append((event.node_sequence, found[1]))
    return told


def _told(event: Event, blocks: dict[str, list[str]]) -> tuple[str, int] | None:
    inode, block = event.arguments.get("inode", ""), event.arguments.get("block", "")
    passed = event.arguments.get("passed_bytes")
    known = blocks[inode]
    match event.event:
        case "add_block":
            before = known[-1] if known and known[-1] != block else None
            if block not in known:
                known.append(block)
            return None if before is None or passed is None else (before, int(passed))
        case "abandon_block" if block in known:
            known.remove(block)
        case "complete" | "fsync" if passed is not None and block:
            return block, int(passed)
        case "commit_block_synchronization":
            if event.observed.get("deleted") == "true" and block in known:
                known.remove(block)
            elif event.num_bytes is not None:
                return block, event.num_bytes
    return None
