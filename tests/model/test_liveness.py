"""Leads-to properties under fairness: known protocols, limits, and what a lasso looks like."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import pytest
from tests.model.systems.endless_recovery import CROWDED, NUMBERED, RELATIVE

from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import Verdict
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Part,
    Record,
    System,
    action,
    always_eventually,
    bag,
    eventually_always,
    exists,
    flag,
    forall,
    invariant,
    leads_to,
    members,
    named,
    none,
    number,
    optional,
    ordered,
    per,
    pick,
    reference,
    require,
    transition,
    when,
)
from genstamp_model.liveness import Liveness, judge
from genstamp_model.liveness.emit import Obligation
from genstamp_model.path import Path


def judged(*parts: type[Part], limits: dict[str, int] | None = None, **sizes: int) -> dict[str, Liveness]:
    """Every leads-to of a system, by name."""
    configuration = Configuration("one", sizes=sizes, limits=limits or {})
    system = System("tried", parts=list(parts), configurations=[configuration])
    return {one.claim.name: one for one in judge(system.instance())}


def calls(steps: Sequence[object]) -> list[str]:
    """Names of the actions of some steps."""
    return [step.action.name for step in steps]  # type: ignore[attr-defined]


# Known protocols.


class Process(Index, unnamed="Other"):
    """Two processes with names."""

    LEFT = named()
    RIGHT = named()


class Rival(Index):
    """A process without a name."""


class Peterson(Part):
    """Peterson's lock for two: say that you want to, let the other one go first, wait until it does not or may not."""

    wants = per(Process, flag())
    waiting = members(Process)
    inside = members(Process)
    first = reference(Process)

    def _rival(s, process: Process) -> Any:
        return when(process == Process.LEFT, Process.RIGHT, Process.LEFT)

    @action
    def want(s, process: Process) -> None:
        require((process == Process.LEFT) | (process == Process.RIGHT), "it is one of the two")
        require(~s.wants[process], "it did not want to")
        s.wants[process] = True

    @action
    def give_way(s, process: Process) -> None:
        require(s.wants[process] & ~s.waiting.has(process) & ~s.inside.has(process), "it has just said so")
        s.first = s._rival(process)
        s.waiting.add(process)

    @action
    def enter(s, process: Process) -> None:
        require(s.waiting.has(process), "it waits")
        require(~s.wants[s._rival(process)] | (s.first == process), "the other one does not want to, or lets it")
        s.waiting.remove(process)
        s.inside.add(process)

    @action
    def leave(s, process: Process) -> None:
        require(s.inside.has(process), "it is inside")
        s.inside.remove(process)
        s.wants[process] = False

    @leads_to(fair=("give_way", "enter", "leave"))
    def whoever_wants_gets_in(s, process: Process) -> tuple[Bool, Bool]:
        return s.wants[process], s.inside.has(process)

    @leads_to(fair=("give_way", "enter"))
    def without_leaving(s, process: Process) -> tuple[Bool, Bool]:
        return s.wants[process], s.inside.has(process)

    @leads_to()
    def without_fairness(s, process: Process) -> tuple[Bool, Bool]:
        return s.wants[process], s.inside.has(process)


class NeverGivesWay(Peterson):
    """Peterson's lock without the courtesy: whoever is first stays first."""

    @action
    def give_way(s, process: Process) -> None:
        require(s.wants[process] & ~s.waiting.has(process) & ~s.inside.has(process), "it has just said so")
        s.waiting.add(process)


def test_petersons_lock_starves_nobody_if_everyone_goes_on() -> None:
    found = judged(Peterson, Other=1)
    assert found["whoever_wants_gets_in"].verdict is Verdict.HOLDS
    assert found["whoever_wants_gets_in"].lasso is None
    assert found["whoever_wants_gets_in"].pending > 0


def test_whoever_never_leaves_starves_the_other_one() -> None:
    lasso = judged(Peterson, Other=1)["without_leaving"].lasso
    assert lasso is not None
    assert calls(lasso.cycle.steps) == []
    inside, wants = lasso.prefix.states[-1][2], lasso.prefix.states[-1][0]
    assert len(inside) == 1  # type: ignore[arg-type]
    assert sum(wants) == 2  # type: ignore[arg-type]


def test_without_fairness_a_behaviour_stops_anywhere() -> None:
    lasso = judged(Peterson, Other=1)["without_fairness"].lasso
    assert lasso is not None
    assert (calls(lasso.prefix.steps), calls(lasso.cycle.steps), lasso.owed) == (["want"], [], 1)
    assert list(lasso.lines())[-1] == "it stays here for ever, with without_fairness(process LEFT) owed since step 1"


def test_a_lock_that_favours_one_starves_the_other() -> None:
    found = judged(NeverGivesWay, Other=1)["whoever_wants_gets_in"]
    assert found.verdict is Verdict.VIOLATED
    assert found.lasso is not None
    loser = found.lasso.obligation.members
    assert {step.arguments for step in found.lasso.cycle.steps}.isdisjoint({loser})


class Semaphore(Part):
    """Whoever finds it free takes it."""

    taken = optional(Rival)

    @action
    def take(s, rival: Rival) -> None:
        require(s.taken.is_none(), "it is free")
        s.taken = rival

    @action
    def give_back(s, rival: Rival) -> None:
        require(s.taken == rival, "it has it")
        s.taken = none

    @leads_to(fair=("take", "give_back"))
    def weakly(s, rival: Rival) -> tuple[Bool, Bool]:
        return s.taken != rival, s.taken == rival

    @leads_to(fair=("give_back",), strongly_fair=("take",))
    def strongly(s, rival: Rival) -> tuple[Bool, Bool]:
        return s.taken != rival, s.taken == rival

    @leads_to(strongly_fair=("take",))
    def strongly_if_it_is_given_back(s, rival: Rival) -> tuple[Bool, Bool]:
        return s.taken != rival, s.taken == rival


def test_weak_fairness_does_not_do_for_a_semaphore_and_strong_fairness_does() -> None:
    found = judged(Semaphore, Rival=3)
    assert {name: one.verdict for name, one in found.items()} == {
        "weakly": Verdict.VIOLATED,
        "strongly": Verdict.HOLDS,
        "strongly_if_it_is_given_back": Verdict.VIOLATED,
    }
    starved = found["weakly"].lasso
    assert starved is not None
    # The others take turns: each of them is enabled again and again, and so has to be served.
    assert sorted(calls(starved.cycle.steps)) == ["give_back", "take"]
    kept = found["strongly_if_it_is_given_back"].lasso
    assert kept is not None
    assert (calls(kept.prefix.steps), calls(kept.cycle.steps)) == (["take"], [])


def test_a_lasso_is_told_with_why_it_is_fair() -> None:
    lasso = judged(Semaphore, Rival=2)["weakly"].lasso
    assert lasso is not None
    assert list(lasso.lines()) == [
        "for ever, with weakly(rival rival1) owed from the start:",
        "  1. take(rival rival2)",
        "       taken: none -> rival2",
        "  2. give_back(rival rival2)",
        "       taken: rival2 -> none",
        "and again from step 1",
        "fair to take(rival rival1): not possible after step 1",
        "fair to take(rival rival2): taken in step 1",
        "fair to give_back(rival rival2): taken in step 2",
    ]


class Again(Semaphore):
    """What holds again and again, for good, or only if something else holds again and again."""

    @always_eventually(fair=("take", "give_back"))
    def is_free_again(s) -> Bool:
        return s.taken.is_none()

    @always_eventually(fair=("take", "give_back"))
    def everybody_gets_it_again(s, rival: Rival) -> Bool:
        return s.taken == rival

    @eventually_always()
    def is_kept(s) -> Bool:
        return ~s.taken.is_none()

    @eventually_always(strongly_fair=("take",))
    def is_kept_by_somebody(s) -> Bool:
        return exists(Rival, lambda rival: s.taken == rival)

    @leads_to()
    def is_given_back_if_it_is_free_again(s, rival: Rival) -> tuple[Bool, Bool, Bool]:
        return s.taken == rival, s.taken.is_none(), s.taken.is_none()

    @leads_to(fair=("take",))
    def is_taken_by_this_one_if_by_others(s, rival: Rival) -> tuple[Bool, Bool, Bool]:
        return s.taken.is_none(), s.taken == rival, ~(s.taken == rival) & ~s.taken.is_none()


def test_what_holds_again_and_again_or_for_good_is_judged() -> None:
    found = judged(Again, Rival=2)
    assert {name: one.verdict for name, one in found.items() if name in vars(Again)} == {
        "is_free_again": Verdict.HOLDS,
        "everybody_gets_it_again": Verdict.VIOLATED,
        "is_kept": Verdict.VIOLATED,
        "is_kept_by_somebody": Verdict.VIOLATED,
        "is_given_back_if_it_is_free_again": Verdict.HOLDS,
        "is_taken_by_this_one_if_by_others": Verdict.VIOLATED,
    }


def test_a_lasso_says_where_holds_again_what_must() -> None:
    kept = judged(Again, Rival=2)["is_kept_by_somebody"].lasso
    assert kept is not None
    assert sorted(calls(kept.cycle.steps)) == ["give_back", "give_back", "take", "take"]
    assert list(kept.lines())[-1].endswith("holds again and again: after step 0")
    lasso = judged(Again, Rival=2)["is_taken_by_this_one_if_by_others"].lasso
    assert lasso is not None
    stays = replace(lasso, prefix=Path(lasso.cycle.instance, lasso.prefix.initial), owed=0)
    stays = replace(stays, cycle=Path(lasso.cycle.instance, lasso.prefix.initial), fair=())
    with pytest.raises(AssertionError, match="does not hold again and again"):
        stays.check()


def test_a_limit_leaves_open_what_holds_for_good() -> None:
    class Rising(Part):
        stamp = ordered(limit="stamps")

        @action
        def draw(s) -> None:
            s.stamp = s.stamp + 1

        @eventually_always(fair=("draw",))
        def is_high(s) -> Bool:
            return s.stamp >= 2

    system = System("rising", parts=[Rising], configurations=[Configuration("one", {}, limits={"stamps": 4})])
    for renumber in (False, True):
        [found] = judge(system.instance(), renumber=renumber)
        assert found.verdict is not Verdict.VIOLATED, "the constant 2 keeps its meaning where numbers are renumbered"


def test_evaluate_notices_a_lasso_that_is_none() -> None:
    lasso = judged(Semaphore, Rival=2)["weakly"].lasso
    assert lasso is not None
    lasso.check()
    cycle = lasso.cycle
    half = Path(cycle.instance, cycle.initial, cycle.steps[:1])
    stays = Path(cycle.instance, cycle.initial)
    behind = Path(cycle.instance, cycle.states[1], (cycle.steps[1], cycle.steps[0]))
    served = Obligation(lasso.obligation.claim, (1,))
    strong = tuple(replace(one, strong=True) for one in lasso.fair)
    for wrong, why in (
        (replace(lasso, cycle=half), "the cycle is not closed"),
        (replace(lasso, renumbered=True), "the cycle is not closed"),
        (replace(lasso, cycle=stays), "which is possible all the time"),
        (replace(lasso, cycle=behind), "the cycle does not begin where the prefix ends"),
        (replace(lasso, prefix=behind), "does not begin in an initial state"),
        (replace(lasso, obligation=served), "what is owed is done"),
        (replace(lasso, fair=strong), "which is strongly fair"),
    ):
        with pytest.raises(AssertionError, match=why):
            wrong.check()


def test_a_recovery_that_is_overtaken_again_and_again_never_closes_the_file() -> None:
    for configuration in ("one", "two", "three"):
        [repaired] = judge(RELATIVE.instance(configuration))
        assert repaired.verdict is Verdict.HOLDS
        [found] = judge(RELATIVE.instance(configuration, bugs=["HDFS-11576"]))
        assert found.verdict is Verdict.VIOLATED
        assert found.lasso is not None
        names = calls(found.lasso.cycle.steps)
        assert set(names) == {"command_recovery", "begin_recovery", "commit_block_synchronization"}
        assert all(state[0] is False for state in found.lasso.cycle.states), "the file is closed"


def test_a_recovery_that_is_overtaken_needs_more_recoveries_than_any_limit() -> None:
    [repaired] = judge(NUMBERED.instance("two"))
    assert repaired.verdict is Verdict.HOLDS
    [found] = judge(NUMBERED.instance("two", bugs=["HDFS-11576"]))
    assert found.verdict is Verdict.UNDETERMINED
    assert found.reason.startswith("what happens beyond limit recoveries is not known, and closes can be owed there")
    assert found.cut is not None
    assert found.cut.states[-1][1] == 5


def test_a_recovery_that_is_overtaken_is_a_lasso_whose_ids_rise() -> None:
    for configuration in ("one", "two"):
        [repaired] = judge(NUMBERED.instance(configuration), renumber=True)
        assert repaired.verdict is Verdict.HOLDS
        [found] = judge(NUMBERED.instance(configuration, bugs=["HDFS-11576"]), renumber=True)
        assert found.verdict is Verdict.VIOLATED
        assert found.lasso is not None
        assert found.lasso.renumbered
        first, last = found.lasso.cycle.initial, found.lasso.cycle.states[-1]
        assert (first[0], last[0]) == (False, False), "the file is closed"
        assert first[1] < last[1]  # type: ignore[operator]
    [found] = judge(NUMBERED.instance("one", bugs=["HDFS-11576"]), renumber=True)
    assert found.lasso is not None
    assert list(found.lasso.lines()) == [
        "  1. command_recovery(dn datanode1)",
        "       recovery_id: 0 -> 1",
        "       commanded[datanode1]: 0 -> 1",
        "for ever, with closes owed since step 1:",
        "  2. begin_recovery(dn datanode1)",
        "       commanded[datanode1]: 1 -> 0",
        "       at_work[datanode1]: 0 -> 1",
        "  3. command_recovery(dn datanode1)",
        "       recovery_id: 1 -> 2",
        "       commanded[datanode1]: 0 -> 2",
        "  4. commit_block_synchronization(dn datanode1)",
        "       at_work[datanode1]: 1 -> 0",
        "and again from step 2, with higher numbers",
        "fair to command_recovery(dn datanode1): taken in step 3",
        "fair to begin_recovery(dn datanode1): taken in step 2",
        "fair to commit_block_synchronization(dn datanode1): taken in step 4",
    ]


def test_a_limit_may_also_bound_how_many_numbers_there_are_at_once() -> None:
    [found] = judge(CROWDED.instance("one"), renumber=True)
    assert found.verdict is Verdict.UNDETERMINED
    assert found.reason.startswith("what happens beyond limit recoveries is not known")
    assert found.cut is not None
    assert calls(found.cut.steps) == ["command_recovery", "begin_recovery"]


# What fairness is of.


class Letter(Record):
    kind = number(0, 1)


class Post(Part):
    """Two letters that arrive again and again, in any order."""

    post = bag(Letter, limit="letters")
    is_sent = flag()
    is_read = flag()
    even = flag()

    @action
    def send(s) -> None:
        require(~s.is_sent, "nothing was sent")
        s.is_sent = True
        s.post.send(Letter(kind=0))
        s.post.send(Letter(kind=1))

    @action
    def receive(s) -> None:
        letter = s.post.receive()
        s.is_read = s.is_read | (letter.kind == 1)
        s.even = ~s.even

    @leads_to(fair=("receive",))
    def the_important_one_is_read(s) -> tuple[Bool, Bool]:
        return s.is_sent, s.is_read

    @leads_to(fair=("receive",))
    def one_is_read(s) -> tuple[Bool, Bool]:
        return s.is_sent & ~s.even, s.even


def test_fairness_is_not_of_each_message() -> None:
    found = judged(Post, limits={"letters": 2})
    assert found["one_is_read"].verdict is Verdict.HOLDS
    assert found["the_important_one_is_read"].verdict is Verdict.VIOLATED
    lasso = found["the_important_one_is_read"].lasso
    assert lasso is not None
    assert calls(lasso.cycle.steps) == ["receive", "receive"]
    assert list(lasso.lines())[-1] == "fair to receive(any message of post): taken in step 2"


def test_fairness_is_of_each_member() -> None:
    class Lamps(Part):
        lit = members(Rival)
        ticks = flag()

        @action
        def light(s, rival: Rival) -> None:
            s.lit.add(rival)

        @action
        def light_any(s) -> None:
            s.lit.add(s.chosen)

        chosen = reference(Rival)

        @action
        def tick(s) -> None:
            s.ticks = ~s.ticks

        @leads_to(fair=("light",))
        def each_is_lit(s, rival: Rival) -> tuple[Bool, Bool]:
            return ~s.lit.has(rival), s.lit.has(rival)

        @leads_to(fair=("light_any", "tick"))
        def the_chosen_one_only(s, rival: Rival) -> tuple[Bool, Bool]:
            return ~s.lit.has(rival), s.lit.has(rival)

    found = judged(Lamps, Rival=3)
    assert found["each_is_lit"].verdict is Verdict.HOLDS
    assert found["the_chosen_one_only"].verdict is Verdict.VIOLATED
    assert found["the_chosen_one_only"].lasso is not None
    assert found["the_chosen_one_only"].lasso.obligation.members == (1,)


def test_a_step_that_changes_nothing_neither_counts_as_enabled_nor_as_taken() -> None:
    class Idle(Part):
        on = flag()
        done = flag()

        @action
        def idle(s) -> None:
            """Possible everywhere, and never changes anything."""
            s.on = s.on | False

        @action
        def finish(s) -> None:
            """Changes something only if there is something to do."""
            s.done = s.done | s.on

        @leads_to(fair=("idle", "finish"))
        def finishes(s) -> tuple[Bool, Bool]:
            return ~s.done, s.done

    lasso = judged(Idle)["finishes"].lasso
    assert lasso is not None
    assert (len(lasso.prefix), len(lasso.cycle)) == (0, 0)


def test_there_may_be_more_fair_instances_than_bits_in_a_word() -> None:
    class Ring(Part):
        """A token that whoever has it hands to anybody else, and that is lost in the end."""

        at = reference(Rival)
        lost = flag()

        @action
        def hand_over(s, giver: Rival, taker: Rival) -> None:
            require((s.at == giver) & ~s.lost, "it has the token")
            s.at = taker

        @action
        def lose(s) -> None:
            s.lost = True

        @leads_to(fair=("hand_over",))
        def weakly(s) -> tuple[Bool, Bool]:
            return ~s.lost, s.lost

        @leads_to(fair=("hand_over", "lose"))
        def is_lost(s) -> tuple[Bool, Bool]:
            return ~s.lost, s.lost

        @leads_to(strongly_fair=("hand_over",))
        def strongly(s, rival: Rival) -> tuple[Bool, Bool]:
            return s.at != rival, s.at == rival

    found = judged(Ring, Rival=10)
    assert found["weakly"].verdict is Verdict.VIOLATED
    assert found["is_lost"].verdict is Verdict.HOLDS
    assert found["strongly"].verdict is Verdict.VIOLATED, "the token may be lost before"
    assert found["strongly"].lasso is not None
    assert calls(found["strongly"].lasso.prefix.steps)[-1] == "lose"


# Limits.


class Counter(Part):
    """Counts up to a limit; what is fair decides what is known."""

    value = number(limit="value")
    stopped = flag()

    @action
    def count(s) -> None:
        require(~s.stopped, "it goes on")
        s.value = s.value + 1

    @action
    def start_again(s) -> None:
        require(~s.stopped, "it goes on")
        s.value = 0

    @action
    def stop(s) -> None:
        require(s.value > 10, "it is far enough")
        s.stopped = True

    @leads_to()
    def unfair(s) -> tuple[Bool, Bool]:
        return ~s.stopped, s.stopped

    @leads_to(fair=("count",))
    def counts(s) -> tuple[Bool, Bool]:
        return s.value == 3, s.stopped

    @leads_to(strongly_fair=("count",))
    def counts_strongly(s) -> tuple[Bool, Bool]:
        return s.value == 3, s.stopped | (s.value == 0)

    @leads_to(fair=("count",))
    def comes_to_two(s) -> tuple[Bool, Bool]:
        return (s.value < 2) & ~s.stopped, s.value == 2

    @leads_to(fair=("stop",))
    def far_enough(s) -> tuple[Bool, Bool]:
        return s.value > 10, s.stopped


def test_a_behaviour_that_ends_at_a_limit_is_not_known() -> None:
    found = judged(Counter, limits={"value": 3})
    # A lasso within the limits is one, whatever is beyond.
    assert found["unfair"].verdict is Verdict.VIOLATED
    # Counting on and starting again for ever treats `count` fairly.
    assert found["counts"].verdict is Verdict.VIOLATED
    assert found["counts"].lasso is not None
    assert "start_again" in calls(found["counts"].lasso.cycle.steps)
    # Only what is beyond the limit would tell: `count` is enabled there, although it is cut off.
    assert found["counts_strongly"].verdict is Verdict.UNDETERMINED
    assert found["counts_strongly"].cut is not None
    assert calls(found["counts_strongly"].cut.steps) == ["count", "count", "count"]
    # The obligation never reaches the limit, or does not arise within it.
    assert found["comes_to_two"].verdict is Verdict.VIOLATED, "it may start again for ever"
    assert (found["far_enough"].verdict, found["far_enough"].pending) == (Verdict.HOLDS, 0)


def test_what_is_done_before_a_limit_holds() -> None:
    class Forward(Counter):
        @action
        def start_again(s) -> None:
            require(s.stopped, "never where it matters")
            s.stopped = True

    found = judged(Forward, limits={"value": 3})
    assert found["comes_to_two"].verdict is Verdict.HOLDS
    assert found["counts"].verdict is Verdict.UNDETERMINED


def test_a_search_that_does_not_end_tells_nothing() -> None:
    system = System("tried", parts=[Counter], configurations=[Configuration("one", sizes={}, limits={"value": 9})])
    found = judge(system.instance(), max_states=5)
    assert {one.verdict for one in found} == {Verdict.UNDETERMINED}
    assert found[0].reason == "there are more than 5 states"


@pytest.mark.parametrize("module", ["graph", "judging"])
def test_what_does_not_fit_into_memory_is_not_known(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"genstamp_model.liveness.{module}.available_bytes", lambda: 100)
    [found] = judge(RELATIVE.instance("two"))
    assert (found.verdict, found.reason) == (Verdict.UNDETERMINED, "the memory is used up")


def test_a_step_that_goes_wrong_leaves_it_open() -> None:
    class Wrong(Part):
        depth = number(0, 2)

        @action
        def dig(s) -> None:
            s.depth = s.depth + 1

        @leads_to(fair=("dig",))
        def deep(s) -> tuple[Bool, Bool]:
            return s.depth == 0, s.depth == 2

    found = judged(Wrong)["deep"]
    assert (found.verdict, found.reason) == (
        Verdict.UNDETERMINED,
        "a step goes wrong before all states are found",
    )


def test_a_leads_to_is_judged_although_an_invariant_breaks() -> None:
    class Broken(Semaphore):
        @invariant
        def nobody(s) -> Bool:
            return forall(Rival, lambda rival: s.taken != rival)

        @transition
        def nothing_changes(s, t: Self) -> Bool:
            return forall(Rival, lambda rival: (s.taken == rival).implies(t.taken == rival))

    assert judged(Broken, Rival=2)["strongly"].verdict is Verdict.HOLDS


def test_symmetry_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="cannot be checked with symmetry"):
        judge(RELATIVE.instance("one"), symmetry=True)


def test_a_system_without_leads_to_has_nothing_to_judge() -> None:
    class Plain(Part):
        value = number(0, 3)

        @action
        def guess(s) -> None:
            s.value = pick("value", 0, 3)

    assert judged(Plain) == {}


def test_progress_is_told() -> None:
    told: list[str] = []
    judge(RELATIVE.instance("two"), progress=lambda doing, states: told.append(doing))
    assert list(dict.fromkeys(told)) == ["indexing", "judging", "pending", "components"]
