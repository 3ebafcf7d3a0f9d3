"""The steps of the GitHub Action, read from `action.yml` and run as GitHub's runner runs them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

HOLDS = "hdfs.single_writer"


@pytest.fixture(scope="module")
def action(repository: Path) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.yaml.decode((repository / "action.yml").read_bytes())
    return found


def run(step: dict[str, Any], inputs: dict[str, str], action_path: Path) -> subprocess.CompletedProcess[str]:
    """Run one step with its inputs."""
    given = dict(os.environ)
    for name, value in step["env"].items():
        given[name] = inputs[value.removeprefix("${{ inputs.").removesuffix(" }}")]
    given["GITHUB_ACTION_PATH"] = str(action_path)
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, env=given, capture_output=True, text=True, check=False)


def installed(directory: Path) -> Path:
    """A place like that of the action after its first step."""
    binaries = directory / ".venv" / "bin"
    binaries.mkdir(parents=True)
    program = binaries / "genstamp"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m genstamp "$@"\n')
    program.chmod(0o755)
    return directory


def test_first_step_sets_up_what_make_sets_up(action: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("setup:\n\t@echo set up with $(PYTHON)\n")
    done = run(action["runs"]["steps"][0], {"python": "python3.12"}, tmp_path)
    assert done.returncode == 0
    assert "set up with python3.12" in done.stdout


@pytest.mark.slow
def test_second_step_annotates_what_was_checked(action: dict[str, Any], tmp_path: Path) -> None:
    done = run(action["runs"]["steps"][1], {"run": f"check {HOLDS}"}, installed(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "::notice" in done.stdout


@pytest.mark.slow
def test_second_step_fails_where_the_check_does(action: dict[str, Any], tmp_path: Path) -> None:
    done = run(action["runs"]["steps"][1], {"run": "check hdfs.recovery --bug HDFS-10240"}, installed(tmp_path))
    assert done.returncode == 12
    assert "::error file=" in done.stdout


@pytest.mark.slow
def test_words_are_not_evaluated(action: dict[str, Any], tmp_path: Path) -> None:
    made = tmp_path / "made"
    done = run(action["runs"]["steps"][1], {"run": f"check $(touch {made}) ; touch {made}"}, installed(tmp_path))
    assert done.returncode != 0
    assert not made.exists()
