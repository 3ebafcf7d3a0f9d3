"""What was promised of a file, and what is missing of it."""

import pytest

from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.simulation.ledger import Ledger, Lost, pattern

NODES = {"datanode1": 1, "datanode2": 1}


def flushed(length: int, *, sync: bool = False, offset: int = 0, block_id: int = 1) -> Ledger:
    ledger = Ledger()
    ledger.flushed(7, "/a", Block(block_id, 1001, length), offset, NODES, sync=sync)
    return ledger


def missing(ledger: Ledger, length: int | None, lives: dict[str, int]) -> list[tuple[int, bool]]:
    """What is missing of the file's first block, and whether it was promised."""
    readable = {} if length is None else {7: {0: length}}
    return [(lost.num_bytes, lost.promised) for lost in ledger.losses(readable, lives)]


def test_what_is_there_is_not_missing() -> None:
    assert missing(flushed(10), 10, NODES) == []
    assert missing(flushed(10), 12, NODES) == []


def test_hflush_promises_while_one_datanode_has_not_restarted() -> None:
    assert missing(flushed(10), 4, {"datanode1": 2, "datanode2": 1}) == [(6, True)]
    assert missing(flushed(10), 4, {"datanode1": 2, "datanode2": 2}) == [(6, False)]


def test_hsync_promises_always() -> None:
    assert missing(flushed(10, sync=True), 4, {"datanode1": 2}) == [(6, True)]


def test_a_file_that_cannot_be_read_lacks_everything() -> None:
    assert missing(flushed(10), None, NODES) == [(10, True)]


def test_who_asks_for_less_gets_less() -> None:
    ledger = flushed(10, sync=True)
    ledger.asked_to_cut(7, 3)
    assert missing(ledger, 3, NODES) == []
    assert missing(ledger, 2, NODES) == [(1, True)]
    ledger.asked_to_remove(7)
    assert missing(ledger, None, NODES) == []
    ledger.flushed(7, "/a", Block(2, 1002, 50), 100, NODES, sync=True)
    assert missing(ledger, None, NODES) == []


def test_each_block_owes_its_own() -> None:
    ledger = flushed(100, sync=True)
    ledger.flushed(7, "/a", Block(2, 1002, 50), 100, NODES, sync=True)
    assert ledger.losses({7: {0: 100, 100: 50}}, NODES) == []
    assert [lost.num_bytes for lost in ledger.losses({7: {0: 100, 100: 20}}, NODES)] == [30]
    assert [lost.num_bytes for lost in ledger.losses({7: {100: 50}}, NODES)] == [100]


def test_a_pipeline_that_was_set_up_again_takes_the_place_of_the_former() -> None:
    ledger = flushed(10)
    ledger.set_up_again(1, {"datanode3": 5})
    assert missing(ledger, 0, {"datanode1": 1, "datanode2": 1, "datanode3": 6}) == [(10, False)]
    assert missing(ledger, 0, {"datanode3": 5}) == [(10, True)]


def test_a_recovery_keeps_the_promise_if_somebody_took_part_who_did_not_restart() -> None:
    ledger = flushed(10)
    ledger.recovered(1, {"datanode1": 1, "datanode3": 4})
    assert missing(ledger, 0, {"datanode3": 4}) == [(10, True)]
    ledger = flushed(10)
    ledger.recovered(1, {"datanode1": 2, "datanode2": 2})
    assert missing(ledger, 0, {"datanode1": 2, "datanode2": 2}) == [(10, False)]


def test_bytes_that_are_read_have_to_be_the_files_own() -> None:
    ledger = Ledger()
    ledger.read(7, "/a", pattern(7, 0, 600))
    assert ledger.broken == []
    ledger.read(7, "/a", pattern(7, 0, 300) + pattern(8, 300, 300))
    assert ledger.broken == ["/a (inode 7) reads wrong from byte 300"]
    ledger.read(7, "/a", pattern(7, 300, 50), offset=300)
    assert len(ledger.broken) == 1


@pytest.mark.parametrize("offset", [0, 1, 250, 251, 252, 1000])
def test_the_pattern_tells_where_a_byte_belongs(offset: int) -> None:
    assert pattern(3, offset, 700) == pattern(3, 0, 2000)[offset : offset + 700]
    assert pattern(3, offset, 700) != pattern(3, offset + 1, 700)


def test_a_loss_says_what_it_is_of() -> None:
    (lost,) = flushed(10, sync=True).losses({7: {0: 4}}, NODES)
    why = "10 bytes were promised of the block at 0, 10 of them by hsync; 4 can be read"
    assert lost == Lost(7, "/a", 6, True, why)
