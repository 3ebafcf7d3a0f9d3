"""Which part of a property is false: the first members, what was given, what does not hold, and what that reads."""

from typing import Self

from genstamp_model.evaluate import Evaluator
from genstamp_model.false_part import FalsePart, false_part
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Part,
    Record,
    System,
    action,
    bag,
    flag,
    invariant,
    number,
    per,
    reference,
    transition,
    when,
)


class Node(Index):
    """A node."""


class Counting(Part):
    """Nodes count."""

    count = per(Node, number(0, 9))
    shared = number(0, 9)
    stopped = flag()

    @action
    def rise(s, node: Node) -> None:
        """One counts."""
        s.count[node] = s.count[node] + 1
        s.shared = s.shared + 1

    @invariant
    def running_nodes_are_low(s, node: Node) -> Bool:
        """A bound for each node."""
        return s.stopped | (s.count[node] < 2)

    @invariant
    def two_bounds(s) -> Bool:
        """Two bounds of one number under a condition."""
        return (~s.stopped & (s.shared >= 1)).implies((s.shared < 5) & (s.shared < 2))

    @invariant
    def chosen(s) -> Bool:
        """A bound by cases."""
        return when(s.stopped, s.shared < 1, s.shared < 2)

    @invariant
    def never_both(s) -> Bool:
        """What must not be under a condition."""
        return (s.shared >= 1).implies(~((s.shared >= 2) & s.stopped))

    @transition
    def shared_stays(s, t: Self) -> Bool:
        """The number never changes."""
        return t.shared == s.shared


COUNTING = System("counting", parts=[Counting], configurations=[Configuration("two", sizes={"Node": 2})])
EVALUATOR = Evaluator(COUNTING.instance())


def _part(name: str, *states: dict[str, object]) -> FalsePart | None:
    given = (tuple({**EVALUATOR.named(EVALUATOR.initial()), **state}.values()) for state in states)
    return false_part(EVALUATOR, EVALUATOR.model.property(name), *given)  # type: ignore[arg-type]


def test_a_property_that_holds_has_no_false_part() -> None:
    assert _part("running_nodes_are_low", {"count": (1, 1)}) is None


def test_the_first_member_is_named_for_which_a_property_fails() -> None:
    assert _part("running_nodes_are_low", {"count": (1, 3)}) == FalsePart(
        (("node", "node2"),), (), ("stopped", "count[node] < 2"), (("stopped", "false"), ("count[node]", "3"))
    )


def test_what_is_given_stands_apart_from_the_first_conjunct_that_fails() -> None:
    assert _part("two_bounds", {"shared": 3}) == FalsePart(
        (), ("~stopped", "1 <= shared"), ("shared < 2",), (("shared", "3"),)
    )


def test_the_case_of_a_choice_is_given() -> None:
    assert _part("chosen", {"shared": 2}) == FalsePart((), ("~stopped",), ("shared < 2",), (("shared", "2"),))
    assert _part("chosen", {"shared": 1, "stopped": True}) == FalsePart(
        (), ("stopped",), ("shared < 1",), (("shared", "1"),)
    )


def test_of_a_step_both_values_are_told() -> None:
    assert _part("shared_stays", {"shared": 1}, {"shared": 2}) == FalsePart(
        (), (), ("shared' == shared",), (("shared'", "2"), ("shared", "1"))
    )


def test_of_negations_the_last_is_claimed() -> None:
    part = _part("never_both", {"shared": 3, "stopped": True})
    assert part == FalsePart((), ("1 <= shared", "2 <= shared"), ("~stopped",), (("stopped", "true"),))
    assert str(part) == "~stopped is false, where stopped = true, although 1 <= shared and 2 <= shared"


def test_a_part_is_told_in_lines_and_in_one() -> None:
    part = _part("running_nodes_are_low", {"count": (1, 3)})
    assert part is not None
    assert list(part.lines()) == [
        "none of these holds for node node2:",
        "  stopped",
        "  count[node] < 2",
        "  where stopped = false, count[node] = 3",
    ]
    assert str(part) == "stopped or count[node] < 2 is false for node node2, where stopped = false, count[node] = 3"
    of_step = _part("shared_stays", {"shared": 1}, {"shared": 2})
    assert of_step is not None
    assert next(of_step.lines()) == "this does not hold (x' is the value of x after the step):"


class Note(Record):
    """A number for a node."""

    to = reference(Node)
    number = number(0, 9)


class Posting(Part):
    """Numbers are sent."""

    post = bag(Note, limit="notes")

    @action
    def send(s, node: Node) -> None:
        """Two notes at once."""
        s.post.send(Note(to=node, number=3))
        s.post.send(Note(to=node, number=5))

    @invariant
    def all_are_low(s) -> Bool:
        """Of every note."""
        return s.post.every(lambda note: note.number < 4)

    @invariant
    def none_is_high(s) -> Bool:
        """Of no note."""
        return ~s.post.some(lambda note: note.number > 4)


def test_the_message_for_which_it_is_false_is_named() -> None:
    system = System("posting", parts=[Posting], configurations=[Configuration("one", {"Node": 1}, {"notes": 2})])
    evaluator = Evaluator(system.instance())
    [step] = evaluator.steps(evaluator.initial())
    for name in ("all_are_low", "none_is_high"):
        found = false_part(evaluator, system.model().property(name), step.after)
        assert found is not None
        [(bound, message)] = found.members
        assert (bound, message) == ("note_0", "(to node1, number 5)")
        assert found.values == ((f"{bound}.number", "5"),)
