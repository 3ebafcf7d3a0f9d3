"""What can go wrong: mistakes of our caller, and refusals of the protocol under Hadoop's own names.

Two families that never mix:

- `GenstampDfsError`: the caller of this package made a mistake (an unknown node, a wrong argument), or asked
  for a step that cannot happen now. Nothing has changed.
- `Refusal`: the protocol says no. The children of `HdfsIOException` are named and nested as in Hadoop, where each of
  them is an `IOException`; `hadoop_name` is Hadoop's simple class name, which events carry in `refused_with`. That a
  node does not answer goes by Hadoop's names in every file system. Those of GFS are in `genstamp_dfs.gfs.errors`.

Not here: Hadoop's exceptions for permissions, quotas and high availability.
"""

# Hadoop's words end in "Exception" and users search for them, so the Error suffix does not apply here.
# ruff: noqa: N818

from collections.abc import Iterable
from typing import ClassVar


class GenstampDfsError(Exception):
    """Base of every mistake that a caller of this package can make."""


class UnknownNameError(GenstampDfsError):
    """A client, datanode, file or event was named that this run does not have; use one of `known`."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        super().__init__(f"unknown {kind} {name!r}, accepted: {', '.join(self.known) or 'none'}")


class WrongArgumentsError(GenstampDfsError):
    """An event was called with other arguments than the vocabulary gives it; pass exactly `wanted`."""

    def __init__(self, event: str, given: Iterable[str], wanted: Iterable[str]) -> None:
        self.event = event
        self.given = tuple(given)
        self.wanted = tuple(wanted)
        super().__init__(
            f"event {event!r} was given the arguments ({', '.join(self.given)}), accepted: ({', '.join(self.wanted)})"
        )


class ConfigurationError(GenstampDfsError):
    """A run was configured with values that make no run; the message names the value and the accepted range."""


class MalformedEventError(GenstampDfsError):
    """A line is not an event of the common schema; the message says which field."""


class AdapterRequestError(GenstampDfsError):
    """A request does not follow the adapter protocol; the message says what would."""


class StepNotPossibleError(GenstampDfsError):
    """The step cannot happen now (a node is down, a writer is stopped, nothing waits to be delivered).

    This is not a refusal: no node was asked, and nothing has changed. `why` is the reason in one sentence.
    """

    def __init__(self, event: str, why: str) -> None:
        self.event = event
        self.why = why
        super().__init__(f"{event} is not possible now: {why}")


class DiskError(GenstampDfsError):
    """A disk did not do what it was asked for; the message names the path and the reason."""


class DiskFullError(DiskError):
    """A disk has no room for what was to be written; some of its first bytes may have been."""


class DiskFailedError(DiskError):
    """A disk has failed: what was written to it and not forced before may be lost, although it can still be read.

    A sync that fails is one of these, for whatever reason, full disks included. The kernel counts the bytes as clean
    from then on, so the next sync of the same file would succeed and say nothing about them.
    """


class StorageError(GenstampDfsError):
    """A storage directory is foreign, newer, corrupt or another cluster's; it was left as it was."""


class Refusal(Exception):
    """The protocol of one of our file systems refuses, or another node does not answer."""


class HdfsIOException(Refusal):
    """The protocol refuses (Hadoop's `IOException`, parent of all its refusals)."""

    hadoop_name: ClassVar[str] = "IOException"


class FileNotFoundException(HdfsIOException):
    """No file has this path."""

    hadoop_name = "FileNotFoundException"


class FileAlreadyExistsException(HdfsIOException):
    """The path is taken by a closed file."""

    hadoop_name = "FileAlreadyExistsException"


class AlreadyBeingCreatedException(HdfsIOException):
    """The file is under construction by a holder whose lease has not passed the soft limit."""

    hadoop_name = "AlreadyBeingCreatedException"


class RecoveryInProgressException(HdfsIOException):
    """A recovery of the file's last block, or a younger one of the replica, is running."""

    hadoop_name = "RecoveryInProgressException"


class LeaseExpiredException(HdfsIOException):
    """The caller does not (any longer) hold the file, or the file is not under construction."""

    hadoop_name = "LeaseExpiredException"


class ReplicaAlreadyExistsException(HdfsIOException):
    """The datanode already stores a replica of this block."""

    hadoop_name = "ReplicaAlreadyExistsException"


class ReplicaNotFoundException(HdfsIOException):
    """The datanode stores no replica of this block in the wanted generation."""

    hadoop_name = "ReplicaNotFoundException"


class IllegalArgumentException(HdfsIOException):
    """An argument makes no sense to Java's own checks; or a TEMPORARY replica cannot be recovered.

    A runtime exception in Java; the caller meets it as a failed call, hence the parent.
    """

    hadoop_name = "IllegalArgumentException"


class SafeModeException(HdfsIOException):
    """The namenode is in safe mode."""

    hadoop_name = "SafeModeException"


class ConnectException(HdfsIOException):
    """The node cannot be reached."""

    hadoop_name = "ConnectException"


class SocketTimeoutException(HdfsIOException):
    """No answer came in time; what was asked for may have been done."""

    hadoop_name = "SocketTimeoutException"


class EOFException(HdfsIOException):
    """The connection is broken, or the other end has closed it."""

    hadoop_name = "EOFException"


NETWORK_FAILURES = (ConnectException, SocketTimeoutException, EOFException)
"""That another node does not answer, in whatever way."""


class RetriableException(HdfsIOException):
    """Not now; the same call may succeed later."""

    hadoop_name = "RetriableException"


class NotReplicatedYetException(HdfsIOException):
    """The block before the last is not COMPLETE yet."""

    hadoop_name = "NotReplicatedYetException"


class StandbyException(HdfsIOException):
    """The namenode is not active."""

    hadoop_name = "StandbyException"


class ParentNotDirectoryException(HdfsIOException):
    """What should be a directory on the way to the path is a file."""

    hadoop_name = "ParentNotDirectoryException"


class PathIsNotEmptyDirectoryException(HdfsIOException):
    """The directory has entries, and the call was not a recursive one."""

    hadoop_name = "PathIsNotEmptyDirectoryException"


class InvalidPathException(HdfsIOException):
    """The text is no path: not absolute, or with names that no file may have."""

    hadoop_name = "InvalidPathException"


class AccessControlException(HdfsIOException):
    """The caller may not do this."""

    hadoop_name = "AccessControlException"


class SnapshotAccessControlException(AccessControlException):
    """What is in a snapshot cannot be changed."""

    hadoop_name = "SnapshotAccessControlException"


class SnapshotException(HdfsIOException):
    """The directory can have no snapshots."""

    hadoop_name = "SnapshotException"


class HadoopIllegalArgumentException(HdfsIOException):
    """An argument of the call makes no sense."""

    hadoop_name = "HadoopIllegalArgumentException"


class UnsupportedOperationException(HdfsIOException):
    """The operation is turned off, or not for this kind of file."""

    hadoop_name = "UnsupportedOperationException"


class DisallowedDatanodeException(HdfsIOException):
    """A datanode that belongs to another cluster, or that is not allowed, wants to register."""

    hadoop_name = "DisallowedDatanodeException"


class JavaAssertionError(HdfsIOException):
    """A path does not begin with a slash. An error in Java; the caller meets it as a failed call, hence the parent."""

    hadoop_name = "AssertionError"


class IllegalStateException(HdfsIOException):
    """A file is to be closed whose blocks are not all COMPLETE. A runtime exception in Java, hence the parent."""

    hadoop_name = "IllegalStateException"


class PathComponentTooLongException(HdfsIOException):
    """A name in the path has more bytes than a name may have."""

    hadoop_name = "PathComponentTooLongException"


class MaxDirectoryItemsExceededException(HdfsIOException):
    """The directory has as many entries as a directory may have."""

    hadoop_name = "MaxDirectoryItemsExceededException"


class UnregisteredNodeException(HdfsIOException):
    """The namenode does not know the datanode, or knows it elsewhere."""

    hadoop_name = "UnregisteredNodeException"


class CannotObtainBlockLengthException(HdfsIOException):
    """No datanode could say how long the last block of an open file is."""

    hadoop_name = "CannotObtainBlockLengthException"


class BlockMissingException(HdfsIOException):
    """No datanode could give the bytes of a block."""

    hadoop_name = "BlockMissingException"
