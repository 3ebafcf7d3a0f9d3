"""Steps on replicas wait for the disk while others go on, and nobody hears of what is not on it."""

import asyncio
import os
import random
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.impl.datanode.one_replica import BLOCK, DATA, POOL, SomeWriter

from genstamp_dfs.errors import DiskFailedError, HdfsIOException
from genstamp_dfs.events import EventLog
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.datanode.replica_steps import ReplicaSteps
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.protocol import Block, ReplicaState
from genstamp_dfs.hdfs.runtime import Runtime
from genstamp_dfs.server.disk import RealDisk
from genstamp_dfs.server.local_runtime import LocalRuntime
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, Loop
from genstamp_dfs.simulation.network import Network
from genstamp_dfs.simulation.runtime import SimulatedRuntime
from genstamp_dfs.world.disk import COPIED_AT_ONCE, Disk
from genstamp_dfs.world.volume import Volume

SLOW_US = 1_000


class Bench:
    """The steps of one datanode on a disk, in virtual time: a sync takes less than a millisecond."""

    def __init__(self, disk: SimulatedDisk | None = None) -> None:
        self.loop = Loop()
        life = Life("datanode1")
        network = Network(self.loop, random.Random(0))
        self.runtime = SimulatedRuntime(self.loop, network, life, random.Random(0), sync_us=SLOW_US)
        self.disk = disk or SimulatedDisk()
        self.log = EventLog("bp")
        self.steps = steps_on(DiskOfLife(self.disk, life, random.Random(0)), self.runtime, self.log)
        self.story: list[str] = []

    def spawn(self, name: str, *works: Callable[[], object]) -> object:
        """Start a process that does some steps, one after the other, and notes how each ends."""

        async def process() -> None:
            for work in works:
                try:
                    await work()  # type: ignore[misc]
                except (HdfsIOException, DiskFailedError) as problem:
                    self.story.append(f"{name}: {type(problem).__name__}")
                else:
                    self.story.append(name)

        return self.runtime.spawn(process(), name)

    def create(self, block_id: int = BLOCK.block_id) -> Callable[[], object]:
        operation = partial(self.steps.dataset.create_rbw, Block(block_id, 1001, 0), SomeWriter())
        return partial(self.steps.perform, "create_rbw", block_id, operation)

    def recover(self) -> Callable[[], object]:
        operation = partial(self.steps.dataset.init_replica_recovery, BLOCK, 1002)
        return partial(self.steps.perform, "init_replica_recovery", BLOCK.block_id, operation)

    def events(self) -> list[str]:
        return [event.event for event in self.log.events]

    def unforced(self) -> int:
        """Changes of names that a machine that loses power may forget."""
        return len(self.disk.namings)


def steps_on(disk: Disk, runtime: Runtime | LocalRuntime, log: EventLog) -> ReplicaSteps:
    for directory in ("current/rbw", "current/finalized", "tmp"):
        disk.make_directory(f"current/{POOL}/{directory}")
    volume = Volume(disk, lambda failure: None)
    configuration = DataNodeConfiguration()
    dataset = FsDataset(volume, POOL, configuration)
    return ReplicaSteps(dataset, configuration, runtime, log, volume)  # type: ignore[arg-type]


def test_a_step_is_over_when_its_names_are_on_the_disk() -> None:
    """Its event and its answer come then, and what other processes did meanwhile comes before."""
    bench = Bench()
    bench.spawn("created", bench.create())
    bench.spawn("other", partial(bench.runtime.sleep_us, 0))
    bench.loop.run(until_us=0)
    assert (bench.story, bench.events()) == (["other"], [])
    assert bench.unforced() == 2
    assert bench.steps.dataset.replicas[BLOCK.block_id].state is ReplicaState.RBW
    bench.loop.run()
    assert (bench.story, bench.events()) == (["other", "created"], ["create_rbw"])
    assert bench.unforced() == 0


def test_the_next_step_on_the_block_waits_and_one_on_another_does_not() -> None:
    bench = Bench()
    bench.spawn("created", bench.create())
    bench.spawn("recovered", bench.recover())
    bench.spawn("refused", partial(bench.steps.perform, "invalidate_replica", 8, lambda: None))
    bench.loop.run(until_us=0)
    assert bench.story == ["refused"]
    bench.loop.run()
    assert bench.story == ["refused", "created", "recovered"]
    assert bench.events() == ["invalidate_replica", "create_rbw", "init_replica_recovery"]


def test_a_report_waits_for_the_names_that_were_changed_before() -> None:
    bench = Bench()
    bench.spawn("created", bench.create())
    bench.spawn("reported", bench.steps.finish)
    bench.loop.run(until_us=0)
    assert bench.story == []
    bench.loop.run()
    assert bench.story == ["created", "reported"]


def test_names_of_a_process_that_was_ended_are_forced_by_the_next_that_asks() -> None:
    bench = Bench()
    task = bench.spawn("created", bench.create())
    bench.loop.run(until_us=0)
    task.cancel()  # type: ignore[attr-defined]
    bench.spawn("reported", bench.steps.finish)
    bench.loop.run()
    assert (bench.story, bench.unforced()) == (["reported"], 0)


def test_after_a_sync_that_failed_nothing_is_answered_or_reported() -> None:
    bench = Bench()
    bench.disk.sync_fails_in = 1
    bench.spawn("created", bench.create())
    bench.spawn("reported", bench.steps.finish)
    bench.spawn("recovered", bench.recover())
    bench.loop.run()
    assert bench.story == ["created: HdfsIOException", "reported: DiskFailedError", "recovered: HdfsIOException"]
    assert bench.disk.failed_syncs == 1
    assert [event.refused_with for event in bench.log.events] == ["IOException"] * 2


@pytest.mark.parametrize("by_copy", [False, True])
def test_others_run_between_two_parts_of_a_long_copy(by_copy: bool) -> None:
    """Of one that a truncate makes, and of files that an earlier life has left."""
    bench = Bench()
    long = 3 * COPIED_AT_ONCE
    dataset, told = bench.steps.dataset, list[int]()

    async def other() -> None:
        while len(told) < 3:
            files = bench.disk.files.items()
            told.append(sum(len(file.data) for path, file in files if path.endswith((".tmp", "tmp/blk_8"))))
            await bench.runtime.sleep_us(0)

    replica = dataset.create_rbw(BLOCK, SomeWriter())
    dataset.write(replica, 0, bytes(long), checksums_of(bytes(long)))
    dataset.acknowledge(replica, long)
    replica.is_inherited = not by_copy
    dataset.init_replica_recovery(BLOCK, 1002)
    update = (Block(BLOCK.block_id, 1001, long), 1002, long - by_copy, 8 if by_copy else None)
    perform = partial(
        bench.steps.perform,
        "update_replica_under_recovery",
        BLOCK.block_id,
        partial(dataset.update_replica_under_recovery, *update),
        prepare=partial(bench.steps.prepare_update, *update),
    )
    bench.spawn("updated", perform)
    bench.runtime.spawn(other(), "other")
    bench.loop.run()
    assert bench.story == ["updated"]
    assert 0 < told[0] < told[1] < told[2]
    found = dataset.replicas[8 if by_copy else BLOCK.block_id]
    assert (found.state, found.num_bytes, found.is_inherited) == (ReplicaState.FINALIZED, long - by_copy, False)
    assert (bench.unforced(), bench.disk.false_syncs) == (0, [])


@pytest.mark.parametrize("seed", range(6))
def test_what_was_written_anew_is_there_under_its_name_after_a_power_loss(seed: int) -> None:
    """Though the names were forced before: when the replica was appended to."""
    former = Bench()
    dataset = former.steps.dataset
    dataset.write(dataset.create_rbw(BLOCK, SomeWriter()), 0, DATA, checksums_of(DATA))
    dataset.finalize_block(BLOCK)
    bench = Bench(former.disk)
    append = partial(bench.steps.dataset.append, BLOCK, 1002, len(DATA), SomeWriter())
    hsync = partial(bench.steps.hsync, bench.steps.dataset.replicas[BLOCK.block_id])
    bench.spawn("done", partial(bench.steps.perform, "append_finalized", BLOCK.block_id, append), hsync)
    bench.loop.run()
    assert bench.story == ["done", "done"]
    bench.disk.lose_power(random.Random(seed))
    last = Bench(bench.disk).steps.dataset
    assert last.files.read(last.replicas[BLOCK.block_id], 0, 10_000) == DATA


def test_no_sync_of_a_block_from_its_creation_to_its_end_stands_on_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of one that is appended to, gets another stamp, is found after a restart, and is truncated by a copy."""
    forced: dict[str, bool] = {}
    fsync, main = os.fsync, threading.current_thread()

    def noted(descriptor: int) -> None:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        forced[name] = forced.get(name, False) or threading.current_thread() is main
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)

    async def story() -> None:
        steps = steps_on(RealDisk(tmp_path), LocalRuntime("datanode1"), EventLog("bp"))
        dataset, block_id = steps.dataset, BLOCK.block_id

        async def written(replica: Replica, start: int) -> None:
            for end in range(start + 100, start + 400, 100):
                dataset.write(replica, end - 100, DATA[:100], checksums_of(DATA[:100]))
                await steps.hsync(replica)

        async def finalized(stamp: int) -> None:
            await steps.sync_ahead(dataset.replicas[block_id])
            operation = partial(dataset.finalize_block, Block(block_id, stamp, 0))
            await steps.perform("finalize_replica", block_id, operation)

        create = partial(dataset.create_rbw, BLOCK, SomeWriter())
        replica = await steps.perform("create_rbw", block_id, create)
        await written(replica, 0)
        await finalized(1001)
        append = partial(dataset.append, BLOCK, 1002, 300, SomeWriter())
        await steps.perform("append_finalized", block_id, append)
        dataset.acknowledge(replica, 300)
        again = partial(dataset.recover_rbw, Block(block_id, 1002, 0), 1003, 300, 300, SomeWriter())
        await steps.perform("recover_rbw", block_id, again)
        await finalized(1003)
        # Another life finds it, and a recovery makes a copy of its beginning, for a truncate.
        steps = steps_on(RealDisk(tmp_path), LocalRuntime("datanode1"), EventLog("bp"))
        steps.dataset.init_replica_recovery(Block(block_id, 1003, 300), 1004)
        update = (Block(block_id, 1003, 300), 1004, 200, 8)
        await steps.perform(
            "update_replica_under_recovery",
            block_id,
            partial(steps.dataset.update_replica_under_recovery, *update),
            prepare=partial(steps.prepare_update, *update),
        )

    asyncio.run(story())
    assert [name for name, is_on_the_loop in forced.items() if is_on_the_loop] == []
    assert {"rbw", "subdir0", "tmp", "blk_7", "blk_7_1001.meta", "blk_7.tmp", "blk_8", "blk_8_1004.meta"} <= set(forced)
