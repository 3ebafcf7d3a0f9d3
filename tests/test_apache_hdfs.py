"""Apache HDFS behind the adapter protocol: a slice of what `make apache` runs, and what its table says."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from genstamp.stateful import Figures, Report
from genstamp.systems import system_named
from genstamp.walk import Walk, kept
from genstamp_model.language import Configuration, System

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
    rows = [runner.Row(("", "", "", "", "", "", ""), verdicts[mark]) for mark in marks]
    monkeypatch.setattr(runner, "_rows", lambda *_: iter(rows))
    monkeypatch.setattr(sys, "argv", ["run.py"])
    assert runner.main() == code


def test_each_release_is_held_against_semantics_that_its_systems_have(runner: ModuleType) -> None:
    for held in runner.HELD_AGAINST.values():
        for system, semantics in held.items():
            assert semantics in system_named(system).semantics


def test_minutes_go_on_with_the_seed_after_the_last_recorded_one(
    runner: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seeds: list[int] = []

    def conform(*_: object, seed: int, **__: object) -> Report:
        seeds.append(seed)
        figures = Figures(examples=2, events=30)
        return Report("hdfs.replica", "hadoop-3.4", seed, figures, None, 1, (), 1, is_deterministic=True, seconds=1.0)

    monkeypatch.setattr(runner, "conform", conform)
    monkeypatch.setattr(runner, "java_command", lambda *_: ["true"])
    monkeypatch.setattr(runner, "REPOSITORY", tmp_path)
    for _ in range(2):
        now = iter((0.0, 0.0, 59.0, 60.0))
        monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=lambda now=now: next(now)))
        monkeypatch.setattr(sys, "argv", ["run.py", "--minutes", "1", "--seed", "7", "hdfs.replica"])
        assert runner.main() == 0
    assert seeds == [7, 8, 9, 10]


def test_each_walk_is_kept_before_the_next_one_begins(
    runner: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    walked: list[list[str]] = []

    def walk(_: object, system: System, configuration: Configuration, semantics: str, **__: object) -> Walk:
        found = kept.read(tmp_path, system.name, "3.4.1")
        walked.append([] if found is None else list(found.walks))
        return Walk(
            system=system.name,
            semantics=semantics,
            configuration=configuration,
            digest=system.model(semantics).digest,
            states=1,
            transitions=frozenset(),
            certain=frozenset(),
            possible=frozenset(),
            missing=(),
            figures=Figures(examples=1, events=1, undetermined=int(configuration.name == "upgrade")),
            failure=None,
            is_deterministic=True,
            seconds=1.0,
        )

    monkeypatch.setattr(runner, "walk", walk)
    monkeypatch.setattr(runner, "graph_of", lambda *_, **__: SimpleNamespace(abstract={}))
    monkeypatch.setattr(runner, "java_command", lambda *_: ["true"])
    monkeypatch.setattr(runner, "REPOSITORY", tmp_path)
    chosen = ["--configuration", "fenced", "--configuration", "upgrade", "--configuration", "append"]
    monkeypatch.setattr(sys, "argv", ["run.py", "--keep-walks", *chosen, "hdfs.pipeline"])
    assert runner.main() == 3, "a walk that is undetermined is not kept"
    assert walked == [[], ["fenced"], ["fenced"]]
    monkeypatch.setattr(sys, "argv", ["run.py", "--keep-walks", "--configuration", "pair", "hdfs.pipeline"])
    assert runner.main() == 0
    found = kept.read(tmp_path, "hdfs.pipeline", "3.4.1")
    assert found is not None
    assert list(found.walks) == ["fenced", "pair", "append"]


@pytest.mark.slow
def test_a_fault_in_apache_hdfs_is_found() -> None:
    done = _run("--faults", "hdfs.replica")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "older-recovery-accepted" in done.stdout
