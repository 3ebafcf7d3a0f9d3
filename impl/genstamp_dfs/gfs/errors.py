"""What the protocol of GFS refuses. The paper names no exceptions; these names are ours.

That a node does not answer is `genstamp_dfs.errors.NETWORK_FAILURES`, as in HDFS.
"""

# The names say what is so, as those of HDFS do; a suffix would add nothing.

from typing import ClassVar

from genstamp_dfs.errors import Refusal


class GfsRefusal(Refusal):
    """The protocol refuses; `name` is what events carry in `refused_with`."""

    name: ClassVar[str] = "GfsRefusal"

    def __init_subclass__(cls) -> None:
        cls.name = cls.__name__


class PathNotFound(GfsRefusal):
    """No file or directory has this path."""


class PathExists(GfsRefusal):
    """The path is taken."""


class NotADirectory(GfsRefusal):
    """A file stands where a directory would have to be."""


class IsADirectory(GfsRefusal):
    """A directory stands where a file would have to be."""


class DirectoryNotEmpty(GfsRefusal):
    """Something is left in the directory."""


class InvalidPath(GfsRefusal):
    """The text is no path: not absolute, with empty names, or with those that hidden files have."""


class ChunkNotFound(GfsRefusal):
    """The file has no chunk of this index, or nobody knows the handle."""


class NoReplica(GfsRefusal):
    """No chunkserver that can be reached has a current replica of the chunk; the same call may succeed later."""


class LeaseUnavailable(GfsRefusal):
    """No lease can be granted now, as an older one may not be over; the same call may succeed later."""


class NotPrimary(GfsRefusal):
    """The chunkserver holds no lease of the chunk, or not under this version: the client has to ask the master."""


class StaleVersion(GfsRefusal):
    """The replica has another version than was asked for."""


class DataNotFound(GfsRefusal):
    """The pushed data is not in the buffer (any more): it has to be pushed again."""


class MutationFailed(GfsRefusal):
    """Some replica did not do it: the region is inconsistent until the client has tried again (section 3.1, step 7)."""


class OutOfOrder(GfsRefusal):
    """The mutation comes after a later one of the primary's order: it will not be done."""


class CorruptReplica(GfsRefusal):
    """What stands on the disk does not match its checksum (section 5.2); read another replica."""


class NoRoom(GfsRefusal):
    """The chunkserver's disk is full: nothing was changed; another one may have room."""


class RecordTooLarge(GfsRefusal):
    """The record has more bytes than a quarter of a chunk."""


class OutOfRange(GfsRefusal):
    """The bytes asked for, or to be written, do not lie in a chunk."""


class ChunkserverUnknown(GfsRefusal):
    """The master does not know the chunkserver (any more): it has to register, with all its replicas."""


class MasterStarting(GfsRefusal):
    """The master replays its log; the same call may succeed later."""


class ReadOnlyMaster(GfsRefusal):
    """A shadow master answers reads only: this is to be asked of the master."""
