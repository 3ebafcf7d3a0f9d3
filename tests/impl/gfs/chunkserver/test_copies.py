"""Copies of replicas are whole, of the right version, and never take the place of something newer."""

import pytest
from tests.impl.gfs.chunkserver.hands import HANDLE, ByHand, id_of
from tests.impl.gfs.cluster import some_bytes

from genstamp_dfs.gfs.chunkserver.replicas import path_of
from genstamp_dfs.gfs.errors import CorruptReplica
from genstamp_dfs.gfs.messages.chunkserver_protocol import (
    Append,
    Apply,
    CloneChunk,
    CopyChunk,
    CreateChunk,
    GetReplicaLength,
    Read,
    RecordVersion,
    RevokeLease,
    Write,
)
from genstamp_dfs.gfs.protocol import PIECE_BYTES, Limits, Mutation
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


def test_a_clone_comes_from_the_first_source_that_has_the_version() -> None:
    data = some_bytes(2 * PIECE_BYTES + 7)
    cluster = written(data, limits=LARGE)
    cluster.ask("c2", RecordVersion(HANDLE, 3))
    assert cluster.refusal("c3", CloneChunk(HANDLE, 3, ("c1", "c9"))) == "NoReplica"
    assert cluster.refusal("c3", CloneChunk(HANDLE, 3, ())) == "NoReplica"
    assert version_at(cluster, "c3") == 0
    cluster.ask("c3", CloneChunk(HANDLE, 3, ("c1", "c9", "c2")))
    assert (version_at(cluster, "c3"), cluster.replica("c3", HANDLE)) == (3, data)
    assert cluster.ask("c3", GetReplicaLength(HANDLE, 3)) == len(data)
    assert cluster.refusal("c3", GetReplicaLength(HANDLE, 2)) == "StaleVersion"
    assert cluster.refusal("c3", GetReplicaLength(OTHER, 2)) == "ChunkNotFound"


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


def test_a_stale_replica_that_gets_a_version_while_it_is_cloned_over_keeps_it() -> None:
    cluster = written(some_bytes(3 * PIECE_BYTES), limits=LARGE)
    cluster.ask("c3", CreateChunk(HANDLE, 1))
    cloned = cluster.later("c3", CloneChunk(HANDLE, 2, ("c1",)))
    cluster.until(lambda: HANDLE in cluster.chunkservers["c3"]._copying._being_made)
    cluster.ask("c3", RecordVersion(HANDLE, 5))
    cluster.pass_time(SECOND_US)
    assert cloned == [None]
    assert version_at(cluster, "c3") == 5


def test_what_is_being_cloned_takes_no_part() -> None:
    cluster = written(some_bytes(3 * PIECE_BYTES), limits=LARGE)
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
