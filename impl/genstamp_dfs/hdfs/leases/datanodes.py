"""The steps of datanodes as the namenode sees them: replicas that are finalized and reported, recoveries, outages.

A block's replicas are alike on all datanodes. A recovery that a datanode leads ends in one step with its commit: it
finds the replicas as they are. The namenode takes a datanode that stops for dead at once.

Source: Hadoop 3.4.1; each step names its method.
"""

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.leases.base import LeaseClusterBase, StreamStage
from genstamp_dfs.hdfs.leases.recorder import Step
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    BlockReceivedAndDeleted,
    CommitBlockSynchronization,
    ReceivedDeletedBlock,
    ReceivedStatus,
)
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.datanode_calls import remove_datanode
from genstamp_dfs.hdfs.protocol import NAMENODE, Block, BlockUCState


class DatanodeSteps(LeaseClusterBase):
    """Replicas, reports, the end of recoveries, and datanodes that stop and return."""

    # -- replicas -----------------------------------------------------------------------------------------------

    def finalize_replicas(self, file: str) -> None:
        """The last packet has reached the datanodes (FsDatasetImpl#finalizeBlock)."""
        step = self.step("datanodes", "block", file, "finalize_replicas", file=file)
        last = self.last_block(file)
        if last is None or last.state not in (BlockUCState.UNDER_CONSTRUCTION, BlockUCState.COMMITTED):
            raise step.not_possible(f"{file} has no block that is written")
        if not self.known.running:
            raise step.not_possible("no datanode is running")
        replicas = self.replicas_of(last)
        if not replicas.num_bytes or replicas.is_finalized:
            raise step.not_possible("there are no replicas that are written")
        has_ended = any(s.stage is StreamStage.CLOSING and last.matches(s.block) for s in self.streams_at(file))
        if last.state is BlockUCState.UNDER_CONSTRUCTION and not has_ended:
            raise step.not_possible("nobody has sent the last packet")
        replicas.is_finalized = True

    def block_received(self, file: str, datanode: str) -> None:
        """A report of the finalized replica of the last block (BlockManager#processIncrementalBlockReport)."""
        step = self._report(file, datanode, "block_received")
        last = self.last_block(file)
        if last is None or not self.replicas_of(last).is_finalized:
            raise step.not_possible(f"{datanode} has no finalized replica of the last block of {file}")
        if not last.is_complete and datanode not in last.expected_locations():
            raise step.not_possible(f"the namenode does not expect a replica at {datanode}, which has to report one")
        self._tell(datanode, last, ReceivedStatus.RECEIVED)
        step.done(observed={"block_state": last.state.value})

    def block_received_earlier(self, file: str, datanode: str) -> None:
        """The same of the block before the last one, which is COMMITTED."""
        step = self._report(file, datanode, "block_received_earlier")
        inode = self.inode_at(file)
        block = None if inode is None else inode.penultimate_block()
        if block is None or block.state is not BlockUCState.COMMITTED:
            raise step.not_possible(f"the block before the last one of {file} is not COMMITTED")
        self._tell(datanode, block, ReceivedStatus.RECEIVED)
        step.done(observed={"block_state": block.state.value})

    def replica_reported(self, file: str, datanode: str) -> None:
        """A replica that is written is reported, and its datanode is expected to have one from now on."""
        step = self._report(file, datanode, "replica_reported")
        last = self.last_block(file)
        if last is None or last.is_complete or not self.replicas_of(last).num_bytes:
            raise step.not_possible(f"{datanode} has no replica that is written of {file}")
        if datanode in last.expected_locations():
            raise step.not_possible(f"the namenode knows of the replica at {datanode}")
        self._tell(datanode, last, ReceivedStatus.RECEIVING)
        step.done()

    def _report(self, file: str, datanode: str, event: str) -> Step:
        step = self.step(NAMENODE, "replica", f"{file}@{datanode}", event, file=file, datanode=datanode)
        if datanode not in self.known.running:
            raise step.not_possible(f"{datanode} is down")
        return step

    def _tell(self, datanode: str, block: BlockInfo, status: ReceivedStatus) -> None:
        """An incremental report of one replica arrives."""
        replica = Block(block.block_id, block.generation_stamp, self.replicas_of(block).num_bytes)
        self.ask(BlockReceivedAndDeleted(datanode, (ReceivedDeletedBlock(replica, status),)), datanode)

    # -- recoveries ---------------------------------------------------------------------------------------------

    def commit_block_synchronization(self, primary: str, file: str) -> None:
        """The primary tells the outcome (FSNamesystem#commitBlockSynchronization). Ends the attempt in any case."""
        arguments = {"primary": primary, "file": file}
        step = self.step(NAMENODE, "block", file, "commit_block_synchronization", **arguments)
        if primary not in self.known.running:
            raise step.not_possible(f"{primary} is down")
        recovering = self.known.led.get((primary, file))
        if recovering is None:
            raise step.not_possible(f"{primary} leads no recovery of {file}")
        block = recovering.block
        deletes = self._finds_nothing(block, file)
        if deletes:
            self.needs_block_before(step, file)
        del self.known.led[primary, file]
        num_bytes = 0 if deletes else self.replicas_of(block).num_bytes
        recovery_id = recovering.recovery_id
        targets = () if deletes else (primary,)
        request = CommitBlockSynchronization(block, recovery_id, num_bytes, True, deletes, targets)
        try:
            self.ask(request, primary)
        except HdfsIOException as refusal:
            self._recovered(file)
            step.refused(refusal, recovery_id=recovery_id)
            return
        self._recovered(file)
        observed = self.observed("closed", "deleted")
        step.done(recovery_id=recovery_id, num_bytes=None if deletes else num_bytes, observed=observed)

    def _finds_nothing(self, block: Block, file: str) -> bool:
        """Whether a primary finds no data: nothing was written, or the block is gone and another one complete since."""
        if self.namesystem.block_manager.get_stored_block(block.block_id) is not None:
            return not self.replicas_of(block).num_bytes
        last = self.last_block(file)
        return last is not None and last.is_complete

    def _recovered(self, file: str) -> None:
        """A recovery has ended: if a block is COMPLETE then, its replicas are finalized."""
        last = self.last_block(file)
        if last is not None and last.is_complete:
            self.replicas_of(last).is_finalized = True

    # -- outages ------------------------------------------------------------------------------------------------

    def datanode_stops(self, datanode: str) -> None:
        """A datanode is dead, and the namenode knows at once (DatanodeManager#removeDeadDatanode)."""
        step = self.step(datanode, "node", datanode, "datanode_stops", datanode=datanode)
        if datanode not in self.known.running:
            raise step.not_possible(f"{datanode} is down")
        if self.is_in_safe_mode():
            raise step.not_possible("in safe mode the namenode takes no datanode for dead")
        self.known.stored_there[datanode] = self.known_at(datanode)
        self.known.running.discard(datanode)
        self.known.led = {key: recovering for key, recovering in self.known.led.items() if key[0] != datanode}
        remove_datanode(self.namesystem, datanode)
        step.done()

    def datanode_returns(self, datanode: str) -> None:
        """The datanode is back with its replicas (DatanodeManager#registerDatanode)."""
        step = self.step(datanode, "node", datanode, "datanode_returns", datanode=datanode)
        if datanode in self.known.running:
            raise step.not_possible(f"{datanode} is up")
        self.known.running.add(datanode)
        self.comes_back(datanode, self.known.stored_there.pop(datanode, frozenset()))
        step.done()

    def comes_back(self, datanode: str, known: frozenset[int]) -> None:
        """It registers, and reports those replicas again that are known still."""
        self.register(datanode)
        for block_id in sorted(known):
            block = self.namesystem.block_manager.get_stored_block(block_id)
            if block is not None and block.is_complete:
                self._tell(datanode, block, ReceivedStatus.RECEIVED)

    def known_at(self, datanode: str) -> frozenset[int]:
        """The blocks of which a replica at the datanode stays known: none of them is the last of its file."""
        before = {block.block_id for inode in self.namesystem.directory.all_files() for block in inode.blocks[:-1]}
        if datanode not in self.known.running:
            return self.known.stored_there.get(datanode, frozenset()) & before
        return frozenset(before & self.namesystem.datanode_manager.datanodes[datanode].blocks)
