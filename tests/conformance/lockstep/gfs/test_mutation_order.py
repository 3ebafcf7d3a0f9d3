"""gfs.mutation_order in lockstep: replicas and primaries out of order do not conform."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import msgspec
import pytest
from tests.conformance.gfs.twins import twin_named

from genstamp.events import Event
from genstamp.lockstep import Held, Holder
from genstamp.lockstep.gfs import PROJECTIONS, plan_options, simulated
from genstamp.lockstep.gfs.mutation_order import FOLLOWED, MORE
from genstamp_dfs.gfs.simulation.plan import make_plan
from genstamp_spec.gfs.systems.mutation_order import MUTATION_ORDER

pytestmark = pytest.mark.slow  # Whichever test is first compiles the system.


@cache
def holder() -> Holder:
    return Holder(MUTATION_ORDER.model(), lambda: PROJECTIONS[MUTATION_ORDER.name](plan_options(0)))


def hold(events: Sequence[Event]) -> Held:
    held = Held()
    holder().hold(0, events, held)
    return held


@cache
def run(seed: int) -> tuple[Event, ...]:
    return simulated(seed, plan_options(seed))


# -- twins -----------------------------------------------------------------------------------------------------


REJECTED: Final = {
    "error-of-a-secondary-not-told": "every replica has applied it",
    "order-of-arrival": "a mutation was forwarded to it",
}
"""Twins that break the order, and the check that says so."""


@pytest.mark.parametrize(("name", "reason"), REJECTED.items())
def test_a_twin_that_breaks_the_order_is_rejected(name: str, reason: str) -> None:
    twin = twin_named(name)
    with twin.in_place():
        held = (holder().hold_seeds([seed], lambda seed: simulated(seed, twin.options)) for seed in range(6))
        assert any(reason in rejected.rejected.labels for one in held for rejected in one.rejections)


# -- runs that are changed ------------------------------------------------------------------------------------------


def changed(event: Event, /, **columns: Any) -> Event:
    """The implementation's own event with other columns."""
    return msgspec.structs.replace(event, **columns)


def places_of_pair(events: Sequence[Event]) -> tuple[int, int]:
    """Where a secondary applies the first and the second mutation of a lease of which both succeed."""
    applied: dict[tuple[str, str, int | None], int] = {}
    for place, event in enumerate(events):
        key = (event.node, event.entity, event.generation_stamp)
        if event.event == "apply_mutation" and event.arguments["serial"] == "1":
            applied[key] = place
        if event.event == "apply_mutation" and event.arguments["serial"] == "2" and key in applied:
            return applied[key], place
    raise AssertionError("no secondary applies two mutations")


def applied_in_the_order_of_arrival(events: Sequence[Event]) -> list[Event]:
    first, second = places_of_pair(events)
    swapped = list(events)
    swapped[first], swapped[second] = swapped[second], swapped[first]
    return swapped


def answered_without_a_secondary(events: Sequence[Event]) -> list[Event]:
    first, _ = places_of_pair(events)
    return [*events[:first], *events[first + 1 :]]


def applied_twice(events: Sequence[Event]) -> list[Event]:
    first, second = places_of_pair(events)
    return [*events[: second + 1], events[first], *events[second + 1 :]]


def serial_given_twice(events: Sequence[Event]) -> list[Event]:
    place = next(
        place
        for place, event in enumerate(events)
        if event.event in ("order_mutation", "order_append") and event.arguments["serial"] == "2"
    )
    again = changed(events[place], arguments={**events[place].arguments, "serial": "1"})
    return [*events[:place], again, *events[place + 1 :]]


def ordered_by_a_secondary(events: Sequence[Event]) -> list[Event]:
    first, _ = places_of_pair(events)
    secondary = events[first].node
    place = next(
        place
        for place, event in enumerate(events)
        if event.event in ("order_mutation", "order_append")
        and (event.entity, event.generation_stamp) == (events[first].entity, events[first].generation_stamp)
    )
    return [*events[:place], changed(events[place], node=secondary), *events[place + 1 :]]


def heard_before_it_was_answered(events: Sequence[Event]) -> list[Event]:
    place = next(place for place, event in enumerate(events) if event.event == "acknowledge")
    data = events[place].arguments["data"]
    ordered = next(
        place
        for place, event in enumerate(events)
        if event.event in ("order_mutation", "order_append") and event.arguments["data"] == data
    )
    return [*events[: ordered + 1], events[place], *events[ordered + 1 :]]


CHANGES: Final = (
    applied_in_the_order_of_arrival,
    answered_without_a_secondary,
    applied_twice,
    serial_given_twice,
    ordered_by_a_secondary,
    heard_before_it_was_answered,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_changed_run_is_rejected(change: Callable[[Sequence[Event]], list[Event]]) -> None:
    events = run(0)
    assert hold(events).verdict == "conforms"
    assert hold(change(events)).verdict == "rejected"


def test_a_chunkserver_that_the_lease_does_not_name_takes_no_part() -> None:
    events = run(0)
    first, _ = places_of_pair(events)
    lease = (events[first].entity, events[first].generation_stamp)
    granted = next(
        event for event in events if event.event == "learn_lease" and (event.entity, event.generation_stamp) == lease
    )
    named = {granted.node, *granted.arguments["secondaries"].split(",")}
    stranger = next(name for name in make_plan(0).chunkservers if name not in named)
    held = hold([*events[:first], changed(events[first], node=stranger), *events[first:]])
    assert "it is a replica of the lease" in {label for one in held.rejections for label in one.rejected.labels}


def test_more_mutations_than_are_followed_end_the_judgement() -> None:
    events = run(0)
    place = next(place for place, event in enumerate(events) if event.event in ("order_mutation", "order_append"))
    ordered = events[place]
    before = [event for event in events[:place] if event.event == "learn_lease"]
    many = [
        changed(ordered, arguments={**ordered.arguments, "serial": str(serial), "data": f"{serial:02x}"})
        for serial in range(1, FOLLOWED + 2)
    ]
    held = hold([*before, *many])
    assert (held.verdict, dict(held.ended)) == ("conforms", {MORE: 1})
