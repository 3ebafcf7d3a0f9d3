"""The graphs are the lifecycles of the specification, and nothing else."""

import pytest
from statemachine.exceptions import TransitionNotAllowed

from genstamp.events import Kind
from genstamp.logs.graphs import DELETED, LIFECYCLES, graph


@pytest.mark.parametrize("kind", LIFECYCLES)
def test_every_edge_is_what_the_running_machine_does(kind: Kind) -> None:
    machine = LIFECYCLES[kind]
    edges = graph(kind)
    for source, state in enumerate(machine.states):
        for event in edges.edges:
            runs = machine(start_value=state.value)
            try:
                runs.send(event)
            except TransitionNotAllowed:
                assert edges.edges[event][source] == -1
                continue
            target = next(s for s in machine.states if s.value in runs.configuration_values)
            expected = DELETED if kind == "file" and target.initial else target.id
            assert edges.states[edges.edges[event][source]] == expected


@pytest.mark.parametrize("kind", LIFECYCLES)
def test_no_event_of_a_lifecycle_is_left_out(kind: Kind) -> None:
    assert set(graph(kind).edges) == {edge.event for state in LIFECYCLES[kind].states for edge in state.transitions}


def test_life_of_a_file_that_was_deleted_is_over() -> None:
    files = graph("file")
    deleted = 1 << files.states.index(DELETED)
    assert all(files.image(deleted, event) == 0 for event in files.edges)


def test_set_of_a_state_that_is_not_there_is_our_bug() -> None:
    with pytest.raises(AssertionError, match="block has no states"):
        graph("block").set_of(frozenset({"finalized"}))
