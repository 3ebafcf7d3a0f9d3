"""mkdirs(), delete(), rename(), concat() (facts E.14; TestLease, TestDeleteRace, TestFileCreation)."""

from typing import Any

import pytest

from genstamp_dfs.errors import (
    FileAlreadyExistsException,
    FileNotFoundException,
    HadoopIllegalArgumentException,
    HdfsIOException,
    IllegalArgumentException,
    InvalidPathException,
    ParentNotDirectoryException,
    PathIsNotEmptyDirectoryException,
)
from genstamp_dfs.hdfs.messages.client_protocol import Concat, Delete, GetFileInfo, Mkdirs, Rename, Rename2


def paths(bench: Any) -> list[str]:
    return sorted(inode.path for inode in bench.namesystem.directory.inodes.values())


# -- mkdirs ---------------------------------------------------------------------------------------------------------


def test_mkdirs_makes_what_is_missing_and_is_content_with_what_is_there(bench: Any) -> None:
    assert bench.ask(Mkdirs("/a/b/", permission=0o700))
    assert bench.ask(Mkdirs("/a/b"))
    assert bench.ask(Mkdirs("/"))
    assert paths(bench) == ["/", "/a", "/a/b"]
    assert bench.ask(GetFileInfo("/a/b")).permission == 0o700


def test_mkdirs_is_refused(bench: Any) -> None:
    bench.create("/f")
    with bench.refused(FileAlreadyExistsException, "not a directory"):
        bench.ask(Mkdirs("/f"))
    with bench.refused(ParentNotDirectoryException):
        bench.ask(Mkdirs("/f/d"))
    with bench.refused(FileNotFoundException):
        bench.ask(Mkdirs("/a/b", create_parent=False))
    with bench.refused(InvalidPathException):
        bench.ask(Mkdirs("/a/../b"))


# -- delete ---------------------------------------------------------------------------------------------------------


def test_delete_takes_files_leases_and_blocks_with_it(bench: Any) -> None:
    """TestLease#testLease: the writer finds out."""
    block = bench.write("/d/f", datanodes="ab")
    with bench.refused(PathIsNotEmptyDirectoryException):
        bench.ask(Delete("/d"))
    assert bench.ask(Delete("/d", recursive=True))
    assert (paths(bench), bench.holders()) == (["/"], {})
    assert bench.heartbeat("a") == ()
    bench.pass_ms(1)
    (order,) = bench.heartbeat("a")
    assert [each.block_id for each in order.blocks] == [block.block_id]
    with bench.refused(FileNotFoundException):
        bench.complete("/d/f", last=block)


def test_blocks_of_deleted_files_are_removed_some_at_a_time(new_bench: Any) -> None:
    bench = new_bench(block_deletion_increment=1)
    for path in ("/d/f", "/d/g"):
        bench.write_closed(path)
    bench.ask(Delete("/d", recursive=True))
    counts = []
    for _ in range(3):
        counts.append(len(bench.blocks.blocks))
        bench.pass_ms(1)
    assert counts == [2, 1, 0]


def test_delete_of_nothing_or_of_the_root_is_false(bench: Any) -> None:
    assert not bench.ask(Delete("/f"))
    assert not bench.ask(Delete("/", recursive=True))


# -- rename ---------------------------------------------------------------------------------------------------------


def test_a_rename_leaves_lease_and_writer_alone(bench: Any) -> None:
    """TestLease#testLeaseAfterRename, #testLeaseAfterRenameAndRecreate."""
    bench.create("/d/f")
    assert bench.ask(Rename("/d", "/e"))
    assert bench.holders() == {"client1": ["/e/f"]}
    bench.create("/d/f", "client2")
    assert bench.complete("/d/f", "client2")
    assert bench.complete("/e/f", "client1")


def test_a_rename_onto_a_directory_goes_into_it(bench: Any) -> None:
    bench.create("/f")
    bench.ask(Mkdirs("/d"))
    assert bench.ask(Rename("/f", "/d"))
    assert paths(bench) == ["/", "/d", "/d/f"]


@pytest.mark.parametrize(
    ("source", "destination"), [("/no", "/x"), ("/", "/x"), ("/d", "/d/e/x"), ("/f", "/g"), ("/f", "/no/x")]
)
def test_the_old_rename_is_false_where_it_cannot_be(bench: Any, source: str, destination: str) -> None:
    bench.create("/f")
    bench.create("/g")
    bench.ask(Mkdirs("/d/e"))
    before = bench.state()
    assert not bench.ask(Rename(source, destination))
    assert bench.state() == before


def test_the_old_rename_onto_itself_is_true_and_some_names_are_refused(bench: Any) -> None:
    bench.create("/f")
    assert bench.ask(Rename("/f", "/f"))
    with bench.refused(InvalidPathException, "Invalid file name: g"):
        bench.ask(Rename("/f", "g"))
    with bench.refused(ParentNotDirectoryException):
        bench.ask(Rename("/f", "/f/g/h"))


@pytest.mark.parametrize(
    ("source", "destination", "overwrite", "exception", "match"),
    [
        ("/no", "/x", False, FileNotFoundException, "source /no is not found"),
        ("/", "/x", False, HdfsIOException, "source cannot be the root"),
        ("/f", "/f", True, FileAlreadyExistsException, "are the same"),
        ("/d", "/d/x", True, HdfsIOException, "under /d"),
        ("/f", "/", True, HdfsIOException, "destination cannot be the root"),
        ("/f", "/d", True, HdfsIOException, "of one kind"),
        ("/f", "/g", False, FileAlreadyExistsException, "already exists"),
        ("/e", "/d", True, HdfsIOException, "not empty"),
        ("/f", "/no/x", True, FileNotFoundException, "parent"),
        ("/f", "/g/x", True, ParentNotDirectoryException, "/g"),
        ("/f", "x", True, InvalidPathException, "x"),
    ],
)
def test_rename2_is_refused(
    bench: Any, source: str, destination: str, overwrite: bool, exception: type[HdfsIOException], match: str
) -> None:
    bench.create("/f")
    bench.create("/g")
    bench.create("/d/f")
    bench.ask(Mkdirs("/e"))
    with bench.refused(exception, match):
        bench.ask(Rename2(source, destination, overwrite))


def test_rename2_replaces_a_file_and_its_lease_or_an_empty_directory(bench: Any) -> None:
    bench.create("/f")
    bench.create("/g", "client2")
    bench.ask(Rename2("/f", "/g", overwrite=True))
    assert bench.holders() == {"client1": ["/g"]}
    bench.ask(Mkdirs("/d/e"))
    bench.ask(Mkdirs("/h"))
    bench.ask(Rename2("/d", "/h", overwrite=True))
    assert paths(bench) == ["/", "/g", "/h", "/h/e"]


# -- concat ---------------------------------------------------------------------------------------------------------


def test_concat_moves_the_blocks_and_removes_the_sources(bench: Any) -> None:
    blocks = [bench.write_closed(path) for path in ("/f", "/g", "/h")]
    bench.ask(Concat("/f", ("/h", "/g")))
    assert [block.as_block() for block in bench.inode().blocks] == [blocks[0], blocks[2], blocks[1]]
    assert {block.file_id for block in bench.inode().blocks} == {bench.inode().file_id}
    assert paths(bench) == ["/", "/f"]
    bench.pass_ms(1)
    assert len(bench.blocks.blocks) == 3


def test_concat_of_nothing_is_refused(bench: Any) -> None:
    for target, sources, match in (("/f", (), "No sources given"), ("", ("/g",), "Target file name is empty")):
        with bench.refused(IllegalArgumentException, match):
            bench.ask(Concat(target, sources))


@pytest.mark.parametrize(
    ("target", "sources", "match"),
    [
        ("/open", ("/g",), "target file /open is under construction"),
        ("/f", ("/f",), "is the target"),
        ("/f", ("/d/g",), "not in the same directory"),
        ("/f", ("/open",), "underConstruction"),
        ("/f", ("/empty",), "empty"),
        ("/f", ("/large",), "preferred block size 20"),
        ("/f", ("/g", "/g"), "the same"),
    ],
)
def test_concat_is_refused(bench: Any, target: str, sources: tuple[str, ...], match: str) -> None:
    for path in ("/f", "/g", "/d/g", "/large"):
        bench.write_closed(path)
    bench.inode("/large").block_size = 20
    bench.write("/open")
    bench.create("/empty")
    bench.complete("/empty")
    with bench.refused(HadoopIllegalArgumentException, match):
        bench.ask(Concat(target, sources))


def test_concat_needs_files(bench: Any) -> None:
    bench.write_closed("/f")
    with bench.refused(FileNotFoundException):
        bench.ask(Concat("/f", ("/g",)))
    with bench.refused(FileNotFoundException):
        bench.ask(Concat("/g", ("/f",)))
