"""Snapshots: a file, or a directory with all that is below it, is copied at once by copying its lists of chunks.

With source and target locked for writing, all leases of the chunks concerned are ended, so that whoever wants to write
comes back to the master; then one record is logged, and every chunk has a reference more. The first who wants to write
such a chunk gets a copy of it (`chunk_calls`). Deleted files are not copied.

Not here: how a lease is ended (`leases`), and how lists are copied (`state`).

Source: section 3.4.
"""

from functools import partial

from genstamp_dfs.gfs.errors import InvalidPath
from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.master.leases import Leases
from genstamp_dfs.gfs.master.namespace import DIRECTORY, handles_of
from genstamp_dfs.gfs.master.operations import CopyTree
from genstamp_dfs.gfs.master.paths import check_path, is_below, is_hidden
from genstamp_dfs.gfs.master.resolving import check_free, value_of
from genstamp_dfs.gfs.master.tree_calls import call_of
from genstamp_dfs.gfs.messages.master_protocol import Snapshot
from genstamp_dfs.gfs.side_by_side import together
from genstamp_dfs.world.request import Caller


class Snapshots:
    """Makes snapshots."""

    def __init__(self, base: Base, leases: Leases) -> None:
        self._base = base
        self._leases = leases

    async def snapshot(self, request: Snapshot, caller: Caller) -> None:
        """Copy a file or directory; takes as long as a lease lasts if a primary does not answer."""
        source, target, call = request.source, request.target, call_of(caller)
        check_path(source)
        check_path(target)
        if is_below(target, source):
            raise InvalidPath(f"{source} cannot be copied to {target}, which is in it")
        base = self._base
        async with base.locks.locked(write=[source, target]):
            if call in base.state.answers:
                return
            value_of(base.state.namespace, source)
            check_free(base.state.namespace, target)
            base.tell("begin_snapshot", "file", source, {"target": target})
            held = [handle for handle in self._chunks(source) if self._leases.may_be_held(handle)]
            await together(base.runtime, [partial(self._leases.end, handle) for handle in held], "end of a lease")
            base.commit(CopyTree(source, target, call))

    def _chunks(self, source: str) -> set[int]:
        """All chunks that the snapshot will refer to."""
        namespace = self._base.state.namespace
        value = value_of(namespace, source)
        if value is not DIRECTORY:
            return set(handles_of(value))
        return {
            handle
            for path, below in namespace.under(source)
            if below is not DIRECTORY and not is_hidden(path)
            for handle in handles_of(below)
        }
