"""Every verb that gives a verdict gives the same one in each form: by its exit code, its headline and its JSON."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.conformance.report.sarif_form import well_formed
from typer.testing import CliRunner

from genstamp import exit_codes
from genstamp.cli import main
from genstamp.cli.verbs import app
from genstamp.report import Case, Verdict, verdict

TWO_PHASE = "tests.model.systems.two_phase:TWO_PHASE:three"
EAGER = (TWO_PHASE, "--bug", "eager-commit")
RELATIVE = "tests.model.systems.endless_recovery:RELATIVE:one"
ENDLESS = (RELATIVE, "--bug", "HDFS-11576")
ENDING = "tests.conformance.cli.ending"
UNMET = "tests.conformance.cli.vacuous_systems:UNMET"
WRONG = "tests.conformance.verify.small_system:WRONG:two"
PROOF = "tests.model.systems.two_phase_proof:TWO_PHASE_PROOF"

DATA = Path(__file__).parents[2] / "data"
LOGS, EDITS = DATA / "logs", str(DATA / "edits" / "editsStored")

WORST_FIRST = [12, 11, 75, 13, 3, 0]

SAID = [
    (("check", TWO_PHASE), 0, ": holds"),
    (("check", *EAGER), 12, ": violated"),
    (("check", *ENDLESS), 13, ": violated"),
    (("check", RELATIVE, "--fingerprint"), 3, ": undetermined"),
    (("check", TWO_PHASE, "--max-states", "10"), 3, ": undetermined"),
    (("check", f"{ENDING}:NEVER"), 11, ": violated"),
    (("check", f"{ENDING}:BEYOND"), 75, ": violated"),
    (("check", UNMET), 12, " never reached: "),
    (("check", TWO_PHASE, "--witness", "everybody_commits"), 0, " is reached in "),
    (("simulate", TWO_PHASE, "--seed", "1", "--runs", "20"), 0, ": nothing found, which proves nothing"),
    (("simulate", *EAGER, "--seed", "1", "--runs", "50"), 12, ": violated"),
    (("bmc", TWO_PHASE, "--steps", "2"), 0, ": no violation within 2 steps"),
    (("bmc", *EAGER, "--steps", "4"), 12, ": violated within "),
    (("bmc", TWO_PHASE, "--steps", "9", "--max-seconds", "0"), 3, ": undetermined"),
    (("bmc", f"{ENDING}:NEVER", "--steps", "2"), 11, ": violated within "),
    (("prove", PROOF), 0, "  proved in "),
    (("prove", WRONG), 12, "  violated in "),
    (("prove", f"{ENDING}:BEYOND"), 75, "  violated in "),
    (("prove", f"{ENDING}:BEYOND", "--parametric"), 75, "  violated in "),
    (("simulate", f"{ENDING}:BEYOND", "--seed", "1"), 75, ": violated"),
    (("bmc", f"{ENDING}:BEYOND"), 75, ": violated within "),
    (("bmc", f"{ENDING}:ANY"), 0, ": no violation within 1 step, and no step changes the state after that"),
    (("prove", TWO_PHASE, "--search", "--bug", "eager-commit"), 3, ": undetermined"),
    (("agree", TWO_PHASE, "--peer", "spin"), 3, ": undetermined"),
    (("mutate", TWO_PHASE, "--jobs", "1", "--action", "tm_commit"), 0, "survive"),
    (("mutate", TWO_PHASE, "--jobs", "1", "--action", "tm_commit", "--strict"), 12, "survive"),
    (("logs", "check", f"{LOGS}/verdicts/copy-of-old-stamp.log", "--semantics", "repaired"), 12, "violated"),
    (("logs", "check", __file__), 3, "undetermined: no event was found"),
    (("logs", "check", EDITS), 0, "conformant, complete; "),
]

WRONG_USE = [
    *(((verb, "nosuch"), 151) for verb in ("check", "explore", "bmc", "prove", "simulate", "mutate", "agree", "lock")),
    (("conform", "--system", "nosuch"), 151),
    *(((verb, f"{TWO_PHASE}s"), 151) for verb in ("check", "bmc", "prove", "simulate", "mutate", "agree")),
    *(
        ((verb, TWO_PHASE, "--bug", "nosuch"), 151)
        for verb in ("check", "explore", "bmc", "prove", "simulate", "agree")
    ),
    *(((verb, TWO_PHASE, "--limit", "nosuch=1"), 151) for verb in ("check", "explore", "bmc")),
    *(((verb, TWO_PHASE, "--witness", "nosuch"), 151) for verb in ("check", "explore", "bmc")),
    (("mutate", f"{ENDING}:BEYOND"), 75),
    (("conform", "--command", "nosuch", "--seed", "1"), 75),
    (("logs", "check", "nosuch"), 2),
    (("logs", "explain", "blk_1", "nosuch"), 2),
    *(
        ((verb, TWO_PHASE, "--nosuch"), 2)
        for verb in ("check", "explore", "bmc", "prove", "simulate", "mutate", "agree")
    ),
    *(((*verb, "--nosuch"), 2) for verb in (("conform",), ("verify",), ("lock",), ("logs", "check"))),
]


def codes(told: Any) -> Iterator[int]:
    """Every exit code that a document in JSON gives."""
    for one in told if isinstance(told, list) else [told]:
        yield one["exit_code"]
        if one.get("together"):
            yield one["together"]["exit_code"]


def run(code: int, *arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result.stdout


def is_worst(levels: set[str], code: int) -> bool:
    """Whether levels of results fit an exit code; a warning is a pass, unless something is undetermined."""
    return ("error" in levels) == (code not in (0, 3)) and ("warning" in levels or code != 3)


def agrees_in_all_forms(arguments: tuple[str, ...], code: int, headline: str) -> None:
    assert headline in run(code, *arguments)
    assert min(codes(json.loads(run(code, *arguments, "--format", "json"))), key=WORST_FIRST.index) == code
    suite = ElementTree.fromstring(run(code, *arguments, "--format", "junit"))
    assert (suite.get("failures"), suite.get("errors")) == ("0", "0") or code
    assert (suite.get("failures") == "0") or code in (11, 12, 13)
    levels = {one["level"] for one in well_formed(json.loads(run(code, *arguments, "--format", "sarif")))["results"]}
    assert is_worst(levels, code)
    lines = run(code, *arguments, "--format", "github").splitlines()
    assert is_worst({line.partition(" ")[0].removeprefix("::") for line in lines[:-1]}, code)


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "code", "headline"), SAID, ids=lambda one: None)
def test_all_forms_of_a_verb_agree(
    arguments: tuple[str, ...], code: int, headline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genstamp.agree.spin.Spin.version", lambda self: None)
    agrees_in_all_forms(arguments, code, headline)


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "code"), WRONG_USE, ids=lambda one: None)
def test_a_wrong_use_has_the_same_code_with_every_verb(
    arguments: tuple[str, ...], code: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["genstamp", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert (end.value.code, "Traceback" in capsys.readouterr().err) == (code, False)


def test_the_help_of_the_command_tells_every_exit_code() -> None:
    told = run(0, "--help").split()
    assert {str(code) for code in exit_codes.MEANINGS} <= set(told)
    codes = {value for name, value in vars(exit_codes).items() if name.isupper() and isinstance(value, int)}
    assert codes == set(exit_codes.MEANINGS)


@pytest.mark.slow
@pytest.mark.parametrize("how", [("--examples", "2", "--seed", "1"), ("--simulate", "1")])
def test_all_forms_of_conform_agree(how: tuple[str, ...]) -> None:
    agrees_in_all_forms(("conform", *how), 0, ": conforms")


@pytest.mark.slow
def test_all_forms_of_replay_agree(tmp_path: Path) -> None:
    trace = tmp_path / "trace.itf.json"
    run(12, "check", *EAGER, "--trace", str(trace))
    replay = ("replay", str(trace), "--system", TWO_PHASE)
    agrees_in_all_forms(replay, 0, ": accepted")
    written = json.loads(trace.read_text())
    written["#meta"].pop("bugs")
    trace.write_text(json.dumps(written))
    agrees_in_all_forms(replay, 12, ": rejected")


def case(outcome: Any, kind: str = "") -> Case:
    return Case("group", "name", 0.0, outcome, kind)


@pytest.mark.parametrize(
    ("cases", "worst"),
    [
        ([case("passed"), case("warning"), case("skipped")], Verdict.HOLDS),
        ([case("passed"), case("undetermined")], Verdict.UNDETERMINED),
        ([case("undetermined"), case("failure", "leads_to")], Verdict.UNFINISHED),
        ([case("failure", "leads_to"), case("error")], Verdict.FAILURE),
        ([case("error"), case("error", "error")], Verdict.BAD_STEP),
        ([case("error"), case("failure", "deadlock")], Verdict.DEADLOCK),
        ([case("failure", "deadlock"), case("failure", "invariant")], Verdict.UNSAFE),
        ([case("skipped")], Verdict.FAILURE),
        ([], Verdict.FAILURE),
    ],
)
def test_a_verdict_is_the_worst_of_what_it_covers(cases: list[Case], worst: Verdict) -> None:
    assert verdict(cases) is worst
