"""Simulated runs held against hdfs.recovery: blocks with their leases; what is the same is tested with blocks alone."""

from collections.abc import Sequence
from typing import Any, Final
from unittest import mock

import pytest
from tests.conformance.lockstep.hdfs.test_block import DEAD_S, GATE_S, Made, names, rejected
from tests.conformance.twins.datanode_twins import rwr_counts_as_rbw

from genstamp.events import Event
from genstamp.lockstep import Entity, Held, Holder, hold_seeds
from genstamp.lockstep.hdfs import PROJECTIONS
from genstamp.lockstep.hdfs import block_words as words
from genstamp.lockstep.hdfs.recovery import RecoveryProjection
from genstamp_dfs.hdfs.datanode import recovery_task
from genstamp_dfs.hdfs.namenode.lease_manager import Lease, LeaseManager
from genstamp_dfs.simulation.run import default_options
from genstamp_dfs.world.times import SECOND_US
from genstamp_spec.hdfs.systems.recovery import RECOVERY

SOFT_S: Final = 60
HARD_S: Final = 300


# -- simulated ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_primary_for_whom_waiting_replicas_count_is_rejected() -> None:
    with mock.patch.object(recovery_task, "sync_block", rwr_counts_as_rbw):
        assert rejected(hold_seeds(RECOVERY, [0])) == {("sync_block", ())}


@pytest.mark.slow
def test_a_monitor_that_does_not_wait_for_the_hard_limit_is_rejected() -> None:
    def expired_hard_limit(self: LeaseManager, lease: Lease, now_us: int) -> bool:
        return lease.is_older_than(self.limits.hard_limit_ms // 2, now_us)

    with mock.patch.object(LeaseManager, "expired_hard_limit", expired_hard_limit):
        held = hold_seeds(RECOVERY, range(3))
    labels = {label for one in held.rejections for label in one.rejected.labels}
    assert "the lease is past its hard limit" in labels


# -- made events ----------------------------------------------------------------------------------------------------


def hold(made: Made) -> Held:
    held = Held()
    projection = PROJECTIONS[RECOVERY.name]
    Holder(RECOVERY.model("repaired"), lambda: projection(default_options(), ())).hold(0, made.events, held)
    return held


def project(events: Sequence[Event]) -> list[Any]:
    limits_us = {"soft_limit_passes": SOFT_S * SECOND_US, "hard_limit_passes": HARD_S * SECOND_US}
    projection = RecoveryProjection(GATE_S * SECOND_US, DEAD_S * SECOND_US, limits_us)
    return [projected for _, found in projection.project(events) for projected in found]


def file_call(made: Made, event: str, at_s: int, **columns: Any) -> Made:
    """A call about the file."""
    return made("namenode", event, at_s, kind="file", inode=1, **columns)


def expired(at_s: int) -> Made:
    """The lease monitor has the file of its writer recovered."""
    made = Made()("namenode", "renew_lease", 0, kind="lease", client="client1").written(512, 512)
    return file_call(
        made, "release_expired_lease", at_s, holder="client1", recovery_id=1002, observed={"closed": "false"}
    )


def test_the_monitor_waits_for_the_hard_limit() -> None:
    assert hold(expired(HARD_S + 1)).verdict == "conforms"
    held = hold(expired(HARD_S))
    assert rejected(held) == {("release_expired_lease starting a recovery", ("the lease is past its hard limit",))}


def test_a_renewed_lease_is_young_again() -> None:
    made = Made().written(512, 512)
    made("namenode", "renew_lease", SOFT_S, kind="lease", client="client1")
    refused = {"client": "client2", "refused_with": "AlreadyBeingCreatedException"}
    assert hold(file_call(made, "create", 2 * SOFT_S, **refused)).verdict == "conforms"
    assert hold(file_call(made, "create", 3 * SOFT_S, **refused)).verdict == "conforms"
    *_, last = project(made.events)
    assert not isinstance(last, Entity)
    assert (last.reason, last.key) == (words.SOFTLY, "block 7 of 1001")


def test_a_file_that_is_taken_over_belongs_to_the_caller() -> None:
    made = Made().written(512, 512)
    file_call(made, "recover_lease", 1, client="client2", recovery_id=1002, observed={"closed": "false"})
    *_, taken = project(made.events)
    assert names(taken) == ["recover_lease starting a recovery"]
    assert taken.steps[0].arguments["client"] == "another client"
    completes: dict[str, Any] = {"client": "client2", "refused_with": "AlreadyBeingCreatedException"}
    assert hold(file_call(made, "create", 2, **completes)).verdict == "conforms"
    completes["client"] = "client1"
    assert rejected(hold(file_call(made, "create", 3, **completes))) != set()


def test_a_call_between_datanodes_that_is_lost_ends_the_judgement() -> None:
    made = Made().written(512, 512).recovering().primary("init_replica_recovery_failed", datanode="datanode2")
    held = hold(made.asked("datanode2", 512))
    assert (held.verdict, dict(held.ended)) == ("conforms", {words.LOST_CALL: 1})


def test_a_call_to_a_datanode_that_is_down_fails() -> None:
    made = Made().written(512, 512).recovering().primary("init_replica_recovery_failed", datanode="datanode2")
    *_, failed = project(made.replica("datanode2", "restart", 512, "RWR").events[:-1])
    assert names(failed) == ["datanode_crash", "init_replica_recovery_failed"]
    assert hold(made).verdict == "conforms"
