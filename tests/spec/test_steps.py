"""Every action with effects changes something where it is taken: a step that never does would say nothing."""

from dataclasses import replace

import pytest

from genstamp.systems import system_named
from genstamp_model.explore import Verdict, explore
from genstamp_model.language import Instance, System
from genstamp_model.language.model import Model
from genstamp_model.mutate import mutants
from genstamp_model.mutate.moves import CHANGES_SOMETHING, moves


def idle_actions(declared: System, configuration: str, model: Model) -> list[str]:
    """The actions that have effects and are taken, and never change anything."""
    claims = moves(model)
    bare = replace(model, properties=claims, refinements=(), may_stop=None)
    found = explore(Instance(bare, declared.configuration(configuration)))
    assert found.verdict is Verdict.HOLDS
    idle = {claim.name for claim in claims if found.witnesses[claim.name] is None}
    names = [action.name for action in model.actions if action.effects and found.taken[action.name]]
    return [name for name in names if CHANGES_SOMETHING.format(name) in idle]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "configuration", "known"),
    [
        ("hdfs.lease", "two_clients", []),
        ("hdfs.lease", "late_calls", []),
        ("hdfs.expiry", "one_client", []),
        ("hdfs.recovery", "one_recovery", []),
        ("hdfs.block_recovery", "late", []),
        ("hdfs.block_recovery_ends", "one_datanode", []),
        ("hdfs.pipeline", "pair", []),
        # A transfer only reads the replica, by an event that leads to the state that it is in.
        ("hdfs.replica", "requests", ["serve_transfer_replica"]),
        ("hdfs.journal", "small", []),
        # The lease of one client that never grows older.
        ("hdfs.truncate", "one_datanode", ["renew_lease", "recover_lease_waits"]),
        ("hdfs.write_path", "two_blocks", []),
        ("hdfs.reports", "pipeline", []),
    ],
)
def test_an_action_with_effects_changes_something(system: str, configuration: str, known: list[str]) -> None:
    declared = system_named(system)
    assert idle_actions(declared, configuration, declared.model()) == known


def test_an_action_that_changes_nothing_is_found() -> None:
    """A client that is told that its file is closed keeps its stream: there are as many states and steps."""
    declared = system_named("hdfs.lease")
    (mutant,) = (
        one
        for one in mutants(declared.model())
        if one.action == "complete_again" and one.change.endswith("becomes writer")
    )
    assert idle_actions(declared, "two_clients", mutant.model) == ["complete_again"]
