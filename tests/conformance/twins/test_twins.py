"""Each twin is noticed by the judge that should, and the implementation itself passes what shows it."""

from pathlib import Path

import pytest
from tests.conformance.twins.all_twins import TWINS, notice
from tests.conformance.twins.judging import Twin, judge, judge_steps
from tests.conformance.twins.page import cells
from tests.conformance.twins.scenarios import Scenario

pytestmark = pytest.mark.slow

SCENARIOS = {twin.scenario.name: twin.scenario for twin in TWINS if twin.scenario is not None}


@pytest.fixture(scope="module")
def rows(repository: Path) -> set[str]:
    """The lines of the page, without what its last column says."""
    lines = (repository / "docs" / "twins.md").read_text().splitlines()
    return {line.rpartition(" | ")[0] for line in lines if line.startswith("| HDFS-")}


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.jira)
def test_a_twin_is_noticed_as_the_page_says(twin: Twin, rows: set[str]) -> None:
    noticed = notice(twin)
    assert noticed is not None
    assert noticed.judge is twin.judge
    assert twin.says in noticed.sentence
    assert f"| {' | '.join(cells(twin, noticed))}" in rows, "python -m tests.conformance.twins.page makes the page"


def test_the_page_has_a_row_for_each_twin(rows: set[str]) -> None:
    assert len(TWINS) >= 20
    assert len(rows) == len({twin.jira for twin in TWINS}) == len(TWINS)


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=lambda scenario: scenario.name)
def test_the_implementation_itself_passes(scenario: Scenario) -> None:
    assert judge(scenario) is None


def test_the_implementation_itself_conforms_step_by_step() -> None:
    assert judge_steps() is None
