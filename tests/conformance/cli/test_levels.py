"""The verb levels as its users meet it: the level that is reached, as which release, and what keeps one below."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from genstamp.cli.verbs import app

pytestmark = pytest.mark.slow

SHORT = ("--examples", "3", "--steps", "30", "--seed", "5")
ONLY_LEASES = """
from genstamp_dfs import adapter

for system in ("hdfs.recovery", "hdfs.pipeline"):
    del adapter.DRIVERS[system]
adapter.main()
"""
HADOOP = """
from genstamp_dfs import adapter

for driver in adapter.DRIVERS.values():
    def always_hadoop(self, files, clients, datanodes, semantics, *rest, _set_up=driver.__init__, **named):
        _set_up(self, files, clients, datanodes, "hadoop-3.4", *rest, **named)

    driver.__init__ = always_hadoop
adapter.main()
"""

DIES = """
from genstamp_dfs import adapter
from genstamp_dfs.stepwise.recovery.recovering import RecoverySteps

RecoverySteps.create = lambda self, client, file: exit(9)
adapter.main()
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["levels", *arguments])


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that do not conform are saved there."""
    monkeypatch.chdir(tmp_path)


def command(program: str) -> str:
    """The command line of an implementation with this text."""
    Path("implementation.py").write_text(program, encoding="utf-8")
    return shlex.join([sys.executable, "implementation.py"])


def test_the_reference_implementation_reaches_level_3_as_each_release_that_it_has() -> None:
    result = run(*SHORT, "--release", "repaired", "--release", "hadoop-3.4")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "seed 5"
    assert result.stdout.splitlines()[-1] == "level 3 (pipeline) of 3 is reached, as repaired, hadoop-3.4"


def test_a_system_that_the_adapter_does_not_drive_ends_the_climb_below_it() -> None:
    result = run(*SHORT, "--command", command(ONLY_LEASES), "--release", "repaired", "--level", "2")
    assert result.exit_code == 75
    last = result.stdout.splitlines()[-2:]
    assert last[0] == "level 1 (lease) of 2 is reached, as repaired"
    assert last[1] == "  hdfs.recovery (repaired): \"system is 'hdfs.recovery', accepted: hdfs.lease\""


def test_a_clone_of_hadoop_is_like_hadoop_and_the_run_that_tells_it_from_the_repaired_protocol_is_saved() -> None:
    arguments = ("--command", command(HADOOP), "--level", "1", "--seed", "1", "--examples", "12")
    like_hadoop = run(*arguments, "--format", "json")
    assert like_hadoop.exit_code == 0
    found = json.loads(like_hadoop.stdout)
    assert (found["level"], found["seed"]) == (1, 1)
    assert found["like"] == ["hadoop-3.5", "hadoop-3.4"], "hdfs.lease has no semantics of its own for 3.5"
    repaired = run(*arguments, "--release", "repaired", "--shrink-seconds", "1")
    assert repaired.exit_code == 12
    assert "     THIS DOES NOT CONFORM:" in repaired.stdout
    assert "no level of 1 is reached" in repaired.stdout
    again = repaired.stderr.splitlines()[-1].partition("this run again: genstamp ")[2]
    assert CliRunner().invoke(app, shlex.split(again)).exit_code == 12


def test_a_level_of_which_something_was_never_seen_is_not_reached_where_all_must_be() -> None:
    result = run(*SHORT, "--release", "repaired", "--level", "1", "--require-seen")
    assert result.exit_code == 3
    assert " answers were never seen" in result.stdout.splitlines()[-1]


def test_an_unknown_release_is_refused_with_the_known_ones() -> None:
    result = run("--release", "hadoop-1.0")
    assert result.exit_code == 2
    assert "hadoop-1.0" in result.stderr
    assert "hadoop-2.7" in result.stderr


def test_the_run_in_which_an_implementation_dies_is_saved_and_can_be_repeated() -> None:
    result = run(*SHORT, "--command", command(DIES), "--release", "repaired", "--level", "2")
    assert result.exit_code == 75
    again = result.stderr.splitlines()[-1].partition("this run again: genstamp ")[2]
    repeated = CliRunner().invoke(app, shlex.split(again))
    assert repeated.exit_code == 75
    assert "it ended with exit code 9" in repeated.stderr
    assert "this run again" not in repeated.stderr
