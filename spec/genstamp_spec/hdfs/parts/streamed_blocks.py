"""A file of several blocks whose last one is written through a pipeline.

Coarser than HDFS: of the block before the last one only those datanodes count that had finalized it when the next one
was asked for, and their replicas stay as they are; what was still going on about it (reports of others, attempts of an
older recovery) ends there. Whatever drops the last block closes the file, which is not appended to any more.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_blocks import EarlierBlocks
from genstamp_spec.hdfs.parts.earlier_state import Earlier
from genstamp_spec.hdfs.parts.state import (
    Client,
    Datanode,
    File,
    OriginalState,
    Replica,
    Stream,
    StreamStage,
    no_attempt,
    no_datanode,
)
from genstamp_spec.hdfs.state.resumptions import Resumptions
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


def no_replica() -> Replica:
    """The datanode has nothing of the block."""
    return Replica(
        state=ReplicaLifecycle.absent,
        stamp=0,
        num_bytes=0,
        writer=none,
        original=OriginalState.NONE,
        recovery_id=0,
    )


class FurtherBlocks(Part):
    """History only."""

    further_blocks = number(limit="further_blocks")  # only limited, never read


class StreamedEarlierBlocks(EarlierBlocks, Resumptions, FurtherBlocks, lane="namenode"):
    """addBlock for the block after the one that a client has written through its pipeline."""

    def asks_for_a_block(s, client: Client, file: File) -> None:
        """Checks: the client has a file without a block open, or its last packet is acknowledged."""
        stream = s.stream[client][file]
        first = stream.stage.at(StreamStage.OPEN) & s.block[file].at(BlockLifecycle.absent)
        done = stream.stage.at(StreamStage.CLOSING) & s.ready_to_complete(client, file)
        require(first | done, "the client wants a block")

    def last_as_it_is(s, file: File) -> Earlier:
        """Its locations are the nodes that have finalized it."""
        block = super().last_as_it_is(file)
        finalized = those(Datanode, lambda d: s.replica[d][file].state.at(ReplicaLifecycle.finalized))
        current = those(Datanode, lambda d: s.replica[d][file].stamp == s.block_stamp[file])
        return Earlier(
            state=block.state,
            stamp=block.stamp,
            num_bytes=block.num_bytes,
            locations=finalized & current,
            stored=block.stored,
        )

    def push(s, file: File) -> None:
        """The datanodes have nothing of the new block, and nobody leads a recovery of it."""
        s.further_blocks = s.further_blocks + when(s.block_stamp[file] == 0, 0, 1)
        super().push(file)
        s.replica.update(
            lambda d: each(File, lambda f: when(f == file, no_replica(), s.replica[d][f])),
        )
        s.attempt.update(lambda d: each(File, lambda f: when(f == file, no_attempt(), s.attempt[d][f])))
        s.recovery_queue.update(lambda d: those(File, lambda f: (f != file) & s.recovery_queue[d].has(f)))
        s.tried_as_primary[file].clear()
        s.primary[file] = none
        s.hflushed[file] = 0
        s.steady[file].clear()

    def put_last(s, file: File, block: Earlier, where: Bool | bool) -> None:
        """The file's last recovery id is kept, as every one that follows is higher; of the new block HDFS has none."""
        recovery_id = s.recovery_id[file]
        super().put_last(file, block, where)
        s.recovery_id[file] = recovery_id

    def last_block_is_gone(s, file: File) -> None:
        """The file keeps the block before, and gets no further one."""

    def give_block(s, client: Client, file: File) -> None:
        """The client has a new pipeline, of which it knows nothing yet."""
        s.stream[client][file] = Stream(
            stage=StreamStage.STREAMING,
            stamp=s.last_stamp,
            acked=0,
            pipeline=s.running,
            set_up=no_datanode(),
            finalized=no_datanode(),
        )

    def has_earlier_replica(s, file: File, datanode: Datanode) -> None:
        """Checks: the datanode has finalized the block before the last one."""
        require(s.earlier[file].locations.has(datanode), "the datanode has a replica")
