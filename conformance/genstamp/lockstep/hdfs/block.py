"""Maps a run to steps of hdfs.block_recovery: one block at a time, from the set-up of one pipeline on.

The system has one block that is written once; a run has blocks that get a new generation with each new pipeline. So a
generation is what is judged: one that begins with updatePipeline has replicas with bytes, as if they had been written
under its stamp. It is followed through the close of its file, or the addBlock that commits it, and every recovery.

Facts that no node shows at the time are placed by the rest of the run (`foretold`): a datanode is down from its restart
backwards only, so that the two are one; a call that its primary gave up counts as timed out when it is carried out, and
is carried out late at once. Lengths are renamed by their order among those that replicas of the block have, stamps by
the order in which the generation gets them, datanodes by their order in the pipeline.

Not here: what `block_words` names.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from genstamp.events import Event
from genstamp.lockstep.hdfs import block_words as words
from genstamp.lockstep.hdfs.block_replicas import ReplicaReading
from genstamp.lockstep.hdfs.block_words import FILE, WRITER
from genstamp.lockstep.hdfs.foretold import foretell
from genstamp.lockstep.hdfs.generation import LOCATIONS, Generation, Kept, generation
from genstamp.lockstep.projection import Entity, Happened, LeftOut, Projected, Step, model_step, showing

_AT_ONCE: Final[dict[str, list[Projected]]] = {event: [LeftOut(reason)] for event, reason in words.DROPPED.items()}


class BlockProjection(ReplicaReading):
    """The projection of one run on hdfs.block_recovery.

    Args:
        gate_us: how long no other recovery of a block is started.
        dead_us: how long a datanode must have been silent for the NameNode to take it for dead.
    """

    members: Mapping[str, Sequence[str]] = {"Client": (WRITER,), "File": (FILE,), "Datanode": LOCATIONS}
    unseen: Mapping[str, Mapping[str, Sequence[str]]] = {}
    impossible: frozenset[str] = words.IMPOSSIBLE
    told_apart: Mapping[str, str] = words.TOLD_APART
    forgotten: Sequence[str] = words.FORGOTTEN

    def project(self, events: Sequence[Event]) -> Iterator[tuple[Event, list[Projected]]]:
        """Each event of a run, with what it is to the system."""
        self._told = foretell(events)
        for position, event in enumerate(events):
            self._position = position
            if event.event == "send_heartbeat":
                self._heard_us[event.arguments["datanode"]] = event.time_us or 0
            yield event, self._at_once(event) or list(self._projected(event))

    def _at_once(self, event: Event) -> list[Projected] | None:
        """The reason why the system does not cover an event."""
        return _AT_ONCE.get(event.event)

    def _projected(self, event: Event) -> Iterator[Projected]:
        if event.node == "namenode":
            for projected in self._of_namenode(event):
                if isinstance(projected, Entity):
                    self._of_key[projected.key].transaction = int(event.arguments.get("transaction", 0))
                yield projected
        elif event.kind == "replica":
            yield self._of_replica(event)
        else:
            yield self._of_primary(event)
        if event.kind == "replica" and event.node != "namenode" and event.refused_with is None:
            self._shown[event.entity.partition("@")[0], event.node] = event

    # -- the NameNode -------------------------------------------------------------------------------------------

    def _of_namenode(self, event: Event) -> Iterator[Projected]:
        match event.event:
            case "namenode_restart":
                yield from self._namenode_restarts(event)
            case "block_report":
                yield from self._full_report(event)
            case "block_received":
                yield self._received(event)
            case "add_block":
                yield from self._add_block(event)
            case "update_pipeline":
                yield from self._update_pipeline(event)
            case "commit_block_synchronization":
                yield self._commit(event)
            case "complete":
                yield self._complete(event)
            case _:
                yield from self._of_file(event)

    def _namenode_restarts(self, event: Event) -> Iterator[Projected]:
        known = int(event.arguments.get("transaction", 0))
        live = [one for one in self._of_block.values() if not one.is_over]
        undone = [one for one in live if one.transaction > known]
        open_ = [one for one in live if not one.is_committed and one not in undone]
        if not undone and not open_:
            yield LeftOut(words.NODES)
        for one in undone:
            one.is_committed = False
            yield self._end(one, words.UNDONE)
        for one in open_:
            yield self._end(one, words.RESTARTED)

    def _full_report(self, event: Event) -> Iterator[Projected]:
        """A datanode's full report lists the replicas that were finalized when the report was made."""
        datanode, is_told = event.arguments.get("datanode", ""), False
        for one in self._of_block.values():
            location = one.locations.get(datanode)
            if one.is_over or one.is_closed or location is None or location.is_counted:
                continue
            if location.kept is Kept.FINALIZED and event.refused_with is None:
                is_told = True
                yield Entity(one.key, (self._counted(location),))
        if not is_told:
            yield LeftOut(words.REPORTS)

    def _received(self, event: Event) -> Projected:
        block, _, datanode = event.entity.partition("@")
        one = self._live(block)
        location = None if one is None else one.locations.get(datanode)
        if one is None or location is None or event.refused_with is not None:
            return LeftOut(words.REPORTS)
        if event.generation_stamp != location.stamp or location.kept is not Kept.FINALIZED or not location.is_up:
            return LeftOut(words.REPORTS)
        location.is_counted = True
        step = model_step("block_received", {"file": FILE, "datanode": location.word})
        return Entity(one.key, (showing(step, event, "block_state"),))

    def _add_block(self, event: Event) -> Iterator[Projected]:
        arguments = event.arguments
        block, inode = arguments.get("block"), arguments.get("inode", "")
        if event.refused_with is not None or block is None:
            yield LeftOut(words.LEASES)
            return
        known = self._of_block.get(block)
        if event.generation_stamp is None or (known is not None and event.generation_stamp in known.stamps):
            yield LeftOut(words.SAME)
            return
        before = self._live(self._last_block.get(inode))
        if before is not None and not before.is_closed:
            yield self._completes(before, event)
        self._last_block[inode] = block
        datanodes = event.observed["locations"].split(",")
        one = self._begin(event, block, datanodes)
        step = model_step("add_block", {"client": WRITER, "file": FILE}, generation_stamp=1)
        yield Entity(one.key, (*self._opened(one), step))

    def _begin(self, event: Event, block: str, datanodes: Sequence[str]) -> Generation:
        arguments = event.arguments
        assert event.generation_stamp is not None, f"a pipeline without a stamp: {event}"
        one = generation(
            block, arguments.get("inode", ""), arguments["client"], event.generation_stamp, sorted(datanodes)
        )
        self._of_block[block] = self._of_key[one.key] = one
        return one

    def _opened(self, one: Generation) -> list[Step]:
        """The steps before the first step of a generation: a file, and no datanodes but its locations."""
        absent = LOCATIONS[len(one.locations) :]
        opened = model_step("create", {"client": WRITER, "file": FILE})
        return [opened, *(model_step("datanode_crash", {"datanode": word}) for word in absent)]

    def _update_pipeline(self, event: Event) -> Iterator[Projected]:
        block = event.entity
        if event.refused_with is not None or event.generation_stamp is None:
            yield LeftOut(words.LEASES)
            return
        before = self._live(block)
        if before is not None:
            if event.generation_stamp in before.stamps:
                yield LeftOut(words.SAME)
                return
            yield self._end(before, words.PIPELINE)
        inode = event.arguments.get("inode", "")
        self._last_block[inode] = block
        datanodes = event.observed["locations"].split(",")
        shown = [self._shown.get((block, datanode)) for datanode in sorted(datanodes)]
        states = {one.observed["replica_state"] for one in shown if one is not None}
        is_whole = all(one is not None and one.generation_stamp == event.generation_stamp for one in shown)
        if not is_whole or states not in ({"RBW"}, {"FINALIZED"}):
            self._of_block.pop(block, None)
            yield LeftOut(words.UNEQUAL)
            return
        one = self._begin(event, block, datanodes)
        lengths = [self._told.rank(block, replica.num_bytes or 0) for replica in shown if replica is not None]
        yield Entity(one.key, tuple(self._taken_over(one, lengths, is_finalized=states == {"FINALIZED"})))

    def _taken_over(self, one: Generation, lengths: Sequence[int], *, is_finalized: bool) -> list[Step]:
        """The steps that lead to the replicas of a new pipeline."""
        steps = [*self._opened(one), model_step("add_block", {"client": WRITER, "file": FILE}, generation_stamp=1)]
        # Packets follow once the whole pipeline is set up.
        steps += [self._written("create_rbw", location) for location in one.locations.values()]
        for location, rank in zip(one.locations.values(), lengths, strict=True):
            steps += self._packets(location, rank)
            location.kept = Kept.WRITTEN
        if is_finalized:
            steps += self._last_packet(one)
            for location in one.locations.values():
                steps.append(self._written("finalize_replica", location))
                location.kept = Kept.FINALIZED
            # Their reports may have come before the NameNode knew of the pipeline.
            steps += [self._counted(location) for location in one.locations.values()]
        return steps

    def _complete(self, event: Event) -> Projected:
        one = self._of_inode(event)
        if one is None or one.is_closed:
            return LeftOut(words.NO_BLOCK)
        if event.refused_with is not None or event.arguments.get("client") != one.writer:
            return LeftOut(words.LEASES)
        if event.observed.get("closed") == "true" and not one.is_sent:
            return LeftOut(words.SAME)
        if event.event == "complete" and event.observed.get("block_state") == "UNDER_CONSTRUCTION":
            return LeftOut(words.WAITS)
        if event.observed.get("closed") == "false" and self._are_forgotten(one, event):
            return self._end(one, words.FORGOTTEN_NODE)
        return self._completes(one, event)

    def _are_forgotten(self, one: Generation, event: Event) -> bool:
        """Whether all that the NameNode knew to have the block have been silent for so long that they are dead."""
        counted = [name for name, location in one.locations.items() if location.is_counted]
        now_us = event.time_us or 0
        return bool(counted) and all(now_us - self._heard_us.get(name, 0) > self._dead_us for name in counted)

    def _completes(self, one: Generation, event: Event) -> Projected:
        """complete(), or the addBlock that commits the block before it; the model distinguishes the two ends."""
        call = event.arguments.get("call", "")
        if call in one.carried_out:
            return LeftOut(words.SAME)
        if event.event != "complete" or event.observed.get("closed") == "true":
            one.carried_out.add(call)
        step = model_step("complete", {"client": WRITER, "file": FILE})
        one.is_committed = True
        if event.event == "complete":
            showing(step, event, "closed", "block_state")
            one.is_closed = one.is_committed = event.observed.get("closed") == "true"
        return Entity(one.key, (step,))

    def _commit(self, event: Event) -> Projected:
        one = self._live(event.entity)
        recovery_id = event.recovery_id
        if one is None or one.is_closed or recovery_id not in one.stamps or recovery_id is None:
            return LeftOut(words.NO_BLOCK)
        primary = one.locations.get(event.arguments["primary"])
        if primary is None:
            return self._end(one, words.OUTSIDE)
        arguments = {"primary": primary.word, "file": FILE}
        steps = self._report(one, recovery_id, primary)
        is_done = event.refused_with is None
        step = model_step("commit_block_synchronization", arguments, refused_with=event.refused_with)
        if is_done and event.observed.get("closed") == "true":
            one.is_closed = one.is_committed = True
            step = model_step(
                "commit_block_synchronization",
                arguments,
                recovery_id=one.stamps[recovery_id],
                num_bytes=None if event.num_bytes is None else self._told.rank(one.block, event.num_bytes),
            )
            showing(step, event, "closed", "deleted")
        return Entity(one.key, (*steps, step))

    # -- calls about files --------------------------------------------------------------------------------------

    def _of_file(self, event: Event) -> Iterator[Projected]:
        one = self._of_inode(event)
        is_done = event.refused_with is None and event.observed.get("answer") != "false"
        match event.event:
            case "create" if event.arguments.get("replaced"):
                yield from self._remove(event.arguments["replaced"])
                return
            case "delete" | "rename2" | "concat" if is_done:
                yield from self._remove(event.arguments.get("inode"))
                return
            case "truncate" if is_done or event.recovery_id is not None:
                yield from self._truncated(event)
                return
        if one is None:
            yield LeftOut(words.NO_BLOCK)
        elif event.event == "append" and is_done and event.arguments.get("block"):
            yield self._end(one, words.APPENDED)
        elif event.event == "abandon_block" and is_done:
            yield self._end(one, words.ABANDONED)
        else:
            yield self._of_lease(one, event)

    def _of_lease(self, one: Generation, event: Event) -> Projected:
        """A call that may have the file recovered."""
        if event.recovery_id is not None and not one.is_closed:
            return self._released(one, event)
        if event.event in ("recover_lease", "release_expired_lease") and event.observed.get("closed") == "true":
            return self._closed_at_once(one)
        return LeftOut(words.LEASES)

    def _truncated(self, event: Event) -> Iterator[Projected]:
        """A file is cut, so that blocks of it are, or go."""
        inode = event.arguments.get("inode")
        found = [one for one in self._of_block.values() if not one.is_over and one.inode == inode]
        if not found:
            yield LeftOut(words.NO_BLOCK)
        for one in found:
            yield self._end(one, words.TRUNCATED)

    def _remove(self, inode: str | None) -> Iterator[Projected]:
        """The blocks of a file go; where it is not known which, those of all."""
        found = [one for one in self._of_block.values() if not one.is_over and inode in (None, one.inode)]
        if not found:
            yield LeftOut(words.NO_BLOCK)
        for one in found:
            if one.is_committed or one.is_removed:
                yield self._end(one, words.REMOVED)
            else:
                one.is_removed = True
                named = {"file": FILE}
                yield Entity(one.key, (model_step("delete", named), Happened("block_is_removed", named)))

    def _released(self, one: Generation, event: Event) -> Projected:
        """A recovery of the file is started, by any caller in any way."""
        assert event.recovery_id is not None
        gate = self._gate(one, event)
        stamp = one.new_stamp(event.recovery_id)
        return Entity(one.key, (*gate, model_step("release", {"file": FILE}, recovery_id=stamp)))

    def _gate(self, one: Generation, event: Event) -> list[Step]:
        """A recovery is started; the gate between it and the one before has opened, if so long has passed."""
        at_us = event.time_us or 0
        is_old = at_us - one.released_us > self._gate_us
        one.released_us = at_us
        return [Happened("recovery_gate_opens", {"file": FILE})] if is_old else []

    def _closed_at_once(self, one: Generation) -> Projected:
        if one.is_closed:
            return LeftOut(words.LEASES)
        one.is_closed = one.is_committed = True
        return Entity(one.key, (model_step(words.CLOSED_AT_ONCE, {"file": FILE}),))
