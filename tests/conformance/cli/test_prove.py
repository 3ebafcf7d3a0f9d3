"""The verbs prove and bmc refuse options that they would ignore, and a proof says what it was not asked."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from genstamp.cli.verbs import app

PROVED = "tests.model.systems.two_phase_proof:TWO_PHASE_PROOF"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        ("prove", PROVED, "--goal", "consistent"),
        ("prove", PROVED, "--parametric", "--search"),
        ("prove", PROVED, "--search", "--k-induction", "2"),
        ("bmc", PROVED, "--witness", "everybody_commits", "--property", "consistent"),
    ],
)
def test_options_that_would_be_ignored_are_refused(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


COUNTS = """
from genstamp_model.language import *


class Counter(Part):
    count = number(0, 5)

    @action
    def raise_(s) -> None:
        require(s.count < 5, "there is room")
        s.count = s.count + 1

    @invariant
    def is_small(s) -> Bool:
        return s.count < 3


COUNTER = System("counter", parts=[Counter], configurations=[Configuration("only", sizes={})])
"""


def test_a_proof_of_ranges_alone_is_no_proof_of_the_properties(tmp_path: Path) -> None:
    module = tmp_path / "counts.py"
    module.write_text(COUNTS)
    text = run("prove", f"{module}:COUNTER")
    assert text.exit_code == 3
    assert "not checked, because not declared inductive: is_small" in text.stdout
    assert text.stdout.startswith("counter:only, integers unbounded"), "a system without members"
    [found] = json.loads(run("prove", f"{module}:COUNTER", "--format", "json").stdout)
    assert (found["verdict"], found["exit_code"], found["not_asked"]) == ("undetermined", 3, ["is_small"])


@pytest.mark.parametrize("promise", [COUNTS, re.sub("invariant", "leads_to()", COUNTS).replace("3", "3, s.count == 5")])
@pytest.mark.parametrize("options", [(), ("--parametric",)])
def test_no_proof_is_one_of_ranges_alone(promise: str, options: tuple[str, ...], tmp_path: Path) -> None:
    module = tmp_path / "counts.py"
    module.write_text(promise)
    text = run("prove", f"{module}:COUNTER", *options)
    assert (text.exit_code, "  undetermined in " in text.stdout) == (3, True)
    document = json.loads(run("prove", f"{module}:COUNTER", "--format", "json", *options).stdout)
    [found] = document if isinstance(document, list) else [document]
    assert (found["verdict"], found["exit_code"]) == ("undetermined", 3)
