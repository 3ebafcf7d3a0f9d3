"""The story of one key: its events one by one, the states that each leaves possible, and what was rejected.

Not here: finding the key (`genstamp.logs.keys`), the verdict itself (`genstamp.logs.check`) and pictures
(`genstamp.logs.lanes`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, cast

import pyarrow as pa
import pyarrow.compute

from genstamp.events import Kind
from genstamp.logs.automaton import Automaton
from genstamp.logs.check import known_of, verdicts
from genstamp.logs.explain import named
from genstamp.logs.kept import Kept
from genstamp.logs.opening import dataset
from genstamp.logs.orders import SearchLimitError, find_order, known_order, seen
from genstamp.logs.registers import Registers, Values
from genstamp.logs.report import Report
from genstamp.logs.rules import NO_RULE
from genstamp.logs.shown import shown
from genstamp.logs.tables import CONCERNS, Key
from genstamp.report.case import Place, Stage
from genstamp.report.places import shown_file

Part = Literal["step", "rejected", "after", "not understood"]
"""The part of the history that an event belongs to; events after a rejected one were not checked."""


@dataclass(frozen=True)
class Step:
    """One event.

    Attributes:
        number: in the story, from 1.
        node: who wrote it.
        event: its name, with what made it fall under its rule.
        values: stamp, recovery id and length, as far as it tells them.
        told: what else it tells.
        time: of the node's own clock; "" if it has none.
        file, line: where it stands.
        part: see `Part`.
        states: those that the log shows after it; none where it was not judged.
        possible: all that some insertion of unseen steps explains.
        follows: numbers of earlier steps of other nodes that are known to come before it.
    """

    number: int
    node: str
    event: str
    values: Mapping[str, int]
    told: Mapping[str, str]
    time: str
    file: str
    line: int
    part: Part
    states: tuple[str, ...]
    possible: tuple[str, ...]
    follows: tuple[int, ...]


@dataclass(frozen=True)
class Story:
    """All of a key.

    Attributes:
        key: whose.
        safety, completion, path: its verdict.
        steps: in the order that decided.
        states_before, failed, accepted: why an event was rejected; "" and none where none was.
    """

    key: Key
    safety: str
    completion: str
    path: str
    steps: tuple[Step, ...]
    states_before: tuple[str, ...] = ()
    failed: str = ""
    accepted: str = ""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The participants, in order; a NameNode is first."""
        nodes = dict.fromkeys(step.node for step in self.steps)
        return tuple(sorted(nodes, key=lambda node: not node.startswith("namenode")))


def tell(kept: Kept, key: Key) -> Story:
    """The story of a key.

    Args:
        kept: tables of a check.
        key: one that has a verdict there.
    """
    rows = _rows(kept, key)
    (verdict,) = (
        row
        for row in verdicts(rows, kept.terms).to_pylist()
        if Key(row["namespace"], row["kind"], row["entity"]) == key
    )
    kind = cast(Kind, key.kind)
    with_automaton = known_of(kind, key.namespace, kept.terms).automaton()
    told = sorted(rows.to_pylist(), key=lambda row: (row["unit"], row["sequence"]))
    order = _order(with_automaton, told, verdict["path"] == "slow", kept.terms.situations_max)
    details = _details(kept, told)
    return Story(
        key,
        verdict["safety"],
        verdict["completion"],
        verdict["path"],
        tuple(_steps(with_automaton, [told[index] for index in order], verdict, details)),
        tuple(verdict["states_before"] or ()),
        verdict["failed"] or "",
        verdict["accepted"] or "",
    )


def tell_all(kept: Kept, keys: Sequence[Key]) -> Iterator[Story]:
    """The stories of some keys; the tables are looked through once for all of them."""
    if not keys:
        return
    column = pa.compute.field
    concerns = kept.tables["concerns"].to_table(filter=column("entity").isin(sorted({key.entity for key in keys})))
    places = concerns.column("place").combine_chunks()
    files, numbers = (pa.compute.unique(places.field(name)) for name in ("file", "line"))
    at = column("place", "file").isin(files) & column("place", "line").isin(numbers)
    events = kept.tables["events"].to_table(filter=at)
    only = {"concerns": dataset(concerns), "events": dataset(events)}
    for key in keys:
        yield tell(Kept({**kept.tables, **only}, kept.terms), key)


def _rows(kept: Kept, key: Key) -> Any:
    """The rows of `concerns` that are of a key."""
    column = pa.compute.field
    own = {unit: namespace for (namespace, unit), name in kept.terms.separated.items() if name == key.namespace}
    fits = (column("kind") == key.kind) & (column("entity") == key.entity)
    table = kept.tables["concerns"].to_table(filter=fits).cast(CONCERNS)
    if own:
        mine = [own.get(row["unit"]) == row["namespace"] for row in table.to_pylist()]
    else:
        apart = kept.terms.separated
        mine = [
            row["namespace"] == key.namespace and (row["namespace"], row["unit"]) not in apart
            for row in table.to_pylist()
        ]
    return table.filter(pa.array(mine, pa.bool_()))


def _order(with_automaton: Automaton, told: Sequence[dict[str, Any]], is_slow: bool, limit: int) -> Sequence[int]:
    """The order that the verdict was found in; the order given where no other was accepted."""
    ruled = [index for index, row in enumerate(told) if row["rule"] != NO_RULE]
    if not is_slow:
        return range(len(told))
    try:
        found = find_order(with_automaton, [seen(told[index]) for index in ruled], limit)
    except SearchLimitError:
        found = None
    if found is None:
        return range(len(told))
    unruled = [index for index in range(len(told)) if index not in set(ruled)]
    return [*(ruled[index] for index in found.order), *unruled]


def _values(row: dict[str, Any]) -> Values:
    return Values(*(row[name] for name in Values._fields))


def _steps(
    with_automaton: Automaton,
    told: Sequence[dict[str, Any]],
    verdict: dict[str, Any],
    details: Mapping[tuple[str, int], list[dict[str, Any]]],
) -> Iterator[Step]:
    graph = with_automaton.graph
    follows = _follows(with_automaton, told)
    judged = _judged(with_automaton, told, verdict)
    for number, (row, (part, states, possible)) in enumerate(zip(told, judged, strict=True), 1):
        name = "" if row["rule"] == NO_RULE else named(with_automaton.rules[row["rule"]])
        event = _event_of(details, row, name.partition(" ")[0])
        yield Step(
            number,
            shown(row["node"]),
            name or shown(event.get("event", "an event")),
            {field: event[field] for field in Values._fields if event.get(field) is not None},
            {shown(k): shown(v) for k, v in (*event.get("arguments", ()), *event.get("observed", ()))},
            _time(event.get("time_us")),
            shown(row["place"]["file"]),
            row["place"]["line"],
            part,
            graph.members(states),
            graph.members(possible),
            follows[number - 1],
        )


def _judged(
    with_automaton: Automaton, told: Sequence[dict[str, Any]], verdict: dict[str, Any]
) -> Iterator[tuple[Part, int, int]]:
    """For each row its part, the states shown and the states possible after it."""
    possible, states = with_automaton.start, with_automaton.initial
    registers = Registers()
    was_rejected = False
    for row in told:
        if row["rule"] == NO_RULE or was_rejected:
            yield "after" if was_rejected else "not understood", 0, 0
            continue
        rule = with_automaton.rules[row["rule"]]
        needs = with_automaton.needs(rule, registers.letter(_values(row)))
        after = with_automaton.possible(possible, rule, needs)
        is_named = row["place"] == verdict["place"] and named(rule) == verdict["rejected_event"]
        if is_named or not after:
            was_rejected = True
            yield "rejected", 0, 0
            continue
        states = with_automaton.shown(states, rule, needs) or with_automaton.possible(states, rule, needs) or after
        possible, registers = after, registers.after(rule, _values(row))
        yield "step", states, possible


def _follows(with_automaton: Automaton, told: Sequence[dict[str, Any]]) -> list[tuple[int, ...]]:
    """For each row the nearest rows of other nodes that are known to come before it, by their numbers from 1."""
    ruled = [index for index, row in enumerate(told) if row["rule"] != NO_RULE]
    follows: list[tuple[int, ...]] = [()] * len(told)
    for index, before in zip(ruled, known_order(with_automaton, [seen(told[i]) for i in ruled]), strict=True):
        others = (ruled[one] for one in sorted(before))
        follows[index] = tuple(one + 1 for one in others if told[one]["node"] != told[index]["node"])
    return follows


def _details(kept: Kept, told: Sequence[dict[str, Any]]) -> Mapping[tuple[str, int], list[dict[str, Any]]]:
    """The events at the places of some rows."""
    column = pa.compute.field
    files = sorted({row["place"]["file"] for row in told})
    lines = sorted({row["place"]["line"] for row in told})
    fits = column("place", "file").isin(files) & column("place", "line").isin(lines)
    columns = ["event", "node", "time_us", *Values._fields, "arguments", "observed", "place"]
    details: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for event in kept.tables["events"].to_table(columns=columns, filter=fits).to_pylist():
        details.setdefault((event["place"]["file"], event["place"]["line"]), []).append(event)
    return details


def _event_of(
    details: Mapping[tuple[str, int], list[dict[str, Any]]], row: dict[str, Any], name: str
) -> dict[str, Any]:
    """The event of a row: one place can have several."""
    events = details.get((row["place"]["file"], row["place"]["line"]), [])
    by_name = [event for event in events if event["event"] == name and event["node"] == row["node"]]
    return next(iter(by_name or events), {})


def _time(time_us: int | None) -> str:
    if time_us is None:
        return ""
    try:
        return datetime.fromtimestamp(time_us / 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    except (OverflowError, ValueError, OSError):
        return f"{time_us} µs"


def lines(story: Story) -> Iterator[str]:
    """The story for people: one lane a node, then what happened and what it leaves possible."""
    yield f"{shown(str(story.key))}: {story.safety}, {story.completion} ({story.path} path)"
    if story.failed and not story.states_before:
        yield f"  because    {shown(story.failed)}"
    waited = _waited(story.steps)
    if waited:
        yield f"  waited     {waited}"
    files = {file: f"[{number}]" for number, file in enumerate(dict.fromkeys(step.file for step in story.steps), 1)}
    yield ""
    yield from (f"{number} {file}" for file, number in files.items())
    yield ""
    lanes = {node: column for column, node in enumerate(story.nodes)}
    yield from (f"  {'| ' * column}{node}" for node, column in lanes.items())
    for step in story.steps:
        marks = ["|"] * len(lanes)
        marks[lanes[step.node]] = "X" if step.part == "rejected" else "*"
        yield f"  {' '.join(marks)}  {step.number:3}. {sentence(step)}"
        where = f"{files[step.file]}:{step.line}{', ' if step.time else ''}{step.time}"
        for line in (*_beside(story, step), where):
            yield f"  {'| ' * len(lanes)}      {line}"


def _waited(steps: Sequence[Step]) -> str:
    """How long a block that is shown COMMITTED waited for its next replica to be reported, by the NameNode's clock."""
    since = next((step for step in steps if step.told.get("block_state") == "COMMITTED" and step.time), None)
    if since is None:
        return ""
    after = (step for step in steps if step.number > since.number and step.node == since.node and step.time)
    until = next((step.time for step in after if step.event.startswith(("add_stored_block", "block_received"))), "")
    if not until:
        return f"COMMITTED since {since.time}, and no replica reported after that"
    waited = datetime.fromisoformat(until) - datetime.fromisoformat(since.time)
    return f"{waited.total_seconds():.3f} s COMMITTED until a replica was reported"


def _beside(story: Story, step: Step) -> Iterator[str]:
    """The facts about a step beside its event."""
    if step.told:
        yield ", ".join(f"{name} {value}" for name, value in step.told.items())
    if step.part == "rejected":
        yield f"REJECTED, before it: {' or '.join(story.states_before)}"
        yield f"because  {shown(story.failed)}"
        yield f"accepted {shown(story.accepted)}"
    elif step.part != "step":
        yield f"not judged: {'it comes after the rejected event' if step.part == 'after' else 'no rule knows it'}"
    else:
        also = [state for state in step.possible if state not in step.states]
        yield f"{' or '.join(step.states)}{'; possible too: ' if also else ''}{', '.join(also)}"


def sentence(step: Step) -> str:
    """The event, with its values."""
    values = [f"{name.replace('_', ' ')} {value}" for name, value in step.values.items()]
    return f"{step.event}{': ' if values else ''}{', '.join(values)}"


def with_stories(report: Report, kept: Kept) -> Report:
    """A report that gives the findings with all their events.

    Args:
        report: of a check.
        kept: its tables.
    """
    told = tell_all(kept, [finding.key for finding in report.findings])
    findings = (
        replace(finding, told=tuple(lines(story)), stages=stages(story))
        for finding, story in zip(report.findings, told, strict=True)
    )
    return replace(report, findings=tuple(findings))


def stages(story: Story) -> tuple[Stage, ...]:
    """The story as steps of a test case, each at its line."""
    found = []
    for step in story.steps:
        states = f": {' or '.join(step.states)}" if step.states else ""
        text = f"{step.node}, {sentence(step)}{', REJECTED' if step.part == 'rejected' else states}"
        found.append(Stage(text, Place(shown_file(step.file), max(1, step.line))))
    return tuple(found)


def plain(story: Story) -> dict[str, Any]:
    """The story in words of JSON."""
    return {**asdict(story), "key": story.key._asdict()}
