"""A namenode on a bench: its disk, its clock and its datanodes are in the test's hands."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from tests.impl import memory_disk

from genstamp_dfs.errors import DiskError, HdfsIOException
from genstamp_dfs.events import Event, EventLog
from genstamp_dfs.hdfs.messages.client_protocol import (
    AddBlock,
    Complete,
    Create,
    CreateFlag,
    RecoverLease,
    SafeModeAction,
    SetSafeMode,
)
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    BlockReceivedAndDeleted,
    BlockReport,
    CommitBlockSynchronization,
    ReceivedDeletedBlock,
    ReceivedStatus,
    RegisterDatanode,
    SendHeartbeat,
)
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.hdfs.namenode.image_state import image_of
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.protocol import Block, LocatedBlock, ReplicaState, ReportedReplica
from genstamp_dfs.world.request import Caller, Request

BLOCK_SIZE = 10


class Clock:
    """Time that goes on when a test says so."""

    def __init__(self) -> None:
        self.us = 0

    def now_us(self) -> int:
        return self.us

    def time_ms(self) -> int:
        return 1_000_000 + self.us // 1_000


class MemoryDisk(memory_disk.MemoryDisk):
    """Files in memory; `fails` makes the next sync fail."""

    def __init__(self) -> None:
        super().__init__()
        self.fails = False
        self.syncs = 0

    def sync(self, path: str) -> None:
        if self.fails:
            raise DiskError(f"{path}: no space left")
        self.syncs += 1

    def copy(self) -> "MemoryDisk":
        """Another disk with the same files."""
        other = MemoryDisk()
        other.files = {path: bytearray(data) for path, data in self.files.items()}
        other.directories = set(self.directories)
        return other


class Bench:
    """A namenode with three datanodes, `a`, `b` and `c`, unless told otherwise."""

    def __init__(self, datanodes: str = "abc", disk: MemoryDisk | None = None, **settings: Any) -> None:
        settings = {"minimal_block_size": 1, "block_size": BLOCK_SIZE, **settings}
        self.configuration = NameNodeConfiguration(**settings)
        self.clock = Clock()
        self.disk = MemoryDisk() if disk is None else disk
        self.events = EventLog("BP-test")
        self.datanodes = datanodes
        self.start()
        for datanode in datanodes:
            self.register(datanode)

    def start(self) -> None:
        """A new process over the same disk; datanodes are not known yet."""
        self.namenode = NameNode(self.configuration, self.disk, self.clock, random.Random(7), self.events)
        self.namesystem = self.namenode.namesystem
        self.blocks = self.namesystem.block_manager

    def leave_safe_mode(self) -> None:
        """An administrator ends safe mode, whatever was reported."""
        self.ask(SetSafeMode(SafeModeAction.LEAVE))

    # -- calls --------------------------------------------------------------------------------------------------

    def ask(self, request: Request[Any], machine: str = "client1", client_id: bytes = b"", call_id: int = -1) -> Any:
        """A call, synced if its answer waits for that."""
        try:
            return self.namenode.handle(request, Caller(machine, client_id, call_id))
        finally:
            if self.namenode.needs_sync:
                self.namenode.log_sync()

    def create(self, path: str = "/f", client: str = "client1", **others: Any) -> Any:
        flag = others.pop("flag", CreateFlag.CREATE)
        return self.ask(Create(path, client, flag, block_size=BLOCK_SIZE, **others), client)

    def add_block(self, path: str = "/f", client: str = "client1", previous: Block | None = None) -> LocatedBlock:
        located: LocatedBlock = self.ask(AddBlock(path, client, previous), client)
        return located

    def complete(self, path: str = "/f", client: str = "client1", last: Block | None = None) -> bool:
        return bool(self.ask(Complete(path, client, last), client))

    def recover_lease(self, path: str = "/f", client: str = "client2") -> bool:
        return bool(self.ask(RecoverLease(path, client), client))

    def commit(self, block: Block, recovery_id: int, length: int, targets: str = "a", **others: Any) -> None:
        others = {"close_file": True, "delete_block": False, **others}
        self.ask(CommitBlockSynchronization(block, recovery_id, length, new_targets=tuple(targets), **others), "a")

    # -- datanodes ----------------------------------------------------------------------------------------------

    def register(self, datanode: str) -> None:
        self.ask(RegisterDatanode(datanode, self.namenode.namespace.block_pool_id), datanode)

    def heartbeat(self, datanode: str, **sizes: int) -> Any:
        return self.ask(SendHeartbeat(datanode, **sizes), datanode)

    def heartbeats(self) -> None:
        for datanode in self.datanodes:
            self.heartbeat(datanode)

    def received(self, block: Block, datanode: str, status: ReceivedStatus = ReceivedStatus.RECEIVED) -> None:
        self.ask(BlockReceivedAndDeleted(datanode, (ReceivedDeletedBlock(block, status),)), datanode)

    def report(self, datanode: str, *replicas: tuple[Block, ReplicaState]) -> None:
        reported = (ReportedReplica(b.block_id, b.generation_stamp, b.num_bytes, state) for b, state in replicas)
        self.ask(BlockReport(datanode, tuple(reported)), datanode)

    def pass_ms(self, ms: int, silent: bool = False) -> None:
        """Time passes, in which datanodes were heard of unless they are silent, and what is due by then is done."""
        self.clock.us += ms * 1_000
        manager = self.namesystem.datanode_manager
        for datanode in [] if silent else manager.live_datanodes():
            manager.heard_of(manager.datanodes[datanode], self.clock.us)
        self.namenode.tick()
        if self.namenode.needs_sync:
            self.namenode.log_sync()

    # -- whole files --------------------------------------------------------------------------------------------

    def write(self, path: str = "/f", client: str = "client1", length: int = 3, datanodes: str = "abc") -> Block:
        """An open file with a block of so many bytes, which datanodes have finalized; the client's view of it."""
        self.create(path, client)
        block = self.add_block(path, client).block
        block = msgspec.structs.replace(block, num_bytes=length)
        for datanode in datanodes:
            self.received(block, datanode)
        return block

    def write_closed(self, path: str = "/f", client: str = "client1", length: int = 3, datanodes: str = "abc") -> Block:
        """A closed file of one block."""
        block = self.write(path, client, length, datanodes)
        assert self.complete(path, client, block)
        return block

    # -- looking ------------------------------------------------------------------------------------------------

    def inode(self, path: str = "/f") -> INodeFile:
        return self.namesystem.directory.file_at(path)

    def last(self, path: str = "/f") -> BlockInfo:
        block = self.inode(path).last_block()
        assert block is not None
        return block

    def holders(self) -> dict[str, list[str]]:
        """The files of each lease."""
        inodes = self.namesystem.directory.inodes
        leases = self.namesystem.lease_manager.leases.values()
        return {lease.holder: sorted(inodes[file].path for file in lease.files) for lease in leases}

    def durable(self) -> Any:
        """What a restart must bring back."""
        image = image_of(self.namesystem, self.namenode.retry_cache, 0)
        return msgspec.structs.replace(image, inodes=tuple(sorted(image.inodes, key=lambda inode: inode.file_id)))

    def state(self) -> Any:
        """All that a refused call must leave as it is."""
        blocks = {
            block.block_id: (
                block.as_block(),
                block.state,
                block.expected_locations(),
                dict(block.stored),
                dict(block.corrupt),
                set(block.excess),
                block.block_recovery_id,
            )
            for block in self.blocks.blocks.values()
        }
        datanodes = {
            each.name: (each.is_alive, list(each.recover_blocks), dict(each.invalidate_blocks))
            for each in self.namesystem.datanode_manager.datanodes.values()
        }
        updates = {lease.holder: lease.last_update_us for lease in self.namesystem.lease_manager.leases.values()}
        return self.durable(), blocks, datanodes, self.holders(), updates, self.namenode.edit_log.last_transaction

    @contextmanager
    def refused(self, exception: type[HdfsIOException], match: str | None = None) -> Iterator[None]:
        """The body must raise exactly this exception, and change nothing."""
        before = self.state()
        with pytest.raises(exception, match=match) as caught:
            yield
        assert type(caught.value) is exception
        assert self.state() == before

    def events_named(self, event: str) -> list[Event]:
        return [each for each in self.events.events if each.event == event]


@pytest.fixture
def bench() -> Bench:
    """A namenode with three datanodes."""
    return Bench()


@pytest.fixture
def new_bench() -> Callable[..., Bench]:
    """Makes namenodes of other settings."""
    return Bench
