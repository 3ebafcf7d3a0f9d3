"""The pages that are made from the specification: what is cited where, gaps, faults and holes."""

import re
from pathlib import Path

import pytest
from tests.pages import REPOSITORY

from genstamp import lock
from genstamp.cli import tables as verb
from genstamp.systems import PLACES, every_system, system_named
from genstamp.tables import coverage_page, holes_page, museum_page
from genstamp.tables.citations import cited, cited_by_action, cited_by_helpers, promised_by
from genstamp.verify.job import Context
from genstamp.verify.row import Verdict
from genstamp.verify.searching import variation
from genstamp_spec.hdfs.bugs.left_out import LEFT_OUT
from genstamp_spec.hdfs.places import SECTIONS

RECOVERY = system_named("hdfs.recovery")
KNOWN = [place.name for _, places in SECTIONS for place in places]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Source  X#y, Hadoop 3.4.1; facts E.9, A.3 (HDFS-10240 included).", ["E.9", "A.3"]),
        ("facts B.4 steps 3 and 4", ["B.4"]),
        ("facts F.3 rows 2 to 4, and H.", ["F.3 row 2", "F.3 row 3", "F.3 row 4", "H"]),
        ("facts B1', F.1 row 5", ["B1'", "F.1 row 5"]),
        ("F.3 alone names no row; HDFS-12, A block, B100, 1.A2", []),
        ("(A8, A8)", ["A8"]),
    ],
)
def test_places_are_found_in_text(text: str, places: list[str]) -> None:
    assert cited(text, KNOWN) == places


def test_places_have_one_name_each() -> None:
    assert len(set(KNOWN)) == len(KNOWN)


def test_an_action_cites_by_itself_and_by_its_helpers() -> None:
    model = RECOVERY.model()
    assert "E.5" in cited_by_action(model.action("add_block"), KNOWN)
    assert "E.0" not in cited_by_action(model.action("add_block"), KNOWN)
    assert "E.0" in cited_by_helpers(model.action("add_block"), KNOWN)


def test_a_property_promises_what_stands_before_its_colon() -> None:
    model = RECOVERY.model()
    assert promised_by(model.property("hflushed_bytes_survive"), KNOWN) == ["S5", "S6"]
    assert promised_by(model.property("stamps_come_from_the_counter"), KNOWN) == []


def test_what_was_never_taken_states_nothing(repository: Path) -> None:
    locked = lock.read(repository / "spec" / "spec.lock")
    assert any("add_block" in text for text in coverage_page.by_place([RECOVERY], locked)["E.5"].actions)
    assert coverage_page.by_place([RECOVERY], {})["E.5"].actions == []
    assert "E.5" in coverage_page.gaps([RECOVERY], {})
    assert "G.7" not in coverage_page.gaps([RECOVERY], {}), "it is left out, and the reason is given"


def test_the_museum_shows_each_fault_with_what_the_lock_says(repository: Path) -> None:
    shown_on = museum_page.showings(repository)
    page = museum_page.page([RECOVERY], lock.read(repository / "spec" / "spec.lock"), shown_on)
    [row] = [line for line in page.splitlines() if line.startswith("| HDFS-10240 ")]
    assert "S11 `fenced_client_changes_nothing`" in row
    assert "7 steps, 976 states (takeover)" in row
    assert row.endswith("| 2.10.2 yes, 3.4.1 gone |")
    [row] = [line for line in page.splitlines() if line.startswith("| HDFS-1218 ")]
    assert row.endswith("| not shown |")
    assert "not in the lock" in museum_page.page([RECOVERY], {}, {})


def test_a_fault_that_both_releases_show_alike_is_not_called_gone(tmp_path: Path) -> None:
    seen = tmp_path / "adapters" / "apache-hdfs" / "museum" / "seen"
    seen.mkdir(parents=True)
    (seen / "2.7.1.json").write_text('{"one": {"lost": 1}, "two": {"lost": 1}}')
    (seen / "3.4.1.json").write_text('{"one": {"lost": 1}, "two": {"lost": 0}}')
    assert museum_page.showings(tmp_path) == {"one": "2.7.1 as in 3.4.1", "two": "2.7.1 yes, 3.4.1 gone"}


def test_a_release_has_the_faults_of_the_museum() -> None:
    own = {bug.name for system in every_system() for bug in system.bugs}
    releases = [one for system in every_system() for some in system.semantics.values() for one in some]
    assert {one.name for one in releases if one.kind == "bug"} <= own


def test_each_fault_is_shown_once_or_left_out() -> None:
    shown = [bug.name for _, bug in museum_page.faults(every_system())]
    assert sorted(set(shown)) == sorted(shown)
    left_out = [f"HDFS-{number}" for names, _ in LEFT_OUT for number in re.findall(r"\d+", names)]
    assert sorted(set(left_out)) == sorted(left_out)
    assert not set(shown) & set(left_out)
    assert len(shown) >= 60


@pytest.mark.slow
def test_a_hole_whose_page_has_another_story_is_violated(tmp_path: Path) -> None:
    name, docs = "hflush-sees-the-recovery", tmp_path / "docs" / "holes"
    docs.mkdir(parents=True)
    context = Context(repository=tmp_path, directory=tmp_path, data=None, seed=0)

    def judged(page: str) -> Verdict:
        (docs / f"{name}.md").write_text(page)
        (row,) = variation(context, f"hole hdfs.recovery {name}", PLACES["hdfs.recovery"], name)
        return row.verdict

    page = holes_page.pages([RECOVERY], {})[f"{name}.md"]
    assert holes_page.pages([RECOVERY], {}, holes_page.kept(REPOSITORY / "docs" / "holes"))[f"{name}.md"] == page
    assert judged(page) is Verdict.HOLDS
    assert judged(page.replace("10 steps in", "9 steps in")) is Verdict.VIOLATED
    assert judged(page.replace("hdfs.recovery:takeover", "hdfs.lease:takeover")) is Verdict.HOLDS


def test_pages_that_differ_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "PAGES", {"a.md": lambda repository: "a", "b.md": lambda repository: "b"})
    monkeypatch.setattr(verb, "FOLDERS", {"c": lambda repository: {"d.md": "d"}})
    (tmp_path / "spec").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "b.md").write_text("b")
    assert verb.not_current(tmp_path) == ["a.md", "c/d.md"]
    verb.tables(tmp_path)
    assert verb.not_current(tmp_path) == []


def test_a_page_that_nothing_makes_any_more_is_named_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verb, "PAGES", {"a.md": lambda repository: "a"})
    monkeypatch.setattr(verb, "FOLDERS", {"c": lambda repository: {"d.md": "d"}})
    (tmp_path / "spec").mkdir()
    made, old = tmp_path / "docs" / "c", tmp_path / "docs" / "c" / "old.md"
    made.mkdir(parents=True)
    (tmp_path / "docs" / "by-hand.md").write_text("kept")
    verb.tables(tmp_path)
    old.write_text("of a hole that is gone")
    assert verb.not_current(tmp_path) == ["c/old.md"]
    verb.tables(tmp_path)
    assert (old.exists(), verb.not_current(tmp_path)) == (False, [])
    assert (tmp_path / "docs" / "by-hand.md").read_text() == "kept"
