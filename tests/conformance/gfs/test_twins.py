"""Each twin of GFS is noticed as its page says; `genstamp verify` simulates the implementation itself."""

from pathlib import Path

import pytest
from tests.conformance.gfs.twins import TWINS, Twin, notice
from tests.conformance.gfs.twins_page import PAGE

REPOSITORY = Path(__file__).parents[3]


def told(twin: Twin) -> tuple[str, int]:
    """What the page says of a twin: the sentence, and the seed."""
    lines = (REPOSITORY / PAGE).read_text(encoding="utf-8").splitlines()
    [line] = [line for line in lines if line.startswith(f"| {twin.name} |")]
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    return cells[2], int(cells[4])


def test_the_page_has_a_row_for_each_twin() -> None:
    lines = (REPOSITORY / PAGE).read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith(("| twin", "| ---"))]
    assert [row.split(" | ")[0].strip("| ") for row in rows] == [twin.name for twin in TWINS]
    assert len(TWINS) >= 10


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize("twin", TWINS, ids=[twin.name for twin in TWINS])
def test_a_twin_is_noticed(twin: Twin) -> None:
    sentence, seed = told(twin)
    noticed = notice(twin, [seed])
    assert noticed is not None
    assert noticed.sentence == sentence
