"""No call is answered by one action and refused by another one."""

from dataclasses import replace

import pytest

from genstamp.systems import system_named
from genstamp_model.explore import explore
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "configuration", "known"),
    [
        ("hdfs.recovery", "one_recovery", []),
        ("hdfs.block_recovery", "late", []),
        ("hdfs.block_recovery_ends", "one_datanode", []),
        ("hdfs.pipeline", "pair", []),
        ("hdfs.replica", "requests", SEVERAL_REQUESTS),
        ("hdfs.journal", "small", []),
        ("hdfs.truncate", "one_datanode", []),
        ("hdfs.truncate_ends", "one_datanode", []),
    ],
)
def test_a_call_that_is_answered_is_not_refused(system: str, configuration: str, known: list[str]) -> None:
    declared = system_named(system)
    model = declared.model()
    claims = contradictions(model)
    assert len(claims) > len(known)
    bare = replace(model, properties=claims, refinements=(), may_stop=None)
    found = explore(Instance(bare, declared.configuration(configuration)))
    assert [name for name, steps in found.witnesses.items() if steps is not None] == known
