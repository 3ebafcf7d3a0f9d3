"""A master on a bench: simulated time, disk and network, a client that only asks, and chunkservers of a few lines."""

from collections.abc import Callable, Coroutine
from typing import Any

from genstamp_dfs.errors import NETWORK_FAILURES, GenstampDfsError
from genstamp_dfs.events import Event, EventLog
from genstamp_dfs.gfs.errors import ChunkNotFound, ChunkserverUnknown, GfsRefusal, NoReplica, StaleVersion
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.master import Master
from genstamp_dfs.gfs.master.shadow import ShadowMaster
from genstamp_dfs.gfs.messages import chunkserver_protocol as to_chunkserver
from genstamp_dfs.gfs.messages import master_protocol as to_master
from genstamp_dfs.gfs.protocol import MASTER, ChunkLease, ChunkLocations, Limits, ReplicaReport
from genstamp_dfs.simulation.machines import Machines
from genstamp_dfs.simulation.network import Node
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.times import SECOND_US

LIMITS = Limits(chunk_bytes=1000, lease_us=10 * SECOND_US)
PLENTY = 1_000_000
HEARTBEAT_US = SECOND_US


class ScriptedChunkserver:
    """A chunkserver without bytes: it keeps versions, and a lease as the protocol says.

    Attributes:
        replicas: versions by handle; they outlive the process.
        content: what mutations each replica has, by handle.
        silent: requests of these classes are done but not answered.
        deaf: requests of these classes are not done either.
        slow_us: how long it takes, once they are done, until requests of these classes are answered.
        refuses: requests of these classes are refused.
        asked: all requests, in order.
        extend: whether it asks for its leases to go on.
        corrupt: what it says of replicas that do not match their checksums.
    """

    def __init__(self, bench: "Bench", name: str, rack: str) -> None:
        self.bench = bench
        self.name = name
        self.rack = rack
        self.free_bytes = PLENTY
        self.replicas: dict[int, int] = {}
        self.content: dict[int, list[int]] = {}
        self.corrupt: dict[int, int] = {}
        self.silent: set[type] = set()
        self.deaf: set[type] = set()
        self.slow_us: dict[type, int] = {}
        self.refuses: dict[type, GfsRefusal] = {}
        self.asked: list[Request[Any]] = []
        self.garbage: list[tuple[int, int]] = []
        self.extend = False
        self.recorded_us: dict[int, tuple[int, int]] = {}
        self.leases: dict[int, tuple[int, int]] = {}

    def start(self) -> None:
        """A new life."""
        self.recorded_us, self.leases = {}, {}
        _, _, self.runtime = self.bench.begin_life(self.name)
        self.bench.network.join(Node(self.runtime.life, handler=self.handle))
        self.runtime.spawn(self.live(), "heartbeats")

    async def live(self) -> None:
        """Register, and send heartbeats."""
        is_known = False
        while True:
            try:
                if is_known:
                    await self.heartbeat()
                else:
                    reply = await self.ask(to_master.Register(self.name, self.rack, self.free_bytes, self.reports()))
                    self.delete(reply.garbage)
                    is_known = True
            except ChunkserverUnknown:
                is_known = False
                self.leases.clear()
                continue
            except (*NETWORK_FAILURES, GfsRefusal):
                pass
            await self.runtime.sleep_us(HEARTBEAT_US)

    async def heartbeat(self) -> None:
        """Send one, and do what the answer says."""
        sent_us = self.runtime.now_us()
        held = tuple((handle, version) for handle, (version, _) in self.leases.items()) if self.extend else ()
        corrupt = tuple(self.corrupt.items())
        reply = await self.ask(to_master.Heartbeat(self.name, self.free_bytes, held, self.reports(), corrupt))
        for handle in reply.extended:
            if handle in self.leases:
                self.leases[handle] = (self.leases[handle][0], sent_us + LIMITS.lease_us)
        self.delete(reply.garbage)

    async def ask(self, request: Request[Any]) -> Any:
        return await self.runtime.call(MASTER, request, timeout_us=2 * SECOND_US)

    def reports(self) -> tuple[ReplicaReport, ...]:
        return tuple(ReplicaReport(*item, 0) for item in self.replicas.items() if item[0] not in self.corrupt)

    def delete(self, garbage: tuple[tuple[int, int], ...]) -> None:
        for handle, version in garbage:
            self.garbage.append((handle, version))
            if self.replicas.get(handle, version + 1) <= version:
                del self.replicas[handle], self.content[handle]
                self.corrupt.pop(handle, None)

    def believes(self, handle: int) -> bool:
        """Whether it holds an unexpired lease, as far as it knows."""
        return handle in self.leases and self.runtime.now_us() < self.leases[handle][1]

    async def handle(self, request: Request[Any], _: Caller) -> Any:
        self.asked.append(request)
        if type(request) in self.refuses:
            raise self.refuses[type(request)]
        answer = None if type(request) in self.deaf else self.do(request)
        if type(request) in self.silent | self.deaf:
            await self.runtime.sleep_us(10_000 * SECOND_US)
        await self.runtime.sleep_us(self.slow_us.get(type(request), 0))
        return answer

    def do(self, request: Request[Any]) -> Any:
        match request:
            case to_chunkserver.CreateChunk(handle=handle, version=version):
                if not self.content.setdefault(handle, []):
                    self.replicas[handle] = max(version, self.replicas.get(handle, 0))
            case to_chunkserver.RecordVersion(handle=handle, version=version):
                self.check(handle, version)
                if self.replicas[handle] < version:
                    self.replicas[handle] = version
                    self.recorded_us[handle] = (version, self.runtime.now_us())
                    self.leases.pop(handle, None)
                return 0
            case to_chunkserver.GrantLease(handle=handle, version=version):
                recorded, since_us = self.recorded_us.get(handle, (0, 0))
                if recorded != version:
                    raise StaleVersion("recorded by another life, or another version")
                self.leases[handle] = (version, since_us + LIMITS.lease_us)
                assert len(self.bench.primaries(handle)) <= 1, f"two primaries of {handle}"
            case to_chunkserver.RevokeLease(handle=handle, version=version):
                if handle in self.leases and self.leases[handle][0] <= version:
                    del self.leases[handle]
                if self.recorded_us.get(handle, (version + 1, 0))[0] <= version:
                    del self.recorded_us[handle]
            case to_chunkserver.CopyChunk(source=source, source_version=version, handle=handle, version=new):
                if self.replicas.get(source) != version:
                    raise StaleVersion("the source has another version")
                if handle not in self.replicas:
                    self.replicas[handle] = new
                    self.content[handle] = list(self.content[source])
            case to_chunkserver.CloneChunk():
                self.clone(request)
            case _:
                raise AssertionError(f"the master asks a chunkserver {request}")
        return None

    def clone(self, request: to_chunkserver.CloneChunk) -> None:
        handle, version = request.handle, request.version
        if self.replicas.get(handle, 0) >= version:
            return
        for name in request.sources:
            source = self.bench.chunkservers[name]
            if self.bench.is_up(name) and source.replicas.get(handle) == version:
                self.content[handle] = list(source.content[handle])
                self.replicas[handle] = version
                return
        raise NoReplica("none of the sources can give it")

    def check(self, handle: int, version: int) -> None:
        if handle not in self.replicas:
            raise ChunkNotFound(f"{handle}")
        if self.replicas[handle] > version:
            raise StaleVersion(f"{self.replicas[handle]} is higher")


class Bench(Machines):
    """A master, scripted chunkservers c1, c2, ... on two racks, and a client."""

    def __init__(self, chunkservers: int = 3, *, seed: int = 0, sync_us: int = 0, **settings: Any) -> None:
        super().__init__(seed, call_attempts=1, sync_us=sync_us)
        settings.setdefault("limits", LIMITS)
        self.configuration = MasterConfiguration(**settings)
        self.log = EventLog("gfs")
        self.master: Master | None = None
        self.problem: BaseException | None = None
        _, _, self.client = self.begin_life("client")
        self.network.join(Node(self.client.life))
        self.chunkservers = {
            name: ScriptedChunkserver(self, name, f"rack{number % 2}")
            for number, name in ((number, f"c{number}") for number in range(1, chunkservers + 1))
        }
        self.shadows: dict[str, ShadowMaster] = {}
        for name in (MASTER, *self.configuration.log_replicas):
            self.start(name)
        for chunkserver in self.chunkservers.values():
            chunkserver.start()
        self.loop.run(self.loop.now_us + SECOND_US)
        assert self.problem is None, self.problem

    def start(self, node: str) -> None:
        if node in self.chunkservers:
            self.chunkservers[node].start()
            return
        _, view, runtime = self.begin_life(node)
        core: Master | ShadowMaster
        if node == MASTER:
            core = self.master = Master(self.configuration, runtime, view, self.log)
        else:
            core = self.shadows[node] = ShadowMaster(self.configuration, runtime, view, self.log)

        async def start() -> None:
            try:
                await core.start()
            except GenstampDfsError as problem:
                self.problem = problem

        self.network.join(Node(runtime.life, handler=core.handle))
        runtime.spawn(start(), "start")

    def life_ended(self, node: str) -> None:
        if node == MASTER:
            self.master = None

    # -- asking -----------------------------------------------------------------------------------------------------

    def begin(self, work: Coroutine[Any, Any, Any]) -> list[Any]:
        """Start some work of the client; the list gets what comes of it, when it does."""
        came_of_it: list[Any] = []

        async def note() -> None:
            try:
                came_of_it.append(await work)
            except Exception as problem:
                came_of_it.append(problem)

        self.client.spawn(note(), "work")
        return came_of_it

    def ask_later(self, request: Request[Any], timeout_us: int = 1_000 * SECOND_US, *, node: str = MASTER) -> list[Any]:
        return self.begin(self.client.call(node, request, timeout_us=timeout_us))

    def ask(self, request: Request[Any], *, node: str = MASTER) -> Any:
        """What the master answers, or a shadow of it."""
        return self.wait_for(self.ask_later(request, node=node))

    def ask_as(self, chunkserver: str, request: Request[Any]) -> Any:
        """What the master answers to a chunkserver, in its life."""
        return self.wait_for(self.begin(self.chunkservers[chunkserver].ask(request)))

    def wait_for(self, came_of_it: list[Any], *, for_us: int = 2_000 * SECOND_US) -> Any:
        """Let time pass until there is a result."""
        end_us = self.loop.now_us + for_us
        while not came_of_it and self.loop.now_us < end_us:
            self.loop.run(min(end_us, self.loop.now_us + 10_000), max_steps=100_000)
        if not came_of_it:
            raise TimeoutError("nothing came of it")
        if isinstance(came_of_it[0], Exception):
            raise came_of_it[0]
        return came_of_it[0]

    def repeat(self, request: Request[Any], caller: Caller) -> Any:
        """What the master answers to a call under a number that the test chooses."""
        return self.wait_for(self.begin(self.network.call(self.client.life, MASTER, request, caller, None)))

    def pass_time(self, duration_us: int) -> None:
        self.loop.run(self.loop.now_us + duration_us)

    def until(self, condition: Callable[[], bool], *, for_us: int = 300 * SECOND_US) -> None:
        end_us = self.loop.now_us + for_us
        while not condition():
            assert self.loop.now_us < end_us, "it does not happen"
            self.pass_time(SECOND_US // 10)

    # -- the usual ----------------------------------------------------------------------------------------------------

    def lease(self, path: str = "/f", index: int = 0, unreachable: tuple[str, ...] = ()) -> ChunkLease:
        answer = self.ask(to_master.FindLease(path, index, unreachable))
        assert isinstance(answer, ChunkLease)
        return answer

    def find(self, path: str = "/f", index: int = 0) -> ChunkLocations:
        answer = self.ask(to_master.FindChunk(path, index))
        assert isinstance(answer, ChunkLocations)
        return answer

    def file(self, path: str = "/f", chunks: int = 1) -> list[ChunkLease]:
        """A new file of some chunks."""
        self.ask(to_master.Create(path))
        return [self.lease(path, index) for index in range(chunks)]

    def names(self, path: str = "/", *, hidden: bool = False, node: str = MASTER) -> list[str]:
        return [info.path for info in self.ask(to_master.List(path, hidden), node=node)]

    def restart_master(self, *, power_loss: bool = False) -> None:
        if self.is_up(MASTER):
            self.crash(MASTER, power_loss=power_loss)
        self.start(MASTER)
        self.pass_time(2 * SECOND_US)
        assert self.problem is None, self.problem

    def primaries(self, handle: int) -> list[str]:
        """Who believes in a lease of a chunk."""
        return [name for name, server in self.chunkservers.items() if self.is_up(name) and server.believes(handle)]

    def events(self, *names: str) -> list[Event]:
        return [event for event in self.log.events if event.event in names]

    def count(self, kind: type, name: str | None = None) -> int:
        """How many requests of a class chunkservers were asked."""
        servers = self.chunkservers.values() if name is None else [self.chunkservers[name]]
        return sum(isinstance(request, kind) for server in servers for request in server.asked)
