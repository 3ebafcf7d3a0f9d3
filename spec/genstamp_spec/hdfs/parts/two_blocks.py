"""Files of two blocks: what the log tells of the block before the last one, and a close that it stands in the way of.

Coarser than HDFS: a file has two blocks at most; so many that row 2 of a release could apply are in no edit.
"""

from genstamp_model.language import Bool, Members, action, require, when
from genstamp_spec.hdfs.parts.journal_state import EarlierBlock, Edit, ImageFile, Opcode, Service, no_earlier_block
from genstamp_spec.hdfs.parts.namenode_failover import NamenodeFailover
from genstamp_spec.hdfs.parts.recovery_in_outline import RecoveryInOutline
from genstamp_spec.hdfs.parts.state import Attempt, Client, Datanode, File, no_datanode
from genstamp_spec.lifecycles.block import BlockLifecycle


class TwoBlocks(NamenodeFailover, RecoveryInOutline, lane="namenode"):
    """addBlock with a previous block; the block before the last one in edits and image."""

    def has_earlier(s, file: File) -> Bool:
        """The file has a block before its last one."""
        return ~s.earlier_block[file].state.at(BlockLifecycle.absent)

    def earlier_waits(s, file: File) -> Bool:
        """The block before the last one is COMMITTED only."""
        return s.earlier_block[file].state.at(BlockLifecycle.committed)

    # addBlock (E.5).

    def passes_previous(s, client: Client, file: File) -> None:
        """Checks: the client passes the file's last block, or none if there is none; nobody recovers it."""
        none_there = s.block[file].at(BlockLifecycle.absent)
        last = s.known(file) & (s.known_stamp[client][file] == s.block_stamp[file])
        require(s.opened[client].has(file), "the client has the file open")
        require(none_there | (last & ~s.has_earlier(file)), "the client passes the last block, if there is one")
        recovering = s.block[file].at(BlockLifecycle.under_recovery)
        require(~recovering, "the previous block is not under recovery", "IOException")

    def commit_previous(s, client: Client, file: File) -> None:
        """The last block is committed, and is the one before the last from now on (facts E.5, A.3, A7)."""
        open_ = s.block[file].at(BlockLifecycle.under_construction)
        length = when(open_, s.passed_bytes(client, file), s.block_bytes[file])
        there = s.known(file)
        s.block[file].fire(BlockLifecycle.commit, where=open_)
        s.block[file].fire(BlockLifecycle.complete_block, where=open_ & ~s.stored[file].is_empty())
        previous = EarlierBlock(state=s.block[file], stamp=s.block_stamp[file], num_bytes=length)
        s.second_blocks = s.second_blocks + when(there, 1, 0)
        s.earlier_block[file] = when(there, previous, no_earlier_block())
        s.becomes_last(file, no_earlier_block(), there)

    def becomes_last(s, file: File, block: EarlierBlock, where: Bool) -> None:
        """The file's last block is this one now; nobody recovers it, and nothing was promised of it."""
        s.block.update(lambda other: when(where & (other == file), block.state, s.block[other]))
        s.block_stamp[file] = when(where, block.stamp, s.block_stamp[file])
        s.block_bytes[file] = when(where, block.num_bytes, s.block_bytes[file])
        s.promised[file] = when(where, 0, s.promised[file])
        replicas = when(block.state.at(BlockLifecycle.complete), s.running, no_datanode())
        s.stored[file] = when(where, replicas, s.stored[file])
        s.recovery_id[file] = when(where, 0, s.recovery_id[file])

    def last_block_is_gone(s, file: File) -> None:
        """The block before becomes the last one, if there is one."""
        gone = s.block[file].at(BlockLifecycle.removed) & s.has_earlier(file)
        s.becomes_last(file, s.earlier_block[file], gone)
        s.earlier_block[file] = when(gone, no_earlier_block(), s.earlier_block[file])

    # What waits for the block before the last one.

    def earlier_blocks_are_complete(s, file: File) -> None:
        """Checks: the block before the last one is complete (HDFS-5558)."""
        require(~s.earlier_waits(file), "the block before is complete")

    def may_release(s, file: File) -> None:
        """Checks: facts F.3 row 5, and that row 8 does not drop a block of a file that cannot be closed then."""
        last = s.block[file].at(BlockLifecycle.committed)
        empty = s.block[file].at(*BlockLifecycle.not_complete) & s.nothing_to_recover(file)
        require(~(s.earlier_waits(file) & (last | empty)), "the block before has replicas enough")

    @action(event="block_received")
    def block_received_earlier(s, file: File, datanode: Datanode) -> None:
        """A replica of the block before the last one is reported, and completes it (facts A8)."""
        require(s.running.has(datanode), "the datanode is running")
        require(s.service.at(Service.ACTIVE, Service.SAFE_MODE), "the NameNode is up")
        require(s.earlier_waits(file), "the block before is committed")
        s.earlier_block[file].state.fire(BlockLifecycle.complete_block)

    @action(event="commit_block_synchronization", refuses="IllegalStateException")
    def commit_block_synchronization_too_early(s, primary: Datanode, file: File) -> None:
        """The file cannot be closed, since the block before is not complete; the recovery has to be repeated.

        Hadoop 3.4.1 finds out when it has changed the last block in memory already, and logs nothing (HDFS-17861);
        here nothing changes.

        Source  FSNamesystem#closeFileCommitBlocks, INodeFile#toCompleteFile, Hadoop 3.4.1; facts A.5, A13, G.6 row 7.
        """
        attempt = s.reports_back(primary, file)
        require(s.known(file) & s.in_tree.has(file), "the block is known")
        require(~s.already_done(file), "the block is not complete yet")
        require(attempt.recovery_id == s.recovery_id[file], "the recovery id is the current one")
        require(s.earlier_waits(file), "the block before is not complete")
        s.before_closing_fails(file, attempt)
        s.attempt_ends(primary, file)

    def before_closing_fails(s, file: File, attempt: Attempt) -> None:
        """What has changed when the file is found not to be closable."""

    # The log (I.5).

    def image_has_earlier(s, file: File) -> Bool:
        """The file has a block before its last one in the image."""
        return ~s.image_earlier_block[file].state.at(BlockLifecycle.absent)

    def can_replay(s, edit: Edit) -> Bool:
        """Also: blocks agree position by position; but for the last one of as many, in their stamps too (facts I.5)."""
        image, earlier = s.image[edit.file], s.image_earlier_block[edit.file]
        had, has = s.image_has_earlier(edit.file), edit.earlier_stamp > 0
        as_many = when(had, earlier.stamp == edit.earlier_stamp, True)
        one_more = image.stamp == edit.earlier_stamp
        one_less = earlier.stamp == edit.stamp
        fits = when(has, when(had, as_many, one_more), when(had, one_less, True))
        added = when(has, ~had & one_more, ~s.image_has_block(edit.file))
        fits = when(edit.opcode.at(Opcode.ADD_BLOCK), added, fits)
        tells_blocks = edit.opcode.at(Opcode.ADD_BLOCK, Opcode.UPDATE_BLOCKS, Opcode.CLOSE, Opcode.APPEND)
        return super().can_replay(edit) & tells_blocks.implies(fits)

    def update_blocks(s, edit: Edit) -> None:
        """The block before the last one is complete, whatever it was (A10); a new last block takes its place."""
        file = edit.file
        had, has = s.image_has_earlier(file), edit.earlier_stamp > 0
        one_more = has & ~had
        last = s.image[file].block
        complete = EarlierBlock(
            state=last.after(BlockLifecycle.force_complete), stamp=edit.earlier_stamp, num_bytes=edit.earlier_bytes
        )
        same = EarlierBlock(
            state=s.image_earlier_block[file].state, stamp=edit.earlier_stamp, num_bytes=edit.earlier_bytes
        )
        kept = when(one_more, complete, when(has, same, no_earlier_block()))
        s.image[file] = when(one_more, s.without_last_block(file), s.image[file])
        s.image_earlier_block[file] = kept
        super().update_blocks(edit)

    def without_last_block(s, file: File) -> ImageFile:
        """The file in the image, about to get a new last block. One that loses its last is about to be closed."""
        image = s.image[file]
        return ImageFile(
            state=image.state,
            path=image.path,
            holder=image.holder,
            block=BlockLifecycle.absent,
            stamp=0,
            num_bytes=0,
        )

    def takes_over(s, reported: Members[Datanode]) -> None:
        """The image becomes the memory; a block that is not the last is complete (facts A19)."""
        super().takes_over(reported)
        s.earlier_block.update(lambda file: s.image_earlier_block[file])
