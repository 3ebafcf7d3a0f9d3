"""The verbs check, prove, list and doctor as their users meet them: output, exit codes, mistakes."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.conformance.cli import ending
from typer.testing import CliRunner, Result

from genstamp import coverage
from genstamp.byte_sizes import bytes_of
from genstamp.cli import main
from genstamp.cli.verbs import app, exit_code
from genstamp.errors import GenstampError
from genstamp_model.errors import ConfigurationError, EvaluationError, SpecError
from genstamp_model.explore import explore
from genstamp_spec.hdfs.systems.recovery import RECOVERY


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.slow
def test_check_tells_what_was_searched_and_within_which_limits() -> None:
    result = run("check", "hdfs.recovery:takeover")
    assert result.exit_code == 0
    assert "hdfs.recovery:takeover (repaired): holds within these limits: bytes 1, crashes 1, stamps 3" in result.stdout
    for told in (
        "distinct states",
        "depth",
        "words and",
        "bytes a state",
        "M states/s",
        "cut off by limits",
        "covered",
    ):
        assert told in result.stdout


@pytest.mark.slow
def test_check_with_fingerprints_holds_with_a_probability(tmp_path: Path) -> None:
    options = ["--fingerprint", "--memory", "8MiB", "--spill", str(tmp_path)]
    result = run("check", "hdfs.recovery:takeover", *options)
    assert result.exit_code == 0
    assert re.search(r"holds with probability at least 1 - \d\.\de-1\d within these limits: bytes 1", result.stdout)
    assert "bytes on disk" in result.stdout
    [found] = json.loads(run("check", "hdfs.recovery:takeover", *options, "--format", "json").stdout)
    assert 0 < found["probability_missed_at_most"] < 1e-9
    assert found["bytes_on_disk"] > 0


@pytest.mark.slow
def test_check_with_too_little_memory_is_undetermined_or_refused() -> None:
    result = run("check", "hdfs.recovery:takeover", "--fingerprint", "--memory", "1MiB")
    assert result.exit_code == 3
    assert "undetermined: the memory for fingerprints is used up" in result.stdout
    refused = run("check", "hdfs.recovery:takeover", "--memory", "much")
    assert refused.exit_code == 2
    assert "'much' is not a size" in refused.stderr


@pytest.mark.parametrize(
    ("text", "size"), [("17", 17), ("8MiB", 2**23), ("20GB", 2 * 10**10), ("1.5 k", 1500), ("512M", 512 * 10**6)]
)
def test_sizes_are_written_as_usual(text: str, size: int) -> None:
    assert bytes_of(text) == size


@pytest.mark.slow
def test_prove_shows_a_table_and_test_cases() -> None:
    shown = run("prove", "hdfs.recovery:takeover", "--table")
    assert shown.exit_code == 0
    assert "in milliseconds; = kept trivially" in shown.stdout
    suite = ElementTree.fromstring(run("prove", "hdfs.recovery:takeover", "--format", "junit").stdout.encode())
    assert suite.get("failures") == "0"
    assert "one_lease_per_open_file" in [case.get("name") for case in suite]


@pytest.mark.slow
def test_prove_searches_for_supporting_invariants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genstamp.systems.PLACES", {"two_phase": "tests.model.systems.two_phase:TWO_PHASE"})
    found = run("prove", "two_phase:three", "--search", "--goal", "consistent", "--format", "json")
    assert found.exit_code == 0
    [result] = json.loads(found.stdout)
    assert (result["verdict"], list(result["proved"])) == ("proved", ["consistent"])
    assert result["supporting"][0]["declaration"].startswith("@invariant(inductive=True")
    broken = run("prove", "two_phase:three", "--search", "--bug", "eager-commit")
    assert broken.exit_code == 3
    assert "not proved: consistent" in broken.stdout


@pytest.mark.slow
def test_bmc_claims_the_steps_it_looked_at() -> None:
    result = run("bmc", "hdfs.recovery:takeover", "--steps", "3")
    assert result.exit_code == 0
    assert "hdfs.recovery:takeover (repaired): no violation within 3 steps" in result.stdout
    [case, _] = ElementTree.fromstring(
        run("bmc", "hdfs.recovery:takeover", "--steps", "1", "--format", "junit").stdout.encode()
    )
    assert (case.get("name"), list(case)) == ("takeover within 1 steps", [])


@pytest.mark.slow
def test_bmc_shows_a_shortest_path_and_exits_as_check_does() -> None:
    judged = ("--property", "fenced_client_changes_nothing")
    result = run("bmc", "hdfs.recovery", "--bug", "HDFS-10240", "--steps", "7", *judged, "--format", "json")
    assert result.exit_code == 12
    [found] = json.loads(result.stdout)
    violation = found["violation"]
    assert (violation["kind"], violation["name"]) == ("transition", "fenced_client_changes_nothing")
    assert (violation["message"], violation["steps"]) == ("", 7)
    assert violation["false_part"]["members"] == [["file", "file1"]]
    assert len(found["trace"]["states"]) == 8
    assert run("bmc", "hdfs.recovery:takeover", "--steps", "3", "--max-seconds", "0").exit_code == 3
    unreached = run("bmc", "hdfs.recovery:takeover", "--steps", "1", "--witness", "namenode_holds_a_lease")
    assert unreached.exit_code == 12


@pytest.mark.slow
def test_check_with_a_bug_exits_12_with_a_numbered_counterexample() -> None:
    result = run("check", "hdfs.recovery", "--bug", "HDFS-10240")
    assert result.exit_code == 12
    assert "violated: transition fenced_client_changes_nothing" in result.stdout
    steps = [line for line in result.stdout.splitlines() if line.strip()[:2] in [f"{n}." for n in range(1, 10)]]
    assert len(steps) == 7


@pytest.mark.slow
def test_check_gives_json_with_a_trace() -> None:
    result = run("check", "hdfs.recovery", "--bug", "HDFS-11817", "--format", "json")
    (found,) = json.loads(result.stdout)
    assert (result.exit_code, found["verdict"], found["violation"]["steps"]) == (12, "violated", 9)
    trace = found["violation"]["trace"]
    assert [state["mbt::actionTaken"] for state in trace["states"]][:2] == ["init", "create"]


@pytest.mark.slow
def test_check_gives_junit_where_a_violation_is_a_failure() -> None:
    result = run("check", "hdfs.recovery", "--bug", "HDFS-11817", "--format", "junit")
    suite = ElementTree.fromstring(result.stdout)
    assert (suite.get("failures"), suite.get("errors")) == ("1", "0")
    assert suite.find("testcase/failure") is not None


@pytest.mark.slow
def test_check_that_gives_up_is_undetermined_and_an_error_in_junit() -> None:
    assert run("check", "hdfs.recovery:restarts", "--max-states", "1000").exit_code == 3
    result = run("check", "hdfs.recovery:restarts", "--max-states", "1000", "--format", "junit")
    assert ElementTree.fromstring(result.stdout).get("errors") == "1"


@pytest.mark.slow
def test_check_takes_other_limits_and_says_so() -> None:
    result = run("check", "hdfs.recovery:takeover", "--limit", "stamps=2", "--limit", "crashes=0")
    assert "takeover* (repaired): holds within these limits: bytes 1, crashes 0, stamps 2" in result.stdout


@pytest.mark.slow
def test_check_says_that_one_state_stands_for_many() -> None:
    result = run("check", "hdfs.recovery:takeover", "--renumber", "--limit", "crashes=0")
    assert result.exit_code == 0
    assert "one state for many: ordered numbers by rank" in result.stdout


@pytest.mark.slow
def test_check_keeps_one_state_of_all_that_number_members_otherwise() -> None:
    result = run("check", "hdfs.recovery:takeover", "--symmetry")
    assert result.exit_code == 0
    assert "one state for many: " in result.stdout
    assert f"{98_726:,} distinct states" in result.stdout


def test_check_refuses_symmetry_where_none_is_declared() -> None:
    problem = run("check", "tests.model.traces.test_pictures:LETTERS", "--symmetry").exception
    assert isinstance(problem, ConfigurationError)
    assert "declares no index set symmetric" in str(problem)


@pytest.mark.parametrize("text", ["stamps", "stamps=-1", "stamps=two"])
def test_check_refuses_a_limit_that_is_none(text: str) -> None:
    assert run("check", "hdfs.recovery:takeover", "--limit", text).exit_code == 2


@pytest.mark.slow
def test_what_no_search_reaches_is_named() -> None:
    missing = coverage.missing(coverage.together([coverage.of(explore(RECOVERY.instance("takeover")))]))
    assert "action abandon_recovery" in missing
    assert "witness two_recoveries_in_flight" in missing


@pytest.mark.slow
def test_prove_tells_each_property_and_what_it_rests_on() -> None:
    result = run("prove", "hdfs.recovery:takeover")
    assert result.exit_code == 0
    assert "integers unbounded, limits ignored" in result.stdout
    assert "proved       one_lease_per_open_file" in result.stdout
    assert "given only_granted_leases_cover_files" in result.stdout


@pytest.mark.slow
def test_prove_shows_the_step_that_breaks_a_property() -> None:
    result = run("prove", "hdfs.recovery:takeover", "--bug", "HDFS-11817")
    assert result.exit_code == 12
    assert "step: release_expired_lease_fails(" in result.stdout


@pytest.mark.slow
def test_prove_gives_json_with_an_entry_an_obligation() -> None:
    (report,) = json.loads(run("prove", "hdfs.recovery:takeover", "--format", "json").stdout)
    assert report["verdict"] == "proved"
    leases = next(one for one in report["properties"] if one["name"] == "one_lease_per_open_file")
    assert {None, "create"} <= {one["action"] for one in leases["obligations"]}


@pytest.mark.slow
def test_prove_for_any_size_tells_what_is_outside_the_decidable_fragment() -> None:
    result = run("prove", "hdfs.expiry", "--parametric")
    assert result.exit_code == 0
    assert result.stdout.startswith("hdfs.expiry, for any number of File, Datanode, Client, integers unbounded")
    assert "proved       last_stamp_never_decreases" in result.stdout
    assert "kept by create_waits, outside the decidable fragment: File -> File" in result.stdout


@pytest.mark.slow
def test_prove_for_any_size_shows_a_step_and_its_sizes_as_json() -> None:
    result = run("prove", "hdfs.monitor", "--parametric", "--bug", "HDFS-4882", "--format", "json")
    assert result.exit_code == 12
    report = json.loads(result.stdout)
    [broken] = [one for one in report["properties"] if one["verdict"] == "violated"]
    assert broken["broken_by"]["sizes"] == ["1 Client", "1 File"]
    assert "step: look_at_lease(" in "\n".join(broken["broken_by"]["lines"])


def test_prove_for_any_size_takes_no_configuration() -> None:
    assert run("prove", "hdfs.recovery:takeover", "--parametric").exit_code == 2


def test_doctor_finds_everything_here() -> None:
    result = run("doctor")
    assert result.exit_code == 0
    assert "z3-solver" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["check", "hdfs.nothing"], 151, "there is no system 'hdfs.nothing'; similar names: hdfs."),
        (["check", "nowhere:NOTHING"], 151, "'nowhere:NOTHING' gives no system"),
        (
            ["check", "hdfs.recovery:takeover", "--limit", "height=1"],
            151,
            "gives limit 'height', which the system",
        ),
        (["check", "hdfs.recovery:takeover", "--witness", "x"], 151, "has no witness 'x'; it has "),
        (["bmc", "hdfs.recovery:takeover", "--property", "x"], 151, "there is no property 'x'"),
        (["prove", "hdfs.recovery:takeover", "--search", "--goal", "x"], 151, "transition property 'x'"),
        (["simulate", "hdfs.recovery", "--weight", "x=1"], 151, "a weight names the action 'x'"),
        (["conform", "--semantics", "x"], 151, "has no semantics 'x'"),
        (["agree", "hdfs.recovery:x"], 151, "has no configuration 'x'"),
        (["check", "hdfs.recovery:nothing"], 151, "has no configuration 'nothing'"),
        (["check", "hdfs.recovery", "--bug", "HDFS-1"], 151, "has no bug 'HDFS-1'"),
        (["prove", "hdfs.recovery", "--semantics", "hadoop-1"], 151, "has no semantics 'hadoop-1'"),
    ],
)
def test_mistake_is_one_line_and_an_exit_code(
    arguments: list[str],
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["genstamp", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    told = capsys.readouterr()
    assert end.value.code == code
    last = told.err.splitlines()[-1]
    assert said in last
    # A seed that was drawn is told first.
    assert [line for line in (told.out + told.err).splitlines() if not line.startswith("seed ")] == [last]


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (ConfigurationError("x"), 151),
        (SpecError("x"), 150),
        (EvaluationError("x"), 75),
        (GenstampError("x"), 2),
    ],
)
def test_exit_code_of_each_kind_of_error(problem: Exception, code: int) -> None:
    assert exit_code(problem) == code


ENDING = "tests.conformance.cli.ending"


@pytest.mark.parametrize(
    ("system", "options", "code", "verdict", "deadlock"),
    [
        ("UNSAID", (), 0, "holds; deadlock is not looked for", "not looked for"),
        ("ANY", (), 0, "holds", "none, as it may stop anywhere"),
        ("WHEN_DONE", (), 0, "holds", "looked for"),
        ("NEVER", (), 11, "violated", "looked for"),
        ("UNSAID", ("--deadlock",), 11, "violated", "looked for"),
        ("ANY", ("--deadlock",), 11, "violated", "looked for"),
    ],
)
def test_the_verdict_says_whether_deadlock_is_looked_for(
    system: str, options: tuple[str, ...], code: int, verdict: str, deadlock: str
) -> None:
    told = run("check", f"{ENDING}:{system}", *options)
    assert (told.exit_code, told.stdout.splitlines()[0]) == (code, f"once:one (default): {verdict}")
    [found] = json.loads(run("check", f"{ENDING}:{system}", *options, "--format", "json").stdout)
    assert (found["exit_code"], found["deadlock"]) == (code, deadlock)
    assert verdict.startswith(found["verdict"])


@pytest.mark.parametrize(("system", "left_out"), [("UNSAID", 1), ("ANY", 0), ("WHEN_DONE", 0)])
@pytest.mark.parametrize("verb", [("check",), ("bmc", "--steps", "2")])
def test_every_form_says_that_deadlock_is_not_looked_for(verb: tuple[str, ...], system: str, left_out: int) -> None:
    def shown(form: str) -> str:
        return run(verb[0], f"{ENDING}:{system}", *verb[1:], "--format", form).stdout

    [suite] = ElementTree.fromstring(shown("junit")).iter("testsuite")
    assert suite.get("skipped") == str(left_out)
    [found] = json.loads(shown("sarif"))["runs"]
    [invocation] = found["invocations"]
    assert len(invocation.get("toolExecutionNotifications", ())) == left_out
    assert ("once/deadlock" in {rule["id"] for rule in found["tool"]["driver"]["rules"]}) == (
        verb[0] == "bmc" and system == "WHEN_DONE"
    )
    assert shown("github").count("deadlock is not looked for") == left_out


def test_what_is_said_of_where_a_system_may_end_changes_no_digest() -> None:
    """That nothing is said of it, and that it may end anywhere, is judged alike."""
    assert ending.ANY.model().digest == ending.UNSAID.model().digest
    assert ending.NEVER.model().digest != ending.UNSAID.model().digest
