"""Real files: what a node may do in its directory, and nowhere else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from genstamp_dfs.errors import DiskError, StorageError
from genstamp_dfs.server.disk import RealDisk


@pytest.fixture
def disk(tmp_path: Path) -> RealDisk:
    return RealDisk(tmp_path / "disk")


def test_a_file_keeps_what_is_written_where_it_is_written(disk: RealDisk) -> None:
    disk.make_directory("current/rbw")
    disk.create("current/rbw/blk_1")
    disk.write("current/rbw/blk_1", 0, b"0123456789")
    disk.write("current/rbw/blk_1", 8, b"abcd")
    disk.truncate("current/rbw/blk_1", 11)
    disk.sync("current/rbw/blk_1")
    disk.sync_directory("current/rbw")
    assert disk.read("current/rbw/blk_1") == b"01234567abc"
    assert disk.read("current/rbw/blk_1", 7, 2) == b"7a"
    assert disk.read("current/rbw/blk_1", 20, 2) == b""
    assert disk.size("current/rbw/blk_1") == 11
    assert disk.names("") == ["current"]
    assert disk.names("nothing") == []
    assert disk.is_directory("current") and not disk.is_directory("current/rbw/blk_1")


def test_a_file_takes_the_name_of_another_in_one_step_and_directories_go_with_what_is_in_them(disk: RealDisk) -> None:
    for name, data in (("new", b"new"), ("old", b"old")):
        disk.create(name)
        disk.write(name, 0, data)
    disk.rename("new", "old")
    assert disk.names("") == ["old"] and disk.read("old") == b"new"
    disk.make_directory("a/b")
    disk.create("a/b/c")
    disk.remove("a")
    disk.remove("old")
    assert disk.names("") == []


@pytest.mark.parametrize("path", ["/etc/passwd", "../outside", "a/../../outside", "a//b", "a/", "./a", "a\0b"])
def test_no_path_leaves_the_directory(disk: RealDisk, tmp_path: Path, path: str) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")
    disk.make_directory("a")
    for touch in (disk.exists, disk.read, disk.create, disk.remove, disk.make_directory, disk.sync, disk.names):
        with pytest.raises(DiskError, match="is no path of a disk"):
            touch(path)
    with pytest.raises(DiskError, match="is no path of a disk"):
        disk.rename("a", path)
    assert outside.read_bytes() == b"mine"


def test_no_symbolic_link_is_followed(disk: RealDisk, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_bytes(b"mine")
    (disk.root / "link").symlink_to(tmp_path / "outside")
    (disk.root / "file").symlink_to(tmp_path / "outside" / "file")
    for path in ("link", "link/file", "file"):
        for touch in (disk.read, disk.create, disk.remove, disk.names, disk.size):
            with pytest.raises(DiskError, match="symbolic link"):
                touch(path)
        with pytest.raises(DiskError, match="symbolic link"):
            disk.write(path, 0, b"theirs")
    assert (tmp_path / "outside" / "file").read_bytes() == b"mine"


def test_errors_name_path_and_reason(disk: RealDisk) -> None:
    disk.create("file")
    with pytest.raises(DiskError, match="file: File exists"):
        disk.create("file")
    with pytest.raises(DiskError, match="absent: No such file"):
        disk.read("absent")
    with pytest.raises(DiskError, match="would leave a hole"):
        disk.write("file", 1, b"x")
    with pytest.raises(DiskError, match="fewer than 1 bytes"):
        disk.truncate("file", 1)
    with pytest.raises(DiskError, match="the directory of the disk itself"):
        disk.remove("")
    with pytest.raises(DiskError, match="File name too long"):
        disk.exists("x" * 300)
    with pytest.raises(DiskError, match="Not a directory"):
        RealDisk(disk.root / "file" / "below")


def test_only_one_process_has_the_directory(disk: RealDisk) -> None:
    disk.lock()
    script = (
        "import sys; from pathlib import Path; from genstamp_dfs.server.disk import RealDisk; "
        "RealDisk(Path(sys.argv[1])).lock()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    other = subprocess.run(
        [sys.executable, "-c", script, str(disk.root)], env=environment, capture_output=True, text=True, timeout=60
    )
    assert "is used by another process" in other.stderr
    with pytest.raises(StorageError, match="used by another process"):
        RealDisk(disk.root).lock()
    disk.unlock()
    RealDisk(disk.root).lock()
    assert disk.names("") == []
