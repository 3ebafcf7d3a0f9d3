"""Events made one by one, and a broken primary, held against hdfs.block_recovery."""

from collections.abc import Sequence
from typing import Any, Final
from unittest import mock

import pytest
from tests.conformance.twins.datanode_twins import rwr_counts_as_rbw

from genstamp.events import Event
from genstamp.lockstep import Entity, Held, Holder, LeftOut, hold_seeds
from genstamp.lockstep.hdfs import PROJECTIONS
from genstamp.lockstep.hdfs import block_words as words
from genstamp.lockstep.hdfs.block import BlockProjection
from genstamp.lockstep.projection import Happened
from genstamp_dfs.hdfs.datanode import recovery_task
from genstamp_dfs.simulation.run import default_options
from genstamp_dfs.world.times import SECOND_US
from genstamp_spec.hdfs.systems.block_recovery import BLOCK_RECOVERY

GATE_S: Final = 90
DEAD_S: Final = 50


def rejected(held: Held) -> set[tuple[str, tuple[str, ...]]]:
    return {(one.rejected.event, one.rejected.labels) for one in held.rejections}


# -- simulated ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_primary_for_whom_waiting_replicas_count_is_rejected() -> None:
    with mock.patch.object(recovery_task, "sync_block", rwr_counts_as_rbw):
        held = hold_seeds(BLOCK_RECOVERY, [0])
    assert rejected(held) == {("sync_block", ())}
    assert "participants is first,third, shown first,second,third" in "\n".join(held.rejections[0].lines())


# -- made events ----------------------------------------------------------------------------------------------------


class Made:
    """Events of a run about block 7 of file 1, made one by one."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, node: str, event: str, at_s: int = 1, kind: str = "replica", **columns: Any) -> "Made":
        """One more event; what is no column is an argument, and what is a state is shown."""
        known = {name: columns.pop(name) for name in list(columns) if name in Event.__struct_fields__}
        entity = {"replica": f"7@{columns.get('datanode', node)}", "block": "7"}.get(kind, "/f")
        made = Event(
            source="test",
            node=node,
            node_sequence=len(self.events) + 1,
            time_us=at_s * SECOND_US,
            kind=kind,  # type: ignore[arg-type]
            namespace="",
            entity=entity,
            event=event,
            arguments={name: str(value) for name, value in columns.items()},
            **known,
        )
        self.events.append(made)
        return self

    def replica(self, node: str, event: str, num_bytes: int, state: str = "RBW", **columns: Any) -> "Made":
        """A step of a datanode with its replica, of generation 1001 unless said otherwise."""
        stamp = columns.pop("generation_stamp", 1001)
        shown = {"replica_state": state}
        client: dict[str, Any] = {} if "primary" in columns else {"client": "client1"}
        return self(
            node,
            event,
            datanode=node,
            num_bytes=num_bytes,
            generation_stamp=stamp,
            observed=shown,
            **client,
            **columns,
        )

    def written(self, *num_bytes: int) -> "Made":
        """Two datanodes that have received this much each."""
        locations = {"locations": "datanode1,datanode2"}
        self(
            "namenode",
            "add_block",
            kind="file",
            client="client1",
            inode=1,
            block=7,
            generation_stamp=1001,
            observed=locations,
        )
        for number in range(1, len(num_bytes) + 1):
            self.replica(f"datanode{number}", "create_rbw", 0)
        for number, length in enumerate(num_bytes, 1):
            self.replica(f"datanode{number}", "receive_packet", length)
        return self

    def released(self, recovery_id: int, at_s: int = 100) -> "Made":
        """Somebody has the file recovered."""
        return self("namenode", "recover_lease", at_s, kind="file", client="client2", inode=1, recovery_id=recovery_id)

    def primary(self, event: str, **columns: Any) -> "Made":
        """A step of the primary, which is the first datanode."""
        return self("datanode1", event, kind="block", primary="datanode1", recovery_id=1002, **columns)

    def recovering(self) -> "Made":
        """A recovery has begun, led by the first datanode."""
        return self.released(1002).primary("receive_recovery_command")

    def asked(self, node: str, num_bytes: int) -> "Made":
        """The primary asks a datanode for its replica."""
        return self.replica(node, "init_replica_recovery", num_bytes, primary="datanode1", recovery_id=1002)

    def agreed(self, num_bytes: int) -> "Made":
        """The primary has decided that both take part."""
        shown = {"participants": "datanode1,datanode2", "delete": "false"}
        return self.primary("sync_block", num_bytes=num_bytes, observed=shown)


def hold(events: Sequence[Event]) -> Held:
    held = Held()
    projection = PROJECTIONS[BLOCK_RECOVERY.name]
    Holder(BLOCK_RECOVERY.model("repaired"), lambda: projection(default_options(), ())).hold(0, events, held)
    return held


def project(events: Sequence[Event]) -> list[Any]:
    projection = BlockProjection(GATE_S * SECOND_US, DEAD_S * SECOND_US)
    return [projected for _, found in projection.project(events) for projected in found]


def names(entity: Entity) -> list[str]:
    return [step.event if isinstance(step, Event) else step.action for step in entity.steps]


@pytest.mark.slow
def test_the_shortest_length_is_agreed_on() -> None:
    """Of 512 and 1000 bytes, of which the second datanode has more."""
    for agreed, verdict in ((512, "conforms"), (1000, "rejected")):
        made = Made().written(512, 1000).recovering().asked("datanode1", 512).asked("datanode2", 1000)
        assert hold(made.agreed(agreed).events).verdict == verdict


def test_bytes_that_nobody_has_received_are_rejected() -> None:
    made = Made().written(512, 512).recovering().asked("datanode2", 512)
    made.replica("datanode1", "receive_packet", 1000)
    held = hold(made.asked("datanode1", 512).events)
    assert rejected(held) == {("init_replica_recovery", ())}


def test_lengths_and_stamps_are_counted() -> None:
    made = Made().written(512, 1000).recovering().asked("datanode2", 1000)
    *_, command, answer = project(made.events)
    assert names(command) == ["receive_recovery_command"]
    assert command.steps[0].recovery_id == 2
    assert (answer.steps[0].num_bytes, answer.steps[0].arguments["datanode"]) == (2, "second")


def test_a_call_that_is_answered_too_late_times_out_and_is_carried_out() -> None:
    made = Made().written(512, 512).recovering().asked("datanode2", 512)
    made.primary("init_replica_recovery_failed", datanode="datanode2")
    *_, carried_out, given_up = project(made.events)
    assert names(carried_out) == ["init_replica_recovery_times_out", "init_replica_recovery_late"]
    assert given_up == LeftOut(words.SAME)
    assert hold(made.events).verdict == "conforms"


def test_a_call_that_is_carried_out_after_it_was_given_up_is_late() -> None:
    made = Made().written(512, 512).recovering().primary("init_replica_recovery_failed", datanode="datanode2")
    *_, given_up, carried_out = project(made.asked("datanode2", 512).events)
    assert (names(given_up), names(carried_out)) == (
        ["init_replica_recovery_times_out"],
        ["init_replica_recovery_late"],
    )


def test_a_recovery_begins_before_the_gate_opens_only_if_there_was_none() -> None:
    def released_again(at_s: int) -> Held:
        return hold(Made().written(512, 512).released(1002).released(1003, at_s).events)

    assert released_again(100 + GATE_S + 1).verdict == "conforms"
    assert rejected(released_again(100 + GATE_S)) == {("release", ("no attempt is younger than the gate",))}


def test_a_datanode_is_down_from_its_restart_backwards() -> None:
    made = Made().written(512, 512).replica("datanode2", "restart", 512, "RWR")
    *_, restarted = project(made.events)
    assert names(restarted) == ["datanode_crash", "datanode_restart"]


def test_a_location_that_is_not_asked_is_dead() -> None:
    made = Made().written(512, 512).recovering().asked("datanode1", 512)
    shown = {"participants": "datanode1", "delete": "false"}
    made.primary("sync_block", num_bytes=512, observed=shown)
    assert hold(made.events).verdict == "conforms"
    dead = [
        step
        for one in project(made.events)
        if isinstance(one, Entity)
        for step in one.steps
        if isinstance(step, Happened) and step.action == "datanode_is_taken_for_dead"
    ]
    assert dead == [Happened("datanode_is_taken_for_dead", {"datanode": "second"})]


def test_a_complete_that_was_answered_with_false_may_come_again_as_the_same_call() -> None:
    made = Made().written(512, 512)
    for node in ("datanode1", "datanode2"):
        made.replica(node, "finalize_replica", 512, "FINALIZED")
    for state, closed in (("COMMITTED", "false"), ("COMPLETE", "true")):
        shown = {"closed": closed, "block_state": state}
        made("namenode", "complete", kind="file", client="client1", inode=1, call="client1 5", observed=shown)
        if closed == "false":
            made(
                "namenode",
                "block_received",
                datanode="datanode1",
                generation_stamp=1001,
                observed={"block_state": "COMPLETE"},
            )
    *_, closes = project(made.events)
    assert names(closes) == ["complete"]
    assert hold(made.events).verdict == "conforms"


def test_a_primary_that_registers_anew_may_end_what_it_leads() -> None:
    """Seed 229: without that it has no reason to."""
    for registers, verdict in ((False, "rejected"), (True, "conforms")):
        made = Made().written(512, 512).recovering().asked("datanode1", 512)
        if registers:
            made("namenode", "register_datanode", kind="node", datanode="datanode1")
        made.asked("datanode2", 512)
        assert hold(made.primary("abandon_recovery").events).verdict == verdict


def test_a_primary_that_gives_up_when_one_update_fails_is_rejected() -> None:
    """HDFS-12070: of two that take part, one is enough."""
    made = Made().written(512, 512).recovering().asked("datanode1", 512).asked("datanode2", 512).agreed(512)
    made.primary("update_replica_failed", datanode="datanode2")
    updated = {"generation_stamp": 1002, "primary": "datanode1", "recovery_id": 1002}
    made.replica("datanode1", "update_replica_under_recovery", 512, "FINALIZED", **updated)
    assert hold(made.events).verdict == "conforms"
    held = hold(made.primary("abandon_recovery").events)
    assert rejected(held) == {("abandon_recovery", ("the recovery cannot go on",))}


def test_a_recovery_with_a_datanode_from_outside_ends_the_judgement() -> None:
    """Seed 69: a copy of the block was reported, and its datanode leads the recovery."""
    made = Made().written(512, 512).released(1002)
    command: dict[str, Any] = {"kind": "block", "primary": "datanode3", "recovery_id": 1002}
    made("datanode3", "receive_recovery_command", **command)
    held = hold(made.replica("datanode1", "restart", 512, "RWR").events)
    assert (held.verdict, dict(held.ended)) == ("conforms", {words.OUTSIDE: 1})


def test_a_new_pipeline_is_a_generation_of_its_own() -> None:
    made = Made().written(512, 512)
    for node in ("datanode1", "datanode2"):
        made.replica(node, "recover_rbw", 512, generation_stamp=1005)
    made(
        "namenode",
        "update_pipeline",
        kind="block",
        client="client1",
        inode=1,
        block=7,
        generation_stamp=1005,
        observed={"locations": "datanode1,datanode2"},
    )
    made.replica("datanode1", "receive_packet", 1000, generation_stamp=1005)
    *_, taken_over, received = project(made.events)
    assert taken_over.key == received.key == "block 7 of 1005"
    assert names(received) == ["receive_packet"]
    held = hold(made.events)
    assert (held.verdict, held.entities, dict(held.lived)) == ("conforms", 2, {words.PIPELINE: 1})


def test_a_namenode_that_restarts_ends_the_judgement_of_open_blocks() -> None:
    made = Made().written(512, 512)("namenode", "namenode_restart", kind="node")
    held = hold(made.replica("datanode1", "receive_packet", 1000).events)
    assert (held.verdict, dict(held.ended)) == ("conforms", {words.RESTARTED: 1})
