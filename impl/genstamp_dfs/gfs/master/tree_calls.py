"""What clients ask of files and directories; snapshots are in `snapshot`.

Each call takes its locks, looks whether it was answered before, checks, and logs what it changes. Nobody is told before
the log is flushed: that is the business of `master`.

Source: sections 4.1 and 4.4.
"""

from collections.abc import Callable

from genstamp_dfs.gfs.errors import DirectoryNotEmpty, InvalidPath
from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.master.namespace import DIRECTORY, Value, handles_of
from genstamp_dfs.gfs.master.operations import (
    AnyOperation,
    CallOfClient,
    CreateDirectory,
    CreateFile,
    HideFile,
    RemovePaths,
    RenamePath,
)
from genstamp_dfs.gfs.master.paths import ROOT, check_path, hidden_parts, hidden_path, is_below, is_hidden
from genstamp_dfs.gfs.master.resolving import check_free, value_of
from genstamp_dfs.gfs.master.state import answer_of
from genstamp_dfs.gfs.messages import master_protocol as messages
from genstamp_dfs.gfs.protocol import FileInfo
from genstamp_dfs.world.request import Caller


def call_of(caller: Caller) -> CallOfClient:
    """What a record names of who made a call."""
    return CallOfClient(caller.client_id, caller.call_id)


class TreeCalls:
    """Calls on the namespace."""

    def __init__(self, base: Base) -> None:
        self._base = base
        self._namespace = base.state.namespace

    # -- changes ------------------------------------------------------------------------------------------------------

    async def create(self, request: messages.Create, caller: Caller) -> None:
        """Make an empty file."""
        check_path(request.path)
        async with self._base.locks.locked(write=[request.path]):
            self._make(request.path, caller, CreateFile)

    async def make_directory(self, request: messages.MakeDirectory, caller: Caller) -> None:
        """Make a directory."""
        check_path(request.path)
        async with self._base.locks.locked(write=[request.path]):
            self._make(request.path, caller, CreateDirectory)

    def _make(self, path: str, caller: Caller, record: Callable[[str, CallOfClient], AnyOperation]) -> None:
        if call_of(caller) not in self._base.state.answers:
            check_free(self._namespace, path)
            self._base.commit(record(path, call_of(caller)))

    async def delete(self, request: messages.Delete, caller: Caller) -> str:
        """Hide a file, or remove an empty directory, or a file that is hidden already; gives the hidden path."""
        path, call = request.path, call_of(caller)
        check_path(path, may_be_hidden=True)
        async with self._base.locks.locked(write=[path]):
            if call in self._base.state.answers:
                return self._base.state.answers[call] or ""
            deletion = self._deletion(path, call)
            self._base.commit(deletion)
            return answer_of(deletion) or ""

    def _deletion(self, path: str, call: CallOfClient) -> AnyOperation:
        """The record of a deletion."""
        value = value_of(self._namespace, path)
        if value is DIRECTORY:
            if path == ROOT:
                raise InvalidPath("'/' cannot be deleted")
            if not self._namespace.is_empty(path):
                raise DirectoryNotEmpty(f"{path} is not empty; deleted files can be in it, which may be deleted again")
            return RemovePaths((path,), call)
        if is_hidden(path):
            return RemovePaths((path,), call)
        return HideFile(path, hidden_path(path, self._base.runtime.time_ms(), self._base.log.next_position), call)

    async def undelete(self, request: messages.Undelete, caller: Caller) -> None:
        """Give a hidden file its old path back, or the one given."""
        check_path(request.hidden, may_be_hidden=True)
        _, former = hidden_parts(request.hidden)
        target = request.path or former
        check_path(target)
        await self._rename(request.hidden, target, call_of(caller))

    async def rename(self, request: messages.Rename, caller: Caller) -> None:
        """Give a file or directory another path."""
        check_path(request.source)
        check_path(request.target)
        if request.source == ROOT or is_below(request.target, request.source):
            raise InvalidPath(f"{request.source} cannot be moved to {request.target}")
        await self._rename(request.source, request.target, call_of(caller))

    async def _rename(self, source: str, target: str, call: CallOfClient) -> None:
        async with self._base.locks.locked(write=[source, target]):
            if call in self._base.state.answers:
                return
            value_of(self._namespace, source)
            check_free(self._namespace, target)
            self._base.commit(RenamePath(source, target, call))

    # -- reads --------------------------------------------------------------------------------------------------------

    async def list(self, request: messages.List, caller: Caller) -> tuple[FileInfo, ...]:
        """What is in a directory; of a file, itself."""
        check_path(request.path, may_be_hidden=True)
        async with self._base.locks.locked(read=[request.path]):
            value = value_of(self._namespace, request.path)
            if value is not DIRECTORY:
                return (file_info(request.path, value),)
            return tuple(
                file_info(path, value)
                for path, value in self._namespace.children(request.path)
                if request.hidden or not is_hidden(path)
            )

    async def get_file_info(self, request: messages.GetFileInfo, caller: Caller) -> FileInfo:
        """What a path is."""
        check_path(request.path, may_be_hidden=True)
        async with self._base.locks.locked(read=[request.path]):
            return file_info(request.path, value_of(self._namespace, request.path))


def file_info(path: str, value: Value) -> FileInfo:
    """What clients are told of a path."""
    if value is DIRECTORY:
        return FileInfo(path, is_directory=True)
    deleted_ms = hidden_parts(path)[0] if is_hidden(path) else 0
    return FileInfo(path, is_directory=False, chunks=len(handles_of(value)), deleted_ms=deleted_ms)
