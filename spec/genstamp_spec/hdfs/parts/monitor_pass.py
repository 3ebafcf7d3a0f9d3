"""The lease monitor, pass by pass: which leases it looks at while it holds the namesystem lock, and how often.

Coarser than HDFS: what a release does to a file is hdfs.lease's; here a file is released or cannot be, for the time
being; 25 ms of work under the lock are so many leases.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Client, File

LEASES_A_HOLD = 2


class MonitorState(Part):
    """Leases past their hard limit, and a pass over them."""

    files = per(Client, members(File))
    expired = members(Client)
    stuck = members(File)  # files whose release throws, or waits
    locked = flag()  # the monitor works, and holds the lock
    candidates = members(Client)  # leases that the pass has still to look at
    looked_at = members(Client)
    twice = flag()  # history: the pass has looked at a lease a second time
    work = number(0, LEASES_A_HOLD + 1)  # leases looked at in this hold of the lock


class MonitorPass(MonitorState, lane="namenode"):
    """LeaseManager#checkLeases."""

    @action
    def open_file(s, client: Client, file: File) -> None:
        """A client has a file open, and a lease."""
        require(~s.locked, "the lock is free")
        require(~s.files[client].has(file), "the client does not have the file open")
        s.files[client].add(file)
        s.expired.remove(client)

    @action(hidden=True)
    def hard_limit_passes(s, client: Client) -> None:
        """Time: the lease was not renewed for the hard limit."""
        require(~s.files[client].is_empty(), "the client has a lease")
        require(~s.expired.has(client), "it is not past its hard limit")
        s.expired.add(client)

    @action(hidden=True)
    def release_begins_to_fail(s, file: File) -> None:
        """The file has blocks that lack replicas, for example."""
        require(~s.locked, "the lock is free")
        require(~s.stuck.has(file), "the file can be released")
        s.stuck.add(file)

    @action(hidden=True)
    def release_is_possible_again(s, file: File) -> None:
        """The replicas were reported."""
        require(~s.locked, "the lock is free")
        require(s.stuck.has(file), "the file cannot be released")
        s.stuck.remove(file)

    @action(hidden=True)
    def pass_begins(s) -> None:
        """The monitor takes the lock; what it looks at was found before (HDFS-15704, facts D.3)."""
        require(~s.locked, "the lock is free")
        require(~s.expired.is_empty(), "a lease is past its hard limit")
        s.locked = True
        s.candidates = s.expired

    @action(hidden=True)
    def look_at_lease(s, client: Client) -> None:
        """All files of a lease are released that can be; an exception leaves a file where it is (HDFS-11817).

        Source  LeaseManager#checkLeases, Hadoop 3.4.1; facts D.3.
        """
        require(s.locked & s.candidates.has(client), "the lease is to be looked at")
        require(s.has_time(), "the lock was not held for long")
        s.files[client] = s.files[client] & s.stuck
        s.twice = s.twice | s.looked_at.has(client)
        s.looked_at.add(client)
        s.work = smallest(s.work + 1, LEASES_A_HOLD + 1)
        s.go_on(client)

    def has_time(s) -> Bool:
        """No more than 25 ms are over (HDFS-10220)."""
        return s.work < LEASES_A_HOLD

    def go_on(s, client: Client) -> None:
        """The next lease: this one is done with, released or not."""
        s.candidates.remove(client)

    @action(hidden=True)
    def pass_ends(s) -> None:
        """All is looked at, or the time is over: the rest waits for the next pass, and others get the lock."""
        require(s.locked, "the monitor works")
        require(s.candidates.is_empty() | ~s.has_time(), "nothing is left to look at, or the time is over")
        s.locked = False
        s.candidates.clear()
        s.looked_at.clear()
        s.twice = False
        s.work = 0
