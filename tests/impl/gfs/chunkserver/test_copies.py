"""Copies of replicas are whole, of the right version, and never take the place of something newer."""

from collections.abc import Callable

import pytest
from msgspec import structs
from tests.impl.gfs.chunkserver.hands import HANDLE, ByHand, id_of
from tests.impl.gfs.cluster import some_bytes

from genstamp_dfs.gfs.chunkserver.replicas import path_of
from genstamp_dfs.gfs.errors import CorruptReplica
from genstamp_dfs.gfs.messages.chunkserver_protocol import (
    Append,
    Apply,
    Blocks,
    CloneChunk,
    CopyChunk,
    CreateChunk,
    Read,
    ReadBlocks,
    RecordVersion,
    RevokeLease,
    Write,
)
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES, PIECE_BYTES, Limits, Mutation
from genstamp_dfs.world.times import SECOND_US

OTHER = HANDLE + 1
LARGE = Limits(chunk_bytes=4 * PIECE_BYTES, lease_us=10 * SECOND_US)


def written(data: bytes = b"data", **settings: object) -> ByHand:
    """A chunk at c1 and c2 alone, with some bytes."""
    cluster = ByHand(**settings)  # type: ignore[arg-type]
    for name in ("c1", "c2"):
        cluster.ask(name, CreateChunk(HANDLE, 1))
    cluster.grant(2, to=("c1", "c2"))
    cluster.push(1, data, ("c1", "c2"))
    cluster.ask("c1", Write(HANDLE, 2, 0, id_of(1)))
    return cluster


def damage(cluster: ByHand, name: str, handle: int = HANDLE) -> None:
    cluster.machines[name].disk.files[path_of(handle)].data[0] ^= 1


def version_at(cluster: ByHand, name: str, handle: int = HANDLE) -> int:
    found = cluster.chunkservers[name].replicas.find(handle)
    return 0 if found is None else found.file.version


@pytest.mark.slow
def test_a_copy_on_the_same_disk_has_the_bytes_and_a_life_of_its_own() -> None:
    data = some_bytes(3 * PIECE_BYTES + 5)
    cluster = written(data, limits=LARGE)
    cluster.ask("c1", RevokeLease(HANDLE, 2))
    cluster.ask("c1", CopyChunk(HANDLE, 2, OTHER, 1))
    assert cluster.replica("c1", OTHER) == data
    cluster.grant(3, to=("c1", "c2"))
    cluster.push(2, b"new", ("c1", "c2"))
    cluster.ask("c1", Write(HANDLE, 3, 0, id_of(2)))
    assert cluster.replica("c1", OTHER) == data
    assert cluster.replica("c1", HANDLE) == b"new" + data[3:]
    # A request that comes once more leaves what was made of the copy meanwhile.
    cluster.ask("c1", RecordVersion(OTHER, 2))
    assert cluster.refusal("c1", CopyChunk(HANDLE, 2, OTHER, 1)) == "StaleVersion"
    cluster.ask("c1", CopyChunk(HANDLE, 3, OTHER, 1))
    assert (version_at(cluster, "c1", OTHER), cluster.replica("c1", OTHER)) == (2, data)


def test_a_copy_is_made_of_the_version_that_is_asked_for_or_not_at_all() -> None:
    cluster = written()
    assert cluster.refusal("c1", CopyChunk(HANDLE, 1, OTHER, 1)) == "StaleVersion"
    assert cluster.refusal("c1", CopyChunk(HANDLE, 3, OTHER, 1)) == "StaleVersion"
    assert cluster.refusal("c3", CopyChunk(HANDLE, 2, OTHER, 1)) == "ChunkNotFound"
    damage(cluster, "c1")
    assert cluster.refusal("c1", CopyChunk(HANDLE, 2, OTHER, 1)) == "CorruptReplica"
    assert version_at(cluster, "c1", OTHER) == 0
    cluster.restart("c1")
    cluster.pass_time(SECOND_US)
    assert version_at(cluster, "c1", OTHER) == 0


@pytest.mark.slow
def test_a_source_that_changes_while_it_is_copied_gives_no_copy() -> None:
    cluster = written(some_bytes(3 * PIECE_BYTES), limits=LARGE)
    cluster.push(2, b"new", ("c1", "c2"))
    copied = cluster.later("c1", CopyChunk(HANDLE, 2, OTHER, 1))
    cluster.until(lambda: OTHER in cluster.chunkservers["c1"]._copying._being_made)
    file = cluster.chunkservers["c1"].replicas.get(HANDLE).file
    file.write(0, b"new")
    cluster.pass_time(SECOND_US)
    assert type(copied[0]).__name__ == "NoReplica"
    assert version_at(cluster, "c1", OTHER) == 0
    cluster.ask("c1", CopyChunk(HANDLE, 2, OTHER, 1))
    assert cluster.replica("c1", OTHER)[:3] == b"new"


@pytest.mark.slow
def test_a_clone_comes_from_the_first_source_that_has_the_version() -> None:
    data = some_bytes(2 * PIECE_BYTES + 7)
    cluster = written(data, limits=LARGE)
    cluster.ask("c2", RecordVersion(HANDLE, 3))
    assert cluster.refusal("c3", CloneChunk(HANDLE, 3, ("c1", "c9"))) == "NoReplica"
    assert cluster.refusal("c3", CloneChunk(HANDLE, 3, ())) == "NoReplica"
    assert version_at(cluster, "c3") == 0
    cluster.ask("c3", CloneChunk(HANDLE, 3, ("c1", "c9", "c2")))
    assert (version_at(cluster, "c3"), cluster.replica("c3", HANDLE)) == (3, data)
    assert cluster.ask("c3", ReadBlocks(HANDLE, 3, 0, 1)).num_bytes == len(data)
    assert cluster.refusal("c3", ReadBlocks(HANDLE, 2, 0, 1)) == "StaleVersion"
    assert cluster.refusal("c3", ReadBlocks(OTHER, 2, 0, 1)) == "ChunkNotFound"
    assert cluster.refusal("c3", ReadBlocks(HANDLE, 3, 0, 17)) == "OutOfRange"
    assert cluster.refusal("c3", ReadBlocks(HANDLE, 3, -1, 1)) == "OutOfRange"


@pytest.mark.slow
def test_a_clone_comes_in_pieces_with_the_checksums_of_its_blocks_and_padding_takes_no_room() -> None:
    data = some_bytes(3 * PIECE_BYTES + 5)
    cluster = written(data, limits=LARGE)
    cluster.chunkservers["c1"].replicas.get(HANDLE).file.pad(LARGE.chunk_bytes)
    asked = watch_blocks(cluster, "c1")
    cluster.ask("c3", CloneChunk(HANDLE, 2, ("c1",)))
    assert [len(blocks.data) for blocks in asked] == [PIECE_BYTES] * 3 + [5]
    copy, source = (cluster.chunkservers[name].replicas.get(HANDLE).file for name in ("c3", "c1"))
    assert (copy.num_bytes, copy.stored) == (LARGE.chunk_bytes, len(data))
    assert copy.blocks(0, 100) == source.blocks(0, 100)
    assert cluster.replica("c3", HANDLE) == data.ljust(LARGE.chunk_bytes, b"\0")


def watch_blocks(
    cluster: ByHand, name: str, change: Callable[[Blocks], Blocks] = lambda blocks: blocks
) -> list[Blocks]:
    """What a chunkserver gives of its replicas from now on, after something has changed it on its way."""
    core, given = cluster.chunkservers[name], []
    read_blocks = core._read_blocks

    def watched(request: ReadBlocks) -> Blocks:
        given.append(change(read_blocks(request)))
        return given[-1]

    core._read_blocks = watched  # type: ignore[method-assign]
    return given


@pytest.mark.parametrize(
    "changed",
    [
        lambda blocks: structs.replace(blocks, data=bytes([blocks.data[0] ^ 1]) + blocks.data[1:]),
        lambda blocks: structs.replace(blocks, data=blocks.data[:-1]),
        lambda blocks: structs.replace(blocks, data=blocks.data + b"x"),
        lambda blocks: structs.replace(blocks, checksums=blocks.checksums[:-4]),
        lambda blocks: structs.replace(blocks, data=b"", checksums=b""),
    ],
)
def test_blocks_that_do_not_match_their_checksums_when_they_come_are_not_kept(
    changed: Callable[[Blocks], Blocks],
) -> None:
    cluster = written(some_bytes(3_000))
    watch_blocks(cluster, "c1", changed)
    assert cluster.refusal("c3", CloneChunk(HANDLE, 2, ("c1",))) == "NoReplica"
    assert cluster.chunkservers["c3"]._disk.names("chunks") == []
    cluster.ask("c3", CloneChunk(HANDLE, 2, ("c1", "c2")))
    assert cluster.replica("c3", HANDLE) == some_bytes(3_000)


@pytest.mark.slow
def test_a_source_that_changes_between_two_pieces_gives_no_clone() -> None:
    cluster = written(some_bytes(2 * PIECE_BYTES), limits=LARGE)
    file = cluster.chunkservers["c1"].replicas.get(HANDLE).file

    def changes(blocks: Blocks) -> Blocks:
        file.write(0, b"new")
        return blocks

    given = watch_blocks(cluster, "c1", changes)
    assert cluster.refusal("c3", CloneChunk(HANDLE, 2, ("c1",))) == "NoReplica"
    assert len(given) == 2


@pytest.mark.slow
@pytest.mark.parametrize("power_loss", [False, True])
def test_a_crash_at_any_change_to_the_disk_leaves_a_clone_whole_or_none_and_nothing_of_it(power_loss: bool) -> None:
    data, effect = some_bytes(2 * CHECKSUM_BLOCK_BYTES + 9), 0
    while True:
        cluster = written(data, limits=LARGE, clone_bytes=CHECKSUM_BLOCK_BYTES)
        cluster.ask("c3", CreateChunk(HANDLE, 1))
        cluster.crash_at_effect("c3", effect)
        cluster.later("c3", CloneChunk(HANDLE, 2, ("c1",)))
        cluster.pass_time(SECOND_US)
        is_over = cluster.is_up("c3")
        cluster.restart("c3", power_loss=power_loss)
        cluster.pass_time(SECOND_US)
        left = cluster.chunkservers["c3"]._disk.names("chunks")
        assert version_at(cluster, "c3") in (0, 1, 2)
        if version_at(cluster, "c3") == 2:
            assert cluster.replica("c3", HANDLE) == data
        assert not [name for name in left if name.endswith(".copy")]
        assert len(left) == (2 if version_at(cluster, "c3") else 0)
        if is_over:
            break
        effect += 1
    assert effect > 8
    assert version_at(cluster, "c3") == 2


def test_a_damaged_source_gives_no_clone_and_another_one_does() -> None:
    cluster = written(some_bytes(3_000))
    damage(cluster, "c1")
    assert cluster.refusal("c3", CloneChunk(HANDLE, 2, ("c1",))) == "NoReplica"
    assert cluster.refusal("c1", Read(HANDLE, 2, 0, 1)) == "CorruptReplica"
    cluster.ask("c3", CloneChunk(HANDLE, 2, ("c1", "c2")))
    assert cluster.replica("c3", HANDLE) == some_bytes(3_000)
    # The damaged one is replaced in its place.
    cluster.ask("c1", CloneChunk(HANDLE, 2, ("c3",)))
    assert cluster.replica("c1", HANDLE) == some_bytes(3_000)


def test_a_late_request_does_not_clone_over_a_replica_that_has_gone_on() -> None:
    cluster = written()
    cluster.ask("c3", CloneChunk(HANDLE, 2, ("c1",)))
    cluster.grant(3)
    cluster.push(2, b"more")
    assert cluster.ask("c1", Append(HANDLE, 3, id_of(2))) == 4
    for version in (2, 3):
        cluster.ask("c3", CloneChunk(HANDLE, version, ("c1",)))
        assert (version_at(cluster, "c3"), cluster.replica("c3", HANDLE)) == (3, b"datamore")


@pytest.mark.slow
def test_a_stale_replica_that_gets_a_version_while_it_is_cloned_over_keeps_it() -> None:
    cluster = written(some_bytes(3 * PIECE_BYTES), limits=LARGE)
    cluster.ask("c3", CreateChunk(HANDLE, 1))
    cloned = cluster.later("c3", CloneChunk(HANDLE, 2, ("c1",)))
    cluster.until(lambda: HANDLE in cluster.chunkservers["c3"]._copying._being_made)
    cluster.ask("c3", RecordVersion(HANDLE, 5))
    cluster.pass_time(SECOND_US)
    assert cloned == [None]
    assert version_at(cluster, "c3") == 5


@pytest.mark.slow
def test_what_is_being_cloned_takes_no_part() -> None:
    cluster = written(some_bytes(3 * PIECE_BYTES), limits=LARGE, clone_bytes=CHECKSUM_BLOCK_BYTES)
    cloned = cluster.later("c3", CloneChunk(HANDLE, 2, ("c1",)))
    cluster.until(lambda: HANDLE in cluster.chunkservers["c3"]._copying._being_made)
    assert cluster.refusal("c3", CloneChunk(HANDLE, 2, ("c1",))) == "NoReplica"
    assert cluster.refusal("c3", RecordVersion(HANDLE, 3)) == "ChunkNotFound"
    assert cluster.refusal("c3", Read(HANDLE, 2, 0, 1)) == "ChunkNotFound"
    assert cluster.refusal("c3", Apply(HANDLE, 2, Mutation(1, 0, id_of(1), 4))) == "ChunkNotFound"
    cluster.wait_for(cloned)
    # Nor afterwards, before it has recorded a version in this life.
    assert cluster.refusal("c3", Apply(HANDLE, 2, Mutation(2, 0, id_of(1), 4))) == "StaleVersion"


def test_a_damaged_replica_is_told_of_and_made_anew_and_readers_notice_nothing() -> None:
    cluster = ByHand(4)
    cluster.do(cluster.client.create("/f"))
    cluster.do(cluster.client.write("/f", 0, some_bytes(3_000)))
    cluster.pass_time(30 * SECOND_US)
    handle = cluster.handle()
    damage(cluster, cluster.lease().secondaries[0], handle)
    for _ in range(10):
        assert cluster.do(cluster.client.read("/f", 0, 3_000)) == some_bytes(3_000)
    assert corrupt_ones(cluster, handle)
    cluster.until(lambda: not corrupt_ones(cluster, handle) and len(cluster.replicas(handle)) == 3)
    assert set(cluster.replicas(handle).values()) == {some_bytes(3_000)}


def corrupt_ones(cluster: ByHand, handle: int) -> list[str]:
    found = {name: core.replicas.find(handle) for name, core in cluster.chunkservers.items()}
    return [name for name, replica in found.items() if replica is not None and replica.is_corrupt]


def test_damage_that_nobody_reads_is_found_by_the_scan() -> None:
    cluster = written(scan_period_us=SECOND_US)
    damage(cluster, "c2")
    cluster.until(lambda: corrupt_ones(cluster, HANDLE) == ["c2"], for_us=10 * SECOND_US)
    with pytest.raises(CorruptReplica):
        cluster.bytes_of("c2")
    assert cluster.bytes_of("c1") == b"data"


def test_garbage_is_deleted_in_the_version_that_the_master_speaks_of_and_no_higher_one() -> None:
    cluster = written()
    cluster.ask("c2", RevokeLease(HANDLE, 2))
    for name, version in (("c1", 2), ("c2", 1)):
        cluster.chunkservers[name]._reporting._delete(((HANDLE, version),))
    # c1 holds the lease: the master speaks of an earlier time.
    assert (version_at(cluster, "c1"), version_at(cluster, "c2")) == (2, 2)
    cluster.ask("c1", RevokeLease(HANDLE, 2))
    for name in ("c1", "c2"):
        cluster.chunkservers[name]._reporting._delete(((HANDLE, 2), (OTHER, 9)))
        assert cluster.refusal(name, Read(HANDLE, 1, 0, 1)) == "ChunkNotFound"
        cluster.restart(name)
        cluster.pass_time(SECOND_US)
        assert version_at(cluster, name) == 0


def test_chunks_of_deleted_files_go() -> None:
    cluster = ByHand()
    cluster.do(cluster.client.create("/f"))
    cluster.do(cluster.client.append("/f", b"data"))
    handle = cluster.handle()
    hidden = cluster.do(cluster.client.delete("/f"))
    cluster.do(cluster.client.delete(hidden))
    cluster.until(lambda: all(core.replicas.find(handle) is None for core in cluster.chunkservers.values()))


def test_a_clone_without_room_is_refused_and_leaves_nothing() -> None:
    cluster = written(some_bytes(3_000))
    cluster.fill_disk("c3", 100)
    assert cluster.refusal("c3", CloneChunk(HANDLE, 2, ("c1", "c2"))) == "NoRoom"
    assert cluster.chunkservers["c3"]._disk.names("chunks") == []
    cluster.fill_disk("c3", None)
    cluster.pass_time(61 * SECOND_US)
    cluster.ask("c3", CloneChunk(HANDLE, 2, ("c1", "c2")))
    assert cluster.replica("c3", HANDLE) == some_bytes(3_000)
