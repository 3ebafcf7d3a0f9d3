"""The settings of a namenode, with HDFS' defaults, and which holes of Hadoop 3.4.1 it closes.

Not here: addresses and directories, which are the server's business; permissions, quotas and high availability.

Source: hdfs-default.xml, DFSConfigKeys, Hadoop 3.4.1; facts 0.1.
"""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Protocol

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.hdfs.protocol import Limits, Semantics


class Clock(Protocol):
    """What the namenode asks of time; a `Runtime` is one."""

    def now_us(self) -> int:
        """Time since some beginning, in microseconds; never goes back."""

    def time_ms(self) -> int:
        """Wall clock in milliseconds since 1970; only for what users are shown."""


class Repair(StrEnum):
    """A hole of Hadoop 3.4.1 in what the namenode does; the names but the last are those of docs/holes.md.

    `bad-block-reports-name-the-stamp`: a report of a bad block that names an older stamp makes the replica corrupt that
    took its place, and no report of the datanode takes that back. Closed, such a report is of no replica.

    Beyond that page, safe-mode-waits-for-reports also gives datanodes the time to register, and
    stale-replica-joins-a-recovery leaves replicas that are known to be corrupt out of what is appended to.

    Left out: deletion-spares-snapshots (there are no snapshots), and the holes of datanodes and clients.
    """

    SOFT_LIMIT_TAKES_THE_FILE = "soft-limit-takes-the-file"
    FSYNC_STOPS_FOR_A_RECOVERY = "fsync-stops-for-a-recovery"
    LATE_FSYNC_CHANGES_NOTHING = "late-fsync-changes-nothing"
    ABANDON_LOOKS_AT_THE_BLOCK = "abandon-looks-at-the-block"
    APPEND_TO_A_FULL_BLOCK_PASSES_NONE = "append-to-a-full-block-passes-none"
    CLOSING_FAILS_BEFORE_IT_BEGINS = "closing-fails-before-it-begins"
    APPEND_NEEDS_A_LIVE_REPLICA = "append-needs-a-live-replica"
    COMMAND_BELONGS_TO_ITS_ATTEMPT = "command-belongs-to-its-attempt"
    STALE_IS_NOT_GONE = "stale-is-not-gone"
    MARKS_OF_LENGTH_AND_STATE_STAY = "marks-of-length-and-state-stay"
    EXCESS_OUTLIVES_REOPENING = "excess-outlives-reopening"
    PENDING_COPY_ENDS_UNSEEN = "pending-copy-ends-unseen"
    RECOVERY_ID_LEAVES_UNSYNCED = "recovery-id-leaves-unsynced"
    ANSWERS_ARE_KEPT = "answers-are-kept"
    COPIES_OF_EARLIER_ATTEMPTS = "copies-of-earlier-attempts"
    SAFE_MODE_WAITS_FOR_REPORTS = "safe-mode-waits-for-reports"
    HFLUSH_WAITS_FOR_REPORTS = "hflush-waits-for-reports"
    STALE_REPLICA_JOINS_A_RECOVERY = "stale-replica-joins-a-recovery"
    BAD_BLOCK_REPORTS_NAME_THE_STAMP = "bad-block-reports-name-the-stamp"


@dataclass(frozen=True, slots=True)
class NameNodeConfiguration:
    """Settings of a namenode; times in milliseconds, sizes in bytes.

    Attributes:
        semantics: `repaired` closes all holes, `hadoop-3.4` none.
        repairs: exactly the holes that are closed; None leaves it to the semantics.
        limits: of leases and recoveries.
        max_lock_hold_to_release_lease_ms: of one pass of the lease monitor.
        minimal_replication: live replicas that make a COMMITTED block COMPLETE (`dfs.namenode.replication.min`).
        maximal_replication: `dfs.replication.max`.
        default_replication, block_size, write_packet_size, bytes_per_checksum: what clients take without another word.
        minimal_block_size: `dfs.namenode.fs-limits.min-block-size`.
        max_component_length, max_directory_items, max_blocks_per_file: `dfs.namenode.fs-limits.*`.
        heartbeat_interval_ms, heartbeat_recheck_ms: a datanode is dead after ten of the one and two of the other.
        stale_interval_ms: `dfs.namenode.stale.datanode.interval`.
        redundancy_interval_ms: between two looks at what has too few replicas.
        pending_reconstruction_timeout_ms: how long a copy that was ordered is waited for.
        max_replication_streams: copies that one datanode makes at a time.
        replication_work_multiplier: copies ordered at a time, for each live datanode.
        invalidate_limit: replicas that one heartbeat's answer has deleted at most.
        block_deletion_increment: blocks of deleted files that are removed at a time.
        delete_corrupt_replicas_immediately: also while some datanode has not reported since the start.
        safe_mode_threshold, safe_mode_extension_ms: share of the blocks that must have a replica, and the wait after.
        safe_mode_min_datanodes: as many must be alive as well (`dfs.namenode.safemode.min.datanodes`).
        retry_cache_expiry_ms: how long the answer to a call that may happen only once is remembered.
        checkpoint_transactions, checkpoint_period_ms: when a new image is made.
        images_retained: images that are kept, with the edits from the oldest on.
        list_limit: entries in one page of a listing, also of the open files.
        replace_datanode_on_failure: whether getAdditionalDatanode is allowed.
        copy_on_truncate: whether truncate makes a copy of the block, as during an upgrade.

    Raises:
        ConfigurationError: a number is out of its range.
    """

    semantics: Semantics = Semantics.REPAIRED
    repairs: frozenset[Repair] | None = None
    limits: Limits = Limits()  # noqa: RUF009 (frozen)
    max_lock_hold_to_release_lease_ms: int = 25
    minimal_replication: int = 1
    maximal_replication: int = 512
    default_replication: int = 3
    block_size: int = 128 * 1024 * 1024
    write_packet_size: int = 65_536
    bytes_per_checksum: int = 512
    minimal_block_size: int = 1024 * 1024
    max_component_length: int = 255
    max_directory_items: int = 1024 * 1024
    max_blocks_per_file: int = 10_000
    heartbeat_interval_ms: int = 3_000
    heartbeat_recheck_ms: int = 300_000
    stale_interval_ms: int = 30_000
    redundancy_interval_ms: int = 3_000
    pending_reconstruction_timeout_ms: int = 300_000
    max_replication_streams: int = 2
    replication_work_multiplier: int = 2
    invalidate_limit: int = 1_000
    block_deletion_increment: int = 1_000
    delete_corrupt_replicas_immediately: bool = True
    safe_mode_threshold: float = 0.999
    safe_mode_extension_ms: int = 30_000
    safe_mode_min_datanodes: int = 0
    retry_cache_expiry_ms: int = 600_000
    checkpoint_transactions: int = 1_000_000
    checkpoint_period_ms: int = 3_600_000
    images_retained: int = 2
    list_limit: int = 1_000
    replace_datanode_on_failure: bool = True
    copy_on_truncate: bool = False

    def __post_init__(self) -> None:
        for entry in fields(self):
            least = (
                0 if entry.name in ("safe_mode_extension_ms", "safe_mode_min_datanodes", "minimal_block_size") else 1
            )
            if entry.type is int and getattr(self, entry.name) < least:
                raise ConfigurationError(f"{entry.name} is {getattr(self, entry.name)}, accepted: {least} or more")
        if not 0 <= self.safe_mode_threshold <= 1:
            raise ConfigurationError(f"safe_mode_threshold is {self.safe_mode_threshold}, accepted: 0 to 1")
        if self.maximal_replication < self.minimal_replication:
            raise ConfigurationError(
                f"maximal_replication is {self.maximal_replication}, accepted: {self.minimal_replication} or more"
            )

    @property
    def closed_holes(self) -> frozenset[Repair]:
        """The holes that this namenode does not have."""
        if self.repairs is not None:
            return self.repairs
        return frozenset(Repair) if self.semantics is Semantics.REPAIRED else frozenset()

    @property
    def heartbeat_expiry_ms(self) -> int:
        """After how long a silence a datanode is dead: 10.5 minutes (BM/DatanodeManager)."""
        return 2 * self.heartbeat_recheck_ms + 10 * self.heartbeat_interval_ms
