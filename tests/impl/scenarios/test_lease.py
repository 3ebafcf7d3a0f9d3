"""Hadoop's TestLease, over a whole simulated cluster (facts K.1).

Left out: testFactory (one renewer for all clients of a user: here each client has its own).
"""

from typing import Any

import pytest
from tests.impl.scenarios.stories import begin

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.client import DFSOutputStream
from genstamp_dfs.hdfs.messages.client_protocol import RenewLease
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.hdfs.protocol import NAMENODE, Limits
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.scenario import Scenario, small_options
from genstamp_dfs.world.request import Caller, Request

LIMITS = Limits(soft_limit_ms=10_000, hard_limit_ms=60_000)


def go_on(scenario: Scenario, stream: DFSOutputStream) -> None:
    """Write and flush a little more."""

    async def story() -> None:
        await stream.write(pattern(1, stream.position, 50))
        await stream.hflush()

    scenario.run(stream.client, story())


def test_lease_abort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Renewing fails: past the soft limit writing goes on; past the hard limit streams are given up, reads work."""
    scenario = Scenario(options=small_options(limits=LIMITS))
    stream = begin(scenario, "/file", 600)
    answer = NameNode.handle

    def refuse(namenode: NameNode, request: Request[Any], caller: Caller) -> Any:
        if isinstance(request, RenewLease):
            raise HdfsIOException("the token is not valid")
        return answer(namenode, request, caller)

    monkeypatch.setattr(NameNode, "handle", refuse)
    scenario.advance(15)
    go_on(scenario, stream)
    assert stream.client.open_files != {}
    scenario.advance(60)
    assert stream.client.open_files == {}
    with pytest.raises(HdfsIOException):
        go_on(scenario, stream)
    assert scenario.read("/file") == pattern(1, 0, 650)


def test_a_renewer_that_gets_no_answer_gives_all_files_up() -> None:
    """The client cannot know whether they are still its own (DFSClient#renewLease)."""
    scenario = Scenario(options=small_options(limits=LIMITS))
    stream = begin(scenario, "/file", 600)
    scenario.cluster.network.part("writer", NAMENODE)
    scenario.until(lambda: stream.is_closed, limit_s=400)
    assert stream.client.open_files == {}
