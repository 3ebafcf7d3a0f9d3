"""The steps of writers and of their pipelines, from create to complete.

Each method is a step, named as its event; what the step is in HDFS stands in the specification.

Not here: what a client does of its own accord when a pipeline fails, since its streamer is not let go on then.
"""

from typing import Any

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.client import DFSClient
from genstamp_dfs.hdfs.client.output_stream import DFSOutputStream
from genstamp_dfs.hdfs.messages.client_protocol import AddBlock, Complete, RecoverLease, RenewLease
from genstamp_dfs.hdfs.messages.data_transfer import CHUNK_BYTES, BlockConstructionStage, Packet
from genstamp_dfs.hdfs.messages.datanode_protocol import ReceivedStatus
from genstamp_dfs.hdfs.protocol import BlockUCState, ReplicaState
from genstamp_dfs.stepwise.loop import Held
from genstamp_dfs.stepwise.network import HeldCall, HeldConnection
from genstamp_dfs.stepwise.recovery.cluster import RecoveryCluster, Stream, closing_of, pipeline_of, replica_key
from genstamp_dfs.stepwise.steps import CHUNK
from genstamp_dfs.world.request import Request


class WritingSteps(RecoveryCluster):
    """create, add_block, the pipeline, hflush, complete, and the reports of what was written."""

    # -- calls at the namenode ----------------------------------------------------------------------------------

    def create(self, client: str, file: str) -> None:
        """An application creates a file without overwrite."""
        writer = self.client("create", client)
        opened = self.work(writer, writer.create(file, replication=len(self.datanodes)))
        if opened.failure is None:
            self.streams[client, file] = Stream(opened.result())

    def add_block(self, client: str, file: str) -> None:
        """A writer asks for the file's block, or somebody asks who does not write it."""
        writer = self.client("add_block", client)
        one = self.streams.get((client, file))
        if one is None or not one.is_alive or one.stream.streamer.pipeline.block is not None:
            self.needs("add_block", not self._writes(writer, file), f"{client} asks for no other block of {file}")
            self.asked("add_block", writer, AddBlock(file, writer.name))
            return
        if not one.stream.position and one.closing is None:
            if self.cluster.orders.either(closing_of(client, file)):
                one.closing = self.work(writer, one.stream.close())
            else:
                self.work(writer, one.stream.write(CHUNK))
        self.loop.settle(one.name)
        self.let_go("add_block", AddBlock, client, file)
        self.loop.settle(one.name)
        one.chain = one.stream.streamer.pipeline.nodes

    def complete(self, client: str, file: str) -> None:
        """A writer closes the file, or somebody asks for it who does not write it (any more)."""
        writer = self.client("complete", client)
        one = self.streams.get((client, file))
        if one is not None and one.is_alive and self._is_ready(writer, one):
            self.let_go("complete", Complete, client, file)
            return
        passed = None if one is None or one.is_closed else one.stream.streamer.pipeline.block
        is_writer = self._writes(writer, file) and (one is None or passed is not None)
        is_unfinished = is_writer and not self._is_under_recovery(file)
        self.needs("complete", not is_unfinished, "the last packet is not acknowledged, or was never to be sent")
        if one is None and file in self.took_over[client] and self._is_under_recovery(file):
            stored = self.stored(file)
            passed = None if stored is None else stored.as_block()
        self.asked("complete", writer, Complete(file, writer.name, passed))

    def renew_lease(self, client: str) -> None:
        """A client renews its lease, whatever it has open."""
        writer = self.client("renew_lease", client)
        self.asked("renew_lease", writer, RenewLease(writer.name))

    def recover_lease(self, client: str, file: str) -> None:
        """A client has a file recovered."""
        asking = self.client("recover_lease", client)
        if self.asked("recover_lease", asking, RecoverLease(file, asking.name)) and (client, file) not in self.streams:
            self.took_over[client].add(file)

    def asked(self, event: str, client: DFSClient, request: Request[Any]) -> bool:
        """A call that no stream makes; whether it was accepted."""
        work = self.work(client, client.ask(request))
        held = self.waiting(type(request), client.name, getattr(request, "path", ""))
        if held is not None:
            self.network.carry_out(held)
            self.loop.settle()
        refused = work.failure
        assert work.is_done and (refused is None or isinstance(refused, HdfsIOException)), f"{event}: {refused}"
        return refused is None

    def let_go(self, event: str, kind: type[Request[Any]], client: str, file: str) -> None:
        """Carry a call out that a stream has made."""
        call = self.waiting(kind, client, file)
        if call is None:
            self.not_now(event, f"the stream of {client} on {file} makes no such call")
        self.network.carry_out(call)
        self.loop.settle()

    def waiting(self, kind: type[Request[Any]], client: str, file: str) -> HeldCall | None:
        """The oldest call of a client that waits."""
        return next(
            (
                call
                for call in self.network.calls
                if isinstance(call.request, kind) and call.life.node == client and call.request.path == file  # type: ignore[attr-defined]
                if call.life.is_on
            ),
            None,
        )

    def _is_ready(self, writer: DFSClient, one: Stream) -> bool:
        """Let the stream come to its complete(); whether it has."""
        if one.stream.streamer.pipeline.block is None and one.closing is None and not one.stream.position:
            # Nothing was written, and no block is asked for.
            one.closing = self.work(writer, DFSOutputStream.close(one.stream))
        if one.closing is None:
            return False
        if one.chain and one.stream.streamer.stage is BlockConstructionStage.PIPELINE_CLOSE:
            self.pass_acks(one)
        self.loop.settle(one.name)
        self.loop.wake(f"{writer.name} work")
        self.loop.settle()
        return self.waiting(Complete, writer.name, one.stream.path) is not None

    def _writes(self, client: DFSClient, file: str) -> bool:
        """Whether the file is open under the client's name."""
        inode = self.inode(file)
        return inode is not None and inode.is_under_construction and inode.client_name == client.name

    def _is_under_recovery(self, file: str) -> bool:
        stored = self.stored(file)
        return stored is not None and stored.state is BlockUCState.UNDER_RECOVERY

    # -- the pipeline -------------------------------------------------------------------------------------------

    def stream(self, event: str, client: str, file: str) -> tuple[Stream, int]:
        """A client's stream that has a block, and the block's id."""
        self.client(event, client)
        one = self.streams.get((client, file))
        if one is None or one.stream.streamer.pipeline.block is None or not one.is_alive:
            self.not_now(event, f"{client} writes no block of {file}")
        return one, one.stream.streamer.pipeline.block.block_id

    def create_rbw(self, client: str, file: str, datanode: str) -> None:
        """The set-up of the pipeline reaches a datanode."""
        one, block_id = self.stream("create_rbw", client, file)
        node = self.datanode("create_rbw", datanode)
        self.needs("create_rbw", datanode in one.chain, f"{datanode} is not in the pipeline {one.chain}")
        key = replica_key(block_id, datanode)
        again = one.set_up.get(datanode)
        if again is not None:
            closes = one.stream.streamer.stage is BlockConstructionStage.PIPELINE_CLOSE
            self.needs("create_rbw", not closes, "the last packet is sent")
            has_replica = node.dataset.replicas.get(block_id) is not None
            self.needs("create_rbw", has_replica, f"{client} has set {datanode} up, which has lost its replica")
            life = self.cluster.machines[client].life
            assert life is not None
            self.network.connect_apart(life, datanode, again)
            self.loop.settle()
            return
        opening = self.network.openings.get(key)
        if opening is None or not opening.life.is_on:
            self.not_now("create_rbw", f"the set-up of {one.chain} has not come to {datanode}")
        one.set_up[datanode] = opening.operation
        if one.asks_no_more:
            self.cluster.orders.decided.add(pipeline_of(block_id))
        self.network.open(key)
        self.loop.settle(responder(datanode, block_id))
        if len(one.set_up) == len(one.chain):
            self._pass_set_up(one, block_id)

    def _pass_set_up(self, one: Stream, block_id: int) -> None:
        """The answers of all nodes go up the chain, and the stream begins to stream."""
        for datanode in reversed(one.chain):
            near = self.link(block_id, datanode)
            if near is None:
                return
            while near.other.under_way:
                near.other.let_arrive()
                near.let_take()
            self.loop.settle()
        self.loop.settle(one.name)

    def written(self, event: str, one: Stream, block_id: int, datanode: str) -> HeldConnection:
        """The connection through which a datanode is written, which must receive."""
        self.needs(event, datanode in one.chain, f"{datanode} is not in the pipeline {one.chain}")
        self.datanode(event, datanode)
        near = self.link(block_id, datanode)
        if near is None or near.is_cut or near.other.is_over:
            self.not_now(event, f"{datanode} takes no packets of {one.stream.client.name}")
        return near

    def all_written(self, event: str, one: Stream, block_id: int) -> None:
        """The whole pipeline must receive."""
        for datanode in one.chain:
            self.written(event, one, block_id, datanode)

    def receive_packet(self, client: str, file: str, datanode: str) -> None:
        """The next packet of data reaches a datanode, which sends it on."""
        event = "receive_packet"
        one, block_id = self.stream(event, client, file)
        near = self.written(event, one, block_id, datanode)
        streams = one.stream.streamer.stage is BlockConstructionStage.DATA_STREAMING
        self.needs(event, streams, "no data is sent now")
        if datanode == one.chain[0] and not near.under_way:
            if not near.is_stalled:
                self.needs(event, one.closing is None, "the application has closed the file")
                self.work(one.stream.client, one.stream.write(CHUNK))
                self.loop.settle(one.name)
            near.let_send()
            self.loop.settle(one.name)
        packet = near.under_way[0] if near.under_way else None
        if not isinstance(packet, Packet) or packet.is_last:
            self.not_now(event, f"no packet of data is on its way to {datanode}")
        near.let_arrive()
        near.other.let_take()
        self.loop.settle()
        self.cluster.orders.decided.add(closing_of(client, file))

    def hflush(self, client: str, file: str) -> None:
        """An application flushes, and every datanode has acknowledged."""
        one, block_id = self.stream("hflush", client, file)
        self.needs("hflush", one.closing is None, "the application has closed the file")
        self.all_written("hflush", one, block_id)
        self.pass_acks(one)
        flushed = self.work(one.stream.client, one.stream.hflush())
        if not flushed.is_done:
            # Repaired, the namenode makes a writer wait until it has heard of the replicas.
            for datanode in one.chain:
                self.report_changes(datanode)
            self.loop.wake(f"{client} work")
            self.loop.settle()
        self.needs("hflush", flushed.is_done and flushed.failure is None, f"hflush waits, or fails: {flushed.failure}")

    def last_packet(self, client: str, file: str) -> None:
        """An application closes the file, and all data are acknowledged: the last packet is about to be sent."""
        event = "last_packet"
        one, block_id = self.stream(event, client, file)
        self.all_written(event, one, block_id)
        self.pass_acks(one)
        if one.closing is None:
            one.closing = self.work(one.stream.client, one.stream.close())
        self.loop.settle(one.name)
        first = self.link(block_id, one.chain[0])
        is_about_to = one.stream.streamer.stage is BlockConstructionStage.PIPELINE_CLOSE
        self.needs(event, first is not None and first.is_stalled and is_about_to, "not all data are acknowledged")
        self.cluster.orders.decided.add(closing_of(client, file))
        arguments = {"client": client, "file": file}
        self.record(
            event,
            client,
            "block",
            str(block_id),
            arguments,
            generation_stamp=one.stream.streamer.pipeline.generation_stamp,
            num_bytes=one.stream.streamer.pipeline.bytes_acked // CHUNK_BYTES,
        )

    def finalize_replica(self, client: str, file: str, datanode: str) -> None:
        """A datanode has received the last packet, and the nodes after it have acknowledged that."""
        event = "finalize_replica"
        one, block_id = self.stream(event, client, file)
        closes = one.stream.streamer.stage is BlockConstructionStage.PIPELINE_CLOSE
        self.needs(event, closes, "the last packet is not sent")
        self.written(event, one, block_id, datanode)
        place = one.chain.index(datanode)
        for before in one.chain[: place + 1]:
            near = self.written(event, one, block_id, before)
            if near.is_stalled and before == one.chain[0]:
                near.let_send()
                self.loop.settle(one.name)
            if near.under_way:
                near.let_arrive()
                near.other.let_take()
                self.loop.settle()
        self.loop.settle(responder(datanode, block_id))
        # Whoever is before it knows at once, and does nothing about it until it is let.
        self._pass_ack(datanode, block_id)
        self.loop.settle()

    def pass_acks(self, one: Stream) -> None:
        """What the nodes have to acknowledge goes up the chain, to the writer."""
        block = one.stream.streamer.pipeline.block
        assert block is not None
        for _ in range(len(one.stream.streamer.queues) + 1):
            for datanode in reversed(one.chain):
                self.loop.settle(responder(datanode, block.block_id))
                self._pass_ack(datanode, block.block_id)
                self.loop.settle()

    def _pass_ack(self, datanode: str, block_id: int) -> None:
        """An acknowledgement of a datanode reaches whoever is before it."""
        near = self.link(block_id, datanode)
        if near is not None and near.other.under_way:
            near.other.let_arrive()
            near.let_take()

    # -- reports ------------------------------------------------------------------------------------------------

    def block_received(self, file: str, datanode: str) -> None:
        """A datanode reports its finalized replica, maybe once more, as if the answer was lost before."""
        event = "block_received"
        block_id = self.block(event, file)
        node = self.datanode(event, datanode)
        replica = self.replica(datanode, block_id)
        if replica is None or replica.state is not ReplicaState.FINALIZED:
            self.not_now(event, f"{datanode} has no finalized replica of {file} to report")
        node.reports.add(replica.block(), ReceivedStatus.RECEIVED)
        self.report_changes(datanode)

    def report_changes(self, datanode: str) -> None:
        """A datanode reports what has changed since its last report."""
        self.cluster.datanodes[datanode].reports.trigger()
        for _ in range(2):
            self.loop.settle(f"{datanode} {Held.INCREMENTAL_REPORTS}")
            self.loop.wake(f"{datanode} {Held.INCREMENTAL_REPORTS}")
        self.loop.settle(f"{datanode} {Held.INCREMENTAL_REPORTS}")

    def report_all(self, datanode: str) -> None:
        """A datanode sends a full report; of each finalized replica in it an event is recorded."""
        self.cluster.datanodes[datanode].reports.is_full_report_due = True
        self.heartbeat(datanode)
        for report in self.cluster.reported:
            for replica in report.replicas:
                here = self.replica(datanode, replica.block_id)
                if here is None or here.state is not ReplicaState.FINALIZED:
                    continue
                stored = self.namenode.namesystem.block_manager.get_stored_block(replica.block_id)
                self.record(
                    "block_received",
                    "namenode",
                    "replica",
                    replica_key(replica.block_id, datanode),
                    {"file": self.file_of_block[replica.block_id], "datanode": datanode},
                    generation_stamp=replica.generation_stamp,
                    num_bytes=replica.num_bytes // CHUNK_BYTES,
                    observed={"block_state": "removed" if stored is None else stored.state.value},
                )
        self.cluster.reported.clear()

    def heartbeat(self, datanode: str, wanted: int | None = None) -> None:
        """A datanode sends a heartbeat, and what it owes; of the orders for it those for a block come back."""
        self.cluster.wanted = wanted
        self.loop.wake(f"{datanode} {Held.SERVICE_ACTOR}")
        self.loop.settle(f"{datanode} {Held.SERVICE_ACTOR}", f"{datanode} {Held.INCREMENTAL_REPORTS}")
        self.cluster.wanted = None


def responder(datanode: str, block_id: int) -> str:
    """The process that acknowledges the packets of a replica."""
    return f"{datanode} {Held.RESPONDER}blk_{block_id}"
