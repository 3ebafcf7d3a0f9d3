"""Who holds which files, and since when nothing was heard of them.

One lease a holder covers all files that it has open; renewing is per holder. Three indices: holder -> lease, file id
-> lease, and the leases by the time of their last renewal. 3.4.1 has given the third one up and looks at all leases
(HDFS-15704); here it costs nothing, since time does not go back: whoever is renewed goes to the end.

The lease manager decides only about expiry: the owner of record of a file is the client name in its inode, and no call
looks in here to find out who may write. The monitor's pass is in `lease_recovery`.

Source: NN/LeaseManager, Hadoop 3.4.1.
"""

from dataclasses import dataclass, field
from itertools import takewhile

from genstamp_dfs.hdfs.protocol import INTERNAL_LEASE_HOLDER, Limits
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


@dataclass(slots=True, eq=False)
class Lease:
    """The files that one holder has open, by id, and the time of the last renewal."""

    holder: str
    last_update_us: int
    files: set[int] = field(default_factory=set)

    def is_older_than(self, limit_ms: int, now_us: int) -> bool:
        """Whether more than `limit_ms` has passed since the last renewal; exactly the limit is not more."""
        return now_us - self.last_update_us > limit_ms * MICROSECONDS_A_MILLISECOND


@dataclass
class LeaseManager:
    """All leases of the namespace.

    Attributes:
        leases: by holder, and in the order of their last renewal.
        leases_by_id: the lease of each open file.
    """

    limits: Limits
    leases: dict[str, Lease] = field(default_factory=dict)
    leases_by_id: dict[int, Lease] = field(default_factory=dict)
    _internal_holder: str | None = None
    _internal_holder_since_us: int = 0

    def get_lease(self, holder: str) -> Lease | None:
        """The holder's lease, if it has one."""
        return self.leases.get(holder)

    def add_lease(self, holder: str, file_id: int, now_us: int) -> Lease:
        """Put the file in the holder's lease, which is made or renewed. Other leases are not looked at."""
        lease = self.leases.get(holder)
        if lease is None:
            lease = self.leases[holder] = Lease(holder, now_us)
        else:
            self._renew(lease, now_us)
        lease.files.add(file_id)
        self.leases_by_id[file_id] = lease
        return lease

    def remove_lease(self, lease: Lease, file_id: int) -> None:
        """Take the file out of the lease; a lease without files goes away."""
        lease.files.discard(file_id)
        if self.leases_by_id.get(file_id) is lease:
            del self.leases_by_id[file_id]
        if not lease.files and self.leases.get(lease.holder) is lease:
            del self.leases[lease.holder]

    def renew_lease(self, holder: str, now_us: int) -> None:
        """Renew the holder's lease. A holder without one is accepted, so renewing teaches a client nothing."""
        lease = self.leases.get(holder)
        if lease is not None:
            self._renew(lease, now_us)

    def renew_all_leases(self, now_us: int) -> None:
        """The namenode starts: nobody has had a chance to renew (LeaseManager#renewAllLeases)."""
        for lease in self.leases.values():
            lease.last_update_us = now_us

    def _renew(self, lease: Lease, now_us: int) -> None:
        """The lease is the youngest of all now."""
        assert now_us >= lease.last_update_us, f"time went back from {lease.last_update_us} to {now_us}"
        lease.last_update_us = now_us
        del self.leases[lease.holder]
        self.leases[lease.holder] = lease

    def remove_file(self, file_id: int) -> None:
        """Take the file out of whatever lease it is in (LeaseManager#removeLease of an inode id)."""
        lease = self.leases_by_id.get(file_id)
        if lease is not None:
            self.remove_lease(lease, file_id)

    def reassign_lease(self, lease: Lease, file_id: int, new_holder: str, now_us: int) -> Lease:
        """Move the file to the new holder's lease, which gets a new time by that."""
        self.remove_lease(lease, file_id)
        return self.add_lease(new_holder, file_id, now_us)

    def expired_soft_limit(self, lease: Lease, now_us: int) -> bool:
        """Whether another client may take the lease's files over."""
        return lease.is_older_than(self.limits.soft_limit_ms, now_us)

    def expired_hard_limit(self, lease: Lease, now_us: int) -> bool:
        """Whether the monitor takes the lease's files over."""
        return lease.is_older_than(self.limits.hard_limit_ms, now_us)

    def expired_leases(self, now_us: int) -> list[Lease]:
        """The leases past the hard limit, oldest first."""
        return list(takewhile(lambda lease: self.expired_hard_limit(lease, now_us), self.leases.values()))

    def get_internal_lease_holder(self, now_us: int) -> str:
        """The name under which the namenode holds leases now; a new one when the last is past the hard limit.

        With one name for ever, each newly expired file would renew the lease of all the others (HDFS-11945).
        """
        limit_us = self.limits.hard_limit_ms * MICROSECONDS_A_MILLISECOND
        if self._internal_holder is None or now_us - self._internal_holder_since_us > limit_us:
            self._internal_holder = f"{INTERNAL_LEASE_HOLDER}-{now_us // MICROSECONDS_A_MILLISECOND}"
            self._internal_holder_since_us = now_us
        return self._internal_holder
