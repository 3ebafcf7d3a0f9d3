"""Copies of a block that has too few replicas: the NameNode's orders and the datanodes' transfers.

Coarser than HDFS: any source will do, and the target begins by itself; the bytes come in one step; orders that wait for
one block name one generation of it, the last.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.reports_state import IncrementalKind
from genstamp_spec.hdfs.parts.state import Datanode, File
from genstamp_spec.hdfs.state.block_map import BlockMap
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class Reconstruction(BlockMap, lane="namenode"):
    """Scheduling a copy, the TEMPORARY replica that becomes FINALIZED, and giving up the wait for it."""

    @action
    def schedule_copy(s, file: File, datanode: Datanode) -> None:
        """The NameNode chooses a target for a block that is short, among those that do not have it.

        Source  BlockManager#scheduleReconstruction, #validateReconstructionWork, Hadoop 3.4.1; facts I.3.
        """
        require(s.needed[file], "the block is in the queue for reconstruction")
        require(~s.safe_mode, "the NameNode is not in safe mode")
        require(s.is_short(file), "the block is short of replicas")
        require(~s.usable(file).is_empty(), "there is a replica to copy")
        require(s.registered.has(datanode), "the target is alive")
        require(~(s.stored[file] | s.pending[file] | s.decommissioning).has(datanode), "the target has no replica")
        s.copies = s.copies + 1
        s.pending[file].add(datanode)
        s.copy_orders[file].add(datanode)
        s.copy_stamp[file] = s.generation_to_copy(file)
        s.update_needed(file)

    def generation_to_copy(s, file: File) -> Ordered:
        """The block as it is when the order is given, not as it was when it was queued (HDFS-8404)."""
        return s.block_stamp[file]

    @action
    def create_temporary(s, file: File, datanode: Datanode) -> None:
        """A copy begins at its target; nobody hears of it (FsDatasetImpl#createTemporary, 3.4.1; facts B6, B.9)."""
        replica = s.replica[datanode][file]
        require(s.running.has(datanode), "the datanode is running")
        require(s.copy_orders[file].has(datanode), "a copy is to go to the datanode")
        require(
            replica.state.at(ReplicaLifecycle.absent), "the datanode has no replica", "ReplicaAlreadyExistsException"
        )
        replica.state.fire(ReplicaLifecycle.create_temporary)
        replica.stamp = s.copy_stamp[file]
        s.copy_orders[file].remove(datanode)

    @action
    def finalize_copy(s, file: File, datanode: Datanode, source: Datanode) -> None:
        """The copy is whole: it is FINALIZED and reported (FsDatasetImpl#finalizeBlock, 3.4.1; facts B8, B.9)."""
        replica, original = s.replica[datanode][file], s.replica[source][file]
        require(s.running.has(datanode) & s.running.has(source), "source and target are running")
        require(replica.state.at(ReplicaLifecycle.temporary), "the target has the beginning of a copy")
        require(original.state.at(ReplicaLifecycle.finalized), "the source is finalized")
        require(original.stamp == replica.stamp, "the source is of the generation that was ordered")
        replica.state.fire(ReplicaLifecycle.finalize)
        replica.num_bytes = s.replica[source][file].num_bytes
        s.report(datanode, file, IncrementalKind.RECEIVED)

    @action
    def copy_fails(s, file: File, datanode: Datanode) -> None:
        """The transfer breaks: the beginning of a copy is deleted (FsDatasetImpl#unfinalizeBlock, 3.4.1; facts B16)."""
        replica = s.replica[datanode][file]
        require(s.running.has(datanode), "the datanode is running")
        replica.state.fire(ReplicaLifecycle.unfinalize)
        s.clear_replica(replica)

    @action
    def pending_copy_times_out(s, file: File) -> None:
        """The copies that were waited for have not come: the block is judged anew.

        Source  BlockManager#processPendingReconstructions, Hadoop 3.4.1; facts I.3.
        """
        require(~s.pending[file].is_empty(), "a copy is waited for")
        s.pending[file].clear()
        s.copy_orders[file].clear()
        s.update_needed(file)
