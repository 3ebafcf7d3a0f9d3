"""How long a COMMITTED block waited for a report of a replica: told with the verdict, in stories and on the page."""

from pathlib import Path

import pytest

from genstamp.logs.alone import check_alone
from genstamp.logs.durations import durations
from genstamp.logs.kept import check_and_keep
from genstamp.logs.keys import find_key
from genstamp.logs.run import Options
from genstamp.logs.story import lines, tell

CHANGE = "2023-10-23 19:15:{} INFO org.apache.hadoop.hdfs.StateChange: "
WAITS = (
    "2023-10-23 19:15:{} INFO org.apache.hadoop.hdfs.server.namenode.FSNamesystem: BLOCK* blk_{}_1001 is COMMITTED"
    " but not COMPLETE(numNodes= 0 <  minimum = 1) in file /{}\n"
)
STORED = "2023-10-23 19:15:{} DEBUG BlockStateChange: BLOCK* addStoredBlock: a:9866 is added to blk_{}_1001 (size=5)\n"


def allocated(block: int) -> str:
    return f"{CHANGE.format('43,760')}BLOCK* allocate blk_{block}_1001, replicas=10.0.0.1:9866 for /{block}\n"


def waits(block: int, *at: str) -> str:
    return allocated(block) + "".join(WAITS.format(each, block, block) for each in at)


TWO = (
    waits(7, "46,838", "52,843")
    + STORED.format("54,025", 7)
    + STORED.format("59,025", 7)
    + waits(8, "55,000")
    + STORED.format("55,500", 8)
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "namenode.log"


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (TWO, ["waited for a report: 2 COMMITTED, the longest blk_7, for 7.187 s"]),
        (waits(7, "46,838"), []),
        (allocated(7) + STORED.format("54,025", 7), []),
    ],
)
def test_longest_is_told_with_the_verdict(log: Path, text: str, notes: list[str]) -> None:
    log.write_text(text, encoding="utf-8")
    found = [note for _, note in check_alone([str(log)], Options()).notes]
    assert [note for note in found if note.startswith("waited")] == notes


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TWO, "  waited     7.187 s COMMITTED until a replica was reported"),
        (
            waits(7, "46,838"),
            "  waited     COMMITTED since 2023-10-23 19:15:46.838, and no replica reported after that",
        ),
    ],
)
def test_story_of_a_block_tells_how_long_it_waited(log: Path, text: str, told: str) -> None:
    log.write_text(text, encoding="utf-8")
    kept = check_and_keep([str(log)])
    assert list(lines(tell(kept, find_key(kept, "blk_7"))))[1] == told


def test_page_counts_those_that_were_reported_and_the_others(log: Path) -> None:
    log.write_text(TWO + waits(9, "58,000"), encoding="utf-8")
    found = durations(check_and_keep([str(log)]))
    assert (found.reports, found.unreported) == ([7_187_000, 500_000], 1)
