"""The event: its columns, its line, its numbers."""

import json

import pytest

from genstamp_dfs.errors import MalformedEventError
from genstamp_dfs.events import Event, EventLog, Place, decode_line, decode_lines, encode_line, encode_lines

COLUMNS = [
    "source",
    "node",
    "node_sequence",
    "time_us",
    "kind",
    "namespace",
    "entity",
    "event",
    "refused_with",
    "generation_stamp",
    "recovery_id",
    "num_bytes",
    "arguments",
    "observed",
    "place",
]


def record(log: EventLog, node: str) -> Event:
    return log.record(node=node, time_us=5, kind="node", entity=node, event="client_crash", arguments={"client": node})


def test_columns_stand_in_the_order_of_the_schema() -> None:
    assert list(json.loads(encode_line(record(EventLog("BP-1"), "client1")))) == COLUMNS
    assert list(Event.__struct_fields__) == COLUMNS


def test_decoding_gives_back_what_was_encoded() -> None:
    log = EventLog("BP-1")
    events = [record(log, "client1"), record(log, "client2")]
    assert decode_lines(encode_lines(events)) == events


def test_a_place_survives_the_line() -> None:
    event = Event("hdfs-log", "namenode", 1, None, "file", "f", "/a", "create", place=Place("namenode.log", 3))
    assert decode_line(encode_line(event)) == event


@pytest.mark.parametrize(
    "line",
    [b"", b"not json", b"[]", b'{"source": "x"}', b'{"source": 1}'],
    ids=["empty", "text", "list", "few", "type"],
)
def test_a_line_that_is_no_event_is_an_error_of_ours(line: bytes) -> None:
    with pytest.raises(MalformedEventError, match="not an event"):
        decode_line(line)


def test_each_node_numbers_its_own_events_from_one() -> None:
    log = EventLog("BP-1")
    numbered = [(event.node, event.node_sequence) for event in (record(log, node) for node in "abaab")]
    assert numbered == [("a", 1), ("b", 1), ("a", 2), ("a", 3), ("b", 2)]


def test_events_are_handed_over_once() -> None:
    log = EventLog("BP-1")
    first = record(log, "client1")
    assert log.hand_over() == [first]
    second = record(log, "client1")
    assert log.hand_over() == [second]
    assert log.hand_over() == []
