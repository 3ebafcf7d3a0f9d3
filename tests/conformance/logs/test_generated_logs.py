"""Generated logs: what is violated in them is found, and nothing else."""

from pathlib import Path

import pytest
from benchmarks.logs.generator import VIOLATED, VIOLATIONS, write_logs

from genstamp.logs.local import check_locally


@pytest.mark.slow
def test_violations_that_were_put_in_are_found_and_no_others(tmp_path: Path) -> None:
    written = write_logs(tmp_path, 6000, seed=5, one_in=40)
    assert set(written.violated.values()) == set(VIOLATIONS)
    logs = sorted(tmp_path.glob("*.log"))
    assert written.lines == sum(log.read_bytes().count(b"\n") for log in logs)
    rows = check_locally(logs).verdicts.to_pylist()
    found = {(row["kind"], row["entity"]) for row in rows if row["safety"] != "conformant"}
    assert found == {("block", block) for block in written.violated}
    assert (tmp_path / VIOLATED).is_file()


def test_same_seed_writes_the_same_logs(tmp_path: Path) -> None:
    for seed, directory in ((1, "a"), (1, "b"), (2, "c")):
        write_logs(tmp_path / directory, 500, seed)
    one, same, other = ((tmp_path / each / "namenode.log").read_bytes() for each in "abc")
    assert one == same != other
