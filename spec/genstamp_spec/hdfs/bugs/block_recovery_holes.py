"""What block recovery in Hadoop 3.4.1 still gets wrong: each with the steps, the method, and a repair.

The repairs are the text of `block_recovery.py` and `datanode_replicas.py`; a hole takes one out.
Two of them are a check that the text asks and Hadoop does not:

A command belongs to its attempt. BlockUnderConstructionFeature#initializeBlockRecovery puts the block into the queue of
the primary that it chooses, and leaves it in the queue of the primary that was chosen before and has not sent a
heartbeat since. DatanodeManager#getBlockRecoveryCommand fills in the recovery id when the heartbeat comes: both
primaries get the later id. No check at a datanode or at the NameNode can tell them apart from then on; each of them
collects and decides by itself, and the NameNode takes whichever report comes first.

The first hflush sees the recovery. A soft-limit takeover starts a recovery and leaves the old writer the owner of
record (facts F.2). Its pipeline may not be set up yet: then the datanodes answer the recovery that they have no
replica, the writer sets up its pipeline, writes, and hflushes. The first hflush of a block calls fsync, which asks
whose file it is (FSNamesystem#checkLease) and not what state the block is in, while updateBlockForPipeline and complete
do. The writer is told that its bytes are safe; then the recovery that has found nothing reports, and the block is
dropped.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery, CarefulAgreement
from genstamp_spec.hdfs.parts.datanode_replicas import DatanodeContact
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps
from genstamp_spec.hdfs.parts.state import Attempt, Datanode, File
from genstamp_spec.hdfs.state.messages import Contact
from genstamp_spec.lifecycles.block import BlockLifecycle


class UnreachableIsEmpty(CarefulAgreement):
    """A location that failed counts as one that has nothing.

    In Hadoop 3.4.1  the loop of RecoveryTaskContiguous#recover counts an IOException of initReplicaRecovery in
        `errorCount` and goes on; only `errorCount == locs.length` stops it. If nobody has answered with data,
        `syncList` is empty, and syncBlock takes that for a block nobody has written: it calls
        commitBlockSynchronization with `deleteblock`, and the NameNode drops the block and closes the file.
    What is lost  one datanode has the hflushed bytes and cannot be reached for a moment (a full GC, a time-out of the
        call); the others have lost their replica or hold none with bytes. The file is closed with length 0.
    Repair  in #recover, when `syncList` is empty and `errorCount > 0`, throw as for "All datanodes failed" and leave
        the block to the next attempt. It costs no liveness if dead locations are not asked (HDFS-17430): a location
        that never comes back is dead after ten minutes, and counts for nothing.
    """

    def nothing_is_unsure(s, attempt: Attempt) -> Bool:
        """Only if all locations have failed."""
        return attempt.answered.is_empty()


class WaitingReplicasDecideAlone(CarefulAgreement):
    """RWR replicas decide about the length although a location that gave no answer may have more.

    In Hadoop 3.4.1  RecoveryTaskContiguous#syncBlock takes the best state among the answers, whoever did not answer.
        After a rack has lost power the restarted datanodes have RWR replicas, cut to what their checksums cover; the
        one that stayed up has the RBW replica with every hflushed byte. If its call times out, the block is closed
        with the shorter length, and the good replica is invalidated as stale.
    Repair  in #syncBlock, when RWR replicas alone were found and `errorCount > 0`, throw: the next attempt asks again.
    """

    def waiting_are_unsure(s, attempt: Attempt) -> Bool:
        """Never, as long as somebody has answered."""
        return attempt.locations.is_empty()


class StaleIsGone(DatanodeContact):
    """A location that was silent for 30 s is not asked for its replica, as though it had none.

    In Hadoop 3.4.1  DatanodeManager#getBlockRecoveryCommand names only locations that are not stale, and all of them
        if at most one is left. So a datanode that was silent for 30 s is treated as one that has no replica, with the
        two outcomes above: the block is deleted, or restarted replicas decide.
    Repair  name every location that is not dead; one that does not answer costs a time-out of the call.
    """

    def locations_to_ask(s, file: File) -> Members[Datanode]:
        """The locations that are not stale, or all if at most one is left."""
        everyone = s.not_gone(file)
        fresh = everyone - those(Datanode, lambda datanode: s.contact[datanode].at(Contact.STALE))
        return when(fresh.size() <= 1, everyone, fresh)


class RemovedBlocksAreRecovered(BlockRecovery):
    """A queued recovery command is delivered under the id of a later attempt, so that two primaries share an id.

    In Hadoop 3.4.1  the queue holds the block itself, with its locations and its recovery id, and nothing takes it out
        when the block leaves the block map. DatanodeManager#getBlockRecoveryCommand asks only whether the block is
        under construction, which a removed one still is.
    """

    def goes_out(s, file: File) -> Bool:
        """A block that was removed is still under construction."""
        return super().goes_out(file) | s.block[file].at(BlockLifecycle.removed)


class RemovedBlocksKeepLocations(BlockSteps):
    """What is queued of such a block has its locations."""

    def forget_locations(s, file: File) -> None:
        """The removed block keeps them."""


UNREACHABLE_IS_NOT_EMPTY = Hole(
    "unreachable-is-not-empty",
    "a block is deleted although a location that gave no answer may hold its data",
    drops=(("sync_block", "no location has failed"),),
    parts=(UnreachableIsEmpty,),
    source="facts G.3, G.4 row 0, S18; BlockRecoveryWorker.RecoveryTaskContiguous#recover, Hadoop 3.4.1",
).at("late", "no_recovery_drops_data")
WAITING_REPLICAS_DO_NOT_DECIDE_ALONE = Hole(
    "waiting-replicas-do-not-decide-alone",
    parts=(WaitingReplicasDecideAlone,),
    source="found with this model; facts G.4 row 3, S6; BlockRecoveryWorker.RecoveryTaskContiguous#syncBlock, "
    "Hadoop 3.4.1",
).at("restarts", "hflushed_bytes_survive")
STALE_IS_NOT_GONE = Hole(
    "stale-is-not-gone",
    parts=(StaleIsGone,),
    source="found with this model; facts G.2, S6, S18; DatanodeManager#getBlockRecoveryCommand, Hadoop 3.4.1",
).at("three_datanodes", "no_recovery_drops_data")
COMMAND_BELONGS_TO_ITS_ATTEMPT = Hole(
    "command-belongs-to-its-attempt",
    drops=(("receive_recovery_command", "the datanode leads the current attempt"),),
    parts=(RemovedBlocksAreRecovered, RemovedBlocksKeepLocations),
    source="found with this model; facts G.2; DatanodeManager#getBlockRecoveryCommand, Hadoop 3.4.1",
).at("overlapping", "one_primary_per_recovery_id")
HFLUSH_SEES_THE_RECOVERY = Hole(
    "hflush-sees-the-recovery",
    "the first hflush of a block is accepted while the block is under recovery: fsync checks the client's name only",
    drops=(("hflush", "the block is not under recovery at its first hflush"),),
    source="found with this model; FSNamesystem#fsync, #checkLease, Hadoop 3.4.1",
).at("late", "only_empty_blocks_are_dropped")
HOLES = (
    UNREACHABLE_IS_NOT_EMPTY,
    WAITING_REPLICAS_DO_NOT_DECIDE_ALONE,
    STALE_IS_NOT_GONE,
    COMMAND_BELONGS_TO_ITS_ATTEMPT,
    HFLUSH_SEES_THE_RECOVERY,
)


class FinalizedLengthsMustAgree(CarefulAgreement):
    """FINALIZED replicas of different length, left by two recoveries that died, stop all further ones.

    In Hadoop 3.4.1  RecoveryTaskContiguous#syncBlock throws "Inconsistent size of finalized replicas". Two recoveries
        that died half-way leave such replicas: the first updates one datanode to its length (the other one did not
        answer) and its primary dies before commitBlockSynchronization; the second finds that datanode down, updates
        the other one to its own, shorter length, and its report is lost. When both are back, each attempt fails, and
        the file never closes: nobody but an operator can end it (L1, L6).
    Repair  in #syncBlock, let the longest FINALIZED replicas decide and leave the shorter ones out, as RBW of another
        length are. All bytes come from one writer, so the shorter is a beginning of the longer; readers may have seen
        the longer, which no shorter length would keep (S4). The append design has another repair (AD 6.5, step 4.d: a
        further stamp for those that were updated), which was not built.
    """

    def can_agree(s, attempt: Attempt, finalized: Members[Datanode]) -> Bool:
        """All have one length."""
        return s.agree_on_length(attempt, finalized)


FINALIZED_LENGTHS_NEED_NOT_AGREE = Hole(
    "finalized-lengths-need-not-agree",
    parts=(FinalizedLengthsMustAgree,),
    source="found with this model; facts G.4 row 1, L1, L6; BlockRecoveryWorker.RecoveryTaskContiguous#syncBlock, "
    "Hadoop 3.4.1",
).at("two_dead_recoveries", "files_of_silent_writers_are_closed")
