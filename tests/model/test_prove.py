"""What `prove` proves, what it refuses to, and the steps that it shows."""

import random
from typing import Self

import pytest
from tests.model.random_values import random_state
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.two_phase import EAGER_COMMIT, Rm, RmState, TwoPhase
from tests.model.systems.two_phase_proof import TWO_PHASE_PROOF

from genstamp_model.evaluate import Evaluator
from genstamp_model.expand import from_cells, to_cells
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Instance,
    Number,
    Part,
    Record,
    SpecError,
    System,
    action,
    bag,
    exists,
    flag,
    invariant,
    limit,
    number,
    ordered,
    per,
    record,
    reference,
    require,
    sequence,
    transition,
    witness,
)
from genstamp_model.prove import Proof, Report, Verdict, prove
from genstamp_model.prove.encoding import Encoding
from genstamp_model.prove.relevance import relevant, shown
from genstamp_model.prove.reliance import RANGES


def instance_of(part: type[Part], sizes: dict[str, int] | None = None, **limits: int) -> Instance:
    """One part as a system in one configuration."""
    return Instance(
        System("tried", parts=[part], configurations=[]).model(), Configuration("small", sizes or {}, limits)
    )


def story(proof: Proof) -> list[str]:
    """The step that breaks a property, as shown."""
    assert proof.broken_by is not None
    return proof.broken_by.lines()


def verdicts(report: Report) -> dict[str, Verdict]:
    return {proof.name: proof.verdict for proof in report.proofs}


class Node(Index):
    """A node."""


# Two-phase commit.


@pytest.mark.parametrize("configuration", ["three", "nine"])
def test_two_phase_commit_is_consistent(configuration: str) -> None:
    report = prove(TWO_PHASE_PROOF.instance(configuration))
    assert set(verdicts(report).values()) == {Verdict.PROVED}
    assert report.verdict is Verdict.PROVED
    assert list(verdicts(report)) == [
        RANGES,
        "consistent",
        "one_decision",
        "committed_when_told",
        "prepared_are_heard_of",
        "prepared_do_not_give_up",
        "nobody_aborts_after_commit",
    ]


def test_table_has_a_row_for_the_start_and_for_each_action() -> None:
    report = prove(TWO_PHASE_PROOF.instance("three"))
    rows = report.proof("prepared_are_heard_of").obligations
    assert [row.action for row in rows] == [
        None,
        "tm_commit",
        "tm_abort",
        "tm_receive_prepared",
        "rm_prepare",
        "rm_choose_to_abort",
        "rm_receive_commit",
        "rm_receive_abort",
    ]
    assert {row.verdict for row in rows} == {Verdict.PROVED}
    assert all(row.milliseconds >= 0 for row in rows)


def test_step_that_changes_nothing_the_property_reads_keeps_it_trivially() -> None:
    rows = {
        row.action: row for row in prove(TWO_PHASE_PROOF.instance("three")).proof("committed_when_told").obligations
    }
    assert (rows["tm_abort"].choices, rows["tm_abort"].trivial) == (1, 1)
    assert (rows["rm_receive_commit"].choices, rows["rm_receive_commit"].trivial) == (3, 0)


def test_property_that_holds_but_is_not_inductive_gives_a_step_from_an_unreachable_state() -> None:
    class Alone(TwoPhase):
        @invariant(inductive=True)
        def consistent(s) -> Bool:
            committed = exists(Rm, lambda rm: s.rm[rm].at(RmState.COMMITTED))
            return ~(committed & exists(Rm, lambda rm: s.rm[rm].at(RmState.ABORTED)))

    instance = instance_of(Alone, {"Rm": 2})
    report = prove(instance)
    proof = report.proof("consistent")
    assert report.verdict is proof.verdict is Verdict.VIOLATED
    assert [row.action for row in proof.obligations if row.verdict is Verdict.VIOLATED] == [
        "rm_choose_to_abort",
        "rm_receive_commit",
        "rm_receive_abort",
    ]
    assert story(proof)[:3] == [
        "before: rm[rm2] is COMMITTED",
        "step: rm_choose_to_abort(rm rm1)",
        "rm[rm1]: WORKING -> ABORTED",
    ]
    assert story(proof)[3].startswith("fails: consistent: ")
    assert_breaks(instance, proof)


def assert_breaks(instance: Instance, proof: Proof) -> None:
    """That evaluate takes the step, and the property holds before it and not after it."""
    evaluator, broken = Evaluator(instance), proof.broken_by
    assert broken is not None
    assert broken.action is not None
    claim = instance.model.property(proof.name)
    assert evaluator.first_failing(broken.action, broken.arguments, broken.before) is None
    after = evaluator.apply(broken.action, broken.arguments, broken.before)
    assert after == broken.after
    if claim.kind == "transition":
        assert not evaluator.holds(claim, broken.before, after)
    else:
        assert evaluator.holds(claim, broken.before)
        assert not evaluator.holds(claim, after)


def test_what_a_bug_breaks_is_not_proved() -> None:
    class Eager(TWO_PHASE_PROOF.parts[0]):  # type: ignore[misc, name-defined]
        """The system with its bug."""

    system = System("eager", parts=[Eager], configurations=TWO_PHASE_PROOF.configurations, bugs=[EAGER_COMMIT])
    report = prove(system.instance("three", bugs=["eager-commit"]))
    assert report.verdict is Verdict.VIOLATED
    assert report.proof("nobody_aborts_after_commit").verdict is Verdict.VIOLATED


# Numbers, limits and ranges.


class Counter(Part):
    """A counter that a configuration limits, and one that the protocol bounds."""

    stamp = ordered(limit="stamps")
    shown = per(Node, ordered(limit="stamps"))
    tries = number(0, 3)

    @action
    def draw(s, node: Node) -> None:
        s.stamp = s.stamp + 1
        s.shown[node] = s.stamp

    @action
    def retry(s) -> None:
        require(s.tries < 3, "tries are left")
        s.tries = s.tries + 1


def test_stamps_never_decrease_however_large() -> None:
    class Claims(Counter):
        @transition(inductive=True)
        def stamp_never_decreases(s, t: Self) -> Bool:
            return s.stamp <= t.stamp

        @transition(inductive=True, given=("shown_are_drawn",))
        def shown_only_rises(s, t: Self, node: Node) -> Bool:
            return s.shown[node] <= t.shown[node]

        @invariant(inductive=True)
        def shown_are_drawn(s, node: Node) -> Bool:
            return s.shown[node] <= s.stamp

    report = prove(instance_of(Claims, {"Node": 2}, stamps=2))
    assert report.verdict is Verdict.PROVED
    assert None not in [row.action for row in report.proof("stamp_never_decreases").obligations]


def test_transition_property_that_some_step_breaks_is_shown() -> None:
    class Claims(Counter):
        @transition(inductive=True)
        def shown_only_rises(s, t: Self, node: Node) -> Bool:
            return s.shown[node] <= t.shown[node]

    instance = instance_of(Claims, {"Node": 2}, stamps=2)
    proof = prove(instance).proof("shown_only_rises")
    assert story(proof) == [
        "before: shown[node1] is 2",
        "step: draw(node node1)",
        "stamp: 0 -> 1",
        "shown[node1]: 2 -> 1",
        "fails: shown_only_rises: shown[node] <= shown'[node] is false for node node1, "
        "where shown[node] = 2, shown'[node] = 1",
        "only this matters: stamp is 0, shown[node1] is 2",
    ]
    assert_breaks(instance, proof)


def test_step_is_shown_from_a_state_near_the_initial_one() -> None:
    class Claims(Part):
        one = number(limit="n", initially=5)
        other = number(limit="n")
        third = number(limit="n")
        fourth = number(limit="n")
        fallen = flag()

        @action
        def fall(s) -> None:
            require(s.one + s.other == 105, "together they are 105")
            require((s.third == 700) | (s.third == 3), "the third is 3 or 700")
            require((s.fourth == 2) | (s.fourth == 900), "the fourth is 2 or 900")
            s.fallen = True

        @invariant(inductive=True)
        def never_fallen(s) -> Bool:
            return ~s.fallen

    assert story(prove(instance_of(Claims, n=5)).proof("never_fallen")) == [
        "before: other is 100",
        "before: third is 3",
        "before: fourth is 2",
        "step: fall()",
        "fallen: false -> true",
        "fails: never_fallen: ~fallen is false, where fallen = true",
        "only this matters: one is 5, other is 100, third is 3, fourth is 2",
    ]


class Falls(Part):
    """What must never fall can fall from one number that is far off, or from two others that are not."""

    one = number(limit="n")
    other = number(limit="n")
    third = number(limit="n")
    fallen = flag()

    @action
    def fall(s) -> None:
        require((s.one == 700) | ((s.other == 1) & (s.third == 1)), "the first alone, or both others")
        s.fallen = True

    @invariant(inductive=True)
    def never_fallen(s) -> Bool:
        return ~s.fallen


class Slips(Part):
    """What must never fall falls from any number that is large enough."""

    one = number(limit="n")
    other = number(limit="n")
    fallen = flag()

    @action
    def slip(s) -> None:
        require((s.one * 3 >= 1000) & (s.other < 1), "high enough")
        s.fallen = True

    @invariant(inductive=True)
    def never_fallen(s) -> Bool:
        return ~s.fallen


def test_step_is_shown_from_a_state_in_which_the_fewest_things_differ() -> None:
    assert story(prove(instance_of(Falls, n=3)).proof("never_fallen"))[:2] == ["before: one is 700", "step: fall()"]


def test_step_is_shown_from_the_smallest_number_though_it_is_far() -> None:
    lines = story(prove(instance_of(Slips, n=3)).proof("never_fallen"))
    assert lines[:2] == ["before: one is 334", "step: slip()"]
    assert lines[-1] == "only this matters: one is 334, other is 0"


def test_what_matters_of_a_state_is_enough_for_the_step_to_break_the_property() -> None:
    class Alone(TwoPhase):
        @invariant
        def uniform(s) -> Bool:
            committed = exists(Rm, lambda rm: s.rm[rm].at(RmState.COMMITTED))
            return ~(committed & exists(Rm, lambda rm: s.rm[rm].at(RmState.ABORTED)))

    instance = instance_of(Alone, {"Rm": 2})
    encoding, evaluator, draw = Encoding(instance), Evaluator(instance), random.Random(4)
    claim = instance.model.property("uniform")
    [step] = [s for s in encoding.steps if s.action.name == "rm_choose_to_abort" and s.arguments == (0,)]
    before = evaluator.initial()
    values = to_cells(instance, ((0, 2), *before[1:]))
    core = relevant(encoding, step, values, encoding.claim(claim))
    assert [shown(instance, i, values[i]) for i in core] == ["rm[rm1] is WORKING", "rm[rm2] is COMMITTED"]
    for _ in range(50):
        cells = to_cells(instance, random_state(instance, draw))
        for i in core:
            cells[i] = values[i]
        state = from_cells(instance, cells)
        assert evaluator.first_failing(step.action, (0,), state) is None
        assert not evaluator.holds(claim, evaluator.apply(step.action, (0,), state))


def test_limits_are_not_guards() -> None:
    class Claims(Counter):
        @limit("draws")
        def drawn(s) -> Number:
            return s.tries + 0

        @invariant(inductive=True)
        def within_the_limit(s) -> Bool:
            return s.stamp <= 2

        @invariant(inductive=True)
        def within_the_declared_limit(s) -> Bool:
            return s.tries < 2

    report = prove(instance_of(Claims, {"Node": 1}, stamps=2, draws=1))
    assert story(report.proof("within_the_limit")) == [
        "before: stamp is 2",
        "step: draw(node node1)",
        "stamp: 2 -> 3",
        "shown[node1]: 0 -> 3",
        "fails: within_the_limit: stamp <= 2 is false, where stamp = 3",
        "only this matters: stamp is 2",
    ]
    assert report.proof("within_the_declared_limit").verdict is Verdict.VIOLATED


def test_ranges_are_proved_for_every_action() -> None:
    report = prove(instance_of(Counter, {"Node": 1}, stamps=2))
    assert [row.action for row in report.proof(RANGES).obligations] == [None, "draw", "retry"]
    assert report.verdict is Verdict.PROVED


def test_bug_that_lets_a_number_out_of_its_range_is_found_in_a_system_of_every_form() -> None:
    assert prove(EVERY_FORM.instance("tiny")).verdict is Verdict.PROVED
    report = prove(EVERY_FORM.instance("tiny", bugs=["overpaid"]))
    assert [row.action for row in report.proof(RANGES).obligations if row.verdict is Verdict.VIOLATED] == ["settle"]


def test_action_that_no_state_enables_is_said_to_be_so() -> None:
    report = prove(EVERY_FORM.instance("tiny"))
    [row] = [row for row in report.proof(RANGES).obligations if row.action == "exchange_orders"]
    assert (row.verdict, row.choices) == (Verdict.PROVED, 0)
    [line] = [line for line in report.lines() if "exchange_orders" in line]
    assert line.endswith("kept by exchange_orders, which no state enables")


def test_number_that_leaves_its_range_is_shown_and_nothing_rests_on_it() -> None:
    class Careless(Counter):
        @action
        def try_at_any_time(s) -> None:
            s.tries = s.tries + 1

        @invariant(inductive=True)
        def shown_are_drawn(s, node: Node) -> Bool:
            return s.shown[node] <= s.stamp

    report = prove(instance_of(Careless, {"Node": 1}, stamps=2))
    lines = story(report.proof(RANGES))
    assert lines[:2] == ["before: tries is 3", "step: try_at_any_time()"]
    assert "outside 0..3" in lines[-2]
    assert lines[-1] == "only this matters: tries is 3"
    drawn = report.proof("shown_are_drawn")
    assert (drawn.verdict, drawn.reason) == (Verdict.UNDETERMINED, f"it relies on '{RANGES}', which is not proved")
    assert report.verdict is Verdict.VIOLATED


def test_ranges_may_rest_on_invariants_that_are_proved_with_them() -> None:
    class Careful(Part):
        tries = number(0, 3)
        spent = flag()

        @action
        def attempt(s) -> None:
            require(~s.spent, "tries are left")
            s.spent = s.tries >= 2
            s.tries = s.tries + 1

        @invariant(inductive=True)
        def spent_at_three(s) -> Bool:
            return (s.tries < 3) | s.spent

        @invariant(inductive=True)
        def no_four(s) -> Bool:
            return s.tries < 4

    report = prove(instance_of(Careful))
    assert report.proof(RANGES).given == ("spent_at_three",)
    assert report.verdict is Verdict.PROVED


def test_range_that_rests_on_a_broken_invariant_proves_nothing() -> None:
    class Careless(Part):
        tries = number(0, 3)
        spent = flag()

        @action
        def attempt(s) -> None:
            require(~s.spent, "tries are left")
            s.spent = s.tries >= 2
            s.tries = s.tries + 1

        @action
        def forget(s) -> None:
            s.spent = False

        @invariant(inductive=True)
        def spent_at_three(s) -> Bool:
            return (s.tries < 3) | s.spent

        @invariant(inductive=True)
        def no_four(s) -> Bool:
            return s.tries <= 4

    assert verdicts(prove(instance_of(Careless))) == {
        RANGES: Verdict.UNDETERMINED,
        "spent_at_three": Verdict.VIOLATED,
        "no_four": Verdict.UNDETERMINED,
    }


# What properties may rely on.


class Pair(Part):
    """Two counters that keep in step."""

    one = number(limit="count")
    other = number(limit="count")

    @action
    def both(s) -> None:
        require(s.one == s.other, "they are in step")
        s.one = s.one + 1
        s.other = s.other + 1

    @action
    def skip(s) -> None:
        require(s.one > s.other, "one is ahead")
        s.other = s.other + 2


class Mirror(Part):
    """Two numbers that are copied to and fro; as long as both are 0, both stay so."""

    one = number(limit="count")
    other = number(limit="count")

    @action
    def there(s) -> None:
        s.other = s.one

    @action
    def back(s) -> None:
        s.one = s.other


@pytest.mark.parametrize(("given", "verdict"), [(True, Verdict.PROVED), (False, Verdict.VIOLATED)])
def test_properties_may_rely_on_each_other(given: bool, verdict: Verdict) -> None:
    class Claims(Mirror):
        @invariant(inductive=True, given=("other_is_zero",) if given else ())
        def one_is_zero(s) -> Bool:
            return s.one == 0

        @invariant(inductive=True, given=("one_is_zero",) if given else ())
        def other_is_zero(s) -> Bool:
            return s.other == 0

    found = verdicts(prove(instance_of(Claims, count=3)))
    assert (found["one_is_zero"], found["other_is_zero"]) == (verdict, verdict)


def test_property_that_relies_on_a_broken_one_is_undetermined() -> None:
    class Claims(Pair):
        @invariant(inductive=True)
        def not_ahead(s) -> Bool:
            return s.one <= 5

        @invariant(inductive=True, given=("not_ahead",))
        def below_seven(s) -> Bool:
            return s.one <= 6

    report = prove(instance_of(Claims, count=3))
    assert verdicts(report)["not_ahead"] is Verdict.VIOLATED
    assert verdicts(report)["below_seven"] is Verdict.UNDETERMINED
    assert report.proof("below_seven").reason == "it relies on 'not_ahead', which is not proved"


def test_what_is_relied_on_is_proved_too_though_it_is_not_declared_inductive() -> None:
    class Claims(Pair):
        @invariant
        def not_ahead(s) -> Bool:
            return s.one <= 5

        @invariant(inductive=True, given=("not_ahead",))
        def below_seven(s) -> Bool:
            return s.one <= 6

    assert verdicts(prove(instance_of(Claims, count=3)))["not_ahead"] is Verdict.VIOLATED


class Armed(Part):
    """A number that would fall if a flag were ever set, and one that must stay below it."""

    armed = flag()
    high = number(limit="count")
    low = number(limit="count")

    @action
    def rise(s) -> None:
        s.high = s.high + 1

    @action
    def fall(s) -> None:
        require(s.armed, "it is armed")
        s.high = 0

    @invariant(inductive=True)
    def never_armed(s) -> Bool:
        return ~s.armed

    @transition(inductive=True, given=("never_armed",))
    def high_never_falls(s, t: Self) -> Bool:
        return s.high <= t.high


@pytest.mark.parametrize(("given", "verdict"), [(True, Verdict.PROVED), (False, Verdict.VIOLATED)])
def test_invariant_may_rely_on_a_transition_property_of_the_same_step(given: bool, verdict: Verdict) -> None:
    class Claims(Armed):
        @invariant(inductive=True, given=("high_never_falls",) if given else ())
        def low_is_below(s) -> Bool:
            return s.low <= s.high

    assert verdicts(prove(instance_of(Claims, count=3)))["low_is_below"] is verdict


def test_transition_properties_that_rely_on_each_other_within_a_step_are_refused() -> None:
    class Claims(Pair):
        @transition(inductive=True, given=("second",))
        def first(s, t: Self) -> Bool:
            return t.one == s.one

        @transition(inductive=True, given=("first",))
        def second(s, t: Self) -> Bool:
            return t.one == s.one

    with pytest.raises(SpecError, match="rely on each other within one step: first -> second -> first"):
        prove(instance_of(Claims, count=3))


def test_witness_cannot_be_relied_on() -> None:
    class Claims(Pair):
        @witness
        def far(s) -> Bool:
            return s.one == 2

        @invariant(inductive=True, given=("far",))
        def not_negative(s) -> Bool:
            return s.one >= 0

    with pytest.raises(SpecError, match="'far' is a witness, which induction cannot prove"):
        prove(instance_of(Claims, count=3))


def test_property_that_fails_initially_is_violated() -> None:
    class Claims(Pair):
        @invariant(inductive=True)
        def started(s) -> Bool:
            return s.one >= 1

    proof = prove(instance_of(Claims, count=3)).proof("started")
    assert proof.verdict is Verdict.VIOLATED
    assert proof.obligations[0].action is None
    assert proof.obligations[0].verdict is Verdict.VIOLATED
    assert {row.verdict for row in proof.obligations[1:]} == {Verdict.PROVED}
    assert story(proof) == ["initially: started: 1 <= one is false, where one = 0"]


def test_property_that_is_inductive_undeclared_is_listed_with_what_it_needs() -> None:
    class Claims(Pair):
        @invariant
        def not_negative(s) -> Bool:
            return s.one >= -1

        @invariant
        def never_one(s) -> Bool:
            return ~(s.one == 1)

        @invariant
        def begun(s) -> Bool:
            return s.one >= 1

        @invariant
        def never_apart(s) -> Bool:
            return s.one == s.other

        @invariant(inductive=True)
        def below(s) -> Bool:
            return s.one >= 0

    report = prove(instance_of(Claims, count=3))
    assert [(proof.name, proof.given) for proof in report.others] == [("not_negative", ()), ("never_apart", ())]
    assert "not declared inductive, but is: never_apart" in report.lines()
    assert prove(instance_of(Claims, count=3), others=False).others == ()


def test_listed_property_names_what_it_relies_on() -> None:
    class Claims(Pair):
        @invariant(inductive=True)
        def in_step(s) -> Bool:
            return s.one == s.other

        @invariant
        def not_behind(s) -> Bool:
            return s.other <= s.one

    [found] = prove(instance_of(Claims, count=3)).others
    assert (found.name, found.given) == ("not_behind", ("in_step",))


# Time.


class Cubes(Part):
    """Whether the sum of two cubes is a cube: nothing that a solver finds out in time."""

    x = number(1, limit="number")
    y = number(1, limit="number")
    z = number(1, limit="number")
    found = flag()

    @action
    def look(s) -> None:
        require(s.x * s.x * s.x + s.y * s.y * s.y == s.z * s.z * s.z, "the cubes add up")
        s.found = True

    @invariant(inductive=True)
    def never_found(s) -> Bool:
        return ~s.found


def test_no_answer_in_time_is_undetermined() -> None:
    report = prove(instance_of(Cubes, number=3), timeout_ms=50)
    proof = report.proof("never_found")
    assert report.verdict is proof.verdict is Verdict.UNDETERMINED
    assert proof.reason == "the solver gave no answer in time for look"


# Structures.


class Letter(Record):
    """A message."""

    to = reference(Node)
    stamp = ordered(limit="stamps")


class Post(Part):
    """Messages with stamps, and the last few stamps that were read."""

    stamp = ordered(limit="stamps")
    post = bag(Letter, limit="letters")
    read = sequence(ordered(limit="stamps"), limit="lines")
    last = record(Letter)

    @action
    def send(s, node: Node) -> None:
        s.stamp = s.stamp + 1
        s.post.send(Letter(to=node, stamp=s.stamp))

    @action
    def receive(s) -> None:
        letter = s.post.receive()
        s.post.take(letter)
        s.read.append(letter.stamp)
        s.last = letter

    @action
    def forget(s) -> None:
        s.read.drop_first()


def test_messages_and_sequences_are_reasoned_about_within_their_places() -> None:
    class Claims(Post):
        @invariant(inductive=True)
        def sent_are_drawn(s) -> Bool:
            return s.post.every(lambda letter: letter.stamp <= s.stamp)

        @invariant(inductive=True, given=("sent_are_drawn",))
        def read_are_drawn(s) -> Bool:
            return (s.read.at(0) <= s.stamp) & (s.read.at(1) <= s.stamp) & (s.last.stamp <= s.stamp)

    report = prove(instance_of(Claims, {"Node": 2}, stamps=2, letters=3, lines=2))
    assert report.verdict is Verdict.PROVED
    assert report.assumptions == ("at most 3 letters at a time", "at most 2 lines at a time")
    assert "assumed: at most 3 letters at a time" in report.lines()


def test_step_that_receives_is_shown_with_its_message() -> None:
    class Claims(Post):
        @invariant(inductive=True)
        def last_is_drawn(s) -> Bool:
            return s.last.stamp <= s.stamp

    instance = instance_of(Claims, {"Node": 2}, stamps=2, letters=2, lines=2)
    proof = prove(instance).proof("last_is_drawn")
    assert story(proof) == [
        "before: post is [(to node1, stamp 1)]",
        "step: receive(post (to node1, stamp 1))",
        "post: [(to node1, stamp 1)] -> []",
        "read: [] -> [1]",
        "last.stamp: 0 -> 1",
        "fails: last_is_drawn: last.stamp <= stamp is false, where last.stamp = 1, stamp = 0",
        "only this matters: stamp is 0, post[0].present is true, post[0].stamp is 1, read.length is 0",
    ]
    assert_breaks(instance, proof)


# Reports.


def test_report_reads_as_a_table() -> None:
    class Claims(Pair):
        @invariant(inductive=True)
        def in_step(s) -> Bool:
            return s.one == s.other

    def without_times(line: str) -> str:
        return " ".join("_" if part.replace(".", "").isdigit() else part for part in line.split())

    report = prove(instance_of(Claims, count=3))
    assert [without_times(line) for line in report.lines()] == [
        "tried:small, all numbers unbounded",
        f"proved: {RANGES}",
        "proved _ ms holds initially",
        "proved _ ms kept by both",
        "proved _ ms kept by skip",
        "proved: in_step",
        "proved _ ms holds initially",
        "proved _ ms kept by both",
        "proved _ ms kept by skip",
        "proved: _ properties in _ s",
    ]


def test_obligations_make_a_table_of_actions_by_properties() -> None:
    class Claims(Pair):
        @invariant(inductive=True)
        def in_step(s) -> Bool:
            return s.one == s.other

        @invariant(inductive=True)
        def below_two(s) -> Bool:
            return s.one < 2

        @transition(inductive=True)
        def never_falls(s, t: Self) -> Bool:
            return s.one <= t.one

    table = prove(instance_of(Claims, count=3)).table()
    assert table[1:4] == ["  2  proved: in_step", "  3  violated: below_two", "  4  proved: never_falls"]
    start, both, skip = (line.split() for line in table[6:9])
    assert (start[0], start[4]) == ("initially", ".")
    assert both[0] == "both"
    assert [cell[0] == "!" for cell in both[1:]] == [False, False, True, False]
    assert (skip[0], skip[3:]) == ("skip", ["=", "="])


def test_unknown_proof_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        prove(instance_of(Pair, count=3)).proof("in_step")
