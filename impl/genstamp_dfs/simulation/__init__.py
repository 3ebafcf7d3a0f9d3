"""A cluster in one process, one seed, virtual time: clients write and take over, the network delays, nodes crash.

Every process of every node is a generator that yields how long it waits; the scheduler runs them in virtual time, so a
run takes no longer than its steps. All randomness comes from one seed: seed and version replay a run to the byte.

A run has two phases. *Safety*: anything may crash at any time. *Liveness*: faults stop, datanodes come back, clients
finish what they can and leave; then every file has to be closed within a few hard limits.

`python -m genstamp_dfs.simulation --seed 7` writes the events of a run as JSON lines.

Leaves out: partitions, duplicated and lost messages, disks that tear writes, the namenode's own death. Messages
between two nodes overtake each other, except within a pipeline, where TCP keeps order.
"""

from genstamp_dfs.simulation.simulation import Simulation, SimulationOptions, SimulationResult, simulate

__all__ = ["simulate", "Simulation", "SimulationOptions", "SimulationResult"]
