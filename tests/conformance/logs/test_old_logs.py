"""Hadoop 0.20: merged logs, and sequences of event ids, in which no replica has a place and no node an order."""

import gzip
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from genstamp.logs.local import Checked, check_locally

Verdict = dict[str, Any]

ALLOCATED = "30 INFO dfs.FSNamesystem: BLOCK* NameSystem.allocateBlock: /a b. blk_-7"
RECEIVING = "140 INFO dfs.DataNode$DataXceiver: Receiving block blk_-7 src: /10.0.0.1:40000 dest: /10.0.0.1:50010"
RECEIVED = "141 INFO dfs.DataNode$PacketResponder: Received block blk_-7 of size 5 from /10.0.0.1"
ENDED = "141 INFO dfs.DataNode$PacketResponder: PacketResponder 0 for block blk_-7 terminating"
STORED = (
    "29 INFO dfs.FSNamesystem: BLOCK* NameSystem.addStoredBlock: blockMap updated: 10.0.0.2:50010 is added to blk_-7"
    " size 5"
)
INVALIDATED = "31 INFO dfs.FSNamesystem: BLOCK* NameSystem.delete: blk_-7 is added to invalidSet of 10.0.0.2:50010"
ORDERED = "19 INFO dfs.FSNamesystem: BLOCK* ask 10.0.0.2:50010 to delete  blk_8 blk_-7"
DELETING = "18 INFO dfs.FSDataset: Deleting block blk_-7 file /data/current/blk_-7"
OF_NO_FILE = (
    "27 INFO dfs.FSNamesystem: BLOCK* NameSystem.addStoredBlock: addStoredBlock request received for blk_-7 on"
    " 10.0.0.2:50010 size 5 But it does not belong to any file."
)
NOTHING_THERE = (
    "18 WARN dfs.FSDataset: Unexpected error trying to delete block blk_-7. BlockInfo not found in volumeMap."
)
LIFE = (ALLOCATED, RECEIVING, RECEIVED, ENDED, STORED, INVALIDATED, ORDERED, DELETING)


@pytest.fixture
def judge(tmp_path: Path) -> Callable[..., Verdict]:
    """The verdict on block -7 of a log, each line a second later than the one before unless all are of one."""

    def verdict(*lines: str, complete: bool = False, at_once: bool = False) -> Verdict:
        log = tmp_path / "merged.log"
        stamped = [f"081109 2035{10 if at_once else 10 + second} {line}" for second, line in enumerate(lines)]
        log.write_text("\n".join(stamped) + "\n", encoding="utf-8")
        checked = check_locally([log], complete=complete)
        assert checked.rejects.num_rows == 0, checked.rejects.to_pylist()
        return next(row for row in checked.verdicts.to_pylist() if row["entity"] == "-7")

    return verdict


def _sequence(tmp_path: Path, *rows: str, complete: bool = True) -> Checked:
    (tmp_path / "some.csv").write_text("block_id,label,events\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return check_locally([tmp_path / "some.csv"], complete=complete)


def test_life_of_a_block_is_conformant_and_complete(judge: Callable[..., Verdict]) -> None:
    verdict = judge(*LIFE, complete=True)
    assert (verdict["safety"], verdict["completion"], verdict["states"]) == ("conformant", "complete", ["removed"])


def test_block_of_which_nothing_was_stored_is_unfinished(judge: Callable[..., Verdict]) -> None:
    assert judge(ALLOCATED, RECEIVING, complete=True)["completion"] == "unfinished"


def test_lines_of_one_second_may_stand_in_any_order(judge: Callable[..., Verdict]) -> None:
    lines = list(LIFE)
    Random(7).shuffle(lines)
    verdict = judge(*lines, complete=True, at_once=True)
    assert (verdict["safety"], verdict["completion"]) == ("conformant", "complete")


def test_block_that_is_stored_after_it_was_deleted_is_violated_whatever_is_missing(
    judge: Callable[..., Verdict],
) -> None:
    verdict = judge(*LIFE, OF_NO_FILE, STORED)
    assert verdict["safety"] == "violated"
    assert verdict["failed"] == "add_stored_block (block_map=updated) is no step of a block that is removed"
    assert verdict["place"]["line"] == len(LIFE) + 2


@pytest.mark.parametrize("harmless", [OF_NO_FILE, NOTHING_THERE])
def test_what_the_protocol_provides_for_is_no_violation(judge: Callable[..., Verdict], harmless: str) -> None:
    assert judge(*LIFE, harmless, complete=True)["safety"] == "conformant"


def test_block_is_given_out_once(judge: Callable[..., Verdict]) -> None:
    assert judge(*LIFE, ALLOCATED)["safety"] == "violated"


@pytest.mark.parametrize(
    ("lines", "failed"),
    [
        ((ALLOCATED, RECEIVING, RECEIVED, RECEIVED), "2 of finalize_replica, and only 1 of write_block"),
        ((ALLOCATED, RECEIVING, DELETING, DELETING), "2 of invalidate_replica, and only 1 of write_block"),
        ((ALLOCATED, STORED, INVALIDATED, INVALIDATED), "2 of add_to_invalidates, and only 1 of add_stored_block"),
        (
            (RECEIVING, RECEIVED),
            "2 of write_block and finalize_replica and packet_responder_ends, and no add_block",
        ),
    ],
)
def test_more_than_there_can_be_is_violated_in_a_whole_log_only(
    judge: Callable[..., Verdict], lines: tuple[str, ...], failed: str
) -> None:
    verdict = judge(*lines, complete=True)
    assert (verdict["safety"], verdict["failed"]) == ("violated", failed)
    # The first in excess; without any allocation it is the first of all.
    assert verdict["place"]["line"] == (len(lines) if ALLOCATED in lines else 1)
    assert judge(*lines)["safety"] == "conformant"


def test_receiver_is_not_taken_from_the_address_that_is_the_senders(tmp_path: Path) -> None:
    (tmp_path / "merged.log").write_text(f"081109 203518 {RECEIVING}\n", encoding="utf-8")
    (event,) = check_locally([tmp_path / "merged.log"]).events.to_pylist()
    assert (event["entity"], event["node"]) == ("-7@?", "?")
    assert dict(event["arguments"]) == {"sender": "10.0.0.1:40000"}


def test_order_to_delete_concerns_each_block_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "merged.log").write_text(f"081109 203518 {ORDERED}\n", encoding="utf-8")
    events = check_locally([tmp_path / "merged.log"]).events.to_pylist()
    assert [event["entity"] for event in events] == ["8", "-7"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 INFO dfs.DataNode: Juggling block blk_1", "names a block, and is of no form that is known"),
        (ALLOCATED.replace("-7", "9" * 20), "a number does not fit 64 bits"),
    ],
)
def test_line_about_a_block_that_cannot_be_read_is_kept(tmp_path: Path, line: str, reason: str) -> None:
    (tmp_path / "merged.log").write_text(f"081109 203518 {ALLOCATED}\n081109 203518 {line}\n", encoding="utf-8")
    (reject,) = check_locally([tmp_path / "merged.log"]).rejects.to_pylist()
    assert (reject["reason"], reject["place"]["line"]) == (reason, 2)


def test_line_of_no_time_is_counted(tmp_path: Path) -> None:
    log = tmp_path / "merged.log"
    log.write_text(f"081109 203518 {ALLOCATED}\n081309 203518 {RECEIVING}\n", encoding="utf-8")
    names = {row["name"] for row in check_locally([log]).coverage.to_pylist()}
    assert names == {"add_block", "of no layout that is known"}


def test_sequence_is_judged_in_any_order_alike(tmp_path: Path) -> None:
    ids = [22, *[5] * 3, 11, 9, 11, 9, 6, 25, 18, 16, *[26] * 3, *[23] * 3, *[30] * 3, *[21] * 3, 20, 2, 3, 4]
    for seed in range(5):
        Random(seed).shuffle(ids)
        (row,) = _sequence(tmp_path, f"blk_-7,Normal,{' '.join(map(str, ids))}").verdicts.to_pylist()
        assert (row["entity"], row["safety"], row["completion"]) == ("-7", "conformant", "complete")


@pytest.mark.parametrize(
    ("ids", "verdict"),
    [
        ("22 5", ("conformant", "unfinished")),
        ("22 22 5 9 26", ("violated", "unknown")),
        ("22 5 9 6 26", ("violated", "unknown")),
        ("22 5 9 26 23 21 28", ("conformant", "complete")),
    ],
)
def test_sequence_has_its_verdict_whatever_its_label(tmp_path: Path, ids: str, verdict: tuple[str, str]) -> None:
    for label in ("Normal", "Anomaly"):
        (row,) = _sequence(tmp_path, f"blk_1,{label},{ids}").verdicts.to_pylist()
        assert (row["safety"], row["completion"]) == verdict


def _expected(ids: list[int], complete: bool) -> bool:
    """Whether a block is violated, said once more and without rules, automata or ranks."""
    of = Counter(ids)
    if of[22] > 1 or not complete:
        return of[22] > 1
    told = of[5] + of[6] + of[9] + of[11] + of[23] + of[26] + of[27]
    given_out = of[22] == 1 or not told
    return not given_out or of[6] + of[9] > of[5] or of[21] > of[5] or of[23] > of[26]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("complete", [False, True])
def test_sequences_are_judged_by_their_counts(tmp_path: Path, seed: int, complete: bool) -> None:
    random = Random(seed)
    usual = [22, 5, 5, 9, 11, 26, 26, 23, 30, 21]
    rows = {}
    for number in range(300):
        kept = [each for each in usual if random.random() < 0.9]
        rows[str(number)] = random.sample(kept, len(kept)) + random.choices(range(1, 34), k=random.randrange(3))
    lines = [f"blk_{block_id},Normal,{' '.join(map(str, ids))}" for block_id, ids in rows.items()]
    verdicts = _sequence(tmp_path, *lines, complete=complete).verdicts.to_pylist()
    violated = {row["entity"]: row["safety"] == "violated" for row in verdicts}
    assert violated == {block_id: _expected(ids, complete) for block_id, ids in rows.items() if block_id in violated}
    assert 0 < sum(violated.values()) < len(violated)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("block 1,Normal,22", "'block 1' is not a block id; expected blk_ and a 64-bit number"),
        ("blk_1,Normal", "a row of 2 fields, where the header has 3"),
        ("blk_1,Normal,22 77", "event '77' is none of the templates 1 to 33"),
        ("blk_1,Normal,22 -5", "event '-5' is none of the templates 1 to 33"),
    ],
)
def test_row_that_cannot_be_read_is_kept(tmp_path: Path, row: str, reason: str) -> None:
    rejects = _sequence(tmp_path, row).rejects.to_pylist()
    assert [reject["reason"] for reject in rejects] == [reason]


def test_template_that_is_no_step_is_counted(tmp_path: Path) -> None:
    counted = Counter(
        {row["name"]: row["count"] for row in _sequence(tmp_path, "blk_1,Normal,22 2 2 13").coverage.to_pylist()}
    )
    assert counted == {"add_block": 1, "header": 1, "scan of a replica": 2, "empty packet": 1}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["HDFS_first20000", "complete_traces", "HDFS_2k"])
def test_every_line_of_the_samples_is_an_event_or_counted(shared_data: Path, name: str) -> None:
    path = shared_data / "hdfs_v1" / "raw" / f"{name}.log.gz"
    checked = check_locally([path])
    with gzip.open(path) as log:
        lines = sum(1 for _ in log)
    told = {event["place"]["line"] for event in checked.events.select(["place"]).to_pylist()}
    counted = sum(row["count"] for row in checked.coverage.to_pylist() if row["what"] == "line")
    assert (len(told) + counted, checked.rejects.num_rows) == (lines, 0)


def test_blocks_recorded_again_after_their_deletion_are_found_in_the_raw_lines(shared_data: Path) -> None:
    """Complete traces: both are among those that the set's authors call anomalous, for which no label is needed."""
    checked = check_locally([shared_data / "hdfs_v1" / "raw" / "complete_traces.log.gz"])
    violated = {row["entity"] for row in checked.verdicts.to_pylist() if row["safety"] == "violated"}
    assert violated == {"-2126554733521224025", "872694497849122755"}


@pytest.mark.slow
def test_lines_and_sequence_of_a_block_tell_the_same(shared_data: Path) -> None:
    """Two readers of the same blocks; the copies of the lines lack the orders to delete."""
    folder = shared_data / "hdfs_v1"
    lines, sequences = (
        _events_by_block(folder / name) for name in ("raw/complete_traces.log.gz", "sequences_loghub.csv.gz")
    )
    both = lines.keys() & sequences.keys()
    assert len(both) >= 5
    assert {block: lines[block] for block in both} == {block: sequences[block] for block in both}


def _events_by_block(path: Path) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for event in check_locally([path]).events.select(["entity", "event"]).to_pylist():
        found.setdefault(event["entity"].partition("@")[0], Counter())[event["event"]] += 1
    return found
