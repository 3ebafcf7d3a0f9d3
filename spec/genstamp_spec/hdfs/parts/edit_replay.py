"""The standby, or a NameNode that starts: what each edit does to the image.

Coarser than HDFS: an edit that cannot be replayed stops the replay (the NameNode ends); here it is a check that never
fails, and a property says so.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_state import Earlier, no_earlier
from genstamp_spec.hdfs.parts.journal_state import Edit, ImageFile, Opcode
from genstamp_spec.hdfs.parts.state import File, no_datanode
from genstamp_spec.hdfs.state.journal import Logged
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


class EditReplay(Logged, lane="standby"):
    """FSEditLogLoader#applyEditLogOp, one step for each kind of edit."""

    def next_edit(s, opcode: Opcode) -> tuple[Edit, ImageFile]:
        """Checks: the next edit on disk is of this kind, and fits. It is taken, and its call is remembered."""
        edit = s.edits.first()
        require(s.synced > 0, "an edit on disk was not replayed yet")
        require(edit.opcode.at(opcode), "it is of this kind")
        require(s.can_replay(edit), "it fits the image", "IOException", defensive=True)
        s.edits.drop_first()
        s.synced = s.synced - 1
        s.image_cached[edit.caller] = edit.call_id
        return edit, s.image[edit.file]

    def update_blocks(s, edit: Edit) -> None:
        """FSEditLogLoader#updateBlocks: the block's stamp and length are taken over; a block more, or one less.

        The block before the last one is complete, whatever it was (A10); a new last block takes its place.
        """
        file = edit.file
        had, has = s.image_has_earlier(file), edit.earlier_stamp > 0
        one_more = has & ~had
        last, before = s.image[file].block, s.image_earlier[file].state
        told = Earlier(
            state=when(one_more, last.after(BlockLifecycle.force_complete), before),
            stamp=edit.earlier_stamp,
            num_bytes=edit.earlier_bytes,
            locations=no_datanode(),
            stored=no_datanode(),
        )
        s.image[file] = when(one_more, s.without_last_block(file), s.image[file])
        s.image_earlier[file] = when(has, told, no_earlier())
        image = s.image[file]
        had_block = s.image_has_block(file)
        image.block.fire(BlockLifecycle.add_block, where=edit.has_block & ~had_block)
        image.block.fire(BlockLifecycle.abandon_block, where=had_block & ~edit.has_block)
        image.stamp = edit.stamp
        image.num_bytes = edit.num_bytes

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

    @action(event="replay")
    def replay_add(s) -> None:
        """OP_ADD: the file is there, under construction, and its creator has a lease (facts I.5)."""
        edit, image = s.next_edit(Opcode.ADD)
        image.state.fire(FileLifecycle.create)
        image.path = edit.path
        image.holder = edit.holder
        s.update_blocks(edit)

    @action(event="replay")
    def replay_add_block(s) -> None:
        """OP_ADD_BLOCK: a block under construction, without locations (facts I.5)."""
        edit, _ = s.next_edit(Opcode.ADD_BLOCK)
        s.update_blocks(edit)

    @action(event="replay")
    def replay_update_blocks(s) -> None:
        """OP_UPDATE_BLOCKS: of updatePipeline, fsync, abandonBlock; the last block stays as it is (facts I.5)."""
        edit, _ = s.next_edit(Opcode.UPDATE_BLOCKS)
        s.update_blocks(edit)

    @action(event="replay")
    def replay_reassign_lease(s) -> None:
        """OP_REASSIGN_LEASE: the file has another holder (facts I.5, D.4)."""
        edit, image = s.next_edit(Opcode.REASSIGN_LEASE)
        image.holder = edit.holder

    @action(event="replay")
    def replay_close(s) -> None:
        """OP_CLOSE: the last block is complete, whatever is known of its replicas (facts I.5, A10)."""
        edit, image = s.next_edit(Opcode.CLOSE)
        image.holder = none
        image.state.fire(FileLifecycle.close)
        s.update_blocks(edit)
        s.image[edit.file].block.fire(BlockLifecycle.force_complete, where=edit.has_block)

    @action(event="replay")
    def replay_append(s) -> None:
        """OP_APPEND: the file is open again, its last block under construction (facts I.5)."""
        edit, image = s.next_edit(Opcode.APPEND)
        image.holder = edit.holder
        image.state.fire(FileLifecycle.append)
        s.reopen_in_image(edit.file)

    def reopen_in_image(s, file: File) -> None:
        """FSDirAppendOp#prepareFileForAppend."""
        s.image[file].block.fire(BlockLifecycle.append, where=s.image_has_block(file))

    @action(event="replay")
    def replay_rename(s) -> None:
        """OP_RENAME: nothing but the path changes (facts I.5, E.14)."""
        edit, image = s.next_edit(Opcode.RENAME)
        image.path = edit.new_path

    @action(event="replay")
    def replay_delete(s) -> None:
        """OP_DELETE: the file is gone, open or not, with its lease (facts I.5, E.14)."""
        edit, image = s.next_edit(Opcode.DELETE)
        image.state.fire(FileLifecycle.delete)
        image.block.fire(BlockLifecycle.remove, where=s.image_has_block(edit.file))
        image.path = none
        image.holder = none
        s.image_earlier[edit.file] = no_earlier()
