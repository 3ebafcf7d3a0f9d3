"""Conditions that are spelled out hold where the given ones do."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from genstamp_model.evaluate import Evaluator
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Part,
    System,
    action,
    count,
    exists,
    flag,
    forall,
    invariant,
    ir,
    members,
    optional,
    those,
    when,
)
from genstamp_model.language.ir import Op
from genstamp_model.spelled_out import for_each_member, spelled_out


class Node(Index):
    """A node."""


class Sets(Part):
    on = flag()
    first = optional(Node)
    some = members(Node)
    others = members(Node)

    @action
    def go(s) -> None:
        s.on = True


@pytest.mark.parametrize(
    "condition",
    [
        lambda s: s.some.is_empty(),
        lambda s: (s.some | s.others).is_empty(),
        lambda s: s.some.size() == 0,
        lambda s: s.some.size() > 0,
        lambda s: s.some.size() >= 1,
        lambda s: s.some.size() < 1,
        lambda s: count(Node, lambda n: s.some.has(n) & s.others.has(n)) <= 0,
        lambda s: s.on == False,  # noqa: E712 as an author may write it
        lambda s: when(s.on, s.some.has(s.first), True),
        lambda s: when(s.on, False, s.some.has(s.first)),
        lambda s: s.some <= s.others,
        lambda s: (s.some - s.others).has(s.first),
        lambda s: (s.some & s.others).has(s.first),
        lambda s: (s.some | s.others).has(s.first),
        lambda s: forall(Node, lambda n: those(Node, lambda m: ~s.some.has(m) & (m != n)).has(n)),
        lambda s: forall(
            Node, lambda n: those(Node, lambda m: exists(Node, lambda k: s.some.has(k) & (m != k))).has(n)
        ),
    ],
)
def test_what_is_spelled_out_holds_where_it_did(condition: Callable[[Any], Bool]) -> None:
    part = type("Claiming", (Sets,), {"__module__": __name__, "claim": invariant(condition)})
    instance = System("sets", parts=[part], configurations=[Configuration("two", {"Node": 2})]).instance()
    given = instance.model.property("<lambda>").condition
    while given.op is Op.FORALL:
        given = given.args[0]
    plain = for_each_member(given) if given.op is Op.SUBSET else spelled_out(given)
    assert plain is not given
    evaluator, sets = Evaluator(instance), [frozenset(one) for one in ((), (0,), (1,), (0, 1))]
    for state in product((False, True), (None, 0, 1), sets, sets):
        bound = dict.fromkeys(given.free | plain.free, 1)
        assert evaluator.value(plain, state, bound=bound) == evaluator.value(given, state, bound=bound)


def test_what_would_mean_another_member_inside_stays_as_it_is() -> None:
    def claim(s: Sets) -> Bool:
        apart = those(Node, lambda n: exists(Node, lambda m: s.some.has(m) & (m != n)))
        return forall(Node, lambda k: forall(Node, lambda n: apart.has(n)))

    part = type("Claiming", (Sets,), {"__module__": __name__, "claim": invariant(claim)})
    member = System("sets", parts=[part], configurations=[]).model().property("claim").condition.args[0].args[0]
    assert member.op is Op.MEMBER and member.args[1].data == "node_1"
    assert spelled_out(member) is member


def test_nobody_is_in_no_set() -> None:
    part = type("Claiming", (Sets,), {"__module__": __name__, "claim": invariant(lambda s: _without(s).has(s.first))})
    given = System("sets", parts=[part], configurations=[]).model().property("<lambda>").condition
    assert spelled_out(given) is given
    assert ir.text(given).startswith("member(members(")


def _without(s: Any) -> Any:
    return those(Node, lambda n: ~s.some.has(n))
