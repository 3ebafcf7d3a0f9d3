"""What a datanode does on a connection that carries a block: write, read, copy, digest.

Not here: the messages' bytes. A request that is refused, or that fails, is answered where the protocol has an answer,
and otherwise by closing the connection: the node before blames this one.

Source: DN/DataXceiver, DN/DataNode.DataTransfer, Hadoop 3.4.1; facts C.1, C.5, B.5, W.4.4, W.4.8.
"""

from collections.abc import Awaitable, Callable
from functools import partial

from genstamp_dfs.errors import DiskError, EOFException, HdfsIOException, SocketTimeoutException
from genstamp_dfs.hdfs.block_operation import begin_operation
from genstamp_dfs.hdfs.datanode.block_receiver import BlockReceiver
from genstamp_dfs.hdfs.datanode.block_sender import (
    CorruptReplicaError,
    block_digest,
    range_to_read,
    readable_replica,
    send_chunks,
)
from genstamp_dfs.hdfs.datanode.repairs import Repair
from genstamp_dfs.hdfs.datanode.replica_steps import ReplicaSteps
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.messages.data_transfer import (
    BlockChecksum,
    BlockConstructionStage,
    BlockOpResponse,
    Operation,
    ReadBlock,
    Status,
    TransferAck,
    TransferReplica,
    WriteBlock,
)
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.hdfs.runtime import Connection
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


class DataXceiver:
    """Serves connections of one datanode.

    Attributes:
        receivers: the blocks that are being written, in the order in which they began.

    Args:
        steps: the replicas.
        report_bad: tells the namenode of a corrupt replica, and of the datanode that has it.
    """

    def __init__(self, steps: ReplicaSteps, report_bad: Callable[[Block, str], Awaitable[None]]) -> None:
        self.steps = steps
        self.receivers: dict[BlockReceiver, None] = {}
        self._report_bad = report_bad
        self._serving = {
            WriteBlock: self._write_block,
            ReadBlock: self._read_block,
            TransferReplica: self._transfer_replica,
            BlockChecksum: self._block_checksum,
        }

    async def serve(self, connection: Connection, operation: Operation) -> None:
        """Do what an operation asks for, and close the connection."""
        try:
            await self._serving[type(operation)](connection, operation)  # type: ignore[operator]
        except (HdfsIOException, DiskError):
            # Closing is the answer.
            pass
        except CorruptReplicaError as corrupt:
            await self._report_bad(corrupt.block, self.steps.runtime.node)
        finally:
            connection.close()

    def interrupt(self) -> None:
        """Every block that is being written stays as it is."""
        for receiver in list(self.receivers):
            receiver.interrupt()

    def timeout_us(self, nodes_below: int = 0) -> int:
        """How long to wait for an answer with so many nodes after this one."""
        configuration = self.steps.configuration
        timeout_ms = configuration.socket_timeout_ms + nodes_below * configuration.socket_timeout_extension_ms
        return timeout_ms * MICROSECONDS_A_MILLISECOND

    # -- WRITE_BLOCK --------------------------------------------------------------------------------------------

    async def _write_block(self, connection: Connection, request: WriteBlock) -> None:
        """Set the pipeline up from here on, then receive (DataXceiver#writeBlock)."""
        is_transfer, is_copy = request.stage.is_transfer, not request.client_name
        if is_transfer and request.targets:
            raise HdfsIOException(f"{request.stage.name} goes to {request.targets} too, accepted: one node")
        receiver = BlockReceiver(self.steps, connection, request.client_name, len(request.targets))
        self.receivers[receiver] = None
        try:
            replica = await self._open_replica(request, receiver)
            mirror = None
            if request.targets:
                mirror = await self._set_up_mirror(connection, request, must_answer=not is_copy)
            if not is_copy and not is_transfer:
                await connection.send(BlockOpResponse(Status.SUCCESS))
            if request.stage is BlockConstructionStage.PIPELINE_CLOSE_RECOVERY and not is_copy:
                if mirror is not None:
                    mirror.close()
                return
            await receiver.receive_block(replica, mirror, acknowledges=not is_copy and not is_transfer)
            if is_copy or is_transfer:
                await self._end_copy(request, replica)
            if is_transfer:
                await connection.send(TransferAck(Status.SUCCESS))
        except (HdfsIOException, DiskError):
            if is_copy or is_transfer:
                self._drop_copy(request, receiver)
            if receiver.found_corrupt and request.source is not None:
                await self._report_bad(request.block, request.source)
            raise
        finally:
            receiver.end()
            self.receivers.pop(receiver, None)

    async def _open_replica(self, request: WriteBlock, receiver: BlockReceiver) -> Replica:
        """Make or take the replica as the stage asks for (BlockReceiver#<init>; facts C.1)."""
        dataset, block, stamp = self.steps.dataset, request.block, request.latest_generation_stamp
        length, stage = request.min_bytes_received, request.stage
        operation: Callable[[], Replica]
        if not request.client_name or stage.is_transfer:
            name, operation = (
                "create_temporary",
                partial(dataset.create_temporary, block, receiver, is_transfer=stage.is_transfer),
            )
        elif stage is BlockConstructionStage.PIPELINE_SETUP_CREATE:
            name, operation = "create_rbw", partial(dataset.create_rbw, block, receiver, stamp)
        elif stage is BlockConstructionStage.PIPELINE_SETUP_APPEND:
            name, operation = "append_finalized", partial(dataset.append, block, stamp, length, receiver)
        elif stage is BlockConstructionStage.PIPELINE_SETUP_APPEND_RECOVERY:
            name, operation = "recover_append", partial(dataset.recover_append, block, stamp, length, receiver)
        elif stage is BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY:
            name, operation = (
                "recover_rbw",
                partial(dataset.recover_rbw, block, stamp, length, request.max_bytes_received, receiver),
            )
        elif stage is BlockConstructionStage.PIPELINE_CLOSE_RECOVERY:
            name, operation = "recover_close", partial(dataset.recover_close, block, stamp, length)
        else:
            raise HdfsIOException(f"no replica is opened in stage {stage.name}")
        return await self.steps.perform(name, block.block_id, operation, client=request.client_name)

    async def _set_up_mirror(
        self, connection: Connection, request: WriteBlock, *, must_answer: bool
    ) -> Connection | None:
        """Connect to the next node, and with a client waiting pass on how far the set-up went.

        Raises:
            HdfsIOException: the set-up has failed further down; the client knows.
        """
        first, *others = request.targets
        timeout_us = self.timeout_us(len(request.targets))
        passed_on = WriteBlock(
            request.block,
            request.client_name,
            tuple(others),
            request.stage,
            request.pipeline_size,
            request.min_bytes_received,
            request.max_bytes_received,
            request.latest_generation_stamp,
            request.source,
        )
        if not must_answer:
            try:
                return await self.steps.runtime.connect(first, passed_on, timeout_us=timeout_us)
            except HdfsIOException:
                return None  # a copy goes on without the nodes that it should go on to
        try:
            mirror, answer = await begin_operation(self.steps.runtime, first, passed_on, timeout_us)
        except HdfsIOException:
            await connection.send(BlockOpResponse(Status.ERROR, first_bad_link=first))
            raise
        if answer.status is not Status.SUCCESS:
            mirror.close()
            await connection.send(answer)
            raise HdfsIOException(f"the pipeline ends before {answer.first_bad_link}: {answer.message}")
        return mirror

    async def _end_copy(self, request: WriteBlock, replica: Replica) -> None:
        """All bytes of a copy are here: it joins a pipeline, or is finalized (BlockReceiver#receiveBlock)."""
        block = replica.block()
        if self.steps.configuration.sync_on_close or self.steps.dataset.is_promised(replica):
            await self.steps.sync_ahead(replica)
        if request.stage is BlockConstructionStage.TRANSFER_RBW:
            operation = partial(self.steps.dataset.convert_temporary_to_rbw, block)
            await self.steps.perform("convert_temporary_to_rbw", block.block_id, operation, client=request.client_name)
        else:
            operation = partial(self.steps.dataset.finalize_block, block)
            await self.steps.perform("finalize_replica", block.block_id, operation, client=request.client_name)

    def _drop_copy(self, request: WriteBlock, receiver: BlockReceiver) -> None:
        """A copy that has failed leaves nothing (BlockReceiver#cleanupBlock; facts B16)."""
        block_id = request.block.block_id
        replica = self.steps.dataset.get_replica(block_id)
        if replica is not None and replica.writer is receiver and self.steps.dataset.unfinalize_block(request.block):
            self.steps.done("unfinalize_block", block_id, None, arguments={"client": request.client_name})

    # -- READ_BLOCK, BLOCK_CHECKSUM -----------------------------------------------------------------------------

    async def _read_block(self, connection: Connection, request: ReadBlock) -> None:
        """Send a range of a replica (DataXceiver#readBlock)."""
        try:
            replica, start, end = await range_to_read(self.steps, request)
        except HdfsIOException as refusal:
            await connection.send(BlockOpResponse(Status.ERROR, message=str(refusal)))
            raise
        await connection.send(BlockOpResponse(Status.SUCCESS, chunk_offset=start))
        await send_chunks(self.steps, replica, connection, start, end, with_checksums=request.send_checksums)
        try:
            await connection.receive(self.timeout_us())
        except (EOFException, SocketTimeoutException):
            return  # a reader may just close

    async def _block_checksum(self, connection: Connection, request: BlockChecksum) -> None:
        """Answer with the digest of a block's checksums (DataXceiver#blockChecksum)."""
        try:
            digest = block_digest(self.steps, request.block)
        except HdfsIOException as refusal:
            await connection.send(BlockOpResponse(Status.ERROR, message=str(refusal)))
            raise
        await connection.send(BlockOpResponse(Status.SUCCESS, checksum=digest))

    # -- TRANSFER_BLOCK, DNA_TRANSFER ---------------------------------------------------------------------------

    async def _transfer_replica(self, connection: Connection, request: TransferReplica) -> None:
        """Copy a replica to a node that joins a pipeline (DataXceiver#transferBlock)."""
        try:
            if len(request.targets) != 1:
                raise HdfsIOException(f"a replica goes to {request.targets}, accepted: one node")
            operation = partial(self.steps.dataset.transfer_source, request.block)
            block, stage = await self.steps.perform(
                "transfer_replica", request.block.block_id, operation, client=request.client_name
            )
            await self._copy_for_pipeline(block, request.targets, stage, request.client_name)
        except HdfsIOException as refusal:
            await connection.send(BlockOpResponse(Status.ERROR, message=str(refusal)))
            raise
        await connection.send(BlockOpResponse(Status.SUCCESS))

    async def _copy_for_pipeline(
        self, block: Block, targets: tuple[str, ...], stage: BlockConstructionStage, client_name: str
    ) -> None:
        """Copy; Hadoop's DataTransfer tells nobody that it has failed (HDFS-16601)."""
        try:
            await self.copy_replica(block, targets, stage, client_name)
        except HdfsIOException:
            if self.steps.configuration.closes(Repair.FAILED_TRANSFER_IS_A_SUCCESS):
                raise

    async def copy_replica(
        self, block: Block, targets: tuple[str, ...], stage: BlockConstructionStage, client_name: str = ""
    ) -> None:
        """Send the first `block.num_bytes` bytes of a replica to other datanodes (DataNode.DataTransfer#run).

        Raises:
            HdfsIOException: the replica cannot be read, or the copy was not taken.
            CorruptReplicaError: the replica is corrupt where it is cut.
        """
        replica = readable_replica(self.steps, block)
        request = WriteBlock(block, client_name, targets[1:], stage, 0, source=self.steps.runtime.node)
        timeout_us = self.timeout_us(len(targets))
        connection = await self.steps.runtime.connect(targets[0], request, timeout_us=timeout_us)
        try:
            await send_chunks(self.steps, replica, connection, 0, block.num_bytes, with_checksums=True)
            if client_name:
                answer = await connection.receive(timeout_us)
                if not isinstance(answer, TransferAck) or answer.status is not Status.SUCCESS:
                    raise HdfsIOException(f"{targets[0]} did not take the copy of blk_{block.block_id}: {answer}")
        finally:
            connection.close()
