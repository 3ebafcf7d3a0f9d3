"""One file being written step by step: its block, its pipeline, and what has been sent and acknowledged.

The pipeline is a chain: packets go from the client to the nearest datanode and from each to the next, acknowledgements
come back the same way. The stream keeps the whole chain's books (what each hop has forwarded), which in Hadoop lie
with the receivers; so a core at either end needs no connection.

Leaves out: pipeline recovery (a broken pipeline stays broken), packets of more than one byte, hsync. The first hflush
of a block does not tell the namenode a length (HDFS-4516 does), so that stays 0 until the commit.

Source: CL/DFSOutputStream, CL/DataStreamer, DN/BlockReceiver, Hadoop 3.4.1.
"""

from dataclasses import dataclass, field
from enum import Enum

from genstamp_dfs.hdfs.protocol import Block, LocatedBlock


class BlockConstructionStage(Enum):
    """Where the stream is; the names are Hadoop's, with one for a stream that has no block yet and one for its end."""

    NO_BLOCK = "no block"
    PIPELINE_SETUP_CREATE = "pipeline set-up"
    DATA_STREAMING = "data streaming"
    PIPELINE_CLOSE = "pipeline close"
    CLOSED = "closed"


@dataclass
class OutputStream:
    """An output stream.

    Attributes:
        block: the block as addBlock gave it; its length here stays 0.
        pipeline: its datanodes, nearest first.
        set_up: datanodes that have created their replica.
        data: the bytes sent so far.
        received: datanode -> number of bytes that it has received (and forwarded to the next).
        num_bytes_acked: bytes that all datanodes acknowledged, as far as the writer has waited for it.
        finalized: datanodes that have acknowledged the last packet.
    """

    client: str
    file: str
    stage: BlockConstructionStage = BlockConstructionStage.NO_BLOCK
    block: Block | None = None
    pipeline: tuple[str, ...] = ()
    set_up: set[str] = field(default_factory=set)
    data: bytes = b""
    received: dict[str, int] = field(default_factory=dict)
    num_bytes_acked: int = 0
    finalized: set[str] = field(default_factory=set)

    def on_block(self, located: LocatedBlock) -> None:
        """addBlock answered."""
        self.block = located.block
        self.pipeline = located.locations
        self.received = dict.fromkeys(located.locations, 0)
        self.stage = BlockConstructionStage.PIPELINE_SETUP_CREATE

    def on_set_up(self, datanode: str) -> None:
        """A datanode created its replica; data flows once all have."""
        self.set_up.add(datanode)
        if self.set_up == set(self.pipeline):
            self.stage = BlockConstructionStage.DATA_STREAMING

    def next_packet(self, datanode: str) -> bytes | None:
        """The packet that comes next at the datanode; None if its upstream has forwarded nothing more.

        At the first datanode there is always one: the application has more to write.
        """
        offset = self.received[datanode]
        position = self.pipeline.index(datanode)
        if position == 0:
            return self.application_byte(offset)
        if offset == self.received[self.pipeline[position - 1]]:
            return None
        return self.data[offset : offset + 1]

    def application_byte(self, offset: int) -> bytes:
        """What the application writes at this offset: a pattern that shows a byte out of place."""
        return bytes([(sum(self.file.encode()) + 31 * offset) % 256])

    def on_packet_received(self, datanode: str, payload: bytes) -> None:
        """A datanode took its next packet."""
        if datanode == self.pipeline[0]:
            self.data += payload
        self.received[datanode] += len(payload)

    def num_bytes_acknowledged_by_all(self) -> int:
        """How many bytes every datanode of the pipeline has received."""
        return min(self.received.values())

    def on_hflush(self) -> int:
        """Wait for all acknowledgements: gives the number of acknowledged bytes, which from now on are promised."""
        self.num_bytes_acked = self.num_bytes_acknowledged_by_all()
        return self.num_bytes_acked

    def all_packets_acknowledged(self) -> bool:
        """Whether nothing is under way; the last packet of a block is only sent then."""
        return self.num_bytes_acknowledged_by_all() == len(self.data)

    def on_last_packet(self) -> int:
        """Send the empty last packet: no more bytes. Gives the length that the block will be completed with."""
        self.stage = BlockConstructionStage.PIPELINE_CLOSE
        return self.on_hflush()

    def unfinalized_downstream(self, datanode: str) -> str | None:
        """The next datanode, if it has not acknowledged the last packet; nodes finalize from the last to the first."""
        following = self.pipeline[self.pipeline.index(datanode) + 1 :]
        return following[0] if following and following[0] not in self.finalized else None

    def is_last_packet_acknowledged(self) -> bool:
        """Whether all datanodes have finalized, so that the file may be completed."""
        return self.stage is BlockConstructionStage.PIPELINE_CLOSE and self.finalized == set(self.pipeline)

    def block_to_complete(self) -> Block | None:
        """The block with the length that was written and acknowledged; None if none was begun."""
        if self.block is None:
            return None
        return Block(self.block.block_id, self.block.generation_stamp, self.num_bytes_acked)
