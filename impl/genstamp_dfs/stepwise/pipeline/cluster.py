"""A cluster of the real cores in which everything waits, and what all steps of a pipeline look up in it.

One writer, one file of one block; datanodes are chosen in the order of their names. The writer runs on the machine of
every datanode, so that it waits for any of them that restarts.

Not here: the steps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from genstamp_dfs.errors import ConnectException
from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.client import DFSClient
from genstamp_dfs.hdfs.client.configuration import PACKET_HEADER_BYTES
from genstamp_dfs.hdfs.client.data_streamer import DataStreamer
from genstamp_dfs.hdfs.client.output_stream import DFSOutputStream
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.messages.client_protocol import (
    AddBlock,
    Complete,
    GetAdditionalDatanode,
    UpdateBlockForPipeline,
    UpdatePipeline,
)
from genstamp_dfs.hdfs.messages.data_transfer import CHECKSUM_BYTES, CHUNK_BYTES, PipelineAck, Status
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.simulation.scenario import Work, small_options
from genstamp_dfs.stepwise.held_cluster import HeldCluster
from genstamp_dfs.stepwise.loop import Held
from genstamp_dfs.stepwise.network import HeldCall, HeldConnection
from genstamp_dfs.stepwise.pipeline.words import words_of
from genstamp_dfs.stepwise.steps import CHUNK, Steps
from genstamp_dfs.world.request import Request

PATH: Final = "/file"
WRITER: Final = "writer"
MOST_PACKETS: Final = 1_000
"""More than a run sends: the application never waits for acknowledgements before it writes on."""


class PipelineCluster(Steps):
    """One writer and its pipeline.

    Args:
        datanodes: their names, in the order in which the namenode chooses them.
        semantics: of all nodes.
        seed: names the block pool, and decides the policy where no step does.
        chosen: the orders of this run, where they are not the first.

    Attributes:
        log: the steps, in the words of the pipeline.
        hung: datanodes whose threads do nothing any more.
        restarting: datanodes that have said that they will be back, and are not in the pipeline again yet.
        told: datanodes that know that the next node of the pipeline has failed.
        is_set_up: whether the answers of all nodes of the pipeline have come back.
        stream: what the writer writes to, once it does.
        closing: the application's close, once it is called.
        flushed: length of the file at the last hflush, in bytes.
        copy: a second copy of an updatePipeline call that was answered, on its way.
        readers, shown: by name, readers and the length that each was shown last, in bytes.
        openings: how often the application has opened the file.
        own: what the step that is made tells itself.
        said: what a step adds to the event of a core, by event.
    """

    cluster_class: type[HeldCluster] = HeldCluster

    def __init__(
        self, datanodes: Sequence[str], semantics: Semantics, seed: int, chosen: Mapping[str, int] | None = None
    ) -> None:
        options = small_options(
            semantics,
            client={
                "packet_size": PACKET_HEADER_BYTES + CHUNK_BYTES + CHECKSUM_BYTES,
                "max_packets_in_flight": MOST_PACKETS,
            },
        )
        self.datanodes = tuple(datanodes)
        self.semantics = semantics
        self.seed = seed
        super().__init__(self.cluster_class(seed, replace(options, call_attempts=1)))
        self.cluster.orders.chosen = dict(chosen or {})
        self.loop.held = frozenset(Held) - {Held.BLOCK_RECOVERY}
        self.hung: set[str] = set()
        self.restarting: set[str] = set()
        self.told: set[str] = set()
        self.is_set_up = False
        self.stream: DFSOutputStream | None = None
        self.closing: Work[None] | None = None
        self.flushed = 0
        self.copy: HeldCall | None = None
        self.readers: dict[str, DFSClient] = {}
        self.shown: dict[str, int] = {}
        self.said: dict[str, dict[str, str]] = {}
        self.openings = 0
        self.start(self.datanodes)
        self.writer = self.cluster.start_client(WRITER)
        self.cluster.log.hand_over()
        self.network.held = frozenset(
            {AddBlock, UpdateBlockForPipeline, UpdatePipeline, GetAdditionalDatanode, Complete}
        )

    def pass_time(self, ms: str) -> None:
        """Time passes, in which nothing happens by itself: who waits too long is told so by a step of its own."""

    # -- recording ----------------------------------------------------------------------------------------------

    def record(self, event: str, node: str, arguments: dict[str, str] | None = None, **shown: Any) -> None:
        """A step has happened, after all that the cores tell of it."""
        self.own.append({"event": event, "node": node, "arguments": arguments or {}, **shown})

    def hand_over(self, step: str) -> list[Event]:
        """The events of a step: what the cores tell in the words of a pipeline, then what the step tells itself."""
        for told in self.cluster.log.hand_over():
            words = words_of(told, self.said, step)
            if words is not None:
                self._log(node=told.node, **words)
        for own in self.own:
            self._log(**own)
        self.own.clear()
        self.said.clear()
        return self.log.hand_over()

    def _log(self, **event: Any) -> None:
        self.log.record(time_us=self.loop.now_us, kind="block", entity=PATH, **event)

    # -- the writer ---------------------------------------------------------------------------------------------

    def is_writer_up(self) -> bool:
        """Whether the writer lives."""
        return self.cluster.is_up(WRITER)

    def use_stream(self, stream: DFSOutputStream) -> None:
        """The application has opened the file, and writes or closes: either way the writer needs a pipeline."""
        self.stream, self.closing = stream, None
        self.flushed = stream.position
        self.openings += 1
        if self.cluster.orders.either(self.closing_at_once()):
            self.closing = self.work(self.writer, stream.close())
        else:
            self.work(self.writer, stream.write(CHUNK))

    def closing_at_once(self) -> str:
        """Whether the application, when it opened the file last, closes it instead of writing to it."""
        return f"application closes at once what it opened as number {self.openings}"

    def streamer(self, event: str) -> DataStreamer:
        """The writer's streamer, which must not have failed."""
        self.needs(event, self.is_writer_up(), "the writer is down")
        if self.stream is None:
            self.not_now(event, "the writer has no block")
        streamer = self.stream.streamer
        self.needs(event, streamer.failure is None, f"the write has failed: {streamer.failure}")
        abandoned = streamer.pipeline.block_id and self.network.waiting(AddBlock)
        self.needs(event, not abandoned, "the block is abandoned")
        return streamer

    def let_streamer_run(self) -> None:
        """The writer's thread goes on as far as it can; old connections end where it closes its own."""
        self.loop.settle(Held.STREAMER)
        own = [near for near in self.network.links.values() if near.life.node == WRITER]
        if own and own[0].is_over:
            self.tear_down()

    def let_streamer_find_error(self) -> None:
        """The writer's thread finds its connection broken, where it waits to send."""
        for near in self.network.links.values():
            near.let_send(goes_on=False)
        self.let_streamer_run()

    def waiting_call(self, event: str, kind: type[Request[Any]]) -> None:
        """Carry out the writer's call of this class, which must wait, and let the writer go on."""
        self.streamer(event)
        self.loop.wake(Held.STREAMER)
        self.let_streamer_run()
        call = self.network.waiting(kind)
        if call is None:
            self.not_now(event, f"the writer makes no call {kind.__name__}")
        self.network.carry_out(call)
        self.let_streamer_run()

    # -- connections --------------------------------------------------------------------------------------------

    def link(self, event: str, datanode: str) -> HeldConnection:
        """The connection that goes to a datanode of the pipeline, at the end of whoever opened it."""
        near = self.network.links.get(datanode)
        if near is None:
            self.not_now(event, f"{datanode} is not connected")
        return near

    def up(self, event: str, datanode: str) -> HeldConnection:
        """As `link`; the datanode's end of it must not have failed."""
        near = self.link(event, datanode)
        self.needs(event, not near.is_cut, f"the connection of {datanode} has failed")
        return near

    def working(self, event: str, datanode: str) -> HeldConnection:
        """As `link`; the datanode's threads must work."""
        near = self.up(event, datanode)
        self.needs(event, datanode not in self.hung, f"the threads of {datanode} hang")
        self.needs(event, not near.other.is_over, f"the receiver of {datanode} has ended")
        return near

    def mirror(self, datanode: str) -> str | None:
        """The next node of the pipeline."""
        return next((name for name, near in self.network.links.items() if near.life.node == datanode), None)

    def cut(self, datanode: str, *, keeps_restart: bool = False) -> None:
        """All connections of a datanode break; what was under way is lost, but for the news that it restarts."""
        for name, near in self.network.links.items():
            if name == datanode:
                near.other.lose(_is_restart if keeps_restart else _is_nothing)
                near.is_cut = True
            elif near.life.node == datanode:
                # What the next node sends goes nowhere, which it does not know.
                near.under_way.clear()
                near.arrived.clear()
            else:
                continue
            near.is_broken = near.other.is_broken = True

    def tear_down(self) -> None:
        """The writer has closed its connection: all nodes find theirs closed, and do nothing more with them."""
        links = list(self.network.links.values())
        self.network.links.clear()
        for near in links:
            near.lose()
            near.arrived.clear()
            near.learn_of_end()
            near.other.learn_of_end()
        for opening in [one for one in self.network.openings.values() if one.life.node != WRITER]:
            del self.network.openings[opening.node]
            opening.connection.fail(ConnectException(f"the connection to {opening.node} was given up"))
        self.hung.clear()
        self.told.clear()
        self.is_set_up = False
        # Responders stay where they are: what they still could do was done before, or never is.
        self.loop.settle()

    # -- nodes --------------------------------------------------------------------------------------------------

    def block(self) -> BlockInfo | None:
        """The file's block at the namenode."""
        inode = self.namenode.namesystem.directory.get_file(PATH)
        return None if inode is None else inode.last_block()

    def replica(self, datanode: str) -> Replica | None:
        """The replica of the block at a datanode that is up."""
        block = self.block()
        node = self.cluster.datanodes.get(datanode)
        return None if block is None or node is None else node.dataset.replicas.get(block.block_id)


def _is_restart(message: object) -> bool:
    return isinstance(message, PipelineAck) and Status.OOB_RESTART in message.replies


def _is_nothing(message: object) -> bool:
    return False
