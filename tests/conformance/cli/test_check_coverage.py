"""What `genstamp check` says of coverage, and of what holds and says nothing."""

import json

import pytest
from typer.testing import CliRunner, Result

from genstamp.cli.verbs import app

SYSTEMS = "tests.conformance.cli.vacuous_systems"


def check(system: str, *options: str) -> Result:
    return CliRunner().invoke(app, ["check", f"{SYSTEMS}:{system}", *options])


def warnings(system: str) -> list[str]:
    """What a check without --strict warns of; with it the same is wrong."""
    found, strict = check(system), check(system, "--strict")
    lines = [line.removeprefix("warning: ") for line in found.stdout.splitlines() if line.startswith("warning: ")]
    told = [line.removeprefix("violated: ") for line in strict.stdout.splitlines() if line.startswith("violated: ")]
    assert told == lines
    assert (found.exit_code, strict.exit_code) == (0, 12 if lines else 0)
    return lines


def test_what_the_only_configuration_never_reaches_is_named() -> None:
    result = check("UNMET")
    assert result.exit_code == 12
    assert "in the only configuration never reached: action let_go; witness is_held" in result.stdout


def test_a_system_that_is_met_in_all_holds_strictly() -> None:
    assert warnings("SOUND") == []
    told = check("SOUND").stdout
    assert "in the only configuration every action, refusal and witness is reached" in told
    assert "in the only configuration 3 of 3 parts of properties could have failed; first of each property:" in told
    assert "  blown_lamp_is_dark: after 2 steps in one" in told
    assert "  level_never_falls: in " in told


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("ANTECEDENT", ["invariant blown_lamp_is_dark is vacuous: no reached state has blown"]),
        ("TRIGGER", ["transition lamp_that_dims_is_blown is vacuous: no reached step has (level' < level)"]),
        (
            "TAUTOLOGY",
            ["invariant level_is_a_level, part 1 of 2, is vacuous: no value of its variables could break it"],
        ),
        (
            "OWED",
            [
                "leads-to dark_lamp_at_full_level_is_lit is vacuous: nothing is ever owed, as no reached state has "
                "(((level == 2) & ~lit) & ~lit)"
            ],
        ),
    ],
)
def test_a_property_that_could_not_have_failed_is_worth_a_warning(system: str, expected: list[str]) -> None:
    assert [one for one in warnings(system) if not one.startswith("variable ")] == expected


def test_a_variable_that_is_never_set_is_worth_a_warning() -> None:
    assert "variable blown is never set to another value" in warnings("ANTECEDENT")


def test_what_is_declared_to_say_nothing_is_shown_with_its_reason() -> None:
    assert warnings("DECLARED") == []
    told = check("DECLARED").stdout
    assert "declared to say nothing: blown_lamp_is_dark: only with a bug does the fuse blow" in told
    assert "declared to say nothing: blown: only with a bug does the fuse blow" in told


def test_a_declaration_is_not_believed() -> None:
    assert warnings("WRONGLY_DECLARED") == [
        "invariant blown_lamp_is_dark is declared vacuous ('the fuse never blows'), and could have failed everywhere",
        "action light is declared idle ('it lights nothing'), and changes something",
        "variable lit is declared idle ('it is never lit'), and is set and read",
    ]


def test_an_action_that_changes_nothing_is_missing() -> None:
    result = check("IDLE")
    assert result.exit_code == 12
    assert "never reached: effect look (every step of it leaves the state as it is)" in result.stdout


@pytest.mark.parametrize("system", ["LOOKING", "IDLE_DECLARED"])
def test_an_action_may_be_declared_to_change_nothing(system: str) -> None:
    assert warnings(system) == []


def test_coverage_is_a_claim_about_all_default_configurations() -> None:
    assert "over all 2 configurations every action, refusal and witness is reached" in check("TWO").stdout
    for system in ("TWO:one", "TWO:third"):
        told = check(system).stdout
        assert "reached" not in told and "warning" not in told
    told = check("DECLARED", "--bug", "LAMP-1").stdout
    warning = "warning: LAMP-1 is declared to break blown_lamp_is_dark, and nothing breaks"
    assert "reached" not in told and "warning" not in told.replace(warning, "")
    # One that is the only one is all of them.
    assert check("UNMET:one").exit_code == 12


@pytest.mark.parametrize("options", [("TWO:one",), ("DECLARED", "--bug", "LAMP-1")])
def test_strict_asks_for_all_default_configurations(options: tuple[str, ...]) -> None:
    result = check(*options, "--strict")
    assert result.exit_code == 2
    assert "default configurations" in result.stderr.replace("\n", " ").replace("│", "")


def test_nothing_is_missing_where_the_search_was_given_up() -> None:
    result = check("UNMET", "--max-states", "1")
    assert result.exit_code == 3
    assert "not all is searched; in the only configuration never reached so far:" in result.stdout
    vacuous = check("ANTECEDENT", "--max-states", "1", "--strict", "--format", "json")
    assert vacuous.exit_code == 3
    assert json.loads(vacuous.stdout)[0]["together"]["says_nothing"] == []


def test_the_path_to_where_a_property_could_fail_is_shown() -> None:
    state = check("SOUND", "--witness", "blown_lamp_is_dark")
    assert state.exit_code == 0
    assert "blown_lamp_is_dark is reached in 2 steps" in state.stdout
    step = check("SOUND", "--witness", "level_never_falls")
    assert "level_never_falls is reached in 1 steps" in step.stdout
    part = check("TAUTOLOGY", "--witness", "level_is_a_level.2")
    assert "level_is_a_level.2 is reached in 2 steps" in part.stdout
    never = check("ANTECEDENT", "--witness", "blown_lamp_is_dark")
    assert never.exit_code == 12


@pytest.mark.parametrize("name", ["nothing", "blown_lamp_is_dark.2", "blown_lamp_is_dark.0", "level_never_falls.x"])
def test_an_unknown_property_is_refused_with_those_that_there_are(name: str) -> None:
    result = CliRunner().invoke(app, ["check", f"{SYSTEMS}:SOUND", "--witness", name])
    assert str(result.exception).startswith(f"sound has no witness '{name}'; it has full_level, and these properties")


def test_json_has_it_all() -> None:
    [found] = json.loads(check("TRIGGER", "--format", "json").stdout)
    assert found["could_have_failed"] == [
        {"property": "lamp_that_dims_is_blown", "where": "(level' < level)", "first_after": None, "steps": 0}
    ]
    assert found["together"]["never_reached"] == []
    assert found["together"]["says_nothing"] == [
        "transition lamp_that_dims_is_blown is vacuous: no reached step has (level' < level)"
    ]
    [sound] = json.loads(check("SOUND", "--format", "json").stdout)
    assert sound["could_have_failed"][0] == {
        "property": "blown_lamp_is_dark",
        "where": "blown",
        "first_after": 2,
        "steps": None,
    }


def test_a_warning_passes_and_is_shown_in_all_forms() -> None:
    github = check("TRIGGER", "--format", "github")
    assert github.exit_code == 0
    assert "::warning file=tests/conformance/cli/vacuous_systems.py," in github.stdout
    assert "2 passed, 1 with a warning" in github.stdout
    junit = check("TRIGGER", "--format", "junit").stdout
    assert 'failures="0" errors="0"' in junit
    assert "<system-out>warning: transition lamp_that_dims_is_blown is vacuous" in junit
    strict = check("TRIGGER", "--format", "github", "--strict")
    assert strict.exit_code == 12
    assert "::error file=tests/conformance/cli/vacuous_systems.py," in strict.stdout
