"""Makes docs/gfs-twins.md: `python -m tests.conformance.gfs.twins_page` at the root of the repository.

Lets the implementation be each twin in turn, and runs seeds until it is noticed. A test runs these seeds again.
"""

from collections.abc import Sequence
from pathlib import Path

from tests.conformance.gfs.twins import (
    BUSY_FILES,
    EVERYDAY,
    MANY_FAULTS,
    SEEDS,
    SLOW_DISKS,
    TWINS,
    Noticed,
    Twin,
    notice,
)

PAGE = Path("docs/gfs-twins.md")

RUNS = {EVERYDAY: "everyday", SLOW_DISKS: "slow disks", MANY_FAULTS: "many faults", BUSY_FILES: "busy files"}

_BEGINNING = """# Twins of GFS

A twin is the implementation of GFS with one rule broken; there are {count}. This page shows which check notices each
twin in simulated runs. The implementation itself passes all the same runs, with the seeds {first} to {last}. The
twins are in `tests/conformance/gfs/`; `python -m tests.conformance.gfs.twins_page` makes this page, and a test
repeats its runs.

No check knows the twins. The checks are invariants of the nodes (one primary, versions, reference counts, and the order
of mutations in the events), promises to users (records, written cells, snapshots, files, and equal replicas where all
writes were acknowledged), and liveness once nothing fails any more. *Seed* is the first seed whose run shows the twin,
and *events* counts the events of all runs until then. With slow disks, other nodes continue during a disk sync. With
many faults, a fault occurs every 12 s on average instead of every 18 s. With busy files, all clients work on one file
of each kind and do more, and a fault occurs every 8 s.

| twin | what is wrong | first noticed by | runs | seed | events |
| --- | --- | --- | --- | --- | --- |
"""


def row(twin: Twin, noticed: Noticed) -> str:
    """The row of a twin."""
    cells = (
        twin.name,
        twin.wrong,
        noticed.sentence.replace("|", "\\|"),
        RUNS[twin.options],
        str(noticed.seed),
        str(noticed.events),
    )
    return f"| {' | '.join(cells)} |"


def page(rows: Sequence[str]) -> str:
    """The page."""
    beginning = _BEGINNING.format(count=len(rows), first=SEEDS.start, last=SEEDS.stop - 1)
    return beginning + "\n".join(rows) + "\n"


def main() -> None:
    """Write the page."""
    rows = []
    for twin in TWINS:
        noticed = notice(twin)
        assert noticed is not None, f"{twin.name} is not noticed"
        rows.append(row(twin, noticed))
        print(rows[-1], flush=True)
    PAGE.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
