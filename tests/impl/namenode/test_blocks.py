"""A block at the namenode: choice of the primary, stamps, the gate between two attempts."""

from genstamp_dfs.hdfs.namenode.blocks import BlockIdManager, BlockInfo, PendingRecoveryBlocks
from genstamp_dfs.hdfs.namenode.datanode_manager import DatanodeManager


def block_on(*datanodes: str) -> BlockInfo:
    block = BlockInfo(1, 1001, 5)
    block.set_expected_locations(datanodes)
    return block


def test_the_primary_is_the_live_location_heard_of_last() -> None:
    assert block_on("a", "b", "c").initialize_block_recovery(1002, {"a": 4, "b": 9, "x": 20}) == "b"


def test_primaries_rotate_and_start_over_when_all_live_ones_were_tried() -> None:
    block = block_on("a", "b", "c")
    heard = {"a": 1, "b": 3, "c": 2}
    assert [block.initialize_block_recovery(1002 + n, heard) for n in range(4)] == ["b", "c", "a", "b"]


def test_a_dead_location_is_not_waited_for_when_all_live_ones_were_tried() -> None:
    block = block_on("a", "b")
    heard = {"a": 1}
    assert [block.initialize_block_recovery(1002 + n, heard) for n in range(2)] == ["a", "a"]


def test_stamps_and_block_ids_rise_by_one_from_the_reserved_ones() -> None:
    ids = BlockIdManager()
    assert [ids.next_generation_stamp() for _ in range(3)] == [1001, 1002, 1003]
    assert [ids.next_block_id() for _ in range(2)] == [2**30 + 1, 2**30 + 2]


def test_an_attempt_is_entered_once_until_its_gate_opens() -> None:
    pending = PendingRecoveryBlocks(gate_ms=90_000)
    gate_us = 90_000_000
    assert pending.add(1, now_us=0)
    assert pending.add(2, now_us=0)
    assert not pending.add(1, now_us=gate_us // 2)
    assert not pending.add(1, now_us=gate_us)
    assert pending.add(1, now_us=gate_us + 1)
    assert not pending.add(1, now_us=2 * gate_us + 1)


def test_a_timed_out_attempt_still_counts_as_under_recovery_until_removed() -> None:
    pending = PendingRecoveryBlocks(gate_ms=1)
    pending.add(1, now_us=0)
    assert pending.is_under_recovery(1)
    pending.remove(1)
    assert not pending.is_under_recovery(1)
    assert pending.add(1, now_us=0)


def test_a_block_is_queued_once_at_its_primary_and_stays_queued_until_another_storage_registers() -> None:
    block = BlockInfo(block_id=7, generation_stamp=1, file_id=1)
    datanodes = DatanodeManager(stale_interval_ms=30_000, heartbeat_expiry_ms=630_000)
    datanodes.register_datanode("a", "uuid", now_us=0)
    for _ in range(2):
        datanodes.datanodes["a"].add_block_to_be_recovered(block)
    assert datanodes.datanodes["a"].recover_blocks == [block]
    datanodes.register_datanode("a", "uuid", now_us=1)
    assert datanodes.datanodes["a"].recover_blocks == [block]
    datanodes.register_datanode("a", "another", now_us=2)
    assert datanodes.datanodes["a"].recover_blocks == []
