"""The packets of a stream: what is to be sent, and what was sent and is not acknowledged.

Not here: when packets are sent.

Source: CL/DFSPacket; the queues of CL/DataStreamer, Hadoop 3.4.1.
"""

from collections import deque
from dataclasses import dataclass

from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.messages.data_transfer import Packet


@dataclass(slots=True)
class OutgoingPacket:
    """A packet with its bytes, which are sent again after a failure under the same number.

    Attributes:
        seqno: rises by one for each packet of a stream, over all its blocks.
        offset: of its first byte in the block.
        is_last: the empty packet that ends a block.
        sync: whether the bytes have to be on disk before the acknowledgement.
    """

    seqno: int
    offset: int
    data: bytes = b""
    is_last: bool = False
    sync: bool = False

    @property
    def end(self) -> int:
        """Length of the block with this packet."""
        return self.offset + len(self.data)

    def message(self) -> Packet:
        """What goes over the connection."""
        return Packet(self.seqno, self.offset, self.is_last, self.sync, self.data, checksums_of(self.data))


class PacketQueues:
    """The packets to send, and those on their way, oldest first."""

    def __init__(self) -> None:
        self.data: deque[OutgoingPacket] = deque()
        self.ack: deque[OutgoingPacket] = deque()
        self.last_queued_seqno = -1
        self.last_acked_seqno = -1

    def __len__(self) -> int:
        return len(self.data) + len(self.ack)

    def queue(self, packet: OutgoingPacket) -> None:
        """A new packet to send."""
        self.last_queued_seqno = packet.seqno
        self.data.append(packet)

    def sent(self) -> None:
        """The oldest packet to send is on its way."""
        self.ack.append(self.data.popleft())

    def acknowledged(self) -> OutgoingPacket:
        """The oldest packet under way was acknowledged by all."""
        packet = self.ack.popleft()
        self.last_acked_seqno = packet.seqno
        return packet

    def take_back(self) -> None:
        """What is not acknowledged has to be sent again."""
        while self.ack:
            self.data.appendleft(self.ack.pop())

    def clear(self) -> None:
        """The stream is given up."""
        self.data.clear()
        self.ack.clear()
