"""gfs.snapshot told with ranks: proved for any number of files, and whatever gfs.snapshot does, it does as well."""

from collections import deque
from collections.abc import Iterator

import pytest

from genstamp_model.evaluate import Evaluator, State
from genstamp_model.explore import Verdict, explore
from genstamp_model.parametric import prove_parametric
from genstamp_spec.gfs.ranks import RANKED_SNAPSHOT
from genstamp_spec.gfs.systems.snapshot import SNAPSHOT

ENOUGH_MS = 60_000
STATES = 300
RESTART, MAKES = "restart_master", "duplicate_metadata"


@pytest.mark.slow
def test_what_a_snapshot_promises_is_proved_for_any_number_of_files_and_chunks() -> None:
    report = prove_parametric(RANKED_SNAPSHOT.model(), timeout_ms=ENOUGH_MS)
    assert set(report.open) == {"File", "Chunk", "Position", "Chunkserver"}
    promised = {claim.name for claim in SNAPSHOT.model().properties if claim.inductive}
    assert {proof.name for proof in report.proofs} >= promised
    unproved = [
        (proof.name, row) for proof in report.proofs for row in proof.obligations if row.verdict.value != "proved"
    ]
    assert unproved == []
    assert report.verdict.value == "proved"


@pytest.mark.slow
@pytest.mark.parametrize(
    "bug",
    [
        "lease-granted-on-a-chunk-that-is-copied",
        "chunks-deleted-with-the-source",
    ],
)
def test_no_fault_is_proved(bug: str) -> None:
    proofs = prove_parametric(RANKED_SNAPSHOT.model(bugs=[bug]), timeout_ms=1000).proofs
    assert "violated" in {proof.verdict.value for proof in proofs}


@pytest.mark.slow
@pytest.mark.parametrize("configuration", ["one_chunkserver", "gone_chunk", "two_snapshots"])
def test_ranks_count_files(configuration: str) -> None:
    result = explore(RANKED_SNAPSHOT.instance(configuration))
    assert "ranks_count_files" in {claim.name for claim in result.instance.model.properties}
    assert result.verdict is Verdict.HOLDS


@pytest.mark.slow
def test_every_step_is_one_or_several_of_those_with_ranks() -> None:
    plain = Evaluator(SNAPSHOT.instance("two_snapshots_restart"))
    ranked = Evaluator(RANKED_SNAPSHOT.instance("two_snapshots_restart"))
    names = [variable.name for variable in SNAPSHOT.model().variables]

    def without_ranks(state: State) -> State:
        named = dict(zip((each.name for each in RANKED_SNAPSHOT.model().variables), state, strict=True))
        return tuple(named[name] for name in names)

    seen, waiting, restarts = {ranked.initial()}, deque([ranked.initial()]), 0
    while waiting and len(seen) < STATES:
        state = waiting.popleft()
        after = [(step.action.name, step.arguments, step.after) for step in ranked.steps(state)]
        for step in plain.steps(without_ranks(state)):
            same = [each for name, given, each in after if (name, given) == (step.action.name, step.arguments)]
            ends = [end for each in same for end in (made(ranked, each) if step.action.name == RESTART else [each])]
            assert step.after in map(without_ranks, ends), step.action.name
            restarts += step.action.name == RESTART and without_ranks(same[0]) != step.after
        for _, _, each in after:
            if each not in seen and not ranked.beyond(each):
                seen.add(each)
                waiting.append(each)
    assert restarts


def made(ranked: Evaluator, state: State) -> Iterator[State]:
    """States in which every snapshot of the log is made, each by a step of its own."""
    further = [step.after for step in ranked.steps(state) if step.action.name == MAKES]
    if not further:
        yield state
    for each in further:
        yield from made(ranked, each)
