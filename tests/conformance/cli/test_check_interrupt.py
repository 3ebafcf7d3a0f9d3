"""Ctrl-C while `genstamp check` searches: a process of its own, and a real signal."""

import signal
import subprocess
import sys

import pytest

# A line of progress at every turn, so that the test knows when the search is on its way.
FROM_OUTSIDE = """
from genstamp import progress
from genstamp.cli import main
always = progress.each_minute
progress.each_minute = lambda: always(every_s=0.0)
main()
"""

# The signal comes while the search is at work, not while it tells how far it is.
IN_THE_MIDST = """
import os, signal
from genstamp.cli import main
from genstamp_model.explore.machine import Library
side_by_side = Library.side_by_side
def interrupted(*arguments):
    os.kill(os.getpid(), signal.SIGINT)
    return side_by_side(*arguments)
Library.side_by_side = interrupted
main()
"""


def started(program: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, "check", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_an_interrupted_check_tells_what_it_has_found_and_exits_undetermined() -> None:
    with started(FROM_OUTSIDE, "hdfs.recovery:two_clients") as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        assert first.startswith("two_clients: "), first + process.stderr.read()
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "undetermined: interrupted" in told
    assert "distinct states" in told


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_tears_no_turn_of_the_search(threads: int) -> None:
    with started(IN_THE_MIDST, "hdfs.recovery", "--threads", str(threads)) as process:
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert told.count("undetermined: interrupted") == 1
