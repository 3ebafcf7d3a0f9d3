"""Names that HDFS keeps for itself: `/.reserved` and `.snapshot`, call by call."""

from typing import Any

import pytest

from genstamp_dfs.errors import (
    FileNotFoundException,
    HadoopIllegalArgumentException,
    HdfsIOException,
    InvalidPathException,
    SnapshotAccessControlException,
    SnapshotException,
)
from genstamp_dfs.hdfs.messages.client_protocol import (
    Append,
    Concat,
    CreateFlag,
    Delete,
    GetFileInfo,
    GetListing,
    Mkdirs,
    Rename,
    Rename2,
    SetOwner,
    SetPermission,
    SetReplication,
    SetTimes,
    Truncate,
)


@pytest.mark.parametrize("path", ["/.reserved", "/.reserved/x", "/.reserved/x/y"])
def test_no_file_is_made_there(bench: Any, path: str) -> None:
    with bench.refused(InvalidPathException):
        bench.create(path)


@pytest.mark.parametrize(
    "path", ["/.reserved", "/.reserved/", "/.reserved/x", "/.reserved/.inodes", "/.reserved/raw/.reserved"]
)
def test_no_directory_is_made_there(bench: Any, path: str) -> None:
    with bench.refused(HadoopIllegalArgumentException, r'"\.reserved" is reserved'):
        bench.ask(Mkdirs(path))


@pytest.mark.parametrize("path", ["/a/.snapshot", "/a/.snapshot/b", "/x/y/.snapshot/z"])
def test_nothing_is_called_snapshot(bench: Any, path: str) -> None:
    bench.ask(Mkdirs("/a"))
    with pytest.raises(HadoopIllegalArgumentException, match=r'"\.snapshot" is a reserved name'):
        bench.ask(Mkdirs(path))
    with pytest.raises(HadoopIllegalArgumentException, match=r'"\.snapshot" is a reserved name'):
        bench.create(path)


def test_below_other_directories_the_one_name_is_a_name(bench: Any) -> None:
    assert bench.ask(Mkdirs("/a/.reserved/raw"))
    assert bench.ask(Mkdirs("/.reservedx"))
    assert bench.ask(Mkdirs("/.snapshots"))
    bench.create("/a/.reserved/f")
    bench.start()
    assert bench.ask(GetFileInfo("/a/.reserved/f")) is not None


@pytest.mark.parametrize(
    "request_of",
    [
        lambda path: Delete(path, recursive=True),
        lambda path: SetPermission(path, 0o700),
        lambda path: SetOwner(path, "me", "us"),
    ],
)
def test_the_directory_itself_is_not_changed(bench: Any, request_of: Any) -> None:
    with bench.refused(InvalidPathException):
        bench.ask(request_of("/.reserved"))


def test_to_other_calls_it_is_nothing(bench: Any) -> None:
    with bench.refused(FileNotFoundException):
        bench.ask(SetTimes("/.reserved", 1, 1))
    with bench.refused(FileNotFoundException):
        bench.ask(Append("/.reserved", "client1"))
    assert not bench.ask(SetReplication("/.reserved", 2))
    assert not bench.ask(Delete("/.reserved/x"))


def test_nothing_is_renamed_to_it_or_from_it(bench: Any) -> None:
    bench.create("/f")
    bench.ask(Mkdirs("/d"))
    before = bench.state()
    assert not bench.ask(Rename("/.reserved", "/g"))
    assert not bench.ask(Rename("/f", "/.reserved/g"))
    assert bench.state() == before
    for request in (Rename("/f", "/.reserved"), Rename2("/f", "/.reserved")):
        with bench.refused(InvalidPathException, "Cannot rename to or from"):
            bench.ask(request)
    with bench.refused(FileNotFoundException):
        bench.ask(Rename2("/.reserved", "/g"))
    for request in (Rename("/f", "/d/.snapshot"), Rename2("/f", "/d/.snapshot")):
        with bench.refused(HadoopIllegalArgumentException):
            bench.ask(request)


@pytest.mark.parametrize("path", ["/.snapshot", "/.snapshot/s1/f"])
def test_the_snapshots_of_the_root_are_not_changed(bench: Any, path: str) -> None:
    bench.create("/f")
    for request in (
        Mkdirs(path),
        Delete(path, recursive=True),
        SetTimes(path, 1, 1),
        SetReplication(path, 1),
        SetOwner(path, "me", None),
        Append(path, "client1"),
        Truncate(path, 0, "client1"),
        Rename("/f", path),
        Rename2(path, "/g"),
    ):
        with bench.refused(SnapshotAccessControlException, "read-only snapshot"):
            bench.ask(request)
    with bench.refused(SnapshotAccessControlException):
        bench.create(path)


def test_what_is_there_can_be_looked_at(bench: Any) -> None:
    bench.ask(Mkdirs("/d"))
    for path in ("/.reserved", "/.snapshot"):
        status = bench.ask(GetFileInfo(path))
        assert status is not None and status.is_directory
    assert [entry.path for entry in bench.ask(GetListing("/.reserved")).entries] == [".inodes", "raw"]
    assert bench.ask(GetListing("/.snapshot")).entries == ()
    assert bench.ask(GetFileInfo("/d/.snapshot")) is None
    assert bench.ask(GetFileInfo("/.reserved/x")) is None
    assert [entry.path for entry in bench.ask(GetListing("/")).entries] == ["d"]
    with bench.refused(SnapshotException, "not a snapshottable directory: /d"):
        bench.ask(GetListing("/d/.snapshot"))
    with bench.refused(FileNotFoundException):
        bench.ask(GetListing("/no/.snapshot"))


def test_a_file_has_two_more_names(bench: Any) -> None:
    """By the number of an inode, its own or that of a directory above it, and as raw."""
    bench.create("/d/f")
    directory, file = bench.namesystem.directory.get("/d").file_id, bench.inode("/d/f").file_id
    names = (f"/.reserved/.inodes/{file}", f"/.reserved/.inodes/{directory}/f", "/.reserved/raw/d/f")
    assert {bench.ask(GetFileInfo(name)).file_id for name in names} == {file}
    assert bench.ask(GetFileInfo("/.reserved/raw")).file_id == bench.namesystem.directory.root.file_id
    bench.ask(SetPermission(names[0], 0o600))
    assert bench.inode("/d/f").permission == 0o600
    bench.create(f"/.reserved/.inodes/{directory}/g", flag=CreateFlag.CREATE)
    assert sorted(bench.namesystem.directory.get("/d").children) == ["f", "g"]
    bench.start()
    assert sorted(bench.namesystem.directory.get("/d").children) == ["f", "g"]


@pytest.mark.parametrize("number", ["99999", "x", "-1", "9" * 5_000], ids=len)
def test_a_number_that_is_no_inode_is_refused(bench: Any, number: str) -> None:
    for request in (GetFileInfo(f"/.reserved/.inodes/{number}"), Delete(f"/.reserved/.inodes/{number}/f")):
        with bench.refused(FileNotFoundException):
            bench.ask(request)


@pytest.mark.parametrize("wrong", ["/.reserved/raw/g", "/.reserved/.inodes/16386"])
def test_concat_takes_none_of_these(bench: Any, wrong: str) -> None:
    for path in ("/f", "/g"):
        bench.write_closed(path)
    for request in (Concat("/f", (wrong,)), Concat(wrong, ("/f",))):
        with bench.refused(HdfsIOException, "Concat operation doesn't support"):
            bench.ask(request)
