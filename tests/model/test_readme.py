"""The examples of `model/README.md` run, print what stands below them, and pass the type checker but for a mistake."""

import contextlib
import io
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def blocks(repository: Path) -> list[tuple[str, str, int]]:
    """Kind, text and first line of each block."""
    text = (repository / "model" / "README.md").read_text()
    return [(m[1], m[2], text[: m.start(2)].count("\n")) for m in BLOCK.finditer(text)]


@pytest.mark.slow
def test_examples_print_what_is_written_below_them(
    blocks: list[tuple[str, str, int]], repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A module of its own, so that annotations and classes are looked up where they stand.
    module = types.ModuleType("model_readme")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    printed, shown = [], []
    for kind, text, line in blocks:
        if kind == "text":
            shown.append(text)
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile("\n" * line + text, str(repository / "model" / "README.md"), "exec"), vars(module))
        if out.getvalue():
            printed.append(out.getvalue())
    assert printed == shown


@pytest.mark.slow
def test_type_checker_finds_the_mistake_and_no_other(
    blocks: list[tuple[str, str, int]], repository: Path, tmp_path: Path
) -> None:
    script = tmp_path / "readme.py"
    script.write_text("\n".join(text for kind, text, _ in blocks if kind == "python"))
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(script)]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    # The one mistake that is shown on purpose.
    assert len(errors) == 1, done.stdout
    assert errors[0].endswith("Statement is unreachable  [unreachable]")
