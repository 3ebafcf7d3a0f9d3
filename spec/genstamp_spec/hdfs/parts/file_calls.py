"""The NameNode with a log: calls on files that neither add nor complete a block.

What append, fsync, rename and delete ask and change stands in `namenode_calls.py`, what calls about pipelines do in
`namenode_blocks.py`: here is what they log, and what their clients pass. Coarser than HDFS: a file is deleted by
itself, not with its directory; its blocks are removed in one step; no last block is full.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.client_calls import ClientCalls
from genstamp_spec.hdfs.parts.earlier_state import no_earlier
from genstamp_spec.hdfs.parts.journal_state import CallKind, Opcode, Path, Service
from genstamp_spec.hdfs.parts.namenode_calls import AppendCall, FsyncCall, TreeCalls
from genstamp_spec.hdfs.parts.state import AttemptStage, Client, Datanode, File, Holder
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, LeaseLifecycle


class LoggedAppends(ClientCalls, AppendCall, lane="namenode"):
    """A closed file is opened again (E.2)."""

    def exceeds_quota(s, client: Client, file: File) -> bool:  # noqa: ARG002 - a hook
        """Checks: the directory's quota is not used up (HDFS-7587)."""
        require(~s.over_quota, "the quota allows for the rest of the block", "DSQuotaExceededException")
        return False

    def is_at_boundary(s, file: File) -> None:
        """Checks: there is no block to go on with."""
        require(~s.known(file), "the file has no block")

    def reopen_last_block(s, file: File) -> None:
        """Coarser than HDFS: finalized replicas count no more, as if the pipeline were set up already (facts A.4)."""
        super().reopen_last_block(file)
        s.stored[file].clear()

    def goes_on_with_block(s, client: Client, file: File) -> None:
        """OP_APPEND; the client learns of the block by the answer."""
        s.log(Opcode.APPEND, file, caller=client)
        s.called(client, CallKind.APPEND, file, s.block_stamp[file])

    def goes_on_without_block(s, client: Client, file: File) -> None:
        """OP_APPEND is logged all the same (HDFS-2991)."""
        s.log_append_at_block_boundary(client, file)
        s.called(client, CallKind.APPEND, file, 0)

    def log_append_at_block_boundary(s, client: Client, file: File) -> None:
        """OP_APPEND."""
        s.log(Opcode.APPEND, file, caller=client)

    @action(hidden=True)
    def quota_is_lowered(s) -> None:
        """An administrator lowers the quota of the directory; no file can grow any more."""
        require(s.service.at(Service.ACTIVE), "the NameNode is active")
        require(~s.over_quota, "the quota is not used up")
        s.over_quota = True
        s.quota_changes = s.quota_changes + 1


class LoggedWrites(ClientCalls, FsyncCall, lane="namenode"):
    """The writer's calls: fsync, updateBlockForPipeline and updatePipeline."""

    def flushed_bytes(s, file: File) -> Number:
        """One byte more than the NameNode knows of."""
        return s.block_bytes[file] + 1

    def may_flush(s, client: Client, file: File) -> None:
        """Checks: the client writes a block, as far as it knows."""
        s.asks_for_stamp(client, file)

    def is_about_last_block(s, file: File, stamp: Ordered) -> None:
        """Checks: none, as in Hadoop, where fsync names no block (facts E.10)."""

    def take_length(s, client: Client, file: File, num_bytes: Number) -> None:
        """OP_UPDATE_BLOCKS; the length is promised by the answer."""
        super().take_length(client, file, num_bytes)
        s.log(Opcode.UPDATE_BLOCKS, file)
        s.called(client, CallKind.FSYNC, file, 0)

    def asks_for_stamp(s, client: Client, file: File) -> None:
        """Checks: the client writes a block, as far as it knows."""
        require(s.opened[client].has(file) & ~s.passes_no_block(client, file), "the client writes a block")

    def takes_stamp(s, client: Client, file: File) -> None:
        """The client learns of the stamp by the answer; each call, a repeated one as well, burns one."""
        s.called(client, CallKind.BLOCK_FOR_PIPELINE, file, s.last_stamp)

    def passes_pipeline(s, client: Client, file: File) -> None:
        """Checks: the client was given a stamp."""
        s.asks_for_stamp(client, file)
        require(s.new_stamp[client] > 0, "the client has a new stamp")

    def new_pipeline(s, client: Client, file: File) -> tuple[Ordered, Number, Members[Datanode]]:
        """That stamp, and the block as it was."""
        return s.new_stamp[client], s.block_bytes[file], s.running

    def goes_on(s, client: Client, file: File) -> None:
        """OP_UPDATE_BLOCKS (facts E.7); the client knows by the answer that its pipeline is the block's."""
        s.log(Opcode.UPDATE_BLOCKS, file, caller=client)
        s.called(client, CallKind.UPDATE_PIPELINE, file, s.block_stamp[file])


class LoggedTree(ClientCalls, TreeCalls, lane="namenode"):
    """rename, delete, and what becomes of a deleted file (E.14)."""

    def not_deleted(s, file: File, refused: str | None) -> None:
        """Checks: the file is in the tree, whatever is left of it in memory (HDFS-6527, HDFS-6647, HDFS-6825)."""
        require(s.in_tree.has(file), "the file is not deleted", refused)

    def counts(s, file: File, stamp: Ordered, num_bytes: Number) -> Bool:
        """A report of a deleted file's block is ignored, be the block still there (facts I.1 step 3)."""
        return super().counts(file, stamp, num_bytes) & s.in_tree.has(file)

    def may_create(s, file: File) -> None:
        """Checks: a new file is a new inode, whatever was at its path before."""
        new = s.file[file].at(FileLifecycle.absent) & s.block[file].at(BlockLifecycle.absent)
        require(s.in_tree.has(file) | new, "the file is there, or it is a new inode")

    def expired(s, holder: Holder, file: File) -> None:
        """Checks: also that the file is not deleted: else an edit would name a path that is no more (HDFS-12369)."""
        super().expired(holder, file)
        s.not_deleted(file, None)

    @action
    def rename(s, client: Client, file: File, path: Path) -> None:
        """A file, open or not, gets another path; its writer goes on by inode id.

        Source  FSDirRenameOp#renameTo, Hadoop 3.4.1; facts E.14.
        """
        s.may_rename(client, file, ~s.is_taken(path))
        s.log(Opcode.RENAME, file, caller=client, new_path=path)
        s.path[file] = path
        s.renames = s.renames + 1
        s.called(client, CallKind.RENAME, file, 0)

    @action(event="delete")
    def delete_under_snapshot(s, client: Client, file: File) -> None:
        """A file that a snapshot keeps leaves the tree; it stays open, and in its lease (facts E.14)."""
        s.may_delete(client, file)
        require(s.under_construction(file), "the file is open")
        s.leaves_the_tree(file)
        s.deletion_is_logged(client, file)
        s.in_snapshot.add(file)

    def leaves_the_tree(s, file: File) -> None:
        """The inode stays in memory; its blocks are removed later (facts E.14)."""
        s.in_tree.remove(file)
        s.deletions = s.deletions + 1

    def deletion_is_logged(s, client: Client, file: File) -> None:
        """OP_DELETE, under the path that the file has had."""
        s.log(Opcode.DELETE, file, caller=client)
        s.called(client, CallKind.DELETE, file, 0)

    @action(event="release_expired_lease")
    def release_expired_lease_of_deleted_file(s, holder: Holder, file: File) -> None:
        """The monitor finds a file that only a snapshot keeps: it drops the lease, and logs nothing.

        Source  LeaseManager#checkLeases, Hadoop 3.4.1; facts D.3 step 3 (HDFS-12369).
        """
        s.may_work()
        require(s.lease[holder].at(LeaseLifecycle.past_hard_limit), "the lease is past its hard limit")
        require(s.lease_files[holder].has(file), "the lease covers the file")
        require(~s.in_tree.has(file), "the file is deleted")
        s.drop_lease(file)

    @action(hidden=True)
    def remove_blocks(s, file: File) -> None:
        """What is left of a deleted file goes, in HDFS a batch of blocks at a time (facts E.14)."""
        require(~s.service.at(Service.STARTING), "the NameNode is up")
        require(~s.file[file].at(FileLifecycle.absent), "something is left of the file")
        require(~s.in_tree.has(file) & ~s.in_snapshot.has(file), "the file is deleted")
        s.file[file].fire(FileLifecycle.delete)
        s.block[file].fire(BlockLifecycle.remove, where=s.known(file))
        s.client_name[file] = none
        s.path[file] = none
        s.stored[file].clear()
        s.locations[file].clear()
        s.earlier[file] = no_earlier()
        s.recovery_id[file] = 0
        s.attempt_is_young[file] = False
        s.primary[file] = none


class LoggedRecovery(ClientCalls, lane="namenode"):
    """commitBlockSynchronization that closes no file."""

    @action(event="commit_block_synchronization")
    def commit_block_synchronization_leaves_open(s, primary: Datanode, file: File) -> None:
        """The NameNode takes the result over, and the file stays open: OP_UPDATE_BLOCKS. No datanode asks for this.

        Source  FSNamesystem#commitBlockSynchronization with closeFile false, Hadoop 3.4.1; facts A14, G.6.
        """
        attempt = s.reports_back(primary, file)
        require(attempt.stage.at(AttemptStage.UPDATING), "replicas were updated")
        require(s.known(file) & s.in_tree.has(file), "the block is known")
        require(~s.already_done(file), "the block is not complete yet")
        require(attempt.recovery_id == s.recovery_id[file], "the recovery id is the current one")
        s.block[file].fire(BlockLifecycle.commit_block_synchronization_without_close)
        s.take_result(file, attempt)
        s.stored[file].clear()
        s.attempt_is_young[file] = False
        s.left_open = s.left_open + 1
        s.log(Opcode.UPDATE_BLOCKS, file)
        s.attempt_ends(primary, file)
