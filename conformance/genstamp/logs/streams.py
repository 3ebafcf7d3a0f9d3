"""Opens what may be compressed, within limits, and says in one sentence what is wrong with what it cannot read.

Not here: what the bytes mean (`genstamp.logs.readers`). The compression of a file is detected from its first bytes.
Text in UTF-16, as programs of Windows write it, is detected too, and converted to UTF-8.
"""

import bz2
import codecs
import lzma
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

import zstandard

from genstamp.errors import GenstampError
from genstamp.logs.opening import open_binary, size

LINE_LENGTH_MAX = 1 << 20
"""Bytes of a line; HDFS' own longest, a deletion order of 1000 blocks, has some 30 000."""

EXPANSION_MAX = 200
"""How many times larger than the file its content may be; logs compress to between a tenth and a fiftieth."""

EXPANSION_FREE = 1 << 30
"""Bytes of content below which the expansion is not examined: archives of storage directories, whose files hold zeros,
expand 500 times and more, and a gibibyte takes seconds."""

COMPRESSED_TO = 10
"""How many times smaller than its content a compressed log is, about."""

_CHUNK = 1 << 18

_UTF_16 = "UTF-16"

_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    zstandard.FRAME_HEADER: "zstd",
    codecs.BOM_UTF16_LE: _UTF_16,
    codecs.BOM_UTF16_BE: _UTF_16,
}
_LONGEST_MAGIC = max(map(len, _MAGIC))

_NOT_READ = {
    b"PK\3\4": "zip",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!\x1a\7": "RAR",
    b"\x04\x22\x4d\x18": "lz4",
    b"\x89LZO": "lzop",
    b"LZIP": "lzip",
    b"\xff\6\0\0sNaPpY": "snappy",
    b"\x1f\x9d": "compress",
}

DECOMPRESSED = ("gzip", "bzip2", "xz", "zstd")
"""The supported compressions of a file."""

# 128 MiB is what the zstd program itself allows without being asked; xz -9 needs half of it.
_WINDOW_MAX = 1 << 27

_MOST_AT_ONCE = 16 << 20

# Bytes decompressed at a time: no more than some 16 MiB can come of them, or are asked for.
_PIECES = {"gzip": 1 << 14, "zstd": 1 << 9, "bzip2": _CHUNK, "xz": _CHUNK, _UTF_16: _CHUNK}


class DamagedSourceError(GenstampError):
    """A source cannot be read any further.

    Attributes:
        reason: what is wrong, without the source's name.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Decoder(Protocol):
    """The common part of the decoders."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


class _Utf16:
    """Makes UTF-8 of UTF-16; what is none of it becomes a question mark in a box, as in an editor."""

    eof, unused_data = False, b""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")

    def decompress(self, data: bytes) -> bytes:
        """The text of a piece, as far as whole characters go."""
        return self._decoder.decode(data).encode()


class _Limited:
    """bzip2 and xz, of which some bytes may be a gibibyte of zeros: gives some of the content at a time."""

    def __init__(self, decoder: bz2.BZ2Decompressor | lzma.LZMADecompressor) -> None:
        self._decoder = decoder

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    @property
    def unused_data(self) -> bytes:
        return self._decoder.unused_data

    @property
    def keeps_content(self) -> bool:
        """Whether there is more of what it was given."""
        return not (self._decoder.needs_input or self._decoder.eof)

    def decompress(self, data: bytes) -> bytes:
        """The next piece of the content."""
        return self._decoder.decompress(data, _MOST_AT_ONCE)


class Content(Protocol):
    """What can be read from its beginning."""

    def chunks(self) -> Iterator[bytes]:
        """The content in pieces of no particular length.

        Raises:
            DamagedSourceError: it cannot be read any further.
        """


class Stream:
    """The content of a file, decompressed as it is read.

    Attributes:
        bytes_read: bytes of content given out so far.
    """

    def __init__(self, path: str | Path) -> None:
        self._file = open_binary(path)
        magic = self._file.read(_LONGEST_MAGIC)
        self._file.seek(0)
        self._compression = _compression(magic)
        self._decoder: _Decoder | None = None
        self._taken = 0
        self._content: Iterator[bytes] | None = None
        self._text: _Utf16 | None = None
        self._beginning = b""
        self._left = b""
        self.bytes_read = 0

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def chunks(self, size: int = _CHUNK) -> Iterator[bytes]:
        """The content in pieces of no particular length.

        Args:
            size: bytes of the file that are read at a time.

        Raises:
            DamagedSourceError: the compressed data ends early, is damaged, or expands beyond the limit.
        """
        while data := self._file.read(size):
            self._taken += len(data)
            for chunk in map(self._in_utf_8, self._decompressed(data)) if self._compression else (data,):
                self.bytes_read += len(chunk)
                if self.bytes_read > EXPANSION_FREE and self.bytes_read > EXPANSION_MAX * self._taken:
                    raise DamagedSourceError(
                        f"{self._compression} data expands more than {EXPANSION_MAX} times: "
                        f"{self._taken} bytes gave {self.bytes_read}"
                    )
                if chunk:
                    yield chunk
        if self._decoder is not None and self._compression != _UTF_16:
            raise DamagedSourceError(f"{self._compression} data ends early, after {self._taken} bytes")

    def read_into(self, room: memoryview) -> int:
        """Puts content into some memory; gives how much, 0 at the end.

        Raises:
            DamagedSourceError: as `chunks`.
        """
        if not self._compression:
            read: int = self._file.readinto(room)  # type: ignore[attr-defined]
            self.bytes_read += read
            return read
        if self._content is None:
            self._content = self.chunks()
        self._left = self._left or next(self._content, b"")
        given, self._left = self._left[: len(room)], self._left[len(room) :]
        room[: len(given)] = given
        return len(given)

    def _in_utf_8(self, content: bytes) -> bytes:
        """Decompressed content, converted if it is in UTF-16."""
        if not self.bytes_read and self._text is None:
            content, self._beginning = self._beginning + content, b""
            if content in (b"\xff", b"\xfe"):  # The first half of a byte order mark.
                self._beginning = content
                return b""
            self._text = _Utf16() if _compression(content) == _UTF_16 else None
        return content if self._text is None else self._text.decompress(content)

    def _decompressed(self, data: bytes) -> Iterator[bytes]:
        """Content of a piece of the file."""
        size = _PIECES[self._compression]
        while data or (isinstance(self._decoder, _Limited) and self._decoder.keeps_content):
            if self._decoder is None:
                self._decoder = _decoder(self._compression)
            piece, data = data[:size], data[size:]
            try:
                content = self._decoder.decompress(piece)
            except (zlib.error, zstandard.ZstdError, lzma.LZMAError, OSError) as error:
                raise DamagedSourceError(
                    f"{self._compression} data is damaged before byte {self._taken}: {error}"
                ) from None
            if self._decoder.eof:
                # A member or frame has ended; tape blocks and some tools pad with zeros.
                data = (self._decoder.unused_data + data).lstrip(b"\0")
                self._decoder = None
            yield content


def is_compressed(path: str | Path) -> bool:
    """Whether a file is one that is decompressed as it is read."""
    with open_binary(path) as file:
        return bool(_compression(file.read(_LONGEST_MAGIC)))


def not_decompressed(beginning: bytes) -> str:
    """The compression of a file that cannot be read here; "" if it has none of these."""
    return _begins(beginning, _NOT_READ)


def _compression(beginning: bytes) -> str:
    return _begins(beginning, _MAGIC)


def _begins(beginning: bytes, magic: Mapping[bytes, str]) -> str:
    return next((name for first, name in magic.items() if beginning.startswith(first)), "")


def _decoder(compression: str) -> _Decoder:
    match compression:
        case "gzip":
            return zlib.decompressobj(wbits=31)
        case "bzip2":
            return _Limited(bz2.BZ2Decompressor())
        case "xz":
            return _Limited(lzma.LZMADecompressor(lzma.FORMAT_XZ, _WINDOW_MAX))
        case "zstd":
            decoder: _Decoder = zstandard.ZstdDecompressor(max_window_size=_WINDOW_MAX).decompressobj()
            return decoder
    return _Utf16()


def lines(stream: Content) -> Iterator[bytes | None]:
    """The lines of a text, without their ends; None for a line longer than `LINE_LENGTH_MAX`.

    Raises:
        DamagedSourceError: as `Stream.chunks`, after the whole lines before the damage.
    """
    rest, overlong = b"", False
    for chunk in stream.chunks():
        first, *others = chunk.split(b"\n")
        rest = b"" if overlong else rest + first
        if others:
            yield None if overlong else _whole(rest)
            rest, overlong = others.pop(), False
            for line in others:
                yield _whole(line)
        overlong = overlong or len(rest) > LINE_LENGTH_MAX
    if overlong or rest:
        yield None if overlong else _whole(rest)


def _whole(line: bytes) -> bytes | None:
    return None if len(line) > LINE_LENGTH_MAX else line.removesuffix(b"\r")


def whole_lines(file: str | Path) -> Iterator[bytes]:
    """The lines of a file, many at once; of one that is too long a piece at a time; up to damage, if there is any."""
    rest = b""
    try:
        with Stream(file) as stream:
            for chunk in stream.chunks():
                whole, newline, rest = (rest + chunk).rpartition(b"\n")
                if newline:
                    yield whole
                elif len(rest) > LINE_LENGTH_MAX:
                    yield rest
                    rest = b""
    except (DamagedSourceError, OSError):
        pass
    yield rest


def head(path: str | Path, num_bytes: int) -> bytes:
    """The first bytes of a file's content, fewer if it is shorter or damaged."""
    found = b""
    try:
        with Stream(path) as stream:
            for chunk in stream.chunks():
                found += chunk
                if len(found) >= num_bytes:
                    break
    except DamagedSourceError:
        pass
    return found[:num_bytes]


def tail(path: str | Path, num_bytes: int) -> bytes:
    """The last bytes of a file's content, fewer if it is shorter; of one that is damaged those before the damage."""
    if not is_compressed(path):
        with open_binary(path) as file:
            file.seek(max(0, size(path) - num_bytes))
            return file.read()
    found = b""
    try:
        with Stream(path) as stream:
            for chunk in stream.chunks():
                found = (found + chunk)[-num_bytes:]
    except DamagedSourceError:
        pass
    return found
