"""The chain of datanodes that one block is written through: how it is set up, and set up again without the bad ones.

A new pipeline for the same block has a new generation stamp, so that a datanode that was left behind is told apart. The
namenode gives it, and refuses it to a client that has lost the file: that is how block recovery fences a writer.

Not here: the packets. What a transfer copies is the datanodes' business.

Source: CL/DataStreamer#nextBlockOutputStream, #setupPipelineInternal, #createBlockOutputStream,
#addDatanode2ExistingPipeline, Hadoop 3.4.1; facts C.5, C.6.
"""

from typing import TYPE_CHECKING, TypeVar

from genstamp_dfs.errors import HdfsIOException, NotReplicatedYetException
from genstamp_dfs.hdfs.block_operation import begin_operation
from genstamp_dfs.hdfs.messages.client_protocol import (
    AbandonBlock,
    AddBlock,
    GetAdditionalDatanode,
    UpdateBlockForPipeline,
    UpdatePipeline,
)
from genstamp_dfs.hdfs.messages.data_transfer import (
    BlockConstructionStage,
    Status,
    TransferReplica,
    WriteBlock,
)
from genstamp_dfs.hdfs.protocol import Block, LocatedBlock
from genstamp_dfs.hdfs.runtime import Connection
from genstamp_dfs.world.request import Request
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND

if TYPE_CHECKING:
    from genstamp_dfs.hdfs.client.dfs_client import DFSClient

Answer = TypeVar("Answer")

RESTART_STEP_US = 4_000_000
"""How often a datanode that restarts is tried."""

REPLACEMENT_TRIES = 3


def recovery_stage(stage: BlockConstructionStage) -> BlockConstructionStage:
    """The stage that mends a pipeline which failed in the given one.

    >>> recovery_stage(BlockConstructionStage.DATA_STREAMING).name
    'PIPELINE_SETUP_STREAMING_RECOVERY'
    """
    return BlockConstructionStage(stage | 1)


class Pipeline:
    """The pipeline of a stream's present block.

    Attributes:
        block_id, generation_stamp: of the block; 0 before the first.
        nodes: the datanodes, nearest first.
        connection: to the first of them, once set up.
        failed: datanodes that were given up; they take no other's place as long as the stream lasts.
        bad: index of the datanode that failed; None if none is known.
        restarting: index of one that said it restarts.
        bytes_acked, bytes_sent: of the block, as the datanodes are told.
    """

    def __init__(self, client: "DFSClient", path: str, file_id: int, replication: int) -> None:
        self.client = client
        self.path = path
        self.file_id = file_id
        self.replication = replication
        self.block_id = 0
        self.generation_stamp = 0
        self.nodes: tuple[str, ...] = ()
        self.connection: Connection | None = None
        self.failed: list[str] = []
        self._excluded_us: dict[str, int] = {}
        self.bad: int | None = None
        self.restarting: int | None = None
        self._restart: tuple[str, int] | None = None
        self.bytes_acked = 0
        self.bytes_sent = 0

    @property
    def block(self) -> Block | None:
        """The block with its acknowledged length; None before the first."""
        return Block(self.block_id, self.generation_stamp, self.bytes_acked) if self.block_id else None

    @property
    def awaited(self) -> str | None:
        """The datanode that is given time to restart, also once it is back; None if there is none."""
        return None if self._restart is None else self._restart[0]

    def take(self, located: LocatedBlock) -> None:
        """Write this block from now on."""
        self.block_id = located.block.block_id
        self.generation_stamp = located.block.generation_stamp
        self.bytes_acked = self.bytes_sent = located.block.num_bytes
        self.nodes = located.locations

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    # -- a new block --------------------------------------------------------------------------------------------

    @property
    def excluded(self) -> tuple[str, ...]:
        """Datanodes that could not take a new block lately, by name (DataStreamer#getExcludedNodes)."""
        expiry_us = self.client.configuration.exclude_nodes_expiry_ms * MICROSECONDS_A_MILLISECOND
        since_us = self.client.runtime.now_us() - expiry_us
        return tuple(sorted(node for node, at_us in self._excluded_us.items() if at_us > since_us))

    async def create(self) -> None:
        """Get a block and set its first pipeline up; datanodes that cannot be reached are excluded for a while.

        Where the settings say that fewer datanodes will do, the same block is set up on those that are left; else it
        is abandoned, and another one asked for.

        Raises:
            HdfsIOException: no block is to be had, or its pipeline failed too often.
        """
        previous = self.block
        for _ in range(self.client.configuration.block_write_retries + 1):
            self.take(await self._add_block(previous))
            if await self._connect(BlockConstructionStage.PIPELINE_SETUP_CREATE, 0) or await self._create_again():
                return
            block = self.block
            assert block is not None
            await self._call(AbandonBlock(block, self.path, self.client.name, self.file_id))
            self._excluded_us[self.nodes[self.bad or 0]] = self.client.runtime.now_us()
            self.bad = None
        raise HdfsIOException(f"unable to create new block for {self.path}, excluded: {list(self.excluded)}")

    async def _create_again(self) -> bool:
        """Set the new block up under a fresh stamp on the datanodes that are left; False if those are too few.

        Source: DataStreamer#setupPipelineForCreate (HDFS-17299), Hadoop 3.4.1.
        """
        old = self.block
        assert old is not None
        while 0 < self.client.configuration.replace_min_replication < len(self.nodes):
            self._leave_bad_node()
            located = await self._call(UpdateBlockForPipeline(old, self.client.name))
            new = located.block
            if await self._connect(BlockConstructionStage.PIPELINE_SETUP_CREATE, new.generation_stamp):
                await self._call(UpdatePipeline(self.client.name, old, new, self.nodes))
                self.generation_stamp = new.generation_stamp
                return True
        return False

    async def _add_block(self, previous: Block | None) -> LocatedBlock:
        """addBlock(), repeated while the block before is not replicated."""
        request = AddBlock(self.path, self.client.name, previous, self.excluded, self.file_id)
        for delay_us in self.client.configuration.delays_us():
            try:
                return await self._call(request)
            except NotReplicatedYetException:
                await self.client.runtime.sleep_us(delay_us)
        return await self._call(request)

    # -- the same block again -----------------------------------------------------------------------------------

    async def mend(self, stage: BlockConstructionStage, *, is_append: bool, is_hflushed: bool) -> None:
        """Set the pipeline up again, for an append or without the datanodes that failed.

        Args:
            stage: the stage that failed, or PIPELINE_SETUP_APPEND for the first time.
            is_append: whether the block was opened by append.
            is_hflushed: whether the stream was flushed before.

        Raises:
            HdfsIOException: the namenode refuses (the file is another's by now), or no datanode is left.
        """
        old = self.block
        assert old is not None
        if not self.nodes:
            raise HdfsIOException(f"{self.path} cannot be appended to: no datanode is known that has {old}")
        asked = stage
        while True:
            await self._wait_for_restart()
            self._leave_bad_node()
            await self._replace(is_append=is_append, is_hflushed=is_hflushed)
            located = await self._call(UpdateBlockForPipeline(old, self.client.name))
            new_stamp = located.block.generation_stamp
            if await self._connect(asked, new_stamp):
                self._restart = None
                break
            self._wait_on_for_restart()
            asked = recovery_stage(stage)
        new = Block(old.block_id, new_stamp, self.bytes_acked)
        await self._call(UpdatePipeline(self.client.name, old, new, self.nodes))
        self.generation_stamp = new_stamp

    async def _wait_for_restart(self) -> None:
        """Give a datanode that said it restarts the time for it, if there is nobody else or it is near."""
        if self.restarting is None:
            return
        index, self.restarting = self.restarting, None
        node = self.nodes[index]
        if len(self.nodes) > 1 and not self.client.is_local(node):
            self.bad = index
            return
        runtime = self.client.runtime
        if self._restart is None:
            self._restart = node, runtime.now_us() + self.client.configuration.datanode_restart_timeout_ms * 1_000
        await runtime.sleep_us(RESTART_STEP_US)

    def _wait_on_for_restart(self) -> None:
        """Forgive a datanode that is not back yet, until its time is up."""
        if self._restart is None or self.bad is None or self.nodes[self.bad] != self._restart[0]:
            return
        if self.client.runtime.now_us() < self._restart[1]:
            self.restarting, self.bad = self.bad, None

    def _leave_bad_node(self) -> None:
        """Go on without the datanode that failed."""
        if self.bad is None:
            return
        if len(self.nodes) <= 1:
            raise HdfsIOException(f"all datanodes {list(self.nodes)} are bad, aborting {self.path}")
        index, self.bad = self.bad, None
        self.failed.append(self.nodes[index])
        self.nodes = self.nodes[:index] + self.nodes[index + 1 :]

    async def _replace(self, *, is_append: bool, is_hflushed: bool) -> None:
        """Find a datanode in the place of one that failed, where the policy asks for it."""
        configuration = self.client.configuration
        existing = len(self.nodes)
        if not configuration.replaces(self.replication, existing, is_append=is_append, is_hflushed=is_hflushed):
            return
        try:
            await self._add_datanode()
        except HdfsIOException:
            enough = 0 < configuration.replace_min_replication <= existing
            if not configuration.replace_best_effort and not enough:
                raise

    async def _add_datanode(self) -> None:
        """Get a further datanode, and have what is visible of the block copied to it."""
        block = self.block
        assert block is not None
        excluded = list(self.failed)
        failure: HdfsIOException | None = None
        for tried in range(REPLACEMENT_TRIES):
            request = GetAdditionalDatanode(
                self.path, block, self.nodes, tuple(excluded), 1, self.client.name, self.file_id
            )
            found = (await self._call(request)).locations
            new = [node for node in found if node not in self.nodes]
            if len(new) != 1 or len(found) != len(self.nodes) + 1:
                raise HdfsIOException(f"failed to replace a bad datanode of {self.path}: got {list(found)}")
            try:
                await self._transfer(self.nodes[tried % len(self.nodes)], new[0], block)
            except HdfsIOException as problem:
                excluded.append(new[0])
                failure = problem
                continue
            self.nodes = found
            return
        assert failure is not None
        raise failure

    async def _transfer(self, source: str, target: str, block: Block) -> None:
        """Have a datanode copy its replica to another one."""
        runtime, timeout_us = self.client.runtime, self.client.configuration.socket_timeout_us(2)
        operation = TransferReplica(block, self.client.name, (target,))
        connection, answer = await begin_operation(runtime, source, operation, timeout_us)
        connection.close()
        if answer.status is not Status.SUCCESS:
            raise HdfsIOException(f"failed to copy {block} from {source} to {target}: {answer}")

    # -- connections --------------------------------------------------------------------------------------------

    async def _connect(self, stage: BlockConstructionStage, new_stamp: int) -> bool:
        """Open the chain; False, with the bad datanode's index noted, if it does not come about."""
        assert self.block_id, "there is no block"
        creates = stage is BlockConstructionStage.PIPELINE_SETUP_CREATE
        operation = WriteBlock(
            block=Block(self.block_id, self.generation_stamp, self.bytes_acked),
            client_name=self.client.name,
            targets=self.nodes[1:],
            stage=stage,
            pipeline_size=len(self.nodes),
            min_bytes_received=0 if creates else self.bytes_acked,
            max_bytes_received=0 if creates else self.bytes_sent,
            latest_generation_stamp=new_stamp,
        )
        timeout_us = self.client.configuration.socket_timeout_us(len(self.nodes))
        try:
            connection, answer = await begin_operation(self.client.runtime, self.nodes[0], operation, timeout_us)
        except HdfsIOException:
            self.bad = 0
            return False
        if answer.status is Status.SUCCESS:
            self.connection = connection
            return True
        connection.close()
        self.bad = self.nodes.index(answer.first_bad_link) if answer.first_bad_link in self.nodes else 0
        return False

    async def _call(self, request: Request[Answer]) -> Answer:
        return await self.client.runtime.call(self.client.namenode, request)
