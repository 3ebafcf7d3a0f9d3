"""Events made one by one, and broken clients and datanodes, held against hdfs.pipeline."""

from collections.abc import Sequence
from typing import Any, Final
from unittest import mock

import pytest
from tests.conformance.lockstep.hdfs.test_block import Made, names, rejected
from tests.conformance.twins.all_twins import TWINS

from genstamp.events import Event
from genstamp.lockstep import Entity, Held, Holder, LeftOut, hold_seeds
from genstamp.lockstep.hdfs import PROJECTIONS
from genstamp.lockstep.hdfs import pipeline_words as words
from genstamp.lockstep.hdfs.pipeline import PipelineProjection
from genstamp_dfs.hdfs.client.configuration import ClientConfiguration
from genstamp_dfs.hdfs.client.output_stream import DFSOutputStream
from genstamp_dfs.simulation.cluster import ClusterOptions
from genstamp_spec.hdfs.systems.pipeline import PIPELINE

PAIR: Final = ClusterOptions(client=ClientConfiguration(replication=2))
BOTH: Final = {"locations": "datanode1,datanode2"}


# -- simulated ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("jira", "event", "label"),
    [
        ("HDFS-2021", "send_ack", ("its byte is visible here",)),
        ("HDFS-8498", "complete", ()),
    ],
)
def test_a_twin_is_rejected(jira: str, event: str, label: tuple[str, ...]) -> None:
    [twin] = [one for one in TWINS if one.jira == jira]
    with twin.in_place():
        held = hold_seeds(PIPELINE, [0])
    assert rejected(held) == {(event, label)}


@pytest.mark.slow
def test_a_client_that_never_replaces_a_node_is_rejected() -> None:
    with mock.patch.object(ClientConfiguration, "replaces", lambda self, *_, **__: False):
        held = hold_seeds(PIPELINE, (1, 2, 4))
    assert rejected(held) == {("update_block_for_pipeline", ("the pipeline is large enough",))}


@pytest.mark.slow
def test_a_client_that_closes_without_waiting_for_acknowledgements_is_rejected() -> None:
    async def at_once(self: DFSOutputStream, seqno: int) -> None:
        self.streamer.raise_failure()

    with mock.patch.object(DFSOutputStream, "_wait_for_acked", at_once):
        held = hold_seeds(PIPELINE, [0])
    assert rejected(held) == {("complete", ("the client is in this stage",))}


# -- made events ----------------------------------------------------------------------------------------------------


def hold(made: Made) -> Held:
    held = Held()
    Holder(PIPELINE.model("repaired"), lambda: PROJECTIONS[PIPELINE.name](PAIR, ())).hold(0, made.events, held)
    return held


def project(events: Sequence[Event]) -> list[Any]:
    return [projected for _, found in PipelineProjection(2).project(events) for projected in found]


def client(made: Made, event: str, num_bytes: int, kind: str = "block", **columns: Any) -> Made:
    shown = {"num_bytes": num_bytes, "generation_stamp": 1001, **columns}
    return made("client1", event, kind=kind, client="client1", file="/f", **shown)


def namenode(made: Made, event: str, kind: str = "file", **columns: Any) -> Made:
    named = {"client": "client1", "file": "/f", "inode": 1, "block": 7, "generation_stamp": 1001}
    return made("namenode", event, kind=kind, **{**named, **columns})


def set_up() -> Made:
    """A block whose pipeline of two datanodes is set up."""
    made = namenode(Made(), "add_block", observed=BOTH)
    for node in ("datanode1", "datanode2"):
        made.replica(node, "create_rbw", 0)
    return client(made, "set_up_create", 0, observed=BOTH)


def sent(made: Made, num_bytes: int, *, stamp: int = 1001, nodes: Sequence[str] = ("datanode1", "datanode2")) -> Made:
    """A packet that all datanodes receive and acknowledge."""
    for node in nodes:
        made.replica(node, "receive_packet", num_bytes, generation_stamp=stamp)
    for node in reversed(nodes):
        made.replica(node, "receive_ack", num_bytes, generation_stamp=stamp)
    return client(made, "receive_ack", num_bytes, generation_stamp=stamp)


def ended(made: Made, num_bytes: int) -> Made:
    """The last packet is acknowledged."""
    for node in ("datanode2", "datanode1"):
        made.replica(node, "finalize_replica", num_bytes, "FINALIZED")
    return client(made, "end_block", num_bytes)


def test_a_block_is_written_and_its_file_closed() -> None:
    made = ended(client(sent(sent(set_up(), 512), 600), "hflush", 600, kind="file"), 600)
    reported = {"datanode": "datanode2", "observed": {"block_state": "UNDER_CONSTRUCTION"}}
    namenode(made, "block_received", kind="replica", **reported)
    namenode(made, "complete", passed_bytes=600, observed={"block_state": "COMPLETE", "closed": "true"})
    held = hold(made)
    assert (held.verdict, held.entities, dict(held.ended)) == ("conforms", 1, {})
    last = project(made.events)[-1]
    assert names(last) == ["complete", "block_received", "complete"]
    assert {one.reason for one in project(made.events) if isinstance(one, LeftOut)} == {words.SAME, words.EARLY}


def test_what_nobody_tells_of_comes_before_what_follows_from_it() -> None:
    steps = [names(one) for one in project(sent(set_up(), 512).events) if isinstance(one, Entity)]
    assert steps == [
        ["add_block"],
        ["set_up_create"],
        ["set_up_create", "start_streaming"],
        ["send_packet", "receive_packet"],
        ["receive_packet"],
        ["raise_bytes_acked"],
        ["send_ack", "raise_bytes_acked"],
        ["send_ack", "receive_ack"],
    ]


def test_a_writer_that_hears_of_bytes_that_one_node_does_not_show_is_rejected() -> None:
    made = set_up()
    for node in ("datanode1", "datanode2"):
        made.replica(node, "receive_packet", 512)
    held = hold(client(made.replica("datanode2", "receive_ack", 512), "receive_ack", 512))
    assert rejected(held) == {("send_ack", ("its byte is visible here",))}


def test_an_hflush_that_promises_more_than_was_acknowledged_is_rejected() -> None:
    made = sent(sent(set_up(), 512), 600)
    assert rejected(hold(client(made, "hflush", 512, kind="file"))) == {("hflush", ())}


def test_a_block_that_ends_while_a_node_has_not_finalized_is_rejected() -> None:
    made = sent(set_up(), 512).replica("datanode2", "finalize_replica", 512, "FINALIZED")
    assert rejected(hold(client(made, "end_block", 512))) == {("send_ack", ("the replica is finalized",))}


def without(left: str, *, stamp: int = 1002) -> Made:
    """One of the two datanodes is left out, and the other one takes a stamp."""
    made = sent(set_up(), 512)
    other = "datanode2" if left == "datanode1" else "datanode1"
    namenode(made, "update_block_for_pipeline", kind="block", generation_stamp=1002)
    made.replica(other, "recover_rbw", 512, generation_stamp=stamp)
    namenode(made, "update_pipeline", kind="block", generation_stamp=1002)
    return client(made, "start_streaming", 512, generation_stamp=1002, observed={"locations": other})


@pytest.mark.parametrize(
    ("left", "failing"),
    [
        ("datanode1", ["receiver_fails", "connection_fails"]),
        ("datanode2", ["receiver_fails", "mirror_fails", "error_ack_comes"]),
    ],
)
def test_whom_the_writer_gives_up_is_known_from_the_next_pipeline(left: str, failing: list[str]) -> None:
    made = without(left)
    other = "datanode2" if left == "datanode1" else "datanode1"
    assert hold(sent(made, 600, stamp=1002, nodes=[other])).verdict == "conforms"
    expected = [*failing, "update_block_for_pipeline", "set_up_streaming_recovery"]
    assert expected in [names(one) for one in project(made.events) if isinstance(one, Entity)]


def test_a_node_that_keeps_its_stamp_is_rejected() -> None:
    assert rejected(hold(without("datanode1", stamp=1001))) == {("set_up_streaming_recovery", ())}


def test_a_pipeline_that_no_datanode_was_asked_for_is_rejected() -> None:
    made = sent(set_up(), 512)
    namenode(made, "update_block_for_pipeline", kind="block", generation_stamp=1002)
    held = hold(namenode(made, "update_pipeline", kind="block", generation_stamp=1002))
    assert rejected(held) == {("update_pipeline", ("the client is in this stage",))}


@pytest.mark.parametrize(
    ("event", "reason", "is_loss"),
    [
        ("namenode_restart", words.RESTARTED, True),
        ("abandon_block", words.ABANDONED, False),
        ("delete", words.REMOVED, False),
        ("truncate", words.TRUNCATED, False),
    ],
)
def test_the_judgement_ends_with_a_reason(event: str, reason: str, is_loss: bool) -> None:
    held = hold(namenode(sent(set_up(), 512), event))
    assert held.verdict == "conforms"
    assert dict(held.ended if is_loss else held.lived) == {reason: 1}


def test_a_recovery_of_the_block_ends_the_judgement() -> None:
    held = hold(namenode(sent(set_up(), 512), "recover_lease", client="client2", recovery_id=1002))
    assert dict(held.lived) == {words.RECOVERED: 1}


def test_a_planned_restart_and_a_second_attempt_are_left_open() -> None:
    made = sent(set_up(), 512)
    assert dict(hold(made.replica("datanode2", "restart", 512)).ended) == {words.PLANNED: 1}
    made = sent(set_up(), 512)
    for stamp in (1002, 1003):
        namenode(made, "update_block_for_pipeline", kind="block", generation_stamp=stamp)
    made.replica("datanode1", "recover_rbw", 512, generation_stamp=1003)
    assert dict(hold(made).ended) == {words.SET_UP_FAILS: 1}
