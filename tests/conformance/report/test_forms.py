"""Test cases in each machine-readable form, whatever they are of."""

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.conformance.report.sarif_form import well_formed

from genstamp.report import Case, Format, Place, Rule, Stage, document
from genstamp.report.places import shown_file

RULE = Rule("leases/one_lease", "Nobody holds two.", Place("spec/leases.py", 7))
PASSED = Case("genstamp.check.leases", "small", 0.5, rule=RULE, judged=(Rule("leases/other"),))
FAILED = Case(
    group="genstamp.check.leases",
    name="small",
    seconds=0.25,
    outcome="failure",
    kind="invariant",
    message="100 %, or: never",
    text="1. grant\r\n2. grant",
    rule=RULE,
    steps=(Stage("grant", Place("spec/a file.py", 3)), Stage("grant again")),
)
OPEN = Case("genstamp.check.leases", "large", 0.0, "undetermined", "undetermined", "no memory is left")
BAD = Case("genstamp.check.leases", "large", 0.0, "error", "error", "out of range", place=Place("spec/x,y:z.py", 2))
LEFT = Case("genstamp.check.leases", "none", 0.0, "skipped", "skipped", "no data")
ALL = [PASSED, FAILED, OPEN, BAD, LEFT]


def shown(form: Format, *cases: Case) -> str:
    return document(form, "genstamp check", lambda: {"cases": len(cases)}, cases)


def test_junit_has_an_error_for_what_is_undetermined() -> None:
    suite = ElementTree.fromstring(shown(Format.JUNIT, *ALL))
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["5", "1", "2", "1"]
    assert [child.tag for case in suite for child in case] == ["failure", "error", "error", "skipped"]


def test_json_is_what_the_verb_says() -> None:
    assert json.loads(shown(Format.JSON, *ALL)) == {"cases": 5}


def test_sarif_has_all_that_was_judged_and_results_for_all_that_is_no_pass() -> None:
    run = well_formed(json.loads(shown(Format.SARIF, *ALL)))
    names = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert names == ["leases/other", "leases/one_lease", "genstamp.check.leases"]
    [invocation] = run["invocations"]
    assert [one["message"]["text"] for one in invocation["toolExecutionNotifications"]] == ["none: no data"]
    assert [(one["ruleId"], one["level"]) for one in run["results"]] == [
        ("leases/one_lease", "error"),
        ("genstamp.check.leases", "warning"),
        ("genstamp.check.leases", "error"),
    ]


def test_sarif_shows_the_steps_of_a_counterexample_at_their_lines() -> None:
    [result] = well_formed(json.loads(shown(Format.SARIF, FAILED)))["results"]
    [flow] = result["codeFlows"]
    first, second = (at["location"] for at in flow["threadFlows"][0]["locations"])
    assert first["physicalLocation"]["artifactLocation"]["uri"] == "spec/a%20file.py"
    assert first["physicalLocation"]["region"] == {"startLine": 3}
    assert (first["message"], second) == ({"text": "grant"}, {"message": {"text": "grant again"}})


def test_sarif_of_a_pass_has_rules_and_no_result() -> None:
    run = well_formed(json.loads(shown(Format.SARIF, PASSED)))
    assert (len(run["tool"]["driver"]["rules"]), run["results"]) == (2, [])


def test_sarif_says_whether_every_judge_came_to_its_end() -> None:
    cut = Case("genstamp.check.leases", "large", 0.0, "undetermined", "interrupted", "interrupted")
    for case, ended in ((PASSED, True), (FAILED, True), (OPEN, True), (BAD, False), (cut, False)):
        (invocation,) = well_formed(json.loads(shown(Format.SARIF, PASSED, case)))["invocations"]
        assert invocation["executionSuccessful"] is ended, case


def test_fingerprints_stay_the_same_and_tell_results_apart() -> None:
    one, two = (well_formed(json.loads(shown(Format.SARIF, *ALL)))["results"] for _ in range(2))
    assert one == two
    assert len({str(result["partialFingerprints"]) for result in one}) == 2 + (OPEN.name != BAD.name)


def test_github_gets_an_error_a_warning_and_a_notice_with_everything_escaped() -> None:
    assert shown(Format.GITHUB, *ALL).splitlines() == [
        "::error file=spec/leases.py,line=7,title=genstamp check%2C failure%3A leases/one_lease"
        "::genstamp.check.leases small: 100 %25, or: never%0A1. grant%0D%0A2. grant",
        "::warning title=genstamp check%2C undetermined%3A genstamp.check.leases"
        "::genstamp.check.leases large: no memory is left",
        "::error file=spec/x%2Cy%3Az.py,line=2,title=genstamp check%2C error%3A genstamp.check.leases"
        "::genstamp.check.leases large: out of range",
        "::notice title=genstamp check%2C skipped%3A genstamp.check.leases::genstamp.check.leases none: no data",
        "::notice title=genstamp check::1 passed, 1 failed, 1 could not be judged, 1 undetermined, 1 skipped",
    ]


def test_github_says_that_nothing_was_judged() -> None:
    assert shown(Format.GITHUB) == "::notice title=genstamp check::nothing was judged\n"


def test_files_are_shown_as_the_repository_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    assert shown_file(str(tmp_path / "spec" / "leases.py")) == "spec/leases.py"
    assert shown_file("leases.py") == "below/leases.py"


def test_a_file_elsewhere_is_shown_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    assert shown_file(str(here / "deep" / "a.py")) == "deep/a.py"
    assert shown_file(str(tmp_path / "there" / "a.py")) == "a.py"
