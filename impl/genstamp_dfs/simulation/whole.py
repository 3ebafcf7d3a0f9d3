"""Simulated runs of which every effect is recorded, so that their events are a whole log.

A process that dies in the middle of a step, or with its machine's power, has done what no event says. Such faults are
left out; all others happen as the seed decides.
"""

from dataclasses import replace
from typing import Final

from genstamp_dfs.simulation.faults import FaultKind
from genstamp_dfs.simulation.plan import make_plan
from genstamp_dfs.simulation.run import Run, RunResult, default_options

UNRECORDED: Final = frozenset({FaultKind.CRASH_AT_EFFECT, FaultKind.POWER_LOSS})
"""Faults after which a node has done something that no event says."""


def run_whole(seed: int) -> RunResult:
    """The run of a seed, without the faults of `UNRECORDED`; the same for the same seed and version."""
    plan = make_plan(seed)
    faults = tuple(fault for fault in plan.faults if fault.kind not in UNRECORDED)
    return Run(replace(plan, faults=faults), default_options()).run()
