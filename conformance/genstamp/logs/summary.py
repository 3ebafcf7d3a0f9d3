"""Sums up what reading and checking gave.

Not here: Spark: the tables are read with Arrow, a batch at a time.
"""

import re
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute

from genstamp.events import KINDS
from genstamp.logs.check import SITUATIONS_MAX, Terms
from genstamp.logs.graphs import graph
from genstamp.logs.opening import below, dataset, is_there
from genstamp.logs.readers.sighting import KNOWN_HOLE, NO_START_IS_MISSING, OF_NO_POOL, OF_ONE_TIME, UNREAD, WAITED
from genstamp.logs.report import SHOWN_MAX, Finding, KeyCount, OpenCount, Report, RuleCount, SourceCount
from genstamp.logs.sources import AUDIT_LOG, EDIT_LOGS, IMAGES, NAMENODE_LOG, OF_NAMENODE, ON_DISK, SHARED
from genstamp.logs.tables import COUNTED, FROM_THE_FIRST, Key
from genstamp.logs.units import NATIVE, Found

COUNTS_KEPT = "counts"
"""Directory of the counts that stand for verdicts where no tables are kept."""


class Summary:
    """The known facts about a run before its events are checked, and the report afterwards.

    Args:
        found: the files to read.
        spans: what reading gave, a table of `tables.SPANS`.
    """

    def __init__(self, found: Found, spans: Any) -> None:
        self._found = found
        self._spans: list[dict[str, Any]] = spans.to_pylist()

    def terms(self, complete: bool, situations_max: int = SITUATIONS_MAX) -> Terms:
        """The assumptions of a check.

        Args:
            complete: whether the sources are asserted to be whole.
            situations_max: bound of the slow path.
        """
        return Terms(
            complete,
            self.sources_by_namespace(),
            self.separated(),
            situations_max,
            self.tellings(),
            self.gapless(),
            self.parted(),
        )

    def sources_by_namespace(self) -> Mapping[str, frozenset[str]]:
        """The sources that cover each namespace, after those that share a name were separated.

        A source that tells of several nodes at once has a name of its own (`sources.SHARED`).
        """
        told: dict[tuple[str, str], set[tuple[int, str]]] = defaultdict(set)
        for name, span in self._named_spans():
            told[name, span["source"]].add((span["unit"], span["node"]))
        sources = defaultdict(set)
        for (name, source), nodes in told.items():
            sources[name].add(SHARED[source] if source in SHARED and _are_shared(source, nodes) else source)
        return {namespace: frozenset(names) for namespace, names in sources.items()}

    def gapless(self) -> Mapping[str, bool]:
        """The namespaces of whose edit logs no transaction is missing, and whether they begin with the first one."""
        return whole_edits(self._named_spans())

    def parted(self) -> frozenset[str]:
        """The namespaces of logs that may be parts of others."""
        return frozenset(name for name, span in self._named_spans() if span["file"] in self._found.perhaps)

    def _named_spans(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The known facts about nodes, each with the name under which it is checked."""
        separated = self.separated()
        for span in self._spans:
            if span["namespace"]:
                yield separated.get((span["namespace"], span["unit"]), span["namespace"]), span

    def events(self) -> int:
        """How many were read."""
        return sum(span["events"] for span in self._spans)

    def separated(self) -> Mapping[tuple[str, int], str]:
        """Names for runs that share one, and for what is told once more: by namespace and unit."""
        unit_of = {file: unit for unit in self._found.units for file in unit.files}
        twins = {
            (namespace, unit_of[file].number): f"{namespace} in {unit_of[file].files[0]}"
            for namespace, file, _ in self.twins
        }
        return {**self.retold, **twins, **self._apart()}

    def _apart(self) -> Mapping[tuple[str, int], str]:
        """Names for what begins as another log of one name, and continues differently: steps would be taken twice."""
        unit_of = {file: unit for unit in self._found.units for file in unit.files}
        namespaces: dict[int, set[str]] = defaultdict(set)
        for span in self._spans:
            if span["namespace"]:
                namespaces[span["unit"]].add(span["namespace"])
        return {
            (namespace, unit_of[file].number): f"{namespace} in {file}"
            for file, first in self._found.apart.items()
            for namespace in namespaces[unit_of[file].number] & namespaces[unit_of[first].number]
        }

    @cached_property
    def retold(self) -> Mapping[tuple[str, int], str]:
        """Names for the steps of a NameNode in a unit if another unit reports the same steps.

        One step that is reported twice is not taken twice, and which two tell of one step nothing says: so each source
        is checked separately. What lies on disk stays together, replicas with the edits of their blocks.
        """
        told: dict[str, dict[int, set[str]]] = {}
        for span in self._spans:
            if span["namespace"]:
                told.setdefault(span["namespace"], {}).setdefault(span["unit"], set()).add(span["source"])
        found = {}
        for namespace, by_unit in told.items():
            sources = frozenset[str]().union(*by_unit.values())
            if not sources & OF_NAMENODE:
                continue
            for unit, names in by_unit.items():
                if not names <= ON_DISK or sources & EDIT_LOGS:
                    found[namespace, unit] = name_by_sources(namespace, names)
        return {key: name for key, name in found.items() if name != key[0]}

    def tellings(self) -> Mapping[str, str]:
        """The namespace of each name under which one of several tellings of the same steps is checked."""
        return {name: namespace for (namespace, _), name in self.retold.items()}

    @cached_property
    def twins(self) -> list[tuple[str, str, str]]:
        """Namespace, file and another file for every file of events that repeats the numbers of a node of another unit.

        Two runs of one seed name one block pool; the numbers of a node never repeat within a run.
        """
        native = {unit.number for unit in self._found.units if unit.reader == NATIVE}
        spans = defaultdict(list)
        for span in self._spans:
            if span["unit"] in native and span["namespace"]:
                spans[span["namespace"], span["node"]].append(span)
        found: dict[tuple[str, str], str] = {}
        for (namespace, _), of_node in spans.items():
            for one in of_node:
                for other in of_node:
                    apart = one["last"] < other["first"] or other["last"] < one["first"]
                    if one["unit"] != other["unit"] and not apart:
                        found.setdefault((namespace, one["file"]), other["file"])
        return [(namespace, file, other) for (namespace, file), other in sorted(found.items())]

    def report(self, tables: str | Path, complete: bool) -> Report:
        """The report.

        Args:
            tables: directory that holds the tables.
            complete: whether the sources were asserted to be whole.
        """
        notes = list(self._found.notes)
        for namespace, file, other in self.twins:
            notes.append((file, f"{namespace} is the name of another run, in {other}, too; each is checked by itself"))
        first_of = {unit.number: unit.files[0] for unit in self._found.units}
        for (namespace, unit), name in sorted(self.retold.items()):
            why = f"another source tells of the steps of the NameNode of {namespace}, too; checked by itself, as {name}"
            notes.append((first_of[unit], why))
        notes += _remarks_to_note(below(tables, "coverage"))
        return Report(
            keys=tuple(_key_counts(tables)),
            sources=tuple(self._source_counts()),
            rules=tuple(_rule_counts(below(tables, "verdicts"))),
            unfinished=tuple(_open_counts(below(tables, "verdicts"))),
            findings=tuple(_findings(below(tables, "verdicts"))),
            rejects=tuple(_rejects(below(tables, "rejects"))),
            unread=dataset(below(tables, "rejects")).count_rows(filter=_is_unread()),
            notes=tuple(notes),
            complete=complete,
        )

    def _source_counts(self) -> Iterator[SourceCount]:
        readers = {file: unit.reader for unit in self._found.units for file in unit.files}
        counts = {file: Counter[str]() for file in readers}
        by_number = {unit.number: unit.reader for unit in self._found.units}
        for span in self._spans:
            if span["file"] not in counts:  # It stands in an archive or below a storage directory.
                readers[span["file"]], counts[span["file"]] = by_number[span["unit"]], Counter()
            for column in ("events", "lines", "rejects"):
                counts[span["file"]][column] += span[column]
        for reject in self._found.rejects:
            counts.setdefault(reject.place.file, Counter())["rejects"] += 1
        for file, count in sorted(counts.items()):
            reader = readers.get(file, "none")
            yield SourceCount(file, reader, count["events"], count["lines"], count["rejects"])


def whole_edits(named: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, bool]:
    """The names of whose edit logs no transaction is missing, and whether they begin with the first one.

    Nothing shows how two edit logs, or an image and an edit log, go together, unless one reader has read both.

    Args:
        named: rows of `tables.SPANS`, each with the name under which it is checked.
    """
    units: dict[str, set[int]] = defaultdict(set)
    says: dict[str, set[str]] = defaultdict(set)
    for name, span in named:
        if span["source"] in EDIT_LOGS | {IMAGES}:
            units[name].add(span["unit"])
        if span["source"] in EDIT_LOGS:
            says[name].add(span["gapless"])
    alone = {name: next(iter(those)) for name, those in says.items() if len(those) == len(units[name]) == 1}
    return {name: one == FROM_THE_FIRST for name, one in alone.items() if one}


def _are_shared(source: str, nodes: Set[tuple[int, str]]) -> bool:
    """Whether logs of a source, given as units and nodes, leave open which node a start concerns."""
    if source == NAMENODE_LOG:
        return len(nodes) > 1
    units = [unit for unit, _ in nodes]
    return len(units) != len(set(units))


def name_by_sources(namespace: str, names: Set[str]) -> str:
    """The name under which a unit is checked if several units report the steps of one NameNode.

    Args:
        namespace: that it names.
        names: of the sources in it.
    """
    if names <= ON_DISK:
        return f"{namespace} on disk"
    return f"{namespace} in its audit log" if names == {AUDIT_LOG} else namespace


def _remarks_to_note(coverage: str | Path) -> list[tuple[str, str]]:
    """Notes on known faults of HDFS and on blocks that waited, by file."""
    name = pa.compute.field("name")
    is_noted = pa.compute.starts_with(name, KNOWN_HOLE) | pa.compute.starts_with(name, WAITED)
    is_noted |= name.isin([NO_START_IS_MISSING, OF_ONE_TIME, OF_NO_POOL])
    is_noted &= pa.compute.field("what") == "remark"
    rows = dataset(coverage).to_table(columns=["file", "name"], filter=is_noted)
    return [(row["file"], row["name"]) for row in rows.to_pylist()]


_COUNTED_BY = ("kind", "safety", "completion", "path", "states")


def _key_counts(tables: str | Path) -> Iterator[KeyCount]:
    if is_there(below(tables, COUNTS_KEPT)):
        return _summed(dataset(below(tables, COUNTS_KEPT)).to_table().to_pylist())
    return key_counts(dataset(below(tables, "verdicts")).to_batches(columns=list(_COUNTED_BY)))


def key_counts(verdicts: Iterable[Any]) -> Iterator[KeyCount]:
    """Counts of verdicts, given as batches of `tables.VERDICTS`."""
    unborn = {kind: [graph(kind).names[graph(kind).initial]] for kind in KINDS}
    rows = []
    for batch in verdicts:
        # As one text, as lists cannot be grouped by; no name of a state has a comma.
        states = pa.compute.binary_join(batch.column("states"), ",")
        by = ("kind", "safety", "completion", "path")
        table = pa.table([*(batch.column(name) for name in by), states], names=[*by, "states"])
        for row in table.group_by([*by, "states"]).aggregate([([], "count_all")]).to_pylist():
            begun = row["states"] != ",".join(unborn[row["kind"]])
            rows.append({**row, "begun": begun, "keys": row["count_all"]})
    return _summed(rows)


def _summed(rows: Iterable[Mapping[str, Any]]) -> Iterator[KeyCount]:
    """Rows of `tables.COUNTS`, those of one sort together."""
    counts: Counter[tuple[str, Any, Any, bool]] = Counter()
    slow: Counter[tuple[str, Any, Any, bool]] = Counter()
    for row in rows:
        group = row["kind"], row["safety"], row["completion"], row["begun"]
        counts[group] += row["keys"]
        slow[group] += row["keys"] if row["path"] == "slow" else 0
    for group, keys in sorted(counts.items()):
        yield KeyCount(*group, keys, slow[group])


def classed(sentence: str) -> str:
    """A sentence without what differs from key to key.

    >>> classed("recovery id 1002 is not above 1002")
    'recovery id N is not above N'
    """
    return _NUMBER.sub("N", sentence)


_NUMBER = re.compile(r"(?<![\w.])-?\d+(?![\w.])")

_BY_RULE = ("kind", "safety", "rejected_event", "failed", "place")

FIRST_MAX = 5
"""Places that are reported for one rule, and keys of those that are left open in the same states."""


def _rule_counts(verdicts: str | Path) -> Iterator[RuleCount]:
    counts: Counter[tuple[str, Any, str, str]] = Counter()
    places: defaultdict[tuple[str, Any, str, str], list[tuple[str, int]]] = defaultdict(list)
    found = pa.compute.field("safety") != "conformant"
    for batch in dataset(verdicts).to_batches(columns=list(_BY_RULE), filter=found):
        for row in batch.to_pylist():
            rule = row["kind"], row["safety"], row["rejected_event"] or "", classed(row["failed"] or "")
            counts[rule] += 1
            if row["place"]:
                _keep_first(places[rule], (row["place"]["file"], row["place"]["line"]))
    for rule, keys in sorted(counts.items(), key=lambda item: (item[0][1] != "violated", -item[1], item[0])):
        yield RuleCount(*rule, keys, tuple(f"{file}:{line}" for file, line in places[rule]))


def _open_counts(verdicts: str | Path) -> Iterator[OpenCount]:
    counts: Counter[tuple[str, tuple[str, ...]]] = Counter()
    first: defaultdict[tuple[str, tuple[str, ...]], list[Key]] = defaultdict(list)
    is_open = (pa.compute.field("completion") == "unfinished") & pa.compute.field("kind").isin(COUNTED)
    for batch in dataset(verdicts).to_batches(columns=[*Key._fields, "states"], filter=is_open):
        for row in batch.to_pylist():
            group = row["kind"], tuple(row["states"])
            counts[group] += 1
            _keep_first(first[group], Key(*(row[name] for name in Key._fields)))
    for group, keys in sorted(counts.items()):
        yield OpenCount(*group, keys, tuple(first[group]))


def _keep_first(kept: list[Any], one: Any) -> None:
    """Keeps the first few of what comes, in order."""
    insort(kept, one)
    del kept[FIRST_MAX:]


def _findings(verdicts: str | Path) -> Iterator[Finding]:
    data = dataset(verdicts)
    for safety in ("violated", "undetermined"):
        rows = data.head(SHOWN_MAX, filter=pa.compute.field("safety") == safety).to_pylist()
        for row in sorted(rows, key=lambda row: (row["namespace"], row["kind"], row["entity"])):
            yield finding(row)


def finding(row: dict[str, Any]) -> Finding:
    """A row of `tables.VERDICTS` that is violated or undetermined, as reported."""
    return Finding(
        row["namespace"],
        row["kind"],
        row["entity"],
        row["safety"],
        row["rejected_event"] or "",
        tuple(row["states_before"] or ()),
        row["failed"] or "",
        row["accepted"] or "",
        f"{row['place']['file']}:{row['place']['line']}" if row["place"] else "",
    )


TEXT_SHOWN = 240
"""Characters of an unread line that are shown."""


def _is_unread() -> pa.compute.Expression:
    return pa.compute.field("reason") == UNREAD


def _rejects(rejects: str | Path) -> Iterator[str]:
    """The first, of which those come before all others that state a step."""
    data = dataset(rejects)
    rows = data.head(SHOWN_MAX, filter=_is_unread()).to_pylist()
    rows += data.head(SHOWN_MAX - len(rows), filter=~_is_unread()).to_pylist()
    for row in sorted(rows, key=lambda row: (row["place"]["file"], row["place"]["line"])):
        text = f": {row['text'][:TEXT_SHOWN]}" if row["reason"] == UNREAD else ""
        yield f"{row['place']['file']}:{row['place']['line']}: {row['reason']}{text}"
