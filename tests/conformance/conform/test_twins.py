"""Twins of the reference implementation with one thing broken each are caught, and the story names the check."""

from collections.abc import Callable, Iterable, Mapping
from random import Random

import msgspec
import pytest
from tests.conformance.patching import Patch, patched

from genstamp.adapters import Cluster, Done, Outcome, ReferenceAdapter
from genstamp.events import Event
from genstamp.stateful import DRIVINGS, Failure, Figures, conform
from genstamp.stateful.chooser import Chooser
from genstamp.stateful.figures import answers_of
from genstamp.stateful.request import Request
from genstamp.stateful.run import Bench, Run
from genstamp.transitions import Reached
from genstamp_dfs.hdfs.namenode import block_recovery_calls, completion
from genstamp_spec.hdfs.systems.recovery import RECOVERY

pytestmark = pytest.mark.slow

SEED = 7


class RetellingAdapter(ReferenceAdapter):
    """Tells of what happened in other words."""

    def __init__(self, retell: Callable[[Event], Iterable[Event]]) -> None:
        super().__init__()
        self._retell = retell

    def call(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        return self._retold(super().call(event, arguments))

    def tick(self, ms: int) -> Outcome:
        return self._retold(super().tick(ms))

    def _retold(self, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, Done):
            return outcome
        return Done(tuple(told for event in outcome.events for told in self._retell(event)))


def failure_of(adapter: ReferenceAdapter) -> Failure:
    report = conform(adapter, RECOVERY, examples=400, seed=SEED, shrink_seconds=10)
    assert report.verdict == "rejected"
    assert report.failure is not None
    assert report.is_deterministic
    return report.failure


def test_the_reference_implementation_itself_conforms() -> None:
    report = conform(ReferenceAdapter(), RECOVERY, examples=50, seed=SEED)
    assert report.failure is None, str(report.failure)
    assert report.verdict == "conforms"
    assert report.figures.largest_set > 1
    assert report.figures.refusals > 0


def test_a_complete_under_recovery_is_caught() -> None:
    """HDFS-10240: the writer's commit cancels a running recovery."""
    with patched([Patch(completion, "check_not_under_recovery", lambda block: None)]):
        failure = failure_of(ReferenceAdapter())
    assert failure.event == "complete"
    assert "the block is not under recovery" in failure.labels
    assert "namenode: complete(" in str(failure)
    assert "= under_recovery" in str(failure)


def test_a_recovery_id_that_is_not_compared_is_caught() -> None:
    """The end of an older recovery is taken for that of the current one."""
    with patched([Patch(block_recovery_calls, "check_recovery_id", lambda block, recovery_id: None)]):
        failure = failure_of(ReferenceAdapter())
    assert failure.event == "commit_block_synchronization"
    assert "the recovery id is the current one" in failure.labels
    assert "the model refuses it with IOException" in str(failure)


def test_the_right_effect_under_an_unknown_name_is_caught() -> None:
    def retell(event: Event) -> list[Event]:
        return [msgspec.structs.replace(event, event="close") if event.event == "complete" else event]

    failure = failure_of(RetellingAdapter(retell))
    assert failure.problem.startswith("the model has no event 'close'; it has abandon_recovery, add_block, ")


def test_the_right_effect_under_another_name_is_caught() -> None:
    def retell(event: Event) -> list[Event]:
        return [msgspec.structs.replace(event, event="hflush") if event.event == "last_packet" else event]

    failure = failure_of(RetellingAdapter(retell))
    if failure.event == "hflush":
        assert "the block is not under recovery at its first hflush" in failure.labels
    else:
        # Where an hflush fits as well, the last packet that was asked for is missed.
        assert failure.event == "last_packet"
        assert failure.problem.endswith("no event of it came, with these arguments; hflush came")


@pytest.mark.parametrize("omitted", ["renew_lease", "sync_block", "update_replica_under_recovery"])
def test_an_event_that_is_left_out_is_caught(omitted: str) -> None:
    failure = failure_of(RetellingAdapter(lambda event: [] if event.event == omitted else [event]))
    assert failure.event == omitted
    assert "no event of it came, with these arguments; " in failure.problem


def test_an_event_that_nobody_asked_for_and_that_is_left_out_is_caught_by_what_follows() -> None:
    failure = failure_of(RetellingAdapter(lambda e: [] if e.event == "release_expired_lease" else [e]))
    assert "tick" in str(failure)
    assert failure.event != "release_expired_lease"


@pytest.mark.parametrize(
    ("event", "right", "wrong", "labels"),
    [
        (
            "add_block",
            "LeaseExpiredException",
            "NotReplicatedYetException",
            ["the caller owns the file", "the file is open for writing"],
        ),
        ("create", "AlreadyBeingCreatedException", "FileAlreadyExistsException", ["the caller does not hold"]),
        ("complete", "FileNotFoundException", "LeaseExpiredException", ["the file exists"]),
    ],
)
def test_a_refusal_with_the_wrong_exception_is_caught(event: str, right: str, wrong: str, labels: list[str]) -> None:
    def retell(told: Event) -> list[Event]:
        is_it = told.event == event and told.refused_with == right
        return [msgspec.structs.replace(told, refused_with=wrong) if is_it else told]

    failure = failure_of(RetellingAdapter(retell))
    assert failure.event == event
    assert any(label in found for found in failure.labels for label in labels)
    assert f"refuses with {right}, not with {wrong}" in str(failure)


def test_a_lease_that_never_expires_is_caught() -> None:
    """Nobody but time takes part, so only the tracker's clock can know."""

    class TimelessAdapter(ReferenceAdapter):
        def tick(self, ms: int) -> Outcome:
            return super().tick(min(ms, 1))

    failure = failure_of(TimelessAdapter())
    assert "tick" in str(failure)


def test_a_failing_run_is_made_as_short_as_it_can_be() -> None:
    """What is left is needed: a file, a closed stream and the repeated call."""
    adapter = RetellingAdapter(
        lambda e: [msgspec.structs.replace(e, refused_with="IOException") if e.refused_with else e]
    )
    failure = failure_of(adapter)
    assert len(failure.requests) <= 2
    assert failure.lines[0].startswith("     start with /a, client1, datanode1; seed 0")


def test_a_seed_repeats_a_test_and_another_makes_another() -> None:
    first, again, other = (conform(ReferenceAdapter(), RECOVERY, examples=5, steps=20, seed=seed) for seed in (3, 3, 4))
    assert first.seed == 3
    assert first.figures == again.figures
    assert first.figures != other.figures


def test_what_tells_many_possible_states_apart_is_asked_for() -> None:
    """Three recoveries, each led by one of three datanodes: which ones, the commands that can be received tell."""
    cluster = Cluster(("/a", "/b", "/c"), ("client1", "client2"), ("datanode1", "datanode2", "datanode3"), "repaired")
    model = RECOVERY.model("repaired")
    run = Run(Bench(ReferenceAdapter(), model, DRIVINGS["hdfs.recovery"], max_states=1_000), cluster, Figures())
    run.start()
    for file in cluster.files:
        for event, client in (("create", "client1"), ("add_block", "client1"), ("recover_lease", "client2")):
            run.request(Request(event, (("client", client), ("file", file))))
    run.request(Request(ms=90_001))
    run.request(Request("recover_lease", (("client", "client1"), ("file", "/a"))))
    counts = [len(run.tracker.states)]
    chooser = Chooser(
        Random(2), DRIVINGS["hdfs.recovery"], answers_of(model), dict.fromkeys(answers_of(model), 1), Reached(())
    )
    while counts[-1] > 32 and len(counts) < 12:
        request = chooser.next_request(run)
        assert request is not None
        run.request(request)
        counts.append(len(run.tracker.states))
    assert counts[0] > 32 >= counts[-1] > 0
