"""The bug reports of holes and losses: complete, about a hole that exists, and on the page."""

import json
from pathlib import Path

import pytest

from genstamp.systems import every_system
from genstamp.tables import hole_reports, holes_page
from genstamp.tables.hole_reports import DIRECTORY, ReportError

GIVEN = (DIRECTORY / "stale-is-not-gone.toml").read_text(encoding="utf-8")


def test_each_hole_has_a_report_and_each_report_a_hole() -> None:
    holes = {hole.name for _, hole in holes_page.holes(every_system())}
    reports = hole_reports.read()
    losses = {name for name, report in reports.items() if report.texts["kind"] == "loss"}
    written = set(reports) - losses
    assert written <= holes, 'no hole has this name; a loss that the model does not have needs kind = "loss"'
    assert not losses & holes, 'the model has this hole: write kind = "hole"'
    assert holes == written, (
        f"add spec/genstamp_spec/holes/NAME.toml with {', '.join(hole_reports.TEXTS)} and a table reproduced with "
        f"{', '.join(hole_reports.RELEASES)}; then run genstamp tables"
    )


@pytest.mark.parametrize("release", hole_reports.RELEASES)
def test_what_a_program_showed_on_apache_hdfs_is_reported(repository: Path, release: str) -> None:
    record = repository / "adapters" / "apache-hdfs" / "losses" / "seen" / f"{release}.json"
    seen = {f"losses.py {name}": name for name in json.loads(record.read_text(encoding="utf-8"))}
    reports = hole_reports.read()
    shown = {name: one.reproduced[release] for name, one in reports.items() if "losses.py" in one.reproduced[release]}
    assert set(shown.values()) == set(seen)
    assert all(shown[name] == program for program, name in seen.items() if name in reports)
    assert {name for name, one in reports.items() if one.texts["kind"] == "loss"} <= set(shown)


def test_each_hole_and_each_loss_has_its_page(repository: Path) -> None:
    """`genstamp verify` compares what they say."""
    names = {hole.name for _, hole in holes_page.holes(every_system())} | set(hole_reports.read())
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
    assert old in GIVEN
    (tmp_path / "a.toml").write_text(GIVEN.replace(old, new))
    with pytest.raises(ReportError, match=error):
        hole_reports.read(tmp_path)
