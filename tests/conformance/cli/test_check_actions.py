"""`check --actions`: how often each action is taken, and how many states it is the first to reach."""

import json

import pytest
from typer.testing import CliRunner

from genstamp.cli.verbs import app

TWO_PHASE = "tests.model.systems.two_phase:TWO_PHASE:three"


def checked(*arguments: str) -> str:
    return CliRunner().invoke(app, ["check", *arguments]).stdout


def test_a_table_has_a_line_for_each_action() -> None:
    lines = checked(TWO_PHASE, "--actions").splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("  action "))
    assert lines[head].split() == ["action", "steps", "change", "nothing", "new", "states"]
    assert lines[head + 1].split() == ["tm_commit", "1", "0", "1"]
    assert lines[head + 3].split() == ["tm_receive_prepared", "96", "48", "13"]
    assert "  action " not in checked(TWO_PHASE)


@pytest.mark.parametrize("options", [(), ("--symmetry",)])
def test_each_state_but_the_initial_one_is_new_once(options: tuple[str, ...]) -> None:
    [found] = json.loads(checked(TWO_PHASE, "--actions", *options, "--format", "json"))
    assert sum(found["new_states"].values()) == found["states"] - 1
    assert sum(found["taken"].values()) == found["generated"] - 1
    assert all(new <= found["taken"][name] - found["change_nothing"][name] for name, new in found["new_states"].items())


def test_new_states_are_not_counted_where_not_all_is_searched() -> None:
    [found] = json.loads(checked(TWO_PHASE, "--bug", "eager-commit", "--actions", "--format", "json"))
    assert found["new_states"] is None
    assert found["taken"]["tm_commit"] > 0


def test_a_run_has_no_counts() -> None:
    result = CliRunner().invoke(app, ["check", TWO_PHASE, "--actions", "--witness", "everybody_commits"])
    assert result.exit_code == 2
