"""hdfs.monitor: the lease monitor does not keep the NameNode from its work."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.monitor import HDFS_10220, MONITOR_BUGS
from genstamp_spec.hdfs.parts.monitor_pass import LEASES_A_HOLD, MonitorPass
from genstamp_spec.hdfs.parts.state import Client, File


class MonitorProperties(MonitorPass):
    """L10, in three parts."""

    @leads_to(fair=("look_at_lease", "pass_ends"))
    def lock_is_free_again(s) -> tuple[Bool, Bool]:
        """L10: the monitor gives the lock back."""
        return s.locked, ~s.locked

    @leads_to(strongly_fair=("release_is_possible_again",))
    def nothing_is_stuck_for_ever(s, file: File) -> tuple[Bool, Bool]:
        """L5: what a file lacks to be released is reported eventually, if it is reported again and again."""
        return s.stuck.has(file) & ~s.locked, ~s.stuck.has(file) | s.locked

    @invariant
    def no_lease_is_looked_at_twice(s) -> Bool:
        """L10: in one pass a lease that cannot be released is not looked at again."""
        return ~s.twice

    @invariant(inductive=True)
    def nothing_is_left_of_a_pass(s) -> Bool:
        """Between two passes there is nothing to look at, and no work done."""
        idle = s.candidates.is_empty() & s.looked_at.is_empty() & (s.work == 0)
        return (~s.locked).implies(idle)

    @transition(inductive=True)
    def who_opens_a_file_has_a_young_lease(s, t: Self, client: Client, file: File) -> Bool:
        """D.2: opening a file renews the lease, whatever its age was."""
        opened = ~s.files[client].has(file) & t.files[client].has(file)
        return opened.implies(~t.expired.has(client))

    @invariant(inductive=True)
    def lock_is_not_held_for_long(s) -> Bool:
        """L10: however many leases have expired, the work under one hold of the lock is bounded."""
        return s.work <= LEASES_A_HOLD

    @witness
    def lease_is_left(s, client: Client) -> Bool:
        """A pass has looked at a lease, and the lease has a file still."""
        return s.looked_at.has(client) & ~s.files[client].is_empty()

    @witness
    def time_is_over(s) -> Bool:
        """A pass leaves a lease to the next one."""
        return s.locked & ~s.has_time() & ~s.candidates.is_empty()


MONITOR = System(
    "hdfs.monitor",
    parts=[MonitorProperties],
    doc="The lease monitor does not keep the NameNode from its work.",
    semantics={"repaired": (), "hadoop-3.4": (), "hadoop-2.7": (HDFS_10220,)},
    rows="""
        three_leases: Client=3 File=1; more leases than one hold of the lock allows
        two_files: Client=2 File=2; leases of two files
    """,
    bugs=MONITOR_BUGS,
    omits=("what the release of a file does: in hdfs.lease", "logSync after the pass", "the sleep between passes"),
)
