"""Ctrl-C while `genstamp check` searches: a process of its own, and a real signal."""

import signal
import subprocess
import sys

import pytest

# A line of progress at every turn, so that the test knows when the search is on its way.
PROGRAM = """
import genstamp.cli.check as check
from genstamp.cli import main
check._LINE_EVERY_S = 0.0
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_check_tells_what_it_has_found_and_exits_undetermined(threads: int) -> None:
    command = [sys.executable, "-c", PROGRAM, "check", "hdfs.recovery:two_clients", "--threads", str(threads)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        assert first.startswith("two_clients: "), first + process.stderr.read()
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "undetermined: interrupted" in told
    assert "distinct states" in told
