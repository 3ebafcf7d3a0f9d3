"""The verbs `verify` and `lock` as a user meets them, on a small system."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
import typer
from typer.testing import CliRunner

from genstamp import lock as locks
from genstamp.cli.lock import lock
from genstamp.cli.verify import Watch, data_directory, progress_lines, verify
from genstamp.errors import LockError
from genstamp.verify import plan, summing
from genstamp.verify.job import Job
from genstamp.verify.results import Results
from genstamp.verify.row import Row, Verdict
from genstamp.verify.run import Progress

HERE = Path(__file__).parent
"""Holds the modules that the jobs' processes import."""

GOOD = "small_system:SMALL"
BAD = "small_system:UNTRUE"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository whose only system is a small one; nothing but searches is planned."""
    # Jobs run in processes of their own, which should find what this one does.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), *sys.path]))
    monkeypatch.syspath_prepend(str(HERE))
    (tmp_path / "spec").mkdir()
    monkeypatch.chdir(tmp_path)
    choose(monkeypatch, GOOD)
    return tmp_path


def choose(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    def searches(repository: Path, *, on_demand: bool = False) -> plan.Plan:
        return plan.searches(repository / summing.LOCK, on_demand=on_demand, systems=[place])

    monkeypatch.setattr("genstamp.cli.verify.whole", searches)
    monkeypatch.setattr("genstamp.cli.lock.PLACES", {"small": place})


app = typer.Typer()
app.command()(verify)
app.command()(lock)


def genstamp(*arguments: str) -> tuple[int, str]:
    """Exit code and standard output."""
    answer = CliRunner().invoke(app, list(arguments))
    return answer.exit_code, answer.stdout


@pytest.mark.slow
def test_the_lock_is_missing_then_right_then_wrong(repository: Path) -> None:
    """One story, as each verb searches anew."""
    assert genstamp("verify", "--all")[0] == 75

    assert genstamp("lock", "--write") == (0, "spec/spec.lock written\n")
    code, table = genstamp("verify", "--on-demand")
    assert code == 0
    assert "check small:two" in table
    assert "check small:again" in table
    assert table.splitlines()[-1] == "written to .genstamp/runs/3"

    path = repository / "spec" / "spec.lock"
    locked = locks.read(path)
    bug = locked["small"].variations["BUG-1"]
    wrong = msgspec.structs.replace(bug, depth=77)
    locks.write(path, {"small": msgspec.structs.replace(locked["small"], variations={"BUG-1": wrong})})
    code, table = genstamp("verify", "--all")
    assert code == 12
    difference = f"small, BUG-1: depth: 77 in the lock, {bug.depth} found"
    assert f"  {difference}" in table.splitlines()
    assert "check small:again" not in table
    assert genstamp("lock") == (12, f"{difference}\n")


@pytest.mark.slow
def test_a_violation_exits_with_12_and_is_shown(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choose(monkeypatch, BAD)
    code, table = genstamp("verify", "--all", "--out", "here")
    assert code == 12
    assert "    1. add(client client" in table
    assert "  see here/counterexamples/default_two_never_falls.txt" in table
    assert (repository / "here" / "counterexamples" / "default_two_never_falls.itf.json").is_file()


@pytest.mark.slow
def test_a_violation_is_never_locked(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choose(monkeypatch, BAD)
    assert genstamp("lock", "--write")[0] == 12
    assert not (repository / "spec" / "spec.lock").exists()


def test_a_lock_that_cannot_be_read_is_not_replaced_by_a_part(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = repository / "spec" / "spec.lock"
    path.write_text("<<<<<<< HEAD")
    found = Row(claim="check", verdict=Verdict.HOLDS, data={"lock": {}})
    results = Results(rows=(found,), seconds=0.0, seed=0, directory=".")
    monkeypatch.setattr("genstamp.cli.lock.run", lambda *given: results)
    answer = CliRunner().invoke(app, ["lock", "hdfs.monitor", "--write"])
    assert isinstance(answer.exception, LockError)
    assert path.read_text() == "<<<<<<< HEAD"
    assert genstamp("lock", "--write")[0] == 0


@pytest.mark.parametrize("form", ["json", "junit"])
def test_standard_output_is_what_was_asked_for(repository: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    choose(monkeypatch, "nowhere:NOTHING")
    code, output = genstamp("verify", "--all", "--format", form, "--out", "here")
    assert code == 75
    if form == "json":
        assert json.loads(output)["exit_code"] == 75
        assert output == (repository / "here" / "results.json").read_text()
    else:
        assert ElementTree.fromstring(output).get("errors") == "2"
        assert output == (repository / "here" / "junit.xml").read_text()


def test_the_page_is_rewritten_of_everything_only(repository: Path) -> None:
    assert genstamp("verify", "--rewrite-readme")[0] == 2


def test_a_directory_that_is_in_use_is_a_usage_error(repository: Path) -> None:
    assert genstamp("verify", "--out", "spec/..")[0] == 2


@pytest.mark.slow
def test_a_polite_end_ends_the_jobs(repository: Path) -> None:
    job = Job(name="hangs", claims=("a",), does="pretended_jobs:hangs", arguments={"claim": "a"})
    script = (
        "from pathlib import Path\n"
        "from genstamp.cli.verify import ending_children_on_sigterm, run\n"
        "from genstamp.verify.job import Job\n"
        "from genstamp.verify.plan import Plan\n"
        f"job = {job!r}\n"
        "with ending_children_on_sigterm():\n"
        "    run(Plan(jobs=[job]), Path(), Path('here'), 0, 1)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script])
    pid = repository / "here" / "pid"
    while process.poll() is None and not (pid.is_file() and pid.read_text()):
        os.sched_yield()
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_data_is_looked_for_beside_the_repository_or_where_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GENSTAMP_DATA", raising=False)
    (tmp_path / "clone").mkdir()
    assert data_directory(tmp_path / "clone") is None
    (tmp_path / "shared" / "data").mkdir(parents=True)
    assert data_directory(tmp_path / "clone") == tmp_path / "shared" / "data"
    monkeypatch.setenv("GENSTAMP_DATA", str(tmp_path / "elsewhere"))
    assert data_directory(tmp_path / "clone") is None


def at(seconds: float) -> Progress:
    return Progress(done=1, total=3, running={"check": (2.0, "5 states"), "prove": (1.0, "")}, seconds=seconds)


def test_progress_names_the_jobs_and_their_last_lines() -> None:
    assert list(progress_lines(at(7.0))) == ["1 of 3 jobs done in 7 s", "check 2 s: 5 states", "prove 1 s"]


def test_progress_is_a_line_a_minute() -> None:
    seen: list[float] = []
    watch = Watch(lambda progress: seen.append(progress.seconds))
    for seconds in (0.5, 59.5, 60.0, 60.5, 119.5, 120.5, 200.0):
        watch(at(seconds))
    assert seen == [60.0, 120.5, 200.0]
