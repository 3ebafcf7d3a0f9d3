"""Logs of a NameNode and three datanodes of Apache Hadoop 3.4.1 that were killed, hung and called at random.

They are ours (tests/data/logs/apache): no verdict is false, and no line that states a step is left unread.
"""

import gzip
import heapq
from collections import Counter
from collections.abc import Iterator
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


def _dated(log: Path) -> Iterator[tuple[str, str]]:
    """The lines of a log, each with its time or that of the line before, and with what `stern` writes before it."""
    name, last = log.name.partition(".")[0], ""
    for line in gzip.decompress(log.read_bytes()).decode().splitlines():
        last = line[:23] if line[:4].isdigit() else last
        yield last, f"hdfs {name}-0 {name} {line}\n"


@pytest.mark.slow
@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("level", KEYS)
def test_lines_of_all_daemons_in_one_log_are_conformant(
    repository: Path, tmp_path: Path, level: str, complete: bool
) -> None:
    """Lines of a recovery that name no datanode are of none of several."""
    logs = sorted((repository / "tests" / "data" / "logs" / "apache" / level).glob("*.gz"))
    (tmp_path / "all.log").write_text(
        "".join(line for _, line in heapq.merge(*map(_dated, logs), key=lambda each: each[0]))
    )
    checked = check_locally([tmp_path], complete=complete)
    assert checked.rejects.num_rows == 0
    assert {row["safety"] for row in checked.verdicts.to_pylist()} == {"conformant"}
