"""Real files in one directory (`genstamp_dfs.world.disk.Disk`).

Paths are checked before anything is touched: none leaves the directory, none goes through a symbolic link.

What was forced to the disk and not changed since is not forced again. So a sync that another thread has made a moment
before, while the loop did other things, costs the loop nothing. All else belongs to the loop's thread.

A sync that has failed is never made again, of no file: after the first failure each sync raises that failure. The
kernel reports a failed write once and counts the bytes as clean then, so another sync would acknowledge lost bytes.

Directories are made for their owner alone (0700), and so are files (0600).

Not here: how full the disk is (`usage` says that).
"""

import errno
import fcntl
import logging
import os
import shutil
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn, TypeVar

from genstamp_dfs.errors import DiskError, DiskFailedError, DiskFullError, StorageError
from genstamp_dfs.server.open_files import OpenFiles

_LOG = logging.getLogger(__name__)

Result = TypeVar("Result")

MAX_REMEMBERED: Final = 1_000
"""Paths of which it is known whether they have to be forced; then all are forgotten, and each is forced once more."""

DIRECTORY_MODE: Final = 0o700
FILE_MODE: Final = 0o600
"""For the owner alone, as Hadoop's `dfs.datanode.data.dir.perm` and `dfs.namenode.storage.dir.perm`."""

_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
_FAILED: Final = (errno.EIO, errno.EROFS, errno.ENXIO, errno.ENODEV, errno.ESTALE)
"""Errors of a change that are the fault of the disk, not of the path."""

_LOCKS: Final = 1024
"""Many more than files that are forced at once, so that two of these hardly ever wait for one lock."""

_NO_NAMES: Final = frozenset({"", ".", ".."})


class RealDisk:
    """The files of one node.

    Args:
        root: the directory, which is made if it is not there.

    Raises:
        DiskError: it cannot be made, or is no directory.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._root = str(self.root)
        self._failure: DiskFailedError | None = None
        self._forcing = [threading.Lock() for _ in range(_LOCKS)]
        self._do("", lambda: self.root.mkdir(DIRECTORY_MODE, parents=True, exist_ok=True))
        self._lock: int | None = None
        self._files = OpenFiles()
        self._change = 0
        self._changed_at: dict[str, int] = {}
        self._forced_at: dict[str, int] = {}

    def lock(self) -> None:
        """Keep the directory from other processes until `unlock`, or the end of this one.

        The directory itself is locked, not a file in it: one that turns out to be foreign stays as it is.

        Raises:
            StorageError: another process has it.
            DiskError: it cannot be locked.
        """
        descriptor = self._do("", lambda: os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            os.close(descriptor)
            raise StorageError(f"{self.root} is used by another process") from problem
        except OSError as problem:
            os.close(descriptor)
            raise DiskError(f"{self.root} cannot be locked: {problem.strerror}") from problem
        self._lock = descriptor

    def unlock(self) -> None:
        """Let others have the directory, and close its files."""
        self._files.forget(self._root)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def make_private(self) -> None:
        """Let only its owner into the directory; called when it is known to be a storage directory of ours."""
        try:
            os.chmod(self._root, DIRECTORY_MODE)
        except PermissionError:
            _LOG.warning("%s belongs to another user; its permissions are left as they are", self.root)

    def usage(self) -> tuple[int, int, int]:
        """Capacity, used and free bytes of the file system that the directory is on."""
        usage = self._do("", lambda: shutil.disk_usage(self.root))
        return usage.total, usage.used, usage.free

    # -- looking ------------------------------------------------------------------------------------------------

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory."""
        return self._do(path, lambda: os.path.exists(self._at(path)))

    def is_directory(self, path: str) -> bool:
        """Whether the path is a directory."""
        return self._do(path, lambda: os.path.isdir(self._at(path)))

    def names(self, directory: str) -> list[str]:
        """Names in a directory, sorted; empty if there is none."""

        def names() -> list[str]:
            at = self._at(directory)
            return sorted(os.listdir(at)) if os.path.isdir(at) else []

        return self._do(directory, names)

    def size(self, path: str) -> int:
        """Length of a file in bytes."""
        return self._do(path, lambda: os.stat(self._at(path)).st_size)

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        """Bytes of a file."""

        def read() -> bytes:
            return _read_fully(self._opened(path, os.O_RDONLY), offset, -1 if length is None else length)

        return self._do(path, read)

    # -- changing -----------------------------------------------------------------------------------------------

    def make_directory(self, path: str) -> None:
        """Make a directory and those above it."""
        above = [path[:end] for end, letter in enumerate(path) if letter == "/"]

        def make() -> None:
            for each in (*above, path):
                at = self._at(each)
                try:
                    os.mkdir(at, DIRECTORY_MODE)
                except FileExistsError:
                    if not os.path.isdir(at):
                        raise

        with self._changing(path, "", *above):
            self._change_disk(path, make)

    def create(self, path: str) -> None:
        """Make an empty file; one that exists is an error."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with self._changing(path, _parent(path)):
            self._change_disk(path, lambda: os.close(os.open(self._at(path), flags, FILE_MODE)))

    def write(self, path: str, offset: int, data: bytes) -> None:
        """Put bytes into a file."""

        def write() -> None:
            descriptor = self._opened(path, os.O_WRONLY)
            if offset > os.fstat(descriptor).st_size:
                self._fail(path, f"is shorter than {offset} bytes, a write there would leave a hole")
            _write_fully(descriptor, offset, data)

        with self._changing(path):
            self._change_disk(path, write)

    def truncate(self, path: str, length: int) -> None:
        """Cut a file."""

        def cut() -> None:
            at = self._at(path)
            if length > os.stat(at).st_size:
                self._fail(path, f"has fewer than {length} bytes")
            os.truncate(at, length)

        with self._changing(path):
            self._change_disk(path, cut)

    def rename(self, source: str, destination: str) -> None:
        """Give a file or directory another name."""

        def rename() -> None:
            old, new = self._at(source), self._at(destination)
            self._files.forget(old)
            self._files.forget(new)
            os.replace(old, new)

        with self._changing(destination, _parent(source), _parent(destination), below=(source, destination)):
            self._change_disk(f"{source} to {destination}", rename)

    def remove(self, path: str) -> None:
        """Remove a file, or a directory with all that is in it."""

        def remove() -> None:
            at = self._at(path)
            if not path:
                self._fail(path, "is the directory of the disk itself")
            self._files.forget(at)
            if os.path.isdir(at):
                shutil.rmtree(at)
            else:
                os.unlink(at)

        with self._changing(_parent(path), below=(path,)):
            self._change_disk(path, remove)

    def sync(self, path: str) -> None:
        """Force the bytes of a file to the disk; another thread may call it."""
        self._force(path, os.O_RDWR)

    def sync_directory(self, path: str) -> None:
        """Force the names in a directory to the disk; another thread may call it."""
        self._force(path, os.O_RDONLY | os.O_DIRECTORY)

    def _force(self, path: str, flags: int) -> None:
        # If two threads force one file, the second one must see that the first one has failed.
        with self._forcing[hash(path) % _LOCKS]:
            if self._failure is not None:
                raise self._failure
            change = self._changed_at.get(path)
            if change is not None and self._forced_at.get(path) == change:
                return
            descriptor = self._do(path, lambda: os.open(self._at(path), flags | os.O_CLOEXEC))
            try:
                os.fsync(descriptor)
            except OSError as problem:
                self._fail_for_good(path, problem)
            finally:
                os.close(descriptor)
            if change is not None:
                self._forced_at[path] = change

    @contextmanager
    def _changing(self, *paths: str, below: tuple[str, ...] = ()) -> Iterator[None]:
        """Note that files and directories change, and that names are given up with all below them.

        Only when it is over, however it ends: a thread that forces them meanwhile may come before the change.
        """
        try:
            yield
        finally:
            if len(self._changed_at) > MAX_REMEMBERED:
                self._changed_at.clear()
                self._forced_at.clear()
            for path in below:
                for name in [name for name in self._changed_at if name == path or name.startswith(f"{path}/")]:
                    del self._changed_at[name]
                    self._forced_at.pop(name, None)
            for path in paths:
                self._change += 1
                self._changed_at[path] = self._change

    # -- below --------------------------------------------------------------------------------------------------

    def _opened(self, path: str, mode: int) -> int:
        """The descriptor of a file."""
        found = self._files.find(f"{self._root}/{path}", mode)
        return self._files.open(self._at(path), mode) if found is None else found

    def _at(self, path: str) -> str:
        """The path below the directory."""
        if not path:
            return self._root
        names = path.split("/")
        if "\0" in path or not _NO_NAMES.isdisjoint(names):
            self._fail(path, "is no path of a disk")
        at = self._root
        for name in names:
            at = f"{at}/{name}"
            try:
                if stat.S_ISLNK(os.lstat(at).st_mode):
                    self._fail(path, "leads through a symbolic link")
            except (FileNotFoundError, NotADirectoryError):
                break
        return f"{self._root}/{path}"

    def _do(self, path: str, work: Callable[[], Result]) -> Result:
        try:
            return work()
        except OSError as problem:
            raise self._error(path, problem) from problem

    def _change_disk(self, path: str, work: Callable[[], None]) -> None:
        """Make a change; after one that fails because of the disk itself, the disk is out of service."""
        try:
            work()
        except OSError as problem:
            if problem.errno in _FAILED:
                self._fail_for_good(path, problem)
            raise self._error(path, problem) from problem

    def _fail_for_good(self, path: str, problem: OSError) -> NoReturn:
        # Of two files that were forced at the same time the first that failed is the reason, for both.
        if self._failure is None:
            self._failure = DiskFailedError(f"{self.root}: {path or 'the directory'}: {problem.strerror or problem}")
        raise self._failure from problem

    def _error(self, path: str, problem: OSError) -> DiskError:
        kind = DiskFullError if problem.errno in _FULL else DiskError
        return kind(f"{self.root}: {path or 'the directory'}: {problem.strerror or problem}")

    def _fail(self, path: str, reason: str) -> NoReturn:
        raise DiskError(f"{self.root}: {path!r} {reason}")


def _parent(path: str) -> str:
    """The directory that a path stands in."""
    return path.rpartition("/")[0]


def _read_fully(descriptor: int, offset: int, length: int) -> bytes:
    """All bytes from `offset` to the end, or `length` of them."""
    parts = []
    while length:
        part = os.pread(descriptor, min(length, 1 << 20) if length > 0 else 1 << 20, offset)
        if not part:
            break
        parts.append(part)
        offset += len(part)
        length -= len(part) if length > 0 else 0
    return b"".join(parts)


def _write_fully(descriptor: int, offset: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        if written == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        offset += written
        view = view[written:]
