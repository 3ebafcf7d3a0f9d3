"""Reads a NameNode's log in a process of its own, and tells how much memory that took which stands in no file.

Run as `python -m tests.conformance.logs.anonymous SMALL LOG MAPPED_FROM`: a log that is read before, so that all code
is loaded; the one that counts; and the bytes from which on arrays stand in files.
"""

from __future__ import annotations

import sys
from pathlib import Path

from genstamp.logs.readers import mapped
from genstamp.logs.readers.log_fast import log_batches
from genstamp.logs.readers.sighting import Counts
from genstamp.logs.streams import head
from genstamp.logs.units import HEAD, find_units


def _anonymous() -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))


def _most(log: str) -> int:
    """The most bytes while a log is read, looked at whenever a table is given."""
    [unit] = find_units([log]).units
    tables = log_batches(unit, Counts(), head(Path(log), HEAD), keeps_events=False)
    return max(_anonymous() for _ in tables)


def main() -> None:
    """Reads both, and prints by how many bytes the second took more than stood there before it."""
    small, log, mapped_from = sys.argv[1:]
    _most(small)
    mapped.MAPPED_FROM = int(mapped_from)
    before = _anonymous()
    print(_most(log) - before)


if __name__ == "__main__":
    main()
