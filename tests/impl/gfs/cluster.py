"""A cluster of GFS in simulated time: the real cores of master, chunkservers and clients, and what tests do to them."""

import random
from collections.abc import Callable, Coroutine
from typing import Any

from genstamp_dfs.events import Event, EventLog
from genstamp_dfs.gfs.chunkserver.chunkserver import Chunkserver
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.gfs.client.configuration import ClientConfiguration
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.master import Master
from genstamp_dfs.gfs.messages.master_protocol import FindChunk, FindLease
from genstamp_dfs.gfs.protocol import MASTER, ChunkLease, Limits
from genstamp_dfs.simulation.machines import Machines
from genstamp_dfs.simulation.network import Node
from genstamp_dfs.simulation.runtime import SimulatedRuntime
from genstamp_dfs.world.request import Request
from genstamp_dfs.world.times import SECOND_US

LIMITS = Limits(chunk_bytes=4000, lease_us=10 * SECOND_US)


class GfsCluster(Machines):
    """A master, chunkservers c1, c2, ... on two racks, and clients k1, k2, ...

    Attributes:
        chunkservers: the cores that live now, by name.
        clients: by name; they do not die.
        crash_at: effects of the disk at which the next life of a chunkserver ends, by name.
    """

    def __init__(
        self,
        chunkservers: int = 3,
        clients: int = 1,
        *,
        seed: int = 0,
        limits: Limits = LIMITS,
        sync_us: int = 0,
        call_attempts: int = 1,
        client_settings: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(seed, call_attempts, sync_us)
        self.limits = limits
        self.log = EventLog("gfs")
        self.master: Master | None = None
        self.chunkservers: dict[str, Chunkserver] = {}
        self.runtimes: dict[str, SimulatedRuntime] = {}
        self.clients: dict[str, Client] = {}
        self.crash_at: dict[str, int] = {}
        self._settings = settings
        self.names = tuple(f"c{number}" for number in range(1, chunkservers + 1))
        self.start(MASTER)
        for name in self.names:
            self.start(name)
        for number in range(1, clients + 1):
            self._add_client(f"k{number}", client_settings or {})
        self.pass_time(2 * SECOND_US)

    @property
    def client(self) -> Client:
        """The first client."""
        return self.clients["k1"]

    # -- lives ------------------------------------------------------------------------------------------------------

    def start(self, node: str) -> None:
        """Start the master or a chunkserver, over what its disk has kept."""
        _, view, runtime = self.begin_life(node)
        self.runtimes[node] = runtime
        if node == MASTER:
            master = self.master = Master(MasterConfiguration(limits=self.limits), runtime, view, self.log)
            self.network.join(Node(runtime.life, handler=master.handle))
            runtime.spawn(master.start(), "start")
            return
        view.crash_at = self.crash_at.pop(node, None)
        configuration = ChunkserverConfiguration(
            **{"limits": self.limits, "rack": f"rack{node[1:]}", "heartbeat_period_us": SECOND_US, **self._settings}
        )
        core = self.chunkservers[node] = Chunkserver(configuration, runtime, view, self.log)
        self.network.join(Node(runtime.life, handler=core.handle, server=core.serve))
        runtime.spawn(core.start(), "start")

    def life_ended(self, node: str) -> None:
        self.chunkservers.pop(node, None)

    def restart(self, node: str, *, power_loss: bool = False) -> None:
        """Kill a node if it lives, and start it again."""
        if self.is_up(node):
            self.crash(node, power_loss=power_loss)
        self.start(node)

    def _add_client(self, name: str, settings: dict[str, Any]) -> None:
        _, _, runtime = self.begin_life(name)
        self.runtimes[name] = runtime
        self.network.join(Node(runtime.life))
        self.clients[name] = Client(ClientConfiguration(**{"limits": self.limits, **settings}), runtime, self.log)

    # -- time -------------------------------------------------------------------------------------------------------

    def pass_time(self, duration_us: int) -> None:
        self.loop.run(self.loop.now_us + duration_us)

    def begin(self, work: Coroutine[Any, Any, Any], name: str = "k1") -> list[Any]:
        """Start some work of a client; the list gets what comes of it, when it does."""
        came_of_it: list[Any] = []

        async def note() -> None:
            try:
                came_of_it.append(await work)
            except Exception as problem:
                came_of_it.append(problem)

        self.runtimes[name].spawn(note(), "work")
        return came_of_it

    def wait_for(self, *came_of_it: list[Any], for_us: int = 1_000 * SECOND_US) -> Any:
        """Let time pass until there are results; gives the first one's."""
        self.until(lambda: all(came_of_it), for_us=for_us)
        for result in came_of_it:
            if isinstance(result[0], Exception):
                raise result[0]
        return came_of_it[0][0]

    def do(self, work: Coroutine[Any, Any, Any], name: str = "k1") -> Any:
        """What comes of some work of a client."""
        return self.wait_for(self.begin(work, name))

    def ask(self, node: str, request: Request[Any], timeout_us: int = 30 * SECOND_US) -> Any:
        """What a node answers to the first client."""
        return self.do(self.runtimes["k1"].call(node, request, timeout_us=timeout_us))

    def until(self, condition: Callable[[], bool], *, for_us: int = 300 * SECOND_US) -> None:
        """Let time pass until something is so; not a step longer."""
        end_us = self.loop.now_us + for_us
        while not condition():
            assert self.loop.now_us < end_us, "it does not happen"
            self.loop.run(end_us, max_steps=1)

    # -- what is there ----------------------------------------------------------------------------------------------

    def replica(self, name: str, handle: int) -> bytes:
        """All verified bytes of a replica."""
        file = self.chunkservers[name].replicas.get(handle).file
        return file.read(0, file.num_bytes)

    def replicas(self, handle: int) -> dict[str, bytes]:
        """All verified bytes of all replicas of the highest version."""
        found = {name: core.replicas.find(handle) for name, core in sorted(self.chunkservers.items())}
        highest = max(replica.file.version for replica in found.values() if replica is not None)
        return {
            name: self.replica(name, handle)
            for name, replica in found.items()
            if replica is not None and replica.file.version == highest
        }

    def handle(self, path: str = "/f", index: int = 0) -> int:
        """The handle of a file's chunk."""
        handle: int = self.ask(MASTER, FindChunk(path, index)).handle
        return handle

    def lease(self, path: str = "/f", index: int = 0) -> ChunkLease:
        """Who orders the mutations of a chunk."""
        lease: ChunkLease = self.ask(MASTER, FindLease(path, index))
        return lease

    def events(self, *names: str) -> list[Event]:
        return [event for event in self.log.events if event.event in names]


def some_bytes(size: int, seed: object = 0) -> bytes:
    return random.Random(str(seed)).randbytes(size)
