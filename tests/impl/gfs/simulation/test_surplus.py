"""Replicas that are given up: only while the others are there."""

from tests.impl.gfs.cluster import GfsCluster

from genstamp_dfs.gfs.simulation.surplus import Surplus


def test_a_replica_is_given_up_too_early_if_another_one_is_missing_and_those_of_nodes_that_are_down_count() -> None:
    cluster = GfsCluster(4)
    cluster.do(cluster.client.create("/f"))
    cluster.do(cluster.client.write("/f", 0, b"data"))
    lease = cluster.lease()
    [without] = set(cluster.names) - set(lease.chunkservers)
    surplus = Surplus(cluster.machines, cluster.chunkservers, goal=3)
    surplus.given_up(lease.handle, lease.version, without)
    cluster.crash(lease.primary)
    surplus.given_up(lease.handle, lease.version, without)
    assert surplus.problems == []
    surplus.given_up(lease.handle, lease.version, lease.secondaries[0])
    [problem] = surplus.problems
    assert "2 others are there, 3 are wanted" in problem
    surplus.given_up(lease.handle, lease.version + 1, without)
    assert len(surplus.problems) == 2
