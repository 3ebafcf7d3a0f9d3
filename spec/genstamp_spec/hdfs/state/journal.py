"""Callers of a NameNode with an edit log: what primaries of recoveries in outline are given, and bring back."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.journal_state import CallState, Edit, Opcode, Service
from genstamp_spec.hdfs.parts.state import (
    Attempt,
    AttemptStage,
    Datanode,
    File,
    Found,
    OriginalState,
    no_attempt,
    no_datanode,
)
from genstamp_spec.hdfs.state.earlier import SeveralBlocks
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


class Logged(SeveralBlocks, CallState):
    """The command waits for the primary's heartbeat; the primary finds what the NameNode knows."""

    def lead(s, file: File, primary: Datanode) -> None:
        """The command waits for the primary's heartbeat."""
        s.primary[file] = primary

    def reports_back(s, primary: Datanode, file: File) -> Attempt:
        """The primary has recovered the length that the NameNode knows, or found nothing if that is 0.

        Its call meets a NameNode that is active, and not in safe mode (facts G.6 row 1, G.6 row 2).
        """
        require(s.running.has(primary), "the primary is running")
        require(~s.service.at(Service.STARTING), "the NameNode is active", "StandbyException")
        require(~s.service.at(Service.SAFE_MODE), "the NameNode is not in safe mode", "SafeModeException")
        require(s.led[primary][file] > 0, "the primary leads a recovery")
        empty = s.block_bytes[file] == 0
        return Attempt(
            stage=when(empty, AttemptStage.DELETING, when(empty, no_attempt().stage, AttemptStage.UPDATING)),
            recovery_id=s.led[primary][file],
            block_stamp=s.block_stamp[file],
            locations=s.running,
            answered=s.running,
            failed=no_datanode(),
            found=each(Datanode, lambda datanode: Found(original=OriginalState.NONE, num_bytes=0)),
            participants=s.running,
            new_bytes=s.block_bytes[file],
            updated=s.running,
        )

    def attempt_ends(s, primary: Datanode, file: File) -> None:
        """The primary is done."""
        s.led[primary][file] = 0

    # The image, and what an edit says of it (I.5).

    def image_has_block(s, file: File) -> Bool:
        """The file has a block in the image."""
        return ~s.image[file].block.at(BlockLifecycle.absent, BlockLifecycle.removed)

    def image_has(s, edit: Edit) -> Bool:
        """There is a file at the edit's path."""
        return exists(File, lambda file: s.image[file].path == edit.path)

    def can_replay(s, edit: Edit) -> Bool:
        """What the edit says fits the image: its path is the file's, the file is open or closed as it must be.

        Blocks agree position by position; but for the last one of as many, in their stamps too.

        Source  FSEditLogLoader#applyEditLogOp, #updateBlocks, Hadoop 3.4.1; facts I.5.
        """
        image = s.image[edit.file]
        there = ~image.path.is_none() & (image.path == edit.path)
        open_ = there & image.state.at(FileLifecycle.under_construction)
        closed = there & image.state.at(FileLifecycle.closed)
        keeps_blocks = edit.has_block | ~s.image_has_block(edit.file)
        fits = when(edit.opcode.at(Opcode.ADD), ~s.image_has(edit), True)
        fits = when(edit.opcode.at(Opcode.ADD_BLOCK, Opcode.REASSIGN_LEASE, Opcode.CLOSE), open_, fits)
        fits = when(edit.opcode.at(Opcode.UPDATE_BLOCKS), there & (keeps_blocks | open_), fits)
        fits = when(edit.opcode.at(Opcode.APPEND), closed, fits)
        fits = when(edit.opcode.at(Opcode.RENAME), there, fits)
        tells_blocks = edit.opcode.at(Opcode.ADD_BLOCK, Opcode.UPDATE_BLOCKS, Opcode.CLOSE, Opcode.APPEND)
        return fits & tells_blocks.implies(s.blocks_fit(edit))

    def blocks_fit(s, edit: Edit) -> Bool:
        """The blocks of an edit follow those of the image."""
        image, earlier = s.image[edit.file], s.image_earlier[edit.file]
        had, has = s.image_has_earlier(edit.file), edit.earlier_stamp > 0
        as_many = when(had, earlier.stamp == edit.earlier_stamp, True)
        one_more = image.stamp == edit.earlier_stamp
        one_less = earlier.stamp == edit.stamp
        fits = when(has, when(had, as_many, one_more), when(had, one_less, True))
        added = when(has, ~had & one_more, ~s.image_has_block(edit.file))
        return when(edit.opcode.at(Opcode.ADD_BLOCK), added, fits)
