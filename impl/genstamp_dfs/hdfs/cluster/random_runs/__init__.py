"""Random runs of the step-by-step cluster: clients write and take over, messages are late, nodes crash.

Its events are those of `genstamp_dfs.hdfs.driver`, which the rules of the log checker know; the simulation of the whole
implementation is `genstamp_dfs.simulation`.

Every process of every node is a generator that yields how long it waits; the scheduler runs them in virtual time. All
randomness comes from one seed: seed and version replay a run to the byte. A run has two phases. *Safety*: anything may
crash at any time. *Liveness*: faults stop, datanodes come back, clients finish what they can and leave; then every file
has to be closed within a few hard limits.

Leaves out: partitions, lost and repeated messages, disks that tear writes, the namenode's own death. Messages between
two nodes overtake each other, except within a pipeline, where TCP keeps order.
"""

from genstamp_dfs.hdfs.cluster.random_runs.simulation import (
    Simulation,
    SimulationOptions,
    SimulationResult,
    simulate,
)

__all__ = ["simulate", "Simulation", "SimulationOptions", "SimulationResult"]
