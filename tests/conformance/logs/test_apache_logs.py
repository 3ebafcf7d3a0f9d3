"""Logs of a NameNode and three datanodes of Apache Hadoop 3.4.1 that were killed, hung and called at random.

They are ours (tests/data/logs/apache): no verdict is false, and no line that states a step is left unread.
"""

import gzip
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from genstamp.logs.local import check_locally

KEYS = {
    "info": {"block": 425, "file": 228, "lease": 56, "node": 3, "replica": 750},
    "debug": {"block": 402, "file": 240, "lease": 68, "node": 3, "replica": 768},
}


@pytest.mark.slow
@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("level", KEYS)
def test_real_daemons_keep_to_the_protocol(repository: Path, level: str, complete: bool) -> None:
    checked = check_locally([repository / "tests" / "data" / "logs" / "apache" / level], complete=complete)
    verdicts = checked.verdicts.to_pylist()
    assert checked.rejects.num_rows == 0
    assert {row["safety"] for row in verdicts} == {"conformant"}
    assert Counter(row["kind"] for row in verdicts) == KEYS[level]


_LATE = re.compile(rb"FSNamesystem\.audit: |updatePipeline\(\S+ => |commitBlockSynchronization\(.*\) successful")


@pytest.mark.slow
@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("level", KEYS)
@pytest.mark.parametrize(("seed", "share", "lines_max"), [(1, 0.1, 8), (2, 0.3, 30)])
def test_lines_written_after_the_lock_may_come_still_later(
    repository: Path, tmp_path: Path, level: str, complete: bool, seed: int, share: float, lines_max: int
) -> None:
    choose = random.Random(seed)
    log = gzip.decompress((repository / "tests" / "data" / "logs" / "apache" / level / "namenode.log.gz").read_bytes())
    lines = list(enumerate(log.splitlines(keepends=True)))
    is_late = {number: _LATE.search(line) is not None and choose.random() < share for number, line in lines}
    assert sum(is_late.values()) > 20
    lines.sort(key=lambda each: each[0] + (choose.randint(1, lines_max) + 0.5 if is_late[each[0]] else 0))
    (tmp_path / "namenode.log").write_bytes(b"".join(line for _, line in lines))
    verdicts = check_locally([tmp_path], complete=complete).verdicts.to_pylist()
    assert [row for row in verdicts if row["safety"] != "conformant"] == []
