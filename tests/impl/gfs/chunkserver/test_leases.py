"""The leases that a chunkserver believes in: from when they count, and what ends them."""

import pytest

from genstamp_dfs.gfs.chunkserver.leases import Leases
from genstamp_dfs.gfs.errors import NotPrimary, StaleVersion

LEASE_US = 1_000


class Clock:
    """A world in which only time passes, as far as this test lets it."""

    node = "chunkserver1"

    def __init__(self) -> None:
        self.now = 0

    def now_us(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def leases(clock: Clock) -> Leases:
    return Leases(clock, LEASE_US)  # type: ignore[arg-type]


def is_primary(leases: Leases, version: int = 2) -> bool:
    try:
        return leases.held(1, version).version == version
    except NotPrimary:
        return False


def test_a_lease_counts_from_when_its_version_was_recorded(clock: Clock, leases: Leases) -> None:
    leases.count(1, 2)
    clock.now = 900
    leases.grant(1, 2, ("b",))
    assert is_primary(leases)
    clock.now = 999
    assert leases.believed() == [1]
    clock.now = 1000
    assert not is_primary(leases)
    assert leases.believed() == []


def test_a_grant_that_comes_when_the_time_is_over_makes_no_primary(clock: Clock, leases: Leases) -> None:
    leases.count(1, 2)
    clock.now = 1000
    with pytest.raises(StaleVersion):
        leases.grant(1, 2, ())


def test_a_lease_goes_on_from_when_the_heartbeat_was_sent(clock: Clock, leases: Leases) -> None:
    leases.count(1, 2)
    leases.grant(1, 2, ())
    clock.now = 800
    leases.extend(1, 2, counted_us=500)
    clock.now = 1499
    assert is_primary(leases)
    # An old heartbeat's answer shortens nothing.
    leases.extend(1, 2, counted_us=100)
    assert is_primary(leases)
    clock.now = 1500
    leases.extend(1, 2, counted_us=1400)
    assert not is_primary(leases), "what is over stays so"


def test_an_extension_is_for_its_version_alone(clock: Clock, leases: Leases) -> None:
    leases.count(1, 3)
    leases.grant(1, 3, ())
    clock.now = 900
    leases.extend(1, 2, counted_us=900)
    clock.now = 1000
    assert not is_primary(leases, 3)


def test_a_version_of_an_earlier_life_makes_no_primary(leases: Leases) -> None:
    with pytest.raises(StaleVersion):
        leases.grant(1, 2, ())
    leases.count(1, 3)
    with pytest.raises(StaleVersion):
        leases.grant(1, 2, ())
    assert not leases.takes_part(1, 2)
    assert leases.takes_part(1, 3)


def test_a_higher_version_ends_the_lease(leases: Leases) -> None:
    leases.count(1, 2)
    leases.grant(1, 2, ())
    leases.count(1, 3)
    assert not is_primary(leases)
    assert not is_primary(leases, 3)


def test_what_was_revoked_cannot_be_granted_by_a_late_message(leases: Leases) -> None:
    leases.count(1, 2)
    leases.end(1, 2)
    with pytest.raises(StaleVersion):
        leases.grant(1, 2, ())
    leases.count(1, 3)
    leases.grant(1, 3, ())
    leases.end(1, 2)
    assert is_primary(leases, 3), "a late revocation is for lower versions alone"
    leases.end(1, 3)
    assert not is_primary(leases, 3)


def test_only_leases_that_are_used_are_to_go_on(leases: Leases) -> None:
    leases.count(1, 2)
    leases.grant(1, 2, ())
    assert leases.wanted() == ()
    leases.held(1, 2).is_used = True
    assert leases.wanted() == ((1, 2),)
    assert leases.wanted() == ()


def test_whoever_is_unknown_to_the_master_holds_no_lease(leases: Leases) -> None:
    leases.count(1, 2)
    leases.grant(1, 2, ())
    leases.end_all()
    assert not is_primary(leases)
    with pytest.raises(StaleVersion):
        leases.grant(1, 2, ())
