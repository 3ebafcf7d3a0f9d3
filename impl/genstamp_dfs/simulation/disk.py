"""A disk in memory that loses what real disks lose.

What a process has written survives its death. What a machine had not forced to the disk when its power failed may be
lost: of the writes to a file since its last `sync` a part is gone, the newest first, and the one at the edge is torn
at any byte; of the new names, renames and removals since the last `sync_directory` likewise.

A disk belongs to a machine and outlives the lives of its node. A life has its own `DiskOfLife`, which counts effects
and can end the life at any of them, in the middle of a write too; one that belongs to a dead life does nothing.

A disk may have no room for more, and bits of it may rot; whoever writes over them has good ones again. A sync may fail:
what it should have forced to the disk can be read until the machine loses power, and is not on the disk, although the
next sync of the file succeeds. That is what a kernel does with pages that it could not write.

Not here: disks that fail whole, and directories that a crash forgets.
"""

import random
from dataclasses import dataclass
from typing import NoReturn

from genstamp_dfs.errors import DiskError, DiskFailedError, DiskFullError
from genstamp_dfs.simulation.loop import Life, ProcessCrashedError
from genstamp_dfs.simulation.stored_file import File, Write, lose_writes


@dataclass(slots=True)
class Naming:
    """A change of names that is not forced to the disk yet.

    Attributes:
        removed: the name that went away, with what it meant; None for a new file.
        added: the name that came, None for a removal.
        replaced: what the new name meant before.
    """

    directory: str
    file: File
    removed: str | None = None
    added: str | None = None
    replaced: File | None = None


class SimulatedDisk:
    """The files of one machine.

    Attributes:
        room: for so many more bytes there is room; None where there is no end of it.
        sync_fails_in: the number of the sync, from 1, that fails next; None for none.
        failed_syncs: how many have failed.
        false_syncs: a sentence for each sync that succeeded and left bytes out that an earlier one had lost.
    """

    def __init__(self) -> None:
        self.room: int | None = None
        self.sync_fails_in: int | None = None
        self.failed_syncs = 0
        self.false_syncs: list[str] = []
        self.files: dict[str, File] = {}
        self.directories: set[str] = {""}
        self.namings: list[Naming] = []

    def copy(self) -> "SimulatedDisk":
        """Another disk with the same files, all of them forced to it."""
        other = SimulatedDisk()
        other.files = {path: File(bytearray(file.data)) for path, file in self.files.items()}
        other.directories = set(self.directories)
        return other

    def lose_power(self, chance: random.Random) -> int:
        """The machine loses power: a part of what was not forced to the disk is gone. Gives the bytes lost."""
        kept = chance.randint(0, len(self.namings))
        for naming in reversed(self.namings[kept:]):
            self._undo(naming)
        self.namings.clear()
        return sum(lose_writes(file, chance) for _, file in sorted(self.files.items()))

    def _undo(self, naming: Naming) -> None:
        if naming.added is not None and self.files.get(naming.added) is naming.file:
            del self.files[naming.added]
            if naming.replaced is not None:
                self.files[naming.added] = naming.replaced
        if naming.removed is not None and naming.removed not in self.files:
            self.files[naming.removed] = naming.file


class DiskOfLife:
    """A machine's disk as one life of its node sees it (`genstamp_dfs.world.disk.Disk`).

    Attributes:
        effects: how many changes this life has made.
        crash_at: the number of the change, from 1, in the middle of which the life ends; None for never.
    """

    def __init__(self, disk: SimulatedDisk, life: Life, chance: random.Random, crash_at: int | None = None) -> None:
        self._disk = disk
        self._life = life
        self._chance = chance
        self.effects = 0
        self.crash_at = crash_at

    # -- looking ------------------------------------------------------------------------------------------------

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory."""
        self._check_life()
        return path in self._disk.files or path in self._disk.directories

    def is_directory(self, path: str) -> bool:
        """Whether the path is a directory."""
        self._check_life()
        return path in self._disk.directories

    def names(self, directory: str) -> list[str]:
        """Names in a directory, sorted."""
        self._check_life()
        start = f"{directory}/" if directory else ""
        below = (path[len(start) :] for path in (*self._disk.files, *self._disk.directories) if path.startswith(start))
        return sorted({name for name in below if name and "/" not in name})

    def size(self, path: str) -> int:
        """Length of a file in bytes."""
        return len(self._file(path).data)

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        """Bytes of a file."""
        data = self._file(path).data
        return bytes(data[offset:] if length is None else data[offset : offset + length])

    # -- changing -----------------------------------------------------------------------------------------------

    def make_directory(self, path: str) -> None:
        """Make a directory and those above it; a crash does not forget them."""
        self._begin_effect()
        if path in self._disk.files:
            self._fail(path, "is a file")
        parts = path.split("/")
        self._disk.directories.update("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))

    def create(self, path: str) -> None:
        """Make an empty file."""
        self._begin_effect()
        if path in self._disk.files or path in self._disk.directories:
            self._fail(path, "exists")
        self._check_parent(path)
        file = self._disk.files[path] = File()
        self._disk.namings.append(Naming(_parent(path), file, added=path))

    def write(self, path: str, offset: int, data: bytes) -> None:
        """Put bytes into a file."""
        file = self._file(path)
        before = len(file.data)
        if not 0 <= offset <= before:
            self._fail(path, f"has {before} bytes, a write at {offset} would leave a hole")
        is_last = self._is_crash_due()
        if is_last:
            data = data[: self._chance.randint(0, len(data))]
        is_full = not self._take_room(offset + len(data) - before)
        if is_full:
            assert self._disk.room is not None, "there is no end of room"
            data = data[: before + self._disk.room - offset]
            self._disk.room = 0
        file.heal(offset, len(data))
        old = b"" if offset == before else bytes(file.data[offset : offset + len(data)])
        file.data[offset : offset + len(data)] = data
        file.unsynced.append(Write(offset, len(data), old, before, len(file.data)))
        if is_last:
            self._crash()
        if is_full:
            raise DiskFullError(f"{self._life.node}: {path} has no room for more than {len(file.data)} bytes")

    def truncate(self, path: str, length: int) -> None:
        """Cut a file."""
        self._begin_effect()
        file = self._file(path)
        before = len(file.data)
        if not 0 <= length <= before:
            self._fail(path, f"has {before} bytes, it cannot be cut to {length}")
        if length < before:
            file.heal(length, before - length)
            self._give_room(before - length)
            file.unsynced.append(Write(length, 0, bytes(file.data[length:]), before, length))
            del file.data[length:]

    def rename(self, source: str, destination: str) -> None:
        """Give a file or directory another name."""
        self._begin_effect()
        self._check_parent(destination)
        if source in self._disk.directories:
            self._rename_directory(source, destination)
            return
        file = self._file(source)
        if destination in self._disk.directories:
            self._fail(destination, "is a directory")
        replaced = self._disk.files.get(destination)
        if replaced is not None:
            self._give_room(len(replaced.data))
        del self._disk.files[source]
        self._disk.files[destination] = file
        self._disk.namings.append(
            Naming(_parent(destination), file, removed=source, added=destination, replaced=replaced)
        )

    def remove(self, path: str) -> None:
        """Remove a file, or a directory with all that is in it."""
        self._begin_effect()
        if path in self._disk.directories:
            start = f"{path}/"
            for below in [name for name in self._disk.files if name.startswith(start)]:
                self._remove_file(below)
            self._disk.directories -= {
                name for name in self._disk.directories if name == path or name.startswith(start)
            }
            return
        self._file(path)
        self._remove_file(path)

    def sync(self, path: str) -> None:
        """Force the bytes of a file to the disk."""
        self._begin_effect()
        file = self._file(path)
        if self._is_failing():
            file.lose_unsynced()
            self._fail_to_sync(path)
        file.force()
        if any(position < len(file.data) for position in file.lost):
            self._disk.false_syncs.append(
                f"{self._life.node} has forced {path} to its disk and counts on it, but an earlier sync had failed and "
                f"{len(file.lost)} bytes are not there"
            )

    def sync_directory(self, path: str) -> None:
        """Force the names in a directory to the disk."""
        self._begin_effect()
        if path not in self._disk.directories:
            self._fail(path, "is no directory")
        if self._is_failing():
            # Names are in the file system's own log, which it writes again or ends with.
            self._fail_to_sync(path)
        self._disk.namings = [naming for naming in self._disk.namings if naming.directory != path]

    # -- below --------------------------------------------------------------------------------------------------

    def _is_failing(self) -> bool:
        """Whether this sync is the one that fails."""
        disk = self._disk
        if disk.sync_fails_in is None:
            return False
        disk.sync_fails_in -= 1
        return disk.sync_fails_in <= 0

    def _fail_to_sync(self, path: str) -> NoReturn:
        self._disk.sync_fails_in = None
        self._disk.failed_syncs += 1
        raise DiskFailedError(f"{self._life.node}: {path} cannot be forced to the disk: input/output error")

    def _take_room(self, num_bytes: int) -> bool:
        """Whether there is room for so many more bytes, which is gone then."""
        room = self._disk.room
        if room is None or num_bytes <= 0:
            return True
        if num_bytes <= room:
            self._disk.room = room - num_bytes
        return num_bytes <= room

    def _give_room(self, num_bytes: int) -> None:
        if self._disk.room is not None:
            self._disk.room += num_bytes

    def _remove_file(self, path: str) -> None:
        file = self._disk.files.pop(path)
        self._give_room(len(file.data))
        self._disk.namings.append(Naming(_parent(path), file, removed=path))

    def _rename_directory(self, source: str, destination: str) -> None:
        """Directories change their names at once and for good."""
        if self.exists(destination):
            self._fail(destination, "exists")
        disk, start = self._disk, f"{source}/"
        for path in [path for path in disk.files if path.startswith(start)]:
            disk.files[destination + path[len(source) :]] = disk.files.pop(path)
        moved = {path for path in disk.directories if path == source or path.startswith(start)}
        disk.directories -= moved
        disk.directories |= {destination + path[len(source) :] for path in moved}
        disk.namings = [naming for naming in disk.namings if not naming.directory.startswith(source)]

    def _check_parent(self, path: str) -> None:
        if _parent(path) not in self._disk.directories:
            self._fail(path, "has no directory")

    def _file(self, path: str) -> File:
        self._check_life()
        file = self._disk.files.get(path)
        if file is None:
            self._fail(path, "is no file")
        return file

    def _fail(self, path: str, reason: str) -> NoReturn:
        raise DiskError(f"{self._life.node}: {path} {reason}")

    def _begin_effect(self) -> None:
        """Count a change that happens whole or not at all."""
        if self._is_crash_due():
            self._crash()

    def _is_crash_due(self) -> bool:
        self._check_life()
        self.effects += 1
        return self.crash_at is not None and self.effects >= self.crash_at

    def _crash(self) -> NoReturn:
        self._life.is_on = False
        raise ProcessCrashedError(self._life.node)

    def _check_life(self) -> None:
        if not self._life.is_on:
            raise ProcessCrashedError(self._life.node)


def _parent(path: str) -> str:
    """The directory of a path; the disk's own is ""."""
    return path.rpartition("/")[0]
