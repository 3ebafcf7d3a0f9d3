"""Claims that no value of the variables breaks."""

from collections.abc import Callable
from typing import Any

import pytest

from genstamp_model.interest import interests
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Part,
    System,
    action,
    count,
    flag,
    invariant,
    number,
    optional,
    per,
    transition,
)
from genstamp_model.prove.tautology import always_true


class Node(Index):
    """A node."""


class Values(Part):
    a = flag()
    n = number(0, 3)
    m = number(0, 3)
    high = number(limit="high")
    on = per(Node, flag())
    first = optional(Node)

    @action
    def go(s, node: Node) -> None:
        s.on[node] = True


ONE, TWO = Configuration("one", {"Node": 1}, {"high": 2}), Configuration("two", {"Node": 2}, {"high": 2})


def always(claim: Callable[..., Any], declare: Any = invariant, *configurations: str) -> bool:
    part = type("Claiming", (Values,), {"__module__": __name__, "claim": declare(claim)})
    system = System("values", parts=[part], configurations=[ONE, TWO])
    claims = [(part, one.two_states) for one in interests(system.model()) for part in one.parts]
    found = always_true([system.instance(name) for name in configurations or ("one", "two")], claims)
    return len(found) == len(claims)


@pytest.mark.parametrize(
    "claim",
    [
        lambda s: s.a | ~s.a,
        lambda s: s.n <= 3,
        lambda s: s.n >= 0,
        lambda s: (s.n > s.m).implies(s.m < 3),
        lambda s: (s.n == s.m) | (s.n < s.m) | (s.n > s.m),
        lambda s: count(Node, lambda node: s.on[node]) <= 2,
        lambda s: s.high >= 0,
    ],
)
def test_what_every_value_fulfils_is_found(claim: Callable[..., Bool]) -> None:
    assert always(claim)


@pytest.mark.parametrize(
    "claim",
    [
        lambda s: s.a,
        lambda s: s.n < 3,
        lambda s: s.first.is_none(),
        lambda s: (s.n > s.m).implies(s.m < 2),
        # The limit of a configuration cuts steps off, and is no range of the type.
        lambda s: s.high <= 2,
    ],
)
def test_what_some_value_breaks_is_none(claim: Callable[..., Bool]) -> None:
    assert not always(claim)


def test_a_configuration_with_more_members_may_break_it() -> None:
    def at_most_one(s: Values) -> Bool:
        return count(Node, lambda node: s.on[node]) <= 1

    assert always(at_most_one, invariant, "one")
    assert not always(at_most_one, invariant, "one", "two")


def test_a_step_is_any_pair_of_states() -> None:
    def same(s: Values, t: Values) -> Bool:
        return (t.n == s.n) | (t.n != s.n)

    def in_range(s: Values, t: Values) -> Bool:
        return t.n <= 3

    def rises(s: Values, t: Values) -> Bool:
        return t.n >= s.n

    assert always(same, transition)
    assert always(in_range, transition)
    assert not always(rises, transition)
