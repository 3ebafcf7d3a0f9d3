"""The settings of a master, with the paper's values where it gives them.

Not here: addresses and directories, which are the server's business.
"""

from dataclasses import dataclass, field

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.gfs.protocol import Limits
from genstamp_dfs.world.times import SECOND_US

DAY_MS = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class MasterConfiguration:
    """Settings of a master; times in microseconds, but for those that end in `_ms`.

    Attributes:
        limits: what all nodes of the cluster agree on.
        call_timeout_us: how long a chunkserver has to answer.
        clone_timeout_us: how long a chunkserver has to copy a chunk.
        dead_after_us: a chunkserver that is silent for so long is counted on no more.
        deleted_keep_ms: how long a deleted file can be had back, in milliseconds (section 4.4.1).
        monitor_period_us: how often leases, chunkservers and chunks with few replicas are looked after.
        garbage_period_us: how often all files and chunks are looked over for garbage.
        clones_at_once: how many chunks are re-replicated at a time (section 4.3).
        clones_at_once_on_one: how many of them on one chunkserver.
        rebalance_period_us: how long it takes at least from one replica that is moved to the next (section 4.3).
        rebalance_chunks: replicas are moved from the fullest chunkserver to those that have room for more than so many
            chunks more, at least 2.
        checkpoint_records: so many records are logged from one checkpoint to the next.
        checkpoints_kept: how many checkpoints are kept, with the logs that follow them.
        recent_us: a chunk counts as a recent creation of its chunkserver for so long (section 4.2).
        remembered_answers: how many answers are kept for clients that ask again.
        log_replicas: nodes that have a record on disk before anybody is told of it (section 5.1.2).
    """

    limits: Limits = field(default_factory=Limits)
    call_timeout_us: int = 5 * SECOND_US
    clone_timeout_us: int = 120 * SECOND_US
    dead_after_us: int = 30 * SECOND_US
    deleted_keep_ms: int = 3 * DAY_MS
    monitor_period_us: int = SECOND_US
    garbage_period_us: int = 60 * SECOND_US
    clones_at_once: int = 10
    clones_at_once_on_one: int = 2
    rebalance_period_us: int = 10 * SECOND_US
    rebalance_chunks: int = 16
    checkpoint_records: int = 100_000
    checkpoints_kept: int = 2
    recent_us: int = 60 * SECOND_US
    remembered_answers: int = 10_000
    log_replicas: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in _POSITIVE:
            _check_positive(name, getattr(self, name))
        if self.rebalance_chunks < 2:
            raise ConfigurationError(f"rebalance_chunks is {self.rebalance_chunks}, 2 or more is accepted")
        if self.deleted_keep_ms < 0 or self.remembered_answers < 0:
            least = min(self.deleted_keep_ms, self.remembered_answers)
            raise ConfigurationError(f"deleted_keep_ms or remembered_answers is {least}, 0 or more is accepted")


_POSITIVE = (
    "call_timeout_us",
    "clone_timeout_us",
    "dead_after_us",
    "monitor_period_us",
    "garbage_period_us",
    "clones_at_once",
    "clones_at_once_on_one",
    "rebalance_period_us",
    "checkpoint_records",
    "checkpoints_kept",
    "recent_us",
)


def _check_positive(name: str, value: int) -> None:
    if value < 1:
        raise ConfigurationError(f"{name} is {value}, 1 or more is accepted")
