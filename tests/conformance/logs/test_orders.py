"""The slow path: other orders of the events of several nodes."""

from dataclasses import replace

import pytest

from genstamp.logs.automaton import Automaton, automaton
from genstamp.logs.orders import SearchLimitError, Seen, find_order, known_order
from genstamp.logs.registers import Values


def _seen(of: Automaton, event: str, node: str, recovery_id: int | None = None) -> Seen:
    """An event of a block, as the first rule for it takes it."""
    number = next(n for n, rule in enumerate(of.rules) if rule.event == event and not rule.role)
    return Seen(number, Values(recovery_id=recovery_id), node)


@pytest.fixture
def blocks() -> Automaton:
    """Blocks of which nothing goes unseen."""
    return automaton("block", frozenset())


def test_event_of_another_node_may_have_come_before(blocks: Automaton) -> None:
    add = _seen(blocks, "add_block", "namenode")
    start = _seen(blocks, "start_recovery", "namenode", 1002)
    former = _seen(blocks, "sync_block", "datanode1", 1002)
    found = find_order(blocks, [add, start, former, _seen(blocks, "start_recovery", "namenode", 1003)], 100)
    assert found is not None and blocks.graph.members(found.shown) == ("UNDER_RECOVERY",)


def test_order_of_one_node_is_kept(blocks: Automaton) -> None:
    add = _seen(blocks, "add_block", "namenode")
    start = _seen(blocks, "start_recovery", "namenode", 1002)
    talk = _seen(blocks, "hflush", "client1")
    assert find_order(blocks, [start, add, talk], 100) is None
    assert find_order(blocks, [add, talk, start], 100) is not None


def test_recovery_id_is_used_after_it_was_given_out(blocks: Automaton) -> None:
    """Given before the NameNode's event, the datanode's is still after it: its clock does not count."""
    add = _seen(blocks, "add_block", "namenode")
    start = _seen(blocks, "start_recovery", "namenode", 1002)
    command = _seen(blocks, "receive_recovery_command", "datanode1", 1002)
    found = find_order(blocks, [command, add, start], 100)
    assert found is not None and found.order == (1, 2, 0)


def test_search_that_is_cut_short_gives_no_answer(blocks: Automaton) -> None:
    talk = [_seen(blocks, "hflush", f"client{number}") for number in range(8)]
    with pytest.raises(SearchLimitError):
        find_order(blocks, [*talk, _seen(blocks, "start_recovery", "namenode", 1002)], 50)


def test_known_is_the_order_of_each_node_and_of_what_a_recovery_id_connects(blocks: Automaton) -> None:
    events = [
        _seen(blocks, "sync_block", "datanode1", 1002),
        _seen(blocks, "add_block", "namenode"),
        _seen(blocks, "start_recovery", "namenode", 1002),
        _seen(blocks, "sync_block", "datanode1", 1003),
        _seen(blocks, "commit_block_synchronization", "namenode", 1002),
    ]
    assert known_order(blocks, events) == [{2}, set(), {1}, {0}, {0, 2}]


def test_cause_comes_before_whatever_the_given_order_is(blocks: Automaton) -> None:
    """Two nodes alone can be told in either order; what a source knows of causes leaves one."""
    write, add = _seen(blocks, "write_block", "datanode1"), _seen(blocks, "add_block", "namenode")
    assert find_order(blocks, [write, add], 100) is not None
    wrote = replace(write, name=(0, 5))
    assert find_order(blocks, [wrote, replace(add, name=(0, 6), after=((0, 5),))], 100) is None
    assert (
        find_order(blocks, [replace(write, name=(0, 5), after=((0, 6),)), replace(add, name=(0, 6))], 100) is not None
    )
    assert known_order(blocks, [wrote, replace(add, after=((0, 5), (1, 5)))]) == [set(), {0}]
