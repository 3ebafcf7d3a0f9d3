"""Checks logs in one process, without Spark, for inputs so small that starting Spark would take longer.

Reads and checks with the same code as the job on Spark, and writes the same tables; the rows of all keys are in memory,
some 100 bytes each. Not here: the steps before and after (`genstamp.logs.run`).
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute

from genstamp.logs.check import verdicts
from genstamp.logs.exchange import EXCHANGED, exchanged
from genstamp.logs.opening import is_remote, put, sizes_below
from genstamp.logs.reading import read_unit
from genstamp.logs.report import Report
from genstamp.logs.rows import Batch, rejects_table
from genstamp.logs.run import Options, check_with, write_tables
from genstamp.logs.streams import COMPRESSED_TO, is_compressed
from genstamp.logs.summary import Summary
from genstamp.logs.tables import SPANS
from genstamp.logs.units import Found

SMALL = 64 << 20
"""Bytes of content up to which one process is done before Spark has started and read with all cores."""


class Alone:
    """Does the work of a check in this process."""

    is_local = True

    def tables(self, found: Found, options: Options, built: str | Path, keeps: bool) -> Any:
        """As `run.Worker` says."""
        if is_remote(built):
            with tempfile.TemporaryDirectory(prefix="genstamp-") as scratch:
                spans = self._tables(found, options, Path(scratch), keeps)
                put(Path(scratch), built)
                return spans
        return self._tables(found, options, Path(built), keeps)

    def _tables(self, found: Found, options: Options, built: Path, keeps: bool) -> Any:
        spans, concerns = [SPANS.empty_table()], []

        def read() -> Iterator[Batch]:
            yield "rejects", rejects_table("none", found.rejects)
            for unit in found.units:
                for table, rows in read_unit(unit, keeps):
                    if table == "spans":
                        spans.append(rows)
                        continue
                    if table == "concerns":
                        concerns.append(exchanged(rows) if not rows.schema.equals(EXCHANGED) else rows)
                    if table != "concerns" or keeps:
                        yield table, rows

        def checked() -> Iterator[Batch]:
            yield from read()
            terms = Summary(found, pa.concat_tables(spans)).terms(options.complete, options.situations_max)
            if not concerns:
                return
            steps: list[Any] = []
            counts: list[Any] = []
            all_rows = pa.concat_tables(concerns)
            concerns.clear()
            for rows in told_apart(verdicts(all_rows, terms, steps if keeps else None, None if keeps else counts)):
                yield "verdicts", rows
            for each in steps:
                yield "steps", each
            for each in counts:
                yield "counts", each

        write_tables(built, checked(), keeps, "all")
        return pa.concat_tables(spans)


def told_apart(rows: Any) -> list[Any]:
    """Verdicts with details, stored apart from the others, so that a reader of details reads only their row groups."""
    is_told = pa.compute.or_(
        pa.compute.not_equal(rows.column("safety"), "conformant"),
        pa.compute.equal(rows.column("completion"), "unfinished"),
    )
    apart = rows.filter(is_told), rows.filter(pa.compute.invert(is_told))
    return [rows for rows in apart if rows.num_rows]


def check_alone(paths: Sequence[str | Path], options: Options | None = None) -> Report:
    """Checks the files at some paths in this process, as `run.check_with` says."""
    return check_with(Alone(), paths, options)


def is_small(paths: Sequence[str]) -> bool:
    """Whether what is at some paths is checked sooner in one process than Spark would have started."""
    size = 0
    for file, stored in _sizes(paths):
        size += stored * (COMPRESSED_TO if is_compressed(file) else 1)
        if size > SMALL:
            return False
    return True


def _sizes(paths: Sequence[str]) -> Iterator[tuple[str | Path, int]]:
    for name in paths:
        if is_remote(name):
            yield from sizes_below(name).items()
            continue
        path = Path(name)
        for file in path.rglob("*") if path.is_dir() else [path]:
            if file.is_file() and os.access(file, os.R_OK):
                yield file, file.stat().st_size
