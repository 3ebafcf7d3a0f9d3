"""The NameNode: truncate, in place and by copy, and the deletion of files and snapshots around it.

Coarser than HDFS: a file has one block, so that only length 0 is a block boundary; a file has one copy made in its
life; a file that a snapshot or an upgrade holds is not cut to nothing, and not deleted while it is being written; once
deleted it is not created again, since it is an inode. What an upgrade holds goes to the trash of the datanodes, which
is not here. That a replica is shorter than the length to cut to (facts B.4 step 7) cannot happen here.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.namenode_blocks import Blocks
from genstamp_spec.hdfs.parts.state import Attempt, Client, Datanode, File, no_datanode
from genstamp_spec.hdfs.parts.truncate_state import TruncateMode
from genstamp_spec.hdfs.state.cuts import Cuts
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle

LONGEST = 3  # no truncate to more bytes is looked at


class NamenodeTruncate(Blocks, Cuts, lane="namenode"):
    """truncate, delete, deleteSnapshot."""

    # truncate (E.4).

    @action
    def truncate(s, client: Client, file: File) -> None:
        """A closed file is cut; false, wait for it to be closed, but at a block boundary.

        Source  FSDirTruncateOp#truncate, #prepareFileForTruncate, #shouldCopyOnTruncate, Hadoop 3.4.1; facts E.4, A.6,
            A3, A4, A20.
        """
        s.may_call(client)
        lost = "the answer to the client was lost", "the client has its answer"
        if case("answered_again", s.unanswered[client][file], *lost):
            s.answers_again(client, file)
            return
        new_bytes = pick("new_bytes", 0, LONGEST)
        if s.is_being_cut(file, new_bytes) or s.recover_lease_internal(client, file, None):
            return
        longer = new_bytes > s.block_bytes[file]
        require(~longer, "the file is not shorter than that", "HadoopIllegalArgumentException")
        same = "the file has this length", "the file is longer than that"
        if case("to_same_length", new_bytes == s.block_bytes[file], *same, unchanged="there is nothing to cut off"):
            observe(closed=True, num_bytes=new_bytes)
            return
        require(s.block[file].at(BlockLifecycle.complete), "the file has a block")
        if case("to_nothing", new_bytes == 0, "the length is a block boundary", "the length is no block boundary"):
            require(~s.is_held(file), "nothing holds the block")
            s.file[file].fire(FileLifecycle.truncate_at_block_boundary)
            s.remove_block(file)
            s.hflushed[file] = 0
            observe(closed=True, num_bytes=0)
            return
        copied = case("by_copy", s.is_held(file), "something holds the block", "nothing holds the block")
        primary = pick("primary", Datanode, or_none=True)
        require(s.may_lead_cut(file, primary), "the primary is a candidate")
        if copied:
            s.copy_on_truncate(client, file, primary, new_bytes)
        else:
            s.cut_in_place(client, file, primary, new_bytes)
        s.answer(client, file, new_bytes, pick("lost_answer", 0, 1))
        observe(closed=False, num_bytes=new_bytes, recovery_id=s.recovery_id[file])

    def answers_again(s, client: Client, file: File) -> None:
        """A client that has lost its answer asks again: the answer was kept, and nothing is done twice.

        No released Hadoop keeps it: truncate is declared idempotent (HDFS-16322; facts E.0).
        """
        s.is_answered(client, file)

    def is_being_cut(s, file: File, new_bytes: Number) -> bool:
        """Whether a truncate to this length is under way, whoever asks (HDFS-7926, HDFS-15875; facts E.4 step 2)."""
        require(~s.file[file].at(FileLifecycle.absent), "the file exists", "FileNotFoundException")
        under_way = s.is_truncated(file) & s.block[file].at(BlockLifecycle.under_recovery)
        other = under_way & (new_bytes != s.truncate_to[file])
        require(~other, "no truncate to another length is under way", "AlreadyBeingCreatedException")
        words = "a truncate is under way", "no truncate is under way"
        if case("is_under_way", under_way, *words, unchanged="the client is only told that it is"):
            observe(closed=False, num_bytes=s.truncate_to[file])
            return True
        return False

    def cut_in_place(s, client: Client, file: File, primary: Datanode, new_bytes: Number) -> None:
        """The last block is to be cut as it is."""
        s.block[file].fire(BlockLifecycle.truncate)
        s.truncate_mode[file] = TruncateMode.IN_PLACE
        s.begin_truncate(client, file, primary, new_bytes)

    def copy_on_truncate(s, client: Client, file: File, primary: Datanode, new_bytes: Number) -> None:
        """A new block takes the place of one that must not be cut, and is copied from it."""
        s.copies = s.copies + 1
        s.former_stamp[file] = s.block_stamp[file]
        s.former_bytes[file] = s.block_bytes[file]
        s.former_stored[file] = s.stored[file]
        s.truncate_mode[file] = TruncateMode.BY_COPY
        s.begin_truncate(client, file, primary, new_bytes)
        s.new_block_takes_the_place(file)
        s.block_stamp[file] = s.recovery_id[file]
        s.block_bytes[file] = new_bytes
        s.stored[file].clear()

    def new_block_takes_the_place(s, file: File) -> None:
        """The file's last block becomes the former one."""
        s.former_block[file].fire(BlockLifecycle.copy_on_truncate)
        new = each(File, lambda f: when(f == file, s.former_block[f], s.block[f]))
        former = each(File, lambda f: when(f == file, s.block[f], s.former_block[f]))
        s.block.update(lambda f: new[f])
        s.former_block.update(lambda f: former[f])

    def may_lead_cut(s, file: File, primary: Datanode) -> Bool:
        """The primary of the first attempt: a live location of the block as it is now (facts G.1)."""
        live = s.stored[file] & s.running
        return when(live.is_empty(), primary.is_none(), ~primary.is_none() & live.has(primary))

    def begin_truncate(s, client: Client, file: File, primary: Datanode, new_bytes: Number) -> None:
        """The file is open, for the client, and its first recovery starts; it is no young attempt (facts G.5)."""
        s.visible_bytes_are_promised(file)
        s.hflushed[file] = new_bytes
        s.bytes_before_cut.update(
            lambda d: each(File, lambda f: when(f == file, s.replica[d][f].num_bytes, s.bytes_before_cut[d][f]))
        )
        s.truncates = s.truncates + 1
        s.truncate_to[file] = new_bytes
        s.file[file].fire(FileLifecycle.truncate)
        s.client_name[file] = client
        s.grant(client, file)
        s.locations[file] = s.stored[file]
        s.tried_as_primary[file].clear()
        s.last_stamp = s.last_stamp + 1
        s.recovery_id[file] = s.last_stamp
        s.lead(file, primary)

    def answer(s, client: Client, file: File, new_bytes: Number, lost: Number) -> None:
        """The answer reaches the client, or is lost."""
        s.lost_answers = s.lost_answers + lost
        s.unanswered[client][file] = lost == 1
        s.asked_bytes[client][file] = when(lost == 1, new_bytes, 0)

    def is_answered(s, client: Client, file: File) -> None:
        """The answer reaches the client eventually."""
        s.unanswered[client][file] = False
        s.asked_bytes[client][file] = 0

    # Its recovery, started again (F.4), and its end (G.6).

    def start_recovery(s, file: File, primary: Datanode) -> None:
        """F.4 step 2: a block that is copied gets the new recovery id as its stamp.

        Of one that is cut in place `truncateBlock` gets it, which is no more than the recovery id here. Copies made
        under an earlier id are of no use any more: the next ones are made from the former block again.
        """
        super().start_recovery(file, primary)
        copied = s.truncate_mode[file].at(TruncateMode.BY_COPY)
        s.block_stamp[file] = when(copied, s.recovery_id[file], s.block_stamp[file])
        s.change_places(file, copied)

    def take_result(s, file: File, attempt: Attempt) -> None:
        """Of a copy the stored block has its stamp already, and keeps it (facts G.6, effect 1)."""
        copied = s.truncate_mode[file].at(TruncateMode.BY_COPY)
        stamp = when(copied, s.block_stamp[file], attempt.recovery_id)
        super().take_result(file, attempt)
        s.block_stamp[file] = stamp

    def recovery_ends(s, file: File) -> None:
        """The truncate has ended: without a snapshot that holds it, the former block goes (facts G.6, A20)."""
        super().recovery_ends(file)
        goes = s.truncate_mode[file].at(TruncateMode.BY_COPY) & ~s.snapshot[file]
        s.remove_former_block(file, goes)
        s.truncate_mode[file] = TruncateMode.NONE

    def remove_block(s, file: File) -> None:
        """BlockManager#removeBlock: the last block leaves the block map; its replicas are deleted later."""
        s.block[file].fire(BlockLifecycle.remove)
        s.stored[file].clear()
        s.locations[file].clear()

    def remove_former_block(s, file: File, goes: Bool) -> None:
        """The former block leaves the block map, where it is one to go."""
        s.former_block[file].fire(BlockLifecycle.remove, where=goes)
        s.former_stored[file] = when(goes, no_datanode(), s.former_stored[file])

    # Deletion (E.14) of files and snapshots.

    def may_create(s, file: File) -> None:
        """Checks: a file that was deleted is not meant; its inode does not come back."""
        deleted = s.file[file].at(FileLifecycle.absent) & ~s.block[file].at(BlockLifecycle.absent)
        require(~deleted, "the file was not deleted")

    @action
    def delete(s, client: Client, file: File) -> None:
        """A file is deleted, closed or while it is written or cut; what a snapshot holds of a closed one stays.

        With an open file goes the block that it is copied from (HDFS-12638), unless a snapshot holds that one: Hadoop
        deletes it all the same.

        Source  FSDirDeleteOp#delete, INode.BlocksMapUpdateInfo#addDeleteBlock, Hadoop 3.4.1; facts E.14, A20.
        """
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "the file exists")
        if case("open_file", s.under_construction(file), "the file is open", "the file is closed"):
            s.delete_open(file)
            return
        require(s.block[file].at(BlockLifecycle.complete), "the file has a block")
        kept = s.is_in_snapshot(file)
        s.file[file].fire(FileLifecycle.delete)
        s.block[file].fire(BlockLifecycle.remove, where=~kept)
        s.stored[file] = when(kept, s.stored[file], no_datanode())
        s.locations[file].clear()
        s.earlier_blocks_go(file)

    def delete_open(s, file: File) -> None:
        """The file is not closed; no snapshot holds the block that is written."""
        require(~s.block[file].at(BlockLifecycle.absent, BlockLifecycle.removed), "the file has a block")
        require(~s.is_in_snapshot(file), "no snapshot holds the block that is written")
        s.give_up_lease(file)
        s.client_name[file] = none
        s.file[file].fire(FileLifecycle.delete)
        s.remove_block(file)
        s.delete_source(file)
        s.truncate_mode[file] = TruncateMode.NONE
        s.attempt_is_young[file] = False
        s.earlier_blocks_go(file)

    def delete_source(s, file: File) -> None:
        """The block that a copy is made from goes with the file, unless a snapshot holds it."""
        s.remove_former_block(file, s.truncate_mode[file].at(TruncateMode.BY_COPY) & ~s.snapshot[file])

    @action
    def delete_snapshot(s, file: File) -> None:
        """The snapshot is deleted, and with it what only it held, but for a block that is just being copied.

        Source  FileDiffList#combineAndCollectSnapshotBlocks, Hadoop 3.4.1; facts A20.
        """
        require(s.snapshot[file], "the file is in a snapshot")
        gone = s.file[file].at(FileLifecycle.absent)
        s.block[file].fire(BlockLifecycle.remove, where=gone & s.is_in_snapshot(file))
        s.stored[file] = when(gone, no_datanode(), s.stored[file])
        s.remove_former_block(file, s.goes_with_the_snapshot(file))
        s.snapshot[file] = False
        s.snapshot_bytes[file] = 0

    def goes_with_the_snapshot(s, file: File) -> Bool:
        """Only the snapshot holds the former block: no truncate copies it (HDFS-7903)."""
        kept = s.former_block[file].at(BlockLifecycle.complete)
        return kept & ~s.truncate_mode[file].at(TruncateMode.BY_COPY)
