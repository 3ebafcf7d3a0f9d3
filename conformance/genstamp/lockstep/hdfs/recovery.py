"""Maps a run to steps of hdfs.recovery: generations of blocks as in `block`, with the leases of their files.

The system has no lost and no late messages, so that a call whose answer is lost ends the judgement, unless the datanode
called is down. It knows who may have a file recovered: what clients and the lease monitor ask for is judged, refusals
included, by the age of leases on the NameNode's own clock. A client's lease covers other files, too; that they renew it
is told where it matters.

Not here: what `block_words` names; a file that is taken over softly, since its holder keeps it here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from genstamp.events import Event
from genstamp.lockstep.hdfs import block_words as words
from genstamp.lockstep.hdfs.block import BlockProjection
from genstamp.lockstep.hdfs.block_words import FILE, WRITER
from genstamp.lockstep.hdfs.generation import LOCATIONS, Generation, Location
from genstamp.lockstep.projection import Entity, Happened, LeftOut, Perhaps, Projected, Step, model_step, showing

NAMENODE: Final = "namenode"
OTHERS: Final = ("another client", "a third client", "a fourth client")
STARTING: Final = "{} starting a recovery"

_OPENING: Final = frozenset({"create", "append", "recover_lease", "truncate"})
_SOFT: Final = frozenset({"AlreadyBeingCreatedException", "RecoveryInProgressException"})


class RecoveryProjection(BlockProjection):
    """The projection of one run on hdfs.recovery.

    Args:
        gate_us, dead_us: as in `BlockProjection`.
        limits_us: when a lease passes a limit, by the name of the action.
    """

    members: Mapping[str, Sequence[str]] = {"Client": (WRITER, *OTHERS), "File": (FILE,), "Datanode": LOCATIONS}
    impossible = frozenset({"hflush", "client_crash"})
    told_apart: Mapping[str, str] = {
        f"{name}_starts{end}": STARTING.format(name)
        for name, end in (("create", "_recovery"), ("recover_lease", ""), ("release_expired_lease", ""))
    }
    forgotten = ("crashes", "hflushed", "steady")

    def __init__(self, gate_us: int, dead_us: int, limits_us: Mapping[str, int]) -> None:
        super().__init__(gate_us, dead_us)
        self._limits_us = limits_us
        self._renewed_us: dict[str, int] = {}
        self._owner: dict[str, str | None] = {}
        self._aged: dict[str, set[str]] = {}
        self._found: dict[tuple[str, int], set[str]] = {}
        self._leads: dict[tuple[str, str], int] = {}

    def _at_once(self, event: Event) -> list[Projected] | None:
        is_renewal = event.event == "renew_lease" and event.refused_with is None
        return None if is_renewal else super()._at_once(event)

    def _projected(self, event: Event) -> Iterator[Projected]:
        is_call = event.node == NAMENODE and event.refused_with is None
        if is_call and event.event == "renew_lease":
            yield from self._renewed(event)
            return
        yield from super()._projected(event)
        if is_call and event.event in _OPENING and event.observed.get("closed") != "true":
            self._renewed_us[event.arguments["client"]] = event.time_us or 0

    # -- leases -------------------------------------------------------------------------------------------------

    def _begin(self, event: Event, block: str, datanodes: Sequence[str]) -> Generation:
        one = super()._begin(event, block, datanodes)
        self._owner[one.key] = one.writer
        self._aged[one.key] = set()
        return one

    def _renewed(self, event: Event) -> Iterator[Projected]:
        client = event.arguments["client"]
        self._renewed_us[client] = event.time_us or 0
        held = [one for one in self._of_block.values() if not one.is_over and not one.is_committed]
        held = [one for one in held if self._owner[one.key] == client]
        for one in held:
            self._aged[one.key].discard(client)
            yield Entity(one.key, (model_step("renew_lease", {"client": self._word(one, client)}),))
        if not held:
            yield LeftOut(words.LEASES)

    def _word(self, one: Generation, client: str) -> str:
        """A holder's name in the model."""
        if client in (one.writer, NAMENODE):
            return NAMENODE if client == NAMENODE else WRITER
        others = sorted(name for name in {*self._renewed_us, client} if name != one.writer)
        return OTHERS[others.index(client)]

    def _ages(self, one: Generation, event: Event) -> list[Step]:
        """The age of the holder's lease by now."""
        owner = self._owner[one.key]
        if owner is None:
            return []
        if owner == NAMENODE:
            return [Perhaps(action, {"holder": NAMENODE}) for action in self._limits_us]
        holder, age_us = self._word(one, owner), self._age_us(owner, event)
        passed = [action for action, limit_us in self._limits_us.items() if age_us > limit_us]
        renewed: list[Step] = []
        if owner in self._aged[one.key] and not passed:
            renewed = [model_step("renew_lease", {"client": holder})]
        (self._aged[one.key].add if passed else self._aged[one.key].discard)(owner)
        return [*renewed, *(Happened(action, {"holder": holder}) for action in passed)]

    def _age_us(self, client: str, event: Event) -> int:
        return (event.time_us or 0) - self._renewed_us.get(client, 0)

    def _of_lease(self, one: Generation, event: Event) -> Projected:
        if event.refused_with == "SafeModeException":
            return LeftOut(words.STARTS)
        if one.is_committed and event.event != "recover_lease":
            return LeftOut(words.LEASES)
        match event.event:
            case "recover_lease":
                return self._recover_lease(one, event)
            case "release_expired_lease":
                return self._release_expired(one, event)
            case "create" | "append" if event.refused_with in _SOFT:
                return self._opened_softly(one, event)
            case _:
                return LeftOut(words.LEASES)

    def _asked(self, one: Generation, event: Event, name: str, arguments: dict[str, str]) -> list[Step]:
        """A call that may start a recovery, with what has come before it."""
        before = self._ages(one, event)
        if event.recovery_id is None:
            return [*before, model_step(name, arguments, refused_with=event.refused_with)]
        gate = self._gate(one, event)
        stamp = one.new_stamp(event.recovery_id)
        shown = None if event.refused_with is not None else stamp
        step = model_step(STARTING.format(name), arguments, refused_with=event.refused_with, recovery_id=shown)
        return [*before, *gate, step]

    def _closes_or_hands_over(self, one: Generation, event: Event, new_holder: str, steps: list[Step]) -> Projected:
        *_, step = steps
        assert isinstance(step, Event), f"no call among {steps}"
        showing(step, event, "closed")
        if event.refused_with is None and event.observed.get("closed") == "true":
            one.is_closed = one.is_committed = True
            self._owner[one.key] = None
        elif event.refused_with is None:
            self._owner[one.key] = new_holder
            self._aged[one.key].discard(new_holder)
        return Entity(one.key, tuple(steps))

    def _recover_lease(self, one: Generation, event: Event) -> Projected:
        client = event.arguments["client"]
        arguments = {"client": self._word(one, client), "file": FILE}
        return self._closes_or_hands_over(one, event, client, self._asked(one, event, "recover_lease", arguments))

    def _release_expired(self, one: Generation, event: Event) -> Projected:
        holder = event.arguments["holder"]
        arguments = {"holder": self._word(one, holder), "file": FILE}
        steps = self._asked(one, event, "release_expired_lease", arguments)
        return self._closes_or_hands_over(one, event, NAMENODE, steps)

    def _opened_softly(self, one: Generation, event: Event) -> Projected:
        """A create or append of an open file; both look at its lease in the same way."""
        owner = self._owner[one.key]
        soft_limit_us = self._limits_us["soft_limit_passes"]
        if owner not in (None, NAMENODE) and self._age_us(str(owner), event) > soft_limit_us:
            return self._end(one, words.SOFTLY)
        client = self._word(one, event.arguments["client"])
        return Entity(one.key, tuple(self._asked(one, event, "create", {"client": client, "file": FILE})))

    def _complete(self, event: Event) -> Projected:
        projected = super()._complete(event)
        one = self._of_inode(event)
        if one is not None and one.is_closed:
            self._owner[one.key] = None
        return projected

    # -- recoveries ---------------------------------------------------------------------------------------------

    def _remove(self, inode: str | None) -> Iterator[Projected]:
        found = [one for one in self._of_block.values() if not one.is_over and inode in (None, one.inode)]
        if not found:
            yield LeftOut(words.NO_BLOCK)
        for one in found:
            yield self._end(one, words.REMOVED)

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
        if (one.block, recovery_id, call, datanode) in self._told.unanswered:
            return None
        return super()._carried_out(one, event, call, recovery_id, primary, location, datanode)

    def _gave_up(self, one: Generation, _recovery_id: int, primary: Location, event: Event) -> Projected:
        datanode = event.arguments["datanode"]
        location = one.locations.get(datanode)
        is_down = self._told.comes_back_next(one.block, datanode, self._position)
        if location is None or location is primary or not is_down:
            return self._end(one, words.LOST_CALL)
        crash = self._goes_down(location)
        return Entity(one.key, (*crash, self._failed(event.event, primary, location)))

    def _failed(self, name: str, primary: Location, location: Location) -> Step:
        return model_step(name, {"primary": primary.word, "file": FILE, "datanode": location.word})

    def _not_asked(self, primary: Location, location: Location) -> tuple[list[Step], list[Step]]:
        """The command names all locations here; one that is down fails at once."""
        return self._goes_down(location), [self._failed("init_replica_recovery_failed", primary, location)]

    def _command(self, one: Generation, recovery_id: int, primary: Location) -> Projected:
        self._leads[one.key, primary.word] = recovery_id
        return super()._command(one, recovery_id, primary)

    def _init_replica_recovery(self, one: Generation, location: Location, event: Event) -> Projected:
        if event.refused_with is None and event.recovery_id is not None:
            self._found.setdefault((one.key, event.recovery_id), set()).add(event.observed["replica_state"])
        return super()._init_replica_recovery(one, location, event)

    def _of_primary(self, event: Event) -> Projected:
        one = self._live(event.entity)
        # All of whom have answered would agree; a location that is silent may have what they have lost.
        found = None if one is None else self._found.get((one.key, event.recovery_id or 0))
        if one is not None and event.event == "abandon_recovery" and (found or set()) - {"none"} == {"RWR"}:
            return self._end(one, words.CAREFUL)
        return super()._of_primary(event)

    def _restart(self, one: Generation, location: Location, event: Event) -> Projected:
        self._leads.pop((one.key, location.word), None)
        return super()._restart(one, location, event)

    def _report(self, one: Generation, recovery_id: int, _primary: Location) -> list[Step]:
        """The report and its answer are one step here."""
        one.reported.add(recovery_id)
        return []

    def _commit(self, event: Event) -> Projected:
        one = self._live(event.entity)
        if one is None or event.recovery_id not in one.stamps:
            return super()._commit(event)
        if event.recovery_id in one.reported:
            return LeftOut(words.SAME)
        primary = one.locations.get(event.arguments["primary"])
        if primary is not None and self._leads.get((one.key, primary.word)) != event.recovery_id:
            return self._end(one, words.LOST_CALL)
        projected = super()._commit(event)
        if one.is_closed:
            self._owner[one.key] = None
        return projected
