"""Excerpts of published incidents: each gives what its head lines say, and no violation that is none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genstamp.logs.local import Checked, check_locally

Excerpt = Callable[[str], Checked]


@pytest.fixture
def excerpt(shared_data: Path) -> Excerpt:
    """Checks the excerpt whose name begins so."""

    def check(beginning: str) -> Checked:
        (path,) = (shared_data / "incident_excerpts").glob(f"{beginning}_*")
        checked = check_locally([path])
        assert checked.rejects.num_rows == 0
        assert {row["safety"] for row in checked.verdicts.to_pylist()} == {"conformant"}
        return checked

    return check


def _told(checked: Checked, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(event[column] for column in columns) for event in checked.events.to_pylist()]


def _states(checked: Checked, kind: str) -> dict[str, tuple[str, list[str]]]:
    rows = checked.verdicts.to_pylist()
    return {row["entity"]: (row["completion"], row["states"]) for row in rows if row["kind"] == kind}


def test_deleting_commit_fails_on_a_committed_block_before_the_last(excerpt: Excerpt) -> None:
    checked = excerpt("01")
    last, before = "-9223372036154287024", "-9223372036154398096"
    assert _told(checked, "event", "entity", "refused_with", "recovery_id") == [
        ("check_file_progress", before, None, None),
        ("commit_block_synchronization", last, "IllegalStateException", 120517330),
    ]
    assert dict(checked.events.to_pylist()[1]["observed"]) == {"deleted": "true"}
    assert _states(checked, "block")[before] == ("unfinished", ["COMMITTED"])


def test_commit_under_a_stale_recovery_id_is_refused(excerpt: Excerpt) -> None:
    checked = excerpt("02")
    assert _told(checked, "event", "refused_with", "recovery_id") == [
        ("start_recovery", None, 28577373754),
        ("commit_block_synchronization", "IOException", 28577373754),
    ]
    assert dict(checked.events.to_pylist()[1]["observed"]) == {"current_recovery_id": "28578772548"}
    assert _states(checked, "block") == {"xxx": ("unfinished", ["UNDER_RECOVERY"])}


def test_pipeline_goes_on_with_two_of_three_under_the_next_stamp(excerpt: Excerpt) -> None:
    updated = [event for event in excerpt("03").events.to_pylist() if event["event"] == "update_pipeline"]
    assert [(event["entity"], event["generation_stamp"]) for event in updated] == [("1077490302", 3757651)]
    assert dict(updated[0]["observed"])["locations"].count(",") == 1


def test_lease_passes_its_hard_limit_and_the_file_stays_open(excerpt: Excerpt) -> None:
    checked = excerpt("04")
    assert _told(checked, "event") == [("release_expired_lease",), ("hard_limit_passes",), ("internal_release_lease",)]
    assert list(_states(checked, "lease").values()) == [("unfinished", ["past hard limit"])]
    assert list(_states(checked, "file").values()) == [("unfinished", ["under construction"])]


def test_block_is_committed_until_its_replica_is_reported(excerpt: Excerpt) -> None:
    checked = excerpt("05")
    events = [event for (event,) in _told(checked, "event")]
    assert events[:4] == ["add_block", "check_file_progress", "check_file_progress", "add_stored_block"]
    assert events[-3:] == ["write_block", "finalize_replica", "packet_responder_ends"]
    assert _states(checked, "block") == {"3251789645": ("complete", ["COMPLETE"])}
    assert _states(checked, "replica")["3251789645@10.104.6.156:9866"] == ("complete", ["FINALIZED"])


def test_file_goes_from_create_to_complete(excerpt: Excerpt) -> None:
    checked = excerpt("06")
    assert _told(checked, "event", "entity") == [
        ("create", "18367"),
        ("add_block", "1073743790"),
        ("complete", "18367"),
        ("rename_called", "18367"),
    ]
    assert _states(checked, "file") == {"18367": ("complete", ["closed"])}
    assert _states(checked, "block") == {"1073743790": ("complete", ["COMPLETE"])}
