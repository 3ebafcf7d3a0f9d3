"""The verb check on systems with leads-to properties: exit codes, the lasso, and its other forms."""

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from genstamp.cli.verbs import app
from genstamp_model.explore import INTERRUPTED, Verdict
from genstamp_model.liveness import Liveness, judge

RELATIVE = "tests.model.systems.endless_recovery:RELATIVE"
NUMBERED = "tests.model.systems.endless_recovery:NUMBERED"
RANKED = "tests.model.systems.endless_recovery:RANKED"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["check", *arguments])


def test_a_leads_to_that_holds_is_told() -> None:
    result = run(f"{RELATIVE}:two")
    assert result.exit_code == 0
    assert "  closes: holds, 4 states in which it is owed" in result.stdout
    assert "not judged" not in result.stdout


def test_a_leads_to_that_is_violated_exits_13_with_a_lasso() -> None:
    result = run(f"{RELATIVE}:one", "--bug", "HDFS-11576")
    assert result.exit_code == 13
    assert "  a behaviour that never does what it owes, 1 step and a cycle of 3:" in result.stdout
    assert "  for ever, with closes owed since step 1:" in result.stdout
    assert "  and again from step 2" in result.stdout


def test_numbers_that_rise_for_ever_need_to_be_renumbered() -> None:
    bounded = run(f"{NUMBERED}:one", "--bug", "HDFS-11576")
    assert bounded.exit_code == 3
    assert "  undetermined: what happens beyond limit recoveries is not known" in bounded.stdout
    assert "  try --renumber: " in bounded.stdout
    renumbered = run(f"{NUMBERED}:one", "--bug", "HDFS-11576", "--renumber")
    assert "try --renumber" not in renumbered.stdout
    assert renumbered.exit_code == 13
    assert "  and again from step 2, with higher numbers" in renumbered.stdout


@pytest.mark.slow
def test_a_configuration_says_that_numbers_are_judged_by_rank() -> None:
    holds = run("hdfs.expiry:one_client")
    assert holds.exit_code == 0
    assert ": holds within these limits: " in holds.stdout.splitlines()[0]
    assert "  recover_lease_returns_true: holds, with ordered numbers by rank, " in holds.stdout
    broken = run(f"{RANKED}:one", "--bug", "HDFS-11576")
    assert broken.exit_code == 13
    assert "  and again from step 2, with higher numbers" in broken.stdout
    assert "try --renumber" not in broken.stdout


def test_the_headline_is_that_of_the_worst_property() -> None:
    first, second, *_ = run(f"{NUMBERED}:one", "--bug", "HDFS-11576", "--renumber").stdout.splitlines()
    assert first.endswith("(default with HDFS-11576): violated")
    assert second.startswith("  invariants and transition properties hold within these limits: ")
    open_ = run(f"{NUMBERED}:one", "--bug", "HDFS-11576").stdout.splitlines()[0]
    assert open_.endswith("(default with HDFS-11576): undetermined")
    assert second.endswith("; deadlock is not looked for")


def test_a_lasso_is_given_as_json() -> None:
    result = run(f"{NUMBERED}:one", "--bug", "HDFS-11576", "--renumber", "--format", "json")
    [found] = json.loads(result.stdout)
    assert (found["verdict"], found["exit_code"], found["safety"]) == ("violated", 13, "holds")
    assert found["not_judged"] == []
    [closes] = found["leads_to"]
    assert (closes["name"], closes["verdict"]) == ("closes", "violated")
    assert closes["fair"] == ["command_recovery", "begin_recovery", "commit_block_synchronization"]
    lasso = closes["lasso"]
    assert (lasso["prefix"], lasso["cycle"], lasso["numbers_rise"]) == (1, 3, True)
    assert len(lasso["trace"]["states"]) == 5


def test_a_leads_to_is_a_test_case_in_junit() -> None:
    bug = (f"{NUMBERED}:one", "--bug", "HDFS-11576", "--format", "junit")
    violated = ElementTree.fromstring(run(*bug, "--renumber").stdout)
    assert (violated.get("tests"), violated.get("failures"), violated.get("errors")) == ("3", "1", "0")
    failure = violated.find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "leads-to closes: 1 step and a cycle of 3"
    open_ = ElementTree.fromstring(run(*bug).stdout)
    assert (open_.get("failures"), open_.get("errors")) == ("0", "1")


@pytest.mark.parametrize("how", ["--symmetry", "--fingerprint"])
def test_what_is_not_judged_is_no_pass(how: str) -> None:
    result = run(f"{RELATIVE}:two", how)
    assert result.exit_code == 3
    assert "  not judged: closes" in result.stdout


def test_where_the_search_does_not_end_leads_to_are_not_judged() -> None:
    result = run(f"{NUMBERED}:two", "--bug", "HDFS-11576", "--max-states", "5")
    assert result.exit_code == 3
    assert "  not judged: closes" in result.stdout


def test_an_interrupt_while_leads_to_properties_are_judged_ends_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> tuple[Liveness, ...]:
        found = judge(*arguments, **options)
        return tuple(replace(one, verdict=Verdict.UNDETERMINED, reason=INTERRUPTED) for one in found)

    assert run(RELATIVE).stdout.count("closes: holds") == 3
    monkeypatch.setattr("genstamp.leads_to.judge", interrupted)
    result = run(RELATIVE)
    assert (result.exit_code, result.stdout.count("closes: undetermined")) == (3, 1)
