"""The files of a storage directory, or of a tar archive of such directories; nothing is unpacked to disk.

A name that leads out of the tree, a link that does and every special file is refused and reported. Not here: what the
files mean (`storage_directory`).
"""

import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from genstamp.events import Place
from genstamp.logs.readers.sighting import Reject
from genstamp.logs.streams import Content, DamagedSourceError, Stream

MEMBERS_MAX = 5_000_000
"""Files and directories of an archive."""

KEPT_MAX = 256 << 20
"""Bytes of an archive that are kept in memory: its edit logs, images and VERSION files, not its blocks."""

HEADER_MAX = 1 << 20
"""Bytes of a header that only tells of another one: a long name, or attributes."""

_IN_VAIN_MAX = 100
"""Times that tarfile may read beyond the end; it skips a member piece by piece, however long that is said to be."""

_MAGIC = slice(257, 262)
_TELLING_OF_OTHERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)


class Tree(Protocol):
    """The files of a tree.

    Attributes:
        sizes: bytes of each file, by its path from the root of the tree, with slashes.
        rejects: what was refused.
    """

    sizes: dict[str, int]
    rejects: list[Reject]

    def name(self, path: str) -> str:
        """How a file is called in messages."""

    def open(self, path: str) -> Content:
        """The content of a file; of an archive only of those that are kept."""


class Directory:
    """The files below a directory; see `Tree`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.sizes: dict[str, int] = {}
        self.rejects: list[Reject] = []
        waiting = [""]
        while waiting:
            here = waiting.pop()
            try:
                entries = sorted(os.scandir(root / here), key=lambda entry: entry.name)
            except OSError as error:
                self._refuse(here, f"cannot be read: {error.strerror}")
                continue
            for entry in entries:
                waiting += self._take(f"{here}{entry.name}", entry)

    def name(self, path: str) -> str:
        return str(self._root / path)

    def open(self, path: str) -> Content:
        return FileContent(self._root / path)

    def _take(self, path: str, entry: "os.DirEntry[str]") -> Iterator[str]:
        """Notes a file; gives the directories to look into."""
        told = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(told.st_mode):
            yield f"{path}/"
        elif stat.S_ISREG(told.st_mode):
            self.sizes[path] = told.st_size
        else:
            self._refuse(path, "a link or special file; a storage directory contains neither")

    def _refuse(self, path: str, reason: str) -> None:
        self.rejects.append(Reject(Place(_text(self.name(path)), 0), reason))


class Archive:
    """The files of a tar archive, which may be compressed; see `Tree`.

    Raises:
        DamagedSourceError: the archive cannot be read to its end, or holds more than is allowed.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._kept: dict[str, bytes] = {}
        self.sizes: dict[str, int] = {}
        self.rejects: list[Reject] = []
        try:
            with Stream(file) as stream:
                self._read(stream)
        except (tarfile.TarError, ValueError, OverflowError, EOFError) as error:
            raise DamagedSourceError(f"the archive is damaged: {error}") from None

    def name(self, path: str) -> str:
        return f"{self._file}!/{path}"

    def open(self, path: str) -> Content:
        return _Kept(self._kept[path])

    def _read(self, stream: Stream) -> None:
        pipe = _Pipe(stream)
        piped: Any = pipe
        with tarfile.open(fileobj=piped, mode="r|", tarinfo=_Member, errorlevel=1) as archive:
            for number, member in enumerate(archive):
                if number >= MEMBERS_MAX:
                    raise DamagedSourceError(f"the archive has more than {MEMBERS_MAX} files and directories")
                path = self._inside(member.name)
                if path and not member.isdir():
                    self._take(path, member, archive)
            # tarfile takes the end of the file for that of the archive, which has an empty block.
            pipe.exhaust()
            if pipe.given < archive.offset + tarfile.BLOCKSIZE:
                raise DamagedSourceError(f"the archive ends early, after {pipe.given} bytes")

    def _take(self, path: str, member: tarfile.TarInfo, archive: tarfile.TarFile) -> None:
        if member.islnk():
            target = self._inside(member.linkname)
            if target not in self.sizes:
                self._refuse(path, "a hard link to a file that does not precede it in the archive")
                return
            self.sizes[path] = self.sizes[target]
            if target in self._kept:
                self._kept[path] = self._kept[target]
        elif not member.isreg() or member.issparse():
            self._refuse(path, "a link or special file; a storage directory contains neither")
        else:
            self.sizes[path] = member.size
            if is_kept(path):
                self._keep(path, member, archive)

    def _keep(self, path: str, member: tarfile.TarInfo, archive: tarfile.TarFile) -> None:
        if sum(map(len, self._kept.values())) + member.size > KEPT_MAX:
            raise DamagedSourceError(f"the edit logs and images of the archive have more than {KEPT_MAX} bytes")
        content = archive.extractfile(member)
        assert content is not None, f"{path} is a regular file"
        self._kept[path] = content.read()

    def _inside(self, name: str) -> str:
        """The path of a member, "" for the root and for what is refused."""
        parts = PurePosixPath(name).parts
        if name.startswith("/") or ".." in parts or "\0" in name or _text(name) != name:
            self._refuse(name, "its name points outside the archive or is not valid UTF-8")
            return ""
        return "/".join(parts)

    def _refuse(self, path: str, reason: str) -> None:
        self.rejects.append(Reject(Place(_text(self.name(path)), 0), reason))


def is_archive(head: bytes) -> bool:
    """Whether a file that begins so is a tar archive."""
    return head[_MAGIC] == b"ustar"


def is_kept(path: str) -> bool:
    """Whether the content of a file tells something; of a block and its checksums the names and lengths do."""
    name = path.rpartition("/")[2]
    return name == "VERSION" or (name.startswith(("edits", "fsimage")) and not name.endswith(".md5"))


class _Member(tarfile.TarInfo):
    """A member whose header is examined before what it announces is read into memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_Member":
        member = super().frombuf(buf, encoding, errors)
        if member.type in _TELLING_OF_OTHERS and not 0 <= member.size <= HEADER_MAX:
            raise DamagedSourceError(f"a header of the archive has {member.size} bytes; allowed are {HEADER_MAX}")
        return member


class _Pipe:
    """The stream that tarfile reads from.

    Attributes:
        given: bytes so far.
    """

    def __init__(self, stream: Stream) -> None:
        self.given = 0
        self._chunks = stream.chunks()
        self._chunk = b""
        self._at = 0
        self._in_vain = 0

    def read(self, size: int) -> bytes:
        """The next bytes; fewer only at the end, beyond which a member of any length is not looked for."""
        pieces = []
        while size:
            if self._at == len(self._chunk):
                self._chunk, self._at = next(self._chunks, b""), 0
                if not self._chunk:
                    break
            piece = self._chunk[self._at : self._at + size]
            self._at += len(piece)
            size -= len(piece)
            pieces.append(piece)
        read = b"".join(pieces)
        self.given += len(read)
        self._in_vain += not read
        if self._in_vain > _IN_VAIN_MAX:
            raise DamagedSourceError(f"the archive ends early, after {self.given} bytes")
        return read

    def exhaust(self) -> None:
        """Reads to the end."""
        while self.read(1 << 18):
            pass


class _Kept:
    """Bytes in memory as content."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def chunks(self) -> Iterator[bytes]:
        """All at once."""
        yield self._content


class FileContent:
    """A file of a directory, opened when it is read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def chunks(self) -> Iterator[bytes]:
        """The content in pieces."""
        with Stream(self._path) as stream:
            yield from stream.chunks()


def _text(name: str) -> str:
    return name.encode(errors="backslashreplace").decode()
