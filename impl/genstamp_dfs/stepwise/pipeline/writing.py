"""The main road: a block, its first pipeline, packets and acknowledgements, hflush, the end, and readers meanwhile.

Not here: failures, and how a pipeline is set up again.
"""

from dataclasses import replace

from genstamp_dfs.hdfs.client.configuration import ReplacePolicy
from genstamp_dfs.hdfs.messages.client_protocol import AddBlock, Complete
from genstamp_dfs.hdfs.messages.data_transfer import CHUNK_BYTES, BlockConstructionStage, Packet, PipelineAck, Status
from genstamp_dfs.hdfs.protocol import BlockUCState, Semantics
from genstamp_dfs.stepwise.loop import Held
from genstamp_dfs.stepwise.network import HeldConnection
from genstamp_dfs.stepwise.pipeline.cluster import PATH, PipelineCluster
from genstamp_dfs.stepwise.steps import CHUNK


class WritingSteps(PipelineCluster):
    """add_block, packets, acks, hflush, close, readers; each method is a step, named as its event."""

    # -- the writer ---------------------------------------------------------------------------------------------

    def add_block(self, last: str, always: str | None = None) -> None:
        """The application writes, and the namenode gives a block on the datanodes up to `last`.

        Args:
            last: the last datanode of the pipeline.
            always: "1" for the policy ALWAYS, "0" for DEFAULT; the seed decides if nothing is said.
        """
        self.needs("add_block", self.is_writer_up() and self.stream is None, "the writer has a block or is down")
        replaces = always or str(self.seed % 2)
        policy = ReplacePolicy.ALWAYS if replaces == "1" else ReplacePolicy.DEFAULT
        # While the first pipeline is set up, one datanode will do; later on none is gone on without (C.5, C.6).
        self.writer.configuration = replace(self.writer.configuration, replace_policy=policy, replace_min_replication=1)
        replication = self.datanodes.index(last) + 1
        created = self.work(self.writer, self.writer.create(PATH, replication=replication))
        self.use_stream(created.result())
        self.waiting_call("add_block", AddBlock)
        self.said["add_block"] = {"last": last, "always": replaces}

    def send_packet(self) -> None:
        """The oldest packet that is to be sent is, or one that the application writes now."""
        streamer = self.streamer("send_packet")
        assert self.stream is not None
        self.needs("send_packet", streamer.stage is BlockConstructionStage.DATA_STREAMING, "no data is sent now")
        if not streamer.queues.data and not self._stalled():
            self.needs("send_packet", self.closing is None, "the application has closed the stream")
            self.work(self.writer, self.stream.write(CHUNK))
        self._send("send_packet")

    def send_last_packet(self) -> None:
        """The application closes the stream: all is acknowledged, and the empty last packet is sent."""
        streamer = self.streamer("send_last_packet")
        assert self.stream is not None
        if self.closing is None:
            unsent = streamer.queues.data or streamer.queues.ack
            self.needs("send_last_packet", not unsent, "not everything is sent and acknowledged")
            streaming = streamer.stage is BlockConstructionStage.DATA_STREAMING
            self.needs("send_last_packet", streaming, "no data is sent now")
            self.closing = self.work(self.writer, self.stream.close())
        self._send("send_last_packet", is_last=True)

    def _stalled(self) -> bool:
        return any(near.is_stalled for near in self.network.links.values())

    def _send(self, event: str, *, is_last: bool = False) -> None:
        """Let the writer's thread send one packet."""
        self.let_streamer_run()
        near = next((near for near in self.network.links.values() if near.is_stalled), None)
        if near is None:
            self.not_now(event, "the writer has nothing to send")
        near.let_send()
        self.let_streamer_run()
        sent = near.under_way[-1] if near.under_way else None
        fits = isinstance(sent, Packet) and sent.is_last is is_last
        self.needs(event, fits, f"what is sent is {sent}")
        self.cluster.orders.decided.add(self.closing_at_once())
        self.record(event, self.writer.runtime.node)

    def receive_ack(self) -> None:
        """The writer takes the next acknowledgement."""
        self.streamer("receive_ack")
        near = self._to_first("receive_ack")
        self.needs("receive_ack", near.arrived and _is_success(near.arrived[0]), "no acknowledgement has come")
        near.let_take()
        self.loop.settle()

    def hflush(self) -> None:
        """The application flushes, and all is acknowledged."""
        streamer = self.streamer("hflush")
        assert self.stream is not None
        waits = streamer.queues.data or streamer.queues.ack
        self.needs("hflush", not waits and self.closing is None, "not everything is acknowledged")
        self.needs("hflush", self.stream.position > self.flushed, "nothing new was written")
        flushed = self.work(self.writer, self.stream.hflush())
        self.needs("hflush", flushed.is_done and flushed.failure is None, f"it fails: {flushed.failure}")
        self.flushed = self.stream.position

    def end_block(self) -> None:
        """The writer's thread finds the last packet acknowledged."""
        self.streamer("end_block")
        self.let_streamer_run()

    def complete(self) -> None:
        """The writer asks for the file to be closed, once more if it was not closed yet."""
        streamer = self.streamer("complete")
        ended = streamer.stage is BlockConstructionStage.PIPELINE_SETUP_CREATE
        self.needs("complete", self.closing is not None and ended, "the block is not done")
        block = self.block()
        assert block is not None
        waits = block.state is BlockUCState.COMMITTED
        self.needs("complete", not waits, "no datanode has reported its replica yet, so that the answer is to wait")
        self.loop.wake(" work")
        self.loop.settle()
        call = self.network.waiting(Complete)
        if call is None:
            self.not_now("complete", "the file is closed")
        self.network.carry_out(call)
        self.loop.settle()

    def _to_first(self, event: str) -> HeldConnection:
        """The writer's end of its connection."""
        node = self.writer.runtime.node
        near = next((near for near in self.network.links.values() if near.life.node == node), None)
        if near is None:
            self.not_now(event, "the writer has no connection")
        return near

    # -- datanodes ----------------------------------------------------------------------------------------------

    def receive_packet(self, datanode: str) -> None:
        """A datanode receives the next packet, and sends it on."""
        near = self.working("receive_packet", datanode)
        packet = near.under_way[0] if near.under_way else None
        if not isinstance(packet, Packet):
            self.not_now("receive_packet", f"no packet is under way to {datanode}")
        self.said["receive_packet"] = {"packet": str(packet.offset // CHUNK_BYTES + 1)}
        near.let_arrive()
        near.other.let_take()
        self.loop.settle()

    def raise_bytes_acked(self, datanode: str) -> None:
        """A datanode's responder takes an acknowledgement for data, which become visible there."""
        self._respond("raise_bytes_acked", datanode)

    def finalize_replica(self, datanode: str) -> None:
        """A datanode's responder takes the acknowledgement of the last packet."""
        self._respond("finalize_replica", datanode)

    def send_ack(self, datanode: str) -> None:
        """A datanode's acknowledgement reaches the node before it."""
        near = self.up("send_ack", datanode)
        self.needs("send_ack", datanode not in self.hung, f"the threads of {datanode} hang")
        if not near.other.under_way:
            self._respond("send_ack", datanode)
        ack = near.other.under_way[0] if near.other.under_way else None
        self.needs("send_ack", _is_success(ack), f"{datanode} has nothing to acknowledge")
        near.other.let_arrive()
        self.record("send_ack", datanode, {"datanode": datanode})

    def _respond(self, event: str, datanode: str) -> None:
        """Let a responder go on with the next acknowledgement."""
        near = self.working(event, datanode)
        self.needs(event, not near.other.under_way, f"an acknowledgement of {datanode} is not sent yet")
        mirror = self.mirror(datanode)
        if mirror is not None:
            below = self.network.links[mirror]
            self.needs(event, below.arrived and _is_success(below.arrived[0]), f"{mirror} has acknowledged nothing")
            below.let_take()
        self.loop.settle(f"{datanode} {Held.RESPONDER}")

    def block_received(self, datanode: str) -> None:
        """A datanode's report of its replica reaches the namenode."""
        self.datanode("block_received", datanode)
        block = self.block()
        waits = block is not None and block.state in (BlockUCState.COMMITTED, BlockUCState.COMPLETE)
        self.needs("block_received", waits, "the block is not committed")
        replica = self.replica(datanode)
        is_current = replica is None or block is None or replica.generation_stamp == block.generation_stamp
        self.needs("block_received", is_current, f"the namenode gets the outdated replica of {datanode} deleted")
        for _ in range(2):
            for process in ("service actor", "incremental reports"):
                self.loop.wake(f"{datanode} {process}")
                self.loop.settle(f"{datanode} {process}")
        counted = self.block()
        if counted is not None and datanode in counted.stored:
            self.said["block_report"] = {"block_state": counted.state.value}

    # -- readers ------------------------------------------------------------------------------------------------

    def read(self, client: str, datanode: str) -> None:
        """A reader opens the file, and is shown as much of it as is visible."""
        self.datanode("read", datanode)
        self.needs("read", self.block() is not None, "there is no block")
        if self.semantics is not Semantics.HADOOP_3_4:
            away = [name for name in self.restarting if not self.cluster.is_up(name)]
            self.needs("read", not away, f"{away} will be back")
        reader = self.readers.get(client)
        if reader is None:
            reader = self.readers[client] = self.cluster.start_client(f"reader {client}")
        if self.semantics is Semantics.HADOOP_3_4:
            # The first answer counts; whom the namenode names first is left to it.
            self.cluster.first_read = datanode
        opened = self.work(reader, reader.open(PATH))
        self.needs("read", opened.is_done and opened.failure is None, f"the reader is told nothing: {opened.failure}")
        length = opened.result().length
        replica = self.replica(datanode)
        visible = -1 if replica is None else replica.visible_length()
        self.needs("read", length == visible, f"the reader is shown {length} bytes, {datanode} has {visible}")
        self.needs("read", length > self.shown.get(client, 0), "nothing new is shown")
        self.shown[client] = length
        self.record("read", client, {"client": client, "datanode": datanode}, num_bytes=length // CHUNK_BYTES)


def _is_success(ack: object) -> bool:
    return isinstance(ack, PipelineAck) and all(reply is Status.SUCCESS for reply in ack.replies)
