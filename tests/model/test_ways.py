"""Ways through one action: `case` traces each as an action of its own, and marks leave lines out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genstamp_model.explore import explore
from genstamp_model.language import (
    Bug,
    Configuration,
    Difference,
    Hole,
    Index,
    Instance,
    Model,
    Part,
    SpecError,
    System,
    Variation,
    action,
    attempt,
    case,
    either,
    flag,
    invariant,
    number,
    observe,
    optional,
    pick,
    repairs,
    require,
    since,
    way,
    when,
)


class Client(Index):
    """A client."""


class Node(Index):
    """A node."""


class Lock(Part):
    """A lock with a number of its holder's turn."""

    is_up = flag(initially=True)
    holder = optional(Client)
    turn = number(0, 3)
    primary = optional(Node)

    @action
    def stop(s) -> None:
        """The server stops."""
        require(s.is_up, "it is up")
        s.is_up = False


class Ways(Lock):
    """One action with three ways."""

    @action
    def take(s, client: Client) -> None:
        """A client asks for the lock.

        Source  nowhere.
        """
        require(s.is_up, "it is up", "IOException")
        if case(
            "again", s.holder == client, "the caller holds it", "the caller does not hold it", unchanged="as it is"
        ):
            return observe(taken=False)
        require(s.turn < 3, "there is a turn", "OutOfTurns")
        if case("waits", ~s.holder.is_none(), "another holds it", refuses="LockedException"):
            s.turn += 1
            return None
        s.primary = pick("primary", Node, or_none=True)
        s.holder, s.turn = client, s.turn + 1
        observe(taken=True)
        return None


class Separate(Lock):
    """The same as three actions."""

    @action(event="take", unchanged="as it is")
    def take_again(s, client: Client) -> None:
        """The caller holds it."""
        require(s.is_up, "it is up", "IOException")
        require(s.holder == client, "the caller holds it")
        observe(taken=False)

    @action(event="take", refuses="LockedException")
    def take_waits(s, client: Client) -> None:
        """Another holds it."""
        require(s.is_up, "it is up")
        require(~(s.holder == client), "the caller does not hold it")
        require(s.turn < 3, "there is a turn", "OutOfTurns")
        require(~s.holder.is_none(), "another holds it")
        s.turn += 1

    @action
    def take(s, client: Client) -> None:
        """Nobody holds it."""
        require(s.is_up, "it is up")
        require(~(s.holder == client), "the caller does not hold it")
        require(s.turn < 3, "there is a turn")
        require(s.holder.is_none(), "not so: another holds it")
        s.primary = pick("primary", Node, or_none=True)
        s.holder, s.turn = client, s.turn + 1
        observe(taken=True)


SMALL = [Configuration("small", {"Client": 2, "Node": 2})]


def model_of(part: type[Part], *active: Variation) -> Model:
    """The model of a part under some variations."""
    semantics = {"repaired": (), "released": active}
    return System("lock", parts=[part], configurations=SMALL, semantics=semantics, default_semantics="repaired").model(
        "released" if active else None
    )


def part_of(step: Callable[..., Any]) -> type[Part]:
    """A part whose only further action is the function."""
    return type("Tried", (Lock,), {step.__name__: action(step)})


def test_the_ways_are_the_actions_that_they_would_be_if_each_were_written() -> None:
    ways, separate = model_of(Ways), model_of(Separate)
    assert sorted(a.name for a in ways.actions) == sorted(a.name for a in separate.actions)
    for one in ways.actions:
        other = separate.action(one.name)
        assert (one.event, one.refuses, one.unchanged) == (other.event, other.refuses, other.unchanged)
        assert one.parameters == other.parameters and one.observations == other.observations
        assert [(c.condition, c.label, c.refuses) for c in one.checks] == [
            (c.condition, c.label, c.refuses) for c in other.checks
        ]
        assert [(e.variable, e.value) for e in one.effects] == [(e.variable, e.value) for e in other.effects]
    first, second = (explore(Instance(model, SMALL[0])) for model in (ways, separate))
    assert (first.states, first.generated) == (second.states, second.generated)


def test_each_way_says_which_it_is_and_where_its_case_stands() -> None:
    model = model_of(Ways)
    again, take = model.action("take_again"), model.action("take")
    assert again.doc.splitlines()[0] == "A client asks for the lock. Here the caller holds it."
    assert again.doc.splitlines()[-1] == take.doc.splitlines()[-1] == "Source  nowhere."
    assert again.declared == take.declared == "take"
    assert again.source.line > take.source.line


def test_a_case_that_a_variation_drops_is_no_way() -> None:
    model = model_of(Ways, Bug("forgets", "", drops=(("take", "the caller holds it"),), breaks=()))
    assert {a.name for a in model.actions} == {"stop", "take", "take_waits"}
    assert all(check.label != "the caller does not hold it" for check in model.action("take").checks)


def test_a_refusal_before_a_case_that_is_met_counts_for_the_whole_action() -> None:
    class Defensive(Lock):
        @action
        def take(s, client: Client) -> None:
            """Never down."""
            require(s.is_up, "it is up", "IOException", defensive=True)
            if case("again", s.holder == client, "the caller holds it", unchanged="as it is"):
                return
            s.holder = client

    system = System("lock", parts=[Defensive], configurations=SMALL, meets=[("take", "it is up")])
    assert not system.model().action("take_again").checks[0].defensive


class Marked(Lock):
    """A lock with two repairs and a way that came later."""

    @action
    def take(s, client: Client) -> None:
        """A client takes the lock."""
        require(s.holder.is_none(), "nobody holds it", "LockedException", repairs="one-holder")
        if case("late", s.turn == 3, "there is no turn", since="ISSUE-1", unchanged="it is late"):
            return
        s.holder = client
        if repairs("turns-count"):
            s.turn = when(s.turn < 3, s.turn + 1, 3)
        if since("ISSUE-2"):
            s.is_up = True

    @invariant
    def it_is_up_or_not(s) -> Any:
        """Something to break."""
        return s.turn <= 3


@pytest.mark.parametrize(
    ("active", "labels", "changed"),
    [
        ([], {"nobody holds it", "not so: there is no turn"}, {"holder", "turn", "is_up"}),
        ([Hole("one-holder", "")], {"not so: there is no turn"}, {"holder", "turn", "is_up"}),
        ([Bug("ISSUE-1", "")], {"nobody holds it"}, {"holder", "turn", "is_up"}),
        ([Hole("turns-count", "")], {"nobody holds it", "not so: there is no turn"}, {"holder", "is_up"}),
        ([Difference("ISSUE-2", "")], {"nobody holds it", "not so: there is no turn"}, {"holder", "turn"}),
    ],
)
def test_a_marked_line_is_left_out_under_what_it_names(
    active: list[Variation], labels: set[str], changed: set[str]
) -> None:
    model = model_of(Marked, *active)
    take = model.action("take")
    assert {check.label for check in take.checks} == labels
    assert {effect.variable for effect in take.effects} == changed
    assert ("take_late" in {a.name for a in model.actions}) == (Bug("ISSUE-1", "") not in active)


def test_an_action_knows_the_marks_that_it_met_and_where_its_cases_stand() -> None:
    take, late = model_of(Marked).action("take"), model_of(Marked).action("take_late")
    assert [check.mark for check in take.checks] == ["one-holder", "ISSUE-1"]
    assert take.marks == ("ISSUE-1", "ISSUE-2", "one-holder", "turns-count")
    assert late.marks == ("ISSUE-1", "one-holder")
    assert [case.place for case in take.cases] == [1]
    [waits] = [case for case in model_of(Ways).action("take_waits").cases if case.follows]
    assert waits.place == 3


def test_some_actions_are_traced_by_themselves() -> None:
    system = System(
        "lock", parts=[Ways], configurations=SMALL, bugs=[Bug("no-turns", "", (("take", "there is a turn"),))]
    )
    whole = system.model()
    assert system.actions({"stop"}) == (whole.action("stop"),)
    assert system.actions(None) == whole.actions
    [again, waits, take] = system.actions(["take"], bugs=["no-turns"])
    assert (again.name, waits.name, take.name) == ("take_again", "take_waits", "take")
    assert "there is a turn" not in {check.label for check in (*waits.checks, *take.checks)}


def refused(message: str, declare: Callable[[], Any]) -> None:
    """Building must fail with a part of a message, at a line of this file."""
    with pytest.raises(SpecError) as failure:
        declare()
    assert message in str(failure.value)
    assert Path(__file__).name + ":" in str(failure.value)


def test_a_variation_that_no_line_is_marked_with_changes_nothing() -> None:
    refused("bug ISSUE-3 changes nothing in lock", lambda: model_of(Marked, Bug("ISSUE-3", "")))


def test_a_mark_is_for_variations_of_its_kind() -> None:
    refused("'ISSUE-1' is marked with since=, which is for a bug", lambda: model_of(Marked, Hole("ISSUE-1", "")))
    refused("'one-holder' is marked with repairs=, which is for", lambda: model_of(Marked, Bug("one-holder", "")))


def test_two_actions_of_one_name() -> None:
    class Both(Ways):
        @action
        def take_again(s) -> None:
            """Of the name of a way."""
            s.turn = 1

    refused("two actions are named 'take_again'", lambda: model_of(Both))


def test_a_way_without_return_goes_on() -> None:
    def take(s: Any) -> None:
        if case("empty", s.holder.is_none(), "nobody holds it"):
            s.turn = 1
        require(s.is_up, "it is up")

    refused("comes after an assignment", lambda: model_of(part_of(take)))


def test_a_case_in_a_loop() -> None:
    def take(s: Any) -> None:
        turn = 0
        while case("turns", s.turn > turn, f"there are more than {turn}"):
            turn += 1

    refused("a case cannot be in a loop", lambda: model_of(part_of(take)))


def test_the_last_way_can_be_named_too() -> None:
    def take(s: Any) -> None:
        if case("late", s.turn > 2, "it is late"):
            s.turn = 0
            return
        way("early", refuses="EarlyException")
        if either("lost", "the answer is lost"):
            s.turn = 1
            return
        s.turn = 2

    model = model_of(part_of(take))
    assert [one.name for one in model.actions] == ["stop", "take_late", "take_lost", "take_early"]
    assert [one.refuses for one in model.actions[1:]] == [None, "EarlyException", "EarlyException"]
    assert model.action("take_early").doc == ""


def test_a_way_is_named_by_its_last_case_or_by_all_where_that_is_not_enough() -> None:
    def take(s: Any) -> None:
        if case("late", s.turn > 2, "it is late"):
            s.turn = 0
        elif case("early", s.turn == 0, "it is early"):
            s.turn = 1
            return
        if either("lost", "the answer is lost"):
            return
        s.is_up = True

    names = [one.name for one in model_of(part_of(take)).actions]
    assert names == ["stop", "take_late_lost", "take_late", "take_early", "take_lost", "take"]


@pytest.mark.slow
def test_too_many_ways() -> None:
    def take(s: Any) -> None:
        for turn in range(9):
            if case(f"turns_{turn}", s.turn > turn, f"there are more than {turn}"):
                continue

    refused("more than 200 ways through take", lambda: model_of(part_of(take)))


def test_what_an_action_does_depends_on_nothing_outside() -> None:
    calls = iter(range(9))

    def take(s: Any) -> None:
        if case(f"call_{next(calls)}", s.holder.is_none(), "nobody holds it"):
            s.turn = 1

    refused("meets the cases", lambda: model_of(part_of(take)))


def test_a_case_in_an_attempt() -> None:
    def take(s: Any) -> None:
        require(attempt(lambda: case("empty", s.holder.is_none(), "nobody holds it")).possible, "it works")

    refused("case 'empty' is in an attempt", lambda: model_of(part_of(take)))


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda s: case("no name", s.is_up, "it is up"), "a way is named by an identifier"),
        (lambda s: case("up", s.is_up, " "), "a way is labelled in words"),
        (lambda s: case("up", True, "it is"), "has the same value in every state"),  # type: ignore[arg-type]
        (lambda s: repairs(""), "a mark names a hole or a bug"),
        (lambda s: [pick("node", Node), pick("node", Node)], "already has a parameter 'node'"),
        (
            lambda s: pick("node", s.holder),
            "'node' is picked from an index set, its subsets, an enumeration or",
        ),
    ],
)
def test_misuse_of_a_case(step: Callable[[Any], object], message: str) -> None:
    def take(s: Any) -> None:
        step(s)

    refused(message, lambda: model_of(part_of(take)))


def test_either_way_is_open_and_may_follow_effects() -> None:
    def take(s: Any) -> None:
        require(s.is_up, "it is up")
        s.turn = 1
        if either("unanswered", "the answer is lost", refuses="ConnectException"):
            return
        s.turn = 2

    model = model_of(part_of(take))
    lost, taken = model.action("take_unanswered"), model.action("take")
    assert [check.label for check in lost.checks] == [check.label for check in taken.checks] == ["it is up"]
    assert (lost.refuses, taken.refuses) == ("ConnectException", None)
    assert str(lost.effects[0].value) == "1" and str(taken.effects[0].value) == "2"
    assert lost.leaves_open(taken) and not lost.leaves_open(lost)
    ways = model_of(Ways)
    assert not ways.action("take_again").leaves_open(ways.action("take"))


def test_either_in_a_property() -> None:
    def claim(s: Any) -> Any:
        return either("up", "it is up") or s.is_up

    refused("only an action can choose", lambda: model_of(type("Tried", (Lock,), {"claim": invariant(claim)})))


def test_a_case_in_a_property() -> None:
    def claim(s: Any) -> Any:
        return case("up", s.is_up, "it is up")

    refused("is in a property", lambda: model_of(type("Tried", (Lock,), {"claim": invariant(claim)})))
