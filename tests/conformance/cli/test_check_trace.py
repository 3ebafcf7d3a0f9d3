"""The verb check, where what it shows is written as a trace: counterexamples, lassos, and ways to a witness."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.model.systems.two_phase import TWO_PHASE
from typer.testing import CliRunner, Result

from genstamp.cli.list import described
from genstamp.cli.verbs import app
from genstamp_model.explore import explore

SYSTEM = "tests.model.systems.two_phase:TWO_PHASE"
COUNTER = "tests.conformance.verify.small_system:COUNTER"
ENDLESS = "tests.model.systems.endless_recovery:NUMBERED"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Where a trace goes."""
    return tmp_path / "trace.itf.json"


def replayed(trace: Path, system: str, code: int = 0) -> str:
    """What replay says of a trace."""
    result = run("replay", str(trace), "--system", system)
    assert result.exit_code == code
    return result.stdout


def test_a_counterexample_is_written_and_replayed(trace: Path) -> None:
    result = run("check", f"{SYSTEM}:three", "--bug", "eager-commit", "--trace", str(trace))
    assert result.exit_code == 12
    assert f"{trace} is written; genstamp replay --system {SYSTEM}:three {trace} follows" in result.stderr
    assert "breaks consistent" in replayed(trace, f"{SYSTEM}:three")
    picture = run("replay", str(trace), "--system", f"{SYSTEM}:three", "--format", "svg")
    assert picture.stdout.startswith("<svg")


def test_a_lasso_is_written_with_its_cycle_once(trace: Path) -> None:
    arguments = ("check", f"{ENDLESS}:one", "--bug", "HDFS-11576", "--renumber", "--trace", str(trace))
    assert run(*arguments).exit_code == 13
    written = json.loads(trace.read_text())
    assert (len(written["states"]), written["loop"]) == (5, 1)
    told = replayed(trace, f"{ENDLESS}:one")
    assert "accepted" in told
    assert "  and again from state 1, for ever" in told
    system = ("--system", f"{ENDLESS}:one")
    again = run("replay", str(trace), *system, "--format", "itf")
    assert json.loads(again.stdout)["loop"] == 1
    picture = run("replay", str(trace), *system, "--format", "svg").stdout
    assert "closes is violated</text>" in picture
    assert "and again from step 2, for ever" in picture


def test_a_loop_that_does_not_close_is_rejected(trace: Path) -> None:
    run("check", "tests.model.systems.endless_recovery:RELATIVE:one", "--bug", "HDFS-11576", "--trace", str(trace))
    written = json.loads(trace.read_text())
    first, last = ({**written["states"][index], "#meta": {}} for index in (written["loop"], -1))
    variables = set(written["vars"]) - {"mbt::actionTaken", "mbt::nondetPicks"}
    assert [first[name] for name in variables] == [last[name] for name in variables]
    system = "tests.model.systems.endless_recovery:RELATIVE:one"
    replayed(trace, system)
    trace.write_text(json.dumps({**written, "loop": 0}))
    assert "the trace loops back to state 0, to which no step leads from its last state" in replayed(trace, system, 12)
    trace.write_text(json.dumps({**written, "loop": 9}))
    assert str(run("replay", str(trace), "--system", system).exception) == (
        "the trace loops back to state 9; it has states 0 to 4"
    )


def test_no_trace_is_written_where_nothing_is_violated(trace: Path) -> None:
    result = run("check", f"{SYSTEM}:three", "--trace", str(trace))
    assert result.exit_code == 0
    assert f"{trace} is not written: nothing is violated" in result.stderr
    assert not trace.exists()


def test_a_trace_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    result = run("check", f"{SYSTEM}:three", "--bug", "eager-commit", "--trace", str(tmp_path))
    assert str(result.exception) == f"{tmp_path}: it is a directory"
    assert result.stdout == "", "refused before the search"
    result = run("check", f"{SYSTEM}:three", "--trace", str(tmp_path / "no" / "trace.json"))
    assert str(result.exception) == f"{tmp_path / 'no' / 'trace.json'}: there is no directory {tmp_path / 'no'}"


def test_a_shortest_way_to_a_witness_is_shown_and_written(trace: Path) -> None:
    result = run("check", f"{SYSTEM}:three", "--witness", "everybody_commits", "--trace", str(trace))
    assert result.exit_code == 0
    length = explore(TWO_PHASE.instance("three")).witnesses["everybody_commits"]
    assert f"two_phase:three (default): everybody_commits is reached in {length} steps\n" in result.stdout
    assert f"\n  {length:>3}. rm_receive_commit(" in result.stdout
    assert len(json.loads(trace.read_text())["states"]) == 1 + (length or 0)
    assert "accepted" in replayed(trace, f"{SYSTEM}:three")


def test_a_witness_is_looked_for_in_every_form() -> None:
    looked = ("check", f"{SYSTEM}:three", "--witness", "everybody_commits", "--format")
    [found] = json.loads(run(*looked, "json").stdout)
    assert (found["verdict"], len(found["trace"]["states"])) == (
        f"reached in {found['steps']} steps",
        1 + found["steps"],
    )
    assert run(*looked, "github").stdout == "::notice title=genstamp check::1 passed\n"


def test_a_witness_is_looked_for_until_some_configuration_reaches_it() -> None:
    result = run("check", COUNTER, "--witness", "all_have_raised")
    assert result.exit_code == 0
    assert "counter:two (good): all_have_raised is reached in 2 steps" in result.stdout
    assert "counter:one" not in result.stdout


def test_a_witness_that_is_not_found_is_no_pass(trace: Path) -> None:
    given_up = run("check", f"{SYSTEM}:three", "--witness", "everybody_commits", "--max-states", "5")
    assert given_up.exit_code == 3
    assert "everybody_commits is undetermined" in given_up.stdout
    never = run("check", f"{COUNTER}:one", "--witness", "all_have_raised", "--trace", str(trace))
    assert never.exit_code == 12
    assert "all_have_raised is never reached within these limits: counts 6" in never.stdout
    assert "is not written: all_have_raised is not reached" in never.stderr
    told = run("check", f"{COUNTER}:one", "--witness", "all_have_raised", "--format", "github").stdout
    assert told.startswith("::error file=tests/conformance/verify/small_system.py,line=")


def test_results_and_violations_print_as_a_reader_wants_them() -> None:
    held = str(explore(TWO_PHASE.instance("three")))
    assert held == "two_phase:three: holds, 288 distinct states, depth 10"
    broken = str(explore(TWO_PHASE.instance("three", bugs=["eager-commit"]))).splitlines()
    assert broken[0].startswith("two_phase:three: violated, ")
    assert broken[1] == "violated: invariant consistent, after 3 steps"
    assert broken[2] == "  1. tm_commit()"


def test_a_system_without_limits_and_bugs_says_none() -> None:
    lines = list(described(replace(TWO_PHASE, bugs=())))
    assert any("limits: none" in line for line in lines)
    assert "  bugs, holes and differences: none" in lines


def test_a_scenario_gives_a_shortest_run_of_the_system_itself(trace: Path) -> None:
    scenario = "rm_prepare(rm=rm1); not tm_receive_prepared; rm_receive_abort(rm=rm1)"
    result = run("check", f"{SYSTEM}:three", "--scenario", scenario, "--trace", str(trace))
    assert result.exit_code == 0, result.output
    assert "the scenario is reached in" in result.stdout
    assert "accepted" in replayed(trace, f"{SYSTEM}:three")
    written = json.loads(trace.read_text())
    assert "scenario" not in written["vars"]


def test_a_scenario_that_no_run_shows_is_a_failure(trace: Path) -> None:
    result = run("check", f"{SYSTEM}:three", "--scenario", "tm_commit; tm_abort", "--trace", str(trace))
    assert result.exit_code == 12
    assert "the scenario is never reached" in result.stdout
    assert not trace.exists()
    assert run("check", SYSTEM, "--scenario", "tm_commit", "--witness", "everybody_commits").exit_code == 2


@pytest.mark.parametrize(
    ("scenario", "limit", "said", "code"),
    [
        ("not acquire; not time_out; not write; write", "tokens=3", "never reached", 12),
        ("not time_out; not write; write", "tokens=0", "undetermined", 3),
    ],
)
def test_a_scenario_that_keeps_every_step_out_is_never_reached(
    scenario: str, limit: str, said: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("init", "lock").exit_code == 0
    for form in ("text", "json", "junit"):
        result = run("check", "lock.py:LOCK:two", "--limit", limit, "--scenario", scenario, "--format", form)
        assert result.exit_code == code
        assert said.partition(" ")[0] in result.stdout
