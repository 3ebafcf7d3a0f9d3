"""Hostile connections to servers of one process: all are answered or closed, and nobody else notices."""

import random
from pathlib import Path

import pytest
from tests.impl.fuzz.attack import Totals, attack
from tests.impl.fuzz.besieged import besieged

CONNECTIONS = 600
AT_A_TIME = 150


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
async def test_hostile_connections_are_answered_or_closed_and_nobody_else_notices(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    totals = Totals()
    print(f"fuzz seed {seed}")
    async with besieged(tmp_path, random.Random(seed)) as siege:
        for first in range(0, CONNECTIONS, AT_A_TIME):
            numbers = range(first, first + AT_A_TIME)
            await attack(siege.targets, siege.attacker, seed, numbers, totals)
            await siege.check_others()
        await siege.restart()
        await siege.check_others()
    print("\n".join(totals.lines()))
    assert totals.connections.total() == CONNECTIONS
    assert capfd.readouterr().err == ""
    assert [record.message for record in caplog.records] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "datanode1", "datanode2", "datanode3", "events", "namenode"
    ]  # fmt: skip
