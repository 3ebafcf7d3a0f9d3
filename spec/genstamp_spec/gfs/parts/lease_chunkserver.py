"""A chunkserver: the lease that it believes in, its replica, its clock, its crashes."""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles.chunk_replica import ChunkReplicaLifecycle
from genstamp_spec.gfs.parts.lease_state import LEASE, ChunkLeaseState, Chunkserver, no_chunkserver, only


class LeaseChunkserver(ChunkLeaseState, lane=Chunkserver):
    """What chunkservers do of themselves; exchanges that the master begins stand with the master.

    The paper leaves open from when a primary counts its lease. Here it counts from its own last word before the master
    granted or extended, so that no delay of a message can make its lease end later than the master's.
    """

    @action
    def learn_lease(s, chunkserver: Chunkserver) -> None:
        """The grant arrives, and its time is not over yet (section 3.1)."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(s.sent.has(chunkserver), "a grant is under way to it")
        require(s.counting.has(chunkserver), "it knows from when the lease counts")
        s.sent.remove(chunkserver)
        s.leased.add(chunkserver)

    @action
    def write(s, chunkserver: Chunkserver) -> None:
        """The primary has a mutation done by all replicas of its lease, and its client is told (section 3.1).

        Coarser  one step; what becomes of a mutation that some replica misses is in gfs.mutation_order.
        """
        require(s.leased.has(chunkserver), "it believes that it holds the lease")
        require(
            forall(Chunkserver, lambda other: (~s.peers[chunkserver].has(other)) | s.follows(chunkserver, other)),
            "every replica of the lease is up and has its version",
        )
        s.complete = s.complete & s.peers[chunkserver]

    def follows(s, primary: Chunkserver, other: Chunkserver) -> Bool:
        """A replica does what a primary of its own version tells it; a stale one takes no part (section 4.5)."""
        return s.up.has(other) & (s.held[other] == s.held[primary])

    @action(hidden=True)
    def chunkserver_clock_ticks(s, chunkserver: Chunkserver) -> None:
        """Time passes at a chunkserver that counts; at the end of the lease it believes no more (section 3.1)."""
        require(s.counting.has(chunkserver), "it counts")
        over = s.since[chunkserver] + 1 >= s.lease_ticks()
        was_behind = s.behind[chunkserver] > 0
        s.ahead[chunkserver] = when(over, 0, s.ahead[chunkserver] + when(was_behind, 0, 1))
        s.behind[chunkserver] = when(over, 0, s.behind[chunkserver] - when(was_behind, 1, 0))
        s.since[chunkserver] = when(over, 0, s.since[chunkserver] + 1)
        s.stop(those(Chunkserver, lambda other: (other == chunkserver) & over))

    def lease_ticks(s) -> int:
        """How long a primary believes."""
        return LEASE

    def forget(s, chunkserver: Chunkserver) -> None:
        """It knows nothing of a lease any more."""
        s.count_from_now(chunkserver)
        s.stop(only(chunkserver))

    def count_from_now(s, chunkserver: Chunkserver) -> None:
        """Its last word with the master was now."""
        s.since[chunkserver] = 0
        s.ahead[chunkserver] = 0
        s.behind[chunkserver] = 0

    def stop(s, some: Members[Chunkserver]) -> None:
        """Some chunkservers believe in no lease any more; a grant that is still under way to them comes too late."""
        s.counting = s.counting - some
        s.leased = s.leased - some
        s.sent = s.sent - some
        s.peers.update(lambda other: when(some.has(other), no_chunkserver(), s.peers[other]))

    @action
    def crash(s, chunkserver: Chunkserver) -> None:
        """A chunkserver dies; what is on its disk stays."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        s.crashes = s.crashes + 1
        s.up.remove(chunkserver)
        s.forget(chunkserver)

    @action
    def restart_chunkserver(s, chunkserver: Chunkserver) -> None:
        """It starts again, with its replicas as they were and without any lease."""
        require(~s.up.has(chunkserver), "the chunkserver is down")
        s.up.add(chunkserver)

    @action
    def delete_replica(s, chunkserver: Chunkserver) -> None:
        """A chunkserver deletes what the master has called garbage (section 4.4), and every thought of a lease."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.delete)
        s.is_gone(chunkserver)

    def is_gone(s, chunkserver: Chunkserver) -> None:
        """No replica is there any more, and no thought of a lease."""
        s.forget(chunkserver)
        s.held[chunkserver] = 0
        s.complete.remove(chunkserver)
