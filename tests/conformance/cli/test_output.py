"""Standard output takes what genstamp prints, from any of its threads; what it does not take is a failure."""

import io
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from genstamp import exit_codes
from genstamp.cli.output import OwnOutput, printing

FULL = Path("/dev/full")


def test_a_thread_prints_where_it_is_told_that_this_is_genstamps_own(capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.StringIO()
    output = OwnOutput(stream)

    def prints() -> None:
        print("of an author", file=output)
        with printing():
            print("of genstamp", file=output)
        print("of an author again", file=output)

    thread = threading.Thread(target=prints)
    thread.start()
    thread.join()
    assert stream.getvalue() == "of genstamp\n"
    assert capsys.readouterr().err == "of an author\nof an author again\n"


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", [["list"], ["check", "hdfs.monitor", "--format", "json"], ["--version"]])
def test_what_is_not_written_is_a_failure(command: list[str]) -> None:
    with FULL.open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "genstamp", *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (ended.returncode, ended.stderr) == (
        exit_codes.FAILURE,
        "genstamp: standard output: No space left on device\n",
    )


@pytest.mark.slow
def test_without_standard_output_a_verb_ends_as_with_it() -> None:
    closed = "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, '-m', 'genstamp', 'list'])"
    ended = subprocess.run([sys.executable, "-c", closed], stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
