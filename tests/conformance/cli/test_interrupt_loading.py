"""Ctrl-C while modules load: the module itself sends the signal, so that no test depends on time."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.interrupted import interruptible

from genstamp.cli import interrupting
from genstamp.exit_codes import UNDETERMINED
from genstamp_model.interrupt import taken

RAISED = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
# As a library may do that is written in C.
LOST = """try:
    import os, signal
    os.kill(os.getpid(), signal.SIGINT)
except BaseException:
    raise ImportError
"""
INTERRUPTED = "genstamp: interrupted\n"


def ends(path: Path, *arguments: str) -> tuple[int, str, str]:
    """The exit code of a command that looks for modules there first, its standard output and standard error."""
    command = [str(Path(sys.executable).with_name("genstamp")), *arguments]
    environment = os.environ | {"PYTHONPATH": str(path)}
    with interruptible(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        told, errors = process.communicate(timeout=60)
    return process.returncode, told, errors


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "text", "arguments"),
    [
        ("typer", RAISED, ["list"]),
        ("typer", LOST, ["list"]),
        ("z3", RAISED, ["prove", "hdfs.monitor"]),
        ("z3", LOST, ["prove", "hdfs.monitor"]),
        ("pyarrow", RAISED, ["logs", "check", "events.jsonl"]),
    ],
)
def test_an_interrupt_while_genstamp_loads_is_undetermined(
    module: str, text: str, arguments: list[str], tmp_path: Path
) -> None:
    (tmp_path / f"{module}.py").write_text(text)
    assert ends(tmp_path, *arguments) == (UNDETERMINED, "", INTERRUPTED)


@pytest.mark.slow
def test_help_loads_no_library_of_a_verb(tmp_path: Path) -> None:
    (tmp_path / "z3.py").write_text(RAISED)
    code, told, errors = ends(tmp_path, "--help")
    assert (code, errors) == (0, "")
    assert "conform" in told


@pytest.mark.slow
@pytest.mark.parametrize("verb", [["check"], ["list"], ["conform", "--system"], ["mutate", "--format", "json"]])
def test_an_interrupt_while_a_module_of_the_users_loads_is_undetermined(verb: list[str], tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(RAISED)
    assert ends(tmp_path, *verb, f"{tmp_path / 'own.py'}:S") == (UNDETERMINED, "", INTERRUPTED)


def test_a_solver_that_still_loads_is_not_asked_to_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", ModuleType("z3"))
    taken.set()
    try:
        assert interrupting._is_taken()
    finally:
        taken.clear()
