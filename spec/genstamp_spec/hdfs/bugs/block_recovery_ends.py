"""Faults by which a block recovery never ends, each as one change to hdfs.block_recovery_ends."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.hadoop_2_7 import EveryUpdateMustSucceed, NoGate
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.datanode_contact import DatanodeContact
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
