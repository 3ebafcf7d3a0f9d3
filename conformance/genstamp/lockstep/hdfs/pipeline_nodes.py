"""Maps the steps of datanodes to steps of hdfs.pipeline: packets, and a pipeline that is set up again.

Not here: the NameNode and the client (`pipeline`).
"""

from bisect import bisect_right
from typing import Final

from genstamp.events import Event
from genstamp.lockstep.hdfs import pipeline_words as words
from genstamp.lockstep.hdfs.block_base import JudgedBlocks
from genstamp.lockstep.hdfs.chain import Chain, Node, Phase
from genstamp.lockstep.projection import Entity, LeftOut, Projected, Step, model_step

SET_UPS: Final = {"recover_rbw": "set_up_streaming_recovery", "recover_close": "set_up_close_recovery"}
ENDED: Final = (Phase.ENDED, Phase.COMMITTED, Phase.CLOSED)


class PipelineNodes(JudgedBlocks[Chain]):
    """The state that is kept for the pipelines of a run, and the steps of their datanodes."""

    def __init__(self) -> None:
        super().__init__(words.ENDS)
        self._ends: dict[str, list[int]] = {}
        self._set_up: dict[tuple[str, int], list[str]] = {}
        self._source: dict[str, str] = {}

    def _packet(self, one: Chain, event: Event) -> int:
        """The packet at whose end the event's length is."""
        return self._end_of(one, event.num_bytes or 0)

    def _end_of(self, one: Chain, num_bytes: int) -> int:
        return bisect_right(self._ends.get(one.block, []), num_bytes)

    # -- datanodes ----------------------------------------------------------------------------------------------

    def _of_replica(self, one: Chain, event: Event) -> Projected:
        if event.event == "transfer_replica" and event.refused_with is None:
            self._source[one.block] = event.node
            return LeftOut(words.AGAIN)
        if event.node not in one.pipeline:
            return self._of_other(one, event)
        node = one.pipeline[event.node]
        place = list(one.pipeline).index(event.node)
        if event.event in SET_UPS:
            return self._set_up_again(one, event)
        if event.event == "restart":
            return self._restart(one, node, event)
        if event.event == "invalidate_replica" and event.refused_with is None:
            return self._end(one, words.DELETED)
        is_of_writer = event.arguments.get("client") == one.writer and event.refused_with is None
        if not is_of_writer or event.generation_stamp not in one.stamps:
            return LeftOut(words.COPIES)
        if event.event == "create_rbw":
            node.is_connected = True
            step = model_step("set_up_create", {"datanode": node.word}, generation_stamp=1)
            if not all(other.is_connected for other in one.nodes):
                return Entity(one.key, (step,))
            # The answer goes up the chain, and may arrive when somebody in it has failed already.
            one.phase = Phase.STREAMING
            return Entity(one.key, (step, model_step("start_streaming", {})))
        if not node.is_connected:
            is_news = event.event == "receive_ack" and self._packet(one, event) > node.shown
            return self._end(one, words.LATE) if is_news else LeftOut(words.LATE)
        match event.event:
            case "receive_packet":
                steps = one.takes(place, self._packet(one, event))
            case "receive_ack":
                steps = one.shows(place, self._packet(one, event))
            case "finalize_replica":
                steps = one.finalizes(place)
            case _:
                steps = []
        return Entity(one.key, tuple(steps)) if steps else LeftOut(words.SAME)

    def _of_other(self, one: Chain, event: Event) -> Projected:
        """A datanode that is not in the pipeline: it may be about to join."""
        if event.node in one.known:
            # It may be the next in the pipeline that is set up now; else it was given up.
            return self._set_up_again(one, event) if event.event in SET_UPS and one.asked else LeftOut(words.GIVEN_UP)
        is_copy = event.event == "finalize_replica" and not event.arguments.get("client")
        if event.refused_with is None and (event.event == "convert_temporary_to_rbw" or is_copy):
            if one.block in self._source and one.phase in (Phase.STREAMING, Phase.CLOSING):
                one.copies.append((self._source[one.block], event.node))
            return LeftOut(words.AGAIN)
        if event.event in SET_UPS and one.asked:
            return self._set_up_again(one, event)
        return LeftOut(words.COPIES)

    def _restart(self, one: Chain, node: Node, event: Event) -> Projected:
        """A datanode restarts; no earlier event says that it was down."""
        if event.observed["replica_state"] == "RBW":
            return self._end(one, words.PLANNED)
        if (event.observed["replica_state"] == "FINALIZED") is not node.is_final:
            return self._end(one, words.HALFWAY)
        node.has_restarted = True
        # While packets flow, what is on its way between others still arrives; the pipeline will go on without it.
        return Entity(one.key, tuple(node.restarts())) if one.phase in ENDED else LeftOut(words.COMES_BACK)

    # -- a pipeline is set up again -----------------------------------------------------------------------------

    def _set_up_again(self, one: Chain, event: Event) -> Projected:
        """The first datanode takes the new stamp: whom the writer has given up, and who joins, is known with it."""
        stamp = event.generation_stamp
        if event.refused_with is not None or stamp is None or stamp not in one.stamps:
            return LeftOut(words.COPIES)
        steps: list[Step] = []
        if one.asked:
            names = self._set_up.get((one.block, one.asked[0].generation_stamp or 0))
            if names is None or len(one.asked) > 1:
                return self._end(one, words.SET_UP_FAILS)
            begun = self._begins_again(one, names, event)
            if isinstance(begun, LeftOut):
                return begun
            steps += begun
        node = one.pipeline.get(event.node)
        if node is None:
            return self._end(one, words.SET_UP_FAILS)
        node.is_connected = True
        node.is_final = event.event == "recover_close"
        step = model_step(SET_UPS[event.event], {"datanode": node.word}, generation_stamp=one.stamps[stamp])
        return Entity(one.key, (*steps, step))

    def _begins_again(self, one: Chain, names: list[str], event: Event) -> list[Step] | LeftOut:
        """The steps between the failure and the first datanode that takes the new stamp."""
        left = [name for name in one.pipeline if name not in names]
        joined = [name for name in names if name not in one.pipeline]
        if len(left) != 1 or len(joined) > 1:
            return self._end(one, words.SEVERAL)
        if one.is_flushed_unseen and not one.flushed and not one.always:
            return self._end(one, words.UNKNOWN_FLUSH)
        closing = one.close() if event.event == "recover_close" else []
        failing = one.fails(left[0])
        if failing is None:
            return self._end(one, words.OVERTAKEN)
        copies: list[Step] = []
        for name in joined:
            sources = [source for source, target in one.copies if target == name]
            if not sources or sources[-1] not in one.pipeline or len(one.known) == len(words.DATANODES):
                return self._end(one, words.MORE_NODES)
            source, word = one.pipeline[sources[-1]], words.DATANODES[len(one.known)]
            one.known.add(name)
            one.pipeline[name] = Node(word, shown=source.shown)
            copies.append(model_step("add_datanode", {"source": source.word, "target": word}))
        [asked] = one.asked
        one.asked.clear()
        one.copies.clear()
        one.reconnects(names)
        one.is_resuming = True
        copies += [step for node in one.nodes if node.has_restarted for step in node.restarts()]
        stamp = one.stamps[asked.generation_stamp or 0]
        return [*closing, *failing, *copies, model_step("update_block_for_pipeline", {}, generation_stamp=stamp)]
