"""One simulated run: who takes part, when nodes crash, and what came out.

Leaves out: shrinking a run that broke a promise; its seed replays it.
"""

from dataclasses import dataclass, field

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.cluster import Cluster
from genstamp_dfs.hdfs.cluster.random_runs.clients import renew_leases, take_over_files, write_files
from genstamp_dfs.hdfs.cluster.random_runs.datanodes import start_datanode
from genstamp_dfs.hdfs.cluster.random_runs.scheduler import Process
from genstamp_dfs.hdfs.cluster.random_runs.world import World
from genstamp_dfs.hdfs.protocol import Limits, Semantics
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND, SECOND_US


@dataclass(frozen=True)
class SimulationOptions:
    """Size and roughness of a run.

    Attributes:
        clients: clients at the start; a crashed one is followed by another.
        files_per_client: files that each client writes.
        packets: most packets (of one byte) in a file.
        safety_s: virtual seconds with faults.
        mean_fault_s: mean time between two faults, in virtual seconds; 0 for none.
        slow_message_s: longest time that a message takes, in virtual seconds; one in fifty is slow.
        finish_s: virtual seconds that clients have after the last fault, before they leave.
        liveness_hard_limits: hard limits within which all files must be closed after that.

    Raises:
        ConfigurationError: a count is below 1, or a time below 0.
    """

    clients: int = 2
    datanodes: int = 3
    files_per_client: int = 3
    packets: int = 4
    safety_s: int = 300
    mean_fault_s: int = 20
    slow_message_s: int = 5
    finish_s: int = 120
    liveness_hard_limits: int = 4
    semantics: Semantics = Semantics.REPAIRED
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        for name in ("clients", "datanodes", "files_per_client", "packets", "slow_message_s", "liveness_hard_limits"):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name} is {getattr(self, name)}, accepted: 1 or more")
        for name in ("safety_s", "mean_fault_s", "finish_s"):
            if getattr(self, name) < 0:
                raise ConfigurationError(f"{name} is {getattr(self, name)}, accepted: 0 or more")


@dataclass(frozen=True)
class SimulationResult:
    """What came out of a run.

    Attributes:
        broken: the promises that were not kept, one sentence each; empty if all is well.
        closed: paths of the closed files.
        unclosed: paths of the files that the liveness phase did not close; empty if all is well.
        virtual_s: virtual seconds that the run took.
    """

    seed: int
    events: list[Event]
    broken: list[str]
    closed: list[str]
    unclosed: list[str]
    virtual_s: float


class Simulation:
    """A run, made from its seed and options."""

    def __init__(self, seed: int, options: SimulationOptions) -> None:
        self.seed = seed
        self.options = options
        cluster = Cluster(
            clients=[],
            datanodes=[f"datanode{number + 1}" for number in range(options.datanodes)],
            semantics=options.semantics,
            limits=options.limits,
            seed=seed,
        )
        self.world = World(cluster, seed, options.slow_message_s)

    def run(self) -> SimulationResult:
        """Run both phases."""
        world, scheduler, options = self.world, self.world.scheduler, self.options
        scheduler.spawn("namenode", self._check_leases())
        for datanode in world.cluster.datanodes:
            start_datanode(world, datanode)
        for _ in range(options.clients):
            self._start_client()
        if options.mean_fault_s:
            scheduler.spawn("faults", self._faults())
        self._run_for(options.safety_s * SECOND_US)
        scheduler.kill("faults")
        self._end_faults()
        self._run_for(options.finish_s * SECOND_US)
        for client in world.cluster.clients:
            self._crash_client(client)
        hard_limit_us = options.limits.hard_limit_ms * MICROSECONDS_A_MILLISECOND
        self._run_for(options.liveness_hard_limits * hard_limit_us, until_all_closed=True)
        world.promises.check_end()
        return self._result()

    def _result(self) -> SimulationResult:
        inodes = list(self.world.cluster.namesystem.directory.all_files())
        return SimulationResult(
            seed=self.seed,
            events=self.world.cluster.log.events,
            broken=self.world.promises.broken,
            closed=sorted(inode.path for inode in inodes if not inode.is_under_construction),
            unclosed=sorted(inode.path for inode in inodes if inode.is_under_construction),
            virtual_s=self.world.scheduler.now_us / SECOND_US,
        )

    def _run_for(self, duration_us: int, *, until_all_closed: bool = False) -> None:
        for _ in self.world.scheduler.run_until(self.world.scheduler.now_us + duration_us):
            if until_all_closed and not self.world.cluster.namesystem.lease_manager.leases_by_id:
                return

    # -- nodes --------------------------------------------------------------------------------------------------

    def _check_leases(self) -> Process:
        while True:
            yield self.options.limits.lease_recheck_ms * MICROSECONDS_A_MILLISECOND
            self.world.check_leases()

    def _start_client(self) -> None:
        world = self.world
        client = f"client{len(world.cluster.clients) + 1}"
        world.cluster.add_client(client)
        files = write_files(world, client, self.options.files_per_client, self.options.packets)
        world.scheduler.spawn(client, files)
        world.scheduler.spawn(client, renew_leases(world, client))
        world.scheduler.spawn(client, take_over_files(world, client))

    def _crash_client(self, client: str) -> None:
        if self.world.step("client_crash", client=client) is not None:
            self.world.scheduler.kill(client)

    def _restart_datanode(self, datanode: str, event: str) -> None:
        if self.world.step(event, datanode=datanode) is not None:
            start_datanode(self.world, datanode)

    # -- faults -------------------------------------------------------------------------------------------------

    def _faults(self) -> Process:
        world = self.world
        while True:
            yield world.about_us(self.options.mean_fault_s * SECOND_US)
            kind = world.rng.choice(["client_crash", "datanode_crash", "datanode_restart", "datanode_restart"])
            if kind == "client_crash":
                self._crash_client(world.rng.choice(list(world.cluster.clients)))
                if sum(client.is_up for client in world.cluster.clients.values()) < self.options.clients:
                    self._start_client()
            elif kind == "datanode_crash":
                datanode = world.rng.choice(list(world.cluster.datanodes))
                if world.step(kind, datanode=datanode) is not None:
                    world.scheduler.kill(datanode)
            else:
                datanode = world.rng.choice(list(world.cluster.datanodes))
                self._restart_datanode(datanode, world.rng.choice([kind, f"{kind}_losing_bytes"]))

    def _end_faults(self) -> None:
        for datanode in self.world.cluster.datanodes:
            self._restart_datanode(datanode, "datanode_restart")


def simulate(seed: int, options: SimulationOptions | None = None) -> SimulationResult:
    """Run one simulation.

    Args:
        seed: with the version of this package, it determines every event.
        options: size and roughness; the defaults give some hundred events in an hour of virtual time.

    >>> simulate(1).broken
    []
    """
    return Simulation(seed, options or SimulationOptions()).run()
