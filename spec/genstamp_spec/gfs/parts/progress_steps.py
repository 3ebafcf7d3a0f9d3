"""The steps of a write, and of the lease that it needs, while chunkservers die and start again as they like."""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, MutationLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver, no_chunkserver

LIVE = (ChunkLeaseLifecycle.granted, ChunkLeaseLifecycle.extended)
OVER = (ChunkLeaseLifecycle.none, ChunkLeaseLifecycle.expired)


class ProgressState(Part):
    """Master, chunkservers and the client.

    One chunk, one client with one write. Which replicas are current the master knows at once, and clocks tell no more
    than whether a lease was extended of late: the rest is in gfs.chunk_lease and gfs.mutation_order.
    """

    lease = lifecycle(ChunkLeaseLifecycle)
    holder = optional(Chunkserver)  # the primary, as the master knows it
    fresh = flag()  # the lease was granted or extended not long ago
    current = members(Chunkserver, initially_all=True)  # replicas of the lease, or of the next one

    up = members(Chunkserver, initially_all=True)
    primary = optional(Chunkserver)  # who believes in the lease
    buffered = members(Chunkserver)  # who has the write's data in its buffer
    serving = flag()  # the primary has given the write a serial number, and waits for the secondaries
    applied = members(Chunkserver)  # who has applied the write
    missed = members(Chunkserver)  # of whom the primary heard that it failed, or heard nothing

    write = lifecycle(MutationLifecycle)
    known = optional(Chunkserver)  # the primary that the client remembers
    outdated = flag()  # a lease was granted since, under a higher version

    calm = flag()  # from now on no chunkserver dies, no heartbeat is lost, and nobody wants a snapshot

    def is_reached(s) -> Bool:
        """Every replica of the lease is up."""
        return s.current <= s.up

    def is_served(s) -> Bool:
        """The primary that the client remembers is one, still under the version that it remembers."""
        return ~s.known.is_none() & (s.known == s.primary) & ~s.outdated


class GrantedLease(ProgressState, lane="master"):
    """The master, and how a lease ends (sections 3.1 and 3.4)."""

    @action
    def grant_lease(s, chunkserver: Chunkserver) -> None:
        """Nobody holds the lease: it is granted under a new version, and whoever is not reached is left out."""
        require(s.lease.at(*OVER), "nobody holds the lease")
        require((s.current & s.up).has(chunkserver), "it has a current replica, and is reached")
        s.lease.fire(ChunkLeaseLifecycle.grant)
        s.holder = chunkserver
        s.primary = chunkserver
        s.fresh = True
        s.current = s.current & s.up
        s.outdated = ~s.known.is_none()

    @action
    def take_in(s, chunkserver: Chunkserver) -> None:
        """Whoever was left out has a clone, and will be a replica of the next lease (section 4.3)."""
        require(s.lease.at(*OVER), "nobody holds the lease")
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(~s.current.has(chunkserver), "it was left out")
        s.current.add(chunkserver)

    @action
    def extend_lease(s) -> None:
        """The primary asks for an extension with its heartbeat, and gets it."""
        s.extends()

    def extends(s) -> None:
        """What is revoked is not extended."""
        require(s.up.has(s.primary), "the primary is up and believes in its lease")
        s.lease.fire(ChunkLeaseLifecycle.extend)
        s.fresh = True

    @action
    def revoke_lease(s) -> None:
        """The master wants the lease back, for a snapshot."""
        require(~s.calm, "somebody may want a snapshot")
        s.lease.fire(ChunkLeaseLifecycle.revoke)

    @action(event="revoke_lease")
    def revoke_for_dead_replica(s) -> None:
        """A replica of the lease is not reached: the next lease will do without it.

        The paper does not say who ends a lease whose primary is well, and goes on to extend it.
        """
        require(~s.is_reached(), "a replica of the lease is not reached")
        s.lease.fire(ChunkLeaseLifecycle.revoke)

    @action
    def give_up_lease(s) -> None:
        """The primary is reached, and gives the lease up."""
        require(s.up.has(s.holder), "the primary is up")
        s.lease.fire(ChunkLeaseLifecycle.give_up)
        s.end_belief()
        s.holder = none

    def end_belief(s) -> None:
        """Nobody believes in a lease; what waited for secondaries is not answered any more."""
        s.primary = none
        s.serving = False

    @action(hidden=True)
    def time_passes(s) -> None:
        """The lease was not extended for most of its length."""
        require(s.fresh, "the lease was granted or extended")
        s.fresh = False

    @action(hidden=True)
    def lease_runs_out(s) -> None:
        """The lease is over by the primary's clock."""
        require(~s.primary.is_none(), "somebody believes in the lease")
        require(~s.fresh, "it was not extended of late")
        require(~s.calm | s.lease.at(ChunkLeaseLifecycle.revoking), "heartbeats may get lost, or ask for no extension")
        s.end_belief()

    @action(hidden=True)
    def expire_lease(s) -> None:
        """The lease is over by the master's clock too, also if the primary is not reached."""
        s.expires()

    def expires(s) -> None:
        """Not before it is over by the primary's."""
        require(s.primary.is_none() & ~s.fresh, "it is over for the primary")
        s.lease.fire(ChunkLeaseLifecycle.expire)
        s.holder = none


class WritingClient(GrantedLease, lane="client"):
    """The client (figure 2 of the paper): it tries again until it succeeds."""

    @action
    def find_lease_holder(s) -> None:
        """The client asks for the primary (steps 1 and 2)."""
        s.has_nothing_under_way()
        require(s.known.is_none(), "it remembers no primary")
        require(s.lease.at(*LIVE), "somebody holds the lease")
        s.known = s.holder
        s.outdated = False

    @action
    def forget_primary(s) -> None:
        """The primary is not reached, or says that it has no lease of that version any more: the client asks again."""
        s.has_nothing_under_way()
        require(~s.known.is_none() & ~s.is_served(), "who it remembers is no primary")
        s.forget()

    def forget(s) -> None:
        """The client remembers no primary."""
        s.known = none
        s.outdated = False

    def has_nothing_under_way(s) -> None:
        """Checks: the write was not begun, or failed."""
        require(s.write.at(MutationLifecycle.absent, MutationLifecycle.failed), "the client waits for nothing")

    @action
    def push_data(s) -> None:
        """Every replica of the lease gets the data (step 3)."""
        s.pushes()
        s.write.fire(MutationLifecycle.push)

    @action
    def retry(s) -> None:
        """Steps 3 to 7 again."""
        s.pushes()
        s.write.fire(MutationLifecycle.retry)

    def pushes(s) -> None:
        """All replicas are reached."""
        require(~s.known.is_none(), "it remembers a primary")
        require(s.is_reached(), "every replica is up")
        s.buffered = s.current
        s.applied = no_chunkserver()
        s.missed = no_chunkserver()

    @action
    def hear_failure(s) -> None:
        """The primary is gone, or says that it has no lease or no data: the write has failed."""
        pushed, ordered = s.write.at(MutationLifecycle.data_pushed), s.write.at(MutationLifecycle.ordered)
        refused = pushed & (~s.is_served() | ~s.buffered.has(s.known))
        require(refused | (ordered & ~s.serving), "the primary will not answer")
        s.known = when(s.is_served(), s.known, none)
        s.outdated = s.outdated & ~s.known.is_none()
        s.write.fire(MutationLifecycle.fail)


class WrittenReplicas(WritingClient, lane=Chunkserver):
    """Primary and secondaries (steps 4 to 7), and their crashes."""

    @action
    def order_write(s) -> None:
        """The primary gives the write a serial number, applies it, and forwards it (steps 4 and 5)."""
        require(s.is_served(), "the primary holds the lease of that version")
        require(s.buffered.has(s.known), "it has the data")
        s.write.fire(MutationLifecycle.order)
        s.serving = True
        s.applied.add(s.known)

    @action
    def apply_write(s, chunkserver: Chunkserver) -> None:
        """A secondary applies it, and the primary hears of it (steps 5 and 6)."""
        s.is_awaited(chunkserver)
        require(s.buffered.has(chunkserver), "it has the data")
        s.applied.add(chunkserver)

    @action
    def miss_write(s, chunkserver: Chunkserver) -> None:
        """The primary hears that a secondary has lost the data, or hears nothing from it for long."""
        s.misses(chunkserver)

    def misses(s, chunkserver: Chunkserver) -> None:
        """A chunkserver that died has lost its buffer."""
        s.is_awaited(chunkserver)
        require(~s.buffered.has(chunkserver), "it has no data")
        s.missed.add(chunkserver)

    def is_awaited(s, chunkserver: Chunkserver) -> None:
        """Checks: the primary waits for the answer of this replica."""
        require(s.serving, "the primary waits for answers")
        require(s.current.has(chunkserver), "it is a replica of the lease")
        require(~(s.applied | s.missed).has(chunkserver), "it has not answered")

    @action
    def answer(s) -> None:
        """All have applied the write, or some have failed: the client is told, and tries again (step 7)."""
        require(s.serving, "the primary waits for answers")
        if case("failure", ~s.missed.is_empty(), "some have failed", "none has failed"):
            require(s.current <= (s.applied | s.missed), "all have answered, or were waited for")
            s.write.fire(MutationLifecycle.fail)
        else:
            require(s.current <= s.applied, "all have applied it")
            s.write.fire(MutationLifecycle.apply, MutationLifecycle.acknowledge)
        s.serving = False

    @action
    def crash(s, chunkserver: Chunkserver) -> None:
        """A chunkserver dies, with its buffers and its belief in a lease."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(~s.calm, "chunkservers may die")
        s.dies(chunkserver)

    def dies(s, chunkserver: Chunkserver) -> None:
        """What is on its disk stays."""
        s.up.remove(chunkserver)
        s.buffered.remove(chunkserver)
        s.serving = s.serving & (s.primary != chunkserver)
        s.primary = when(s.primary == chunkserver, none, s.primary)

    @action
    def restart_chunkserver(s, chunkserver: Chunkserver) -> None:
        """It starts again."""
        require(~s.up.has(chunkserver), "the chunkserver is down")
        s.up.add(chunkserver)

    @action(hidden=True)
    def calm_down(s) -> None:
        """The worst is over; who is down stays down, or starts again at some time."""
        require(~s.calm, "there were crashes and snapshots up to now")
        s.calm = True
