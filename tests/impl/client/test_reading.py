"""What a reader does when something is wrong with a datanode, without a cluster."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from genstamp_dfs.errors import ConnectException
from genstamp_dfs.hdfs.client.input_stream import ChecksumError, DFSInputStream
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
