"""gfs.record_append in lockstep: records at other offsets do not conform."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import msgspec
import pytest
from tests.conformance.gfs.twins import twin_named

from genstamp.events import Event
from genstamp.lockstep import Held, Holder
from genstamp.lockstep.gfs import PROJECTIONS, plan_options, simulated
from genstamp.lockstep.gfs.record_append import FOLLOWED, MORE, WRITTEN
from genstamp_spec.gfs.systems.record_append import RECORD_APPEND

pytestmark = pytest.mark.slow  # Whichever test is first compiles the system.


@cache
def holder() -> Holder:
    return Holder(RECORD_APPEND.model(), lambda: PROJECTIONS[RECORD_APPEND.name](plan_options(0)))


def hold(events: Sequence[Event]) -> Held:
    held = Held()
    holder().hold(0, events, held)
    return held


@cache
def run(seed: int) -> tuple[Event, ...]:
    return simulated(seed, plan_options(seed))


# -- twins -----------------------------------------------------------------------------------------------------


ELSEWHERE: Final = "all checks hold, but offset is"

REJECTED: Final = {
    "error-of-a-secondary-not-told": "'every replica has applied it' does not hold",
    "order-of-arrival": "'something was forwarded to it' does not hold",
    "each-replica-appends-at-its-own-end": ELSEWHERE,
}
"""Twins that break appends, and what is said of them."""


def said(held: Held) -> str:
    """All that is said of what does not conform."""
    return "\n".join(line for one in held.rejections for line in one.rejected.lines())


@pytest.mark.parametrize(("name", "reason"), REJECTED.items())
def test_a_twin_that_breaks_appends_is_rejected(name: str, reason: str) -> None:
    twin = twin_named(name)
    with twin.in_place():
        held = (holder().hold_seeds([seed], lambda seed: simulated(seed, twin.options)) for seed in range(12))
        assert any(one.verdict == "rejected" and reason in said(one) for one in held)


# -- runs that are changed ------------------------------------------------------------------------------------------


def changed(event: Event, /, **columns: Any) -> Event:
    """The implementation's own event with other columns."""
    return msgspec.structs.replace(event, **columns)


def with_arguments(event: Event, **arguments: str) -> Event:
    """The implementation's own event with other arguments."""
    return changed(event, arguments={**event.arguments, **arguments})


def place_of(events: Sequence[Event], name: str, **arguments: str) -> int:
    """Where the first event of a name stands, with these arguments."""
    return next(
        place
        for place, event in enumerate(events)
        if event.event == name and all(event.arguments[key] == value for key, value in arguments.items())
    )


def place_of_second(events: Sequence[Event], name: str) -> int:
    """Where what becomes of the second append of a lease stands; not that of a chunk that is written too."""
    written = {event.entity for event in events if event.event == "order_mutation"}
    appended = {
        (event.entity, event.generation_stamp)
        for event in events
        if event.event == "order_append" and event.arguments["serial"] == "2" and event.entity not in written
    }
    return next(
        place
        for place, event in enumerate(events)
        if event.event == name
        and event.arguments["serial"] == "2"
        and event.refused_with is None
        and (event.entity, event.generation_stamp) in appended
    )


def in_place(events: Sequence[Event], place: int, event: Event) -> list[Event]:
    return [*events[:place], event, *events[place + 1 :]]


def appended_over_the_record_before(events: Sequence[Event]) -> list[Event]:
    place = place_of_second(events, "order_append")
    return in_place(events, place, with_arguments(events[place], offset="0"))


def applied_at_another_offset(events: Sequence[Event]) -> list[Event]:
    place = place_of_second(events, "apply_mutation")
    return in_place(events, place, with_arguments(events[place], offset="0"))


def applied_before_the_primarys_end(events: Sequence[Event]) -> list[Event]:
    place = place_of_second(events, "apply_mutation")
    return in_place(events, place, changed(events[place], num_bytes=1))


def answered_with_another_offset(events: Sequence[Event]) -> list[Event]:
    place = place_of_second(events, "answer")
    return in_place(events, place, with_arguments(events[place], offset="0"))


def begun_behind_the_end_of_the_replica(events: Sequence[Event]) -> list[Event]:
    place = place_of(events, "order_append", serial="1")
    version = max(
        number
        for number, event in enumerate(events[:place])
        if event.event == "record_version" and (event.node, event.entity) == (events[place].node, events[place].entity)
    )
    return in_place(events, version, changed(events[version], num_bytes=(events[version].num_bytes or 0) + 1))


def padded_though_it_fits(events: Sequence[Event]) -> list[Event]:
    full = events[place_of(events, "pad_chunk")].num_bytes
    place = place_of_second(events, "order_append")
    return in_place(events, place, changed(events[place], event="pad_chunk", num_bytes=full))


def appended_beyond_the_end_of_the_chunk(events: Sequence[Event]) -> list[Event]:
    place = place_of(events, "pad_chunk")
    return [*in_place(events, place, changed(events[place], event="order_append")), events[place]]


def appended_behind_the_padding(events: Sequence[Event]) -> list[Event]:
    place = place_of(events, "pad_chunk")
    pad = events[place]
    serial = str(int(pad.arguments["serial"]) + 1)
    more = changed(with_arguments(pad, serial=serial, offset=str(pad.num_bytes), data="00"), event="order_append")
    return [*events[: place + 1], more, *events[place + 1 :]]


CHANGES: Final = {
    appended_over_the_record_before: ELSEWHERE,
    applied_at_another_offset: ELSEWHERE,
    applied_before_the_primarys_end: ELSEWHERE,
    answered_with_another_offset: ELSEWHERE,
    begun_behind_the_end_of_the_replica: ELSEWHERE,
    padded_though_it_fits: "fits is false, shown true",
    appended_beyond_the_end_of_the_chunk: "fits is true, shown false",
    appended_behind_the_padding: "'the record fits into the chunk' does not hold",
}


@pytest.mark.parametrize(("change", "reason"), CHANGES.items(), ids=lambda item: getattr(item, "__name__", ""))
def test_a_changed_run_is_rejected(change: Callable[[Sequence[Event]], list[Event]], reason: str) -> None:
    events = run(0)
    assert hold(events).verdict == "conforms"
    held = hold(change(events))
    assert held.verdict == "rejected"
    assert reason in said(held)


def test_more_appends_than_are_followed_end_the_judgement() -> None:
    events = run(0)
    place = place_of(events, "order_append", serial="1")
    ordered = events[place]
    before = [event for event in events[:place] if event.event in ("learn_lease", "record_version")]
    begins = int(ordered.arguments["offset"])
    many = [
        changed(
            with_arguments(ordered, serial=str(number + 1), data=f"{number:02x}", offset=str(begins + number)),
            num_bytes=begins + number + 1,
        )
        for number in range(FOLLOWED + 1)
    ]
    held = hold([*before, *many])
    assert (held.verdict, dict(held.ended)) == ("conforms", {MORE: 1})


def test_chunks_that_are_written_are_not_judged() -> None:
    events = run(0)
    written = {event.entity for event in events if event.event == "order_mutation"}
    alone = [event for event in events if event.entity in written]
    assert (hold(alone).entities, hold(events).left_out[WRITTEN] > 0) == (0, True)
