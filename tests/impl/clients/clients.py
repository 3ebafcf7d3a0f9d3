"""Third-party clients, each with what it has of a small set of calls.

A client tells by `cannot` which operations it has no way to ask for. What it writes with `writer` goes
through a process of its own, which can be killed.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tests.impl.clients.operations import Operation
from tests.impl.server.processes import Processes


class RefusedError(Exception):
    """The cluster refuses; `java_class` is the name under which the client knows the refusal, as far as it tells."""

    def __init__(self, java_class: str, message: str) -> None:
        self.java_class = java_class
        super().__init__(f"{java_class}: {message}")


class Writer(ABC):
    """A file that another process has open."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Hand bytes over."""

    def flush(self) -> None:  # noqa: B027
        """Return when all readers can see what was written; a writer that has no such call does nothing."""

    @abstractmethod
    def close(self) -> None:
        """Close the file, and end the process."""

    @abstractmethod
    def kill(self) -> None:
        """kill -9 of the process."""


class Client(ABC):
    """One client.

    Attributes:
        title: what it is called in the table.
        refusals: how it tells of AlreadyBeingCreatedException and of RecoveryInProgressException.
        gives_up: whether it fails where a node is away for a moment, so that a test has to wait for the node first.
        cannot: operations that it has no call for, and why.
    """

    title: str
    refusals: tuple[str, str]
    gives_up: bool = False
    cannot: Mapping[Operation, str] = MappingProxyType({})

    def __init__(self, processes: Processes, directory: Path) -> None:
        self.processes = processes
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)

    @property
    def address(self) -> str:
        """Of the namenode."""
        return f"hdfs://{self.processes.environment['GENSTAMP_NAMENODE']}/"

    @abstractmethod
    def write(self, path: str, data: bytes, *, overwrites: bool = False) -> None:
        """Create a file, and directories above it."""

    @abstractmethod
    def read(self, path: str) -> bytes:
        """All bytes of a file that a reader can see now."""

    @abstractmethod
    def append(self, path: str, data: bytes) -> None:
        """Put bytes at the end; raises `RefusedError`."""

    @abstractmethod
    def names(self, directory: str) -> list[str]:
        """What is in a directory, in order."""

    @abstractmethod
    def rename(self, source: str, target: str) -> None:
        """Give a file another name."""

    @abstractmethod
    def delete(self, path: str) -> None:
        """Remove a file, or a directory with all below it."""

    def checksum(self, path: str) -> str:
        """The checksum of a file in hexadecimal digits."""
        raise NotImplementedError

    def truncate(self, path: str, length: int) -> None:
        """Cut a file, and wait until it is cut."""
        raise NotImplementedError

    def recover_lease(self, path: str) -> bool:
        """Take a file from its writer; whether it is closed now."""
        raise NotImplementedError

    def unknown_call(self) -> None:
        """Ask for something that the servers do not have; raises `RefusedError`."""
        raise NotImplementedError

    def writer(self, path: str) -> Writer:
        """Create a file in another process."""
        raise NotImplementedError

    def show_lack(self, operation: Operation) -> None:  # noqa: B027
        """Assert what the client does in place of an operation that it lacks, where that can be seen."""

    def close(self) -> None:  # noqa: B027
        """End what belongs to it; most have nothing."""
