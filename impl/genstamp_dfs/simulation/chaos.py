"""Makes happen what a plan says goes wrong, and ends it.

Not here: what goes wrong by the dice of the network and the disks.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

from genstamp_dfs.simulation.faults import Fault, FaultKind
from genstamp_dfs.simulation.machines import Machines
from genstamp_dfs.simulation.network import NetworkFaults
from genstamp_dfs.world.times import SECOND_US

RESTART_US: Final = SECOND_US
"""When a process is started again that has ended by itself, as its disk has failed or is full."""


class Chaos:
    """The faults of one run.

    Attributes:
        counts: how many of each kind have happened; rot only where there was something that could.
    """

    def __init__(self, cluster: Machines, faults: Iterable[Fault]) -> None:
        self._cluster = cluster
        self._downtimes: dict[str, int] = {}
        self._bad_disks: dict[tuple[str, FaultKind], Fault] = {}
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
            self._cluster.fill_disk(node, None)
            self._cluster.slow_disk(node, 0)
            self._cluster.fail_sync(node, None)
            if machine.view is not None:
                machine.view.crash_at = None
            if machine.life is None:
                self._start(node)

    def _happen(self, fault: Fault) -> None:
        if self._is_over:
            return
        cluster = self._cluster
        self.counts[fault.kind.value] += fault.kind is not FaultKind.ROT
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

            case FaultKind.ROT:
                self.counts[fault.kind.value] += cluster.rot(fault.node, random.Random(fault.effect))
            case FaultKind.SLOW_DISK:
                self._change_disk(fault, cluster.slow_disk, 0)
            case FaultKind.SYNC_FAILS:
                self._downtimes[fault.node] = fault.lasts_us
                cluster.fail_sync(fault.node, fault.effect)
            case FaultKind.FULL_DISK:
                self._change_disk(fault, cluster.fill_disk, None)

    def _change_disk(self, fault: Fault, change: Callable[[str, Any], None], good: int | None) -> None:
        """A disk is bad in some way for a while; a fault of the same kind that follows begins that while anew."""
        change(fault.node, fault.effect)
        self._bad_disks[fault.node, fault.kind] = fault

        def end() -> None:
            if self._bad_disks.get((fault.node, fault.kind)) is fault:
                change(fault.node, good)

        self._cluster.loop.at(self._cluster.loop.now_us + fault.lasts_us, end)

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
        after_us = self._downtimes.pop(node, RESTART_US)
        self._cluster.loop.at(self._cluster.loop.now_us + after_us, lambda: self._start(node))

    def _start(self, node: str) -> None:
        if not self._cluster.is_up(node):
            self._cluster.start(node)
