"""The records of the operation log: what the master writes down of each change, to be able to make it again.

A record says all that was chosen (paths, handles, versions, times), so that making it again chooses nothing. One that
comes from a call that may happen only once names it, and the answer is known again after a restart.

Not here: what a record does (`state`), and how it comes to the disk (`operation_log`).

Source: section 2.6.3.
"""

from typing import TypeAlias

import msgspec


class CallOfClient(msgspec.Struct, frozen=True, array_like=True):
    """Which call a record comes from; an empty client id is none."""

    client_id: bytes = b""
    call_id: int = -1


NO_CALL = CallOfClient()


class Operation(msgspec.Struct, frozen=True, array_like=True):
    """One change."""


class CreateFile(Operation, frozen=True, tag=0):
    """An empty file is there."""

    path: str
    call: CallOfClient = NO_CALL


class CreateDirectory(Operation, frozen=True, tag=1):
    """An empty directory is there."""

    path: str
    call: CallOfClient = NO_CALL


class HideFile(Operation, frozen=True, tag=2):
    """A file was deleted: it has a hidden name from now on, which is the answer."""

    path: str
    hidden: str
    call: CallOfClient = NO_CALL


class RemovePaths(Operation, frozen=True, tag=3):
    """Hidden files or empty directories are gone; the answer is empty."""

    paths: tuple[str, ...]
    call: CallOfClient = NO_CALL


class RenamePath(Operation, frozen=True, tag=4):
    """A file, or a directory with all that is below it, has another path; a hidden file may be had back."""

    source: str
    target: str
    call: CallOfClient = NO_CALL


class CopyTree(Operation, frozen=True, tag=5):
    """A snapshot: the target lists the chunks that the source lists, without hidden files (section 3.4)."""

    source: str
    target: str
    call: CallOfClient = NO_CALL


class NewChunk(Operation, frozen=True, tag=6):
    """A handle was chosen, under which replicas of this version will be made; no file lists it yet."""

    handle: int
    version: int


class AddChunk(Operation, frozen=True, tag=7):
    """A file has one chunk more at its end."""

    path: str
    handle: int


class ReplaceChunk(Operation, frozen=True, tag=8):
    """A file lists a copy of a chunk in its place (section 3.4)."""

    path: str
    index: int
    handle: int


class ChooseVersion(Operation, frozen=True, tag=9):
    """A version is going to be offered to replicas of a chunk; it is never chosen again (section 4.5)."""

    handle: int
    version: int


class SetVersion(Operation, frozen=True, tag=10):
    """From now on replicas with a lower version are stale."""

    handle: int
    version: int


class RemoveChunks(Operation, frozen=True, tag=11):
    """Chunks that no file lists are forgotten; their replicas are garbage (section 4.4)."""

    handles: tuple[int, ...]


AnyOperation: TypeAlias = (
    CreateFile
    | CreateDirectory
    | HideFile
    | RemovePaths
    | RenamePath
    | CopyTree
    | NewChunk
    | AddChunk
    | ReplaceChunk
    | ChooseVersion
    | SetVersion
    | RemoveChunks
)
