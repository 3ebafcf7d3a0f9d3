"""The client's stream: a chain of datanodes, and what it may promise."""

from genstamp_dfs.hdfs.cluster.hand_stream import BlockConstructionStage, OutputStream
from genstamp_dfs.hdfs.protocol import Block, LocatedBlock


def streaming() -> OutputStream:
    """A stream to a, then b, that is ready for data."""
    stream = OutputStream("client1", "/f")
    stream.on_block(LocatedBlock(Block(1, 1001, 0), ("a", "b")))
    stream.on_set_up("a")
    stream.on_set_up("b")
    return stream


def send(stream: OutputStream, datanode: str) -> bytes:
    packet = stream.next_packet(datanode)
    assert packet is not None
    stream.on_packet_received(datanode, packet)
    return packet


def test_data_flows_when_the_whole_pipeline_is_set_up() -> None:
    stream = OutputStream("client1", "/f")
    stages = [stream.stage]
    stream.on_block(LocatedBlock(Block(1, 1001, 0), ("a", "b")))
    stages.append(stream.stage)
    for datanode in ("b", "b", "a"):
        stream.on_set_up(datanode)
        stages.append(stream.stage)
    none, set_up, streaming_stage = list(BlockConstructionStage)[:3]
    assert stages == [none, set_up, set_up, set_up, streaming_stage]


def test_a_datanode_gets_only_what_its_upstream_has_forwarded() -> None:
    stream = streaming()
    assert stream.next_packet("b") is None
    first, second = send(stream, "a"), send(stream, "a")
    assert (send(stream, "b"), send(stream, "b")) == (first, second)
    assert stream.next_packet("b") is None
    assert stream.data == first + second


def test_bytes_are_acknowledged_when_the_last_datanode_has_them() -> None:
    stream = streaming()
    send(stream, "a")
    assert (stream.on_hflush(), stream.all_packets_acknowledged()) == (0, False)
    send(stream, "b")
    assert (stream.on_hflush(), stream.all_packets_acknowledged()) == (1, True)


def test_the_block_is_completed_with_the_acknowledged_length() -> None:
    stream = streaming()
    for datanode in ("a", "b"):
        send(stream, datanode)
    assert stream.on_last_packet() == 1
    assert not stream.is_last_packet_acknowledged()
    stream.finalized |= {"a", "b"}
    assert stream.is_last_packet_acknowledged()
    assert stream.block_to_complete() == Block(1, 1001, 1)


def test_a_stream_without_block_completes_none() -> None:
    assert OutputStream("client1", "/f").block_to_complete() is None
