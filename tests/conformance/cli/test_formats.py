"""Every verb that judges, in the forms that a forge reads: a pass, a violation, and what is undetermined."""

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.report.sarif_form import places, well_formed
from tests.conformance.verify.small_system import COUNTER
from typer.testing import CliRunner

from genstamp.cli.prove.verb import cases
from genstamp.cli.verbs import app
from genstamp_model.prove import Verdict
from genstamp_model.prove import prove as judge

TWO_PHASE = "tests.model.systems.two_phase:TWO_PHASE:three"
ENDLESS = "tests.model.systems.endless_recovery"
TWO_PHASE_FILE = "tests/model/systems/two_phase.py"
COUNTER_FILE = "tests/conformance/verify/small_system.py"

ANNOTATIONS = {"note": "notice"}
"""Levels of SARIF that GitHub's annotations have another word for."""


def run(code: int, *arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result.stdout


def results(code: int, *arguments: str) -> list[dict[str, Any]]:
    """The results in SARIF, after GitHub's form was found to tell as many."""
    found: list[dict[str, Any]] = well_formed(json.loads(run(code, *arguments, "--format", "sarif")))["results"]
    lines = run(code, *arguments, "--format", "github").splitlines()
    assert lines[-1].startswith("::notice title=genstamp ")
    # SARIF tells of what was left out in notes, and has no result for it.
    levels = [line.partition(" ")[0] for line in lines[:-1] if "%2C skipped%3A " not in line]
    assert levels == [f"::{ANNOTATIONS.get(result['level'], result['level'])}" for result in found]
    return found


def at(result: dict[str, Any]) -> str:
    """The first place of a result."""
    place = next(places(result))
    return f"{place['artifactLocation']['uri']}:{place['region']['startLine']}"


def line_of(file: str, text: str) -> str:
    """`file:line` of the first line of a file that begins so."""
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    number = next(number for number, line in enumerate(lines, 1) if line.strip().startswith(text))
    return f"{file}:{number}"


def declared(file: str, name: str) -> set[str]:
    """The lines where a function of a system may be said to be declared: its own, and its decorator's."""
    place = line_of(file, f"def {name}(")
    path, _, line = place.rpartition(":")
    return {f"{path}:{int(line) - back}" for back in range(3)}


def test_check_that_passes_has_every_property_as_a_rule() -> None:
    text = run(0, "check", TWO_PHASE, "--format", "sarif")
    run_ = well_formed(json.loads(text))
    assert run_["results"] == []
    assert "two_phase/consistent" in [rule["id"] for rule in run_["tool"]["driver"]["rules"]]
    told = run(0, "check", TWO_PHASE, "--format", "github").splitlines()
    assert told[-1] == "::notice title=genstamp check::1 passed, 1 skipped"


def test_check_that_is_violated_points_to_the_property_and_to_each_step() -> None:
    [result] = results(12, "check", TWO_PHASE, "--bug", "eager-commit")
    assert (result["ruleId"], result["level"]) == ("two_phase/consistent", "error")
    assert at(result) in declared(TWO_PHASE_FILE, "consistent")
    [flow] = result["codeFlows"]
    steps = [step["location"] for step in flow["threadFlows"][0]["locations"]]
    assert len(steps) == 3
    assert steps[0]["message"]["text"].startswith("tm_commit(")
    assert steps[1]["physicalLocation"]["artifactLocation"]["uri"] == TWO_PHASE_FILE


def test_check_that_gives_up_warns() -> None:
    [result] = results(3, "check", TWO_PHASE, "--max-states", "10")
    assert (result["ruleId"], result["level"]) == ("two_phase/all", "warning")
    assert "there are more than 10 states" in result["message"]["text"]


def test_check_shows_a_lasso_as_steps_and_warns_of_what_is_not_judged() -> None:
    [lasso] = results(13, "check", f"{ENDLESS}:RELATIVE:one", "--bug", "HDFS-11576")
    assert lasso["level"] == "error"
    assert len(lasso["codeFlows"][0]["threadFlows"][0]["locations"]) == 4
    [left] = results(3, "check", f"{ENDLESS}:RELATIVE:two", "--fingerprint")
    assert (left["level"], left["ruleId"].rpartition("/")[2]) == ("warning", "closes")
    suite = run(3, "check", f"{ENDLESS}:RELATIVE:two", "--fingerprint", "--format", "junit")
    assert 'errors="1"' in suite


def test_coverage_that_is_missing_is_a_failure_where_it_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    small = [replace(COUNTER.configuration(name), on_demand=False) for name in ("one", "again")]
    smaller = replace(COUNTER, configurations=small)
    monkeypatch.setattr("tests.conformance.verify.small_system.SMALLER", smaller, raising=False)
    monkeypatch.setattr("genstamp.systems.PLACES", {"counter": "tests.conformance.verify.small_system:SMALLER"})
    action, witness, *vacuous = results(12, "check", "counter")
    assert {one["ruleId"] for one in (action, witness)} == {"counter/coverage"}
    assert {(one["ruleId"], one["level"]) for one in vacuous} == {("counter/never_negative", "warning")}
    assert at(action) in declared(COUNTER_FILE, "withdraw")
    assert at(witness) in declared(COUNTER_FILE, "all_have_raised")
    open_ = results(3, "check", "counter", "--max-states", "1")
    assert {one["level"] for one in open_} == {"warning"}
    assert "counter/coverage" in {one["ruleId"] for one in open_}


def test_bmc_in_all_forms() -> None:
    assert results(0, "bmc", TWO_PHASE, "--steps", "2") == []
    [violated] = results(12, "bmc", TWO_PHASE, "--steps", "4", "--bug", "eager-commit")
    assert (violated["ruleId"], len(violated["codeFlows"])) == ("two_phase/consistent", 1)
    [open_] = results(3, "bmc", TWO_PHASE, "--steps", "9", "--max-seconds", "0")
    assert open_["level"] == "warning"


def test_simulate_in_all_forms() -> None:
    walk = ("simulate", TWO_PHASE, "--seed", "1", "--runs", "50")
    assert results(0, *walk) == []
    [violated] = results(12, *walk, "--bug", "eager-commit")
    assert at(violated) in declared(TWO_PHASE_FILE, "consistent")


@pytest.mark.slow
def test_prove_in_all_forms() -> None:
    proof = "tests.model.systems.two_phase_proof:TWO_PHASE_PROOF"
    assert results(0, "prove", proof) == []
    [broken, *_] = results(12, "prove", "tests.conformance.verify.small_system:WRONG:two")
    assert (broken["ruleId"], broken["level"]) == ("wrong/never_falls", "error")
    [step] = broken["codeFlows"][0]["threadFlows"][0]["locations"]
    assert step["location"]["message"]["text"].startswith("reset(")


def test_what_prove_leaves_open_is_no_pass() -> None:
    instance = COUNTER.instance("one")
    report = judge(instance)
    proofs = tuple(replace(proof, verdict=Verdict.UNDETERMINED, reason="no time") for proof in report.proofs)
    found = cases(replace(report, proofs=proofs), instance.model)
    assert {case.outcome for case in found} == {"undetermined"}


@pytest.mark.slow
def test_proofs_for_any_size_and_searches_for_invariants_have_all_forms() -> None:
    assert results(0, "prove", "tests.model.systems.two_phase_proof:TWO_PHASE_PROOF", "--parametric") == []
    [broken, *_] = results(12, "prove", "tests.conformance.verify.small_system:WRONG", "--parametric")
    assert broken["ruleId"] == "wrong/never_falls"
    [open_] = results(3, "prove", TWO_PHASE, "--search", "--bug", "eager-commit")
    assert (open_["ruleId"], open_["level"]) == ("two_phase/consistent", "warning")


def test_replay_in_all_forms(tmp_path: Path) -> None:
    [found] = json.loads(run(12, "check", TWO_PHASE, "--bug", "eager-commit", "--format", "json"))
    trace = tmp_path / "trace.itf.json"
    trace.write_text(json.dumps(found["violation"]["trace"]), encoding="utf-8")
    system = ("--system", TWO_PHASE)
    assert results(0, "replay", str(trace), *system) == []
    # Without the bug nobody can commit at once.
    found["violation"]["trace"]["#meta"].pop("bugs")
    trace.write_text(json.dumps(found["violation"]["trace"]), encoding="utf-8")
    [rejected] = results(12, "replay", str(trace), *system)
    assert at(rejected) in declared(TWO_PHASE_FILE, "tm_commit")


@pytest.mark.slow
def test_mutate_points_to_the_line_that_is_changed() -> None:
    mutants = ("mutate", TWO_PHASE, "--jobs", "1", "--action", "tm_commit")
    [noted] = results(0, *mutants)
    assert (noted["ruleId"], noted["level"]) == ("two_phase/mutation", "warning")
    [survivor] = results(12, *mutants, "--strict")
    assert (survivor["ruleId"], survivor["level"]) == ("two_phase/mutation", "error")
    assert at(survivor).startswith(f"{TWO_PHASE_FILE}:")


def test_agree_with_a_peer_that_is_absent_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genstamp.agree.spin.Spin.version", lambda self: None)
    [absent] = results(3, "agree", TWO_PHASE, "--peer", "spin")
    assert (absent["ruleId"], absent["level"]) == ("two_phase/agrees-with-spin", "warning")


@pytest.mark.slow
def test_conform_points_to_the_check_that_failed(tmp_path: Path) -> None:
    program = tmp_path / "broken.py"
    program.write_text(
        "from genstamp_dfs import adapter\n"
        "from genstamp_dfs.errors import LeaseExpiredException\n"
        'LeaseExpiredException.hadoop_name = "IOException"\n'
        "adapter.main()\n",
        encoding="utf-8",
    )
    assert results(0, "conform", "--examples", "2", "--seed", "1") == []
    command, saved = shlex.join([sys.executable, str(program)]), str(tmp_path / "run.jsonl")
    [rejected] = results(12, "conform", "--command", command, "--seed", "2", "--save", saved)
    assert at(rejected).startswith("spec/genstamp_spec/")
