"""What each source declares holds for what its reader gives, and no line is left out in silence."""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.conformance.logs.fuzz.damage import DAMAGES
from tests.conformance.logs.fuzz.samples import POOL, SAMPLES, Files, sample, write

from genstamp.events import Kind
from genstamp.logs.local import Checked, check_locally
from genstamp.logs.rules import BOOKS, NO_RULE
from genstamp.logs.sources import EDIT_LOGS, EDITS, SHARED, Logged
from genstamp.logs.sources.declared import SOURCES, logged

OF_LINES = ("logs of servers", "wordings", "audit log", "client log", "merged log", "events", "trace of calls")
"""Samples of which each line is read by itself, and gives what it gives at its own place."""


@cache
def _checked(name: str) -> Checked:
    with TemporaryDirectory() as place:
        return check_locally([write(sample(name), Path(place))], group=POOL)


def _steps(checked: Checked) -> Iterator[tuple[frozenset[str], Kind, frozenset[str]]]:
    """For each event that can only have been a step: who told of it, of which kind of entity, and which it can be."""
    sources: dict[tuple[str, int], set[str]] = defaultdict(set)
    for event in checked.events.to_pylist():
        sources[event["place"]["file"], event["place"]["line"]].add(event["source"])
    for row in checked.concerns.to_pylist():
        ways = BOOKS[row["kind"]].rules[row["rule"]].ways if row["rule"] != NO_RULE else ()
        if ways and all(way.fires for way in ways):
            told = frozenset(sources[row["place"]["file"], row["place"]["line"]])
            yield told, row["kind"], frozenset(step for way in ways for step in way.fires)


@pytest.mark.slow
def test_every_source_is_read_from_some_sample() -> None:
    told = {source for name in SAMPLES for source in _checked(name).events.column("source").to_pylist()}
    assert told == set(SOURCES) - (EDIT_LOGS - {EDITS}) - set(SHARED.values())


@pytest.mark.parametrize("name", SAMPLES)
def test_step_that_is_told_of_is_none_that_its_source_never_logs(name: str) -> None:
    wrong = {
        (kind, *sorted(steps), *sorted(sources))
        for sources, kind, steps in _steps(_checked(name))
        if all(logged(source, kind, step) in (Logged.UNSEEN, Logged.ABSENT) for source in sources for step in steps)
    }
    assert wrong == set()


def _lines(files: Files) -> Mapping[str, int]:
    return {path: len(content.splitlines()) for path, content in files.items()}


def _accounted(checked: Checked, place: Path) -> Mapping[str, int]:
    """Lines of each file that are an event, a reject, or counted by kind; twice if two of these."""
    found: dict[str, int] = defaultdict(int)
    for row in checked.coverage.to_pylist():
        if row["what"] == "line":
            found[str(Path(row["file"]).relative_to(place))] += row["count"]
    at = {(row["place"]["file"], row["place"]["line"]) for row in checked.events.to_pylist()}
    at |= {(row["place"]["file"], row["place"]["line"]) for row in checked.rejects.to_pylist()}
    for file, _ in at:
        found[str(Path(file).relative_to(place))] += 1
    return dict(found)


@pytest.mark.parametrize("name", OF_LINES)
def test_every_line_is_an_event_a_reject_or_counted(tmp_path: Path, name: str) -> None:
    checked = check_locally([write(sample(name), tmp_path)])
    assert checked.rejects.num_rows == 0
    assert _accounted(checked, tmp_path) == _lines(sample(name))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", OF_LINES)
def test_every_damaged_line_is_an_event_a_reject_or_counted(tmp_path: Path, name: str, seed: int) -> None:
    """The first line stays as it is, and nothing makes a file look binary: so it is known for what it is."""
    choose = random.Random(f"{name} {seed}")
    files = {}
    for path, content in sample(name).items():
        first, rest = content.split(b"\n", 1)
        for _ in range(3):
            rest = DAMAGES[choose.choice(("numbers", "words", "inserted piece", "bits"))](choose, rest)
        files[path] = first + b"\n" + rest.replace(b"\0", b"?")
    given = {path: content.count(b"\n") + (not content.endswith(b"\n")) for path, content in files.items()}
    assert _accounted(check_locally([write(files, tmp_path)]), tmp_path) == given
