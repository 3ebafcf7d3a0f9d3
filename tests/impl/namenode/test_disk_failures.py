"""A namenode whose disk is full, fails, or has changed between two lives."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from genstamp_dfs.errors import DiskFailedError, DiskFullError, StorageError
from genstamp_dfs.hdfs.messages.client_protocol import Delete, Mkdirs
from genstamp_dfs.hdfs.messages.datanode_protocol import DatanodeError, ErrorReport
from genstamp_dfs.hdfs.namenode.checkpoint import RETRY_US
from genstamp_dfs.hdfs.namenode.edit_log import segments_of
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life


class Simulated:
    """A bench over a simulated disk."""

    def __init__(self, new_bench: Callable[..., Any], **settings: Any) -> None:
        self.disk = SimulatedDisk()
        self.bench = new_bench("", self.view(), **settings)

    def view(self) -> DiskOfLife:
        return DiskOfLife(self.disk, Life("namenode"), random.Random(1))

    def restart(self, *, power_loss: bool = False) -> None:
        if power_loss:
            self.disk.lose_power(random.Random(2))
        self.bench.disk = self.view()
        self.bench.start()

    def children(self) -> list[str]:
        return sorted(self.bench.namesystem.directory.root.children)


@pytest.fixture
def simulated(new_bench: Callable[..., Any]) -> Simulated:
    return Simulated(new_bench)


# -- full -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("power_loss", [False, True])
def test_a_call_for_which_the_log_has_no_room_has_no_effect(simulated: Simulated, power_loss: bool) -> None:
    """With room for each number of bytes of its frame; the namenode stops, and nobody is answered."""
    bench = simulated.bench
    bench.ask(Mkdirs("/kept"))
    for room in range(0, 28, 3):
        simulated.disk.room = room
        with pytest.raises(DiskFullError):
            bench.ask(Delete("/kept") if room % 2 else Mkdirs(f"/refused{room}"))
        with pytest.raises(DiskFullError):
            bench.ask(Mkdirs("/later"))
        simulated.disk.room = None
        simulated.restart(power_loss=power_loss)
        bench.leave_safe_mode()
        assert simulated.children() == ["kept"]


def test_an_image_without_room_is_given_up_and_made_later(new_bench: Callable[..., Any]) -> None:
    simulated = Simulated(new_bench, checkpoint_transactions=2)
    bench, told = simulated.bench, list[DiskFullError]()
    bench.namenode.checkpointer.on_full = told.append
    for number in range(3):
        bench.ask(Mkdirs(f"/{number}"))
    simulated.disk.room = 100
    for _ in range(5):
        bench.pass_ms(1)
    assert len(told) == 1
    assert simulated.disk.room >= 80, "what was begun takes no room"
    bench.ask(Mkdirs("/more"))
    simulated.disk.room = None
    for _ in range(2):
        bench.pass_ms(RETRY_US // 1_000)
    assert "fsimage_0000000000000000004" in bench.disk.names("current")
    simulated.restart()
    assert simulated.children() == ["0", "1", "2", "more"]


def test_a_start_without_room_changes_nothing(simulated: Simulated) -> None:
    simulated.bench.ask(Mkdirs("/kept"))
    for room in (0, 5, 30):
        simulated.disk.room = room
        with pytest.raises(DiskFullError):
            simulated.restart()
    simulated.disk.room = None
    simulated.restart()
    assert simulated.children() == ["kept"]


# -- failed syncs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("power_loss", [False, True])
@pytest.mark.parametrize("sync", range(1, 8))
def test_no_sync_counts_on_what_an_earlier_one_has_lost(simulated: Simulated, sync: int, power_loss: bool) -> None:
    """The n-th sync fails, of the log or of a start; what was answered is there after any number of lives."""
    answered, number = [], 0
    simulated.disk.sync_fails_in = sync
    while simulated.disk.failed_syncs == 0:
        number += 1
        try:
            if number % 3 == 0:
                simulated.restart()
                simulated.bench.leave_safe_mode()
            simulated.bench.ask(Mkdirs(f"/{number}"))
            answered.append(f"{number}")
        except DiskFailedError:
            break
    simulated.restart()
    simulated.bench.leave_safe_mode()
    simulated.bench.ask(Mkdirs("/after"))
    simulated.restart(power_loss=power_loss)
    assert {*answered, "after"} <= set(simulated.children()) <= {*answered, "after", str(number)}
    assert simulated.disk.false_syncs == []


def test_a_log_that_goes_on_in_the_same_file_is_noticed(simulated: Simulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk of these tests can tell: a start that forces the old file to the disk counts on lost bytes."""
    module = "genstamp_dfs.hdfs.namenode.start.replace_file"
    monkeypatch.setattr(module, lambda disk, path, data: (disk.truncate(path, len(data)), disk.sync(path)))
    simulated.bench.ask(Mkdirs("/kept"))
    simulated.disk.sync_fails_in = 1
    with pytest.raises(DiskFailedError):
        simulated.bench.ask(Mkdirs("/unknown"))
    simulated.restart()
    (sentence,) = simulated.disk.false_syncs
    assert "edits_inprogress_0000000000000000001" in sentence


# -- a flipped bit --------------------------------------------------------------------------------------------------


def test_a_flipped_bit_after_an_orderly_stop_is_noticed(bench: Any) -> None:
    """At every byte, those of the last frame included; after a crash the last frame may be torn."""
    for path in ("/a", "/b"):
        bench.ask(Mkdirs(path))
    bench.namenode.close()
    (segment,) = segments_of(bench.disk.names("current"))
    assert segment.last == 2
    for position in range(len(bench.disk.files[segment.path])):
        disk = bench.disk.copy()
        disk.files[segment.path][position] ^= 1 << position % 8
        before = disk.copy().files
        bench.disk = disk
        with pytest.raises(StorageError, match="edits_0000000000000000001-"):
            bench.start()
        assert disk.files == before
        disk.files[segment.path][position] ^= 1 << position % 8
    bench.start()
    assert sorted(bench.namesystem.directory.root.children) == ["a", "b"]


def test_a_stop_without_edits_leaves_a_log_that_goes_on(bench: Any) -> None:
    bench.namenode.close()
    bench.start()
    bench.leave_safe_mode()
    bench.ask(Mkdirs("/a"))
    bench.namenode.close()
    bench.start()
    assert sorted(bench.namesystem.directory.root.children) == ["a"]


# -- what datanodes say ---------------------------------------------------------------------------------------------


def test_a_datanode_whose_last_disk_has_failed_is_dead_at_once(bench: Any) -> None:
    block = bench.write_closed()
    bench.ask(ErrorReport("a", DatanodeError.DISK_ERROR, "a sector"), "a")
    assert set(bench.blocks.get_stored_block(block.block_id).stored) == {"a", "b", "c"}
    bench.ask(ErrorReport("a", DatanodeError.FATAL_DISK_ERROR, "no volume is left"), "a")
    assert set(bench.blocks.get_stored_block(block.block_id).stored) == {"b", "c"}
    assert bench.namesystem.datanode_manager.live_datanodes() == ["b", "c"]
    bench.ask(ErrorReport("z", DatanodeError.FATAL_DISK_ERROR, "nobody knows it"), "z")
    (first, *_) = bench.events_named("error_report")
    assert first.arguments == {"datanode": "a", "error": "DISK_ERROR"}
