"""What a user of the wheel gets: its contents, and its commands outside of a checkout and without any extra."""

import json
import os
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from genstamp import exit_codes
from genstamp.explorer.page import SCRIPTS, STYLE

PACKAGES = {"genstamp_spec", "genstamp_model", "genstamp_dfs", "genstamp"}


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    built = next(WheelBuilder(str(repository)).build(directory=str(tmp_path_factory.mktemp("wheel"))))
    return zipfile.ZipFile(built)


@pytest.mark.slow
def test_wheel_holds_the_four_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES


def test_wheel_says_that_it_is_typed(wheel: zipfile.ZipFile) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(wheel.namelist())


def test_wheel_brings_licence_and_command(wheel: zipfile.ZipFile) -> None:
    information = {name.partition(".dist-info/")[2]: name for name in wheel.namelist() if ".dist-info/" in name}
    assert {"licenses/LICENSE", "licenses/NOTICE"} <= set(information)
    assert "genstamp = genstamp.cli:main" in wheel.read(information["entry_points.txt"]).decode()


def test_wheel_brings_the_template_of_the_page_of_logs(wheel: zipfile.ZipFile) -> None:
    assert "genstamp/logs/templates/page.html" in wheel.namelist()


def test_wheel_brings_the_page_of_the_explorer(wheel: zipfile.ZipFile) -> None:
    wanted = {"templates/explorer.html", *(f"static/{name}" for name in (*SCRIPTS, STYLE))}
    assert {f"genstamp/explorer/{name}" for name in wanted} <= set(wheel.namelist())


def test_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    said = message_from_bytes(wheel.read(name))
    assert said["Version"] == "0.2.0"
    assert {"logs", "dfs", "s3", "tlc", "all"} <= set(said.get_all("Provides-Extra", []))


# Stands before the modules of this environment: all that an extra brings is hidden.
WITHOUT_EXTRAS = """\
import importlib.abc, sys
from genstamp.extras import EXTRA_OF

class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRA_OF:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
"""


@pytest.fixture(scope="module")
def installed(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's files, and nothing else of this repository."""
    directory = tmp_path_factory.mktemp("installed")
    wheel.extractall(directory)
    (directory / "sitecustomize.py").write_text(WITHOUT_EXTRAS)
    return directory


# Runs commands in turn in one process, and prints what each says and its exit code.
IN_TURN = """\
import contextlib, io, json, sys
from genstamp.cli import main

for arguments in json.loads(sys.argv[1]):
    said, code = io.StringIO(), None
    sys.argv = ["genstamp", *arguments]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            code = end.code
    print(json.dumps([code or 0, said.getvalue()]))
"""

NEEDS = "which is not installed: pip install"
COMMANDS = {
    "--version": (exit_codes.HOLDS, "genstamp 0.2.0"),
    "check hdfs.single_writer": (exit_codes.HOLDS, "hdfs.single_writer:two (default): holds"),
    "conform --examples 1 --steps 5 --seed 1": (exit_codes.HOLDS, "hdfs.recovery (repaired): conforms"),
    "doctor": (exit_codes.HOLDS, "genstamp               0.2.0"),
    "verify": (exit_codes.USAGE, "is not a checkout of genstamp"),
    "tables": (exit_codes.FAILURE, f"needs pyarrow, {NEEDS} 'genstamp[logs]'"),
    "logs check .": (exit_codes.FAILURE, f"needs pyarrow, {NEEDS} 'genstamp[logs]'"),
    "dfs up d": (exit_codes.FAILURE, f"needs protobuf, {NEEDS} 'genstamp[dfs]'"),
    "gfs ls /": (exit_codes.FAILURE, f"needs grpcio, {NEEDS} 'genstamp[dfs]'"),
    "gfs up d": (exit_codes.FAILURE, f"needs grpcio, {NEEDS} 'genstamp[dfs]'"),
    "check hdfs.single_writer --engine spark": (exit_codes.FAILURE, f"needs pyspark, {NEEDS} 'genstamp[logs]'"),
    "init ring": (exit_codes.HOLDS, ""),
    "check ring.py": (exit_codes.HOLDS, ": holds"),
}
"""The exit code of a command, and what it says."""


@pytest.mark.slow
def test_wheel_serves_outside_of_a_checkout(installed: Path, tmp_path: Path) -> None:
    commands = json.dumps([command.split() for command in COMMANDS])
    environment = os.environ | {"PYTHONPATH": str(installed), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", IN_TURN, commands],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(COMMANDS), done.stderr
    for (command, (code, printed)), (ended, said) in zip(COMMANDS.items(), answers, strict=True):
        assert (ended, printed in said, "Traceback" in said) == (code, True, False), (command, said)
