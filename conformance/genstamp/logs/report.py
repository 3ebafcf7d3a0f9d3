"""What a check of logs found, and how it is shown.

Leaves out finding it (`genstamp.logs.job`).
"""

import json
from dataclasses import dataclass, field
from typing import Literal

from genstamp.logs.tables import COMPLETIONS, COUNTED, SAFETIES
from genstamp.report import Case, junit

Safety = Literal["conformant", "violated", "undetermined"]
Completion = Literal["complete", "unfinished", "unknown"]

EXIT_HOLDS, EXIT_UNDETERMINED, EXIT_VIOLATED, EXIT_UNFINISHED = 0, 3, 12, 13

SHOWN_MAX = 20
"""Keys and rejects that are shown one by one; all of them stand in the tables."""


@dataclass(frozen=True)
class Finding:
    """A key that is violated or undetermined.

    Attributes:
        namespace, kind, entity: the key.
        safety: which of the two.
        event: the first that was rejected.
        states_before: the possible states before it.
        failed: the check that failed, with its values.
        accepted: the nearest that would have been accepted.
        place: "file:line" of the event.
    """

    namespace: str
    kind: str
    entity: str
    safety: Safety
    event: str = ""
    states_before: tuple[str, ...] = ()
    failed: str = ""
    accepted: str = ""
    place: str = ""


@dataclass(frozen=True)
class SourceCount:
    """How much of one file was read.

    Attributes:
        file: its name.
        source: the reader.
        events: that it told.
        lines: or records that it has, as far as it was read.
        rejects: what could not be read.
    """

    file: str
    source: str
    events: int
    lines: int
    rejects: int


@dataclass(frozen=True)
class KeyCount:
    """How many keys of a kind have which verdicts; `begun` as far as the log shows that their life has begun."""

    kind: str
    safety: Safety
    completion: Completion
    begun: bool
    keys: int


@dataclass(frozen=True)
class Report:
    """What a check of logs found.

    Attributes:
        keys: counts of verdicts.
        sources: counts by file.
        findings: the first `SHOWN_MAX` violated or undetermined keys, violated ones first.
        rejects: the first `SHOWN_MAX`, as "file:line: reason".
        notes: files and what the user should know of them.
        complete: whether the sources were asserted to be whole.
        out: where the tables are; empty if they were not kept.
        seconds: that it took.
    """

    keys: tuple[KeyCount, ...]
    sources: tuple[SourceCount, ...]
    findings: tuple[Finding, ...] = ()
    rejects: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    complete: bool = False
    out: str = ""
    seconds: float = field(default=0.0, compare=False)

    @property
    def safety(self) -> Safety:
        """Of the whole run: violated if any key is; conformant only if everything was read and every key is."""
        if any(count.safety == "violated" for count in self.keys):
            return "violated"
        undetermined = any(count.safety == "undetermined" for count in self.keys)
        if undetermined or not self.keys or any(source.rejects for source in self.sources):
            return "undetermined"
        return "conformant"

    @property
    def completion(self) -> Completion:
        """Of the whole run, by the files and blocks whose life has begun; see `tables.COUNTED` for why by those."""
        found = {count.completion for count in self.keys if count.kind in COUNTED and count.begun}
        if "unfinished" in found:
            return "unfinished"
        return "complete" if found == {"complete"} else "unknown"

    @property
    def events(self) -> int:
        """Events read."""
        return sum(source.events for source in self.sources)

    @property
    def lines(self) -> int:
        """Lines and records read."""
        return sum(source.lines for source in self.sources)

    def exit_code(self, require_complete: bool = False) -> int:
        """The exit code of the command."""
        if self.safety == "violated":
            return EXIT_VIOLATED
        if self.safety == "undetermined":
            return EXIT_UNDETERMINED
        if require_complete and self.completion != "complete":
            return EXIT_UNFINISHED
        return EXIT_HOLDS


def text(report: Report) -> str:
    """The report as a table, for people."""
    table: list[tuple[str, ...]] = [("kind", *SAFETIES, *COMPLETIONS)]
    for kind in dict.fromkeys(count.kind for count in report.keys):
        of_kind = [count for count in report.keys if count.kind == kind]
        by_safety = [sum(c.keys for c in of_kind if c.safety == safety) for safety in SAFETIES]
        by_completion = [sum(c.keys for c in of_kind if c.completion == completion) for completion in COMPLETIONS]
        table.append((kind, *map(str, (*by_safety, *by_completion))))
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
    lines[0] = lines[0].rstrip()
    for finding in report.findings:
        lines += ["", *_story(finding)]
    if report.rejects:
        lines += ["", f"{sum(source.rejects for source in report.sources)} could not be read:"]
        lines += [f"  {reject}" for reject in report.rejects]
    lines += ["", _sentence(report)]
    return "\n".join(lines)


def _story(finding: Finding) -> list[str]:
    lines = [f"{finding.safety}: {finding.kind} {finding.entity} of {finding.namespace}"]
    if finding.event:
        lines.append(f"  rejected   {finding.event} at {finding.place}")
        lines.append(f"  before     {' or '.join(finding.states_before)}")
    lines.append(f"  because    {finding.failed}")
    if finding.accepted:
        lines.append(f"  accepted   {finding.accepted}")
    return lines


def _sentence(report: Report) -> str:
    keys = sum(count.keys for count in report.keys)
    read = f"{report.events} events in {report.lines} lines of {len(report.sources)} files, {keys} keys"
    if not report.keys:
        return f"{report.safety}: no event was found; {read}"
    return f"{report.safety}, {report.completion}; {read}, {report.seconds:.1f} s"


def as_json(report: Report) -> str:
    """The report as one JSON object, for programs."""
    return json.dumps(
        {
            "safety": report.safety,
            "completion": report.completion,
            "complete_log_asserted": report.complete,
            "events": report.events,
            "lines": report.lines,
            "seconds": round(report.seconds, 3),
            "out": report.out or None,
            "keys": [vars(count) for count in report.keys],
            "sources": [vars(count) for count in report.sources],
            "findings": [vars(finding) for finding in report.findings],
            "rejects": report.rejects,
            "notes": [{"file": file, "note": note} for file, note in report.notes],
        },
        indent=2,
    )


def as_junit(report: Report, require_complete: bool = False) -> str:
    """The report as JUnit's XML: one test case a kind of key, one a source."""
    cases = []
    for kind in dict.fromkeys(count.kind for count in report.keys):
        bad = sum(count.keys for count in report.keys if count.kind == kind and count.safety != "conformant")
        stories = ["\n".join(_story(finding)) for finding in report.findings if finding.kind == kind]
        message = f"{bad} {kind}s do not conform" if bad else ""
        cases.append(_case(f"{kind}s conform", message, "\n\n".join(stories) if bad else ""))
    for source in report.sources:
        told = "\n".join(r for r in report.rejects if r.startswith(f"{source.file}:")) if source.rejects else ""
        cases.append(_case(source.file, f"{source.rejects} could not be read" if source.rejects else "", told))
    if require_complete or not report.keys:
        is_complete = report.completion == "complete"
        cases.append(_case("the run is complete", "" if is_complete else f"the run is {report.completion}"))
    return junit("genstamp logs check", cases, report.seconds)


def _case(name: str, message: str, text: str = "") -> Case:
    """A test case that fails where there is something to say."""
    return Case("genstamp.logs", name, 0.0, "failure" if message else "passed", message=message, text=text)
