"""What a reader does when something is wrong with a datanode, without a cluster."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from genstamp_dfs.errors import ConnectException, HdfsIOException
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.client.configuration import ClientConfiguration
from genstamp_dfs.hdfs.client.input_stream import ChecksumError, DFSInputStream
from genstamp_dfs.hdfs.messages.data_transfer import BlockOpResponse, Packet, Status
from genstamp_dfs.hdfs.protocol import Block, LocatedBlock


def test_bad_bytes_that_cannot_be_reported_are_read_from_another_datanode(monkeypatch: pytest.MonkeyPatch) -> None:
    """CL/DFSClient#reportChecksumFailure: a namenode that does not answer must not end the read."""
    reports: list[Any] = []

    async def call(_: str, request: Any) -> None:
        reports.append(request)
        raise ConnectException("the namenode is away")

    async def read_from(_: DFSInputStream, datanode: str, *__: Any) -> bytes:
        if datanode == "datanode1":
            raise ChecksumError("bytes from 0 do not match their checksums")
        return b"right"

    monkeypatch.setattr(DFSInputStream, "_read_from", read_from)
    client: Any = SimpleNamespace(namenode="namenode", runtime=SimpleNamespace(call=call))
    stream = DFSInputStream(client, "/file")
    stream.blocks = (LocatedBlock(Block(1, 1001, 5), ("datanode1", "datanode2"), 0),)
    stream.length = 5

    assert asyncio.run(stream.read()) == b"right"
    assert [bad.locations for request in reports for bad in request.blocks] == [("datanode1",)]


class Datanode:
    """A connection on which a datanode says what a test has it say."""

    def __init__(self, chunk_offset: int, data: bytes) -> None:
        first = Packet(0, chunk_offset, data=data, checksums=checksums_of(data))
        last = Packet(1, chunk_offset + len(data), is_last=True)
        self.says: list[Any] = [BlockOpResponse(Status.SUCCESS, chunk_offset=chunk_offset), first, last]

    async def receive(self, _: int) -> Any:
        return self.says.pop(0)

    async def send(self, _: Any) -> None:
        pass

    def close(self) -> None:
        pass


def _read(datanode: Datanode, start: int, length: int) -> bytes:
    async def connect(*_: Any, **__: Any) -> Datanode:
        return datanode

    client: Any = SimpleNamespace(
        name="client", configuration=ClientConfiguration(), runtime=SimpleNamespace(connect=connect)
    )
    return asyncio.run(DFSInputStream(client, "/file")._read_from("datanode1", Block(1, 1001, 4096), start, length))


def test_the_bytes_asked_for_are_cut_out_of_the_chunks() -> None:
    assert _read(Datanode(512, b"a" * 88 + b"right" + b"b" * 419), 600, 5) == b"right"


@pytest.mark.parametrize("chunk_offset", [-512, 0, 1024])
def test_bytes_from_elsewhere_in_the_block_are_refused(chunk_offset: int) -> None:
    """CL/impl/BlockReaderRemote#newBlockReader: they would be taken for those that were asked for."""
    with pytest.raises(HdfsIOException, match=f"begins at byte {chunk_offset} of .*, expected 600"):
        _read(Datanode(chunk_offset, b"x" * 2048), 600, 5)


def test_a_datanode_that_does_not_end_is_left() -> None:
    with pytest.raises(HdfsIOException, match="datanode1 sent bytes to 2560, expected no more than to 1117"):
        _read(Datanode(512, b"x" * 2048), 600, 5)
