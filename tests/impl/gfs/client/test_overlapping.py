"""Two clients write over each other while calls get lost, late and double and chunkservers die: all replicas agree.

A region may hold parts of both clients' writes (concurrent successes of table 1: consistent, but undefined), and never
what nobody wrote.
"""

import pytest
from tests.impl.gfs.cluster import GfsCluster, some_bytes

from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.simulation.network import NetworkFaults
from genstamp_dfs.world.times import SECOND_US

WRITES = 20
SIZE = 600


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_overlapping_writes_that_succeeded_stand_alike_on_all_replicas(seed: int) -> None:
    cluster = GfsCluster(4, 2, seed=seed, call_attempts=3, sync_us=5_000)
    cluster.do(cluster.client.create("/f"))
    cluster.do(cluster.client.write("/f", 0, bytes(SIZE)))
    may_stand: list[set[int]] = [{0} for _ in range(SIZE)]
    running = []
    for name, client in cluster.clients.items():

        async def write_all(client: Client = client, name: str = name) -> None:
            draw = cluster.dice(f"writes of {name}")
            for number in range(WRITES):
                offset = draw.randrange(SIZE)
                data = some_bytes(draw.randrange(1, SIZE - offset + 1), (seed, name, number))
                for place, byte in enumerate(data, offset):
                    may_stand[place].add(byte)
                await client.write("/f", offset, data)

        running.append(cluster.begin(write_all(), name))
    cluster.network.faults = NetworkFaults(lose=0.02, repeat=0.2, slow=0.1, slow_us=2 * SECOND_US)
    chance = cluster.dice("who dies")
    for node in chance.choices(cluster.names, k=8):
        cluster.pass_time(chance.randrange(5 * SECOND_US))
        cluster.crash(node, power_loss=chance.random() < 0.5)
        cluster.pass_time(chance.randrange(chance.choice((4 * SECOND_US, SECOND_US // 10))))
        cluster.start(node)
    cluster.wait_for(*running, for_us=3_000 * SECOND_US)
    # What is late may still come.
    cluster.pass_time(5 * SECOND_US)
    cluster.network.faults = NetworkFaults()
    replicas = cluster.replicas(cluster.lease().handle)
    assert len(replicas) >= 2
    assert len(set(replicas.values())) == 1, replicas.keys()
    found = next(iter(replicas.values()))
    assert len(found) == SIZE
    assert all(byte in may for byte, may in zip(found, may_stand, strict=True))
    assert cluster.do(cluster.client.read("/f", 0, SIZE)) == found
