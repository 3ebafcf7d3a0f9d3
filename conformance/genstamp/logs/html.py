"""The result of a check, as one page of HTML that needs nothing else.

Everything that is in a log is hostile: text is escaped by the template, pictures are embedded as images, in which
nothing is run, and the page forbids itself to load or run anything. Not here: pictures' shapes (`genstamp.diagram`,
`genstamp.logs.histogram`, `genstamp_model.traces`).
"""

import base64
from collections import Counter
from collections.abc import Iterator
from statistics import median
from typing import Final, NamedTuple

import jinja2
import pyarrow as pa
import pyarrow.compute

from genstamp.diagram import Count, Edge, dot
from genstamp.layout import render_svg
from genstamp.logs.durations import durations
from genstamp.logs.graphs import DELETED, LIFECYCLES
from genstamp.logs.histogram import histogram, in_words
from genstamp.logs.kept import Kept
from genstamp.logs.lanes import chart
from genstamp.logs.readers.log_head import KNOWN
from genstamp.logs.report import Report, headline, kinds, read_in_words
from genstamp.logs.shown import shown
from genstamp.logs.story import lines, tell_all
from genstamp.logs.tables import COMPLETIONS, SAFETIES
from genstamp_model.traces import swim_lanes

UNPARSED_MAX: Final = 100
"""Kinds of lines that are listed, those that occur most often."""

STEPS_MAX: Final = 200
"""The most events of a history that is drawn; a longer one is shown by its end only."""


UNFINISHED_MAX: Final = 5
"""Kinds of unfinished files and blocks; the first of each kind is reported."""


class _Told(NamedTuple):
    """A story as the page shows it."""

    answer: str
    name: str
    text: str
    picture: str


def page(report: Report, kept: Kept) -> str:
    """The page.

    Args:
        report: of a check.
        kept: its tables.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("genstamp.logs"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["shown"] = shown
    took = durations(kept)
    drawn = [
        _histogram("Recoveries of blocks", took.recoveries, took.recovering),
        _histogram("From a file's creation to its close", took.files, took.open),
        _histogram("From a block shown COMMITTED to its next report", took.reports, took.unreported),
    ]
    return environment.get_template("page.html").render(
        report=report,
        headline=headline(report).removeprefix(report.safety),
        read=read_in_words(report),
        safeties=SAFETIES,
        completions=COMPLETIONS,
        kinds=list(kinds(report)),
        stories=list(_stories(report, kept)),
        lifecycles=list(_lifecycles(kept)),
        histograms=drawn,
        backwards=took.backwards,
        unparsed=_unparsed(kept),
        layouts=KNOWN,
    )


def _histogram(title: str, found: list[int], going_on: int) -> tuple[str, str, str]:
    """A title, what it says in words, and the picture; "" where there is nothing to draw."""
    words = f"{len(found):,}"
    if found:
        words += f", median {in_words(median(found))}, longest {in_words(max(found))}"
    if going_on:
        words += f"; {going_on:,} more not seen to end"
    return title, words, _image(histogram(title, found)) if found else ""


def _stories(report: Report, kept: Kept) -> Iterator[_Told]:
    left = [key for count in report.unfinished[:UNFINISHED_MAX] for key in count.first[:1]]
    for story in tell_all(kept, [*(finding.key for finding in report.findings), *left]):
        text = list(lines(story))
        is_long = len(story.steps) > STEPS_MAX
        picture = "" if is_long else _image(swim_lanes(chart(story)))
        told = ["...", *text[-STEPS_MAX:]] if is_long else text
        answer = story.completion if story.safety == "conformant" else story.safety
        yield _Told(answer, shown(str(story.key)), "\n".join(told), picture)


def _lifecycles(kept: Kept) -> Iterator[tuple[str, str]]:
    counts: dict[str, dict[Edge, Count]] = {kind: {} for kind in LIFECYCLES}
    for row in kept.tables["steps"].to_table().to_pylist():
        if row["kind"] in counts:
            # The lifecycle of a file speaks of paths: what is gone is as if it had never been.
            after = "absent" if row["after"] == DELETED else row["after"]
            edge = Edge(row["before"], row["event"], after)
            former = counts[row["kind"]].get(edge, Count(0, 0))
            counts[row["kind"]][edge] = Count(former.seen + row["seen"], former.perhaps + row["perhaps"])
    for kind, machine in LIFECYCLES.items():
        yield kind, _image(render_svg(dot(machine, counts[kind])))


def _unparsed(kept: Kept) -> list[tuple[str, str, str, int]]:
    counts: Counter[tuple[str, str, str]] = Counter()
    columns = ["source", "what", "name", "count"]
    for batch in kept.tables["coverage"].to_batches(columns=columns, filter=pa.compute.field("what") != "event"):
        for row in batch.to_pylist():
            counts[row["source"], row["what"], row["name"]] += row["count"]
    return [(*kind, count) for kind, count in counts.most_common(UNPARSED_MAX)]


def _image(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
