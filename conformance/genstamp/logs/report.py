"""The report of a check of logs, and its output.

Not here: finding it (`genstamp.logs.job`).
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from genstamp.logs.readers.log_head import KNOWN
from genstamp.logs.readers.sighting import KNOWN_HOLE, UNREAD
from genstamp.logs.shown import shown
from genstamp.logs.tables import COMPLETIONS, COUNTED, SAFETIES, Key
from genstamp.report.case import Case, Outcome, Place, Rule, Stage
from genstamp.report.places import shown_file
from genstamp.report.verdict import verdict

Safety = Literal["conformant", "violated", "undetermined"]
Completion = Literal["complete", "unfinished", "unknown"]

_GROUP: Final = "genstamp.logs"
_OUTCOMES: Final[dict[Safety, Outcome]] = {
    "conformant": "passed",
    "violated": "failure",
    "undetermined": "undetermined",
}

NOT_READ = "not read"
"""How the note on a file begins that was left out."""

SHOWN_MAX = 20
"""Keys and rejects that are shown one by one; all of them are in the tables."""


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
        told: the story of the key's events in lines, if it was asked for.
        stages: the same as steps of a test case.
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
    told: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()

    @property
    def key(self) -> Key:
        """The owner of the finding."""
        return Key(self.namespace, self.kind, self.entity)


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
    """How many keys of a kind have which verdicts.

    Attributes:
        kind, safety, completion: of all of them.
        begun: whether the log shows that their life has begun.
        keys: how many.
        slow: how many of them only the slow path could decide.
    """

    kind: str
    safety: Safety
    completion: Completion
    begun: bool
    keys: int
    slow: int = 0


@dataclass(frozen=True)
class RuleCount:
    """How many keys are violated or undetermined for one reason.

    Attributes:
        kind, safety: of all of them.
        event: that was rejected first; "" if none was.
        failed: why, each number as N.
        keys: how many.
        places: "file:line" of the first of them.
    """

    kind: str
    safety: Safety
    event: str
    failed: str
    keys: int
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpenCount:
    """How many files or blocks are left in the same states, which are no end.

    Attributes:
        kind, states: of all of them.
        keys: how many.
        first: some of them, the first by name.
    """

    kind: str
    states: tuple[str, ...]
    keys: int
    first: tuple[Key, ...] = ()

    def sentence(self) -> str:
        """What is left how, and the names of the first."""
        names = ", ".join(f"blk_{key.entity}" if self.kind == "block" else key.entity for key in self.first)
        more = ", ..." if self.keys > len(self.first) else ""
        return f"{counted(self.keys, self.kind)} left {' or '.join(self.states)}: {names}{more}"


@dataclass(frozen=True)
class Report:
    """What a check of logs found.

    Attributes:
        keys: counts of verdicts.
        sources: counts by file.
        unread: how many of the lines that could not be read state a step, and are of no layout that is known.
        rules: reasons for which keys are violated or undetermined, violations first, those of most keys first.
        unfinished: the files and blocks that were left open, those of one kind together.
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
    rules: tuple[RuleCount, ...] = ()
    unfinished: tuple[OpenCount, ...] = ()
    unread: int = 0

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
        """The result of the whole run, by the files and blocks whose life has begun; `tables.COUNTED` gives the reason.

        What could not be read may have left something unfinished.
        """
        found = {count.completion for count in self.keys if count.kind in COUNTED and count.begun}
        if "unfinished" in found:
            return "unfinished"
        is_read = not any(source.rejects for source in self.sources)
        return "complete" if found == {"complete"} and is_read else "unknown"

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
        return verdict(cases(self, require_complete)).exit_code


def text(report: Report) -> str:
    """The report as a table, for people."""
    table: list[tuple[str, ...]] = [("kind", *SAFETIES, *COMPLETIONS)]
    table += ((kind, *map(str, (*by_safety, *by_completion))) for kind, by_safety, by_completion, _ in kinds(report))
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
    lines[0] = lines[0].rstrip()
    if report.keys:
        lines += ["", _paths(report)]
    if report.rules:
        lines += ["", *_by_rule(report)]
    for finding in report.findings:
        lines += ["", *story_lines(finding)]
    if report.unfinished:
        lines += ["", "unfinished:", *(f"  {count.sentence()}" for count in report.unfinished)]
    if report.rejects:
        lines += ["", f"{sum(source.rejects for source in report.sources)} could not be read:"]
        lines += [f"  {reject}" for reject in report.rejects]
        lines += known_layouts(report)
    lines += ["", _sentence(report)]
    return "\n".join(map(shown, lines))


def kinds(report: Report) -> Iterator[tuple[str, list[int], list[int], int]]:
    """For each kind how many keys have which safety and completion, and how many only the slow path could decide."""
    for kind in dict.fromkeys(count.kind for count in report.keys):
        of_kind = [count for count in report.keys if count.kind == kind]
        by_safety = [sum(count.keys for count in of_kind if count.safety == safety) for safety in SAFETIES]
        by_completion = [sum(count.keys for count in of_kind if count.completion == one) for one in COMPLETIONS]
        yield kind, by_safety, by_completion, sum(count.slow for count in of_kind)


def known_layouts(report: Report) -> list[str]:
    """The layouts that are known, if the report has lines of others."""
    if not report.unread:
        return []
    told = f"{counted(report.unread, 'line')} of an unknown layout, which may hide a violation; known layouts:"
    return [told, *(f"  {layout}" for layout in KNOWN)]


def _paths(report: Report) -> str:
    keys, slow = sum(count.keys for count in report.keys), sum(count.slow for count in report.keys)
    share = 100 * (keys - slow) / keys
    return f"decided on the fast path: {keys - slow} of {keys} keys, {share:.2f} %; on the slow path: {slow}"


def _by_rule(report: Report) -> Iterator[str]:
    yield "by rule:"
    for rule in report.rules[:SHOWN_MAX]:
        what = f"{rule.event}: {rule.failed}" if rule.event else rule.failed
        where = f", first at {rule.places[0]}" if rule.places else ""
        yield f"  {counted(rule.keys, rule.kind)} {rule.safety}: {what}{where}"
    if len(report.rules) > SHOWN_MAX:
        yield f"  and {len(report.rules) - SHOWN_MAX} reasons more"


def story_lines(finding: Finding) -> list[str]:
    """The short story of a finding, as read: what is printed has to go through `shown`."""
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
    read = ", ".join([read_in_words(report), counted(keys, "key")])
    if not report.keys:
        what = "no event concerns a file, block, replica or lease" if report.events else "no event was found"
        return f"{report.safety}: {what}; {read}"
    unread = sum(note.startswith(NOT_READ) for _, note in report.notes)
    but = f" in what was read, without {counted(unread, 'file')}" if unread else ""
    holes = sorted({note.partition(":")[0] for _, note in report.notes if note.startswith(KNOWN_HOLE)})
    but += f" but for {', '.join(holes)}" if holes and report.safety != "violated" else ""
    return f"{headline(report)}{but}; {read}, {report.seconds:.1f} s"


def headline(report: Report) -> str:
    """The answer in a few words; files that are open are no fault of a cluster that runs, and are counted instead."""
    if report.safety != "conformant" or report.completion == "complete":
        return f"{report.safety}, {report.completion}"
    told = ["conformant"]
    for completion, what in (("unfinished", "open"), ("unknown", "whose end no line shows")):
        keys = Counter[str]()
        for count in report.keys:
            if count.kind in COUNTED and count.begun and count.completion == completion:
                keys[count.kind] += count.keys
        if keys:
            told.append(f"{' and '.join(counted(number, kind) for kind, number in sorted(keys.items()))} {what}")
    return ", ".join(told)


def read_in_words(report: Report) -> str:
    """How much was read."""
    lines, files = counted(report.lines, "line"), counted(len(report.sources), "file")
    return f"{counted(report.events, 'event')} in {lines} of {files}"


def counted(number: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "file"), counted(1200, "file")
    ('1 file', '1,200 files')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def plain(report: Report, require_complete: bool = False) -> dict[str, Any]:
    """The report in words of JSON, for programs."""
    return {
        "safety": report.safety,
        "completion": report.completion,
        "exit_code": report.exit_code(require_complete),
        "complete_log_asserted": report.complete,
        "events": report.events,
        "lines": report.lines,
        "seconds": round(report.seconds, 3),
        "out": report.out or None,
        "keys": [vars(count) for count in report.keys],
        "sources": [vars(count) for count in report.sources],
        "rules": [vars(rule) for rule in report.rules],
        "unfinished": [{**vars(count), "first": [key._asdict() for key in count.first]} for count in report.unfinished],
        "findings": [_plain_finding(finding) for finding in report.findings],
        "rejects": list(report.rejects),
        "unread": report.unread,
        "known_layouts": list(KNOWN) if report.unread else [],
        "notes": [{"file": file, "note": note} for file, note in report.notes],
    }


def _plain_finding(finding: Finding) -> dict[str, Any]:
    steps = [{"text": stage.text, **vars(stage.place)} for stage in finding.stages if stage.place is not None]
    told = {name: value for name, value in vars(finding).items() if name not in ("told", "stages")}
    return {**told, "steps": steps}


def cases(report: Report, require_complete: bool = False) -> Iterator[Case]:
    """The report as test cases: each kind of key, or what does not conform of it; each source; completion if asked."""
    for kind in dict.fromkeys(count.kind for count in report.keys):
        for case in _cases_of_kind(report, kind):
            yield replace(case, place=case.place or _anywhere(report))
    rule = Rule("logs/read", "every line of a source is read")
    for source in report.sources:
        at = Place(shown_file(source.file), 1)
        if not source.rejects:
            yield Case(_GROUP, source.file, 0.0, rule=rule)
            continue
        told = [reject for reject in report.rejects if reject.startswith(f"{source.file}:")]
        if any(UNREAD in reject for reject in told):
            told += known_layouts(report)
        why = f"{source.rejects} could not be read"
        yield Case(
            _GROUP, source.file, 0.0, "undetermined", "unread", why, "\n".join(map(shown, told)), rule=rule, place=at
        )
    if require_complete or not report.keys:
        yield replace(_completion_case(report), place=_anywhere(report))


def _anywhere(report: Report) -> Place | None:
    """Where to look for what has no line: code scanning takes nothing that has no place at all."""
    return Place(shown_file(report.sources[0].file), 1) if report.sources else None


def _completion_case(report: Report) -> Case:
    rule, name = Rule("logs/complete", "every file and block is finished"), "the run is complete"
    if report.completion == "complete":
        return Case(_GROUP, name, 0.0, rule=rule)
    outcome: Outcome = "failure" if report.completion == "unfinished" else "undetermined"
    left = "\n".join(shown(count.sentence()) for count in report.unfinished)
    return Case(_GROUP, name, 0.0, outcome, report.completion, f"the run is {report.completion}", left, rule=rule)


def _cases_of_kind(report: Report, kind: str) -> Iterator[Case]:
    rule = Rule(f"logs/{kind}", f"every {kind} keeps to its lifecycle")
    counts: Counter[Safety] = Counter()
    for count in report.keys:
        if count.kind == kind:
            counts[count.safety] += count.keys
    if not counts["violated"] and not counts["undetermined"]:
        yield Case(_GROUP, f"{kind}s conform", 0.0, rule=rule)
    for finding in report.findings:
        if finding.kind == kind:
            counts[finding.safety] -= 1
            yield _finding_case(finding, rule)
    for safety, number in counts.items():
        # Only the first ones are told one by one.
        if safety != "conformant" and number > 0:
            message = f"{number} more are {safety}; all are in the tables that --out keeps"
            yield Case(_GROUP, f"other {kind}s conform", 0.0, _OUTCOMES[safety], safety, message, rule=rule)


def _finding_case(finding: Finding, rule: Rule) -> Case:
    file, _, line = finding.place.rpartition(":")
    at = Place(shown_file(file), int(line)) if file and line.isdecimal() else None
    name = f"{finding.kind} {finding.entity} of {finding.namespace}"
    event = f"{finding.event}: " if finding.event else ""
    return Case(
        group=_GROUP,
        name=name,
        seconds=0.0,
        outcome=_OUTCOMES[finding.safety],
        kind=finding.safety,
        message=f"{event}{finding.failed}",
        text="\n".join([*map(shown, story_lines(finding)), *(["", *finding.told] if finding.told else [])]),
        rule=rule,
        place=at,
        steps=finding.stages,
    )
