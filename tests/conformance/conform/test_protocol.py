"""docs/adapter-protocol.md says what is so: its session, its steps, its columns, and the sample adapter."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from genstamp.adapters import REFERENCE_SYSTEMS, VERSION, ChildAdapter
from genstamp.events import Event
from genstamp.stateful import DRIVINGS, conform
from genstamp.stateful.driving import HARD_LIMIT_MS, RECOVERY_GATE_MS, SOFT_LIMIT_MS
from genstamp.systems import system_named
from genstamp.tables import steps_page
from genstamp.tables.steps_page import asked_for
from genstamp_spec.hdfs.systems.recovery import RECOVERY


@pytest.fixture(scope="module")
def text() -> str:
    return (Path(__file__).resolve().parents[3] / "docs" / "adapter-protocol.md").read_text(encoding="utf-8")


def rows(text: str, heading: str, place: int = 0) -> list[list[str]]:
    """The cells of a table below a heading, without its head."""
    below = text[re.search(rf"^##? {re.escape(heading)}$", text, re.MULTILINE).end() :]  # type: ignore[union-attr]
    table = re.findall(r"^(?:\|[^\n]*\n)+", below, re.MULTILINE)[place]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def words(cell: str) -> list[str]:
    return [word.strip() for word in cell.split(",") if word.strip()]


@pytest.mark.slow
def test_session_happens_as_it_is_written(text: str) -> None:
    lines = re.findall(r"^([<>]) (.*)$", text, re.MULTILINE)
    asked = "".join(f"{line}\n" for mark, line in lines if mark == ">")
    done = subprocess.run(
        [sys.executable, "-m", "genstamp_dfs.adapter"], input=asked, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [line for mark, line in lines if mark == "<"]
    assert len(lines) == 14


@pytest.mark.slow
@pytest.mark.parametrize("system", REFERENCE_SYSTEMS)
def test_steps_on_their_page_are_those_that_the_reference_implementation_accepts(system: str) -> None:
    driving = DRIVINGS[system]
    start = {"op": "start", "version": VERSION, "system": system, "semantics": "repaired", "seed": 0}
    start |= {"files": ["/a"], "clients": ["client1"], "datanodes": ["datanode1"]}
    asked = [start, *({"op": op, "event": "nothing", "arguments": {}} for op in ("call", "fault")), {"op": "stop"}]
    done = subprocess.run(
        [sys.executable, "-m", "genstamp_dfs.adapter"],
        input="".join(f"{json.dumps(one)}\n" for one in asked),
        capture_output=True,
        text=True,
        check=True,
    )
    refusals = [json.loads(line)["error"] for line in done.stdout.splitlines()[1:3]]
    accepted = {word for told in refusals for word in words(told.partition("accepted: ")[2])}
    page = asked_for(system_named(system).model(None), driving)
    events = {name.strip("`* "): by for name, (by, *_) in page.items()}
    assert {event for event, by in events.items() if by != "tick"} | driving.brought_about == accepted


def test_a_step_is_told_with_what_it_says_shows_and_is_refused_with() -> None:
    recovery = asked_for(RECOVERY.model(None), DRIVINGS["hdfs.recovery"])
    refusals = "AlreadyBeingCreatedException, FileAlreadyExistsException, RecoveryInProgressException"
    assert recovery["`create`"] == ("call", "client, file", "", refusals)
    assert recovery["`hflush` *"] == ("call", "client, file", "num_bytes", "")
    assert recovery["`datanode_crash`"] == ("fault", "datanode", "", "")
    assert recovery["`release_expired_lease`"] == ("tick", "holder, file", "closed, recovery_id", "")
    pipeline = asked_for(system_named("hdfs.pipeline").model(None), DRIVINGS["hdfs.pipeline"])
    assert pipeline["`add_block`"] == ("call", "last, always (may be said)", "generation_stamp", "")


@pytest.mark.slow
def test_the_page_of_steps_says_what_each_way_asks_and_refuses() -> None:
    pages = steps_page.pages()
    recovery = rows(pages["hdfs.recovery.md"], "Steps of `hdfs.recovery`", 1)
    assert len([row for row in recovery if row[0] == "`abandon_recovery`"]) == 1
    ways = {row[0]: row[2:] for row in rows(pages["hdfs.lease.md"], "Steps of `hdfs.lease`", 1)}
    asked, refused = ways["`complete`, complete waits for the block before"]
    assert asked.startswith("the client is running; the NameNode is not in safe mode; ")
    assert refused == "LeaseExpiredException: the caller owns the file", "what all ways refuse stands with the first"
    ways = {row[0]: row[2:] for row in recovery}
    assert "the client's stamp is the block's" not in " ".join(map(str, ways.values())), "it never fails"
    assert "LeaseExpiredException: the caller owns the file" in ways["`complete`, complete closes"][1]


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
