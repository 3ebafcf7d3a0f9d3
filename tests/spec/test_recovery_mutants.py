"""Reviewed mutants of hdfs.recovery that are more than argued about: with further invariants their steps are the same.

The invariants are not promises of the system, whose text they would only make longer.
"""

import pytest

from genstamp_model.language import Bool, Instance, System, invariant
from genstamp_model.mutate import mutants
from genstamp_model.mutate.equivalence import Equivalence
from genstamp_model.prove import prove
from genstamp_spec.hdfs.parts.state import AttemptStage, Client, Datanode, File, StreamStage
from genstamp_spec.hdfs.systems.recovery import RECOVERY, WrittenOnce
from genstamp_spec.lifecycles.block import BlockLifecycle


class MorePromises(WrittenOnce):
    """What is true of hdfs.recovery besides."""

    @invariant(
        inductive=True,
        given=(
            "one_lease_per_open_file",
            "files_come_before_blocks",
            "open_files_keep_their_block",
            "young_attempts_are_under_way",
        ),
    )
    def who_lost_the_file_lost_it_to_a_recovery(s, client: Client, file: File) -> Bool:
        """Of an open file only its owner has a stream, until its block is under recovery."""
        streams = ~s.stream[client][file].stage.at(StreamStage.NONE)
        lost = streams & s.under_construction(file) & (s.client_name[file] != client)
        return lost.implies(s.block[file].at(BlockLifecycle.under_recovery))

    @invariant(inductive=True, given=("stamps_come_from_the_counter",))
    def recovery_ids_come_from_the_counter(s, primary: Datanode, file: File) -> Bool:
        """Also those that primaries know."""
        return s.attempt[primary][file].recovery_id <= s.last_stamp

    @invariant(
        inductive=True,
        given=(
            "open_blocks_have_locations",
            "recovery_ids_come_from_the_counter",
            "stamps_come_from_the_counter",
            "attempts_know_what_fits_their_stage",
        ),
    )
    def nobody_leads_a_recovery_whose_command_waits(s, primary: Datanode, other: Datanode, file: File) -> Bool:
        """While the current command waits its block is under recovery, and every attempt is an older one."""
        waits = s.recovery_queue[primary].has(file) & (s.primary[file] == primary)
        attempt = s.attempt[other][file]
        older = attempt.stage.at(AttemptStage.IDLE) | (attempt.recovery_id < s.recovery_id[file])
        return waits.implies(s.block[file].at(BlockLifecycle.under_recovery) & older)


MORE = System("hdfs.recovery", parts=[*RECOVERY.parts, MorePromises], configurations=RECOVERY.configurations)

PROVED = (
    "hflush-ffbcedbf",
    "receive_recovery_command-55879f34",
    "receive_recovery_command-aa8778fa",
)
"""Whose steps are the same by these invariants."""

PROVED_WITHOUT = (
    "create_closes_other-bf6a15c3",
    "complete_closes-205222e8",
    "release_expired_lease_starts-6951ae71",
)
"""Whose steps are the same by what the system promises itself."""


@pytest.fixture(scope="module")
def instance() -> Instance:
    return Instance(MORE.model(), MORE.configuration("takeover"))


@pytest.fixture(scope="module")
def more(instance: Instance) -> Equivalence:
    return Equivalence(instance)


@pytest.mark.slow
def test_the_invariants_are_proved(instance: Instance) -> None:
    verdicts = {proof.name: proof.verdict.value for proof in prove(instance).proofs}
    added = {claim.name for claim in instance.model.properties} - {claim.name for claim in RECOVERY.model().properties}
    assert len(added) == 3
    assert {verdicts[name] for name in added} == {"proved"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PROVED, *PROVED_WITHOUT])
def test_the_steps_of_a_reviewed_mutant_are_the_same(name: str, more: Equivalence) -> None:
    (mutant,) = (one for one in mutants(RECOVERY.model()) if one.name == name)
    assert more.proves(mutant)


@pytest.mark.slow
def test_a_check_that_counts_cannot_be_dropped(more: Equivalence) -> None:
    """Any client that streams could call hflush for the first time, in whatever state its file is."""
    place = "check 'the block is not under recovery at its first hflush'"
    (mutant,) = (
        one for one in mutants(RECOVERY.model()) if (one.action, one.place, one.change) == ("hflush", place, "dropped")
    )
    assert not more.proves(mutant)
