"""A replica on a disk: what was written is there, whenever its process died, and bits that rot are noticed."""

import random
from collections.abc import Callable

import pytest

from genstamp_dfs.gfs.chunkserver.replica_file import COMPACT_BYTES, META, ReplicaFile, data_path
from genstamp_dfs.gfs.chunkserver.replicas import UNFINISHED, Replicas
from genstamp_dfs.gfs.errors import ChunkNotFound, CorruptReplica, StaleVersion
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES, ReplicaReport
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, ProcessCrashedError

BLOCK = CHECKSUM_BLOCK_BYTES
HANDLE = 0x2A


def life_of(disk: SimulatedDisk, crash_at: int | None = None, seed: int = 0) -> DiskOfLife:
    return DiskOfLife(disk, Life("chunkserver"), random.Random(seed), crash_at)


def loaded(disk: SimulatedDisk) -> Replicas:
    replicas = Replicas(life_of(disk))
    replicas.load()
    return replicas


def all_of(replica: ReplicaFile) -> bytes:
    return replica.read(0, replica.length + 1)


def some_change(draw: random.Random, length: int) -> tuple[int, bytes, bool]:
    """An offset, bytes, and whether they are written as padding is; often at the end, or at the edge of a block."""
    offset = draw.choice((length, length, draw.randrange(length + 1), length + draw.randrange(BLOCK), BLOCK, 0))
    size = draw.choice((1, draw.randrange(1, 300), BLOCK - offset % BLOCK, BLOCK, BLOCK + draw.randrange(1, 500)))
    is_padding = draw.random() < 0.2
    return offset, bytes(size) if is_padding else draw.randbytes(size), is_padding


def changed(before: bytes, offset: int, data: bytes) -> bytes:
    """What a change makes of bytes."""
    grown = before.ljust(offset, b"\0")
    return grown[:offset] + data + grown[offset + len(data) :]


def change(replica: ReplicaFile, offset: int, data: bytes, is_padding: bool) -> None:
    if is_padding:
        replica.write_zeros(offset, offset + len(data))
    else:
        replica.write(offset, data)


def test_what_was_written_is_read_in_this_life_and_the_next() -> None:
    for seed in range(25):
        draw = random.Random(seed)
        disk = SimulatedDisk()
        replicas = loaded(disk)
        replica = replicas.create(HANDLE, 3)
        wanted = b""
        for _ in range(12):
            offset, data, is_padding = some_change(draw, len(wanted))
            change(replica, offset, data, is_padding)
            wanted = changed(wanted, offset, data)
            assert (all_of(replica), replica.length) == (wanted, len(wanted)), seed
            start, size = draw.randrange(len(wanted)), draw.randrange(BLOCK)
            assert replica.read(start, size) == wanted[start : start + size]
            if draw.random() < 0.3:
                replica = loaded(disk).whole(HANDLE)
                assert all_of(replica) == wanted, seed


def test_whenever_the_process_dies_every_byte_is_the_old_one_or_the_new_one() -> None:
    crashes = 0
    for seed in range(30):
        draw = random.Random(seed)
        disk = SimulatedDisk()
        replica = loaded(disk).create(HANDLE, 3)
        before = draw.randbytes(draw.choice((0, 5, BLOCK - 3, BLOCK, BLOCK + 700)))
        replica.write(0, before)
        offset, data, is_padding = some_change(draw, len(before))
        after = changed(before, offset, data)
        at = 0
        while True:
            at += 1
            torn = disk.copy()
            replicas = Replicas(life_of(torn, at, seed))
            try:
                replicas.load()
                change(replicas.whole(HANDLE), offset, data, is_padding)
            except ProcessCrashedError:
                crashes += 1
            else:
                break
            left = loaded(torn).whole(HANDLE)
            found = all_of(left)
            assert left.version == 3
            assert len(torn.files[data_path(HANDLE)].data) == left.length
            assert len(before) <= len(found) <= len(after), (seed, at)
            strange = [at for at, byte in enumerate(found) if byte not in (*before[at : at + 1], *after[at : at + 1])]
            assert not strange, (seed, at)
            # It can be written to, and then everything is as if nothing had happened.
            change(left, offset, data, is_padding)
            assert all_of(loaded(torn).whole(HANDLE)) == after, (seed, at)
    assert crashes > 100


def test_a_version_is_there_after_a_power_cut() -> None:
    disk = SimulatedDisk()
    loaded(disk).create(HANDLE, 1).record_version(7)
    disk.lose_power(random.Random(1))
    assert loaded(disk).whole(HANDLE).version == 7


def test_after_a_power_cut_no_byte_is_given_that_was_not_written() -> None:
    noticed = 0
    for seed in range(60):
        draw = random.Random(seed)
        disk = SimulatedDisk()
        replica = loaded(disk).create(HANDLE, 1)
        wanted = b""
        for _ in range(4):
            offset, data, is_padding = some_change(draw, len(wanted))
            change(replica, offset, data, is_padding)
            wanted = changed(wanted, offset, data)
        disk.lose_power(draw)
        left = loaded(disk).find(HANDLE)
        assert left is not None
        try:
            assert len(all_of(left)) <= len(wanted)
        except CorruptReplica:
            noticed += 1
            assert left.is_corrupt
    assert noticed > 5


@pytest.mark.parametrize("place", [0, BLOCK - 1, BLOCK, 2 * BLOCK + 5])
def test_a_bit_that_rots_is_noticed_by_reading_and_by_writing_around_it(place: int) -> None:
    harms: tuple[Callable[[ReplicaFile], object], ...] = (
        lambda one: one.read(place, 1),
        lambda one: one.write(place, b"x"),
    )
    for harm in harms:
        disk = SimulatedDisk()
        replica = loaded(disk).create(HANDLE, 1)
        replica.write(0, random.Random(0).randbytes(2 * BLOCK + 10))
        disk.files[data_path(HANDLE)].data[place] ^= 1
        with pytest.raises(CorruptReplica, match=f"block {place // BLOCK} of chunk 42 does not match its checksum"):
            harm(replica)
        with pytest.raises(CorruptReplica):
            replica.write(replica.length, b"more")
        other = (place // BLOCK + 1) % 2 * BLOCK
        with pytest.raises(CorruptReplica):
            replica.read(other, 1)


def test_frames_do_not_grow_without_end() -> None:
    disk = SimulatedDisk()
    replica = loaded(disk).create(HANDLE, 1)
    for number in range(3 * COMPACT_BYTES // 20):
        replica.write(number % 50, b"x")
    assert len(disk.files[data_path(HANDLE) + META].data) < COMPACT_BYTES + 1000
    assert all_of(loaded(disk).whole(HANDLE)) == b"x" * 50


def test_what_is_no_replica_is_removed() -> None:
    disk = SimulatedDisk()
    replicas = loaded(disk)
    replicas.create(1, 5).write(0, b"one")
    replicas.create(2, UNFINISHED).write(0, b"half a copy")
    here = life_of(disk)
    for name in ("chunks/0000000000000003", "chunks/0000000000000001.meta.tmp", "chunks/letter"):
        here.create(name)
    again = loaded(disk)
    assert again.reports() == [ReplicaReport(1, 5, 3)]
    assert life_of(disk).names("chunks") == ["0000000000000001", "0000000000000001.meta"]


def test_replicas_are_found_by_handle_and_version() -> None:
    replicas = loaded(SimulatedDisk())
    replicas.create(1, 5)
    assert replicas.at_version(1, 5).length == 0
    refused: list[tuple[type[Exception], Callable[[], object]]] = [
        (StaleVersion, lambda: replicas.at_version(1, 4)),
        (StaleVersion, lambda: replicas.at_version(1, 6)),
        (ChunkNotFound, lambda: replicas.whole(2)),
    ]
    for kind, call in refused:
        with pytest.raises(kind):
            call()
    replicas.delete(1)
    replicas.delete(1)
    assert replicas.find(1) is None
    assert replicas.num_bytes() == 0
