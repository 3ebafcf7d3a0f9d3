"""One check of logs, from paths to a report: finding, reading, checking, tables in Parquet, put in place in one step.

Leaves out who does the work: `genstamp.logs.alone` in one process, `genstamp.logs.job` on Spark. Both read a unit with
`read_into` and check whole keys with `genstamp.logs.check`.
"""

import shutil
import tempfile
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet

from genstamp.errors import GenstampError
from genstamp.events import EVENT_SCHEMA
from genstamp.logs.check import SITUATIONS_MAX, Terms
from genstamp.logs.kept import FOLLOWED, MARK, read_kept, write_terms
from genstamp.logs.parts import COUNTS_KEPT, PartWriter, parts_for
from genstamp.logs.ranges import keep_aside, keep_shifts, kept_aside
from genstamp.logs.readers.log_ordered import ContextChangedError, OrderedReading
from genstamp.logs.readers.log_ranges import Range, RangeReading
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.reading import read_unit
from genstamp.logs.report import Report
from genstamp.logs.rows import Batch, reject_row
from genstamp.logs.semantics import Semantics
from genstamp.logs.streams import head
from genstamp.logs.summary import Summary
from genstamp.logs.tables import CONCERNS, COUNTS, COVERAGE, REJECTS, SPANS, STEPS, VERDICTS
from genstamp.logs.units import HEAD, Found, find_units

_READ: dict[str, Any] = {"events": EVENT_SCHEMA, "concerns": CONCERNS, "coverage": COVERAGE, "rejects": REJECTS}

TABLES: dict[str, Any] = {**_READ, "verdicts": VERDICTS, "steps": STEPS}
"""What is written, each a directory of Parquet files."""


class OutputError(GenstampError):
    """The directory for the tables cannot be replaced.

    Attributes:
        path: the directory.
    """

    def __init__(self, path: Path, why: str = "is no result of this command") -> None:
        super().__init__(f"{path} exists and {why}, so it is left alone")
        self.path = path


class PageError(GenstampError):
    """The page cannot be written where it is wanted.

    Attributes:
        path: of the page.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} cannot be written: a page is a file in a directory that is there")
        self.path = path


@dataclass(frozen=True)
class Options:
    """How logs are checked.

    Attributes:
        complete: the sources are asserted to be whole; else any line may be missing.
        semantics: whether known faults of HDFS are allowed.
        group: name of the cluster for sources that name no block pool.
        out: directory for the tables; None to keep none.
        html: file for a page of what was found; None for none.
        stories: whether findings are to be told with all their events.
        situations_max: bound of the slow path, for each key.
        parts: into how many the keys are divided; None to choose by the size of what is read.
        range_bytes: bytes of a range, and every log of two ranges is read in ranges; None to divide only where it pays.
    """

    complete: bool = False
    semantics: Semantics = "hadoop-3.4"
    group: str | None = None
    out: Path | None = None
    html: Path | None = None
    stories: bool = False
    situations_max: int = SITUATIONS_MAX
    parts: int | None = None
    range_bytes: int | None = None


@dataclass(frozen=True)
class Reading:
    """What is written of units that are read.

    Attributes:
        parts: into how many the keys are divided.
        keeps_events: whether anybody wants the tables: those of events, which no check needs, of verdicts of which no
        more is told than that they are counted, and of steps.
        range_bytes: bytes of a range of each log that several tasks read; None to divide only where it pays.
    """

    parts: int = 1
    keeps_events: bool = True
    range_bytes: int | None = None


class Worker(Protocol):
    """Reads units and checks keys, on whatever machines."""

    def read(self, units: Sequence[Unit], built: Path, how: "Reading") -> Any:
        """Writes the tables of units below a directory (`read_into`).

        Args:
            units: what is read.
            built: the directory.
            how: what is written.

        Returns:
            The spans of all, a table of `tables.SPANS`.
        """

    def check(self, terms: Terms, built: Path, how: "Reading") -> None:
        """Checks the keys of the concerns below a directory, and writes what it finds beside them (`parts.check_part`).

        Args:
            terms: of the check.
            built: the directory.
            how: the concerns were written.
        """


def check_with(worker: Worker, paths: Sequence[str | Path], options: Options | None = None) -> Report:
    """Checks what is at some paths.

    Args:
        worker: does it.
        paths: files, and directories that are read with everything below them.
        options: see there.

    Returns:
        What was found; the tables are in `options.out`.

    Raises:
        NoSuchPathError: a path is not there.
        OutputError: `options.out` holds something else than an earlier result.
        PageError: there is no place for `options.html`; told before anything is read.
    """
    options = options or Options()
    began = time.monotonic()
    if options.out is not None and options.out.exists() and not (options.out / MARK).is_file():
        raise OutputError(options.out)
    if options.out is not None and (options.out / FOLLOWED).exists():
        raise OutputError(options.out, "is that of a check with --follow")
    if options.html is not None and (options.html.is_dir() or not options.html.parent.is_dir()):
        raise PageError(options.html)
    found = find_units([str(path) for path in paths], options.group, options.complete, options.semantics)
    with tempfile.TemporaryDirectory(prefix="genstamp-logs-") as scratch:
        parent = Path(scratch) if options.out is None else options.out.parent
        parent.mkdir(parents=True, exist_ok=True)
        # Beside its final place, so that putting it there is one step.
        built = parent / f".{uuid.uuid4().hex}.tmp"
        try:
            report = _told(worker, found, options, built)
            if options.html is not None:
                # With what lays out diagrams, which takes longer to load than most logs to check.
                from genstamp.logs.html import page

                options.html.write_text(page(report, read_kept(built)), encoding="utf-8", errors="backslashreplace")
            if options.out is not None:
                _put(built, options.out)
        finally:
            shutil.rmtree(built, ignore_errors=True)
    out = "" if options.out is None else str(options.out)
    return replace(report, out=out, seconds=time.monotonic() - began)


def _told(worker: Worker, found: Found, options: Options, built: Path) -> Report:
    """What a check found, with the stories that are wanted."""
    keeps_tables = options.out is not None or options.html is not None
    report = _check(worker, found, options, built, keeps_tables)
    if not options.stories or not report.findings:
        return report
    if not keeps_tables:
        # Once more: with its tables a check takes many times as long, and mostly there is nothing to be told from them.
        shutil.rmtree(built)
        report = _check(worker, found, options, built, keeps_tables=True)
    from genstamp.logs.stories import with_stories

    return with_stories(report, read_kept(built))


def _check(worker: Worker, found: Found, options: Options, built: Path, keeps_tables: bool) -> Report:
    tables = TABLES if keeps_tables else {**TABLES, COUNTS_KEPT: COUNTS}
    for table in tables:
        (built / table).mkdir(parents=True, exist_ok=True)
    how = Reading(options.parts or parts_for(found.units), keeps_tables, options.range_bytes)
    spans = worker.read(found.units, built, how) if found.units else SPANS.empty_table()
    summary = Summary(found, spans)
    _write_rejects_before_reading(found, built)
    terms = summary.terms(options.complete, options.situations_max)
    write_terms(built, terms)
    if any((built / "concerns").iterdir()) or summary.events():
        worker.check(terms, built, how)
    for table, schema in tables.items():
        _fill(built / table, schema)
    return summary.report(built, options.complete)


def _write_rejects_before_reading(found: Found, built: Path) -> None:
    if found.rejects:
        rows = [reject_row("none", reject) for reject in found.rejects]
        table = pa.Table.from_pylist(rows, REJECTS)
        pyarrow.parquet.write_table(table, built / "rejects" / "before-reading.parquet")


def _fill(directory: Path, schema: Any) -> None:
    """A table without rows is a table all the same."""
    if not any(directory.glob("*.parquet")):
        pyarrow.parquet.write_table(schema.empty_table(), directory / "none.parquet")


def read_into(built: Path, unit: Unit, how: Reading) -> Any:
    """Writes the tables of a unit, one file each, but the concerns one file a part of the keys; gives its spans."""
    return _write(built, unit, how, read_unit(unit, how.keeps_events))


def read_range_into(built: Path, unit: Unit, ranges: Sequence[Range], number: int, how: Reading) -> None:
    """Writes the concerns of a range of a unit, and what it has set aside."""
    concerns = PartWriter(built / "concerns", unit.number, number, how.parts, how.keeps_events)
    reading = RangeReading(unit, head(unit.files[0], HEAD), ranges[0].begins)
    try:
        for _, rows in reading.range(ranges[number]):
            concerns.write(rows)
    except OSError:  # Told by who reads it again.
        concerns.abandon()
        return
    concerns.close()
    keep_aside(built, unit.number, ranges[number], reading.aside)


def read_rest_into(built: Path, unit: Unit, ranges: Sequence[Range], how: Reading) -> Any:
    """Writes the tables of a unit whose ranges were read, without what theirs hold; gives its spans."""
    beginning = head(unit.files[0], HEAD)
    reading = OrderedReading(unit, beginning, ranges, lambda each: kept_aside(built, unit.number, each))
    try:
        spans = _write(built, unit, how, reading.batches())
    except ContextChangedError:
        keep_shifts(built, unit.number, [])
        return read_into(built, unit, how)
    keep_shifts(built, unit.number, reading.shifts)
    return spans


def _write(built: Path, unit: Unit, how: Reading, batches: Iterable[Batch]) -> Any:
    attempt = uuid.uuid4().hex
    writers: dict[str, Any] = {}
    concerns = PartWriter(built / "concerns", unit.number, None, how.parts, how.keeps_events)
    spans = SPANS.empty_table()
    try:
        for table, rows in batches:
            if table == "spans":
                spans = rows
                continue
            if table == "concerns":
                concerns.write(rows)
                continue
            if table not in writers:
                path = built / table / f".{unit.number:06d}.{attempt}"
                writers[table] = pyarrow.parquet.ParquetWriter(path, _READ[table])
            writers[table].write_table(rows)
    except ContextChangedError:
        concerns.abandon()
        for table, writer in writers.items():
            writer.close()
            (built / table / f".{unit.number:06d}.{attempt}").unlink()
        raise
    for table, writer in writers.items():
        writer.close()
        # In one step, and over what an earlier attempt of the same task has left.
        (built / table / f".{unit.number:06d}.{attempt}").replace(built / table / f"unit-{unit.number:06d}.parquet")
    concerns.close()
    return spans


def _put(built: Path, out: Path) -> None:
    """Puts a result in its place; one that was there goes."""
    aside = out.with_name(f".{out.name}.{uuid.uuid4().hex}.old")
    if out.exists():
        out.rename(aside)
    built.rename(out)
    shutil.rmtree(aside, ignore_errors=True)
