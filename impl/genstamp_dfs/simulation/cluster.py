"""A cluster in one process: a namenode, datanodes and clients, each a life on a machine that may end at any moment.

Machines have a disk and a clock and stay; lives come and go. What the cores do is the cores' business: here they are
started, connected, killed, and started again over what their disks have kept.

Not here: what clients want, and what goes wrong; see `workload` and `chaos`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from genstamp_dfs.errors import DiskError, DiskFailedError, HdfsIOException
from genstamp_dfs.events import EventLog
from genstamp_dfs.hdfs.client import ClientConfiguration, DFSClient
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.datanode import DataNode
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.simulation.loop import ProcessCrashedError
from genstamp_dfs.simulation.machines import Machines
from genstamp_dfs.simulation.network import Node
from genstamp_dfs.simulation.watching import WatchedClientEvents, Watcher
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.times import SECOND_US

TICK_US: Final = SECOND_US
"""How often the namenode looks what is due."""


@dataclass(frozen=True)
class ClusterOptions:
    """How the nodes of a cluster are set up."""

    namenode: NameNodeConfiguration = field(default_factory=NameNodeConfiguration)
    datanode: DataNodeConfiguration = field(default_factory=DataNodeConfiguration)
    client: ClientConfiguration = field(default_factory=ClientConfiguration)
    call_attempts: int = 3
    sync_us: int = 0


class SimulatedCluster(Machines):
    """All nodes of a run.

    Args:
        seed: of all dice of the cluster.
        options: how its nodes are set up.
        watcher: sees what is acknowledged and what the namenode carries out.
    """

    namenode_class: type[NameNode] = NameNode
    datanode_class: type[DataNode] = DataNode
    client_class: type[DFSClient] = DFSClient

    def __init__(self, seed: int, options: ClusterOptions | None = None, watcher: Watcher | None = None) -> None:
        self.options = options or ClusterOptions()
        super().__init__(seed, self.options.call_attempts, self.options.sync_us)
        self.log = EventLog(f"BP-{seed}")
        self.watcher = watcher or Watcher()
        self.watcher.lives_of = self.lives_of
        self.namenode: NameNode | None = None
        self.datanodes: dict[str, DataNode] = {}
        self._datanode_names: set[str] = set()
        self.clients: dict[str, DFSClient] = {}
        self.on_namenode_start: Callable[[NameNode], None] = lambda namenode: None
        self.on_namenode_step: Callable[[Request[Any] | None], None] = lambda request: None

    # -- starting -----------------------------------------------------------------------------------------------

    def start_namenode(self) -> None:
        """Start the namenode over what its disk has; the first time it is formatted. One whose disk fails ends."""
        machine, view, runtime = self.begin_life(NAMENODE)
        try:
            namenode = self.namenode_class(
                self.options.namenode, view, runtime, self.dice(f"{NAMENODE} {machine.lives}"), self.log
            )
        except DiskError:
            self.crash(NAMENODE)
            return
        self.namenode = namenode
        namenode.record_start()
        self.on_namenode_start(namenode)

        async def handle(request: Request[Any], caller: Caller) -> Any:
            with self.ends_with_its_disk(NAMENODE):
                return self._handle(namenode, request, caller)

        async def tick() -> None:
            while True:
                with self.ends_with_its_disk(NAMENODE):
                    namenode.tick()
                    namenode.log_sync()
                self.on_namenode_step(None)
                await runtime.sleep_us(TICK_US)

        self.network.join(Node(runtime.life, handler=handle))
        runtime.spawn(tick(), "monitors")

    def start_datanode(self, name: str) -> None:
        """Start a datanode over what its disk has."""
        self._datanode_names.add(name)
        _, view, runtime = self.begin_life(name)

        def end(failure: DiskFailedError) -> None:
            raise ProcessCrashedError(name) from failure

        datanode = self.datanode_class(self.options.datanode, runtime, view, self.log, end)
        self.datanodes[name] = datanode

        async def start() -> None:
            with self.ends_with_its_disk(name):
                await datanode.start()

        self.network.join(Node(runtime.life, handler=datanode.handle, server=datanode.serve))
        runtime.spawn(start(), "start")

    def start_client(self, name: str) -> DFSClient:
        """Start a client, which has no disk."""
        _, _, runtime = self.begin_life(name)
        events = WatchedClientEvents(self.log, runtime, self.watcher)
        client = self.client_class(runtime, events, self.options.client, name=name)
        self.clients[name] = client
        self.network.join(Node(runtime.life))
        return client

    def start(self, node: str) -> None:
        """Start a node again; clients do not come back."""
        if node == NAMENODE:
            self.start_namenode()
        elif node in self._datanode_names:
            self.start_datanode(node)

    def life_ended(self, node: str) -> None:
        """The core of a node is gone."""
        if node == NAMENODE:
            self.namenode = None
        self.datanodes.pop(node, None)
        self.clients.pop(node, None)

    # -- below --------------------------------------------------------------------------------------------------

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
