"""Leases: at most one primary at a time, whatever is lost, late, dead or started again."""

import pytest
from tests.impl.gfs.master.bench import LIMITS, Bench

from genstamp_dfs.gfs.errors import ChunkNotFound, LeaseUnavailable, NoReplica, StaleVersion
from genstamp_dfs.gfs.messages.chunkserver_protocol import GrantLease, RecordVersion, RevokeLease
from genstamp_dfs.gfs.messages.master_protocol import Create, FindLease, Register
from genstamp_dfs.gfs.protocol import MASTER, ChunkLease, ReplicaReport
from genstamp_dfs.world.times import SECOND_US


def patient_lease(bench: Bench, unreachable: tuple[str, ...] = ()) -> ChunkLease:
    """The lease of /f, when it can be had."""
    while True:
        try:
            return bench.lease("/f", unreachable=unreachable)
        except LeaseUnavailable:
            bench.pass_time(SECOND_US // 10)


def test_a_lease_ends_by_itself_and_the_next_has_a_higher_version() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.pass_time(LIMITS.master_waits_us + SECOND_US)
    assert bench.primaries(lease.handle) == []
    assert [event.generation_stamp for event in bench.events("expire_lease")] == [lease.version]
    assert bench.lease("/f").version == lease.version + 1
    assert bench.count(RevokeLease) == 0


def test_a_lease_goes_on_while_its_chunk_is_written() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    primary = bench.chunkservers[lease.primary]
    primary.extend = True
    for _ in range(5):
        bench.pass_time(LIMITS.lease_us)
        assert bench.primaries(lease.handle) == [lease.primary]
    assert bench.lease("/f") == lease
    primary.extend = False
    bench.until(lambda: not bench.primaries(lease.handle), for_us=LIMITS.lease_us + SECOND_US)


def test_only_the_primary_of_this_version_has_a_lease_extended() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    assert bench.master is not None and bench.master.parts is not None
    leases = bench.master.parts.leases
    assert leases.extend(lease.secondaries[0], [(lease.handle, lease.version)]) == ()
    assert leases.extend(lease.primary, [(lease.handle, lease.version - 1)]) == ()
    assert leases.extend(lease.primary, [(lease.handle + 1, lease.version)]) == ()
    assert leases.extend(lease.primary, [(lease.handle, lease.version)]) == (lease.handle,)


@pytest.mark.parametrize("answers", [True, False])
def test_a_replica_that_does_not_answer_is_left_out_under_a_yet_higher_version(answers: bool) -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.pass_time(2 * LIMITS.lease_us)
    (bench.chunkservers["c2"].silent if answers else bench.chunkservers["c2"].deaf).add(RecordVersion)
    again = bench.lease("/f")
    assert again.version == lease.version + 2
    assert set(again.chunkservers) == {"c1", "c3"}
    recorded = lease.version + (1 if answers else 0)
    assert bench.chunkservers["c2"].replicas.get(lease.handle, recorded) == recorded
    assert "c2" not in bench.find("/f").chunkservers
    assert [event.arguments["chunkserver"] for event in bench.events("leave_out")] == ["c2"]


def test_without_an_answer_no_lease_is_granted_and_no_replica_becomes_stale() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.pass_time(2 * LIMITS.lease_us)
    for server in bench.chunkservers.values():
        server.silent.add(RecordVersion)
    with pytest.raises(NoReplica):
        bench.lease("/f")
    assert bench.find("/f").chunkservers == ("c1", "c2", "c3")
    for server in bench.chunkservers.values():
        server.silent.clear()
    again = bench.lease("/f")
    assert again.version == lease.version + 2 and len(again.chunkservers) == 3


@pytest.mark.parametrize("refusal", [ChunkNotFound("gone"), StaleVersion("higher")])
def test_a_replica_that_refuses_the_version_is_left_out(refusal: ChunkNotFound | StaleVersion) -> None:
    bench = Bench()
    bench.file("/f")
    bench.pass_time(2 * LIMITS.lease_us)
    bench.chunkservers["c3"].refuses[RecordVersion] = refusal
    assert set(bench.lease("/f").chunkservers) == {"c1", "c2"}


def test_a_grant_without_an_answer_counts_as_granted() -> None:
    bench = Bench()
    bench.ask(Create("/f"))
    for server in bench.chunkservers.values():
        server.silent.add(GrantLease)
        server.deaf.add(RevokeLease)
    with pytest.raises(LeaseUnavailable):
        bench.lease("/f")
    for server in bench.chunkservers.values():
        server.silent.clear()
    handle = bench.find("/f").handle
    (primary,) = bench.primaries(handle)
    with pytest.raises(LeaseUnavailable):
        bench.lease("/f")
    bench.chunkservers[primary].deaf.clear()
    assert bench.lease("/f").version > 2


def test_a_primary_that_answers_gives_up_its_lease_at_once_when_a_client_cannot_reach_it() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    again = bench.lease("/f", unreachable=(lease.primary,))
    assert again.primary != lease.primary and again.version == lease.version + 1
    assert lease.primary in again.secondaries
    assert bench.primaries(lease.handle) == [again.primary]
    assert bench.count(RevokeLease) == 1


def test_a_primary_that_is_cut_off_keeps_its_lease_until_it_is_over() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.network.part(MASTER, lease.primary)
    began_us = bench.loop.now_us
    with pytest.raises(LeaseUnavailable):
        bench.lease("/f", unreachable=(lease.primary,))
    again = patient_lease(bench, unreachable=(lease.primary,))
    assert bench.loop.now_us - began_us >= LIMITS.lease_us * 0.9
    assert lease.primary not in again.chunkservers


def test_a_secondary_that_a_client_cannot_reach_and_that_does_not_answer_is_left_out() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.crash(lease.secondaries[0])
    again = bench.lease("/f", unreachable=(lease.secondaries[0],))
    assert set(again.chunkservers) == {lease.primary, lease.secondaries[1]}


def test_a_primary_that_starts_again_loses_its_lease() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.crash(lease.primary)
    bench.start(lease.primary)
    bench.pass_time(SECOND_US)
    again = bench.lease("/f")
    assert again.version == lease.version + 1 and len(again.chunkservers) == 3


def test_an_old_registration_does_not_end_a_lease_without_asking() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.chunkservers[lease.primary].deaf.add(RevokeLease)
    reports = (ReplicaReport(lease.handle, lease.version, 0),)
    bench.ask_as(lease.primary, Register(lease.primary, "rack0", 10_000, reports))
    with pytest.raises(LeaseUnavailable):
        bench.lease("/f")
    assert bench.primaries(lease.handle) == [lease.primary]


def test_between_the_end_of_a_lease_for_its_primary_and_for_the_master_the_primary_is_asked() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.until(lambda: not bench.primaries(lease.handle))
    bench.pass_time(LIMITS.lease_us // 50)
    assert not bench.events("expire_lease")
    assert bench.lease("/f").version > lease.version
    assert bench.count(RevokeLease) == 1


def test_one_lease_is_granted_to_many_who_ask_at_once() -> None:
    bench = Bench()
    (first,) = bench.file("/f")
    bench.pass_time(2 * LIMITS.lease_us)
    answers = [bench.ask_later(FindLease("/f", 0)) for _ in range(10)]
    leases = {bench.wait_for(answer) for answer in answers}
    assert len(leases) == 1 and leases.pop().version == first.version + 1


def test_a_restarted_master_grants_no_lease_while_an_old_one_may_be_held() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.network.part(MASTER, lease.primary)
    bench.restart_master()
    began_us = bench.loop.now_us
    assert bench.primaries(lease.handle) == [lease.primary]
    assert bench.find("/f").chunkservers == tuple(sorted(lease.secondaries))
    again = patient_lease(bench)
    assert bench.loop.now_us - began_us > LIMITS.lease_us * 0.8
    assert again.version == lease.version + 1 and lease.primary not in again.chunkservers


def test_a_chunk_that_a_restarted_master_makes_has_a_lease_at_once() -> None:
    bench = Bench()
    bench.file("/f")
    bench.restart_master()
    bench.file("/g")


@pytest.mark.parametrize("power_loss", [False, True])
@pytest.mark.parametrize("effect", range(1, 30))
def test_a_master_that_dies_at_any_change_to_its_disk_in_a_grant(effect: int, power_loss: bool) -> None:
    """A version is offered by one life only, and what comes after has a higher one; nobody is stale for it."""
    bench = Bench(seed=effect)
    bench.ask(Create("/f"))
    bench.crash_at_effect(MASTER, effect)
    answer = bench.ask_later(FindLease("/f", 0), timeout_us=20 * SECOND_US)
    bench.until(lambda: bool(answer))
    offered = {
        (request.handle, request.version)
        for server in bench.chunkservers.values()
        for request in server.asked
        if isinstance(request, RecordVersion)
    }
    for server in bench.chunkservers.values():
        server.asked.clear()
    if bench.is_up(MASTER):
        assert effect > 6, "the grant had no such effect"
        bench.crash(MASTER)
    bench.restart_master(power_loss=power_loss)
    bench.pass_time(LIMITS.master_waits_us)
    again = bench.lease("/f")
    assert len(again.chunkservers) == 3
    assert all(version < again.version for handle, version in offered if handle == again.handle)
    if isinstance(answer[0], ChunkLease):
        assert again.handle == answer[0].handle and again.version > answer[0].version
    offered_again = {
        (request.handle, request.version)
        for server in bench.chunkservers.values()
        for request in server.asked
        if isinstance(request, RecordVersion)
    }
    assert not offered & offered_again


@pytest.mark.parametrize("recorded", [("c1",), ("c1", "c2"), ("c1", "c2", "c3")])
def test_replicas_of_a_grant_that_did_not_end_are_all_current(recorded: tuple[str, ...]) -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.pass_time(2 * LIMITS.lease_us)
    for name, server in bench.chunkservers.items():
        (server.silent if name in recorded else server.deaf).add(RecordVersion)
    bench.ask_later(FindLease("/f", 0))
    bench.until(lambda: all(bench.chunkservers[n].replicas[lease.handle] > lease.version for n in recorded))
    bench.crash(MASTER)
    for server in bench.chunkservers.values():
        server.silent.clear()
        server.deaf.clear()
    bench.restart_master()
    assert bench.find("/f").chunkservers == ("c1", "c2", "c3")
    bench.pass_time(LIMITS.master_waits_us)
    again = bench.lease("/f")
    assert len(again.chunkservers) == 3 and again.version > lease.version + 1


def test_a_version_that_the_log_does_not_know_is_taken_for_the_chunks() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.pass_time(2 * LIMITS.lease_us)
    bench.chunkservers["c2"].replicas[lease.handle] = 9
    bench.until(lambda: bench.find("/f").version == 9)
    assert bench.lease("/f").version == 10
    assert bench.chunkservers["c2"].replicas[lease.handle] == 10
