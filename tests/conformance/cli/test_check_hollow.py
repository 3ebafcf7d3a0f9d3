"""What `genstamp check` says of a property that holds because of what never happens inside of it."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conformance.cli import hollow_systems
from typer.testing import CliRunner

from genstamp.cli.check.coverage import over
from genstamp.cli.check.report import Searched
from genstamp.cli.verbs import app
from genstamp_model.explore import explore

BROKEN = "no reached state has exists(node_0 in Node: member(broken, node_0))"


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("COUNTED_NEVER", [BROKEN]),
        ("COUNTED_UNDER_A_CONDITION", [BROKEN]),
        ("COUNTED_AGAINST", [BROKEN]),
        ("COUNTED_NONE", [BROKEN]),
        ("MINIMUM_OF_NONE", [BROKEN]),
        (
            "FLAGS_THAT_STAY",
            [
                "no reached state has ~(failed == initial(failed))",
                "no reached state has ~(exists(node_0 in Node: member(broken, node_0)) == "
                "exists(node_0 in Node: member(initial(broken), node_0)))",
            ],
        ),
        ("ONE_FLAG_STAYS", ["no reached state has ~(failed == initial(failed))"]),
        (
            "NUMBERS_THAT_STAY",
            [
                "no reached state has ~(faults == initial(faults))",
                "no reached state has ~(losses == initial(losses))",
            ],
        ),
        (
            "SETS_THAT_STAY",
            [
                "no reached state has ~(broken == initial(broken))",
                "no reached state has exists(node_0 in Node: (member(broken, node_0) & member(up, node_0)))",
            ],
        ),
        (
            "ARRAYS_THAT_STAY",
            [
                "no reached state has exists(node_0 in Node: ~(wounds[node_0] == initial(wounds)[node_0]))",
                "no reached state has exists(node_0 in Node: ~(scars[node_0] == initial(scars)[node_0]))",
            ],
        ),
        ("EMPTY_OF_NONE", [BROKEN]),
        ("EMPTY_OR_ELSE", [BROKEN]),
        ("OUTSIDE_OF_NONE", [BROKEN]),
        ("CHOICE_OF_ONE", ["no reached state has failed"]),
        ("CHOICE_UNDER_A_CONDITION", ["no reached state has failed"]),
        ("ONE_ALTERNATIVE", ["no reached state has failed"]),
        (
            "CHANGE_NEVER",
            ["no reached step has exists(node_0 in Node: (member(broken', node_0) & ~member(broken, node_0)))"],
        ),
        (
            "CHANGE_TOGETHER",
            [
                "no reached step has ~((faults' == faults) == (initial(faults) == initial(faults)))",
                "no reached step has ~((losses' == losses) == (initial(losses) == initial(losses)))",
            ],
        ),
        ("DIFFERENCE_NEVER", ["no reached step has ~(faults' == faults)"]),
        ("OWED_BY_ONE", ["no reached state has failed"]),
        ("WITNESS_ALWAYS", ["an initial state shows it, before any step"]),
        ("WITNESS_AT_ONCE", ["an initial state shows it, before any step"]),
    ],
)
def test_what_never_happens_in_a_property_is_told(system: str, expected: list[str]) -> None:
    result = CliRunner().invoke(app, ["check", f"tests.conformance.cli.hollow_systems:{system}", "--strict"])
    told = [line for line in result.stdout.splitlines() if line.startswith("violated: ")]
    assert [line.partition(" is vacuous: ")[2] for line in told] == expected
    assert result.exit_code == 12


def test_a_label_that_no_step_sets_is_shown_with_the_reason_why() -> None:
    result = CliRunner().invoke(app, ["check", "hdfs.replica_threads", "--strict"])
    assert result.exit_code == 0, result.stdout
    assert "declared to say nothing: ReplicaLifecycle.rur: no replica is recovered" in result.stdout


def test_a_set_that_is_only_cleared_is_never_set() -> None:
    result = CliRunner().invoke(app, ["check", "tests.conformance.cli.hollow_systems:ONLY_CLEARED", "--strict"])
    told = [line for line in result.stdout.splitlines() if line.startswith("violated: ")]
    assert told == ["violated: variable lost is never set to another value"]


def test_the_same_forms_say_something_where_all_happens() -> None:
    result = CliRunner().invoke(app, ["check", "tests.conformance.cli.hollow_systems:SOUND", "--strict"])
    assert result.exit_code == 0, result.stdout
    assert "violated" not in result.stdout


def test_a_system_may_declare_that_a_property_of_its_parts_says_nothing() -> None:
    hollow = replace(hollow_systems.COUNTED_NONE, idle={"claim": "nothing breaks"})
    covered = over([Searched(explore(hollow.instance()))], strict=True)
    assert covered.findings == []
    sound = replace(hollow_systems.SOUND, idle={"up_is_told": "nothing is up"})
    [finding] = over([Searched(explore(sound.instance()))], strict=True).findings
    assert (
        str(finding) == "invariant up_is_told is declared vacuous ('nothing is up'), and could have failed everywhere"
    )


STUCK = """
from genstamp_model.language import *


class Counter(Part):
    count = number(limit="most")

    @action
    def raise_(s) -> None:
        s.count = s.count + 1

    @invariant
    def is_small(s) -> Bool:
        return s.count < 5

    @witness
    def is_raised(s) -> Bool:
        return s.count == 1


S = System("counter", parts=[Counter], configurations=[Configuration("one", sizes={}, limits={"most": 3})])
"""


@pytest.mark.parametrize(
    ("verb", "options", "code", "told"),
    [
        ("check", ("--limit", "most=0"), 3, "no step is possible within the limits of most, so nothing was searched"),
        ("check", ("--limit", "most=1"), 0, ": holds within these limits: most 1"),
        ("check", ("--limit", "most=1", "--limit", "most=9"), 2, "'most' is given twice; give each limit once"),
        ("check", ("--limit", "most=0", "--witness", "is_raised"), 3, ": is_raised is undetermined"),
        ("bmc", ("--limit", "most=0"), 3, ": undetermined: no step is possible within the limits of most, so nothing"),
        ("bmc", ("--limit", "most=0", "--property", "is_small"), 3, ": undetermined: no step is possible"),
        ("bmc", ("--limit", "most=0", "--witness", "is_raised"), 3, ": undetermined: no step is possible"),
        ("bmc", ("--limit", "most=1"), 0, ": no violation within 1 step, and no step changes the state after that"),
        ("bmc", ("--steps", "0"), 2, "Input should be greater than or equal to 1"),
        ("simulate", ("--seed", "1", "--weight", "raise_=0"), 3, ": undetermined: no step was possible"),
        ("simulate", ("--seed", "1", "--max-seconds", "0"), 3, ": undetermined: no step was possible"),
        ("simulate", ("--seed", "1", "--stretch", "1"), 0, ": nothing found, which proves nothing"),
    ],
)
def test_a_search_without_a_step_says_nothing(
    verb: str, options: tuple[str, ...], code: int, told: str, tmp_path: Path
) -> None:
    module = tmp_path / "stuck.py"
    module.write_text(STUCK)
    text = CliRunner().invoke(app, [verb, f"{module}:S", *options], terminal_width=200)
    assert (text.exit_code, told in " ".join(text.output.replace("│", "").split())) == (code, True)
    if code != 2:
        document = CliRunner().invoke(app, [verb, f"{module}:S", *options, "--format", "json"])
        found = json.loads(document.stdout)
        [one] = found if isinstance(found, list) else [found]
        assert (document.exit_code, one["exit_code"]) == (code, code)


FORGOTTEN = {
    """
    def is_odd(s) -> Bool:
        return s.count == 1
""": "method is_odd of Counter is used nowhere in the file",
    """
@invariant
def is_odd(s) -> Bool:
    return s.count == 1

""": "is_odd is declared outside of a part, where nothing looks for it",
    """
class Claims(Counter):
    @invariant
    def is_odd(s) -> Bool:
        return s.count == 1

""": "part Claims is in no system of the file; add it to parts=[...]",
}


@pytest.mark.parametrize("text", FORGOTTEN)
def test_what_the_file_declares_and_nothing_uses_is_told(text: str, tmp_path: Path) -> None:
    module = tmp_path / "forgetful.py"
    before, system = STUCK.split("\n\nS = ")
    module.write_text(f"{before}{text}\nS = {system}")
    [line] = [number for number, line in enumerate(module.read_text().splitlines(), 1) if "is_odd" in line]
    found = CliRunner().invoke(app, ["check", f"{module}:S"])
    assert found.exit_code == 0
    [told] = [line for line in found.stdout.splitlines() if line.startswith("warning: ")]
    assert re.fullmatch(rf"warning: forgetful\.py:({line}|{line - 1}): {re.escape(FORGOTTEN[text])}.*", told)
    strict = CliRunner().invoke(app, ["check", f"{module}:S", "--strict", "--format", "json"])
    [one] = json.loads(strict.stdout)
    assert (strict.exit_code, one["together"]["exit_code"], len(one["together"]["never_used"])) == (12, 12, 1)


def test_a_file_that_uses_all_is_told_nothing(tmp_path: Path) -> None:
    module = tmp_path / "complete.py"
    helper = "    def is_odd(s) -> Bool:\n        return s.count == 1\n"
    text = STUCK.replace("    @invariant", f"{helper}\n    @invariant").replace(
        "s.count < 5", "s.is_odd() | (s.count < 5)"
    )
    module.write_text(text)
    assert "warning: complete.py" not in CliRunner().invoke(app, ["check", f"{module}:S"]).stdout
