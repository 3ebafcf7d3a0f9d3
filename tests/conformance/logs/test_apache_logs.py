"""Logs of a NameNode and three datanodes of Apache Hadoop 3.4.1 that were killed, hung and called at random.

They are ours (tests/data/logs/apache): no verdict is false, and no line that states a step is left unread.
"""

from collections import Counter
from pathlib import Path

import pytest

from genstamp.logs.local import check_locally

KEYS = {
    "info": {"block": 425, "file": 228, "lease": 56, "node": 3, "replica": 750},
    "debug": {"block": 402, "file": 241, "lease": 68, "node": 3, "replica": 768},
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
