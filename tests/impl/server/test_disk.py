"""Real files: what a node may do in its directory, and nowhere else."""

import asyncio
import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from genstamp_dfs.errors import DiskError, DiskFailedError, DiskFullError, StorageError
from genstamp_dfs.server.disk import RealDisk
from genstamp_dfs.server.local_runtime import LocalRuntime
from genstamp_dfs.server.open_files import MAX_OPEN


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


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is forced to the disk."""
    found: list[str] = []
    really = os.fsync

    def fsync(descriptor: int) -> None:
        found.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        really(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    return found


def test_what_has_not_changed_is_forced_once(disk: RealDisk, forced: list[str]) -> None:
    disk.make_directory("dir")
    disk.create("dir/file")
    disk.write("dir/file", 0, b"bytes")
    for _ in range(2):
        disk.sync("dir/file")
        disk.sync_directory("dir")
    assert forced == ["file", "dir"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda disk: disk.write("dir/file", 0, b"other"), ["file"]),
        (lambda disk: disk.truncate("dir/file", 1), ["file"]),
        (lambda disk: disk.create("dir/another"), ["dir"]),
        (lambda disk: disk.make_directory("dir/below"), ["dir"]),
        (lambda disk: disk.rename("other/file", "dir/file"), ["file", "dir"]),
        (lambda disk: disk.rename("dir/old", "other/old"), ["dir"]),
        (lambda disk: disk.remove("dir/old"), ["dir"]),
        (lambda disk: disk.rename("other", "dir/below"), ["dir"]),
        (lambda disk: (disk.remove("dir"), disk.rename("other", "dir")), ["file", "dir"]),
    ],
)
def test_what_has_changed_is_forced_again(
    disk: RealDisk, forced: list[str], change: Callable[[RealDisk], object], expected: list[str]
) -> None:
    for directory in ("dir", "other"):
        disk.make_directory(directory)
        for name in ("file", "old"):
            disk.create(f"{directory}/{name}")
            disk.write(f"{directory}/{name}", 0, b"bytes")
            disk.sync(f"{directory}/{name}")
        disk.sync_directory(directory)
    forced.clear()
    change(disk)
    disk.sync("dir/file")
    disk.sync_directory("dir")
    assert forced == expected


def test_a_write_while_a_thread_forces_the_file_is_forced_too(
    disk: RealDisk, forced: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.create("file")
    disk.write("file", 0, b"first")
    fsync = os.fsync

    def fsync_and_write(descriptor: int) -> None:
        fsync(descriptor)
        if len(forced) == 1:
            disk.write("file", 5, b"second")

    monkeypatch.setattr(os, "fsync", fsync_and_write)
    disk.sync("file")
    disk.sync("file")
    assert forced == ["file", "file"]


class FailingOnce:
    """`os.fsync` that fails at its next call, as the kernel reports a lost write once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, reason: int = errno.EIO) -> None:
        self.calls = 0
        self._reason = reason
        self._fsync = os.fsync
        monkeypatch.setattr(os, "fsync", self._call)

    def _call(self, descriptor: int) -> None:
        self.calls += 1
        if self.calls == 1:
            raise OSError(self._reason, os.strerror(self._reason))
        self._fsync(descriptor)


@pytest.mark.parametrize("reason", [errno.EIO, errno.ENOSPC, errno.EDQUOT])
def test_a_sync_that_failed_is_never_made_again(disk: RealDisk, monkeypatch: pytest.MonkeyPatch, reason: int) -> None:
    for name in ("file", "other"):
        disk.create(name)
        disk.write(name, 0, b"bytes")
    fsync = FailingOnce(monkeypatch, reason)
    for path in ("file", "file", "other"):
        with pytest.raises(DiskFailedError, match=f"file: {os.strerror(reason)}"):
            disk.sync(path)
    disk.write("file", 0, b"other")
    with pytest.raises(DiskFailedError):
        disk.sync("file")
    with pytest.raises(DiskFailedError):
        disk.sync_directory("")
    assert fsync.calls == 1


def test_a_thread_that_forces_a_file_ahead_fails_the_step_that_asks_for_it(
    disk: RealDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.create("file")
    disk.write("file", 0, b"bytes")
    fsync = FailingOnce(monkeypatch)

    async def step() -> None:
        with pytest.raises(DiskFailedError):
            await LocalRuntime("n").ahead(lambda: disk.sync("file"))
        with pytest.raises(DiskFailedError):
            disk.sync("file")

    asyncio.run(step())
    assert fsync.calls == 1


def test_files_are_forced_at_the_same_time_and_one_that_fails_fails_the_step(
    disk: RealDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others have been forced when the step hears of it; afterwards nothing is."""
    both, fsync, forced = threading.Barrier(2, timeout=30), os.fsync, list[str]()
    for name in ("block", "meta"):
        disk.create(name)
        disk.write(name, 0, b"bytes")

    def fail(descriptor: int) -> None:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        both.wait()
        if name == "block":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        fsync(descriptor)
        forced.append(name)

    monkeypatch.setattr(os, "fsync", fail)

    async def step() -> None:
        with pytest.raises(DiskFailedError, match="block: "):
            await LocalRuntime("n").ahead(lambda: disk.sync("block"), lambda: disk.sync("meta"))
        assert forced == ["meta"]
        with pytest.raises(DiskFailedError, match="block: "):
            disk.sync("meta")

    asyncio.run(step())


def test_a_file_that_is_not_there_is_no_failure_of_the_disk(disk: RealDisk) -> None:
    with pytest.raises(DiskError, match="No such file") as caught:
        disk.sync("absent")
    assert type(caught.value) is DiskError
    disk.create("file")
    disk.sync("file")


@pytest.mark.parametrize(
    ("reason", "expected"),
    [(errno.EIO, DiskFailedError), (errno.EROFS, DiskFailedError), (errno.ENOSPC, DiskFullError)],
)
def test_a_change_that_the_disk_refuses_is_its_end_and_a_full_disk_is_not(
    disk: RealDisk, monkeypatch: pytest.MonkeyPatch, reason: int, expected: type[DiskError]
) -> None:
    disk.create("file")
    pwrite = os.pwrite

    def fail(descriptor: int, data: bytes, offset: int) -> int:
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(os, "pwrite", fail)
    with pytest.raises(expected):
        disk.write("file", 0, b"bytes")
    monkeypatch.setattr(os, "pwrite", pwrite)
    if expected is DiskFullError:
        disk.sync("file")
    else:
        with pytest.raises(expected):
            disk.sync("file")


def test_a_write_goes_on_where_the_system_has_stopped(disk: RealDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    pwrite = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda descriptor, data, offset: pwrite(descriptor, data[:3], offset))
    disk.create("file")
    disk.write("file", 0, b"0123456789")
    assert disk.read("file") == b"0123456789"


def test_directories_and_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    umask = os.umask(0o022)
    try:
        disk = RealDisk(tmp_path / "disk")
        disk.make_directory("a/b")
        disk.create("a/b/file")
        open_to_all = RealDisk(tmp_path)
        tmp_path.chmod(0o755)
        open_to_all.make_private()
    finally:
        os.umask(umask)
    modes = [path.stat().st_mode & 0o777 for path in (disk.root, disk.root / "a", disk.root / "a/b", tmp_path)]
    assert modes == [0o700] * 4
    assert (disk.root / "a/b/file").stat().st_mode & 0o777 == 0o600


def test_a_file_that_somebody_else_replaces_or_removes_is_noticed(disk: RealDisk) -> None:
    disk.create("file")
    disk.write("file", 0, b"mine")
    assert disk.read("file") == b"mine"
    (disk.root / "new").write_bytes(b"theirs")
    (disk.root / "new").replace(disk.root / "file")
    assert disk.read("file") == b"theirs"
    disk.write("file", 0, b"T")
    assert (disk.root / "file").read_bytes() == b"Theirs"
    (disk.root / "file").unlink()
    for touch in (lambda: disk.read("file"), lambda: disk.write("file", 0, b"x")):
        with pytest.raises(DiskError, match="No such file"):
            touch()


def descriptors() -> list[Path]:
    return list(Path("/proc/self/fd").iterdir())


def test_few_files_stay_open_and_none_of_a_disk_that_is_given_up(disk: RealDisk) -> None:
    before = len(descriptors())
    for number in range(MAX_OPEN + 50):
        disk.create(f"file{number}")
        disk.write(f"file{number}", 0, b"bytes")
    for number in range(MAX_OPEN + 50):
        assert disk.read(f"file{number}") == b"bytes"
    assert before + MAX_OPEN - 5 <= len(descriptors()) <= before + MAX_OPEN + 5
    disk.unlock()
    assert len(descriptors()) <= before


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
