"""A file on a simulated disk: its bytes as processes see them, and what a machine that loses power makes of them.

Not here: names and directories (`disk`).
"""

import random
from dataclasses import dataclass, field


@dataclass(slots=True)
class Write:
    """A write or a cut that is not forced to the disk yet: what undoes it."""

    offset: int
    length: int
    old: bytes
    length_before: int
    length_after: int


@dataclass(eq=False, slots=True)
class File:
    """A file: its bytes as processes see them, what is not forced to the disk yet, and which bits have rotted.

    Attributes:
        rotten: position of a byte -> the bits of it that are not what was written.
        lost: position of a byte that a failed sync has left out -> what the disk has there, None for nothing.
    """

    data: bytearray = field(default_factory=bytearray)
    unsynced: list[Write] = field(default_factory=list)
    rotten: dict[int, int] = field(default_factory=dict)
    lost: dict[int, int | None] = field(default_factory=dict)

    def copy(self) -> "File":
        """Another file like this one."""
        return File(bytearray(self.data), list(self.unsynced), dict(self.rotten), dict(self.lost))

    def rot(self, position: int, bits: int) -> None:
        """Bits of a byte become what was not written."""
        self.data[position] ^= bits
        self.rotten[position] = self.rotten.get(position, 0) ^ bits

    def heal(self, offset: int, length: int) -> None:
        """Bytes are what was written to them."""
        for position in [position for position in self.rotten if offset <= position < offset + length]:
            self.data[position] ^= self.rotten.pop(position)

    def force(self) -> None:
        """All that was written since the last sync is on the disk."""
        for write in self.unsynced:
            self.keep(write, write.length)
            self._cut_lost(write)
        self.unsynced.clear()

    def lose_unsynced(self) -> None:
        """A sync fails: nothing of that is on the disk, though all of it can be read."""
        for write in self.unsynced:
            self._cut_lost(write)
            for index in range(write.length):
                self.lost.setdefault(write.offset + index, write.old[index] if index < len(write.old) else None)
        self.unsynced.clear()

    def lose_lost(self, chance: random.Random) -> None:
        """The machine loses power: what failed syncs have left out cannot be read any more."""
        for position, old in self.lost.items():
            if position < len(self.data):
                self.data[position] = old or 0
                self.rotten.pop(position, None)
        if self.lost and chance.random() < 0.5:
            end = len(self.data)
            while end and self.lost.get(end - 1, 0) is None:
                end -= 1
            del self.data[end:]
        self.lost.clear()

    def keep(self, write: Write, survives: int) -> None:
        """The first bytes of a write are on the disk."""
        if self.lost:
            for position in range(write.offset, write.offset + survives):
                self.lost.pop(position, None)

    def _cut_lost(self, write: Write) -> None:
        """What was cut off is lost no more: lengths are in the file system's own log."""
        if self.lost and write.length_after < write.length_before:
            self.lost = {position: old for position, old in self.lost.items() if position < write.length_after}


def lose_writes(file: File, chance: random.Random) -> int:
    """Undo the newest unsynced writes, the oldest of them in part; gives by how many bytes the file shrank."""
    before = len(file.data)
    kept = chance.randint(0, len(file.unsynced))
    for number in range(len(file.unsynced) - 1, kept - 1, -1):
        write = file.unsynced[number]
        survives = chance.randint(0, write.length) if number == kept else 0
        _undo_write(file, write, survives)
        file.keep(write, survives)
    for write in file.unsynced[:kept]:
        file.keep(write, write.length)
    file.unsynced.clear()
    file.lose_lost(chance)
    return max(0, before - len(file.data))


def _undo_write(file: File, write: Write, survives: int) -> None:
    """Undo a write but for its first bytes; a cut is undone whole."""
    if write.length_after < write.length_before:
        file.data += write.old
        return
    position = write.offset + survives
    old_end = write.offset + len(write.old)
    if position < old_end:
        file.data[position:old_end] = write.old[survives:]
    end = max(write.length_before, position)
    del file.data[end:]
    for rotten in [one for one in file.rotten if position <= one < old_end or one >= end]:
        del file.rotten[rotten]
