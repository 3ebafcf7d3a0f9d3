"""An implementation as a child process that speaks the adapter protocol over JSON lines.

One request a line to the child's standard input, one answer a line from its standard output. Its standard error is kept
for messages. No shell is involved. Nothing that the child does can hold this process up or fill its memory: each answer
has a time limit, lines and the kept end of standard error are bounded.

Not here: Windows, where pipes cannot be waited for.
"""

import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Mapping
from typing import Any, BinaryIO, Final

import msgspec

from genstamp.adapters.adapter import VERSION, Cluster, Done, NotPossible, Outcome, Started
from genstamp.errors import (
    AdapterCommandError,
    AdapterDiedError,
    AdapterGarbageError,
    AdapterRefusedError,
    AdapterSilentError,
    AdapterStartError,
)
from genstamp.events import Event

LINE_LIMIT_BYTES: Final = 1 << 20
"""Longest answer line that is read."""

_STDERR_KEPT_BYTES: Final = 2_000
_SHOWN_CHARACTERS: Final = 200
_CHUNK_BYTES: Final = 1 << 16
_LEAVE_SECONDS: Final = 2.0


class _Answer(msgspec.Struct):
    """An answer, as parsed from the line; fields that the protocol does not have are ignored."""

    ok: bool
    events: list[Event] = []
    why: str | None = None
    error: str | None = None
    version: int | None = None
    first_generation_stamp: int | None = None
    takes_times: bool = False


class ChildAdapter:
    """Drives a child process; it is started by the first `start` and serves every run until `stop`.

    Args:
        command: the command line, split as a shell would but run without one.
        answer_seconds: how long an answer may take; the first one may take three times as long.
        log: where all goes that the child writes to standard error, as it comes; by default its end alone is kept.
    """

    def __init__(self, command: str, answer_seconds: float = 10.0, log: BinaryIO | None = None) -> None:
        self._command = command
        self._log = log
        self._answer_seconds = answer_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._read = b""
        self._errors = b""
        self._times_ms: dict[str, int] = {}
        self._takes_times = False

    def set_times(self, times_ms: Mapping[str, int]) -> bool:
        """Set times other than Hadoop's for the runs that begin from now on.

        Args:
            times_ms: those that are others, by name, in milliseconds; none, and all are Hadoop's again.

        Returns:
            Whether the child can: its answer to the newest `start` says so. If not, nothing changes.
        """
        if self._takes_times:
            self._times_ms = dict(times_ms)
        return self._takes_times

    def start(self, cluster: Cluster) -> Started:
        """Begin a new run.

        Raises:
            AdapterStartError: there is no such program, or it exits or prints something else before it answers.
            AdapterRefusedError: it answers that it cannot make such a run, for example of this system.
        """
        request: dict[str, object] = {
            "op": "start",
            "version": VERSION,
            "system": cluster.system,
            "files": cluster.files,
            "clients": cluster.clients,
            "datanodes": cluster.datanodes,
            "semantics": cluster.semantics,
            "seed": cluster.seed,
        }
        if self._times_ms:
            request["times_ms"] = self._times_ms
        if self._process is not None:
            return self._started(request, self._answer_seconds)
        self._process = self._spawned()
        try:
            return self._started(request, 3 * self._answer_seconds)
        except (AdapterDiedError, AdapterGarbageError, AdapterSilentError) as error:
            self._kill()
            raise AdapterStartError(error.request, f"{error.problem} ({self._command})") from error

    def _spawned(self) -> subprocess.Popen[bytes]:
        try:
            words = shlex.split(self._command)
            if not words:
                raise ValueError("it is empty")
            # A session of its own, so that what the command starts in turn ends with it.
            return subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else None
            raise AdapterCommandError(self._command, reason or str(problem)) from problem

    def _started(self, request: Mapping[str, object], seconds: float) -> Started:
        answer = self._ask(request, seconds)
        if answer.version != VERSION or answer.first_generation_stamp is None or answer.first_generation_stamp < 1:
            problem = (
                f"version is {answer.version} and first_generation_stamp {answer.first_generation_stamp}, "
                f"wanted are {VERSION} and 1 or more"
            )
            raise AdapterGarbageError("start", problem)
        self._takes_times = answer.takes_times
        return Started(answer.first_generation_stamp, tuple(answer.events))

    def call(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        """Make one protocol step happen."""
        return self._step({"op": "call", "event": event, "arguments": arguments})

    def tick(self, ms: int) -> Outcome:
        """Let virtual time pass."""
        return self._step({"op": "tick", "ms": ms})

    def fault(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        """Make one fault happen."""
        return self._step({"op": "fault", "event": event, "arguments": arguments})

    def events(self) -> Outcome:
        """The events that were not handed over yet."""
        return self._step({"op": "events"})

    def stop(self) -> None:
        """Ask the child to end, and make it."""
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            self._send({"op": "stop"})
        with contextlib.suppress(subprocess.TimeoutExpired):
            assert self._process.stdin is not None
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            self._process.wait(_LEAVE_SECONDS)
        self._kill()

    def kill(self) -> None:
        """Kill the child and its descendants at once."""
        if self._process is not None:
            self._kill()

    def _step(self, request: Mapping[str, object]) -> Outcome:
        if self._process is None:
            raise AdapterRefusedError(_shown(request), "nothing was started")
        answer = self._ask(request, self._answer_seconds)
        return Done(tuple(answer.events)) if answer.ok else NotPossible(answer.why or "")

    def _ask(self, request: Mapping[str, object], seconds: float) -> _Answer:
        """The answer to a request; one that is not ok says why."""
        shown = _shown(request)
        if self._read:
            raise AdapterGarbageError(shown, f"it had already printed {_cut(self._read)}, before any request")
        try:
            self._send(request)
        except OSError:
            raise AdapterDiedError(shown, self._end()) from None
        line = self._line(shown, seconds)
        try:
            answer = msgspec.json.decode(line, type=_Answer)
        except msgspec.MsgspecError as problem:
            raise AdapterGarbageError(shown, f"{problem} in {_cut(line)}") from problem
        if answer.error is not None:
            raise AdapterRefusedError(shown, _cut(answer.error))
        if not answer.ok and answer.why is None:
            raise AdapterGarbageError(shown, f"an answer that is not ok has 'why' or 'error': {_cut(line)}")
        return answer

    def _send(self, request: Mapping[str, object]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(request) + b"\n")

    def _line(self, request: str, seconds: float) -> bytes:
        """The next line of the child's output."""
        assert self._process is not None
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            for stream in (self._process.stdout, self._process.stderr):
                assert stream is not None
                if not stream.closed:
                    selector.register(stream, selectors.EVENT_READ)
            while b"\n" not in self._read:
                if len(self._read) > LINE_LIMIT_BYTES:
                    raise AdapterGarbageError(request, f"a line of more than {LINE_LIMIT_BYTES} bytes")
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                if not ready:
                    raise AdapterSilentError(request, f"no answer within {seconds:g} s{self._complaint()}")
                for key, _ in ready:
                    self._take(selector, key.fileobj, request)
        line, _, self._read = self._read.partition(b"\n")
        return line

    def _take(self, selector: selectors.BaseSelector, stream: Any, request: str) -> None:
        """Take what has come on one of the child's streams."""
        assert self._process is not None
        chunk = os.read(stream.fileno(), _CHUNK_BYTES)
        if stream is not self._process.stdout:
            self._keep(chunk)
            if not chunk:
                selector.unregister(stream)
                stream.close()
        elif chunk:
            self._read += chunk
        else:
            raise AdapterDiedError(request, self._end())

    def _keep(self, chunk: bytes) -> None:
        """Keep what the child has written to standard error."""
        self._errors = (self._errors + chunk)[-_STDERR_KEPT_BYTES:]
        if self._log is not None:
            self._log.write(chunk)
            self._log.flush()

    def _end(self) -> str:
        """How the child ended, as text."""
        assert self._process is not None
        try:
            code = self._process.wait(_LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            return f"it closed its output and still runs{self._complaint()}"
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        return f"it ended {how}{self._complaint()}"

    def _complaint(self) -> str:
        """The last line that the child wrote to standard error, if any."""
        assert self._process is not None
        stream = self._process.stderr
        assert stream is not None
        if not stream.closed and self._process.poll() is not None:
            os.set_blocking(stream.fileno(), False)
            with contextlib.suppress(OSError):
                self._keep(os.read(stream.fileno(), _CHUNK_BYTES))
        lines = self._errors.decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"; its last words: {_cut(last)}" if last else ""

    def _kill(self) -> None:
        """End the child and its descendants."""
        assert self._process is not None
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()
        self._process = None
        self._read = b""
        self._errors = b""


def _shown(request: Mapping[str, object]) -> str:
    return msgspec.json.encode(request).decode()


def _cut(text: bytes | str) -> str:
    whole = text.decode(errors="replace") if isinstance(text, bytes) else text
    return repr(whole if len(whole) <= _SHOWN_CHARACTERS else whole[:_SHOWN_CHARACTERS] + "...")
