"""Where properties could fail: the parts that a property is taken apart into, and what a search finds of them."""

from collections.abc import Callable
from typing import Any, Self

import pytest

from genstamp_model.explore import explore
from genstamp_model.interest import interests
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Part,
    Record,
    System,
    action,
    bag,
    count,
    exists,
    flag,
    forall,
    invariant,
    ir,
    leads_to,
    members,
    minimum,
    number,
    optional,
    per,
    those,
    transition,
    when,
)


class Node(Index):
    """A node."""


class Note(Record):
    n = number(0, 3)


class Things(Part):
    a = flag()
    b = flag()
    c = flag()
    n = number(0, 3)
    on = per(Node, flag())
    some = members(Node)
    notes = bag(Note, limit="notes")

    @action
    def go(s, node: Node) -> None:
        s.a = True
        s.on[node] = True
        s.some.add(node)


def claiming(claim: Callable[..., Any], declare: Any = invariant) -> System:
    """The system with one property."""
    part = type("Claiming", (Things,), {"__module__": __name__, "claim": declare(claim)})
    return System("things", parts=[part], configurations=[Configuration("two", {"Node": 2}, {"notes": 1})])


def wheres(claim: Callable[..., Any], declare: Any = invariant) -> list[str]:
    return [ir.text(one.where) for one in interests(claiming(claim, declare).model())]


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        (lambda s: s.a.implies(s.b), ["a"]),
        (lambda s: ~s.a | s.b, ["a"]),
        (lambda s: s.b | ~s.a, ["a"]),
        (lambda s: ~(s.a & ~s.b), ["a"]),
        (lambda s: when(s.a, s.b, True), ["a"]),
        (lambda s: when(s.a, True, s.b), ["~a"]),
        (lambda s: when(s.a, s.b, s.c), ["a", "~a"]),
        (lambda s: when(s.a, s.b, False), ["true"]),
        (lambda s: s.a.implies(s.b.implies(s.c)), ["(a & b)"]),
        (lambda s: (s.a & s.b).implies(s.c), ["(a & b)"]),
        (lambda s: s.a.implies(~s.b), ["a"]),
        (lambda s: ~(s.a & s.b), ["b", "a"]),
        (lambda s: ~(s.a & s.b & s.c), ["(b & c)", "(a & c)", "(a & b)"]),
        (lambda s: ~(s.a & s.b & ~s.c), ["(a & b)"]),
        (lambda s: ~(s.a & s.a), ["true"]),
        (lambda s: s.a | s.b, ["~a"]),
        (lambda s: s.a.implies(s.b | s.c), ["a"]),
        (lambda s: s.b.implies(False), ["true"]),
        (lambda s: s.a.implies(s.b) & s.c, ["a", "true"]),
        (lambda s: ~(~s.a | s.b), ["true"]),
        (lambda s: ~s.a, ["true"]),
        (lambda s: forall(Node, lambda node: s.on[node].implies(s.b)), ["exists(node_0 in Node: on[node_0])"]),
        (lambda s: ~exists(Node, lambda node: s.on[node] & ~s.b), ["exists(node_0 in Node: on[node_0])"]),
        (lambda s: forall(Node, lambda node: s.on[node]), ["true"]),
        (lambda s: s.notes.every(lambda note: note.n < 3), ["exists_in(note_0 in Note: notes, true)"]),
        (lambda s: count(Node, lambda node: s.on[node]) <= 1, ["exists(node_0 in Node: on[node_0])"]),
        (lambda s: s.some.size() < 3, ["(2 <= cardinality(some))", "exists(node_0 in Node: member(some, node_0))"]),
        (lambda s: s.n <= 2, ["true"]),
    ],
)
def test_an_implication_could_fail_where_its_antecedent_holds(claim: Callable[..., Bool], where: list[str]) -> None:
    assert wheres(claim) == where


SOME, ON = "exists(node_0 in Node: member(some, node_0))", "exists(node_0 in Node: on[node_0])"


def other(where: str) -> str:
    """The same of a member by another name, as one is bound inside already."""
    return where.replace("node_0", "node_1")


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        # Sets, and numbers of members, are conditions in another form.
        (lambda s: s.b | s.some.is_empty(), [SOME]),
        (lambda s: s.b | (s.some.size() == 0), [SOME]),
        (lambda s: s.b | (count(Node, lambda node: s.on[node]) < 1), [ON]),
        (lambda s: count(Node, lambda node: s.on[node] & s.some.has(node)) == 0, [SOME, ON]),
        (lambda s: (s.some & those(Node, lambda node: s.on[node])).is_empty(), [other(ON), other(SOME)]),
        (lambda s: (s.some - those(Node, lambda node: s.on[node])).is_empty(), [other(SOME)]),
        (lambda s: s.some <= those(Node, lambda node: s.on[node]), [other(SOME)]),
        (lambda s: forall(Node, lambda node: s.b | those(Node, lambda n: ~s.some.has(n)).has(node)), [SOME]),
        # What a value depends on.
        (lambda s: s.b.implies(count(Node, lambda node: s.on[node]) <= 1), ["b", ON]),
        (lambda s: s.n >= count(Node, lambda node: s.on[node]), ["true", ON]),
        (lambda s: s.b.implies(s.some.size() <= 1), ["b", SOME]),
        (lambda s: s.n >= minimum(Node, lambda n: s.n, where=lambda n: s.on[n], default=1), ["true", ON]),
        (lambda s: s.n <= when(s.a, 1, 2), ["true", "~a", "a"]),
        (lambda s: s.b.implies(when(s.a, s.b, s.c)), ["b", "a", "~a"]),
        # The alternatives of an antecedent, but not of a consequent.
        (lambda s: (s.a | exists(Node, lambda node: s.on[node])).implies(s.b), [f"(a | {ON})", "a", ON]),
        (lambda s: s.b.implies(s.a | exists(Node, lambda node: s.on[node])), ["b"]),
        (lambda s: s.b.implies(~(s.a | exists(Node, lambda node: s.on[node]))), ["b"]),
        (lambda s: (s.a & ((s.n == 1) | (s.n == 2))).implies(s.b), ["(a & ((n == 1) | (n == 2)))"]),
        # Both sides of a comparison; what no step sets is a constant.
        (
            lambda s: s.a == s.some.is_empty(),
            ["true", "~(a == initial(a))", "~((some == {}) == (initial(some) == {}))"],
        ),
        (lambda s: s.a == s.b, ["true"]),
    ],
)
def test_what_a_property_is_made_of_must_have_happened(claim: Callable[..., Bool], where: list[str]) -> None:
    assert wheres(claim) == where


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        (lambda s, t: t.n >= s.n, ["~(n == n')"]),
        (lambda s, t: ~(t.n < s.n), ["~(n == n')"]),
        (lambda s, t: s.a.implies(t.n >= s.n), ["a"]),
        (lambda s, t: t.n == s.n, ["true"]),
        (lambda s, t: (~s.a & t.a).implies(t.b), ["(~a & a')"]),
        (lambda s, t: s.some <= t.some, ["~(some == some')"]),
        (lambda s, t: s.b.implies(s.some <= t.some), ["b", "~(some == some')"]),
        (lambda s, t: s.b.implies(s.a == t.a), ["b", "~(a == initial(a))"]),
        (lambda s, t: s.a == t.a, ["true"]),
        (lambda s, t: (s.a == t.a).implies(s.b), ["(a == a')"]),
    ],
)
def test_a_transition_property_could_fail_in_a_step(claim: Callable[..., Bool], where: list[str]) -> None:
    assert wheres(claim, transition) == where


class Step(Index, ordered=True):
    """A step of a stair."""


def test_that_a_member_never_comes_before_an_earlier_one_could_fail_where_there_is_one() -> None:
    class Stair(Part):
        at = optional(Step)

        @action
        def climb(s, to: Step) -> None:
            s.at = to

        @transition
        def never_down(s, t: Self) -> Bool:
            return ~t.at.before(s.at)

    [never_down] = interests(System("stair", parts=[Stair], configurations=[]).model())
    assert ir.text(never_down.where) == "~(at' == none)"


def test_a_leads_to_could_fail_where_something_is_owed() -> None:
    assert wheres(lambda s: (s.a, s.b), leads_to()) == ["(a & ~b)"]
    assert wheres(lambda s: (s.a | s.some.is_empty(), s.b), leads_to()) == [
        "((a | (some == {})) & ~b)",
        "a",
        f"~{SOME}",
    ]


def test_index_parameters_are_quantified() -> None:
    class WithParameters(Things):
        @invariant
        def claim(s, node: Node) -> Bool:
            return s.on[node].implies(s.b)

        @leads_to()
        def owed(s, node: Node) -> tuple[Bool, Bool]:
            return s.on[node], s.b

    system = System("things", parts=[WithParameters], configurations=[])
    first, second = interests(system.model())
    assert ir.text(first.where) == "exists(node in Node: on[node])"
    assert ir.text(second.where) == "exists(node in Node: (on[node] & ~b))"


def met(claim: Callable[..., Any], declare: Any = invariant) -> list[tuple[int, int | None]]:
    return [(one.times, one.after) for one in explore(claiming(claim, declare).instance()).critical]


def test_a_search_finds_the_first_state_in_which_a_property_could_fail() -> None:
    assert met(lambda s: (s.some.size() == 2).implies(s.a)) == [(1, 2), (1, 1)]
    assert met(lambda s: s.b.implies(s.a)) == [(0, None)]
    assert met(lambda s: s.a.implies(s.a) & ~s.b) == [(1, 1), (1, 0)]


def test_a_search_counts_the_steps_in_which_a_property_could_fail() -> None:
    # From no node there are two ways to one, from each of these one to both; the others change nothing.
    def grows(s: Things, t: Things) -> Bool:
        return s.some <= t.some

    assert met(grows, transition) == [(4, None)]
    assert met(lambda s, t: t.n >= s.n, transition) == [(0, None)]
    assert met(lambda s, t: t.n == s.n, transition) == [(8, None)]


def test_steps_that_change_nothing_are_counted() -> None:
    result = explore(claiming(lambda s: ~s.b).instance())
    assert (result.taken["go"], result.idle["go"]) == (8, 4)
