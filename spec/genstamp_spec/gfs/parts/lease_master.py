"""The master: versions, grants, extensions, revocation, what chunkservers report, and its own restart."""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, ChunkReplicaLifecycle
from genstamp_spec.gfs.parts.lease_chunkserver import LeaseChunkserver
from genstamp_spec.gfs.parts.lease_state import MARGIN, Chunkserver, no_chunkserver, only

LIVE = (ChunkLeaseLifecycle.granted, ChunkLeaseLifecycle.extended)
FREE = (ChunkLeaseLifecycle.none, ChunkLeaseLifecycle.expired)


class LeaseMaster(LeaseChunkserver, lane="master"):
    """What the master does. Versions and what it chose are in its log before anybody is told (sections 2.6 and 4.5).

    Two things that the paper leaves open are told here as safety needs them:

    - a version is chosen once, also if the master dies before it was confirmed;
    - a grant goes ahead only when every replica that was told has answered. Whoever does not answer is left out under
      a yet higher version, or else it might hold the version of mutations that it misses.
    """

    @action
    def create_chunk(s, chunkserver: Chunkserver) -> None:
        """The chunk is created under its first version: here its first replica, which is empty (section 4.3)."""
        require(s.chosen == 0, "there is no chunk yet")
        s.version = s.version + 1
        s.chosen = s.version
        s.locations = only(chunkserver)
        s.complete = s.locations
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.create)
        s.held[chunkserver] = s.version

    @action
    def add_replica(s, chunkserver: Chunkserver) -> None:
        """The chunk is created on one more chunkserver, or copied to it from a current replica (section 4.3).

        Bytes are copied while nobody may change them, and the copy has what its source has.
        """
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(s.held[chunkserver] == 0, "it has no replica")
        require(s.lease.at(*FREE), "nobody holds a lease")
        require(s.offered == 0, "no grant is being prepared")
        sources = those(Chunkserver, lambda other: (s.held[other] > 0) & (s.held[other] == s.version))
        require(~sources.is_empty(), "some replica has the chunk's version")
        named = forall(Chunkserver, lambda other: (~s.locations.has(other)) | (s.held[other] == s.version))
        require(named, "all replicas that the master names have the chunk's version")
        s.copies = s.copies + 1
        s.complete = when(sources <= s.complete, s.complete | only(chunkserver), s.complete)
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.clone)
        s.held[chunkserver] = s.version
        if either("unanswered", "the answer is lost"):
            return
        s.locations.add(chunkserver)

    # A lease is granted, in steps (section 4.5).

    @action
    def begin_grant(s) -> None:
        """Somebody wants to write and nobody holds a lease: a new version is offered to the known replicas."""
        require(s.lease.at(*FREE), "nobody holds a lease")
        require(s.offered == 0, "no grant is being prepared")
        require(~s.locations.is_empty(), "a current replica is known")
        s.offer()
        s.told = s.locations
        observe(version=s.offered, replicas=s.told.size())

    def offer(s) -> None:
        """A version that was never chosen before."""
        s.chosen = s.chosen + 1
        s.offered = s.chosen

    @action
    def leave_out(s, chunkserver: Chunkserver) -> None:
        """A replica does not answer: the grant is prepared anew without it."""
        require(s.told.has(chunkserver) & ~s.recorded.has(chunkserver), "it was told and has not answered")
        require(s.told.size() > 1, "it is not the only one")
        s.offer()
        s.told.remove(chunkserver)
        s.recorded.clear()

    @action
    def drop_grant(s) -> None:
        """Nobody answers: the grant comes to nothing, and its version is not the chunk's."""
        require(s.offered > 0, "a grant is being prepared")
        require(s.recorded.is_empty(), "nobody has answered")
        s.drop_offer()

    @action
    def record_version(s, chunkserver: Chunkserver) -> None:
        """A replica records the offered version on its disk, and whatever lease it believed in is over."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(s.offered > 0, "a grant is being prepared")
        require(s.told.has(chunkserver) & ~s.recorded.has(chunkserver), "it was told and has not answered")
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.record_version)
        s.forget(chunkserver)
        s.held[chunkserver] = s.offered
        s.counting.add(chunkserver)
        observe(version=s.offered)
        if either("unanswered", "the answer is lost"):
            return
        s.recorded.add(chunkserver)

    @action
    def raise_version(s) -> None:
        """All have answered, and nobody becomes the primary: the chunk is going to be copied, or shared.

        A mutation that an earlier primary has given up may come late; no replica does it under this version.
        """
        s.all_have_answered()
        observe(version=s.offered)
        s.confirm(s.told & s.locations)

    def all_have_answered(s) -> None:
        """Checks: nobody may have recorded the version without being counted in."""
        require(s.offered > 0, "a grant is being prepared")
        require(s.told <= s.recorded, "every replica that was told has answered")

    @action
    def grant_lease(s, chunkserver: Chunkserver) -> None:
        """All have answered: the version is confirmed in the log, and one of them becomes the primary (section 3.1)."""
        s.all_have_answered()
        require(s.told.has(chunkserver), "the primary is one of them")
        observe(version=s.offered)
        s.lease.fire(ChunkLeaseLifecycle.grant)
        s.send_grant(chunkserver, s.told)
        s.confirm(s.told & s.locations)

    def send_grant(s, chunkserver: Chunkserver, replicas: Members[Chunkserver]) -> None:
        """The primary is told, with the replicas of its lease; some of them may not be heard of any more."""
        s.primary = chunkserver
        s.lease_age = 0
        s.sent.add(chunkserver)
        s.peers[chunkserver] = replicas

    def confirm(s, current: Members[Chunkserver]) -> None:
        """The offered version is the chunk's."""
        s.version = s.offered
        s.locations = current
        s.miss_version()
        s.drop_offer()

    def miss_version(s) -> None:
        """Replicas with a lower version than the chunk's are stale."""
        s.replica.update(
            lambda other: when(
                s.held[other] < s.version,
                s.replica[other].after(ChunkReplicaLifecycle.miss_version),
                s.replica[other],
            )
        )

    def drop_offer(s) -> None:
        """No grant is being prepared."""
        s.offered = 0
        s.told.clear()
        s.recorded.clear()

    @action(unchanged="it is a question")
    def find_lease_holder(s) -> None:
        """A client asks who holds the lease, and where the replicas are (section 3.1, steps 1 and 2)."""
        require(s.lease.at(*LIVE), "somebody holds the lease")
        observe(version=s.version)

    # A lease goes on, or ends.

    @action(caller="chunkserver")
    def extend_lease(s, chunkserver: Chunkserver) -> None:
        """The primary asks for an extension with its heartbeat: the lease counts anew at the master (section 3.1)."""
        require(s.up.has(chunkserver) & s.leased.has(chunkserver), "it believes that it holds the lease")
        require(s.primary == chunkserver, "the master knows it as the primary")
        s.extend()
        s.lease_age = 0
        if either("unanswered", "the answer is lost"):
            return
        s.count_from_now(chunkserver)

    def extend(s) -> None:
        """Only a lease that is not being revoked is extended."""
        s.lease.fire(ChunkLeaseLifecycle.extend)

    @action
    def revoke_lease(s) -> None:
        """The master wants the lease back: for a rename, or a snapshot (sections 3.1 and 3.4)."""
        s.lease.fire(ChunkLeaseLifecycle.revoke)

    @action(caller="chunkserver")
    def give_up_lease(s, chunkserver: Chunkserver) -> None:
        """The primary is reached and gives the lease up, also if it has not heard of it yet (section 3.4).

        Whatever was granted under this version is over, and a grant that is still under way comes to nothing.
        """
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(s.lease.at(ChunkLeaseLifecycle.revoking), "the lease is being revoked")
        require(s.primary == chunkserver, "the master knows it as the primary")
        s.forget(chunkserver)
        if either("unanswered", "the answer is lost"):
            return
        s.lease.fire(ChunkLeaseLifecycle.give_up)
        s.primary = none
        s.lease_age = 0

    @action(hidden=True)
    def expire_lease(s) -> None:
        """The lease is over by the master's clock, however far the clocks may have run apart (section 3.1)."""
        require(s.lease_age >= s.master_waits(), "a lease and the margin have passed")
        s.lease.fire(ChunkLeaseLifecycle.expire)
        s.primary = none
        s.lease_age = 0

    def master_waits(s) -> int:
        """Ticks until the master takes a lease for over."""
        return s.lease_ticks() + s.margin_ticks()

    def margin_ticks(s) -> int:
        """Ticks that it waits on when a lease is over by its own clock."""
        return MARGIN

    @action(hidden=True)
    def master_clock_ticks(s) -> None:
        """Time passes at the master."""
        s.lease_age = when(s.lease.at(*FREE), 0, smallest(s.lease_age + 1, s.master_waits()))
        was_ahead = those(Chunkserver, lambda other: s.ahead[other] > 0)
        s.behind.update(lambda other: when(s.counting.has(other) & ~was_ahead.has(other), s.behind[other] + 1, 0))
        s.ahead.update(lambda other: when(was_ahead.has(other), s.ahead[other] - 1, 0))

    # What chunkservers report (section 4.5), or do not.

    @action
    def lose_contact(s, chunkserver: Chunkserver) -> None:
        """No heartbeat comes, or the chunkserver registers anew: the master does not count on its replica."""
        require(s.locations.has(chunkserver), "the master knows of it")
        s.losses = s.losses + 1
        s.locations.remove(chunkserver)

    @action(caller="chunkserver")
    def report_current(s, chunkserver: Chunkserver) -> None:
        """A replica has the chunk's version, or one above it: from now on the master names it (sections 2.6 and 4.5).

        A version that was chosen and never confirmed misses nothing. The paper has the master take it for the chunk's
        (`report_higher`), and every other replica is stale then. A master that logs what it chooses knows that nobody
        was the primary under it.
        """
        s.has_replica(chunkserver)
        require(~s.locations.has(chunkserver), "the master does not know of it")
        if case("unconfirmed", s.held[chunkserver] > s.version, "its version is above the chunk's"):
            require(s.held[chunkserver] <= s.chosen, "its version was chosen")
        else:
            require(s.held[chunkserver] == s.version, "its version is the chunk's")
        s.locations.add(chunkserver)

    @action(caller="chunkserver")
    def report_higher(s, chunkserver: Chunkserver) -> None:
        """A replica has a higher version: the master died before it confirmed a grant, and takes it (section 4.5)."""
        s.has_replica(chunkserver)
        require(s.offered == 0, "no grant is being prepared")
        require(s.held[chunkserver] > s.version, "its version is higher than the chunk's")
        s.version = s.held[chunkserver]
        s.locations = only(chunkserver)
        s.miss_version()

    @action(caller="chunkserver")
    def report_stale(s, chunkserver: Chunkserver) -> None:
        """A replica has missed a version: it is garbage (sections 4.4 and 4.5)."""
        s.has_replica(chunkserver)
        require(s.held[chunkserver] < s.version, "its version is lower than the chunk's")
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.detect_stale)

    @action
    def discard_replica(s, chunkserver: Chunkserver) -> None:
        """A replica goes that the master does not count on: it is one too many, or corrupt (sections 4.3 and 5.2).

        Coarser  which of the two it is; and the master's word and the deletion are one step, in which another replica
        has the chunk's version.
        """
        s.has_replica(chunkserver)
        require(~s.locations.has(chunkserver), "the master does not count on it")
        another = exists(Chunkserver, lambda other: (other != chunkserver) & s.is_current(other))
        require(another, "another replica has the chunk's version")
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.orphan, ChunkReplicaLifecycle.delete)
        s.is_gone(chunkserver)
        s.takes_back(chunkserver)

    def takes_back(s, chunkserver: Chunkserver) -> None:
        """It may have answered that it has recorded the version that is offered: that is so no more."""
        s.recorded.remove(chunkserver)

    def is_current(s, chunkserver: Chunkserver) -> Bool:
        """It has a replica that misses nothing."""
        return s.replica[chunkserver].at(ChunkReplicaLifecycle.current) & (s.held[chunkserver] >= s.version)

    def has_replica(s, chunkserver: Chunkserver) -> None:
        """Checks: a chunkserver that is up, with a replica."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(s.held[chunkserver] > 0, "it has a replica")

    @action
    def restart_master(s) -> None:
        """The master dies and starts again from its log: leases and locations are not in it (section 2.6)."""
        s.start_again()
        s.lease.fire(ChunkLeaseLifecycle.restart)

    def start_again(s) -> None:
        """What is not in the log is gone."""
        require(s.chosen > 0, "the chunk is there")
        s.master_restarts = s.master_restarts + 1
        s.locations = no_chunkserver()
        s.drop_offer()
        s.primary = none
        s.lease_age = 0


class ClocksOfOneSpeed(LeaseMaster, lane="master"):
    """Where clocks may not run apart at all, this is the only way in which time passes while anybody counts.

    In gfs.chunk_lease clocks tick one after the other, and two of one speed are a tick apart in between. That shows all
    that clocks can do which run apart by a tick or more, and nothing of clocks that do not run apart at all.
    """

    @action(hidden=True)
    def all_clocks_tick(s) -> None:
        """Time passes at the master and at whoever counts; at the end of the lease a primary believes no more."""
        over = those(Chunkserver, lambda each: s.counting.has(each) & (s.since[each] + 1 >= s.lease_ticks()))
        s.lease_age = when(s.lease.at(*FREE), 0, smallest(s.lease_age + 1, s.master_waits()))
        s.since.update(lambda each: when(s.counting.has(each) & ~over.has(each), s.since[each] + 1, 0))
        s.ahead.update(lambda each: when(over.has(each), 0, s.ahead[each]))
        s.behind.update(lambda each: when(over.has(each), 0, s.behind[each]))
        s.stop(over)
