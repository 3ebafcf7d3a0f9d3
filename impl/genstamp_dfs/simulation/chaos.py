"""Makes happen what a plan says goes wrong, and ends it.

Leaves out: what goes wrong by the dice of the network and the disks.
"""

from collections import Counter
from collections.abc import Iterable

from genstamp_dfs.simulation.faults import Fault, FaultKind
from genstamp_dfs.simulation.machines import Machines
from genstamp_dfs.simulation.network import NetworkFaults


class Chaos:
    """The faults of one run.

    Attributes:
        counts: how many of each kind have happened.
    """

    def __init__(self, cluster: Machines, faults: Iterable[Fault]) -> None:
        self._cluster = cluster
        self._downtimes: dict[str, int] = {}
        self._is_over = False
        self.counts: Counter[str] = Counter()
        cluster.on_crash = self._crashed
        for fault in faults:
            cluster.loop.at(fault.at_us, lambda fault=fault: self._happen(fault))  # type: ignore[misc]

    def end(self) -> None:
        """No more faults; everybody who comes back at all does so now."""
        self._is_over = True
        self._cluster.network.heal()
        self._cluster.network.faults = NetworkFaults()
        for node, machine in self._cluster.machines.items():
            if machine.view is not None:
                machine.view.crash_at = None
            if machine.life is None:
                self._start(node)

    def _happen(self, fault: Fault) -> None:
        if self._is_over:
            return
        cluster = self._cluster
        self.counts[fault.kind.value] += 1
        match fault.kind:
            case FaultKind.CRASH | FaultKind.POWER_LOSS:
                self._downtimes[fault.node] = fault.lasts_us
                if cluster.is_up(fault.node):
                    cluster.crash(fault.node, power_loss=fault.kind is FaultKind.POWER_LOSS)
            case FaultKind.CRASH_AT_EFFECT:
                self._downtimes[fault.node] = fault.lasts_us
                cluster.crash_at_effect(fault.node, fault.effect)
            case FaultKind.PARTITION:
                for other in fault.others:
                    cluster.network.part(fault.node, other)
                cluster.loop.at(cluster.loop.now_us + fault.lasts_us, lambda: self._rejoin(fault))
            case FaultKind.BAD_NETWORK | FaultKind.LATE_MESSAGES:
                cluster.network.faults = fault.network
                cluster.loop.at(cluster.loop.now_us + fault.lasts_us, lambda: self._calm(fault))

    def _rejoin(self, fault: Fault) -> None:
        """This partition ends, and no other that began since."""
        for other in fault.others:
            self._cluster.network.rejoin(fault.node, other)

    def _calm(self, fault: Fault) -> None:
        """The network is good again, unless it has become bad in another way since."""
        if self._cluster.network.faults is fault.network:
            self._cluster.network.faults = NetworkFaults()

    def _crashed(self, node: str) -> None:
        """A node has died, by whatever cause: it comes back after its time, if it does."""
        after_us = self._downtimes.pop(node, 0)
        self._cluster.loop.at(self._cluster.loop.now_us + after_us, lambda: self._start(node))

    def _start(self, node: str) -> None:
        if not self._cluster.is_up(node):
            self._cluster.start(node)
