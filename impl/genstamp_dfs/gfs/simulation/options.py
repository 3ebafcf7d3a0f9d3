"""How the nodes of a simulated run are set up: small chunks, and limits that pass while a run lasts."""

from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.client.configuration import ClientConfiguration
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES, Limits
from genstamp_dfs.gfs.simulation.cluster import ClusterOptions
from genstamp_dfs.gfs.simulation.plan import Plan, PlanOptions
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND, SECOND_US


def default_options(plan: Plan, options: PlanOptions | None = None) -> ClusterOptions:
    """The settings for a plan."""
    limits = Limits(chunk_bytes=plan.chunk_bytes, lease_us=20 * SECOND_US)
    return ClusterOptions(
        master=MasterConfiguration(
            limits=limits,
            dead_after_us=15 * SECOND_US,
            rebalance_period_us=3 * SECOND_US,
            rebalance_chunks=2,
            checkpoint_records=20,
            deleted_keep_ms=100_000,
        ),
        chunkserver=ChunkserverConfiguration(
            limits=limits,
            heartbeat_period_us=2 * SECOND_US,
            reported_at_once=3,
            scan_period_us=5 * SECOND_US,
            buffer_bytes=64 * 1024,
            clone_bytes=CHECKSUM_BLOCK_BYTES,
        ),
        client=ClientConfiguration(
            limits=limits,
            give_up_us=60 * SECOND_US,
            cache_us=10 * SECOND_US,
            lease_cache_us=20 * SECOND_US,
            cache_chunks=8,
            prefetch_chunks=2,
        ),
        sync_us=(options or PlanOptions()).sync_ms * MICROSECONDS_A_MILLISECOND,
    )
