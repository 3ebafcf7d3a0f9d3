"""Errors that a caller of `genstamp` can cause; our own bugs are assertions, a protocol's refusals are values."""

from pathlib import Path
from typing import ClassVar


class GenstampError(Exception):
    """Base of every error that `genstamp` raises on purpose; its text is one sentence for the user."""


class SettingError(GenstampError):
    """An environment variable has a value that is not understood.

    Attributes:
        variable: its name.
        value: what it was set to.
    """

    def __init__(self, variable: str, value: str, accepted: str) -> None:
        super().__init__(f"environment variable {variable} is {value!r}; expected {accepted}")
        self.variable = variable
        self.value = value


class DrawingError(GenstampError):
    """A layout engine refused a graph.

    Attributes:
        engine: "dot" or "wheel".
        reason: what the engine said.
    """

    def __init__(self, engine: str, reason: str) -> None:
        super().__init__(f"layout engine {engine!r} refused the graph: {reason}")
        self.engine = engine
        self.reason = reason


class MembersError(GenstampError):
    """The members named for a run do not fit the model's index sets.

    Attributes:
        index_set: the set at fault.
    """

    def __init__(self, index_set: str, problem: str) -> None:
        super().__init__(f"members of {index_set}: {problem}")
        self.index_set = index_set


class AdapterError(GenstampError):
    """An implementation cannot be driven: it did not start, died, kept silent, or broke the adapter protocol.

    Attributes:
        request: the request that was not answered as the protocol says, as one line of text.
        problem: what happened instead.
        story: the run that led there, if it was a test.
        run: the same run as lines of the adapter protocol.
    """

    story: tuple[str, ...] = ()
    run: tuple[str, ...] = ()

    def __init__(self, request: str, problem: str) -> None:
        super().__init__(f"the adapter did not answer {request}: {problem}")
        self.request = request
        self.problem = problem


class AdapterStartError(AdapterError):
    """The implementation could not be started."""


class AdapterCommandError(AdapterStartError):
    """There is no such program, or it may not be run.

    Attributes:
        command: as it was given.
    """

    def __init__(self, command: str, problem: str) -> None:
        super().__init__("start", f"command {command!r} cannot be run: {problem}")
        self.command = command

    def __str__(self) -> str:
        return self.problem


class AdapterDiedError(AdapterError):
    """The implementation ended, or closed its output, before it answered; one in this process, by its own error."""


class AdapterSilentError(AdapterError):
    """No answer came in time."""


class AdapterGarbageError(AdapterError):
    """The adapter's output is not an answer of the protocol."""


class AdapterRefusedError(AdapterError):
    """The adapter says that it does not understand the request."""


class FileError(GenstampError):
    """A file of ours cannot be read or written.

    Attributes:
        path: of the file.
        reason: what is wrong with it.
    """

    advice: ClassVar[str] = ""
    """Advice that follows the reason."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__("; ".join(filter(None, [f"{path}: {reason}", self.advice])))
        self.path = path
        self.reason = reason


class StandardInputError(GenstampError):
    """Standard input is named, and is closed."""

    def __init__(self) -> None:
        super().__init__("standard input is closed; name a file, or give input")


class RunFileError(FileError):
    """A run of an implementation cannot be read or written, or the file is not a run."""


class TraceFileError(FileError):
    """A trace cannot be read or written, or does not name its system."""


class DrivingError(GenstampError):
    """A system cannot be driven: it has no declaration of how its events are requested.

    Attributes:
        system: its name.
    """

    def __init__(self, system: str, known: list[str]) -> None:
        super().__init__(f"{system} cannot be checked against an implementation; these can: {', '.join(known)}")
        self.system = system


class PeerError(GenstampError):
    """Another checker failed on an exported model; this says nothing about the model.

    Attributes:
        peer: its name.
        told: its output.
    """

    def __init__(self, peer: str, told: str) -> None:
        last = [line for line in told.splitlines() if line.strip() and not line.startswith("@!@!@")][-12:]
        super().__init__(f"{peer} failed on the exported model: {' / '.join(last)}")
        self.peer = peer
        self.told = told


class LockError(GenstampError):
    """A lock file cannot be read.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"lock {path}: {problem}")
        self.path = path


class SparkFailedError(GenstampError):
    """Spark itself failed: it did not start, a worker died, or it cannot write; not a finding about the logs."""

    def __init__(self, problem: Exception) -> None:
        super().__init__(f"the check failed: {problem}")


class RunDirectoryError(GenstampError):
    """A directory for the results of a run cannot be had.

    Attributes:
        path: the directory.
    """

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"run directory {path}: {problem}")
        self.path = path
