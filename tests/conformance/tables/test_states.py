"""States made by hand, and what a call comes to in them."""

import pytest

from genstamp.systems import system_named
from genstamp.tables.states import NOTHING, Change, UnknownPlaceError, outcome, state_with
from genstamp_model.evaluate import Evaluator


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    return Evaluator(system_named("hdfs.recovery").instance("takeover"))


def test_a_state_is_the_initial_one_but_for_what_is_set(evaluator: Evaluator) -> None:
    assert state_with(evaluator, {}) == evaluator.initial()
    changes: dict[str, Change] = {
        "client_name[file1]": "client2",
        "locations[file1]": {"datanode1"},
        "replica[datanode1][file1].state": "rbw",
        "replica[datanode1][file1].stamp": 3,
        "attempt_is_young[file1]": True,
        "primary[file1]": None,
    }
    named = evaluator.named(state_with(evaluator, changes))
    assert named["client_name"] == (1,)
    assert named["locations"] == (frozenset({0}),)
    assert str(named["replica"]).startswith("(((2, 3, 0,"), "the record of the one replica"
    assert named["attempt_is_young"] == (True,)


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        ("nowhere", 1, "there is no variable 'nowhere'"),
        ("block[file2]", "complete", "there is no member 'file2'; there is file1"),
        ("block[file1]", "finished", "'finished' is not one of its values"),
        ("replica[datanode1][file1].color", 1, "there is no field 'color'"),
        ("last_stamp[file1]", 1, "has no 'file1'"),
        ("last_stamp", "many", "'many' is not one of its values"),
    ],
)
def test_what_cannot_be_set_is_named(evaluator: Evaluator, place: str, value: Change, why: str) -> None:
    with pytest.raises(UnknownPlaceError, match=why):
        state_with(evaluator, {place: value})


def test_the_outcome_is_a_step_an_exception_or_nothing(evaluator: Evaluator) -> None:
    start = state_with(evaluator, {})
    assert outcome(evaluator, start, "create", {"client": "client1", "file": "file1"}) == "create"
    assert outcome(evaluator, start, "recover_lease", {"client": "client1"}) == "FileNotFoundException"
    assert outcome(evaluator, start, "hflush", {}) == NOTHING
