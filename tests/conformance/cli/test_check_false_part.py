"""Which part of a property is false, wherever a counterexample is shown: `check`, `bmc`, `simulate`, all formats."""

import json
from xml.etree import ElementTree

import pytest
from tests.conformance.verify.small_system import COUNTER
from typer.testing import CliRunner

from genstamp.cli.verbs import app
from genstamp_model.explore import explore

BUG = ("tests.model.systems.two_phase:TWO_PHASE:three", "--bug", "eager-commit")


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 12, result.output
    return result.stdout


@pytest.mark.parametrize("verb", [("check",), ("bmc",), ("simulate", "--seed", "1")])
def test_a_counterexample_ends_with_the_false_part(verb: tuple[str, ...]) -> None:
    *_, last, claimed, values, although = shown(*verb, *BUG).splitlines()
    assert last.startswith("    this does not hold for rm_0 rm")
    assert claimed == "      ~(rm[rm_0] == ABORTED)"
    assert values == "      where rm[rm_0] = ABORTED"
    assert although == "      although exists(rm_0 in Rm: (rm[rm_0] == COMMITTED))"


@pytest.mark.parametrize("verb", ["check", "bmc"])
def test_json_has_the_false_part(verb: str) -> None:
    [found] = json.loads(shown(verb, *BUG, "--format", "json"))
    part = found["violation"]["false_part"]
    # bmc shows any of the shortest counterexamples.
    assert part.pop("members") in [[["rm_0", member]] for member in ("rm1", "rm2", "rm3")]
    assert part == {
        "although": ["exists(rm_0 in Rm: (rm[rm_0] == COMMITTED))"],
        "claimed": ["~(rm[rm_0] == ABORTED)"],
        "values": [["rm[rm_0]", "ABORTED"]],
    }


def test_messages_have_the_false_part_in_a_line() -> None:
    said = "invariant consistent in 3 steps: ~(rm[rm_0] == ABORTED) is false for rm_0 rm1, where rm[rm_0] = ABORTED, "
    failure = ElementTree.fromstring(shown("check", *BUG, "--format", "junit")).find("testcase/failure")
    assert failure is not None
    assert failure.get("message", "").startswith(said)
    assert said in json.loads(shown("check", *BUG, "--format", "sarif"))["runs"][0]["results"][0]["message"]["text"]
    assert said in shown("check", *BUG, "--format", "github")


def test_of_a_step_both_values_are_told() -> None:
    violation = explore(COUNTER.instance("two", "old")).violation
    assert violation is not None
    assert violation.part is not None
    assert violation.part.values == (("count", "2"), ("count'", "0"))
