"""A client of the step-by-step cluster: its streams, and the files of others that it has asked to recover.

Leaves out: reading, and the renewer's reaction to failures (whoever drives the client renews).

Source: CL/DFSClient, Hadoop 3.4.1.
"""

from dataclasses import dataclass, field

from genstamp_dfs.hdfs.cluster.hand_stream import BlockConstructionStage, OutputStream


@dataclass
class DFSClient:
    """A client; its name is the lease holder.

    Attributes:
        streams: path -> stream, for each file that it created; kept after the close.
        recovering: paths it called recoverLease for without having created them.
    """

    name: str
    is_up: bool = True
    streams: dict[str, OutputStream] = field(default_factory=dict)
    recovering: set[str] = field(default_factory=set)

    def open_stream(self, file: str) -> OutputStream:
        """create() answered."""
        stream = self.streams[file] = OutputStream(self.name, file)
        return stream

    def open_stream_on(self, file: str) -> OutputStream | None:
        """The stream on a file; None if there is none, or it is closed (DFSClient#endFileLease)."""
        stream = self.streams.get(file)
        return None if stream is None or stream.stage is BlockConstructionStage.CLOSED else stream

    def on_recover_lease(self, file: str) -> None:
        """recoverLease() answered; from now on the file may be held under this client's name."""
        if file not in self.streams:
            self.recovering.add(file)

    def crash(self) -> None:
        """The process dies, and all its connections with it."""
        self.is_up = False
        self.streams.clear()
        self.recovering.clear()
