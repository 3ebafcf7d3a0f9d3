"""The verbs prove and bmc refuse options that they would ignore."""

import pytest
from typer.testing import CliRunner, Result

from genstamp.cli import app

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
