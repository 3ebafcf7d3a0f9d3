"""A mutation that outlives the lease of its primary is not acknowledged, though all replicas have it."""

import pytest
from tests.impl.gfs.cluster import LIMITS, GfsCluster

from genstamp_dfs.gfs.chunkserver.data_buffer import DataBuffer
from genstamp_dfs.gfs.errors import MutationFailed
from genstamp_dfs.gfs.messages.chunkserver_protocol import Append
from genstamp_dfs.world.times import SECOND_US


@pytest.mark.parametrize("left_us", [SECOND_US, 5 * SECOND_US])
def test_a_mutation_that_ends_after_the_lease_is_not_acknowledged(
    left_us: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DataBuffer, "get", lambda *_: b"record")
    cluster = GfsCluster()
    cluster.do(cluster.client.create("/f"))
    lease = cluster.lease()
    cluster.pass_time(LIMITS.lease_us - left_us)
    monkeypatch.setattr(cluster.network, "delay_us", lambda: SECOND_US * 6 // 10)
    append = Append(lease.handle, lease.version, b"d" * 16)
    if left_us > 3 * SECOND_US:
        assert cluster.ask(lease.primary, append) == 0
    else:
        with pytest.raises(MutationFailed, match="when the lease was over"):
            cluster.ask(lease.primary, append)
    assert set(cluster.replicas(lease.handle).values()) == {b"record"}
