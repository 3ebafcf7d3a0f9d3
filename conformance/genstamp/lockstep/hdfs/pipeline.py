"""Maps a run to steps of hdfs.pipeline: one block at a time, from its addBlock to its complete().

Packets are known by the block's lengths at which they end, in order; datanodes by their order in the first pipeline,
and then in the order in which they join; stamps by the order in which the block gets them. Steps without an event, such
as sent packets and acknowledgements that go up, are inserted where they are needed (`chain`).

A client does not report which node it considers bad. What it does next does: the pipeline that is set up next lacks the
datanode. So what leads to it is judged with the first step of the new set-up.

Not here: what `pipeline_words` names.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from genstamp.events import Event
from genstamp.lockstep.hdfs import pipeline_words as words
from genstamp.lockstep.hdfs.chain import Chain, Node, Phase
from genstamp.lockstep.hdfs.pipeline_nodes import ENDED, PipelineNodes
from genstamp.lockstep.projection import OVER, Entity, LeftOut, Perhaps, Projected, Step, model_step, showing

_AT_ONCE: Final[dict[str, list[Projected]]] = {event: [LeftOut(reason)] for event, reason in words.DROPPED.items()}


class PipelineProjection(PipelineNodes):
    """The projection of one run on hdfs.pipeline.

    Args:
        replication: of all files.
    """

    members: Mapping[str, Sequence[str]] = {"Client": (words.READER,), "Datanode": words.DATANODES}
    unseen: Mapping[str, Mapping[str, Sequence[str]]] = {}
    impossible: frozenset[str] = words.IMPOSSIBLE
    told_apart: Mapping[str, str] = {}
    forgotten: Sequence[str] = words.FORGOTTEN

    def __init__(self, replication: int) -> None:
        super().__init__()
        self._replication = replication
        self._blocks: set[str] = set()
        self._flushed: set[tuple[str, str]] = set()
        self._begin: dict[str, list[int | None]] = {}

    def project(self, events: Sequence[Event]) -> Iterator[tuple[Event, list[Projected]]]:
        """Each event of a run, with what it is to the system."""
        self._foretell(events)
        for event in events:
            yield event, _AT_ONCE.get(event.event) or list(self._projected(event))

    def _foretell(self, events: Sequence[Event]) -> None:
        """Where packets end, and which datanodes the pipelines have that are set up."""
        ends: dict[str, set[int]] = defaultdict(set)
        for event in events:
            if event.event in ("receive_packet", "receive_ack") and event.num_bytes:
                ends[event.entity.partition("@")[0]].add(event.num_bytes)
            elif event.event in ("set_up_create", "start_streaming") and event.generation_stamp is not None:
                self._set_up[event.entity, event.generation_stamp] = event.observed["locations"].split(",")
        self._ends = {block: sorted(found) for block, found in ends.items()}

    def _projected(self, event: Event) -> Iterator[Projected]:
        if event.node == "namenode":
            yield from self._of_namenode(event)
        elif event.kind == "replica":
            block = event.entity.partition("@")[0]
            one = self._of_block.get(block)
            if one is None or one.is_over:
                yield LeftOut(words.NO_BLOCK if one is None else OVER)
            else:
                yield self._of_replica(one, event)
        else:
            yield self._of_client(event)

    # -- the NameNode -------------------------------------------------------------------------------------------

    def _of_namenode(self, event: Event) -> Iterator[Projected]:
        match event.event:
            case "namenode_restart":
                yield from self._restarts()
            case "block_report":
                yield from self._full_report(event)
            case "block_received":
                yield self._received(event)
            case "add_block":
                yield from self._add_block(event)
            case "update_block_for_pipeline":
                yield self._asks_for_stamp(event)
            case "update_pipeline":
                yield self._update_pipeline(event)
            case "complete":
                yield self._complete(event)
            case _:
                yield from self._of_file(event)

    def _restarts(self) -> Iterator[Projected]:
        found = [one for one in self._of_block.values() if not one.is_over]
        yield from (self._end(one, words.RESTARTED) for one in found)
        if not found:
            yield LeftOut(words.NODES)

    def _full_report(self, event: Event) -> Iterator[Projected]:
        """A datanode's full report lists the replicas that were finalized when the report was made."""
        datanode = event.arguments.get("datanode", "")
        told = [one for one in self._of_block.values() if not one.is_over and self._is_final(one, datanode)]
        if event.refused_with is not None or not told:
            yield LeftOut(words.REPORTS)
            return
        for one in told:
            one.perhaps.append(datanode)
            if one.phase is Phase.COMMITTED:
                yield Entity(one.key, (self._counted(one, datanode),))

    def _is_final(self, one: Chain, datanode: str) -> bool:
        return datanode in one.pipeline and one.pipeline[datanode].is_final

    def _counted(self, one: Chain, datanode: str) -> Perhaps:
        return Perhaps("block_received", {"datanode": one.pipeline[datanode].word})

    def _received(self, event: Event) -> Projected:
        block, _, datanode = event.entity.partition("@")
        one = self._live(block)
        stamp = event.generation_stamp
        if one is None or event.refused_with is not None or stamp is None or not self._is_final(one, datanode):
            return LeftOut(words.REPORTS)
        # The NameNode may hear of a generation from a datanode before it does from the client.
        one.reported.append((datanode, stamp))
        if stamp != one.stamp or not one.is_committed:
            return LeftOut(words.EARLY)
        step = model_step("block_received", {"datanode": one.pipeline[datanode].word})
        return Entity(one.key, (showing(step, event, "block_state"),))

    def _add_block(self, event: Event) -> Iterator[Projected]:
        arguments = event.arguments
        block, inode, stamp = arguments.get("block"), arguments.get("inode", ""), event.generation_stamp
        if event.refused_with is not None or block is None or stamp is None or block in self._blocks:
            yield LeftOut(words.LEASES if event.refused_with is not None else words.SAME)
            return
        before = self._live(self._last_block.get(inode))
        if before is not None and before.phase is Phase.ENDED:
            yield Entity(before.key, tuple(self._commits(before)))
        self._last_block[inode] = block
        self._blocks.add(block)
        begins_at = self._begins_at(inode, event)
        pipeline = self._set_up.get((block, stamp))
        if pipeline is None or len(pipeline) != self._replication:
            yield LeftOut(words.NEVER if pipeline is None else words.FEW)
            return
        nodes = {name: Node(words.DATANODES[place]) for place, name in enumerate(pipeline)}
        # The policy goes by what was flushed in any block of the stream.
        always = self._replication > 2 and (arguments["client"], arguments["file"]) in self._flushed
        key = f"block {block} of {stamp}"
        one = Chain(block, inode, arguments["client"], key, stamp, {stamp: 1}, nodes, always, set(nodes), begins_at)
        self._of_block[block] = one
        last = one.nodes[-1].word
        step = model_step("add_block", {"last": last, "always": str(int(always))}, generation_stamp=1)
        yield Entity(one.key, (step,))

    def _begins_at(self, inode: str, event: Event) -> int | None:
        """Where in its file a new block begins; None in a file that was opened again, or after a block with no end."""
        begin = self._begin.setdefault(inode, [])
        passed = event.arguments.get("passed_bytes")
        if not begin:
            begin.append(0)
        else:
            begin.append(None if begin[-1] is None or passed is None else begin[-1] + int(passed))
        return begin[-1]

    def _commits(self, one: Chain) -> list[Step]:
        """The block is committed; what was reported of it before counts now."""
        one.phase = Phase.COMMITTED
        told: list[Step] = [
            model_step("block_received", {"datanode": one.pipeline[name].word})
            for name, stamp in dict.fromkeys(one.reported)
            if name in one.pipeline and stamp == one.stamp
        ]
        perhaps = [self._counted(one, name) for name in dict.fromkeys(one.perhaps) if name in one.pipeline]
        return [model_step("complete", {}), *told, *perhaps]

    def _complete(self, event: Event) -> Projected:
        one = self._of_inode(event)
        if one is None or event.arguments.get("client") != one.writer:
            return LeftOut(words.NO_BLOCK if one is None else words.LEASES)
        if event.refused_with is not None:
            step = model_step("complete", {}, refused_with=event.refused_with)
            return Entity(one.key, (step,)) if one.phase is Phase.ENDED else LeftOut(words.LEASES)
        is_closed = event.observed.get("closed") == "true"
        if one.phase is Phase.CLOSED or (one.phase is Phase.COMMITTED and not is_closed):
            return LeftOut(words.SAME)
        if event.observed.get("block_state") == "UNDER_CONSTRUCTION":
            return LeftOut(words.WAITS)
        steps = [] if one.phase is Phase.COMMITTED else self._commits(one)
        if not is_closed:
            # What was reported before is not in the block's state yet, in the model.
            alone = [showing(model_step("complete", {}), event, "block_state")]
            return Entity(one.key, tuple(steps if len(steps) > 1 else alone))
        one.phase = Phase.CLOSED
        return Entity(one.key, (*steps, showing(model_step("complete", {}), event, "block_state")))

    def _asks_for_stamp(self, event: Event) -> Projected:
        one = self._of_inode(event)
        if one is None or event.refused_with is not None or event.arguments.get("client") != one.writer:
            return LeftOut(words.NO_BLOCK if one is None else words.LEASES)
        if event.generation_stamp in one.stamps or event.generation_stamp is None:
            return LeftOut(words.SAME)
        one.stamps[event.generation_stamp] = len(one.stamps) + 1
        one.asked.append(event)
        return LeftOut(words.AGAIN)

    def _update_pipeline(self, event: Event) -> Projected:
        one = self._live(event.entity)
        if one is None or event.refused_with is not None or event.arguments.get("client") != one.writer:
            return LeftOut(words.NO_BLOCK if one is None else words.LEASES)
        if event.generation_stamp == one.stamp or event.generation_stamp not in one.stamps:
            return LeftOut(words.SAME)
        if len(one.asked) > 1:
            return self._end(one, words.SET_UP_FAILS)
        one.stamp = event.generation_stamp
        one.is_resuming = False
        if one.phase is Phase.CLOSING:
            one.phase, one.acked = Phase.ENDED, one.last_packet
        return Entity(one.key, (model_step("update_pipeline", {}),))

    def _of_file(self, event: Event) -> Iterator[Projected]:
        one = self._of_inode(event)
        is_done = event.refused_with is None and event.observed.get("answer") != "false"
        if event.event in ("create", "append"):
            self._flushed.discard((event.arguments["client"], event.entity))
        if event.event == "append":
            self._begin[event.arguments.get("inode", "")] = [None]
        if event.event == "abandon_block" and is_done and event.arguments.get("block") in self._blocks:
            self._blocks.discard(event.arguments["block"])
            self._begin.get(event.arguments.get("inode", ""), [None])[-1:] = []
        gone = event.arguments.get("replaced")
        if event.event in ("delete", "rename2", "concat", "truncate"):
            gone = event.arguments.get("inode")
        if gone is not None and (is_done or event.recovery_id is not None):
            found = [chain for chain in self._of_block.values() if not chain.is_over and chain.inode == gone]
            reason = words.TRUNCATED if event.event == "truncate" else words.REMOVED
            yield from (self._end(chain, reason) for chain in found)
            if found:
                return
        if one is None:
            yield LeftOut(words.NO_BLOCK)
        elif event.event == "abandon_block" and is_done:
            yield self._end(one, words.ABANDONED)
        elif event.event == "append" and is_done:
            yield self._end(one, words.APPENDED)
        elif event.recovery_id is not None:
            yield self._end(one, words.RECOVERED)
        else:
            yield LeftOut(words.LEASES)

    # -- the client ---------------------------------------------------------------------------------------------

    def _of_client(self, event: Event) -> Projected:
        if event.event in ("hflush", "hsync"):
            return self._flush(event)
        one = self._live(event.entity)
        if one is None or event.node != one.writer:
            return LeftOut(words.NO_BLOCK)
        match event.event:
            case "receive_ack":
                steps = one.hears(self._packet(one, event))
            case "end_block" if one.phase not in ENDED:
                closed = one.close()
                steps = [*closed, *one.hears(one.last_packet), model_step("end_block", {})]
                one.phase = Phase.ENDED
            case _:
                steps = []
        return Entity(one.key, tuple(steps)) if steps else LeftOut(words.SAME)

    def _flush(self, event: Event) -> Projected:
        """hflush or hsync returned; the model has only one that finds something new."""
        self._flushed.add((event.node, event.entity))
        streams = [
            one
            for one in self._of_block.values()
            if not one.is_over and one.writer == event.node and one.stamp == event.generation_stamp
        ]
        for one in streams:
            if one.phase is Phase.STREAMING and not one.is_resuming and one.bytes_sent > one.flushed:
                one.flushed = one.bytes_sent
                shown = None if one.begins_at is None else self._end_of(one, (event.num_bytes or 0) - one.begins_at)
                return Entity(one.key, (model_step("hflush", {}, num_bytes=shown),))
            one.is_flushed_unseen |= one.flushed == 0
        return LeftOut(words.FILE)
