"""What the operation log keeps: namespace, chunks with versions and counts, answers of calls.

Each record is applied by one function, when it is made and when it is made again after a restart. Locations of replicas
are in the table of chunks but do not come from the log.

Not here: whether an operation makes sense: that is looked at before it is logged.

Source: sections 2.6.1 and 2.6.3.
"""

from collections.abc import Iterable
from functools import singledispatchmethod
from itertools import islice
from typing import Any

from genstamp_dfs.gfs.master.chunks import ChunkTable
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.namespace import DIRECTORY, NO_CHUNKS, Namespace, Value, chunks_of, handles_of
from genstamp_dfs.gfs.master.operations import (
    AddChunk,
    AnyOperation,
    CallOfClient,
    ChooseVersion,
    CopyTree,
    CreateDirectory,
    CreateFile,
    HideFile,
    NewChunk,
    RemoveChunks,
    RemovePaths,
    RenamePath,
    ReplaceChunk,
    SetVersion,
)
from genstamp_dfs.gfs.master.paths import is_hidden


class MasterState:
    """All that is durable.

    Args:
        slots: how many locations of a chunk are known at most.
        remembered_answers: how many answers are kept for clients that ask again.

    Attributes:
        namespace: all paths.
        chunks: all chunks.
        chosen: the highest version that was chosen, of chunks where it is not the chunk's version (yet).
        next_handle: the lowest handle that was never chosen.
        answers: what was answered to calls, the oldest first.
        records: how many records have led to it.
    """

    def __init__(self, slots: int, remembered_answers: int) -> None:
        self.namespace = Namespace()
        self.chunks = ChunkTable(slots)
        self.chosen: dict[int, int] = {}
        self.next_handle = 1
        self.answers: dict[CallOfClient, str | None] = {}
        self.records = 0
        self._remembered_answers = remembered_answers

    def highest_version(self, handle: int) -> int:
        """The highest version of a chunk that was ever chosen."""
        return self.chosen.get(handle, 0) or self.chunks.version(handle)

    def apply(self, operation: AnyOperation) -> None:
        """Make the change of a record."""
        self._apply(operation)
        self.records += 1
        call = getattr(operation, "call", None)
        if call is not None and call.client_id:
            self.answers[call] = answer_of(operation)
            for old in list(islice(self.answers, max(0, len(self.answers) - self._remembered_answers))):
                del self.answers[old]

    @singledispatchmethod
    def _apply(self, operation: Any) -> None:
        raise AssertionError(f"{operation!r} is no record")

    # -- namespace --------------------------------------------------------------------------------------------------

    @_apply.register
    def _(self, operation: CreateFile) -> None:
        self.namespace.put(operation.path, NO_CHUNKS)

    @_apply.register
    def _(self, operation: CreateDirectory) -> None:
        self.namespace.put(operation.path, DIRECTORY)

    @_apply.register
    def _(self, operation: HideFile) -> None:
        self._move(operation.path, operation.hidden)

    @_apply.register
    def _(self, operation: RemovePaths) -> None:
        for path in operation.paths:
            value = self._value(path)
            self.namespace.remove(path)
            if value is not DIRECTORY:
                self.chunks.refer(handles_of(value), -1)

    @_apply.register
    def _(self, operation: RenamePath) -> None:
        below = list(self.namespace.under(operation.source))
        self._move(operation.source, operation.target)
        for path, _ in below:
            self._move(path, operation.target + path[len(operation.source) :])

    @_apply.register
    def _(self, operation: CopyTree) -> None:
        copied = [(operation.source, self._value(operation.source))]
        if copied[0][1] is DIRECTORY:
            copied += [item for item in self.namespace.under(operation.source) if not is_hidden(item[0])]
        for path, value in copied:
            self.namespace.put(operation.target + path[len(operation.source) :], value)
            if value is not DIRECTORY:
                self.chunks.refer(handles_of(value), 1)

    # -- chunks -----------------------------------------------------------------------------------------------------

    @_apply.register
    def _(self, operation: NewChunk) -> None:
        self.chunks.add(operation.handle, operation.version)
        self.next_handle = operation.handle + 1

    @_apply.register
    def _(self, operation: AddChunk) -> None:
        self.namespace.put(operation.path, self._chunks(operation.path) + chunks_of([operation.handle]))
        self.chunks.refer([operation.handle], 1)

    @_apply.register
    def _(self, operation: ReplaceChunk) -> None:
        handles = handles_of(self._chunks(operation.path))
        replaced = handles[operation.index]
        handles[operation.index] = operation.handle
        self.namespace.put(operation.path, handles.tobytes())
        self.chunks.refer([replaced], -1)
        self.chunks.refer([operation.handle], 1)

    @_apply.register
    def _(self, operation: ChooseVersion) -> None:
        assert operation.version > self.highest_version(operation.handle), f"{operation} was chosen before"
        self.chosen[operation.handle] = operation.version

    @_apply.register
    def _(self, operation: SetVersion) -> None:
        self.chunks.set_version(operation.handle, operation.version)
        if operation.version >= self.chosen.get(operation.handle, 0):
            self.chosen.pop(operation.handle, None)

    @_apply.register
    def _(self, operation: RemoveChunks) -> None:
        self.chunks.remove(operation.handles)
        self._forget_choices(operation.handles)

    # -- below ------------------------------------------------------------------------------------------------------

    def _value(self, path: str) -> Value:
        value = self.namespace.find(path)
        assert value is not None, f"{path} is not there"
        return value

    def _chunks(self, path: str) -> bytes:
        value = self._value(path)
        assert value is not DIRECTORY, f"{path} is a directory"
        return value

    def _move(self, path: str, target: str) -> None:
        value = self._value(path)
        self.namespace.remove(path)
        self.namespace.put(target, value)

    def _forget_choices(self, handles: Iterable[int]) -> None:
        for handle in handles:
            self.chosen.pop(handle, None)


def answer_of(operation: AnyOperation) -> str | None:
    """What the client is answered whose call made the record."""
    match operation:
        case HideFile(hidden=hidden):
            return hidden
        case RemovePaths():
            return ""
        case _:
            return None


def new_state(configuration: MasterConfiguration) -> MasterState:
    """Nothing, for a master with these settings."""
    # One slot more than replicas are wanted, for when a chunkserver comes back whose replicas were made elsewhere.
    return MasterState(configuration.limits.replicas + 1, configuration.remembered_answers)
