"""Historic faults by which the lease monitor kept the lock, each as one change to hdfs.monitor."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.monitor_pass import MonitorPass
from genstamp_spec.hdfs.parts.state import Client


class NoTimeLimit(MonitorPass, lane="namenode"):
    """All leases that have expired are released under one hold of the lock."""

    def has_time(s) -> Bool:
        """There is always time."""
        return s.work >= 0


class FirstLeaseAgain(MonitorPass, lane="namenode"):
    """A lease that cannot be released is looked at again and again until the time of the pass is over."""

    def go_on(s, client: Client) -> None:
        """Only a lease without files is done with."""
        done = s.files[client].is_empty()
        s.candidates = those(Client, lambda other: s.candidates.has(other) & ~((other == client) & done))


class FirstLeaseForEver(NoTimeLimit, FirstLeaseAgain, lane="namenode"):
    """The monitor looks at a lease that cannot be released for ever, with the lock held."""


HDFS_10220 = historic("HDFS-10220", NoTimeLimit, fixed="2.8.0").at("three_leases", "lock_is_not_held_for_long")
HDFS_15704 = historic("HDFS-15704", FirstLeaseAgain, fixed="3.2.3, 3.3.1").at(
    "three_leases", "no_lease_is_looked_at_twice"
)
HDFS_4882 = historic("HDFS-4882", FirstLeaseForEver, fixed="2.6.1").at(
    "three_leases", "no_lease_is_looked_at_twice", "lock_is_not_held_for_long", "lock_is_free_again"
)

MONITOR_BUGS = (HDFS_4882, HDFS_10220, HDFS_15704)
