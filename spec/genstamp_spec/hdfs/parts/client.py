"""Clients: what an output stream is promised, and the end of a client.

Coarser than HDFS: an ack reaches the client when it is asked for; there is no pipeline recovery, so that a client whose
pipeline lost a node can only wait; the length that a first hflush leaves at the NameNode is not kept. Opening, addBlock
and complete are in the NameNode's parts, packets in those of the datanodes.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, StreamStage, no_stream
from genstamp_spec.hdfs.state.streams import Streams


class Clients(Streams, lane=Client):
    """hflush, the last packet, and the crash of a client."""

    def pipeline_is_whole(s, client: Client, file: File) -> Bool:
        """Every node of the pipeline takes the client's packets."""
        pipeline = s.stream[client][file].pipeline
        return forall(Datanode, lambda d: ~pipeline.has(d) | s.writes_to(client, file, d))

    @action
    def hflush(s, client: Client, file: File) -> None:
        """What the client has written is acknowledged by every node.

        Source  DFSOutputStream#flushOrSync, Hadoop 3.4.1; facts C.4.
        """
        stream = s.stream[client][file]
        require(s.alive.has(client), "the client is running")
        require(stream.stage.at(StreamStage.STREAMING), "the client is streaming")
        require(s.pipeline_is_whole(client, file), "every node of the pipeline takes the client's packets")
        s.fsync(client, file)
        stream.acked = s.received_by_all(client, file)
        s.hflushed[file] = largest(s.hflushed[file], stream.acked)
        s.steady[file] = stream.pipeline
        observe(num_bytes=stream.acked)

    @action
    def last_packet(s, client: Client, file: File) -> None:
        """The client closes: everything is acknowledged, then the empty last packet is sent (facts C.2, C.7)."""
        stream = s.stream[client][file]
        length = s.received_by_all(client, file)
        require(s.alive.has(client), "the client is running")
        require(stream.stage.at(StreamStage.STREAMING), "the client is streaming")
        require(s.pipeline_is_whole(client, file), "every node of the pipeline takes the client's packets")
        require(
            forall(Datanode, lambda d: ~stream.pipeline.has(d) | (s.replica[d][file].num_bytes == length)),
            "every node has received the same bytes",
        )
        stream.acked = length
        stream.stage = StreamStage.CLOSING

    @action
    def client_crash(s, client: Client) -> None:
        """A client stops without warning; its files stay open at the NameNode."""
        require(s.alive.has(client), "the client is running")
        s.alive.remove(client)
        s.stream[client].update(lambda file: no_stream())
        s.forgets(client)
