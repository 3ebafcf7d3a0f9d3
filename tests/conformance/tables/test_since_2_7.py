"""That everything which changed after Hadoop 2.7.4 is stated by its semantics, or left out with a reason."""

import re
from collections.abc import Iterator

from genstamp.systems import PLACES, system_named
from genstamp.tables.since_2_7 import RELEASE, issue_number, lines, stated
from genstamp_model.language import Part, System, Variation
from genstamp_spec.hdfs.bugs.since_2_7 import CHANGED_SINCE_2_7_4, NO_SEMANTICS, NOT_STATED, SHOWN_ELSEWHERE

SYSTEMS = [system_named(name) for name in PLACES]
STATED = stated(SYSTEMS)
EXCUSED = {(number, name) for number, name, _ in SHOWN_ELSEWHERE}


def released(variation: Variation) -> list[tuple[int, ...]]:
    """The releases that its source names as the first without it."""
    _, _, text = variation.source.partition("fixed in")
    return [tuple(int(part) for part in found.split(".")) for found in re.findall(r"\b\d+(?:\.\d+)+", text)]


def is_younger(variation: Variation) -> bool:
    """2.7.4 has it: no release named is 2.7.4 or before it, or of an older line."""
    fixed = released(variation)
    return bool(fixed) and min(fixed) > (2, 7, 4)


def could_show(system: System, variation: Variation) -> bool:
    """All that the variation's parts change is among the system's parts."""
    chosen = {base for part in system.parts for base in part.__mro__}
    changed = [base for part in variation.parts for base in part.__bases__]
    return bool(changed) and all(base in chosen for base in changed if base is not Part)


def test_what_was_fixed_later_is_on_the_list() -> None:
    later = {number for system in SYSTEMS for v in system.variations if is_younger(v) and (number := issue_number(v))}
    assert later <= set(CHANGED_SINCE_2_7_4)
    assert set(STATED) <= set(CHANGED_SINCE_2_7_4)


def missing() -> Iterator[tuple[int, str]]:
    """Numbers that a system has among its bugs, or could show by its parts, and not in its semantics."""
    for system in SYSTEMS:
        if RELEASE not in system.semantics:
            continue
        own = {issue_number(v) for v in system.variations if is_younger(v)}
        for number in CHANGED_SINCE_2_7_4:
            elsewhere = STATED.get(number, {})
            fits = number in own or any(could_show(system, v) for v in elsewhere.values())
            if fits and system.name not in elsewhere:
                yield number, system.name


def test_every_system_states_what_it_could_show_or_says_why_not() -> None:
    assert set(missing()) == EXCUSED


def test_no_reason_is_given_for_what_is_stated() -> None:
    assert [number for number, _ in NOT_STATED if number in STATED] == []


def test_a_system_with_3_4_has_2_7_too() -> None:
    without = {
        system.name for system in SYSTEMS if "hadoop-3.4" in system.semantics and RELEASE not in system.semantics
    }
    assert without == {name for name, _ in NO_SEMANTICS}


def test_the_page_has_a_row_for_each() -> None:
    rows = [line for line in lines(SYSTEMS) if line.startswith("| HDFS-")]
    assert len(rows) == len(CHANGED_SINCE_2_7_4)
    assert not [row for row in rows if "**nothing**" in row]
