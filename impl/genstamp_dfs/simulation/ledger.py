"""What clients were promised in a run, and what of it is there in the end.

Each byte of a file tells by its value where it belongs (`pattern`), whoever wrote it. So what is read has to be a
beginning of the file's pattern, and at least as long as what was promised:

- what hsync acknowledged, always;
- what hflush acknowledged, as long as one datanode of the block's pipeline has not been restarted since. A pipeline
  that was set up again takes the place of the former one, and so do the datanodes that a block recovery has agreed
  with, if one of them had not been restarted: with none such, HDFS promises nothing (S5);
- what a close acknowledged is promised as hflush's is: HDFS does not force replicas to disk on close by default.

A promise ends where somebody asks for the end of it: by truncate, by delete, by overwriting, from the moment of asking,
for nobody can know when a call whose answer is lost was carried out.

Not here: everything that a specification would say better. This is about users' bytes alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from genstamp_dfs.hdfs.protocol import Block

_PERIOD: Final = 251
"""A prime, so that blocks, chunks and packets of the usual sizes do not begin alike."""


def pattern(file_id: int, offset: int, length: int) -> bytes:
    """What bytes `offset` to `offset + length` of a file are.

    >>> pattern(3, 5, 4) == pattern(3, 0, 9)[5:]
    True
    """
    first = (offset + 17 * file_id) % _PERIOD
    times = (first + length) // _PERIOD + 1
    return (bytes(range(_PERIOD)) * times)[first : first + length]


@dataclass(slots=True)
class Promise:
    """What one block owes its users, in bytes from its beginning.

    Attributes:
        offset: of the block in the file.
        hsynced: forced to disk on all nodes of a pipeline.
        hflushed: acknowledged by all nodes of the pipeline; 0 again when none of them is left that did not restart.
        outside: the longest that was acknowledged at all.
        lives: the datanodes that have what was acknowledged, each with the number of its life.
    """

    file_id: int
    path: str
    offset: int
    hsynced: int = 0
    hflushed: int = 0
    outside: int = 0
    lives: Mapping[str, int] = field(default_factory=dict)

    def cut(self, length: int) -> None:
        """The file shall be no longer than so many bytes."""
        most = max(0, length - self.offset)
        self.hsynced = min(self.hsynced, most)
        self.hflushed = min(self.hflushed, most)
        self.outside = min(self.outside, most)


@dataclass(frozen=True, slots=True)
class Lost:
    """Bytes that are not there: of which file, how many, and whether they were promised."""

    file_id: int
    path: str
    num_bytes: int
    promised: bool
    why: str


class Ledger:
    """The promises of a run, by block id.

    Attributes:
        bytes_hflushed, bytes_hsynced: how much was acknowledged in all.
        broken: sentences about bytes that were read and are not the file's.
        cuts: how often each file was cut or removed.
    """

    def __init__(self) -> None:
        self.promises: dict[int, Promise] = {}
        self.bytes_hflushed = 0
        self.bytes_hsynced = 0
        self.broken: list[str] = []
        self.cuts: Counter[int] = Counter()
        self._removed: set[int] = set()

    def flushed(
        self, file_id: int, path: str, block: Block, offset: int, lives: Mapping[str, int], *, sync: bool
    ) -> None:
        """A flush or a close returned.

        Args:
            file_id: the file.
            path: its path, for messages.
            block: its last block, with the length that was acknowledged.
            offset: where that begins in the file, in bytes.
            lives: the datanodes that acknowledged it, each with the number of its life then.
            sync: whether the bytes were forced to disk.
        """
        if file_id in self._removed:
            # Its writer does not know yet; nobody can ever read this.
            return
        promise = self.promises.setdefault(block.block_id, Promise(file_id, path, offset))
        if sync:
            self.bytes_hsynced += max(0, block.num_bytes - promise.hsynced)
            promise.hsynced = max(promise.hsynced, block.num_bytes)
        self.bytes_hflushed += max(0, block.num_bytes - promise.hflushed)
        promise.hflushed = max(promise.hflushed, block.num_bytes)
        promise.outside = max(promise.outside, block.num_bytes)
        promise.lives = lives

    def set_up_again(self, block_id: int, lives: Mapping[str, int]) -> None:
        """The block's pipeline is another one now."""
        promise = self.promises.get(block_id)
        if promise is not None:
            promise.lives = lives

    def recovered(self, block_id: int, lives: Mapping[str, int]) -> None:
        """A block recovery has agreed with these datanodes."""
        promise = self.promises.get(block_id)
        if promise is None:
            return
        if not _has_survivor(promise.lives, lives):
            promise.hflushed = 0
        promise.lives = lives

    def asked_to_cut(self, file_id: int, length: int) -> None:
        """Somebody asks for the file to be no longer than `length` bytes."""
        self.cuts[file_id] += 1
        for promise in self._of_file(file_id):
            promise.cut(length)

    def asked_to_remove(self, file_id: int) -> None:
        """Somebody asks for the file to go away."""
        self.asked_to_cut(file_id, 0)
        self._removed.add(file_id)

    def read(self, file_id: int, path: str, data: bytes, offset: int = 0) -> None:
        """Somebody has read bytes of the file from `offset` on: they have to be its own."""
        if data != pattern(file_id, offset, len(data)):
            expected = pattern(file_id, offset, len(data))
            wrong = offset + next(at for at, byte in enumerate(data) if byte != expected[at])
            self.broken.append(f"{path} (inode {file_id}) reads wrong from byte {wrong}")

    def losses(self, readable: Mapping[int, Mapping[int, int]], lives: Mapping[str, int]) -> list[Lost]:
        """What is missing in the end.

        Args:
            readable: of each file that exists, the blocks that can be read: offset -> bytes from there.
            lives: each datanode with the number of its present life.
        """
        found = (_loss(one, readable.get(one.file_id, {}).get(one.offset, 0), lives) for one in self.promises.values())
        return [loss for loss in found if loss is not None]

    def _of_file(self, file_id: int) -> Iterator[Promise]:
        return (promise for promise in self.promises.values() if promise.file_id == file_id)


def _has_survivor(then: Mapping[str, int], now: Mapping[str, int]) -> bool:
    """Whether one of the datanodes has not been restarted."""
    return any(now.get(node) == life for node, life in then.items())


def _loss(promise: Promise, there: int, lives: Mapping[str, int]) -> Lost | None:
    """What one block lacks, if anything."""
    owed = max(promise.hsynced, promise.hflushed if _has_survivor(promise.lives, lives) else 0)
    if there < owed:
        why = (
            f"{owed} bytes were promised of the block at {promise.offset}, {promise.hsynced} of them by hsync; "
            f"{there} can be read"
        )
        return Lost(promise.file_id, promise.path, owed - there, True, why)
    if there < promise.outside:
        why = f"{promise.outside} bytes of the block at {promise.offset} were acknowledged; {there} can be read"
        return Lost(promise.file_id, promise.path, promise.outside - there, False, why)
    return None
