"""Protocol events a second of processor time that simulated runs of the reference implementation make, on one core.

Run from the repository's root: `python -m benchmarks.simulate [--runs N]`. No peer does the same; the runs that are
timed are those of `genstamp verify`.
"""

from __future__ import annotations

import argparse
import time

from genstamp_dfs.simulation.outcomes import SweepResult
from genstamp_dfs.simulation.sweep import sweep


def main() -> None:
    """Prints events, seconds and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=100)
    runs = parser.parse_args().runs
    result, began = SweepResult(), time.process_time()
    for outcome in sweep(range(runs)):
        result.add(outcome)
    seconds = time.process_time() - began
    events = result.totals["events"]
    print(f"{runs} runs, {events:,} events, {seconds:.1f} s of processor: {events / seconds:,.0f} events a second")


if __name__ == "__main__":
    main()
