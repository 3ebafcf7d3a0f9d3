"""The rules name what there is, and miss nothing of the vocabulary."""

import pytest

from genstamp.events import KINDS, Event, Kind
from genstamp.logs.automaton import COMPARISONS, automaton
from genstamp.logs.graphs import LIFECYCLES, graph
from genstamp.logs.rules import BOOKS, NO_RULE, rule_of
from genstamp.logs.sources import IN_MEMORY, Logged
from genstamp.logs.sources.declared import SOURCES, logged, unseen_steps
from genstamp.logs.unseen import ANYHOW, all_steps

VOCABULARY = {
    "file": "create complete recover_lease release_expired_lease commit_block_synchronization add_block",
    "block": "add_block block_received complete recover_lease release_expired_lease receive_recovery_command sync_block"
    " abandon_recovery commit_block_synchronization hflush last_packet init_replica_recovery",
    "replica": "create_rbw receive_packet finalize_replica init_replica_recovery init_replica_recovery_failed"
    " update_replica_under_recovery update_replica_failed invalidate_replica datanode_crash datanode_restart"
    " datanode_restart_losing_bytes",
    "lease": "create renew_lease complete add_block",
    "node": "client_crash datanode_crash datanode_restart datanode_restart_losing_bytes set_generation_stamp",
}
"""Events of the system `hdfs.recovery`, by the entities that they concern."""


def _event(name: str, kind: Kind, refused_with: str | None = None) -> Event:
    return Event(
        source="s",
        node="n",
        node_sequence=1,
        kind=kind,
        namespace="p",
        entity="e",
        event=name,
        refused_with=refused_with,
    )


@pytest.mark.parametrize("kind", LIFECYCLES)
def test_every_event_of_a_lifecycle_has_an_effect_and_no_other(kind: Kind) -> None:
    assert set(BOOKS[kind].effects) == set(graph(kind).edges)


@pytest.mark.parametrize("kind", KINDS)
def test_rules_name_events_and_states_of_the_lifecycle(kind: Kind) -> None:
    edges = graph(kind)
    for rule in BOOKS[kind].rules:
        for way in rule.ways:
            assert set(way.fires) <= set(edges.edges), rule
            edges.set_of(way.before or frozenset())
            edges.set_of(way.after or frozenset())
            for check in way.checks:
                assert (check.value, check.register) in COMPARISONS, rule


@pytest.mark.parametrize("kind", KINDS)
def test_every_rule_is_met_in_some_state(kind: Kind) -> None:
    with_nothing_unseen = automaton(kind, frozenset())
    everywhere = (1 << len(graph(kind).states)) - 1
    for rule in BOOKS[kind].rules:
        if not rule.ways:
            assert rule.event in (
                "replay_trace",
                "ask_to_replicate",
                "add_block_of_another_id",
                "add_block_under_another_stamp",
                "init_replica_recovery_under_old_id",
                "list_block_never_added",
                "list_block_twice",
                "list_inode_twice",
                "stamp_above_counter",
                "take_block_of_another_file",
            ), "allowed in no state"
            continue
        assert with_nothing_unseen.shown(everywhere, rule, (ANYHOW,) * len(rule.ways)), rule


@pytest.mark.parametrize("kind", LIFECYCLES)
def test_every_event_of_a_lifecycle_can_be_observed_or_is_declared_unobservable(kind: Kind) -> None:
    foreign = [source for source in SOURCES if source.startswith("hdfs-")]
    observable = {event for rule in BOOKS[kind].rules for way in rule.ways for event in way.fires}
    never_logged = {
        step for step in graph(kind).edges if all(logged(source, kind, step) is not Logged.ALWAYS for source in foreign)
    }
    # An overwritten file is another one, and what replay does to a block is told as the start of the NameNode.
    assert set(graph(kind).edges) - observable <= never_logged | {"create_overwrite", "force_complete"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_event_of_the_vocabulary_has_a_rule(kind: Kind) -> None:
    for name in VOCABULARY[kind].split():
        assert rule_of(kind, "", _event(name, kind)) != NO_RULE, name


def test_event_of_no_vocabulary_has_no_rule() -> None:
    assert rule_of("file", "", _event("frobnicate", "file")) == NO_RULE


def test_refused_event_falls_under_a_rule_for_its_exception_first() -> None:
    named = rule_of("replica", "", _event("init_replica_recovery", "replica", "RecoveryInProgressException"))
    other = rule_of("replica", "", _event("init_replica_recovery", "replica", "IOException"))
    assert BOOKS["replica"].rules[named].refused == "RecoveryInProgressException"
    assert BOOKS["replica"].rules[other].refused == "*"


@pytest.mark.parametrize("source", SOURCES)
def test_source_declares_every_step_of_a_kind_or_none(source: str) -> None:
    for kind, declared in SOURCES[source].items():
        assert (
            set(declared) == set(graph(kind).edges) | {drift.name for drift in BOOKS[kind].drifts} or kind != "replica"
        )
        assert set(graph(kind).edges) <= set(declared), (source, kind)


@pytest.mark.parametrize("source", SOURCES)
def test_every_declaration_has_a_reason(source: str) -> None:
    assert [each for declared in SOURCES[source].values() for each in declared.values() if not each.why.strip()] == []


@pytest.mark.parametrize("kind", LIFECYCLES)
def test_by_default_every_step_may_have_gone_unseen(kind: Kind) -> None:
    assert unseen_steps(kind, {"hdfs-namenode-log", "hdfs-datanode-log"}, ()) == all_steps(kind)


def test_in_a_whole_log_only_what_its_source_may_leave_out_goes_unseen() -> None:
    unseen = unseen_steps("block", {"hdfs-edits"}, {"hdfs-edits"})
    assert "commit" in unseen and "add_block" not in unseen


def test_of_two_whole_logs_what_either_tells_does_not_go_unseen() -> None:
    both = {"hdfs-edits", "hdfs-namenode-log"}
    assert "start_recovery" in unseen_steps("block", {"hdfs-edits"}, {"hdfs-edits"})
    assert "start_recovery" not in unseen_steps("block", both, both)
    assert "start_recovery" in unseen_steps("block", both, {"hdfs-edits"}), "of the other log any line may be missing"


def test_source_that_is_not_known_may_leave_out_anything() -> None:
    assert unseen_steps("lease", {"somebody-else"}, {"somebody-else"}) == all_steps("lease")


@pytest.mark.parametrize("whole", [(), ("hdfs-edits-before-60",)])
def test_step_that_does_not_exist_explains_nothing(whole: tuple[str, ...]) -> None:
    assert not {"truncate", "copy_on_truncate"} & unseen_steps("block", {"hdfs-edits-before-60"}, whole)
    assert not IN_MEMORY & unseen_steps("block", {"hdfs-edits-before-60"}, whole)


def test_of_edit_logs_of_two_layouts_a_step_goes_unseen_where_either_may_leave_it_out() -> None:
    upgraded = {"hdfs-edits-before-40", "hdfs-edits"}
    assert "add_block" in unseen_steps("block", upgraded, upgraded)
    assert "truncate" not in unseen_steps("block", upgraded, upgraded), "the newer logs it, the older has none"
    assert "truncate" in unseen_steps("block", upgraded, ())


@pytest.mark.parametrize("restart", ["restart_last_of_open_file", "restart_any_other"])
def test_start_of_a_namenode_leaves_a_line_in_its_own_log(restart: str) -> None:
    assert restart not in unseen_steps("block", {"hdfs-namenode-log"}, {"hdfs-namenode-log"})
    several = {"hdfs-namenode-log of several"}
    assert restart in unseen_steps("block", several, several), "the line may be in the log of the other one"
