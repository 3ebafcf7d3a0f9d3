"""A replica on a disk: what was written is there, whenever its process or its machine died, and rot is noticed."""

import random
from collections.abc import Callable

import pytest

from genstamp_dfs.errors import DiskFullError
from genstamp_dfs.gfs.chunkserver import chunk_file
from genstamp_dfs.gfs.chunkserver.chunk_file import ChunkFile, log_of
from genstamp_dfs.gfs.chunkserver.replicas import DIRECTORY, Replicas, path_of
from genstamp_dfs.gfs.errors import ChunkNotFound, CorruptReplica, OutOfRange, StaleVersion
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, ProcessCrashedError

BLOCK = CHECKSUM_BLOCK_BYTES
CHUNK = 4 * BLOCK
HANDLE = 0x2A
PATH = path_of(HANDLE)


class World:
    """A world without time."""

    node = "chunkserver1"

    def now_us(self) -> int:
        return 0


def life_of(disk: SimulatedDisk, crash_at: int | None = None, seed: int = 0) -> DiskOfLife:
    return DiskOfLife(disk, Life("chunkserver"), random.Random(seed), crash_at)


def loaded(disk: SimulatedDisk, crash_at: int | None = None, seed: int = 0) -> Replicas:
    replicas = Replicas(World(), life_of(disk, crash_at, seed), CHUNK)  # type: ignore[arg-type]
    replicas.load()
    return replicas


def created(disk: SimulatedDisk, version: int = 3) -> ChunkFile:
    replicas = loaded(disk)
    file = replicas.new_file(HANDLE)
    file.begin()
    file.finish(version)
    replicas.add(HANDLE, file)
    return file


def found(disk: SimulatedDisk) -> ChunkFile:
    return loaded(disk).get(HANDLE).file


def all_of(file: ChunkFile) -> bytes:
    return file.read(0, CHUNK)


def some_change(draw: random.Random, length: int) -> tuple[int, bytes]:
    """An offset and bytes, often at the end, or at the edge of a block; at times behind a hole."""
    offset = draw.choice((length, length, draw.randrange(length + 1), length + draw.randrange(BLOCK), BLOCK, 0))
    size = draw.choice((1, draw.randrange(1, 300), BLOCK - offset % BLOCK, BLOCK, BLOCK + draw.randrange(1, 500)))
    offset = min(offset, CHUNK - 1)
    return offset, draw.randbytes(min(size, CHUNK - offset))


def changed(before: bytes, offset: int, data: bytes) -> bytes:
    """What a change makes of bytes."""
    grown = before.ljust(offset, b"\0")
    return grown[:offset] + data + grown[offset + len(data) :]


def test_what_was_written_is_read_in_this_life_and_the_next() -> None:
    for seed in range(25):
        draw = random.Random(seed)
        disk = SimulatedDisk()
        file = created(disk)
        wanted = b""
        for _ in range(12):
            if draw.random() < 0.1:
                file.pad(len(wanted) + (CHUNK - len(wanted)) // 2)
                wanted = wanted.ljust(file.num_bytes, b"\0")
            else:
                offset, data = some_change(draw, len(wanted))
                file.write(offset, data)
                wanted = changed(wanted, offset, data)
            assert (all_of(file), file.num_bytes) == (wanted, len(wanted)), seed
            start = draw.randrange(len(wanted)) if wanted else 0
            size = draw.randrange(BLOCK)
            assert file.read(start, min(size, CHUNK - start)) == wanted[start : start + size]
            if draw.random() < 0.3:
                file = found(disk)
                assert all_of(file) == wanted, seed


@pytest.mark.parametrize("power_loss", [False, True])
def test_whenever_it_dies_a_replica_is_as_before_a_change_or_after_it(power_loss: bool) -> None:
    crashes = 0
    for seed in range(30):
        draw = random.Random(seed)
        disk = SimulatedDisk()
        file = created(disk)
        before = draw.randbytes(draw.choice((0, 5, BLOCK - 3, BLOCK, BLOCK + 700)))
        file.write(0, before)
        life_of(disk).sync(log_of(PATH))
        offset, data = some_change(draw, len(before))
        after = changed(before, offset, data)
        at = 0
        while True:
            at += 1
            torn = disk.copy()
            try:
                loaded(torn, at, seed).get(HANDLE).file.write(offset, data)
            except ProcessCrashedError:
                crashes += 1
            else:
                break
            if power_loss:
                torn.lose_power(draw)
            left = found(torn)
            assert all_of(left) in (before, after), (seed, at)
            assert left.version == 3
            # It can be written to, and then everything is as if nothing had happened.
            left.write(offset, data)
            assert all_of(found(torn)) == after, (seed, at)
    assert crashes > 60


def test_what_was_forced_to_the_disk_outlives_the_power(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_file, "LOG_BYTES", BLOCK)
    for seed in range(40):
        draw = random.Random(seed)
        disk = SimulatedDisk()
        file = created(disk)
        states = [b""]
        synced = 0
        for _ in range(8):
            offset, data = some_change(draw, len(states[-1]))
            file.write(offset, data)
            states.append(changed(states[-1], offset, data))
            if draw.random() < 0.3:
                life_of(disk).sync(log_of(PATH))
                synced = len(states) - 1
        disk.lose_power(draw)
        assert all_of(found(disk)) in states[synced:], seed


def test_a_version_is_there_after_its_log_was_forced_to_the_disk() -> None:
    disk = SimulatedDisk()
    file = created(disk, 1)
    file.record_version(7)
    life_of(disk).sync(log_of(PATH))
    disk.lose_power(random.Random(1))
    assert found(disk).version == 7


@pytest.mark.parametrize("place", [0, BLOCK - 1, BLOCK, 2 * BLOCK + 5])
def test_a_bit_that_rots_is_noticed_by_reading_verifying_and_writing_around_it(place: int) -> None:
    harms: tuple[Callable[[ChunkFile], object], ...] = (
        lambda file: file.read(place, 1),
        lambda file: file.write(place, b"x"),
        lambda file: file.verify(),
    )
    for harm in harms:
        disk = SimulatedDisk()
        file = created(disk)
        file.write(0, random.Random(0).randbytes(2 * BLOCK + 10))
        disk.files[PATH].data[place] ^= 1
        with pytest.raises(CorruptReplica, match=f"block {place // BLOCK} of {PATH} does not match its checksum"):
            harm(file)


def test_a_log_that_is_damaged_in_its_middle_is_a_corrupt_replica() -> None:
    disk = SimulatedDisk()
    file = created(disk)
    file.write(0, b"first")
    file.write(5, b"second")
    disk.files[log_of(PATH)].data[20] ^= 1
    replicas = loaded(disk)
    with pytest.raises(CorruptReplica):
        replicas.get(HANDLE)


@pytest.mark.parametrize("left", [0, 7])
def test_a_log_without_a_whole_first_frame_is_a_corrupt_replica(left: int) -> None:
    disk = SimulatedDisk()
    created(disk)
    del disk.files[log_of(PATH)].data[left:]
    with pytest.raises(CorruptReplica):
        loaded(disk).get(HANDLE)


def test_logs_do_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_file, "LOG_BYTES", 4096)
    disk = SimulatedDisk()
    file = created(disk)
    for number in range(2000):
        file.write(number % 50, b"x")
    assert len(disk.files[log_of(PATH)].data) < 5000
    assert all_of(found(disk)) == b"x" * 50


def test_a_chunk_that_is_padded_takes_no_room() -> None:
    disk = SimulatedDisk()
    file = created(disk)
    file.write(0, b"record")
    file.pad(CHUNK)
    assert len(disk.files[PATH].data) == 6
    assert all_of(found(disk)) == b"record".ljust(CHUNK, b"\0")


@pytest.mark.parametrize("offset", [-1, CHUNK - 3, CHUNK + 1])
def test_bytes_outside_of_a_chunk_are_refused(offset: int) -> None:
    disk = SimulatedDisk()
    file = created(disk)
    with pytest.raises(OutOfRange):
        file.write(offset, b"four")
    with pytest.raises(OutOfRange):
        file.read(offset, 4)
    assert file.num_bytes == 0


def test_what_is_no_replica_is_removed() -> None:
    disk = SimulatedDisk()
    created(disk)
    here = life_of(disk)
    half, strange = path_of(3), f"{DIRECTORY}/letter"
    for name in (half, f"{log_of(PATH)}.tmp", strange, f"{DIRECTORY}/00ff.log"):
        here.create(name)
    assert [replica.handle for replica in loaded(disk)] == [HANDLE]
    assert here.names(DIRECTORY) == [PATH.rpartition("/")[2], log_of(PATH).rpartition("/")[2]]


def test_a_deletion_that_is_cut_short_leaves_no_replica() -> None:
    crashes = 0
    for at in range(1, 10):
        disk = SimulatedDisk()
        created(disk)
        try:
            loaded(disk, at).delete(HANDLE)
        except ProcessCrashedError:
            crashes += 1
        left = loaded(disk)
        assert len(left) == 0 or all_of(left.get(HANDLE).file) == b""
    assert crashes > 1


def test_replicas_are_found_by_handle_and_version() -> None:
    disk = SimulatedDisk()
    created(disk, 5)
    replicas = loaded(disk)
    assert replicas.get_of(HANDLE, 5).file.num_bytes == 0
    refused: list[tuple[type[Exception], Callable[[], object]]] = [
        (StaleVersion, lambda: replicas.get_of(HANDLE, 4)),
        (StaleVersion, lambda: replicas.get_of(HANDLE, 6)),
        (ChunkNotFound, lambda: replicas.get(2)),
    ]
    for kind, call in refused:
        with pytest.raises(kind):
            call()


@pytest.mark.parametrize("room", range(0, 700, 9))
def test_what_a_full_disk_has_no_room_for_changes_nothing(room: int) -> None:
    disk = SimulatedDisk()
    replicas = loaded(disk)
    file = replicas.new_file(HANDLE)
    file.begin()
    file.fill(b"a" * 100)
    file.finish(1)
    replicas.add(HANDLE, file)
    disk.room = room
    expected, refused = b"a" * 100, 0
    for letter in (b"b", b"c"):
        try:
            file.write(50, letter * 200)
        except DiskFullError:
            refused += 1
        else:
            expected = b"a" * 50 + letter * 200
    assert refused or room > 600
    found = loaded(disk).get(HANDLE).file
    for one in (file, found):
        assert one.read(0, CHUNK) == expected
        assert one.num_bytes == len(expected)
    disk.room = None
    found.write(0, b"d" * 300)
    assert loaded(disk).get(HANDLE).file.read(0, CHUNK) == b"d" * 300
