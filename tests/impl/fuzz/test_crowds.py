"""Connections that stay open cost a server little, and keep nobody else out."""

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.impl.fuzz.crowds import MIB, MOST_MIB, crowd, peak_bytes
from tests.impl.server.processes import Processes

SEED = 6
SILENT = 1_600
UNENDED = 12
UNREAD = 20
WRITES = 4


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    started = Processes(tmp_path / "cluster")
    yield started
    started.stop()


@pytest.mark.slow
def test_a_crowd_of_idle_connections_is_bounded_and_keeps_nobody_out(
    processes: Processes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    print(f"seed {SEED}")
    ready = processes.start()
    pids = {name: node["pid"] for name, node in ready.items() if isinstance(node, dict)}
    data = random.Random(SEED).randbytes(8 << 20)
    (tmp_path / "before").write_bytes(data)
    processes.run("put", str(tmp_path / "before"), "/before")

    async def test() -> None:
        async with crowd(ready) as held:
            await held.read_no_answers(UNREAD)
            await held.read_no_blocks(UNREAD, "/before")
            await held.read_no_acknowledgements(WRITES)
            await held.end_no_packet(UNENDED)
            await held.end_no_frame(UNENDED)
            await held.say_nothing(SILENT)
            await asyncio.to_thread(others_are_served, processes, tmp_path, data)
            print(f"{held.opened:,} connections, {held.sent:,} bytes sent")

    asyncio.run(test())
    said = capfd.readouterr()
    print(said.out)
    assert said.err == ""
    peaks = {name: peak_bytes(pid) for name, pid in pids.items()}
    print({name: f"{peak // MIB} MiB" for name, peak in peaks.items()})
    assert {name for name, peak in peaks.items() if peak > MOST_MIB * MIB} == set()
    now: dict[str, Any] = processes.book()
    assert {name: now[name]["pid"] for name in pids} == pids


def others_are_served(processes: Processes, directory: Path, data: bytes) -> None:
    """A file that was there is read, and another one written."""
    processes.run("get", "/before", str(directory / "after"))
    assert (directory / "after").read_bytes() == data
    processes.run("put", str(directory / "before"), "/another")
