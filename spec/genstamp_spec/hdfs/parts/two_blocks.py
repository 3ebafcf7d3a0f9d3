"""Files of two blocks in the edit log: what edits and image tell of the block before the last one.

Coarser than HDFS: a file has two blocks at most (a limit says so), since an edit tells of two; the log knows no
locations, so that those of the block before the last one are not kept.
"""

from genstamp_model.language import Bool, Members, Ordered, require, when
from genstamp_spec.hdfs.parts.earlier_blocks import RepeatedAddBlock
from genstamp_spec.hdfs.parts.earlier_state import Earlier, no_earlier
from genstamp_spec.hdfs.parts.journal_state import CallKind, Edit, ImageFile, Opcode, Service
from genstamp_spec.hdfs.parts.namenode_failover import NamenodeFailover
from genstamp_spec.hdfs.parts.recovery_in_outline import RecoveryInOutline
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, no_datanode
from genstamp_spec.lifecycles.block import BlockLifecycle


class TwoBlocks(NamenodeFailover, RecoveryInOutline, RepeatedAddBlock, lane="namenode"):
    """addBlock with a previous block; the block before the last one in edits and image."""

    # addBlock (E.5). A block that is gone stays `removed` here, if it was the only one: its inode is no new one.

    def asks_for_a_block(s, client: Client, file: File) -> None:
        """Checks: the client writes the file, as far as it knows."""
        require(s.opened[client].has(file), "the client has the file open")

    def previous_is_last(s, file: File, passed: Ordered) -> Bool:
        """As in other systems; a block that is gone is no block."""
        return super().previous_is_last(file, passed) & ~s.block[file].at(BlockLifecycle.removed)

    def previous_is_earlier(s, file: File, passed: Ordered) -> Bool:
        """Likewise."""
        return super().previous_is_earlier(file, passed) & s.known(file)

    def give_block_again(s, client: Client, file: File) -> None:
        """The client learns of the block by the answer; nothing is logged."""
        s.called(client, CallKind.ADD_BLOCK, file, s.block_stamp[file])

    def push(s, file: File) -> None:
        """Counted, so that a configuration can limit it."""
        s.second_blocks = s.second_blocks + when(s.block[file].at(BlockLifecycle.absent), 0, 1)
        super().push(file)

    def last_as_it_is(s, file: File) -> Earlier:
        """Without its locations."""
        block = super().last_as_it_is(file)
        return Earlier(
            state=block.state,
            stamp=block.stamp,
            num_bytes=block.num_bytes,
            locations=no_datanode(),
            stored=block.stored,
        )

    def put_last(s, file: File, block: Earlier, where: Bool | bool) -> None:
        """Nothing was promised of it; its locations are taken for those of the block whose place it takes."""
        locations = s.locations[file] | no_datanode()  # a copy: the set itself is about to change
        super().put_last(file, block, where)
        s.locations[file] = locations
        s.promised[file] = when(where, 0, s.promised[file])

    def makes_room(s, file: File) -> Bool:
        """There is a block before."""
        return super().makes_room(file) & ~s.earlier[file].state.at(BlockLifecycle.absent)

    def has_earlier_replica(s, file: File, datanode: Datanode) -> None:
        """Checks: somebody takes reports."""
        super().has_earlier_replica(file, datanode)
        require(s.service.at(Service.ACTIVE, Service.SAFE_MODE), "the NameNode is up")

    # The log (I.5).

    def image_has_earlier(s, file: File) -> Bool:
        """The file has a block before its last one in the image."""
        return ~s.image_earlier[file].state.at(BlockLifecycle.absent)

    def can_replay(s, edit: Edit) -> Bool:
        """Also: blocks agree position by position; but for the last one of as many, in their stamps too (facts I.5)."""
        image, earlier = s.image[edit.file], s.image_earlier[edit.file]
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
        s.earlier.update(lambda file: s.loaded_earlier(file))

    def loaded_earlier(s, file: File) -> Earlier:
        """The block before the last one.

        Coarser  its replicas are known at once; they count only where it becomes the last one again.
        """
        image = s.image_earlier[file]
        return Earlier(
            state=image.state,
            stamp=image.stamp,
            num_bytes=image.num_bytes,
            locations=no_datanode(),
            stored=when(s.image_has_earlier(file), s.running, no_datanode()),
        )
