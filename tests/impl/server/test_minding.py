"""Which nodes of a cluster are started again when they have ended."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from genstamp_dfs.server import minding
from genstamp_dfs.server.minding import Node, Nodes
from genstamp_dfs.server.process import CONFIGURATION, FAILURE


class ScriptedNode(Node):
    """Ends with these codes, one life after the other, and stays up then."""

    def __init__(self, name: str, *codes: int) -> None:
        super().__init__(name, [], {})
        self.lives = 0
        self._codes: Iterator[int] = iter(codes)

    async def run_once(self, on_ready: asyncio.Event) -> int:
        self.lives += 1
        on_ready.set()
        code = next(self._codes, None)
        if code is None:
            await asyncio.get_running_loop().create_future()
        assert code is not None
        return code


def minded(directory: Path, first: ScriptedNode, other: ScriptedNode, turns: int = 30) -> int:
    """Run a cluster for a while; gives its exit code."""

    async def run() -> int:
        stopping = asyncio.Event()
        running = asyncio.create_task(Nodes(directory, "127.0.0.1", first, lambda: [other]).run(stopping))
        for _ in range(turns):
            await asyncio.sleep(0)
        stopping.set()
        return await running

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minding, "RESTART_AFTER_S", 0)


def test_a_node_that_was_killed_is_started_again(tmp_path: Path) -> None:
    first, other = ScriptedNode("namenode"), ScriptedNode("datanode1", -9, 1)
    assert minded(tmp_path, first, other) == 0
    assert (first.lives, other.lives) == (1, 3)


def test_only_the_owner_reads_where_the_nodes_are(tmp_path: Path) -> None:
    minded(tmp_path, ScriptedNode("namenode"), ScriptedNode("datanode1"))
    assert (tmp_path / minding.BOOK).stat().st_mode & 0o777 == 0o600


def test_a_node_whose_disk_has_failed_is_not_and_the_others_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, other = ScriptedNode("namenode"), ScriptedNode("datanode1", FAILURE)
    with caplog.at_level(logging.ERROR):
        assert minded(tmp_path, first, other) == 0
    assert (first.lives, other.lives) == (1, 1)
    assert [record.message for record in caplog.records] == [
        "datanode1 ended, as its disk has failed or is full; it is not started again"
    ]


@pytest.mark.parametrize("code", [FAILURE, CONFIGURATION])
def test_a_cluster_ends_with_the_node_that_the_others_need(tmp_path: Path, code: int) -> None:
    first, other = ScriptedNode("namenode", code), ScriptedNode("datanode1")
    assert minded(tmp_path, first, other) == code
    assert first.lives == 1
