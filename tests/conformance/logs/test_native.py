"""Events of the reference implementation go the same way as foreign logs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from genstamp.logs.local import Checked, check_locally
from genstamp_dfs.events import Event, encode_line, encode_lines
from genstamp_dfs.simulation.whole import run_whole


def _check(path: Path, events: list[Event], *, complete: bool = True) -> Checked:
    path.write_bytes(encode_lines(events))
    return check_locally([path], complete=complete)


def _numbered(events: list[Event]) -> list[Event]:
    """With the numbers that the nodes would have given."""
    numbers: dict[str, int] = {}
    renumbered = []
    for event in events:
        numbers[event.node] = numbers.get(event.node, 0) + 1
        renumbered.append(msgspec.structs.replace(event, node_sequence=numbers[event.node]))
    return renumbered


def _violated(checked: Checked) -> list[dict[str, Any]]:
    return [row for row in checked.verdicts.to_pylist() if row["safety"] == "violated"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_simulated_run_conforms_as_a_whole_log(tmp_path: Path, seed: int) -> None:
    checked = _check(tmp_path / "events", list(run_whole(seed).events))
    rows = checked.verdicts.to_pylist()
    assert checked.rejects.num_rows == 0
    assert {row["safety"] for row in rows} == {"conformant"}, _violated(checked)


Change = Callable[[Event], Event | None]


def _drop(name: str) -> Change:
    return lambda event: None if event.event == name and event.refused_with is None else event


def _set(name: str, **columns: Any) -> Change:
    return lambda event: msgspec.structs.replace(event, **columns) if event.event == name else event


TWINS: dict[str, tuple[Change, str, str]] = {
    "creation is not told": (_drop("create"), "file", "is no step of a file that is absent"),
    "replica is not set up": (_drop("create_rbw"), "replica", "is no step of a replica that is absent"),
    "recovery is not announced": (_drop("recover_lease"), "block", "is above 0"),
    "freezing is not told": (_drop("init_replica_recovery"), "replica", "update_replica_under_recovery is no step"),
    "recovery ids all alike": (_set("init_replica_recovery", recovery_id=1001), "replica", "is not above"),
    "right effect under a wrong name": (
        _set("finalize_replica", event="create_rbw"),
        "replica",
        "create_rbw is no step",
    ),
    "length grows in recovery": (
        _set("update_replica_under_recovery", num_bytes=10**6),
        "replica",
        "num bytes 1000000 is above",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TWINS)
def test_broken_twin_is_violated(tmp_path: Path, name: str) -> None:
    change, kind, reason = TWINS[name]
    events = [changed for event in run_whole(10).events if (changed := change(event)) is not None]
    violated = _violated(_check(tmp_path / "events", _numbered(events)))
    assert any(row["kind"] == kind and reason in row["failed"] for row in violated), violated


@pytest.mark.slow
def test_missing_events_are_counted_and_contradict_a_whole_log(tmp_path: Path) -> None:
    events = run_whole(3).events
    shortened = [event for event in events if (event.node, event.node_sequence) != ("namenode", 5)]
    counted = _check(tmp_path / "events", shortened, complete=False).coverage.to_pylist()
    assert [row["count"] for row in counted if row["name"] == "missing events"] == [1]
    (reject,) = _check(tmp_path / "events", shortened).rejects.to_pylist()
    assert reject["reason"] == "event 6 of namenode follows 4: the log was said to be whole"


def test_rotated_events_are_read_in_the_order_in_which_they_were_written(tmp_path: Path) -> None:
    """Nodes have clocks of their own, so the numbers that a node gives its events tell which part is older."""
    lines = encode_lines(run_whole(3).events).splitlines(keepends=True)
    quarter = len(lines) // 4 + 1
    for part in range(4):
        name = f"events.jsonl.{3 - part}" if part < 3 else "events.jsonl"
        (tmp_path / name).write_bytes(b"".join(lines[part * quarter : (part + 1) * quarter]))
    checked = check_locally([tmp_path], complete=True)
    assert (_violated(checked), checked.rejects.num_rows, checked.events.num_rows) == ([], 0, len(lines))
    assert {row["safety"] for row in checked.verdicts.to_pylist()} == {"conformant"}


@pytest.mark.slow
def test_two_runs_in_one_file_are_told(tmp_path: Path) -> None:
    events = run_whole(3).events
    rejects = _check(tmp_path / "events", [*events, *events], complete=False).rejects.to_pylist()
    assert any("out of order, or two runs in one file" in row["reason"] for row in rejects)


@pytest.mark.slow
def test_two_runs_under_one_name_are_checked_apart(tmp_path: Path) -> None:
    """Two runs of one seed name the same pool, and give the same block ids out."""
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(encode_lines(run_whole(3).events))
    checked = check_locally([tmp_path], complete=True)
    alone = check_locally([tmp_path / "one"], complete=True)
    assert checked.verdicts.num_rows == 2 * alone.verdicts.num_rows
    assert _violated(checked) == [] and checked.rejects.num_rows == 0
    assert {row["namespace"] for row in checked.verdicts.to_pylist()} == {
        f"BP-3 in {tmp_path / 'one'}",
        f"BP-3 in {tmp_path / 'two'}",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not an event"),
        (b'{"source": "s"}', "missing required field"),
        (b'{"event": 7}', "not an event"),
        (b"\xff\xfe{}", "not an event"),
        (b'{"a":' * 100_000, "not an event"),
        (b'"create"', "not an event"),
    ],
    ids=["cut", "fields missing", "another type", "no text", "deep", "no object"],
)
def test_line_that_is_no_event_is_kept(tmp_path: Path, line: bytes, reason: str) -> None:
    good = encode_line(run_whole(3).events[0])
    (tmp_path / "events").write_bytes(good + line + b"\n\n")
    checked = check_locally([tmp_path / "events"])
    (reject,) = checked.rejects.to_pylist()
    assert reason in reject["reason"] and reject["place"]["line"] == 2
    assert checked.events.num_rows == 1


def test_lone_surrogate_in_a_string_does_no_harm(tmp_path: Path) -> None:
    line = encode_line(run_whole(3).events[0]).replace(b'"create"', b'"cre\\ud800ate"')
    (tmp_path / "events").write_bytes(line)
    checked = check_locally([tmp_path / "events"])
    assert checked.events.num_rows + checked.rejects.num_rows > 0
