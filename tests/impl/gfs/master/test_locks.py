"""Locks of paths: their order, who shuts out whom, and that nobody waits for ever."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genstamp_dfs.gfs.master.locks import Locked, NamespaceLocks, lock_order
from genstamp_dfs.simulation.loop import Life, Loop
from genstamp_dfs.simulation.network import Network
from genstamp_dfs.simulation.runtime import SimulatedRuntime

PATHS = ["/", "/a", "/b", "/a/a", "/a/b", "/b/a", "/a/a/a", "/a/b/c"]


class World:
    """Processes that hold locks for a time."""

    def __init__(self) -> None:
        self.loop = Loop()
        self.life = Life("master")
        network = Network(self.loop, random.Random(0))
        self.runtime = SimulatedRuntime(self.loop, network, self.life, random.Random(0))
        self.locks = NamespaceLocks(self.runtime.condition)
        self.holding: dict[int, list[tuple[Any, bool]]] = {}
        self.order: list[int] = []

    def hold(self, number: int, locked: Locked, for_us: int, begin_us: int = 0) -> Any:
        async def work() -> None:
            await self.runtime.sleep_us(begin_us)
            async with locked:
                self.check(locked.modes)
                self.holding[number] = list(locked.modes)
                await self.runtime.sleep_us(for_us)
                del self.holding[number]
                self.order.append(number)

        return self.loop.spawn(self.life, work(), f"operation {number}")

    def check(self, modes: Sequence[tuple[Any, bool]]) -> None:
        """Nobody holds what these locks exclude."""
        for others in self.holding.values():
            for key, writes in others:
                assert not any(key == mine and (writes or changes) for mine, changes in modes)


def test_locks_are_taken_by_level_and_then_by_name() -> None:
    locks = NamespaceLocks(World().runtime.condition)
    modes = locks.locked(read=["/b/x"], write=["/c", "/a/z"]).modes
    assert modes == [("/", False), ("/a", False), ("/b", False), ("/c", True), ("/a/z", True), ("/b/x", False)]
    assert sorted(PATHS, key=lock_order)[:3] == ["/", "/a", "/b"]


def test_a_path_that_is_written_and_above_another_is_write_locked() -> None:
    locks = NamespaceLocks(World().runtime.condition)
    assert locks.locked(write=["/a", "/a/b"]).modes == [("/", False), ("/a", True), ("/a/b", True)]


def test_files_of_one_directory_are_created_side_by_side() -> None:
    world = World()
    for number, path in enumerate(("/d/x", "/d/y", "/d/z")):
        world.hold(number, world.locks.locked(write=[path]), 100)
    world.loop.run(50)
    assert len(world.holding) == 3


def test_a_snapshot_shuts_out_a_creation_below_its_source() -> None:
    world = World()
    world.hold(0, world.locks.locked(write=["/homes/user", "/save/user"]), 100)
    world.hold(1, world.locks.locked(write=["/homes/user/foo"]), 100, begin_us=1)
    world.hold(2, world.locks.locked(write=["/homes/other"]), 100, begin_us=1)
    world.loop.run(50)
    assert set(world.holding) == {0, 2}
    world.loop.run()
    assert world.order[-1] == 1


def test_a_writer_is_not_passed_by_readers_who_came_later() -> None:
    world = World()
    world.hold(0, world.locks.locked(read=["/f"]), 100)
    world.hold(1, world.locks.locked(write=["/f"]), 100, begin_us=1)
    world.hold(2, world.locks.locked(read=["/f"]), 10, begin_us=2)
    world.loop.run()
    assert world.order == [0, 1, 2]


def test_one_who_stops_waiting_leaves_no_lock_behind() -> None:
    world = World()
    world.hold(0, world.locks.locked(read=["/f"]), 100)
    writer = world.hold(1, world.locks.locked(write=["/f"]), 100, begin_us=1)
    world.hold(2, world.locks.locked(read=["/f"]), 10, begin_us=2)
    world.loop.at(50, writer.cancel)
    world.loop.run(70)
    assert world.order == [2]
    world.loop.run()
    assert world.locks.held == set()


OPERATIONS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(PATHS), max_size=2),
        st.lists(st.sampled_from(PATHS), max_size=2),
        st.integers(0, 50),
        st.integers(0, 50),
    ),
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, derandomize=True)
@given(OPERATIONS)
def test_everybody_gets_his_locks_in_the_end(operations: list[tuple[list[str], list[str], int, int]]) -> None:
    world = World()
    for number, (read, write, begin_us, for_us) in enumerate(operations):
        world.hold(number, world.locks.locked(read=read, write=write), for_us, begin_us)
    world.loop.run()
    assert sorted(world.order) == list(range(len(operations)))
    assert world.locks.held == set()
