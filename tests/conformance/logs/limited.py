"""Checks a part in a process of its own that may hardly take more memory than it has when it begins.

Run as `python -m tests.conformance.logs.limited SMALL PART FOUND MEBIBYTES`: two files of sorted rows, the first
checked before the limit is set, so that all code is loaded; where the verdicts of the other go; and how much more
address space may be taken.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
from benchmarks.memory import peak_bytes

from genstamp.logs.check import Terms
from genstamp.logs.judging import ROWS_MAX
from genstamp.logs.long_keys import verdicts_in_order

_PAGE = resource.getpagesize()


def main() -> None:
    """Checks both and prints by how many bytes the peak has risen."""
    small, part, found, mebibytes = sys.argv[1:]
    _check(small, 1000)
    before = peak_bytes()
    size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * _PAGE
    if int(mebibytes):
        resource.setrlimit(resource.RLIMIT_AS, (size + (int(mebibytes) << 20),) * 2)
    verdicts = _check(part, ROWS_MAX)
    pyarrow.parquet.write_table(pa.concat_tables(verdicts), found)
    print(peak_bytes() - before)


def _check(part: str, rows_max: int) -> list[Any]:
    with pa.OSFile(part) as file, pa.ipc.open_stream(file) as batches, tempfile.TemporaryDirectory() as scratch:
        rows = (pa.Table.from_batches([batch]) for batch in batches)
        return list(verdicts_in_order(rows, Terms(), Path(scratch), rows_max, []))


if __name__ == "__main__":
    main()
