"""The verb explore: what it begins with, the file that it writes, and how it ends."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.explorer.served import Served
from tests.interrupted import interruptible
from typer.testing import CliRunner, Result

from genstamp.cli.verbs import app
from genstamp.explorer.errors import ExplorerError
from genstamp.explorer.server import listening
from genstamp_model.errors import ConfigurationError

SYSTEM = "hdfs.replica_threads"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["explore", *arguments])


def written(path: Path) -> dict[str, Any]:
    """The run in a file that the verb wrote."""
    about = re.findall(r'<script type="application/json" id="about">(.*?)</script>', path.read_text())[0]
    found: dict[str, Any] = json.loads(about)["run"]
    return found


@pytest.fixture
def html(tmp_path: Path) -> Path:
    """Where a run goes."""
    return tmp_path / "run.html"


@pytest.mark.slow
def test_a_counterexample_is_written(html: Path) -> None:
    done = run(SYSTEM, "--bug", "HDFS-6948", "--html", str(html))
    assert (done.exit_code, done.stdout) == (0, f"{html} is written\n")
    assert written(html)["shows"] == "newer_copy_arrives is violated"
    assert written(html)["setup"]["bugs"] == ["HDFS-6948"]


@pytest.mark.slow
def test_a_witness_a_scenario_and_a_trace_are_written(html: Path, tmp_path: Path) -> None:
    assert run(SYSTEM, "--scenario", "open_pipeline; ask_for_copy", "--html", str(html)).exit_code == 0
    steps = written(html)["steps"]
    assert [step.partition("(")[0] for step in steps] == ["open_pipeline", "ask_for_copy"]
    assert run(SYSTEM, "--witness", "copy_has_replaced_an_older_replica", "--html", str(html)).exit_code == 0
    assert written(html)["shows"] == "copy_has_replaced_an_older_replica is reached"
    trace = tmp_path / "trace.itf.json"
    CliRunner().invoke(app, ["check", SYSTEM, "--scenario", "open_pipeline; ask_for_copy", "--trace", str(trace)])
    assert run(SYSTEM, "--trace", str(trace), "--html", str(html)).exit_code == 0
    assert written(html)["steps"] == steps


def test_where_nothing_is_violated_nothing_is_written(html: Path) -> None:
    done = run(SYSTEM, "--html", str(html))
    assert (done.exit_code, done.stderr) == (
        12,
        "genstamp: nothing is violated in copy within these limits: bytes 0, stamps 2\n",
    )
    assert not html.exists()


def test_a_limit_is_changed_where_there_is_one(html: Path) -> None:
    done = run(SYSTEM, "--limit", "bytes=1", "--scenario", "open_pipeline", "--html", str(html))
    assert done.exit_code == 0
    done = run(SYSTEM, "--limit", "crashes=1", "--html", str(html))
    assert isinstance(done.exception, ConfigurationError)
    assert str(done.exception) == "hdfs.replica_threads has no limit 'crashes'; it has bytes, stamps"


def test_only_one_run_is_begun_with() -> None:
    done = run(SYSTEM, "--witness", "some", "--scenario", "open_pipeline")
    assert done.exit_code == 2
    assert "give one of --witness, --scenario and --trace" in done.stderr


def test_a_port_that_is_taken_is_refused() -> None:
    with listening(0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ExplorerError, match=f"port {port} of 127.0.0.1 cannot be used: Address already in use"):
            listening(port)


@pytest.mark.slow
def test_ctrl_c_ends_the_verb(repository: Path) -> None:
    command = [sys.executable, "-m", "genstamp", "explore", "examples/protocols/two_phase.py", "--port", "0"]
    with interruptible(command, cwd=repository, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = re.fullmatch(r"two_phase is at http://127\.0\.0\.1:(\d+)/; Ctrl-C ends it\n", line)
        assert address is not None
        assert Served(int(address[1])).ask("walk")[0] == 200
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert (process.returncode, told) == (3, "genstamp: interrupted\n")
