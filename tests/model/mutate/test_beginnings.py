"""Mutants of initial states: a value or a condition is left out."""

from tests.model.mutate.test_rounds import Watched
from tests.model.test_any_of import Below, above, below

from genstamp_model.language import (
    Bool,
    Configuration,
    Part,
    System,
    action,
    any_of,
    initially,
    number,
    require,
    witness,
)
from genstamp_model.mutate import Below as LowerSystem
from genstamp_model.mutate import Outcome, judged, mutants

PLAIN = Configuration("c", sizes={})


class Doors(Part):
    """Two doors, of which one is open; a third value of the first makes no difference."""

    left = number(0, 2, initially=any_of(0, 1, 2))
    right = number(0, 1, initially=any_of(0, 1))
    seen = number(0, 1)

    @initially
    def one_is_open(s) -> Bool:
        return (s.left > 0) | (s.right > 0)

    @action
    def close(s) -> None:
        """Of the left one."""
        require(s.left > 0, "it is open")
        s.left = 0

    @action
    def open_wide(s) -> None:
        """Of the left one."""
        require(s.left == 1, "it is ajar")
        s.left = 2

    @action
    def look(s) -> None:
        """Through the right one."""
        require((s.right == 1) & (s.seen == 0), "it is open")
        s.seen = 1

    @witness
    def both(s) -> Bool:
        """Both are open."""
        return (s.left > 0) & (s.right > 0)


DOORS = System("doors", parts=[Doors], configurations=[PLAIN])


def outcomes(system: System) -> dict[str, Outcome]:
    model = system.model()
    of_beginnings = [one for one in mutants(model) if not one.action]
    found = judged(model, of_beginnings, system.configurations, share=Watched())
    return {f"{one.mutant.place}: {one.mutant.change}": one for one in found}


def test_each_value_and_each_condition_is_left_out_once() -> None:
    found = outcomes(DOORS)
    assert list(found) == [
        "choice of left: without 0",
        "choice of left: without 1",
        "choice of left: without 2",
        "choice of right: without 0",
        "choice of right: without 1",
        "condition one_is_open: dropped",
    ]
    assert len({one.mutant.name for one in found.values()}) == len(found)
    assert all(one.mutant.name.startswith("initially-") for one in found.values())


def test_a_value_without_which_something_is_not_reached_is_noticed() -> None:
    found = outcomes(DOORS)
    assert found["choice of right: without 1"].noticed["coverage"] == "c: never reached: look"
    assert found["choice of left: without 1"].noticed["coverage"] == "c: never reached: open_wide"
    # What the other values lead to as well, only the counts tell.
    assert list(found["choice of left: without 2"].noticed) == ["lock"]
    assert list(found["condition one_is_open: dropped"].noticed) == ["lock"]


def test_a_mutant_without_an_initial_state_is_noticed() -> None:
    class Narrow(Doors):
        @initially
        def one_is_open(s) -> Bool:
            return s.left == 2

    found = outcomes(System("narrow", parts=[Narrow], configurations=[PLAIN]))
    assert "one_is_open holds in none of the" in found["choice of left: without 2"].noticed["coverage"]


def test_a_value_that_another_one_equals_changes_nothing() -> None:
    class Twice(Part):
        n = number(0, 3, initially=any_of(1, 2))

        @initially
        def low(s) -> Bool:
            return s.n < 2

        @action
        def rise(s) -> None:
            require(s.n < 3, "there is room")
            s.n = s.n + 1

    found = outcomes(System("twice", parts=[Twice], configurations=[PLAIN]))
    assert found["choice of n: without 2"].same
    assert not found["choice of n: without 1"].same


def test_a_lower_system_notices_that_it_may_not_begin_so() -> None:
    upper = above(0, 2)
    lower = below(upper)
    assert lower.parts == [Below]
    judge = LowerSystem(lower.model(), lower.refines[0], lower.configuration())
    of_beginnings = [one for one in mutants(upper.model()) if not one.action]
    seen = [judge.notices(one.model) for one in of_beginnings]
    assert [one is not None and "an initial state of below is not mapped to" in one for one in seen] == [True, True]


def test_a_model_that_begins_in_one_way_has_none() -> None:
    class One(Part):
        n = number(0, 1)

        @action
        def rise(s) -> None:
            require(s.n == 0, "there is room")
            s.n = 1

    assert all(one.action for one in mutants(System("one", parts=[One], configurations=[PLAIN]).model()))
