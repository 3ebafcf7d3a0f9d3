"""docs/logs.md is what the data gives, and everything that was found is explained."""

from pathlib import Path

import pytest
from tests.conformance.logs.verdicts.data_sets import DATA_SETS, DataSet, Explanation, whole
from tests.conformance.logs.verdicts.findings import Finding, difference, idle, unexplained
from tests.conformance.logs.verdicts.page import PAGE, Chapter, chapters, findings, page

LEFT = Finding("a run", "file is left under construction", 2)


@pytest.fixture(scope="module")
def found(shared_data: Path) -> list[Chapter]:
    return chapters(shared_data)


@pytest.mark.slow
def test_every_finding_is_explained_and_every_explanation_explains(found: list[Chapter]) -> None:
    for chapter in found:
        assert unexplained(chapter[0], findings(chapter)) == [], chapter[0].folder
        assert idle(chapter[0], findings(chapter)) == [], chapter[0].folder


@pytest.mark.slow
def test_page_is_what_the_data_gives(found: list[Chapter], repository: Path) -> None:
    if len(found) < len(DATA_SETS):
        pytest.skip("the shared folder lacks data sets of the page")
    text = (repository / PAGE).read_text(encoding="utf-8")
    assert text == page(found), "python -m tests.conformance.logs.verdicts.page writes it"


def test_finding_and_explanation_that_have_no_other_are_told() -> None:
    of_other_run = Explanation("another run", "file is left*", "")
    data_set = DataSet("", "", "", whole, explanations=(of_other_run,))
    assert unexplained(data_set, [LEFT]) == [LEFT]
    assert idle(data_set, [LEFT]) == [of_other_run]
    data_set = DataSet("", "", "", whole, explanations=(Explanation("a *", "file is left*", ""),))
    assert (unexplained(data_set, [LEFT]), idle(data_set, [LEFT])) == ([], [])


def test_difference_of_two_files_is_told_by_its_first_event() -> None:
    event = {"event": "close", "kind": "file", "entity": "7", "num_bytes": None, "arguments": [("client", "a")]}
    other = {**event, "arguments": [("client", "b")]}
    assert difference([event], [event]) == ""
    told = "events differ; of the first, close of file 7, client is a in one and b in the other"
    assert difference([event, event], [event, other]) == f"1 of 2 {told}"
    assert difference([event], [event, other]).startswith(
        "1 of 2 events differ; of the first, close of file 7, event is None"
    )
