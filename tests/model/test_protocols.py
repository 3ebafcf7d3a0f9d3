"""The protocols in `examples/protocols` have the published numbers of states, and their claims hold or not."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

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
        ("filter_lock", "two", 20, 6),
        ("filter_lock", "three", 417, 17),
        ("simple_allocator", "published", 400, 5),
        ("two_phase", "three", 288, 10),
        ("two_phase", "six", 50816, 19),
    ],
)
def test_a_protocol_has_its_states(name: str, configuration: str, states: int, depth: int) -> None:
    """Those that are published, or that TLC counts in `tests/conformance/agree/test_protocols.py`."""
    result = found(name, configuration)
    assert (result.verdict, result.states, result.depth) == (Verdict.HOLDS, states, depth)
    assert {claim.verdict for claim in judge(system(name).instance(configuration))} <= {Verdict.HOLDS}


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
    tested = {"cigarette_smokers", "filter_lock", "missionaries", "simple_allocator", "two_phase"}
    assert {path.stem for path in PROTOCOLS.glob("*.py")} == tested
    assert all(name in sys.modules or system(name) for name in tested)
