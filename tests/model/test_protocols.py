"""The protocols in `examples/protocols` have the published numbers of states, and their claims hold or not."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

import pytest
from tests.model.protocols_by_hand import chandy_lamport, has_two_leaders, raft

from genstamp_model.explore import Result, Verdict, explore
from genstamp_model.language import System
from genstamp_model.liveness import judge
from genstamp_model.parametric import prove_parametric
from genstamp_model.prove import Verdict as Proved
from genstamp_model.prove import prove

PROTOCOLS = Path(__file__).resolve().parents[2] / "examples" / "protocols"


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `genstamp check examples/protocols/NAME.py:SYSTEM` finds them."""
    monkeypatch.syspath_prepend(str(PROTOCOLS))


def system(name: str) -> System:
    found = getattr(import_module(name), name.upper())
    assert isinstance(found, System)
    return found


def found(name: str, configuration: str) -> Result:
    return explore(system(name).instance(configuration))


@pytest.mark.parametrize(
    ("name", "configuration", "states", "depth"),
    [
        ("cigarette_smokers", "published", 6, 1),
        ("chandy_lamport", "two", 650, 17),
        ("chandy_lamport", "three", 2664, 15),
        ("filter_lock", "two", 20, 6),
        ("filter_lock", "three", 417, 17),
        ("raft_election", "two", 179, 10),
        ("raft_election", "three", 8423, 14),
        ("simple_allocator", "published", 400, 5),
        ("two_phase", "three", 288, 10),
        ("two_phase", "six", 50816, 19),
    ],
)
def test_a_protocol_has_its_states(name: str, configuration: str, states: int, depth: int) -> None:
    """Those that are published, that TLC counts in `tests/conformance/agree/test_protocols.py`, or that a search of
    another text counts below.
    """
    result = found(name, configuration)
    assert (result.verdict, result.states, result.depth) == (Verdict.HOLDS, states, depth)
    assert {claim.verdict for claim in judge(system(name).instance(configuration))} <= {Verdict.HOLDS}


@pytest.mark.parametrize(
    ("name", "configuration", "depths"),
    [
        ("raft_election", "two", lambda: raft(2, 2)),
        ("raft_election", "three", lambda: raft(3, 2)),
        ("chandy_lamport", "two", lambda: chandy_lamport(2, 2)),
        ("chandy_lamport", "three", lambda: chandy_lamport(3, 1)),
    ],
)
def test_another_text_has_the_same_states(
    name: str, configuration: str, depths: Callable[[], Mapping[object, int]]
) -> None:
    result, by_hand = found(name, configuration), depths().values()
    assert (result.states, result.depth) == (len(by_hand), max(by_hand))


def test_two_leaders_are_elected_by_votes_that_are_not_persisted_after_as_many_steps_in_another_text() -> None:
    by_hand = min(depth for state, depth in raft(3, 1, forgets=True).items() if has_two_leaders(state))
    result = explore(system("raft_election").instance("three", bugs=["vote-not-persisted"]))
    assert result.violation is not None
    assert (result.violation.name, len(result.violation.path)) == ("one_leader_a_term", by_hand)


@pytest.mark.parametrize(("name", "bug"), [("raft_election", "vote-not-persisted"), ("chandy_lamport", "no-fifo")])
def test_a_bug_breaks_what_it_is_declared_to_break(name: str, bug: str) -> None:
    declared = system(name).bug(bug)
    result = explore(system(name).instance(declared.configuration, bugs=[bug]))
    assert result.violation is not None
    assert ((result.violation.name,), len(result.violation.path)) == (declared.breaks, declared.depth)


@pytest.mark.parametrize("configuration", ["two", "three"])
def test_one_leader_a_term_is_proved(configuration: str) -> None:
    proof = import_module("raft_election").RAFT_ELECTION_PROOF
    assert {one.verdict for one in prove(proof.instance(configuration)).proofs} == {Proved.PROVED}


@pytest.mark.parametrize("name", ["simple_allocator"])
def test_invariants_are_proved_for_this_size_and_for_any(name: str) -> None:
    reports = prove(system(name).instance()), prove_parametric(system(name).model())
    assert {proof.verdict for report in reports for proof in report.proofs} == {Proved.PROVED}


@pytest.mark.parametrize(
    ("name", "configuration", "violated", "steps", "states"),
    [("missionaries", "three", "somebody_is_left", 11, 61)],
)
def test_a_puzzle_is_solved(name: str, configuration: str, violated: str, steps: int, states: int) -> None:
    """The published number of states is that of a search that ends at the solution."""
    result = found(name, configuration)
    assert result.violation is not None
    assert (result.violation.name, len(result.violation.path), result.states) == (violated, steps, states)


def test_every_protocol_is_tested() -> None:
    tested = {
        "chandy_lamport",
        "cigarette_smokers",
        "filter_lock",
        "missionaries",
        "raft_election",
        "simple_allocator",
        "two_phase",
    }
    assert {path.stem for path in PROTOCOLS.glob("*.py")} == tested
    assert all(name in sys.modules or system(name) for name in tested)
