"""The rule books of logs against the systems of the specification: what each event does to which lifecycle, both ways.

An action of a system fires events of lifecycles, and a rule says which of them an observed event of that name stands
for. Whatever only one of the two has is named here with its reason.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import pytest

from genstamp.events import Kind
from genstamp.logs.graphs import LIFECYCLES, graph
from genstamp.logs.rules import BOOKS
from genstamp.logs.rules.shape import Rule, Way
from genstamp.systems import every_system


class Step(NamedTuple):
    """An event of a lifecycle as a part of what an event that is told does."""

    event: str
    variable: str
    fires: str


SPECIFIED_ONLY: Mapping[str, str] = {
    "former files have keys of their own in logs, by inode or epoch, and so do their blocks and replicas": """
        add_block file create; create file create_overwrite; create block remove
        commit_block_synchronization former_block remove; delete former_block remove
        delete_snapshot former_block remove; truncate former_block copy_on_truncate
        update_replica_under_recovery former_replica copy_on_truncate
        update_replica_under_recovery former_replica invalidate; invalidate_replica former_replica invalidate""",
    "what the call of another did to the holder of the file shows in a line of its own, at its close or recovery": """
        release_expired_lease lease recovery_ends; release block start_recovery
        release file close; start_recovery_after_client_crash block start_recovery
        recovery_starts block start_recovery""",
    "no line tells of it, so it happens unseen: the line of the call or of the report tells what is known": """
        add_datanode replica convert_temporary_to_rbw; add_datanode replica finalize; block_report block complete_block
        block_receiving block complete_block; block_received earlier complete_block; block_is_removed block remove
        block_is_removed file delete; remove_blocks block remove; remove_blocks file delete; hflush block fsync
        delete_snapshot block remove; open_pipeline replica create_rbw; copy_fails replica unfinalize
        init_replica_recovery_late replica init_recovery
        update_replica_late replica update_under_recovery; update_replica_under_recovery copy copy_on_truncate""",
    "it is told under another name: finalize_replica, append_finalized, write_block, invalidate_replica": """
        append replica append; append_replica replica append; append_to_replica replica append
        copy_arrives replica finalize; finalize_copy replica finalize; finalize_block replica finalize
        create_rbw replica create_rbw_over_existing; invalidate replica invalidate""",
    "what a NameNode reads at its start shows as that start": """
        replay image abandon_block; replay image add_block; replay image append; replay image close
        replay image create; replay image delete; replay image force_complete; replay image remove""",
}

RULED_ONLY: Mapping[str, str] = {
    "the file shows that a step of its block was taken, where the specification holds the block alone": """
        abandon_block file abandon_block; fsync file fsync; update_pipeline file update_pipeline
        commit_block_synchronization file commit_block_synchronization_without_close
        recover_lease file reassign_lease; release_expired_lease file reassign_lease; create file delete""",
    "more than one step in a line: the block before was abandoned at INFO, or completed when it was recovered": """
        add_block block abandon_block; add_block block complete_after_recovery; complete block complete_after_recovery
        create block complete_block; create block complete_after_recovery; recover_lease block complete_block
        append block complete_block; append block complete_after_recovery; truncate block complete_block
        truncate block complete_after_recovery; truncate block drop_empty_block; truncate file close
        truncate lease recovery_ends; truncate lease release
        recover_lease block complete_after_recovery; release_expired_lease block complete_block
        release_expired_lease block complete_after_recovery; hard_limit_passes lease soft_limit_passes
        commit_block_synchronization block commit_block_synchronization_too_few_replicas
        finalize_replica replica recover_close""",
    "an edit says what came of a call, not which call it was": """
        close block commit; close block complete_block; close block complete_after_recovery
        close block commit_block_synchronization; close file close; close lease release; close lease recovery_ends
        commit block commit; commit block complete_block; commit block complete_after_recovery
        copy_on_truncate block copy_on_truncate; reassign_lease file reassign_lease; reassign_lease lease reassign
        reassign_lease lease take_over; update_blocks block update_pipeline; update_blocks file update_pipeline
        update_blocks block commit_block_synchronization_without_close
        update_blocks file commit_block_synchronization_without_close; remove_last_block block drop_empty_block
        remove_last_block block commit_block_synchronization_delete; stored_in_image block add_block
        stored_in_image block commit; stored_in_image block complete_block; stored_in_image file create
        stored_in_image file close; stored_in_image lease grant""",
    "a start tells of all entities at once, of which the specification chooses by their states": """
        namenode_restart block restart_any_other; namenode_restart block restart_last_of_open_file
        namenode_restart lease restart; restart replica restart_as_rbw; restart replica restart_as_rwr
        restart replica restart_over_finalized; restart replica restart_over_unfinalized
        datanode_restart replica restart_as_rbw; datanode_restart replica restart_as_rwr
        datanode_restart replica restart_over_finalized; datanode_restart replica restart_over_unfinalized
        datanode_restart replica restart_temporary; datanode_restart_losing_bytes replica restart_as_rbw
        datanode_restart_losing_bytes replica restart_as_rwr
        datanode_restart_losing_bytes replica restart_over_finalized
        datanode_restart_losing_bytes replica restart_over_unfinalized
        datanode_restart_losing_bytes replica restart_temporary""",
    "a line of Hadoop's that no action of the specification is named after": """
        add_stored_block block commit; add_stored_block block complete_block; add_to_invalidates block remove
        append_finalized replica append; check_file_progress block commit; replace_block replica create_temporary
        replace_block replica finalize; start_recovery block start_recovery; start_recovery file reassign_lease
        start_recovery lease reassign; start_recovery lease start_recovery; start_recovery lease take_over
        write_block replica append; write_block replica create_rbw; write_block replica create_rbw_over_existing
        write_block replica create_temporary; write_block replica create_temporary_over_existing
        write_block replica recover_append; write_block replica recover_close; write_block replica recover_rbw""",
}

_FIRED = re.compile(r"(\w+)(?:\[.*\])?(?:\.\w+)? is .* to (\w+)$")


def named(reasons: Mapping[str, str]) -> list[Step]:
    steps = [text.split() for told in reasons.values() for line in told.splitlines() for text in line.split(";")]
    return [Step(*words) for words in steps if words]


def specified() -> set[Step]:
    """What actions of the systems of HDFS fire, by the checks that their state allows it."""
    found = set()
    for system in every_system():
        if system.name.startswith("hdfs."):
            for action in system.instance(None, None, ()).model.actions:
                fired = [_FIRED.match(check.label) for check in action.checks if check.lifecycle]
                assert None not in fired, action.name
                found |= {Step(action.event, match[1], match[2]) for match in fired if match}
    return found


def ruled() -> set[Step]:
    """What the rule books say that events stand for."""
    return {
        Step(rule.event, kind, fires)
        for kind, book in BOOKS.items()
        for rule in book.rules
        for way in rule.ways
        for fires in way.fires
    }


@pytest.mark.slow
def test_an_event_does_the_same_in_the_rule_books_and_in_the_specification() -> None:
    of_systems, of_books = specified(), ruled()
    assert min(len(of_systems), len(of_books), len(of_systems & of_books)) > 50
    assert sorted(of_systems - of_books) == sorted(named(SPECIFIED_ONLY))
    assert sorted(of_books - of_systems) == sorted(named(RULED_ONLY))


# -- transitions, one by one


def taken(kind: Kind, way: Way) -> Iterator[tuple[str, str]]:
    """The edges of a lifecycle, as state and event, that a way can take from a state to one that it may end in."""
    edges = graph(kind)
    for source in range(len(edges.states)):
        here, passed = source, []
        for event in way.fires:
            passed.append((edges.states[here], event))
            here = edges.edges[event][here]
            if here < 0:
                break
        begins = way.before is None or edges.states[source] in way.before
        if here >= 0 and begins and (way.after is None or edges.states[here] in way.after):
            yield from passed


def rules_and_ways(kind: Kind) -> Iterable[tuple[Rule, Way]]:
    return ((rule, way) for rule in BOOKS[kind].rules for way in rule.ways)


@pytest.mark.parametrize("kind", LIFECYCLES)
def test_every_way_is_one_that_the_lifecycle_has(kind: Kind) -> None:
    assert [(rule.event, way) for rule, way in rules_and_ways(kind) if way.fires and not any(taken(kind, way))] == []


@pytest.mark.parametrize("kind", LIFECYCLES)
def test_every_state_that_a_rule_names_is_one_from_which_its_step_is_legal(kind: Kind) -> None:
    edges = graph(kind)
    for rule, way in rules_and_ways(kind):
        if way.fires:
            legal = {
                state for state, target in zip(edges.states, edges.edges[way.fires[0]], strict=True) if target >= 0
            }
            assert (way.before or frozenset()) <= legal, rule


NOT_RULED: Mapping[Kind, Mapping[str, str]] = {
    "block": {"force_complete": "what replay does to a block is told as the start of the NameNode"},
    "file": {"create_overwrite": "an overwritten file is another one, with a key of its own"},
    "lease": {},
    "replica": {"copy_on_truncate": "the line of the update names the old block only"},
}
"""Events of lifecycles that no rule stands for, and why."""


@pytest.mark.parametrize("kind", LIFECYCLES)
def test_every_transition_of_the_lifecycle_is_one_that_some_rule_allows(kind: Kind) -> None:
    edges = graph(kind)
    allowed = {edge for _, way in rules_and_ways(kind) for edge in taken(kind, way)}
    there = {
        (state, event)
        for event, targets in edges.edges.items()
        for state, target in zip(edges.states, targets, strict=True)
        if target >= 0
    }
    assert {event for _, event in there - allowed} == set(NOT_RULED[kind])
    assert {(state, event) for state, event in there - allowed if event not in NOT_RULED[kind]} == set()
    assert allowed <= there
