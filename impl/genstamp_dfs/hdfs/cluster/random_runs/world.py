"""What all processes of a simulation share: the cluster, the scheduler, the dice, and the promises under watch.

Leaves out: any behaviour of a node.
"""

import random

from genstamp_dfs.errors import StepNotPossibleError
from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.cluster import Cluster
from genstamp_dfs.hdfs.cluster.random_runs.promises import Promises
from genstamp_dfs.hdfs.cluster.random_runs.scheduler import Scheduler
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND, SECOND_US


class World:
    """One run's cluster, time and randomness."""

    def __init__(self, cluster: Cluster, seed: int, slow_message_s: int) -> None:
        self.cluster = cluster
        self.slow_message_s = slow_message_s
        self.rng = random.Random(f"simulation {seed}")
        self.scheduler = Scheduler()
        self.promises = Promises(cluster)

    def step(self, event: str, **arguments: str) -> Event | None:
        """Make a step now, and gives its event; None (and nothing changed) if it is not possible now."""
        self.cluster.now_us = self.scheduler.now_us
        try:
            getattr(self.cluster, event)(**arguments)
        except StepNotPossibleError:
            return None
        recorded = self.cluster.log.events[-1]
        self.promises.watch(recorded)
        return recorded

    def succeeds(self, event: str, **arguments: str) -> bool:
        """Make a step now; says whether it happened and was not refused."""
        recorded = self.step(event, **arguments)
        return recorded is not None and recorded.refused_with is None

    def check_leases(self) -> None:
        """One pass of the lease monitor."""
        self.cluster.now_us = self.scheduler.now_us
        before = len(self.cluster.log.events)
        self.cluster.check_leases()
        for recorded in self.cluster.log.events[before:]:
            self.promises.watch(recorded)

    def network_delay_us(self) -> int:
        """How long a message takes: mostly about a millisecond, one in fifty up to `slow_message_s`."""
        if self.rng.random() < 0.02:
            return self.rng.randrange(self.slow_message_s * SECOND_US)
        return 200 + int(self.rng.expovariate(1 / MICROSECONDS_A_MILLISECOND))

    def about_us(self, mean_us: int) -> int:
        """A random time with this mean, never zero."""
        return 1 + int(self.rng.expovariate(1 / mean_us))
