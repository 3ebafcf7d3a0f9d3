"""The page of a check: what stands on it, and that nothing in a log can make it do anything."""

import base64
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pyarrow as pa
import pyarrow.compute
import pytest

from genstamp.diagram import Count, Edge, dot
from genstamp.logs.durations import durations
from genstamp.logs.histogram import bins, histogram
from genstamp.logs.html import page
from genstamp.logs.kept import Kept, check_and_keep
from genstamp.logs.report import Finding, OpenCount, Report, RuleCount, SourceCount
from genstamp.logs.shown import shown
from genstamp.logs.summary import key_counts
from genstamp.logs.tables import Key
from genstamp_spec.lifecycles import BlockLifecycle

Checks = Callable[..., Kept]

HOSTILE = "/a<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7777*7777 }}\x1b[2J"


class _Reading(HTMLParser):
    """Every element and attribute of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.sources: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.sources += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def _happened(kind: str, entity: str, event: str, second: float, **columns: Any) -> dict[str, Any]:
    told = {"source": "genstamp-dfs", "node": "namenode", "namespace": "BP-1", "time_us": int(second * 1_000_000)}
    return {**told, "kind": kind, "entity": entity, "event": event, **columns}


@pytest.fixture
def checks(tmp_path: Path) -> Checks:
    """Checks a history that is whole."""

    def check(*history: dict[str, Any]) -> Kept:
        lines = [msgspec.json.encode({**event, "node_sequence": n}) for n, event in enumerate(history, 1)]
        (tmp_path / "events.jsonl").write_bytes(b"\n".join(lines))
        return check_and_keep([str(tmp_path / "events.jsonl")], complete=True)

    return check


def _created(second: float, path: str = "/a") -> dict[str, Any]:
    return _happened("file", path, "create", second, arguments={"client": "client1", "file": path})


def _closed(second: float, path: str = "/a") -> dict[str, Any]:
    return _happened("file", path, "complete", second, arguments={"file": path}, observed={"closed": "true"})


@pytest.mark.slow
def test_page_shows_what_was_found_and_does_nothing(checks: Checks) -> None:
    kept = checks(_created(0, HOSTILE), _closed(2, HOSTILE), _created(3, HOSTILE))
    (violated,) = (row for row in kept.tables["verdicts"].to_table().to_pylist() if row["safety"] == "violated")
    finding = Finding(violated["namespace"], "file", violated["entity"], "violated", "create", ("closed",), HOSTILE)
    rule = RuleCount("file", "violated", HOSTILE, HOSTILE, 1, (f"{HOSTILE}:3",))
    report = Report(
        tuple(key_counts(kept.tables["verdicts"].to_batches())),
        (SourceCount(HOSTILE, "events", 3, 3, 1),),
        (finding,),
        rejects=(HOSTILE,),
        notes=((HOSTILE, HOSTILE),),
        complete=True,
        rules=(rule,),
    )
    text = page(report, kept)
    read = _Reading(text)
    assert not read.tags & {"script", "iframe", "object", "link", "base", "form", "a"}
    assert read.attributes <= {"lang", "charset", "http-equiv", "content", "name", "class", "open", "alt", "src"}
    assert read.sources and all(source.startswith("data:image/svg+xml;base64,") for source in read.sources)
    assert "\x1b" not in text and "60481729" not in read.text
    assert "REJECTED, before it: closed" in read.text and HOSTILE[:-4] in read.text
    for source in read.sources:
        picture = ElementTree.fromstring(base64.b64decode(source.partition(",")[2]))
        assert not any(element.tag.endswith(("script", "image", "a")) for element in picture.iter())


@pytest.mark.slow
def test_page_tells_what_is_left_open_and_the_story_of_the_first(checks: Checks) -> None:
    kept = checks(_created(0), _closed(2), _created(3, HOSTILE))
    is_left = (pa.compute.field("kind") == "file") & (pa.compute.field("completion") == "unfinished")
    (entity,) = kept.tables["verdicts"].to_table(filter=is_left).column("entity").to_pylist()
    left = OpenCount("file", ("under construction",), 1, (Key("BP-1", "file", entity),))
    report = Report(tuple(key_counts(kept.tables["verdicts"].to_batches())), (), unfinished=(left,))
    read = _Reading(page(report, kept))
    assert "1fileunder construction" in read.text.replace("\n", "")
    assert f"file {shown(entity)} of BP-1: conformant, unfinished (fast path)" in read.text
    assert "\nconformant, 1 file open\n" in read.text
    assert "From a file's creation to its close: 1, median 2 s, longest 2 s; 1 more not seen to end" in read.text


@pytest.mark.slow
def test_page_of_a_run_without_events_says_so(checks: Checks) -> None:
    read = _Reading(page(Report((), ()), checks()))
    assert "No key is violated, none undetermined." in read.text and "Recoveries of blocks: 0" in read.text


def test_files_are_open_from_create_to_close_by_one_clock(checks: Checks) -> None:
    elsewhere = {**_closed(9, "/b"), "node": "namenode2"}
    found = durations(checks(_created(1), _closed(3.5), _created(4, "/b"), elsewhere))
    assert (found.files, found.recoveries, found.backwards) == ([2_500_000], [], 0)
    assert (found.open, found.recovering) == (1, 0)


def test_recovery_lasts_from_the_first_word_of_its_id_to_its_commit(checks: Checks) -> None:
    added = _happened("block", "7", "add_block", 0, generation_stamp=1001)
    started = _happened("block", "7", "start_recovery", 1, recovery_id=1002)
    committed = _happened(
        "block", "7", "commit_block_synchronization", 1.25, recovery_id=1002, num_bytes=5, observed={"closed": "true"}
    )
    assert durations(checks(added, started, committed)).recoveries == [250_000]


def test_clock_that_is_put_back_gives_no_duration(checks: Checks) -> None:
    found = durations(checks(_created(5), _closed(3)))
    assert (found.files, found.backwards) == ([], 1)


def test_histogram_has_a_bar_a_step() -> None:
    assert bins([]) == [] and bins([0]) == [("< 1 ms", 1)]
    assert bins([1_000, 2_999, 3_000]) == [("1 ms", 2), ("3 ms", 1)]
    assert bins([10**12]) == [("10 d", 1)]
    assert (
        len(list(ElementTree.fromstring(histogram("<all>", [1, 5_000])).iter("{http://www.w3.org/2000/svg}rect"))) == 3
    )


def test_diagram_of_coverage_counts_each_event_and_colours_its_arrow() -> None:
    counts = {
        Edge("absent", "add_block", "under_construction"): Count(12, 0),
        Edge("committed", "complete_block", "complete"): Count(0, 3),
        Edge("under_construction", "fsync", "under_construction"): Count(1, 0),
    }
    drawn = dot(BlockLifecycle, counts)
    arrow = next(line for line in drawn.splitlines() if "add_block 12" in line)
    assert 'color="#1a7f37"' in arrow
    perhaps = next(line for line in drawn.splitlines() if "complete_block 0 (+ 3?)" in line)
    assert 'color="#9a6700"' in perhaps
    assert "fsync 1\\l" in drawn and "abandon_block 0" in drawn
    assert dot(BlockLifecycle) != drawn
