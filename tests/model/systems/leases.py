"""Leases on files, as a namenode keeps them: the system whose safety is proved for any number of clients and files.

Much coarser than `hdfs.recovery`: a file has no blocks, and its recovery no datanodes. A lease is a set of files; a
client that writes shows the stamp that it was given, and the namenode compares it with the file's.
"""

import enum

from genstamp_model.language import *


class Holder(Index, unnamed="Client"):
    """Whoever may hold a lease."""

    NAMENODE = named()


class Client(Holder):
    """A client."""


class File(Index, symmetric=True):
    """A file."""


class FileState(enum.Enum):
    """What the namenode knows of a file."""

    CLOSED = enum.auto()
    UNDER_CONSTRUCTION = enum.auto()
    UNDER_RECOVERY = enum.auto()


class Leases(Part):
    """A namenode and its clients."""

    file = per(File, enumeration(FileState))
    covered = per(Holder, members(File))
    expired = members(Client)
    stamp = per(File, ordered(limit="stamps"))
    last_stamp = ordered(limit="stamps")
    stream = per(Client, per(File, ordered(limit="stamps")))
    length = per(File, number(limit="bytes"))

    def _may_write(s, client: Client, file: File) -> Bool:
        """Whether the namenode takes what this client writes now."""
        return (
            s.file[file].at(FileState.UNDER_CONSTRUCTION)
            & (s.stream[client][file] > 0)
            & (s.stream[client][file] == s.stamp[file])
        )

    def _draw_stamp(s, file: File) -> None:
        s.last_stamp = s.last_stamp + 1
        s.stamp[file] = s.last_stamp

    @action
    def create(s, client: Client, file: File) -> None:
        """A client opens a file that nobody writes, and gets a lease on it, or one file more on the lease it has."""
        require(s.file[file].at(FileState.CLOSED), "the file is closed", refuses="AlreadyBeingCreatedException")
        s._draw_stamp(file)
        s.file[file] = FileState.UNDER_CONSTRUCTION
        s.covered[client].add(file)
        s.stream[client][file] = s.stamp[file]
        s.expired.remove(client)

    @action
    def renew(s, client: Client) -> None:
        """A client says that it is alive."""
        s.expired.remove(client)

    @action(hidden=True)
    def lease_expires(s, client: Client) -> None:
        """Time passes."""
        require(exists(File, lambda file: s.covered[client].has(file)), "the client holds a lease")
        s.expired.add(client)

    @action
    def write(s, client: Client, file: File) -> None:
        """A client writes; whether it still holds the lease, only its stamp tells."""
        require(s.stream[client][file] > 0, "the client has the file open")
        require(s._may_write(client, file), "the stamp is the file's", refuses="LeaseExpiredException")
        s.length[file] = s.length[file] + 1

    @action
    def close(s, client: Client, file: File) -> None:
        """A client closes a file."""
        require(s.stream[client][file] > 0, "the client has the file open")
        require(s._may_write(client, file), "the stamp is the file's", refuses="LeaseExpiredException")
        s.file[file] = FileState.CLOSED
        s.covered[client].remove(file)
        s.stream[client][file] = 0

    @action
    def crash(s, client: Client) -> None:
        """A client forgets what it has open; its lease stays."""
        s.stream[client].update(lambda file: 0)

    @action
    def recover(s, client: Client, file: File) -> None:
        """The namenode takes a file from an expired lease over to its own, under a new stamp."""
        require(s.expired.has(client), "the lease has expired")
        require(s.covered[client].has(file), "the file is on the lease")
        s._take_over(client, file)
        s.covered[Holder.NAMENODE].add(file)
        s.file[file] = FileState.UNDER_RECOVERY
        s._draw_stamp(file)

    def _take_over(s, client: Client, file: File) -> None:
        s.covered[client].remove(file)

    @action
    def finish_recovery(s, file: File) -> None:
        """The namenode closes a recovered file."""
        require(s.file[file].at(FileState.UNDER_RECOVERY), "the file is under recovery")
        s.file[file] = FileState.CLOSED
        s.covered[Holder.NAMENODE].remove(file)

    @invariant(inductive=True, given=("recovered_files_are_the_namenodes", "writer_is_covered"))
    def open_files_are_on_one_lease(s, file: File) -> Bool:
        """Every file that is not closed belongs to exactly one lease, and a closed one to none."""
        leases = count(Holder, lambda holder: s.covered[holder].has(file))
        closed = s.file[file].at(FileState.CLOSED)
        return (closed & (leases == 0)) | (~closed & (leases == 1))

    @invariant(inductive=True, given=("open_files_are_on_one_lease",))
    def recovered_files_are_the_namenodes(s, file: File) -> Bool:
        """The namenode's own lease has the files that are under recovery, and no others."""
        return s.covered[Holder.NAMENODE].has(file) == s.file[file].at(FileState.UNDER_RECOVERY)

    @invariant(inductive=True)
    def stamps_were_drawn(s, file: File) -> Bool:
        """No file has a stamp that was not drawn."""
        return s.stamp[file] <= s.last_stamp

    @invariant(inductive=True, given=("stamps_were_drawn",))
    def streams_are_no_newer_than_the_file(s, client: Client, file: File) -> Bool:
        """Nobody writes with a stamp that its file has not had."""
        return s.stream[client][file] <= s.stamp[file]

    @invariant(inductive=True, given=("streams_are_no_newer_than_the_file", "stamps_were_drawn"))
    def writer_is_covered(s, client: Client, file: File) -> Bool:
        """Whoever may write a file holds the lease that it is on."""
        return s._may_write(client, file).implies(s.covered[client].has(file))

    @invariant(
        inductive=True,
        given=(
            "writer_is_covered",
            "open_files_are_on_one_lease",
            "streams_are_no_newer_than_the_file",
            "stamps_were_drawn",
        ),
    )
    def one_writer(s, file: File, client: Client, other: Client) -> Bool:
        """At most one client may write a file."""
        return (s._may_write(client, file) & s._may_write(other, file)).implies(client == other)

    @witness
    def stale_writer(s, client: Client, file: File) -> Bool:
        """A client can go on writing while another one holds the lease."""
        return (
            (s.stream[client][file] > 0) & ~s.covered[client].has(file) & s.file[file].at(FileState.UNDER_CONSTRUCTION)
        )


class KeepsLease(Leases):
    """A namenode that leaves the file on the expired lease too."""

    def _take_over(s, client: Client, file: File) -> None:
        """Nothing is taken."""


class ReusesStamp(Leases):
    """A namenode that gives a stamp out again."""

    def _draw_stamp(s, file: File) -> None:
        s.last_stamp = when(s.last_stamp == 0, s.last_stamp + 1, s.last_stamp)
        s.stamp[file] = s.last_stamp


KEEPS_LEASE = Bug(
    "keeps-lease",
    "a recovery leaves the file on the expired lease",
    parts=(KeepsLease,),
    breaks=("open_files_are_on_one_lease",),
    configuration="small",
    depth=3,
)

REUSES_STAMP = Bug(
    "reuses-stamp",
    "whoever opens a file gets the stamp of the one before",
    parts=(ReusesStamp,),
    breaks=("one_writer",),
    configuration="small",
    depth=5,
)

LEASES = System(
    "leases",
    parts=[Leases],
    bugs=[KEEPS_LEASE, REUSES_STAMP],
    configurations=[
        Configuration("small", sizes={"Client": 2, "File": 1}, limits={"stamps": 3, "bytes": 1}),
        Configuration("two_files", sizes={"Client": 2, "File": 2}, limits={"stamps": 3, "bytes": 0}),
    ],
)
