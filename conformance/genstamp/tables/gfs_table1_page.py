"""The page of table 1 of the GFS paper: as it is computed, with a shortest run for each entry.

Not here: how it is computed (`genstamp.gfs.table1`).
"""

from collections.abc import Iterator
from typing import Final

from genstamp.gfs.table1 import CASES, COLUMNS, shortest_run, table1
from genstamp.gfs.table1_shown import region, verdict_lines

_BEGINNING: Final = """\
# Table 1 of the GFS paper, computed

The table shows the state of a file region after mutations that succeeded or failed, on the replicas that are not stale.
Each entry is the weakest state that any interleaving of two clients' writes or appends reaches. Any replica may fail at
any step, answers may get lost, clients may retry, and the primary may change. The case of a run depends on the answers
that the clients have when all their calls have ended; a write or append that was retried until it succeeded counts as a
success. As in the paper's table, stale replicas, which a reader may reach through its cache, are not covered. Chunks
with only one replica left are not covered either.

`genstamp gfs table1` computes the table. `--entry NAME` shows what each step of a run changes; `--bug NAME` computes
the table with a fault. Made by `genstamp tables`.
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
