"""Rules for the recovery of a block at the NameNode: its start, the steps of datanodes under its id, its end.

Letters with numbers refer to sections of the facts file `hdfs-protocol.md`.
"""

from genstamp.logs.rules.block_checks import (
    COMPLETE,
    GIVEN_OUT,
    ID_IS_CURRENT,
    ID_NOT_BELOW_STAMP,
    ID_WAS_GIVEN_OUT,
    LENGTH,
    NOT_THERE,
    RECOVERY_ID,
    STAMP,
)
from genstamp.logs.rules.shape import OR_REFUSED, UNCHANGED, Check, Rule, Sets, Way, each, states
from genstamp.logs.rules.soft_limit import CLOSES_THE_BLOCK, STARTS

_RECOVERED: Sets = {STAMP: "recovery_id", RECOVERY_ID: "recovery_id", LENGTH: "num_bytes"}
_UNDER_CURRENT_ID = (ID_IS_CURRENT, ID_NOT_BELOW_STAMP)


def _starts_recovery(event: str, source: str) -> Rule:
    return Rule(event, (STARTS,), source, when={"recovery_id": "*"}, sets={RECOVERY_ID: "recovery_id"})


RECOVERY = (
    _starts_recovery("start_recovery", "A11, A12, F.4  FSNamesystem#internalReleaseLease"),
    _starts_recovery("recover_lease", "E.12, F.4  FSNamesystem#recoverLease"),
    _starts_recovery("release_expired_lease", "D.3, F.4  LeaseManager#checkLeases"),
    # The soft limit had passed and no recovery was needed: the call closed the file before it failed.
    Rule(
        "create",
        CLOSES_THE_BLOCK,
        "E.1, F.3 rows 1, 4, 8  FSNamesystem#internalReleaseLease",
        refused="FileAlreadyExistsException",
    ),
    *each(
        "recover_lease release_expired_lease",
        CLOSES_THE_BLOCK,
        "F.3 rows 1, 4, 8  FSNamesystem#internalReleaseLease",
        when={"closed": "true"},
    ),
    Rule("recover_lease", UNCHANGED, "E.12: an attempt is younger than 90 s"),
    Rule("release_expired_lease", UNCHANGED, "D.3: an attempt is younger than 90 s"),
    Rule(
        "commit_block_synchronization",
        (Way(("commit_block_synchronization_delete",), _UNDER_CURRENT_ID), Way((), (), NOT_THERE)),
        "A17, G.6  FSNamesystem#commitBlockSynchronization",
        when={"deleted": "true"},
    ),
    Rule(
        "commit_block_synchronization",
        (Way(("commit_block_synchronization",), _UNDER_CURRENT_ID),),
        "A13, G.6  FSNamesystem#commitBlockSynchronization, which prints `successful` only after a change",
        when={"closed": "true", "logged": "successful"},
        sets=_RECOVERED,
    ),
    # G.6 row 6: for a closed file a repeated or late call is accepted silently and changes nothing.
    Rule(
        "commit_block_synchronization",
        (
            Way(("commit_block_synchronization",), _UNDER_CURRENT_ID),
            Way((), (Check("recovery_id", "at_most", STAMP),), COMPLETE),
        ),
        "A13, G.6  FSNamesystem#commitBlockSynchronization",
        when={"closed": "true"},
        sets=_RECOVERED,
        late_sets_nothing=True,
    ),
    Rule(
        "commit_block_synchronization",
        (
            Way(("commit_block_synchronization_without_close",), _UNDER_CURRENT_ID),
            Way(("commit_block_synchronization_too_few_replicas",), _UNDER_CURRENT_ID),
        ),
        "A13, A14, G.6  FSNamesystem#commitBlockSynchronization",
        sets=_RECOVERED,
    ),
    # A.5: if closing the file throws, the changes in memory remain.
    Rule(
        "commit_block_synchronization",
        (
            *UNCHANGED,
            Way(("commit_block_synchronization_delete",), _UNDER_CURRENT_ID),
            Way(("commit_block_synchronization_too_few_replicas",), _UNDER_CURRENT_ID),
        ),
        "A.5, A13  INodeFile#assertAllBlocksComplete, HDFS-17861",
        refused="IllegalStateException",
    ),
    Rule(
        "recovery_attempt_rejected",
        (Way((), (), states("under_recovery")),),
        "A11, G.1  PendingRecoveryBlocks#add: an attempt is younger than 90 s",
    ),
    Rule("init_replica_recovery_under_old_id", (), "B.4  FsDatasetImpl#initReplicaRecoveryImpl, as of the replica"),
    # Datanodes act only under a recovery id that the NameNode has granted.
    *each(
        "receive_recovery_command init_replica_recovery_called init_replica_recovery sync_block"
        " update_replica_under_recovery",
        (Way((), (ID_WAS_GIVEN_OUT,), GIVEN_OUT),),
        "F.4, G.2  BlockUnderConstructionFeature#initializeBlockRecovery",
        OR_REFUSED,
        shows_id=True,
    ),
)
