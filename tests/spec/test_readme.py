"""spec/README.md says what each promise and each cited place is about."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from genstamp_spec.hdfs.systems.recovery import RECOVERY

PLACE = re.compile(r"\b(?:[A-J]\.\d+|[AB]\d+'?|S\d+)(?![\w'])")
KINDS = {"invariant": "checked", "transition": "checked", "witness": "witnessed"}


@pytest.fixture(scope="module")
def rows(repository: Path) -> list[list[str]]:
    """The rows of all tables of the README, cell by cell."""
    lines = repository.joinpath("spec/README.md").read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split(" |")] for line in lines if line.startswith("| ")]


def cited(repository: Path) -> Iterator[tuple[str, str]]:
    """Each place with the name of the file that cites it."""
    for file in repository.glob("spec/genstamp_spec/**/*.py"):
        for place in PLACE.findall(file.read_text(encoding="utf-8")):
            yield place, file.name


def test_every_cited_place_is_explained(repository: Path, rows: list[list[str]]) -> None:
    explained = {place for row in rows for place in row[0].split(", ")}
    assert {place for place, _ in cited(repository)} - explained == set()


def test_sections_are_listed_with_the_files_that_cite_them(repository: Path, rows: list[list[str]]) -> None:
    listed = {(row[0], file) for row in rows if "." in row[0] for file in re.findall(r"`(\w+\.py)`", row[-1])}
    assert {(place, file) for place, file in cited(repository) if "." in place} == listed


def test_every_property_is_named_with_what_is_known_of_it(rows: list[list[str]]) -> None:
    known = {claim.name: "proved" if claim.inductive else KINDS[claim.kind] for claim in RECOVERY.model().properties}
    named = {name: row[3] for row in rows if len(row) == 4 for name in re.findall(r"`(\w+)`", row[2])}
    assert known == named
