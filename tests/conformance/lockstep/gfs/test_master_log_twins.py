"""Broken masters, and events of whole ones that were changed, held against gfs.master_log: each is rejected."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Final
from unittest import mock

import pytest
from msgspec.structs import replace
from tests.conformance.gfs.twins import twin_named
from tests.conformance.lockstep.gfs.master_log_runs import (
    ROTTING,
    SLOW,
    hold,
    hold_runs,
    hold_shadowed,
    losing_power,
    rejected,
    rotting,
)

from genstamp.events import Event
from genstamp.lockstep import hold_seeds
from genstamp.lockstep.gfs import plan_options, simulated
from genstamp_dfs.errors import StorageError
from genstamp_dfs.gfs.master import recovery
from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.master.checkpoint import Checkpointer, checkpoints
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.log_replicas import LogReplicas
from genstamp_dfs.gfs.master.operation_log import FORMAT, LogFile, OperationLog, log_files, log_path
from genstamp_dfs.gfs.master.shadow import ShadowMaster
from genstamp_dfs.gfs.messages.log_protocol import AppendRecords
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.world import frames
from genstamp_dfs.world.disk import Disk
from genstamp_spec.gfs.systems.master_log import MASTER_LOG


@pytest.mark.slow
def test_a_master_that_answers_before_the_log_is_rejected() -> None:
    with twin_named("answer-before-the-log").in_place():
        held = hold_seeds(MASTER_LOG, [SLOW])
    assert rejected(held) == {("show_record", ("the record is on the local disk",))}
    story = held.rejections[0].lines()
    assert any("append_record(record CreateFile, path /log1) shows records 1" in line for line in story)


@pytest.mark.slow
def test_a_checkpoint_that_claims_later_records_is_rejected() -> None:
    """What is missing shows when the next master begins with it: the state was built of fewer records.

    Few masters die while their newest checkpoint misses any, so runs are made until one has.
    """
    with twin_named("checkpoint-misses-records").in_place():
        held = next(held for seed in range(15, 40) if (held := hold_seeds(MASTER_LOG, [seed])).rejections)
    assert "recover" in {event for event, _ in rejected(held)}
    misses = [miss for one in held.rejections if one.rejected.event == "recover" for miss, _ in one.rejected.misses]
    assert all("records is" in miss.problem for miss in misses)


def keeps_the_newest_file_alone(self: Checkpointer) -> None:
    """All of the log that is older is deleted, and the fall-back can go on from nowhere."""
    for first in log_files(self._disk)[:-1]:
        self._disk.remove(log_path(first))
    self._telling.deleted(log_files(self._disk)[0])


@pytest.mark.slow
def test_a_master_that_deletes_the_log_of_the_fall_back_is_rejected() -> None:
    with mock.patch.object(Checkpointer, "_purge", keeps_the_newest_file_alone):
        held = hold_seeds(MASTER_LOG, (1, 2))
    assert rejected(held) == {("delete_old_log", ("older checkpoints contain them",))}


@pytest.mark.slow
def test_a_master_that_keeps_one_checkpoint_alone_is_rejected() -> None:
    kept = property(lambda self: 1, lambda self, value: None)
    with mock.patch.object(MasterConfiguration, "checkpoints_kept", kept):
        held = hold_seeds(MASTER_LOG, (1, 2))
    assert rejected(held) == {("delete_old_log", ("older checkpoints contain them",))}


@pytest.mark.slow
def test_a_checkpoint_that_is_complete_before_its_records_are_flushed_is_rejected() -> None:
    class NeverWaits:
        def __init__(self, log: OperationLog) -> None:
            self._log = log

        def __getattr__(self, name: str) -> Any:
            return getattr(self._log, name)

        async def flushed(self, position: int) -> None:
            """What is in the checkpoint is on the disk, with it."""

    make = Checkpointer.make

    async def make_at_once(self: Checkpointer) -> None:
        with mock.patch.object(self, "_log", NeverWaits(self._log)):
            await make(self)

    with mock.patch.object(Checkpointer, "make", make_at_once):
        held = hold_seeds(MASTER_LOG, (2, 5))
    assert rejected(held) == {("complete_checkpoint", ("the records in it are on the local disk",))}


def cuts_nothing(disk: Disk, file: LogFile) -> int:
    """What is there in part stays."""
    disk.sync(log_path(file.first))
    return file.size - file.end


def goes_on_behind(self: OperationLog) -> None:
    """The log goes on in the file that is there, behind whatever it ends with."""
    files = log_files(self._disk)
    if not files or self._rolls or self._disk.size(log_path(files[-1])) < len(FORMAT.header):
        start_file(self)
        return
    self.first = files[-1]
    self._end.path = log_path(self.first)
    self._end._size = self._disk.size(self._end.path)


start_file: Final = OperationLog.start_file


@pytest.mark.slow
def test_a_log_that_goes_on_behind_a_torn_record_is_rejected() -> None:
    """The next master reads as far as the torn record, and no more: it is there, and what was flushed is not."""
    with (
        mock.patch.object(recovery, "_end_file", cuts_nothing),
        mock.patch.object(OperationLog, "start_file", goes_on_behind),
        mock.patch.object(frames, "frames_behind", lambda *_: ()),
    ):
        held, _ = hold_runs(losing_power, range(4))
    assert {event for event, _ in rejected(held)} == {"crash", "recover"}


@pytest.mark.slow
def test_a_damaged_checkpoint_that_is_taken_for_a_fall_back_is_rejected() -> None:
    with mock.patch.object(Checkpointer, "_whole", lambda self: checkpoints(self._disk)):
        held, _ = hold_runs(rotting, ROTTING)
    assert {event for event, _ in rejected(held)} == {"complete_checkpoint"}
    assert any("fall_back is" in line for line in held.rejections[0].lines())


@pytest.mark.slow
def test_a_master_that_does_not_wait_for_its_log_replicas_is_rejected() -> None:
    async def sends(self: LogReplicas, first: int, frame: bytes, after: int) -> None:
        """They will have it some time."""
        for name in self._names:
            self._runtime.spawn(brings(self, name, AppendRecords(first, frame, self.committed), after), "log replica")
        self.committed = after

    async def brings(self: LogReplicas, name: str, request: AppendRecords, after: int) -> None:
        with suppress(StorageError):
            await self._bring(name, request, after)

    with mock.patch.object(LogReplicas, "replicate", sends):
        held, _ = hold_shadowed()
    assert ("show_record", ("the record is on every remote disk",)) in rejected(held)


@pytest.mark.slow
def test_a_shadow_that_shows_whatever_it_has_is_rejected() -> None:
    show = ShadowMaster._show

    def all_of_it(self: ShadowMaster, base: Base) -> None:
        self._committed = base.log.flushed_position
        show(self, base)

    with mock.patch.object(ShadowMaster, "_show", all_of_it):
        held, _ = hold_shadowed()
    assert rejected(held) == {("shadow_replays", ("the record is on every remote disk",))}


# -- changed events ---------------------------------------------------------------------------------------------------


@cache
def events_of(seed: int) -> tuple[Event, ...]:
    return simulated(seed, plan_options(seed))


def numbered(event: Event, change: Callable[[int], int], name: str = "records") -> Event:
    """The event with another number."""
    return replace(event, observed=event.observed | {name: str(change(int(event.observed[name])))})


def first(events: Sequence[Event], name: str, after: int = 0) -> int:
    """The place of the first event of the master's that is called so."""
    return next(i for i, e in enumerate(events) if i >= after and e.node == MASTER and e.event == name)


CHANGES: Final = {
    "a flush is missing, and what it brought to the disk is shown": ("flush_log", None, "show_record"),
    "a flush of more records than were logged": ("flush_log", lambda records: records + 1, "flush_log"),
    "a record is logged twice": ("append_record", lambda records: records - 1, "append_record"),
    "a checkpoint with more records than there are": ("switch_log", lambda records: records + 1, "switch_log"),
    "a checkpoint that was not begun": ("switch_log", None, "complete_checkpoint"),
    "another checkpoint than was begun": ("complete_checkpoint", lambda records: records - 1, "complete_checkpoint"),
    "an answer that shows what is not logged": ("find_lease", lambda records: records + 1000, "show_record"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", list(CHANGES))
def test_a_changed_event_is_rejected(what: str) -> None:
    name, change, step = CHANGES[what]
    events = list(events_of(SLOW))
    place = first(events, name)
    events[place : place + 1] = [] if change is None else [numbered(events[place], change)]
    assert {event for event, _ in rejected(hold(events))} == {step}


@pytest.mark.slow
@pytest.mark.parametrize("lost", [1, 2])
def test_a_master_that_starts_with_fewer_records_than_were_flushed_is_rejected(lost: int) -> None:
    events = list(losing_power(0))
    flush = 0
    for place, event in enumerate(events):
        # One that was flushed, and not one more that was on the disk when the master died.
        if event.event == "recover" and flush and event.observed["records"] == events[flush].observed["records"]:
            break
        flush = place if event.event == "flush_log" else flush
    events[place] = numbered(events[place], lambda records: records - lost)
    assert {event for event, _ in rejected(hold(events))} == {"recover"}


@pytest.mark.slow
def test_a_master_that_starts_with_records_that_nobody_logged_is_rejected() -> None:
    events = list(events_of(SLOW))
    place = first(events, "recover", first(events, "recover") + 1)
    events[place] = numbered(events[place], lambda records: records + 10)
    assert rejected(hold(events)) == {("flush_log", ("the records wait to be flushed",))}
