"""What may be compressed is opened within limits, and damage is told in a sentence."""

import bz2
import gzip
import lzma
from pathlib import Path

import pytest
import zstandard

from genstamp.logs import streams
from genstamp.logs.streams import DamagedSourceError, Stream, lines

TEXT = b"".join(b"line %d\n" % number for number in range(20_000))


COMPRESS = [gzip.compress, bz2.compress, lzma.compress, zstandard.compress]


def _read(path: Path) -> bytes:
    with Stream(path) as stream:
        return b"".join(stream.chunks())


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        gzip.compress(TEXT),
        gzip.compress(TEXT[:70_000]) + gzip.compress(TEXT[70_000:]),
        gzip.compress(TEXT) + bytes(512),
        zstandard.compress(TEXT),
        zstandard.compress(TEXT[:70_000]) + zstandard.compress(TEXT[70_000:]),
        bz2.compress(TEXT),
        bz2.compress(TEXT[:70_000]) + bz2.compress(TEXT[70_000:]),
        lzma.compress(TEXT),
        lzma.compress(TEXT[:70_000]) + bytes(8) + lzma.compress(TEXT[70_000:]),
    ],
    ids=["plain", "gzip", "members", "padded", "zstd", "frames", "bzip2", "bzip2 streams", "xz", "padded xz streams"],
)
def test_content_is_decompressed(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "log").write_bytes(content)
    assert _read(tmp_path / "log") == TEXT


@pytest.mark.slow
@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress])
def test_few_bytes_give_much_content_piece_by_piece(tmp_path: Path, compress: "type[bytes]") -> None:
    size = 100 << 20
    (tmp_path / "log").write_bytes(compress(bytes(size)))
    with Stream(tmp_path / "log") as stream:
        lengths = [len(chunk) for chunk in stream.chunks()]
    assert (sum(lengths), max(lengths) <= 16 << 20) == (size, True)


@pytest.mark.parametrize("compress", COMPRESS)
def test_compressed_data_that_ends_early_is_damaged(tmp_path: Path, compress: "type[bytes]") -> None:
    (tmp_path / "log").write_bytes(compress(TEXT)[:-7])
    with pytest.raises(DamagedSourceError, match=r"data ends early, after \d+ bytes"):
        _read(tmp_path / "log")


def test_whole_lines_before_the_damage_are_given(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(gzip.compress(TEXT)[:20_000])
    given: list[bytes | None] = []
    with Stream(tmp_path / "log") as stream, pytest.raises(DamagedSourceError):
        given.extend(lines(stream))
    assert len(given) > 1000 and given == TEXT.splitlines()[: len(given)]


def test_compressed_data_with_a_wrong_checksum_is_damaged(tmp_path: Path) -> None:
    content = bytearray(gzip.compress(TEXT))
    content[-6] ^= 1
    (tmp_path / "log").write_bytes(content)
    with pytest.raises(DamagedSourceError, match="gzip data is damaged before byte"):
        _read(tmp_path / "log")


@pytest.mark.slow
@pytest.mark.parametrize("compress", COMPRESS)
def test_data_that_expands_beyond_reason_is_refused(
    tmp_path: Path, compress: "type[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "EXPANSION_FREE", 1 << 20)
    zeros = bytes(32 << 20)
    (tmp_path / "log").write_bytes(compress(zeros))
    with pytest.raises(DamagedSourceError, match="expands more than 200 times"):
        _read(tmp_path / "log")


def test_line_beyond_the_limit_is_given_as_none_and_the_next_as_it_is(tmp_path: Path) -> None:
    long = b"x" * (streams.LINE_LENGTH_MAX + 1)
    (tmp_path / "log").write_bytes(b"first\n" + long + b"\r\nlast")
    with Stream(tmp_path / "log") as stream:
        assert list(lines(stream)) == [b"first", None, b"last"]


def test_lines_end_as_on_any_system(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"one\r\n\ntwo\n")
    with Stream(tmp_path / "log") as stream:
        assert list(lines(stream)) == [b"one", b"", b"two"]


@pytest.mark.slow
def test_archive_that_expands_a_thousand_times_is_read_while_it_is_small(tmp_path: Path) -> None:
    size = 100 << 20
    (tmp_path / "a.gz").write_bytes(gzip.compress(bytes(size)))
    assert (tmp_path / "a.gz").stat().st_size < size / 500
    with Stream(tmp_path / "a.gz") as stream:
        assert sum(map(len, stream.chunks())) == size
