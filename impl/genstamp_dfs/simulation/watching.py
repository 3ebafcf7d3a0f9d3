"""Sees what is acknowledged to clients and what the namenode carries out, for the ledger of promises.

Not here: judging; that is the ledger's.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from genstamp_dfs.events import EventLog
from genstamp_dfs.hdfs.client.data_streamer import DataStreamer
from genstamp_dfs.hdfs.client.events import ClientEvents
from genstamp_dfs.hdfs.messages.client_protocol import Create, CreateFlag, Delete, Truncate, UpdatePipeline
from genstamp_dfs.hdfs.messages.datanode_protocol import CommitBlockSynchronization
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.hdfs.runtime import Runtime
from genstamp_dfs.simulation.ledger import Ledger
from genstamp_dfs.world.request import Request

if TYPE_CHECKING:
    from genstamp_dfs.hdfs.client.output_stream import DFSOutputStream
    from genstamp_dfs.hdfs.namenode.namenode import NameNode

Lives = Mapping[str, int]


@dataclass
class Watcher:
    """Tells the ledger what it has to know.

    Attributes:
        lives_of: the present life of each of some nodes; the cluster sets it.
        recoveries: how many block recoveries came to their end.
    """

    ledger: Ledger = field(default_factory=Ledger)
    lives_of: Callable[[tuple[str, ...]], Lives] = lambda nodes: {}
    recoveries: int = 0

    def before(self, namenode: "NameNode", request: Request[Any]) -> int | None:
        """A call is about to be carried out: gives the id of the file that it takes bytes from."""
        match request:
            case Truncate(path=path) | Delete(path=path):
                return _file_id(namenode, path)
            case Create(path=path, flag=flag) if flag & CreateFlag.OVERWRITE:
                return _file_id(namenode, path)
            case _:
                return None

    def carried_out(self, request: Request[Any], file_id: int | None) -> None:
        """A call was carried out."""
        match request:
            case Truncate(new_length=length) if file_id is not None:
                self.ledger.asked_to_cut(file_id, length)
            case Delete() | Create() if file_id is not None:
                self.ledger.asked_to_remove(file_id)
            case UpdatePipeline(old_block=block, new_nodes=nodes):
                self.ledger.set_up_again(block.block_id, self.lives_of(nodes))
            case CommitBlockSynchronization(block=block, new_targets=targets):
                self.recoveries += 1
                self.ledger.recovered(block.block_id, self.lives_of(targets))
            case _:
                pass


def _file_id(namenode: "NameNode", path: str) -> int | None:
    inode = namenode.namesystem.directory.get_file(path)
    return None if inode is None else inode.file_id


@dataclass(frozen=True)
class Acknowledged:
    """A block as far as its pipeline has acknowledged it, and the lives of the nodes when it was set up."""

    block: Block
    offset: int
    lives: Lives


class WatchedClientEvents(ClientEvents):
    """Records the steps of a client, and tells the ledger of what it was promised."""

    def __init__(self, log: EventLog, runtime: Runtime, watcher: Watcher) -> None:
        super().__init__(log, runtime)
        self._watcher = watcher
        self._lives: dict[int, Lives] = {}
        self._ended: dict[DataStreamer, list[Acknowledged]] = {}
        self._cuts: dict[DataStreamer, int] = {}

    def block_begun(self, streamer: DataStreamer) -> None:
        """The lives of the nodes now are those that may acknowledge."""
        super().block_begun(streamer)
        self._note_lives(streamer)

    def pipeline_updated(self, streamer: DataStreamer) -> None:
        """The pipeline has other nodes, or others of their lives."""
        super().pipeline_updated(streamer)
        self._note_lives(streamer)

    def block_ended(self, streamer: DataStreamer) -> None:
        """The stream's next flush speaks for this block, too; that of a later stream of the file does not."""
        super().block_ended(streamer)
        pipeline = streamer.pipeline
        assert pipeline.block is not None, f"{streamer.path} has ended a block that it does not have"
        offset = streamer.file_offset - pipeline.bytes_acked
        ended = Acknowledged(pipeline.block, offset, self._lives.get(pipeline.block_id, {}))
        self._ended.setdefault(streamer, []).append(ended)

    def flushed(self, stream: "DFSOutputStream", *, sync: bool, on_disk: bool) -> None:
        """hflush or hsync returned."""
        super().flushed(stream, sync=sync, on_disk=on_disk)
        self._promise(stream, on_disk=on_disk)

    def closed(self, stream: "DFSOutputStream") -> None:
        """close returned."""
        super().closed(stream)
        self._promise(stream, on_disk=False)

    def _note_lives(self, streamer: DataStreamer) -> None:
        self._lives[streamer.pipeline.block_id] = self._watcher.lives_of(streamer.pipeline.nodes)
        self._cuts.setdefault(streamer, self._watcher.ledger.cuts[streamer.pipeline.file_id])

    def _promise(self, stream: "DFSOutputStream", *, on_disk: bool) -> None:
        """Everything that was acknowledged is promised: the blocks that ended, and what there is of the present one."""
        if self._cuts.get(stream.streamer) != self._watcher.ledger.cuts[stream.file_id]:
            # Somebody has taken the file and cut it meanwhile: what this writer hears late is no promise any more.
            return
        blocks_on_disk = stream.client.configuration.syncs_blocks
        for ended in self._ended.pop(stream.streamer, []):
            self._watcher.ledger.flushed(
                stream.file_id, stream.path, ended.block, ended.offset, ended.lives, sync=blocks_on_disk
            )
        streamer = stream.streamer
        block = streamer.pipeline.block
        if block is not None and streamer.has_open_block:
            lives = self._lives.get(block.block_id, {})
            self._watcher.ledger.flushed(stream.file_id, stream.path, block, streamer.file_offset, lives, sync=on_disk)
