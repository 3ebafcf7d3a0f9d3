"""A child process over JSON lines: what it answers is taken over, and whatever it does wrong is a clear error."""

import os
import select
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from genstamp.adapters import Adapter, ChildAdapter, Cluster, Done, NotPossible, ReferenceAdapter
from genstamp.adapters.child import LINE_LIMIT_BYTES
from genstamp.errors import (
    AdapterDiedError,
    AdapterError,
    AdapterGarbageError,
    AdapterRefusedError,
    AdapterSilentError,
    AdapterStartError,
)

pytestmark = pytest.mark.slow

CLUSTER = Cluster(("/a",), ("client1", "client2"), ("datanode1",), "repaired", seed=1)
REFERENCE = shlex.join([sys.executable, "-m", "genstamp_dfs.adapter"])
STARTED = '{"ok": true, "version": 2, "first_generation_stamp": 1001, "events": []}'


def script(*lines: str) -> str:
    """The command line of a Python program."""
    return shlex.join([sys.executable, "-c", "\n".join(("import sys, os", *lines))])


def answers(*lines: str) -> str:
    """The command line of a program that reads a line and answers with one of these, each in turn."""
    return script(*(f"sys.stdin.readline(); print({line!r}, flush=True)" for line in lines), "sys.stdin.read()")


@contextmanager
def child(command: str, answer_seconds: float = 10.0) -> Iterator[ChildAdapter]:
    adapter = ChildAdapter(command, answer_seconds)
    try:
        yield adapter
    finally:
        adapter.stop()


def test_the_reference_implementation_answers_the_same_in_process_and_as_a_child() -> None:
    create = {"client": "client1", "file": "/a"}
    requests: list[Callable[[Adapter], object]] = [
        lambda adapter: adapter.start(CLUSTER),
        lambda adapter: adapter.call("create", create),
        lambda adapter: adapter.call("create", create | {"client": "client2"}),
        lambda adapter: adapter.call("hflush", create),
        lambda adapter: adapter.tick(1_202_001),
        lambda adapter: adapter.fault("datanode_crash", {"datanode": "datanode1"}),
        lambda adapter: adapter.events(),
    ]
    here = ReferenceAdapter()
    with child(REFERENCE) as there:
        for request in requests:
            assert request(there) == request(here)


def test_a_child_goes_by_other_times_if_it_says_that_it_can() -> None:
    soon: dict[str, int] = {"soft_limit_ms": 100, "hard_limit_ms": 3_000}
    with child(REFERENCE) as adapter:
        assert not adapter.set_times(soon)
        for cluster, can in ((CLUSTER, True), (replace(CLUSTER, system="hdfs.lease"), False)):
            adapter.start(cluster)
            assert adapter.set_times(soon) is can
            adapter.set_times({})
        adapter.start(CLUSTER)
        adapter.set_times(soon)
        adapter.start(CLUSTER)
        adapter.call("create", {"client": "client1", "file": "/a"})
        outcome = adapter.tick(5_000)
        assert isinstance(outcome, Done)
        assert [event.event for event in outcome.events] == ["release_expired_lease"]


def test_a_line_too_many_is_an_error() -> None:
    doubled = script(
        "sys.stdin.readline()", f"print({STARTED!r} + chr(10) + {STARTED!r}, flush=True)", "sys.stdin.read()"
    )
    with child(doubled) as adapter:
        adapter.start(CLUSTER)
        with pytest.raises(AdapterGarbageError, match="it had already printed"):
            adapter.tick(1)


def test_a_child_serves_several_runs() -> None:
    with child(REFERENCE) as adapter:
        for _ in range(2):
            adapter.start(CLUSTER)
            outcome = adapter.call("create", {"client": "client1", "file": "/a"})
            assert isinstance(outcome, Done)
            assert [event.refused_with for event in outcome.events] == [None]


def test_a_child_that_is_stopped_has_ended() -> None:
    adapter = ChildAdapter(REFERENCE)
    adapter.start(CLUSTER)
    process = adapter._process
    assert process is not None
    adapter.stop()
    assert process.poll() is not None
    adapter.stop()


def test_a_child_that_will_not_stop_is_ended_with_what_it_started(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    os.mkfifo(alive)
    reader = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    command = script(
        "import signal, subprocess",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
        f"pipe = open({str(alive)!r}, 'w')",
        "subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'], stdout=pipe)",
        "sys.stdin.readline()",
        f"print({STARTED!r}, flush=True)",
        "while True: signal.pause()",
    )
    with child(command) as adapter:
        adapter.start(CLUSTER)
        assert select.select([reader], [], [], 0)[0] == []
    # The pipe's end is seen once nobody has it open for writing any more.
    assert select.select([reader], [], [], 10)[0] == [reader]
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_a_step_that_is_not_possible_says_why() -> None:
    with child(answers(STARTED, '{"ok": false, "why": "client1 is asleep"}')) as adapter:
        adapter.start(CLUSTER)
        assert adapter.call("create", {}) == NotPossible("client1 is asleep")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("", "it is empty"),
        ("'", "No closing quotation"),
        ("/no/such/program", "No such file or directory"),
        (script("sys.exit('no licence')"), "it ended with exit code 1; its last words: 'no licence'"),
        (script("os.kill(os.getpid(), 9)"), "it ended by signal 9"),
        (answers("hello"), "in 'hello'"),
        (answers('{"ok": true}'), "version is None and first_generation_stamp None, wanted are 2 and 1 or more"),
        (answers(STARTED.replace(": 2,", ": 1,")), "version is 1"),
    ],
)
def test_a_child_that_does_not_start_is_an_error(command: str, problem: str) -> None:
    with child(command) as adapter, pytest.raises(AdapterStartError) as caught:
        adapter.start(CLUSTER)
    assert problem in str(caught.value)


def test_a_child_that_cannot_make_the_first_run_refuses_it() -> None:
    command = answers('{"ok": false, "error": "too many files"}')
    with child(command) as adapter, pytest.raises(AdapterRefusedError, match="too many files"):
        adapter.start(CLUSTER)


def test_a_command_that_there_is_not_is_told_by_its_name() -> None:
    with child("nosuchprog --fast") as adapter, pytest.raises(AdapterStartError) as caught:
        adapter.start(CLUSTER)
    assert str(caught.value) == "command 'nosuchprog --fast' cannot be run: No such file or directory"


@pytest.mark.parametrize(
    ("answer", "error", "problem"),
    [
        ("Traceback (most recent call last):", AdapterGarbageError, "in 'Traceback (most recent call last):'"),
        ("[1]", AdapterGarbageError, "Expected `object`, got `array`"),
        ("", AdapterGarbageError, "in ''"),
        ('{"ok": false}', AdapterGarbageError, "an answer that is not ok has 'why' or 'error'"),
        ('{"ok": true, "events": [{"event": "create"}]}', AdapterGarbageError, "missing required field"),
        ('{"ok": false, "error": "unknown file"}', AdapterRefusedError, "unknown file"),
        ("x" * 500, AdapterGarbageError, "x..."),
    ],
)
def test_an_answer_that_is_none_is_an_error(answer: str, error: type[AdapterError], problem: str) -> None:
    with child(answers(STARTED, answer)) as adapter:
        adapter.start(CLUSTER)
        with pytest.raises(error) as caught:
            adapter.call("create", {"file": "/a"})
    assert problem in str(caught.value)
    assert 'did not answer {"op":"call","event":"create","arguments":{"file":"/a"}}' in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_line_without_end_is_not_read_to_its_end() -> None:
    endless = script(
        "sys.stdin.readline()",
        f"print({STARTED!r}, flush=True)",
        "sys.stdin.readline()",
        f"sys.stdout.write('x' * {2 * LINE_LIMIT_BYTES})",
        "sys.stdin.read()",
    )
    with child(endless) as adapter:
        adapter.start(CLUSTER)
        with pytest.raises(AdapterGarbageError, match="a line of more than 1048576 bytes"):
            adapter.tick(1)


def test_a_child_that_dies_is_an_error_with_its_last_words() -> None:
    with child(
        script(
            "sys.stdin.readline()",
            f"print({STARTED!r}, flush=True)",
            "sys.stdin.readline()",
            "sys.stderr.write('out of replicas\\n')",
            "sys.exit(3)",
        )
    ) as adapter:
        adapter.start(CLUSTER)
        with pytest.raises(AdapterDiedError, match="it ended with exit code 3; its last words: 'out of replicas'"):
            adapter.tick(1)


def test_a_child_that_has_died_before_it_is_asked_is_an_error() -> None:
    with child(script("sys.stdin.readline()", f"print({STARTED!r}, flush=True)", "os._exit(4)")) as adapter:
        adapter.start(CLUSTER)
        assert adapter._process is not None
        adapter._process.wait()
        with pytest.raises(AdapterDiedError, match="exit code 4"):
            adapter.tick(1)


def test_silence_is_an_error() -> None:
    with child(answers(STARTED), answer_seconds=0.5) as adapter:
        adapter.start(CLUSTER)
        with pytest.raises(AdapterSilentError, match=r"no answer within 0\.5 s"):
            adapter.events()


def test_much_on_standard_error_holds_nobody_up() -> None:
    talkative = script(
        "sys.stdin.readline()",
        "sys.stderr.write('talk ' * 200_000)",
        f"print({STARTED!r}, flush=True)",
        "sys.stdin.read()",
    )
    with child(talkative) as adapter:
        assert adapter.start(CLUSTER).first_generation_stamp == 1001


def test_nothing_can_be_asked_before_the_start() -> None:
    for adapter in (ChildAdapter(REFERENCE), ReferenceAdapter()):
        with pytest.raises(AdapterRefusedError, match="nothing was started"):
            adapter.tick(1)


def test_the_reference_implementation_refuses_what_it_does_not_understand() -> None:
    adapter = ReferenceAdapter()
    with pytest.raises(AdapterRefusedError, match="semantics is 'hadoop-1'"):
        adapter.start(Cluster(("/a",), ("client1",), ("datanode1",), "hadoop-1"))
    adapter.start(CLUSTER)
    with pytest.raises(AdapterRefusedError, match="'rename'"):
        adapter.call("rename", {})
