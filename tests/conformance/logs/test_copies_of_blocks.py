"""Orders to copy a block: only of what nobody writes, and under the stamp that it has."""

from collections.abc import Callable
from pathlib import Path

import pytest

from genstamp.logs.local import Checked, check_locally

Check = Callable[..., Checked]

STATE_CHANGE = "2024-03-01 10:00:00,100 INFO org.apache.hadoop.hdfs.StateChange: "
NAMESYSTEM = "2024-03-01 10:00:00,100 INFO org.apache.hadoop.hdfs.server.namenode.FSNamesystem: "
ALLOCATED = f"{STATE_CHANGE}BLOCK* allocate blk_7_1001, replicas=10.0.0.1:9866, 10.0.0.2:9866 for /f\n"
CLOSED = f"{STATE_CHANGE}DIR* completeFile: /f is closed by DFSClient_1\n"
UPDATED = f"{NAMESYSTEM}updatePipeline(blk_7_1001 => blk_7_1002) success\n"
RECOVERED = (
    f"{STATE_CHANGE}DIR* NameSystem.internalReleaseLease: File /f has not been closed. Lease recovery is in progress."
    " RecoveryId = 1002 for block blk_7_1001\n"
)


def asked(stamp: int, state: str = "") -> str:
    shown = f"{{UCState={state}, primaryNodeIndex=-1, replicas=[]}}" if state else ""
    return f"{STATE_CHANGE}BLOCK* ask 10.0.0.1:9866 to replicate blk_7_{stamp}{shown} to datanode(s) 10.0.0.3:9866\n"


def failed(checked: Checked) -> list[str]:
    assert checked.rejects.num_rows == 0
    rows = [row for row in checked.verdicts.to_pylist() if row["safety"] != "conformant"]
    return [row["failed"] for row in rows]


def test_copy_of_an_old_stamp_is_violated_whatever_is_missing(repository: Path) -> None:
    log = repository / "tests" / "data" / "logs" / "verdicts" / "copy-of-old-stamp.log"
    checked = check_locally([log])
    (row,) = (row for row in checked.verdicts.to_pylist() if row["safety"] == "violated")
    assert (row["kind"], row["entity"], row["place"]["line"]) == ("block", "1073741825", 5)
    assert row["failed"] == "generation stamp 1001 is not 1002"


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("state", ["", "COMMITTED"])
def test_copy_of_a_closed_block_conforms(check_log: Check, complete: bool, state: str) -> None:
    assert failed(check_log(ALLOCATED + CLOSED + asked(1001, state), complete=complete)) == []


def test_copy_may_be_ordered_before_the_line_that_tells_of_the_close(check_log: Check) -> None:
    assert failed(check_log(ALLOCATED + asked(1001) + CLOSED, complete=True)) == []


@pytest.mark.parametrize("state", ["UNDER_CONSTRUCTION", "UNDER_RECOVERY"])
def test_copy_of_a_block_that_is_shown_as_written_is_violated(check_log: Check, state: str) -> None:
    assert failed(check_log(ALLOCATED + CLOSED + asked(1001, state))) == [
        f"ask_to_replicate (block_state={state}) is no step of a block that is COMPLETE"
    ]


def test_copy_of_a_block_under_recovery_is_violated_in_a_whole_log(check_log: Check) -> None:
    text = ALLOCATED + RECOVERED + asked(1001)
    assert failed(check_log(text)) == []
    assert failed(check_log(text, complete=True)) == ["ask_to_replicate is no step of a block that is UNDER_RECOVERY"]


def test_copy_of_a_stamp_to_come_is_violated_in_a_whole_log(check_log: Check) -> None:
    assert failed(check_log(ALLOCATED + CLOSED + asked(1002))) == []
    assert failed(check_log(ALLOCATED + CLOSED + asked(1002), complete=True)) == ["generation stamp 1002 is not 1001"]
