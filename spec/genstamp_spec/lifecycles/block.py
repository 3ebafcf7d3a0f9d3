"""The life of one block at the NameNode, as of Hadoop 3.4.1.

Leaves out: replicas (see `replica.py`), the block's length and stamp, corruption and re-replication, striped block
groups, and edits that a crash loses before they were synced.

Events: add_block, update_pipeline, fsync, commit, complete_block, complete_after_recovery, force_complete, append,
truncate, copy_on_truncate, start_recovery, commit_block_synchronization, commit_block_synchronization_too_few_replicas,
commit_block_synchronization_without_close, commit_block_synchronization_delete, abandon_block, drop_empty_block,
remove, restart_last_of_open_file, restart_any_other.
"""

from statemachine import State, StateMachine


class BlockLifecycle(StateMachine):
    """One block: the states of `HdfsServerConstants.BlockUCState` between `absent` and `removed`.

    `removed` is final and not the same as `absent`: block ids are handed out in sequence and never again, so that what
    comes late for a removed block (a report, the end of a recovery) cannot be taken for news of another one.
    """

    absent = State("absent", initial=True)
    under_construction = State("UNDER_CONSTRUCTION", value="UNDER_CONSTRUCTION")
    under_recovery = State("UNDER_RECOVERY", value="UNDER_RECOVERY")
    committed = State("COMMITTED", value="COMMITTED")
    complete = State("COMPLETE", value="COMPLETE")
    removed = State("removed", final=True)

    not_complete = (under_construction, under_recovery, committed)
    any_state = (*not_complete, complete)

    # A client writes the block. It takes two words to complete it: the client's (commit) and the datanodes' (complete).
    add_block = absent.to(under_construction)  # A1  FSNamesystem#getAdditionalBlock
    update_pipeline = under_construction.to(under_construction)  # A5  FSNamesystem#updatePipeline
    fsync = (
        under_construction.to(under_construction)  # A6  FileUnderConstructionFeature#updateLengthOfLastBlock
        | under_recovery.to(under_recovery)  # A6  it asserts no more than that the block is not COMPLETE
        | committed.to(committed)  # A6
    )
    commit = under_construction.to(committed)  # A7  BlockManager#commitBlock; not UNDER_RECOVERY, since HDFS-10240
    complete_block = committed.to(complete)  # A8  BlockManager#completeBlock; `complete` is the state
    complete_after_recovery = committed.to(complete)  # A9  BlockManager#commitOrCompleteLastBlock, since HDFS-12886
    force_complete = complete.from_(*not_complete)  # A10  BlockManager#forceCompleteBlock, on replay of edits

    # A closed file is opened again at its last block.
    append = complete.to(under_construction)  # A2  BlockManager#convertLastBlockToUnderConstruction
    truncate = complete.to(under_recovery)  # A3  FSDirTruncateOp#prepareFileForTruncate, in place
    copy_on_truncate = absent.to(under_recovery)  # A4  FSDirTruncateOp#prepareFileForTruncate, the new block

    # Block recovery. A failed attempt rolls nothing back: the block stays UNDER_RECOVERY until a younger one ends it.
    start_recovery = (
        under_construction.to(under_recovery)  # A11  BlockUnderConstructionFeature#initializeBlockRecovery
        | under_recovery.to(under_recovery)  # A11  the younger attempt fences the older
        | committed.to(under_recovery)  # A12  FSNamesystem#internalReleaseLease, since HDFS-14498 and HDFS-15725
    )
    commit_block_synchronization = under_recovery.to(complete)  # A13  FSNamesystem#commitBlockSynchronization
    # A13 runs through UNDER_CONSTRUCTION and COMMITTED in one call, and sticks there if too few storages are known and
    # neither A8 nor A9 applies (the first recovery of a truncate): closing the file throws IllegalStateException.
    commit_block_synchronization_too_few_replicas = under_recovery.to(committed)  # A13  BlockManager#commitBlock
    commit_block_synchronization_without_close = (
        under_recovery.to(under_construction)  # A14  FSNamesystem#commitBlockSynchronization; no datanode asks for it
    )
    commit_block_synchronization_delete = under_recovery.to(removed)  # A17  FSNamesystem#commitBlockSynchronization

    # The block goes. `abandon_block` compares ids and never looks at the state.
    abandon_block = removed.from_(*any_state)  # A15  FSDirWriteFileOp#abandonBlock
    drop_empty_block = removed.from_(*not_complete)  # A16  FSNamesystem#internalReleaseLease
    remove = removed.from_(*any_state)  # A20  BlockManager#removeBlock

    # The NameNode starts again. No state is on disk, only which files are open and which blocks they have.
    restart_last_of_open_file = under_construction.from_(*any_state)  # A18  FSImageFormatPBINode.Loader#loadINodeFile
    restart_any_other = complete.from_(*any_state)  # A19  FSImageFormatPBINode.Loader#loadINodeFile
