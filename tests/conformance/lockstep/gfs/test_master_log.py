"""Simulated runs of GFS held against gfs.master_log: the master's log conforms, broken ones do not."""

import dataclasses
import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final
from unittest import mock

import pytest
from msgspec.structs import replace
from tests.conformance.gfs.twins import TWINS

from genstamp.events import Event
from genstamp.lockstep import Held, Holder, LeftOut, hold_seeds
from genstamp.lockstep.gfs import PROJECTIONS, plan_options, simulated
from genstamp.lockstep.gfs import master_log_words as words
from genstamp_dfs.gfs.master import operation_log, recovery
from genstamp_dfs.gfs.master.checkpoint import Checkpointer, checkpoint_path, checkpoints
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.operation_log import HEADER, OperationLog, log_files, log_path
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.simulation.cluster import SimulatedCluster
from genstamp_dfs.gfs.simulation.options import default_options
from genstamp_dfs.gfs.simulation.plan import PlanOptions, make_plan
from genstamp_dfs.gfs.simulation.run import Run
from genstamp_dfs.simulation.disk import DiskOfLife
from genstamp_dfs.simulation.faults import Fault, FaultKind
from genstamp_dfs.simulation.loop import Life
from genstamp_dfs.world.disk import Disk
from genstamp_dfs.world.times import SECOND_US
from genstamp_spec.gfs.systems.master_log import MASTER_LOG

SEEDS: Final = range(6)
ROTTING: Final = range(4, 10)
"""In these the master dies often enough behind a checkpoint."""

SLOW: Final = 5
"""The seed of a run with slow disks, in which the master dies four times or more."""


def holder() -> Holder:
    return Holder(MASTER_LOG.model(), lambda: PROJECTIONS[MASTER_LOG.name](PlanOptions()))


def hold(made: "Made | Sequence[Event]") -> Held:
    held = Held()
    holder().hold(0, made.events if isinstance(made, Made) else made, held)
    return held


def hold_runs(run: "Callable[[int], tuple[Event, ...]]", seeds: range, found: str = "") -> tuple[Held, int]:
    """Hold runs of a kind; gives also how often a master found something of this name that is not nothing."""
    held, one, times = Held(), holder(), 0
    for seed in seeds:
        events = run(seed)
        times += sum(event.observed.get(found, "0") != "0" for event in events)
        one.hold(seed, events, held)
    return held, times


def rejected(held: Held) -> set[tuple[str, tuple[str, ...]]]:
    """Names of the steps that do not conform, each with the labels of what does not hold."""
    assert held.verdict == "rejected"
    assert all(one.lines()[0].startswith(f"seed {one.seed}, log") for one in held.rejections)
    return {(one.rejected.event, one.rejected.labels) for one in held.rejections}


@cache
def events_of(seed: int) -> tuple[Event, ...]:
    return simulated(seed, plan_options(seed))


# -- conforms -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_runs_with_faults_conform_and_show_every_action_but_those_named() -> None:
    shown: set[str] = set()
    held = hold_seeds(
        MASTER_LOG,
        SEEDS,
        watch=lambda fit, before, step: shown.update(
            action.name for state in before for action, *_ in fit.taken(state, step)
        ),
    )
    assert held.verdict == "conforms", "\n".join(line for one in held.rejections for line in one.lines())
    assert (held.runs, held.entities, held.undetermined) == (len(SEEDS), len(SEEDS), 0)
    assert not held.ended
    assert held.judged + sum(held.left_out.values()) == held.events
    assert held.judged > 200 * len(SEEDS)
    assert {action.name for action in MASTER_LOG.model().actions} - shown == set(words.NEVER)


@pytest.mark.slow
def test_runs_without_faults_conform() -> None:
    held = hold_seeds(MASTER_LOG, range(3), faults=False)
    assert (held.verdict, held.undetermined) == ("conforms", 0)


class RottingCluster(SimulatedCluster):
    """Whenever the master dies, its newest checkpoint cannot be read any more, if there is one to fall back on."""

    def life_ended(self, node: str) -> None:
        super().life_ended(node)
        if node == MASTER:
            disk = self.machines[MASTER].disk
            view = DiskOfLife(disk, Life("test"), random.Random(0))
            if checkpoints(view)[1:] and disk.files[checkpoint_path(checkpoints(view)[1])].data:
                disk.files[checkpoint_path(checkpoints(view)[0])].data.clear()


def rotting(seed: int) -> tuple[Event, ...]:
    options = plan_options(seed)
    plan = make_plan(seed, options)
    return Run(plan, default_options(plan, options), RottingCluster).run().events  # type: ignore[return-value]


@pytest.mark.slow
def test_runs_whose_checkpoints_rot_conform() -> None:
    held, damaged = hold_runs(rotting, ROTTING, "skipped")
    assert (held.verdict, damaged > 3) == ("conforms", True)
    # A power loss can bring a damaged one back that was deleted.
    assert set(held.ended) <= {words.TWO_DAMAGED}
    assert sum(held.ended.values()) < damaged / 2


def losing_power(seed: int) -> tuple[Event, ...]:
    """A run with slow disks in which nothing goes wrong but the power of the master's machine, every few seconds."""
    options = PlanOptions(sync_ms=5000)
    plan = make_plan(seed, options)
    losses = [Fault(at_s * SECOND_US, FaultKind.POWER_LOSS, MASTER, SECOND_US) for at_s in range(10, 400, 7)]
    plan = dataclasses.replace(plan, faults=tuple(losses))
    return Run(plan, default_options(plan, options)).run().events  # type: ignore[return-value]


@pytest.mark.slow
def test_runs_in_which_the_master_loses_power_again_and_again_conform() -> None:
    held, torn = hold_runs(losing_power, range(3), "torn")
    assert (held.verdict, held.ended, torn > 3) == ("conforms", {}, True)


# -- twins ----------------------------------------------------------------------------------------------------------


def twin(name: str) -> Any:
    return next(one for one in TWINS if one.name == name)


@pytest.mark.slow
def test_a_master_that_answers_before_the_log_is_rejected() -> None:
    with twin("answer-before-the-log").in_place():
        held = hold_seeds(MASTER_LOG, [SLOW])
    assert rejected(held) == {("show_record", ("the record is on the local disk",))}
    story = held.rejections[0].lines()
    assert any("append_record() shows records" in line for line in story)


@pytest.mark.slow
def test_a_checkpoint_that_claims_later_records_is_rejected() -> None:
    """What is missing shows when the next master begins with it: the state was built of fewer records."""
    with twin("checkpoint-misses-records").in_place():
        held = hold_seeds(MASTER_LOG, ROTTING)
    assert {event for event, _ in rejected(held)} == {"recover"}
    (miss, _), *_ = held.rejections[0].rejected.misses
    assert "records is" in miss.problem


def keeps_the_newest_file_alone(self: Checkpointer) -> None:
    """All of the log that is older is deleted, and the fall-back can go on from nowhere."""
    for first in log_files(self._disk)[:-1]:
        self._disk.remove(log_path(first))
    self._telling.deleted(log_files(self._disk)[0])


@pytest.mark.slow
def test_a_master_that_deletes_the_log_of_the_fall_back_is_rejected() -> None:
    with mock.patch.object(Checkpointer, "_purge", keeps_the_newest_file_alone):
        held = hold_seeds(MASTER_LOG, [0])
    assert rejected(held) == {("delete_old_log", ("older checkpoints contain them",))}


@pytest.mark.slow
def test_a_master_that_keeps_one_checkpoint_alone_is_rejected() -> None:
    kept = property(lambda self: 1, lambda self, value: None)
    with mock.patch.object(MasterConfiguration, "checkpoints_kept", kept):
        held = hold_seeds(MASTER_LOG, [0])
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
        held = hold_seeds(MASTER_LOG, range(2, 30, 3))
    assert rejected(held) == {("complete_checkpoint", ("the records in it are on the local disk",))}


def cuts_nothing(disk: Disk, file: operation_log.LogFile) -> int:
    """What is there in part stays."""
    disk.sync(log_path(file.first))
    return file.size - file.end


def goes_on_behind(self: OperationLog) -> None:
    """The log goes on in the file that is there, behind whatever it ends with."""
    files = log_files(self._disk)
    if not files or self._rolls or self._disk.size(log_path(files[-1])) < len(HEADER):
        start_file(self)
        return
    self.first = files[-1]
    self._size = self._disk.size(log_path(self.first))


start_file: Final = OperationLog.start_file


@pytest.mark.slow
def test_a_log_that_goes_on_behind_a_torn_record_is_rejected() -> None:
    """The next master reads as far as the torn record, and no more: it is there, and what was flushed is not."""
    with (
        mock.patch.object(recovery, "_end_file", cuts_nothing),
        mock.patch.object(OperationLog, "start_file", goes_on_behind),
        mock.patch.object(operation_log, "frames_behind", lambda *_: ()),
    ):
        held, _ = hold_runs(losing_power, range(4))
    assert {event for event, _ in rejected(held)} == {"crash", "recover"}


@pytest.mark.slow
def test_a_damaged_checkpoint_that_is_taken_for_a_fall_back_is_rejected() -> None:
    with mock.patch.object(Checkpointer, "_whole", lambda self: checkpoints(self._disk)):
        held, _ = hold_runs(rotting, ROTTING)
    assert {event for event, _ in rejected(held)} == {"complete_checkpoint"}
    assert any("fall_back is" in line for line in held.rejections[0].lines())


# -- changed events -------------------------------------------------------------------------------------------------


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
    events = list(events_of(SLOW))
    place = first(events, "recover", first(events, "recover") + 1)
    events[place] = numbered(events[place], lambda records: records - lost)
    assert {event for event, _ in rejected(hold(events))} == {"recover"}


@pytest.mark.slow
def test_a_master_that_starts_with_records_that_nobody_logged_is_rejected() -> None:
    events = list(events_of(SLOW))
    place = first(events, "recover", first(events, "recover") + 1)
    events[place] = numbered(events[place], lambda records: records + 10)
    assert rejected(hold(events)) == {("flush_log", ("the records wait to be flushed",))}


# -- made events ----------------------------------------------------------------------------------------------------


class Made:
    """Events of a master, made one by one."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: str, *, node: str = MASTER, **observed: int) -> "Made":
        self.events.append(
            Event(
                source="test",
                node=node,
                node_sequence=len(self.events) + 1,
                kind="node",
                namespace="",
                entity=node,
                event=event,
                observed={name: str(value) for name, value in observed.items()},
            )
        )
        return self

    def logged(self, records: int) -> "Made":
        """A master that has logged and flushed so many records, from the first on."""
        self.recovered(0)
        for number in range(1, records + 1):
            self("append_record", records=number)
        return self("flush_log", records=records)

    def checkpointed(self, records: int, fall_back: int = 0) -> "Made":
        self("switch_log", records=records)
        return self("complete_checkpoint", records=records, fall_back=fall_back)

    def recovered(self, records: int, **found: int) -> "Made":
        """A master has started, and has found this."""
        nothing = {"checkpoint": 0, "log_begins": 0, "torn": 0, "skipped": 0}
        self("recover", records=records)
        self.events[-1].observed.update({name: str(value) for name, value in (nothing | found).items()})
        return self


def reasons(made: Made) -> list[str]:
    projected = PROJECTIONS[MASTER_LOG.name](PlanOptions()).project(made.events)
    return [one.reason for _, found in projected for one in found if isinstance(one, LeftOut)]


def test_a_batch_of_more_records_than_a_step_has_is_several_steps() -> None:
    assert hold(Made().logged(23)("create", records=23)).verdict == "conforms"
    held = hold(Made().logged(23)("append_record", records=24)("create", records=24))
    assert rejected(held) == {("show_record", ("the record is on the local disk",))}


def test_an_answer_that_shows_nothing_new_is_left_out() -> None:
    made = Made().logged(2)("create", records=2)("list", records=1)("heartbeat", records=2)
    assert reasons(made) == [words.SHOWN_BEFORE] * 2


def test_a_flush_that_nobody_told_of_is_known_by_what_the_next_master_finds() -> None:
    made = Made().logged(2)("append_record", records=3)("append_record", records=4)
    assert hold(made.recovered(4)).verdict == "conforms"
    made("append_record", records=5)("append_record", records=6)
    assert hold(made.recovered(5, torn=7)).verdict == "conforms"
    assert rejected(hold(made.recovered(5, torn=7))) == {("crash", ("what is written in part was being written",))}


def test_a_checkpoint_that_nobody_told_of_is_known_by_what_the_next_master_finds() -> None:
    made = Made().logged(3)("switch_log", records=3).recovered(3, checkpoint=3)
    assert hold(made).verdict == "conforms"
    made = Made().logged(3)("switch_log", records=3).recovered(3).recovered(3, checkpoint=3)
    assert {event for event, _ in rejected(hold(made))} == {"recover"}


def test_files_whose_deletion_nobody_told_of_are_missed_by_the_next_master() -> None:
    made = Made().logged(4).checkpointed(2).checkpointed(4, fall_back=2)
    assert rejected(hold(made)) == {("switch_log", ())}
    made = Made().logged(2).checkpointed(2)("append_record", records=3)("flush_log", records=3)
    made.checkpointed(3, fall_back=2).recovered(3, checkpoint=3, log_begins=2)
    assert hold(made).verdict == "conforms"
    assert rejected(hold(made.recovered(3, checkpoint=3, log_begins=3))) == {
        ("delete_old_log", ("older checkpoints contain them",))
    }


def test_files_that_a_power_loss_brings_back_are_no_fault() -> None:
    made = Made().logged(2).checkpointed(2)("append_record", records=3)("flush_log", records=3)
    made.checkpointed(3, fall_back=2)("delete_old_log", records=2).recovered(3, checkpoint=3, log_begins=0)
    assert hold(made).verdict == "conforms"
    assert reasons(made("delete_old_log", records=2)) == [words.NOTHING_DELETED]


def test_the_judgement_ends_where_two_checkpoints_cannot_be_read() -> None:
    held = hold(Made().logged(2).checkpointed(2).recovered(2, skipped=2)("append_record", records=3))
    assert (held.verdict, dict(held.ended)) == ("conforms", {words.TWO_DAMAGED: 1})


def test_events_of_other_nodes_are_left_out_and_unknown_ones_of_the_master_are_not() -> None:
    assert reasons(Made()("push_data", node="chunkserver1")) == [words.OTHER_NODES]
    with pytest.raises(AssertionError, match="no word is said about the master's event 'forget'"):
        reasons(Made()("forget"))
