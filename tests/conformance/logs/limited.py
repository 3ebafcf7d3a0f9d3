"""Checks a part in a process of its own that may hardly take more memory than it has when it begins.

Run as `python -m tests.conformance.logs.limited SMALL BUILT MEBIBYTES`: two directories whose `concerns` have a part 0,
the first checked before the limit is set, so that all code is loaded; and how much more address space may be taken.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from benchmarks.memory import peak_bytes

from genstamp.logs.check import Terms
from genstamp.logs.parts import check_part

_PAGE = resource.getpagesize()


def main() -> None:
    """Checks both and prints by how many bytes the peak has risen."""
    small, built, mebibytes = sys.argv[1:]
    check_part(Path(small), 0, Terms(), 1000)
    before = peak_bytes()
    size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * _PAGE
    if int(mebibytes):
        resource.setrlimit(resource.RLIMIT_AS, (size + (int(mebibytes) << 20),) * 2)
    check_part(Path(built), 0, Terms())
    print(peak_bytes() - before)


if __name__ == "__main__":
    main()
