"""The search for supporting invariants: what it finds is proved and holds, and what is false it does not find."""

import sys
import time
import types
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path
from typing import Self

import numpy as np
import pytest
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.two_phase import EAGER_COMMIT, TWO_PHASE, Rm, RmState, TmState, TwoPhase

from genstamp_model.evaluate import Evaluator
from genstamp_model.expand import from_cells
from genstamp_model.explore import Verdict as Found
from genstamp_model.explore import explore
from genstamp_model.language import (
    Bool,
    Configuration,
    ConfigurationError,
    Index,
    Instance,
    Part,
    System,
    action,
    flag,
    invariant,
    number,
    ordered,
    per,
    require,
    transition,
    witness,
)
from genstamp_model.prove import Strengthening, Verdict, prove, strengthen
from genstamp_model.prove.atoms import atoms
from genstamp_model.prove.clauses import Clauses, Ground, reached, truth
from genstamp_model.prove.encoding import Encoding
from genstamp_model.prove.houdini import Candidate, Houdini
from genstamp_model.prove.written import UnwritableError, written


class Client(Index):
    """Whoever may hold the lock."""


class Lock(Part):
    """A lock with fencing, whose one invariant needs another that nobody declared."""

    token = ordered(limit="tokens")
    known = per(Client, ordered(limit="tokens"))
    written = ordered(limit="tokens")

    @action
    def acquire(s, client: Client) -> None:
        s.token = s.token + 1
        s.known[client] = s.token

    @action
    def write(s, client: Client) -> None:
        require(s.known[client] >= s.written, "no later token was seen")
        s.written = s.known[client]

    @invariant(inductive=True)
    def written_is_drawn(s) -> Bool:
        return s.written <= s.token

    @witness
    def somebody_writes(s) -> Bool:
        return s.written > 0


LOCK = System("lock", parts=[Lock], configurations=[Configuration("two", {"Client": 2}, {"tokens": 3})])


@pytest.fixture(scope="module")
def committed() -> Strengthening:
    """What is found for the consistency of two-phase commit, which declares nothing else."""
    return strengthen(TWO_PHASE.instance("three"))


def assert_sound(found: Strengthening) -> None:
    """That `prove` has proved all that was found, and explore finds that it holds."""
    assert found.report is not None
    assert found.report.verdict is Verdict.PROVED
    model, declared = found.instance.model, tuple(one.declared for one in found.supporting)
    with_found = replace(model, properties=(*model.properties, *declared))
    assert explore(Instance(with_found, found.instance.configuration)).verdict is Found.HOLDS


def test_lock_needs_to_know_that_clients_know_only_what_was_drawn() -> None:
    assert prove(LOCK.instance()).proof("written_is_drawn").verdict is Verdict.VIOLATED
    found = strengthen(LOCK.instance())
    assert found.verdict is Verdict.PROVED
    assert found.proved == {"written_is_drawn": ("supporting_1",)}
    [supporting] = found.supporting
    assert supporting.lines() == [
        "@invariant(inductive=True)",
        "def supporting_1(s, client: Client) -> Bool:",
        "    return s.known[client] <= s.token",
    ]
    assert_sound(found)


class Mirror(Part):
    """A transition property that needs an invariant."""

    high = number(limit="n")
    armed = flag()

    @action
    def rise(s) -> None:
        s.high = s.high + 1

    @action
    def fall(s) -> None:
        require(s.armed, "armed")
        s.high = 0

    @transition(inductive=True)
    def never_falls(s, t: Self) -> Bool:
        return s.high <= t.high


def test_transition_property_gets_the_invariant_that_it_needs() -> None:
    found = strengthen(System("mirror", parts=[Mirror], configurations=[Configuration("x", {}, {"n": 3})]).instance())
    assert found.proved == {"never_falls": ("supporting_1",)}
    assert [one.body for one in found.supporting] == ["~s.armed"]
    assert_sound(found)


@pytest.mark.slow
def test_consistency_of_two_phase_commit_is_proved_without_help(committed: Strengthening) -> None:
    assert committed.verdict is Verdict.PROVED
    assert list(committed.proved) == ["consistent"]
    assert_sound(committed)


@pytest.mark.slow
def test_none_of_what_was_found_can_be_left_out(committed: Strengthening) -> None:
    found = committed
    properties = [one.declared for one in found.supporting]
    goal = found.instance.model.property("consistent")
    for left_out in properties:
        rest = [claim for claim in properties if claim is not left_out]
        everything = [replace(goal, inductive=True), *rest]
        named = tuple(
            replace(claim, given=tuple(other.name for other in everything if other.name != claim.name))
            for claim in everything
        )
        model = replace(found.instance.model, properties=named)
        report = prove(Instance(model, found.instance.configuration), others=False)
        assert report.proof("consistent").verdict is not Verdict.PROVED


@pytest.mark.slow
def test_found_invariants_can_be_pasted(
    committed: Strengthening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = committed
    lines = [f"    {line}" for one in found.supporting for line in one.lines()]
    given = ", ".join(f'"{name}"' for name in found.proved["consistent"])
    text = "\n".join(
        [
            "class Pasted(TwoPhase):",
            *lines,
            f"    @invariant(inductive=True, given=({given},))",
            "    def all_is_well(s) -> Bool:",
            "        return ~(exists(Rm, lambda rm: s.rm[rm].at(RmState.COMMITTED))",
            "            & exists(Rm, lambda rm: s.rm[rm].at(RmState.ABORTED)))",
        ]
    )
    path = tmp_path / "pasted.py"
    path.write_text(
        "from genstamp_model.language import *\n"
        "from tests.model.systems.two_phase import Rm, RmState, TmState, TwoPhase\n\n" + text
    )
    module = types.ModuleType("pasted")
    monkeypatch.setitem(sys.modules, "pasted", module)
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    system = System("pasted", parts=[module.Pasted], configurations=TWO_PHASE.configurations)
    report = prove(system.instance("five"))
    assert report.proof("all_is_well").verdict is Verdict.PROVED
    assert report.verdict is Verdict.PROVED


@pytest.mark.slow
def test_what_is_false_is_not_proved() -> None:
    found = strengthen(TWO_PHASE.instance("three", bugs=[EAGER_COMMIT.name]))
    assert (found.verdict, found.proved, found.supporting) == (Verdict.UNDETERMINED, {}, ())
    assert "not proved: consistent" in list(found.lines())


def test_nothing_is_looked_for_where_everything_is_proved() -> None:
    class Proved(Lock):
        @invariant(inductive=True)
        def known_is_drawn(s, client: Client) -> Bool:
            return s.known[client] <= s.token

        @invariant(inductive=True, given=("known_is_drawn",))
        def written_is_drawn(s) -> Bool:
            return s.written <= s.token

    found = strengthen(System("proved", parts=[Proved], configurations=LOCK.configurations).instance())
    assert list(found.lines()) == ["nothing to look for: everything is proved"]


def test_time_that_is_used_up_is_undetermined() -> None:
    found = strengthen(TWO_PHASE.instance("three"), max_seconds=0)
    assert (found.verdict, found.report) == (Verdict.UNDETERMINED, None)
    assert found.undetermined == "the solver gave no answer in time, 0 seconds in all"


def test_goal_must_be_a_property_that_can_be_proved() -> None:
    with pytest.raises(ConfigurationError, match="or transition property 'somebody_writes'; there is written_is"):
        strengthen(LOCK.instance(), ["somebody_writes"])


# Houdini.


class Guesses(Lock):
    """What may be guessed about the lock: the second is true but needs the third, the others fail in the long run."""

    @invariant
    def few(s) -> Bool:
        return s.token <= 3

    @invariant
    def written_is_old(s) -> Bool:
        return s.written <= s.token

    @invariant
    def known_is_old(s, client: Client) -> Bool:
        return s.known[client] <= s.token

    @invariant
    def known_is_written(s, client: Client) -> Bool:
        return s.known[client] <= s.written + 3


def test_what_is_left_is_the_largest_inductive_part_in_any_order() -> None:
    instance = System("guesses", parts=[Guesses], configurations=LOCK.configurations).instance()
    names = ["few", "written_is_old", "known_is_old", "known_is_written"]
    ground = Ground.of(instance, [instance.model.property(name).condition for name in names])
    encoding = Encoding(instance)
    houdini = Houdini(encoding, ground, [encoding.well_formed("in range")], time.perf_counter() + 60, 10_000)
    for order in permutations(range(4)):
        left = houdini.inductive([Candidate(clause=(2 * number_,)) for number_ in order])
        assert {names[one.clause[0] // 2] for one in left if one.clause} == {"written_is_old", "known_is_old"}
    alone = houdini.inductive([Candidate(clause=(2 * 1,))])
    assert alone == []


def test_what_a_candidate_needs_is_named() -> None:
    instance = System("guesses", parts=[Guesses], configurations=LOCK.configurations).instance()
    ground = Ground.of(
        instance, [instance.model.property(name).condition for name in ("written_is_old", "known_is_old")]
    )
    encoding = Encoding(instance)
    houdini = Houdini(encoding, ground, [encoding.well_formed("in range")], time.perf_counter() + 60, 10_000)
    written_is_old, known_is_old = Candidate(clause=(0,)), Candidate(clause=(2,))
    assert houdini.needed(written_is_old, [known_is_old]) == {0}
    assert houdini.needed(known_is_old, [written_is_old]) == set()
    assert houdini.needed(written_is_old, []) is None


# Candidates.


@pytest.mark.parametrize("instance", [TWO_PHASE.instance("three"), EVERY_FORM.instance("tiny")])
def test_conditions_hold_in_columns_where_evaluate_says(instance: Instance) -> None:
    evaluator, ground = Evaluator(instance), Ground.of(instance, atoms(instance.model))
    states = reached(instance, 100)
    table = truth(ground, states)
    for place, cells in enumerate(states.tolist()):
        state = from_cells(instance, cells)
        for number_, choice in [(n, c) for n in range(len(ground.conditions)) for c in range(len(ground.choices))]:
            expected = evaluator.value(ground.condition(number_, ground.choices[choice]), state)
            assert table[number_, choice, place] == expected


def test_clauses_are_the_shortest_that_hold() -> None:
    draw = np.random.default_rng(1)
    holds = draw.random((6, 2, 12)) < 0.6
    holds[0] = True
    literals = np.concatenate([[row.reshape(-1), ~row.reshape(-1)] for row in holds])
    clauses = Clauses(holds, [0] * 6)
    found = {width: set(clauses.of(width, 10_000)) for width in (1, 2, 3)}
    for width in (1, 2, 3):
        wanted = set()
        for clause in combinations(range(12), width):
            apart = len({literal // 2 for literal in clause}) == width
            shorter = any(set(other) <= set(clause) for w in range(1, width) for other in found[w])
            negated = any(literal // 2 == 0 for literal in clause) and width > 1
            if apart and not shorter and not negated and np.any(literals[list(clause)], axis=0).all():
                wanted.add(clause)
        assert found[width] == wanted
    assert found[3]


def test_candidates_that_are_too_many_are_cut_and_that_is_said() -> None:
    found = strengthen(TWO_PHASE.instance("three"), most=10, width=2)
    assert found.cut
    assert "(there are more)" in next(iter(found.lines()))


# The text of expressions.


class Forms(TwoPhase):
    @invariant
    def form(s, rm: Rm) -> Bool:
        return (
            (s.tm_prepared.has(rm) & ~s.rm[rm].at(RmState.ABORTED))
            | (s.tm == TmState.INIT)
            | ~(s.tm_prepared <= s.prepared_sent)
            | s.tm_prepared.is_empty()
        )


def test_expression_reads_as_an_author_writes_it() -> None:
    condition = System("forms", parts=[Forms], configurations=[]).model().property("form").condition
    assert written(condition) == (
        "(((s.tm_prepared.has(rm) & ~s.rm[rm].at(RmState.ABORTED)) | s.tm.at(TmState.INIT)) "
        "| ~(s.tm_prepared <= s.prepared_sent)) | s.tm_prepared.is_empty()"
    )
    with pytest.raises(UnwritableError):
        written(EVERY_FORM.model().action("train").effects[0].value)
