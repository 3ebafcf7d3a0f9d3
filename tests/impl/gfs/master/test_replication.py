"""Re-replication: who comes first, how many at a time, and that a copy is never of a chunk that changes."""

import pytest
from tests.impl.gfs.master.bench import LIMITS, Bench

from genstamp_dfs.gfs.errors import NoReplica
from genstamp_dfs.gfs.master.replication import Replication
from genstamp_dfs.gfs.messages.chunkserver_protocol import CloneChunk, RevokeLease
from genstamp_dfs.gfs.messages.master_protocol import Delete
from genstamp_dfs.world.times import SECOND_US

LONG_US = 100 * SECOND_US


def replication_of(bench: Bench) -> Replication:
    assert bench.master is not None and bench.master.parts is not None
    return bench.master.parts.replication


def test_a_chunk_of_a_dead_chunkserver_is_copied() -> None:
    bench = Bench(4)
    (lease,) = bench.file("/f")
    bench.pass_time(2 * LIMITS.lease_us)
    bench.crash(lease.primary)
    bench.until(lambda: bench.count(CloneChunk) == 1)
    bench.pass_time(SECOND_US)
    there = bench.find("/f").chunkservers
    assert len(there) == 3 and lease.primary not in there


def test_a_dead_chunkserver_that_comes_back_has_its_replicas_still() -> None:
    bench = Bench(3)
    (lease,) = bench.file("/f")
    bench.pass_time(2 * LIMITS.lease_us)
    bench.crash("c1")
    bench.pass_time(40 * SECOND_US)
    assert bench.find("/f").chunkservers == ("c2", "c3")
    bench.start("c1")
    bench.pass_time(SECOND_US)
    assert bench.find("/f").chunkservers == ("c1", "c2", "c3")
    assert bench.count(CloneChunk) == 0 and lease.handle in bench.chunkservers["c1"].replicas


def test_the_chunk_with_the_fewest_replicas_comes_first_then_live_files_and_before_all_what_a_client_waits_for() -> (
    None
):
    bench = Bench(5, clones_at_once=1, dead_after_us=10 * LONG_US)
    one, deleted, live, waited = (bench.file(f"/f{number}")[0].handle for number in range(4))
    bench.ask(Delete("/f1"))
    bench.pass_time(2 * LONG_US)
    assert bench.master is not None and bench.master._base is not None and bench.master.parts is not None
    chunks = bench.master._base.state.chunks
    kept = {one: 1, deleted: 2, live: 2, waited: 2}
    for handle, count in kept.items():
        chunks.set_locations(handle, chunks.locations(handle)[:count])
    replication = replication_of(bench)
    assert replication.candidates() == [one, live, waited, deleted]
    bench.master.parts.chunk_calls.wanted.add(waited)
    assert replication.candidates() == [waited, one, live, deleted]


def test_only_so_many_chunks_are_copied_at_a_time() -> None:
    bench = Bench(6, clones_at_once=3, clones_at_once_on_one=2)
    for number in range(12):
        bench.file(f"/f{number}")
    bench.pass_time(2 * LIMITS.lease_us)
    for server in bench.chunkservers.values():
        server.silent = {CloneChunk}
    bench.crash("c1")
    bench.until(lambda: bench.count(CloneChunk) >= 3, for_us=LONG_US)
    bench.pass_time(10 * SECOND_US)
    assert bench.count(CloneChunk) == 3
    assert all(bench.count(CloneChunk, name) <= 2 for name in bench.chunkservers)


def test_a_chunk_that_is_written_is_left_alone_while_it_has_two_replicas() -> None:
    bench = Bench(4)
    (lease,) = bench.file("/f")
    bench.chunkservers[lease.primary].extend = True
    bench.crash(lease.secondaries[0])
    bench.pass_time(LONG_US)
    assert (bench.count(CloneChunk), bench.count(RevokeLease)) == (0, 0)
    bench.crash(lease.secondaries[1])
    bench.until(lambda: bench.count(CloneChunk) == 1)
    assert bench.primaries(lease.handle) == []


def test_no_lease_is_granted_while_a_chunk_is_copied_and_a_late_copy_is_stale() -> None:
    bench = Bench(4, clone_timeout_us=5 * SECOND_US)
    (lease,) = bench.file("/f")
    bench.pass_time(2 * LIMITS.lease_us)
    (spare,) = set(bench.chunkservers) - set(lease.chunkservers)
    bench.chunkservers[spare].deaf = {CloneChunk}
    bench.crash(lease.primary)
    bench.until(lambda: bench.count(CloneChunk) == 1)
    began_us = bench.loop.now_us
    again = bench.lease("/f")
    assert bench.loop.now_us - began_us > 4 * SECOND_US
    late = bench.chunkservers[spare]
    (request,) = (request for request in late.asked if isinstance(request, CloneChunk))
    late.replicas[request.handle], late.content[request.handle] = request.version, []
    bench.until(lambda: (lease.handle, request.version) in late.garbage)
    assert spare not in bench.find("/f").chunkservers
    assert again.version > request.version


@pytest.mark.parametrize(("idle_us", "raised"), [(0, True), (LONG_US, False)])
def test_a_chunk_that_had_a_lease_of_late_gets_a_version_before_it_is_copied(idle_us: int, raised: bool) -> None:
    bench = Bench(4, dead_after_us=5 * SECOND_US)
    (lease,) = bench.file("/f")
    bench.pass_time(idle_us)
    bench.crash(lease.secondaries[0])
    bench.until(lambda: bench.count(CloneChunk) == 1)
    (request,) = (
        request for server in bench.chunkservers.values() for request in server.asked if isinstance(request, CloneChunk)
    )
    assert request.version == lease.version + (1 if raised else 0)


def test_a_copy_that_fails_is_tried_again_later() -> None:
    bench = Bench(4)
    (lease,) = bench.file("/f")
    bench.pass_time(2 * LIMITS.lease_us)
    (spare,) = set(bench.chunkservers) - set(lease.chunkservers)
    bench.chunkservers[spare].refuses[CloneChunk] = NoReplica("none of them answers")
    bench.crash(lease.primary)
    bench.until(lambda: bench.count(CloneChunk) == 1)
    bench.pass_time(10 * SECOND_US)
    assert bench.count(CloneChunk) == 1
    bench.chunkservers[spare].refuses.clear()
    bench.until(lambda: len(bench.find("/f").chunkservers) == 3)


def test_after_a_restart_nothing_is_copied_while_a_former_lease_may_be_held() -> None:
    bench = Bench(4)
    (lease,) = bench.file("/f")
    bench.chunkservers[lease.primary].extend = True
    for name in lease.secondaries:
        bench.crash(name)
    bench.restart_master()
    with pytest.raises(AssertionError):
        bench.until(lambda: bench.count(CloneChunk) > 0, for_us=LIMITS.master_waits_us * 8 // 10)
    bench.until(lambda: bench.count(CloneChunk) > 0)
    assert bench.primaries(lease.handle) == []
