"""Hadoop's TestLeaseManager (facts K.1).

testRemoveLeases and testInternalLeaseHolder, of the lease manager alone, are in tests/impl/namenode.

Left out: testInodeWithLeases, -AtScale, -ForAncestorDir (there is no listing of open files below a directory).
"""

from genstamp_dfs.hdfs.messages.client_protocol import Rename
from genstamp_dfs.hdfs.namenode.lease_manager import LeaseManager
from genstamp_dfs.hdfs.protocol import Limits
from genstamp_dfs.simulation.scenario import Scenario, small_options


def test_check_lease() -> None:
    """A hundred holders have expired: in the end none of their files is open."""
    scenario = Scenario(1, options=small_options(limits=Limits(soft_limit_ms=1_000, hard_limit_ms=5_000)))
    for number in range(100):
        client = scenario.client(f"holder{number}")
        scenario.run(client, client.create(f"/file{number}"))
        scenario.crash(f"holder{number}")
    scenario.until(lambda: not scenario.namesystem.lease_manager.leases, limit_s=60)
    assert all(not file.is_under_construction for file in scenario.namesystem.directory.all_files())


def test_count_path() -> None:
    """Adding twice, removing what is not there and reassigning keep the count right."""
    leases = LeaseManager(Limits())
    first = leases.add_lease("holder1", 1, now_us=0)
    leases.add_lease("holder1", 1, now_us=0)
    leases.add_lease("holder2", 2, now_us=0)
    assert len(leases.leases_by_id) == 2
    leases.remove_lease(first, 7)
    leases.remove_file(8)
    assert len(leases.leases_by_id) == 2
    leases.reassign_lease(first, 1, "holder2", now_us=0)
    assert len(leases.leases_by_id) == 2
    assert {file_id: lease.holder for file_id, lease in leases.leases_by_id.items()} == {1: "holder2", 2: "holder2"}
    leases.remove_file(1)
    leases.remove_file(2)
    assert leases.leases_by_id == {}


def test_lease_restoration_on_restart() -> None:
    """The files that are open say who holds them: leases need not be written down to be there after a restart."""
    scenario = Scenario(1)
    client = scenario.client("holder")
    for path in ("/a", "/b"):
        scenario.run(client, client.create(path))
    scenario.run(client, client.ask(Rename("/b", "/c")))
    before = {lease.holder: sorted(lease.files) for lease in scenario.namesystem.lease_manager.leases.values()}
    scenario.restart_namenode()
    after = {lease.holder: sorted(lease.files) for lease in scenario.namesystem.lease_manager.leases.values()}
    assert after == before == {"holder": sorted(scenario.file(path).file_id for path in ("/a", "/c"))}
