"""A cluster in one process: a namenode, datanodes and clients, each a life on a machine that may end at any moment.

Machines have a disk and a clock and stay; lives come and go. What the cores do is the cores' business: here they are
started, connected, killed, and started again over what their disks have kept.

Leaves out: what clients want, and what goes wrong; see `workload` and `chaos`.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.events import EventLog
from genstamp_dfs.hdfs.client import ClientConfiguration, DFSClient
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.datanode import DataNode
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, Loop
from genstamp_dfs.simulation.network import Network, Node
from genstamp_dfs.simulation.runtime import Clock, SimulatedRuntime
from genstamp_dfs.simulation.watching import WatchedClientEvents, Watcher
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.times import SECOND_US

TICK_US: Final = SECOND_US
"""How often the namenode looks what is due."""

DRIFT: Final = 0.01
"""Clocks run faster or slower by at most this part."""


@dataclass(frozen=True)
class ClusterOptions:
    """How the nodes of a cluster are set up."""

    namenode: NameNodeConfiguration = field(default_factory=NameNodeConfiguration)
    datanode: DataNodeConfiguration = field(default_factory=DataNodeConfiguration)
    client: ClientConfiguration = field(default_factory=ClientConfiguration)
    call_attempts: int = 3
    sync_us: int = 0


@dataclass
class Machine:
    """A machine: its disk, its clock, the life that its node leads now, and how many there were."""

    disk: SimulatedDisk
    clock: Clock
    life: Life | None = None
    lives: int = 0
    view: DiskOfLife | None = None


class SimulatedCluster:
    """All nodes of a run.

    Args:
        seed: of all dice of the cluster.
        options: how its nodes are set up.
        watcher: sees what is acknowledged and what the namenode carries out.
    """

    namenode_class: type[NameNode] = NameNode
    datanode_class: type[DataNode] = DataNode
    client_class: type[DFSClient] = DFSClient
    loop_class: type[Loop] = Loop
    network_class: type[Network] = Network
    disk_class: type[DiskOfLife] = DiskOfLife

    def __init__(self, seed: int, options: ClusterOptions | None = None, watcher: Watcher | None = None) -> None:
        self.options = options or ClusterOptions()
        self.loop = self.loop_class(on_crash=self._life_ended)
        self.network = self.network_class(self.loop, random.Random(f"network {seed}"))
        self.log = EventLog(f"BP-{seed}")
        self.watcher = watcher or Watcher()
        self.watcher.lives_of = self.lives_of
        self.machines: dict[str, Machine] = {}
        self.namenode: NameNode | None = None
        self.datanodes: dict[str, DataNode] = {}
        self.clients: dict[str, DFSClient] = {}
        self.crashes = 0
        self.on_crash: Callable[[str], None] = lambda node: None
        self.on_namenode_start: Callable[[NameNode], None] = lambda namenode: None
        self.on_namenode_step: Callable[[Request[Any] | None], None] = lambda request: None
        self._seed = seed

    # -- starting -----------------------------------------------------------------------------------------------

    def start_namenode(self) -> None:
        """Start the namenode over what its disk has; the first time it is formatted."""
        machine, view, runtime = self._begin_life(NAMENODE)
        namenode = self.namenode_class(
            self.options.namenode, view, runtime, self._dice(f"{NAMENODE} {machine.lives}"), self.log
        )
        self.namenode = namenode
        namenode.record_start()
        self.on_namenode_start(namenode)

        async def handle(request: Request[Any], caller: Caller) -> Any:
            return self._handle(namenode, request, caller)

        async def tick() -> None:
            while True:
                namenode.tick()
                namenode.log_sync()
                self.on_namenode_step(None)
                await runtime.sleep_us(TICK_US)

        self.network.join(Node(runtime.life, handler=handle))
        runtime.spawn(tick(), "monitors")

    def start_datanode(self, name: str) -> None:
        """Start a datanode over what its disk has."""
        _, view, runtime = self._begin_life(name)
        datanode = self.datanode_class(self.options.datanode, runtime, view, self.log)
        self.datanodes[name] = datanode
        self.network.join(Node(runtime.life, handler=datanode.handle, server=datanode.serve))
        runtime.spawn(datanode.start(), "start")

    def start_client(self, name: str) -> DFSClient:
        """Start a client, which has no disk."""
        _, _, runtime = self._begin_life(name)
        events = WatchedClientEvents(self.log, runtime, self.watcher)
        client = self.client_class(runtime, events, self.options.client, name=name)
        self.clients[name] = client
        self.network.join(Node(runtime.life))
        return client

    # -- ending -------------------------------------------------------------------------------------------------

    def is_up(self, node: str) -> bool:
        """Whether the node lives now."""
        machine = self.machines.get(node)
        return machine is not None and machine.life is not None

    def crash(self, node: str, *, power_loss: bool = False) -> None:
        """The node's process dies, and with `power_loss` its machine with it."""
        machine = self.machines[node]
        if machine.life is not None:
            self.loop.kill(machine.life)
            self._life_ended(machine.life)
        if power_loss:
            machine.disk.lose_power(self._dice(f"power {node} {machine.lives}"))

    def crash_at_effect(self, node: str, effects: int) -> None:
        """The node's process dies at one of the next changes to its disk."""
        view = self.machines[node].view
        if view is not None:
            view.crash_at = view.effects + effects

    def lives_of(self, nodes: tuple[str, ...]) -> Mapping[str, int]:
        """The number of each node's present life; without those that are down."""
        return {node: self.machines[node].lives for node in nodes if self.is_up(node)}

    # -- below --------------------------------------------------------------------------------------------------

    def _dice(self, what: str) -> random.Random:
        return random.Random(f"{what} {self._seed}")

    def _begin_life(self, node: str) -> tuple[Machine, DiskOfLife, SimulatedRuntime]:
        machine = self.machines.get(node)
        if machine is None:
            dice = self._dice(f"clock {node}")
            clock = Clock(dice.randrange(1000 * SECOND_US), 1 + DRIFT * (2 * dice.random() - 1))
            machine = self.machines[node] = Machine(SimulatedDisk(), clock)
        assert machine.life is None, f"{node} lives already"
        life = Life(node)
        machine.life = life
        machine.lives += 1
        machine.view = self.disk_class(machine.disk, life, self._dice(f"disk {node} {machine.lives}"))
        runtime = SimulatedRuntime(
            self.loop,
            self.network,
            life,
            self._dice(f"{node} {machine.lives}"),
            machine.clock,
            self.options.call_attempts,
            self.options.sync_us,
        )
        return machine, machine.view, runtime

    def _handle(self, namenode: NameNode, request: Request[Any], caller: Caller) -> Any:
        """A call at the namenode: whatever it wrote is durable before the answer leaves."""
        intent = self.watcher.before(namenode, request)
        try:
            answer = namenode.handle(request, caller)
        except HdfsIOException:
            namenode.log_sync()
            self.on_namenode_step(request)
            raise
        self.watcher.carried_out(request, intent)
        namenode.log_sync()
        self.on_namenode_step(request)
        return answer

    def _life_ended(self, life: Life) -> None:
        """A process has died."""
        machine = self.machines[life.node]
        machine.life = None
        machine.view = None
        self.crashes += 1
        self.network.leave(life)
        if life.node == NAMENODE:
            self.namenode = None
        self.datanodes.pop(life.node, None)
        self.clients.pop(life.node, None)
        self.on_crash(life.node)
