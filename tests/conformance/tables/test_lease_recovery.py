"""The tables of F.1 and F.3, computed from the specification, are those of the facts."""

import pytest

from genstamp.systems import system_named
from genstamp.tables import derived_page, releases
from genstamp.tables.lease_recovery import CALLS, SITUATIONS, rows

EXISTS, CREATED, RECOVERING = (
    "FileAlreadyExistsException",
    "AlreadyBeingCreatedException",
    "RecoveryInProgressException",
)
FACTS = {
    "closed": (EXISTS, "recover_lease_closed"),  # row 1
    "the caller's own": (CREATED, "recover_lease_starts"),  # row 2, which force skips
    "no lease is found": (CREATED, CREATED),  # row 3
    "past the soft limit": (f"{RECOVERING} after create_starts_recovery", "recover_lease_starts"),  # rows 5 and 4
    "past the soft limit, an attempt is young": (
        f"{RECOVERING} after create_waits",
        "recover_lease_waits",
    ),
    "past the soft limit, nothing to recover": (f"{EXISTS} after create_closes_other", "recover_lease_closes"),
    "not expired, under recovery": (RECOVERING, "recover_lease_starts"),  # row 6
    "not expired": (CREATED, "recover_lease_starts"),  # row 7
}


def test_each_situation_has_the_outcomes_of_the_facts() -> None:
    assert rows(system_named("hdfs.recovery"), "takeover") == FACTS


CLOSES, STARTS, ILLEGAL = "recover_lease_closes", "recover_lease_starts", "IllegalStateException"
RELEASES = {
    "none": (CLOSES, STARTS, STARTS, CLOSES, STARTS),  # rows 1, 6, 9, 8, 9
    "COMPLETE": (CLOSES, STARTS, STARTS, CLOSES, STARTS),
    "COMMITTED": (releases.NO_SUCH_FILE, CREATED, STARTS, ILLEGAL, STARTS),  # rows -, 5, 9, 8 and A.5, 9
    "UNDER_CONSTRUCTION": (releases.NO_SUCH_FILE, *["IOException"] * 4),  # row 3
}


def test_releases_are_those_of_the_facts() -> None:
    assert releases.rows(system_named("hdfs.lease"), "two_clients") == RELEASES


@pytest.mark.slow
def test_the_page_shows_every_row() -> None:
    page = derived_page.page()
    assert all(f"| {name} |" in page for name in SITUATIONS)
    assert f"| the file | {' | '.join(CALLS)} |" in page
