"""Standard input that is closed, a reader of standard output that leaves, and options that would do nothing."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from genstamp.cli.verbs import app
from genstamp.logs import compiled

GENSTAMP = f"{sys.executable} -m genstamp"


def shell(command: str, place: Path) -> tuple[int, str]:
    """The exit code of the first program of a pipe, and standard error."""
    line = f"{command}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], cwd=place, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["logs check -", "replay -"])
def test_closed_standard_input_is_one_sentence(verb: str, tmp_path: Path) -> None:
    sentence = "genstamp: standard input is closed; name a file, or give input\n"
    assert shell(f"{GENSTAMP} {verb} <&-", tmp_path) == (2, sentence)


@pytest.mark.slow
def test_verdict_is_the_exit_code_although_the_reader_has_left(tmp_path: Path) -> None:
    assert shell(f"{GENSTAMP} check hdfs.recovery --bug HDFS-10240 | head -1", tmp_path) == (12, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["conform", "--walk", "--simulate", "1"], "cannot be combined with --simulate"),
        (["conform", "--configuration", "x"], "it needs --walk"),
        (["conform", "--coverage"], "it needs --simulate"),
        (["conform", "--missing"], "it needs --simulate or --walk"),
        (["conform", "--keep"], "it needs --walk"),
        (["conform", "--simulate", "1", "--command", "false"], "--simulate checks the reference implementation"),
        (["conform", "--simulate", "1", "--driving", "a.py:B"], "--simulate checks the reference implementation"),
        (["conform", "--simulate", "1", "--story", "run.jsonl"], "--simulate checks the reference implementation"),
        (["check", "hdfs.lease", "--strict", "--witness", "x"], "it cannot be combined with --witness or --scenario"),
        (["list", "hdfs.lease:two_clients"], "'two_clients' is a configuration"),
        (["verify", "--repository", "."], "is not a checkout"),
        (["lock", "--repository", "."], "is not a checkout"),
    ],
)
def test_what_would_be_ignored_is_refused(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("\u2502", " ").split())
    assert not list(tmp_path.iterdir())


def test_code_is_compiled_anew_where_it_cannot_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_place(**options: bool) -> object:
        def refuse(function: object) -> object:
            raise RuntimeError("cannot cache function: no locator available")

        return refuse

    assert compiled._can_keep()
    monkeypatch.setattr(compiled, "njit", without_place)
    assert not compiled._can_keep()
