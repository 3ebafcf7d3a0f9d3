"""The process, or the whole machine, dies at each change that the namenode makes on its disk.

What was answered is there after the restart. The call that was cut short has happened or has not.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest

from genstamp_dfs.hdfs.messages.client_protocol import Append, Delete, Mkdirs, Rename, Truncate
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, ProcessCrashedError

CALLS: tuple[Callable[[Any], Any], ...] = (
    lambda bench: bench.register("a"),
    lambda bench: bench.ask(Mkdirs("/d/e")),
    lambda bench: bench.create("/d/f"),
    lambda bench: bench.add_block("/d/f"),
    lambda bench: bench.received(Block(2**30 + 1, 1001, 7), "a"),
    lambda bench: bench.complete("/d/f", last=Block(2**30 + 1, 1001, 7)),
    lambda bench: bench.ask(Truncate("/d/f", 4, "client2")),
    lambda bench: bench.namenode.checkpointer.finish(bench.namesystem, bench.namenode.retry_cache),
    lambda bench: bench.commit(Block(2**30 + 1, 1001, 7), 1002, 4),
    lambda bench: bench.ask(Append("/d/f", "client2")),
    lambda bench: bench.recover_lease("/d/f", "client1"),
    lambda bench: bench.ask(Rename("/d", "/x")),
    lambda bench: bench.namenode.checkpointer.finish(bench.namesystem, bench.namenode.retry_cache),
    lambda bench: bench.create("/g"),
    lambda bench: bench.namenode.checkpointer.finish(bench.namesystem, bench.namenode.retry_cache),
    lambda bench: bench.ask(Delete("/x", recursive=True)),
)


def life(disk: SimulatedDisk, crash_at: int | None = None, seed: int = 0) -> DiskOfLife:
    return DiskOfLife(disk, Life("namenode"), random.Random(seed), crash_at)


def states_of(new_bench: Any, disk: DiskOfLife) -> list[Any]:
    """What is to last, after the start and after each call that was answered."""
    states: list[Any] = []
    try:
        bench = new_bench(datanodes="", disk=disk)
        states.append(bench.durable())
        for call in CALLS:
            call(bench)
            states.append(bench.durable())
    except ProcessCrashedError:
        pass
    return states


def crash_points(new_bench: Any) -> int:
    """How many changes the whole story makes."""
    disk = life(SimulatedDisk())
    assert len(states_of(new_bench, disk)) == len(CALLS) + 1
    return disk.effects


@pytest.mark.slow
@pytest.mark.parametrize("loses_power", [False, True])
def test_what_was_answered_survives_a_crash_at_every_change(new_bench: Any, loses_power: bool) -> None:
    whole = states_of(new_bench, life(SimulatedDisk()))
    interrupted = set()
    for crash_at in range(1, crash_points(new_bench) + 1):
        for seed in range(5 if loses_power else 1):
            disk = SimulatedDisk()
            answered = states_of(new_bench, life(disk, crash_at, seed))
            assert answered == whole[: len(answered)]
            if loses_power:
                disk.lose_power(random.Random(seed))
            restarted = new_bench(datanodes="", disk=life(disk)).durable()
            assert restarted in whole[max(0, len(answered) - 1) : len(answered) + 1], (crash_at, seed)
            interrupted.add(len(answered))
    assert len(interrupted) > 10


@pytest.mark.parametrize("loses_power", [False, True])
def test_a_start_may_crash_too(new_bench: Any, loses_power: bool) -> None:
    """Recovery from a torn end, itself cut short at each of its changes."""
    disk = SimulatedDisk()
    whole = states_of(new_bench, life(disk))
    (log,) = [path for path in disk.files if "edits_inprogress" in path]
    disk.files[log].data += b"SYNC\0\0\0\x09torn"
    effects = []
    for crash_at in range(1, 40):
        view = life(disk, crash_at, crash_at)
        try:
            new_bench(datanodes="", disk=view)
        except ProcessCrashedError:
            effects.append(crash_at)
        if loses_power:
            disk.lose_power(random.Random(crash_at))
    assert len(effects) > 4
    assert new_bench(datanodes="", disk=life(disk)).durable() == whole[-1]


@pytest.mark.parametrize("loses_power", [False, True])
def test_a_start_after_a_life_without_edits_may_crash_too(new_bench: Any, loses_power: bool) -> None:
    """Its segment has no transaction, and `seen_txid` tells of it all the while."""
    crashes = 0
    for crash_at in range(1, 20):
        disk = SimulatedDisk()
        idle = new_bench(datanodes="", disk=life(disk)).durable()
        try:
            new_bench(datanodes="", disk=life(disk, crash_at, crash_at))
        except ProcessCrashedError:
            crashes += 1
        if loses_power:
            disk.lose_power(random.Random(crash_at))
        assert new_bench(datanodes="", disk=life(disk)).durable() == idle
    assert crashes > 4


@pytest.mark.slow
def test_what_a_dead_process_has_written_is_forced_to_the_disk_before_anything_builds_on_it(new_bench: Any) -> None:
    """Dead between write and sync, started again, and the power fails after the next answer."""
    for crash_at in range(1, crash_points(new_bench) + 1):
        disk = SimulatedDisk()
        states_of(new_bench, life(disk, crash_at))
        bench = new_bench(datanodes="", disk=life(disk))
        bench.leave_safe_mode()
        bench.ask(Mkdirs("/after"))
        answered = bench.durable()
        disk.lose_power(random.Random(crash_at))
        assert new_bench(datanodes="", disk=life(disk)).durable() == answered
