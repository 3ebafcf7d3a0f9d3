"""The NameNode: which reported replicas are corrupt, and what becomes of them; replicas too many and too few.

Each helper is one method of BlockManager, with its condition as an argument: what it does, it does where that holds.

Coarser than HDFS: which of too many replicas goes is free, not a matter of racks and space, and it may go at any later
time; priorities of the queue for reconstruction are left out; what a client reports as corrupt is left out.
"""

from genstamp_model.language import (
    Bool,
    Enumerated,
    Members,
    Number,
    Ordered,
    action,
    each,
    require,
    those,
    when,
)
from genstamp_spec.hdfs.parts.report_messages import ReportMessages
from genstamp_spec.hdfs.parts.reports_state import CorruptReason, ReportedState, corrupt_for, not_corrupt
from genstamp_spec.hdfs.parts.state import Datanode, File, only
from genstamp_spec.lifecycles.block import BlockLifecycle


class NamenodeCorruption(ReportMessages, lane="namenode"):
    """checkReplicaCorrupt, markBlockAsCorrupt, invalidateBlock, removeStoredBlock, and the excess replicas."""

    # Counting (BlockManager#countNodes).

    def wanted(s) -> Number:
        """How many replicas a block should have."""
        return s.wanted_replicas.size()

    def minimal(s) -> Number:
        """How many replicas make a committed block complete."""
        return s.minimal_replicas.size()

    def corrupt_replicas(s, file: File) -> Members[Datanode]:
        """Datanodes whose replica is in the map of corrupt replicas."""
        return those(Datanode, lambda d: ~s.corrupt[file][d].at(CorruptReason.NONE))

    def usable(s, file: File) -> Members[Datanode]:
        """Replicas that are live, or on a datanode that is decommissioned: neither corrupt nor in excess."""
        return s.stored[file] - s.corrupt_replicas(file) - s.excess[file]

    def live(s, file: File) -> Members[Datanode]:
        """Replicas that count towards the wanted number."""
        return s.usable(file) - s.decommissioning

    def counts_as_minimal(s, file: File) -> Members[Datanode]:
        """Replicas that count towards minimal replication: the usable ones (HDFS-11486, facts A.3 step 6)."""
        return s.usable(file)

    def has_minimal(s, file: File) -> Bool:
        """Enough replicas are known for the block to be complete (BlockManager#hasMinStorage)."""
        return s.counts_as_minimal(file).size() >= s.minimal()

    # Which reported replicas are corrupt (I.2).

    def corruption(
        s, file: File, state: Enumerated[ReportedState], stamp: Ordered, num_bytes: Number
    ) -> Enumerated[CorruptReason]:
        """BlockManager#checkReplicaCorrupt: why a replica reported so is corrupt, or NONE (facts I.2, H.3)."""
        block = s.block[file]
        complete, writing = block.at(BlockLifecycle.complete), block.at(BlockLifecycle.under_construction)
        settled = complete | block.at(BlockLifecycle.committed)
        other = stamp != s.block_stamp[file]
        finalized, unfinished = state.at(ReportedState.FINALIZED), state.at(ReportedState.RBW, ReportedState.RWR)
        recovering = block.at(BlockLifecycle.under_recovery)
        too_old = (writing & s.is_old(file, stamp)) | (recovering & s.is_too_old_to_recover(file, stamp))
        of_old_finalized = finalized & ((settled & other) | too_old)
        of_old_unfinished = unfinished & when(complete, other, s.is_old_unfinished(file, stamp))
        wrong_size = finalized & settled & ~other & (num_bytes != s.block_bytes[file])
        wrong_state = complete & ~other & s.cannot_be_complete(state)
        never = state.at(ReportedState.RUR, ReportedState.TEMPORARY)
        reason = when(wrong_state | never, corrupt_for(CorruptReason.INVALID_STATE), CorruptReason.NONE)
        reason = when(wrong_size, corrupt_for(CorruptReason.SIZE_MISMATCH), reason)
        return when(of_old_finalized | of_old_unfinished, corrupt_for(CorruptReason.GENSTAMP_MISMATCH), reason)

    def is_old(s, file: File, stamp: Ordered) -> Bool:
        """A FINALIZED replica of an open block: its stamp is below the block's (HDFS-5723)."""
        return stamp < s.block_stamp[file]

    def is_too_old_to_recover(s, file: File, stamp: Ordered) -> Bool:
        """A FINALIZED replica of a block under recovery: its stamp is below the block's, so that it can take no part.

        A repair: Hadoop 3.4.1 takes it for a location, which each attempt asks in vain.
        """
        return stamp < s.block_stamp[file]

    def is_old_unfinished(s, file: File, stamp: Ordered) -> Bool:
        """An RBW or RWR of a block that is not complete: its stamp is below the block's (HDFS-13840)."""
        return stamp < s.block_stamp[file]

    def cannot_be_complete(s, state: Enumerated[ReportedState]) -> Bool:
        """A complete block has no RWR. An RBW may be about to be finalized: the report was late (HDFS-2791)."""
        return state.at(ReportedState.RWR)

    # Corrupt replicas (I.3).

    def mark_corrupt(
        s,
        file: File,
        datanode: Datanode,
        stamp: Ordered,
        reason: Enumerated[CorruptReason],
        *,
        where: Bool | bool = True,
    ) -> None:
        """BlockManager#markBlockAsCorrupt, Hadoop 3.4.1: the replica counts no more; it is deleted now, or is kept.

        It is deleted if replicas enough are left, if there are more than wanted with it, or if it was left behind by
        a pipeline: then its stamp is below the block's (facts I.3).
        """
        s.stored[file] = when(where, s.stored[file] | only(datanode), s.stored[file])
        s.corrupt[file][datanode] = when(where, reason, s.corrupt[file][datanode])
        enough = s.usable_for_deletion(file) >= s.wanted()
        minimal = s.usable(file).size() >= s.minimal()
        known = s.live(file).size() + s.corrupt_replicas(file).size()
        behind = stamp < s.block_stamp[file]
        goes = enough | (minimal & ((known > s.wanted()) | behind))
        stale = s.on_stale_storage(file)
        s.invalidate_block(file, datanode, stamp, where=where & goes & ~stale)
        s.postpone(file, where=where & goes & stale)
        s.update_needed(file, where=where & ~goes)

    def usable_for_deletion(s, file: File) -> Number:
        """Replicas that make a corrupt one superfluous: the usable ones (HDFS-16064, facts I.3)."""
        return s.usable(file).size()

    def on_stale_storage(s, file: File) -> Bool:
        """A replica of the block is known of a datanode that has not reported in full yet."""
        return ~(s.stored[file] & s.stale_contents).is_empty()

    def postpone(s, file: File, *, where: Bool | bool = True) -> None:
        """The block is looked at again when the reports are there (BlockManager#postponeBlock)."""
        s.postponed[file] = s.postponed[file] | where

    def invalidate_block(s, file: File, datanode: Datanode, stamp: Ordered, *, where: Bool | bool = True) -> None:
        """BlockManager#invalidateBlock: the replica is to be deleted, and its datanode is no location any more."""
        s.order_deletion(file, datanode, stamp, where=where)
        s.remove_stored(file, only(datanode), where=where)

    def order_deletion(s, file: File, datanode: Datanode, stamp: Ordered, *, where: Bool | bool = True) -> None:
        """InvalidateBlocks#add, for one datanode."""
        s.order_deletions(file, only(datanode), stamp, where=where)

    def order_deletions(
        s, file: File, datanodes: Members[Datanode], stamp: Ordered, *, where: Bool | bool = True
    ) -> None:
        """InvalidateBlocks#add: an order for the block that waits already stands; none in safe mode."""
        ordered = ~s.safe_mode & where
        s.to_invalidate.update(
            lambda d: each(
                File,
                lambda f: when(
                    ordered & datanodes.has(d) & (f == file) & (s.to_invalidate[d][f] == 0),
                    stamp,
                    s.to_invalidate[d][f],
                ),
            )
        )

    def remove_stored(s, file: File, datanodes: Members[Datanode], *, where: Bool | bool = True) -> None:
        """BlockManager#removeStoredBlock: the datanodes leave the block map, the corrupt and the excess replicas."""
        gone = s.stored[file] & datanodes
        there = where & ~gone.is_empty()
        s.stored[file] = when(there, s.stored[file] - gone, s.stored[file])
        s.excess[file] = when(there, s.excess[file] - gone, s.excess[file])
        s.corrupt[file].update(lambda d: when(there & gone.has(d), not_corrupt(), s.corrupt[file][d]))
        s.update_needed(file, where=there)

    def invalidate_corrupt_replicas(s, file: File, *, where: Bool | bool = True) -> None:
        """BlockManager#invalidateCorruptReplicas: replicas enough are there, the corrupt ones go.

        Where that has to wait for reports they stay known as corrupt (HDFS-4799, facts I.3). The orders name the stamp
        of the block, so that they do not fit an older replica: that one is found anew by the next full report.
        """
        corrupt, stale = s.corrupt_replicas(file), s.on_stale_storage(file)
        go = ~corrupt.is_empty() & ~s.safe_mode & where
        s.order_deletions(file, corrupt, s.block_stamp[file], where=go & ~stale)
        s.postpone(file, where=go & stale)
        s.remove_stored(file, corrupt, where=go & ~stale)

    # Too few and too many.

    def is_short(s, file: File) -> Bool:
        """A complete block has fewer live replicas than wanted, those counted that are on their way."""
        expected = s.live(file).size() + s.pending[file].size()
        return s.may_be_copied(file) & (expected < s.wanted())

    def may_be_copied(s, file: File) -> Bool:
        """Only a complete block is copied: an open one changes (HDFS-9600)."""
        return s.block[file].at(BlockLifecycle.complete)

    def update_needed(s, file: File, *, where: Bool | bool = True) -> None:
        """BlockManager#updateNeededReconstructions: the block is in the queue if and only if it is short."""
        s.needed[file] = when(where & ~s.safe_mode, s.is_short(file), s.needed[file])

    @action
    def choose_excess_replica(s, file: File, datanode: Datanode) -> None:
        """A live replica too many is to be deleted, once all datanodes that have one have reported in full.

        Source  BlockManager#processExtraRedundancyBlock, #processChosenExcessRedundancy, Hadoop 3.4.1; facts I.3.
        """
        require(~s.safe_mode, "the NameNode is not in safe mode")
        require(s.block[file].at(BlockLifecycle.complete), "the block is complete")
        require(s.live(file).has(datanode), "the replica is live")
        require(s.live(file).size() > s.wanted(), "there are more live replicas than wanted")
        require(~s.on_stale_storage(file), "every datanode with a replica has reported in full")
        s.excess[file].add(datanode)
        s.order_deletion(file, datanode, s.block_stamp[file])
