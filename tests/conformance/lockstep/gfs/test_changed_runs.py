"""Runs of GFS in which one event was changed by chance: each system has a verdict on them, whatever it is."""

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Final

import pytest
from msgspec.structs import replace

from genstamp.events import Event
from genstamp.lockstep import Held, Holder
from genstamp.lockstep.gfs import PROJECTIONS, plan_options, simulated
from genstamp.systems import system_named

SEED: Final = 3
CHANGES: Final = 200


@cache
def run() -> tuple[Event, ...]:
    return simulated(SEED, plan_options(SEED))


def without(events: list[Event], place: int, _random: Random) -> None:
    del events[place]


def again(events: list[Event], place: int, _random: Random) -> None:
    events.insert(place, events[place])


def later(events: list[Event], place: int, random: Random) -> None:
    events.insert(place + random.randrange(1, 30), events.pop(place))


def of_another_version(events: list[Event], place: int, random: Random) -> None:
    version = events[place].generation_stamp
    if version is not None:
        events[place] = replace(events[place], generation_stamp=version + random.choice((-1, 1, 5)))


def by_another(events: list[Event], place: int, random: Random) -> None:
    """Another chunkserver does it, or it is done to another one."""
    other, event = random.choice(("chunkserver1", "chunkserver4")), events[place]
    if event.node != "master":
        events[place] = replace(event, node=other)
    elif "chunkserver" in event.arguments:
        events[place] = replace(event, arguments={**event.arguments, "chunkserver": other})


def of_another_length(events: list[Event], place: int, random: Random) -> None:
    num_bytes = events[place].num_bytes
    if num_bytes is not None:
        events[place] = replace(events[place], num_bytes=max(0, num_bytes + random.choice((-1, 1))))


HOW: Final = (without, again, later, of_another_version, by_another, of_another_length)


def changed(events: Sequence[Event], random: Random) -> list[Event]:
    """One event is changed, of any name; records of the log are not, as without one of them it is no run."""
    found = list(events)
    name = random.choice(sorted({event.event for event in found} - {"append_record", "recover"}))
    place = random.choice([place for place, event in enumerate(found) if event.event == name])
    random.choice(HOW)(found, place, random)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTIONS)
def test_a_run_that_was_changed_by_chance_has_a_verdict(name: str) -> None:
    random, held = Random(SEED), Held()
    holder = Holder(system_named(name).model(), lambda: PROJECTIONS[name](plan_options(SEED)))
    for number in range(CHANGES):
        holder.hold(number, changed(run(), random), held)
    assert held.verdict == "rejected"
