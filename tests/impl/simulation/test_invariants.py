"""Invariants hold in every step of runs with faults, and what breaks them is told by its id."""

from dataclasses import replace

import pytest

from genstamp_dfs.hdfs.messages.client_protocol import AddBlock, Append, Complete, RecoverLease, UpdatePipeline
from genstamp_dfs.hdfs.messages.datanode_protocol import CommitBlockSynchronization
from genstamp_dfs.hdfs.namenode.edit_log import EditLog
from genstamp_dfs.hdfs.namenode.edit_ops import AnyOp, CloseOp
from genstamp_dfs.hdfs.namenode.lease_manager import LeaseManager
from genstamp_dfs.hdfs.protocol import Block, BlockUCState
from genstamp_dfs.simulation.invariants import SeenBlock, broken_by_change
from genstamp_dfs.simulation.plan import make_plan
from genstamp_dfs.simulation.run import Run
from genstamp_dfs.world.request import Request

WRITTEN = SeenBlock("client1", BlockUCState.UNDER_CONSTRUCTION, 1001, 0, 0)
RECOVERED = replace(WRITTEN, state=BlockUCState.UNDER_RECOVERY, recovery_id=1002)
COMMITTED = replace(WRITTEN, state=BlockUCState.COMMITTED, num_bytes=9)
COMPLETE = replace(COMMITTED, state=BlockUCState.COMPLETE)
LAST = Block(1, 1001, 9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_invariants_hold_in_every_step(seed: int) -> None:
    watched = Run(make_plan(seed), look_every=1).run()
    assert watched.broken_invariant is None
    assert watched.problems == []
    assert watched.events == Run(make_plan(seed)).run().events, "looking changes nothing"


def end_of(recovery_id: int) -> CommitBlockSynchronization:
    return CommitBlockSynchronization(LAST, recovery_id, 9, close_file=True, delete_block=False, new_targets=())


@pytest.mark.parametrize(
    ("before", "after", "request_made"),
    [
        (WRITTEN, COMMITTED, Complete("/f", "client1", LAST)),
        (WRITTEN, RECOVERED, RecoverLease("/f", "client2")),
        (WRITTEN, replace(WRITTEN, generation_stamp=1002), UpdatePipeline("client1", LAST, LAST, ())),
        (RECOVERED, replace(COMPLETE, generation_stamp=1002), end_of(1002)),
        (RECOVERED, replace(RECOVERED, recovery_id=1003), None),
        (COMMITTED, COMPLETE, None),
        (COMPLETE, replace(WRITTEN, num_bytes=9), Append("/f", "client1")),
    ],
)
def test_what_the_protocol_does_breaks_nothing(
    before: SeenBlock, after: SeenBlock, request_made: Request[object] | None
) -> None:
    assert list(broken_by_change(1, before, after, request_made)) == []


@pytest.mark.parametrize(
    ("broken", "before", "after", "request_made"),
    [
        ("S10", WRITTEN, COMMITTED, Complete("/f", "client2", LAST)),
        ("S11", RECOVERED, replace(COMMITTED, recovery_id=1002), AddBlock("/f", "client1", LAST)),
        ("S11", RECOVERED, replace(RECOVERED, num_bytes=5), None),
        ("S12", RECOVERED, replace(COMPLETE, generation_stamp=1001), end_of(1001)),
        ("S12", RECOVERED, replace(RECOVERED, recovery_id=1003), Complete("/f", "client1", LAST)),
        ("S13", WRITTEN, COMPLETE, None),
        ("S13", COMMITTED, replace(COMMITTED, num_bytes=5), Complete("/f", "client1", LAST)),
        ("S13", COMPLETE, replace(COMPLETE, generation_stamp=1002), None),
    ],
)
def test_what_it_never_does_is_told(
    broken: str, before: SeenBlock, after: SeenBlock, request_made: Request[object] | None
) -> None:
    sentences = list(broken_by_change(1, before, after, request_made))
    assert [sentence.partition(":")[0] for sentence in sentences] == [broken]


def test_a_lease_that_stays_behind_a_closed_file_ends_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LeaseManager, "remove_file", lambda self, file_id: None)
    result = Run(make_plan(1), look_every=1).run()
    assert result.broken_invariant is not None
    assert result.broken_invariant.startswith("S17: ")
    assert result.problems == [result.broken_invariant]
    assert not result.is_safe


def test_a_change_that_is_not_logged_ends_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    log = EditLog.log

    def forget_closes(self: EditLog, op: AnyOp) -> None:
        if not isinstance(op, CloseOp):
            log(self, op)

    monkeypatch.setattr(EditLog, "log", forget_closes)
    result = Run(make_plan(1), look_every=1).run()
    assert result.broken_invariant is not None
    assert result.broken_invariant.startswith("S19: ")
