"""The face of the namenode: requests by class, an event for each, time, and what it refuses to be asked."""

from typing import Any

import pytest

from genstamp_dfs.errors import ConfigurationError, LeaseExpiredException, UnsupportedOperationException
from genstamp_dfs.hdfs.messages import client_protocol, cluster_status, datanode_protocol
from genstamp_dfs.hdfs.messages.client_protocol import Create, CreateFlag, Rename
from genstamp_dfs.hdfs.messages.inter_datanode import GetReplicaVisibleLength
from genstamp_dfs.hdfs.namenode.calls import CALLS
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration, Repair
from genstamp_dfs.hdfs.protocol import Block, Semantics
from genstamp_dfs.world.request import Request, answer_type


def requests_of(module: Any) -> set[type[Request[Any]]]:
    found = (value for value in vars(module).values() if isinstance(value, type))
    return {value for value in found if issubclass(value, Request) and value is not Request}


def test_every_request_to_a_namenode_has_its_function() -> None:
    assert set(CALLS) == requests_of(client_protocol) | requests_of(cluster_status) | requests_of(datanode_protocol)
    for request, call in CALLS.items():
        given = call.function.__annotations__["return"]
        assert given in (answer_type(request), None) or str(given) == str(answer_type(request)), call.name


def test_a_request_for_somebody_else_is_refused(bench: Any) -> None:
    with bench.refused(UnsupportedOperationException, "no call of a namenode"):
        bench.ask(GetReplicaVisibleLength(Block(1, 1, 1)))


def test_each_call_leaves_one_event(bench: Any) -> None:
    before = len(bench.events.events)
    bench.pass_ms(3)
    bench.create()
    (event,) = bench.events.events[before:]
    assert (event.node, event.kind, event.entity, event.event) == ("namenode", "file", "/f", "create")
    assert (event.refused_with, event.time_us) == (None, 3_000)
    assert event.arguments == {
        "client": "client1",
        "file": "/f",
        "inode": str(bench.namesystem.directory.get_file("/f").file_id),
        "transaction": str(bench.namenode.edit_log.last_transaction),
    }


def test_events_identify_files_blocks_and_calls_whatever_their_names(bench: Any) -> None:
    first = bench.create()
    second = bench.ask(Create("/f", "client1", CreateFlag.CREATE | CreateFlag.OVERWRITE))
    block = bench.add_block().block
    created = bench.events_named("create")[-1].arguments
    assert (created["inode"], created["replaced"]) == (str(second.file_id), str(first.file_id))
    added = bench.events_named("add_block")[-1].arguments
    assert (added["inode"], added["block"]) == (str(second.file_id), str(block.block_id))
    bench.ask(Rename("/f", "/g"))
    assert bench.events_named("rename")[-1].arguments["inode"] == str(second.file_id)


def test_the_event_of_a_refused_call_says_with_what(bench: Any) -> None:
    bench.create()
    with pytest.raises(LeaseExpiredException):
        bench.add_block(client="client2")
    event = bench.events.events[-1]
    assert (event.event, event.refused_with, event.observed) == ("add_block", "LeaseExpiredException", {})


def test_events_tell_what_the_answer_shows(bench: Any) -> None:
    block = bench.write(datanodes="a")
    added = bench.events_named("add_block")[-1]
    assert (added.generation_stamp, added.observed) == (
        1001,
        {"block_state": "UNDER_CONSTRUCTION", "locations": "a,b,c"},
    )
    received = bench.events_named("block_received")[-1]
    assert (received.entity, received.kind) == (f"{block.block_id}@a", "replica")
    assert received.arguments == {"file": "/f", "datanode": "a"}
    assert (received.generation_stamp, received.num_bytes) == (1001, 3)
    bench.recover_lease()
    assert bench.events.events[-1].observed == {"closed": "false", "new_holder": "client2"}
    bench.commit(bench.last().as_block(), 1002, 3)
    committed = bench.events.events[-1]
    assert committed.event == "commit_block_synchronization"
    assert committed.arguments.items() >= {"primary": "a", "file": "/f", "block": str(block.block_id)}.items()
    assert (committed.recovery_id, committed.num_bytes) == (1002, 3)
    assert committed.observed == {"closed": "true", "deleted": "false"}
    assert bench.complete(last=bench.last().as_block())
    assert bench.events.events[-1].observed == {"block_state": "COMPLETE", "closed": "true"}


def test_an_event_of_a_late_report_names_no_file(bench: Any) -> None:
    bench.received(Block(7, 1001, 3), "a")
    event = bench.events.events[-1]
    assert (event.arguments, event.observed) == ({"datanode": "a"}, {"block_state": "REMOVED"})


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"block_size": 0}, "block_size is 0"),
        ({"safe_mode_threshold": 1.1}, "accepted: 0 to 1"),
        ({"minimal_replication": 3, "maximal_replication": 2}, "maximal_replication is 2"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any], match: str) -> None:
    with pytest.raises(ConfigurationError, match=match):
        NameNodeConfiguration(**settings)


def test_the_semantics_decides_about_repairs_unless_they_are_named() -> None:
    assert NameNodeConfiguration().closed_holes == frozenset(Repair)
    assert NameNodeConfiguration(Semantics.HADOOP_3_4).closed_holes == frozenset()
    one = frozenset({Repair.STALE_IS_NOT_GONE})
    assert NameNodeConfiguration(repairs=one).closed_holes == one


def test_the_defaults_are_those_of_hdfs() -> None:
    """Facts 0.1."""
    configuration = NameNodeConfiguration()
    assert configuration.heartbeat_expiry_ms == 630_000
    assert (configuration.limits.soft_limit_ms, configuration.limits.hard_limit_ms) == (60_000, 1_200_000)
    assert (configuration.minimal_replication, configuration.stale_interval_ms) == (1, 30_000)
    assert configuration.limits.recovery_gate_ms == 90_000
