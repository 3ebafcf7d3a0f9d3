"""docs/detection.md is what the data gives; and how its figures are made."""

from fractions import Fraction
from pathlib import Path

import pytest
from tests.conformance.logs.detection.figures import Detection, detection, largest_rate
from tests.conformance.logs.detection.page import PAGE, page


@pytest.mark.slow
def test_page_is_what_the_data_gives(shared_data: Path, repository: Path) -> None:
    text = (repository / PAGE).read_text(encoding="utf-8")
    assert text == page(shared_data), "python -m tests.conformance.logs.detection.page writes it"


def test_normal_block_weighs_a_hundred() -> None:
    one = Detection(found=300, missed=100, alarms=1, quiet=99)
    assert (one.recall, one.precision) == (Fraction(3, 4), Fraction(3, 4))
    assert one.f1 == Fraction(3, 4)


def test_nothing_found_has_no_precision() -> None:
    none = Detection(found=0, missed=5, alarms=0, quiet=5)
    assert none.precision is None
    assert none.precision_min is None
    assert none.recall == none.f1 == 0


def test_no_alarm_among_many_still_allows_some() -> None:
    assert largest_rate(0, 2815) == pytest.approx(1 - 0.05 ** (1 / 2815))
    assert largest_rate(0, 10) > largest_rate(0, 100)
    assert largest_rate(3, 100) > largest_rate(2, 100)
    assert largest_rate(7, 7) == 1
    one = Detection(found=8000, missed=0, alarms=0, quiet=2815)
    assert one.precision == 1
    assert one.precision_min == pytest.approx(8000 / (8000 + 100 * 2815 * (1 - 0.05 ** (1 / 2815))))


def test_block_is_found_by_the_answers_that_count() -> None:
    labels = {"1": True, "2": True, "3": False, "4": False}
    against = {
        "1": frozenset({"violated"}),
        "2": frozenset({"unfinished"}),
        "3": frozenset({"unfinished"}),
        "4": frozenset[str](),
    }
    assert detection(labels, against, ("violated",)) == Detection(1, 1, 0, 2)
    assert detection(labels, against, ("violated", "unfinished")) == Detection(2, 0, 1, 1)
