"""The pages of holes: a table, and for each hole a bug report with the detail that a committer needs.

Not here: historic faults: `museum_page`.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from genstamp import leads_to
from genstamp.lock import Lock, SystemEntry
from genstamp.tables import hole_reports
from genstamp.tables.citations import PROMISED, promised_by
from genstamp.verify.breaking import Break, breaks
from genstamp_model.explore import explore
from genstamp_model.language import Hole, System

SEMANTICS: Final = "hadoop-3.4"


def page(systems: Sequence[System]) -> str:
    """The table of holes and losses as Markdown, one line each; searches nothing."""
    reports = hole_reports.read()
    names = list(_by_name(systems))
    losses = [name for name, report in reports.items() if report.texts["kind"] == "loss"]
    lines = [
        "# Holes of Hadoop 3.4.1",
        "",
        f"{len(names)} holes of the model: places where Hadoop 3.4.1 breaks a promise, according to its source and the",
        "model. Each row links to a page. A row whose other columns are empty was not tried on Apache HDFS; its page",
        "has the broken property, the place in the source, a repair and the shortest story from the model. Made by",
        "`genstamp tables`.",
        "",
        'Under upstream, "none found" means that the public threads and pages that each page names were searched, by',
        "meaning and with few queries. Only the excerpts in the results were read, not whole threads. Apache's own",
        "issue tracker was not searched.",
        "",
        *_HEAD,
        *(_row(name, reports.get(name), shown[0][1]) for name, shown in _by_name(systems).items()),
        "",
        f"## {len(losses)} losses that the model does not have yet",
        "",
        "Each is shown by a program on Apache HDFS (`python adapters/apache-hdfs/losses.py`).",
        "",
        *_HEAD,
        *(_row(name, reports[name], None) for name in losses),
        "",
    ]
    return "\n".join(lines)


Story = Callable[[System, Hole], str]


def pages(systems: Sequence[System], lock: Lock, story: Story | None = None) -> dict[str, str]:
    """A bug report for each hole and loss, by file name.

    Args:
        systems: that have holes.
        lock: has the lengths of their stories.
        story: gives what a search for a hole found, as `found` writes it; by default it is searched for.
    """
    reports = hole_reports.read()
    made = {f"{name}.md": "\n".join(_report(name, report)) for name, report in reports.items()}
    for name, shown in _by_name(systems).items():
        system, hole = min(shown, key=lambda one: _steps(lock, *one))
        head = _report(name, reports[name]) if name in reports else [f"# {name}", "", _NOT_WRITTEN.format(name), ""]
        said = _said(system, hole, [system.name for system, _ in shown])
        made[f"{name}.md"] = "\n".join([*head, "## What the model says", "", *said, (story or _searched)(system, hole)])
    return made


def _steps(lock: Lock, system: System, hole: Hole) -> int:
    """Steps of the story in this system; many where the lock does not know it."""
    entry = lock.get(system.name, SystemEntry()).variations.get(hole.name)
    return entry.depth if entry else sys.maxsize


def found(system: System, hole: Hole, broken: Break) -> str:
    """What a search for a hole found: the end of the hole's page."""
    claim = next((one for one in system.model().properties if one.name == broken.name), None)
    promises = promised_by(claim) if claim is not None else []
    promised = "; ".join(f"{name}: {PROMISED[name]}" for name in promises)
    return "\n".join(
        (
            f"- Breaks: `{broken.name}`" + (f" ({promised})" if promised else "") + ".",
            f"- Story: {broken.how.removeprefix('in ')} in `{system.name}:{hole.configuration}`.",
            "",
            *_OPEN,
            *broken.lines,
            *_CLOSE,
        )
    )


def kept(directory: Path) -> Story:
    """The results of searches in the pages of a directory, for the same configuration."""

    def story(system: System, hole: Hole) -> str:
        path = directory / f"{hole.name}.md"
        _, breaks_, said = (path.read_text(encoding="utf-8") if path.exists() else "").rpartition("- Breaks: ")
        return breaks_ + said if f"in `{system.name}:{hole.configuration}`.\n" in said else ""

    return story


_HEAD: Final = (
    "| name | what breaks | loses | since | repair | " + " | ".join(hole_reports.RELEASES) + " | upstream |",
    "| --- " * (6 + len(hole_reports.RELEASES)) + "|",
)
_NOT_WRITTEN: Final = "The bug report is not written yet; add `spec/genstamp_spec/holes/{}.toml`."
_SECTIONS: Final = {
    "symptom": "Symptom",
    "loses": "What is lost",
    "affected": "Affected versions",
    "reproduce": "How to reproduce",
    "root_cause": "Root cause (lines of 3.4.1)",
    "repair": "Proposed repair",
    "upstream": "Upstream",
    "searched": "What was searched",
}


def _by_name(systems: Sequence[System]) -> dict[str, list[tuple[System, Hole]]]:
    found: dict[str, list[tuple[System, Hole]]] = {}
    for system, hole in holes(systems):
        found.setdefault(hole.name, []).append((system, hole))
    return found


def _row(name: str, report: hole_reports.Report | None, hole: Hole | None) -> str:
    cells = [f"[{name}](holes/{name}.md)"]
    if report is None:
        assert hole is not None, f"{name} is a loss without a report"
        cells += [hole.title, "", "", "", *("" for _ in hole_reports.RELEASES), ""]
    else:
        cells += [report.texts[key] for key in ("summary", "loses", "since")]
        cells += [report.texts["repair"].split("\n\n")[0], *report.reproduced.values(), report.texts["upstream"]]
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def _report(name: str, report: hole_reports.Report) -> list[str]:
    lines = [f"# {name}", "", report.texts["summary"], ""]
    if report.texts["kind"] == "loss":
        lines += ["The model does not have it yet.", ""]
    for key, title in _SECTIONS.items():
        lines += [f"## {title}", "", report.texts[key], ""]
    shown = [f"- {release}: {what}" for release, what in report.reproduced.items()]
    return [*lines, "## Reproduced on Apache HDFS", "", *shown, ""]


def holes(systems: Sequence[System]) -> Iterator[tuple[System, Hole]]:
    """Every hole that the release still has, with its system."""
    for system in systems:
        yield from ((system, one) for one in system.semantics.get(SEMANTICS, ()) if isinstance(one, Hole))


def _said(system: System, hole: Hole, shown: Sequence[str]) -> list[str]:
    """The model's description of a hole, in the system where it takes the fewest steps of those that show it."""
    lines = [f"{hole.title[0].upper()}{hole.title[1:]}.", "", f"- Where: {hole.source}."]
    others = [f"`{name}`" for name in shown if name != system.name]
    lines += [f"- Shown in {', '.join(others)} too."] if others else []
    lines += [f"- The text asks: {label} (`{action}`)." for action, label in hole.drops]
    return [*lines, f"- Print it: `genstamp check {system.name} --bug {hole.name}`."]


def _searched(system: System, hole: Hole) -> str:
    result = explore(system.instance(hole.configuration, bugs=[hole.name]))
    broken = breaks(result.violation, leads_to.judged(result))
    assert broken, f"{hole.name} does not show where {system.name} says that it does"
    return found(system, hole, next((one for one in broken if one.name in hole.breaks), broken[0]))


_OPEN: Final = ("<details><summary>The story</summary>", "", "```text")
_CLOSE: Final = ("```", "", "</details>", "")
