"""Replicas that do not fit their block: how they are found, marked, and when they are deleted.

A corrupt replica counts no longer, but is deleted only when the block does not need it: when enough good ones are
there, or when it is a left-over of a write. A report that fits takes a mark away again.

Not here: the queues of a standby, and replicas of unknown storages. 3.4.1 lets an RBW report of a location that is
marked corrupt store the replica (`a && b || c` without parentheses in addStoredBlockUnderConstruction); not here.

Source: BM/BlockManager#checkReplicaCorrupt, #markBlockAsCorrupt, BM/CorruptReplicasMap, Hadoop 3.4.1; facts I.2, I.3.
"""

from genstamp_dfs.hdfs.namenode.block_manager import BlockManager
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo, CorruptReason, CorruptReplica
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.redundancy import add_to_invalidates, remove_stored_block, update_needed
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, ReplicaState, ReportedReplica


def check_replica_corrupt(reported: ReportedReplica, block: BlockInfo) -> CorruptReason | None:
    """Why a reported replica disagrees with its block; None if it does not.

    A higher stamp on a block that is not committed is no disagreement: a pipeline is being set up again, or a recovery
    is about to commit.

    Source: BlockManager#checkReplicaCorrupt (HDFS-5723, HDFS-13840), Hadoop 3.4.1.
    """
    if reported.state in (ReplicaState.RUR, ReplicaState.TEMPORARY):
        return CorruptReason.INVALID_STATE
    if reported.generation_stamp != block.generation_stamp:
        return CorruptReason.GENSTAMP_MISMATCH if _is_stamp_wrong(reported, block) else None
    if reported.state is ReplicaState.FINALIZED:
        is_fixed = block.state in (BlockUCState.COMPLETE, BlockUCState.COMMITTED)
        return CorruptReason.SIZE_MISMATCH if is_fixed and reported.num_bytes != block.num_bytes else None
    # An RBW of a COMPLETE block is one whose close is on its way (HDFS-2791).
    return CorruptReason.INVALID_STATE if reported.state is ReplicaState.RWR and block.is_complete else None


def _is_stamp_wrong(reported: ReportedReplica, block: BlockInfo) -> bool:
    """Whether a stamp that is not the block's makes the replica corrupt."""
    is_older = reported.generation_stamp < block.generation_stamp
    match block.state:
        case BlockUCState.COMPLETE:
            return True
        case BlockUCState.COMMITTED:
            return is_older or reported.state is ReplicaState.FINALIZED
        case BlockUCState.UNDER_CONSTRUCTION:
            return is_older
        case BlockUCState.UNDER_RECOVERY:
            return is_older and reported.state is not ReplicaState.FINALIZED


def why_corrupt(bm: BlockManager, reported: ReportedReplica, block: BlockInfo) -> CorruptReason | None:
    """As `check_replica_corrupt`, and with the repair stale-replica-joins-a-recovery a bit more.

    Hadoop takes a FINALIZED replica of an older generation for a location of a block under recovery. It can take
    no part in the recovery, and its refusal keeps those who want an answer of all from going on.
    """
    reason = check_replica_corrupt(reported, block)
    is_older = reported.generation_stamp < block.generation_stamp
    if reason is None and is_older and bm.repairs(Repair.STALE_REPLICA_JOINS_A_RECOVERY):
        return CorruptReason.GENSTAMP_MISMATCH
    return reason


def mark_block_as_corrupt(
    bm: BlockManager, block: BlockInfo, datanode: str, corrupted: Block, reason: CorruptReason
) -> None:
    """A replica counts no longer; it is deleted if the block does not need it, else more copies are ordered.

    Args:
        block: the block.
        datanode: who has the replica.
        corrupted: the replica, with its own stamp and length.
        reason: why.

    Source: BlockManager#markBlockAsCorrupt, #invalidateBlock, Hadoop 3.4.1.
    """
    descriptor = bm.datanode_manager.datanodes.get(datanode)
    if descriptor is None:
        return
    bm.store_corrupt(block, descriptor, CorruptReplica(reason, corrupted.generation_stamp))
    if _may_delete(bm, block, corrupted):
        _invalidate(bm, block, datanode, corrupted)
    else:
        update_needed(bm, block)


def _may_delete(bm: BlockManager, block: BlockInfo, corrupted: Block) -> bool:
    """Whether the block can do without the corrupt replica."""
    live = bm.live_replicas(block)
    if live >= block.replication:
        return True
    has_more = live + len(block.corrupt) > block.replication
    is_corrupted_during_write = block.generation_stamp > corrupted.generation_stamp
    return bm.has_min_storage(block) and (has_more or is_corrupted_during_write)


def _invalidate(bm: BlockManager, block: BlockInfo, datanode: str, corrupted: Block) -> None:
    """Have the replica deleted, unless the good ones may be gone."""
    if not bm.configuration.delete_corrupt_replicas_immediately and bm.has_replica_on_stale_content(block):
        bm.postponed[block.block_id] = None
        return
    add_to_invalidates(bm, corrupted, datanode)
    remove_stored_block(bm, block, datanode)


def invalidate_corrupt_replicas(bm: BlockManager, block: BlockInfo) -> None:
    """The block has replicas enough: the corrupt ones can go (#invalidateCorruptReplicas)."""
    for datanode, mark in list(block.corrupt.items()):
        _invalidate(bm, block, datanode, Block(block.block_id, mark.generation_stamp, block.num_bytes))


def takes_mark_away(bm: BlockManager, mark: CorruptReplica) -> bool:
    """Whether a report that fits makes a marked replica good.

    Hadoop takes away marks of another stamp only (HDFS-4799); a replica that a recovery has made good stays
    corrupt if its length or state was the reason. What a reader found out no report can take back.
    """
    if mark.reason is CorruptReason.CORRUPTION_REPORTED:
        return False
    return mark.reason is CorruptReason.GENSTAMP_MISMATCH or bm.repairs(Repair.MARKS_OF_LENGTH_AND_STATE_STAY)


def find_and_mark_block_as_corrupt(bm: BlockManager, reported: Block, datanode: str) -> None:
    """A reader, or the datanode itself, has found that the checksums do not match.

    Hadoop asks for no stamp. Repaired, a report of another generation is not of the replica that is there.

    Source: BlockManager#findAndMarkBlockAsCorrupt, Hadoop 3.4.1.
    """
    block = bm.blocks.get(reported.block_id)
    if block is None:
        return
    is_other = reported.generation_stamp != block.generation_stamp
    if is_other and bm.repairs(Repair.BAD_BLOCK_REPORTS_NAME_THE_STAMP):
        return
    if datanode in block.stored or datanode in block.expected_locations():
        mark_block_as_corrupt(bm, block, datanode, reported, CorruptReason.CORRUPTION_REPORTED)
