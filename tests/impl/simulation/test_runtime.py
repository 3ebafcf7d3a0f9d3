"""The runtime of a simulated node: its clock, and waiting by it."""

import random

import pytest

from genstamp_dfs.simulation.loop import Life, Loop
from genstamp_dfs.simulation.network import Network
from genstamp_dfs.simulation.runtime import Clock, SimulatedRuntime


def runtime(rate: float) -> tuple[Loop, SimulatedRuntime]:
    """A node whose clock runs at this rate."""
    loop = Loop()
    return loop, SimulatedRuntime(
        loop, Network(loop, random.Random(0)), Life("node"), random.Random(0), Clock(rate=rate)
    )


@pytest.mark.parametrize("rate", [0.99, 0.997, 1.0, 1.003, 1.01])
def test_waiting_takes_at_least_its_time_by_the_own_clock(rate: float) -> None:
    """Else whoever waits for what is left of a time waits for no time at all, again and again."""
    loop, node = runtime(rate)
    waited: list[int] = []

    async def wait() -> None:
        condition = node.condition()
        for duration_us in (1, 2, 3, 199, 1_000_003):
            began_us = node.now_us()
            await node.sleep_us(duration_us)
            waited.append(node.now_us() - began_us - duration_us)
            began_us = node.now_us()
            assert not await condition.wait(duration_us)
            waited.append(node.now_us() - began_us - duration_us)

    node.spawn(wait(), "wait")
    loop.run()
    assert len(waited) == 10
    assert 0 <= min(waited) <= max(waited) <= 2
