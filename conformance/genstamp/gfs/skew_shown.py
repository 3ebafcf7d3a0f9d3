"""The sweep of clock skew as people and programs read it.

Not here: how it is computed (`genstamp.gfs.skew`) and drawn (`genstamp.gfs.skew_chart`).
"""

from collections.abc import Iterator
from typing import Any, Final

from genstamp.gfs.skew import CONFIGURATION, GRACES, JUST_BEYOND, LEASES, SKEWS, Point, Setting, Sweep
from genstamp_model.path import Path
from genstamp_spec.gfs.systems.chunk_lease import CHUNK_LEASE

FORMULA: Final = "two primaries are possible where skew > grace, whatever the lease"
_NONE: Final = "-"
_UNKNOWN: Final = "?"


def lines(swept: Sweep, run: Path | None) -> Iterator[str]:
    """The grid, what is read off it, and the run just beyond the boundary."""
    yield f"steps of a shortest run to two primaries; {_NONE} where there is none"
    for lease in LEASES:
        yield ""
        yield from _aligned(rows(swept, lease))
    yield ""
    yield from verdict_lines(swept)
    if run is not None:
        yield ""
        yield f"{told(JUST_BEYOND)}: two primaries after {len(run)} steps"
        yield from (f"  {line}" for line in run.lines())


def rows(swept: Sweep, lease: int) -> list[tuple[str, ...]]:
    """The grid of one lease: a heading, then a row each skew with a cell each grace."""
    heading = (f"lease {ticks(lease)}", *(f"grace {grace}" for grace in GRACES))
    body = [(f"skew {skew}", *(_cell(swept.at(lease, grace, skew)) for grace in GRACES)) for skew in SKEWS]
    return [heading, *body]


def verdict_lines(swept: Sweep) -> Iterator[str]:
    """Whether the formula holds on the grid, and how much was searched."""
    fault = f" with the fault {swept.bug}" if swept.bug else ""
    for point in swept.against:
        found = "no two primaries" if point.steps is None else f"two primaries after {point.steps} steps"
        yield f"{told(point.setting)}: {found}{fault}, against the formula"
    for point in swept.undetermined:
        yield f"{told(point.setting)}: undetermined: {point.undetermined}"
    known = len(swept.points) - len(swept.undetermined)
    right = known - len(swept.against)
    yield f"{FORMULA}: so at {right} of {len(swept.points)} points{fault}"
    searched = sum(point.states for point in swept.points if point.steps is None)
    yield f"{CHUNK_LEASE.name}:{CONFIGURATION}: {searched:,} states where no run leads to two primaries"


def told(setting: Setting) -> str:
    """A setting in words.

    >>> told(Setting(lease=2, grace=1, skew=2))
    'lease 2 ticks, grace 1 tick, skew 2 ticks'
    """
    return f"lease {ticks(setting.lease)}, grace {ticks(setting.grace)}, skew {ticks(setting.skew)}"


def ticks(number: int) -> str:
    """A number of ticks in words."""
    return f"{number} tick" if number == 1 else f"{number} ticks"


def plain(swept: Sweep, run: Path | None) -> dict[str, Any]:
    """The sweep in words of JSON; the run in the Informal Trace Format."""
    return {
        "formula": FORMULA,
        "formula_holds": not swept.against and not swept.undetermined,
        "bug": swept.bug or None,
        "system": CHUNK_LEASE.name,
        "configuration": CONFIGURATION,
        "points": [
            {
                **vars(point.setting),
                "two_primaries": None if point.undetermined else point.steps is not None,
                "steps": point.steps,
                "states": point.states,
                "undetermined": point.undetermined or None,
            }
            for point in swept.points
        ],
        "just_beyond": vars(JUST_BEYOND),
        "run": None if run is None else run.to_itf(shows="two_primaries"),
    }


def _cell(point: Point) -> str:
    if point.undetermined:
        return _UNKNOWN
    return _NONE if point.steps is None else str(point.steps)


def _aligned(table: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for first, *others in table:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells])
