"""The table of what changed after Hadoop 2.7.4: which semantics state it, and where nothing does, the reason."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from genstamp_model.language import System, Variation
from genstamp_spec.hdfs.bugs.left_out import LEFT_OUT
from genstamp_spec.hdfs.bugs.since_2_7 import CHANGED_SINCE_2_7_4, NO_SEMANTICS, NOT_STATED, SHOWN_ELSEWHERE

RELEASE: Final = "hadoop-2.7"


def issue_number(variation: Variation) -> int | None:
    """Its number in the issue tracker; None where it is named otherwise.

    Examples:
        >>> from genstamp_model.language import Bug
        >>> issue_number(Bug("HDFS-2484", "another exception"))
        2484
        >>> issue_number(Bug("half-a-cut", "no issue tells of it")) is None
        True
    """
    found = re.fullmatch(r"HDFS-(\d+)", variation.name)
    return int(found[1]) if found else None


def stated(systems: Sequence[System]) -> Mapping[int, Mapping[str, Variation]]:
    """The places that the semantics of 2.7 cover, by number and by the system's name."""
    found: dict[int, dict[str, Variation]] = {}
    for system in systems:
        for variation in system.semantics.get(RELEASE, ()):
            number = issue_number(variation)
            if number is not None:
                found.setdefault(number, {})[system.name] = variation
    return found


def reasons() -> Mapping[int, str]:
    """Why nothing states a number, by number."""
    left_out = {
        int(number): reason for numbers, reason in LEFT_OUT for number in re.findall(r"\d+", numbers.partition(":")[0])
    }
    return {**left_out, **dict(NOT_STATED)}


def lines(systems: Sequence[System]) -> list[str]:
    """The section of the coverage page."""
    known, without = stated(systems), reasons()
    rows = []
    for number in CHANGED_SINCE_2_7_4:
        where = known.get(number, {})
        says = next((variation.title for variation in where.values()), "")
        told = ", ".join(f"{name} ({variation.kind})" for name, variation in where.items())
        rows.append(f"| HDFS-{number} | {says} | {told or 'left out: ' + without.get(number, '**nothing**')} |")
    return [
        "## After Hadoop 2.7.4",
        "",
        "What later releases changed, as the semantics `hadoop-2.7` have it.",
        "",
        "| issue | what 2.7.4 does | stated by |",
        "| --- | --- | --- |",
        *rows,
        "",
        "Not stated where a system's parts could show it:",
        "",
        *(f"- HDFS-{number} in {name}: {reason}" for number, name, reason in SHOWN_ELSEWHERE),
        *(f"- all of it in {name}: {reason}" for name, reason in NO_SEMANTICS),
        "",
    ]
