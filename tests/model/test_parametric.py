"""What is proved for any number of members, what is refused, and the steps that are shown at some sizes."""

import enum
import re
from typing import Self

import pytest
import z3
from tests.model.systems.leases import LEASES
from tests.model.systems.two_phase import Rm, RmState, TmState, TwoPhase
from tests.model.systems.two_phase_proof import TWO_PHASE_PROOF
from tests.model.systems.two_phase_proof import Proof as TwoPhaseProof

from genstamp_model.errors import SpecError
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import explore
from genstamp_model.language import (
    Bool,
    Index,
    Maybe,
    Model,
    Part,
    Record,
    System,
    action,
    bag,
    choose,
    count,
    enumeration,
    exists,
    flag,
    forall,
    invariant,
    maximum,
    members,
    minimum,
    named,
    none,
    number,
    optional,
    ordered,
    per,
    reference,
    require,
    sequence,
    those,
    transition,
    when,
)
from genstamp_model.language.variables import Declared
from genstamp_model.parametric import Proof, Report, counterexample, prove_parametric
from genstamp_model.parametric.fragment import Fragment
from genstamp_model.prove import Verdict
from genstamp_model.prove.reliance import RANGES


class Node(Index):
    """A node."""


class Owner(Index, unnamed="User"):
    """Users, and the root."""

    ROOT = named()


class User(Owner):
    """A user."""


ROOT: Owner = Owner.ROOT


def model_of(part: type[Part]) -> Model:
    """One part as a system."""
    return System("tried", parts=[part], configurations=[]).model()


def prove_part(part: type[Part]) -> Report:
    return prove_parametric(model_of(part))


def verdicts(report: Report) -> dict[str, str]:
    return {proof.name: proof.verdict.value for proof in report.proofs if proof.name != RANGES}


def row(proof: Proof, action: str | None) -> str:
    """An obligation as shown, without its time."""
    found = next(row for row in proof.obligations if row.action == action)
    return re.sub(r" +[0-9.]+ ms +", ": ", str(found))


def assert_breaks(model: Model, proof: Proof) -> None:
    """That evaluate takes the step at the sizes shown, and the property holds before it and not after it."""
    broken, claim = proof.broken_by, model.property(proof.name)
    assert broken is not None
    assert broken.action is not None
    evaluator = Evaluator(broken.instance)
    assert evaluator.first_failing(broken.action, broken.arguments, broken.before) is None
    after = evaluator.apply(broken.action, broken.arguments, broken.before)
    assert after == broken.after
    if claim.kind == "transition":
        assert not evaluator.holds(claim, broken.before, after)
    else:
        assert evaluator.holds(claim, broken.before)
        assert not evaluator.holds(claim, after)


# Two-phase commit.


def test_two_phase_commit_is_consistent_for_any_number_of_managers() -> None:
    report = prove_parametric(TWO_PHASE_PROOF)
    assert report.verdict is Verdict.PROVED
    assert report.open == ("Rm",)
    assert {proof.verdict for proof in report.proofs} == {Verdict.PROVED}
    assert not any(row.circle for proof in report.proofs for row in proof.obligations)
    assert report.lines()[-1].startswith("proved: 7 properties, 56 obligations, all in the decidable fragment, in ")


def test_table_has_a_row_for_the_start_and_for_each_action() -> None:
    proof = prove_parametric(TWO_PHASE_PROOF).proof("committed_when_told")
    assert [row.action for row in proof.obligations] == [
        None,
        "tm_commit",
        "tm_abort",
        "tm_receive_prepared",
        "rm_prepare",
        "rm_choose_to_abort",
        "rm_receive_commit",
        "rm_receive_abort",
    ]
    assert row(proof, None) == "proved: holds initially"
    assert row(proof, "tm_receive_prepared") == "proved: kept by tm_receive_prepared, trivially"
    assert all(row.milliseconds >= 0 for row in proof.obligations)


def test_commit_that_does_not_wait_breaks_a_supporting_invariant() -> None:
    class Eager(TwoPhaseProof):
        @action
        def tm_commit(s) -> None:
            require(s.tm.at(TmState.INIT), "nothing is decided")
            s.tm = TmState.COMMITTED
            s.commit_sent = True

    model = model_of(Eager)
    report = prove_parametric(model)
    proof = report.proof("nobody_aborts_after_commit")
    assert report.verdict is proof.verdict is Verdict.VIOLATED
    assert proof.broken_by is not None
    assert proof.broken_by.sizes == ("1 Rm",)
    assert_breaks(model, proof)
    assert report.proof("consistent").reason == "it relies on 'nobody_aborts_after_commit', which is not proved"


def test_counterexample_has_as_many_members_as_it_needs() -> None:
    class Alone(TwoPhase):
        @invariant(inductive=True)
        def consistent(s) -> Bool:
            committed = exists(Rm, lambda rm: s.rm[rm].at(RmState.COMMITTED))
            return ~(committed & exists(Rm, lambda rm: s.rm[rm].at(RmState.ABORTED)))

    model = model_of(Alone)
    proof = prove_parametric(model).proof("consistent")
    assert proof.broken_by is not None
    assert proof.broken_by.lines[:-1] == (
        "with 2 Rm",
        "before: rm[rm2] is COMMITTED",
        "step: rm_choose_to_abort(rm rm1)",
        "rm[rm1]: WORKING -> ABORTED",
    )
    assert_breaks(model, proof)


# Leases.


@pytest.mark.slow
def test_leases_are_safe_for_any_number_of_clients_and_files() -> None:
    report = prove_parametric(LEASES)
    assert report.verdict is Verdict.PROVED
    assert set(report.open) == {"Client", "File"}
    assert report.proof("open_files_are_on_one_lease").verdict is Verdict.PROVED
    assert report.proof("one_writer").verdict is Verdict.PROVED
    assert not any(row.circle for proof in report.proofs for row in proof.obligations)


@pytest.mark.slow
@pytest.mark.parametrize("configuration", ["small", "two_files"])
def test_leases_are_safe_in_every_reachable_state(configuration: str) -> None:
    found = explore(LEASES.instance(configuration))
    assert found.verdict.value == "holds"
    assert found.witnesses["stale_writer"] == 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bug", "broken", "sizes"),
    [
        ("keeps-lease", "open_files_are_on_one_lease", ("1 Client", "1 File")),
        ("reuses-stamp", "writer_is_covered", ("2 Client", "1 File")),
    ],
)
def test_bug_in_leases_is_not_proved(bug: str, broken: str, sizes: tuple[str, ...]) -> None:
    model = LEASES.model(bugs=[bug])
    report = prove_parametric(model)
    proof = report.proof(broken)
    assert report.verdict is proof.verdict is Verdict.VIOLATED
    assert proof.broken_by is not None
    assert proof.broken_by.sizes == sizes
    assert_breaks(model, proof)
    assert report.proof("one_writer").verdict is not Verdict.PROVED
    assert explore(LEASES.instance("small", bugs=[bug])).verdict.value == "violated"


# Forms.


class Meter(Part):
    """Numbers of some nodes, and who has the smallest."""

    level = per(Node, number(0, 9))
    low = number(0, 9)
    winner = optional(Node)
    active = members(Node)

    @action
    def raise_level(s, node: Node) -> None:
        require(s.level[node] < 9, "there is room")
        s.level[node] = s.level[node] + 1

    @action
    def measure(s) -> None:
        s.low = minimum(Node, lambda n: s.level[n], where=lambda n: s.active.has(n), default=0)

    @action
    def elect(s, node: Maybe[Node]) -> None:
        s.active = those(Node, lambda n: n == node)
        s.winner = choose(
            Node, lambda n: s.level[n] == maximum(Node, lambda m: s.level[m], where=s.active.has, default=9)
        )


def test_minimum_is_told_by_a_witness() -> None:
    class Claims(Meter):
        @transition(inductive=True)
        def low_is_below_all_active(s, t: Self, node: Node) -> Bool:
            return (t.low == s.low) | ~s.active.has(node) | (t.low <= s.level[node])

        @transition(inductive=True)
        def low_is_of_some_active(s, t: Self) -> Bool:
            return (t.low == s.low) | exists(Node, lambda n: s.active.has(n) & (t.low == s.level[n]))

    model = model_of(Claims)
    report = prove_parametric(model)
    # The default, where nobody is active, is the low of nobody.
    assert verdicts(report) == {"low_is_below_all_active": "proved", "low_is_of_some_active": "violated"}
    assert_breaks(model, report.proof("low_is_of_some_active"))


def test_choice_is_of_the_first_member() -> None:
    class Chosen(Part):
        up = members(Owner, initially_all=True)
        leader = optional(Owner)
        again = optional(Owner)

        @action
        def fail(s, owner: Owner) -> None:
            s.up.remove(owner)
            s.leader = choose(Owner, lambda o: s.up.has(o))
            s.again = choose(Owner, lambda o: ~exists(Owner, lambda other: (other == o) & ~s.up.has(o)))

        @invariant(inductive=True)
        def same_choice_again(s) -> Bool:
            return s.leader == s.again

        @invariant(inductive=True)
        def named_members_come_last(s, user: User) -> Bool:
            return (s.leader == ROOT).implies(~s.up.has(user))

        @invariant(inductive=True)
        def root_never_leads(s) -> Bool:
            return s.leader != ROOT

    model = model_of(Chosen)
    report = prove_parametric(model)
    assert verdicts(report) == {
        "same_choice_again": "proved",
        "named_members_come_last": "proved",
        "root_never_leads": "violated",
    }
    assert_breaks(model, report.proof("root_never_leads"))


def test_read_through_nobody_gives_the_first_member() -> None:
    class Reads(Part):
        nobody = optional(Node)
        table = per(Node, reference(Node))
        read = reference(Node)
        first = optional(Node)

        @action
        def look(s) -> None:
            s.read = s.table[s.nobody]
            s.first = choose(Node, lambda n: n == n)

        @action
        def fill(s, node: Node, other: Node) -> None:
            s.table[node] = other

        @invariant(inductive=True)
        def nobody_is_nobody(s) -> Bool:
            return s.nobody.is_none()

        @invariant(inductive=True, given=("nobody_is_nobody",))
        def read_is_first(s) -> Bool:
            return s.first.is_none() | (s.first == s.read)

    assert verdicts(prove_part(Reads)) == {"nobody_is_nobody": "proved", "read_is_first": "proved"}


def test_counts_are_compared_with_small_constants() -> None:
    class Seats(Part):
        seated = members(Node)

        @action
        def sit(s, node: Node) -> None:
            require(s.seated.size() < 2, "there is a seat")
            s.seated.add(node)

        @invariant(inductive=True)
        def two_seats(s) -> Bool:
            return count(Node, s.seated.has) <= 2

        @invariant(inductive=True)
        def one_seat(s) -> Bool:
            return s.seated.size() <= 1

    model = model_of(Seats)
    report = prove_parametric(model)
    assert verdicts(report) == {"two_seats": "proved", "one_seat": "violated"}
    assert_breaks(model, report.proof("one_seat"))
    broken = report.proof("one_seat").broken_by
    assert broken is not None
    assert broken.sizes == ("2 Node",)


def test_subset_has_no_named_members() -> None:
    class Owners(Part):
        owner = reference(Owner)
        user = optional(User)
        last = reference(User)

        @action
        def give(s, user: User) -> None:
            s.owner = user
            s.last = user

        @action
        def take(s, owner: Owner) -> None:
            require(owner == ROOT, "it is the root")
            s.user = none

        @invariant(inductive=True)
        def never_the_root(s) -> Bool:
            return (s.owner != ROOT) & (s.last != ROOT)

        @invariant(inductive=True)
        def always_the_first(s) -> Bool:
            return s.owner == s.last

    assert set(verdicts(prove_part(Owners)).values()) == {"proved"}


def test_property_that_fails_initially_is_shown() -> None:
    class Lamps(Part):
        lit = members(Node)

        @action
        def light(s, node: Node) -> None:
            s.lit.add(node)

        @invariant(inductive=True)
        def some_lit(s) -> Bool:
            return ~s.lit.is_empty()

    proof = prove_part(Lamps).proof("some_lit")
    assert proof.broken_by is not None
    assert proof.broken_by.lines == ("initially", "with 1 Node", "fails: some_lit: ~(lit == {})")


def test_number_that_leaves_its_range_is_shown() -> None:
    class Climber(Meter):
        @action
        def raise_level(s, node: Node) -> None:
            s.level[node] = s.level[node] + 1

    proof = prove_part(Climber).proof(RANGES)
    assert proof.verdict is Verdict.VIOLATED
    assert proof.broken_by is not None
    assert proof.broken_by.lines[:-1] == ("with 1 Node", "before: level[node1] is 9", "step: raise_level(node node1)")
    assert proof.broken_by.lines[-1].endswith("raise_level makes level[0] 10, outside 0..9")


def test_step_that_would_leave_a_range_is_no_step() -> None:
    class Twins(Part):
        left = number(0, 3)
        right = number(0, 3, initially=3)

        @action
        def both(s) -> None:
            s.left = s.left + 1
            s.right = s.right + 1

        @action
        def one(s) -> None:
            require(s.left < 3, "there is room")
            s.left = s.left + 1

        @invariant(inductive=True)
        def left_is_low(s) -> Bool:
            return s.left < 2

    model = model_of(Twins)
    report = prove_parametric(model)
    assert report.proof(RANGES).verdict is Verdict.VIOLATED
    proof = report.proof("left_is_low")
    assert [row.verdict for row in proof.obligations] == [Verdict.PROVED, Verdict.VIOLATED, Verdict.VIOLATED]
    assert proof.broken_by is not None
    assert proof.broken_by.lines[:2] == ("before: left is 1", "before: right is 0")
    assert_breaks(model, proof)


# Messages.


class Grant(Record):
    """A message: this node may work, under this stamp."""

    node = reference(Node)
    stamp = ordered(limit="stamps")


class Grants(Part):
    """Nodes that are told to work; the later stamp counts."""

    stamp = ordered(limit="stamps")
    known = per(Node, ordered(limit="stamps"))
    post = bag(Grant, limit="posts")

    @action
    def grant(s, node: Node) -> None:
        s.stamp = s.stamp + 1
        s.post.send(Grant(node=node, stamp=s.stamp))

    @action
    def receive(s) -> None:
        grant = s.post.receive()
        require(s.known[grant.node] < grant.stamp, "the grant is new")
        s.post.take(grant)
        s.known[grant.node] = grant.stamp

    @invariant(inductive=True)
    def grants_were_drawn(s) -> Bool:
        return s.post.every(lambda grant: grant.stamp <= s.stamp)

    @invariant(inductive=True, given=("grants_were_drawn",))
    def known_were_drawn(s, node: Node) -> Bool:
        return s.known[node] <= s.stamp


def test_bag_is_the_set_of_messages_on_their_way() -> None:
    report = prove_part(Grants)
    assert verdicts(report) == {"grants_were_drawn": "proved", "known_were_drawn": "proved"}
    assert not any(row.circle for proof in report.proofs for row in proof.obligations)


def test_message_that_is_taken_may_have_copies() -> None:
    class Once(Grants):
        @invariant(inductive=True, given=("grants_were_drawn", "known_were_drawn"))
        def known_is_not_on_its_way(s, node: Node) -> Bool:
            return s.post.every(
                lambda grant: (grant.node != node) | (grant.stamp != s.known[node]) | (s.known[node] == 0)
            )

    model = model_of(Once)
    proof = prove_parametric(model).proof("known_is_not_on_its_way")
    assert proof.verdict is Verdict.VIOLATED
    assert_breaks(model, proof)
    assert proof.broken_by is not None
    # Two copies: one is taken, the other stays.
    assert proof.broken_by.action is model.action("receive")
    assert proof.broken_by.before == (1, (0,), ((0, 1), (0, 1)))
    assert proof.broken_by.after == (1, (1,), ((0, 1),))


# What is refused.


def reason(part: type[Part], name: str, action: str | None = None) -> str:
    """Why a property, or what one action does to it, is undetermined."""
    proof = prove_part(part).proof(name)
    assert proof.verdict is Verdict.UNDETERMINED
    if action is None:
        return proof.reason
    [found] = [row.reason for row in proof.obligations if row.action == action]
    return found


def test_property_that_counts_is_refused_by_line() -> None:
    class Halves(Part):
        left = members(Node)
        right = members(Node)

        @action
        def move(s, node: Node) -> None:
            s.left.remove(node)
            s.right.add(node)

        @invariant(inductive=True)
        def balanced(s) -> Bool:
            return s.left.size() <= s.right.size()

    found = reason(Halves, "balanced")
    assert found.startswith("test_parametric.py:")
    assert "'balanced' cannot be said for any size: it counts (cardinality(left))" in found


def test_step_that_reads_a_sequence_is_refused_by_line() -> None:
    class Line(Part):
        line = sequence(number(0, 9), limit="line")
        last = number(0, 9)

        @action
        def read(s) -> None:
            s.last = s.line.first()

        @action
        def forget(s) -> None:
            s.last = 0

        @invariant(inductive=True)
        def low(s) -> Bool:
            return s.last < 5

    found = reason(Line, "low", "read")
    assert found.startswith("test_parametric.py:")
    assert "read cannot be reasoned about: it speaks of a sequence" in found


def test_step_whose_refused_effect_does_not_matter_is_proved() -> None:
    class Journal(Part):
        line = sequence(number(0, 9), limit="line")
        open = flag()

        @action
        def note(s) -> None:
            require(~s.open, "it is closed")
            s.line.append(3)
            s.open = True

        @transition(inductive=True)
        def never_closed(s, t: Self) -> Bool:
            return s.open.implies(t.open)

    proof = prove_part(Journal).proof("never_closed")
    assert {row.verdict for row in proof.obligations} == {Verdict.PROVED}
    # But whether the numbers in the sequence stay in range cannot be told.
    assert proof.reason == f"it relies on '{RANGES}', which is not proved"


@pytest.mark.parametrize("form", ["product", "copies", "bags"])
def test_what_has_no_translation_is_refused(form: str) -> None:
    class Tried(Part):
        level = number(limit="levels")
        other = number(limit="levels")
        post = bag(Grant, limit="posts")

        @action
        def move(s) -> None:
            s.level = s.level + 1

        @invariant(inductive=True)
        def claim(s) -> Bool:
            match form:
                case "product":
                    return s.level * s.other >= 0
                case "copies":
                    return s.post.size() <= 1
                case _:
                    return s.post == s.post

    wanted = {"product": "it multiplies", "copies": "it counts", "bags": "it compares"}[form]
    assert wanted in reason(Tried, "claim")


def test_variable_that_begins_differently_is_an_error() -> None:
    class Uneven(Part):
        level = per(Node, number(0, 9))
        mark: Declared[object] = Declared(model_of(Meter).types["low"], lambda sizes: sizes.of(Node.set))

        @invariant(inductive=True)
        def low(s) -> Bool:
            return forall(Node, lambda n: s.level[n] < 9)

    with pytest.raises(SpecError, match="'mark' begins differently from member to member"):
        prove_part(Uneven)


def test_circle_of_members_is_reported_as_outside_the_fragment() -> None:
    class Color(enum.Enum):
        RED = enum.auto()
        BLUE = enum.auto()

    class Ring(Part):
        following = per(Node, reference(Node))
        color = per(Node, enumeration(Color))

        @action
        def paint(s, node: Node) -> None:
            s.color.update(lambda n: when(n == node, Color.RED, s.color[n]))

        @action
        def point(s, node: Node, to: Node) -> None:
            s.following[node] = s.following[to]

        @invariant(inductive=True)
        def somebody_follows(s, node: Node) -> Bool:
            return exists(Node, lambda n: s.following[node] == n)

    report = prove_part(Ring)
    rows = {row.action: row for row in report.proof("somebody_follows").obligations}
    assert rows["point"].circle == ("Node", "Node")
    assert "outside the decidable fragment: Node -> Node" in str(rows["point"])
    assert rows["paint"].circle == ()


def test_circle_is_closed_by_functions_and_by_what_exists_for_all() -> None:
    a, b = z3.DeclareSort("a"), z3.DeclareSort("b")
    x, y, to_b, to_a = z3.Const("x", a), z3.Const("y", b), z3.Function("to b", a, b), z3.Function("to a", b, a)
    related = z3.Function("related", a, b, z3.BoolSort())
    forth = z3.ForAll([x], related(x, to_b(x)))
    back = z3.ForAll([y], z3.Exists([x], related(x, y)))
    circle = Fragment().circle
    assert circle([forth]) == ()
    assert circle([forth, back]) == ("a", "b", "a")
    assert circle([forth, z3.Not(back)]) == ()
    assert circle([forth, z3.ForAll([y], related(to_a(y), y))]) == ("a", "b", "a")
    # Of a member that is known, a function makes one more, and no further ones.
    assert circle([forth, related(to_a(y), y)]) == ()


def test_question_that_the_solver_does_not_answer_is_undetermined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(z3.Solver, "check", lambda *_: z3.unknown)
    monkeypatch.setattr(counterexample, "smallest", lambda *_: None)
    report = prove_parametric(TWO_PHASE_PROOF)
    assert report.verdict is Verdict.UNDETERMINED
    [asked] = [row for row in report.proof("one_decision").obligations if row.action == "tm_abort"]
    assert asked.verdict is Verdict.UNDETERMINED
    assert asked.reason.startswith("the solver does not know")
    assert report.proof("consistent").reason.startswith("undetermined for the beginning, rm_prepare")
