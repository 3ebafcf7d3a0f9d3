"""The namespace as far as a log shows it: which path is which file at each moment.

So a file keeps one key through renames: its inode id if that is known, else the path and epoch of its creation.
Not here: permissions, quotas, snapshots and everything that is not a file, save that a path with something below it
is a directory.
"""

from dataclasses import dataclass, field
from typing import Protocol, Union


@dataclass
class KnownBlock:
    """A block of a file as last seen.

    Attributes:
        block_id: its id.
        num_bytes, generation_stamp: None if unknown.
        committed, complete: whether it was seen so since it was last open.
    """

    block_id: int
    num_bytes: int | None = None
    generation_stamp: int | None = None
    committed: bool = False
    complete: bool = False


@dataclass
class KnownFile:
    """A file as last seen.

    Attributes:
        key: inode id, or path and epoch of its creation, "<path>#<epoch>"; epoch 0 is that of a file whose creation
        was not seen. path: where it is now. holder: the lease holder; "" if there is none or it is unknown. is_open:
            whether it
        was last seen under construction. blocks: those that are known, in order. sole: whose only file it was when its
        recovery began.
    """

    key: str
    path: str
    holder: str = ""
    is_open: bool = False
    blocks: list[KnownBlock] = field(default_factory=list)
    sole: list[str] = field(default_factory=list)

    def last_block(self) -> KnownBlock | None:
        """The last block that is known."""
        return self.blocks[-1] if self.blocks else None

    def has_block(self, block_id: int, *, is_last: bool) -> None:
        """A block is one of the file, whether its allocation was seen or not."""
        if all(block.block_id != block_id for block in self.blocks):
            self.blocks.insert(len(self.blocks) if is_last else 0, KnownBlock(block_id))

    def reopen(self, block_id: str | None = None) -> None:
        """The last block may be under construction again; with an id, if it is that block."""
        last = self.last_block()
        if last is not None and block_id in (None, str(last.block_id)):
            last.complete = False


_Directory = dict[str, Union["_Directory", KnownFile]]


class Elsewhere(Protocol):
    """Where files are that come into the tree when they are asked for."""

    namespace: str

    def ask(self, path: str | None) -> None:
        """The tree is asked for a file; None if it is asked for more than that."""

    def ask_block(self, block_id: str) -> None:
        """A caller asks which file a block belongs to."""

    def ask_open(self) -> None:
        """A caller asks for all files that are under construction."""

    def gave_block(self, block_id: str) -> None:
        """A file of the tree was given a block."""


class FileTree:
    """Paths and files of one namespace.

    Attributes:
        elsewhere: where files may be that are not here yet.
        displaced: how often a file or a directory had to make room for another path.
    """

    def __init__(self) -> None:
        self.elsewhere: Elsewhere | None = None
        self.displaced = 0
        self._root: _Directory = {}
        self._epochs: dict[str, int] = {}
        self._gone: dict[str, str] = {}
        self._moved: dict[str, list[KnownFile]] = {}

    def find(self, path: str) -> KnownFile | None:
        """The file at a path, if one is known."""
        self._ask(path)
        found = self._lookup(path)
        return found if isinstance(found, KnownFile) else None

    def at(self, path: str) -> KnownFile:
        """The file at a path; one whose creation was not seen if none is known, or the one before it is gone."""
        found = self.find(path)
        if found is None:
            epoch = self._epochs.get(path, 0) + (self._gone.pop(path, None) is not None)
            self._epochs[path] = epoch
            found = KnownFile(f"{path}#{epoch}", path)
            self._put(path, found)
        return found

    def was_at(self, path: str) -> KnownFile:
        """The file of a call that was perhaps refused: the one at a path, else the one that was there last, if any.

        None is put there.
        """
        return self.find(path) or KnownFile(self._gone.get(path, f"{path}#{self._epochs.get(path, 0)}"), path)

    def closed_by(self, path: str, holder: str) -> list[KnownFile]:
        """The files of which a holder closes one, by a path that it may have been moved away from."""
        moved = [file for file in self._moved.get(path, ()) if self._lookup(file.path) is file]
        if not moved:
            return [self.at(path)]
        at_path = self.find(path)
        files = moved if at_path is None else [at_path, *moved]
        fit = [file for file in files if file.is_open and file.holder in ("", holder)]
        return [file for file in fit if file.holder] or fit or files

    def create(self, path: str, inode_id: int = 0) -> KnownFile:
        """A new file at a path, in place of what was there."""
        self._ask(None)
        epoch = self._epochs.get(path, 0) + 1
        self._epochs[path] = epoch
        self._gone.pop(path, None)
        created = KnownFile(str(inode_id) if inode_id else f"{path}#{epoch}", path)
        self._put(path, created)
        return created

    def put(self, file: KnownFile) -> None:
        """A file at its path, in place of what was there."""
        self._ask(None)
        self._put(file.path, file)

    def files(self) -> list[KnownFile]:
        """All files."""
        self._ask(None)
        return _files(self._root)

    def known(self) -> list[KnownFile]:
        """The files on this machine; of files elsewhere, only those that were requested."""
        return _files(self._root)

    def make_directory(self, path: str) -> None:
        """A directory at a path, if nothing is there yet."""
        self._ask(None)
        if self._lookup(path) is None:
            self._put(path, {})

    def is_directory(self, path: str) -> bool:
        """Whether a directory is known at a path."""
        self._ask(None)
        return isinstance(self._lookup(path), dict)

    def remove(self, path: str) -> list[KnownFile]:
        """Takes away what is at and below a path; gives the files that were known there."""
        self._ask(None)
        return _files(self._take(path))

    def rename(self, source: str, destination: str) -> tuple[list[KnownFile], list[KnownFile]]:
        """Moves what is at and below a path; gives the files moved, and those that were overwritten."""
        self._ask(None)
        moved = self._take(source)
        overwritten = _files(self._take(destination))
        if moved is None:
            return [], overwritten
        self._put(destination, moved)
        files = _files(moved)
        for file in files:
            self._moved[file.path] = [*(each for each in self._moved.get(file.path, ()) if each.is_open), file]
            file.path = destination + file.path[len(source) :]
        return files, overwritten

    def adopt(self, file: KnownFile) -> None:
        """A file comes from elsewhere, whose creation was not seen; nothing is at its path."""
        self._epochs[file.path] = 0
        self._put(file.path, file)

    def is_untouched(self) -> bool:
        """Whether nothing is known yet."""
        return not (self._root or self._epochs or self._gone)

    def _ask(self, path: str | None) -> None:
        if self.elsewhere is not None:
            self.elsewhere.ask(path)

    def _lookup(self, path: str) -> _Directory | KnownFile | None:
        here: _Directory | KnownFile | None = self._root
        for name in _names(path):
            if not isinstance(here, dict):
                return None
            here = here.get(name)
        return here

    def _take(self, path: str) -> _Directory | KnownFile | None:
        *parents, name = _names(path) or [""]
        directory = self._lookup("/".join(parents))
        taken = directory.pop(name, None) if isinstance(directory, dict) else None
        self._gone.update((file.path, file.key) for file in _files(taken))
        return taken

    def _put(self, path: str, what: _Directory | KnownFile) -> None:
        *parents, name = _names(path) or [""]
        here = self._root
        for parent in parents:
            below = here.get(parent)
            if not isinstance(below, dict):
                self.displaced += below is not None
                below = {}
                here[parent] = below
            here = below
        self.displaced += name in here
        here[name] = what


def _names(path: str) -> list[str]:
    first, *names = path.split("/")
    return [name for name in (first, *names) if name] if first or "" in names else names


def _files(what: _Directory | KnownFile | None) -> list[KnownFile]:
    """The files in a part of the tree; without recursion, as paths may be deep."""
    found: list[KnownFile] = []
    waiting = [what]
    while waiting:
        here = waiting.pop()
        if isinstance(here, KnownFile):
            found.append(here)
        elif here is not None:
            waiting.extend(reversed(here.values()))
    return found
