"""Log replicas and shadow masters: what was answered is on every disk, and what is not is shown nowhere."""

import pytest
from tests.impl.gfs.master.bench import Bench

from genstamp_dfs.errors import StorageError
from genstamp_dfs.gfs.errors import GfsRefusal, MasterStarting, PathNotFound, ReadOnlyMaster
from genstamp_dfs.gfs.messages.master_protocol import (
    Create,
    Delete,
    FindChunk,
    FindLease,
    GetFileInfo,
    Heartbeat,
    List,
    Register,
)
from genstamp_dfs.gfs.protocol import MASTER, ReplicaReport
from genstamp_dfs.simulation.disk import SimulatedDisk
from genstamp_dfs.world.request import Request
from genstamp_dfs.world.times import SECOND_US

SHADOWS = ("shadow1", "shadow2")


def make_bench(chunkservers: int = 0, seed: int = 0) -> Bench:
    return Bench(chunkservers, seed=seed, log_replicas=SHADOWS)


def take_over(bench: Bench, shadow: str) -> None:
    """The master's machine is gone; another master starts over the disk of a shadow."""
    for node in (MASTER, shadow):
        bench.crash(node, power_loss=True)
    bench.machines[MASTER].disk = bench.machines[shadow].disk
    bench.configuration = Bench(0).configuration
    bench.start(MASTER)
    bench.pass_time(SECOND_US)


@pytest.mark.parametrize("shadow", SHADOWS)
def test_what_was_answered_is_on_the_disk_of_every_log_replica(shadow: str) -> None:
    bench = make_bench()
    for number in range(5):
        bench.ask(Create(f"/f{number}"))
    take_over(bench, shadow)
    assert bench.names() == [f"/f{number}" for number in range(5)]


def test_nobody_is_answered_while_a_log_replica_is_away() -> None:
    bench = make_bench()
    bench.crash("shadow2")
    created = bench.ask_later(Create("/f"))
    listed = bench.ask_later(List("/"))
    bench.pass_time(30 * SECOND_US)
    assert not created and not listed
    bench.start("shadow2")
    assert bench.wait_for(created) is None
    assert [info.path for info in bench.wait_for(listed)] == ["/f"]


def test_a_log_replica_that_was_away_gets_what_it_lacks() -> None:
    bench = make_bench()
    bench.ask(Create("/before"))
    bench.crash("shadow1", power_loss=True)
    created = [bench.ask_later(Create(f"/f{number}")) for number in range(3)]
    bench.pass_time(5 * SECOND_US)
    bench.crash(MASTER)
    bench.start(MASTER)
    bench.pass_time(5 * SECOND_US)
    with pytest.raises(MasterStarting):
        bench.ask(List("/"))
    bench.start("shadow1")
    bench.pass_time(5 * SECOND_US)
    names = bench.names()
    assert "/before" in names and len(created) == 3
    take_over(bench, "shadow1")
    assert bench.names() == names


def test_a_shadow_shows_a_record_when_all_log_replicas_have_it() -> None:
    bench = make_bench()
    bench.ask(Create("/f"))
    bench.pass_time(3 * SECOND_US)
    assert [bench.names(node=node) for node in SHADOWS] == [["/f"], ["/f"]]
    bench.crash("shadow2")
    created = bench.ask_later(Create("/g"))
    bench.pass_time(10 * SECOND_US)
    assert bench.names(node="shadow1") == ["/f"] and not created
    bench.start("shadow2")
    bench.wait_for(created)
    bench.pass_time(3 * SECOND_US)
    assert bench.names(node="shadow1") == ["/f", "/g"]


def test_a_shadow_answers_reads_without_the_master() -> None:
    bench = make_bench()
    bench.ask(Create("/f"))
    bench.pass_time(3 * SECOND_US)
    bench.crash(MASTER)
    assert bench.ask(GetFileInfo("/f"), node="shadow1").chunks == 0
    with pytest.raises(PathNotFound):
        bench.ask(GetFileInfo("/g"), node="shadow1")


def test_a_shadow_that_starts_waits_for_the_master() -> None:
    bench = make_bench()
    bench.ask(Create("/f"))
    bench.crash(MASTER)
    bench.crash("shadow1")
    bench.start("shadow1")
    bench.pass_time(SECOND_US)
    with pytest.raises(MasterStarting):
        bench.names(node="shadow1")
    bench.start(MASTER)
    bench.pass_time(3 * SECOND_US)
    assert bench.names(node="shadow1") == ["/f"]


@pytest.mark.parametrize("request_", [Create("/g"), Delete("/f"), FindLease("/f", 0)])
def test_a_shadow_changes_nothing(request_: Request[object]) -> None:
    bench = make_bench()
    bench.ask(Create("/f"))
    bench.pass_time(3 * SECOND_US)
    with pytest.raises(ReadOnlyMaster):
        bench.ask(request_, node="shadow1")
    assert bench.names(node="shadow1") == bench.names() == ["/f"]


def test_a_shadow_names_replicas_that_it_has_heard_of_and_that_are_current() -> None:
    bench = make_bench(3)
    (lease,) = bench.file("/f")
    bench.pass_time(3 * SECOND_US)
    request = FindChunk("/f", 0)
    assert bench.ask(request, node="shadow1").chunkservers == ()
    current = ReplicaReport(lease.handle, lease.version, 0)
    stale = ReplicaReport(lease.handle, lease.version - 1, 0)
    bench.ask(Register("c1", "rack1", 0, (current,)), node="shadow1")
    bench.ask(Register("c2", "rack1", 0, (stale,)), node="shadow1")
    assert bench.ask(request, node="shadow1").chunkservers == ("c1",)
    bench.ask(Heartbeat("c2", 0, (), (current,), ()), node="shadow1")
    assert bench.ask(request, node="shadow1").chunkservers == ("c1", "c2")
    bench.lease("/f", unreachable=(lease.primary,))
    bench.pass_time(3 * SECOND_US)
    assert bench.ask(request, node="shadow1").chunkservers == ()


def test_a_log_replica_that_is_too_far_behind_is_refused() -> None:
    bench = Bench(0, log_replicas=("shadow1",), checkpoint_records=3)
    for number in range(20):
        bench.ask(Create(f"/f{number}"))
        bench.pass_time(2 * SECOND_US)
    bench.crash("shadow1")
    bench.machines["shadow1"].disk = SimulatedDisk()
    bench.start("shadow1")
    bench.crash(MASTER)
    bench.start(MASTER)
    bench.pass_time(5 * SECOND_US)
    assert isinstance(bench.problem, StorageError) and "shadow1 has the records before 1," in str(bench.problem)


def test_a_log_replica_with_records_that_the_master_has_not_is_refused() -> None:
    bench = Bench(0, log_replicas=("shadow1",))
    bench.ask(Create("/f"))
    bench.crash(MASTER)
    bench.machines[MASTER].disk = SimulatedDisk()
    bench.start(MASTER)
    bench.pass_time(5 * SECOND_US)
    assert isinstance(bench.problem, StorageError) and "and the master's log ends with 0" in str(bench.problem)


@pytest.mark.parametrize("effect", range(1, 25))
def test_whichever_disk_is_left_has_what_was_answered(effect: int) -> None:
    """Master and shadows die at any change to their disks, one after the other; then one shadow's disk is left."""
    bench = make_bench(seed=effect)
    bench.crash_at_effect("shadow1", effect)
    bench.crash_at_effect(MASTER, effect * 2)
    answered = []
    for number in range(20):
        answer = bench.ask_later(Create(f"/f{number}"), timeout_us=20 * SECOND_US)
        bench.pass_time(2 * SECOND_US)
        for node in (MASTER, *SHADOWS):
            if not bench.is_up(node):
                bench.start(node)
        bench.until(lambda answer=answer: bool(answer))  # type: ignore[misc]
        if answer[0] is None:
            answered.append(f"/f{number}")
        else:
            assert not isinstance(answer[0], GfsRefusal) or isinstance(answer[0], MasterStarting)
    assert len(answered) > 10
    take_over(bench, SHADOWS[effect % 2])
    assert set(answered) <= set(bench.names())
