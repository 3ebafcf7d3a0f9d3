"""How a pipeline is set up, and set up again: what the writer is told of a failure, and what it does then.

Not here: the failures themselves (`faults`).
"""

from dataclasses import replace

from genstamp_dfs.errors import LeaseExpiredException
from genstamp_dfs.hdfs.messages.client_protocol import (
    AddBlock,
    GetAdditionalDatanode,
    UpdateBlockForPipeline,
    UpdatePipeline,
)
from genstamp_dfs.hdfs.messages.data_transfer import (
    BlockConstructionStage,
    PipelineAck,
    Status,
    TransferReplica,
    WriteBlock,
)
from genstamp_dfs.hdfs.protocol import LocatedBlock
from genstamp_dfs.stepwise.loop import Held
from genstamp_dfs.stepwise.network import HeldCall, HeldConnection
from genstamp_dfs.stepwise.pipeline.cluster import PATH
from genstamp_dfs.stepwise.pipeline.writing import WritingSteps

_STAGES = {
    "set_up_create": BlockConstructionStage.PIPELINE_SETUP_CREATE,
    "set_up_append": BlockConstructionStage.PIPELINE_SETUP_APPEND,
    "set_up_append_recovery": BlockConstructionStage.PIPELINE_SETUP_APPEND_RECOVERY,
    "set_up_streaming_recovery": BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY,
    "set_up_close_recovery": BlockConstructionStage.PIPELINE_CLOSE_RECOVERY,
}

_REUSING = (BlockConstructionStage.PIPELINE_SETUP_APPEND, BlockConstructionStage.DATA_STREAMING)
"""Stages of a block that was written before, in which a pipeline may be set up under the old stamp."""


class RecoveringSteps(WritingSteps):
    """Set-up, errors on their way to the writer, replacement, stamps; each method is a step, named as its event."""

    # -- set-up -------------------------------------------------------------------------------------------------

    def set_up_create(self, datanode: str) -> None:
        """The request to create the replica reaches a datanode."""
        self._set_up("set_up_create", datanode)

    def set_up_append(self, datanode: str) -> None:
        """The request to open the replica again reaches a datanode."""
        self._set_up("set_up_append", datanode)

    def set_up_append_recovery(self, datanode: str) -> None:
        """The request to open the replica again, if it was not opened yet, reaches a datanode."""
        self._set_up("set_up_append_recovery", datanode)

    def set_up_streaming_recovery(self, datanode: str) -> None:
        """The request to go on writing reaches a datanode."""
        self._set_up("set_up_streaming_recovery", datanode)

    def set_up_close_recovery(self, datanode: str) -> None:
        """The request to finalize the replica reaches a datanode."""
        self._set_up("set_up_close_recovery", datanode)

    def _set_up(self, event: str, datanode: str) -> None:
        self.datanode(event, datanode)
        opening = self.network.openings.get(datanode)
        if opening is None or opening.operation.stage is not _STAGES[event]:
            self.not_now(event, f"no such request is under way to {datanode}")
        self._open(datanode)

    def _open(self, datanode: str) -> None:
        """Let the request through, and the datanode do what it asks for."""
        self.network.open(datanode)
        # A writer of the replica that is interrupted has to end before.
        self.loop.settle(f"{datanode} {Held.RESPONDER}")
        self.restarting.discard(datanode)

    def start_streaming(self) -> None:
        """The answers of all nodes of the first pipeline have come back, or of one that the namenode is not told of."""
        self._pass_answers("start_streaming")
        self._tell_nobody("start_streaming")
        self._needs_all()

    def _tell_nobody(self, event: str) -> None:
        """A writer that reuses the block's stamp goes on without telling the namenode of its pipeline."""
        call = self.network.waiting(UpdatePipeline)
        if call is None:
            return
        assert isinstance(call.request, UpdatePipeline)
        reused = call.request.new_block.generation_stamp == call.request.old_block.generation_stamp
        self.needs(event, reused, "the namenode is told of the new stamp")
        self.network.answer_for(call, None)
        self.let_streamer_run()
        self.record(event, self.writer.runtime.node)

    def _needs_all(self) -> None:
        """The first pipeline is set up: from now on the write does not go on where no datanode can be added."""
        self.writer.configuration = replace(self.writer.configuration, replace_min_replication=0)

    def _pass_answers(self, event: str) -> None:
        """Answers to the set-up go up the chain, to the writer, which goes on."""
        self.streamer(event)
        links = list(self.network.links.values())
        self.needs(event, links, "nothing is being set up")
        streaming = self.streamer(event).pipeline.connection is not None
        self.needs(event, not streaming, "the pipeline is set up already")
        for near in reversed(links):
            while near.other.under_way:
                near.other.let_arrive()
                near.let_take()
            if near.is_broken:
                near.learn_of_end()
            self.loop.settle()
        self.let_streamer_run()
        self.is_set_up = bool(self.network.links)

    def set_up_fails(self, bad: str) -> None:
        """The writer is told that a node does not do what it is asked for."""
        streamer = self.streamer("set_up_fails")
        away = bad in self.restarting and not self.cluster.is_up(bad)
        self.needs("set_up_fails", not away, f"{bad} restarts, and is waited for")
        before = streamer.pipeline.nodes
        self.needs("set_up_fails", bad in before, f"{bad} is not in the pipeline")
        if bad == streamer.pipeline.awaited:
            # It is given the rest of its time.
            self.loop.now_us += self.writer.configuration.datanode_restart_timeout_ms * 1_000
        if bad in self.network.openings:
            self._open(bad)
        self._pass_answers_or_let_run("set_up_fails")
        self._has_given_up("set_up_fails", bad, before)

    def _pass_answers_or_let_run(self, event: str) -> None:
        if self.network.links:
            self._pass_answers(event)
        else:
            self.let_streamer_run()

    def _has_given_up(self, event: str, bad: str, before: tuple[str, ...]) -> None:
        """The writer has left the node out, or failed over it."""
        assert self.stream is not None
        streamer = self.stream.streamer
        pipeline = streamer.pipeline
        if pipeline.nodes == before == (bad,):
            ends = streamer.failure is not None or self.network.waiting(AddBlock) is not None
            self.needs(event, ends, f"{bad} is not given up")
        else:
            left = tuple(node for node in before if node != bad)
            self.needs(event, bad in before and pipeline.nodes == left, f"{pipeline.nodes} are left")
        self.record(event, self.writer.runtime.node, {"bad": bad}, observed={"bad_node": bad})

    # -- errors on their way ------------------------------------------------------------------------------------

    def mirror_fails(self, datanode: str) -> None:
        """A datanode finds the connection to the next node broken, or waits for it longer than the time-out."""
        event = "mirror_fails"
        near = self.working(event, datanode)
        self.needs(event, self.is_set_up, "the pipeline is being set up")
        mirror = self.mirror(datanode)
        if mirror is None:
            self.not_now(event, f"no node comes after {datanode}")
        below = self.network.links[mirror]
        under_way = below.other.under_way if mirror not in self.hung else ()
        restarts = under_way and _says_restart(under_way[0])
        self.needs(event, mirror in self.hung or below.is_broken, f"{mirror} works")
        before = below.arrived or (under_way and not restarts)
        self.needs(event, not before, f"an acknowledgement of {mirror} comes before")
        self.needs(event, not near.other.under_way, f"{datanode} has an acknowledgement to send before")
        self.needs(event, not below.is_over and datanode not in self.told, f"{datanode} knows already")
        self.told.add(datanode)
        self.loop.settle(f"{datanode} {Held.RESPONDER}")
        if restarts:
            below.other.let_arrive()
            below.let_take()
        elif mirror in self.hung:
            below.time_out()
        else:
            below.learn_of_end()
        self.loop.settle(f"{datanode} {Held.RESPONDER}")
        self.record(event, datanode, {"datanode": datanode})

    def _upwards(self, datanode: str) -> PipelineAck | None:
        """An error that a datanode is about to tell the node before it."""
        sent = self.network.links[datanode].other.under_way
        ack = sent[0] if sent else None
        return ack if isinstance(ack, PipelineAck) and any(r is not Status.SUCCESS for r in ack.replies) else None

    def error_ack_passes(self, datanode: str) -> None:
        """An acknowledgement that calls a node bad comes to a datanode, which puts its own success in front."""
        event = "error_ack_passes"
        self.working(event, datanode)
        mirror = self.mirror(datanode)
        if mirror is None or self._upwards(mirror) is None:
            self.not_now(event, f"no acknowledgement below {datanode} tells of an error")
        below = self.network.links[mirror]
        self.needs(event, not below.arrived, f"an acknowledgement of {mirror} has come before")
        self.needs(event, not self.network.links[datanode].other.under_way, f"{datanode} has one to send before")
        below.other.let_arrive()
        below.let_take()
        self.loop.settle(f"{datanode} {Held.RESPONDER}")
        self.record(event, datanode, {"datanode": datanode})

    def error_ack_comes(self, bad: str) -> None:
        """The writer takes an acknowledgement that calls a node bad."""
        event = "error_ack_comes"
        before = self.streamer(event).pipeline.nodes
        near = self._error_for_writer(event)
        self.needs(event, not _says_restart(near.other.under_way[0]), "the acknowledgement says that a node restarts")
        self._writer_takes(near)
        self._has_given_up(event, bad, before)

    def client_waits_for_restart(self, datanode: str) -> None:
        """The writer takes the news that a node restarts."""
        event = "client_waits_for_restart"
        streamer = self.streamer(event)
        near = self._error_for_writer(event)
        ack = near.other.under_way[0]
        index = len(ack.replies) - 1 if isinstance(ack, PipelineAck) else 0
        told = _says_restart(ack) and streamer.pipeline.nodes[index] == datanode
        self.needs(event, told and datanode in self.restarting, f"nobody says that {datanode} restarts")
        self._writer_takes(near)
        self.record(event, self.writer.runtime.node, {"datanode": datanode})

    def _error_for_writer(self, event: str) -> HeldConnection:
        near = self._to_first(event)
        self.needs(event, self._upwards(near.peer), "no acknowledgement tells of an error")
        self.needs(event, not near.arrived, "another acknowledgement has come before")
        self._needs_unacknowledged(event)
        return near

    def _needs_unacknowledged(self, event: str) -> None:
        streamer = self.streamer(event)
        self.needs(event, streamer.pipeline.connection is not None, "the pipeline is being set up")

    def _writer_takes(self, near: HeldConnection) -> None:
        near.other.let_arrive()
        near.let_take()
        self.loop.settle()
        self.let_streamer_find_error()

    def connection_fails(self, bad: str) -> None:
        """The writer finds its connection broken, or waits longer than the time-out."""
        event = "connection_fails"
        before = self.streamer(event).pipeline.nodes
        near = self._to_first(event)
        self.needs(event, near.peer == bad, f"the writer's connection goes to {near.peer}")
        self.needs(event, bad in self.hung or near.is_broken, f"{bad} works")
        self.needs(event, not near.arrived, "an acknowledgement has come before")
        self.needs(event, bad not in self.restarting, f"{bad} has said that it restarts")
        self._needs_unacknowledged(event)
        if bad in self.hung:
            near.time_out()
        else:
            near.learn_of_end()
        self.loop.settle()
        self.let_streamer_find_error()
        self._has_given_up(event, bad, before)

    # -- another datanode ---------------------------------------------------------------------------------------

    def add_datanode(self, source: str, target: str) -> None:
        """The namenode names another datanode, and one of the pipeline copies to it."""
        event = "add_datanode"
        streamer = self.streamer(event)
        before = streamer.pipeline.nodes
        tried = self._try_to_add(event)
        added = [node for node in streamer.pipeline.nodes if node not in before]
        self.needs(event, tried == (source, target) and added == [target], f"{tried} is tried, {added} is added")
        late = all(self.datanodes.index(node) < self.datanodes.index(target) for node in before)
        self.needs(event, late, f"{target} joins behind {before[-1]}")
        self.record(event, self.writer.runtime.node, {"source": source, "target": target})

    def transfer_fails(self, source: str, target: str) -> None:
        """As `add_datanode`, but the copy does not come about."""
        event = "transfer_fails"
        streamer = self.streamer(event)
        before = streamer.pipeline.nodes
        tried = self._try_to_add(event)
        self.needs(event, tried == (source, target) and streamer.pipeline.nodes == before, f"{tried} is tried")
        self.record(event, self.writer.runtime.node, {"source": source, "target": target})

    def no_datanode_to_add(self) -> None:
        """The namenode has no other datanode, or names none to a writer that has lost its lease; the write fails."""
        event = "no_datanode_to_add"
        streamer = self.streamer(event)
        tried = self._try_to_add(event)
        self.needs(event, tried is None and streamer.failure is not None, "there is a datanode")
        refused_with = "IOException" if isinstance(streamer.failure, LeaseExpiredException) else None
        self.record(event, self.writer.runtime.node, refused_with=refused_with)

    def _try_to_add(self, event: str) -> tuple[str, str] | None:
        """Let the writer ask for a datanode; gives source and target of the copy that it has tried."""
        self.network.opened.clear()
        self.waiting_call(event, GetAdditionalDatanode)
        opened = self.network.opened
        sources = [node for node, operation in opened if isinstance(operation, TransferReplica)]
        targets = [operation.targets[0] for _, operation in opened if isinstance(operation, TransferReplica)]
        assert all(isinstance(operation, TransferReplica | WriteBlock) for _, operation in opened)
        return (sources[0], targets[0]) if sources else None

    # -- the namenode -------------------------------------------------------------------------------------------

    def update_block_for_pipeline(self) -> None:
        """The writer asks for a stamp."""
        self.waiting_call("update_block_for_pipeline", UpdateBlockForPipeline)

    def reuse_stamp(self) -> None:
        """The writer asks for no stamp, as no client of Hadoop's does: the block's own will do (HDFS-17850)."""
        event = "reuse_stamp"
        streamer = self.streamer(event)
        self.needs(event, streamer.stage in _REUSING, "a block is created or closed")
        self.loop.wake(Held.STREAMER)
        self.let_streamer_run()
        call = self.network.waiting(UpdateBlockForPipeline)
        if call is None:
            self.not_now(event, "the writer needs no stamp")
        assert isinstance(call.request, UpdateBlockForPipeline)
        self.network.answer_for(call, LocatedBlock(call.request.block, ()))
        self.let_streamer_run()
        self.record(event, self.writer.runtime.node)

    def update_pipeline(self) -> None:
        """The answers of all nodes have come back, and the writer tells the namenode of the new pipeline."""
        self._pass_answers("update_pipeline")
        self.waiting_call("update_pipeline", UpdatePipeline)
        self._needs_all()

    def late_update_pipeline(self) -> None:
        """A copy of an updatePipeline call arrives that was answered long ago."""
        event = "late_update_pipeline"
        copy, self.copy = self.copy, None
        if copy is None:
            self.not_now(event, "no copy is on its way")
        self.network.carry_out(copy)
        self.loop.settle()

    def update_pipeline_is_sent_twice(self) -> None:
        """The last updatePipeline call is on its way a second time, as one that the namenode does not remember."""
        event = "update_pipeline_is_sent_twice"
        self.needs(event, self.copy is None, "a copy is on its way")
        last = self.network.answered.get(UpdatePipeline)
        if last is None:
            self.not_now(event, "there was no such call")
        caller = type(last.caller)(last.caller.machine)
        self.copy = HeldCall(last.life, last.node, last.request, caller, self.loop.future())

    # -- append -------------------------------------------------------------------------------------------------

    def append(self) -> None:
        """The application opens the closed file again, and writes."""
        event = "append"
        self.needs(event, self.is_writer_up() and self.stream is not None, "the writer is down, or there is no file")
        assert self.stream is not None
        self.needs(event, self.stream.is_closed and self.stream.streamer.failure is None, "the file is not closed")
        self.needs(event, self.stream.position, "the file is empty: it would be written from its beginning")
        opened = self.work(self.writer, self.writer.append(PATH))
        self.needs(event, opened.is_done and opened.failure is None, f"it is refused: {opened.failure}")
        self.use_stream(opened.result())
        self.let_streamer_run()


def _says_restart(message: object) -> bool:
    return isinstance(message, PipelineAck) and Status.OOB_RESTART in message.replies
