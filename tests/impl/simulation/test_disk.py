"""The simulated disk: what survives a process, what survives a machine, and crashes in the middle of an effect."""

import random
from collections.abc import Callable

import pytest

from genstamp_dfs.errors import DiskError, DiskFullError
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, ProcessCrashedError


def open_disk(disk: SimulatedDisk, *, crash_at: int | None = None, seed: int = 0) -> DiskOfLife:
    return DiskOfLife(disk, Life("datanode1"), random.Random(seed), crash_at)


def written(disk: SimulatedDisk, path: str, *pieces: bytes, sync_after: int = 0) -> DiskOfLife:
    """A file of some writes, the first of them synced, its name for good."""
    view = open_disk(disk)
    view.create(path)
    view.sync_directory("")
    offset = 0
    for number, piece in enumerate(pieces, 1):
        view.write(path, offset, piece)
        offset += len(piece)
        if number == sync_after:
            view.sync(path)
    return view


def test_what_a_process_has_written_survives_it() -> None:
    disk = SimulatedDisk()
    written(disk, "a", b"one", b"two")
    assert open_disk(disk).read("a") == b"onetwo"


@pytest.mark.parametrize("seed", range(10))
def test_power_loss_keeps_what_was_synced_and_a_beginning_of_the_rest(seed: int) -> None:
    disk = SimulatedDisk()
    written(disk, "a", b"synced", b"-lost-", b"-maybe", sync_after=1)
    lost = disk.lose_power(random.Random(seed))
    left = open_disk(disk).read("a")
    assert b"synced-lost--maybe".startswith(left)
    assert left.startswith(b"synced")
    assert lost == len(b"synced-lost--maybe") - len(left)


def test_power_loss_tears_writes_at_every_byte() -> None:
    lengths = set()
    for seed in range(200):
        disk = SimulatedDisk()
        written(disk, "a", b"12345678")
        disk.lose_power(random.Random(seed))
        lengths.add(len(open_disk(disk).read("a")))
    assert lengths == set(range(9))


@pytest.mark.parametrize("seed", range(10))
def test_power_loss_may_bring_back_what_was_written_over_or_cut(seed: int) -> None:
    disk = SimulatedDisk()
    view = written(disk, "a", b"abcdef", sync_after=1)
    view.write("a", 2, b"XY")
    view.truncate("a", 3)
    disk.lose_power(random.Random(seed))
    assert open_disk(disk).read("a") in {b"abcdef", b"abXdef", b"abXYef", b"abX"}


def test_power_loss_forgets_names_that_were_not_synced() -> None:
    seen = set()
    for seed in range(40):
        disk = SimulatedDisk()
        view = written(disk, "old", b"x", sync_after=1)
        view.create("new")
        view.rename("old", "renamed")
        disk.lose_power(random.Random(seed))
        seen.add(tuple(open_disk(disk).names("")))
    assert seen == {("old",), ("new", "old"), ("new", "renamed")}


def test_power_loss_gives_a_replaced_file_back() -> None:
    seen = set()
    for seed in range(20):
        disk = SimulatedDisk()
        written(disk, "a", b"old", sync_after=1)
        view = written(disk, "b", b"new", sync_after=1)
        view.rename("b", "a")
        disk.lose_power(random.Random(seed))
        seen.add((tuple(open_disk(disk).names("")), open_disk(disk).read("a")))
    assert seen == {(("a", "b"), b"old"), (("a",), b"new")}


@pytest.mark.parametrize("effect", range(1, 5))
def test_a_life_can_end_at_each_effect(effect: int) -> None:
    disk = SimulatedDisk()
    view = open_disk(disk, crash_at=effect)
    with pytest.raises(ProcessCrashedError):
        view.create("a")
        view.write("a", 0, b"1234")
        view.sync("a")
        view.rename("a", "b")
    with pytest.raises(ProcessCrashedError):
        view.names("")
    left = open_disk(disk)
    assert left.names("") == ([] if effect == 1 else ["a"])
    if effect > 1:
        assert b"1234".startswith(left.read("a"))


def test_mistakes_are_told_and_change_nothing() -> None:
    disk = SimulatedDisk()
    view = written(disk, "a", b"123")
    mistakes: list[Callable[[], None]] = [
        lambda: view.create("a"),
        lambda: view.create("nowhere/a"),
        lambda: view.write("a", 4, b"x"),
        lambda: view.truncate("a", 4),
        lambda: view.remove("b"),
        lambda: view.sync_directory("a"),
    ]
    for wrong in mistakes:
        with pytest.raises(DiskError):
            wrong()
    assert view.names("") == ["a"]
    assert view.read("a") == b"123"


def test_directories_are_listed_moved_and_removed_with_what_is_in_them() -> None:
    view = open_disk(SimulatedDisk())
    view.make_directory("current/rbw")
    view.create("current/rbw/blk_1")
    assert view.names("current") == ["rbw"]
    view.rename("current", "previous")
    assert view.names("previous/rbw") == ["blk_1"]
    view.remove("previous")
    assert view.names("") == []


def test_a_full_disk_takes_what_it_has_room_for_and_says_so() -> None:
    disk = SimulatedDisk()
    view = written(disk, "a", b"12345")
    disk.room = 3
    view.write("a", 0, b"54321")
    with pytest.raises(DiskFullError, match="no room for more than 8 bytes"):
        view.write("a", 4, b"abcdefg")
    assert view.read("a") == b"5432abcd"
    view.truncate("a", 2)
    assert disk.room == 6
    view.remove("a")
    assert disk.room == 8


def test_bits_that_rot_are_read_until_somebody_writes_over_them() -> None:
    disk = SimulatedDisk()
    view = written(disk, "a", b"aaaa", sync_after=1)
    disk.files["a"].rot(1, 2)
    assert view.read("a") == b"acaa"
    view.write("a", 1, b"b")
    assert not disk.files["a"].rotten
    disk.files["a"].rot(3, 2)
    disk.files["a"].heal(0, 4)
    assert view.read("a") == b"abaa"


def test_power_loss_brings_back_what_was_written_and_not_what_had_rotted() -> None:
    for seed in range(20):
        disk = SimulatedDisk()
        view = written(disk, "a", b"aaaa", sync_after=1)
        disk.files["a"].rot(1, 2)
        view.write("a", 0, b"bbbbbb")
        disk.lose_power(random.Random(seed))
        data = bytes(disk.files["a"].data)
        assert data.lstrip(b"b").strip(b"a") == b""
        assert len(data) >= 4
