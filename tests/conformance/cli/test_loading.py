"""A layer that is broken takes only its own verbs with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def genstamp(broken: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(broken)}
    command = [str(Path(sys.executable).with_name("genstamp")), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_broken_layer_fails_its_own_verb_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "z3.py").write_text("raise ImportError('no such solver')\n")
    answer = genstamp(tmp_path, "prove", "hdfs.recovery", "--timeout-ms", "5")
    assert answer.returncode == 75
    assert answer.stderr == "genstamp: the verb 'prove' cannot be loaded: ImportError: no such solver\n"
    assert genstamp(tmp_path, "verify", "--help").returncode == 0
    assert genstamp(tmp_path, "list", "hdfs.recovery").stdout.startswith("hdfs.recovery: ")


@pytest.mark.slow
def test_work_with_files_waits_for_no_specification() -> None:
    """Each `genstamp dfs put`, or `gfs put`, is a process of its own: what it loads is paid for with each."""
    others = ("genstamp_model.language", "genstamp_spec", "genstamp.cli.logs.verb", "genstamp.systems", "z3", "pyspark")
    modules = "genstamp.cli.dfs.verb, genstamp.cli.gfs.verb, genstamp.cli.gfs.files, genstamp.cli.gfs.names"
    program = f"import sys, {modules}; print(sorted(set(sys.modules) & set({others})))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout == "[]\n"


@pytest.mark.slow
def test_help_and_completion_load_no_verb(tmp_path: Path) -> None:
    """The libraries of all verbs take seconds."""
    (tmp_path / "z3.py").write_text("raise SystemExit('a verb was loaded')\n")
    (tmp_path / "llvmlite.py").write_text("raise SystemExit('a verb was loaded')\n")
    told = genstamp(tmp_path, "--help")
    assert told.returncode == 0, told.stderr
    for text in ("Prove by induction", "Check logs of HDFS", "Run the reference implementation of HDFS"):
        assert text in told.stdout
    unknown = genstamp(tmp_path, "prov")
    assert unknown.returncode == 2
    assert "Did you mean 'prove'?" in unknown.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "offered"),
    [("genstamp lev", ["levels"]), ("genstamp check hdfs.pipe", ["hdfs.pipeline", "hdfs.pipeline_progress"])],
)
def test_the_shell_completes_verbs_and_systems(words: str, offered: list[str]) -> None:
    last = str(len(words.split()) - 1)
    environment = os.environ | {"_GENSTAMP_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": last}
    command = [str(Path(sys.executable).with_name("genstamp"))]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert answer.stdout.split() == offered
