"""The process that acknowledges the packets of one pipeline at one datanode.

For each packet, in order: wait for the acknowledgement of the nodes further down; finalize the replica if the packet is
the last of the block; raise what readers may see; and only then answer up the pipeline. So nodes finalize from the last
to the first, and a byte becomes visible at the last node first.

Not here: congestion and slow-node marks.

Source: DN/BlockReceiver.PacketResponder, Hadoop 3.4.1; facts C.2, W.4.5.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from genstamp_dfs.errors import DiskError, EOFException, HdfsIOException, SocketTimeoutException
from genstamp_dfs.hdfs.messages.data_transfer import UNKNOWN_SEQNO, PipelineAck, Status
from genstamp_dfs.hdfs.runtime import Connection, Runtime


@dataclass(frozen=True, slots=True)
class WaitingPacket:
    """A packet that is to be acknowledged; `end` is the offset after its last byte."""

    seqno: int
    end: int
    is_last: bool
    status: Status


MAX_WAITING = 256
"""Packets of a block that are received and not acknowledged; Hadoop's client sends 80 ahead."""


class Acknowledged(Protocol):
    """What the responder does to the replica, and what it asks its receiver."""

    @property
    def is_interrupted(self) -> bool:
        """Whether nothing more may be acknowledged."""

    async def finalize(self) -> None:
        """All nodes further down have finalized their replicas."""

    def acknowledge(self, end: int) -> None:
        """All nodes further down have the bytes up to `end`."""

    def forwarded_in_time(self) -> bool:
        """Whether the next node cannot have closed its connection because nothing came (HDFS-9178)."""


class PacketResponder:
    """Acknowledges packets.

    Args:
        receiver: whose packets these are.
        runtime: the world.
        upstream: where acknowledgements go.
        mirror: where those of the nodes further down come from; None at the last node.
        timeout_us: how long to wait for one of them.
        on_end: told when the responder has ended.
    """

    def __init__(
        self,
        receiver: Acknowledged,
        runtime: Runtime,
        upstream: Connection,
        mirror: Connection | None,
        timeout_us: int,
        on_end: Callable[[], None],
    ) -> None:
        self.is_running = True
        self.has_acknowledged_last = False
        self._receiver = receiver
        self._upstream = upstream
        self._mirror = mirror
        self._timeout_us = timeout_us
        self._on_end = on_end
        self._mirror_failed = False
        self._has_told_of_mirror = False
        self._waiting: deque[WaitingPacket] = deque()
        self._changed = runtime.condition()

    def enqueue(self, packet: WaitingPacket) -> None:
        """A packet was received here; it is acknowledged when its turn comes."""
        self._waiting.append(packet)
        self._changed.notify_all()

    async def has_room(self, timeout_us: int) -> None:
        """Wait while `MAX_WAITING` packets are not acknowledged: of a client that takes no answers no more is taken.

        Raises:
            SocketTimeoutException: none of them was acknowledged in that time.
        """
        while len(self._waiting) >= MAX_WAITING and self.is_running:
            if not await self._changed.wait(timeout_us):
                raise SocketTimeoutException(f"{MAX_WAITING} packets of {self._upstream.peer} wait to be acknowledged")

    def wake(self) -> None:
        """Something has changed that the responder may wait for."""
        self._changed.notify_all()

    def mirror_is_broken(self) -> None:
        """Nothing can be sent to the next node any more: say so."""
        self._mirror_failed = True
        self._changed.notify_all()

    async def run(self) -> None:
        """Acknowledge until the last packet, a failure, or an interruption."""
        try:
            while not self._receiver.is_interrupted and not self.has_acknowledged_last:
                await self._acknowledge_next()
        except (HdfsIOException, DiskError):
            # The connections are closed then: that is what the other nodes go by.
            pass
        finally:
            self.is_running = False
            self._changed.notify_all()
            self._on_end()

    async def send_out_of_band(self, status: Status) -> None:
        """Tell the nodes before this one, the client at last, what no packet has asked for (#sendOOBResponse)."""
        await self._upstream.send(PipelineAck(UNKNOWN_SEQNO, (status,)))

    async def _acknowledge_next(self) -> None:
        """Wait for the next packet's turn, and answer."""
        ack = await self._read_ack()
        if ack is None and self._mirror is not None:
            await self._tell_of_mirror()
            return
        if ack is not None and ack.seqno == UNKNOWN_SEQNO:
            await self._upstream.send(PipelineAck(UNKNOWN_SEQNO, (Status.SUCCESS, *ack.replies)))
            return
        packet = await self._head()
        if self._receiver.is_interrupted or packet is None:
            return
        if ack is not None and ack.seqno != packet.seqno:
            self._mirror_failed = True
        if self._mirror_failed:
            await self._answer(packet, (Status.SUCCESS, Status.ERROR))
            return
        if packet.is_last:
            await self._receiver.finalize()
        replies = (packet.status,) if ack is None else (packet.status, *ack.replies)
        if len(replies) > 1 and replies[1] is Status.ERROR_CHECKSUM:
            # The next node has told good bytes from bad ones; this one may have the bad ones (HDFS-3875).
            raise HdfsIOException(f"{self._upstream.peer}'s data, sent on from here, were found corrupt further down")
        if all(reply is Status.SUCCESS for reply in replies):
            self._receiver.acknowledge(packet.end)
        await self._answer(packet, replies)
        if packet.status is Status.ERROR_CHECKSUM:
            raise HdfsIOException(f"data from {self._upstream.peer} are corrupt")
        self.has_acknowledged_last = packet.is_last

    async def _tell_of_mirror(self) -> None:
        """Say at once that this node is fine and the next one is not, and wait for the client to close the pipeline.

        It answers no packet, so that the nodes before this one pass it on and do nothing else: none of them may take
        the end of the block for acknowledged further down.
        """
        if not self._has_told_of_mirror:
            self._has_told_of_mirror = True
            await self._upstream.send(PipelineAck(UNKNOWN_SEQNO, (Status.SUCCESS, Status.ERROR)))
        while not self._receiver.is_interrupted:
            await self._changed.wait()

    async def _read_ack(self) -> PipelineAck | None:
        """The next acknowledgement from further down; None at the last node, or if there will be none."""
        if self._mirror is None or self._mirror_failed:
            return None
        try:
            message = await self._mirror.receive(self._timeout_us)
        except (EOFException, SocketTimeoutException) as problem:
            if isinstance(problem, EOFException) and not self._receiver.forwarded_in_time():
                raise
            self._mirror_failed = True
            return None
        if not isinstance(message, PipelineAck):
            self._mirror_failed = True
            return None
        return message

    async def _head(self) -> WaitingPacket | None:
        """The oldest packet that is not acknowledged; None if the receiver ends before there is one."""
        while not self._waiting:
            if self._receiver.is_interrupted:
                return None
            await self._changed.wait()
        return self._waiting[0]

    async def _answer(self, packet: WaitingPacket, replies: tuple[Status, ...]) -> None:
        """Send an acknowledgement up."""
        self._waiting.popleft()
        self._changed.notify_all()
        await self._upstream.send(PipelineAck(packet.seqno, replies))
