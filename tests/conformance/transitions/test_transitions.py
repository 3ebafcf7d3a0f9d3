"""Abstract transitions: what is taken away of a step, what there is altogether, and what runs have reached."""

import pytest

from genstamp.adapters import Cluster, ReferenceAdapter
from genstamp.lockstep import LOCKSTEPS, hold_seeds
from genstamp.stateful import Figures, driving_of
from genstamp.stateful.request import Request
from genstamp.stateful.run import Bench, Run
from genstamp.transitions import Reached, Transition, explored
from genstamp_model.language import Configuration, Instance
from genstamp_spec.hdfs.systems.lease import LEASE, OFF

FORGOTTEN = LOCKSTEPS["hdfs.lease"].forgotten


@pytest.fixture(scope="module")
def small() -> set[Transition]:
    """Those of one client and no block."""
    sizes = {"Client": 1, "File": 1, "Datanode": 1}
    return explored(
        Instance(LEASE.model("repaired"), Configuration("no_block", sizes, {**OFF, "stamps": 0})), FORGOTTEN
    )


def test_refusals_and_steps_are_told_apart_by_lifecycles(small: set[Transition]) -> None:
    creates = {(one.action, one.before[1], one.after[1], one.refusal) for one in small if one.before[1:]}
    absent = "block absent"
    assert ("create", absent, absent, "") in creates
    assert ("create_closes_other", absent, absent, "the caller does not hold the file's lease") in creates
    assert {one.before[-1] for one in small if one.action == "renew_lease"} >= {"lease held", "lease released"}


def test_nothing_is_reached_that_a_configuration_does_not_have(small: set[Transition]) -> None:
    assert "add_block" not in {one.action for one in small if not one.refusal}
    assert "soft_limit_passes" not in {one.action for one in small}


def test_stamps_and_lengths_are_compared_and_history_is_not() -> None:
    reached = Reached(FORGOTTEN)
    hold_seeds(LEASE, [0], watch=reached)
    assert reached.certain <= reached.possible
    added = [one for one in reached.possible if one.action == "add_block" and not one.refusal]
    assert any("block_stamp = earlier.stamp = recovery_id = writer.stamp" in one.stamps for one in added)
    assert not any("promised" in one.lengths for one in reached.possible)
    closed = [one for one in reached.certain if one.action == "complete"]
    assert any(one.before != one.after and "file closed" in one.after for one in closed)


def test_what_all_ways_of_a_call_refuse_is_reached_as_a_refusal_of_the_first() -> None:
    reached, model = Reached(FORGOTTEN), LEASE.model("repaired")
    bench = Bench(ReferenceAdapter(), model, driving_of("hdfs.lease"), 100, reached)
    run = Run(bench, Cluster(("/a",), ("client1",), ("datanode1",), "repaired", system="hdfs.lease"), Figures())
    run.start()
    run.request(Request("namenode_restart"))
    run.request(Request("create", (("client", "client1"), ("file", "/a"))))
    refused = {one.action for one in reached.certain if one.refusal == "the NameNode is not in safe mode"}
    first = next(action for action in model.actions if action.declared == "create")
    assert refused == {first.name}
