"""The page of holes: where a released version still breaks a promise, in the detail that a committer needs.

Leaves out historic faults: `museum_page`.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from genstamp import leads_to
from genstamp.tables.citations import PROMISED, promised_by
from genstamp.verify.breaking import breaks
from genstamp_model.explore import explore
from genstamp_model.language import Hole, System

SEMANTICS: Final = "hadoop-3.4"


def page(systems: Sequence[System]) -> str:
    """The page as Markdown; searches for every story."""
    found: dict[str, list[tuple[System, Hole]]] = {}
    for system, hole in holes(systems):
        found.setdefault(hole.name, []).append((system, hole))
    lines = [
        "# Holes of Hadoop 3.4.1",
        "",
        f"{len(found)} places where Hadoop 3.4.1 does something by which a promise breaks, as far as its source and",
        "this model tell. Only `pipelines-bring-a-new-stamp` was reproduced with Hadoop 3.4.1 itself. Each is a change",
        "to the specification's text, which states the repaired protocol; the stories are shortest ones, found by",
        "`genstamp check SYSTEM --bug NAME`. Made by `genstamp tables`.",
        "",
    ]
    for shown in found.values():
        lines += _story(*min(shown, key=lambda one: one[1].depth), [system.name for system, _ in shown])
    return "\n".join(lines)


def holes(systems: Sequence[System]) -> Iterator[tuple[System, Hole]]:
    """Every hole that the release still has, with its system."""
    for system in systems:
        yield from ((system, one) for one in system.semantics.get(SEMANTICS, ()) if isinstance(one, Hole))


def _story(system: System, hole: Hole, shown: Sequence[str]) -> list[str]:
    """What is told of a hole, in the system where it takes the fewest steps of those that show it."""
    instance = system.instance(hole.configuration, bugs=[hole.name])
    result = explore(instance)
    found = breaks(result.violation, leads_to.judged(result))
    assert found, f"{hole.name} does not show where {system.name} says that it does"
    broken = next((one for one in found if one.name in hole.breaks), found[0])
    claim = next((one for one in instance.model.properties if one.name == broken.name), None)
    promises = promised_by(claim) if claim is not None else []
    promised = "; ".join(f"{name}: {PROMISED[name]}" for name in promises)
    lines = [f"## {hole.name}", "", f"{hole.title[0].upper()}{hole.title[1:]}.", ""]
    lines += [f"- Breaks: `{broken.name}`" + (f" ({promised})" if promised else "") + "."]
    lines += [f"- Where: {hole.source}."]
    others = [f"`{name}`" for name in shown if name != system.name]
    lines += [f"- Shown in {', '.join(others)} too."] if others else []
    lines += [f"- The text asks: {label} (`{action}`)." for action, label in hole.drops]
    if hole.repair:
        lines += [f"- Repair: {hole.repair}"]
    lines += [f"- Story: {broken.how.removeprefix('in ')} in `{system.name}:{hole.configuration}`.", "", "```text"]
    return [*lines, *broken.lines, "```", ""]
