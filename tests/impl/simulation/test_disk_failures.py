"""Simulated disks that are full or fail to sync: every promise is kept, and an implementation that retries is seen."""

import random
from collections.abc import Iterable

import pytest

from genstamp_dfs.errors import DiskFailedError, StorageError
from genstamp_dfs.events import encode_lines
from genstamp_dfs.gfs.simulation import plan as gfs_plan
from genstamp_dfs.gfs.simulation import run as gfs_run
from genstamp_dfs.gfs.simulation.cluster import SimulatedCluster as GfsCluster
from genstamp_dfs.gfs.simulation.options import default_options
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.simulation.cluster import SimulatedCluster
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.faults import Fault, FaultKind
from genstamp_dfs.simulation.loop import Life
from genstamp_dfs.simulation.plan import PlanOptions, make_plan
from genstamp_dfs.simulation.run import Run, run_seed

BAD_DISKS = PlanOptions(mean_disk_fault_s=40)
GFS_BAD_DISKS = gfs_plan.PlanOptions(mean_disk_fault_s=40)


# -- one disk -------------------------------------------------------------------------------------------------------


def view_of(disk: SimulatedDisk) -> DiskOfLife:
    return DiskOfLife(disk, Life("n"), random.Random(0))


def failed() -> tuple[SimulatedDisk, DiskOfLife]:
    """A disk with a file of eight bytes on it, the last two of which and two more a failed sync has lost."""
    disk = SimulatedDisk()
    view = view_of(disk)
    view.create("f")
    view.write("f", 0, b"12345678")
    view.sync("f")
    view.sync_directory("")
    view.write("f", 6, b"abcd")
    disk.sync_fails_in = 1
    with pytest.raises(DiskFailedError, match="cannot be forced to the disk"):
        view.sync("f")
    return disk, view


def after_power_loss(disk: SimulatedDisk) -> set[bytes]:
    """What may be left."""
    found = set()
    for seed in range(20):
        copy = SimulatedDisk()
        copy.files = {path: file.copy() for path, file in disk.files.items()}
        copy.lose_power(random.Random(seed))
        found.add(bytes(copy.files["f"].data))
    return found


def test_what_a_failed_sync_has_lost_can_be_read_until_the_machine_loses_power() -> None:
    disk, view = failed()
    assert view.read("f") == view_of(disk).read("f") == b"123456abcd"
    assert after_power_loss(disk) == {b"12345678", b"12345678\0\0"}


def test_the_next_sync_succeeds_without_it_and_the_disk_tells() -> None:
    disk, view = failed()
    view.sync("f")
    assert after_power_loss(disk) == {b"12345678", b"12345678\0\0"}
    (sentence,) = disk.false_syncs
    assert sentence.startswith(
        "n has forced f to its disk and counts on it, but an earlier sync had failed and 4 bytes"
    )


def test_what_is_written_again_is_there_when_it_is_forced() -> None:
    disk, view = failed()
    view.write("f", 6, b"abcd")
    view.sync("f")
    assert after_power_loss(disk) == {b"123456abcd"}
    assert disk.false_syncs == []


def test_what_is_cut_off_is_not_missed() -> None:
    disk, view = failed()
    view.truncate("f", 6)
    view.sync("f")
    assert after_power_loss(disk) == {b"123456"}
    assert disk.false_syncs == []


def test_names_are_forced_later() -> None:
    """They are in the file system's log."""
    disk = SimulatedDisk()
    view = view_of(disk)
    view.create("f")
    disk.sync_fails_in = 1
    with pytest.raises(DiskFailedError):
        view.sync_directory("")
    view.sync_directory("")
    disk.lose_power(random.Random(0))
    assert list(disk.files) == ["f"]


# -- plans ----------------------------------------------------------------------------------------------------------


def test_faults_of_disks_have_dice_of_their_own() -> None:
    everyday, bad = make_plan(3), make_plan(3, BAD_DISKS)
    assert bad.jobs == everyday.jobs
    assert set(everyday.faults) <= set(bad.faults)
    more = [fault for fault in bad.faults if fault not in everyday.faults]
    assert {fault.kind for fault in more} == {FaultKind.FULL_DISK, FaultKind.SYNC_FAILS, FaultKind.POWER_LOSS}
    assert any(fault.node == NAMENODE for seed in range(5) for fault in make_plan(seed, BAD_DISKS).faults)
    assert list(bad.faults) == sorted(bad.faults, key=lambda fault: fault.at_us)


def fault(kind: FaultKind, node: str, effect: int) -> Fault:
    return Fault(5_000_000, kind, node, 20_000_000, effect=effect)


@pytest.mark.parametrize("kind", [FaultKind.FULL_DISK, FaultKind.SYNC_FAILS])
def test_a_node_whose_disk_is_no_good_ends_and_comes_back(kind: FaultKind) -> None:
    quiet = make_plan(1, PlanOptions(mean_fault_s=0))
    plan = type(quiet)(
        quiet.seed, quiet.datanodes, quiet.clients, quiet.jobs, (fault(kind, NAMENODE, 1),), quiet.safety_us
    )
    result = Run(plan).run()
    assert result.problems == []
    assert [event.event for event in result.events].count("namenode_restart") > 1


@pytest.mark.slow
def test_a_datanode_tells_the_namenode_before_it_ends() -> None:
    results = [run_seed(seed, options=BAD_DISKS) for seed in range(4)]
    told = [event for result in results for event in result.events if event.event == "error_report"]
    assert {event.arguments["error"] for event in told} == {"FATAL_DISK_ERROR"}


# -- runs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_every_promise_is_kept_on_bad_disks(seed: int) -> None:
    result = run_seed(seed, options=BAD_DISKS)
    assert result.problems == []
    assert result.totals["failed syncs"] > 0
    assert result.totals["faults: full disk"] > 0


@pytest.mark.parametrize("seed", [1123, 1168])
def test_every_file_is_closed_whose_datanodes_have_acknowledged_what_they_had_no_room_for(seed: int) -> None:
    assert run_seed(seed, options=PlanOptions(mean_disk_fault_s=100), keep_events=False).problems == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_every_promise_of_gfs_is_kept_on_bad_disks(seed: int) -> None:
    result = gfs_run.run_seed(seed, GFS_BAD_DISKS, keep_events=False)
    assert result.problems == []
    assert result.totals["failed syncs"] > 0


def test_a_run_on_bad_disks_can_be_had_again() -> None:
    one, other = (run_seed(2, options=BAD_DISKS).events for _ in range(2))
    assert encode_lines(one) == encode_lines(other)


class RetryingDisk(DiskOfLife):
    """Tries a failed sync again, and takes the second answer for the truth."""

    def sync(self, path: str) -> None:
        """As its parent, twice."""
        try:
            super().sync(path)
        except DiskFailedError:
            super().sync(path)


class RetryingCluster(SimulatedCluster):
    disk_class = RetryingDisk


class RetryingGfsCluster(GfsCluster):
    disk_class = RetryingDisk


def problems_of(run: Run | gfs_run.Run) -> list[str]:
    """What is wrong in a run; a log that no start accepts ends it."""
    try:
        return run.run(keep_events=False).problems
    except StorageError as damage:
        return [*run.cluster.false_syncs(), str(damage)]


def unsaid(runs: Iterable[Run | gfs_run.Run], *expected: str) -> set[str]:
    """Which of these no problem of the runs says; no run begins once all are said."""
    missing = set(expected)
    for run in runs:
        found = problems_of(run)
        missing = {each for each in missing if not any(each in problem for problem in found)}
        if not missing:
            break
    return missing


def test_an_hdfs_that_tries_failed_syncs_again_is_noticed() -> None:
    """By the first sync that counts on lost bytes, and by a log with a hole in it."""
    runs = (Run(make_plan(seed, BAD_DISKS), cluster_class=RetryingCluster) for seed in range(8))
    assert unsaid(runs, "counts on it, but an earlier sync had failed", NAMENODE, "datanode", "is damaged") == set()


@pytest.mark.slow
def test_a_gfs_that_tries_failed_syncs_again_is_noticed() -> None:
    plans = (gfs_plan.make_plan(seed, GFS_BAD_DISKS) for seed in range(3))
    runs = (gfs_run.Run(plan, default_options(plan), cluster_class=RetryingGfsCluster) for plan in plans)
    assert unsaid(runs, "counts on it, but an earlier sync had failed", "log/records_", "chunks/") == set()
