"""Reviewed mutants of hdfs.lease that are more than argued about: with further invariants their steps are the same.

The invariants are not promises of the system, whose text they would only make longer.
"""

import pytest

from genstamp_model.language import Bool, Instance, System, invariant
from genstamp_model.mutate import mutants
from genstamp_model.mutate.equivalence import Equivalence
from genstamp_model.prove import prove
from genstamp_spec.hdfs.parts.state import Client, File
from genstamp_spec.hdfs.systems.lease import LEASE
from genstamp_spec.hdfs.systems.lease_promises import LeasePromises
from genstamp_spec.lifecycles.block import BlockLifecycle


class MorePromises(LeasePromises):
    """What is true of hdfs.lease besides."""

    @invariant(inductive=True, given=("only_blocks_have_replicas", "only_the_last_two_blocks_are_incomplete"))
    def counted_replicas_are_at_locations(s, file: File) -> Bool:
        """Of a block that is being written, replicas count at its locations only."""
        written = s.block[file].at(BlockLifecycle.under_construction)
        return written.implies(s.stored[file] <= s.locations[file])

    @invariant(
        inductive=True,
        given=(
            "stamps_come_from_the_counter",
            "blocks_follow_one_another",
            "only_the_last_two_blocks_are_incomplete",
            "current_recovery_is_above_the_block",
        ),
    )
    def stamps_rise_from_block_to_block(s, file: File) -> Bool:
        """The block before the last one has a lower stamp; where it is not there, or not told apart, it has none."""
        before = s.earlier[file]
        nothing = before.state.at(BlockLifecycle.absent).implies(before.stamp == 0)
        return nothing & (before.stamp > 0).implies(before.stamp < s.block_stamp[file])

    @invariant(inductive=True, given=("blocks_follow_one_another",))
    def young_attempts_recover(s, file: File) -> Bool:
        """While an attempt is young its block is under recovery."""
        return s.attempt_is_young[file].implies(s.block[file].at(BlockLifecycle.under_recovery))

    @invariant(
        inductive=True,
        given=(
            "young_attempts_recover",
            "stamps_rise_from_block_to_block",
            "stamps_come_from_the_counter",
            "blocks_follow_one_another",
            "only_the_last_two_blocks_are_incomplete",
            "late_stamps_come_from_the_counter",
            "one_lease_per_open_file",
        ),
    )
    def missed_block_has_not_ended(s, client: Client, file: File) -> Bool:
        """Nobody has ended the last block while the file's owner knows only of the one before."""
        writer = s.writer[client][file]
        owns = s.under_construction(file) & (s.client_name[file] == client) & ~writer.gone
        missed = (writer.stamp > 0) & (writer.stamp == s.earlier[file].stamp)
        ended = s.block[file].at(BlockLifecycle.committed, BlockLifecycle.complete)
        return (owns & missed).implies(~ended)


MORE = System("hdfs.lease", parts=[*LEASE.parts, MorePromises], configurations=LEASE.configurations)


@pytest.fixture(scope="module")
def instance() -> Instance:
    return Instance(MORE.model(), MORE.configuration("late_calls"))


@pytest.fixture(scope="module")
def more(instance: Instance) -> Equivalence:
    return Equivalence(instance)


@pytest.mark.slow
def test_the_invariants_are_proved(instance: Instance) -> None:
    verdicts = {proof.name: proof.verdict.value for proof in prove(instance).proofs}
    own = {claim.name for claim in LEASE.model().properties}
    added = {claim.name for claim in instance.model.properties} - own
    assert len(added) == 4
    assert {verdicts[name] for name in added} == {"proved"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["add_block-f453341a", "add_block_unanswered-5154e4d5"])
def test_the_steps_of_a_reviewed_mutant_are_the_same(name: str, more: Equivalence) -> None:
    (mutant,) = (one for one in mutants(LEASE.model()) if one.name == name)
    assert more.proves(mutant)


@pytest.mark.slow
def test_a_mutant_that_is_noticed_has_other_steps(more: Equivalence) -> None:
    """The one that breaks recovery_id_never_decreases in the configuration appenders."""
    (mutant,) = (one for one in mutants(LEASE.model()) if one.name == "append_closes_other-37314b53")
    assert not more.proves(mutant)
