"""The client of the Rust library hdfs-native, and its writer in a process of its own."""

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

import pytest
from hdfs_native import Client as HdfsNative
from hdfs_native import WriteOptions
from tests.impl.clients.clients import Client, RefusedError, Writer
from tests.impl.clients.operations import Operation

ROOT = Path(__file__).resolve().parents[3]
BLOCK = 1 << 20
REUSES_STAMPS = "it appends under the stamp that the block has, which a repaired datanode refuses (HDFS-17850)"


class NativeClient(Client):
    """hdfs-native from Python."""

    title = f"hdfs-native {version('hdfs-native')}"
    refusals = ("FileExistsError", "org.apache.hadoop.hdfs.protocol.RecoveryInProgressException")
    gives_up = True
    cannot = MappingProxyType(
        {
            Operation.CHECKSUM: "it has no such call",
            Operation.HFLUSH: "its reader leaves out a block that is being written; its writer's hsync works",
            Operation.APPEND: REUSES_STAMPS,
            Operation.TRUNCATE: "it has no such call",
            Operation.TAKEOVER: REUSES_STAMPS,
        }
    )

    def write(self, path: str, data: bytes, *, overwrites: bool = False) -> None:
        options = WriteOptions(block_size=BLOCK, create_parent=True, overwrite=overwrites)
        with self._client().create(path, options) as file:
            file.write(data)

    def read(self, path: str) -> bytes:
        return self._client().read(path).read()

    def append(self, path: str, data: bytes) -> None:
        try:
            with self._client().append(path) as file:
                file.write(data)
        except (OSError, RuntimeError) as problem:
            raise _refused(problem) from problem

    def names(self, directory: str) -> list[str]:
        return [Path(status.path).name for status in self._client().list_status(directory)]

    def rename(self, source: str, target: str) -> None:
        self._client().rename(source, target)

    def delete(self, path: str) -> None:
        assert self._client().delete(path, True)

    def recover_lease(self, path: str) -> bool:
        return self._client().recover_lease(path)

    def unknown_call(self) -> None:
        try:
            self._client().get_acl_status("/")
        except RuntimeError as problem:
            raise _refused(problem) from problem

    def writer(self, path: str) -> Writer:
        return NativeWriter(self.address, path)

    def show_lack(self, operation: Operation) -> None:
        if operation is Operation.HFLUSH:
            writer = self.writer("/open")
            writer.write(b"bytes")
            writer.flush()
            assert self._client().get_file_info("/open").length == len(b"bytes")
            assert self.read("/open") == b""
            writer.close()
            assert self.read("/open") == b"bytes"
        if operation is Operation.APPEND:
            self.write("/append", b"bytes")
            # Each close of it waits a quarter of a minute for a block that no datanode takes: one is enough.
            file = self._client().append("/append")
            with pytest.raises(RuntimeError, match="DataTransferError"):
                file.write(b"more")
                file.hsync()
            assert self._client().get_file_info("/append").length == len(b"bytes")

    def _client(self) -> HdfsNative:
        """One of its own for each call, so that another holder asks each time."""
        return HdfsNative(self.address)


def _refused(problem: Exception) -> RefusedError:
    """It names the Java class of what it has no exception of Python's for."""
    text = str(problem)
    is_named = text.startswith("RPCError")
    return RefusedError(text.split('"')[1] if is_named else type(problem).__name__, text)


class NativeWriter(Writer):
    """The other end of `main`."""

    def __init__(self, address: str, path: str) -> None:
        command = [sys.executable, "-m", "tests.impl.clients.native", address, path]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment(), text=True
        )
        self._answered()

    def write(self, data: bytes) -> None:
        self._ask({"write": data.hex()})

    def flush(self) -> None:
        self._ask({"flush": True})

    def close(self) -> None:
        self._ask({"close": True})
        self._end()

    def kill(self) -> None:
        self._process.kill()
        self._end()

    def _ask(self, order: dict[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        self._answered()

    def _answered(self) -> None:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        assert answer == "done\n", answer

    def _end(self) -> None:
        self._process.communicate()


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def main(address: str, path: str) -> None:
    """Create a file, and do with it what each line of standard input says."""
    file = HdfsNative(address).create(path, WriteOptions(block_size=BLOCK, create_parent=True))
    print("done", flush=True)
    for line in sys.stdin:
        match json.loads(line):
            case {"write": data}:
                file.write(bytes.fromhex(data))
            case {"flush": _}:
                file.hsync()
            case _:
                file.close()
        print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
