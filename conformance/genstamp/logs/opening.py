"""Files of any file system, by plain paths and by URIs: found, measured and opened through fsspec.

A plain path, and `file:`, is of this machine and opened as ever. Credentials come from where fsspec's libraries look.
Not here: what files hold (`genstamp.logs.streams`).
"""

import errno
import glob
import io
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from genstamp.errors import GenstampError

_REMOTE = re.compile(r"(?!file:)[a-z][a-z0-9+.-]+://")
_WILD = re.compile(r"[*?\[]")

_BUFFER = 1 << 20
"""Bytes that are asked of another machine at once."""


class NoSuchPathError(GenstampError):
    """A path that was given is not there.

    Attributes:
        path: as it was given.
    """

    def __init__(self, path: str) -> None:
        super().__init__(f"no file or directory {path}")
        self.path = path


class NotOpenedError(GenstampError):
    """A file system cannot be asked.

    Attributes:
        path: that was given.
    """

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path} cannot be looked up: {why}")
        self.path = path


_of_hdfs: dict[str, Any] = {}
"""File systems of HDFS by scheme and authority. In the cache of fsspec a process that is forked from this one would let
go of each, and wait there for threads that are not.
"""


def _file_system(uri: str) -> tuple[Any, str]:
    """The file system of a URI, and the path in it."""
    # Only what is on other machines asks for it: it takes a while to load.
    from fsspec.core import url_to_fs

    split = urlsplit(uri)
    if split.scheme not in ("hdfs", "viewfs"):
        files, inside = url_to_fs(uri)
        return files, inside
    root = f"{split.scheme}://{split.netloc}"
    if root not in _of_hdfs:
        _of_hdfs[root], _ = url_to_fs(uri, skip_instance_cache=True)
    return _of_hdfs[root], _of_hdfs[root]._strip_protocol(uri)


def is_remote(name: str | Path) -> bool:
    """Whether a file is named by a URI of another file system than this machine's."""
    return isinstance(name, str) and _REMOTE.match(name) is not None


def local_path(path: str) -> str:
    """A path of this machine, with or without `file:`, as a plain one."""
    return unquote(urlsplit(path).path) if path.startswith("file:") else path


def expanded(paths: Sequence[str]) -> list[str]:
    """The files at some paths and URIs: as they are, `file:` as plain paths, wildcards as all that fits, in order.

    Raises:
        NoSuchPathError: nothing is there.
        NotOpenedError: a file system cannot be asked.
    """
    return [name for path in paths for name in _expanded(path)]


def _expanded(path: str) -> list[str]:
    if is_remote(path):
        with _asked(path) as (files, inside):
            if files.exists(inside):
                return [path]
            found = [_named(path, each) for each in files.glob(inside)] if _WILD.search(inside) else []
    else:
        plain = local_path(path)
        if Path(plain).exists():
            return [plain]
        found = glob.glob(plain, recursive=True) if _WILD.search(plain) else []  # noqa: PTH207 - a path of any root
    if not found:
        raise NoSuchPathError(path)
    return sorted(found)


def sizes_below(uri: str) -> dict[str, int]:
    """The files at and below a URI, in order, with their bytes.

    Raises:
        NotOpenedError: the file system cannot be asked.
    """
    with _asked(uri) as (files, inside):
        found = files.find(inside, detail=True)
    return {_named(uri, path): int(told["size"] or 0) for path, told in sorted(found.items())}


def size(name: str | Path) -> int:
    """Bytes of a file, as it stands.

    Raises:
        OSError: it is not there.
    """
    if not is_remote(name):
        return Path(name).stat().st_size
    with _as_os_error():
        files, inside = _file_system(str(name))
        return int(files.size(inside))


def open_binary(name: str | Path) -> BinaryIO:
    """A file, opened for reading.

    Raises:
        OSError: it cannot be opened, or later, not read any further.
    """
    if not is_remote(name):
        return Path(name).open("rb")
    with _as_os_error():
        files, inside = _file_system(str(name))
        return cast(BinaryIO, io.BufferedReader(_Remote(files.open(inside, "rb")), _BUFFER))


# -- directories of tables ---------------------------------------------------------------------------------------------


def below(directory: str | Path, name: str) -> str | Path:
    """The entry with a name in a directory."""
    return f"{directory.rstrip('/')}/{name}" if isinstance(directory, str) else directory / name


def is_there(name: str | Path) -> bool:
    """Whether there is a file or a directory.

    Raises:
        NotOpenedError: the file system cannot be asked.
    """
    if not is_remote(name):
        return Path(name).exists()
    with _asked(str(name)) as (files, inside):
        return bool(files.exists(inside))


def dataset(directory: str | Path | pa.Table) -> Any:
    """The Parquet files of a directory, or a table, as a dataset of Arrow."""
    # Loads pandas, which a check that keeps no tables does without.
    import pyarrow.dataset

    if isinstance(directory, pa.Table):
        return pyarrow.dataset.dataset(directory)
    if not is_remote(directory):
        return pyarrow.dataset.dataset(directory, format="parquet")
    with _asked(str(directory)) as (files, inside):
        return pyarrow.dataset.dataset(inside, filesystem=files, format="parquet")


def read_bytes(name: str | Path) -> bytes:
    """The content of a file.

    Raises:
        OSError: it cannot be read.
    """
    with open_binary(name) as file:
        return file.read()


def write_bytes(name: str | Path, content: bytes) -> None:
    """Writes a file into a directory that is there."""
    if not is_remote(name):
        Path(name).write_bytes(content)
        return
    with _as_os_error():
        files, inside = _file_system(str(name))
        with files.open(inside, "wb") as file:
            file.write(content)


def put(local: Path, directory: str | Path) -> None:
    """Copies the directories of a local directory, each of files alone, and its files."""
    for path in sorted(local.rglob("*")):
        if path.is_file():
            write_bytes(below(directory, path.relative_to(local).as_posix()), path.read_bytes())


def move(directory: str | Path, to: str | Path) -> None:
    """Gives a directory another name, in one step where the file system can."""
    if not is_remote(directory):
        Path(directory).rename(to)
        return
    with _as_os_error():
        files, inside = _file_system(str(directory))
        files.mv(inside, files._strip_protocol(str(to)), recursive=True)


def remove(directory: str | Path) -> None:
    """Takes a directory away, if it is there, with all that is in it."""
    if not is_remote(directory):
        shutil.rmtree(directory, ignore_errors=True)
        return
    with _as_os_error():
        files, inside = _file_system(str(directory))
        if files.exists(inside):
            files.rm(inside, recursive=True)


@contextmanager
def _asked(uri: str) -> Iterator[tuple[Any, str]]:
    """A file system and the name of a path within it; what it raises names the URI."""
    try:
        yield _file_system(uri)
    except Exception as problem:
        raise NotOpenedError(uri, str(problem) or type(problem).__name__) from problem


def _named(uri: str, path: str) -> str:
    """A path that a file system has returned, as a URI like the one that was given."""
    scheme, _, rest = uri.partition("://")
    # hdfs-native tells paths without the host, s3fs with the bucket.
    return f"{scheme}://{rest.partition('/')[0]}{path}" if path.startswith("/") else f"{scheme}://{path}"


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Raises what a library raises as an OSError with a text, which readers tell of a file."""
    try:
        yield
    except Exception as problem:
        if isinstance(problem, OSError) and problem.strerror:
            raise
        raise OSError(errno.EIO, str(problem) or type(problem).__name__) from problem


class _Remote(io.RawIOBase):
    """A file of fsspec with no more than it has to have."""

    def __init__(self, file: Any) -> None:
        super().__init__()
        self._file = file
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        with _as_os_error():
            content = self._file.read(len(room))
        room[: len(content)] = content
        self._at += len(content)
        return len(content)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_CUR and offset == 0:
            return self._at
        with _as_os_error():
            # Not every file of fsspec says where it is then: hdfs-native's gives None.
            self._file.seek(offset, whence)
            self._at = int(self._file.tell())
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        if not self.closed:
            with _as_os_error():
                self._file.close()
        super().close()
