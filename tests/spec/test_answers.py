"""No call is answered by one action and refused by another one.

A system tells one call in several actions, by what comes of it, and mostly only one of them has the refusals. So what
one action does not ask for and another refuses would leave it open whether the call is refused.
"""

from dataclasses import replace

import pytest

from genstamp.systems import system_named
from genstamp_model.explore import Verdict, explore
from genstamp_model.language import Instance
from genstamp_model.mutate.answers import contradictions

SEVERAL_REQUESTS = [
    "serve_create_rbw refuses what serve_create_rbw_again answers",
    "writer_finalizes refuses what lingering_responder_finalizes answers",
    "serve_create_temporary refuses what serve_create_temporary_over_existing answers",
    "serve_create_temporary refuses what serve_transfer answers",
    "serve_create_temporary_over_existing refuses what serve_transfer answers",
]
"""Requests of one event that are not one call: with a new stamp or without, for a pipeline or not, of two threads."""

FLAGS = ["create refuses what create_over answers"]
"""Calls with another flag."""

LATE = [
    *FLAGS,
    "add_block refuses what add_block_was_repeated answers",
    "add_block_unanswered refuses what add_block_was_repeated answers",
    "add_block_goes_on refuses what add_block answers",
    "add_block_goes_on refuses what add_block_again answers",
    "add_block_goes_on refuses what add_block_unanswered answers",
    "fsync_arrives_late refuses what fsync answers",
]
"""Calls that were sent earlier."""


def answered_and_refused(system: str, configuration: str, bugs: tuple[str, ...] = ()) -> list[str]:
    """The contradictions that some reachable state shows."""
    declared = system_named(system)
    model = declared.model(bugs=bugs)
    claims = contradictions(model)
    assert claims
    bare = replace(model, properties=claims, refinements=(), may_stop=None)
    found = explore(Instance(bare, declared.configuration(configuration)))
    assert found.verdict is Verdict.HOLDS
    return [name for name, steps in found.witnesses.items() if steps is not None]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "configuration", "known"),
    [
        ("hdfs.lease", "two_clients", FLAGS),
        ("hdfs.lease", "blocks", FLAGS),
        ("hdfs.lease", "late_calls", LATE),
        ("hdfs.lease", "outages", FLAGS),
        ("hdfs.expiry", "one_client", []),
        ("hdfs.recovery", "one_recovery", []),
        ("hdfs.block_recovery", "late", []),
        ("hdfs.block_recovery_ends", "one_datanode", []),
        ("hdfs.pipeline", "pair", []),
        ("hdfs.replica", "requests", SEVERAL_REQUESTS),
        ("hdfs.journal", "small", []),
        ("hdfs.journal", "deletions", []),
        ("hdfs.truncate", "one_datanode", []),
        ("hdfs.truncate_ends", "one_datanode", []),
        ("hdfs.write_path", "two_blocks", []),
    ],
)
def test_a_call_that_is_answered_is_not_refused(system: str, configuration: str, known: list[str]) -> None:
    assert answered_and_refused(system, configuration) == known


def test_a_call_that_is_answered_and_refused_is_found() -> None:
    """HDFS-10240: complete() goes through in one action, and the other one refuses it still."""
    found = answered_and_refused("hdfs.lease", "two_clients", ("HDFS-10240",))
    assert found == [*FLAGS, "complete refuses what complete_under_recovery answers"]
