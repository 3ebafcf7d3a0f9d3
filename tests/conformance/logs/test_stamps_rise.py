"""Whole event traces in which the NameNode answers a stamp that it has granted before are violated."""

from pathlib import Path

import pytest
from tests.conformance.logs.test_soft_limit import ADD, CREATE, FIRST, Step, restart, step, taking, violated

NAMENODE = [("node", "namenode")]
SECOND = "13"


def pipeline(stamp: int) -> Step:
    return {"kind": "block", "entity": FIRST, **step("update_block_for_pipeline", generation_stamp=stamp)}


def add(block: str, stamp: int) -> Step:
    return step("add_block", block=block, generation_stamp=stamp, block_state="UNDER_CONSTRUCTION")


def again(stamp: int) -> Step:
    return step("add_block", block=FIRST, generation_stamp=stamp, block_state="UNDER_CONSTRUCTION", call="7")


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ([pipeline(1002), pipeline(1003)], []),
        # FSDirWriteFileOp#analyzeFileState: a call that comes again gets the block that it got before.
        ([again(1001)], []),
        ([pipeline(1001)], NAMENODE),
        ([pipeline(1003), pipeline(1002)], NAMENODE),
        ([add(SECOND, 1001)], NAMENODE),
        ([pipeline(1002), taking("append", 1002)], NAMENODE),
        # H.4: what no block has yet is granted again by a NameNode that has started.
        ([pipeline(1003), restart(2), pipeline(1002)], []),
        ([pipeline(1003), restart(2), pipeline(1002), pipeline(1002)], NAMENODE),
    ],
)
def test_no_stamp_is_granted_twice(tmp_path: Path, steps: list[Step], found: list[tuple[str, str]]) -> None:
    assert violated(tmp_path, [CREATE, ADD, *steps]) == found
