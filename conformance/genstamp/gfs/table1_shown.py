"""Table 1 of the GFS paper as people and programs read it.

Not here: how it is computed (`genstamp.gfs.table1`).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from genstamp.gfs.table1 import CASES, COLUMNS, PAPER, Entry, Table1
from genstamp_model.evaluate import Evaluator
from genstamp_model.path import Path

NEVER: Final = "never reached"


def lines(table: Table1, runs: Mapping[str, Path]) -> Iterator[str]:
    """The table, what it was read off, and the steps of a shortest run for each entry."""
    rows = [("", *COLUMNS), *((case, *(region(table.entry(column, case)) for column in COLUMNS)) for case in CASES)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    yield ""
    yield from verdict_lines(table)
    for entry in table.entries:
        if entry.name in runs:
            yield ""
            yield from entry_lines(entry, runs[entry.name])


def verdict_lines(table: Table1) -> Iterator[str]:
    """Whether the paper agrees, and how many states were searched."""
    fault = f" with the fault {table.bug}" if table.bug else ""
    for entry in table.entries:
        if not entry.agrees:
            yield f"{entry.name} is {region(entry)}{fault}; the paper has {PAPER[entry.column, entry.case]}"
    if table.agrees:
        yield f"every entry is that of the paper's table 1{fault}"
    for one in table.searched:
        end = f", undetermined: {one.undetermined}" if one.undetermined else ""
        yield f"{one.system}:{one.configuration}: {one.states:,} states{end}"


def entry_lines(entry: Entry, run: Path, *, changes: bool = False) -> Iterator[str]:
    """An entry, what else a region may be, and the run to it; with `changes` what each step changes."""
    weakest = entry.weakest
    assert weakest is not None, f"{entry.name} is never reached"
    others = [f"{one.region} (after {one.steps} steps)" for one in entry.reached[:-1]]
    also = f"; may be {', or '.join(others)}" if others else ""
    yield f"{entry.name}: {weakest.region} after {weakest.steps} steps in {weakest.configuration}{also}"
    yield from (f"  {line}" for line in (run.lines() if changes else _steps(run)))


def region(entry: Entry) -> str:
    """The entry of the table, as text."""
    return NEVER if entry.weakest is None else entry.weakest.region


def plain(table: Table1, runs: Mapping[str, Path]) -> dict[str, Any]:
    """The table in words of JSON; runs in the Informal Trace Format."""
    return {
        "agrees_with_paper": table.agrees,
        "bug": table.bug or None,
        "entries": [
            {
                "name": entry.name,
                "column": entry.column,
                "case": entry.case,
                "region": None if entry.weakest is None else entry.weakest.region,
                "paper": PAPER[entry.column, entry.case],
                "reached": [vars(one) for one in entry.reached],
                "run": runs[entry.name].to_itf(shows=entry.name) if entry.name in runs else None,
            }
            for entry in table.entries
        ],
        "searched": [
            {
                "system": one.system,
                "configuration": one.configuration,
                "states": one.states,
                "undetermined": one.undetermined or None,
            }
            for one in table.searched
        ],
    }


def _steps(run: Path) -> Iterator[str]:
    evaluator = Evaluator(run.instance)
    for number, step in enumerate(run.steps, 1):
        yield f"{number:>3}. {evaluator.call(step.action, step.arguments)}"
