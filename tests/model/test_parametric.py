"""What is proved for any number of members, what is refused, and the steps that are shown at some sizes."""

import enum
from typing import Self

import pytest
import z3
from tests.model.parametric_parts import (
    Grant,
    Node,
    assert_breaks,
    model_of,
    prove_part,
    row,
)
from tests.model.systems.leases import LEASES
from tests.model.systems.two_phase import Rm, RmState, TmState, TwoPhase
from tests.model.systems.two_phase_proof import TWO_PHASE_PROOF
from tests.model.systems.two_phase_proof import Proof as TwoPhaseProof

from genstamp_model.errors import SpecError
from genstamp_model.explore import explore
from genstamp_model.language import (
    Bool,
    Part,
    action,
    bag,
    enumeration,
    exists,
    flag,
    forall,
    invariant,
    members,
    number,
    per,
    reference,
    require,
    sequence,
    transition,
    when,
)
from genstamp_model.language.types import NumberType
from genstamp_model.language.variables import Declared
from genstamp_model.parametric import counterexample, prove_parametric
from genstamp_model.parametric.fragment import Fragment
from genstamp_model.prove import Verdict
from genstamp_model.prove.reliance import RANGES

# Two-phase commit.


def test_two_phase_commit_is_consistent_for_any_number_of_managers() -> None:
    report = prove_parametric(TWO_PHASE_PROOF)
    assert report.verdict is Verdict.PROVED
    assert report.open == ("Rm",)
    assert {proof.verdict for proof in report.proofs} == {Verdict.PROVED}
    assert not any(row.circle for proof in report.proofs for row in proof.obligations)
    assert report.lines()[-1].startswith("proved: 7 properties, 56 obligations, all in the decidable fragment, in ")


@pytest.mark.slow
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
    assert "read cannot be reasoned about: it uses a sequence" in found


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
        mark: Declared[object] = Declared(NumberType(0, 9), lambda sizes: sizes.of(Node.set))

        @action
        def raise_(s, node: Node) -> None:
            s.level[node] = s.level[node] + 1

        @invariant(inductive=True)
        def low(s) -> Bool:
            return forall(Node, lambda n: s.level[n] < 9)

    with pytest.raises(SpecError, match="'mark' has different initial values for different members"):
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
