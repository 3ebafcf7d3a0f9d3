"""A cluster of the real cores for leases and recoveries, and what all steps look up in it.

Several clients, several files; a file has one block at most, and a packet is one chunk. Calls, packets and reports wait
until a step lets them go; a report that is overtaken is lost. In which order a pipeline is a chain, a primary asks the
locations, and datanodes were heard of is an order of `Orders`.

Not here: the steps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from msgspec import structs

from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.client import DFSClient
from genstamp_dfs.hdfs.client.configuration import PACKET_HEADER_BYTES
from genstamp_dfs.hdfs.client.output_stream import DFSOutputStream
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.messages.client_protocol import AddBlock, Complete
from genstamp_dfs.hdfs.messages.data_transfer import CHECKSUM_BYTES, CHUNK_BYTES, WriteBlock
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    BlockReceivedAndDeleted,
    BlockReport,
    CommitBlockSynchronization,
    ReceivedDeletedBlock,
    ReceivedStatus,
    RecoverBlocks,
    SendHeartbeat,
)
from genstamp_dfs.hdfs.messages.inter_datanode import InitReplicaRecovery, UpdateReplicaUnderRecovery
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.protocol import Limits, LocatedBlock, RecoveringBlock, ReplicaState, Semantics
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Task
from genstamp_dfs.simulation.machines import Machine
from genstamp_dfs.simulation.runtime import Clock, SimulatedRuntime
from genstamp_dfs.simulation.scenario import Work, small_options
from genstamp_dfs.stepwise.held_cluster import HeldCluster
from genstamp_dfs.stepwise.network import HeldConnection, HeldNetwork
from genstamp_dfs.stepwise.recovery.words import words_of
from genstamp_dfs.stepwise.steps import Steps
from genstamp_dfs.world.request import Caller, Request

UNKNOWN_TO_THE_MODEL: Final = frozenset({Repair.SOFT_LIMIT_TAKES_THE_FILE, Repair.APPEND_TO_A_FULL_BLOCK_PASSES_NONE})
"""Repairs that hdfs.recovery does not have."""


class ManyPipelines(HeldNetwork):
    """A network with a pipeline for each block."""

    def key(self, node: str, operation: WriteBlock) -> str:
        """The replica that is written through the connection."""
        return replica_key(operation.block.block_id, node)


class RecoveryHeldCluster(HeldCluster):
    """All nodes; an order leaves the namenode only if it is the one that is wanted.

    Attributes:
        wanted: the block whose orders leave with the next heartbeat's answer; None for no orders.
        left_out: the expected locations that the last order did not name.
        reported: the full reports that arrived in this step.
    """

    network_class = ManyPipelines

    def __init__(self, *arguments: Any) -> None:
        self.wanted: int | None = None
        self.left_out: set[str] = set()
        self.reported: list[BlockReport] = []
        super().__init__(*arguments)

    def begin_life(self, node: str) -> tuple[Machine, DiskOfLife, SimulatedRuntime]:
        """As its parent; all clocks show the time of the loop."""
        self.machines.setdefault(node, Machine(SimulatedDisk(), Clock()))
        return super().begin_life(node)

    def _handle(self, namenode: NameNode, request: Request[Any], caller: Caller) -> Any:
        if isinstance(request, SendHeartbeat):
            return self._heartbeat(namenode, request, caller)
        if isinstance(request, BlockReceivedAndDeleted):
            blocks = tuple(line for line in request.blocks if self._still_is_so(request.datanode, line))
            request = structs.replace(request, blocks=blocks)
        answer = super()._handle(namenode, request, caller)
        if isinstance(request, BlockReport):
            self.reported.append(request)
        if isinstance(request, AddBlock):
            assert isinstance(answer, LocatedBlock)
            chain = self.orders.of(pipeline_of(answer.block.block_id), sorted(answer.locations))
            return structs.replace(answer, locations=chain)
        return answer

    def _still_is_so(self, datanode: str, line: ReceivedDeletedBlock) -> bool:
        """Whether a report tells of a replica as it is now; the model knows of no report that is overtaken."""
        if line.status is not ReceivedStatus.RECEIVED:
            return True
        replica = self.datanodes[datanode].dataset.replicas.get(line.block.block_id)
        return replica is not None and replica.state is ReplicaState.FINALIZED and replica.block() == line.block

    def _heartbeat(self, namenode: NameNode, request: SendHeartbeat, caller: Caller) -> Any:
        """Answer a heartbeat with the orders that are wanted; the others wait for another one."""
        known = namenode.namesystem.datanode_manager.datanodes[request.datanode]
        queued, deletions, known.replicate_blocks = known.recover_blocks, known.invalidate_blocks, []
        known.recover_blocks = [block for block in queued if block.block_id == self.wanted]
        known.invalidate_blocks = {number: block for number, block in deletions.items() if number == self.wanted}
        try:
            answer = super()._handle(namenode, request, caller)
        finally:
            known.recover_blocks += [block for block in queued if block.block_id != self.wanted]
            known.invalidate_blocks |= {number: block for number, block in deletions.items() if number != self.wanted}
        return tuple(
            RecoverBlocks(tuple(self._ordered(namenode, request.datanode, block) for block in command.blocks))
            if isinstance(command, RecoverBlocks)
            else command
            for command in answer
        )

    def _ordered(self, namenode: NameNode, primary: str, command: RecoveringBlock) -> RecoveringBlock:
        """The command with its locations in an order of their own, as Hadoop's depends on what was reported when."""
        block = namenode.namesystem.block_manager.get_stored_block(command.block.block_id)
        expected = () if block is None else block.expected_locations()
        self.left_out = set(expected) - set(command.locations)
        asked = self.orders.of(locations_of(primary, command.recovery_id), sorted(command.locations))
        return structs.replace(command, locations=asked)


@dataclass
class Stream:
    """What a client writes a file with.

    Attributes:
        stream: the real one.
        chain: the datanodes of its pipeline, in order.
        set_up: the operations with which its nodes were set up.
        closing: the application's close, once it is called.
    """

    stream: DFSOutputStream
    chain: tuple[str, ...] = ()
    set_up: dict[str, WriteBlock] = field(default_factory=dict)
    closing: Work[None] | None = None

    @property
    def name(self) -> str:
        """Of the process that sends."""
        return f"{self.stream.client.name} DataStreamer {self.stream.path}"

    @property
    def asks_no_more(self) -> bool:
        """Whether all nodes but one are set up, so that there is one order of the pipeline left."""
        return len(self.set_up) + 1 >= len(self.chain)

    @property
    def is_closed(self) -> bool:
        """Whether the namenode has closed the file for it."""
        return self.closing is not None and self.closing.is_done and self.closing.failure is None

    @property
    def is_alive(self) -> bool:
        """Whether it may still write or complete the file."""
        return self.stream.streamer.failure is None and not (self.closing is not None and self.closing.is_done)


class RecoveryCluster(Steps):
    """Clients, datanodes and a namenode, and what they are at.

    Args:
        clients, datanodes: their names.
        semantics: of all nodes.
        limits: times of the protocol.
        seed: names the block pool.
        chosen: the orders of this run, where they are not the first.

    Attributes:
        streams: by client and path, what was opened last.
        took_over: by client, the paths that it had recovered without having opened them.
        attempts: by primary and block id, the process of the recovery that it began last, and its id.
        failed: calls between datanodes that failed and of which the primary does not know yet; no event of theirs
            counts twice.
        unforced: by datanode that has died, the blocks whose replicas were being written then.
        reports_of_step: replicas whose reports are a part of the step under way, and no step of their own.
    """

    cluster: RecoveryHeldCluster

    def __init__(
        self,
        clients: Sequence[str],
        datanodes: Sequence[str],
        semantics: Semantics,
        limits: Limits,
        seed: int,
        chosen: Mapping[str, int],
    ) -> None:
        repairs = frozenset(Repair) - UNKNOWN_TO_THE_MODEL if semantics is Semantics.REPAIRED else frozenset()
        options = small_options(
            semantics,
            limits,
            namenode={"repairs": repairs},
            client={"packet_size": PACKET_HEADER_BYTES + CHUNK_BYTES + CHECKSUM_BYTES},
        )
        super().__init__(RecoveryHeldCluster(seed, replace(options, call_attempts=1)))
        self.cluster.orders.chosen = dict(chosen)
        self.loop.passes_time = False
        self.datanodes = tuple(datanodes)
        self.limits = limits
        self.streams: dict[tuple[str, str], Stream] = {}
        self.took_over: dict[str, set[str]] = {client: set() for client in clients}
        self.attempts: dict[tuple[str, int], tuple[Task, int]] = {}
        self.failed: set[tuple[str, str, int, str]] = set()
        self.unforced: dict[str, set[int]] = {}
        self.reports_of_step: set[str] = set()
        self._heartbeats = 0
        self.file_of_block: dict[int, str] = {}
        self.start(self.datanodes)
        for name in clients:
            self.cluster.start_client(name)
        self.network.held = frozenset(
            {AddBlock, Complete, InitReplicaRecovery, UpdateReplicaUnderRecovery, CommitBlockSynchronization}
        )
        self.hear_of_datanodes()

    # -- events -------------------------------------------------------------------------------------------------

    def record(self, event: str, node: str, kind: str, entity: str, arguments: dict[str, str], **shown: Any) -> None:
        """A step has happened of which no core records an event."""
        self.own.append({"event": event, "node": node, "kind": kind, "entity": entity, "arguments": arguments, **shown})

    def hand_over(self, step: str) -> list[Event]:
        """The events of a step: what the cores recorded, then what the step itself did."""
        for recorded in self.cluster.log.hand_over():
            if recorded.event == "add_block" and recorded.refused_with is None:
                self.file_of_block[int(recorded.arguments["block"])] = recorded.entity
            words = None if self._is_known(recorded, step) else words_of(recorded, self.file_of_block)
            if words is not None:
                self.log.record(time_us=recorded.time_us or 0, **words)
        for own in self.own:
            if own["event"] != "block_received" or own["entity"] not in self.reports_of_step:
                self.log.record(time_us=self.loop.now_us, **own)
        self.own.clear()
        self.reports_of_step.clear()
        return self.log.hand_over()

    def _is_known(self, recorded: Event, step: str) -> bool:
        """Whether an event of a core is a part of the step, or was recorded with an earlier one."""
        if recorded.event == "receive_packet":
            return step != recorded.event  # of the last packet, which is empty
        if recorded.event == "block_received":
            return recorded.entity in self.reports_of_step
        failed = (recorded.event, recorded.node, recorded.recovery_id or 0, recorded.arguments.get("datanode", ""))
        if failed not in self.failed:
            return False
        self.failed.remove(failed)
        return True

    # -- nodes --------------------------------------------------------------------------------------------------

    def client(self, event: str, name: str) -> DFSClient:
        """A client, which must be up."""
        self.needs(event, self.cluster.is_up(name), f"{name} is down")
        return self.cluster.clients[name]

    def hear_of_datanodes(self) -> None:
        """A heartbeat of each live datanode arrives; who was heard of last becomes primary first."""
        manager = self.namenode.namesystem.datanode_manager
        live = sorted(manager.live_datanodes())
        self._heartbeats += 1
        for name in self.cluster.orders.of(f"heartbeats {self._heartbeats}", live):
            manager.heard_of(manager.datanodes[name], self.loop.now_us)

    def inode(self, file: str) -> INodeFile | None:
        """The file at the namenode."""
        return self.namenode.namesystem.directory.get_file(file)

    def block(self, event: str, file: str) -> int:
        """The id of the block that the file has or had last."""
        found = [number for number, path in self.file_of_block.items() if path == file]
        self.needs(event, found, f"{file} has no block")
        return found[-1]

    def stored(self, file: str) -> BlockInfo | None:
        """The file's last block at the namenode."""
        inode = self.inode(file)
        return None if inode is None else inode.last_block()

    def replica(self, datanode: str, block_id: int) -> Replica | None:
        """The replica of a block at a datanode that is up."""
        return self.cluster.datanodes[datanode].dataset.replicas.get(block_id)

    def link(self, block_id: int, datanode: str) -> HeldConnection | None:
        """The connection through which a replica is written, at the end of whoever opened it."""
        return self.network.links.get(replica_key(block_id, datanode))


def replica_key(block_id: int, datanode: str) -> str:
    """A replica as events name it."""
    return f"{block_id}@{datanode}"


def pipeline_of(block_id: int) -> str:
    """The order of a pipeline."""
    return f"pipeline of blk_{block_id}"


def locations_of(primary: str, recovery_id: int) -> str:
    """The order in which a primary asks; as in Hadoop, two may lead a recovery of one id."""
    return f"locations of recovery {recovery_id}, led by {primary}"


def closing_of(client: str, file: str) -> str:
    """Whether an application closes a file at once."""
    return f"client {client} closes {file} at once"
