"""A call has one outcome, but where a system leaves that open.

A system tells one call in several actions, by what comes of it, and mostly only one of them has the refusals. So what
one action does not ask for and another refuses would leave it open whether the call is refused; and what two ask for,
or none, would leave open what comes of it.
"""

from dataclasses import replace

import pytest

from genstamp.systems import system_named
from genstamp_model.explore import Verdict, explore
from genstamp_model.language import Bug, Instance, System
from genstamp_model.mutate.answers import contradictions
from genstamp_spec.hdfs.bugs.hadoop_2_7 import AddBlockUnderRecovery
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps
from genstamp_spec.hdfs.parts.state import File
from genstamp_spec.hdfs.systems.lease import LEASE
from genstamp_spec.leaves_open import LEAVES_OPEN


class RefusedStill(AddBlockUnderRecovery, lane="namenode"):
    """complete() goes through as before HDFS-10240, and is refused as it has been since."""

    def may_commit(s, file: File) -> None:
        """The check that HDFS-10240 brought."""
        BlockSteps.may_commit(s, file)


def left_open(system: str) -> set[str]:
    """The claims about calls that a system does not make."""
    return {name for names in LEAVES_OPEN.get(system, {}).values() for name in names}


def shown(declared: System, configuration: str, bugs: tuple[str, ...] = ()) -> set[str]:
    """The contradictions that some reachable state shows."""
    model = declared.model(bugs=bugs)
    claims = contradictions(model)
    assert claims
    bare = replace(model, properties=claims, refinements=(), may_stop=None)
    found = explore(Instance(bare, declared.configuration(configuration)))
    assert found.verdict is Verdict.HOLDS
    return {name for name, steps in found.witnesses.items() if steps is not None}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "configuration"),
    [
        ("hdfs.lease", "two_clients"),
        ("hdfs.lease", "late_calls"),
        ("hdfs.expiry", "one_client"),
        ("hdfs.renewal", "one_client"),
        ("hdfs.recovery", "one_recovery"),
        ("hdfs.block_recovery", "late"),
        ("hdfs.block_recovery_ends", "one_datanode"),
        ("hdfs.pipeline", "pair"),
        ("hdfs.pipeline_progress", "pair"),
        ("hdfs.replica", "requests"),
        ("hdfs.replica_threads", "copy"),
        ("hdfs.reports", "pipeline"),
        ("hdfs.journal", "small"),
        ("hdfs.journal", "deletions"),
        ("hdfs.truncate", "one_datanode"),
        ("hdfs.truncate_ends", "one_datanode"),
        ("hdfs.write_path", "two_blocks"),
        ("hdfs.write_path_restarts", "two_restarts"),
        ("gfs.chunk_lease", "two_chunkservers"),
        ("gfs.mutation_order", "retries"),
        ("gfs.record_append", "next_chunk"),
        ("gfs.progress", "two_chunkservers"),
    ],
)
def test_a_call_has_one_outcome(system: str, configuration: str) -> None:
    assert shown(system_named(system), configuration) <= left_open(system)


@pytest.mark.slow
def test_what_is_left_open_are_claims_about_the_system() -> None:
    for system in LEAVES_OPEN:
        assert left_open(system) <= {one.name for one in contradictions(system_named(system).model())}


@pytest.mark.slow
def test_a_call_that_is_answered_and_refused_is_found() -> None:
    """Of a block under recovery, complete() goes through in one action, and the other one refuses it still."""
    known = LEASE.bug("HDFS-10240")
    assert isinstance(known, Bug)
    declared = replace(LEASE, bugs=(replace(known, name="refused-still", parts=(RefusedStill,)),))
    found = shown(declared, "two_clients", ("refused-still",)) - left_open("hdfs.lease")
    assert "complete_closes refuses what complete_under_recovery answers" in found
