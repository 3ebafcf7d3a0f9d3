"""Traces of models, as this project and Apalache write them: followed through the system that they are of."""

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genstamp.logs.local import Checked, check_locally
from genstamp.systems import system_named
from genstamp_model.evaluate import Evaluator
from genstamp_model.path import Path as Steps

Trace = dict[str, Any]


def walked(system: str, seed: int, length: int, bugs: tuple[str, ...] = ()) -> Trace:
    """A trace of random steps."""
    choose = random.Random(seed)
    instance = system_named(system).instance(None, None, bugs)
    evaluator = Evaluator(instance)
    path = Steps(instance, evaluator.initial())
    for _ in range(length):
        step = choose.choice(list(evaluator.steps(path.states[-1])))
        path = Steps(instance, path.initial, (*path.steps, step))
    return path.to_itf()


@pytest.fixture(scope="module")
def trace() -> Trace:
    return walked("hdfs.lease", 3, 12)


@pytest.fixture
def check(tmp_path: Path) -> Callable[[Trace], Checked]:
    def checked(trace: Trace) -> Checked:
        (tmp_path / "trace.itf.json").write_text(json.dumps(trace, indent=1), encoding="utf-8")
        return check_locally([tmp_path / "trace.itf.json"])

    return checked


def _copy(trace: Trace) -> Trace:
    copied: Trace = json.loads(json.dumps(trace))
    return copied


def _actions(trace: Trace) -> list[str]:
    return [state["mbt::actionTaken"] for state in trace["states"][1:]]


@pytest.mark.slow
@pytest.mark.parametrize("system", ["hdfs.lease", "hdfs.recovery", "hdfs.pipeline"])
def test_trace_of_a_system_conforms_and_its_steps_are_events(check: Callable[[Trace], Checked], system: str) -> None:
    trace = walked(system, 7, 10)
    checked = check(trace)
    assert checked.rejects.num_rows == 0
    (verdict,) = checked.verdicts.to_pylist()
    assert (verdict["kind"], verdict["safety"]) == ("node", "conformant")
    declared = {action.name: action for action in system_named(system).model().actions}
    seen = [declared[name] for name in _actions(trace) if not declared[name].hidden]
    *steps, _ = checked.events.to_pylist()
    assert [(row["event"], row["refused_with"]) for row in steps] == [(action.event, action.refuses) for action in seen]
    hidden = sum(row["count"] for row in checked.coverage.to_pylist() if row["name"].startswith("hidden step"))
    assert hidden == len(_actions(trace)) - len(seen)


@pytest.mark.slow
def test_trace_that_only_shows_states_is_followed_by_them(check: Callable[[Trace], Checked], trace: Trace) -> None:
    silent = _copy(trace)
    for state in silent["states"]:
        del state["mbt::actionTaken"], state["mbt::nondetPicks"]
    (verdict,) = check(silent).verdicts.to_pylist()
    assert verdict["safety"] == "conformant"


def test_step_that_the_system_does_not_have_is_violated_at_its_state(
    check: Callable[[Trace], Checked], trace: Trace
) -> None:
    wrong = _copy(trace)
    wrong["states"][8] = {**wrong["states"][2], "#meta": {"index": 8}}
    checked = check(wrong)
    (verdict,) = checked.verdicts.to_pylist()
    assert (verdict["safety"], verdict["place"]["line"]) == ("violated", 8)
    assert "replay_trace (refused with NoSuchStep)" in verdict["failed"]
    assert dict(checked.events.to_pylist()[-1]["observed"])["reason"]


def test_missing_state_is_told_and_nothing_is_judged(check: Callable[[Trace], Checked], trace: Trace) -> None:
    holed = _copy(trace)
    del holed["states"][5]
    checked = check(holed)
    (reject,) = checked.rejects.to_pylist()
    assert reject["reason"] == "state 5 is missing from the trace"
    assert checked.verdicts.num_rows == 0


@pytest.mark.parametrize(
    ("meta", "reason"),
    [
        ({}, "the trace does not name its system; known are hdfs.single_writer"),
        ({"system": "raft"}, "the trace is of 'raft', which is not a known system; known are"),
        ({"system": "hdfs.lease", "semantics": "hadoop-1"}, "hadoop-1"),
        ({"system": "hdfs.lease", "configuration": "ninety"}, "ninety"),
    ],
)
def test_trace_of_an_unknown_system_is_rejected(
    check: Callable[[Trace], Checked], trace: Trace, meta: dict[str, str], reason: str
) -> None:
    (reject,) = check({**trace, "#meta": meta}).rejects.to_pylist()
    assert reason in reject["reason"]


def test_trace_of_apalache_names_the_module_that_was_exported(check: Callable[[Trace], Checked], trace: Trace) -> None:
    of_module = {**trace, "#meta": {"format": "ITF", "source": "out/hdfs_lease.tla"}}
    (verdict,) = check(of_module).verdicts.to_pylist()
    assert (verdict["safety"], verdict["entity"].split()[0]) == ("conformant", "hdfs.lease")


@pytest.mark.slow
def test_bug_that_a_trace_was_found_with_is_no_part_of_the_specification(check: Callable[[Trace], Checked]) -> None:
    """HDFS-4232: the path is one of the system with the bug, and leaves the system as it should be."""
    trace = walked("hdfs.lease", 1, 25, ("HDFS-4232",))
    assert trace["#meta"]["bugs"] == "HDFS-4232"
    (verdict,) = check(trace).verdicts.to_pylist()
    assert verdict["safety"] == "violated"


def test_trace_may_be_compressed(tmp_path: Path, trace: Trace) -> None:
    (tmp_path / "trace").write_bytes(gzip.compress(json.dumps(trace).encode()))
    (verdict,) = check_locally([tmp_path / "trace"]).verdicts.to_pylist()
    assert verdict["safety"] == "conformant"
