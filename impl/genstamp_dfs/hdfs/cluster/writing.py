"""The steps of writing a file: create, the pipeline, reports, complete, and renewing the lease.

Each method is one atomic step and leaves one event of its own name. A call of a client reaches the namenode whatever
the client has done before, because any process may send any call; a step of the pipeline needs the client's stream.

Leaves out: everything that happens after a pipeline broke.

Source: Hadoop 3.4.1; each step names its method.
"""

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.cluster.base import ClusterBase
from genstamp_dfs.hdfs.cluster.hand_client import DFSClient
from genstamp_dfs.hdfs.cluster.hand_stream import BlockConstructionStage, OutputStream
from genstamp_dfs.hdfs.cluster.recorder import Step
from genstamp_dfs.hdfs.messages.client_protocol import (
    AddBlock,
    Complete,
    Create,
    CreateFlag,
    Fsync,
    RenewLease,
)
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    BlockReceivedAndDeleted,
    ReceivedDeletedBlock,
    ReceivedStatus,
)
from genstamp_dfs.hdfs.protocol import NAMENODE, Block, BlockUCState


class WritingSteps(ClusterBase):
    """The steps between create and complete."""

    def create(self, client: str, file: str) -> None:
        """create() without overwrite (FSNamesystem#startFile)."""
        step = self.step(NAMENODE, "file", file, "create", client=client, file=file)
        dfs_client = self.live_client(step, client)
        try:
            request = Create(file, client, CreateFlag.CREATE, replication=len(self.datanodes))
            self.ask(self.namesystem.create, request, client)
        except HdfsIOException as refusal:
            step.refused(refusal)
            return
        dfs_client.open_stream(file)
        step.done()

    def add_block(self, client: str, file: str) -> None:
        """addBlock(previous = null) (FSNamesystem#getAdditionalBlock)."""
        step = self.step(NAMENODE, "file", file, "add_block", client=client, file=file)
        dfs_client = self.live_client(step, client)
        stream = dfs_client.streams.get(file)
        if not self._is_fenced(client, file, None) and not self._is_closed(file):
            if stream is not None and stream.block is not None:
                raise step.not_possible(f"the stream of {client} on {file} has its block, and a file has one")
            self._needs_writer_or_stranger(step, client, file)
        try:
            located = self.ask(self.namesystem.add_block, AddBlock(file, client), client)
        except HdfsIOException as refusal:
            step.refused(refusal)
            return
        assert stream is not None, f"{client} was given a block of {file}, which it does not write"
        stream.on_block(located)
        self.block_of_file[file] = located.block.block_id
        self.file_of_block[located.block.block_id] = file
        self.step(NAMENODE, "block", self.block_entity(file), "add_block", client=client, file=file).done(
            generation_stamp=located.block.generation_stamp,
            observed={"locations": ",".join(sorted(located.locations))},
        )

    def create_rbw(self, client: str, file: str, datanode: str) -> None:
        """Set up the pipeline at one datanode (FsDatasetImpl#createRbw).

        A client does so once. What comes a second time is refused as long as the replica is there.
        """
        step = self.replica_step(datanode, "create_rbw", file, datanode, client=client)
        is_flowing = self._stage(client, file) is BlockConstructionStage.DATA_STREAMING
        stage = BlockConstructionStage.DATA_STREAMING if is_flowing else BlockConstructionStage.PIPELINE_SETUP_CREATE
        stream, block = self._stream(step, client, file, stage)
        self._needs_member(step, stream, datanode)
        process = self.live_datanode(step, datanode)
        if datanode in stream.set_up and process.dataset.get_replica(block.block_id) is None:
            raise step.not_possible(f"{datanode} has lost its replica, and {client} has set it up already")
        try:
            replica = process.create_rbw(block, client)
        except HdfsIOException as refusal:
            step.refused(refusal)
            return
        stream.on_set_up(datanode)
        step.done(generation_stamp=replica.generation_stamp)

    def receive_packet(self, client: str, file: str, datanode: str) -> None:
        """The next packet, of one byte, arrives at one datanode (BlockReceiver#receivePacket)."""
        step = self.replica_step(datanode, "receive_packet", file, datanode, client=client)
        stream, block = self._stream(step, client, file, BlockConstructionStage.DATA_STREAMING)
        self._needs_connection(step, stream, block, datanode)
        packet = stream.next_packet(datanode)
        if packet is None:
            raise step.not_possible(f"the upstream of {datanode} in {stream.pipeline} has forwarded no other packet")
        replica = self.datanodes[datanode].receive_packet(block.block_id, packet)
        stream.on_packet_received(datanode, packet)
        step.done(generation_stamp=replica.generation_stamp, num_bytes=replica.num_bytes)

    def hflush(self, client: str, file: str) -> None:
        """hflush() returns: the acknowledgement of all datanodes is in (DFSOutputStream#flushOrSync)."""
        step = self.step(client, "block", self.block_entity(file), "hflush", client=client, file=file)
        stream, block = self._stream(step, client, file, BlockConstructionStage.DATA_STREAMING)
        self._needs_all_connections(step, stream, block)
        acknowledged = stream.num_bytes_acknowledged_by_all()
        if acknowledged == stream.num_bytes_acked and not stream.all_packets_acknowledged():
            raise step.not_possible(f"nothing was acknowledged by all of {stream.pipeline} beyond {acknowledged} bytes")
        if not stream.num_bytes_acked:
            try:
                self.ask(self.namesystem.fsync, Fsync(file, client), client)
            except HdfsIOException as refusal:
                raise step.not_possible(f"the namenode refused the fsync: {refusal}") from refusal
        num_bytes = stream.on_hflush()
        step.done(generation_stamp=block.generation_stamp, num_bytes=num_bytes)

    def last_packet(self, client: str, file: str) -> None:
        """The client closes the stream; sent only when all else is acknowledged (DataStreamer#run)."""
        step = self.step(client, "block", self.block_entity(file), "last_packet", client=client, file=file)
        stream, block = self._stream(step, client, file, BlockConstructionStage.DATA_STREAMING)
        self._needs_all_connections(step, stream, block)
        if not stream.all_packets_acknowledged():
            raise step.not_possible(f"of {len(stream.data)} bytes sent, the pipeline has {stream.received}")
        num_bytes = stream.on_last_packet()
        step.done(generation_stamp=block.generation_stamp, num_bytes=num_bytes)

    def finalize_replica(self, client: str, file: str, datanode: str) -> None:
        """A datanode has the last packet and its downstream's acknowledgement, or has lost its downstream.

        Source: BlockReceiver.PacketResponder#run, which goes on when it cannot read from its mirror, Hadoop 3.4.1.
        """
        step = self.replica_step(datanode, "finalize_replica", file, datanode, client=client)
        stream, block = self._stream(step, client, file, BlockConstructionStage.PIPELINE_CLOSE)
        self._needs_connection(step, stream, block, datanode)
        downstream = stream.unfinalized_downstream(datanode)
        if downstream is not None and self.datanodes[downstream].accepts_writer(block.block_id, client):
            raise step.not_possible(f"{downstream}, downstream of {datanode}, has not acknowledged the last packet")
        process = self.datanodes[datanode]
        process.finalize_block(block)
        stream.finalized.add(datanode)
        replica = process.dataset.replicas[block.block_id]
        step.done(generation_stamp=replica.generation_stamp, num_bytes=replica.num_bytes)

    def block_received(self, file: str, datanode: str) -> None:
        """A datanode's report of its FINALIZED replica reaches the namenode (BlockManager#processReportedBlock)."""
        step = self.replica_step(NAMENODE, "block_received", file, datanode)
        block_id = self.block_id(step, file)
        process = self.live_datanode(step, datanode)
        reported = process.report_to_deliver(block_id)
        if reported is None:
            raise step.not_possible(f"{datanode} has no report of a finalized replica to deliver")
        block = self.namesystem.block_manager.get_stored_block(block_id)
        line = ReceivedDeletedBlock(
            Block(block_id, reported.generation_stamp, reported.num_bytes), ReceivedStatus.RECEIVED
        )
        report = BlockReceivedAndDeleted(datanode, (line,))
        self.ask(self.namesystem.block_received_and_deleted, report, datanode)
        process.pending_reports.discard(block_id)
        step.done(
            generation_stamp=reported.generation_stamp,
            num_bytes=reported.num_bytes,
            observed={"block_state": "removed" if block is None else block.state.value},
        )

    def complete(self, client: str, file: str) -> None:
        """complete() (FSDirWriteFileOp#completeFileInternal)."""
        step = self.step(NAMENODE, "file", file, "complete", client=client, file=file)
        dfs_client = self.live_client(step, client)
        stream = dfs_client.open_stream_on(file)
        last = self._last_to_pass(dfs_client, file)
        if not self._is_fenced(client, file, stream) and (last is None or not self._is_under_recovery(file)):
            self._needs_writer_or_stranger(step, client, file)
            last = self._block_to_complete(step, dfs_client.streams[file]) if file in dfs_client.streams else None
        try:
            closed = self.ask(self.namesystem.complete, Complete(file, client, last), client)
        except HdfsIOException as refusal:
            step.refused(refusal)
            return
        if closed and stream is not None:
            stream.stage = BlockConstructionStage.CLOSED
        step.done(observed={"closed": str(closed).lower(), **self._observed_block_state(file)})

    def renew_lease(self, client: str) -> None:
        """renewLease() (FSNamesystem#renewLease)."""
        step = self.step(NAMENODE, "lease", client, "renew_lease", client=client)
        self.live_client(step, client)
        self.ask(self.namesystem.renew_lease, RenewLease(client), client)
        step.done()

    # -- what these steps need ----------------------------------------------------------------------------------

    def _observed_block_state(self, file: str) -> dict[str, str]:
        """The state of the file's last block as an observation; nothing if it has none."""
        last = self.namesystem.directory.file_at(file).last_block()
        return {} if last is None else {"block_state": last.state.value}

    def _stage(self, client: str, file: str) -> BlockConstructionStage | None:
        """Where the client's stream on the file is; None if it has none."""
        stream = self.clients[client].streams.get(file)
        return None if stream is None else stream.stage

    def _is_fenced(self, client: str, file: str, stream: OutputStream | None) -> bool:
        """Whether the client writes the file no more, so that it is refused whatever it sends, ready or not."""
        inode = self.namesystem.directory.get_file(file)
        if inode is None or inode.is_under_construction:
            return inode is None or inode.client_name != client
        last, passed = inode.last_block(), None if stream is None else stream.block
        if last is None or passed is None:
            return (last is None) != (passed is None)
        return last.generation_stamp != passed.generation_stamp

    def _is_closed(self, file: str) -> bool:
        """Whether the file is there and closed, so that nobody is given a block of it."""
        inode = self.namesystem.directory.get_file(file)
        return inode is not None and not inode.is_under_construction

    def _last_to_pass(self, client: DFSClient, file: str) -> Block | None:
        """What the client passes to complete(): what it wrote, or of a recovery it asked for, what readers see."""
        stream = client.open_stream_on(file)
        if stream is not None:
            return stream.block_to_complete()
        if file not in client.recovering or not self._is_under_recovery(file):
            return None
        last = self.namesystem.directory.file_at(file).last_block()
        assert last is not None, f"the last block of {file} is under recovery"
        return Block(last.block_id, last.generation_stamp, last.num_bytes)

    def _is_under_recovery(self, file: str) -> bool:
        """Whether the file's last block is being recovered."""
        inode = self.namesystem.directory.get_file(file)
        last = None if inode is None else inode.last_block()
        return last is not None and last.state is BlockUCState.UNDER_RECOVERY

    def _needs_writer_or_stranger(self, step: Step, client: str, file: str) -> None:
        """Who took a file over by recoverLease has nothing to add or complete: it is waiting for the close."""
        if file in self.clients[client].recovering:
            raise step.not_possible(f"{client} asked for the recovery of {file} and does not write it")

    def _block_to_complete(self, step: Step, stream: OutputStream) -> Block | None:
        """What the stream may pass to complete(); it must have written nothing, or all be acknowledged."""
        if stream.stage is BlockConstructionStage.CLOSED:
            raise step.not_possible(f"the stream of {stream.client} on {stream.file} is closed")
        if stream.block is not None and not stream.is_last_packet_acknowledged():
            raise step.not_possible(f"the last packet is not acknowledged by all of {stream.pipeline}")
        return stream.block_to_complete()

    def _stream(self, step: Step, client: str, file: str, stage: BlockConstructionStage) -> tuple[OutputStream, Block]:
        """The client's stream on the file and its block; it must be in the given stage."""
        stream = self.live_client(step, client).streams.get(file)
        if stream is None:
            raise step.not_possible(f"{client} has no output stream on {file}")
        if stream.stage is not stage or stream.block is None:
            raise step.not_possible(f"the stream is at {stream.stage.value!r}, the step needs {stage.value!r}")
        return stream, stream.block

    def _needs_member(self, step: Step, stream: OutputStream, datanode: str) -> None:
        """The datanode must be in the stream's pipeline."""
        if datanode not in stream.pipeline:
            raise step.not_possible(f"{datanode} is not in the pipeline {stream.pipeline}")

    def _needs_connection(self, step: Step, stream: OutputStream, block: Block, datanode: str) -> None:
        """The datanode must be up, with the writer's thread running on an RBW replica."""
        self._needs_member(step, stream, datanode)
        process = self.live_datanode(step, datanode)
        if not process.accepts_writer(block.block_id, stream.client):
            raise step.not_possible(f"the writer of {stream.client} at {datanode} is stopped")

    def _needs_all_connections(self, step: Step, stream: OutputStream, block: Block) -> None:
        """The whole pipeline must be up."""
        for datanode in stream.pipeline:
            self._needs_connection(step, stream, block, datanode)
