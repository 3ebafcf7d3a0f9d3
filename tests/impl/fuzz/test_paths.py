"""Whatever a file, a block pool or a writer is called on either listener: nothing outside of the storage changes."""

import logging
from pathlib import Path
from typing import Any

import pytest
from tests.impl.fuzz.attack import Target, Totals, converse
from tests.impl.fuzz.crowds import opening
from tests.impl.fuzz.hostile import CLIENT_ID, PATHS, POOLS
from tests.impl.server.servers import cluster

from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.messages.client_protocol import Create, CreateFlag, Delete, GetListing, Mkdirs, Rename
from genstamp_dfs.hdfs.messages.data_transfer import (
    BlockChecksum,
    BlockConstructionStage,
    Operation,
    Packet,
    ReadBlock,
    WriteBlock,
)
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.server.addresses import AddressBook
from genstamp_dfs.server.protocols import CLIENT_PROTOCOL
from genstamp_dfs.server.wire import frames, transfer
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.world.request import Request

DEPTH = 8
"""Directories above the storage that are looked into; more than any of the names has steps up."""

DATA = b"escape" * 100


@pytest.mark.slow
async def test_no_name_leads_out_of_the_storage(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    storage = tmp_path.joinpath(*map(str, range(DEPTH)))
    async with cluster(storage) as servers:
        outside = everything_in(tmp_path, besides=storage)
        totals = Totals()
        namenode = Target("namenode", servers.port, True)
        for path in PATHS:
            await converse(namenode, calls_about(path), 0, totals)
        for transfer_port, _ in servers.ports.values():
            for pool in (*POOLS, servers.block_pool_id):
                for operation in operations_of(*PATHS[:12]):
                    data = transfer.write_operation(operation, Converter(pool, AddressBook()))
                    data += transfer.write_packet(Packet(0, 0, data=DATA, checksums=checksums_of(DATA)))
                    await converse(Target("transfer", transfer_port, False), data, 0, totals)
        print("\n".join(totals.lines()))
        assert totals.ends["namenode", "answer: success"] > len(PATHS)
        assert totals.ends["transfer", "answer: SUCCESS"] > 0
        assert everything_in(tmp_path, besides=storage) == outside
        assert {path.name for path in storage.iterdir()} == {*servers.datanodes, "events", "namenode"}
        # Blocks are named by numbers, and files are in no directory of their own.
        assert [path for path in storage.rglob("*") if "escape" in path.name] == []
    assert capfd.readouterr().err == ""
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


def everything_in(directory: Path, besides: Path) -> set[Path]:
    return {path for path in directory.rglob("*") if path != besides and besides not in path.parents}


def calls_about(path: str) -> bytes:
    """A conversation with the namenode."""
    requests: tuple[Request[Any], ...] = (
        Mkdirs(path),
        Create(path, "fuzz", CreateFlag.CREATE, True, 1, 1 << 20),
        Rename(path, "/fuzz/renamed"),
        Rename("/fuzz", path),
        GetListing(path),
        Delete(path, True),
    )
    said = opening()
    for number, request in enumerate(requests):
        header = frames.request_header(number, CLIENT_ID)
        said += CLIENT_PROTOCOL.frame(header, request, Converter("", AddressBook()))
    return said


def operations_of(*names: str) -> list[Operation]:
    """What a datanode can be asked for, under each name of a client."""
    block = Block(2**61, 1001, 0)
    stage = BlockConstructionStage.PIPELINE_SETUP_CREATE
    writes = [WriteBlock(block, name, (), stage, 1, latest_generation_stamp=1001) for name in names]
    return [*writes, ReadBlock(block, names[0], 0, 1), BlockChecksum(block)]
