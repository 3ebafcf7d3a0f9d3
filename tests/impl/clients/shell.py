"""Hadoop's shell; its writer, a process of its own, puts what comes on its standard input."""

import subprocess
from pathlib import Path
from types import MappingProxyType

from tests.impl.clients.clients import Client, RefusedError, Writer
from tests.impl.clients.jvm import VERSION, Jvm, class_path, java_command, write_configuration
from tests.impl.clients.operations import Operation
from tests.impl.server.processes import LIMIT_S, Processes

SHELL = "org.apache.hadoop.fs.FsShell"


class ShellClient(Client):
    """`org.apache.hadoop.fs.FsShell`."""

    title = f"Hadoop FsShell {VERSION}"
    refusals = ("this file lease is currently owned by", "in progress")
    cannot = MappingProxyType(
        {
            Operation.HFLUSH: "it has no command for it",
            Operation.RECOVER: "it has no command for it",
        }
    )

    def __init__(self, processes: Processes, directory: Path) -> None:
        super().__init__(processes, directory)
        self._classes = class_path(write_configuration(directory / "configuration", self.address))
        self._jvm = Jvm(self._classes)
        self._local = directory / "local"

    def write(self, path: str, data: bytes, *, overwrites: bool = False) -> None:
        self._local.write_bytes(data)
        self._run("-mkdir", "-p", path.rpartition("/")[0] or "/")
        self._run("-put", *(["-f"] if overwrites else []), str(self._local), path)

    def read(self, path: str) -> bytes:
        return self._run("-cat", path)

    def append(self, path: str, data: bytes) -> None:
        self._local.write_bytes(data)
        self._run("-appendToFile", str(self._local), path)

    def checksum(self, path: str) -> str:
        # After the name and the algorithm; the digits begin with the sizes of chunks and blocks.
        return self._run("-checksum", path).decode().split()[2][-32:]

    def truncate(self, path: str, length: int) -> None:
        self._run("-truncate", "-w", str(length), path)

    def names(self, directory: str) -> list[str]:
        return self._run("-ls", "-C", directory).decode().replace(f"{directory.rstrip('/')}/", "").split()

    def rename(self, source: str, target: str) -> None:
        self._run("-mv", source, target)

    def delete(self, path: str) -> None:
        self._run("-rm", "-r", path)

    def unknown_call(self) -> None:
        self._run("-createSnapshot", "/")

    def writer(self, path: str) -> Writer:
        return ShellWriter(java_command(self._classes, SHELL, "-put", "-d", "-", path))

    def close(self) -> None:
        self._jvm.close()

    def _run(self, *arguments: str) -> bytes:
        done = self._jvm.run(SHELL, *arguments)
        if done.returncode:
            raise RefusedError("", done.stderr.decode(errors="replace"))
        return done.stdout


class ShellWriter(Writer):
    """A shell that reads its standard input."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)

    def write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def close(self) -> None:
        _, err = self._process.communicate(timeout=LIMIT_S)
        assert self._process.returncode == 0, err

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()
