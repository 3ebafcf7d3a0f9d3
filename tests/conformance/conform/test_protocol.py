"""docs/adapter-protocol.md says what is so: its session, its table of steps, its columns, and the sample adapter."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from genstamp.adapters import VERSION, ChildAdapter, Cluster
from genstamp.events import Event
from genstamp.stateful import DRIVINGS, Driving, conform
from genstamp.stateful.driving import HARD_LIMIT_MS, RECOVERY_GATE_MS, SOFT_LIMIT_MS
from genstamp.systems import system_named
from genstamp.track import Fit, Names
from genstamp_model.language.model import Action, Model
from genstamp_spec.hdfs.systems.recovery import RECOVERY


@pytest.fixture(scope="module")
def text() -> str:
    return (Path(__file__).resolve().parents[3] / "docs" / "adapter-protocol.md").read_text(encoding="utf-8")


def rows(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    table = re.search(rf"^## {re.escape(heading)}$.*?^((?:\|[^\n]*\n)+)", text, re.MULTILINE | re.DOTALL)
    assert table is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()[2:]]


def words(cell: str) -> list[str]:
    return [word.strip() for word in cell.split(",") if word.strip()]


def test_session_happens_as_it_is_written(text: str) -> None:
    lines = re.findall(r"^([<>]) (.*)$", text, re.MULTILINE)
    asked = "".join(f"{line}\n" for mark, line in lines if mark == ">")
    done = subprocess.run(
        [sys.executable, "-m", "genstamp_dfs.adapter"], input=asked, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [line for mark, line in lines if mark == "<"]
    assert len(lines) == 14


@pytest.mark.parametrize("system", ["hdfs.recovery", "hdfs.pipeline"])
def test_table_of_steps_is_that_of_the_model(text: str, system: str) -> None:
    model, driving = system_named(system).model(None), DRIVINGS[system]
    members = driving.members(Cluster(("/a",), ("client1",), ("datanode1",), "repaired"))
    fit = Fit(model, Names(model, members, first_stamp=1), told_apart=driving.told_apart)
    refusals = {
        event: sorted({refusal for action in actions for refusal in _refusals(action)})
        for event, actions in _actions(model, driving).items()
    }
    written = {}
    for event, by, arguments, shows, refused in rows(text, f"Steps of `{system}`"):
        name, _, mark = event.partition("` ")
        written[name.strip("`")] = (by, words(arguments), words(shows), words(refused), mark == "*")
    by_event = {
        event: (
            "tick" if event in driving.spontaneous else "fault" if event in driving.faults else "call",
            list(fit.arguments(event)),
            sorted(fit.shows(event)),
            refusals[event],
            event in driving.may_decline,
        )
        for event in fit.events
    }
    assert written == by_event


def _actions(model: Model, driving: Driving) -> dict[str, list[Action]]:
    """The actions of each event, as the driving tells them apart."""
    found: dict[str, list[Action]] = {}
    for action in model.actions:
        if not action.hidden:
            found.setdefault(driving.told_apart.get(action.name, action.event), []).append(action)
    return found


def _refusals(action: Action) -> list[str]:
    """What an action may be refused with, its own nature first."""
    own = [action.refuses] if action.refuses else []
    return own + [check.refuses for check in action.checks if check.refuses and not check.defensive]


def test_columns_are_those_of_an_event(text: str) -> None:
    named = [name for row in rows(text, "Events") for name in re.findall(r"`(\w+)`", row[0])]
    assert named == [*Event.__struct_fields__]


def test_version_and_limits_are_those_in_force(text: str) -> None:
    assert text.startswith(f"# The adapter protocol, version {VERSION}\n")
    limits = [limit // 1_000 for limit in (SOFT_LIMIT_MS, HARD_LIMIT_MS, RECOVERY_GATE_MS)]
    assert re.findall(r"(\d+) s\b", text[text.index("Time is exact") :])[:3] == [str(limit) for limit in limits]


def test_requests_in_the_table_are_json(text: str) -> None:
    requests = [json.loads(row[0].strip("`").replace("[...]", "[]")) for row in rows(text, "Requests")]
    assert [request["op"] for request in requests] == ["start", "call", "fault", "tick", "events", "stop"]


@pytest.mark.slow
def test_sample_adapter_conforms(repository: Path) -> None:
    sample = repository / "examples" / "adapter_sample.py"
    report = conform(ChildAdapter(shlex.join([sys.executable, str(sample)])), RECOVERY, examples=10, seed=1)
    assert report.failure is None, str(report.failure)
    assert report.verdict == "conforms"
    assert len(sample.read_text(encoding="utf-8").splitlines()) < 80
