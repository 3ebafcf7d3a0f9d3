"""Some client that writes and appends: what brings replicas about.

Coarser than HDFS throughout, for systems that are about something else: one client a file, who owns it for as long as
it writes; no leases; a packet reaches and is acknowledged by the whole pipeline in one step. The NameNode's part of
each call is that of HDFS.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.reports_state import IncrementalKind, not_corrupt
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, Replica, Stream, StreamStage, no_stream, only
from genstamp_spec.hdfs.state.block_map import BlockMap
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, ReplicaLifecycle


class SomeWriters(BlockMap, lane=Client):
    """addBlock, packets, updatePipeline, complete, append and delete."""

    # Writing.

    @action
    def add_block(s, client: Client, file: File, left_out: Maybe[Datanode]) -> None:
        """A client creates the file and is given its block, on all live datanodes or on all but one.

        Source  FSNamesystem#getAdditionalBlock, Hadoop 3.4.1; facts A1, E.5.
        """
        targets = s.registered - only(left_out)
        require(s.file[file].at(FileLifecycle.absent), "the file is not there")
        require(s.block[file].at(BlockLifecycle.absent), "it never was")
        require(~targets.is_empty(), "a datanode can take the block", "IOException")
        s.not_in_safe_mode()
        s.file[file].fire(FileLifecycle.create, FileLifecycle.add_block)
        s.client_name[file] = client
        s.block[file].fire(BlockLifecycle.add_block)
        s.last_stamp = s.last_stamp + 1
        s.block_stamp[file] = s.last_stamp
        s.set_locations(file, targets)
        stream = s.stream[client][file]
        stream.stage = StreamStage.STREAMING
        stream.stamp = s.last_stamp
        stream.pipeline = targets
        observe(generation_stamp=s.last_stamp, locations=targets)

    def takes_part(s, client: Client, file: File, datanode: Datanode) -> Stream:
        """Checks: the datanode is in the client's pipeline, and is to be set up under its stamp."""
        stream = s.stream[client][file]
        require(s.running.has(datanode), "the datanode is running")
        require(~stream.stage.at(StreamStage.NONE), "the client writes")
        require(stream.pipeline.has(datanode), "the datanode is in the client's pipeline")
        require(~stream.set_up.has(datanode), "the pipeline is not set up there yet")
        return stream

    @action
    def create_rbw(s, client: Client, file: File, datanode: Datanode) -> None:
        """A pipeline is set up on one of its nodes.

        Coarser  than HDFS where an empty block is opened again: a node without it is set up, too.
        Source  FsDatasetImpl#createRbw, Hadoop 3.4.1; facts B1, B.9.
        """
        stream, replica = s.takes_part(client, file, datanode), s.replica[datanode][file]
        require(stream.acked == 0, "nothing is written yet")
        require(
            replica.state.at(ReplicaLifecycle.absent), "the datanode has no replica", "ReplicaAlreadyExistsException"
        )
        stream.set_up.add(datanode)
        replica.state.fire(ReplicaLifecycle.create_rbw)
        replica.stamp = stream.stamp
        s.report(datanode, file, IncrementalKind.RECEIVING)

    def is_written_by(s, client: Client, file: File, datanode: Datanode) -> Bool:
        """The datanode is in the pipeline, which is set up there."""
        replica, stream = s.replica[datanode][file], s.stream[client][file]
        there = s.running.has(datanode) & stream.pipeline.has(datanode) & (replica.stamp == stream.stamp)
        return there & replica.state.at(ReplicaLifecycle.rbw)

    def pipeline_is_whole(s, client: Client, file: File) -> Bool:
        """Every node of the pipeline takes the client's packets, and the NameNode knows the pipeline."""
        stream = s.stream[client][file]
        all_ = forall(Datanode, lambda d: ~stream.pipeline.has(d) | s.is_written_by(client, file, d))
        return all_ & (s.block_stamp[file] == stream.stamp)

    @action
    def receive_packet(s, client: Client, file: File) -> None:
        """One more byte reaches every node of the pipeline, and is acknowledged (BlockReceiver#receivePacket)."""
        stream = s.stream[client][file]
        require(stream.stage.at(StreamStage.STREAMING), "the client is streaming")
        require(s.pipeline_is_whole(client, file), "every node of the pipeline takes the client's packets")
        stream.acked = stream.acked + 1
        s.replicas_become(
            file,
            stream.pipeline,
            lambda replica: Replica(
                state=replica.state,
                stamp=replica.stamp,
                num_bytes=replica.num_bytes + 1,
                writer=replica.writer,
                original=replica.original,
                recovery_id=replica.recovery_id,
            ),
        )

    @action
    def last_packet(s, client: Client, file: File) -> None:
        """The client closes: the empty last packet is sent (facts C.2, C.7)."""
        stream = s.stream[client][file]
        require(stream.stage.at(StreamStage.STREAMING), "the client is streaming")
        require(s.pipeline_is_whole(client, file), "every node of the pipeline takes the client's packets")
        stream.stage = StreamStage.CLOSING

    @action
    def finalize_replica(s, client: Client, file: File, datanode: Datanode) -> None:
        """The last packet is written and acknowledged (FsDatasetImpl#finalizeBlock, Hadoop 3.4.1; facts B8, B.9)."""
        stream, replica = s.stream[client][file], s.replica[datanode][file]
        require(stream.stage.at(StreamStage.CLOSING), "the last packet is sent")
        require(s.is_written_by(client, file, datanode), "the datanode takes the client's packets")
        replica.state.fire(ReplicaLifecycle.finalize)
        stream.finalized.add(datanode)
        s.report(datanode, file, IncrementalKind.RECEIVED)

    # Pipeline recovery.

    @action
    def update_block_for_pipeline(s, client: Client, file: File, left_out: Maybe[Datanode]) -> None:
        """A node has failed, or seems so: the client gets a new stamp for what is left of its pipeline.

        Source  FSNamesystem#bumpBlockGenerationStamp, DataStreamer#setupPipelineForAppendOrRecovery, Hadoop 3.4.1;
                facts E.6.
        """
        stream = s.stream[client][file]
        left = (stream.pipeline - only(left_out)) & s.running
        require(~stream.stage.at(StreamStage.NONE), "the client writes")
        require(left != stream.pipeline, "a node has failed")
        require(~left.is_empty(), "a node is left")
        writing = s.block[file].at(BlockLifecycle.under_construction)
        require(writing, "the block is under construction", "IOException")
        s.pipeline_updates = s.pipeline_updates + 1
        s.last_stamp = s.last_stamp + 1
        stream.stamp = s.last_stamp
        stream.pipeline = left
        stream.set_up.clear()
        stream.finalized.clear()
        observe(generation_stamp=s.last_stamp)

    def fits(s, client: Client, file: File, datanode: Datanode, *, always: bool) -> None:
        """Checks: the replica is of the generation that the client knows, or of its last try, with what was acked."""
        replica, stream = s.replica[datanode][file], s.stream[client][file]
        require(
            replica.stamp >= s.block_stamp[file],
            "the replica is not older than the block",
            "IOException",
            defensive=always,
        )
        same = replica.num_bytes == stream.acked
        require(same, "the replica has the expected length", "IOException", defensive=True)

    @action
    def recover_rbw(s, client: Client, file: File, datanode: Datanode) -> None:
        """The pipeline goes on under the new stamp; nothing is reported (FsDatasetImpl#recoverRbw; facts B4, B.9)."""
        stream, replica = s.takes_part(client, file, datanode), s.replica[datanode][file]
        require(stream.stage.at(StreamStage.STREAMING), "the client is streaming")
        require(replica.state.at(ReplicaLifecycle.rbw), "the replica is being written", "ReplicaNotFoundException")
        s.fits(client, file, datanode, always=False)
        stream.set_up.add(datanode)
        replica.state.fire(ReplicaLifecycle.recover_rbw)
        replica.stamp = stream.stamp

    @action
    def recover_close(s, client: Client, file: File, datanode: Datanode) -> None:
        """Closing is done again: the replica is FINALIZED, under the new stamp.

        Source  FsDatasetImpl#recoverClose, Hadoop 3.4.1; facts B5, B.9.
        """
        stream, replica = s.takes_part(client, file, datanode), s.replica[datanode][file]
        require(stream.stage.at(StreamStage.CLOSING), "the last packet is sent")
        written = replica.state.at(ReplicaLifecycle.rbw, ReplicaLifecycle.finalized)
        require(written, "the replica is finalized or being written", "ReplicaNotFoundException")
        s.fits(client, file, datanode, always=True)
        stream.set_up.add(datanode)
        stream.finalized.add(datanode)
        replica.state.fire(ReplicaLifecycle.recover_close)
        replica.stamp = stream.stamp
        s.report(datanode, file, IncrementalKind.RECEIVED)

    @action
    def update_pipeline(s, client: Client, file: File) -> None:
        """The new pipeline is set up: the block gets its stamp and locations.

        Source  FSNamesystem#updatePipelineInternal, BlockManager#updateLastBlock, Hadoop 3.4.1; facts A5, E.7.
        """
        stream = s.stream[client][file]
        require(~stream.stage.at(StreamStage.NONE), "the client writes")
        require(stream.pipeline <= stream.set_up, "every node of the pipeline is set up")
        require(stream.stamp > s.block_stamp[file], "the stamp is newer than the block's", "IOException")
        writing = s.block[file].at(BlockLifecycle.under_construction)
        require(writing, "the block is under construction", "IOException", defensive=True)
        s.block[file].fire(BlockLifecycle.update_pipeline)
        s.block_stamp[file] = stream.stamp
        s.remove_stale_replicas(file)
        s.set_locations(file, stream.pipeline)
        observe(generation_stamp=stream.stamp, locations=stream.pipeline)

    # complete (E.9).

    def ready_to_complete(s, client: Client, file: File) -> Bool:
        """The last packet is acknowledged by the whole pipeline, which the NameNode knows."""
        stream = s.stream[client][file]
        acked = stream.stage.at(StreamStage.CLOSING) & (stream.pipeline <= stream.finalized)
        return acked & (s.block_stamp[file] == stream.stamp)

    @action
    def complete(s, client: Client, file: File) -> None:
        """The client commits the block; it is COMPLETE at once if replicas enough are known.

        Source  FSDirWriteFileOp#completeFileInternal, BlockManager#commitOrCompleteLastBlock, Hadoop 3.4.1;
                facts A7, A8, A.3, E.9.
        """
        stream = s.stream[client][file]
        require(s.ready_to_complete(client, file), "the last packet is acknowledged")
        require(s.block[file].at(BlockLifecycle.under_construction), "the block is not committed yet")
        s.commit_block(file, stream.stamp, stream.acked)
        s.complete_if_minimal(file)
        s.forget_locations(file)
        observe(block_state=s.block[file])

    @action(event="complete")
    def complete_closes(s, client: Client, file: File) -> None:
        """The block is COMPLETE: the file is closed, and the block looked at for too few replicas (facts A.5, E.9)."""
        require(s.ready_to_complete(client, file), "the last packet is acknowledged")
        require(s.file[file].at(FileLifecycle.under_construction), "the file is open")
        require(s.block[file].at(BlockLifecycle.complete), "the block is complete")
        s.close(file)
        s.stream[client][file] = no_stream()
        observe(closed=True)

    # append (A.4).

    @action
    def append(s, client: Client, file: File) -> None:
        """The file is opened again at its last block: whoever holds it is an expected location, and no queue has it.

        Source  BlockManager#convertLastBlockToUnderConstruction, FSDirAppendOp#appendFile, Hadoop 3.4.1;
                facts A2, A.4, E.2.
        """
        require(s.file[file].at(FileLifecycle.closed), "the file is closed")
        require(s.block[file].at(BlockLifecycle.complete), "it has a block")
        s.not_in_safe_mode()
        require(~s.usable(file).is_empty(), "a replica of the block is known", "IOException")
        s.appends = s.appends + 1
        s.file[file].fire(FileLifecycle.append)
        s.client_name[file] = client
        s.block[file].fire(BlockLifecycle.append)
        s.set_locations(file, s.stored[file])
        s.leave_queues(file)
        s.last_stamp = s.last_stamp + 1
        stream = s.stream[client][file]
        stream.stage = StreamStage.STREAMING
        stream.stamp = s.last_stamp
        stream.acked = s.block_bytes[file]
        stream.pipeline = s.stored[file]
        observe(generation_stamp=s.last_stamp, locations=s.stored[file])

    def leave_queues(s, file: File) -> None:
        """An open block is neither to be copied nor, where it is located, to be deleted (HDFS-4022, facts A.4)."""
        s.leave_reconstruction(file)
        s.no_longer_excess(file)
        s.to_invalidate.update(
            lambda d: each(File, lambda f: when((f == file) & s.stored[file].has(d), 0, s.to_invalidate[d][f]))
        )

    def leave_reconstruction(s, file: File) -> None:
        """Copies are neither wanted nor waited for."""
        s.needed[file] = False
        s.pending[file].clear()

    def no_longer_excess(s, file: File) -> None:
        """No replica is in excess now: its order is withdrawn. Hadoop 3.4.1 forgets this, so that it counts no more."""
        s.excess[file].clear()

    @action
    def append_to_replica(s, client: Client, file: File, datanode: Datanode) -> None:
        """A finalized replica is opened under the new stamp (FsDatasetImpl#append, Hadoop 3.4.1; facts B2, B.9)."""
        stream, replica = s.takes_part(client, file, datanode), s.replica[datanode][file]
        require(stream.stage.at(StreamStage.STREAMING), "the client is streaming")
        require(replica.state.at(ReplicaLifecycle.finalized), "the replica is finalized", "ReplicaNotFoundException")
        s.fits(client, file, datanode, always=False)
        stream.set_up.add(datanode)
        replica.state.fire(ReplicaLifecycle.append)
        replica.stamp = stream.stamp
        s.report(datanode, file, IncrementalKind.RECEIVING)

    @action
    def delete(s, file: File) -> None:
        """A closed file is deleted: every replica that is known goes.

        Source  FSDirDeleteOp#delete, BlockManager#removeBlock, Hadoop 3.4.1; facts A20, E.14.
        """
        require(s.file[file].at(FileLifecycle.closed), "the file is closed")
        s.not_in_safe_mode()
        s.deletions = s.deletions + 1
        s.file[file].fire(FileLifecycle.delete)
        s.block[file].fire(BlockLifecycle.remove)
        s.order_deletions(file, s.stored[file], s.block_stamp[file])
        s.excess[file].clear()
        s.corrupt[file].update(lambda d: not_corrupt())
        s.stored[file].clear()
        s.needed[file] = False
        s.pending[file].clear()
        s.postponed[file] = False
