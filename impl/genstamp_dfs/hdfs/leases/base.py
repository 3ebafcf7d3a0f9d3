"""A namenode with its disk, what clients and datanodes know, and how one call is made at a time.

The namenode is the whole core: every call is a request that it handles, with its edits on disk before the answer
counts. Clients and datanodes are reduced to what decides about their calls: the stream that a client has, the length of
a block's replicas, which are alike, and the recovery that a datanode leads.

Not here: any step.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final, TypeVar

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.leases.recorder import Recorder, Step
from genstamp_dfs.hdfs.messages.datanode_protocol import RecoverBlocks, RegisterDatanode, SendHeartbeat
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.hdfs.namenode.fs_namesystem import EventDetails, FSNamesystem
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.protocol import (
    INTERNAL_LEASE_HOLDER,
    NAMENODE,
    NO_FILE_ID,
    Block,
    BlockUCState,
    Limits,
    RecoveringBlock,
    Semantics,
)
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life
from genstamp_dfs.stepwise.names import check_nodes
from genstamp_dfs.world.request import Caller, Request

Answer = TypeVar("Answer")

_NEVER_MS: Final = 2**50
"""A time that does not come: what happens then is a step of its own, or does not happen here."""


class StreamStage(Enum):
    """How far a client is with a file (DFSOutputStream, DataStreamer)."""

    OPEN = auto()
    STREAMING = auto()
    CLOSING = auto()


@dataclass
class Stream:
    """An output stream of a client.

    Attributes:
        file_id: the inode that it writes.
        stage: without a block, with one that is written, or with one whose last packet is acknowledged.
        block: its last block; None if it was given none.
        is_unanswered: its last call has succeeded, and it does not know.
    """

    file_id: int
    stage: StreamStage = StreamStage.OPEN
    block: Block | None = None
    is_unanswered: bool = False


@dataclass
class Replicas:
    """The replicas of a block, which are alike on all datanodes: their length, and whether they are finalized."""

    num_bytes: int = 0
    is_finalized: bool = False


@dataclass
class _Told:
    """The namenode's own events are not the steps' events; they are not kept."""

    def record(self, **event: object) -> None:
        """Take an event."""


@dataclass(frozen=True)
class LeaseOptions:
    """What a run of this cluster is set up with.

    Attributes:
        block_size: of every file, in bytes.
        soft_limit_ms, hard_limit_ms, recovery_gate_ms: as in `Limits`.
    """

    block_size: int = 128 * 1024 * 1024
    soft_limit_ms: int = Limits().soft_limit_ms
    hard_limit_ms: int = Limits().hard_limit_ms
    recovery_gate_ms: int = Limits().recovery_gate_ms


@dataclass
class _Known:
    """What nodes other than the namenode know.

    Attributes:
        alive: clients that are up.
        running: datanodes that are up.
        streams: by client and path.
        replicas: by block id.
        led: the recoveries that datanodes lead, by datanode and path of the file.
        stored_there: of a datanode that is down, ids of the blocks of which its replica was known.
        unlogged: ids of blocks whose last commit is not in the edits, as complete() logs a close only.
        counted: ids of blocks that once had two blocks after them in their file.
    """

    alive: set[str]
    running: set[str]
    streams: dict[tuple[str, str], Stream] = field(default_factory=dict)
    replicas: dict[int, Replicas] = field(default_factory=dict)
    led: dict[tuple[str, str], RecoveringBlock] = field(default_factory=dict)
    unlogged: set[int] = field(default_factory=set)
    counted: set[int] = field(default_factory=set)
    stored_there: dict[str, frozenset[int]] = field(default_factory=dict)


class LeaseClusterBase(Recorder):
    """A namenode, and what its clients and datanodes know.

    Attributes:
        shown: what the last call has shown beside its answer.

    The class of the namenode's core is an attribute, so that a subclass can put a broken one in.
    """

    namenode_class: type[NameNode] = NameNode

    def __init__(
        self,
        *,
        clients: Sequence[str],
        datanodes: Sequence[str],
        semantics: Semantics,
        options: LeaseOptions,
        seed: int,
    ) -> None:
        super().__init__(f"BP-{seed}")
        check_nodes(clients, datanodes)
        self.clients, self.datanodes = tuple(clients), tuple(datanodes)
        self.semantics = semantics
        self.options = options
        self.shown = EventDetails()
        self.known = _Known(set(clients), set(datanodes))
        self._disk = DiskOfLife(SimulatedDisk(), Life(NAMENODE), random.Random(seed))
        self._chance = random.Random(f"placement {seed}")
        self.namenode = self._new_namenode()
        self.namesystem.block_manager.safe_mode.leave()
        for datanode in datanodes:
            self.register(datanode)

    def _new_namenode(self) -> NameNode:
        """A namenode over what is on disk."""
        options = self.options
        configuration = NameNodeConfiguration(
            self.semantics,
            limits=Limits(options.soft_limit_ms, options.hard_limit_ms, _NEVER_MS, options.recovery_gate_ms),
            minimal_block_size=1,
            safe_mode_threshold=1.0,
            safe_mode_extension_ms=_NEVER_MS,
            safe_mode_min_datanodes=1,
            checkpoint_transactions=_NEVER_MS,
            checkpoint_period_ms=_NEVER_MS,
        )
        return self.namenode_class(configuration, self._disk, self.clock, self._chance, _Told())

    @property
    def namesystem(self) -> FSNamesystem:
        """The state of the namenode that runs."""
        return self.namenode.namesystem

    # -- calls --------------------------------------------------------------------------------------------------

    def ask(self, request: Request[Answer], machine: str) -> Answer:
        """A call at the namenode, whose edits are on disk when it returns; commands go out with heartbeats.

        Raises:
            HdfsIOException: it is refused.
        """
        try:
            return self.namenode.handle(request, Caller(machine))
        finally:
            self.shown = self.namesystem.event
            self.namenode.log_sync()
            self.hand_out_commands()

    def client_step(self, event: str, client: str, file: str) -> Step:
        """A call of a client on a file, which must be up."""
        step = self.step(NAMENODE, "file", file, event, client=client, file=file)
        if client not in self.known.alive:
            raise step.not_possible(f"{client} is down")
        return step

    def ask_for(self, step: Step, request: Request[Answer], client: str) -> tuple[Answer] | None:
        """The answer to a client's call, in a tuple; None if it was refused, which is recorded."""
        try:
            return (self.ask(request, client),)
        except HdfsIOException as refusal:
            self.telling_primary(step).refused(refusal, recovery_id=self.shown.recovery_id)
            return None

    def telling_primary(self, step: Step) -> Step:
        """The step with the datanode that leads the recovery which it has begun, if it has."""
        if self.shown.recovery_id is None:
            return step
        assert self.shown.block_id is not None, "a recovery is one of a block"
        block = self.namesystem.block_manager.get_stored_block(self.shown.block_id)
        return step.telling(primary="none" if block is None or block.primary is None else block.primary)

    def observed(self, *names: str) -> Mapping[str, str]:
        """What the last call has shown under these names."""
        return {name: self.shown.observed[name] for name in names if name in self.shown.observed}

    # -- datanodes ----------------------------------------------------------------------------------------------

    def register(self, datanode: str) -> None:
        """A datanode tells the namenode that it is there."""
        self.ask(RegisterDatanode(datanode, self.namenode.namespace.block_pool_id), datanode)

    def heartbeat(self, datanode: str) -> None:
        """A datanode's heartbeat arrives; it takes up the recoveries that it is told to lead, and nothing else."""
        for command in self.namenode.handle(SendHeartbeat(datanode), Caller(datanode)):
            if isinstance(command, RecoverBlocks):
                for recovering in command.blocks:
                    self._lead(datanode, recovering)

    def hand_out_commands(self) -> None:
        """Whoever shall lead a recovery is told by the next heartbeat, which comes at once."""
        descriptors = self.namesystem.datanode_manager.datanodes
        for datanode in sorted(self.known.running):
            if datanode in descriptors and descriptors[datanode].recover_blocks:
                self.heartbeat(datanode)

    def _lead(self, datanode: str, recovering: RecoveringBlock) -> None:
        block = self.namesystem.block_manager.get_stored_block(recovering.block.block_id)
        inode = None if block is None else self.namesystem.directory.file_of(block)
        if inode is not None:
            self.known.led[datanode, inode.path] = recovering

    # -- look-ups -----------------------------------------------------------------------------------------------

    def inode_at(self, file: str) -> INodeFile | None:
        """The file at a path, if there is one."""
        return self.namesystem.directory.get_file(file)

    def last_block(self, file: str) -> BlockInfo | None:
        """The last block of the file at a path, as the namenode knows it."""
        inode = self.inode_at(file)
        return None if inode is None else inode.last_block()

    def needs_block_before(self, step: Step, file: str) -> None:
        """The block that will be the last one once the last one is dropped is not of those that are only counted."""
        inode = self.inode_at(file)
        if inode is not None and any(before.block_id in self.known.counted for before in inode.blocks[-2:-1]):
            raise step.not_possible(f"of the block before the last one of {file} nothing is told any more")

    def replicas_of(self, block: BlockInfo | Block) -> Replicas:
        """What the datanodes have of a block."""
        return self.known.replicas[block.block_id]

    def file_id(self, client: str, file: str) -> int:
        """The inode that a client means by a path."""
        stream = self.known.streams.get((client, file))
        return NO_FILE_ID if stream is None else stream.file_id

    def passed_block(self, stream: Stream) -> Block | None:
        """The last block as its client passes it: with all that is acknowledged."""
        if stream.block is None:
            return None
        return Block(stream.block.block_id, stream.block.generation_stamp, self.replicas_of(stream.block).num_bytes)

    def is_in_safe_mode(self) -> bool:
        """Whether the namenode is."""
        return self.namesystem.block_manager.safe_mode.is_on

    def owns(self, client: str, file: str) -> bool:
        """Whether a client's call on a file gets beyond the checks for safe mode and lease."""
        if self.is_in_safe_mode():
            return False
        try:
            self.namesystem.check_lease(file, client, self.file_id(client, file))
        except HdfsIOException:
            return False
        return True

    def is_repaired(self) -> bool:
        """Whether the namenode closes the holes of Hadoop."""
        return self.semantics is Semantics.REPAIRED

    def holder_in_events(self, holder: str) -> str:
        """A lease holder as events name it: a client, or the namenode, whatever name it holds the lease under."""
        return NAMENODE if holder.startswith(INTERNAL_LEASE_HOLDER) else holder

    def is_incomplete(self, block: BlockInfo | None) -> bool:
        """Whether there is a block that is not COMPLETE."""
        return block is not None and block.state is not BlockUCState.COMPLETE

    def streams_at(self, file: str) -> list[Stream]:
        """The streams of all clients at a path."""
        return [stream for (_, path), stream in self.known.streams.items() if path == file]

    def exchange(self, known: dict[tuple[str, str], Any], first: str, second: str) -> None:
        """What is known of two paths changes places."""
        there = {first: second, second: first}
        moved = {(node, there.get(path, path)): value for (node, path), value in known.items()}
        known.clear()
        known.update(moved)
