"""The settings of a datanode, with HDFS' defaults.

Not here: directories, which are the server's business, and limits on how much is done at once.

Source: hdfs-default.xml, Hadoop 3.4.1; facts 0.1.
"""

from dataclasses import dataclass, fields

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.hdfs.datanode.repairs import Repair, closed_by
from genstamp_dfs.hdfs.protocol import Semantics


@dataclass(frozen=True, slots=True)
class DataNodeConfiguration:
    """Settings of a datanode; times in milliseconds, sizes in bytes.

    Attributes:
        semantics: `repaired` closes all holes, `hadoop-3.4` none.
        repairs: exactly the holes that are closed; None leaves it to the semantics.
        sync_on_close: whether finalizing forces a replica to the disk (`dfs.datanode.synconclose`).
        heartbeat_interval_ms: `dfs.heartbeat.interval`.
        block_report_interval_ms: of full reports, `dfs.blockreport.intervalMsec`.
        incremental_report_interval_ms: how long finished replicas may wait to be reported together; 0 reports at once
            (`dfs.blockreport.incremental.intervalMsec`).
        stop_writer_timeout_ms: how long a new operation waits for the replica's writer to end
            (`dfs.datanode.xceiver.stop.timeout.millis`).
        restart_expiration_ms: how long a planned restart may take for replicas to stay RBW
            (`dfs.datanode.restart.replica.expiration`).
        socket_timeout_ms: how long to wait for the next message (`dfs.client.socket-timeout`).
        socket_timeout_extension_ms: more of it for each node further down (HdfsConstants.READ_TIMEOUT_EXTENSION).
        call_timeout_ms: how long to wait for an answer of another node (`dfs.client.socket-timeout`).
        retry_interval_ms: how long to wait before a call to the namenode that failed is made again.
        packet_bytes: data in a packet that is sent (`dfs.client-write-packet-size`).
        lost_bytes_wait_ms: how long a read waits for bytes that are not on disk yet (DN/BlockSender, 3 s).
        capacity_bytes: what the namenode is told that the disk can hold.
        host, transfer_port, rpc_port: what the namenode is told of where the datanode can be reached.

    Raises:
        ConfigurationError: a number is negative, or 0 where that makes no sense.
    """

    semantics: Semantics = Semantics.REPAIRED
    repairs: frozenset[Repair] | None = None
    sync_on_close: bool = False
    heartbeat_interval_ms: int = 3_000
    block_report_interval_ms: int = 21_600_000
    incremental_report_interval_ms: int = 0
    stop_writer_timeout_ms: int = 60_000
    restart_expiration_ms: int = 50_000
    socket_timeout_ms: int = 60_000
    socket_timeout_extension_ms: int = 5_000
    call_timeout_ms: int = 60_000
    retry_interval_ms: int = 1_000
    packet_bytes: int = 65_536
    lost_bytes_wait_ms: int = 3_000
    capacity_bytes: int = 2**40
    host: str = ""
    transfer_port: int = 0
    rpc_port: int = 0

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            least = 0 if entry.default == 0 or entry.name == "lost_bytes_wait_ms" else 1
            if isinstance(value, int) and value < least:
                raise ConfigurationError(f"{entry.name} is {value}, accepted: {least} or more")

    @property
    def closed_holes(self) -> frozenset[Repair]:
        """The holes of Hadoop 3.4.1 that are closed."""
        return closed_by(self.semantics) if self.repairs is None else self.repairs

    def closes(self, repair: Repair) -> bool:
        """Whether a hole is closed."""
        return repair in self.closed_holes
