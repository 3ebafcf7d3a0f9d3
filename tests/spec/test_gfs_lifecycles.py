"""The lifecycles of GFS against tables written from the paper, edge by edge, not from the code."""

import re
import sys

import pytest
from statemachine import StateMachine
from tests.spec.test_lifecycles import declared_edges, statements, table_edges, table_rows

from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, ChunkReplicaLifecycle, MutationLifecycle

# sections, event, states from which it leads, state to which it leads ("same": each stays as it is)
CHUNK_LEASE = """
3.1,4.5  grant    none expired -> granted
3.1      extend   granted extended -> extended
3.1,3.4  revoke   granted extended -> revoking
3.4      give_up  revoking -> none
3.1      expire   granted extended revoking unknown -> expired
2.6      restart  none granted extended revoking expired unknown -> unknown
"""
CHUNK_REPLICA = """
4.3      create          absent -> current
4.3,4.5  clone           absent -> current
4.5      record_version  current -> same
4.5      miss_version    current -> stale
4.5      detect_stale    stale -> garbage
5.2      find_mismatch   current stale -> corrupt
4.4      orphan          current stale corrupt -> garbage
5.2      discard         corrupt -> garbage
4.4      delete          garbage -> absent
"""
MUTATION = """
3.1  push         absent -> data_pushed
3.1  order        data_pushed -> ordered
3.1  apply        ordered -> applied
3.1  acknowledge  applied -> acknowledged
3.1  fail         data_pushed ordered applied -> failed
3.1  retry        failed -> data_pushed
"""
LIFECYCLES = [
    pytest.param(ChunkLeaseLifecycle, CHUNK_LEASE, id="chunk_lease"),
    pytest.param(ChunkReplicaLifecycle, CHUNK_REPLICA, id="chunk_replica"),
    pytest.param(MutationLifecycle, MUTATION, id="mutation"),
]


@pytest.mark.parametrize(("machine", "table"), LIFECYCLES)
def test_edges_are_those_of_the_paper(machine: type[StateMachine], table: str) -> None:
    assert table_edges(table) == declared_edges(machine)


@pytest.mark.parametrize(("machine", "table"), LIFECYCLES)
def test_an_event_leads_from_one_state_to_one_state(machine: type[StateMachine], table: str) -> None:
    starts = [(edge.source, edge.event) for edge in declared_edges(machine)]
    assert sorted(set(starts)) == starts


@pytest.mark.parametrize(("machine", "table"), LIFECYCLES)
def test_each_event_cites_its_sections(machine: type[StateMachine], table: str) -> None:
    rows = {event: set(sections.split(",")) for sections, event, _, _ in table_rows(table)}
    cited = {event: set(re.findall(r"section (\d\.\d)", text)) for event, text in statements(machine).items()}
    assert cited == rows


@pytest.mark.parametrize(("machine", "table"), LIFECYCLES)
def test_the_module_lists_its_events_in_order(machine: type[StateMachine], table: str) -> None:
    docstring = sys.modules[machine.__module__].__doc__
    assert docstring is not None
    listed = docstring.partition("Events:")[2].rstrip(".\n")
    assert list(statements(machine)) == [event.strip() for event in listed.split(",")]
