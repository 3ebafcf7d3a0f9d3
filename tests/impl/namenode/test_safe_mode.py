"""Safe mode: what it waits for, and what it refuses (facts I.4, E.0; TestSafeMode)."""

from typing import Any

import pytest

from genstamp_dfs.errors import SafeModeException
from genstamp_dfs.hdfs.messages import client_protocol as client
from genstamp_dfs.hdfs.messages.datanode_protocol import CommitBlockSynchronization, TransferBlocks
from genstamp_dfs.hdfs.namenode.safe_mode import SafeModeStatus
from genstamp_dfs.hdfs.protocol import Block, ReplicaState, Semantics

SOME = Block(1, 1, 1)
FINALIZED = ReplicaState.FINALIZED


def restarted(bench: Any, files: int = 2) -> list[Block]:
    """The blocks of some closed files and of an open one, after a restart."""
    blocks = [bench.write_closed(f"/{number}") for number in range(files)]
    bench.write("/open")
    bench.start()
    for datanode in "abc":
        bench.register(datanode)
    return blocks


def test_a_new_cluster_is_not_in_safe_mode(bench: Any) -> None:
    assert not bench.ask(client.SetSafeMode(client.SafeModeAction.GET))


def test_safe_mode_ends_half_a_minute_after_the_closed_files_are_reported(new_bench: Any) -> None:
    """The block of the open file is not waited for (HDFS-4208)."""
    bench = new_bench(safe_mode_threshold=1.0)
    first, second = restarted(bench)
    statuses = [bench.blocks.safe_mode.status]
    bench.report("a", (first, FINALIZED))
    bench.report("c")
    for report, ms in ((first, 100_000), (second, 29_999), (second, 1)):
        bench.report("b", (report, FINALIZED))
        bench.pass_ms(ms)
        statuses.append(bench.blocks.safe_mode.status)
    waiting = SafeModeStatus.PENDING_THRESHOLD
    assert statuses == [waiting, waiting, SafeModeStatus.EXTENSION, SafeModeStatus.OFF]


def test_a_replica_that_is_lost_during_the_extension_is_waited_for_again(new_bench: Any) -> None:
    bench = new_bench(safe_mode_threshold=1.0)
    first, second = restarted(bench)
    bench.report("a", (first, FINALIZED), (second, FINALIZED))
    bench.report("a", (first, FINALIZED))
    bench.pass_ms(30_000)
    assert bench.blocks.safe_mode.status is SafeModeStatus.PENDING_THRESHOLD


def test_the_threshold_is_a_share_of_the_blocks_rounded_down(new_bench: Any) -> None:
    """So that of two blocks one is enough, with Hadoop's share of 0.999."""
    bench = new_bench(safe_mode_extension_ms=0)
    first, _ = restarted(bench)
    bench.report("a", (first, FINALIZED))
    bench.report("b")
    bench.report("c")
    bench.pass_ms(1)
    assert not bench.blocks.safe_mode.is_on


def test_datanodes_are_waited_for_where_a_least_number_is_asked_for(new_bench: Any) -> None:
    bench = new_bench(safe_mode_extension_ms=0, safe_mode_min_datanodes=2)
    bench.start()
    for datanode in "ab":
        assert bench.blocks.safe_mode.status is SafeModeStatus.PENDING_THRESHOLD
        with pytest.raises(SafeModeException, match="2 are needed"):
            bench.ask(client.Mkdirs("/directory"))
        bench.register(datanode)
        bench.report(datanode)
    bench.pass_ms(1)
    assert not bench.blocks.safe_mode.is_on


def test_missing_replicas_are_copied_only_after_safe_mode(bench: Any) -> None:
    first, second = restarted(bench)
    bench.report("a", (first, FINALIZED), (second, FINALIZED))
    bench.report("b")
    bench.report("c")
    assert bench.blocks.needed.block_ids() == []
    bench.pass_ms(30_000)
    (command,) = bench.heartbeat("a")
    assert isinstance(command, TransferBlocks)


@pytest.mark.parametrize("semantics", Semantics)
def test_a_block_is_recovered_without_those_that_have_not_reported_in_hadoop_only(
    new_bench: Any, semantics: Semantics
) -> None:
    """The hole safe-mode-waits-for-reports: of `b`, which has bytes, nobody has told yet."""
    bench = new_bench(semantics=semantics, safe_mode_extension_ms=0)
    block = bench.write(datanodes="")
    bench.ask(client.Fsync("/f", "client1", 3))
    bench.start()
    for datanode in "ab":
        bench.register(datanode)
    bench.report("a", (block, ReplicaState.RWR))
    bench.pass_ms(1)
    if semantics is Semantics.REPAIRED:
        with bench.refused(SafeModeException, "the first reports of b"):
            bench.recover_lease()
        bench.report("b", (block, ReplicaState.RBW))
        bench.pass_ms(1)
    bench.recover_lease()
    (order,) = bench.heartbeat(bench.last().primary)
    assert order.blocks[0].locations == (("a", "b") if semantics is Semantics.REPAIRED else ("a",))


@pytest.mark.parametrize("semantics", Semantics)
def test_datanodes_get_the_time_to_register_where_a_block_is_written_in_repaired_only(
    new_bench: Any, semantics: Semantics
) -> None:
    """Hadoop drops the block: it knows neither bytes nor a replica of it, and waits for nobody."""
    bench = new_bench(semantics=semantics)
    bench.write(datanodes="")
    bench.start()
    if semantics is Semantics.HADOOP_3_4:
        assert bench.recover_lease()
        assert bench.inode().blocks == []
        return
    bench.pass_ms(29_999)
    with bench.refused(SafeModeException, "it ends after 30000 ms"):
        bench.recover_lease()


def test_a_datanode_that_fell_silent_before_its_first_report_is_not_waited_for_for_ever(new_bench: Any) -> None:
    bench = new_bench(safe_mode_extension_ms=0)
    bench.write(datanodes="")
    bench.start()
    bench.register("a")
    states = []
    for ms in (bench.configuration.heartbeat_expiry_ms, 1):
        bench.pass_ms(ms, silent=True)
        states.append(bench.blocks.safe_mode.is_on)
    assert states == [True, False]


def test_safe_mode_by_hand_ends_by_hand(bench: Any) -> None:
    action = client.SafeModeAction
    assert bench.ask(client.SetSafeMode(action.ENTER))
    bench.pass_ms(1_000_000)
    assert bench.ask(client.SetSafeMode(action.GET))
    assert not bench.ask(client.SetSafeMode(action.LEAVE))


@pytest.mark.parametrize(
    "request_",
    [
        client.Create("/g", "client1", client.CreateFlag.CREATE),
        client.Append("/f", "client1"),
        client.AddBlock("/f", "client1"),
        client.AbandonBlock(SOME, "/f", "client1"),
        client.GetAdditionalDatanode("/f", SOME, (), (), 1, "client1"),
        client.UpdateBlockForPipeline(SOME, "client1"),
        client.UpdatePipeline("client1", SOME, SOME, ()),
        client.Complete("/f", "client1"),
        client.Fsync("/f", "client1"),
        client.RenewLease("client1"),
        client.RecoverLease("/f", "client1"),
        client.Truncate("/f", 0, "client1"),
        client.Delete("/f"),
        client.Rename("/f", "/g"),
        client.Rename2("/f", "/g"),
        client.Concat("/f", ("/g",)),
        client.Mkdirs("/d"),
        client.SetReplication("/f", 1),
        client.SetPermission("/f", 0),
        client.SetOwner("/f", "o"),
        client.SetTimes("/f", 1, 1),
        CommitBlockSynchronization(SOME, 2, 1, True, False, ()),
    ],
    ids=lambda request_: type(request_).__name__,
)
def test_every_change_is_refused_in_safe_mode(bench: Any, request_: Any) -> None:
    """TestSafeMode#testOperationsWhileInSafeMode."""
    bench.create()
    bench.ask(client.SetSafeMode(client.SafeModeAction.ENTER))
    with bench.refused(SafeModeException, "turned on manually"):
        bench.ask(request_)


def test_reading_is_allowed_in_safe_mode_once_a_location_is_known(new_bench: Any) -> None:
    bench = new_bench(safe_mode_threshold=1.0)
    (first,) = restarted(bench, files=1)
    assert bench.ask(client.GetFileInfo("/0")).length == 3
    with bench.refused(SafeModeException, "Zero blocklocations"):
        bench.ask(client.GetBlockLocations("/0"))
    bench.report("b", (first, FINALIZED))
    assert bench.ask(client.GetBlockLocations("/0")).blocks[0].locations == ("b",)
