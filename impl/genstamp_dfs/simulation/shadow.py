"""A second namespace that knows of the first what its edits say, and has to stay like it (S19).

Each edit is made on it in the moment in which it is logged, as replay would after a crash at just this place. What the
namenode does not log may differ: that a block is committed or recovered, and the length of a last block until then.

Not here: the frames on the disk, torn or not; crashes in the simulation try those.
"""

import random
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from genstamp_dfs.errors import StorageError
from genstamp_dfs.hdfs.namenode.edit_log import EditLog
from genstamp_dfs.hdfs.namenode.edit_ops import AnyOp
from genstamp_dfs.hdfs.namenode.edit_replay import EditReplay
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.namenode.retry_cache import RetryCache
from genstamp_dfs.hdfs.namenode.start import start_namesystem
from genstamp_dfs.hdfs.namenode.tree_changes import remove_blocks
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.simulation.disk import DiskOfLife
from genstamp_dfs.simulation.loop import Life

if TYPE_CHECKING:
    from genstamp_dfs.hdfs.namenode.namenode import NameNode
    from genstamp_dfs.simulation.machines import Machine


class Shadow:
    """The second namespace, and the edits that did not fit it."""

    def __init__(self, namesystem: FSNamesystem, shadow: FSNamesystem, cache: RetryCache) -> None:
        self._namesystem = namesystem
        self._shadow = shadow
        self._replay = EditReplay(shadow, cache)
        self._misfit: str | None = None

    @classmethod
    def over(cls, namenode: "NameNode", machines: "Mapping[str, Machine]") -> "Shadow":
        """Begin with what a namenode that has just started has on its disk, and hear of what it logs."""
        namesystem = namenode.namesystem
        cache = RetryCache(namenode.configuration.retry_cache_expiry_ms)
        disk = DiskOfLife(machines[NAMENODE].disk.copy(), Life("shadow"), random.Random(0))
        second, _ = start_namesystem(namenode.configuration, disk, namesystem.clock, random.Random(0), cache)
        shadow = cls(namesystem, second, cache)
        namesystem.journal = TellingJournal(namenode.edit_log, shadow)
        return shadow

    def logged(self, transaction: int, op: AnyOp) -> None:
        """An edit was logged."""
        if self._misfit is not None:
            return
        try:
            self._replay.apply(transaction, op)
        except StorageError as problem:
            self._misfit = str(problem)
        remove_blocks(self._shadow, len(self._shadow.blocks_to_remove))

    def differences(self) -> Iterator[str]:
        """A sentence for everything in which the two are not alike."""
        if self._misfit is not None:
            yield f"S19: {self._misfit}"
            return
        here = {inode.file_id: inode for inode in self._namesystem.directory.all_files()}
        there = {inode.file_id: inode for inode in self._shadow.directory.all_files()}
        if here.keys() != there.keys():
            yield f"S19: the files are {sorted(here)}, by the edits {sorted(there)}"
            return
        for file_id, inode in here.items():
            yield from _file_differences(inode, there[file_id])


def _file_differences(inode: INodeFile, other: INodeFile) -> Iterator[str]:
    if (inode.path, inode.client_name) != (other.path, other.client_name):
        yield (
            f"S19: inode {inode.file_id} is {inode.path} of {inode.client_name}, by the edits {other.path} of "
            f"{other.client_name}"
        )
    ours, theirs = _blocks(inode), _blocks(other)
    if ours != theirs:
        yield f"S19: {inode.path} has the blocks {ours}, by the edits {theirs}"


def _blocks(inode: INodeFile) -> list[tuple[int, int, int | None]]:
    """Id, stamp and, where it is logged, length of each block."""
    last = len(inode.blocks) - 1 if inode.is_under_construction else -1
    return [
        (block.block_id, block.generation_stamp, None if number == last else block.num_bytes)
        for number, block in enumerate(inode.blocks)
        if not block.is_copy_on_truncate
    ]


class TellingJournal:
    """The namenode's journal, which tells a shadow of each edit."""

    def __init__(self, edit_log: EditLog, shadow: Shadow) -> None:
        self._edit_log = edit_log
        self._shadow = shadow

    @property
    def last_transaction(self) -> int:
        """Id of the last edit."""
        return self._edit_log.last_transaction

    @property
    def synced_transaction(self) -> int:
        """Id of the last edit that is on disk."""
        return self._edit_log.synced_transaction

    def log(self, op: AnyOp) -> None:
        """Take an edit; the shadow hears of it if it was taken."""
        before = self._edit_log.last_transaction
        self._edit_log.log(op)
        if self._edit_log.last_transaction != before:
            self._shadow.logged(self._edit_log.last_transaction, op)
