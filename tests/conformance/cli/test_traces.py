"""The verbs replay and simulate as their users meet them."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from genstamp.cli.verbs import app
from genstamp_model.errors import ConfigurationError


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=text)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A counterexample, as `check` writes it."""
    (found,) = json.loads(run("check", "hdfs.recovery", "--bug", "HDFS-10240", "--format", "json").stdout)
    path = tmp_path_factory.mktemp("trace") / "HDFS-10240.itf.json"
    path.write_text(json.dumps(found["violation"]["trace"]))
    return path


@pytest.mark.slow
def test_replay_accepts_what_check_found(trace: Path) -> None:
    result = run("replay", str(trace))
    assert result.exit_code == 0
    assert "hdfs.recovery:takeover (repaired with HDFS-10240): accepted" in result.stdout
    assert "state 7 breaks fenced_client_changes_nothing" in result.stdout


def test_replay_reads_standard_input(trace: Path) -> None:
    assert run("replay", "-", text=trace.read_text()).exit_code == 0


@pytest.mark.slow
def test_replay_rejects_it_where_the_fault_is_mended(trace: Path) -> None:
    text = (
        trace.read_text().replace('"bugs": "HDFS-10240"', '"bugs": ""').replace("complete_under_recovery", "complete")
    )
    result = run("replay", "-", text=text)
    assert result.exit_code == 12
    assert "rejected at state 7" in result.stdout
    assert "is not possible: it needs that" in result.stdout
    suite = ElementTree.fromstring(run("replay", "-", "--format", "junit", text=text).stdout)
    assert suite.get("failures") == "1"
    assert json.loads(run("replay", "-", "--format", "json", text=text).stdout)["rejection"]["state"] == 7


def test_replay_shows_the_trace_in_other_forms(trace: Path) -> None:
    assert ElementTree.fromstring(run("replay", str(trace), "--format", "svg").stdout).tag.endswith("svg")
    assert run("replay", str(trace), "--format", "mermaid").stdout.startswith("sequenceDiagram")
    assert json.loads(run("replay", str(trace), "--format", "itf").stdout)["#meta"]["bugs"] == "HDFS-10240"
    assert (
        "from genstamp_spec.hdfs.systems.recovery import RECOVERY"
        in run("replay", str(trace), "--format", "pytest").stdout
    )


def test_a_trace_must_say_whose_it_is(tmp_path: Path) -> None:
    path = tmp_path / "nobodys.itf.json"
    path.write_text('{"vars": [], "states": [{}]}')
    result = run("replay", str(path))
    assert result.exit_code != 0
    assert "name it with --system" in str(result.exception)
    assert "cannot" not in str(result.exception)
    path.write_text('{"#meta": {"system": "my_own"}, "vars": [], "states": [{}]}')
    unknown = run("replay", str(path)).exception
    assert isinstance(unknown, ConfigurationError)  # 151, as for every other system that there is not
    assert "is of 'my_own', which is not a known system; give its place" in str(unknown)
    missing = run("replay", str(tmp_path / "missing.json"))
    assert "No such file" in str(missing.exception)


@pytest.mark.slow
def test_simulate_tells_its_seed_and_what_it_found() -> None:
    result = run("simulate", "hdfs.recovery:takeover", "--bug", "HDFS-10240", "--seed", "1")
    assert result.exit_code == 12
    assert "with seed 1" in result.stdout
    assert "violated: transition fenced_client_changes_nothing" in result.stdout
    again = run("simulate", "hdfs.recovery:takeover", "--bug", "HDFS-10240", "--seed", "1", "--format", "json")
    assert json.loads(again.stdout)["violation"]["name"] == "fenced_client_changes_nothing"


def test_simulate_finds_nothing_and_says_what_that_means() -> None:
    result = run("simulate", "hdfs.recovery", "--seed", "1", "--runs", "5", "--weight", "client_crash=0")
    assert result.exit_code == 0
    assert "nothing found, which proves nothing" in result.stdout
    assert "client_crash" in next(line for line in result.stdout.splitlines() if "never met" in line)


def test_a_weight_must_be_a_number() -> None:
    result = run("simulate", "hdfs.recovery", "--weight", "client_crash=often")
    assert result.exit_code == 2
