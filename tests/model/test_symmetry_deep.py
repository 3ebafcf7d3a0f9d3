"""Violations so deep that no random walk finds them, of systems that prefer a member: symmetry must not hide them."""

import pytest
from tests.model.systems.fencing import FENCING

from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import Verdict, explore
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Instance,
    Part,
    System,
    action,
    exists,
    flag,
    forall,
    invariant,
    number,
    optional,
    per,
    reference,
    require,
    sequence,
)


class Guest(Index, symmetric=True):
    """A guest."""


def deep(positive: bool, steps: int) -> Instance:
    """A violation so deep that no walk finds it, which symmetry must not hide.

    A counter that can start again is to reach its end before anybody is marked; then the first of an empty sequence
    is looked at.
    """

    class Deep(Part):
        counter = number(0, steps)
        queue = sequence(reference(Guest), capacity=1)
        marked = per(Guest, flag())
        bad = flag()

        @action
        def tick(s) -> None:
            require(s.counter < steps, "not yet")
            s.counter = s.counter + 1

        @action
        def start_again(s) -> None:
            require(s.counter < steps, "not yet")
            s.counter = 0

        @action
        def mark(s, guest: Guest) -> None:
            require(s.counter == steps, "late")
            require(forall(Guest, lambda other: ~s.marked[other]), "the first one")
            s.marked[guest] = True

        @action
        def look(s) -> None:
            require(exists(Guest, lambda guest: s.marked[guest]), "one is marked")
            found = s.marked[s.queue.first()]
            s.bad = found if positive else ~found

        @invariant
        def never_bad(s) -> Bool:
            return ~s.bad

    return System("deep", [Deep], [Configuration("three", sizes={"Guest": 3})]).instance()


def deep_through_none(steps: int) -> Instance:
    """Likewise through a reference that is none."""

    class Deep(Part):
        counter = number(0, steps)
        leader = optional(Guest)
        after = per(Guest, reference(Guest))
        marked = per(Guest, flag())
        found = reference(Guest)
        done = flag()

        @action
        def own(s, guest: Guest) -> None:
            s.after[guest] = guest
            s.found = guest

        @action
        def tick(s) -> None:
            require(s.counter < steps, "not yet")
            s.counter = s.counter + 1

        @action
        def start_again(s) -> None:
            require(s.counter < steps, "not yet")
            s.counter = 0

        @action
        def mark(s, guest: Guest) -> None:
            require(forall(Guest, lambda other: ~s.marked[other]) & (s.counter == steps), "the first one")
            s.marked[guest] = True

        @action
        def follow_nobody(s) -> None:
            require(exists(Guest, lambda guest: s.marked[guest]) & ~s.done, "one is marked")
            s.found = s.after[s.leader]
            s.done = True

        @invariant
        def never_marked(s) -> Bool:
            return ~(s.done & s.marked[s.found])

    return System("deep", [Deep], [Configuration("three", sizes={"Guest": 3})]).instance()


@pytest.mark.slow
def test_a_deep_read_through_none_is_never_hidden_by_symmetry() -> None:
    instance = deep_through_none(20)
    assert explore(instance).verdict is Verdict.VIOLATED
    with pytest.raises(ConfigurationError, match=r"action follow_nobody reads after\[leader\]"):
        explore(instance, symmetry=True)


@pytest.mark.parametrize("steps", [5, 40])
@pytest.mark.parametrize("positive", [True, False])
def test_a_deep_violation_is_never_hidden_by_symmetry(positive: bool, steps: int) -> None:
    instance = deep(positive, steps)
    assert explore(instance).verdict is Verdict.VIOLATED
    with pytest.raises(ConfigurationError, match=r"action look reads queue\.at\(0\)"):
        explore(instance, symmetry=True)


def test_a_guard_makes_the_careless_system_one_that_is_searched() -> None:
    with pytest.raises(ConfigurationError, match=r"fencing\.py:\d+: action write reads waiting\.at\(0\)"):
        explore(FENCING.instance("both", bugs=["careless"]), symmetry=True)
    assert explore(FENCING.instance("both"), symmetry=True).verdict is Verdict.HOLDS
