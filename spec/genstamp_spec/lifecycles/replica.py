"""The life of one replica: one block id on one datanode, as of Hadoop 3.4.1.

Leaves out: bytes, stamps and writer threads, disk errors and lost volumes, moves between the storages of a datanode,
and the choice between two copies of one block that a datanode finds on two of its volumes.

Events: create_rbw, create_rbw_over_existing, finalize, append, recover_append, recover_rbw, recover_close,
transfer_for_pipeline_recovery, create_temporary, create_temporary_over_existing, convert_temporary_to_rbw, unfinalize,
init_recovery, update_under_recovery, copy_on_truncate, invalidate, restart_as_rwr, restart_as_rbw,
restart_over_finalized, restart_over_unfinalized, restart_temporary.
"""

from statemachine import State, StateMachine


class ReplicaLifecycle(StateMachine):
    """One replica: the states of `HdfsServerConstants.ReplicaState`, in its order (a better replica comes first).

    There is no `removed` beside `absent`: a datanode that has deleted a replica keeps no trace of it, and may be given
    the same block again, by re-replication or by a pipeline that takes the node in. Against the old replica coming back
    stands its stamp, not its state.

    FINALIZED and RWR come back from a restart as they were, which is no edge.
    """

    absent = State("absent", initial=True)
    finalized = State("FINALIZED", value="FINALIZED")
    rbw = State("RBW", value="RBW")
    rwr = State("RWR", value="RWR")
    rur = State("RUR", value="RUR")
    temporary = State("TEMPORARY", value="TEMPORARY")

    existing = (finalized, rbw, rwr, rur, temporary)

    # A client writes (RBW: replica being written) and closes, or opens the file again.
    create_rbw = absent.to(rbw)  # B1  FsDatasetImpl#createRbw
    create_rbw_over_existing = rbw.from_(*existing)  # B1'  FsDatasetImpl#createRbw with a new stamp, since HDFS-17299
    finalize = (
        rbw.to(finalized)  # B8  FsDatasetImpl#finalizeBlock
        | temporary.to(finalized)  # B8
        | finalized.to(finalized)  # B8'  nothing happens
    )
    append = finalized.to(rbw)  # B2  FsDatasetImpl#append

    # Pipeline recovery: the same writer goes on under a higher stamp.
    recover_append = rbw.from_(finalized, rbw)  # B3  FsDatasetImpl#recoverAppend
    recover_rbw = rbw.to(rbw)  # B4  FsDatasetImpl#recoverRbw
    recover_close = finalized.from_(finalized, rbw)  # B5  FsDatasetImpl#recoverClose
    transfer_for_pipeline_recovery = (
        rbw.to(rbw)  # B18  DataNode#transferReplicaForPipelineRecovery, the source; the target begins as TEMPORARY
        | finalized.to(finalized)  # B18
    )

    # A copy comes from another datanode: for re-replication, or to join a pipeline.
    create_temporary = absent.to(temporary)  # B6  FsDatasetImpl#createTemporary
    create_temporary_over_existing = temporary.from_(*existing)  # B6  FsDatasetImpl#createTemporary, since HDFS-6948
    convert_temporary_to_rbw = temporary.to(rbw)  # B7  FsDatasetImpl#convertTemporaryToRbw
    unfinalize = temporary.to(absent)  # B16  FsDatasetImpl#unfinalizeBlock, which leaves every other state alone

    # Block recovery (RUR: replica under recovery). The original stays inside and is never nested.
    init_recovery = rur.from_(finalized, rbw, rwr, rur)  # B9  FsDatasetImpl#initReplicaRecovery
    update_under_recovery = rur.to(finalized)  # B10  FsDatasetImpl#updateReplicaUnderRecovery
    copy_on_truncate = absent.to(finalized)  # B10  FsDatasetImpl#updateReplicaUnderRecovery, for the new block id

    # The NameNode has it deleted (DNA_INVALIDATE).
    invalidate = absent.from_(*existing)  # B17  FsDatasetImpl#invalidate

    # The datanode starts again (RWR: replica waiting to be recovered). A recovery is forgotten: the original counts.
    restart_as_rwr = rbw.to(rwr)  # B11  BlockPoolSlice#addReplicaToReplicasMap
    restart_as_rbw = rbw.to(rbw)  # B12  BlockPoolSlice#addReplicaToReplicasMap, planned restart for an upgrade
    restart_over_finalized = rur.to(finalized)  # B13  BlockPoolSlice#addReplicaToReplicasMap
    restart_over_unfinalized = rur.to(rwr)  # B14  BlockPoolSlice#addReplicaToReplicasMap
    restart_temporary = temporary.to(absent)  # B15  BlockPoolSlice#BlockPoolSlice, which empties tmp
