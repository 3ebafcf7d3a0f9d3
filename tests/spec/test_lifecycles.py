"""The lifecycles against tables written from the facts about Hadoop 3.4.1 and the paper on GFS, not from the code."""

import ast
import inspect
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from statemachine import StateMachine
from statemachine.exceptions import TransitionNotAllowed

from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, ChunkReplicaLifecycle, MutationLifecycle
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, LeaseLifecycle, ReplicaLifecycle

# rows, event, states from which it leads, state to which it leads ("same": each stays as it is)
BLOCK = """
A1       add_block                                      absent -> under_construction
A2       append                                         complete -> under_construction
A3       truncate                                       complete -> under_recovery
A4       copy_on_truncate                               absent -> under_recovery
A5       update_pipeline                                under_construction -> same
A6       fsync                                          under_construction under_recovery committed -> same
A7       commit                                         under_construction -> committed
A8       complete_block                                 committed -> complete
A9       complete_after_recovery                        committed -> complete
A10      force_complete                                 under_construction under_recovery committed -> complete
A11,A12  start_recovery                                 under_construction under_recovery committed -> under_recovery
A13      commit_block_synchronization                   under_recovery -> complete
A13      commit_block_synchronization_too_few_replicas  under_recovery -> committed
A14      commit_block_synchronization_without_close     under_recovery -> under_construction
A15      abandon_block                                  under_construction under_recovery committed complete -> removed
A16      drop_empty_block                               under_construction under_recovery committed -> removed
A17      commit_block_synchronization_delete            under_recovery -> removed
A18      restart_last_of_open_file  under_construction under_recovery committed complete -> under_construction
A19      restart_any_other          under_construction under_recovery committed complete -> complete
A20      remove                                         under_construction under_recovery committed complete -> removed
"""
REPLICA = """
B1       create_rbw                       absent -> rbw
B1'      create_rbw_over_existing         finalized rbw rwr rur temporary -> rbw
B2       append                           finalized -> rbw
B3       recover_append                   finalized rbw -> rbw
B4       recover_rbw                      rbw -> rbw
B5       recover_close                    finalized rbw -> finalized
B6       create_temporary                 absent -> temporary
B6       create_temporary_over_existing   finalized rbw rwr rur temporary -> temporary
B7       convert_temporary_to_rbw         temporary -> rbw
B8,B8'   finalize                         rbw temporary finalized -> finalized
B9       init_recovery                    finalized rbw rwr rur -> rur
B10      update_under_recovery            rur -> finalized
B10      copy_on_truncate                 absent -> finalized
B11      restart_as_rwr                   rbw -> rwr
B12      restart_as_rbw                   rbw -> rbw
B13      restart_over_finalized           rur -> finalized
B14      restart_over_unfinalized         rur -> rwr
B15      restart_temporary                temporary -> absent
B16      unfinalize                       temporary -> absent
B17      invalidate                       finalized rbw rwr rur temporary -> absent
B18      transfer_for_pipeline_recovery   finalized rbw -> same
"""
LEASE = """
D.2      grant              released held past_soft_limit past_hard_limit -> held
D.2      grant              being_recovered -> same
D.5      renew              held past_soft_limit past_hard_limit -> held
D.5      renew              being_recovered released -> same
D.1,D.4  soft_limit_passes  held being_recovered -> past_soft_limit
D.1      hard_limit_passes  past_soft_limit -> past_hard_limit
F.1      start_recovery     past_soft_limit past_hard_limit -> being_recovered
F.4      take_over          released held past_soft_limit past_hard_limit being_recovered -> being_recovered
D.2      recovery_ends      being_recovered -> held
D.2      release            held past_soft_limit past_hard_limit being_recovered -> released
F.4      reassign           held past_soft_limit past_hard_limit being_recovered -> released
A.7      restart            held past_soft_limit past_hard_limit being_recovered -> held
"""
FILE = """
E.1          create                                      absent -> under_construction
E.1,A20      create_overwrite                            under_construction closed -> under_construction
E.2,A2       append                                      closed -> under_construction
E.4,A3,A4    truncate                                    closed -> under_construction
E.4,A20      truncate_at_block_boundary                  closed -> closed
E.5,A1       add_block                                   under_construction -> same
E.8,A15      abandon_block                               under_construction -> same
E.7,A5       update_pipeline                             under_construction -> same
E.10,A6      fsync                                       under_construction -> same
F.4,A11,A12  reassign_lease                              under_construction -> same
G.6,A14      commit_block_synchronization_without_close  under_construction -> same
A.5          close                                       under_construction -> closed
E.14,A20     delete                                      under_construction closed -> absent
"""
# The same of GFS, with sections of the paper for rows.
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

ROWS_OF_BLOCKS = {f"A{number}" for number in range(1, 21)}
ROWS_OF_REPLICAS = {f"B{number}" for number in range(1, 19)} | {"B1'", "B8'"}


class Edge(NamedTuple):
    source: str
    event: str
    target: str


def table_rows(table: str) -> list[tuple[str, str, list[str], str]]:
    rows = []
    for line in table.strip().splitlines():
        left, target = line.split(" -> ")
        facts, event, *sources = left.split()
        rows.append((facts, event, sources, target))
    return rows


def table_edges(table: str) -> list[Edge]:
    return sorted(
        Edge(source, event, source if target == "same" else target)
        for _, event, sources, target in table_rows(table)
        for source in sources
    )


def declared_edges(machine: type[StateMachine]) -> list[Edge]:
    return sorted(
        Edge(state.id, event.id, target.id)
        for state in machine.states
        for transition in state.transitions
        for target in transition.targets
        for event in transition.events
    )


HDFS_LIFECYCLES = [
    pytest.param(BlockLifecycle, BLOCK, id="block"),
    pytest.param(ReplicaLifecycle, REPLICA, id="replica"),
    pytest.param(LeaseLifecycle, LEASE, id="lease"),
    pytest.param(FileLifecycle, FILE, id="file"),
]
GFS_LIFECYCLES = [
    pytest.param(ChunkLeaseLifecycle, CHUNK_LEASE, id="chunk_lease"),
    pytest.param(ChunkReplicaLifecycle, CHUNK_REPLICA, id="chunk_replica"),
    pytest.param(MutationLifecycle, MUTATION, id="mutation"),
]
LIFECYCLES = [*HDFS_LIFECYCLES, *GFS_LIFECYCLES]


@pytest.mark.parametrize(("machine", "table"), LIFECYCLES)
def test_edges_are_those_of_the_facts_or_of_the_paper(machine: type[StateMachine], table: str) -> None:
    assert table_edges(table) == declared_edges(machine)


@pytest.mark.parametrize(("machine", "table"), LIFECYCLES)
def test_an_event_leads_from_one_state_to_one_state(machine: type[StateMachine], table: str) -> None:
    starts = [(edge.source, edge.event) for edge in declared_edges(machine)]
    assert sorted(set(starts)) == starts


@pytest.mark.parametrize(("machine", "table"), LIFECYCLES)
def test_every_state_is_reachable(machine: type[StateMachine], table: str) -> None:
    reached = {machine.initial_state.id}
    for _ in machine.states:
        reached |= {edge.target for edge in table_edges(table) if edge.source in reached}
    assert {state.id for state in machine.states} == reached


@pytest.mark.parametrize(("machine", "table"), LIFECYCLES)
def test_a_legal_event_is_taken_and_an_illegal_one_raises_and_changes_nothing(
    machine: type[StateMachine], table: str
) -> None:
    target_of = {(edge.source, edge.event): edge.target for edge in table_edges(table)}
    for state in machine.states:
        for event in {event for _, event in target_of}:
            entity = machine(start_value=state.value)
            target = target_of.get((state.id, event))
            if target is None:
                with pytest.raises(TransitionNotAllowed):
                    entity.send(event)
            else:
                entity.send(event)
            assert [target or state.id] == [active.id for active in entity.configuration]


def test_block_states_are_those_of_hdfs() -> None:
    names = ["UNDER_CONSTRUCTION", "UNDER_RECOVERY", "COMMITTED", "COMPLETE"]  # HdfsServerConstants.BlockUCState
    assert ["absent", *names, "removed"] == [state.name for state in BlockLifecycle.states]
    assert ["absent", *names, "removed"] == [state.value for state in BlockLifecycle.states]


def test_replica_states_are_those_of_hdfs_in_its_order() -> None:
    names = ["FINALIZED", "RBW", "RWR", "RUR", "TEMPORARY"]  # HdfsServerConstants.ReplicaState, best first
    assert ["absent", *names] == [state.name for state in ReplicaLifecycle.states]
    assert ["absent", *names] == [state.value for state in ReplicaLifecycle.states]


def test_ids_are_the_names_in_small_letters() -> None:
    for machine in (BlockLifecycle, ReplicaLifecycle, LeaseLifecycle, FileLifecycle):
        assert [state.name.lower().replace(" ", "_") for state in machine.states] == [
            state.id for state in machine.states
        ]


def statements(machine: type[StateMachine]) -> dict[str, str]:
    """The text of each event's declaration, comments included."""
    lines = inspect.getsource(sys.modules[machine.__module__]).splitlines()
    (body,) = (node.body for node in ast.parse("\n".join(lines)).body if isinstance(node, ast.ClassDef))
    events = {edge.event for edge in declared_edges(machine)}
    return {
        node.targets[0].id: "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in events
    }


def cited_rows(statement: str) -> set[str]:
    comments = re.findall(r"# ((?:[A-G]\.?\d+'?(?:, )?)+)", statement)
    return {row for comment in comments for row in comment.split(", ")}


@pytest.mark.parametrize(("machine", "table"), HDFS_LIFECYCLES)
def test_each_event_cites_its_rows_and_a_method(machine: type[StateMachine], table: str) -> None:
    rows_of: dict[str, set[str]] = {}
    for facts, event, _, _ in table_rows(table):
        rows_of.setdefault(event, set()).update(facts.split(","))
    declared = statements(machine)
    assert rows_of == {event: cited_rows(statement) for event, statement in declared.items()}
    assert [event for event, statement in declared.items() if not re.search(r"\w#\w", statement)] == []


@pytest.mark.parametrize(("machine", "table"), GFS_LIFECYCLES)
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


def test_every_row_of_the_facts_is_an_edge() -> None:
    assert {row for facts, *_ in table_rows(BLOCK) for row in facts.split(",")} == ROWS_OF_BLOCKS
    assert {row for facts, *_ in table_rows(REPLICA) for row in facts.split(",")} == ROWS_OF_REPLICAS


def test_readme_lists_every_row_with_its_events() -> None:
    readme = Path(inspect.getfile(BlockLifecycle)).parents[2].joinpath("README.md").read_text(encoding="utf-8")
    listed = {}
    for line in readme.splitlines():
        if found := re.match(r"\| ([AB]\d+'?) \| .*\| (`[^|]*`) \|$", line):
            listed[found[1]] = set(re.findall(r"`(\w+)`", found[2]))
    expected: dict[str, set[str]] = {}
    for table in (BLOCK, REPLICA):
        for facts, event, _, _ in table_rows(table):
            for row in facts.split(","):
                expected.setdefault(row, set()).add(event)
    assert expected == listed
