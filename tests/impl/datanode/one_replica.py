"""A datanode with one replica, in whatever state a test wants it."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from tests.impl.memory_disk import MemoryDisk

from genstamp_dfs.errors import (
    HdfsIOException,
)
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.messages.data_transfer import CHUNK_BYTES
from genstamp_dfs.hdfs.messages.datanode_protocol import ReceivedStatus
from genstamp_dfs.hdfs.protocol import Block, ReplicaState, Semantics

POOL = "BP-1"
BLOCK = Block(7, 1001, 0)
DATA = bytes(range(250)) * 3
F, RBW, RWR, RUR, TEMPORARY = ReplicaState
NOT_RBW = [F, RWR, RUR, TEMPORARY]
NEITHER = [RWR, RUR, TEMPORARY]


@dataclass
class SomeWriter:
    """A writer that ends when it is told to, or only later."""

    is_alive: bool = True
    has_last_packet: bool = False
    is_slow: bool = False

    def interrupt(self) -> None:
        self.is_alive = self.is_slow

    async def join(self, timeout_us: int) -> bool:
        del timeout_us
        return not self.is_alive


@dataclass
class Datanode:
    """A dataset with its disk, and the incremental reports that it owes."""

    disk: MemoryDisk
    dataset: FsDataset
    reports: list[tuple[Block, ReceivedStatus]]

    def write(self, data: bytes = DATA, acked: int | None = None) -> Replica:
        """Add bytes to the replica; all of them are acknowledged if nothing else is said."""
        replica = self.dataset.replicas[BLOCK.block_id]
        start = replica.bytes_on_disk
        room = -start % CHUNK_BYTES
        for piece in (data[:room], data[room:]):
            self.dataset.write(replica, replica.bytes_on_disk, piece, checksums_of(piece))
        self.dataset.acknowledge(replica, replica.num_bytes if acked is None else acked)
        return replica

    def data(self, block_id: int = BLOCK.block_id) -> bytes:
        replica = self.dataset.replicas[block_id]
        data = self.dataset.files.read(replica, 0, len(DATA) * 2)
        assert self.dataset.files.read_checksums(replica, 0, len(data)) == checksums_of(data)
        assert len(data) == replica.bytes_on_disk == replica.num_bytes
        return data


def empty(semantics: Semantics = Semantics.REPAIRED) -> Datanode:
    disk, reports = MemoryDisk(), list[tuple[Block, ReceivedStatus]]()
    for directory in ("current/rbw", "current/finalized", "tmp"):
        disk.make_directory(f"current/{POOL}/{directory}")
    configuration = DataNodeConfiguration(semantics=semantics)
    dataset = FsDataset(disk, POOL, configuration, lambda block, status: reports.append((block, status)))
    return Datanode(disk, dataset, reports)


def with_replica(state: ReplicaState, semantics: Semantics = Semantics.REPAIRED) -> Datanode:
    """One replica with all its bytes; its writer, if the state has one, ends when it is told to. RUR over FINALIZED."""
    datanode = empty(semantics)
    if state is TEMPORARY:
        datanode.dataset.create_temporary(BLOCK, SomeWriter(), is_transfer=False)
    else:
        datanode.dataset.create_rbw(BLOCK, SomeWriter())
    replica = datanode.write()
    if state in (F, RUR):
        datanode.dataset.finalize_block(BLOCK)
    if state is RUR:
        datanode.dataset.init_replica_recovery(BLOCK, 1002)
    if state is RWR:
        replica.state, replica.writer = RWR, None
    datanode.reports.clear()
    return datanode


@contextmanager
def refused(datanode: Datanode, exception: type[HdfsIOException], match: str | None = None) -> Iterator[None]:
    """The body must raise exactly this exception and leave replicas, files and reports as they were."""
    before = copy.deepcopy((datanode.dataset.replicas, datanode.disk.files, datanode.reports))
    for replica in before[0].values():
        replica.writer = None
    with pytest.raises(exception, match=match) as caught:
        yield
    assert type(caught.value) is exception
    after = copy.deepcopy((datanode.dataset.replicas, datanode.disk.files, datanode.reports))
    for replica in after[0].values():
        replica.writer = None
    assert after == before
