"""Checks the runs of a data set and gives what was found, in the words in which it has to be explained."""

from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tests.conformance.logs.verdicts.data_sets import DataSet, Explanation

from genstamp.logs.local import Checked, check_locally
from genstamp.logs.report import KeyCount, Report, SourceCount
from genstamp.logs.summary import classed, key_counts
from genstamp.logs.tables import COUNTED


@dataclass(frozen=True)
class Finding:
    """Something of a run that needs an explanation: a class of keys, or of what could not be read.

    Attributes:
        run: of which run.
        name: what it is: "KIND is SAFETY: why", "KIND is left STATES" or "not read: why", each number as N.
        count: how many there are.
    """

    run: str
    name: str
    count: int


@dataclass(frozen=True)
class Judged:
    """One run.

    Attributes:
        name: of the run.
        files: how many have events or rejects.
        report: its counts.
        findings: what needs an explanation.
        difference: how its two files differ in what they tell, "" if they do not; None where nobody asked.
    """

    name: str
    files: int
    report: Report
    findings: tuple[Finding, ...]
    difference: str | None = None


def judge(data_set: DataSet, data: Path, complete: bool = False) -> list[Judged]:
    """Every run of a data set.

    Args:
        data: the shared folder.
        complete: whether each run is asserted to be whole.
    """
    found = []
    for name, paths in data_set.runs(data / data_set.folder):
        apart = [check_locally([path], complete=complete) for path in paths] if data_set.twins else []
        checked = apart or [check_locally(paths, complete=complete)]
        how = difference(*map(_told, apart)) if apart else None
        found.append(_judged(name, checked, how))
    return found


def unexplained(data_set: DataSet, findings: list[Finding]) -> list[Finding]:
    """Findings without an explanation."""
    return [finding for finding in findings if explanation(data_set, finding) is None]


def idle(data_set: DataSet, findings: list[Finding]) -> list[Explanation]:
    """Explanations of nothing that was found."""
    used = [explanation(data_set, finding) for finding in findings]
    return [one for one in data_set.explanations if one not in used]


def explanation(data_set: DataSet, finding: Finding) -> Explanation | None:
    """The first explanation that speaks of a finding."""
    for one in data_set.explanations:
        if fnmatchcase(finding.run, one.run) and fnmatchcase(finding.name, one.found):
            return one
    return None


def _judged(name: str, checked: list[Checked], difference: str | None) -> Judged:
    keys: tuple[KeyCount, ...] = tuple(
        key_counts(batch for one in checked for batch in one.verdicts.combine_chunks().to_batches())
    )
    rejects = [row for one in checked for row in one.rejects.to_pylist()]
    files = {file for one in checked for file in one.coverage.column("file").to_pylist()}
    files |= {row["place"]["file"] for row in rejects}
    events = sum(one.events.num_rows for one in checked)
    report = Report(keys, (SourceCount(name, "", events, 0, len(rejects)),))
    names: Counter[str] = Counter(f"not read: {classed(row['reason'])}" for row in rejects)
    for one in checked:
        names.update(filter(None, map(_finding, one.verdicts.to_pylist())))
    return Judged(
        name, len(files), report, tuple(Finding(name, what, names[what]) for what in sorted(names)), difference
    )


def _finding(row: dict[str, Any]) -> str | None:
    if row["safety"] != "conformant":
        return f"{row['kind']} is {row['safety']}: {classed(row['failed'])}"
    if row["completion"] == "unfinished" and row["kind"] in COUNTED:
        return f"{row['kind']} is left {' or '.join(row['states'])}"
    return None


def _told(checked: Checked) -> list[dict[str, Any]]:
    """The events, but for where they stand."""
    dropped = ("source", "namespace", "place")
    return [{name: row[name] for name in row if name not in dropped} for row in checked.events.to_pylist()]


def difference(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> str:
    """How many events differ, place by place, and in what the first of them does."""
    differing = [pair for pair in zip_longest(one, other) if pair[0] != pair[1]]
    if not differing:
        return ""
    first, second = ({} if event is None else _flat(event) for event in differing[0])
    names = [name for name in {**first, **second} if first.get(name) != second.get(name)]
    values = (f"{name} is {first.get(name)} in one and {second.get(name)} in the other" for name in names)
    of = first or second
    return (
        f"{len(differing)} of {max(len(one), len(other))} events differ; of the first, {of['event']} of"
        f" {of['kind']} {of['entity']}, {', '.join(values)}"
    )


def _flat(event: dict[str, Any]) -> dict[str, Any]:
    """An event with what it tells of who took part beside the rest."""
    return {**{name: event[name] for name in event if name != "arguments"}, **dict(event["arguments"])}
