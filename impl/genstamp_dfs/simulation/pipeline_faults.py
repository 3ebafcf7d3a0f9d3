"""Faults at one point of one pipeline: what Hadoop's aspects wove into its datanodes, put around unchanged cores.

A fault is one record: which attempt to set a pipeline up, at which position in it, at which step, what happens, and at
which match of that step. It is put where a node meets the world, its connections and its disk, so that the nodes are
those that run elsewhere.

A thread that *hangs* does no more until somebody closes its connection, which is what stopping a writer does. One that
*dies* closes what it has, and leaves its replica as it is; its datanode lives on.

Not here: faults that come by the dice (`plan`), and those of whole machines but for a crash at such a point.

Source: the aspects DataTransferProtocolAspects, BlockReceiverAspects of Hadoop 0.23; facts X.1.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from genstamp_dfs.errors import DiskError, EOFException, HdfsIOException
from genstamp_dfs.hdfs.messages.data_transfer import (
    HEARTBEAT_SEQNO,
    BlockConstructionStage,
    BlockOpResponse,
    Message,
    Operation,
    Packet,
    PipelineAck,
    TransferReplica,
    WriteBlock,
)
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Future, Life, Loop, ProcessCrashedError
from genstamp_dfs.simulation.network import Network, Server, SimulatedConnection
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND

_CLIENT_POSITION = -1


class FaultPoint(StrEnum):
    """A step of a datanode in a pipeline; H1 to H8 are the hooks of facts X.1."""

    REQUEST = "request"
    """H1: WRITE_BLOCK has arrived, nothing is done yet."""
    SET_UP_ACK = "set-up ack"
    """H2: the own replica is there, the next node's answer to the set-up is in hand."""
    PACKET = "packet"
    """H3: a packet was read, nothing is done with it yet."""
    CLOSE_PACKET = "close packet"
    """H4: as H3, of the empty packet that ends the block."""
    DISK_WRITE = "disk write"
    """H5: before bytes of a packet are written."""
    ACK = "ack"
    """H6: the next node's acknowledgement of a packet is in hand."""
    CLOSE_ACK = "close ack"
    """H6, of the packet that ends the block."""
    FILE_CLOSE = "file close"
    """H7: the replica is about to be finalized."""
    ACK_SEND = "ack send"
    """H8: an acknowledgement is about to be sent up."""
    TRANSFER_REQUEST = "transfer request"
    """A replica shall be copied from here to a node that joins the pipeline."""
    TRANSFER_TARGET = "transfer target"
    """Such a copy arrives here."""


class FaultAction(StrEnum):
    """What happens there."""

    HANG = "hang"
    DIE = "die"
    DISK_ERROR = "disk error"
    DELAY = "delay"
    DROP = "drop"
    CRASH = "crash"
    WAKE = "wake"
    """Nothing here, but every thread that hangs goes on where it was."""


TRANSFERS = frozenset({FaultPoint.TRANSFER_REQUEST, FaultPoint.TRANSFER_TARGET})
SETTING_UP = frozenset({FaultPoint.REQUEST, FaultPoint.SET_UP_ACK}) | TRANSFERS
AGAIN_AND_AGAIN = frozenset({FaultAction.DELAY, FaultAction.DROP})
"""Actions that happen at every match from the first on; the others happen once."""


class ThreadDiedError(Exception):
    """A thread of a datanode dies, in a way that its code does not expect: its connections close, and that is all."""

    def __init__(self, node: str, point: FaultPoint) -> None:
        super().__init__(f"a thread of {node} died at {point}")


@dataclass(frozen=True)
class PipelineFault:
    """One fault.

    Attributes:
        point: at which step.
        position: of the node in the pipeline, 0 nearest to the client; without meaning for a transfer.
        action: what happens.
        attempt: in which pipeline, from 1, in the order in which clients set them up; without meaning for a transfer.
        nth: at which match, from 1.
        delay_ms: longest delay; drawn anew each time if `is_random`.
    """

    point: FaultPoint
    position: int
    action: FaultAction
    attempt: int = 1
    nth: int = 1
    delay_ms: int = 0
    is_random: bool = False

    def __str__(self) -> str:
        return f"{self.action} at {self.point} @{self.position}, attempt {self.attempt}"


@dataclass(frozen=True)
class Attempt:
    """A pipeline that a client began to set up: when, for what, of which nodes, for which block under which stamp."""

    time_us: int
    stage: BlockConstructionStage
    nodes: tuple[str, ...]
    block_id: int
    generation_stamp: int


@dataclass(frozen=True)
class Fired:
    """A fault that has happened."""

    fault: PipelineFault
    node: str
    time_us: int


@dataclass(frozen=True)
class Place:
    """A node's place: in which attempt, at which position."""

    attempt: int
    position: int


@dataclass
class PipelineFaults:
    """The faults of a run, and what came of them.

    Attributes:
        faults: what shall happen; may be added to while the run goes on.
        attempts: the pipelines that clients began to set up and whose first node was there.
        fired: what has happened, in order.
    """

    faults: list[PipelineFault] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    fired: list[Fired] = field(default_factory=list)
    _numbers: dict[tuple[int, int], int] = field(default_factory=dict)
    _places: dict[str, Place] = field(default_factory=dict)
    _matches: dict[PipelineFault, int] = field(default_factory=dict)
    _hanging: list["Future[bool]"] = field(default_factory=list)

    def begins(self, node: str, operation: WriteBlock, time_us: int) -> Place:
        """WRITE_BLOCK has reached a node."""
        position = operation.pipeline_size - 1 - len(operation.targets)
        key = (operation.block.block_id, operation.latest_generation_stamp)
        if key not in self._numbers:
            self.attempts.append(Attempt(time_us, operation.stage, (node, *operation.targets), *key))
            self._numbers[key] = len(self.attempts)
        place = self._places[node] = Place(self._numbers[key], position)
        return place

    def place_of(self, node: str) -> Place | None:
        """The node's place in the pipeline that has reached it last."""
        return self._places.get(node)

    def due(self, point: FaultPoint, node: str, place: Place | None, time_us: int) -> list[PipelineFault]:
        """The faults that happen now."""
        found = []
        for fault in self.faults:
            is_here = point in TRANSFERS or (place is not None and place == Place(fault.attempt, fault.position))
            if fault.point is not point or not is_here:
                continue
            matches = self._matches[fault] = self._matches.get(fault, 0) + 1
            if matches == fault.nth or (matches > fault.nth and fault.action in AGAIN_AND_AGAIN):
                self.fired.append(Fired(fault, node, time_us))
                found.append(fault)
        return found

    def hang(self, loop: Loop) -> "Future[bool]":
        """Something that nobody gives, unless hanging threads are woken."""
        future: Future[bool] = loop.future()
        self._hanging.append(future)
        return future

    def wake(self) -> int:
        """Let every thread that hangs go on where it was; gives how many did."""
        woken = [future for future in self._hanging if not future.is_done]
        self._hanging.clear()
        for future in woken:
            future.succeed(True)
        return len(woken)


class FaultyNetwork(Network):
    """A network whose connections have faults; `faults_at` must be set before the first is opened."""

    faults_at: PipelineFaults

    def make_ends(
        self, client: Life, server: Life, operation: Operation
    ) -> tuple[SimulatedConnection, SimulatedConnection]:
        """As its parent; the ends know where in which pipeline they are."""
        if not isinstance(operation, WriteBlock) or not _is_pipeline(operation):
            return super().make_ends(client, server, operation)
        place = self.faults_at.begins(server.node, operation, self.loop.now_us)
        near = FaultyConnection(self, client, server.node, Place(place.attempt, place.position - 1))
        return near, FaultyConnection(self, server, client.node, place)

    async def serve(self, server: Server, connection: SimulatedConnection, operation: Operation) -> None:
        """As its parent, unless it hangs or dies before it begins."""
        end = connection if isinstance(connection, FaultyConnection) else None
        point = _request_point(operation)
        try:
            if point is not None:
                await self.meet(point, connection.life.node, end)
            await server(connection, operation)
        except (ThreadDiedError, EOFException):
            connection.close()

    async def meet(self, point: FaultPoint, node: str, end: "FaultyConnection | None") -> bool:
        """A thread comes to a point; says whether what it is about to do shall be left out.

        Args:
            point: which one.
            node: whose thread.
            end: its end of the pipeline's connection, whose closing ends a hang.

        Raises:
            ThreadDiedError: the thread dies here, while a pipeline is set up.
            HdfsIOException: it dies here later; a datanode treats that as a failure of its connections.
            EOFException: it hung until its connection was closed.
        """
        is_left_out = False
        place = None if end is None else end.place
        for fault in self.faults_at.due(point, node, place, self.loop.now_us):
            match fault.action:
                case FaultAction.DELAY:
                    await self.loop.sleep_us(self._delay_us(fault))
                case FaultAction.DROP:
                    is_left_out = True
                case FaultAction.HANG:
                    hang = self.faults_at.hang(self.loop)
                    if end is not None:
                        end.ends_with_it(hang)
                    if not await hang:
                        raise EOFException(f"a thread of {node} hung at {point} until it was stopped")
                case FaultAction.CRASH:
                    raise ProcessCrashedError(node)
                case FaultAction.WAKE:
                    self.faults_at.wake()
                case _ if point in SETTING_UP:
                    raise ThreadDiedError(node, point)
                case _:
                    raise HdfsIOException(f"a thread of {node} died at {point}")
        return is_left_out

    def _delay_us(self, fault: PipelineFault) -> int:
        return (
            self.chance.randrange(fault.delay_ms) if fault.is_random else fault.delay_ms
        ) * MICROSECONDS_A_MILLISECOND


class FaultyConnection(SimulatedConnection):
    """An end of a connection of a pipeline, at which a thread of its node may fail.

    Attributes:
        place: the node that has this end.
    """

    def __init__(self, network: FaultyNetwork, life: Life, peer: str, place: Place) -> None:
        super().__init__(network, life, peer)
        self.place = place
        self._faulty = network
        self._hanging: list[Future[bool]] = []
        self._last_seqno: int | None = None

    async def receive(self, timeout_us: int | None = None) -> Message:
        """As its parent; then the thread may fail."""
        message: Message = await super().receive(timeout_us)
        for point in self._points(message):
            await self._meet(point)
        return message

    async def send(self, message: Message) -> None:
        """As its parent, unless the thread fails before."""
        if isinstance(message, Packet) and message.is_last:
            self._last_seqno = message.seqno
        if isinstance(message, PipelineAck) and await self._meet(FaultPoint.ACK_SEND):
            return
        await super().send(message)

    def close(self) -> None:
        """As its parent; whoever hangs here ends."""
        super().close()
        for hang in self._hanging:
            hang.succeed(False)
        self._hanging.clear()

    def ends_with_it(self, hang: "Future[bool]") -> None:
        """A thread hangs, until this end is closed at the latest."""
        if self._is_closed:
            hang.succeed(False)
        self._hanging.append(hang)

    def _points(self, message: Message) -> Iterable[FaultPoint]:
        match message:
            case Packet(seqno=seqno) if seqno != HEARTBEAT_SEQNO:
                yield FaultPoint.PACKET
                if message.is_last:
                    yield FaultPoint.CLOSE_PACKET
            case BlockOpResponse():
                yield FaultPoint.SET_UP_ACK
            case PipelineAck(seqno=seqno) if seqno >= 0:
                yield FaultPoint.CLOSE_ACK if seqno == self._last_seqno else FaultPoint.ACK
            case _:
                pass

    async def _meet(self, point: FaultPoint) -> bool:
        if self.place.position == _CLIENT_POSITION:
            return False
        return await self._faulty.meet(point, self.life.node, self)


class FaultyDisk(DiskOfLife):
    """A disk that fails where a fault says so; `faults_at` and `loop` are those of the run."""

    def __init__(self, disk: SimulatedDisk, life: Life, chance: random.Random, crash_at: int | None = None) -> None:
        super().__init__(disk, life, chance, crash_at)
        self.node = life.node
        self.faults_at: PipelineFaults | None = None
        self.loop: Loop | None = None

    def write(self, path: str, offset: int, data: bytes) -> None:
        """As its parent; the bytes of replicas that are written may not get there."""
        if "/rbw/" in path and not path.endswith(".meta"):
            self._meet(FaultPoint.DISK_WRITE, path)
        super().write(path, offset, data)

    def rename(self, source: str, destination: str) -> None:
        """As its parent; replicas may not be finalized."""
        if "/rbw/" in source and "/finalized/" in destination and source.endswith(".meta"):
            self._meet(FaultPoint.FILE_CLOSE, source)
        super().rename(source, destination)

    def _meet(self, point: FaultPoint, path: str) -> None:
        if self.faults_at is None or self.loop is None:
            return
        place = self.faults_at.place_of(self.node)
        for fault in self.faults_at.due(point, self.node, place, self.loop.now_us):
            if fault.action is FaultAction.CRASH:
                self._crash()
            raise DiskError(f"{self.node}: {path} cannot be changed, the disk fails")


def _is_pipeline(operation: WriteBlock) -> bool:
    """Whether a client's pipeline is set up, and not a replica copied."""
    copies = (BlockConstructionStage.TRANSFER_RBW, BlockConstructionStage.TRANSFER_FINALIZED)
    return bool(operation.client_name) and operation.stage not in copies


def _request_point(operation: Operation) -> FaultPoint | None:
    """The point at which a node has got an operation."""
    match operation:
        case TransferReplica():
            return FaultPoint.TRANSFER_REQUEST
        case WriteBlock(client_name=client) if client:
            return FaultPoint.REQUEST if _is_pipeline(operation) else FaultPoint.TRANSFER_TARGET
        case _:
            return None
