"""Maps the steps of datanodes to steps of hdfs.block_recovery: replicas, and the primary of a recovery."""

from typing import Final

from genstamp.events import Event
from genstamp.lockstep.hdfs import block_words as words
from genstamp.lockstep.hdfs.block_base import BlockReading
from genstamp.lockstep.hdfs.block_words import FILE
from genstamp.lockstep.hdfs.foretold import CALLS
from genstamp.lockstep.hdfs.generation import Generation, Kept, Location
from genstamp.lockstep.projection import OVER, Entity, Happened, LeftOut, Projected, Step, model_step, showing

_NEW_PIPELINE: Final = frozenset({"recover_rbw", "append_finalized", "recover_append", "recover_close"})
_STATES: Final = {"RBW": Kept.WRITTEN, "FINALIZED": Kept.FINALIZED, "RWR": Kept.WAITING, "RUR": Kept.RECOVERED}


class ReplicaReading(BlockReading):
    """The steps of datanodes."""

    # -- replicas -----------------------------------------------------------------------------------------------

    def _of_replica(self, event: Event) -> Projected:
        block = event.entity.partition("@")[0]
        one = self._of_block.get(block)
        if one is None:
            return LeftOut(words.NO_BLOCK)
        if one.is_over:
            return LeftOut(OVER)
        location = one.locations.get(event.node)
        if event.event in _NEW_PIPELINE:
            # What the NameNode is told of later; if it never is, the replica is of a generation that it does not know.
            return LeftOut(words.SET_UP) if event.refused_with is not None else self._end(one, words.PIPELINE)
        if location is None:
            takes_part = event.recovery_id is not None and event.recovery_id in one.stamps
            return self._end(one, words.OUTSIDE) if takes_part else LeftOut(words.OLDER)
        projected: Projected = getattr(self, f"_{event.event}")(one, location, event)
        return projected

    def _create_rbw(self, one: Generation, location: Location, event: Event) -> Projected:
        if event.generation_stamp != location.stamp:
            return LeftOut(words.OLDER)
        location.kept = Kept.WRITTEN
        step = self._written("create_rbw", location, generation_stamp=1)
        return Entity(one.key, (step,))

    def _receive_packet(self, one: Generation, location: Location, event: Event) -> Projected:
        if location.kept is not Kept.WRITTEN or event.generation_stamp != location.stamp:
            return LeftOut(words.OLDER)
        packets = self._packets(location, self._told.rank(one.block, event.num_bytes or 0))
        return Entity(one.key, tuple(packets)) if packets else LeftOut(words.SAME)

    def _finalize_replica(self, one: Generation, location: Location, event: Event) -> Projected:
        if event.refused_with is not None or event.generation_stamp != location.stamp:
            return LeftOut(words.OLDER)
        if not event.arguments.get("client"):
            return LeftOut(words.COPIES)
        if not one.is_sent and len(one.where(Kept.WRITTEN)) < len(one.locations):
            return self._end(one, words.DYING)
        location.kept = Kept.FINALIZED
        return Entity(one.key, (*self._last_packet(one), self._written("finalize_replica", location)))

    def _invalidate_replica(self, one: Generation, location: Location, event: Event) -> Projected:
        if event.refused_with is not None or location.kept is Kept.NOTHING:
            return LeftOut(words.KEPT)
        if one.is_committed and event.generation_stamp in (None, location.stamp):
            return self._end(one, words.EXCESS)
        location.kept, location.rank = Kept.NOTHING, 0
        return Entity(one.key, (model_step("invalidate_replica", {"file": FILE, "datanode": location.word}),))

    def _restart(self, one: Generation, location: Location, event: Event) -> Projected:
        rank = self._told.rank(one.block, event.num_bytes or 0)
        if location.kept is Kept.NOTHING:
            return self._end(one, words.COMES_BACK)
        done = self._done_before_death(one, location, event)
        if done is None:
            return self._end(one, words.HALFWAY)
        is_written = location.kept in (Kept.WRITTEN, Kept.RECOVERED)
        if location.rank - rank > (1 if is_written else 0):
            return self._end(one, words.LOST_MORE)
        crash = self._goes_down(location)
        name = "datanode_restart" if rank == location.rank else "datanode_restart_losing_bytes"
        told = [self._counted(location)] if location.is_counted and not one.is_closed else []
        location.rank, location.is_up = rank, True
        location.kept = _STATES[event.observed["replica_state"]]
        return Entity(one.key, (*done, *crash, model_step(name, {"datanode": location.word}), *told))

    def _done_before_death(self, one: Generation, location: Location, event: Event) -> list[Step] | None:
        """The steps that a datanode must have taken before it died, according to its disk; None where that is half
        of a step.
        """
        rank = self._told.rank(one.block, event.num_bytes or 0)
        is_final, stamp = event.observed["replica_state"] == "FINALIZED", event.generation_stamp
        if stamp is not None and stamp != location.stamp:
            primary = one.primaries.get(stamp)
            if location.kept is not Kept.RECOVERED or not is_final or primary is None or not location.is_up:
                return None
            location.kept, location.rank, location.stamp = Kept.FINALIZED, rank, stamp
            call = ("update_replica_under_recovery", "update_replica")
            return self._carried_out(one, *call, stamp, primary, location, event.node)
        if location.kept is not Kept.WRITTEN or not location.is_up:
            return []
        packets = self._packets(location, rank)
        if not is_final:
            return packets
        if not one.is_sent and len(one.where(Kept.WRITTEN)) < len(one.locations):
            return None
        location.kept = Kept.FINALIZED
        return [*packets, *self._last_packet(one), self._written("finalize_replica", location)]

    def _carried_out(
        self,
        one: Generation,
        event: str,
        call: str,
        recovery_id: int,
        primary: Location,
        location: Location,
        datanode: str,
    ) -> list[Step] | None:
        """A call that was carried out and not refused; it is late if its caller no longer waits for the answer.

        None where the system has no step for it.
        """
        one.answered.add((recovery_id, call, location.word))
        if (one.block, recovery_id, call, datanode) in self._told.unanswered:
            late = model_step(words.LATE.format(call), {})
            return [*self._times_out(one, recovery_id, primary, call, location), late]
        return [model_step(event, {"primary": primary.word, "file": FILE, "datanode": location.word})]

    def _init_replica_recovery(self, one: Generation, location: Location, event: Event) -> Projected:
        is_found = event.refused_with is None and event.observed["replica_state"] != "none"
        if event.refused_with is None and not is_found and location.kept is not Kept.NOTHING:
            return self._end(one, words.LOST_WHOLE)
        projected = self._called("init_replica_recovery", one, location, event)
        if not is_found or not isinstance(projected, Entity):
            return projected
        # A packet whose writer was stopped may be on disk.
        is_written = location.kept is Kept.WRITTEN
        unseen = self._packets(location, self._told.rank(one.block, event.num_bytes or 0)) if is_written else []
        location.kept = Kept.RECOVERED
        *_, step = projected.steps
        if isinstance(step, Event) and step.event == event.event:
            showing(step, event, "replica_state")
        return Entity(one.key, (*unseen, *projected.steps))

    def _update_replica_under_recovery(self, one: Generation, location: Location, event: Event) -> Projected:
        projected = self._called("update_replica", one, location, event)
        if event.refused_with is None and isinstance(projected, Entity):
            assert event.recovery_id is not None, f"a recovery without an id: {event}"
            location.kept, location.rank = Kept.FINALIZED, self._told.rank(one.block, event.num_bytes or 0)
            location.stamp, location.is_counted = event.recovery_id, False
        return projected

    def _called(self, call: str, one: Generation, location: Location, event: Event) -> Projected:
        """A primary's call is carried out, in time or not."""
        primary = one.locations.get(event.arguments["primary"])
        recovery_id = event.recovery_id
        if recovery_id is None or recovery_id not in one.stamps:
            return LeftOut(words.OLDER)
        if primary is None:
            return self._end(one, words.OUTSIDE)
        named = (recovery_id, call, location.word)
        changes_nothing = event.refused_with is not None or event.observed.get("replica_state") == "none"
        if changes_nothing and named in one.answered:
            is_heard = event.refused_with is not None and (one.block, recovery_id) not in self._told.decided
            return self._end(one, words.TWICE) if is_heard else LeftOut(words.SAME)
        one.answered.add(named)
        if event.refused_with is None:
            steps = self._carried_out(one, event.event, call, recovery_id, primary, location, event.node)
            if steps is None:
                return self._end(one, words.LOST_CALL)
            *_, step = steps
            if isinstance(step, Event) and step.event == event.event and event.num_bytes is not None:
                rank = self._told.rank(one.block, event.num_bytes)
                shown = model_step(step.event, step.arguments, recovery_id=one.stamps[recovery_id], num_bytes=rank)
                return Entity(one.key, (shown,))
            return Entity(one.key, tuple(steps))
        if (one.block, recovery_id, call, event.node) in self._told.unanswered:
            given_up = self._times_out(one, recovery_id, primary, call, location)
            return Entity(one.key, tuple(given_up)) if given_up else LeftOut(words.SAME)
        arguments = {"primary": primary.word, "file": FILE, "datanode": location.word}
        return Entity(one.key, (model_step(event.event, arguments, refused_with=event.refused_with),))

    def _times_out(
        self, one: Generation, recovery_id: int, primary: Location, call: str, location: Location
    ) -> list[Step]:
        """The primary gives a call up, once."""
        if (recovery_id, call, location.word) in one.timed_out:
            return []
        one.timed_out.add((recovery_id, call, location.word))
        arguments = {"primary": primary.word, "file": FILE, "datanode": location.word}
        return [model_step(f"{call}_times_out", arguments)]

    # -- the primary --------------------------------------------------------------------------------------------

    def _of_primary(self, event: Event) -> Projected:
        one = self._live(event.entity)
        recovery_id = event.recovery_id
        if one is None or recovery_id is None or recovery_id not in one.stamps:
            return LeftOut(words.NO_BLOCK)
        primary = one.locations.get(event.node)
        if primary is None:
            return self._end(one, words.OUTSIDE)
        match event.event:
            case "receive_recovery_command":
                return self._command(one, recovery_id, primary)
            case "sync_block":
                return self._sync(one, primary, event)
            case "report_back":
                steps = self._report(one, recovery_id, primary)
                return Entity(one.key, tuple(steps)) if steps else LeftOut(words.SAME)
            case "abandon_recovery" if (one.block, recovery_id) in self._told.dropped:
                return LeftOut(words.REGISTERS)
            case "abandon_recovery":
                return Entity(one.key, (model_step("abandon_recovery", {"primary": primary.word, "file": FILE}),))
            case _:
                return self._gave_up(one, recovery_id, primary, event)

    def _command(self, one: Generation, recovery_id: int, primary: Location) -> Projected:
        one.primaries[recovery_id] = primary
        asked = self._told.asked[one.block, recovery_id]
        before: list[Step] = []
        after: list[Step] = []
        if (one.block, recovery_id) in self._told.decided:
            for datanode, location in one.locations.items():
                if datanode in asked:
                    continue
                if not self._told.comes_back_next(one.block, datanode, self._position):
                    return self._end(one, words.SILENT)
                absent = self._not_asked(primary, location)
                before += absent[0]
                after += absent[1]
        command = model_step(
            "receive_recovery_command",
            {"file": FILE, "datanode": primary.word},
            recovery_id=one.stamps[recovery_id],
        )
        return Entity(one.key, (*before, command, *after))

    def _not_asked(self, _primary: Location, location: Location) -> tuple[list[Step], list[Step]]:
        """A location that the command does not name is dead to the NameNode.

        Returns:
            The steps before the command, and those after it.
        """
        named = {"datanode": location.word}
        dead = [Happened("datanode_becomes_stale", named), Happened("datanode_is_taken_for_dead", named)]
        return [*self._goes_down(location), *dead], []

    def _goes_down(self, location: Location) -> list[Step]:
        """A datanode is down by now."""
        crash: list[Step] = [model_step("datanode_crash", {"datanode": location.word})] if location.is_up else []
        location.is_up = False
        return crash

    def _sync(self, one: Generation, primary: Location, event: Event) -> Projected:
        taking_part = [one.locations.get(name) for name in event.observed["participants"].split(",") if name]
        if None in taking_part:
            return self._end(one, words.OLDER)
        rank = None if event.num_bytes is None else self._told.rank(one.block, event.num_bytes)
        step = model_step("sync_block", {"primary": primary.word, "file": FILE}, num_bytes=rank)
        step.observed["delete"] = event.observed["delete"]
        step.observed["participants"] = ",".join(sorted(location.word for location in taking_part if location))
        return Entity(one.key, (step,))

    def _gave_up(self, one: Generation, recovery_id: int, primary: Location, event: Event) -> Projected:
        """A primary has no answer; if the datanode has carried out the call, that was already checked."""
        location = one.locations.get(event.arguments["datanode"])
        call = CALLS[event.event]
        if location is None:
            return LeftOut(words.OLDER)
        if location is primary:
            return self._end(one, words.ITSELF)
        steps = self._times_out(one, recovery_id, primary, call, location)
        return Entity(one.key, tuple(steps)) if steps else LeftOut(words.SAME)
