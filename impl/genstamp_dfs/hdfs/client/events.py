"""What a client leaves behind of its steps, as protocol events.

Not here: the calls at the namenode; that tells of them itself.
"""

from typing import TYPE_CHECKING

from genstamp_dfs.events import EventSink
from genstamp_dfs.hdfs.client.packets import OutgoingPacket
from genstamp_dfs.hdfs.runtime import Runtime

if TYPE_CHECKING:
    from genstamp_dfs.hdfs.client.data_streamer import DataStreamer
    from genstamp_dfs.hdfs.client.output_stream import DFSOutputStream


class ClientEvents:
    """Records the steps of one client.

    Args:
        log: where to.
        runtime: the client's.
    """

    def __init__(self, log: EventSink, runtime: Runtime) -> None:
        self._log = log
        self._runtime = runtime

    def acknowledged(self, streamer: "DataStreamer", packet: OutgoingPacket) -> None:
        """All datanodes have a packet; the length is that of the block so far."""
        self._of_block("receive_ack", streamer, packet.end)

    def flushed(self, stream: "DFSOutputStream", *, sync: bool, on_disk: bool) -> None:
        """hflush or hsync returned; the length is that of the file which is promised now.

        Args:
            stream: whose.
            sync: whether it was hsync.
            on_disk: whether the last block was forced to disk.
        """
        self._of_file("hsync" if sync else "hflush", stream, on_disk="true" if on_disk else "false")

    def closed(self, stream: "DFSOutputStream") -> None:
        """The namenode has closed the file; the length is the file's."""
        self._of_file("close", stream)

    def _of_file(self, event: str, stream: "DFSOutputStream", **observed: str) -> None:
        block = stream.streamer.pipeline.block
        self._log.record(
            node=self._runtime.node,
            time_us=self._runtime.now_us(),
            kind="file",
            entity=stream.path,
            event=event,
            arguments={"client": self._runtime.node, "file": stream.path},
            generation_stamp=None if block is None else block.generation_stamp,
            num_bytes=stream.acknowledged,
            observed=observed,
        )

    def block_begun(self, streamer: "DataStreamer") -> None:
        """The first pipeline of a new block is set up."""
        self._of_block("set_up_create", streamer, 0)

    def pipeline_updated(self, streamer: "DataStreamer") -> None:
        """The pipeline was set up again and the namenode knows it."""
        self._of_block("start_streaming", streamer, streamer.pipeline.bytes_acked)

    def block_ended(self, streamer: "DataStreamer") -> None:
        """All datanodes have finalized the block."""
        self._of_block("end_block", streamer, streamer.pipeline.bytes_acked)

    def _of_block(self, event: str, streamer: "DataStreamer", num_bytes: int) -> None:
        self._log.record(
            node=self._runtime.node,
            time_us=self._runtime.now_us(),
            kind="block",
            entity=str(streamer.pipeline.block_id),
            event=event,
            arguments={"client": self._runtime.node, "file": streamer.path},
            generation_stamp=streamer.pipeline.generation_stamp,
            num_bytes=num_bytes,
            observed={"locations": ",".join(streamer.pipeline.nodes)},
        )
