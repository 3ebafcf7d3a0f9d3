"""spec/README.md and the places: what is cited is explained, and what is named is there."""

import re
from collections.abc import Iterator
from pathlib import Path

from genstamp.systems import PLACES, system_named
from genstamp_spec.gfs.places import PROMISES
from genstamp_spec.hdfs.places import SECTIONS

PLACE = re.compile(r"\b(?:[A-J]\.\d+(?: (?:row|step) \d+)?|[AB]\d+'?|[SL]\d+)(?![\w'])")
KNOWN = {place.name for _, places in SECTIONS for place in places}


def cited(repository: Path) -> Iterator[tuple[str, str]]:
    """Each place with the name of the file that cites it."""
    for file in repository.glob("spec/genstamp_spec/**/*.py"):
        for place in PLACE.findall(file.read_text(encoding="utf-8")):
            yield place, file.name


def test_every_cited_place_is_explained(repository: Path) -> None:
    sections = {name.partition(" ")[0] for name in KNOWN}
    unknown = set()
    for place, file in cited(repository):
        section = place.partition(" ")[0]
        # Of stamps (H) the page is one place, whichever section of it is cited.
        if section not in sections and section.partition(".")[0] not in sections:
            unknown.add((place, file))
    assert unknown == set()


def test_every_file_that_the_readme_names_is_there(repository: Path) -> None:
    text = repository.joinpath("spec/README.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`(\w+\.py)`", text))
    assert names
    assert names - {file.name for file in repository.glob("spec/genstamp_spec/**/*.py")} == set()


def test_every_promise_of_gfs_is_stated_where_the_readme_says(repository: Path) -> None:
    text = repository.joinpath("spec/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| (.*gfs\..*) \|$", text, re.MULTILINE)
    told = {name: set(re.findall(r"`(gfs\.\w+)`", systems)) for name, systems in rows}
    stated: dict[str, set[str]] = {name: set() for name in PROMISES}
    for system in (name for name in PLACES if name.startswith("gfs.")):
        for claim in system_named(system).model().properties:
            stated.get(claim.doc.partition(":")[0], set()).add(system)
    assert all(stated.values())
    assert told == stated
