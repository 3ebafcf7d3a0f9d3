"""Events that were made or changed, and broken masters, held against gfs.snapshot."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final
from unittest import mock

import pytest
from msgspec.structs import replace
from tests.conformance.gfs.twins import twin_named

from genstamp.events import Event
from genstamp.lockstep import Entity, Held, Holder, LeftOut, hold_seeds
from genstamp.lockstep.gfs import plan_options, simulated
from genstamp.lockstep.gfs import snapshot_words as words
from genstamp.lockstep.gfs.snapshot import SnapshotProjection
from genstamp_dfs.gfs.master.leases import Leases
from genstamp_dfs.gfs.protocol import MASTER, Limits
from genstamp_dfs.world.times import SECOND_US
from genstamp_spec.gfs.systems.snapshot import SNAPSHOT

WAITS_US: Final = 22 * SECOND_US


def hold(events: Sequence[Event]) -> Held:
    held = Held()
    Holder(SNAPSHOT.model(), lambda: SnapshotProjection(WAITS_US)).hold(0, events, held)
    return held


def rejected(held: Held) -> set[tuple[str, tuple[str, ...]]]:
    """Names of the steps that do not conform, each with the labels of what does not hold."""
    assert held.verdict == "rejected"
    assert all(one.lines()[0].startswith(f"seed {one.seed}, chunk ") for one in held.rejections)
    return {(one.rejected.event, one.rejected.labels) for one in held.rejections}


def labels(held: Held) -> set[str]:
    """What does not hold, in all rejections."""
    return {label for _, found in rejected(held) for label in found}


# -- twins ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("snapshot-without-revocation", "no lease on a chunk of the source is outstanding"),
        ("no-copy-on-write", "no other file lists the chunk"),
        ("master-waits-too-short", "no chunkserver believes in it any more"),
        ("restarted-master-grants-at-once", "nobody holds a lease"),
    ],
)
def test_a_twin_is_rejected(name: str, label: str) -> None:
    # What the twin's own settings say of how long it waits is not what it should wait.
    waits_us = Limits(lease_us=20 * SECOND_US).master_waits_us
    held, holder = Held(), Holder(SNAPSHOT.model(), lambda: SnapshotProjection(waits_us))
    with twin_named(name).in_place():
        for seed in range(6):
            holder.hold(seed, simulated(seed, plan_options(seed)), held)
            if held.rejections and label in labels(held):
                return
    pytest.fail(f"{held.verdict}, and not because {label!r} is not so")


@pytest.mark.slow
def test_a_snapshot_that_does_not_wait_for_the_answer_to_a_revocation_is_rejected() -> None:
    """The lease is asked for, and the snapshot made whatever comes of it."""

    async def asks_once(self: Leases, handle: int) -> None:
        lease = self._held(handle)
        if lease is not None:
            self._base.tell_of_chunk("revoke_lease", handle, lease.shown.version, chunkserver=lease.shown.primary)

    with mock.patch.object(Leases, "end", asks_once):
        held = hold_seeds(SNAPSHOT, range(1, 4))
    assert labels(held) == {"no lease on a chunk of the source is outstanding"}
    assert any("revoke_lease(" in line for one in held.rejections for line in one.lines())


# -- changed events -------------------------------------------------------------------------------------------------


@cache
def events_of(seed: int) -> tuple[Event, ...]:
    return simulated(seed, plan_options(seed))


def places(events: Sequence[Event], wanted: Callable[[Event], bool]) -> list[int]:
    return [place for place, event in enumerate(events) if wanted(event)]


def is_record(event: Event, name: str) -> bool:
    return event.event == "append_record" and event.node == MASTER and event.arguments["record"] == name


def without(name: str) -> set[str]:
    """What does not hold where the master's events of a name are missing from a run."""
    return labels(hold([event for event in events_of(0) if not (event.event == name and event.node == MASTER)]))


@pytest.mark.slow
def test_a_lease_that_is_named_and_was_not_granted_is_rejected() -> None:
    assert "somebody holds the lease" in without("grant_lease")


@pytest.mark.slow
def test_a_write_in_the_version_of_an_older_lease_is_rejected() -> None:
    """Of a chunk that has been granted again, through another file or the same: its client knows of none."""
    events = list(events_of(0))
    [grant, *_] = places(events, lambda event: event.event == "grant_lease" and (event.generation_stamp or 0) > 2)
    chunk = events[grant].entity
    writes = places(events, lambda event: event.event == "answer" and event.entity == chunk)
    given_up = replace(events[grant], event="give_up_lease")
    place = next(place for place in writes if place > grant and events[place].refused_with is None)
    events.insert(place, given_up)
    assert ("write", ("the primary is up and believes in its lease",)) in rejected(hold(events))


# -- made events ----------------------------------------------------------------------------------------------------


class Made:
    """Events of a master and a primary, made one by one; the first record makes the file /a, with chunk 1."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.records = 0
        self.logged("CreateFile", path="/a").logged("AddChunk", path="/a", handle="1")

    def __call__(
        self,
        event: str,
        entity: str,
        at_s: int = 0,
        *,
        node: str = MASTER,
        version: int = 2,
        refused_with: str | None = None,
        records: int | None = None,
        said: Mapping[str, str] | None = None,
        **arguments: str,
    ) -> "Made":
        """One more event."""
        self.events.append(
            Event(
                source="test",
                node=node,
                node_sequence=len(self.events) + 1,
                time_us=at_s * SECOND_US,
                kind="node",
                namespace="",
                entity=entity,
                event=event,
                refused_with=refused_with,
                generation_stamp=version,
                arguments=dict(said or arguments),
                observed={} if records is None else {"records": str(records)},
            )
        )
        return self

    def logged(self, record: str, at_s: int = 0, **said: str) -> "Made":
        self.records += 1
        return self("append_record", MASTER, at_s, records=self.records, said={"record": record, **said})

    def snapshot(self, target: str = "/b", at_s: int = 0, source: str = "/a") -> "Made":
        return self("begin_snapshot", source, at_s, target=target).logged(
            "CopyTree", at_s, source=source, target=target
        )

    def copied(self, path: str = "/a", new: str = "2", source: str = "1") -> "Made":
        self("copy_chunk", new, file=path, source=source)
        return self.logged("ReplaceChunk", path=path, index="0", handle=new)

    def recovered(self, at_s: int = 0, records: int | None = None) -> "Made":
        self.records = self.records if records is None else records
        return self("recover", MASTER, at_s, records=self.records)


def reasons(made: Made) -> list[str]:
    projected = SnapshotProjection(WAITS_US).project(made.events)
    return [one.reason for _, found in projected for one in found if isinstance(one, LeftOut)]


def test_a_shared_chunk_is_copied_before_a_lease_is_granted() -> None:
    assert hold(Made().snapshot().copied()("grant_lease", "2").events).verdict == "conforms"
    assert hold(Made().snapshot().copied()("grant_lease", "1").events).verdict == "conforms"
    assert rejected(hold(Made().snapshot()("grant_lease", "1").events)) == {
        ("grant_lease", ("no other file lists the chunk",))
    }


def test_a_snapshot_waits_for_a_lease_until_it_is_given_up_or_its_time_is_up() -> None:
    outstanding = {("log_snapshot", ("no lease on a chunk of the source is outstanding",))}
    assert rejected(hold(Made()("grant_lease", "1").snapshot(at_s=21).events)) == outstanding
    assert hold(Made()("grant_lease", "1").snapshot(at_s=22).events).verdict == "conforms"
    extended = Made()("grant_lease", "1")("extend_lease", "1", 10)
    assert rejected(hold(extended.snapshot(at_s=22).events)) == outstanding
    assert hold(Made()("grant_lease", "1")("give_up_lease", "1", 1).snapshot(at_s=2).events).verdict == "conforms"


def test_a_snapshot_or_a_copy_that_was_not_begun_is_rejected() -> None:
    unbegun = Made().logged("CopyTree", source="/a", target="/b")
    assert {name for name, _ in rejected(hold(unbegun.events))} == {"log_snapshot"}
    copied = Made().snapshot().logged("ReplaceChunk", path="/a", index="0", handle="2")
    assert {name for name, _ in rejected(hold(copied("grant_lease", "2").events))} == {"copy_replica"}


def test_a_master_that_starts_knows_of_no_lease_and_waits() -> None:
    assert rejected(hold(Made().recovered()("grant_lease", "1", 21).events)) == {
        ("grant_lease", ("nobody holds a lease",))
    }
    assert hold(Made().recovered()("grant_lease", "1", 22).events).verdict == "conforms"


def test_a_lease_that_is_taken_for_over_too_early_is_rejected() -> None:
    early = {("expire_lease", ("no chunkserver believes in it any more",))}
    assert rejected(hold(Made()("grant_lease", "1")("expire_lease", "1", 21).events)) == early
    assert hold(Made()("grant_lease", "1")("expire_lease", "1", 22).events).verdict == "conforms"


def test_a_write_is_through_the_file_whose_client_knows_of_the_lease() -> None:
    made = Made().snapshot().copied()("grant_lease", "1", version=2)("answer", "1", node="chunkserver1", version=2)
    assert hold(made.events).verdict == "conforms"
    [*_, write] = [
        step
        for _, found in SnapshotProjection(WAITS_US).project(made.events)
        for one in found
        if isinstance(one, Entity)
        for step in one.steps
    ]
    assert isinstance(write, Event)
    assert write.arguments["file"] == "file 2"
    made("answer", "1", node="chunkserver1", refused_with="MutationFailed")
    assert reasons(made)[-1] == words.FAILED


def test_a_file_is_the_same_under_another_name_and_gone_when_it_is_removed() -> None:
    made = Made().logged("RenamePath", source="/a", target="/c").snapshot(source="/c")
    assert hold(made.logged("HideFile", path="/c", hidden="/.c").events).verdict == "conforms"
    removed = made.logged("RemovePaths", paths="/.c")("grant_lease", "1")
    assert hold(removed.events).verdict == "conforms"


def test_files_below_a_directory_are_in_its_snapshot() -> None:
    made = Made().logged("CreateDirectory", path="/d").logged("RenamePath", source="/a", target="/d/a")
    made.snapshot("/e", source="/d")("copy_chunk", "2", file="/e/a", source="1")
    assert hold(made.events).verdict == "conforms"
    assert hold(made.logged("ReplaceChunk", path="/e/a", index="0", handle="2").events).verdict == "conforms"


def test_records_that_a_crash_took_back_end_the_judgement_of_their_files() -> None:
    held = hold(Made().snapshot().recovered(records=2)("grant_lease", "1", 30).events)
    assert (held.verdict, dict(held.ended)) == ("conforms", {words.UNDONE: 1})
    again = Made().recovered(records=1).logged("AddChunk", path="/a", handle="1").snapshot()("grant_lease", "1", 30)
    assert rejected(hold(again.events)) == {("grant_lease", ("no other file lists the chunk",))}


def test_a_copy_that_is_given_up_ends_the_judgement() -> None:
    made = Made().snapshot()("copy_chunk", "2", file="/a", source="1")
    made("find_lease", "/a", index="0", refused_with="NoReplica")
    held = hold(made.events)
    assert (held.verdict, dict(held.ended)) == ("conforms", {words.COPY_GIVEN_UP: 1})


def test_more_files_than_are_followed_end_the_judgement() -> None:
    made = Made()
    for number in range(len(words.FILES)):
        made.snapshot(f"/b{number}")
    held = hold(made.events)
    assert (held.verdict, dict(held.ended)) == ("conforms", {words.TOO_MANY: 1})


def test_unknown_events_and_records_are_not_left_out() -> None:
    with pytest.raises(AssertionError, match="the projection does not handle the master's event 'forget'"):
        reasons(Made()("forget", "1"))
    with pytest.raises(AssertionError, match="the projection does not handle records of the kind 'Forget'"):
        reasons(Made().logged("Forget"))
    assert reasons(Made()("push_data", "1", node="chunkserver1"))[-1] == words.OTHER_NODES
