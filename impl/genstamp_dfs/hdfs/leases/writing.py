"""The steps of writing a file: its blocks, their lengths, and the close.

A call is made where its client would make it: after its last packet, say. One that the namenode refuses whatever the
client has done, because the file is gone or another client's, is made at any time.

Source: Hadoop 3.4.1; each step names its method.
"""

from typing import Final

from genstamp_dfs.hdfs.leases.base import LeaseClusterBase, Replicas, Stream, StreamStage
from genstamp_dfs.hdfs.leases.recorder import Step
from genstamp_dfs.hdfs.messages.client_protocol import (
    AbandonBlock,
    AddBlock,
    Complete,
    Fsync,
    GetAdditionalDatanode,
)
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, LocatedBlock

NO_BLOCK: Final = Block(0, 0, 0)
OTHER_BLOCK: Final = Block(0, 0, 1)
"""What a client passes where it has to name a block, or one with data, and has none: no file has it."""


class WritingSteps(LeaseClusterBase):
    """addBlock, what is written, fsync, abandonBlock, getAdditionalDatanode, complete."""

    # -- blocks -------------------------------------------------------------------------------------------------

    def add_block(self, client: str, file: str) -> None:
        """addBlock() with the client's last block as the previous one (FSNamesystem#getAdditionalBlock)."""
        step = self.client_step("add_block", client, file)
        if self.owns(client, file):
            self.needs_no_block(step, client, file)
        located = self._ask_for_block(step, client, file)
        if located is None:
            return
        stream = self.known.streams[client, file]
        stream.stage, stream.block, stream.is_unanswered = StreamStage.STREAMING, located.block, False
        step.done(generation_stamp=located.block.generation_stamp, observed=self.observed("locations"))

    def add_block_unanswered(self, client: str, file: str) -> None:
        """addBlock() whose answer is lost."""
        step = self.client_step("add_block_unanswered", client, file)
        if not self.is_in_safe_mode():
            stream = self.needs_no_block(step, client, file)
            if not self.is_previous_last(stream.block, file):
                raise step.not_possible(f"{client} repeats a call")
            if not self.known.running:
                raise step.not_possible("no datanode is running")
        if self._ask_for_block(step, client, file) is not None:
            self.known.streams[client, file].is_unanswered = True
            step.done()

    def _ask_for_block(self, step: Step, client: str, file: str) -> LocatedBlock | None:
        """The answer to addBlock(); None if it is refused."""
        stream = self.known.streams.get((client, file))
        previous = None if stream is None else self.passed_block(stream)
        request = AddBlock(file, client, previous, file_id=self.file_id(client, file))
        answered = self.ask_for(step, request, client)
        if answered is None:
            return None
        self.block_is_added(answered[0].block, previous)
        return answered[0]

    def block_is_added(self, block: Block, previous: Block | None) -> None:
        """Datanodes will write the block; who has a replica of the one before it finalizes it."""
        self.known.replicas.setdefault(block.block_id, Replicas())
        stored = self.namesystem.block_manager.get_stored_block(block.block_id)
        inode = None if stored is None else self.namesystem.directory.file_of(stored)
        if inode is not None:
            self.known.counted.update(before.block_id for before in inode.blocks[:-2])
        if previous is not None and previous.block_id != block.block_id:
            self.known.unlogged.discard(previous.block_id)
            replicas = self.replicas_of(previous)
            replicas.is_finalized = replicas.num_bytes > 0

    def needs_no_block(self, step: Step, client: str, file: str) -> Stream:
        """The client's stream, which must be done with its last block; its call must get beyond the lease's check."""
        if not self.owns(client, file):
            raise step.not_possible(f"{client} does not own {file}")
        stream = self.known.streams.get((client, file))
        if stream is None or stream.stage is StreamStage.STREAMING:
            raise step.not_possible(f"{client} wants no block of {file}")
        return stream

    def is_previous_last(self, previous: Block | None, file: str) -> bool:
        """Whether a previous block is the file's last one, so that the call asks for a new one.

        Source: FSDirWriteFileOp#analyzeFileState, Hadoop 3.4.1.
        """
        last = self.last_block(file)
        if previous is None:
            return last is None or (last.is_complete and self.is_full(last))
        return last is not None and last.matches(previous)

    def is_full(self, block: BlockInfo) -> bool:
        """Whether nothing more can be written to a block."""
        return block.num_bytes >= self.options.block_size

    def abandon_block(self, client: str, file: str) -> None:
        """abandonBlock() of a block to which nothing was written (FSNamesystem#abandonBlock)."""
        step = self.client_step("abandon_block", client, file)
        stream = self.known.streams.get((client, file))
        if self.owns(client, file):
            self._needs_own_block(step, client, file)
        block = NO_BLOCK if stream is None or stream.block is None else stream.block
        request = AbandonBlock(block, file, client, self.file_id(client, file))
        if self.ask_for(step, request, client) is None:
            return
        assert stream is not None, f"{client} has abandoned a block of {file}, which it does not write"
        last = self.last_block(file)
        stream.stage = StreamStage.OPEN if last is None else StreamStage.CLOSING
        stream.block = None if last is None else last.as_block()
        step.done()

    def _needs_own_block(self, step: Step, client: str, file: str) -> None:
        """The client was just given the file's last block; one under recovery, which is not abandoned, has bytes."""
        stream, last = self.known.streams.get((client, file)), self.last_block(file)
        if stream is None or stream.block is None or stream.stage is not StreamStage.STREAMING:
            raise step.not_possible(f"{client} has no block of {file}")
        if last is None or last.generation_stamp != stream.block.generation_stamp:
            raise step.not_possible(f"the block of {client} is not the last one of {file}")
        is_refused = last.state is BlockUCState.UNDER_RECOVERY and self.is_repaired()
        if self.replicas_of(last).num_bytes and not is_refused:
            raise step.not_possible(f"something was written to the block of {client}")
        self.needs_block_before(step, file)

    def get_additional_datanode(self, client: str, file: str) -> None:
        """getAdditionalDatanode() beside those that are left of the pipeline (FSNamesystem#getAdditionalDatanode)."""
        step = self.client_step("get_additional_datanode", client, file)
        last = self.last_block(file)
        written = () if last is None or last.is_complete else last.expected_locations()
        left = tuple(datanode for datanode in written if datanode in self.known.running)
        if self.owns(client, file) and not left:
            raise step.not_possible(f"no datanode is left that writes {file}")
        stream = self.known.streams.get((client, file))
        block = NO_BLOCK if stream is None or stream.block is None else stream.block
        count = len(self.known.running) - len(left)
        request = GetAdditionalDatanode(file, block, left, (), count, client, self.file_id(client, file))
        if self.ask_for(step, request, client) is not None:
            step.done(observed=self.observed("locations"))

    # -- what is written ----------------------------------------------------------------------------------------

    def write(self, client: str, file: str) -> None:
        """One more byte is on all datanodes, and acknowledged; a recovery has not stopped its writer yet."""
        step = self.step(client, "block", file, "write", client=client, file=file)
        stream, last = self.known.streams.get((client, file)), self.last_block(file)
        if client not in self.known.alive or not self.known.running:
            raise step.not_possible(f"{client} or all datanodes are down")
        if stream is None or stream.block is None or stream.stage is not StreamStage.STREAMING:
            raise step.not_possible(f"{client} streams no block of {file}")
        if last is None or not last.matches(stream.block) or last.is_complete:
            raise step.not_possible(f"the block of {client} is not written any more")
        replicas = self.replicas_of(last)
        if replicas.is_finalized or replicas.num_bytes >= self.options.block_size:
            raise step.not_possible(f"the block of {client} is finalized, or full")
        replicas.num_bytes += 1
        step.done(num_bytes=replicas.num_bytes)

    def last_packet(self, client: str, file: str) -> None:
        """The client ends its block: everything is acknowledged (DataStreamer#run)."""
        step = self.step(client, "block", file, "last_packet", client=client, file=file)
        stream = self.known.streams.get((client, file))
        if stream is None or stream.stage is not StreamStage.STREAMING:
            raise step.not_possible(f"{client} streams no block of {file}")
        stream.stage = StreamStage.CLOSING
        step.done()

    def fsync(self, client: str, file: str) -> None:
        """fsync() with the first hflush of a block, which tells all that is written (FSNamesystem#fsync)."""
        step = self.client_step("fsync", client, file)
        stream = self.known.streams.get((client, file))
        passed = (None if stream is None else self.passed_block(stream)) or OTHER_BLOCK
        if self.owns(client, file):
            self._needs_bytes(step, client, file, passed)
        request = Fsync(file, client, passed.num_bytes, self.file_id(client, file), passed)
        if self.ask_for(step, request, client) is not None:
            step.done(num_bytes=self.shown.num_bytes)

    def _needs_bytes(self, step: Step, client: str, file: str, passed: Block) -> None:
        """The client has written to its block; or its call is refused, whatever it has."""
        stream, last = self.known.streams.get((client, file)), self.last_block(file)
        if self.is_repaired() and self._refuses_length(last, passed):
            return
        if last is None or stream is None or stream.stage is not StreamStage.STREAMING or not passed.num_bytes:
            raise step.not_possible(f"{client} has written nothing to {file}, or has ended its block")
        if not self.is_repaired() and not last.matches(passed):
            # Hadoop takes the length for that of the last block.
            raise step.not_possible(f"the block of {client} is not the last one of {file} any more")

    def _refuses_length(self, last: BlockInfo | None, passed: Block) -> bool:
        """Whether an fsync comes too late for the last block, or is of another one (facts E.10)."""
        if last is None:
            return passed.num_bytes > 0
        if last.state is BlockUCState.UNDER_RECOVERY:
            return True
        is_open = last.state is BlockUCState.UNDER_CONSTRUCTION and last.matches(passed)
        return passed.num_bytes > 0 and not is_open

    # -- the close ----------------------------------------------------------------------------------------------

    def complete(self, client: str, file: str) -> None:
        """complete() (FSDirWriteFileOp#completeFileInternal)."""
        step = self.client_step("complete", client, file)
        stream = self.known.streams.get((client, file))
        if not self.is_in_safe_mode():
            self._needs_end(step, stream, client, file)
        closed = self._ask_to_complete(step, stream, client, file)
        if closed is None:
            return
        last = self.last_block(file)
        if closed:
            self.known.streams.pop((client, file), None)
        elif last is not None and last.state is BlockUCState.COMMITTED:
            self.known.unlogged.add(last.block_id)
        step.done(observed={"closed": str(closed).lower(), **self.observed("block_state")})

    def complete_unanswered(self, client: str, file: str) -> None:
        """complete() that closes the file, and whose answer is lost."""
        step = self.client_step("complete_unanswered", client, file)
        stream = self.known.streams.get((client, file))
        if not self.is_in_safe_mode():
            self._needs_end(step, stream, client, file)
            inode = self.inode_at(file)
            if not self.owns(client, file) or inode is None or not all(block.is_complete for block in inode.blocks):
                raise step.not_possible(f"{client} would not close {file}")
        if self._ask_to_complete(step, stream, client, file) is not None:
            assert stream is not None, f"{client} has closed {file}, which it does not write"
            stream.is_unanswered = True
            step.done()

    def _needs_end(self, step: Step, stream: Stream | None, client: str, file: str) -> None:
        """The client's last packet is acknowledged, or it has no block; where its call is refused, whatever."""
        last = self.last_block(file)
        if not self.owns(client, file):
            is_streaming = stream is not None and stream.stage is StreamStage.STREAMING
            if is_streaming and last is not None and last.matches(stream.block if stream else None):
                raise step.not_possible(f"{client} has not ended its block")
            return
        is_open = stream is not None and stream.stage is StreamStage.OPEN
        if self._is_refused_for_recovery(file) and not is_open:
            return
        if stream is None or stream.stage is StreamStage.STREAMING or stream.is_unanswered:
            raise step.not_possible(f"{client} is not done with its last block of {file}")
        if is_open and self.is_incomplete(last):
            raise step.not_possible(f"{client} does not know the last block of {file}")

    def _is_refused_for_recovery(self, file: str) -> bool:
        """Whether the last block is under recovery, and looked at (FSDirWriteFileOp#completeFileInternal)."""
        inode = self.inode_at(file)
        last = None if inode is None else inode.last_block()
        is_recovering = last is not None and last.state is BlockUCState.UNDER_RECOVERY
        return is_recovering and inode is not None and inode.is_penultimate_complete

    def _ask_to_complete(self, step: Step, stream: Stream | None, client: str, file: str) -> bool | None:
        """The answer to complete(), None if it is refused; who has no stream names a block that is not the file's."""
        last = NO_BLOCK if stream is None else self.passed_block(stream)
        answered = self.ask_for(step, Complete(file, client, last, self.file_id(client, file)), client)
        return None if answered is None else answered[0]

    def client_crash(self, client: str) -> None:
        """The client's process dies, with its streams."""
        step = self.step(client, "node", client, "client_crash", client=client)
        if client not in self.known.alive:
            raise step.not_possible(f"{client} is down")
        self.known.alive.discard(client)
        for key in [key for key in self.known.streams if key[0] == client]:
            del self.known.streams[key]
        step.done()
