"""gfs.snapshot: what each fault breaks where nothing but the promises is looked at, and how far a count falls."""

from dataclasses import replace

import pytest

from genstamp_model.explore import explore
from genstamp_model.language import Instance
from genstamp_spec.gfs.systems.snapshot import SNAPSHOT

ISOLATION = "files_have_their_own_bytes"
PROMISED = {ISOLATION, "references_are_files", "listed_chunks_have_replicas", "logged_snapshot_is_made"}
BROKEN = {
    "snapshot-without-revocation": ISOLATION,
    "snapshot-waits-for-one-lease": ISOLATION,
    "lease-granted-while-a-snapshot-is-made": ISOLATION,
    "unreachable-primary-taken-for-revoked": ISOLATION,
    "snapshot-at-once-after-a-restart": ISOLATION,
    "copy-on-write-forgotten-at-two-references": ISOLATION,
    "count-not-raised-by-the-second-snapshot": "references_are_files",
    "chunks-deleted-with-the-source": "references_are_files",
    "count-not-lowered-by-deletion": "references_are_files",
    "copy-of-a-stale-replica": ISOLATION,
    "new-handle-installed-before-it-is-copied": "listed_chunks_have_replicas",
    "copy-taken-for-an-orphan": "listed_chunks_have_replicas",
    "lease-granted-on-a-chunk-that-is-copied": ISOLATION,
    "write-without-a-version": ISOLATION,
    "logged-snapshot-forgotten": "logged_snapshot_is_made",
}


def judged_by(instance: Instance, names: set[str]) -> Instance:
    """The instance with some of its properties alone."""
    claims = tuple(claim for claim in instance.model.properties if claim.name in names)
    assert {claim.name for claim in claims} == names
    return replace(instance, model=replace(instance.model, properties=claims))


def test_every_fault_is_listed() -> None:
    assert set(BROKEN) == {bug.name for bug in SNAPSHOT.bugs}


@pytest.mark.slow
@pytest.mark.parametrize("bug", BROKEN)
def test_each_fault_breaks_a_promise_and_not_only_what_it_rests_on(bug: str) -> None:
    instance = SNAPSHOT.instance(SNAPSHOT.bug(bug).configuration, bugs=[bug])
    violation = explore(judged_by(instance, PROMISED)).violation
    assert violation is not None
    assert violation.name == BROKEN[bug]


@pytest.mark.slow
def test_a_count_that_is_too_low_lets_a_snapshot_change() -> None:
    instance = SNAPSHOT.instance("two_snapshots", bugs=["count-not-raised-by-the-second-snapshot"])
    violation = explore(judged_by(instance, {ISOLATION})).violation
    assert violation is not None


@pytest.mark.slow
def test_a_chunk_that_is_deleted_with_its_source_is_lost() -> None:
    instance = SNAPSHOT.instance("one_snapshot", bugs=["chunks-deleted-with-the-source"])
    violation = explore(judged_by(instance, {"listed_chunks_have_replicas"})).violation
    assert violation is not None
