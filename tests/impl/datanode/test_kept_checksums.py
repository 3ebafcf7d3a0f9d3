"""What hsync has forced survives on a disk that writes sectors whole, in whatever order, and lengths when it likes."""

import random
from collections.abc import Iterator

import pytest
from tests.impl.datanode.one_replica import BLOCK, POOL, SomeWriter
from tests.impl.memory_disk import MemoryDisk

from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.messages.data_transfer import CHUNK_BYTES

SECTOR = 512
DATA = random.Random(1).randbytes(140 * CHUNK_BYTES)


class SectorDisk(MemoryDisk):
    """A disk that may lose power: then each sector, and each length, is one that it had since the file was synced."""

    def __init__(self) -> None:
        super().__init__()
        self.syncs = 0
        self._since: dict[str, list[bytes]] = {}

    def write(self, path: str, offset: int, data: bytes) -> None:
        """As its parent."""
        super().write(path, offset, data)
        self._since.setdefault(path, [b""]).append(bytes(self.files[path]))

    def truncate(self, path: str, length: int) -> None:
        """As its parent."""
        super().truncate(path, length)
        self._since.setdefault(path, [b""]).append(bytes(self.files[path]))

    def sync(self, path: str) -> None:
        """As its parent."""
        self.syncs += 1
        self._since[path] = [bytes(self.files[path])]

    def rename(self, source: str, destination: str) -> None:
        """As its parent."""
        super().rename(source, destination)
        self._since[destination] = self._since.pop(source, [bytes(self.files[destination])])

    def after_power_loss(self, chance: random.Random) -> MemoryDisk:
        """What the next life finds."""
        left = MemoryDisk()
        left.directories = set(self.directories)
        for path, data in self.files.items():
            since = self._since.get(path, [bytes(data)])
            length = len(chance.choice(since))
            sectors = range(0, length, SECTOR)
            kept = (chance.choice(since)[start : start + SECTOR].ljust(SECTOR, b"\0") for start in sectors)
            left.files[path] = bytearray(b"".join(kept)[:length])
        return left


def on(disk: MemoryDisk) -> FsDataset:
    """A life of the datanode over a disk."""
    return FsDataset(disk, POOL, DataNodeConfiguration())


def written(length: int) -> tuple[SectorDisk, FsDataset]:
    """A replica with so many bytes, which were forced to the disk."""
    disk = SectorDisk()
    for directory in ("current/rbw", "current/finalized", "tmp"):
        disk.make_directory(f"current/{POOL}/{directory}")
    dataset = on(disk)
    replica = dataset.create_rbw(BLOCK, SomeWriter())
    dataset.write(replica, 0, DATA[:length], checksums_of(DATA[:length]))
    dataset.hsync(replica)
    return disk, dataset


def appended(dataset: FsDataset, sizes: Iterator[int]) -> None:
    """Append pieces as a client does: the last chunk is sent again from its beginning."""
    replica = dataset.replicas[BLOCK.block_id]
    for size in sizes:
        start = replica.bytes_on_disk // CHUNK_BYTES * CHUNK_BYTES
        piece = DATA[start : replica.bytes_on_disk + size]
        dataset.write(replica, start, piece, checksums_of(piece))


@pytest.mark.parametrize("first_chunk", [0, 122, 125, 126, 127])
@pytest.mark.parametrize("seed", range(12))
def test_what_was_synced_survives_sectors_in_any_order(seed: int, first_chunk: int) -> None:
    chance = random.Random(seed)
    start = first_chunk * CHUNK_BYTES + chance.randrange(1, CHUNK_BYTES)
    disk, dataset = written(start)
    replica = dataset.replicas[BLOCK.block_id]
    synced = start
    for _ in range(chance.randrange(1, 12)):
        appended(dataset, iter([chance.choice([10, 100, 500, 1200])]))
        if chance.random() < 0.4:
            dataset.hsync(replica)
            synced = replica.bytes_on_disk
    for _ in range(5):
        found = on(disk.after_power_loss(chance))
        left = found.replicas[BLOCK.block_id]
        assert left.num_bytes >= synced
        data = found.files.read(left, 0, len(DATA))
        assert data == DATA[: left.num_bytes]
        assert found.files.read_checksums(left, 0, len(data)) == checksums_of(data)


@pytest.mark.parametrize("seed", range(8))
def test_what_was_synced_survives_a_crash_of_the_process_and_then_a_power_loss(seed: int) -> None:
    """Found by a run: the restart found all bytes, in memory, and dropped what vouched for those on the disk."""
    chance = random.Random(seed)
    disk, dataset = written(700)
    appended(dataset, iter([100, 500]))
    assert on(disk).replicas[BLOCK.block_id].num_bytes == 1300
    left = on(disk.after_power_loss(chance)).replicas[BLOCK.block_id]
    assert left.num_bytes >= 700


@pytest.mark.parametrize(("first_chunk", "expected"), [(0, 0), (122, 0), (125, 6), (126, 6)])
def test_an_append_to_a_synced_chunk_syncs_nothing_but_at_the_end_of_a_sector(first_chunk: int, expected: int) -> None:
    disk, dataset = written(first_chunk * CHUNK_BYTES + 300)
    before = disk.syncs
    appended(dataset, iter([100, 100, 100]))
    assert disk.syncs - before == expected


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_finalized_replica_keeps_no_checksum(interrupted: bool) -> None:
    """Nor a place for one that an hsync has made which did not come to its end."""
    disk, dataset = written(700)
    appended(dataset, iter([100]))
    if interrupted:
        replica = dataset.replicas[BLOCK.block_id]
        replica.synced_bytes = 0
        dataset.files.make_place(replica)
    replica = dataset.finalize_block(BLOCK)
    assert disk.size(dataset.files.meta_path(replica)) == 7 + 2 * 4
