"""Machines of a simulated cluster: each has a disk and a clock and stays, while the lives of its node come and go.

Not here: what runs on them. A file system's cluster starts its cores here, over what their disks have kept.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from genstamp_dfs.errors import DiskError
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, Loop, ProcessCrashedError
from genstamp_dfs.simulation.network import Network
from genstamp_dfs.simulation.runtime import Clock, SimulatedRuntime
from genstamp_dfs.world.times import SECOND_US

DRIFT: Final = 0.01
"""Clocks run faster or slower by at most this part."""


@dataclass
class Machine:
    """A machine: its disk, its clock, the life that its node leads now, and how many there were.

    Attributes:
        view, runtime: disk and world as the present life sees them.
        slow_us: a sync takes less than this while the disk is slow; 0 while it is not.
    """

    disk: SimulatedDisk
    clock: Clock
    life: Life | None = None
    lives: int = 0
    view: DiskOfLife | None = None
    runtime: SimulatedRuntime | None = None
    slow_us: int = 0


class Machines:
    """All machines of a run, on one loop and one network.

    Args:
        seed: of all dice of the machines.
        call_attempts: how often a call is made whose answer is lost; 1 is once.
        sync_us: a sync that others need not wait for takes less than this, in microseconds; 0 for no time.

    Attributes:
        machines: by the names of their nodes.
        crashes: how many lives have ended.
        on_crash: told the name of a node that has died.
    """

    loop_class: type[Loop] = Loop
    network_class: type[Network] = Network
    disk_class: type[DiskOfLife] = DiskOfLife

    def __init__(self, seed: int, call_attempts: int, sync_us: int = 0) -> None:
        self.loop = self.loop_class(on_crash=self._end_life)
        self.network = self.network_class(self.loop, random.Random(f"network {seed}"))
        self.machines: dict[str, Machine] = {}
        self.crashes = 0
        self.on_crash: Callable[[str], None] = lambda node: None
        self._seed = seed
        self._call_attempts = call_attempts
        self._sync_us = sync_us

    def start(self, node: str) -> None:
        """Start a node again that has died; nothing for one that does not come back."""
        raise NotImplementedError

    def is_up(self, node: str) -> bool:
        """Whether the node lives now."""
        machine = self.machines.get(node)
        return machine is not None and machine.life is not None

    def crash(self, node: str, *, power_loss: bool = False) -> None:
        """The node's process dies, and with `power_loss` its machine with it."""
        machine = self.machines[node]
        if machine.life is not None:
            self.loop.kill(machine.life)
            self._end_life(machine.life)
        if power_loss:
            machine.disk.lose_power(self.dice(f"power {node} {machine.lives}"))

    def crash_at_effect(self, node: str, effects: int) -> None:
        """The node's process dies at one of the next changes to its disk."""
        view = self.machines[node].view
        if view is not None:
            view.crash_at = view.effects + effects

    def slow_disk(self, node: str, sync_us: int) -> None:
        """From now on a sync of the node takes less than this, in microseconds; 0 for what is usual."""
        machine = self.machines[node]
        machine.slow_us = sync_us
        if machine.runtime is not None:
            machine.runtime.sync_us = max(sync_us, self._sync_us)

    def fill_disk(self, node: str, room: int | None) -> None:
        """From now on the node's disk has room for so many more bytes; None for no end of it."""
        self.machines[node].disk.room = room

    def fail_sync(self, node: str, number: int | None) -> None:
        """One of the next syncs of the node's disk fails: the one of this number, from 1; None for none of them."""
        self.machines[node].disk.sync_fails_in = number

    def false_syncs(self) -> list[str]:
        """A sentence for each sync that succeeded over bytes which an earlier one had lost."""
        return [sentence for _, machine in sorted(self.machines.items()) for sentence in machine.disk.false_syncs]

    def failed_syncs(self) -> int:
        """How many syncs have failed."""
        return sum(machine.disk.failed_syncs for machine in self.machines.values())

    @contextmanager
    def ends_with_its_disk(self, node: str) -> Iterator[None]:
        """The process of a node ends where a disk error leaves the body: it answers nobody any more."""
        try:
            yield
        except DiskError as failure:
            raise ProcessCrashedError(node) from failure

    def rot(self, node: str, chance: random.Random) -> bool:
        """Let a bit of what the node has stored rot; says whether there was something that could."""
        raise NotImplementedError

    def lives_of(self, nodes: tuple[str, ...]) -> Mapping[str, int]:
        """The number of each node's present life; without those that are down."""
        return {node: self.machines[node].lives for node in nodes if self.is_up(node)}

    def dice(self, what: str) -> random.Random:
        """A source of random choices for one purpose; the same for the same seed."""
        return random.Random(f"{what} {self._seed}")

    def begin_life(self, node: str) -> tuple[Machine, DiskOfLife, SimulatedRuntime]:
        """A new life of a node: its machine, and disk and world as this life sees them."""
        machine = self.machines.get(node)
        if machine is None:
            dice = self.dice(f"clock {node}")
            clock = Clock(dice.randrange(1000 * SECOND_US), 1 + DRIFT * (2 * dice.random() - 1))
            machine = self.machines[node] = Machine(SimulatedDisk(), clock)
        assert machine.life is None, f"{node} lives already"
        life = Life(node)
        machine.life = life
        machine.lives += 1
        machine.view = self.disk_class(machine.disk, life, self.dice(f"disk {node} {machine.lives}"))
        runtime = SimulatedRuntime(
            self.loop,
            self.network,
            life,
            self.dice(f"{node} {machine.lives}"),
            machine.clock,
            self._call_attempts,
            max(machine.slow_us, self._sync_us),
        )
        machine.runtime = runtime
        return machine, machine.view, runtime

    def life_ended(self, node: str) -> None:
        """A node's process has died: its core is gone."""

    def _end_life(self, life: Life) -> None:
        machine = self.machines[life.node]
        machine.life = None
        machine.view = None
        machine.runtime = None
        self.crashes += 1
        self.network.leave(life)
        self.life_ended(life.node)
        self.on_crash(life.node)
