"""Checkpoints: when they come, what they leave, and that a crash in the middle of one costs nothing."""

from typing import Any

import pytest

from genstamp_dfs.errors import DiskError, StorageError
from genstamp_dfs.hdfs.messages.client_protocol import Delete, Mkdirs
from genstamp_dfs.hdfs.namenode import image


def names(bench: Any) -> list[str]:
    return [name for name in bench.disk.names("current") if name != "VERSION"]


def checkpoint(bench: Any) -> None:
    bench.namenode.checkpointer.finish(bench.namesystem, bench.namenode.retry_cache)


def test_a_checkpoint_comes_after_an_hour_or_after_many_edits(new_bench: Any) -> None:
    bench = new_bench()
    bench.pass_ms(3_600_000)
    assert "fsimage_0000000000000000001" not in names(bench)
    bench.ask(Mkdirs("/d"))
    bench.pass_ms(1)
    bench.pass_ms(1)
    assert "fsimage_0000000000000000001" in names(bench)
    bench = new_bench(checkpoint_transactions=2)
    for path in ("/a", "/b"):
        bench.ask(Mkdirs(path))
    bench.pass_ms(1)
    bench.pass_ms(1)
    assert "fsimage_0000000000000000002" in names(bench)


def test_calls_go_on_while_an_image_is_written(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "PIECE_BYTES", 50)
    bench.ask(Mkdirs("/before"))
    bench.namenode.checkpointer.begin(bench.namesystem, bench.namenode.retry_cache)
    ticks = 0
    while "fsimage_0000000000000000001" not in names(bench):
        bench.ask(Mkdirs(f"/during{ticks}"))
        bench.pass_ms(1)
        ticks += 1
    assert ticks > 2
    assert [inode.name for inode in image.read_image(bench.disk, 1).inodes] == ["", "before"]
    before = bench.durable()
    bench.start()
    assert bench.durable() == before


def test_old_images_and_edits_are_removed(bench: Any) -> None:
    for number in range(4):
        bench.ask(Mkdirs(f"/{number}"))
        checkpoint(bench)
    assert names(bench) == [
        "edits_0000000000000000004-0000000000000000004",
        "edits_inprogress_0000000000000000005",
        "fsimage_0000000000000000003",
        "fsimage_0000000000000000004",
        "seen_txid",
    ]
    before = bench.durable()
    bench.start()
    assert bench.durable() == before


def test_a_crash_in_the_middle_of_an_image_costs_nothing(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "PIECE_BYTES", 20)
    bench.ask(Mkdirs("/d"))
    before = bench.durable()
    bench.namenode.checkpointer.begin(bench.namesystem, bench.namenode.retry_cache)
    bench.pass_ms(1)
    assert any("ckpt" in name for name in names(bench))
    bench.start()
    assert bench.durable() == before
    assert not any("ckpt" in name for name in names(bench))
    checkpoint(bench)
    bench.start()
    assert bench.durable() == before


def test_a_deleted_file_whose_blocks_are_still_there_is_not_in_the_image(bench: Any) -> None:
    bench.write_closed()
    bench.ask(Delete("/f"))
    assert bench.blocks.blocks
    checkpoint(bench)
    bench.start()
    assert bench.blocks.blocks == {}


def test_a_damaged_image_is_refused_and_nothing_is_changed(bench: Any) -> None:
    """At every byte."""
    bench.ask(Mkdirs("/d"))
    checkpoint(bench)
    path = "current/fsimage_0000000000000000001"
    for position in range(len(bench.disk.files[path])):
        disk = bench.disk.copy()
        disk.files[path][position] ^= 1
        before = disk.copy().files
        with pytest.raises(StorageError, match="fsimage_0000000000000000001"):
            type(bench)(datanodes="", disk=disk)
        assert disk.files == before


def test_an_image_under_another_name_is_refused(bench: Any) -> None:
    bench.disk.files["current/fsimage_0000000000000000009"] = bench.disk.files["current/fsimage_0000000000000000000"]
    with pytest.raises(StorageError, match="goes up to transaction 0"):
        type(bench)(datanodes="", disk=bench.disk)


def test_a_disk_that_fails_during_a_checkpoint_stops_the_namenode(bench: Any) -> None:
    bench.ask(Mkdirs("/d"))
    bench.namenode.checkpointer.begin(bench.namesystem, bench.namenode.retry_cache)
    bench.disk.fails = True
    with pytest.raises(DiskError):
        bench.namenode.tick()
    bench.disk.fails = False
    with pytest.raises(DiskError):
        bench.create()
