"""What Apache HDFS loses: the records are of the programs that there are, and two losses are shown again."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

APACHE = Path(__file__).parents[1] / "adapters" / "apache-hdfs"
LOSSES = APACHE / "losses"
JAVA = LOSSES / "src" / "genstamp" / "losses"
NAME = re.compile(r'"([a-z]+(?:-[a-z]+)+)"')


def _names(file: str) -> set[str]:
    return set(NAME.findall((JAVA / file).read_text()))


@pytest.mark.parametrize("record", sorted((LOSSES / "seen").glob("*.json")), ids=lambda path: path.stem)
def test_records_are_of_all_losses(record: Path) -> None:
    programs = _names("Repairs.java" if record.stem.endswith("-repaired") else "Main.java")
    assert set(json.loads(record.read_text())) == programs


def test_each_repair_ends_a_loss() -> None:
    lost, repaired = (json.loads((LOSSES / "seen" / f"3.4.1{kind}.json").read_text()) for kind in ("", "-repaired"))
    assert repaired
    for name, seen in repaired.items():
        assert seen != lost[name], name


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The command, with records of a directory of the test's and without Maven."""
    monkeypatch.syspath_prepend(str(APACHE))
    module = importlib.import_module("losses")
    seen = tmp_path / "losses" / "seen"
    seen.mkdir(parents=True)
    (seen / "3.4.1.json").write_text('{"a": {"bytes left": 0}}')
    monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.setattr(module, "java_command", lambda *_: [])
    return module


@pytest.mark.parametrize(
    ("lines", "arguments", "code"),
    [
        ([{"name": "a", "seen": {"bytes left": 0}}], [], 0),
        ([{"name": "a", "seen": {"bytes left": 1}}], [], 1),
        ([{"name": "a", "seen": {"bytes left": 0}, "failure": "IOException"}], [], 1),
        ([], [], 1),
        ([{"name": "a", "seen": {"bytes left": 0}}], ["a", "b"], 1),
        ([{"name": "b", "seen": {}}], ["b"], 1),
    ],
    ids=["as recorded", "differs", "failed", "missing", "one missing", "never recorded"],
)
def test_exit_code_is_0_only_if_all_is_as_recorded(
    runner: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    lines: list[dict[str, object]],
    arguments: list[str],
    code: int,
) -> None:
    monkeypatch.setattr(runner, "shown", lambda *_: map(json.dumps, lines))
    monkeypatch.setattr(sys, "argv", ["run.py", *arguments])
    assert runner.main() == code


@pytest.mark.slow
def test_two_losses_are_shown_again() -> None:
    if not os.environ.get("CI") and not (shutil.which("mvn") and shutil.which("javac")):
        pytest.skip("needs Maven and a JDK")
    names = ["abandon-of-a-complete-block", "fsync-of-a-complete-block"]
    shown = subprocess.run([sys.executable, APACHE / "losses.py", *names], capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    assert [json.loads(line)["name"] for line in shown.stdout.splitlines()] == names
