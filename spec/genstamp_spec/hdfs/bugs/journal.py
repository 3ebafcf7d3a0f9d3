"""Faults of the edit log: what was not logged, logged under a wrong path, for a deleted file, or answered too early."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.hadoop_2_7 import ISSUE, AddBlockUnderRecovery, MonitorDropsLease, ReopenedWithoutRecovery
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.bugs.lease import HDFS_2484, HDFS_15725
from genstamp_spec.hdfs.parts.client_calls import ClientCalls
from genstamp_spec.hdfs.parts.earlier_blocks import TwoBlocks
from genstamp_spec.hdfs.parts.edit_log import EditLog
from genstamp_spec.hdfs.parts.edit_replay import EditReplay
from genstamp_spec.hdfs.parts.file_calls import LoggedAppends, LoggedTree
from genstamp_spec.hdfs.parts.journal_state import CallStage, Path
from genstamp_spec.hdfs.parts.recovery_start import RecoveryInOutline
from genstamp_spec.hdfs.parts.state import Attempt, AttemptStage, Client, Datanode, File
from genstamp_spec.lifecycles.block import BlockLifecycle


class ReassignmentNotLogged(EditLog, lane="namenode"):
    """A lease that goes to a new holder is not logged: after a restart the old client owns the file again."""

    def log_reassignment(s, file: File) -> None:
        """Nothing."""


HDFS_1149 = historic("HDFS-1149", ReassignmentNotLogged, fixed="0.23").at(
    "recoveries", "replay_gives_the_state_of_the_active", "lost_files_stay_lost"
)

HDFS_5590 = historic(
    "HDFS-5590",
    fixed="2.3.0",
    drops=(("answer_arrives", "what the call did is synced"),),
    title="block ids and stamps are given to clients before they are synced",
).at("recoveries", "known_stamps_are_synced", "stamps_are_given_out_once")


class BoundaryAppendNotLogged(LoggedAppends, lane="namenode"):
    """An append at a block boundary is not logged, so that what follows cannot be replayed."""

    def log_append_at_block_boundary(s, client: Client, file: File) -> None:
        """Nothing."""


HDFS_2991 = historic("HDFS-2991", BoundaryAppendNotLogged, fixed="0.22.1, 2.0").at(
    "appends", "replay_never_fails", "replay_gives_the_state_of_the_active"
)


class CompleteOnce(ClientCalls, lane="namenode"):
    """complete() is not idempotent: repeated after a lost answer it is refused."""

    def is_closed_already(s, client: Client, file: File) -> None:
        """The client takes its file for lost."""
        way("again", refuses="LeaseExpiredException")
        require(s.call[client].stage.at(CallStage.LOST), "the client calls again")
        require(s.block_matches(client, file), "its last block is the client's")
        s.end_call(client)


HDFS_3031 = historic("HDFS-3031", CompleteOnce, fixed="2.0.2").at("lost_answers", "repeated_call_is_answered")


class ReplayedAppendDropsBlock(EditReplay, lane="standby"):
    """The replay of an append throws the block under construction away."""

    def reopen_in_image(s, file: File) -> None:
        """The block is thrown away."""
        s.image[file].block.fire(BlockLifecycle.remove)


HDFS_3922 = historic("HDFS-3922", ReplayedAppendDropsBlock, fixed="0.23.4").at(
    "appends", "promised_bytes_survive", "replay_gives_the_state_of_the_active"
)

HDFS_6527 = historic(
    "HDFS-6527",
    fixed="2.5.0",
    drops=(("add_block", "the file is not deleted"),),
    title="addBlock for a file that was deleted meanwhile: the edit names a path that is no more",
).at("deletions", "replay_never_fails")


class PathOfTheCaller(ClientCalls, lane="namenode"):
    """addBlock logs the path that the file had before it was renamed."""

    created_at = per(File, optional(Path))

    def link(s, file: File) -> None:
        """The path is remembered."""
        super().link(file)
        s.created_at[file] = s.path[file]

    def path_of_new_block(s, file: File) -> Path:
        """The caller's."""
        return s.created_at[file]


HDFS_6622 = historic("HDFS-6622", PathOfTheCaller, fixed="2.5.0").at("renames", "replay_never_fails")

HDFS_6647 = historic(
    "HDFS-6647",
    fixed="2.5.0",
    drops=(
        ("update_block_for_pipeline", "the file is not deleted"),
        ("update_pipeline", "the file is not deleted"),
    ),
    title="updatePipeline for a deleted file that a snapshot keeps is logged",
).at("deletions", "replay_never_fails")

HDFS_6825 = historic(
    "HDFS-6825",
    fixed="2.6.0",
    drops=(("commit_block_synchronization", "the file is not deleted"),),
    title="commitBlockSynchronization for a file whose blocks are still being removed: OP_CLOSE after OP_DELETE",
).at("deletions", "replay_never_fails")


class DeletedByName(LoggedTree, lane="namenode"):
    """A deleted file counts as there if another one was created at its path: its late commit is logged."""

    def not_deleted(s, file: File, refused: str | None) -> None:
        """Checks: there is a file at the path."""
        require(s.in_tree.has(file) | s.is_taken(s.path[file]), "the file is not deleted", refused)


HDFS_7707 = historic("HDFS-7707", DeletedByName, fixed="2.6.1").at("two_files", "replay_never_fails")

HDFS_12369 = historic(
    "HDFS-12369",
    fixed="2.8.3, 2.9.0",
    drops=(("release_expired_lease", "the file is not deleted"),),
    title="the lease monitor closes or takes over a deleted file that a snapshot keeps, and logs it",
).at("deletions", "replay_never_fails")


class AppendBeforeQuota(LoggedAppends, lane="namenode"):
    """An append that exceeds the quota has changed the file in memory, and logged nothing."""

    def exceeds_quota(s, client: Client, file: File) -> bool:
        """The call is refused, the file stays open in memory, and nothing is logged."""
        refused = "DSQuotaExceededException"
        if case("over_quota", s.over_quota, "the quota is used up", "the quota is not used up", refuses=refused):
            s.reopen(client, file)
            s.reopen_last_block(file)
            return True
        return False


HDFS_7587 = historic("HDFS-7587", AppendBeforeQuota, fixed="2.6.1, 2.7.0").at(
    "appends", "replay_gives_the_state_of_the_active", "replay_never_fails"
)


class ReportsOfTheRemoved(RecoveryInOutline, lane=Datanode):
    """A queued report of a datanode that was removed meanwhile makes the failover fail, again and again."""

    def forget_reports(s, datanode: Datanode) -> None:
        """Nothing."""


HDFS_6289 = historic("HDFS-6289", ReportsOfTheRemoved, fixed="2.5.0").at("reports", "failover_ends")

JOURNAL_BUGS = (
    HDFS_1149,
    HDFS_2991,
    HDFS_3031,
    HDFS_3922,
    HDFS_5590,
    HDFS_6289,
    HDFS_6527,
    HDFS_6622,
    HDFS_6647,
    HDFS_6825,
    HDFS_7587,
    HDFS_7707,
    HDFS_12369,
)


class ChangedBeforeClosing(TwoBlocks):
    """A recovery that cannot close the file has dropped or re-stamped the last block in memory, and logs nothing."""

    def before_closing_fails(s, file: File, attempt: Attempt) -> None:
        """The last block has the recovery's stamp, or is gone."""
        deletes = attempt.stage.at(AttemptStage.DELETING)
        s.block[file].fire(BlockLifecycle.commit_block_synchronization_delete, where=deletes)
        s.block[file].fire(BlockLifecycle.commit_block_synchronization, where=~deletes)
        s.block_stamp[file] = when(deletes, s.block_stamp[file], attempt.recovery_id)
        s.last_block_is_gone(file)


CLOSING_FAILS_HALF_WAY = Hole(
    "closing-fails-half-way",
    parts=(ChangedBeforeClosing,),
    source="facts G.6, S19; HDFS-17861, fixed in 3.5.0 for a removed block; "
    "FSNamesystem#closeFileCommitBlocks, Hadoop 3.4.1",
).at("two_blocks", "replay_gives_the_state_of_the_active")
RECOVERY_ID_LEAVES_UNSYNCED = Hole(
    "recovery-id-leaves-unsynced",
    "a heartbeat carries a recovery id that is not on disk yet; the next NameNode gives the stamp out again",
    drops=(("receive_recovery_command", "the recovery id is synced"),),
    source="facts F.4 (note), H.5.2; FSNamesystem#internalReleaseLease, DatanodeManager#handleHeartbeat, Hadoop 3.4.1",
).at("recoveries", "known_stamps_are_synced", "stamps_are_given_out_once")


HDFS_10240 = Difference(
    "HDFS-10240",
    parts=(AddBlockUnderRecovery, ReopenedWithoutRecovery),
    source=ISSUE + "HDFS-10240; fixed in 3.0.4, 3.1.2, 3.2.0; what it breaks is in hdfs.lease",
).seen("reports", "action complete_under_recovery")
HDFS_11817 = Difference(
    "HDFS-11817",
    parts=(MonitorDropsLease,),
    source=ISSUE + "HDFS-11817; fixed in 2.8.2, 2.7.7; what it breaks is in hdfs.lease",
).seen("small", "action release_expired_lease_fails")
JOURNAL_2_7 = (
    HDFS_2484.at("small"),
    HDFS_10240,
    HDFS_11817,
    HDFS_15725.at("small"),
)
