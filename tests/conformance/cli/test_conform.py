"""The verb conform as its users meet it: output, exit codes, mistakes."""

import json
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from genstamp.cli import main
from genstamp.cli.verbs import app

pytestmark = pytest.mark.slow

BROKEN = """
from genstamp_dfs import adapter
from genstamp_dfs.errors import LeaseExpiredException

LeaseExpiredException.hadoop_name = "IOException"
adapter.main()
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["conform", *arguments])


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that do not conform are saved there."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def broken(tmp_path: Path) -> str:
    """The command line of an implementation that refuses with the wrong exception."""
    program = tmp_path / "broken.py"
    program.write_text(BROKEN, encoding="utf-8")
    return shlex.join([sys.executable, str(program)])


def test_the_reference_implementation_conforms_and_figures_and_seed_are_told() -> None:
    result = run("--examples", "10", "--seed", "5")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:2] == ["seed 5", "hdfs.recovery (repaired): conforms"]
    assert " events, " in lines[2]
    assert "possible states at a time" in lines[3]
    assert lines[4].startswith("  seen: ")


def test_a_seed_is_drawn_and_told_where_none_is_given() -> None:
    seeds = {run("--examples", "1", "--steps", "1").stdout.splitlines()[0] for _ in range(2)}
    assert len(seeds) == 2


def test_an_implementation_that_does_not_conform_exits_12_with_a_short_story(broken: str) -> None:
    result = run("--command", broken, "--seed", "2")
    assert result.exit_code == 12
    lines = result.stdout.splitlines()
    assert lines[1].startswith("     start with /a, client1")
    assert lines[2].startswith("  1. call create(")
    at = lines.index("     THIS DOES NOT CONFORM:")
    assert at < 9
    assert "so the model refuses with LeaseExpiredException, not with IOException [namenode_blocks.py:" in lines[at + 2]
    assert "hdfs.recovery (repaired): rejected" in lines


def test_json_has_the_story_and_the_check(broken: str) -> None:
    found = json.loads(run("--command", broken, "--seed", "2", "--format", "json").stdout)
    assert found["verdict"] == "rejected"
    assert set(found["failure"]["checks"]) <= {"the caller owns the file", "the file is open for writing"}
    assert found["failure"]["is_deterministic"] is True
    assert found["failure"]["story"][-1] == "         the model refuses it with LeaseExpiredException"
    assert sum(found["seen"].values()) == found["events"]


def test_junit_has_a_failure_where_it_does_not_conform(broken: str) -> None:
    suite = ElementTree.fromstring(run("--command", broken, "--seed", "2", "--format", "junit").stdout)
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    passed = ElementTree.fromstring(run("--examples", "2", "--format", "junit").stdout)
    assert (passed.get("tests"), passed.get("failures")) == ("1", "0")


def test_a_command_that_cannot_be_driven_exits_75_with_a_sentence() -> None:
    result = run("--command", shlex.join([sys.executable, "-c", "import sys; sys.exit('no licence')"]))
    assert result.exit_code == 75
    assert result.stdout.startswith("seed ")
    assert result.stderr.startswith("genstamp: the adapter did not answer {")
    assert "its last words: 'no licence'" in result.stderr


def test_a_command_that_dies_on_the_way_exits_75_with_the_way(tmp_path: Path) -> None:
    program = tmp_path / "mortal.py"
    program.write_text(
        "from genstamp_dfs import adapter\n"
        "from genstamp_dfs.stepwise.recovery.recovering import RecoverySteps\n"
        "RecoverySteps.create = lambda self, client, file: exit(9)\n"
        "adapter.main()\n",
        encoding="utf-8",
    )
    result = run("--command", shlex.join([sys.executable, str(program)]))
    assert result.exit_code == 75
    assert "start with /a" in result.stderr
    assert "call create(" in result.stderr
    assert "it ended with exit code 9" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--system", "hdfs.nothing"], 151, "genstamp: there is no system 'hdfs.nothing'; similar names: hdfs."),
        (["--semantics", "hadoop-1"], 151, "genstamp: hdfs.recovery has no semantics 'hadoop-1'"),
        (["--examples", "0"], 2, "--examples"),
    ],
)
def test_a_mistake_is_one_sentence_and_an_exit_code(
    arguments: list[str],
    code: int,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["genstamp", "conform", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == code
    told = capsys.readouterr().err
    assert sentence in told
    assert "Traceback" not in told


def test_simulated_runs_are_held_against_a_system() -> None:
    result = run("--simulate", "2", "--seed", "3", "--system", "hdfs.lease")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[:2] == ["seeds 3 to 4", "hdfs.lease (repaired): conforms"]
    assert lines[2].startswith("  2 runs, ")
    assert "  not covered:" in lines


def test_runs_are_not_held_against_a_system_without_a_projection(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["genstamp", "conform", "--simulate", "1", "--system", "hdfs.replica"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert "hdfs.replica" in capsys.readouterr().err
