"""The page of table 1 of the GFS paper: as it is computed, with a shortest run for each entry.

Not here: how it is computed (`genstamp.gfs.table1`).
"""

from collections.abc import Iterator
from typing import Final

from genstamp.gfs.table1 import CASES, COLUMNS, shortest_run, table1
from genstamp.gfs.table1_shown import region, verdict_lines

_BEGINNING: Final = """\
# Table 1 of the GFS paper, computed

What a region of a file may be after mutations that succeeded or failed, on the replicas that are not stale: the weakest
of all that is reached in any interleaving of two clients' writes, or appends, with any replica failing at any step,
answers that get lost, retries, and a new primary in between. A case is told by what the clients were told once nobody
waits any more; a write or an append that was retried until it succeeded counts as a success. Stale replicas, to which a
cache may lead a reader, are left out, as in the paper's table, and so are chunks of which one replica is left.

`genstamp gfs table1` computes it; `--entry NAME` shows what each step of a run changes, and `--bug NAME` what becomes
of the table under a fault. Made by `genstamp tables`.
"""


def page() -> str:
    """The page as Markdown; searches for all entries and runs."""
    table = table1()
    lines = [_BEGINNING, f"| | {' | '.join(COLUMNS)} |", f"| --- |{' --- |' * len(COLUMNS)}"]
    lines += [f"| {case} | {' | '.join(region(table.entry(column, case)) for column in COLUMNS)} |" for case in CASES]
    lines += ["", *(f"- {line}" for line in verdict_lines(table)), ""]
    for entry in table.entries:
        run = shortest_run(entry)
        lines += [f"## {entry.name}", "", f"A {entry.column} after {entry.case}, the shortest run to each:", ""]
        lines += [f"- {one.region}: {one.steps} steps in `{one.configuration}`" for one in entry.reached]
        lines += ["", "```text", *_short(list(run.lines())), "```", ""]
    return "\n".join(lines)


def _short(lines: list[str]) -> Iterator[str]:
    """The lines of a run; the widest would not fit a page."""
    for line in lines:
        yield line if len(line) <= 118 else f"{line[:115]}..."
