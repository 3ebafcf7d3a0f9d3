"""Hadoop's TestLease, over a whole simulated cluster (facts K.1).

Left out: testFactory (one renewer for all clients of a user: here each client has its own).
"""

from typing import Any

import pytest
from tests.impl.scenarios.stories import begin

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.client import DFSOutputStream
from genstamp_dfs.hdfs.messages.client_protocol import Delete, Mkdirs, Rename, Rename2, RenewLease
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


def leased_paths(scenario: Scenario) -> list[str]:
    """The paths of all files that are in a lease."""
    inodes = scenario.namesystem.directory.inodes
    return sorted(inodes[file_id].path for file_id in scenario.namesystem.lease_manager.leases_by_id)


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


@pytest.mark.parametrize("case", ["into new", "into existing", "with overwrite"])
def test_lease_after_rename(case: str) -> None:
    """First the file, then the directory above it: there is always exactly one lease, on the present path."""
    scenario = Scenario()
    writer = scenario.client("writer")
    for directory in ("/dir", "/existing"):
        scenario.run(writer, writer.ask(Mkdirs(directory)))
    stream = begin(scenario, "/dir/file", 600)
    scenario.run(writer, writer.ask(Rename("/dir/file", "/dir/other")))
    assert leased_paths(scenario) == ["/dir/other"]
    if case == "into existing":
        scenario.run(writer, writer.ask(Rename("/dir", "/existing")))
        path = "/existing/dir/other"
    elif case == "into new":
        scenario.run(writer, writer.ask(Rename("/dir", "/new")))
        path = "/new/other"
    else:
        scenario.run(writer, writer.ask(Rename2("/dir", "/existing", overwrite=True)))
        path = "/existing/other"
    assert leased_paths(scenario) == [path]
    go_on(scenario, stream)
    scenario.run(writer, stream.close())
    assert leased_paths(scenario) == []
    assert scenario.read(path) == pattern(1, 0, 650)


def test_lease_after_rename_and_recreate() -> None:
    """A new file at the old path: each stream closes its own, by inode id."""
    scenario = Scenario()
    first = begin(scenario, "/file", 600)
    scenario.run(first.client, first.client.ask(Rename("/file", "/renamed")))
    second = begin(scenario, "/file", 300)
    assert leased_paths(scenario) == ["/file", "/renamed"]
    go_on(scenario, first)
    scenario.run(first.client, second.close())
    scenario.run(first.client, first.close())
    assert leased_paths(scenario) == []
    assert scenario.read("/renamed") == pattern(1, 0, 650)
    assert scenario.read("/file") == pattern(1, 0, 300)


def test_lease() -> None:
    """Leases come with create and go with close; a file that was deleted cannot be flushed."""
    scenario = Scenario()
    writer = scenario.client("writer")
    scenario.run(writer, writer.ask(Mkdirs("/dir")))
    assert leased_paths(scenario) == []
    first = scenario.run(writer, writer.create("/dir/a"))
    assert leased_paths(scenario) == ["/dir/a"]
    second = scenario.run(writer, writer.create("/dir/b"))
    assert leased_paths(scenario) == ["/dir/a", "/dir/b"]
    scenario.run(writer, first.close())
    assert leased_paths(scenario) == ["/dir/b"]
    scenario.run(writer, second.write(b"not flushed"))
    assert scenario.run(writer, writer.ask(Delete("/dir", recursive=True)))
    assert leased_paths(scenario) == []
    with pytest.raises(HdfsIOException, match="File does not exist") as refusal:
        scenario.run(writer, second.hflush())
    assert refusal.value.hadoop_name == "FileNotFoundException"


def test_a_renewer_that_gets_no_answer_gives_all_files_up() -> None:
    """The client cannot know whether they are still its own (DFSClient#renewLease)."""
    scenario = Scenario(options=small_options(limits=LIMITS))
    stream = begin(scenario, "/file", 600)
    scenario.cluster.network.part("writer", NAMENODE)
    scenario.until(lambda: stream.is_closed, limit_s=400)
    assert stream.client.open_files == {}
