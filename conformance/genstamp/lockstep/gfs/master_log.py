"""Maps the events of a run to steps of gfs.master_log: one log, over all lives of its master and its log replicas.

A flush, or a deletion of log files, that concerns more records than one step of the system may is several steps. An
answer is as many steps as it shows records that no answer of this life of the master has shown. A crash has no event:
it is told by what the next master finds, and so are what had come to the disk by then and was not told, a checkpoint
that was complete, files that were deleted. So a log replica may still take what a dead master has sent.

Shadows of one log are one in the system: what counts is which of them has shown most.

The checks are the system's, except for one thing: which records are found after a crash is told by their number.

Not here: whatever `master_log_words` names.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from genstamp.events import Event
from genstamp.lockstep.gfs.master_log_words import (
    ANSWERS,
    DROPPED,
    FORGOTTEN,
    IMPOSSIBLE,
    NOTHING_DELETED,
    OF_A_REPLICA,
    OTHER_NODES,
    SHADOWED_BEFORE,
    SHOWN_BEFORE,
    STAND_IN,
    STARTED_AS_IT_WAS,
    TOLD_APART,
    TWO_DAMAGED,
)
from genstamp.lockstep.projection import Entity, LeftOut, Projected, model_step
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_spec.gfs.parts.log_steps import LONGEST

LOG = "log"


@dataclass
class Known:
    """The known state of the log so far, in numbers of records.

    Attributes:
        flushed: on the master's disk.
        visible: shown by this life of the master.
        begins: deleted at the log's beginning.
        building: in the checkpoint that is written; None if none is.
        checkpoint: in the newest complete checkpoint.
        is_damaged: that one was found to be unreadable.
        shadow: shown by any shadow.
        replicated: on the disk of each log replica.
    """

    flushed: int = 0
    visible: int = 0
    begins: int = 0
    building: int | None = None
    checkpoint: int = 0
    is_damaged: bool = False
    shadow: int = 0
    replicated: dict[str, int] = field(default_factory=dict)


class MasterLogProjection:
    """The projection of one run on gfs.master_log.

    Args:
        replicas: names of the master's log replicas.
    """

    unseen: Mapping[str, Mapping[str, Sequence[str]]] = {}
    impossible = IMPOSSIBLE
    told_apart = TOLD_APART
    forgotten = FORGOTTEN

    def __init__(self, replicas: Sequence[str] = ()) -> None:
        self.members: Mapping[str, Sequence[str]] = {"LogReplica": tuple(replicas) or (STAND_IN,)}
        self._replicas = frozenset(replicas)
        self._known = Known(replicated=dict.fromkeys(self.members["LogReplica"], 0))

    def project(self, events: Sequence[Event]) -> Iterator[tuple[Event, list[Projected]]]:
        """Each event of a run, with what it is to the system."""
        for event in events:
            yield event, [self._projected(event)]

    def _projected(self, event: Event) -> Projected:
        if event.node in self._replicas:
            projected = self._of_replica(event)
        elif event.node != MASTER:
            return LeftOut(OTHER_NODES)
        elif event.event in DROPPED:
            return LeftOut(DROPPED[event.event])
        else:
            projected = self._of_master(event)
        return projected if isinstance(projected, LeftOut) else Entity(LOG, tuple(projected))

    def _of_master(self, event: Event) -> list[Event] | LeftOut:
        told = {name: int(event.observed[name]) for name in event.observed.keys() & _NUMBERS}
        if event.event in ANSWERS:
            return self._answered(told["records"])
        method = getattr(self, f"_{event.event}", None)
        assert method is not None, f"the projection does not handle the master's event '{event.event}'"
        projected: LeftOut | list[Event] = method(**told)
        return projected

    # -- log replicas -------------------------------------------------------------------------------------------

    def _of_replica(self, event: Event) -> list[Event] | LeftOut:
        records = int(event.observed["records"])
        match event.event:
            case "append_record":
                return LeftOut(OF_A_REPLICA)
            case "recover" if records == self._known.replicated[event.node]:
                return LeftOut(STARTED_AS_IT_WAS)
            case "flush_log" | "recover":
                return self._replicate(event.node, records)
            case "replay_records":
                return self._replay(records)
        raise AssertionError(f"the projection does not handle a log replica's event '{event.event}'")

    def _replicate(self, replica: str, records: int) -> list[Event]:
        """Set the number of records on a replica's disk; no step of the system explains fewer than before."""
        batch = records - self._known.replicated[replica]
        self._known.replicated[replica] = records
        return _pieces("flush_to_replica", batch, records, replica=replica)

    def _replay(self, records: int) -> list[Event] | LeftOut:
        known = self._known
        if records <= known.shadow:
            return LeftOut(SHADOWED_BEFORE)
        shown = range(known.shadow + 1, records + 1)
        known.shadow = records
        return [_step("shadow_replays", records=number) for number in shown]

    def _stand_in(self, records: int) -> list[Event]:
        """If a master has no log replicas, the records on its disk are also on the disk of the replica that
        represents them.
        """
        return [] if self._replicas else self._replicate(STAND_IN, records)

    # -- a master that runs -------------------------------------------------------------------------------------

    def _answered(self, records: int) -> list[Event] | LeftOut:
        known = self._known
        if records <= known.visible:
            return LeftOut(SHOWN_BEFORE)
        shown = range(known.visible + 1, records + 1)
        known.visible = records
        return [_step("show_record", records=number) for number in shown]

    def _append_record(self, records: int) -> list[Event]:
        return [_step("append_record", records=records)]

    def _flush_log(self, records: int) -> list[Event]:
        known = self._known
        batch = records - known.flushed
        known.flushed = records
        return [*_pieces("flush_log", batch, records), *self._stand_in(records)]

    def _switch_log(self, records: int) -> list[Event]:
        self._known.building = records
        return [_step("switch_log", records=records)]

    def _complete_checkpoint(self, records: int, fall_back: int) -> list[Event]:
        self._complete(records)
        return [_step("complete_checkpoint", records=records, fall_back=fall_back)]

    def _complete(self, records: int) -> None:
        known = self._known
        known.checkpoint, known.building, known.is_damaged = records, None, False

    def _delete_old_log(self, records: int) -> list[Event] | LeftOut:
        known = self._known
        if records <= known.begins:
            return LeftOut(NOTHING_DELETED)
        deleted = records - known.begins
        known.begins = records
        return _pieces("delete_old_log", deleted, records)

    # -- a master that dies, and the next one -------------------------------------------------------------------

    def _recover(
        self, records: int, checkpoint: int, log_begins: int, torn: int, skipped: int
    ) -> list[Event] | LeftOut:
        """The first master of a run starts over an empty disk: as one after a crash before anything was logged."""
        known = self._known
        steps: list[Event] = []
        if known.building is not None and checkpoint == known.building:
            steps.append(_step("complete_checkpoint", records=checkpoint))
            self._complete(checkpoint)
        if log_begins > known.begins:
            steps += _pieces("delete_old_log", log_begins - known.begins, log_begins)
        if skipped > 1:
            return LeftOut(TWO_DAMAGED, LOG)
        if skipped and not known.is_damaged:
            steps.append(_step("damage_checkpoint"))
            known.is_damaged = True
        steps += self._crashed(records, is_torn=torn > 0)
        # A power loss can have brought files back whose deletion was not forced to the disk.
        begins = {"log_begins": log_begins} if log_begins >= known.begins else {}
        steps.append(_step("recover", None, records=records, checkpoint=checkpoint, **begins))
        known.replicated = {replica: min(has, records) for replica, has in known.replicated.items()}
        if records > known.replicated.get(STAND_IN, records):
            steps += self._stand_in(records)
        known.flushed, known.visible, known.building = records, 0, None
        known.begins = max(known.begins, log_begins)
        return steps

    def _crashed(self, records: int, *, is_torn: bool) -> list[Event]:
        """The master died, and this many records were on its disk: some perhaps of a flush that it could not tell
        of.
        """
        written = records - self._known.flushed
        flushed = _pieces("flush_log", written, records) if written > 0 else []
        return [*flushed, _step("crash", {"torn": str(int(is_torn))})]


_NUMBERS = frozenset({"records", "fall_back", "checkpoint", "log_begins", "torn", "skipped"})
"""The observations in events of the log."""


def _pieces(action: str, count: int, records: int, **arguments: str) -> list[Event]:
    """A step that concerns some records, as steps that concern no more than one step may; the last shows how many."""
    full, rest = divmod(count - 1, LONGEST)
    sizes = [*[LONGEST] * max(0, full), rest + 1] if count > 0 else [count]
    *first, last = [arguments | {"records": str(size)} for size in sizes]
    return [*(_step(action, one) for one in first), _step(action, last, records=records)]


def _step(action: str, arguments: Mapping[str, str] | None = None, **shown: int) -> Event:
    return model_step(action, arguments, node=MASTER, observed=shown)
