"""Hadoop's exceptions by the names of their Java classes, in which they cross the wire.

Not here: stack traces.

Source: facts W.1.7.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from genstamp_dfs import errors
from genstamp_dfs.errors import HdfsIOException

_PACKAGES: Final[Mapping[str, str]] = {
    "IOException": "java.io",
    "FileNotFoundException": "java.io",
    "EOFException": "java.io",
    "AssertionError": "java.lang",
    "IllegalArgumentException": "java.lang",
    "IllegalStateException": "java.lang",
    "UnsupportedOperationException": "java.lang",
    "ConnectException": "java.net",
    "SocketTimeoutException": "java.net",
    "HadoopIllegalArgumentException": "org.apache.hadoop",
    "FileAlreadyExistsException": "org.apache.hadoop.fs",
    "ParentNotDirectoryException": "org.apache.hadoop.fs",
    "PathIsNotEmptyDirectoryException": "org.apache.hadoop.fs",
    "InvalidPathException": "org.apache.hadoop.fs",
    "AccessControlException": "org.apache.hadoop.security",
    "SnapshotAccessControlException": "org.apache.hadoop.hdfs.protocol",
    "SnapshotException": "org.apache.hadoop.hdfs.protocol",
    "RetriableException": "org.apache.hadoop.ipc",
    "StandbyException": "org.apache.hadoop.ipc",
    "AlreadyBeingCreatedException": "org.apache.hadoop.hdfs.protocol",
    "RecoveryInProgressException": "org.apache.hadoop.hdfs.protocol",
    "UnregisteredNodeException": "org.apache.hadoop.hdfs.protocol",
    "PathComponentTooLongException": "org.apache.hadoop.hdfs.protocol.FSLimitException$",
    "MaxDirectoryItemsExceededException": "org.apache.hadoop.hdfs.protocol.FSLimitException$",
    "CannotObtainBlockLengthException": "org.apache.hadoop.hdfs",
    "BlockMissingException": "org.apache.hadoop.hdfs",
    "LeaseExpiredException": "org.apache.hadoop.hdfs.server.namenode",
    "NotReplicatedYetException": "org.apache.hadoop.hdfs.server.namenode",
    "SafeModeException": "org.apache.hadoop.hdfs.server.namenode",
    "DisallowedDatanodeException": "org.apache.hadoop.hdfs.server.protocol",
    "ReplicaNotFoundException": "org.apache.hadoop.hdfs.server.datanode",
    "ReplicaAlreadyExistsException": "org.apache.hadoop.hdfs.server.datanode",
}


def java_name(problem: HdfsIOException) -> str:
    """The Java class of an exception; one that Hadoop sends under no name of its own is an IOException.

    >>> java_name(errors.LeaseExpiredException("no"))
    'org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException'
    """
    name = problem.hadoop_name if problem.hadoop_name in _PACKAGES else "IOException"
    within = _PACKAGES[name]
    return f"{within}{name}" if within.endswith("$") else f"{within}.{name}"


def exception_of(java_class: str, message: str) -> HdfsIOException:
    """The exception that a Java class is here; an IOException that names the class if there is none.

    >>> type(exception_of("java.io.FileNotFoundException", "no")).__name__
    'FileNotFoundException'
    >>> str(exception_of("org.apache.hadoop.ipc.RpcNoSuchMethodException", "no"))
    'org.apache.hadoop.ipc.RpcNoSuchMethodException: no'
    """
    simple = java_class.rpartition(".")[2].rpartition("$")[2]
    kind = _KINDS.get(simple)
    if kind is None or simple == "IOException":
        return HdfsIOException(message if simple == "IOException" else f"{java_class}: {message}")
    return kind(message)


def _kinds(base: type[HdfsIOException]) -> Iterator[tuple[str, type[HdfsIOException]]]:
    yield base.hadoop_name, base
    for child in base.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from _kinds(child)


_KINDS: Final = dict(_kinds(HdfsIOException))
