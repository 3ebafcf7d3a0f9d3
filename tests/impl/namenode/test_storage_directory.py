"""Which directories a namenode takes for its own, and that it leaves the others alone."""

from typing import Any

import pytest

from genstamp_dfs.errors import StorageError

VERSION = "current/VERSION"


def refuses(bench: Any, match: str) -> None:
    """A namenode over the bench's disk does not start, and the disk stays as it is."""
    before = bench.disk.copy()
    with pytest.raises(StorageError, match=match):
        bench.start()
    assert (bench.disk.files, bench.disk.directories) == (before.files, before.directories)


def test_an_empty_directory_becomes_a_cluster_which_a_restart_finds_again(bench: Any) -> None:
    first = bench.namenode.namespace
    assert first.block_pool_id.startswith("BP-")
    assert bench.disk.files[VERSION].decode().splitlines() == [
        f"namespaceID={first.namespace_id}",
        f"clusterID={first.cluster_id}",
        "storageType=NAME_NODE",
        f"blockpoolID={first.block_pool_id}",
        "layoutVersion=1",
    ]
    bench.start()
    assert bench.namenode.namespace == first


def test_a_lock_file_is_no_obstacle(new_bench: Any, bench: Any) -> None:
    disk = type(bench.disk)()
    disk.create("in_use.lock")
    assert new_bench(disk=disk).namenode.namespace.namespace_id


@pytest.mark.parametrize(
    "path", ["photo.jpg", "current/blk_1", "current/edits_0000000000000000001-0000000000000000002"]
)
def test_a_directory_of_somebody_else_is_refused(bench: Any, path: str) -> None:
    disk = type(bench.disk)()
    disk.make_directory("current")
    disk.create(path)
    bench.disk = disk
    refuses(bench, f"{path}.*accepted: an empty one")


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("layoutVersion=1", "layoutVersion=2", "layoutVersion 2, accepted: 1"),
        ("layoutVersion=1", "layoutVersion=-66", "layoutVersion -66, accepted: 1"),
        ("NAME_NODE", "DATA_NODE", "storageType DATA_NODE"),
        ("clusterID=", "cluster=", "does not say clusterID"),
        ("namespaceID=", "namespaceID=x", "namespaceID x"),
    ],
)
def test_a_directory_of_another_kind_or_layout_is_refused(bench: Any, old: str, new: str, match: str) -> None:
    text = bench.disk.files[VERSION].decode().replace(old, new)
    bench.disk.files[VERSION] = bytearray(text.encode())
    refuses(bench, match)


@pytest.mark.parametrize("text", [b"", b"\xff", b"layoutVersion"])
def test_a_version_file_that_is_no_text_of_properties_is_refused(bench: Any, text: bytes) -> None:
    bench.disk.files[VERSION] = bytearray(text)
    refuses(bench, f"{VERSION} is not a properties file")


def test_a_directory_without_image_is_refused(bench: Any) -> None:
    bench.disk.remove("current/fsimage_0000000000000000000")
    refuses(bench, "no image")


def test_a_format_that_was_cut_short_is_done_again(new_bench: Any, bench: Any) -> None:
    """At each of its steps: VERSION comes last."""
    for left in ([], ["current/fsimage_.ckpt_0000000000000000000"], ["current/fsimage_0000000000000000000"]):
        disk = type(bench.disk)()
        disk.make_directory("current")
        for path in left:
            disk.create(path)
        disk.create("current/VERSION.tmp")
        new_bench(disk=disk).create()
        assert "current/VERSION.tmp" not in disk.files
