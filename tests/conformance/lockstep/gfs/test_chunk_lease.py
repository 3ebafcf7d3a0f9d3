"""gfs.chunk_lease in lockstep with runs that were changed, and with broken masters and primaries: none conforms."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final
from unittest import mock

import msgspec
import pytest
from tests.conformance.gfs.twins import twin_named

from genstamp.events import Event
from genstamp.lockstep import Held, Holder, LeftOut
from genstamp.lockstep.gfs import chunk_words as words
from genstamp.lockstep.gfs import simulated
from genstamp.lockstep.gfs.chunk_lease import ChunkLeaseProjection
from genstamp_dfs.gfs.master.state import MasterState
from genstamp_dfs.gfs.simulation.options import default_options
from genstamp_dfs.gfs.simulation.plan import PlanOptions, make_plan
from genstamp_spec.gfs.systems.chunk_lease import CHUNK_LEASE

pytestmark = pytest.mark.slow  # Whichever test is first compiles the system.

SEEDS: Final = range(12)
TWIN_SEEDS: Final = range(40)
PLAN: Final = PlanOptions()
LIMITS: Final = default_options(make_plan(0, PLAN), PLAN).master.limits
CHUNKSERVERS: Final = make_plan(0, PLAN).chunkservers
# Numbers are taken before any twin changes them.
WAITS: Final = (LIMITS.lease_us, LIMITS.master_waits_us)


def projection() -> ChunkLeaseProjection:
    return ChunkLeaseProjection(CHUNKSERVERS, *WAITS)


@cache
def holder() -> Holder:
    return Holder(CHUNK_LEASE.model(), projection)


def hold(events: Sequence[Event]) -> Held:
    held = Held()
    holder().hold(0, events, held)
    return held


@cache
def run(seed: int) -> tuple[Event, ...]:
    return simulated(seed, PLAN)


# -- twins -----------------------------------------------------------------------------------------------------


LEASES: Final = {
    "grant-before-the-old-one-is-over": "nobody holds a lease",
    "restarted-master-grants-at-once": "nobody holds a lease",
    "lease-without-end": "it believes that it holds the lease",
    "master-waits-too-short": "nobody holds a lease",
    "version-not-raised": "a grant is being prepared",
    "stale-replica-named": "",
}
"""Twins that break a rule of leases and versions, and the check that says so, if it is always the same."""


@pytest.mark.parametrize(("name", "reason"), LEASES.items())
def test_a_twin_that_breaks_a_rule_of_leases_is_rejected(name: str, reason: str) -> None:
    holder()
    twin = twin_named(name)
    labels: set[str] = set()
    for seed in TWIN_SEEDS:
        with twin.in_place():
            held = hold(simulated(seed, replace(PLAN, mean_fault_s=twin.options.mean_fault_s)))
        if held.verdict == "rejected":
            assert held.rejections[0].lines()[-1] != ""
            labels |= {label for one in held.rejections for label in one.rejected.labels}
        if reason in labels or (labels and not reason):
            return
    pytest.fail(f"rejected in {len(TWIN_SEEDS)} runs for {sorted(labels)}, not because {reason!r} is not so")


def test_a_master_that_chooses_a_version_twice_is_rejected() -> None:
    """It forgets what it chose when not all have recorded it, and so two sets of replicas may have one version."""
    holder()
    with mock.patch.object(MasterState, "highest_version", lambda self, handle: self.chunks.version(handle)):
        held = holder().hold_seeds(range(3), lambda seed: simulated(seed, PLAN))
    assert held.verdict == "rejected"
    assert "begin_grant" in {one.rejected.event for one in held.rejections}


# -- runs that are changed ------------------------------------------------------------------------------------------


def place_of(events: Sequence[Event], name: str, nth: int = 0) -> int:
    return [place for place, event in enumerate(events) if event.event == name][nth]


def without(events: Sequence[Event], place: int) -> list[Event]:
    return [*events[:place], *events[place + 1 :]]


def changed(event: Event, /, **columns: Any) -> Event:
    """The implementation's own event with other columns."""
    return msgspec.structs.replace(event, **columns)


def version_not_recorded(events: Sequence[Event]) -> list[Event]:
    """The master goes ahead without one that it told."""
    return without(events, place_of(events, "record_version"))


def lease_granted_twice(events: Sequence[Event]) -> list[Event]:
    """A grant for which no version was chosen."""
    place = place_of(events, "log_version")
    return [*events[: place + 1], events[place], *events[place + 1 :]]


def extended_for_another(events: Sequence[Event]) -> list[Event]:
    """A lease is extended for somebody who does not hold it."""
    place = place_of(events, "extend_lease")
    primary = events[place].arguments["chunkserver"]
    other = next(name for name in CHUNKSERVERS if name != primary)
    return [*events[:place], changed(events[place], arguments={"chunkserver": other}), *events[place + 1 :]]


def answered_when_the_lease_is_over(events: Sequence[Event]) -> list[Event]:
    """The same answer, a lease later by the primary's clock."""
    place = place_of(events, "answer")
    time_us = events[place].time_us
    assert time_us is not None
    return [*events[:place], changed(events[place], time_us=time_us + WAITS[0]), *events[place + 1 :]]


def not_everybody_is_told(events: Sequence[Event]) -> list[Event]:
    """A replica that the master names is not offered the version."""
    place = place_of(events, "begin_grant")
    names = events[place].arguments["chunkservers"].split(",")[1:]
    fewer = changed(events[place], arguments={"chunkservers": ",".join(names)})
    return [*events[:place], fewer, *events[place + 1 :]]


def current_replica_called_stale(events: Sequence[Event]) -> list[Event]:
    """A replica that has the chunk's version is called stale."""
    place = place_of(events, "find_lease")
    shown = events[place]
    primary = shown.observed["primary"]
    stale = changed(
        shown,
        kind="block",
        entity=shown.observed["handle"],
        event="detect_stale",
        arguments={"chunkserver": primary},
        observed={},
    )
    return [*events[: place + 1], stale, *events[place + 1 :]]


def version_of_an_earlier_lease(events: Sequence[Event]) -> list[Event]:
    """A grant begins with the version that the chunk has: all that follows tells of that one."""
    place = place_of(events, "begin_grant")
    handle, version = events[place].entity, events[place].generation_stamp
    assert version is not None
    return [
        changed(event, generation_stamp=version - 1)
        if event.entity == handle and event.generation_stamp == version
        else event
        for event in events
    ]


def offered_anew_to_others(events: Sequence[Event]) -> list[Event]:
    """A version is offered anew, and nobody was left out."""
    return without(events, place_of(events, "leave_out"))


def version_logged_that_was_not_offered(events: Sequence[Event]) -> list[Event]:
    """A version is logged that nobody was told of."""
    place = place_of(events, "log_version")
    version = events[place].generation_stamp
    assert version is not None
    return [*events[:place], changed(events[place], generation_stamp=version + 5), *events[place + 1 :]]


CHANGES: Final = (
    version_not_recorded,
    lease_granted_twice,
    extended_for_another,
    answered_when_the_lease_is_over,
    not_everybody_is_told,
    current_replica_called_stale,
    version_of_an_earlier_lease,
    offered_anew_to_others,
    version_logged_that_was_not_offered,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_changed_run_is_rejected(change: Callable[[Sequence[Event]], list[Event]]) -> None:
    needed = {"extend_lease", "leave_out"}
    events = next(run(seed) for seed in SEEDS if needed <= {event.event for event in run(seed)})
    held = hold(change(events))
    assert held.verdict == "rejected", change.__doc__


def test_an_unknown_event_is_not_passed_in_silence() -> None:
    events = run(0)
    place = place_of(events, "begin_grant")
    with pytest.raises(AssertionError, match="the projection does not handle the event 'defragment'"):
        hold([*events[:place], changed(events[place], event="defragment")])


def test_a_chunk_that_a_master_lost_is_judged_no_more() -> None:
    events = run(0)
    place = place_of(events, "begin_grant")
    restart = changed(events[place], kind="node", event="start_master", arguments={}, observed={"records": "0"})
    held = hold([*events[: place + 1], restart])
    assert (held.verdict, dict(held.ended)) == ("conforms", {words.UNDONE: 1})


def test_what_is_left_out_says_why() -> None:
    projected = [one for _, ones in projection().project(run(0)) for one in ones]
    assert all(one.reason for one in projected if isinstance(one, LeftOut))
