"""State that is kept for one generation of a block while a run is read: its replicas, stamps and lengths."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto


class Kept(Enum):
    """The state of a location's replica, in the model's terms."""

    NOTHING = auto()
    WRITTEN = auto()
    FINALIZED = auto()
    RECOVERED = auto()
    WAITING = auto()


@dataclass
class Location:
    """A datanode that has a replica of this generation, or shall have one.

    Attributes:
        word: its name in the model.
        kept: what it has.
        stamp: of its replica, as the run counts.
        rank: length of its replica.
        is_up: it runs, in the model.
        is_counted: its finalized replica was reported to the NameNode.
    """

    word: str
    stamp: int
    kept: Kept = Kept.NOTHING
    rank: int = 0
    is_up: bool = True
    is_counted: bool = False


@dataclass
class Generation:
    """A block from the set-up of one pipeline on.

    Attributes:
        block, inode: whose.
        writer: the client that has set the pipeline up.
        key: under which it is checked.
        locations: by the datanode's name.
        stamps: the run's stamps -> the model's.
        is_over: it is not checked any further.
        is_closed: its block is COMPLETE and it has no writer, in the model.
        is_committed: it is closed, or another block follows it in its file.
        is_removed: it is out of the block map.
        is_sent: its last packet is sent, in the model.
        reported: recoveries whose primary has reported to the NameNode, in the model.
        carried_out: calls of its writer that the NameNode has carried out.
        answered, timed_out: calls of recoveries that were carried out or have timed out, in the model.
        primaries: who leads a recovery.
        transaction: of the NameNode's last edit about it that is judged.
        released_us: when its last recovery was started, by the NameNode's clock.
    """

    block: str
    inode: str
    writer: str
    key: str
    locations: dict[str, Location]
    stamps: dict[int, int]
    is_over: bool = False
    is_closed: bool = False
    is_committed: bool = False
    is_removed: bool = False
    is_sent: bool = False
    reported: set[int] = field(default_factory=set)
    carried_out: set[str] = field(default_factory=set)
    answered: set[tuple[int, str, str]] = field(default_factory=set)
    timed_out: set[tuple[int, str, str]] = field(default_factory=set)
    primaries: dict[int, Location] = field(default_factory=dict)
    transaction: int = 0
    released_us: int = 0

    def new_stamp(self, stamp: int) -> int:
        """A stamp that is given out to this block, as the model counts."""
        self.stamps[stamp] = len(self.stamps) + 1
        return self.stamps[stamp]

    def where(self, *kept: Kept) -> list[Location]:
        """The locations that have one of these."""
        return [location for location in self.locations.values() if location.kept in kept]


def generation(block: str, inode: str, writer: str, stamp: int, datanodes: Sequence[str]) -> Generation:
    """A new generation, without a replica yet.

    Args:
        block, inode, writer: as in `Generation`.
        stamp: which the NameNode has given out for it.
        datanodes: its locations, in order.
    """
    locations = {name: Location(LOCATIONS[number], stamp) for number, name in enumerate(datanodes)}
    return Generation(block, inode, writer, f"block {block} of {stamp}", locations, {stamp: 1})


LOCATIONS = ("first", "second", "third", "fourth")
"""Names of datanodes in the model of one generation, in the order of its locations."""
