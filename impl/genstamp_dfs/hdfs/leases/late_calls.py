"""The steps of calls that were sent and arrive late, when their client has called again perhaps.

One call is late at a time: an addBlock that has been looked at and waits for its targets, or an fsync.

Coarser than Hadoop: the whole of addBlock is carried out when it arrives, not its second part alone.

Source: FSDirWriteFileOp#validateAddBlock, #storeAllocatedBlock (HDFS-4452), FSNamesystem#fsync, Hadoop 3.4.1.
"""

from dataclasses import dataclass
from typing import Any

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.leases.base import StreamStage
from genstamp_dfs.hdfs.leases.recorder import Step
from genstamp_dfs.hdfs.leases.writing import WritingSteps
from genstamp_dfs.hdfs.messages.client_protocol import AddBlock, Fsync
from genstamp_dfs.hdfs.protocol import NAMENODE, Block


@dataclass(frozen=True)
class LateCall:
    """A call under way: the step that it will be, who has sent it, the block that it names, and the inode."""

    event: str
    client: str
    file_id: int
    block: Block | None


class LateSteps(WritingSteps):
    """A late addBlock, and a late fsync."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._late: LateCall | None = None

    def add_block_is_analysed(self, client: str, file: str) -> None:
        """addBlock() is taken up, and its targets are not chosen yet."""
        step = self.client_step("add_block_is_analysed", client, file)
        self._needs_no_late_call(step)
        stream = self.needs_no_block(step, client, file)
        inode = self.inode_at(file)
        if inode is None or not self.is_previous_last(stream.block, file):
            raise step.not_possible(f"{client} repeats a call")
        if not inode.is_penultimate_complete:
            raise step.not_possible("the block before the previous one is not complete")
        self._late = LateCall("add_block_goes_on", client, stream.file_id, self.passed_block(stream))

    def add_block_goes_on(self, client: str, file: str) -> None:
        """addBlock() is carried out, or finds that it was repeated since; nobody waits for its answer any more."""
        step = self.client_step("add_block_goes_on", client, file)
        late = self._needs_late_call(step, client, file)
        if not self.is_in_safe_mode():
            self._needs_file(step, client, file)
            if not self.known.running:
                raise step.not_possible("no datanode is running")
            last = self.last_block(file)
            if late.block is None and last is not None and last.is_complete and not self.is_full(last):
                raise step.not_possible(f"the last block of {file} has room, and the call names none")
        is_first = self.is_previous_last(late.block, file)
        answered = self.ask_for(step, AddBlock(file, client, late.block, file_id=late.file_id), client)
        if answered is None:
            return
        self._late = None
        if not is_first:
            step.done()
            return
        self.block_is_added(answered[0].block, late.block)
        stream = self.known.streams.get((client, file))
        if stream is not None and stream.stage is not StreamStage.STREAMING and self._is_stamp_of(stream.block, late):
            stream.is_unanswered = True
        step.done()

    def _is_stamp_of(self, block: Block | None, late: LateCall) -> bool:
        """Whether a client still asks for a block after this one."""
        if block is None or late.block is None:
            return block is late.block
        return block.generation_stamp == late.block.generation_stamp

    def fsync_is_delayed(self, client: str, file: str) -> None:
        """fsync() is sent, and does not arrive; the client will call again."""
        step = self.step(client, "file", file, "fsync_is_delayed", client=client, file=file)
        if client not in self.known.alive:
            raise step.not_possible(f"{client} is down")
        self._needs_no_late_call(step)
        stream = self.known.streams.get((client, file))
        passed = None if stream is None else self.passed_block(stream)
        if stream is None or passed is None or stream.stage is not StreamStage.STREAMING or not passed.num_bytes:
            raise step.not_possible(f"{client} has written nothing to {file}")
        self._late = LateCall("fsync_arrives_late", client, stream.file_id, passed)

    def fsync_arrives_late(self, client: str, file: str) -> None:
        """fsync() arrives (FSNamesystem#fsync)."""
        step = self.client_step("fsync_arrives_late", client, file)
        late = self._needs_late_call(step, client, file)
        assert late.block is not None, "an fsync tells of a block"
        if not self.is_in_safe_mode():
            self._needs_file(step, client, file)
        request = Fsync(file, client, late.block.num_bytes, late.file_id, late.block)
        if self.ask_for(step, request, client) is not None:
            self._late = None
            step.done(num_bytes=self.shown.num_bytes)

    def late_call_ends(self) -> None:
        """The late call is lost, or refused, or finds that there is nothing to do."""
        step = self.step(NAMENODE, "node", NAMENODE, "late_call_ends")
        if self._call_under_way() is None:
            raise step.not_possible("no call is under way")
        self._late = None

    def _call_under_way(self) -> LateCall | None:
        """The late call, if its inode is still there."""
        if self._late is not None and self._late.file_id not in self.namesystem.directory.inodes:
            self._late = None
        return self._late

    def _needs_no_late_call(self, step: Step) -> None:
        if self._call_under_way() is not None:
            raise step.not_possible("another call is under way")

    def _needs_late_call(self, step: Step, client: str, file: str) -> LateCall:
        late, inode = self._call_under_way(), self.inode_at(file)
        if (
            late is None
            or inode is None
            or (step.event, client, inode.file_id) != (late.event, late.client, late.file_id)
        ):
            raise step.not_possible("no such call is under way")
        return late

    def _needs_file(self, step: Step, client: str, file: str) -> None:
        """The call must get beyond the lease's check: by its inode, whatever its client has open by now."""
        late = self._needs_late_call(step, client, file)
        try:
            self.namesystem.check_lease(file, client, late.file_id)
        except HdfsIOException as refusal:
            raise step.not_possible(f"the call will be refused: {refusal}") from refusal
