"""Whose directory it is, and what was decided when it was made."""

from pathlib import Path

import pytest

from genstamp_dfs.errors import StorageError
from genstamp_dfs.gfs.protocol import Limits
from genstamp_dfs.gfs.server.storage import Storage, check_same, decided_limits, read_storage, write_storage
from genstamp_dfs.server.disk import RealDisk

LIMITS = Limits(chunk_bytes=4096, lease_us=2_000_000, lease_margin=0.5)
MASTER = Storage("master", "00ff", LIMITS)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    disk = RealDisk(tmp_path)
    assert read_storage(disk, "master") is None
    write_storage(disk, MASTER)
    assert read_storage(RealDisk(tmp_path), "master") == MASTER
    text = (tmp_path / "VERSION").read_text()
    assert text == (
        "layoutVersion=1\nnode=master\nclusterID=00ff\nchunk_bytes=4096\nlease_us=2000000\nlease_margin=0.5\n"
    )


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("layoutVersion=1", "layoutVersion=2", "layoutVersion 2, accepted: 1"),
        ("node=master", "node=chunkserver", "node chunkserver, accepted: master"),
        ("clusterID=00ff\n", "", "does not say clusterID"),
        ("chunk_bytes=4096", "chunk_bytes=many", "is damaged: invalid literal"),
        ("lease_us=2000000", "lease_us=5", "is damaged: a lease lasts 5 microseconds"),
        ("layoutVersion=1", "\x00", "is not a properties file"),
    ],
)
def test_a_directory_of_something_else_is_refused(tmp_path: Path, before: str, after: str, told: str) -> None:
    disk = RealDisk(tmp_path)
    write_storage(disk, MASTER)
    path = tmp_path / "VERSION"
    path.write_text(path.read_text().replace(before, after))
    with pytest.raises(StorageError, match=told):
        read_storage(disk, "master")


def test_a_directory_that_is_not_empty_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(StorageError, match=r"has letter.txt in it and no VERSION; accepted: an empty one"):
        read_storage(RealDisk(tmp_path), "chunkserver")
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_what_was_left_by_a_start_that_was_cut_short_is_no_foreign_file(tmp_path: Path) -> None:
    (tmp_path / "VERSION.tmp").write_text("layout")
    disk = RealDisk(tmp_path)
    assert read_storage(disk, "master") is None
    write_storage(disk, MASTER)
    assert read_storage(disk, "master") == MASTER


def test_another_cluster_and_other_limits_are_refused() -> None:
    check_same(MASTER, MASTER)
    check_same(MASTER, Storage("master", "00ff", Limits(4096, replicas=1, lease_us=2_000_000, lease_margin=0.5)))
    with pytest.raises(StorageError, match="belongs to cluster 00ff, accepted: 11"):
        check_same(MASTER, Storage("master", "11", LIMITS))
    shorter = Limits(chunk_bytes=4096, lease_us=1_000_000, lease_margin=0.5)
    with pytest.raises(StorageError, match=r"made with limits.lease_us=2000000, which cannot become 1000000"):
        check_same(MASTER, Storage("master", "00ff", shorter))


def test_what_was_decided_need_not_be_given_again() -> None:
    assert decided_limits(None, LIMITS) == LIMITS
    assert decided_limits(MASTER, Limits(replicas=1)) == Limits(4096, 1, 2_000_000, 0.5)
