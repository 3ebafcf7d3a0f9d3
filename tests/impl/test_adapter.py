"""The adapter protocol, in process and through a child process."""

import json
import subprocess
import sys
from typing import Any

import pytest

from genstamp_dfs.adapter import Adapter, answers
from genstamp_dfs.events import Event, decode_line
from genstamp_dfs.stepwise.recovery.driver import RecoveryDriver

START = {
    "op": "start",
    "version": 2,
    "system": "hdfs.recovery",
    "files": ["/a"],
    "clients": ["client1"],
    "datanodes": ["datanode1"],
    "seed": 0,
}
CREATE = {"op": "call", "event": "create", "arguments": {"client": "client1", "file": "/a"}}
HFLUSH = {"op": "call", "event": "hflush", "arguments": {"client": "client1", "file": "/a"}}
CRASH = {"op": "fault", "event": "datanode_crash", "arguments": {"datanode": "datanode1"}}
TICK = {"op": "tick", "ms": 1_202_000}
STOP = {"op": "stop"}


def ask(adapter: Adapter, request: object) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(adapter.answer(json.dumps(request).encode()))
    return answer


def events_in(answer: dict[str, Any]) -> list[Event]:
    return [decode_line(json.dumps(event)) for event in answer["events"]]


def test_start_tells_version_and_first_stamp() -> None:
    told = {"ok": True, "version": 2, "first_generation_stamp": 1001, "events": []}
    assert ask(Adapter(), START) == told | {"takes_times": True}
    assert ask(Adapter(), START | {"system": "hdfs.lease"}) == told | {"takes_times": False}


def test_a_run_goes_by_the_times_that_its_start_names() -> None:
    adapter = Adapter()
    limits = {"soft_limit_ms": 100, "hard_limit_ms": 3_000}
    for times, comes in (({}, []), (limits, ["release_expired_lease"]), ({}, [])):
        for request in (START | {"times_ms": times}, CREATE, CRASH):
            ask(adapter, request)
        assert [event.event for event in events_in(ask(adapter, {"op": "tick", "ms": 5_000}))] == comes


def test_each_step_is_answered_by_its_events() -> None:
    adapter = Adapter()
    ask(adapter, START)
    produced = [event for request in (CREATE, CREATE, CRASH, TICK) for event in events_in(ask(adapter, request))]
    assert [(event.event, event.refused_with) for event in produced] == [
        ("create", None),
        ("create", "AlreadyBeingCreatedException"),
        ("datanode_crash", None),
        ("release_expired_lease", None),
    ]
    assert ask(adapter, {"op": "events"}) == {"ok": True, "events": []}


def test_the_adapter_does_what_the_driver_does() -> None:
    adapter, driver = Adapter(), RecoveryDriver(["/a"], ["client1"], ["datanode1"])
    ask(adapter, START)
    assert events_in(ask(adapter, CREATE)) == driver.call("create", {"client": "client1", "file": "/a"})
    assert events_in(ask(adapter, TICK)) == driver.tick(1_202_000)
    adapter.close()
    driver.close()


def test_a_step_that_is_not_possible_now_is_told_apart_from_a_wrong_request() -> None:
    adapter = Adapter()
    ask(adapter, START)
    not_now = ask(adapter, HFLUSH)
    assert (not_now["ok"], not_now["why"]) == (False, "client1 writes no block of /a")
    wrong = ask(adapter, {**CREATE, "event": "creat"})
    assert (wrong["ok"], sorted(wrong)) == (False, ["error", "ok"])


def test_wrong_requests_are_answered_and_nothing_has_happened() -> None:
    adapter = Adapter()
    wrong: list[object] = [
        "text",
        {"op": "zap"},
        {"op": "tick"},
        {"op": "tick", "ms": "1"},
        CREATE,
        {**START, "version": 1},
        {**START, "system": "hdfs.monitor"},
        {**START, "semantics": "hadoop-1"},
        {**START, "datanodes": []},
        {**START, "times_ms": {"soft_limit": 1}},
        {**START, "times_ms": {"soft_limit_ms": 0}},
        {**START, "times_ms": {"soft_limit_ms": 1_000}, "system": "hdfs.lease"},
    ]
    for request in wrong:
        answer = ask(adapter, request)
        assert (answer["ok"], sorted(answer)) == (False, ["error", "ok"]), request
    assert adapter.driver is None


def test_a_second_start_begins_a_new_run() -> None:
    adapter = Adapter()
    for _ in range(2):
        ask(adapter, START)
        assert [event.refused_with for event in events_in(ask(adapter, CREATE))] == [None]


def test_answers_end_with_stop() -> None:
    lines = [json.dumps(request).encode() for request in (START, STOP, CREATE)]
    assert [json.loads(answer)["ok"] for answer in answers([b"\n", *lines])] == [True, True]


@pytest.mark.slow
def test_a_child_process_answers_line_by_line() -> None:
    requests = [START, CREATE, HFLUSH, STOP]
    child = subprocess.run(
        [sys.executable, "-m", "genstamp_dfs.adapter"],
        input=b"".join(json.dumps(request).encode() + b"\n" for request in requests),
        capture_output=True,
        timeout=60,
        check=True,
    )
    adapter = Adapter()
    assert [json.loads(line) for line in child.stdout.splitlines()] == [ask(adapter, request) for request in requests]
    assert child.stderr == b""
