"""The leases that a chunkserver believes in: from when they count, and what ends them."""

from collections.abc import Callable

import pytest

from genstamp_dfs.gfs.chunkserver.primaries import Primaries
from genstamp_dfs.gfs.errors import NotPrimary, StaleVersion

LEASE_US = 1_000


class Clock:
    """A world in which only time passes, as far as this test lets it."""

    node = "chunkserver1"

    def __init__(self) -> None:
        self.now = 0
        self.waited = 0
        self.on_wait: Callable[[], None] = lambda: None

    def now_us(self) -> int:
        return self.now

    def condition(self) -> "Clock":
        return self

    def notify_all(self) -> None:
        pass

    async def wait(self) -> bool:
        self.waited += 1
        self.on_wait()
        return True


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def primaries(clock: Clock) -> Primaries:
    return Primaries(clock, LEASE_US)  # type: ignore[arg-type]


def is_primary(primaries: Primaries, version: int = 2) -> bool:
    try:
        return primaries.of(1, version).version == version
    except NotPrimary:
        return False


def test_a_lease_counts_from_when_its_version_was_recorded(clock: Clock, primaries: Primaries) -> None:
    primaries.recorded(1, 2)
    clock.now = 900
    primaries.grant(1, 2, ("b",))
    assert is_primary(primaries)
    clock.now = 999
    assert is_primary(primaries)
    clock.now = 1000
    assert not is_primary(primaries)
    assert list(primaries) == []


def test_a_lease_goes_on_from_when_the_heartbeat_was_sent(clock: Clock, primaries: Primaries) -> None:
    primaries.recorded(1, 2)
    primaries.grant(1, 2, ())
    clock.now = 800
    primaries.extend(1, 2, sent_us=500)
    clock.now = 1499
    assert is_primary(primaries)
    # An old heartbeat's answer shortens nothing.
    primaries.extend(1, 2, sent_us=100)
    assert is_primary(primaries)
    clock.now = 1500
    primaries.extend(1, 2, sent_us=1400)
    assert not is_primary(primaries), "what is over stays so"


def test_an_extension_is_for_its_version_alone(clock: Clock, primaries: Primaries) -> None:
    primaries.recorded(1, 3)
    primaries.grant(1, 3, ())
    primaries.extend(1, 2, sent_us=900)
    clock.now = 1000
    assert not is_primary(primaries, 3)


def test_a_version_of_an_earlier_life_makes_no_primary(primaries: Primaries) -> None:
    with pytest.raises(StaleVersion):
        primaries.grant(1, 2, ())
    primaries.recorded(1, 3)
    with pytest.raises(StaleVersion):
        primaries.grant(1, 2, ())
    assert not primaries.takes_part(1, 2)
    assert primaries.takes_part(1, 3)


def test_a_higher_version_ends_the_lease(primaries: Primaries) -> None:
    primaries.recorded(1, 2)
    primaries.grant(1, 2, ())
    primaries.recorded(1, 3)
    assert not is_primary(primaries)
    assert not is_primary(primaries, 3)


async def _revoked(primaries: Primaries, version: int) -> None:
    await primaries.revoke(1, version)


def run(work: object) -> None:
    """Run what never waits for anything but the clock."""
    with pytest.raises(StopIteration):
        work.send(None)  # type: ignore[attr-defined]


def test_what_was_revoked_cannot_be_granted_by_a_late_message(primaries: Primaries) -> None:
    primaries.recorded(1, 2)
    run(_revoked(primaries, 2))
    with pytest.raises(StaleVersion):
        primaries.grant(1, 2, ())
    primaries.recorded(1, 3)
    primaries.grant(1, 3, ())
    run(_revoked(primaries, 2))
    assert is_primary(primaries, 3), "a late revocation is for lower versions alone"
    run(_revoked(primaries, 3))
    assert not is_primary(primaries, 3)


def test_a_revocation_waits_for_what_is_half_done(clock: Clock, primaries: Primaries) -> None:
    primaries.recorded(1, 2)
    primaries.grant(1, 2, ())
    primaries.begins(1)
    primaries.begins(1)
    clock.on_wait = lambda: primaries.ends(1)
    run(_revoked(primaries, 2))
    assert clock.waited == 2


def test_whoever_is_unknown_to_the_master_holds_no_lease(primaries: Primaries) -> None:
    primaries.recorded(1, 2)
    primaries.grant(1, 2, ())
    primaries.forget_leases()
    assert not is_primary(primaries)
    primaries.grant(1, 2, ())
    primaries.forget(1)
    assert not is_primary(primaries)
    assert not primaries.takes_part(1, 2)
