"""The calls that look, and those that set what is looked at."""

from typing import Any

import pytest

from genstamp_dfs.errors import (
    AccessControlException,
    FileNotFoundException,
    HdfsIOException,
    IllegalArgumentException,
    JavaAssertionError,
)
from genstamp_dfs.hdfs.messages import client_protocol as client
from genstamp_dfs.hdfs.messages import cluster_status
from genstamp_dfs.hdfs.namenode.datanode_calls import remove_datanode
from genstamp_dfs.hdfs.protocol import Block, ReplicaState


def two_blocks(bench: Any) -> tuple[Block, Block]:
    """/f, open, of 10 bytes and a block that is being written."""
    first = bench.write(length=10)
    return first, bench.add_block(previous=first).block


def test_file_info_tells_what_there_is(bench: Any) -> None:
    assert bench.ask(client.GetFileInfo("/f")) is None
    bench.write_closed("/d/f")
    status = bench.ask(client.GetFileInfo("/d/f"))
    assert (status.length, status.replication, status.block_size, status.is_directory) == (3, 3, 10, False)
    assert (status.permission, status.owner, status.group, status.children) == (0o644, "hdfs", "supergroup", 0)
    assert bench.ask(client.GetFileInfo("/d")).children == 1
    assert bench.ask(client.GetFileInfo("/d/f/x")) is None
    with bench.refused(JavaAssertionError, "Absolute path required, but got 'd'"):
        bench.ask(client.GetFileInfo("d"))


def test_a_listing_comes_in_pages_by_name_as_bytes(new_bench: Any) -> None:
    bench = new_bench(list_limit=2)
    for name in ("b", "é", "a", "Z"):
        bench.create(f"/d/{name}")
    first = bench.ask(client.GetListing("/d"))
    assert ([entry.path for entry in first.entries], first.remaining) == (["Z", "a"], 2)
    second = bench.ask(client.GetListing("/d", "a"))
    assert ([entry.path for entry in second.entries], second.remaining) == (["b", "é"], 0)
    assert bench.ask(client.GetListing("/no")) is None
    alone = bench.ask(client.GetListing("/d/a"))
    assert [(entry.path, entry.is_directory) for entry in alone.entries] == [("", False)]


def test_blocks_are_told_with_files_where_they_are_asked_for(bench: Any) -> None:
    """Clients that list with locations take a file without any for a programming error."""
    bench.write_closed("/d/f")
    located = bench.ask(client.GetBlockLocations("/d/f"))
    assert located.blocks
    (entry,) = bench.ask(client.GetListing("/d", needs_locations=True)).entries
    assert entry.locations == located
    assert bench.ask(client.GetListing("/d")).entries[0].locations is None
    assert bench.ask(client.GetFileInfo("/d/f", needs_locations=True)).locations == located
    assert bench.ask(client.GetFileInfo("/d", needs_locations=True)).locations is None


def test_block_locations_of_an_open_file(bench: Any) -> None:
    """TestBlockUnderConstruction#testGetBlockLocations."""
    first, second = two_blocks(bench)
    found = bench.ask(client.GetBlockLocations("/f"))
    assert (found.file_length, found.is_under_construction, found.is_last_block_complete) == (10, True, False)
    assert [(located.block, located.offset) for located in found.blocks] == [(first, 0), (second, 10)]
    assert (found.last_block.block, found.last_block.offset) == (second, 10)


@pytest.mark.parametrize(
    ("offset", "length", "found"), [(0, 1, [0]), (9, 1, [0]), (9, 2, [0, 10]), (10, 1, [10]), (13, 9, []), (0, 0, [0])]
)
def test_block_locations_of_a_range(bench: Any, offset: int, length: int, found: list[int]) -> None:
    _, second = two_blocks(bench)
    second = Block(second.block_id, second.generation_stamp, 3)
    bench.received(second, "a")
    bench.complete(last=second)
    located = bench.ask(client.GetBlockLocations("/f", offset, length)).blocks
    assert [each.offset for each in located] == found


def test_the_readers_own_datanode_comes_first_and_stale_ones_last(bench: Any) -> None:
    bench.write_closed()
    bench.pass_ms(30_000, silent=True)
    bench.heartbeat("b")
    located = bench.ask(client.GetBlockLocations("/f"), "c").blocks[0]
    assert located.locations == ("c", "b", "a")


def test_block_locations_are_refused(bench: Any) -> None:
    bench.ask(client.Mkdirs("/d"))
    for path in ("/f", "/d"):
        with bench.refused(FileNotFoundException):
            bench.ask(client.GetBlockLocations(path))
    for offset, length in ((-1, 0), (0, -1)):
        with bench.refused(IllegalArgumentException):
            bench.ask(client.GetBlockLocations("/f", offset, length))


def test_a_first_block_of_unknown_length_is_in_every_range(bench: Any) -> None:
    bench.create("/f")
    block = bench.add_block("/f").block
    located = bench.ask(client.GetBlockLocations("/f", 100, 1)).blocks
    assert [(one.block, one.offset) for one in located] == [(block, 0)]


def test_nothing_is_looked_for_below_a_file(bench: Any) -> None:
    bench.write_closed("/f")
    for request in (client.GetListing("/f/x"), client.GetBlockLocations("/f/x"), client.GetContentSummary("/f/x")):
        with bench.refused(AccessControlException, "is not a directory"):
            bench.ask(request)


def test_space_of_a_block_that_is_written_is_all_that_it_may_get(bench: Any) -> None:
    bench.create("/f")
    bench.add_block("/f")
    summary = bench.ask(client.GetContentSummary("/f"))
    assert (summary.length, summary.space_consumed) == (0, 3 * 10)


def test_is_file_closed(bench: Any) -> None:
    with bench.refused(FileNotFoundException):
        bench.ask(client.IsFileClosed("/f"))
    bench.create()
    assert not bench.ask(client.IsFileClosed("/f"))
    bench.complete()
    assert bench.ask(client.IsFileClosed("/f"))


def test_totals_of_a_tree_and_of_the_cluster(bench: Any) -> None:
    bench.write_closed("/d/e/f")
    bench.write_closed("/d/g", length=4)
    summary = bench.ask(client.GetContentSummary("/d"))
    assert (summary.length, summary.file_count, summary.directory_count, summary.space_consumed) == (7, 2, 2, 21)
    with bench.refused(FileNotFoundException):
        bench.ask(client.GetContentSummary("/no"))
    for datanode in "abc":
        bench.heartbeat(datanode, capacity=100, used=30, remaining=70)
    stats = bench.ask(cluster_status.GetFsStats())
    assert (stats.capacity, stats.used, stats.remaining, stats.missing_blocks) == (300, 90, 210, 0)
    reports = bench.ask(cluster_status.GetDatanodeReport())
    assert [(each.name, each.is_alive, each.is_stale, each.blocks) for each in reports] == [
        (name, True, False, 2) for name in "abc"
    ]


def test_a_report_is_of_the_datanodes_that_are_asked_for(bench: Any) -> None:
    bench.write_closed()
    for datanode in "abc":
        bench.heartbeat(datanode, capacity=100, used=30, remaining=70)
    bench.pass_ms(2_000)
    bench.report("a", (bench.last().as_block(), ReplicaState.FINALIZED))
    remove_datanode(bench.namesystem, "b")
    kind = cluster_status.DatanodeReportType
    reports = [bench.ask(cluster_status.GetDatanodeReport(each)) for each in kind]
    assert ["".join(one.name for one in report) for report in reports] == ["abc", "ac", "b", "", "", ""]
    bench.clock.us += 500_000
    alive, _ = bench.ask(cluster_status.GetDatanodeReport(kind.LIVE))
    assert (alive.last_update_ms, alive.last_block_report_ms, alive.capacity) == (1_002_000, 1_002_000, 100)
    (dead,) = bench.ask(cluster_status.GetDatanodeReport(kind.DEAD))
    assert (dead.capacity, dead.used, dead.remaining, dead.blocks, dead.last_block_report_ms) == (0, 0, 0, 0, 0)


def test_open_files_come_in_pages_by_id(new_bench: Any) -> None:
    bench = new_bench(list_limit=2)
    for number in range(3):
        bench.create(f"/d/{number}", client=f"client{number}")
    bench.create("/dd")
    bench.write_closed("/d/closed")
    first = bench.ask(cluster_status.ListOpenFiles())
    assert [each.path for each in first.entries] == ["/d/0", "/d/1"]
    assert (first.entries[1].client_name, first.entries[1].client_machine, first.has_more) == ("client1",) * 2 + (True,)
    after = first.entries[-1].file_id
    rest = bench.ask(cluster_status.ListOpenFiles(after))
    assert ([each.path for each in rest.entries], rest.has_more) == (["/d/2", "/dd"], False)
    for path, found in {"/d/": ["/d/2"], "/dd": ["/dd"], "/x": []}.items():
        assert [each.path for each in bench.ask(cluster_status.ListOpenFiles(after, path)).entries] == found


def test_open_files_are_of_a_type(bench: Any) -> None:
    bench.create()
    blocking = cluster_status.OpenFilesType.BLOCKING_DECOMMISSION
    assert bench.ask(cluster_status.ListOpenFiles(types=(blocking,))).entries == ()
    with bench.refused(IllegalArgumentException):
        bench.ask(cluster_status.ListOpenFiles(types=()))
    with bench.refused(JavaAssertionError, "Absolute path required"):
        bench.ask(cluster_status.ListOpenFiles(path=""))


def test_defaults_are_those_of_the_configuration(bench: Any) -> None:
    defaults = bench.ask(client.GetServerDefaults())
    assert defaults == client.FsServerDefaults(10, 512, 65_536, 3)


def test_attributes_are_set(bench: Any) -> None:
    bench.write_closed()
    bench.ask(client.SetPermission("/f", 0o600))
    bench.ask(client.SetOwner("/f", "o"))
    bench.ask(client.SetOwner("/f", None, "g"))
    bench.ask(client.SetTimes("/f", 5, -1))
    bench.ask(client.SetTimes("/f", -1, 6))
    assert bench.ask(client.SetReplication("/f", 2))
    status = bench.ask(client.GetFileInfo("/f"))
    assert (status.permission, status.owner, status.group, status.replication) == (0o600, "o", "g", 2)
    assert (status.modification_time_ms, status.access_time_ms) == (5, 6)
    bench.start()
    assert bench.ask(client.GetFileInfo("/f")) == status


def test_attributes_of_nothing(bench: Any) -> None:
    for request in (client.SetPermission("/f", 0), client.SetOwner("/f", "o"), client.SetTimes("/f", 1, 1)):
        with bench.refused(FileNotFoundException):
            bench.ask(request)
    bench.ask(client.Mkdirs("/d"))
    assert not bench.ask(client.SetReplication("/d", 2))
    with bench.refused(HdfsIOException, "accepted: 1 to 512"):
        bench.ask(client.SetReplication("/f", 513))
