"""How replicas are damaged, missed, found out, cloned and removed (sections 4.3 to 4.5 and 5.2), and what may go wrong.

Faults have one limit, without which nothing could be promised: at any time some replica is whole, and within reach.
"""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles.chunk_replica import ChunkReplicaLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver, no_chunkserver
from genstamp_spec.gfs.parts.replicas_state import WANTED, CloneStage, FileStage, ReplicasState


class ListedChunk(ReplicasState, lane="client"):
    """What clients do: they write, read, delete and undelete."""

    @action
    def create_chunk(s, left_out: Maybe[Chunkserver]) -> None:
        """The master places replicas on chunkservers that are up (section 4.3)."""
        chosen = s.up - those(Chunkserver, lambda other: left_out == other)
        require(s.file.at(FileStage.ABSENT), "the file is not there yet")
        require(chosen.size() >= WANTED, "there are enough chunkservers")
        s.file = FileStage.LISTED
        s.locations = chosen
        s.complete = chosen
        s.replica.update(
            lambda other: when(
                chosen.has(other), s.replica[other].after(ChunkReplicaLifecycle.create), s.replica[other]
            )
        )

    @action
    def mutate(s) -> None:
        """All replicas within reach do a mutation under a new version, and others miss it (sections 3.1 and 4.5).

        Coarser  one step, and a new version each time: in gfs.chunk_lease and gfs.mutation_order.
        """
        reached = s.reachable()
        require(s.file.at(FileStage.LISTED), "the file is there")
        require(~reached.is_empty(), "a replica is within reach")
        s.locations = reached
        s.complete = s.complete & reached
        s.replica.update(
            lambda other: when(
                reached.has(other), s.replica[other], s.replica[other].after(ChunkReplicaLifecycle.miss_version)
            )
        )
        s.clone.update(lambda other: when(s.clone[other].at(CloneStage.NONE), s.clone[other], CloneStage.OUTDATED))

    @action
    def read(s, chunkserver: Chunkserver) -> None:
        """A client reads where the master told it; the chunkserver verifies checksums before (section 5.2)."""
        require(s.reachable().has(chunkserver), "the replica is within reach")
        require(~s.damaged.has(chunkserver), "the checksums fit")
        s.misread = s.misread | s.damaged.has(chunkserver)

    @action
    def delete_file(s) -> None:
        """The file gets a hidden name (section 4.4)."""
        require(s.file.at(FileStage.LISTED), "the file is there")
        s.file = FileStage.HIDDEN

    @action
    def undelete_file(s) -> None:
        """It gets its name back."""
        require(s.file.at(FileStage.HIDDEN), "the file has a hidden name")
        s.file = FileStage.LISTED

    @action(hidden=True)
    def remove_hidden_file(s) -> None:
        """Three days have passed: the scan of the namespace removes it, and its chunk is an orphan."""
        require(s.file.at(FileStage.HIDDEN), "the file has a hidden name")
        s.file = FileStage.GONE
        s.locations = no_chunkserver()


class Faults(ListedChunk, lane=Chunkserver):
    """What befalls chunkservers; some replica stays whole and within reach."""

    @action
    def crash(s, chunkserver: Chunkserver) -> None:
        """A chunkserver dies; what is on its disk stays, and a clone that is not done is lost."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(s.others_are_reachable(chunkserver), "another whole replica is within reach")
        s.up.remove(chunkserver)
        s.clone[chunkserver] = CloneStage.NONE

    @action
    def restart_chunkserver(s, chunkserver: Chunkserver) -> None:
        """It starts again."""
        require(~s.up.has(chunkserver), "the chunkserver is down")
        s.up.add(chunkserver)

    @action(hidden=True)
    def damage_replica(s, chunkserver: Chunkserver) -> None:
        """A disk loses some bytes, and nobody notices."""
        require(~s.replica[chunkserver].at(ChunkReplicaLifecycle.absent), "there is a replica")
        require(~s.damaged.has(chunkserver), "it is whole")
        require(s.others_are_reachable(chunkserver), "another whole replica is within reach")
        s.damaged.add(chunkserver)


class Heartbeats(Faults, lane="master"):
    """What the master hears and answers with heartbeats."""

    @action
    def lose_chunkserver(s, chunkserver: Chunkserver) -> None:
        """No heartbeat came: the master does not name the replica any more."""
        require(s.locations.has(chunkserver), "the master names the replica")
        require(~s.up.has(chunkserver), "the chunkserver is down")
        s.locations.remove(chunkserver)

    @action(caller="chunkserver")
    def report_current(s, chunkserver: Chunkserver) -> None:
        """A chunkserver reports a replica that is new, or that missed nothing while the chunkserver was down."""
        s.may_report(chunkserver)
        require(s.is_kept(), "a file lists the chunk")
        require(~s.locations.has(chunkserver), "the master does not name the replica")
        held = ChunkReplicaLifecycle.current, ChunkReplicaLifecycle.stale
        require(s.replica[chunkserver].at(*held), "it has a replica")
        require(s.replica[chunkserver].at(ChunkReplicaLifecycle.current), "its version is the chunk's")
        s.locations.add(chunkserver)

    @action(caller="chunkserver")
    def report_stale(s, chunkserver: Chunkserver) -> None:
        """A chunkserver reports a lower version than the chunk's: its replica is garbage (section 4.5)."""
        s.may_report(chunkserver)
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.detect_stale)

    @action(caller="chunkserver")
    def report_orphan(s, chunkserver: Chunkserver) -> None:
        """A chunkserver names a chunk that the master does not know: its replica is garbage, however it is."""
        s.may_report(chunkserver)
        require(s.file.at(FileStage.GONE), "no file lists the chunk")
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.orphan)

    def may_report(s, chunkserver: Chunkserver) -> None:
        """Checks: its heartbeats come."""
        require(s.up.has(chunkserver), "the chunkserver is up")

    @action(caller="chunkserver")
    def find_mismatch(s, chunkserver: Chunkserver) -> None:
        """Whoever reads, or the scan of an idle chunkserver, finds a wrong checksum, and the master hears of it."""
        s.may_report(chunkserver)
        require(s.damaged.has(chunkserver), "a checksum does not fit")
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.find_mismatch)
        s.locations.remove(chunkserver)

    @action
    def discard_replica(s, chunkserver: Chunkserver) -> None:
        """There is another replica in place of a damaged one, which is garbage now (section 5.2).

        The paper does not say what happens if no chunkserver is left to clone to: then room is made for it.
        """
        s.may_report(chunkserver)
        require(s.may_discard(), "there is another one in its place, or no room for one")
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.discard)

    def may_discard(s) -> Bool:
        """There are enough replicas, or all chunkservers have one."""
        room = exists(Chunkserver, lambda other: s.replica[other].at(ChunkReplicaLifecycle.absent))
        return (s.locations.size() >= WANTED) | ~room

    @action
    def delete_replica(s, chunkserver: Chunkserver) -> None:
        """A chunkserver deletes what is garbage (section 4.4)."""
        s.may_report(chunkserver)
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.delete)
        s.damaged.remove(chunkserver)
        s.complete.remove(chunkserver)


class Cloning(Heartbeats, lane="master"):
    """Re-replication (section 4.3): the version goes with the order, and is verified (section 4.5)."""

    @action
    def begin_clone(s, chunkserver: Chunkserver, source: Chunkserver) -> None:
        """A replica is missing, or to be moved: a chunkserver is told to read the chunk from another one."""
        s.may_report(chunkserver)
        require(s.is_kept(), "a file lists the chunk")
        require(s.locations.size() <= WANTED, "there are no more replicas than wanted")
        require(s.replica[chunkserver].at(ChunkReplicaLifecycle.absent), "it has no replica")
        require(s.may_begin(chunkserver), "it is not cloning, or what it has of a clone is outdated")
        require(s.reachable().has(source), "the source is within reach")
        require(~s.damaged.has(source), "the checksums of the source fit")
        s.clone[chunkserver] = CloneStage.NEWEST
        s.clone[chunkserver] = when(s.damaged.has(source), CloneStage.DAMAGED, s.clone[chunkserver])

    def may_begin(s, chunkserver: Chunkserver) -> Bool:
        """It is not cloning the version that the chunk has now: what is of an older one is thrown away."""
        return s.clone[chunkserver].at(CloneStage.NONE, CloneStage.OUTDATED)

    @action
    def finish_clone(s, chunkserver: Chunkserver) -> None:
        """The clone is there, of the version that the chunk has still; the master names it when it is reported."""
        s.may_report(chunkserver)
        require(~s.clone[chunkserver].at(CloneStage.NONE), "it is cloning")
        require(~s.clone[chunkserver].at(CloneStage.OUTDATED), "the version is the chunk's")
        complete = those(Chunkserver, lambda other: (other == chunkserver) & s.clone[chunkserver].at(CloneStage.NEWEST))
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.clone)
        s.complete = s.complete | complete
        s.clone[chunkserver] = CloneStage.NONE
