"""Runs of masters in trouble, and events made one by one, held against gfs.master_log."""

from collections.abc import Sequence

import pytest
from tests.conformance.lockstep.gfs.master_log_runs import (
    ROTTING,
    SHADOWS,
    hold,
    hold_runs,
    hold_shadowed,
    losing_power,
    rejected,
    rotting,
)

from genstamp.events import Event
from genstamp.lockstep import Held, LeftOut
from genstamp.lockstep.gfs import master_log_words as words
from genstamp.lockstep.gfs.master_log import MasterLogProjection
from genstamp_dfs.gfs.protocol import MASTER


@pytest.mark.slow
def test_runs_whose_checkpoints_rot_conform() -> None:
    held, damaged = hold_runs(rotting, ROTTING, "skipped")
    assert (held.verdict, damaged > 3) == ("conforms", True)
    # A power loss can bring a damaged one back that was deleted.
    assert set(held.ended) <= {words.TWO_DAMAGED}
    assert sum(held.ended.values()) < damaged / 2


@pytest.mark.slow
def test_runs_in_which_the_master_loses_power_again_and_again_conform() -> None:
    held, torn = hold_runs(losing_power, range(3), "torn")
    assert (held.verdict, held.ended, torn > 3) == ("conforms", {}, True)


@pytest.mark.slow
def test_runs_with_log_replicas_and_shadows_conform() -> None:
    held, taken = hold_shadowed()
    assert held.verdict == "conforms", "\n".join(line for one in held.rejections for line in one.lines())
    assert not held.ended
    assert min(taken["shadow_replays"], taken["flush_to_replica"], taken["recover"]) > 100


# -- made events ------------------------------------------------------------------------------------------------------


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


def reasons(made: Made, replicas: Sequence[str] = ()) -> list[str]:
    projected = MasterLogProjection(replicas).project(made.events)
    return [one.reason for _, found in projected for one in found if isinstance(one, LeftOut)]


def held_made(made: Made, replicas: Sequence[str] = ()) -> Held:
    return hold(made.events, replicas)


def test_a_batch_of_more_records_than_a_step_has_is_several_steps() -> None:
    assert held_made(Made().logged(23)("create", records=23)).verdict == "conforms"
    held = held_made(Made().logged(23)("append_record", records=24)("create", records=24))
    assert rejected(held) == {("show_record", ("the record is on the local disk",))}


def test_an_answer_that_shows_nothing_new_is_left_out() -> None:
    made = Made().logged(2)("create", records=2)("list", records=1)("heartbeat", records=2)
    assert reasons(made) == [words.SHOWN_BEFORE] * 2


def test_a_flush_that_nobody_told_of_is_known_by_what_the_next_master_finds() -> None:
    made = Made().logged(2)("append_record", records=3)("append_record", records=4)
    assert held_made(made.recovered(4)).verdict == "conforms"
    made("append_record", records=5)("append_record", records=6)
    assert held_made(made.recovered(5, torn=7)).verdict == "conforms"
    assert rejected(held_made(made.recovered(5, torn=7))) == {("crash", ("what is written in part was being written",))}


def test_a_checkpoint_that_nobody_told_of_is_known_by_what_the_next_master_finds() -> None:
    made = Made().logged(3)("switch_log", records=3).recovered(3, checkpoint=3)
    assert held_made(made).verdict == "conforms"
    made = Made().logged(3)("switch_log", records=3).recovered(3).recovered(3, checkpoint=3)
    assert {event for event, _ in rejected(held_made(made))} == {"recover"}


def test_files_whose_deletion_nobody_told_of_are_missed_by_the_next_master() -> None:
    made = Made().logged(4).checkpointed(2).checkpointed(4, fall_back=2)
    assert rejected(held_made(made)) == {("switch_log", ())}
    made = Made().logged(2).checkpointed(2)("append_record", records=3)("flush_log", records=3)
    made.checkpointed(3, fall_back=2).recovered(3, checkpoint=3, log_begins=2)
    assert held_made(made).verdict == "conforms"
    assert rejected(held_made(made.recovered(3, checkpoint=3, log_begins=3))) == {
        ("delete_old_log", ("older checkpoints contain them",))
    }


def test_files_that_a_power_loss_brings_back_are_no_fault() -> None:
    made = Made().logged(2).checkpointed(2)("append_record", records=3)("flush_log", records=3)
    made.checkpointed(3, fall_back=2)("delete_old_log", records=2).recovered(3, checkpoint=3, log_begins=0)
    assert held_made(made).verdict == "conforms"
    assert reasons(made("delete_old_log", records=2)) == [words.NOTHING_DELETED]


def test_the_judgement_ends_where_two_checkpoints_cannot_be_read() -> None:
    held = held_made(Made().logged(2).checkpointed(2).recovered(2, skipped=2)("append_record", records=3))
    assert (held.verdict, dict(held.ended)) == ("conforms", {words.TWO_DAMAGED: 1})


def test_a_log_replica_is_known_by_its_own_events() -> None:
    made = Made().logged(2)("flush_log", node="shadow1", records=2)
    assert held_made(made("create", records=2), ["shadow1"]).verdict == "conforms"
    assert rejected(held_made(made, SHADOWS)) == {("show_record", ("the record is on every remote disk",))}
    made("append_record", node="shadow1", records=3)("recover", node="shadow1", records=2)
    assert reasons(made, ["shadow1"]) == [words.OF_A_REPLICA, words.STARTED_AS_IT_WAS]
    assert {event for event, _ in rejected(held_made(made("recover", node="shadow1", records=1), ["shadow1"]))} == {
        "flush_to_replica"
    }


def test_a_log_replica_takes_what_a_dead_master_has_sent() -> None:
    made = Made().logged(2)("append_record", records=3)("flush_log", records=3)
    made("flush_log", node="shadow1", records=3)("replay_records", node="shadow1", records=3).recovered(3)
    assert held_made(made("create", records=3), ["shadow1"]).verdict == "conforms"
    assert reasons(made("replay_records", node="shadow1", records=3), ["shadow1"]) == [words.SHADOWED_BEFORE]


def test_an_unknown_event_of_a_log_replica_is_not_left_out() -> None:
    with pytest.raises(AssertionError, match="the projection does not handle a log replica's event 'forget'"):
        reasons(Made()("forget", node="shadow1", records=1), ["shadow1"])


def test_events_of_other_nodes_are_left_out_and_unknown_ones_of_the_master_are_not() -> None:
    assert reasons(Made()("push_data", node="chunkserver1")) == [words.OTHER_NODES]
    with pytest.raises(AssertionError, match="the projection does not handle the master's event 'forget'"):
        reasons(Made()("forget"))
