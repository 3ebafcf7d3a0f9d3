"""A cluster of GFS in one process: a master, chunkservers and clients, each a life that may end.

Not here: what clients want, and what goes wrong; see `workload` and `genstamp_dfs.simulation.chaos`.
"""

import random
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from genstamp_dfs.errors import GenstampDfsError
from genstamp_dfs.events import EventLog
from genstamp_dfs.gfs.chunkserver.chunkserver import Chunkserver
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.gfs.client.configuration import ClientConfiguration
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.master import Master
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.simulation.rotting import Rotting
from genstamp_dfs.gfs.simulation.surplus import Surplus
from genstamp_dfs.simulation.loop import ProcessCrashedError
from genstamp_dfs.simulation.machines import Machines
from genstamp_dfs.simulation.network import Node
from genstamp_dfs.world.request import Caller, Request

Handler = Callable[[Request[Any], Caller], Coroutine[Any, Any, Any]]

RACKS: Final = 2
"""How many there are; chunkservers stand on them in turn."""


@dataclass(frozen=True)
class ClusterOptions:
    """How the nodes of a cluster are set up."""

    master: MasterConfiguration = field(default_factory=MasterConfiguration)
    chunkserver: ChunkserverConfiguration = field(default_factory=ChunkserverConfiguration)
    client: ClientConfiguration = field(default_factory=ClientConfiguration)
    sync_us: int = 0


class MasterEvents:
    """Takes the events of a master: rot takes no last current replica, and none is given up too early."""

    def __init__(self, log: EventLog, rotting: Rotting, surplus: Surplus) -> None:
        self._log = log
        self._rotting = rotting
        self._surplus = surplus

    def record(self, *, event: str, entity: str, arguments: Mapping[str, str], **others: Any) -> None:
        """Take an event."""
        if event == "begin_grant":
            told = arguments["chunkservers"].split(",")
            self._rotting.spare(int(entity), others["generation_stamp"], told)
        elif event in ("find_surplus", "move_replica"):
            self._surplus.given_up(int(entity), others["generation_stamp"], arguments["chunkserver"])
        self._log.record(event=event, entity=entity, arguments=arguments, **others)


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
        self.rotting = Rotting(self.machines, self.chunkservers)
        self.surplus = Surplus(self.machines, self.chunkservers, self.options.master.limits.replicas)
        self._racks: dict[str, str] = {}

    def start_master(self) -> None:
        """Start the master over what its disk has; one whose disk fails ends."""
        _, view, runtime = self.begin_life(MASTER)
        master = self.master = self.master_class(
            self.options.master, runtime, view, MasterEvents(self.log, self.rotting, self.surplus), self._end(MASTER)
        )
        self.network.join(Node(runtime.life, handler=self._ending(MASTER, master.handle)))
        runtime.spawn(self._start_core(MASTER, master), "start")

    def start_chunkserver(self, name: str) -> None:
        """Start a chunkserver over what its disk has."""
        rack = self._racks.setdefault(name, f"rack{len(self._racks) % RACKS + 1}")
        _, view, runtime = self.begin_life(name)
        chunkserver = self.chunkservers[name] = self.chunkserver_class(
            replace(self.options.chunkserver, rack=rack), runtime, view, self.log, self._end(name)
        )
        handler = self._ending(name, chunkserver.handle)
        self.network.join(Node(runtime.life, handler=handler, server=chunkserver.serve))
        runtime.spawn(self._start_core(name, chunkserver), "start")

    def start_client(self, name: str) -> Client:
        """Start a client, which has no disk."""
        _, _, runtime = self.begin_life(name)
        client = self.clients[name] = self.client_class(self.options.client, runtime, self.log)
        self.network.join(Node(runtime.life))
        return client

    def _end(self, node: str) -> Callable[[GenstampDfsError], None]:
        """What a node calls whose disk has failed."""

        def end(failure: GenstampDfsError) -> None:
            raise ProcessCrashedError(node) from failure

        return end

    def _ending(self, node: str, handle: Handler) -> Handler:
        """Answers requests, but none when the disk has failed."""

        async def answer(request: Request[Any], caller: Caller) -> Any:
            with self.ends_with_its_disk(node):
                return await handle(request, caller)

        return answer

    async def _start_core(self, node: str, core: Master | Chunkserver) -> None:
        with self.ends_with_its_disk(node):
            await core.start()

    def start(self, node: str) -> None:
        """Start a node again; clients do not come back."""
        if node == MASTER:
            self.start_master()
        elif node in self._racks:
            self.start_chunkserver(node)

    def rot(self, node: str, chance: random.Random) -> bool:
        """Let a bit of what a chunkserver has stored rot."""
        return self.rotting.rot(node, chance)

    def life_ended(self, node: str) -> None:
        """The core of a node is gone."""
        if node == MASTER:
            self.master = None
        self.chunkservers.pop(node, None)
        self.clients.pop(node, None)
