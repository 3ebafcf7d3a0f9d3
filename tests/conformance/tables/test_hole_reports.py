"""The bug reports of holes and losses: complete, about a hole that exists, and on the page."""

import json
from pathlib import Path

import pytest

from genstamp.systems import every_system
from genstamp.tables import hole_reports, holes_page
from genstamp.tables.hole_reports import DIRECTORY, ReportError

NOT_WRITTEN = {
    "abandon-looks-at-the-block",
    "answers-are-kept",
    "append-to-a-full-block-passes-none",
    "closing-fails-before-it-begins",
    "closing-fails-half-way",
    "copies-of-earlier-attempts",
    "deletion-spares-snapshots",
    "excess-outlives-reopening",
    "finalized-lengths-need-not-agree",
    "first-answer-counts",
    "fsync-stops-for-a-recovery",
    "half-a-cut-is-enough",
    "hflush-waits-for-reports",
    "incremental-reports-overtake-a-full-one",
    "known-bytes-are-not-deleted",
    "late-fsync-changes-nothing",
    "length-is-checked-before-the-stamp",
    "marks-of-length-and-state-stay",
    "orders-overtake-reports",
    "pending-copy-ends-unseen",
    "pipelines-bring-a-new-stamp",
    "recoveries-end-with-their-namenode",
    "recovery-id-leaves-unsynced",
    "restart-keeps-what-was-acknowledged",
    "safe-mode-waits-for-reports",
    "soft-limit-takes-the-file",
    "stale-replica-joins-a-recovery",
    "transfer-spares-a-younger-recovery",
    "waiting-replicas-do-not-decide-alone",
}
"""Holes without a report. It only shrinks: a new hole comes with its report."""
GIVEN = (DIRECTORY / "stale-is-not-gone.toml").read_text(encoding="utf-8")


def test_each_hole_has_a_report_and_each_report_a_hole() -> None:
    holes = {hole.name for _, hole in holes_page.holes(every_system())}
    reports = hole_reports.read()
    losses = {name for name, report in reports.items() if report.texts["kind"] == "loss"}
    written = set(reports) - losses
    assert written <= holes, 'no hole has this name; a loss that the model does not have needs kind = "loss"'
    assert not losses & holes, 'the model has this hole: write kind = "hole"'
    assert holes - written == NOT_WRITTEN, (
        f"add spec/genstamp_spec/holes/NAME.toml with {', '.join(hole_reports.TEXTS)} and a table reproduced with "
        f"{', '.join(hole_reports.RELEASES)}; then take NAME out of NOT_WRITTEN, and run genstamp tables"
    )


@pytest.mark.parametrize("release", hole_reports.RELEASES)
def test_each_loss_is_one_that_was_seen_on_apache_hdfs(repository: Path, release: str) -> None:
    seen = repository / "adapters" / "apache-hdfs" / "losses" / "seen" / f"{release}.json"
    losses = {name: one for name, one in hole_reports.read().items() if one.texts["kind"] == "loss"}
    assert set(losses) == set(json.loads(seen.read_text(encoding="utf-8")))
    assert {one.reproduced[release] for one in losses.values()} == {f"losses.py {name}" for name in losses}


def test_the_table_is_current_and_each_line_has_its_page(repository: Path) -> None:
    systems = every_system()
    assert (repository / "docs" / "holes.md").read_text(encoding="utf-8") == holes_page.page(systems)
    names = {hole.name for _, hole in holes_page.holes(systems)} | set(hole_reports.read())
    assert {path.stem for path in (repository / "docs" / "holes").glob("*.md")} == names


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("since = ", "sinse = ", "has the keys .*sinse"),
        ('"3.5.0" = ', '"3.6.0" = ', "releases under reproduced .*3.6.0"),
        ('kind = "hole"', 'kind = "whole"', "has kind 'whole'; expected one of hole, loss"),
        ("'''none found'''", "''' '''", "has empty texts: upstream"),
    ],
)
def test_an_incomplete_report_is_refused(tmp_path: Path, old: str, new: str, error: str) -> None:
    given = GIVEN.replace("upstream = '''not searched yet'''", "upstream = '''none found'''")
    assert old in given
    (tmp_path / "a.toml").write_text(given.replace(old, new))
    with pytest.raises(ReportError, match=error):
        hole_reports.read(tmp_path)
