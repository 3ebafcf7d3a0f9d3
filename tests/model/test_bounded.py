"""What bounded model checking claims, and that it notices what is wrong."""

from typing import Self

import pytest
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.evaluate import Evaluator
from genstamp_model.language import (
    Bool,
    Configuration,
    ConfigurationError,
    Part,
    Record,
    System,
    action,
    bag,
    flag,
    invariant,
    number,
    require,
    transition,
    witness,
)
from genstamp_model.prove import Within, bmc, reach
from genstamp_model.prove.bits import Bits, width


class Stairs(Part):
    """A number that rises, and falls once it is high."""

    height = number(-3, limit="height", initially=-3)
    tired = flag()

    @action
    def rise(s) -> None:
        require(~s.tired, "not tired")
        s.height = s.height + 1

    @action
    def rest(s) -> None:
        require(s.height == 2, "high enough")
        s.tired = True

    @invariant
    def not_tired_at_two(s) -> Bool:
        return ~(s.tired & (s.height == 2))

    @transition
    def never_to_one(s, t: Self) -> Bool:
        return ~((s.height < t.height) & (t.height == 1))

    @witness
    def high(s) -> Bool:
        return s.height == 2


STAIRS = System(
    "stairs",
    parts=[Stairs],
    configurations=[Configuration("low", {}, {"height": 2}), Configuration("lower", {}, {"height": 0})],
)
ENDING = System("ending", parts=[Stairs], configurations=STAIRS.configurations, may_stop=lambda s: s.tired)


def test_claim_is_about_the_steps_looked_at_and_no_more() -> None:
    found = bmc(STAIRS.instance("low"), 3)
    assert found.claim == "no violation within 3 steps"
    assert (found.verdict, found.settled, found.violation) == (Within.NO_VIOLATION, 3, None)
    assert found.looked_at == ("not_tired_at_two", "never_to_one", "errors")
    assert len(found.milliseconds) == 4


def test_transition_property_is_broken_by_the_last_step_of_the_path() -> None:
    found = bmc(STAIRS.instance("low"), 9)
    assert found.violation is not None
    assert (found.violation.kind, found.violation.name) == ("transition", "never_to_one")
    assert [state[0] for state in found.violation.path.states] == [-3, -2, -1, 0, 1]
    assert found.claim == "violated within 4 steps"


def test_only_the_named_properties_are_judged() -> None:
    found = bmc(STAIRS.instance("low"), 9, properties=["not_tired_at_two"])
    assert found.looked_at == ("not_tired_at_two",)
    assert found.violation is not None
    assert (found.violation.name, found.violation.steps) == ("not_tired_at_two", 6)
    evaluator = Evaluator(STAIRS.instance("low"))
    claim = evaluator.model.property("not_tired_at_two")
    assert not evaluator.holds(claim, found.violation.path.states[-1])


def test_limits_cut_steps_off_and_may_be_others_than_the_configurations() -> None:
    assert bmc(STAIRS.instance("lower"), 9).verdict is Within.NO_VIOLATION
    assert bmc(STAIRS.instance("lower"), 9, limits={"height": 1}).verdict is Within.VIOLATED
    with pytest.raises(ConfigurationError, match="gives limit 'width', which the system does not have"):
        bmc(STAIRS.instance("lower"), 9, limits={"width": 1})


def test_claim_of_paths_that_end_is_of_the_steps_that_there_are() -> None:
    """A step that changes nothing leads nowhere."""

    class Idle(Stairs):
        @action
        def stand(s) -> None:
            require(~s.tired, "not tired")
            s.height = s.height + 0

    claimed = "no violation within 3 steps, and no step changes the state after that"
    assert bmc(STAIRS.instance("lower"), 9).claim == claimed
    idle = System("idle", parts=[Idle], configurations=STAIRS.configurations)
    assert bmc(idle.instance("lower"), 4).claim == claimed
    assert bmc(idle.instance("lower"), 3).claim == "no violation within 3 steps"
    never = reach(idle.instance("lower"), "high", 9)
    assert never.claim == "high is not reached within 3 steps, and no step changes the state after that"


class Letter(Record):
    """What is sent."""

    urgent = flag()


class Post(Part):
    """A bag; what is dropped need not be there."""

    bag = bag(Letter, limit="letters")

    @action
    def send(s) -> None:
        s.bag.send(Letter(urgent=True))

    @action
    def drop(s) -> None:
        s.bag.take(Letter(urgent=True))


@pytest.mark.parametrize(
    ("letters", "claim"),
    [
        (0, "no violation in the initial state, and no step changes it"),
        (1, "no violation within 4 steps"),
    ],
)
def test_bag_that_has_no_place_is_said_to_stay_empty(letters: int, claim: str) -> None:
    post = System("post", parts=[Post], configurations=[Configuration("one", {}, {"letters": letters})])
    assert bmc(post.instance("one"), 4).claim == claim


def test_deadlock_is_found_where_the_system_may_not_stop() -> None:
    """Where a limit cuts the only step off, it is none."""

    class Short(Stairs):
        @action
        def rise(s) -> None:
            require(s.height < 0, "low enough")
            s.height = s.height + 1

    short = System("short", parts=[Short], configurations=STAIRS.configurations, may_stop=lambda s: s.tired)
    found = bmc(short.instance("low"), 9)
    assert found.violation is not None
    assert (found.violation.kind, found.violation.steps) == ("deadlock", 3)
    ended = bmc(ENDING.instance("lower"), 9)
    assert (ended.violation, ended.looked_at) == (None, ("not_tired_at_two", "never_to_one", "errors", "deadlock"))


def test_error_counts_the_step_that_goes_wrong() -> None:
    found = bmc(EVERY_FORM.instance("tiny", bugs=["overpaid"]), 4)
    assert found.violation is not None
    assert (found.violation.kind, found.violation.name, found.violation.steps) == ("error", "settle", 3)
    assert len(found.violation.path) == 2
    assert "outside -1..1" in found.violation.message


def test_violation_in_the_initial_state_needs_no_step() -> None:
    class Wrong(Stairs):
        @invariant
        def up(s) -> Bool:
            return s.height >= 0

    found = bmc(System("wrong", parts=[Wrong], configurations=STAIRS.configurations).instance("low"), 5)
    assert found.claim == "violated within 0 steps"


def test_witness_is_reached_by_a_shortest_path() -> None:
    found = reach(TWO_PHASE.instance("three"), "everybody_commits", 12)
    assert found.claim == "everybody_commits is reached in 10 steps"
    assert found.path is not None
    assert all(step is not None for step in found.path.steps)
    assert reach(STAIRS.instance("low"), "high", 4).claim == "high is not reached within 4 steps"


@pytest.mark.parametrize("steps", [0, 3])
def test_time_that_is_used_up_is_undetermined(steps: int) -> None:
    found = bmc(STAIRS.instance("low"), steps, max_seconds=0)
    assert found.verdict is Within.UNDETERMINED
    assert found.claim == "undetermined: 0 seconds did not suffice for 0 steps"
    unknown = reach(STAIRS.instance("low"), "high", steps, max_seconds=0)
    assert unknown.claim == "undetermined: 0 seconds did not suffice for 0 steps"


def test_what_cannot_be_judged_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="'high' is a witness; bounded model checking judges invariants"):
        bmc(STAIRS.instance("low"), 1, properties=["high"])
    with pytest.raises(ConfigurationError, match="no property 'low'; there is not_tired_at_two, never_to_one, high"):
        reach(STAIRS.instance("low"), "low", 1)
    with pytest.raises(ConfigurationError, match="'never_to_one' is a transition; only a witness can be reached"):
        reach(STAIRS.instance("low"), "never_to_one", 1)


@pytest.mark.parametrize(
    ("low", "high", "bits"), [(0, 0, 1), (0, 1, 1), (0, 4, 3), (-1, 0, 1), (-1, 1, 2), (-4, 3, 3), (-5, -2, 4)]
)
def test_interval_has_as_many_bits_as_it_needs(low: int, high: int, bits: int) -> None:
    assert width(low, high) == bits
    assert all(-(2 ** (bits - 1)) <= x < 2 ** (bits - 1) or low >= 0 for x in (low, high))
    assert Bits(None, low, high).interval == (low, high)
