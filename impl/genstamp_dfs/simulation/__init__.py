"""The implementation in one process, one seed, virtual time; what users were promised is held against what is there.

- `loop`: coroutines in virtual time; `network`, `disk`, `runtime`: the world that the cores live in, and how it fails.
- `machines`: disks and clocks that stay while lives come and go; `faults` and `chaos`: what goes wrong with them.
- `cluster`: a namenode, datanodes and clients on machines; `plan`, `workload`: what the clients of a run do.
- `ledger`, `watching`: what hflush, hsync and close promised.
- `run`: one run and its verdict; `sweep`: many; `shrink`: a shorter plan that still fails.

`python -m genstamp_dfs.simulation --seed 7` writes the events of a run as JSON lines;
`python -m genstamp_dfs.simulation.sweep --seeds 500` makes many runs.

Not here: bandwidth, full disks, more than one namenode.
"""

from genstamp_dfs.simulation.plan import Plan, PlanOptions, make_plan
from genstamp_dfs.simulation.run import Run, RunResult, run_seed

__all__ = ["run_seed", "Run", "RunResult", "Plan", "PlanOptions", "make_plan"]
