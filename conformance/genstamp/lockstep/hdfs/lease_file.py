"""State that is kept for a file while a run is read: names, stamps, blocks, who writes it."""

from dataclasses import dataclass, field


@dataclass
class Inode:
    """The state that is kept for a file.

    Attributes:
        key: under which it is checked.
        path: where it is.
        owner: whose calls its lease allows; None: nobody's.
        stamps: the run's stamps -> the model's.
        blocks: ids of its blocks.
        written: of its last block, by rank.
        ended: ids of the recoveries whose end was reported to the NameNode.
        is_written: its last block is open, so that its writer can write on.
        has_restarted: the NameNode has restarted since the last block was added.
        is_gone: it was deleted, or overwritten.
        is_judged: its events are checked against the model.
        callers: clients that have opened it.
        successor: the file that has overwritten it.
    """

    key: str
    path: str
    owner: str | None = None
    stamps: dict[int, int] = field(default_factory=dict)
    given_out: int = 0
    blocks: list[str] = field(default_factory=list)
    stamp_of: dict[str, int] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)
    ended: set[int] = field(default_factory=set)
    is_written: bool = False
    has_restarted: bool = False
    is_gone: bool = False
    is_judged: bool = True
    callers: set[str] = field(default_factory=set)
    successor: "Inode | None" = None

    def is_reported_empty(self) -> bool:
        """Its last block has no byte here, and the nodes that knew of its replicas have lost that knowledge."""
        return self.has_restarted and self.is_written and not self.written.get(self.blocks[-1], 0)

    def latest(self) -> "Inode":
        """The file that is in its place now; itself, unless it was overwritten."""
        return self if self.successor is None else self.successor.latest()

    def closed(self) -> None:
        """The file has no writer any more."""
        self.owner, self.is_written = None, False
