"""Rows that sum up others: what all configurations have covered, what says nothing, what differs from the lock.

Not here: searching; an earlier row that is missing makes the sum undetermined, never a pass.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from genstamp import coverage as covering
from genstamp import forgotten, lock
from genstamp import vacuity as saying_nothing
from genstamp.errors import LockError
from genstamp.verify.row import Row, Verdict
from genstamp_model.language import System

LOCK: Final = Path("spec", "spec.lock")
"""Where the lock is in the repository."""


def found_in(rows: Sequence[Row]) -> lock.Lock:
    """What rows have found, in the form of the lock."""
    return lock.merged(msgspec.convert(row.data["lock"], lock.Lock) for row in rows if "lock" in row.data)


def coverage(claim: str, rows: Sequence[Row], expected: Sequence[str]) -> Row:
    """Every action taken, every refusal given and every witness seen, in at least one of some configurations.

    Args:
        rows: of the whole run.
        expected: claims of the searches that count.
    """
    missing = [claim for claim in expected if not any(row.claim == claim and "coverage" in row.data for row in rows)]
    counted = [row.data["coverage"] for row in rows if row.claim in expected and "coverage" in row.data]
    seen = covering.together(counted)
    zero = covering.missing(seen)
    verdict, note = Verdict.HOLDS, "every action, refusal and witness in some configuration"
    if missing:
        verdict, note = Verdict.UNDETERMINED, f"not searched to the end: {', '.join(missing)}"
    elif zero or not seen:
        verdict, note = Verdict.VIOLATED, f"{len(zero)} never seen"
    return Row(
        claim=claim,
        verdict=verdict,
        count=len(seen),
        unit="to cover",
        note=note,
        story=tuple(map(covering.worded, zero)),
    )


def vacuity(claim: str, rows: Sequence[Row], expected: Sequence[str]) -> Row:
    """Every part of every property could have failed in at least one of some configurations, and variables are used.

    Args:
        rows: of the whole run.
        expected: claims of the searches that count.
    """
    found = [row.data["vacuity"] for row in rows if row.claim in expected and "vacuity" in row.data]
    met, _ = saying_nothing.counted(found)
    left = saying_nothing.findings(found)
    verdict = Verdict.VIOLATED if left else Verdict.HOLDS
    note = f"{len(left)} say nothing" if left else "every part of a property could have failed in some configuration"
    if meant := saying_nothing.declared(found):
        note = f"{note}; declared to say nothing: {'; '.join(meant)}"
    if not found or len(found) < len(expected):
        verdict, note = Verdict.UNDETERMINED, "not searched to the end, so nothing is known of its properties"
    story = tuple(finding.message for finding in left)
    return Row(claim=claim, verdict=verdict, count=met, unit="parts of properties", note=note, story=story)


def used(claim: str, system: System) -> Row:
    """Everything that a user's file declares is used by a system of it.

    Args:
        claim: the row's.
        system: one of the file.
    """
    left = forgotten.of_system(system)
    verdict, note = Verdict.HOLDS, "every property, action and part is used"
    if left:
        verdict, note = Verdict.VIOLATED, f"{len(left)} never used"
    return Row(claim=claim, verdict=verdict, note=note, story=tuple(f"{one.source}: {one.message}" for one in left))


def locked(
    claim: str,
    rows: Sequence[Row],
    expected: Sequence[str],
    path: Path,
    left_out: Mapping[str, Collection[tuple[str, str]]] | None,
) -> Row:
    """The results equal the lock.

    Args:
        rows: of the whole run.
        expected: claims of the rows that the lock mentions.
        path: the lock.
        left_out: what was not to be searched, pairs of a semantics and a configuration by system; None where the lock
            is asked only about what was found.
    """
    try:
        before = lock.read(path)
    except LockError as problem:
        return Row(claim=claim, verdict=Verdict.FAILURE, note=str(problem))
    for system, searches in (left_out or {}).items():
        before = lock.without(before, system, searches)
    found = lock.carrying(found_in(rows), before)
    missing = [claim for claim in expected if not any(row.claim == claim and "lock" in row.data for row in rows)]
    is_part = bool(missing) or left_out is None
    differences = lock.differences(lock.common(before, found) if is_part else before, found)
    count = sum(len(system.variations) + len(system.proved) + len(system.for_any_size) for system in found.values())
    count += sum(len(entry.searches) for system in found.values() for entry in system.semantics.values())
    verdict, note = Verdict.HOLDS, ""
    if differences:
        verdict = Verdict.VIOLATED
        note = f"{len(differences)} differences; if they are meant: genstamp lock --write"
    elif missing:
        verdict, note = Verdict.UNDETERMINED, f"nothing to compare for: {', '.join(missing)}"
    return Row(claim=claim, verdict=verdict, count=count, unit="entries", note=note, story=tuple(differences))
