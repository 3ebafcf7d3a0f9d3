"""Apache HDFS behind the adapter protocol: a slice of what `make apache` runs, and what its table says."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

APACHE = Path(__file__).parents[1] / "adapters" / "apache-hdfs"


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The command."""
    monkeypatch.syspath_prepend(str(APACHE))
    return importlib.import_module("run")


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    if not os.environ.get("CI") and not (shutil.which("mvn") and shutil.which("javac")):
        pytest.skip("needs Maven and a JDK")
    command = [sys.executable, str(APACHE / "run.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_stories_are_those_that_are_expected() -> None:
    expected = json.loads((APACHE / "stories" / "expected.json").read_text())
    assert set(expected) == {path.stem for path in (APACHE / "stories").glob("*.jsonl")}
    assert all("hadoop-3.4" in by_semantics for by_semantics in expected.values())


@pytest.mark.parametrize(
    ("verdict", "wanted", "mark"),
    [
        ("conforms", "conforms", "ok"),
        ("rejected", "rejected", "ok"),
        ("rejected", "conforms", "WRONG"),
        ("conforms", "rejected", "WRONG"),
        ("undetermined", "conforms", "undetermined"),
    ],
)
def test_a_row_is_ok_only_with_the_verdict_that_it_should_have(
    runner: ModuleType, verdict: str, wanted: str, mark: str
) -> None:
    assert runner.Row((), verdict, wanted).mark == mark


@pytest.mark.parametrize(("marks", "code"), [(["ok"], 0), (["ok", "undetermined"], 3), (["undetermined", "WRONG"], 12)])
def test_exit_code_is_that_of_the_worst_row(
    runner: ModuleType, monkeypatch: pytest.MonkeyPatch, marks: list[str], code: int
) -> None:
    verdicts = {"ok": "conforms", "undetermined": "undetermined", "WRONG": "rejected"}
    rows = [runner.Row(("", "", "", "", "", ""), verdicts[mark]) for mark in marks]
    monkeypatch.setattr(runner, "_rows", lambda *_: iter(rows))
    monkeypatch.setattr(sys, "argv", ["run.py"])
    assert runner.main() == code


@pytest.mark.slow
def test_a_fault_in_apache_hdfs_is_found() -> None:
    done = _run("--faults", "hdfs.replica")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "older-recovery-accepted" in done.stdout
