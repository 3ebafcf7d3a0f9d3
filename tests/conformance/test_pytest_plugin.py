"""The plugin for pytest, in a run of its own: which tests a file of systems gives, and how they end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = '''
from genstamp_model.language import *

class Process(Index):
    """A process."""

class Lock(Part):
    """A lock that one process holds."""

    held_by = optional(Process)
    waits = per(Process, flag())

    @action
    def ask(s, process: Process):
        """A process waits for the lock."""
        require(~s.waits[process], "it does not wait")
        s.waits[process] = True

    @action
    def take(s, process: Process):
        """A process that waits takes the lock."""
        require(s.waits[process], "it waits")
        FREE
        s.held_by = process
        s.waits[process] = False

    @action
    def free(s):
        """The lock is free again."""
        require(~s.held_by.is_none(), "it is held")
        s.held_by = none

    @transition
    def holder_is_not_replaced(s, t):
        """Nobody gets a lock that another one holds."""
        return s.held_by.is_none() | t.held_by.is_none() | (s.held_by == t.held_by)

    @leads_to(fair=("take",))
    def who_waits_gets_it(s, process: Process):
        """A process that waits gets the lock."""
        return s.waits[process], s.held_by == process

LOCK = System("SYSTEM", parts=[Lock], may_stop=NOWHERE,
              configurations=[Configuration("two", sizes={"Process": 2})])
'''
FREE = 'require(s.held_by.is_none(), "the lock is free")'


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The outcome of each test by its name, and the whole output as "output"."""
    directory = tmp_path_factory.mktemp("own")
    (directory / "good_protocol.py").write_text(GOOD.replace("FREE", FREE).replace("SYSTEM", "good"))
    (directory / "bad_protocol.py").write_text(GOOD.replace("FREE", "").replace("SYSTEM", "bad"))
    (directory / "other.py").write_text("raise AssertionError('a file that no pattern names is not loaded')")
    (directory / "pytest.ini").write_text("[pytest]\ngenstamp_files = *_protocol.py\n")
    return run(directory)


def run(directory: Path, *options: str) -> dict[str, str]:
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *options]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    lines = [line.partition(" - ")[0].split() for line in done.stdout.splitlines()]
    named = {line[1]: line[0] for line in lines if len(line) == 2 and line[0] in ("PASSED", "FAILED", "ERROR")}
    return named | {"output": done.stdout + done.stderr}


@pytest.mark.slow
def test_property_that_holds_passes(outcomes: dict[str, str]) -> None:
    for name in ("holder_is_not_replaced", "deadlock", "error"):
        assert outcomes[f"good_protocol.py::LOCK::two::{name}"] == "PASSED"


@pytest.mark.slow
def test_leads_to_is_a_test_of_its_own(outcomes: dict[str, str]) -> None:
    assert outcomes["good_protocol.py::LOCK::two::who_waits_gets_it"] == "FAILED"
    assert "failure: leads-to who_waits_gets_it: " in outcomes["output"]


@pytest.mark.slow
def test_coverage_of_the_configurations_is_a_test(outcomes: dict[str, str]) -> None:
    assert outcomes["good_protocol.py::LOCK::coverage"] == "PASSED"


@pytest.mark.slow
def test_violation_is_shown_with_its_counterexample_and_no_stack(outcomes: dict[str, str]) -> None:
    assert outcomes["bad_protocol.py::LOCK::two::holder_is_not_replaced"] == "FAILED"
    assert "bad_protocol.py:33: failure: transition holder_is_not_replaced in 4 steps: " in outcomes["output"]
    assert "4. take(process process2)" in outcomes["output"]
    assert "Traceback" not in outcomes["output"] and "genstamp/pytest_plugin" not in outcomes["output"]


@pytest.mark.slow
def test_what_a_violation_left_open_is_skipped_with_the_reason(outcomes: dict[str, str]) -> None:
    assert "bad_protocol.py::LOCK::two::deadlock" not in outcomes
    assert "the search ended before this was decided: transition holder_is_not_replaced" in outcomes["output"]


@pytest.mark.slow
def test_mistake_in_the_file_is_an_error_of_collection(tmp_path: Path) -> None:
    (tmp_path / "wrong_protocol.py").write_text(GOOD.replace("FREE", "if s.held_by.is_none(): pass"))
    (tmp_path / "empty_protocol.py").write_text("LOCK = 1")
    (tmp_path / "pytest.ini").write_text("[pytest]\ngenstamp_files = *_protocol.py\n")
    found = run(tmp_path)["output"]
    assert "wrong_protocol.py:23: " in found
    assert "empty_protocol.py' gives no system: there is none; write NAME = System(...)" in found
    assert "Traceback" not in found
