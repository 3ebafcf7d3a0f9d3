"""Shared by the parts of a projection on blocks: their state, and steps of more than one kind of event."""

from collections.abc import Collection
from typing import Generic, Protocol, TypeVar

from genstamp.events import Event
from genstamp.lockstep.hdfs import block_words as words
from genstamp.lockstep.hdfs.block_words import FILE, WRITER
from genstamp.lockstep.hdfs.foretold import Foretold
from genstamp.lockstep.hdfs.generation import Generation, Location
from genstamp.lockstep.projection import LeftOut, Perhaps, Step, model_step


class Judged(Protocol):
    """A block that is checked separately, or a part of its life.

    Attributes:
        key: under which it is checked.
        is_over: it is not checked any further.
    """

    key: str
    is_over: bool

    @property
    def is_committed(self) -> bool:
        """Nothing is lost if it is not checked any further."""


One = TypeVar("One", bound=Judged)


class JudgedBlocks(Generic[One]):
    """The blocks of a run, each with its part that is checked now.

    Args:
        ends: reasons with which a check ends by itself.
    """

    def __init__(self, ends: Collection[str]) -> None:
        self._ends_by_itself = ends
        self._of_block: dict[str, One] = {}
        self._last_block: dict[str, str] = {}

    def _end(self, one: One, reason: str) -> LeftOut:
        """Nothing more is checked; that is not a loss if the block is committed, or if its checked life ends by
        itself.
        """
        is_early = not one.is_over and not one.is_committed
        one.is_over = True
        return LeftOut(reason, one.key if is_early else None, is_end=reason in self._ends_by_itself)

    def _live(self, block: str | None) -> One | None:
        one = self._of_block.get(block or "")
        return None if one is None or one.is_over else one

    def _of_inode(self, event: Event) -> One | None:
        """That of the block which a call names, or of the last block of the file."""
        return self._live(event.arguments.get("block") or self._last_block.get(event.arguments.get("inode", "")))


class BlockReading(JudgedBlocks[Generation]):
    """The state that is kept for the blocks of a run.

    Args:
        gate_us: how long no other recovery of a block is started.
        dead_us: how long a datanode must have been silent for the NameNode to take it for dead.
    """

    def __init__(self, gate_us: int, dead_us: int) -> None:
        super().__init__(words.ENDS)
        self._gate_us, self._dead_us = gate_us, dead_us
        self._heard_us: dict[str, int] = {}
        self._told = Foretold()
        self._position = 0
        self._of_key: dict[str, Generation] = {}
        self._shown: dict[tuple[str, str], Event] = {}

    def _counted(self, location: Location) -> Perhaps:
        return Perhaps("block_received", {"file": FILE, "datanode": location.word})

    def _written(
        self,
        name: str,
        location: Location,
        *,
        generation_stamp: int | None = None,
        num_bytes: int | None = None,
    ) -> Event:
        """A step of the block's writer at a datanode."""
        return model_step(
            name,
            {"client": WRITER, "file": FILE, "datanode": location.word},
            generation_stamp=generation_stamp,
            num_bytes=num_bytes,
        )

    def _packets(self, location: Location, rank: int) -> list[Step]:
        """As many bytes as lead to a length."""
        before, location.rank = location.rank, max(rank, location.rank)
        return [self._written("receive_packet", location, num_bytes=one) for one in range(before + 1, rank + 1)]

    def _last_packet(self, one: Generation) -> list[Step]:
        if one.is_sent:
            return []
        one.is_sent = True
        return [model_step("last_packet", {"client": WRITER, "file": FILE})]

    def _report(self, one: Generation, recovery_id: int, primary: Location) -> list[Step]:
        """The primary reports the result of its recovery to the NameNode; the report may arrive several times."""
        if recovery_id in one.reported:
            return []
        one.reported.add(recovery_id)
        return [model_step("report_back", {"primary": primary.word, "file": FILE})]
