"""Protocol events a second of processor time that simulated runs make in lockstep with a system, on one core.

Run from the repository's root: `python -m benchmarks.lockstep [--runs N]`. The runs are the first ones of
`genstamp verify`. They are simulated first, then held against each system, so that a line says both: all events by the
time of both, and those that were judged by the time of judging alone, all that it takes to pass over the others
included. Most events are heartbeats, which no system judges; they are counted apart.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

from genstamp.lockstep import Held, Holder
from genstamp.lockstep.hdfs import PROJECTIONS, simulated
from genstamp.systems import system_named
from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.simulation.plan import PlanOptions, make_plan
from genstamp_dfs.simulation.run import default_options

HEARTBEAT = "send_heartbeat"


def main() -> None:
    """Prints a line for the runs alone, and one for each system."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=100)
    seeds = range(parser.parse_args().runs)
    plan, options = PlanOptions(), default_options()
    began = time.process_time()
    runs = [simulated(seed, options, plan) for seed in seeds]
    alone = time.process_time() - began
    events = sum(len(run) for run in runs)
    others = sum(event.event != HEARTBEAT for run in runs for event in run)
    print(f"{len(runs)} runs alone: {events / alone:,.0f} events a second, {others / alone:,.0f} without heartbeats")
    for name, projection in PROJECTIONS.items():
        model = system_named(name).model(Semantics.REPAIRED.value)
        held, began = Held(), time.process_time()
        holder = Holder(model, partial(projection, options, make_plan(0, plan).clients))
        for seed, run in zip(seeds, runs, strict=True):
            holder.hold(seed, run, held)
        judging = time.process_time() - began
        both = alone + judging
        print(
            f"with {name}: {events / both:,.0f} events a second, {others / both:,.0f} without heartbeats; "
            f"{held.judged:,} of them judged, {held.judged / judging:,.0f} a second of judging; {held.verdict}"
        )


if __name__ == "__main__":
    main()
