"""Faults of the edit log: what was not logged, logged under a wrong path, for a deleted file, or answered too early."""

from genstamp_model.language import Bug, case, optional, per, require, way
from genstamp_spec.hdfs.parts.client_calls import ClientCalls
from genstamp_spec.hdfs.parts.edit_log import EditLog
from genstamp_spec.hdfs.parts.edit_replay import EditReplay
from genstamp_spec.hdfs.parts.file_calls import LoggedAppends, LoggedTree
from genstamp_spec.hdfs.parts.journal_state import CallStage, Path
from genstamp_spec.hdfs.parts.recovery_in_outline import RecoveryInOutline
from genstamp_spec.hdfs.parts.state import Client, Datanode, File
from genstamp_spec.lifecycles.block import BlockLifecycle


class ReassignmentNotLogged(EditLog, lane="namenode"):
    """The new holder is known to the memory only."""

    def log_reassignment(s, file: File) -> None:
        """Nothing."""


HDFS_1149 = Bug(
    "HDFS-1149",
    "a lease that goes to a new holder is not logged: after a restart the old client owns the file again",
    parts=(ReassignmentNotLogged,),
    breaks=("replay_gives_the_state_of_the_active", "lost_files_stay_lost"),
    configuration="recoveries",
    depth=10,
    source="https://issues.apache.org/jira/browse/HDFS-1149; fixed in 0.23",
)

HDFS_5590 = Bug(
    "HDFS-5590",
    "block ids and stamps are given to clients before they are synced",
    drops=(("answer_arrives", "what the call did is synced"),),
    breaks=("known_stamps_are_synced", "stamps_are_given_out_once"),
    configuration="recoveries",
    depth=6,
    source="https://issues.apache.org/jira/browse/HDFS-5590; fixed in 2.3.0",
)


class BoundaryAppendNotLogged(LoggedAppends, lane="namenode"):
    """An append that gets no block to go on with leaves no edit."""

    def log_append_at_block_boundary(s, client: Client, file: File) -> None:
        """Nothing."""


HDFS_2991 = Bug(
    "HDFS-2991",
    "an append at a block boundary is not logged, so that what follows cannot be replayed",
    parts=(BoundaryAppendNotLogged,),
    breaks=("replay_never_fails", "replay_gives_the_state_of_the_active"),
    configuration="appends",
    depth=8,
    source="https://issues.apache.org/jira/browse/HDFS-2991; fixed in 0.22.1, 2.0",
)


class CompleteOnce(ClientCalls, lane="namenode"):
    """complete() of a file that is closed already is refused, whoever has closed it."""

    def is_closed_already(s, client: Client, file: File) -> None:
        """The client takes its file for lost."""
        way("again", refuses="LeaseExpiredException")
        require(s.call[client].stage.at(CallStage.LOST), "the client calls again")
        require(s.block_matches(client, file), "its last block is the client's")
        s.end_call(client)


HDFS_3031 = Bug(
    "HDFS-3031",
    "complete() is not idempotent: repeated after a lost answer it is refused",
    parts=(CompleteOnce,),
    breaks=("repeated_call_is_answered",),
    configuration="lost_answers",
    depth=6,
    source="https://issues.apache.org/jira/browse/HDFS-3031; fixed in 2.0.2",
)


class ReplayedAppendDropsBlock(EditReplay, lane="standby"):
    """The replay of an append leaves the file without the block that is under construction."""

    def reopen_in_image(s, file: File) -> None:
        """The block is thrown away."""
        s.image[file].block.fire(BlockLifecycle.remove)


HDFS_3922 = Bug(
    "HDFS-3922",
    "the replay of an append throws the block under construction away",
    parts=(ReplayedAppendDropsBlock,),
    breaks=("promised_bytes_survive", "replay_gives_the_state_of_the_active"),
    configuration="appends",
    depth=15,
    source="https://issues.apache.org/jira/browse/HDFS-3922; fixed in 0.23.4",
)

HDFS_6527 = Bug(
    "HDFS-6527",
    "addBlock for a file that was deleted meanwhile: the edit names a path that is no more",
    drops=(("add_block", "the file is not deleted"),),
    breaks=("replay_never_fails",),
    configuration="deletions",
    depth=10,
    source="https://issues.apache.org/jira/browse/HDFS-6527; fixed in 2.5.0",
)


class PathOfTheCaller(ClientCalls, lane="namenode"):
    """addBlock logs the path that its caller has passed, which is the one that the file was created at."""

    created_at = per(File, optional(Path))

    def link(s, file: File) -> None:
        """The path is remembered."""
        super().link(file)
        s.created_at[file] = s.path[file]

    def path_of_new_block(s, file: File) -> Path:
        """The caller's."""
        return s.created_at[file]


HDFS_6622 = Bug(
    "HDFS-6622",
    "addBlock logs the path that the file had before it was renamed",
    parts=(PathOfTheCaller,),
    breaks=("replay_never_fails",),
    configuration="renames",
    depth=10,
    source="https://issues.apache.org/jira/browse/HDFS-6622; fixed in 2.5.0",
)

HDFS_6647 = Bug(
    "HDFS-6647",
    "updatePipeline for a deleted file that a snapshot keeps is logged",
    drops=(
        ("update_block_for_pipeline", "the file is not deleted"),
        ("update_pipeline", "the file is not deleted"),
    ),
    breaks=("replay_never_fails",),
    configuration="deletions",
    depth=17,
    source="https://issues.apache.org/jira/browse/HDFS-6647; fixed in 2.5.0",
)

HDFS_6825 = Bug(
    "HDFS-6825",
    "commitBlockSynchronization for a file whose blocks are still being removed: OP_CLOSE after OP_DELETE",
    drops=(("commit_block_synchronization", "the file is not deleted"),),
    breaks=("replay_never_fails",),
    configuration="deletions",
    depth=16,
    source="https://issues.apache.org/jira/browse/HDFS-6825; fixed in 2.6.0",
)


class DeletedByName(LoggedTree, lane="namenode"):
    """Whether a file is deleted is seen from its path: if there is something, it is taken for the file."""

    def not_deleted(s, file: File, refused: str | None) -> None:
        """Checks: there is a file at the path."""
        require(s.in_tree.has(file) | s.is_taken(s.path[file]), "the file is not deleted", refused)


HDFS_7707 = Bug(
    "HDFS-7707",
    "a deleted file counts as there if another one was created at its path: its late commit is logged",
    parts=(DeletedByName,),
    breaks=("replay_never_fails",),
    configuration="two_files",
    depth=14,
    source="https://issues.apache.org/jira/browse/HDFS-7707; fixed in 2.6.1",
)

HDFS_12369 = Bug(
    "HDFS-12369",
    "the lease monitor closes or takes over a deleted file that a snapshot keeps, and logs it",
    drops=(("release_expired_lease", "the file is not deleted"),),
    breaks=("replay_never_fails",),
    configuration="deletions",
    depth=10,
    source="https://issues.apache.org/jira/browse/HDFS-12369; fixed in 2.8.3, 2.9.0",
)


class AppendBeforeQuota(LoggedAppends, lane="namenode"):
    """The quota is checked when the file is open already."""

    def exceeds_quota(s, client: Client, file: File) -> bool:
        """The call is refused, the file stays open in memory, and nothing is logged."""
        refused = "DSQuotaExceededException"
        if case("over_quota", s.over_quota, "the quota is used up", "the quota is not used up", refuses=refused):
            s.reopen(client, file)
            s.reopen_last_block(file)
            return True
        return False


HDFS_7587 = Bug(
    "HDFS-7587",
    "an append that exceeds the quota has changed the file in memory, and logged nothing",
    parts=(AppendBeforeQuota,),
    breaks=("replay_gives_the_state_of_the_active", "replay_never_fails"),
    configuration="appends",
    depth=15,
    source="https://issues.apache.org/jira/browse/HDFS-7587; fixed in 2.6.1, 2.7.0",
)


class ReportsOfTheRemoved(RecoveryInOutline, lane=Datanode):
    """What was queued of a datanode stays when the datanode is removed."""

    def forget_reports(s, datanode: Datanode) -> None:
        """Nothing."""


HDFS_6289 = Bug(
    "HDFS-6289",
    "a queued report of a datanode that was removed meanwhile makes the failover fail, again and again",
    parts=(ReportsOfTheRemoved,),
    breaks=("failover_ends",),
    configuration="reports",
    source="https://issues.apache.org/jira/browse/HDFS-6289; fixed in 2.5.0",
)

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
