"""Ctrl-C while a verb is at work: a process of its own, and a real signal."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.interrupted import interruptible

# A line of progress at every turn, so that the test knows when the work is on its way.
FROM_OUTSIDE = """
from genstamp import progress
from genstamp.cli import main
always = progress.each_minute
progress.each_minute = lambda *arguments: always(every_s=0.0)
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

# Z3 is asked for the factors of a large number, which it does not find in the time of a test.
WHILE_Z3_ANSWERS = """
import sys, threading, time
import z3
from genstamp.cli import main
main_thread = threading.main_thread().ident
def tell():
    while sys._current_frames()[main_thread].f_code.co_name != "Z3_solver_check_assumptions":
        time.sleep(0)
    print("asked", file=sys.stderr, flush=True)
check = z3.Solver.check
def endless(self, *assumptions):
    hard = z3.SolverFor("QF_BV")
    a, b = z3.BitVecs("a b", 128)
    hard.add(a * b == 0x7FFFFFFFFFFFFFE7 * 0x7FFFFFFFFFFFFF5B, *(z3.UGT(x, 2) for x in (a, b)))
    hard.add(*(z3.ULT(x, 1 << 64) for x in (a, b)))
    threading.Thread(target=tell, daemon=True).start()
    return check(hard)
z3.Solver.check = endless
main()
"""

# Compiling takes for ever, and does not come back to Python: C waits for a lock that it has already.
WHILE_LLVM_COMPILES = """
import ctypes, sys
from genstamp.cli import main
from genstamp_model.explore import native
def endless(text, speed, **options):
    print("compiling", file=sys.stderr, flush=True)
    lock = ctypes.create_string_buffer(256)
    for _ in range(2):
        ctypes.CDLL(None).pthread_mutex_lock(lock)
native.compiled = endless
main()
"""

# Another checker, which says who it is and never ends.
WHILE_A_PEER_SEARCHES = """
import subprocess, sys
from genstamp.agree.tlc import Tlc
from genstamp.cli import main
Tlc.version = lambda self: "pretended"
def run(self, instance, directory, limit_s):
    program = "import os, signal, sys; print(os.getpid(), file=sys.stderr, flush=True); signal.pause()"
    subprocess.run([sys.executable, "-c", program], cwd=directory)
Tlc.run = run
main()
"""

# A process that judges mutants, and never ends.
WHILE_A_MUTANT_IS_JUDGED = """
import os, signal, sys
from genstamp import judging
from genstamp.cli import main
def endless(number):
    os.write(2, b"%d\\n" % os.getpid())
    while True:
        signal.pause()
judging._done = endless
main()
"""

# An implementation that answers nothing, and does not mind that its input ends.
SILENT = "import signal; signal.pause()"
WHILE_A_CHILD_IS_SILENT = """
import sys
from genstamp.adapters.child import ChildAdapter
from genstamp.cli import main
line = ChildAdapter._line
def told(self, *arguments):
    print(self._process.pid, file=sys.stderr, flush=True)
    return line(self, *arguments)
ChildAdapter._line = told
main()
"""

# The logs are being read, and the disk is slow.
WHILE_LOGS_ARE_READ = """
import os, sys
from genstamp.cli import main
from genstamp.logs import alone
def endless(files, options):
    print("reading", file=sys.stderr, flush=True)
    os.read(0, 1)
alone.check_alone = endless
main()
"""


def started(program: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *arguments]
    return interruptible(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def interrupted(program: str, *arguments: str) -> tuple[int, str, str, str]:
    """The exit code of a verb that is interrupted after its first line on standard error, and what it told.

    Returns:
        The code, the first line, standard output, and the rest of standard error.
    """
    with started(program, *arguments) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        try:
            told, errors = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, first, told, errors


def has_ended(process: int) -> bool:
    """Whether a process that is no child of this one ends; it is gone then, or nobody has asked for its exit code."""
    while True:
        try:
            os.kill(process, 0)
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        os.sched_yield()


@pytest.mark.slow
def test_an_interrupted_check_tells_what_it_has_found_and_exits_undetermined() -> None:
    code, first, told, errors = interrupted(FROM_OUTSIDE, "check", "hdfs.recovery:two_clients")
    assert first.startswith("two_clients: "), first + errors
    assert code == 3
    assert "undetermined: interrupted" in told
    assert "distinct states" in told


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_tears_no_turn_of_the_search(threads: int) -> None:
    with started(IN_THE_MIDST, "check", "hdfs.recovery", "--threads", str(threads)) as process:
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert told.count("  undetermined: interrupted") == 1
    assert told.splitlines()[-1].endswith(" (repaired): undetermined: interrupted")


@pytest.mark.slow
def test_an_interrupt_does_not_wait_for_the_compiler() -> None:
    code, first, told, errors = interrupted(WHILE_LLVM_COMPILES, "check", "hdfs.monitor")
    assert (code, first) == (3, "compiling\n"), errors
    assert told.splitlines() == [
        "hdfs.monitor:three_leases (repaired): undetermined: interrupted",
        "hdfs.monitor:two_files (repaired): undetermined: interrupted",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("bmc", "hdfs.monitor"), "hdfs.monitor:two_files (repaired): undetermined: interrupted"),
        (("prove", "hdfs.monitor"), "hdfs.monitor:two_files (repaired): undetermined: interrupted"),
        (("prove", "hdfs.single_writer", "--parametric"), "  undetermined in "),
    ],
)
def test_an_interrupt_ends_a_question_to_z3(arguments: tuple[str, ...], told: str) -> None:
    code, first, found, errors = interrupted(WHILE_Z3_ANSWERS, *arguments)
    assert (code, first) == (3, "asked\n"), errors
    assert told in found


@pytest.mark.slow
def test_interrupted_walks_tell_their_seed() -> None:
    """The seed is the first line on standard error."""
    code, first, told, errors = interrupted(FROM_OUTSIDE, "simulate", "hdfs.monitor", "--runs", "100000000")
    assert code == 3, errors
    assert first.startswith("seed ")
    assert "undetermined: interrupted" in told or "interrupted" in errors


@pytest.mark.slow
@pytest.mark.parametrize("how", [(), ("--walk",), ("--simulate", "100000")])
def test_an_interrupted_conform_tells_what_it_has_seen(how: tuple[str, ...]) -> None:
    code, first, told, errors = interrupted(FROM_OUTSIDE, "conform", "--examples", "100000", *how)
    assert code == 3, first + errors
    assert "interrupted" in told
    assert "seed" in told or how == ("--walk",)


@pytest.mark.slow
def test_an_interrupted_conform_ends_the_implementation() -> None:
    command = shlex.join([sys.executable, "-c", SILENT])
    code, first, told, errors = interrupted(
        WHILE_A_CHILD_IS_SILENT, "conform", "--command", command, "--answer-seconds", "1000"
    )
    assert (code, "interrupted" in told) == (3, True), errors
    assert has_ended(int(first))


@pytest.mark.slow
def test_an_interrupted_agree_ends_the_other_checker() -> None:
    code, first, told, errors = interrupted(WHILE_A_PEER_SEARCHES, "agree", "hdfs.monitor", "--peer", "tlc")
    assert code == 3, errors
    assert told.splitlines()[0] == "hdfs.monitor:three_leases (repaired): undetermined: interrupted"
    assert has_ended(int(first))


@pytest.mark.slow
def test_an_interrupted_mutate_ends_its_processes() -> None:
    arguments = ("mutate", "hdfs.monitor", "--jobs", "2", "--format", "json")
    code, first, told, errors = interrupted(WHILE_A_MUTANT_IS_JUDGED, *arguments)
    assert code == 3, errors
    found = json.loads(told)
    assert (found["exit_code"], found["undetermined"], found["survivors"]) == (3, "interrupted", None)
    assert "genstamp: interrupted in hdfs.monitor, " in errors
    assert "with seed 1" in errors
    assert has_ended(int(first))


@pytest.mark.slow
def test_an_interrupt_ends_a_check_of_logs(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    log.write_text("")
    code, first, _, errors = interrupted(WHILE_LOGS_ARE_READ, "logs", "check", str(log))
    assert (code, first, errors) == (3, "reading\n", "genstamp: interrupted\n")


@pytest.mark.slow
def test_an_interrupt_ends_a_call_to_a_cluster() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        program = "from genstamp.cli import main; main()"
        with started(program, "dfs", "ls", "/", "--namenode", address) as process:
            silent.settimeout(60)
            connection, _ = silent.accept()
            with connection:
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (3, "genstamp: interrupted\n")


@pytest.mark.slow
def test_where_interrupts_are_ignored_a_check_goes_on() -> None:
    """As in the background of a script: the default is not taken back."""
    ignoring = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{IN_THE_MIDST}"
    with started(ignoring, "check", "hdfs.monitor") as process:
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "interrupted" not in told
