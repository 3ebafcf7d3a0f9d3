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

{count} implementations of GFS with one rule broken, and what notices each of them in simulated runs. The
implementation itself passes all the same runs, of the seeds {first} to {last}. They live in `tests/conformance/gfs/`;
this page is made by `python -m tests.conformance.gfs.twins_page`, and a test makes the runs of the page again.

The judges know of no twin: invariants of the nodes (one primary, versions, reference counts, and the order of mutations
in the events), what users were promised (records, written cells, snapshots, files, and replicas that are the same where
all writes were acknowledged), and what has to come to its end when nothing fails any more. *Seed* is the first one
whose run shows it, and *events* are those of all runs until then. With slow disks, others go on while something is
forced to a disk; with many faults, one comes every 12 s on average, and not every 18 s; with busy files, all clients
work on one file of each kind, do more, and a fault comes every 8 s.

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
