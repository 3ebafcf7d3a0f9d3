"""Faults by which a block recovery never ends, each as one change to hdfs.block_recovery_ends."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.block_recovery_holes import (
    COMMAND_BELONGS_TO_ITS_ATTEMPT,
    FINALIZED_LENGTHS_NEED_NOT_AGREE,
    HFLUSH_SEES_THE_RECOVERY,
    UNREACHABLE_IS_NOT_EMPTY,
)
from genstamp_spec.hdfs.bugs.hadoop_2_7 import (
    ISSUE,
    CommittedBlocksStay,
    CommittedEmptyBlocksStay,
    CommitUnderRecovery,
    EveryUpdateMustSucceed,
    MissingInodeIsAnExpiredLease,
    NoGate,
)
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.datanode_replicas import DatanodeContact
from genstamp_spec.hdfs.parts.state import Attempt, AttemptStage, Datanode, File
from genstamp_spec.lifecycles.block import BlockLifecycle

HDFS_12070 = historic(
    "HDFS-12070",
    EveryUpdateMustSucceed,
    fixed="2.8.4, 2.9.1, 3.0.3, 3.1.0",
    title="one participant that cannot be updated makes the recovery fail, and each one after it",
).at("one_mishap", "files_of_silent_writers_are_closed")


class UnknownTargetsThrow(DatanodeContact, lane="namenode", callers=(Datanode,)):
    """A target that the NameNode does not know makes each commitBlockSynchronization throw."""

    def may_close(s, attempt: Attempt) -> None:
        """Checks: every target is known."""
        require(attempt.updated <= s.known_storages(attempt.updated), "every target is known")

    @action(event="commit_block_synchronization", refuses="NullPointerException")
    def commit_block_synchronization_throws(s, primary: Datanode, file: File) -> None:
        """A target is unknown."""
        attempt = s.reports_back(primary, file)
        require(s.known(file) & ~s.already_done(file), "the block is known and not complete yet")
        require(~(attempt.updated <= s.known_storages(attempt.updated)), "a target is unknown")
        s.report_is_answered(primary, file, attempt)


HDFS_5077 = historic("HDFS-5077", UnknownTargetsThrow, fixed="2.1.1").at(
    "one_datanode", "files_of_silent_writers_are_closed"
)


class TooFewStoragesThrow(DatanodeContact, lane="namenode", callers=(Datanode,)):
    """A file whose recovery leaves too few storages cannot be closed."""

    def may_close(s, attempt: Attempt) -> None:
        """Checks: a storage is known, which is minimal replication here."""
        require(~s.known_storages(attempt.updated).is_empty(), "minimal replication is met")

    @action(event="commit_block_synchronization", refuses="IllegalStateException")
    def commit_block_synchronization_too_few(s, primary: Datanode, file: File) -> None:
        """The block is committed, and closing the file throws; what was changed so far stays (facts A13, G.6)."""
        attempt = s.reports_back(primary, file)
        require(attempt.stage.at(AttemptStage.UPDATING), "replicas were updated")
        require(s.known(file) & ~s.already_done(file), "the block is known and not complete yet")
        require(attempt.recovery_id == s.recovery_id[file], "the recovery id is the current one")
        require(s.known_storages(attempt.updated).is_empty(), "minimal replication is not met")
        s.block[file].fire(BlockLifecycle.commit_block_synchronization_too_few_replicas)
        s.block_stamp[file] = attempt.recovery_id
        s.block_bytes[file] = attempt.new_bytes
        s.locations[file].clear()
        s.stored[file].clear()
        s.report_is_answered(primary, file, attempt)


HDFS_12886 = historic("HDFS-12886", TooFewStoragesThrow, fixed="2.9.1, 3.0.3, 3.1.0").at(
    "one_datanode", "files_of_silent_writers_are_closed"
)


class CompletedBlockStopsHeartbeats(BlockRecovery, lane=Datanode):
    """The queued recovery of a block that was completed meanwhile throws in each heartbeat of its datanode."""

    @action(hidden=True)
    def recovery_command_is_dropped(s, file: File, datanode: Datanode) -> None:
        """Only a command that another datanode leads by now is dropped."""
        require(s.running.has(datanode), "the datanode is running")
        require(s.recovery_queue[datanode].has(file), "a command waits for the datanode")
        require(s.block[file].at(*BlockLifecycle.not_complete), "the block is not complete", "NullPointerException")
        require(s.primary[file] != datanode, "another datanode leads the attempt")
        s.recovery_queue[datanode].remove(file)


HDFS_13758 = historic("HDFS-13758", CompletedBlockStopsHeartbeats, fixed="2.9.2, 3.0.4, 3.1.2").at(
    "one_mishap", "queued_commands_are_taken"
)


class DeadAreAsked(DatanodeContact):
    """A recovery command names dead locations, which never answer."""

    def not_gone(s, file: File) -> Members[Datanode]:
        """All locations."""
        return s.locations[file]


HDFS_17430 = historic("HDFS-17430", DeadAreAsked, fixed="after 3.4.1").at(
    "one_mishap", "files_of_silent_writers_are_closed"
)
HDFS_11576 = historic(
    "HDFS-11576",
    NoGate,
    fixed="2.9.1, 3.0.3",
    title="a new attempt may start while the last one is under way, and overtakes it each time",
).at("one_datanode", "recoveries_end", "files_of_silent_writers_are_closed")
BUGS = (HDFS_5077, HDFS_11576, HDFS_12070, HDFS_12886, HDFS_13758, HDFS_17430)


HADOOP_3_5 = (
    FINALIZED_LENGTHS_NEED_NOT_AGREE,
    UNREACHABLE_IS_NOT_EMPTY.at("one_mishap"),
    COMMAND_BELONGS_TO_ITS_ATTEMPT.at("one_mishap"),
    HFLUSH_SEES_THE_RECOVERY.at("one_datanode"),
)
"""Stale locations that are not asked need a third datanode, and RWR replicas that decide alone a second byte: these
holes are in hdfs.block_recovery.
"""
HADOOP_3_4 = (*HADOOP_3_5, HDFS_17430)

HDFS_2484 = Difference(
    "HDFS-2484", parts=(MissingInodeIsAnExpiredLease,), source=ISSUE + "HDFS-2484; fixed in 2.8.0"
).seen("one_datanode", "refusal complete_again, LeaseExpiredException: the file exists")
HDFS_10240 = historic("HDFS-10240", CommitUnderRecovery, fixed="3.0.4, 3.1.2, 3.2.0").at(
    "one_datanode", "fenced_client_changes_nothing"
)
HDFS_14498 = Difference(
    "HDFS-14498",
    "a file whose last block was committed empty is not released",
    parts=(CommittedEmptyBlocksStay,),
    source=ISSUE + "HDFS-14498; fixed in 2.10.1, 3.2.2, 3.3.1; what never comes of it is in hdfs.expiry",
).seen("one_datanode", "refusal release, AlreadyBeingCreatedException: the committed block has bytes")
HDFS_15725 = Difference(
    "HDFS-15725",
    "a file whose committed last block no datanode has finalized is not released",
    parts=(CommittedBlocksStay,),
    source=ISSUE + "HDFS-15725; fixed in 2.10.2, 3.2.3, 3.3.1; what never comes of it is in hdfs.expiry",
).seen("one_datanode", "refusal release, AlreadyBeingCreatedException: the committed block is empty")
HADOOP_2_7 = (
    *HADOOP_3_4,
    HDFS_2484,
    HDFS_10240,
    HDFS_12070,
    HDFS_12886,
    HDFS_13758,
    HDFS_14498,
    HDFS_15725,
)
"""That an attempt may overtake another (HDFS-11576) is in hdfs.expiry's hadoop-2.7: here it is shown by itself, since
together with all of this there are more states in one_mishap than can be searched.
"""
