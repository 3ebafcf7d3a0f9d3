"""The NameNode's part in a pipeline: addBlock, stamps and locations for it, other datanodes, commit and complete.

Coarser than HDFS: one block and one writer, so that checks of names and leases cannot fail here; a call and its answer
are one step; somebody else's recovery of the block only begins here.
"""

from genstamp_model.language import Bool, Members, Number, Ordered, action, observe, require
from genstamp_spec.hdfs.parts.block_record import BlockRecord, replace_generation
from genstamp_spec.hdfs.parts.pipeline_state import PipelineState
from genstamp_spec.hdfs.parts.state import Datanode, only
from genstamp_spec.lifecycles.block import BlockLifecycle
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class PipelineNamenode(PipelineState, lane="namenode"):
    """What the NameNode does at a call of the writer, by call; the actions of the client use it."""

    def under_construction(s) -> Bool:
        """FSNamesystem#checkUCBlock: a recovery of the block shuts its writer out (facts E.6, HDFS-1555)."""
        return s.block.at(BlockLifecycle.under_construction)

    def next_stamp(s) -> Ordered:
        """FSNamesystem#nextGenerationStamp: a stamp that nobody had before (facts H.1.3)."""
        s.last_stamp = s.last_stamp + 1
        return s.last_stamp

    def allocate(s, locations: Members[Datanode]) -> None:
        """FSDirWriteFileOp#storeAllocatedBlock (facts A1, E.5)."""
        s.block.fire(BlockLifecycle.add_block)
        s.block_stamp = s.next_stamp()
        s.locations = locations

    def replace_generation(s, stamp: Ordered, length: Number, locations: Members[Datanode]) -> None:
        """The new pipeline is the block's; locations are the nodes that the NameNode knows storages of (facts E.7)."""
        replace_generation(BlockRecord(s), stamp, length, s.known_among(locations))

    def known_among(s, locations: Members[Datanode]) -> Members[Datanode]:
        """Locations whose storages the NameNode knows; the others are left out, which is no error (HDFS-12299)."""
        return locations - s.unknown

    def commit(s, stamp: Ordered, length: Number) -> None:
        """Stamp and length become the client's; with a replica that was reported before, the block is COMPLETE at once.

        Such a replica there is only if the block was opened again, and its pipeline was not told of (facts A.4.9).

        Source  BlockManager#commitOrCompleteLastBlock, #commitBlock, Hadoop 3.4.1; facts A7, A8, A.3.
        """
        s.block.fire(BlockLifecycle.commit)
        s.block_stamp = stamp
        s.block_bytes = length
        s.block.fire(BlockLifecycle.complete_block, where=~s.stored.is_empty())

    @action(caller="datanode")
    def block_received(s, datanode: Datanode) -> None:
        """A FINALIZED replica of the block's generation is reported; a COMMITTED block is COMPLETE with the first one.

        Coarser  than HDFS, where a report shows the replica as it was: it matches here.
        Source  BlockManager#addStoredBlock, Hadoop 3.4.1; facts A8, I.1.
        """
        replica = s.replica[datanode]
        require(s.running.has(datanode), "the datanode is running")
        require(replica.state.at(ReplicaLifecycle.finalized), "the replica is finalized")
        require(replica.stamp == s.block_stamp, "the replica is of the block's generation")
        require(s.block.at(BlockLifecycle.committed, BlockLifecycle.complete), "the block is committed")
        require(replica.num_bytes == s.block_bytes, "the replica has the block's length")
        s.stored = s.stored | only(datanode)
        s.block.fire(BlockLifecycle.complete_block, where=s.block.at(BlockLifecycle.committed))
        observe(block_state=s.block)
