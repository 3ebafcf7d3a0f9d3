"""What has to hold of the nodes at every moment of a run, whatever the clients were promised.

Looked at after each call and each tick of the namenode, when its edits are on disk, and at some steps of datanodes:

- one state: open files and leases, blocks of open and closed files, locations (S7, S15 to S17);
- two states after each other: stamps and ids rise, over restarts too (S8, S9); what a recovery has taken changes by
  its end alone, and what was committed stays (S11 to S13); a client changes only files of its own (S10); in safe mode
  nothing is logged (S18);
- edits: made again on a second namespace they give the same files (S19; `shadow`);
- datanodes: what is acknowledged is on all nodes of the pipeline (S2), and a recovery stops the writer (S23).

The ids are those of section J of the protocol facts. A run ends at the first of them that does not hold.

Not here: bytes, which are the ledger's, and everything that a specification says better.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from genstamp_dfs.events import Event, EventLog
from genstamp_dfs.hdfs.messages.client_protocol import (
    AbandonBlock,
    AddBlock,
    Append,
    Complete,
    Create,
    Fsync,
    RecoverLease,
    Truncate,
    UpdatePipeline,
)
from genstamp_dfs.hdfs.messages.datanode_protocol import CommitBlockSynchronization
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.protocol import BlockUCState, ReplicaState
from genstamp_dfs.simulation.shadow import Shadow
from genstamp_dfs.world.request import Request

if TYPE_CHECKING:
    from genstamp_dfs.hdfs.namenode.namenode import NameNode
    from genstamp_dfs.simulation.cluster import SimulatedCluster

AnyRequest = Request[Any] | None
"""What the namenode did: a call, or (None) what was due."""


class BrokenInvariantError(Exception):
    """Something does not hold; the sentence begins with the id of the property."""


# -- one state --------------------------------------------------------------------------------------------------------


def broken_now(namesystem: FSNamesystem) -> Iterator[str]:
    """A sentence for each property that a state of the namenode breaks."""
    for inode in namesystem.directory.all_files():
        yield from _broken_by_lease(namesystem, inode)
        yield from _broken_by_blocks(inode)
    for holder, lease in namesystem.lease_manager.leases.items():
        for file_id in sorted(lease.files):
            if namesystem.lease_manager.leases_by_id.get(file_id) is not lease:
                yield f"S17: inode {file_id} is in the lease of {holder}, and the index by file names another"


def _broken_by_lease(namesystem: FSNamesystem, inode: INodeFile) -> Iterator[str]:
    """A file is open if and only if one lease has it, its owner's."""
    holders = [name for name, lease in namesystem.lease_manager.leases.items() if inode.file_id in lease.files]
    expected = [inode.client_name] if inode.client_name is not None else []
    if holders != expected:
        yield f"S17: {inode.path} (inode {inode.file_id}) belongs to {inode.client_name}, leases have it of {holders}"


def _broken_by_blocks(inode: INodeFile) -> Iterator[str]:
    """Of an open file the last two blocks may be incomplete, of a closed one none; what counts has its stamp."""
    blocks = inode.blocks
    incomplete = [number for number, block in enumerate(blocks) if not block.is_complete]
    if incomplete and not inode.is_under_construction:
        yield f"S16: {inode.path} is closed, and its block {incomplete[0]} is {blocks[incomplete[0]].state}"
    if incomplete and incomplete[0] < len(blocks) - 2:
        yield f"S15: block {incomplete[0]} of {len(blocks)} of {inode.path} is {blocks[incomplete[0]].state}"
    if incomplete and incomplete[0] == len(blocks) - 2:
        penultimate, last = blocks[-2:]
        if penultimate.state is not BlockUCState.COMMITTED:
            yield f"S15: the block of {inode.path} before the last is {penultimate.state}"
        if last.state in (BlockUCState.COMMITTED, BlockUCState.COMPLETE):
            yield f"S15: the last block of {inode.path} is {last.state}, the one before it {penultimate.state}"
    for block in blocks:
        for datanode, stamp in block.stored.items():
            if block.is_complete and stamp != block.generation_stamp:
                yield f"S7: {block.as_block()} is COMPLETE, its replica of stamp {stamp} on {datanode} counts"


# -- two states -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SeenBlock:
    """A block as it was at the last look."""

    owner: str | None
    state: BlockUCState
    generation_stamp: int
    num_bytes: int
    recovery_id: int

    @classmethod
    def of(cls, inode: INodeFile, block: BlockInfo) -> "SeenBlock":
        """The block of the file as it is now."""
        return cls(inode.client_name, block.state, block.generation_stamp, block.num_bytes, block.block_recovery_id)


_COMMITS = (AddBlock, Complete, CommitBlockSynchronization)
_REOPENS = (Append, Truncate)
_RECOVERS = (RecoverLease, Create, Append, Truncate)
_CONTENT_IS_FIXED = (BlockUCState.COMMITTED, BlockUCState.COMPLETE)


def _caller(request: AnyRequest) -> str | None:
    """Who writes, if the call is one that only a writer makes."""
    match request:
        case AbandonBlock(holder=name):
            return name
        case AddBlock(client_name=name) | Complete(client_name=name) | Fsync(client_name=name):
            return name
        case UpdatePipeline(client_name=name):
            return name
        case _:
            return None


def broken_by_change(block_id: int, before: SeenBlock, after: SeenBlock, request: AnyRequest) -> Iterator[str]:
    """A sentence for each property that a change of a block breaks; with `request` None nobody has called."""
    what = f"blk_{block_id} by {'the monitors' if request is None else type(request).__name__}"
    caller = _caller(request)
    if caller is not None and before.owner != caller:
        yield f"S10: {caller} changes {what}, a file of {before.owner}: {before} became {after}"
    if before.state is BlockUCState.UNDER_RECOVERY:
        yield from _broken_in_recovery(what, before, after, request)
        return
    content = (before.generation_stamp, before.num_bytes), (after.generation_stamp, after.num_bytes)
    if before.state in _CONTENT_IS_FIXED and content[0] != content[1] and not isinstance(request, _REOPENS):
        yield f"S13: {what} had stamp and length {content[0]} when it was {before.state}, it has {content[1]}"
    is_committed_now = after.state in _CONTENT_IS_FIXED and before.state is BlockUCState.UNDER_CONSTRUCTION
    if is_committed_now and not isinstance(request, _COMMITS):
        yield f"S13: {what} became {after.state}, and nobody has committed it"


def _broken_in_recovery(what: str, before: SeenBlock, after: SeenBlock, request: AnyRequest) -> Iterator[str]:
    """While a block is under recovery, only the end of the latest recovery changes it."""
    if isinstance(request, CommitBlockSynchronization):
        if request.new_generation_stamp != before.recovery_id:
            yield f"S12: {what}: recovery {request.new_generation_stamp} ended {before.recovery_id}"
        return
    is_same = (after.generation_stamp, after.num_bytes) == (before.generation_stamp, before.num_bytes)
    if after.state is not BlockUCState.UNDER_RECOVERY or not is_same:
        yield f"S11: {what} was under recovery {before.recovery_id}: {before} became {after}"
    if after.recovery_id != before.recovery_id and request is not None and not isinstance(request, _RECOVERS):
        yield f"S12: {what} is under recovery {after.recovery_id}, it was under {before.recovery_id}"


# -- a run ------------------------------------------------------------------------------------------------------------


class Invariants:
    """Looks at the nodes of one run.

    Args:
        cluster: the nodes.
        every: one look at the state and the edits in so many steps of the namenode; changes are looked at in each.
    """

    def __init__(self, cluster: "SimulatedCluster", every: int = 1) -> None:
        self._cluster = cluster
        self._every = every
        self._steps = 0
        self._namenode: NameNode | None = None
        self._shadow: Shadow | None = None
        self._blocks: dict[int, SeenBlock] = {}
        self._stamps: dict[int, int] = {}
        self._pipelines: dict[int, tuple[int | None, tuple[str, ...]]] = {}
        self._last_stamp = 0
        self._last_block_id = 0
        self._in_safe_mode = False
        self._last_transaction = 0

    def namenode_started(self, namenode: "NameNode") -> None:
        """A new life of the namenode: what was only in memory is forgotten."""
        self._namenode = namenode
        self._blocks = {}
        self._in_safe_mode = False
        self._shadow = Shadow.over(namenode, self._cluster.machines)
        self._look_at_ids(namenode.namesystem)

    def namenode_stepped(self, request: AnyRequest) -> None:
        """The namenode has done something, and all of it is on disk.

        Raises:
            BrokenInvariantError: something does not hold.
        """
        namenode = self._namenode
        self._steps += 1
        if namenode is None:
            return
        self._look_at_safe_mode(namenode)
        is_looked_at = self._steps % self._every == 0
        if is_looked_at:
            namesystem = namenode.namesystem
            self._look_at_ids(namesystem)
            _raise_first(broken_now(namesystem))
        self._look_at_changes(namenode.namesystem, request)
        if self._shadow is not None and is_looked_at:
            _raise_first(self._shadow.differences())

    def _look_at_ids(self, namesystem: FSNamesystem) -> None:
        """Counters and stamps never fall, over restarts too."""
        ids = namesystem.block_manager.block_ids
        if ids.generation_stamp < self._last_stamp:
            raise BrokenInvariantError(f"S9: the last stamp is {ids.generation_stamp}, it was {self._last_stamp}")
        if ids.block_id < self._last_block_id:
            raise BrokenInvariantError(f"S9: the last block id is {ids.block_id}, it was {self._last_block_id}")
        self._last_stamp, self._last_block_id = ids.generation_stamp, ids.block_id
        for block in namesystem.block_manager.blocks.values():
            before = self._stamps.get(block.block_id, 0)
            if block.generation_stamp < before:
                raise BrokenInvariantError(f"S8: {block.as_block()} had stamp {before} before")
            self._stamps[block.block_id] = block.generation_stamp

    def _look_at_safe_mode(self, namenode: "NameNode") -> None:
        """From one step in safe mode to the next, nothing is logged."""
        last, is_on = namenode.edit_log.last_transaction, namenode.namesystem.block_manager.safe_mode.is_on
        if self._in_safe_mode and is_on and last != self._last_transaction:
            raise BrokenInvariantError(f"S18: in safe mode, edits {self._last_transaction + 1} to {last} were logged")
        self._in_safe_mode, self._last_transaction = is_on, last

    def _look_at_changes(self, namesystem: FSNamesystem, request: AnyRequest) -> None:
        """How the blocks of all files have changed by this step."""
        files = namesystem.directory.all_files()
        now = {block.block_id: SeenBlock.of(inode, block) for inode in files for block in inode.blocks}
        for block_id, after in now.items():
            before = self._blocks.get(block_id)
            if before is not None and before != after:
                _raise_first(broken_by_change(block_id, before, after, request))
        self._blocks = now

    # -- datanodes ----------------------------------------------------------------------------------------------

    def recorded(self, event: Event) -> None:
        """A step of some node was recorded.

        Raises:
            BrokenInvariantError: something does not hold.
        """
        if event.refused_with is not None:
            return
        match event.event:
            case "set_up_create" | "start_streaming" if event.node not in self._cluster.datanodes:
                nodes = tuple(event.observed["locations"].split(","))
                self._pipelines[int(event.entity)] = (event.generation_stamp, nodes)
            case "receive_ack" if event.kind == "replica" and event.num_bytes is not None:
                self._look_at_pipeline(event.node, int(event.entity.partition("@")[0]), event.num_bytes)
            case "receive_packet":
                self._look_at_writer(event.node, int(event.entity.partition("@")[0]))

    def _look_at_pipeline(self, node: str, block_id: int, acked: int) -> None:
        """What one node shows to readers, all nodes of its pipeline have received (S2)."""
        stamp, nodes = self._pipelines.get(block_id, (None, ()))
        for other in nodes if node in nodes else ():
            datanode = self._cluster.datanodes.get(other)
            replica = None if datanode is None else datanode.dataset.get_replica(block_id)
            is_of_pipeline = replica is not None and replica.generation_stamp == stamp
            if replica is None or not is_of_pipeline or replica.state is not ReplicaState.RBW:
                continue
            if replica.num_bytes < acked:
                raise BrokenInvariantError(
                    f"S2: {node} shows {acked} bytes of {replica.name}, {other} has received {replica.num_bytes}"
                )

    def _look_at_writer(self, node: str, block_id: int) -> None:
        """Nobody writes a replica that a recovery has taken (S23)."""
        replica = self._cluster.datanodes[node].dataset.get_replica(block_id)
        if replica is not None and replica.state is ReplicaState.RUR:
            raise BrokenInvariantError(f"S23: {node} took a packet for {replica.name}, which is under recovery")


def _raise_first(sentences: Iterator[str]) -> None:
    for sentence in sentences:
        raise BrokenInvariantError(sentence)


class WatchedLog(EventLog):
    """Takes events, and tells somebody of each."""

    def __init__(self, namespace: str, tell: Callable[[Event], None]) -> None:
        super().__init__(namespace)
        self._tell = tell

    def record(self, **event: Any) -> Event:
        """As its parent."""
        recorded = super().record(**event)
        self._tell(recorded)
        return recorded
