"""Garbage collection: deleted files are removed after some days, and chunks that no file lists are forgotten.

A scan goes over the namespace in small steps, between which others run. Of a file that was hidden for long enough the
metadata is removed; that ends its last hold on its chunks. A scan of the chunks forgets those to which nothing refers,
also those that were being made when a former master died. Heartbeats tell chunkservers which of their replicas the
master does not know (`reports`).

Not here: who deletes a replica's file: its chunkserver, when it likes.

Source: section 4.4.
"""

from collections.abc import Collection

from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.master.namespace import DIRECTORY, Value, handles_of
from genstamp_dfs.gfs.master.operations import RemoveChunks, RemovePaths
from genstamp_dfs.gfs.master.paths import hidden_parts, is_hidden

BLOCKS_A_STEP = 32


class GarbageCollection:
    """Finds what nobody can reach any more.

    Attributes:
        deleted: chunks that deleted files list, as of the last scan.
    """

    def __init__(self, base: Base, being_made: Collection[int]) -> None:
        self._base = base
        self._being_made = being_made
        self.deleted: frozenset[int] = frozenset()

    async def scan(self) -> None:
        """Go over all files and all chunks once."""
        deleted: set[int] = set()
        namespace = self._base.state.namespace
        number = 0
        while number < namespace.block_count:
            hidden = [item for item in namespace.items(number, number + BLOCKS_A_STEP) if is_hidden(item[0])]
            for path, value in hidden:
                if await self._is_removed(path):
                    continue
                deleted.update(_handles(value))
            number += BLOCKS_A_STEP
            await self._base.runtime.sleep_us(0)
        self.deleted = frozenset(deleted)
        self._forget_orphans()

    async def _is_removed(self, path: str) -> bool:
        """Remove a hidden file if its time has come; says whether it is gone."""
        deleted_ms, _ = hidden_parts(path)
        if self._base.runtime.time_ms() - deleted_ms < self._base.configuration.deleted_keep_ms:
            return False
        async with self._base.locks.locked(write=[path]):
            if self._base.state.namespace.find(path) is not None:
                self._base.commit(RemovePaths((path,)))
                self._base.tell("remove_deleted", "file", path, {})
        return True

    def _forget_orphans(self) -> None:
        """Forget chunks that no file lists, but for those that somebody works on."""
        locked = self._base.chunk_locks.held
        orphans = [
            handle
            for handle in self._base.state.chunks.orphans()
            if handle not in self._being_made and handle not in locked
        ]
        if orphans:
            for handle in orphans:
                self._base.tell_of_chunk("orphan", handle, self._base.state.chunks.version(handle))
            self._base.commit(RemoveChunks(tuple(orphans)))


def _handles(value: Value) -> Collection[int]:
    return () if value is DIRECTORY else handles_of(value)
