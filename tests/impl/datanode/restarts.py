"""Datanodes that start over what a disk has."""

import random
from collections.abc import Callable

from tests.impl.datanode.scripted_namenode import NoWriter

from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.protocol import Block, ReplicaState, Semantics
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life

POOL = "BP-1"
RBW_DIRECTORY = f"current/{POOL}/current/rbw"
BLOCK = Block(7, 1001, 0)
DATA = random.Random(1).randbytes(1500)
F, RBW, RWR, RUR, TEMPORARY = ReplicaState
Operation = Callable[[FsDataset], None]


def start(
    disk: SimulatedDisk,
    semantics: Semantics = Semantics.REPAIRED,
    crash_at: int | None = None,
    seed: int = 0,
    now_ms: int = 0,
) -> FsDataset:
    """A life of the datanode over the disk."""
    life = DiskOfLife(disk, Life("datanode1"), random.Random(seed))
    for directory in ("current/rbw", "current/finalized", "tmp"):
        life.make_directory(f"current/{POOL}/{directory}")
    dataset = FsDataset(life, POOL, DataNodeConfiguration(semantics=semantics), now_ms=now_ms)
    life.effects, life.crash_at = 0, crash_at
    return dataset


def write(dataset: FsDataset, start_at: int, end: int) -> None:
    replica = dataset.replicas[7]
    dataset.write(replica, start_at, DATA[start_at:end], checksums_of(DATA[start_at:end]))
    dataset.acknowledge(replica, end)


def written(disk: SimulatedDisk, length: int, *, finalized: bool = False, sync: bool = False) -> FsDataset:
    """A replica with so many bytes of DATA, all acknowledged, and none of its names in danger."""
    dataset = start(disk)
    dataset.create_rbw(BLOCK, NoWriter())
    dataset.files.disk.sync_directory(RBW_DIRECTORY)
    write(dataset, 0, length)
    if sync:
        dataset.hsync(dataset.replicas[7])
    if finalized:
        dataset.finalize_block(BLOCK)
    return dataset


def content(dataset: FsDataset, replica: Replica) -> bytes:
    """The bytes of a replica, which must be as many as memory says and match their checksums."""
    data = dataset.files.read(replica, 0, 10_000)
    assert len(data) == replica.num_bytes == replica.bytes_on_disk
    assert dataset.files.read_checksums(replica, 0, len(data)) == checksums_of(data)
    return data
