"""Which edges of a lifecycle are counted for what was seen."""

from collections.abc import Callable

from genstamp.logs.local import Checked

Check = Callable[..., Checked]

_LINE = "2018-11-14 12:25:35,275 INFO org.apache.hadoop.hdfs.StateChange: "


def _steps(checked: Checked, kind: str) -> dict[tuple[str, str, str], tuple[int, int]]:
    rows = (row for row in checked.steps.to_pylist() if row["kind"] == kind)
    return {(row["event"], row["before"], row["after"]): (row["seen"], row["perhaps"]) for row in rows}


ALLOCATED = "".join(f"{_LINE}BLOCK* allocate blk_{number}_1001, replicas= for /f{number}\n" for number in (1, 2))
CLOSED = f"{_LINE}DIR* completeFile: /f1 is closed by DFSClient_1\n"


def test_event_that_can_only_have_been_one_step_is_seen(check_log: Check) -> None:
    checked = check_log(ALLOCATED)
    assert _steps(checked, "block") == {("add_block", "absent", "under_construction"): (2, 0)}
    # Nobody saw the files created, and no other step leads to where a block can be added.
    assert _steps(checked, "file") == {("add_block", "under_construction", "under_construction"): (2, 0)}


def test_event_that_may_have_been_several_steps_is_perhaps_each(check_log: Check) -> None:
    steps = _steps(check_log(ALLOCATED + CLOSED), "block")
    assert steps["complete_block", "committed", "complete"] == (0, 1)
    assert steps["complete_after_recovery", "committed", "complete"] == (0, 1)
    assert steps["add_block", "absent", "under_construction"] == (2, 0)


def test_event_that_is_rejected_stands_for_no_step(check_log: Check) -> None:
    again = ALLOCATED.splitlines()[0].replace("_1001", "_1002") + "\n"
    checked = check_log(ALLOCATED + again)
    assert "violated" in checked.verdicts.column("safety").to_pylist()
    assert _steps(checked, "block") == {("add_block", "absent", "under_construction"): (2, 0)}
