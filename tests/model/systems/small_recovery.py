"""A small model of HDFS block recovery: one file of one block, some datanodes, any number of recoveries in sequence.

It is here for the judges, not to be believed: much coarser than `hdfs.recovery`, with known counts. For datanodes,
stamps, bytes and crashes: (3, 3, 2, 1) has 284 862 distinct states, 897 111 with those generated again, and 31 levels;
(3, 3, 2, 2) has 1 269 152, 4 285 048 and 33; (3, 4, 2, 2) has 6 582 011, 24 959 629 and 39; (4, 4, 2, 1) has
17 355 270, 72 519 881 and 44.
"""

import enum
from typing import Self

from genstamp_model.language import *


class Datanode(Index, symmetric=True):
    """A datanode."""


class ReplicaState(enum.Enum):
    """State of a replica, the better first."""

    NONE = enum.auto()
    FINALIZED = enum.auto()
    RBW = enum.auto()
    RWR = enum.auto()
    RUR = enum.auto()


class OriginalState(enum.Enum):
    """State of a replica before its recovery began."""

    NONE = enum.auto()
    FINALIZED = enum.auto()
    RBW = enum.auto()
    RWR = enum.auto()


class BlockState(enum.Enum):
    """State of the block at the namenode."""

    UNDER_CONSTRUCTION = enum.auto()
    UNDER_RECOVERY = enum.auto()
    COMMITTED = enum.auto()
    COMPLETE = enum.auto()


class Holder(enum.Enum):
    """Who holds the lease."""

    NOBODY = enum.auto()
    WRITER = enum.auto()
    NAMENODE = enum.auto()


class Stage(enum.Enum):
    """What the primary datanode is doing."""

    IDLE = enum.auto()
    COLLECTING = enum.auto()
    SYNCING = enum.auto()


# Rank of a replica's original state, the best first; 0 where no recovery has begun.
NO_RANK, FINALIZED_RANK, RBW_RANK, RWR_RANK = range(4)


class Replica(Record):
    """A datanode's replica; `original` is the rank of the state that RUR hides."""

    state = enumeration(ReplicaState, initially=ReplicaState.RBW)
    stamp = ordered(limit="stamps", initially=1)
    num_bytes = number(limit="bytes")
    original = number(0, 3)
    recovery_id = ordered(limit="stamps")


class Recovery(Part):
    """Writer, namenode, datanodes and the one primary at work."""

    up = members(Datanode, initially_all=True)
    replica = per(Datanode, record(Replica))

    block = enumeration(BlockState)
    block_stamp = ordered(limit="stamps", initially=1)
    block_bytes = number(limit="bytes")
    last_stamp = ordered(limit="stamps", initially=1)
    recovery_id = ordered(limit="stamps")
    primary = optional(Datanode)
    holder = enumeration(Holder, initially=Holder.WRITER)
    expired = flag()

    writing = flag(initially=True)
    writer_stamp = ordered(limit="stamps", initially=1)
    acknowledged = number(limit="bytes")
    closing = flag()
    pipeline = members(Datanode, initially_all=True)

    stage = enumeration(Stage)
    attempt = ordered(limit="stamps")
    leader = optional(Datanode)
    answered = members(Datanode)
    updated = members(Datanode)
    best = number(0, 3)
    new_bytes = number(limit="bytes")

    crashes = number(limit="crashes")

    def _intact(s, dn: Datanode) -> Bool:
        """Whether a datanode holds a replica that the writer can write to."""
        replica = s.replica[dn]
        return s.up.has(dn) & replica.state.at(ReplicaState.RBW) & (replica.stamp == s.writer_stamp)

    def _open(s) -> Bool:
        return s.block.at(BlockState.UNDER_CONSTRUCTION, BlockState.UNDER_RECOVERY)

    def _writable(s) -> Bool:
        return s.holder.at(Holder.WRITER) & s.block.at(BlockState.UNDER_CONSTRUCTION)

    def _all_updated(s) -> Bool:
        """Whether the primary has nothing to wait for any more."""
        return ~s.updated.is_empty() & forall(
            Datanode,
            lambda dn: ~s.answered.has(dn) | s.updated.has(dn) | ~s.up.has(dn) | (s.replica[dn].original != s.best),
        )

    def _clear_attempt(s) -> None:
        s.stage = Stage.IDLE
        s.best = NO_RANK
        s.new_bytes = 0
        s.leader = none
        s.answered.clear()
        s.updated.clear()

    @action
    def receive_packet(s, dn: Datanode) -> None:
        """A datanode of the pipeline receives the next byte."""
        require(s.writing & ~s.closing, "the writer is writing")
        require(s.pipeline.has(dn) & s._intact(dn), "the datanode is an intact part of the pipeline")
        require(s.replica[dn].num_bytes <= s.acknowledged, "the byte is the next one")
        s.replica[dn].num_bytes = s.replica[dn].num_bytes + 1

    @action
    def acknowledge(s) -> None:
        """The writer learns that every datanode of the pipeline has the next byte."""
        require(s.writing & ~s.closing, "the writer is writing")
        require(~s.pipeline.is_empty(), "there is a pipeline")
        require(
            forall(
                Datanode,
                lambda dn: ~s.pipeline.has(dn) | ((s.replica[dn].num_bytes > s.acknowledged) & s._intact(dn)),
            ),
            "every datanode of the pipeline has the byte",
        )
        s.acknowledged = s.acknowledged + 1

    @action
    def close(s) -> None:
        """The writer sends no more."""
        require(s.writing & ~s.closing, "the writer is writing")
        require(~s.pipeline.is_empty(), "there is a pipeline")
        require(s.block_stamp == s.writer_stamp, "the namenode knows the pipeline")
        require(
            forall(Datanode, lambda dn: ~s.pipeline.has(dn) | (s.replica[dn].num_bytes == s.acknowledged)),
            "everything is acknowledged",
        )
        s.closing = True

    @action
    def finalize(s, dn: Datanode) -> None:
        """A datanode finalizes its replica after the last packet."""
        require(s.writing & s.closing, "the writer is closing")
        require(s.pipeline.has(dn) & s._intact(dn), "the datanode is an intact part of the pipeline")
        require(s.replica[dn].num_bytes == s.acknowledged, "the replica is as long as acknowledged")
        s.replica[dn].state = ReplicaState.FINALIZED

    @action
    def commit(s) -> None:
        """The writer commits the block."""
        require(s.writing & s.closing, "the writer is closing")
        require(s._writable(), "the writer holds the lease", refuses="LeaseExpiredException")
        require(s.block_stamp == s.writer_stamp, "the namenode knows the pipeline")
        require(
            forall(Datanode, lambda dn: ~s.pipeline.has(dn) | s.replica[dn].state.at(ReplicaState.FINALIZED)),
            "every replica of the pipeline is finalized",
        )
        s.block = BlockState.COMMITTED
        s.block_bytes = s.acknowledged

    @action
    def complete(s) -> None:
        """The namenode completes the block."""
        require(s.block.at(BlockState.COMMITTED), "the block is committed")
        require(exists(Datanode, lambda dn: s.up.has(dn) & s._reported(dn)), "a replica is reported")
        s.block = BlockState.COMPLETE
        s.holder = Holder.NOBODY
        s.expired = False

    def _reported(s, dn: Datanode) -> Bool:
        replica = s.replica[dn]
        return (
            replica.state.at(ReplicaState.FINALIZED)
            & (replica.stamp == s.block_stamp)
            & (replica.num_bytes == s.block_bytes)
        )

    @action
    def writer_crash(s) -> None:
        """The writer dies for good."""
        require(s.writing, "the writer is up")
        s.writing = False
        s.closing = False
        s.writer_stamp = 0
        s.pipeline.clear()

    @action(hidden=True)
    def lease_expires(s) -> None:
        """The writer's lease passes its limit."""
        require(s.holder.at(Holder.WRITER) & ~s.expired & s._open(), "the writer holds the lease of an open block")
        s.expired = True

    @action
    def crash(s, dn: Datanode) -> None:
        """A datanode dies; a recovery that it leads dies with it."""
        require(s.up.has(dn), "the datanode is up")
        s.up.remove(dn)
        s.crashes = s.crashes + 1
        led = s.leader == dn
        s.stage = when(led, Stage.IDLE, s.stage)
        s.best = when(led, NO_RANK, s.best)
        s.new_bytes = when(led, 0, s.new_bytes)
        s.leader = when(led, none, s.leader)
        s.answered = s.answered - when(led, s.answered, s.answered - s.answered)
        s.updated = s.updated - when(led, s.updated, s.updated - s.updated)

    @action
    def restart(s, dn: Datanode) -> None:
        """A datanode comes back; what was being written or recovered waits to be recovered."""
        require(~s.up.has(dn), "the datanode is down")
        s.up.add(dn)
        replica = s.replica[dn]
        was_rbw, was_rur = replica.state.at(ReplicaState.RBW), replica.state.at(ReplicaState.RUR)
        was_finalized = was_rur & (replica.original == FINALIZED_RANK)
        kept = when(was_rbw | was_rur, ReplicaState.RWR, replica.state)
        replica.state = when(was_finalized, ReplicaState.FINALIZED, kept)
        replica.original = NO_RANK
        replica.recovery_id = 0

    @action
    def drop_from_pipeline(s, dn: Datanode) -> None:
        """The writer goes on without a datanode, under a new stamp."""
        require(s.writing & ~s.closing, "the writer is writing")
        require(s.pipeline.has(dn), "the datanode is in the pipeline")
        require(~s.up.has(dn) | ~s.replica[dn].state.at(ReplicaState.RBW), "the datanode fails")
        require(s._writable(), "the writer holds the lease", refuses="LeaseExpiredException")
        s.pipeline.remove(dn)
        s.last_stamp = s.last_stamp + 1
        s.writer_stamp = s.last_stamp

    @action
    def raise_stamp(s, dn: Datanode) -> None:
        """A datanode of the pipeline learns the writer's new stamp."""
        replica = s.replica[dn]
        require(s.writing & s.pipeline.has(dn), "the datanode is in the writer's pipeline")
        require(s.up.has(dn) & replica.state.at(ReplicaState.RBW), "the datanode is writing")
        require(replica.stamp < s.writer_stamp, "the stamp is new")
        require(replica.num_bytes >= s.acknowledged, "the replica has what is acknowledged")
        replica.stamp = s.writer_stamp

    @action
    def update_pipeline(s) -> None:
        """The namenode learns the writer's new stamp."""
        require(s.writing & s._writable(), "the writer holds the lease")
        require(s.block_stamp < s.writer_stamp, "the stamp is new")
        require(
            forall(Datanode, lambda dn: ~s.pipeline.has(dn) | (s.replica[dn].stamp == s.writer_stamp)),
            "every datanode of the pipeline knows the stamp",
        )
        s.block_stamp = s.writer_stamp

    @action
    def recover_lease(s, dn: Datanode) -> None:
        """The namenode begins a recovery and chooses the datanode that leads it."""
        require(s.expired & s._open(), "the lease of an open block has expired")
        require(s.up.has(dn) & ~s.replica[dn].state.at(ReplicaState.NONE), "the datanode is up and has a replica")
        s.holder = Holder.NAMENODE
        s.block = BlockState.UNDER_RECOVERY
        s.last_stamp = s.last_stamp + 1
        s.recovery_id = s.last_stamp
        s.primary = dn

    @action
    def begin_recovery(s, dn: Datanode) -> None:
        """The chosen datanode begins to lead; an older attempt is forgotten."""
        require((s.primary == dn) & s.up.has(dn), "the datanode was chosen and is up")
        require(s.attempt < s.recovery_id, "the recovery is new")
        require(s.block.at(BlockState.UNDER_RECOVERY), "the block is under recovery")
        s._clear_attempt()
        s.stage = Stage.COLLECTING
        s.attempt = s.recovery_id
        s.leader = dn
        s.primary = none

    @action
    def init_replica_recovery(s, dn: Datanode) -> None:
        """A datanode freezes its replica for the leader."""
        replica = s.replica[dn]
        require(s.stage.at(Stage.COLLECTING) & ~s.answered.has(dn), "the leader asks")
        require(s.up.has(dn) & ~replica.state.at(ReplicaState.NONE), "the datanode is up and has a replica")
        require(replica.recovery_id < s.attempt, "no later recovery has begun")
        require(replica.stamp < s.attempt, "the replica is older than the recovery")
        rank = when(
            replica.state.at(ReplicaState.FINALIZED),
            FINALIZED_RANK,
            when(replica.state.at(ReplicaState.RBW), RBW_RANK, RWR_RANK),
        )
        replica.original = when(replica.state.at(ReplicaState.RUR), replica.original, rank)
        replica.state = ReplicaState.RUR
        replica.recovery_id = s.attempt
        s.answered.add(dn)

    @action
    def sync_block(s) -> None:
        """The leader has heard everybody and decides the new length."""
        require(s.stage.at(Stage.COLLECTING) & ~s.answered.is_empty(), "somebody has answered")
        require(
            forall(
                Datanode,
                lambda dn: (
                    s.answered.has(dn)
                    | ~s.up.has(dn)
                    | s.replica[dn].state.at(ReplicaState.NONE)
                    | (s.replica[dn].stamp >= s.attempt)
                    | (s.replica[dn].recovery_id >= s.attempt)
                ),
            ),
            "nobody is left to answer",
        )
        best = minimum(Datanode, lambda dn: s.replica[dn].original, where=s.answered.has, default=RWR_RANK)
        s.stage = Stage.SYNCING
        s.best = best
        s.new_bytes = minimum(
            Datanode,
            lambda dn: s.replica[dn].num_bytes,
            where=lambda dn: s.answered.has(dn) & (s.replica[dn].original == best),
            default=0,
        )

    def _require_update(s, dn: Datanode) -> None:
        replica = s.replica[dn]
        require(s.stage.at(Stage.SYNCING), "the leader has decided")
        require(s.answered.has(dn) & ~s.updated.has(dn), "the replica takes part and is not updated")
        require(s.up.has(dn) & replica.state.at(ReplicaState.RUR), "the datanode is up and recovering")
        require(replica.recovery_id == s.attempt, "the recovery is the last one begun here")
        require(replica.original == s.best, "the replica is among the best")
        require(replica.num_bytes >= s.new_bytes, "the replica is long enough")

    @action
    def update_replica(s, dn: Datanode) -> None:
        """A datanode takes over stamp and length."""
        s._require_update(dn)
        s._finalize_recovered(dn)
        s.replica[dn].num_bytes = s.new_bytes

    def _finalize_recovered(s, dn: Datanode) -> None:
        replica = s.replica[dn]
        replica.state = ReplicaState.FINALIZED
        replica.stamp = s.attempt
        replica.original = NO_RANK
        replica.recovery_id = 0
        s.updated.add(dn)

    @action
    def invalidate(s, dn: Datanode) -> None:
        """A stale replica is deleted."""
        replica = s.replica[dn]
        require(s.block.at(BlockState.COMPLETE) & s.stage.at(Stage.IDLE), "the block is complete and nobody recovers")
        require(s.up.has(dn), "the datanode is up")
        require(~replica.state.at(ReplicaState.NONE, ReplicaState.RBW), "there is a replica that is not written to")
        require(replica.stamp != s.block_stamp, "the replica is stale")
        s.replica[dn] = Replica(state=ReplicaState.NONE, stamp=0, num_bytes=0, original=NO_RANK, recovery_id=0)

    @action
    def commit_block_synchronization(s) -> None:
        """The leader reports, and the namenode closes the file."""
        require(s.stage.at(Stage.SYNCING) & s._all_updated(), "every replica is updated")
        require(s.recovery_id == s.attempt, "the recovery is the last one")
        require(s.block.at(BlockState.UNDER_RECOVERY), "the block is under recovery")
        s.block = BlockState.COMPLETE
        s.block_stamp = s.attempt
        s.block_bytes = s.new_bytes
        s.holder = Holder.NOBODY
        s.expired = False
        s._clear_attempt()

    @action(event="commit_block_synchronization", refuses="IOException")
    def commit_block_synchronization_refused(s) -> None:
        """The leader reports a recovery that another one has overtaken."""
        require(s.stage.at(Stage.SYNCING) & s._all_updated(), "every replica is updated")
        require(
            (s.recovery_id != s.attempt) | ~s.block.at(BlockState.UNDER_RECOVERY),
            "the recovery is not the last one, or the block is not under recovery",
        )
        s._clear_attempt()

    @invariant
    def complete_means_matching_replicas(s) -> Bool:
        """Once the block is complete, every live finalized replica with its stamp has its length."""
        return ~s.block.at(BlockState.COMPLETE) | forall(
            Datanode,
            lambda dn: (
                ~s.up.has(dn)
                | ~s.replica[dn].state.at(ReplicaState.FINALIZED)
                | (s.replica[dn].stamp != s.block_stamp)
                | (s.replica[dn].num_bytes == s.block_bytes)
            ),
        )

    @transition
    def stamps_rise(s, t: Self) -> Bool:
        """Neither the namenode's stamps nor the recovery id ever fall."""
        return (s.last_stamp <= t.last_stamp) & (s.recovery_id <= t.recovery_id) & (s.block_stamp <= t.block_stamp)

    @witness
    def recovery_overtaken(s) -> Bool:
        """A second recovery begins while an older one still syncs."""
        return s.stage.at(Stage.SYNCING) & (s.attempt < s.recovery_id)

    @witness
    def recovered_with_two_replicas(s) -> Bool:
        """A recovery can leave two good replicas."""
        return s.block.at(BlockState.COMPLETE) & (s.recovery_id == s.block_stamp) & (count(Datanode, s._reported) >= 2)


class KeepsOldLength(Recovery):
    """A datanode that takes over the stamp but not the length."""

    @action
    def update_replica(s, dn: Datanode) -> None:
        """A datanode takes over the stamp, and keeps its length."""
        s._require_update(dn)
        s._finalize_recovered(dn)


KEEPS_OLD_LENGTH = Bug(
    "keeps-old-length",
    "update_replica does not truncate",
    parts=(KeepsOldLength,),
    breaks=("complete_means_matching_replicas",),
    configuration="three",
    depth=11,
)


def _configuration(name: str, datanodes: int, stamps: int, num_bytes: int, crashes: int) -> Configuration:
    return Configuration(
        name,
        sizes={"Datanode": datanodes},
        limits={"stamps": stamps, "bytes": num_bytes, "crashes": crashes},
    )


SMALL_RECOVERY = System(
    "small_recovery",
    parts=[Recovery],
    configurations=[
        _configuration("three", 3, 3, 2, 1),
        _configuration("medium", 3, 3, 2, 2),
        _configuration("large", 3, 4, 2, 2),
        _configuration("four", 4, 4, 2, 1),
        _configuration("two", 2, 3, 1, 1),
    ],
    bugs=[KEEPS_OLD_LENGTH],
    may_stop=lambda s: s.block.at(BlockState.COMPLETE),
)
