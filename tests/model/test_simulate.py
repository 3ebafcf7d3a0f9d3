"""Random walks find what is broken, go beyond the limits, and are replayed by their seed."""

import pytest
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import Evaluator
from genstamp_model.simulate import simulate


def test_a_broken_system_is_seen_to_break() -> None:
    (bug,) = TWO_PHASE.bugs
    found = simulate(TWO_PHASE.instance("five", bugs=[bug.name]), seed=1)
    assert found.violation is not None
    assert (found.violation.kind, found.violation.name) == ("invariant", "consistent")
    evaluator = Evaluator(found.instance)
    claim = found.instance.model.property("consistent")
    assert not evaluator.holds(claim, found.violation.path.states[-1])


def test_a_sound_system_is_not() -> None:
    found = simulate(TWO_PHASE.instance("five"), seed=1)
    assert found.violation is None
    assert (found.runs, sum(found.taken.values())) == (100, found.steps)
    assert sum(times > 0 for times in found.taken.values()) >= 5


def test_a_witness_is_told_with_the_steps_of_the_walk_that_showed_it() -> None:
    found = simulate(TWO_PHASE.instance("five"), seed=1, weights={"rm_choose_to_abort": 0, "tm_abort": 0})
    assert found.witnesses == {"everybody_commits": 16}


def test_a_step_that_goes_wrong_is_an_error() -> None:
    found = simulate(EVERY_FORM.instance("tiny", bugs=["overpaid"]), seed=3, runs=1000)
    assert found.violation is not None
    assert (found.violation.kind, found.violation.name) == ("error", "settle")


@pytest.mark.slow
def test_walks_go_beyond_the_limits_of_the_configuration() -> None:
    instance = EVERY_FORM.instance("tiny")
    stretched = simulate(instance, seed=2, runs=200, stretch=4)
    within = simulate(instance, seed=2, runs=200, stretch=1)
    assert stretched.instance.limits["tickets"] == 4 * instance.limits["tickets"]
    assert stretched.taken["draw_ticket"] > within.taken["draw_ticket"]
    assert within.instance.configuration.name == "tiny"


def test_a_walk_that_only_a_limit_ends_is_told_apart() -> None:
    others = {action.name: 0.0 for action in EVERY_FORM.model().actions} | {"draw_ticket": 1.0, "call_next": 1.0}
    found = simulate(EVERY_FORM.instance("tiny"), seed=2, runs=10, weights=others)
    assert (found.cut, found.stopped) == (10, 0)


@pytest.mark.slow
def test_a_seed_gives_the_same_walks_again() -> None:
    instance = EVERY_FORM.instance("small")
    first, again, other = (simulate(instance, seed=seed, runs=20) for seed in (5, 5, 6))
    assert (first.taken, first.steps, first.witnesses) == (again.taken, again.steps, again.witnesses)
    assert first.taken != other.taken


def test_weights_say_how_often_an_action_is_drawn() -> None:
    instance = TWO_PHASE.instance("five")
    never = simulate(instance, seed=1, weights={"rm_choose_to_abort": 0.0})
    seldom = simulate(instance, seed=1, weights={"rm_choose_to_abort": 0.1})
    usual = simulate(instance, seed=1)
    assert never.taken["rm_choose_to_abort"] == 0
    assert 0 < seldom.taken["rm_choose_to_abort"] < usual.taken["rm_choose_to_abort"]


def test_a_walk_ends_where_nothing_is_possible() -> None:
    weights = {action.name: 0.0 for action in TWO_PHASE.model().actions if action.name != "rm_prepare"}
    found = simulate(TWO_PHASE.instance("five"), seed=1, runs=3, weights=weights)
    assert (found.stopped, found.steps) == (3, 15)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"explode": 1.0}, "a weight names the action 'explode', which two_phase does not have; it has"),
        ({"rm_prepare": -1.0}, "the weight of rm_prepare is -1.0; expected 0 or more"),
        ({"rm_prepare": float("nan")}, "the weight of rm_prepare is nan"),
    ],
)
def test_weights_are_checked(weights: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        simulate(TWO_PHASE.instance(), seed=1, weights=weights)


def test_progress_is_told_after_each_walk() -> None:
    told: list[tuple[int, int]] = []
    found = simulate(TWO_PHASE.instance(), seed=1, runs=3, progress=lambda runs, steps: told.append((runs, steps)))
    assert [runs for runs, _ in told] == [1, 2, 3]
    assert told[-1][1] == found.steps
