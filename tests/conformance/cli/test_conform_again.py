"""A run that does not conform is saved, and can be made again; the seed is told before anything can go wrong."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.interrupted import interruptible
from typer.testing import CliRunner, Result

from genstamp.cli.verbs import app
from genstamp.errors import RunFileError
from genstamp.stateful import DRIVINGS, read_run, run_lines

pytestmark = pytest.mark.slow

BROKEN = """
from genstamp_dfs import adapter
from genstamp_dfs.errors import LeaseExpiredException

LeaseExpiredException.hadoop_name = "IOException"
adapter.main()
"""
MORTAL = """
from genstamp_dfs import adapter
from genstamp_dfs.stepwise.recovery.recovering import RecoverySteps
RecoverySteps.create = lambda self, client, file: exit(9)
adapter.main()
"""
START = (
    '{"op": "start", "files": ["/a"], "clients": ["c"], "datanodes": ["d"], '
    '"semantics": "repaired", "seed": 0, "system": "hdfs.recovery"}'
)
IN_THE_MIDST = """
import os, signal
from genstamp.cli import main
from genstamp.stateful import conformance
def interrupted(*arguments):
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        pass
conformance.NAME = interrupted
main()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(text: str) -> str:
    Path("implementation.py").write_text(text, encoding="utf-8")
    return shlex.join([sys.executable, "implementation.py"])


def conform(*words: str) -> Result:
    return CliRunner().invoke(app, ["conform", *words])


def advised(told: str, beginning: str) -> list[str]:
    """The words of the command that a line advises, after `genstamp conform`."""
    [line] = [line for line in told.splitlines() if line.startswith(beginning)]
    words = shlex.split(line.removeprefix(beginning))
    assert words[:2] == ["genstamp", "conform"]
    return words[2:]


def test_a_saved_run_fails_again_as_it_did_and_conforms_once_mended() -> None:
    first = conform("--command", command(BROKEN), "--seed", "2")
    again = conform(*advised(first.stderr, "this run again: "))
    assert again.exit_code == 12
    assert story(again.stdout) == story(first.stdout) != []
    assert Path("genstamp-run-2.jsonl").exists()
    mended = conform("--story", "genstamp-run-2.jsonl")
    assert (mended.exit_code, mended.stderr) == (0, "")
    assert "  1 runs, " in mended.stdout


def story(told: str) -> list[str]:
    return [line for line in told.splitlines() if line.startswith("     ")]


def test_the_whole_test_that_is_advised_is_the_same_test() -> None:
    first = conform("--command", command(BROKEN), "--seed", "2", "--steps", "40", "--save", "kept.jsonl")
    again = conform(*advised(first.stderr, "the whole test again: "), "--save", "again.jsonl")
    assert again.stdout.splitlines()[0] == "seed 2"
    assert story(again.stdout) == story(first.stdout)
    assert Path("again.jsonl").read_text() == Path("kept.jsonl").read_text()


def test_a_run_that_ends_the_implementation_is_saved_with_its_seed() -> None:
    result = conform("--command", command(MORTAL), "--seed", "3")
    assert result.exit_code == 75
    assert result.stdout == "seed 3\n"
    assert json.loads(Path("genstamp-run-3.jsonl").read_text().splitlines()[-1])["event"] == "create"
    again = conform(*advised(result.stderr, "this run again: "))
    assert again.exit_code == 75
    assert "it ended with exit code 9" in again.stderr
    assert "again" not in again.stderr


def test_a_document_has_the_seed_and_nothing_else_is_on_standard_output() -> None:
    result = conform("--command", command(BROKEN), "--seed", "2", "--format", "json")
    assert json.loads(result.stdout)["seed"] == 2
    assert result.stderr.startswith("seed 2\n")
    assert "this run again: genstamp conform" in result.stderr


def test_a_run_that_cannot_be_saved_is_told_all_the_same() -> None:
    result = conform("--command", command(BROKEN), "--seed", "2", "--save", "none/run.jsonl")
    assert result.exit_code == 12
    assert "genstamp: none/run.jsonl: the run cannot be saved there: No such file or directory" in result.stderr


@pytest.mark.parametrize(
    ("name", "code", "advice"),
    [
        ("_search", 3, ["the whole test again: "]),
        ("shorten", 12, ["the whole test again: ", "this run again: "]),
    ],
)
def test_ctrl_c_leaves_the_seed_and_what_has_failed(name: str, code: int, advice: list[str]) -> None:
    program = IN_THE_MIDST.replace("NAME", name)
    arguments = ["conform", "--command", command(BROKEN), "--seed", "2"]
    with interruptible(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        out, err = process.communicate()
    assert process.returncode == code, err
    assert out.startswith("seed 2\n")
    for beginning in advice:
        assert "--seed" in advised(err, beginning) or "--story" in advised(err, beginning)
    if "this run again: " in advice:
        assert conform(*advised(err, "this run again: ")).exit_code == 12


def test_a_run_is_read_as_it_was_written(place: Path) -> None:
    conform("--command", command(BROKEN), "--seed", "2")
    text = Path("genstamp-run-2.jsonl").read_text()
    (place / "tick.jsonl").write_text(text + '{"op": "tick", "ms": 7}\n{"op": "stop"}\n')
    cluster, requests = read_run(place / "tick.jsonl")
    lines = list(run_lines(cluster, requests, DRIVINGS["hdfs.recovery"]))
    assert lines == [*text.splitlines(), '{"op": "tick", "ms": 7}']


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "it is empty"),
        ("{}", "line 1 is not a request; expected a start with files"),
        (f'{START}\n{{"op": "call"}}', "line 2 is not a request; expected a call, fault or tick"),
        (f"{START}\n[]", "line 2 is not a request"),
        (f"{START}\nnothing", "line 2 is not a request"),
    ],
)
def test_what_is_no_run_is_a_sentence_with_the_line(text: str, sentence: str, place: Path) -> None:
    (place / "run.jsonl").write_text(text)
    with pytest.raises(RunFileError, match=sentence):
        read_run(place / "run.jsonl")
    with pytest.raises(RunFileError, match="No such file"):
        read_run(place / "none.jsonl")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--walk"], "--walk plans its own runs"),
        (["--system", "hdfs.lease"], "is a run of hdfs.recovery, --system says hdfs.lease"),
    ],
)
def test_a_story_goes_with_its_system_and_not_with_a_walk(words: list[str], sentence: str, place: Path) -> None:
    (place / "run.jsonl").write_text(START)
    result = conform("--story", "run.jsonl", *words)
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.replace("│", " ").split())


def test_a_story_without_a_request_is_no_pass(place: Path) -> None:
    (place / "run.jsonl").write_text(START)
    result = conform("--story", "run.jsonl")
    assert result.exit_code == 3
    assert "  no event was checked\n" in result.stdout
