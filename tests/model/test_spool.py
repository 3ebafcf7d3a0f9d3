"""Rows that are appended come back, from memory and from a file; the disk's end is told."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from genstamp_model.errors import ConfigurationError
from genstamp_model.explore.spool import Disk, DiskError, Spool


def rows(first: int, count: int) -> NDArray[np.int64]:
    return np.arange(3 * first, 3 * (first + count), dtype=np.int64).reshape(count, 3)


def filled(disk: Disk, memory_rows: int = 10, lengths: tuple[int, ...] = (4, 5, 6, 0, 7)) -> Spool:
    spool, count = Spool(3, memory_rows, disk), 0
    for length in lengths:
        spool.append(rows(count, length))
        count += length
    return spool


def everything(spool: Spool, most: int) -> list[list[int]]:
    found: list[list[int]] = []
    while len(found) < len(spool):
        found += spool.read(len(found), most).tolist()
    return found


@pytest.mark.parametrize("memory_rows", [0, 1, 9, 10, 21, 22, 1000])
def test_rows_come_back_in_order(tmp_path: Path, memory_rows: int) -> None:
    spool = filled(Disk(tmp_path), memory_rows)
    for most in (1, 2, 5, 100):
        assert everything(spool, most) == rows(0, 22).tolist()


def test_a_long_file_is_read_in_pieces(tmp_path: Path) -> None:
    spool = filled(Disk(tmp_path), lengths=(300_000,))
    piece = spool.read(10, 300_000)
    assert 100_000 < len(piece) < 200_000
    assert np.array_equal(piece, rows(10, len(piece)))
    assert spool.read(299_999, 1).tolist() == rows(299_999, 1).tolist()


def test_what_has_no_room_in_memory_goes_to_a_file_without_a_name(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    spool = filled(disk)
    assert (spool.memory_bytes, disk.used, disk.most_used) == (10 * 24, 12 * 24, 12 * 24)
    assert not list(tmp_path.iterdir())


def test_a_spool_that_was_cleared_holds_what_comes_next(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    spool = filled(disk)
    spool.clear()
    assert (len(spool), disk.used, disk.most_used) == (0, 0, 12 * 24)
    spool.append(rows(100, 15))
    assert everything(spool, 4) == rows(100, 15).tolist()


def test_no_more_than_allowed_is_written(tmp_path: Path) -> None:
    disk = Disk(tmp_path, most_bytes=11 * 24)
    with pytest.raises(DiskError, match=r"the 264 bytes that files in .* may take are used up"):
        filled(disk)


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    spool = filled(Disk(tmp_path), lengths=(4, 5))
    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(DiskError, match="could not be written: no space left on device"):
        spool.append(rows(9, 5))
    assert everything(spool, 100) == rows(0, 9).tolist()


def test_a_disk_that_does_not_give_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    spool = filled(Disk(tmp_path))
    monkeypatch.setattr(os, "preadv", broken)
    with pytest.raises(DiskError, match="could not be read: input/output error"):
        spool.read(12, 3)


def test_a_write_that_stops_half_way_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, place: write(file, data[:13], place))
    assert everything(filled(Disk(tmp_path)), 100) == rows(0, 22).tolist()


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="missing' is not a directory"):
        Disk(tmp_path / "missing")
