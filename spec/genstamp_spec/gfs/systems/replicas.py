"""gfs.replicas: a stale, damaged or orphaned replica is never read, and gone eventually; another takes its place."""

from genstamp_model.language import *
from genstamp_spec.gfs.bugs.replicas import REPLICAS_BUGS
from genstamp_spec.gfs.lifecycles.chunk_replica import ChunkReplicaLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.replicas_state import WANTED, CloneStage, FileStage
from genstamp_spec.gfs.parts.replicas_steps import Cloning

RESTART = ("restart_chunkserver",)
CLONING = ("report_current", "begin_clone", "finish_clone", "discard_replica")


class ReplicasProperties(Cloning):
    """What is promised of replicas, and what has to happen to them however often chunkservers die and disks fail."""

    @invariant(inductive=True, given=("newest_clones_are_complete", "nothing_without_a_file"))
    def named_replicas_are_complete(s, chunkserver: Chunkserver) -> Bool:
        """StaleNeverServed: what the master names is current, and has every mutation that a client was told of."""
        current = s.replica[chunkserver].at(ChunkReplicaLifecycle.current) & s.complete.has(chunkserver)
        return s.locations.has(chunkserver).implies(current)

    @invariant(inductive=True)
    def reads_are_whole(s) -> Bool:
        """No client is given damaged bytes."""
        return ~s.misread

    @invariant(
        inductive=True, given=("named_replicas_are_complete", "newest_clones_are_complete", "nothing_without_a_file")
    )
    def mutations_survive(s) -> Bool:
        """While a file lists the chunk, under whatever name, somebody within reach has all of it."""
        return ~s.is_kept() | ~(s.whole() & s.reachable() & s.complete).is_empty()

    @invariant(inductive=True, given=("nothing_without_a_file",))
    def newest_clones_are_complete(s, chunkserver: Chunkserver) -> Bool:
        """No clone is made of damaged bytes; current replicas are complete, and what is not there is not."""
        current = s.replica[chunkserver].at(ChunkReplicaLifecycle.current)
        return ~s.clone[chunkserver].at(CloneStage.DAMAGED) & (~current | s.complete.has(chunkserver))

    @invariant(inductive=True)
    def nothing_without_a_file(s, chunkserver: Chunkserver) -> Bool:
        """What is not there is neither damaged nor complete; without a file nothing is there yet, or nothing named."""
        absent = s.replica[chunkserver].at(ChunkReplicaLifecycle.absent)
        nothing = absent & s.clone[chunkserver].at(CloneStage.NONE)
        blank = ~s.damaged.has(chunkserver) & ~s.complete.has(chunkserver)
        unnamed = s.is_kept() | ~s.locations.has(chunkserver)
        return s.file.at(FileStage.ABSENT).implies(nothing) & absent.implies(blank) & unnamed

    @leads_to(fair=RESTART, strongly_fair=("report_stale", "delete_replica"))
    def stale_replica_is_removed(s, chunkserver: Chunkserver) -> tuple[Bool, Bool]:
        """A stale replica is removed, or found to be damaged before."""
        replica = s.replica[chunkserver]
        gone = replica.at(ChunkReplicaLifecycle.absent, ChunkReplicaLifecycle.corrupt)
        return replica.at(ChunkReplicaLifecycle.stale), gone

    @leads_to(fair=RESTART, strongly_fair=("report_orphan", "delete_replica"))
    def orphan_is_reclaimed(s, chunkserver: Chunkserver) -> tuple[Bool, Bool]:
        """A replica of a chunk that no file lists is removed, however it is."""
        absent = s.replica[chunkserver].at(ChunkReplicaLifecycle.absent)
        return s.file.at(FileStage.GONE) & ~absent, absent

    @leads_to(fair=RESTART, strongly_fair=("report_stale", "delete_replica", *CLONING))
    def missing_replicas_are_cloned(s) -> tuple[Bool, Bool]:
        """While the file is there, there come to be as many replicas within reach as are wanted."""
        enough = s.reachable().size() >= WANTED
        return s.is_kept() & ~enough, enough | ~s.is_kept()

    @leads_to(fair=("remove_hidden_file",))
    def deleted_file_goes(s) -> tuple[Bool, Bool]:
        """A deleted file is removed, unless it gets its name back."""
        return s.file.at(FileStage.HIDDEN), ~s.file.at(FileStage.HIDDEN)

    @witness
    def clone_is_overtaken(s, chunkserver: Chunkserver) -> Bool:
        """A chunk is mutated while it is cloned."""
        return s.clone[chunkserver].at(CloneStage.OUTDATED) & s.file.at(FileStage.LISTED)

    @witness
    def named_replica_is_damaged(s, chunkserver: Chunkserver) -> Bool:
        """The master names a damaged replica, as nobody has read it yet."""
        return s.reachable().has(chunkserver) & s.damaged.has(chunkserver)

    @witness
    def damaged_replica_is_stale(s, chunkserver: Chunkserver) -> Bool:
        """A replica is stale and damaged."""
        return s.replica[chunkserver].at(ChunkReplicaLifecycle.stale) & s.damaged.has(chunkserver)

    @witness
    def clone_ends_after_the_file(s, chunkserver: Chunkserver) -> Bool:
        """A clone is being made of a chunk that no file lists any more."""
        return s.file.at(FileStage.GONE) & s.clone[chunkserver].at(CloneStage.NEWEST)

    @witness
    def one_replica_is_left(s) -> Bool:
        """A single replica is within reach, and the others are to be had again."""
        return s.is_kept() & (s.reachable().size() == 1) & (s.complete.size() == 1)


REPLICAS = System(
    "gfs.replicas",
    parts=[ReplicasProperties],
    doc="The replicas of one chunk: stale, damaged and orphaned ones are not read and go, missing ones are cloned.",
    rows="""
        two_chunkservers: Chunkserver=2; as many chunkservers as replicas are wanted
        three_chunkservers: Chunkserver=3; one chunkserver more
    """,
    bugs=REPLICAS_BUGS,
    idle={"read": "only a bug lets a client read what is damaged"},
    omits=(
        "more than one chunk: priorities of re-replication, its limits, and rebalancing",
        "leases, versions as numbers, lost answers, restarts of the master: in gfs.chunk_lease",
        "the removal of replicas beyond those wanted, of which one is removed when a replica was moved",
        "faults that leave no whole replica within reach, after which nothing is promised",
        "blocks of a chunk: a replica is damaged or not, and a mutation does not look at what else is in it",
        "chunks that several files list: in gfs.snapshot",
    ),
)
