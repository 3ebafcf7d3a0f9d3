"""The page of the museum: every historic fault, what it breaks, and how long the shortest story is.

Not here: the search for the stories (`genstamp.verify.searching`): what is known of them is in the lock.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from genstamp.lock import Lock, SystemEntry
from genstamp.tables.citations import promised_by
from genstamp_model.language import Bug, System
from genstamp_model.language.model import Model
from genstamp_spec.hdfs.bugs.left_out import LEFT_OUT

BEST: Final[tuple[tuple[str, str], ...]] = (
    ("hdfs.recovery", "HDFS-10240"),
    ("hdfs.recovery", "HDFS-1218"),
    ("hdfs.recovery", "HDFS-11817"),
    ("hdfs.block_recovery", "HDFS-1186"),
    ("hdfs.replica", "HDFS-3875"),
    ("hdfs.pipeline", "HDFS-2021"),
    ("hdfs.pipeline", "HDFS-9289"),
    ("hdfs.lease", "HDFS-4452"),
    ("hdfs.journal", "HDFS-1149"),
    ("hdfs.reports", "HDFS-5723"),
)
"""The best stories, drawn as swim lanes: system and fault."""


def faults(systems: Sequence[System]) -> Iterator[tuple[System, Bug]]:
    """Every historic fault with the system that has it as its own; others may have it in a semantics."""
    for system in systems:
        yield from ((system, bug) for bug in system.bugs)


REPAIRED: Final = "3.4.1"
"""The release of Apache HDFS on which faults are shown to be gone."""


def showings(repository: Path) -> Mapping[str, str]:
    """What adapters/apache-hdfs/museum.py saw: by fault, the old release and 3.4.1, from museum/seen/RELEASE.json."""
    kept = sorted((repository / "adapters" / "apache-hdfs" / "museum" / "seen").glob("*.json"))
    seen = {path.stem: json.loads(path.read_text()) for path in kept}
    repaired = seen.pop(REPAIRED, {})
    return {
        name: f"{release} yes, {REPAIRED} gone" if repaired.get(name, what) != what else f"{release} as in {REPAIRED}"
        for release, faults in seen.items()
        for name, what in faults.items()
    }


def page(systems: Sequence[System], lock: Lock, shown_on: Mapping[str, str]) -> str:
    """The page as Markdown; `shown_on` says by fault where Apache HDFS was seen to have it."""
    invented = [system for system in systems if not _is_of_hdfs(system)]
    systems = [system for system in systems if _is_of_hdfs(system)]
    shown = list(faults(systems))
    lines = [
        "# The museum",
        "",
        f"{len(shown)} faults that HDFS had or still has (*open*), each as one change to the specification. Made by",
        "`genstamp tables`; `genstamp check SYSTEM --bug NAME` finds each again, as does `make verify-all`.",
        "Steps and states are those of the lock; a *lasso* is an endless run in which a promise is never kept.",
        "The last column lists Apache HDFS releases that showed it (`python adapters/apache-hdfs/museum.py`).",
        "",
    ]
    for system in systems:
        lines += _table(system, lock, "fixed", shown_on)
    lines += ["## Ten stories", ""]
    titles = {(system.name, bug.name): bug.title for system, bug in shown}
    for fault, title in [(one[1], titles[one]) for one in BEST if one in titles]:
        lines += [f"### {fault}", "", f"{title[0].upper()}{title[1:]}.", "", f"![{fault}](../diagrams/{fault}.svg)", ""]
    if any(system.bugs for system in invented):
        lines += ["## Possible faults", ""]
        lines += ["The source of GFS was never published; an implementer of the paper may make these mistakes.", ""]
        lines += [line for system in invented for line in _table(system, lock, "where the paper speaks of it", {})]
    lines += ["## Left out", "", *(f"- {fault}: {reason}" for fault, reason in LEFT_OUT), ""]
    return "\n".join(lines)


def _is_of_hdfs(system: System) -> bool:
    """HDFS' faults are historic, and have numbers in its tracker."""
    return system.name.startswith("hdfs.")


def _table(system: System, lock: Lock, last: str, shown_on: Mapping[str, str]) -> Iterator[str]:
    """The faults of one system, if it has any; `last` is the head over what is known of where they are from."""
    if not system.bugs:
        return
    entry, model = lock.get(system.name, SystemEntry()), system.model()
    historic = _is_of_hdfs(system)
    heads = f"| fault | what was wrong | breaks | found | {last} |" + (" shown on |" if historic else "")
    yield from (f"## {system.name}", "", heads, "| --- " * (6 if historic else 5) + "|")
    for bug in sorted(system.bugs, key=_number):
        told = f"{_fixed(bug)} | {shown_on.get(bug.name, 'not shown')}" if historic else bug.source
        yield _row(model, entry, bug, told)
    yield ""


def _row(model: Model, entry: SystemEntry, bug: Bug, told: str) -> str:
    found = entry.variations.get(bug.name)
    if found is None:
        return f"| {bug.name} | {bug.title} | {', '.join(bug.breaks)} | not in the lock | {told} |"
    promises = ", ".join(promised_by(model.property(found.breaks))) if found.breaks in _names(model) else ""
    breaks = f"{promises} `{found.breaks}`".strip()
    length = f"{found.depth} steps" if found.depth else "a lasso"
    how = f"{length}, {found.distinct:,} states ({found.configuration})"
    return f"| {bug.name} | {bug.title} | {breaks} | {how} | {told} |"


def _names(model: Model) -> list[str]:
    return [claim.name for claim in model.properties]


def _fixed(bug: Bug) -> str:
    """What the source says after the address."""
    _, _, rest = bug.source.partition("; ")
    return rest


def _number(bug: Bug) -> tuple[int, str]:
    """Ordered by number in the tracker; those without one last."""
    digits = bug.name.rpartition("-")[2]
    return (int(digits) if digits.isdigit() else 10**9, bug.name)
