"""What clients and chunkservers ask the master.

Not here: what shadow masters ask (they read the log), and administration.
"""

import msgspec

from genstamp_dfs.gfs.protocol import ChunkLease, FileInfo, FoundChunk, ReplicaReport
from genstamp_dfs.world.request import Request

# -- the namespace (sections 2.6.1 and 4.1) -------------------------------------------------------------------------


class Create(Request[None], frozen=True):
    """Make an empty file, in a directory that exists.

    Refused with PathExists, PathNotFound, NotADirectory, InvalidPath.
    """

    path: str


class MakeDirectory(Request[None], frozen=True):
    """Make a directory in one that exists. Refused as Create."""

    path: str


class Delete(Request[str], frozen=True):
    """Delete a file or an empty directory; a file stays under the hidden name that is the answer (section 4.4).

    Refused with PathNotFound, DirectoryNotEmpty, InvalidPath.
    """

    path: str


class Undelete(Request[None], frozen=True):
    """Give a hidden file its old name back, or the one given. Refused with PathNotFound, PathExists."""

    hidden: str
    path: str = ""


class Rename(Request[None], frozen=True):
    """Give a file or directory another name. Refused with PathNotFound, PathExists, NotADirectory, InvalidPath."""

    source: str
    target: str


class Snapshot(Request[None], frozen=True):
    """Copy a file or directory at once (section 3.4); waits until no lease on its chunks is left.

    Refused with PathNotFound, PathExists, NotADirectory, InvalidPath.
    """

    source: str
    target: str


class List(Request[tuple[FileInfo, ...]], frozen=True):
    """What is in a directory, by name; with `hidden`, deleted files as well. Refused with PathNotFound."""

    path: str
    hidden: bool = False


class GetFileInfo(Request[FileInfo], frozen=True):
    """What a path is. Refused with PathNotFound."""

    path: str


# -- chunks (sections 3.1 and 4.5) ----------------------------------------------------------------------------------


class FindChunk(Request[FoundChunk], frozen=True):
    """Where to read a chunk of a file, and the chunks that follow it (section 2.4).

    Attributes:
        path, index: which chunk.
        following: of how many chunks after it the client wants to know as well; the master may tell of fewer.

    Refused with PathNotFound, IsADirectory, ChunkNotFound.
    """

    path: str
    index: int
    following: int = 0


class FindLease(Request[ChunkLease], frozen=True):
    """Who is the primary of a chunk; a lease is granted if nobody holds one.

    A chunk of the index that follows the last one is made. A chunk that several files share is copied first.

    Attributes:
        path, index: which chunk.
        unreachable: chunkservers that the client could not reach; only a hint, of whom the master may ask.

    Refused with PathNotFound, IsADirectory, ChunkNotFound, NoReplica, LeaseUnavailable.
    """

    path: str
    index: int
    unreachable: tuple[str, ...] = ()


# -- chunkservers (sections 2.6.2, 3.1, 4.4 and 4.5) ------------------------------------------------------------------


class Registered(msgspec.Struct, frozen=True):
    """The master knows the chunkserver from now on; these of its replicas are garbage, as in HeartbeatReply."""

    garbage: tuple[tuple[int, int], ...]


class Register(Request[Registered], frozen=True):
    """A chunkserver has started, or was told that it is unknown; it holds no lease and says all that it has.

    Attributes:
        chunkserver: its name.
        rack: where it stands; replicas are spread over racks.
        free_bytes: how much room its disk has.
        replicas: all its replicas whose checksums it has no reason to doubt.
    """

    chunkserver: str
    rack: str
    free_bytes: int
    replicas: tuple[ReplicaReport, ...]


class HeartbeatReply(msgspec.Struct, frozen=True):
    """What the master answers to a heartbeat.

    Attributes:
        extended: handles of the leases that go on for a whole lease time, counted from when the heartbeat was sent.
        garbage: (handle, version) of replicas that belong to no file, or are stale or corrupt: the chunkserver may
            delete them unless their version is higher by now, as this may answer an old heartbeat.
    """

    extended: tuple[int, ...]
    garbage: tuple[tuple[int, int], ...]


class Heartbeat(Request[HeartbeatReply], frozen=True):
    """A chunkserver lives.

    Attributes:
        chunkserver: its name.
        free_bytes: how much room its disk has.
        extend: (handle, version) of leases that it believes in and of whose chunks there are mutations (section 3.1).
        replicas: a part of its replicas, in turn (section 4.4).
        corrupt: (handle, version) of all replicas that do not match their checksums; they are not read any more.

    Refused with ChunkserverUnknown.
    """

    chunkserver: str
    free_bytes: int
    extend: tuple[tuple[int, int], ...]
    replicas: tuple[ReplicaReport, ...]
    corrupt: tuple[tuple[int, int], ...]
