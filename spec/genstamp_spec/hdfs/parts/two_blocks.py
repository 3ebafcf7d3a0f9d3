"""Files of two blocks in the edit log: what edits and image tell of the block before the last one.

Coarser than HDFS: a file has two blocks at most (a limit says so), since an edit tells of two; the log knows no
locations, so that those of the block before the last one are not kept.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.client_calls import ClientCalls
from genstamp_spec.hdfs.parts.earlier_blocks import RepeatedAddBlock
from genstamp_spec.hdfs.parts.earlier_state import Earlier
from genstamp_spec.hdfs.parts.journal_state import CallKind, Service
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, no_datanode
from genstamp_spec.lifecycles.block import BlockLifecycle


class TwoBlocks(ClientCalls, RepeatedAddBlock, lane="namenode"):
    """addBlock with a previous block."""

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
