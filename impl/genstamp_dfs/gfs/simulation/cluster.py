"""A cluster of GFS in one process: a master, chunkservers and clients, each a life that may end.

Leaves out: what clients want, and what goes wrong; see `workload` and `genstamp_dfs.simulation.chaos`.
"""

from dataclasses import dataclass, field

from genstamp_dfs.events import EventLog
from genstamp_dfs.gfs.chunkserver.chunkserver import Chunkserver
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.gfs.client.configuration import ClientConfiguration
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.master import Master
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.simulation.machines import Machines
from genstamp_dfs.simulation.network import Node


@dataclass(frozen=True)
class ClusterOptions:
    """How the nodes of a cluster are set up."""

    master: MasterConfiguration = field(default_factory=MasterConfiguration)
    chunkserver: ChunkserverConfiguration = field(default_factory=ChunkserverConfiguration)
    client: ClientConfiguration = field(default_factory=ClientConfiguration)
    sync_us: int = 0


class SimulatedCluster(Machines):
    """All nodes of a run.

    Args:
        seed: of all dice of the cluster.
        options: how its nodes are set up.
    """

    master_class: type[Master] = Master
    chunkserver_class: type[Chunkserver] = Chunkserver
    client_class: type[Client] = Client

    def __init__(self, seed: int, options: ClusterOptions | None = None) -> None:
        self.options = options or ClusterOptions()
        super().__init__(seed, call_attempts=1, sync_us=self.options.sync_us)
        self.log = EventLog(f"gfs-{seed}")
        self.master: Master | None = None
        self.chunkservers: dict[str, Chunkserver] = {}
        self.clients: dict[str, Client] = {}
        self._chunkserver_names: set[str] = set()

    def start_master(self) -> None:
        """Start the master over what its disk has."""
        _, view, runtime = self.begin_life(MASTER)
        master = self.master = self.master_class(self.options.master, runtime, view, self.log)
        self.network.join(Node(runtime.life, handler=master.handle))
        runtime.spawn(master.start(), "start")

    def start_chunkserver(self, name: str) -> None:
        """Start a chunkserver over what its disk has."""
        self._chunkserver_names.add(name)
        _, view, runtime = self.begin_life(name)
        chunkserver = self.chunkservers[name] = self.chunkserver_class(
            self.options.chunkserver, runtime, view, self.log
        )
        self.network.join(Node(runtime.life, handler=chunkserver.handle, server=chunkserver.serve))
        runtime.spawn(chunkserver.start(), "start")

    def start_client(self, name: str) -> Client:
        """Start a client, which has no disk."""
        _, _, runtime = self.begin_life(name)
        client = self.clients[name] = self.client_class(self.options.client, runtime, self.log)
        self.network.join(Node(runtime.life))
        return client

    def start(self, node: str) -> None:
        """Start a node again; clients do not come back."""
        if node == MASTER:
            self.start_master()
        elif node in self._chunkserver_names:
            self.start_chunkserver(node)

    def life_ended(self, node: str) -> None:
        """The core of a node is gone."""
        if node == MASTER:
            self.master = None
        self.chunkservers.pop(node, None)
        self.clients.pop(node, None)
