"""The check of logs in one process, without Spark: for what is so small that starting Spark would take longer.

Reads and checks with the same code as the job on Spark, and writes the same tables. Memory is bounded: the
keys are parted on the disk, and each part is checked by itself. Leaves out what is done
before and after (`genstamp.logs.run`).
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from genstamp.logs.check import Terms
from genstamp.logs.opening import is_remote, sizes_below
from genstamp.logs.parts import check_part
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.report import Report
from genstamp.logs.run import Options, Reading, check_with, read_into
from genstamp.logs.streams import COMPRESSED_TO, is_compressed
from genstamp.logs.tables import SPANS

SMALL = 64 << 20
"""Bytes of content up to which one process is done before Spark has started and read with all cores."""


class Alone:
    """Does the work of a check in this process."""

    def read(self, units: Sequence[Unit], built: Path, how: Reading) -> Any:
        """As `run.Worker` says."""
        return pa.concat_tables([SPANS.empty_table(), *(read_into(built, unit, how) for unit in units)])

    def check(self, terms: Terms, built: Path, how: Reading) -> None:
        """As `run.Worker` says."""
        for part in range(how.parts):
            check_part(built, part, terms, keeps=how.keeps_events)


def check_alone(paths: Sequence[str | Path], options: Options | None = None) -> Report:
    """Checks what is at some paths, in this process.

    Args:
        paths: files, and directories that are read with everything below them.
        options: see there.

    Returns:
        What was found; the tables are in `options.out`.

    Raises:
        NoSuchPathError: a path is not there.
        OutputError: `options.out` holds something else than an earlier result.
    """
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
