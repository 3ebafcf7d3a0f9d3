"""Hadoop's FileSystem from Java, and its writer in a virtual machine of its own."""

from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from tests.impl.clients.clients import Client, RefusedError, Writer
from tests.impl.clients.jvm import VERSION, Jvm, class_path, write_configuration
from tests.impl.server.processes import Processes, until


class FileSystemClient(Client):
    """`org.apache.hadoop.hdfs.DistributedFileSystem`."""

    title = f"Hadoop FileSystem {VERSION}"
    refusals = (
        "org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException",
        "org.apache.hadoop.hdfs.protocol.RecoveryInProgressException",
    )

    def __init__(self, processes: Processes, directory: Path) -> None:
        super().__init__(processes, directory)
        self._classes = class_path(write_configuration(directory / "configuration", self.address))
        self._jvm = Jvm(self._classes)
        self._local = directory / "local"

    def write(self, path: str, data: bytes, *, overwrites: bool = False) -> None:
        self._local.write_bytes(data)
        source = self._jvm.classes.java.io.FileInputStream(str(self._local))
        self._jvm.copy(source, self._jvm.files.create(self._jvm.path(path), overwrites))

    def read(self, path: str) -> bytes:
        target = self._jvm.classes.java.io.FileOutputStream(str(self._local))
        self._jvm.copy(self._jvm.files.open(self._jvm.path(path)), target)
        return self._local.read_bytes()

    def append(self, path: str, data: bytes) -> None:
        """By a client of its own, so that another holder asks each time."""
        hadoop = self._jvm.classes.org.apache.hadoop
        files = hadoop.fs.FileSystem.newInstance(hadoop.conf.Configuration())
        try:
            stream = files.append(self._jvm.path(path))
            stream.write(data)
            stream.close()
        except Py4JJavaError as problem:
            raise self._refused(problem) from problem
        finally:
            files.close()

    def checksum(self, path: str) -> str:
        return str(self._jvm.files.getFileChecksum(self._jvm.path(path)).toString()).rpartition(":")[2]

    def truncate(self, path: str, length: int) -> None:
        if not self._jvm.files.truncate(self._jvm.path(path), length):
            until(lambda: self._jvm.files.isFileClosed(self._jvm.path(path)))

    def names(self, directory: str) -> list[str]:
        return [status.getPath().getName() for status in self._jvm.files.listStatus(self._jvm.path(directory))]

    def rename(self, source: str, target: str) -> None:
        assert self._jvm.files.rename(self._jvm.path(source), self._jvm.path(target))

    def delete(self, path: str) -> None:
        assert self._jvm.files.delete(self._jvm.path(path), True)

    def recover_lease(self, path: str) -> bool:
        return bool(self._jvm.files.recoverLease(self._jvm.path(path)))

    def unknown_call(self) -> None:
        try:
            self._jvm.files.getAclStatus(self._jvm.path("/"))
        except Py4JJavaError as problem:
            raise self._refused(problem) from problem

    def writer(self, path: str) -> Writer:
        return FileSystemWriter(self._classes, path)

    def close(self) -> None:
        self._jvm.close()

    def _refused(self, problem: Py4JJavaError) -> RefusedError:
        """Java makes an exception of the name on the wire where it has the class; it lacks those of servers."""
        exception: Any = problem.java_exception
        is_remote = exception.getClass().getSimpleName() == "RemoteException"
        java_class = exception.getClassName() if is_remote else exception.getClass().getName()
        unwrapped = exception.unwrapRemoteException().getClass().getName() if is_remote else java_class
        assert unwrapped in (java_class, "org.apache.hadoop.ipc.RemoteException")
        return RefusedError(java_class, exception.getMessage())


class FileSystemWriter(Writer):
    """A file that a virtual machine has open."""

    def __init__(self, classes: str, path: str) -> None:
        self._jvm = Jvm(classes)
        self._stream: Any = self._jvm.files.create(self._jvm.path(path), False)

    def write(self, data: bytes) -> None:
        self._stream.write(data)

    def flush(self) -> None:
        self._stream.hflush()

    def close(self) -> None:
        self._stream.close()
        self._jvm.close()

    def kill(self) -> None:
        self._jvm.kill()
