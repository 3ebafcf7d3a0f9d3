"""The life of a block: allocated, committed, complete, opened again, recovered, removed.

Not here: COMMITTED blocks in a closed file (`dfs.namenode.file.close.num-committed-allowed`, 0 by default).

Source: BM/BlockManager, Hadoop 3.4.1; facts A.2, A.3, A.4.
"""

from collections.abc import Iterable

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.namenode.block_manager import BlockManager
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo, CorruptReason
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.corruption import mark_block_as_corrupt
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.namenode.redundancy import add_to_invalidates, forget_redundancy
from genstamp_dfs.hdfs.protocol import NO_ACK, Block, BlockUCState


def add_block_collection(bm: BlockManager, inode: INodeFile, block: Block, locations: Iterable[str]) -> BlockInfo:
    """Append a block to the file; it is UNDER_CONSTRUCTION."""
    added = add_block_to_map(bm, inode, block)
    added.set_expected_locations(locations)
    inode.blocks.append(added)
    return added


def add_block_to_map(bm: BlockManager, inode: INodeFile, block: Block) -> BlockInfo:
    """Enter a block of the file in the map, and nowhere else."""
    added = BlockInfo(
        block_id=block.block_id,
        generation_stamp=block.generation_stamp,
        file_id=inode.file_id,
        replication=inode.replication,
        num_bytes=block.num_bytes,
    )
    bm.blocks[added.block_id] = added
    return added


def remove_block(bm: BlockManager, block: BlockInfo) -> None:
    """Drop the block from the map, and have its replicas deleted, all under the block's stamp.

    Source: BlockManager#removeBlock, #addToInvalidates, Hadoop 3.4.1.
    """
    if bm.blocks.get(block.block_id) is not block:
        return
    for datanode in (*block.stored, *block.corrupt):
        add_to_invalidates(bm, block.as_block(), datanode)
    block.num_bytes = NO_ACK
    remove_block_from_map(bm, block)


def remove_block_from_map(bm: BlockManager, block: BlockInfo) -> None:
    """Drop the block from the map; its replicas are deleted when they are reported."""
    for datanode in (*block.stored, *block.corrupt):
        bm.forget(block, datanode)
    forget_redundancy(bm, block)
    bm.blocks.pop(block.block_id, None)


def commit_or_complete_last_block(bm: BlockManager, inode: INodeFile, written: Block | None) -> None:
    """Take length and stamp from the client, and complete the block if enough replicas are known.

    Args:
        inode: the file.
        written: the last block as the client wrote it; None if it wrote none.

    Raises:
        HdfsIOException: the block is under recovery (HDFS-10240), or id or stamp differ (HDFS-9289).

    Source: BlockManager#commitOrCompleteLastBlock, Hadoop 3.4.1.
    """
    block = inode.last_block()
    if written is None or block is None or block.is_complete:
        return
    check_not_under_recovery(block)
    commit_block(bm, block, written)
    if bm.has_min_storage(block):
        complete_block(bm, block)
    elif bm.pending_recovery_blocks.is_under_recovery(block.block_id):
        # The recovery has just fixed the content; missing copies are replication's business (HDFS-12886).
        complete_block(bm, block, force=True)


def check_not_under_recovery(block: BlockInfo) -> None:
    """Refuse a block whose recovery is running: its length is no longer the client's to say (HDFS-10240)."""
    if block.state is BlockUCState.UNDER_RECOVERY:
        raise HdfsIOException(
            f"committing blk_{block.block_id}_{block.generation_stamp} whereas it is under recovery "
            f"{block.block_recovery_id}"
        )


def commit_block(bm: BlockManager, block: BlockInfo, written: Block) -> None:
    """UNDER_CONSTRUCTION -> COMMITTED with the given length.

    Raises:
        HdfsIOException: the length is below the stored one (an assertion in Hadoop), or id or stamp differ.

    Source: BlockManager#commitBlock, Hadoop 3.4.1.
    """
    if block.state is BlockUCState.COMMITTED:
        return
    if block.num_bytes > written.num_bytes:
        raise HdfsIOException(f"commit block length {written.num_bytes} is below the stored length {block.num_bytes}")
    if block.generation_stamp != written.generation_stamp:
        raise HdfsIOException(
            f"commit block with mismatching stamp: blk_{block.block_id} has {block.generation_stamp}, "
            f"client submits {written.generation_stamp}"
        )
    if block.block_id != written.block_id:
        raise HdfsIOException(f"commit block blk_{written.block_id}, the last block is blk_{block.block_id}")
    block.state = BlockUCState.COMMITTED
    block.num_bytes = written.num_bytes
    bm.drop_other_generations(block)


def complete_block(bm: BlockManager, block: BlockInfo, *, force: bool = False) -> None:
    """COMMITTED -> COMPLETE. The recovery's memory goes with the under-construction feature.

    Raises:
        HdfsIOException: too few replicas and not forced; never committed.

    Source: BlockManager#completeBlock, Hadoop 3.4.1.
    """
    if block.is_complete:
        return
    if not force and not bm.has_min_storage(block):
        raise HdfsIOException(
            f"cannot complete blk_{block.block_id}: it does not satisfy minimal replication requirement"
        )
    if block.state is not BlockUCState.COMMITTED:
        raise HdfsIOException(f"cannot complete blk_{block.block_id}: it has not been COMMITTED by the client")
    block.convert_to_complete()


def convert_last_block_to_under_construction(
    bm: BlockManager, inode: INodeFile, bytes_to_remove: int
) -> BlockInfo | None:
    """Open the last block for append or truncate; gives it, or None if there is nothing to open.

    A last block of the preferred size is full, so there is nothing to open for an append. Repaired, a replica that
    is known to be corrupt is no location of what is written on, as long as there is a good one: a stale one would
    refuse each recovery of the block.

    Source: BlockManager#convertLastBlockToUnderConstruction, Hadoop 3.4.1; facts A.4.
    """
    block = inode.last_block()
    if block is None or inode.block_size == block.num_bytes - bytes_to_remove:
        return None
    assert block.is_complete, f"{block} of a closed file is not COMPLETE"
    block.state = BlockUCState.UNDER_CONSTRUCTION
    if bm.repairs(Repair.EXCESS_OUTLIVES_REOPENING):
        block.excess.clear()
    leaves_corrupt_out = bool(block.stored) and bm.repairs(Repair.STALE_REPLICA_JOINS_A_RECOVERY)
    block.set_expected_locations([*block.stored] if leaves_corrupt_out else [*block.stored, *block.corrupt])
    forget_redundancy(bm, block)
    for datanode in (*block.stored, *block.corrupt):
        bm.datanode_manager.datanodes[datanode].invalidate_blocks.pop(block.block_id, None)
    return block


def initialize_block_recovery(bm: BlockManager, block: BlockInfo, recovery_id: int) -> None:
    """Start a recovery under the stamp, and queue it at the chosen primary."""
    primary = block.initialize_block_recovery(recovery_id, bm.datanode_manager.last_heartbeats())
    if primary is not None:
        bm.datanode_manager.datanodes[primary].add_block_to_be_recovered(block)


def install_locations(bm: BlockManager, block: BlockInfo, targets: Iterable[str]) -> None:
    """The datanodes whose replica a recovery has updated count at once, without a report, if they are alive."""
    for datanode in bm.datanode_manager.live(targets):
        block.corrupt.pop(datanode, None)
        bm.store(block, bm.datanode_manager.datanodes[datanode], block.generation_stamp)


def mark_block_replicas_as_corrupt(
    bm: BlockManager, block: BlockInfo, old_block: Block, targets: Iterable[str]
) -> None:
    """Replicas that took no part in the recovery are corrupt: stamp or length is no longer the block's.

    Source: BlockManager#markBlockReplicasAsCorrupt (HDFS-7930), Hadoop 3.4.1; facts G.6 effect 5.
    """
    kept = set(targets)
    has_new_stamp = old_block.generation_stamp != block.generation_stamp
    reason = CorruptReason.GENSTAMP_MISMATCH if has_new_stamp else CorruptReason.SIZE_MISMATCH
    for datanode in [name for name in block.stored if name not in kept]:
        mark_block_as_corrupt(bm, block, datanode, old_block, reason)
