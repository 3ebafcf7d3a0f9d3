"""The directory of a followed log: growing tables of a check, and the state from which the next start continues.

`_follow` holds Spark's checkpoint, with how far each log was read and what is kept of keys; the reader of each log as
it was then; and verdicts of batches that are not yet among those of all. Not here: the table of steps, whose counts
would need all keys again, and what is written there (`genstamp.logs.follow.source`, `genstamp.logs.follow.streaming`).
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet

from genstamp.errors import GenstampError
from genstamp.logs.check import Terms
from genstamp.logs.kept import FOLLOWED, MARK, write_terms
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.report import Report
from genstamp.logs.run import OutputError
from genstamp.logs.summary import Summary, name_by_sources, whole_edits
from genstamp.logs.tables import SPANS, TABLES, VERDICTS, Key
from genstamp.logs.units import Found

READ: dict[str, Any] = {name: TABLES[name] for name in ("events", "concerns", "coverage", "rejects")}
"""Tables that each batch adds to."""

_NEWEST = "newest.parquet"


class TwoRunsError(GenstampError):
    """Two runs have one name, or two sources report the same steps, so their events would count as events of one run.

    Attributes:
        namespace: the name.
        files: that are not to be followed with others.
    """

    def __init__(self, namespace: str, files: Sequence[str]) -> None:
        super().__init__(
            f"{namespace} is the name of two runs, or two sources record its NameNode; follow"
            f" {' and '.join(files)} separately"
        )
        self.namespace = namespace
        self.files = tuple(files)


class Places:
    """The directory of a followed log.

    Args:
        out: the directory.

    Attributes:
        tables: a directory for each table of `READ`.
        checkpoint: of Spark.
    """

    def __init__(self, out: Path) -> None:
        self._out = out
        self._kept = out / FOLLOWED
        self.tables = {name: out / name for name in READ}
        self.checkpoint, self._readers, self._batches = (
            self._kept / name for name in ("checkpoint", "readers", "verdicts")
        )
        self._spans = self._kept / "spans.parquet"
        self._verdicts = out / "verdicts"

    def make(self, terms: Terms) -> None:
        """Makes the directories that are not there yet.

        Raises:
            OutputError: what is there is something else.
        """
        if self._out.exists() and any(self._out.iterdir()) and not self._kept.is_dir():
            if (self._out / MARK).is_file():
                raise OutputError(self._out, "belongs to a check without --follow")
            raise OutputError(self._out)
        for place in (*self.tables.values(), self._readers, self._batches, self._verdicts):
            place.mkdir(parents=True, exist_ok=True)
        self.keep(terms)
        nothing = {self.tables[name] / "none.parquet": schema for name, schema in READ.items()}
        # A table without rows is a table all the same.
        for file, schema in {**nothing, self._verdicts / _NEWEST: VERDICTS, self._spans: SPANS}.items():
            if not file.exists():
                pyarrow.parquet.write_table(schema.empty_table(), file)

    def keep(self, terms: Terms) -> None:
        """Keeps what is taken for granted, for who asks the tables."""
        write_terms(self._out, terms)

    def reader(self, unit: int, reads: int) -> Path:
        """Where the reader of a log is kept as it was when it had read so often."""
        return self._readers / f"{unit}-{reads}"

    def spans(self) -> Any:
        """The contents of files about nodes, a table of `tables.SPANS`."""
        return pyarrow.parquet.read_table(self._spans)

    def keep_spans(self, spans: Any) -> None:
        """Keeps the content of the files so far."""
        attempt = self._spans.with_name(f".{self._spans.name}")
        pyarrow.parquet.write_table(spans, attempt)
        attempt.replace(self._spans)

    def of_batch(self, batch: int) -> Path:
        """The directory for the verdicts of a batch."""
        return self._batches / str(batch)

    def fold(self, *, must: bool = True) -> None:
        """Inserts the newest verdict of each key among those of all.

        Args:
            must: now; else when enough has come to be worth it.
        """
        batches = sorted(self._batches.glob("[0-9]*"), key=lambda place: int(place.name))
        files = [file for batch in batches for file in sorted(batch.glob("*.parquet"))]
        known = pyarrow.parquet.read_metadata(self._verdicts / _NEWEST).num_rows
        if not must and 10 * sum(pyarrow.parquet.read_metadata(file).num_rows for file in files) < known:
            return
        rows = pa.concat_tables(
            [pyarrow.parquet.read_table(file).cast(VERDICTS) for file in (self._verdicts / _NEWEST, *files)]
        )
        attempt = self._verdicts / f".{_NEWEST}"
        pyarrow.parquet.write_table(newest(rows), attempt)
        attempt.replace(self._verdicts / _NEWEST)
        # The oldest first: what is left when this ends early is newer than what was put in.
        for batch in batches:
            for file in sorted(batch.iterdir()):
                file.unlink()
            batch.rmdir()

    def report(self) -> Report:
        """The results so far."""
        return _summary(self.spans()).report(self._out, complete=False)


def refuse_two_runs(spans: Any) -> None:
    """See whether the events of two runs are taken for those of one.

    Args:
        spans: the contents of files, a table of `tables.SPANS`.

    Raises:
        TwoRunsError: they are; what was found so far may have mixed them.
    """
    twins = _summary(spans).twins
    if twins:
        namespace, *files = twins[0]
        raise TwoRunsError(namespace, files)


def own_names(spans: Any) -> dict[tuple[str, int], str]:
    """Names under which units are checked, by namespace and unit, whether or not another tells of the same NameNode.

    One may come later, and what was found before stays under its name.
    """
    named = {(namespace, unit): name_by_sources(namespace, names) for (namespace, unit), names in _sources(spans)}
    return {key: name for key, name in named.items() if name != key[0]}


def own_sources(spans: Any) -> dict[str, frozenset[str]]:
    """The sources under each of these names."""
    found: dict[str, frozenset[str]] = {}
    for (namespace, _), names in _sources(spans):
        name = name_by_sources(namespace, names)
        found[name] = found.get(name, frozenset()) | names
    return found


def own_gapless(spans: Any) -> dict[str, bool]:
    """The names whose edit log lacks no transaction; see `check.Terms`."""
    names = own_names(spans)
    rows = [row for row in spans.to_pylist() if row["namespace"]]
    return whole_edits((names.get((row["namespace"], row["unit"]), row["namespace"]), row) for row in rows)


def _sources(spans: Any) -> Iterable[tuple[tuple[str, int], set[str]]]:
    """The sources that cover a namespace in a unit."""
    sources: dict[tuple[str, int], set[str]] = {}
    for span in spans.select(["namespace", "unit", "source"]).to_pylist():
        if span["namespace"]:
            sources.setdefault((span["namespace"], span["unit"]), set()).add(span["source"])
    return sources.items()


def _summary(spans: Any) -> Summary:
    found = Found()
    # Of each file there is a row of its own, whose source is its reader.
    files = [row for row in spans.to_pylist() if not row["namespace"]]
    found.units = [Unit(row["unit"], row["source"], (row["file"],), row["file"]) for row in files]
    return Summary(found, spans)


def spans_together(spans: Any) -> Any:
    """One row for what a file tells of a node, of several for what it told at times; both tables of `tables.SPANS`."""
    *key, first, last, events, lines, rejects = SPANS.names
    how = {first: "min", last: "max", **dict.fromkeys((events, lines, rejects), "sum")}
    grouped = spans.group_by(key).aggregate(list(how.items()))
    return pa.table([grouped.column(f"{name}_{how[name]}" if name in how else name) for name in SPANS.names], SPANS)


def newest(rows: Any) -> Any:
    """The last verdict of each key in a table of `tables.VERDICTS`; a key that was violated once stays so.

    More events explain nothing of a beginning that has no explanation.
    """
    if not rows.num_rows:
        return rows
    numbers, firsts = _keys_of(rows)
    places = np.arange(rows.num_rows)
    last = np.zeros(len(firsts), np.int64)
    np.maximum.at(last, numbers, places)
    is_violated = np.asarray(pa.compute.equal(rows.column("safety"), "violated"))
    first_violated = np.full(len(firsts), rows.num_rows, np.int64)
    np.minimum.at(first_violated, numbers[is_violated], places[is_violated])
    return rows.take(pa.array(np.where(first_violated < rows.num_rows, first_violated, last)))


def _keys_of(rows: Any) -> tuple[Any, Any]:
    """The number of each row's key, counted from 0, and the first row of each key, of a table of `tables.VERDICTS`."""
    numbers = np.zeros(rows.num_rows, np.int64)
    for name in Key._fields:
        codes = np.asarray(rows.column(name).combine_chunks().dictionary_encode().indices).astype(np.int64)
        _, numbers = np.unique(numbers * (rows.num_rows + 1) + codes, return_inverse=True)
    _, firsts, numbers = np.unique(numbers, return_index=True, return_inverse=True)
    return numbers, firsts
