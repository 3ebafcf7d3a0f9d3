"""Snapshots: leases end first, lists are copied, and a chunk is copied by its chunkservers when it is written."""

from collections import Counter

import pytest
from tests.impl.gfs.master.bench import LIMITS, Bench

from genstamp_dfs.gfs.errors import GfsRefusal, InvalidPath, NoReplica, PathExists, PathNotFound
from genstamp_dfs.gfs.master.namespace import DIRECTORY, handles_of
from genstamp_dfs.gfs.messages.chunkserver_protocol import CopyChunk, RecordVersion, RevokeLease
from genstamp_dfs.gfs.messages.master_protocol import Create, Delete, FindLease, MakeDirectory, Snapshot
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.world.request import Caller
from genstamp_dfs.world.times import SECOND_US


def check_counts(bench: Bench) -> None:
    """The reference count of each chunk is the number of places in lists that have it."""
    assert bench.master is not None and bench.master._base is not None
    state = bench.master._base.state
    listed: Counter[int] = Counter()
    for _, value in state.namespace.under("/"):
        if value is not DIRECTORY:
            listed.update(handles_of(value))
    handles, _ = state.chunks.counts()
    assert {handle: state.chunks.references(handle) for handle in handles.tolist()} == dict(listed)


def test_a_snapshot_shares_chunks_until_one_is_written() -> None:
    bench = Bench()
    first, second = bench.file("/f", 2)
    bench.ask(Snapshot("/f", "/s"))
    assert bench.primaries(first.handle) == bench.primaries(second.handle) == []
    assert bench.find("/s", 0) == bench.find("/f", 0)
    check_counts(bench)
    lease = bench.lease("/f", 0)
    assert lease.handle not in (first.handle, second.handle)
    assert bench.find("/f", 0).handle == lease.handle
    assert bench.find("/s", 0).handle == first.handle
    assert bench.find("/s", 1).handle == bench.find("/f", 1).handle == second.handle
    assert bench.count(CopyChunk) == 3
    check_counts(bench)
    # Nobody else has the first chunk any more: it is written where it is.
    assert bench.lease("/s", 0).handle == first.handle
    assert bench.count(CopyChunk) == 3


def test_a_second_snapshot_raises_the_counts_again() -> None:
    bench = Bench()
    (first,) = bench.file("/f")
    bench.ask(Snapshot("/f", "/s"))
    bench.ask(Snapshot("/f", "/t"))
    check_counts(bench)
    copies = {bench.lease(path).handle for path in ("/f", "/s")}
    assert len(copies | {first.handle}) == 3
    assert bench.lease("/t").handle == first.handle
    check_counts(bench)


def test_a_directory_is_copied_with_all_that_is_below_it_but_deleted_files() -> None:
    bench = Bench()
    bench.ask(MakeDirectory("/d"))
    bench.ask(MakeDirectory("/d/e"))
    bench.ask(Create("/d-f"))
    bench.file("/d/e/f")
    bench.file("/d/gone")
    bench.ask(Delete("/d/gone"))
    bench.ask(Snapshot("/d", "/s"))
    assert bench.names("/s", hidden=True) == ["/s/e"]
    assert bench.names("/s/e") == ["/s/e/f"]
    assert bench.find("/s/e/f") == bench.find("/d/e/f")
    check_counts(bench)


def test_a_snapshot_of_itself_or_to_a_taken_path_is_refused() -> None:
    bench = Bench(0)
    bench.ask(MakeDirectory("/d"))
    bench.ask(Create("/f"))
    refusals: list[tuple[Snapshot, type[GfsRefusal]]] = [
        (Snapshot("/d", "/d/e"), InvalidPath),
        (Snapshot("/", "/d/e"), InvalidPath),
        (Snapshot("/d", "/f"), PathExists),
        (Snapshot("/d", "/d"), PathExists),
        (Snapshot("/x", "/y"), PathNotFound),
        (Snapshot("/d", "/x/y"), PathNotFound),
    ]
    for request, refusal in refusals:
        with pytest.raises(refusal):
            bench.ask(request)
    assert bench.names() == ["/d", "/f"]


def test_a_snapshot_waits_for_a_lease_whose_primary_does_not_answer() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.network.part(MASTER, lease.primary)
    began_us = bench.loop.now_us
    answer = bench.ask_later(Snapshot("/f", "/s"))
    while bench.primaries(lease.handle):
        bench.pass_time(SECOND_US // 10)
        assert not answer or not bench.primaries(lease.handle)
    bench.wait_for(answer)
    assert bench.loop.now_us - began_us > LIMITS.lease_us * 0.9


def test_while_a_snapshot_waits_nobody_gets_a_lease_and_heartbeats_extend_none() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    primary = bench.chunkservers[lease.primary]
    primary.extend = True
    primary.deaf = {RevokeLease}
    snapshot = bench.ask_later(Snapshot("/f", "/s"))
    bench.pass_time(SECOND_US // 2)
    wanted = bench.ask_later(FindLease("/f", 0))
    bench.until(lambda: bool(snapshot), for_us=4 * LIMITS.lease_us)
    assert snapshot == [None] and bench.primaries(lease.handle) == []
    assert bench.wait_for(wanted).handle != lease.handle


def test_a_mutation_that_is_late_finds_another_version_when_a_snapshot_is_logged() -> None:
    bench = Bench()
    first, second = bench.file("/f", 2)
    bench.pass_time(LIMITS.master_waits_us + SECOND_US)
    third = bench.lease("/f", 1)
    bench.pass_time(3 * LIMITS.master_waits_us)
    fourth = bench.lease("/f", 1)
    asked = bench.count(RecordVersion)
    bench.ask(Snapshot("/f", "/s"))
    assert fourth.version > third.version > second.version
    for server in bench.chunkservers.values():
        assert server.replicas[second.handle] == fourth.version + 1
        assert server.replicas[first.handle] == first.version, "it had no lease of late"
    assert bench.count(RecordVersion) == asked + 3


def test_a_snapshot_of_a_chunk_without_replicas_is_made_all_the_same() -> None:
    bench = Bench()
    bench.file("/f")
    for name in list(bench.chunkservers):
        bench.crash(name)
    bench.ask(Snapshot("/f", "/s"))
    check_counts(bench)


def test_a_repeated_snapshot_is_made_once() -> None:
    bench = Bench()
    bench.file("/f")
    caller = Caller("client", b"c" * 16, 1)
    calls = [bench.begin(bench.network.call(bench.client.life, MASTER, Snapshot("/f", "/s"), caller, None))]
    calls.append(bench.begin(bench.network.call(bench.client.life, MASTER, Snapshot("/f", "/s"), caller, None)))
    assert [bench.wait_for(call) for call in calls] == [None, None]
    check_counts(bench)
    bench.restart_master()
    bench.repeat(Snapshot("/f", "/s"), caller)
    check_counts(bench)
    with pytest.raises(PathExists):
        bench.repeat(Snapshot("/f", "/s"), Caller("client", b"c" * 16, 2))


def test_a_copy_is_made_where_it_can_be() -> None:
    bench = Bench()
    (first,) = bench.file("/f")
    bench.ask(Snapshot("/f", "/s"))
    bench.crash("c1")
    lease = bench.lease("/f")
    assert set(lease.chunkservers) == {"c2", "c3"} and lease.handle != first.handle
    for name in ("c2", "c3"):
        bench.chunkservers[name].refuses[CopyChunk] = NoReplica("no room")
    bench.ask(Snapshot("/f", "/t"))
    with pytest.raises(NoReplica):
        bench.lease("/f")
    assert bench.find("/f").handle == bench.find("/t").handle == lease.handle
    check_counts(bench)


def test_two_who_want_to_write_a_shared_chunk_get_one_copy() -> None:
    bench = Bench()
    bench.file("/f")
    bench.ask(Snapshot("/f", "/s"))
    answers = [bench.ask_later(FindLease("/f", 0)) for _ in range(2)]
    one, other = (bench.wait_for(answer) for answer in answers)
    assert one == other
    check_counts(bench)


def test_both_files_of_a_shared_chunk_may_be_written_at_once() -> None:
    bench = Bench()
    (first,) = bench.file("/f")
    bench.ask(Snapshot("/f", "/s"))
    answers = [bench.ask_later(FindLease(path, 0)) for path in ("/f", "/s")]
    handles = {bench.wait_for(answer).handle for answer in answers}
    assert len(handles) == 2 and first.handle in handles
    check_counts(bench)
