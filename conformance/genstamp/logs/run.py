"""One check of logs, from paths to a report: finding, reading, checking, tables in Parquet, put in place in one step.

Not here: who does the work: `genstamp.logs.alone` in one process, `genstamp.logs.job` on Spark. Both read a unit with
`genstamp.logs.reading` and check whole keys with `genstamp.logs.check`.
"""

import tempfile
import time
import uuid
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow.parquet

from genstamp.errors import GenstampError
from genstamp.logs.check import SITUATIONS_MAX
from genstamp.logs.kept import FOLLOWED, MARK, read_kept, write_terms
from genstamp.logs.opening import below, is_remote, is_there, move, remove
from genstamp.logs.report import Report
from genstamp.logs.rows import Batch
from genstamp.logs.semantics import Semantics
from genstamp.logs.summary import COUNTS_KEPT, Summary
from genstamp.logs.tables import COUNTS, TABLES
from genstamp.logs.units import Found, find_units


class OutputError(GenstampError):
    """The directory for the tables cannot be replaced.

    Attributes:
        path: the directory.
    """

    def __init__(self, path: str | Path, why: str = "is no result of this command") -> None:
        super().__init__(f"{path} exists and {why}, so it is not overwritten")
        self.path = path


class PageError(GenstampError):
    """The page cannot be written where it is wanted.

    Attributes:
        path: of the page.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} cannot be written; expected a file in an existing directory")
        self.path = path


class NoOutputError(GenstampError):
    """The details of findings are in tables, and the machines of a cluster have no place for them."""

    def __init__(self) -> None:
        super().__init__("on a cluster, --html and every --format but text need --out, where all machines can write")


@dataclass(frozen=True)
class Options:
    """How logs are checked.

    Attributes:
        complete: the sources are asserted to be whole; else any line may be missing.
        semantics: whether known faults of HDFS are allowed.
        group: name of the cluster for sources that name no block pool.
        out: directory for the tables, a URI if it is a text; None to keep none.
        html: file for a page of what was found; None for none.
        stories: whether findings are given with all their events.
        situations_max: bound of the slow path, for each key.
        parts: into how many the keys are divided; None to choose by the size of what is read.
    """

    complete: bool = False
    semantics: Semantics = "hadoop-3.4"
    group: str | None = None
    out: str | Path | None = None
    html: Path | None = None
    stories: bool = False
    situations_max: int = SITUATIONS_MAX
    parts: int | None = None


class Worker(Protocol):
    """Reads units and checks keys, on any number of machines."""

    is_local: bool
    """Whether what it writes below a directory of this machine is found there by who called it."""

    def tables(self, found: Found, options: Options, built: str | Path, keeps: bool) -> Any:
        """Reads and checks, and writes the tables below a directory, each into one of its name.

        Args:
            found: what is read.
            options: of the check.
            built: the directory, which is there; of this machine, or if `keeps` any that was asked for.
            keeps: whether anybody wants all `TABLES`; else verdicts of which no more is told are only counted, and
                there are no events, concerns and steps.

        Returns:
            The contents of the sources, a table of `tables.SPANS`.
        """


def check_with(worker: Worker, paths: Sequence[str | Path], options: Options | None = None) -> Report:
    """Checks the files at some paths.

    Args:
        worker: does it.
        paths: files, and directories that are read with everything below them.
        options: see there.

    Returns:
        The result; the tables are in `options.out`.

    Raises:
        NoSuchPathError: a path is not there.
        OutputError: `options.out` holds something else than an earlier result.
        PageError: there is no place for `options.html`; told before anything is read.
        NoOutputError: see there.
    """
    options = options or Options()
    began = time.monotonic()
    out = options.out
    if out is not None and is_there(out) and not is_there(below(out, MARK)):
        raise OutputError(out)
    if out is not None and is_there(below(out, FOLLOWED)):
        raise OutputError(out, "belongs to a check with --follow")
    if options.html is not None and (options.html.is_dir() or not options.html.parent.is_dir()):
        raise PageError(options.html)
    if out is None and (options.html is not None or options.stories) and not worker.is_local:
        raise NoOutputError
    found = find_units([str(path) for path in paths], options.group, options.complete, options.semantics)
    with tempfile.TemporaryDirectory(prefix="genstamp-logs-") as scratch:
        # Beside its final place, so that putting it there is one step.
        name = f".{uuid.uuid4().hex}.tmp"
        built = Path(scratch) / name if out is None else _beside(out, name)
        try:
            report = _told(worker, found, options, built)
            if options.html is not None:
                # With what lays out diagrams, which takes longer to load than most logs to check.
                from genstamp.logs.html import page

                options.html.write_text(page(report, read_kept(built)), encoding="utf-8", errors="backslashreplace")
            if out is not None:
                _put(built, out)
        finally:
            remove(built)
    return replace(report, out="" if out is None else str(out), seconds=time.monotonic() - began)


def _beside(out: str | Path, name: str) -> str | Path:
    """The entry with a name in the directory of another entry."""
    if isinstance(out, str):
        return f"{out.rstrip('/').rpartition('/')[0]}/{name}"
    out.parent.mkdir(parents=True, exist_ok=True)
    return out.parent / name


def _told(worker: Worker, found: Found, options: Options, built: str | Path) -> Report:
    """The result of a check, with the stories that are wanted."""
    keeps = options.out is not None or options.html is not None
    report = _check(worker, found, options, built, keeps)
    if not options.stories or not report.findings:
        return report
    if not keeps:
        # Once more: with its tables a check takes many times as long, and mostly there is nothing to be told from them.
        remove(built)
        report = _check(worker, found, options, built, keeps=True)
    from genstamp.logs.story import with_stories

    return with_stories(report, read_kept(built))


def _check(worker: Worker, found: Found, options: Options, built: str | Path, keeps: bool) -> Report:
    if not is_remote(built):
        Path(built).mkdir(parents=True)
    spans = worker.tables(found, options, built, keeps)
    summary = Summary(found, spans)
    write_terms(built, summary.terms(options.complete, options.situations_max))
    return summary.report(built, options.complete)


def write_tables(built: Path, tables: Iterable[Batch], keeps: bool, name: str) -> None:
    """Writes rows of tables, a file of each, with a name; of a table without rows a file without any.

    Args:
        built: directory for the tables.
        tables: rows of them.
        keeps: as in `Worker.tables`.
        name: of the files.
    """
    writers: dict[str, Any] = {}
    with ExitStack() as closed:

        def writer(table: str, schema: Any) -> Any:
            if table not in writers:
                (built / table).mkdir(parents=True, exist_ok=True)
                opened = pyarrow.parquet.ParquetWriter(built / table / f"{name}.parquet", schema)
                writers[table] = closed.enter_context(opened)
            return writers[table]

        for table, rows in tables:
            writer(table, rows.schema).write_table(rows)
        for table, schema in (TABLES if keeps else {**TABLES, COUNTS_KEPT: COUNTS}).items():
            if not (built / table).is_dir():
                writer(table, schema)


def _put(built: str | Path, out: str | Path) -> None:
    """Moves a result to its place; an earlier one is deleted."""
    aside = _beside(out, f".{uuid.uuid4().hex}.old")
    if is_there(out):
        move(out, aside)
    move(built, out)
    remove(aside)
