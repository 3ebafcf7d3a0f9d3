"""The settings of a chunkserver.

Not here: addresses and directories, which are the server's business.
"""

from dataclasses import dataclass, field

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES, PIECE_BYTES, Limits
from genstamp_dfs.world.times import SECOND_US


@dataclass(frozen=True, slots=True)
class ChunkserverConfiguration:
    """Settings of a chunkserver; times in microseconds.

    Attributes:
        limits: what all nodes of the cluster agree on.
        rack: where it stands.
        capacity_bytes: room for replicas.
        full_wait_us: after its disk was found full, nothing new is written there for so long.
        heartbeat_period_us: how often it tells the master that it lives.
        reported_at_once: how many of its replicas it tells of in a heartbeat.
        master_timeout_us: how long the master has to answer.
        forward_timeout_us: how long a secondary has to do a mutation; less than the master waits for RevokeLease.
        silence_us: how long whoever pushes data may be silent.
        buffer_bytes: how much pushed data is kept; what was not used for the longest time goes first.
        buffer_age_us: how long it is kept.
        predecessor_wait_us: how long a secondary waits for a mutation that comes before the one that it has.
        clone_bytes: how much of a replica is asked of another chunkserver at once, whole blocks, up to PIECE_BYTES.
        scan_period_us: how often one replica is read through to see whether it matches its checksums (section 5.2).
        sync: whether a mutation is forced to the disk before it is acknowledged; else what a machine loses with its
            power is lost, if all machines of a chunk do.
    """

    limits: Limits = field(default_factory=Limits)
    rack: str = "rack"
    capacity_bytes: int = 2**40
    full_wait_us: int = 60 * SECOND_US
    heartbeat_period_us: int = 3 * SECOND_US
    reported_at_once: int = 1_000
    master_timeout_us: int = 10 * SECOND_US
    forward_timeout_us: int = 3 * SECOND_US
    silence_us: int = 10 * SECOND_US
    buffer_bytes: int = 256 * 1024 * 1024
    buffer_age_us: int = 60 * SECOND_US
    predecessor_wait_us: int = SECOND_US
    clone_bytes: int = PIECE_BYTES
    scan_period_us: int = 60 * SECOND_US
    sync: bool = True

    def __post_init__(self) -> None:
        for name in (
            "capacity_bytes",
            "full_wait_us",
            "heartbeat_period_us",
            "reported_at_once",
            "master_timeout_us",
            "forward_timeout_us",
            "silence_us",
            "buffer_bytes",
            "buffer_age_us",
            "predecessor_wait_us",
            "scan_period_us",
        ):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name} is {getattr(self, name)}, 1 or more is accepted")
        if self.clone_bytes % CHECKSUM_BLOCK_BYTES or not 0 < self.clone_bytes <= PIECE_BYTES:
            accepted = f"multiples of {CHECKSUM_BLOCK_BYTES} up to {PIECE_BYTES} are accepted"
            raise ConfigurationError(f"clone_bytes is {self.clone_bytes}, {accepted}")
