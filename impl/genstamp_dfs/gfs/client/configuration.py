"""The settings of a client.

Not here: addresses.
"""

from dataclasses import dataclass, field

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.gfs.protocol import Limits
from genstamp_dfs.world.times import SECOND_US


@dataclass(frozen=True, slots=True)
class ClientConfiguration:
    """Settings of a client; times in microseconds.

    Attributes:
        limits: what all nodes of the cluster agree on.
        master_timeout_us: how long the master has to answer.
        call_timeout_us: how long a chunkserver has to answer.
        retry_interval_us: how long to wait before something that failed is tried again; half more or less, by chance.
        give_up_us: how long to try; a lease of a chunkserver that died has to run out meanwhile.
        cache_us: how long it is remembered where a chunk may be read; so old may bytes be that were overwritten since,
            unless the file is opened anew (section 2.7.1).
        lease_cache_us: how long it is remembered who has the lease of a chunk, if the primary says nothing else.
        cache_chunks: of how many chunks each of these is remembered; what was not used for the longest time goes first.
        prefetch_chunks: of how many chunks that follow the one to be read the master is asked as well (section 2.4).
        mutation_bytes: most bytes of one write to a chunk; more are split.
    """

    limits: Limits = field(default_factory=Limits)
    master_timeout_us: int = 60 * SECOND_US
    call_timeout_us: int = 10 * SECOND_US
    retry_interval_us: int = SECOND_US // 10
    give_up_us: int = 180 * SECOND_US
    cache_us: int = 60 * SECOND_US
    lease_cache_us: int = 60 * SECOND_US
    cache_chunks: int = 10_000
    prefetch_chunks: int = 16
    mutation_bytes: int = 4 * 1024 * 1024

    def __post_init__(self) -> None:
        names = (
            "master_timeout_us",
            "call_timeout_us",
            "retry_interval_us",
            "give_up_us",
            "mutation_bytes",
            "cache_chunks",
        )
        for name in names:
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name} is {getattr(self, name)}, 1 or more is accepted")
        for name in ("cache_us", "lease_cache_us", "prefetch_chunks"):
            if getattr(self, name) < 0:
                raise ConfigurationError(f"{name} is {getattr(self, name)}, 0 or more is accepted")
