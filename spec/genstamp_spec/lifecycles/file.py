"""The life of one file in the namespace, as of Hadoop 3.4.1.

Leaves out: who writes it (see `lease.py` and the parts), its blocks (see `block.py`), directories, snapshots, concat,
and rename, which moves a file with its state to another path and is no step of its life.

Events: create, create_overwrite, append, truncate, truncate_at_block_boundary, add_block, abandon_block,
update_pipeline, fsync, reassign_lease, commit_block_synchronization_without_close, close, delete.
"""

from statemachine import State, StateMachine


class FileLifecycle(StateMachine):
    """One file, named by its path: absent, under construction (by one writer), or closed.

    Deleting leads back to `absent`: clients name a file by its path, and the path may be created again at once, by
    anybody. Where a file is named by its inode id, which is never given out twice, `absent` is merely left only once.
    """

    absent = State("absent", initial=True)
    under_construction = State("under construction")
    closed = State("closed")

    # Opening. Each but the last takes a lease for the client.
    create = absent.to(under_construction)  # E.1  FSDirWriteFileOp#startFile
    create_overwrite = under_construction.from_(under_construction, closed)  # E.1, A20  FSDirWriteFileOp#startFile
    append = closed.to(under_construction)  # E.2, A2  FSDirAppendOp#prepareFileForAppend
    truncate = closed.to(under_construction)  # E.4, A3, A4  FSDirTruncateOp#prepareFileForTruncate
    truncate_at_block_boundary = closed.to(closed)  # E.4, A20  FSDirTruncateOp#truncate: nothing is to be recovered

    # Steps that need an open file.
    add_block = under_construction.to(under_construction)  # E.5, A1  FSNamesystem#getAdditionalBlock
    abandon_block = under_construction.to(under_construction)  # E.8, A15  FSDirWriteFileOp#abandonBlock
    update_pipeline = under_construction.to(under_construction)  # E.7, A5  FSNamesystem#updatePipeline
    fsync = under_construction.to(under_construction)  # E.10, A6  FSNamesystem#fsync
    reassign_lease = under_construction.to(under_construction)  # F.4, A11, A12  FSNamesystem#reassignLease
    commit_block_synchronization_without_close = (
        under_construction.to(under_construction)  # G.6, A14  FSNamesystem#commitBlockSynchronization
    )

    # By its writer (complete), by lease recovery alone (A16) or by block recovery (A13, A17): OP_CLOSE in each case.
    close = under_construction.to(closed)  # A.5  FSNamesystem#finalizeINodeFileUnderConstruction

    delete = absent.from_(under_construction, closed)  # E.14, A20  FSDirDeleteOp#delete
