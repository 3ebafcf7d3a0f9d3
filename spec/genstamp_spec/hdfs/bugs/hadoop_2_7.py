"""What Hadoop 2.7.4 does otherwise in parts that several systems share, as changes to these parts.

A system makes of each a bug, where a promise of its breaks, or else a difference. Leaves out what concerns one system
alone, which stands with its faults.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.earlier_blocks import EarlierBlocks
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps
from genstamp_spec.hdfs.parts.namenode_calls import AppendCall
from genstamp_spec.hdfs.parts.namenode_leases import Leases
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart
from genstamp_spec.hdfs.parts.state import Attempt, AttemptStage, Client, Datanode, File, Holder
from genstamp_spec.lifecycles import BlockLifecycle, LeaseLifecycle

ISSUE = "https://issues.apache.org/jira/browse/"


class MissingInodeIsAnExpiredLease(BlockSteps, lane="namenode"):
    """A writer whose file is not there is told that its lease has expired.

    checkLease answers a missing inode as it answers a client that does not own the file (facts E.0).
    """

    def missing_inode(s) -> str:
        """Until HDFS-2484."""
        return "LeaseExpiredException"


class CommittedEmptyBlocksStay(RecoveryStart, lane="namenode"):
    """A file whose last block was committed empty is not released (facts F.3 row 6)."""

    def may_release(s, file: File) -> None:
        """Checks also: the last block is not committed without bytes."""
        super().may_release(file)
        empty = s.block[file].at(BlockLifecycle.committed) & (s.block_bytes[file] == 0)
        require(~empty, "the committed block has bytes", "AlreadyBeingCreatedException")


class CommittedBlocksStay(RecoveryStart, lane="namenode"):
    """A file whose last block was committed, with bytes that no datanode has finalized, is not released."""

    def may_release(s, file: File) -> None:
        """Checks also: the last block is not committed with bytes."""
        super().may_release(file)
        waits = s.block[file].at(BlockLifecycle.committed) & (s.block_bytes[file] > 0)
        require(~waits, "the committed block is empty", "AlreadyBeingCreatedException")


class NoGate(RecoveryStart, lane="namenode"):
    """An attempt may start while another is under way, however young that is (facts G.5, before HDFS-11576)."""

    def start_recovery(s, file: File, primary: Datanode) -> None:
        """Nobody remembers when."""
        super().start_recovery(file, primary)
        s.attempt_is_young[file] = False


class EveryUpdateMustSucceed(BlockRecovery, lane=Datanode):
    """One participant that fails ends the recovery, with nothing committed (facts G.4)."""

    def too_many_failed(s, attempt: Attempt) -> Bool:
        """Some participant has failed."""
        return ~attempt.failed.is_empty()

    def may_report(s, attempt: Attempt) -> None:
        """Checks: no participant has failed."""
        require(attempt.failed.is_empty(), "no participant has failed", "IOException")


class MonitorDropsLease(Leases, lane="namenode"):
    """The lease monitor drops a file's lease when releasing it throws."""

    @action(event="release_expired_lease", refuses="AlreadyBeingCreatedException")
    def release_expired_lease_fails(s, holder: Holder, file: File) -> None:
        """internalReleaseLease throws (before HDFS-14498 and HDFS-15725); the lease loses the file."""
        expired = s.lease[holder].at(LeaseLifecycle.past_hard_limit) | (holder == Holder.NAMENODE)
        s.may_work()
        require(expired, "the lease is past its hard limit")
        require(s.lease_files[holder].has(file), "the lease covers the file")
        require(s.block[file].at(BlockLifecycle.committed), "the block is committed and short of replicas")
        s.give_up_lease(file)


class CommitUnderRecovery(BlockSteps, lane="namenode"):
    """complete() and addBlock() commit a block that is under recovery.

    The late complete() of a client whose block is under recovery goes through (facts A.3 step 2).

    The replicas that are reported meanwhile count towards it (BlockManager#isBlockUnderConstruction).
    """

    def may_commit(s, file: File) -> None:
        """Nobody asks whether the block is under recovery."""

    def has_any_length(s, file: File) -> Bool:
        """Also of a block that is under recovery."""
        return super().has_any_length(file) | s.is_recovered(file)

    @action(event="complete")
    def complete_under_recovery(s, client: Client, file: File) -> None:
        """The client that still owns the file commits its own length and stamp; no replica is known."""
        s.commits_under_recovery(client, file)
        require(s.lacks_replicas(file), "no finalized replica is known")
        s.leave_recovery(file)
        s.commit(client, file)
        observe(closed=False, block_state=s.block[file])

    @action(event="complete")
    def complete_under_recovery_closes(s, client: Client, file: File) -> None:
        """A replica is known: the block is COMPLETE and the file closed. The attempt goes on, and ends with nothing."""
        s.commits_under_recovery(client, file)
        require(~s.lacks_replicas(file), "a finalized replica is known")
        s.leave_recovery(file)
        s.commit(client, file)
        s.block[file].fire(BlockLifecycle.complete_block)
        s.close(file)
        s.close_stream(client, file)
        observe(closed=True, block_state=s.block[file])

    def commits_under_recovery(s, client: Client, file: File) -> None:
        """Checks: the client that still owns the file is done with its last block, which is under recovery."""
        s.check_lease(client, file, answers=False)
        require(s.ready_to_complete(client, file), "the last packet is acknowledged")
        require(s.is_recovered(file), "the block is under recovery")
        s.earlier_blocks_are_complete(file)

    def is_recovered(s, file: File) -> Bool:
        """The last block is under recovery."""
        return s.block[file].at(BlockLifecycle.under_recovery)

    def leave_recovery(s, file: File) -> None:
        """The recovery is forgotten by the block, and by nobody else."""
        s.block[file].fire(BlockLifecycle.commit_block_synchronization_without_close, where=s.is_recovered(file))

    @action(event="commit_block_synchronization")
    def commit_block_synchronization_after_commit(s, primary: Datanode, file: File) -> None:
        """The recovery ends all the same: only its id is compared, and not the block's state (facts G.6 row 7)."""
        attempt = s.reports_back(primary, file)
        require(attempt.stage.at(AttemptStage.UPDATING), "replicas were updated")
        require(s.block[file].at(BlockLifecycle.committed), "the client has committed the block")
        s.not_deleted(file, None)
        require(attempt.recovery_id == s.recovery_id[file], "the recovery id is the current one")
        s.earlier_blocks_are_complete(file)
        s.may_close(attempt)
        s.block[file].fire(BlockLifecycle.start_recovery, BlockLifecycle.commit_block_synchronization)
        s.take_result(file, attempt)
        s.recovery_ends(file)
        s.close(file)
        s.report_is_answered(primary, file, attempt)
        s.attempt_ends(primary, file)


class AddBlockUnderRecovery(CommitUnderRecovery, EarlierBlocks, lane="namenode"):
    """complete() and addBlock() commit a block that is under recovery."""

    def may_commit_previous(s, file: File) -> None:
        """Nobody asks whether the block is under recovery."""

    def commit_previous(s, client: Client, file: File) -> None:
        """The previous block leaves its recovery first."""
        s.leave_recovery(file)
        super().commit_previous(client, file)


class ReopenedWithoutRecovery(AppendCall, lane="namenode"):
    """A block that was completed while its recovery went on, and is opened again, is under no recovery (facts A.4).

    Coarser than HDFS in systems with another append: there the recovery's end is taken for that of the block.
    """

    def reopen_last_block(s, file: File) -> None:
        """The attempt goes on, and its recovery id is not the block's any more."""
        super().reopen_last_block(file)
        s.recovery_id[file] = 0
