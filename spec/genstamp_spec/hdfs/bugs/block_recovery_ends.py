"""Faults by which a block recovery never ends, each as one change to hdfs.block_recovery_ends."""

from genstamp_model.language import Bug, Members, action, require
from genstamp_spec.hdfs.bugs.hadoop_2_7 import EveryUpdateMustSucceed, NoGate
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.datanode_contact import DatanodeContact
from genstamp_spec.hdfs.parts.state import Attempt, AttemptStage, Datanode, File
from genstamp_spec.lifecycles.block import BlockLifecycle

ISSUES = "https://issues.apache.org/jira/browse/"


HDFS_12070 = Bug(
    "HDFS-12070",
    "one participant that cannot be updated makes the recovery fail, and each one after it",
    parts=(EveryUpdateMustSucceed,),
    breaks=("files_of_silent_writers_are_closed",),
    configuration="one_mishap",
    source=f"{ISSUES}HDFS-12070; fixed in 2.8.4, 2.9.1, 3.0.3, 3.1.0",
)


class UnknownTargetsThrow(DatanodeContact, lane="namenode", callers=(Datanode,)):
    """A target whose storage the NameNode does not know makes commitBlockSynchronization throw."""

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


HDFS_5077 = Bug(
    "HDFS-5077",
    "a target that the NameNode does not know makes each commitBlockSynchronization throw",
    parts=(UnknownTargetsThrow,),
    breaks=("files_of_silent_writers_are_closed",),
    configuration="one_datanode",
    source=f"{ISSUES}HDFS-5077; fixed in 2.1.1",
)


class TooFewStoragesThrow(DatanodeContact, lane="namenode", callers=(Datanode,)):
    """A recovery that leaves fewer storages than minimal replication asks for cannot close its file."""

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


HDFS_12886 = Bug(
    "HDFS-12886",
    "a file whose recovery leaves too few storages cannot be closed",
    parts=(TooFewStoragesThrow,),
    breaks=("files_of_silent_writers_are_closed",),
    configuration="one_datanode",
    source=f"{ISSUES}HDFS-12886; fixed in 2.9.1, 3.0.3, 3.1.0",
)


class CompletedBlockStopsHeartbeats(BlockRecovery, lane=Datanode):
    """The queued recovery of a block that was completed meanwhile makes each heartbeat of the datanode fail."""

    @action(hidden=True)
    def recovery_command_is_dropped(s, file: File, datanode: Datanode) -> None:
        """Only a command that another datanode leads by now is dropped."""
        require(s.running.has(datanode), "the datanode is running")
        require(s.recovery_queue[datanode].has(file), "a command waits for the datanode")
        require(s.block[file].at(*BlockLifecycle.not_complete), "the block is not complete", "NullPointerException")
        require(s.primary[file] != datanode, "another datanode leads the attempt")
        s.recovery_queue[datanode].remove(file)


HDFS_13758 = Bug(
    "HDFS-13758",
    "the queued recovery of a block that was completed meanwhile throws in each heartbeat of its datanode",
    parts=(CompletedBlockStopsHeartbeats,),
    breaks=("queued_commands_are_taken",),
    configuration="one_mishap",
    source=f"{ISSUES}HDFS-13758; fixed in 2.9.2, 3.0.4, 3.1.2",
)


class DeadAreAsked(DatanodeContact):
    """The command names dead locations too."""

    def not_gone(s, file: File) -> Members[Datanode]:
        """All locations."""
        return s.locations[file]


HDFS_17430 = Bug(
    "HDFS-17430",
    "a recovery command names dead locations, which never answer",
    parts=(DeadAreAsked,),
    breaks=("files_of_silent_writers_are_closed",),
    configuration="one_mishap",
    source=f"{ISSUES}HDFS-17430; fixed after 3.4.1",
)
HDFS_11576 = Bug(
    "HDFS-11576",
    "a new attempt may start while the last one is under way, and overtakes it each time",
    parts=(NoGate,),
    breaks=("recoveries_end", "files_of_silent_writers_are_closed"),
    configuration="one_datanode",
    source=f"{ISSUES}HDFS-11576; fixed in 2.9.1, 3.0.3",
)
BUGS = (HDFS_5077, HDFS_11576, HDFS_12070, HDFS_12886, HDFS_13758, HDFS_17430)
