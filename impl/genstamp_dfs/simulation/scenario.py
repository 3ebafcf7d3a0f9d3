"""A small cluster that a story is told with: start it, let clients do things, let nodes fail, look at what is left.

    scenario = Scenario(datanodes=3)
    writer = scenario.client("writer")
    stream = scenario.run(writer, writer.create("/log"))
    scenario.crash("datanode1")

All time is virtual; the same story gives the same run.

Not here: random faults and the judging of promises; see `run`.
"""

from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

from genstamp_dfs.hdfs.client import DFSClient
from genstamp_dfs.hdfs.client.configuration import ClientConfiguration
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.messages.datanode_protocol import BlockReport
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.protocol import NAMENODE, Limits, Semantics
from genstamp_dfs.simulation.cluster import ClusterOptions, SimulatedCluster
from genstamp_dfs.simulation.pipeline_faults import FaultyDisk, FaultyNetwork, PipelineFault, PipelineFaults
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.times import SECOND_US

Result = TypeVar("Result")

START_LIMIT_S: Final = 600.0
LOOK_US: Final = SECOND_US // 10


class FaultyCluster(SimulatedCluster):
    """A cluster whose pipelines may fail at chosen points."""

    network_class = FaultyNetwork
    disk_class = FaultyDisk

    def __init__(self, seed: int, options: ClusterOptions, faults: PipelineFaults) -> None:
        super().__init__(seed, options)
        self.faults = faults
        self.reports: Counter[str] = Counter()
        assert isinstance(self.network, FaultyNetwork), "the cluster has another network than it asked for"
        self.network.faults_at = faults

    def start_datanode(self, name: str) -> None:
        """As its parent; the disk fails when a fault says so."""
        super().start_datanode(name)
        view = self.machines[name].view
        assert isinstance(view, FaultyDisk), f"{name} has another disk than it asked for"
        view.faults_at, view.loop = self.faults, self.loop

    def _handle(self, namenode: NameNode, request: Request[Any], caller: Caller) -> Any:
        """As its parent; full reports are counted."""
        answer = super()._handle(namenode, request, caller)
        if isinstance(request, BlockReport):
            self.reports[request.datanode] += 1
        return answer


@dataclass
class Work(Generic[Result]):
    """Something that a client does meanwhile."""

    is_done: bool = False
    failure: Exception | None = None
    _result: Result | None = None

    def result(self) -> Result:
        """What came of it; raises what it has raised."""
        assert self.is_done, "the work is not done"
        if self.failure is not None:
            raise self.failure
        return self._result  # type: ignore[return-value]

    async def follow(self, work: Coroutine[Any, Any, Result]) -> None:
        """Do it."""
        try:
            self._result = await work
        except Exception as failure:
            self.failure = failure
        finally:
            self.is_done = True


def small_options(
    semantics: Semantics = Semantics.REPAIRED,
    limits: Limits | None = None,
    *,
    namenode: dict[str, Any] | None = None,
    datanode: dict[str, Any] | None = None,
    client: dict[str, Any] | None = None,
) -> ClusterOptions:
    """A cluster for files of some kilobytes: blocks of 1 MiB, datanodes that are dead after 50 s of silence.

    Args:
        semantics: of all nodes.
        limits: of leases and recoveries.
        namenode, datanode, client: further settings of these nodes, by name.
    """
    limits = limits or Limits()
    own_namenode = NameNodeConfiguration(
        semantics=semantics, limits=limits, minimal_block_size=1, heartbeat_recheck_ms=10_000, safe_mode_extension_ms=0
    )
    own_client = ClientConfiguration(
        semantics=semantics,
        block_size=1024 * 1024,
        soft_limit_ms=limits.soft_limit_ms,
        hard_limit_ms=limits.hard_limit_ms,
    )
    return ClusterOptions(
        namenode=replace(own_namenode, **(namenode or {})),
        datanode=replace(DataNodeConfiguration(semantics=semantics), **(datanode or {})),
        client=replace(own_client, **(client or {})),
    )


class Scenario:
    """One story.

    Args:
        datanodes: how many; they are called datanode1, datanode2, ...
        seed: of all dice.
        options: how the nodes are set up.
        faults: what fails in pipelines.

    Attributes:
        cluster: all nodes.
        faults: what fails in pipelines, and what has failed.

    Raises:
        TimeoutError: the datanodes did not register in time.
    """

    def __init__(
        self,
        datanodes: int = 3,
        *,
        seed: int = 0,
        options: ClusterOptions | None = None,
        faults: Iterable[PipelineFault] = (),
    ) -> None:
        self.faults = PipelineFaults(list(faults))
        self.cluster = FaultyCluster(seed, options or small_options(), self.faults)
        self.datanodes = tuple(f"datanode{number}" for number in range(1, datanodes + 1))
        self._clients = 0
        self.cluster.start_namenode()
        for name in self.datanodes:
            self.cluster.start_datanode(name)
        self.until(lambda: all(self.cluster.reports[name] for name in self.datanodes), START_LIMIT_S)

    # -- time and work ------------------------------------------------------------------------------------------

    @property
    def now_s(self) -> float:
        """Virtual time since the beginning, in seconds."""
        return self.cluster.loop.now_us / SECOND_US

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.cluster.loop.run(self.cluster.loop.now_us + int(seconds * SECOND_US))

    def until(self, is_reached: Callable[[], bool], limit_s: float = 600.0) -> float:
        """Let time pass until something is so, looked at ten times a second; gives the seconds that passed.

        Raises:
            TimeoutError: it was not so within the limit.
        """
        began_us = self.cluster.loop.now_us
        end_us = began_us + int(limit_s * SECOND_US)
        while not is_reached():
            if self.cluster.loop.now_us >= end_us:
                raise TimeoutError(f"not reached within {limit_s:g} virtual seconds")
            self.cluster.loop.run(min(end_us, self.cluster.loop.now_us + LOOK_US))
        return (self.cluster.loop.now_us - began_us) / SECOND_US

    def client(self, name: str = "") -> DFSClient:
        """Start a client."""
        self._clients += 1
        return self.cluster.start_client(name or f"client{self._clients}")

    def start(self, client: DFSClient, work: Coroutine[Any, Any, Result]) -> Work[Result]:
        """Let a client begin something."""
        done: Work[Result] = Work()
        client.runtime.spawn(done.follow(work), "work")
        return done

    def run(self, client: DFSClient, work: Coroutine[Any, Any, Result], limit_s: float = 600.0) -> Result:
        """Let a client do something; gives what comes of it, or raises what it raises.

        Raises:
            TimeoutError: it was not done within the limit.
        """
        done = self.start(client, work)
        self.until(lambda: done.is_done, limit_s)
        return done.result()

    # -- what happens to nodes ----------------------------------------------------------------------------------

    def crash(self, node: str, *, power_loss: bool = False) -> None:
        """A node's process dies, with `power_loss` its machine."""
        self.cluster.crash(node, power_loss=power_loss)

    def restart_datanode(self, name: str, limit_s: float = START_LIMIT_S) -> None:
        """Start a datanode again, and wait until the namenode has its replicas."""
        before = self.cluster.reports[name]
        self.cluster.start_datanode(name)
        self.until(lambda: self.cluster.reports[name] > before, limit_s)

    def restart_namenode(self, limit_s: float = START_LIMIT_S) -> None:
        """End the namenode if it is up, start it again, and wait until those datanodes that are up have reported."""
        if self.cluster.is_up(NAMENODE):
            self.crash(NAMENODE)
        self.cluster.start_namenode()
        before = self.cluster.reports.copy()
        up = [name for name in self.datanodes if self.cluster.is_up(name)]
        self.until(lambda: all(self.cluster.reports[name] > before[name] for name in up), limit_s)

    # -- what is left -------------------------------------------------------------------------------------------

    @property
    def namesystem(self) -> FSNamesystem:
        """What the namenode knows."""
        assert self.cluster.namenode is not None, "the namenode is down"
        return self.cluster.namenode.namesystem

    def file(self, path: str) -> INodeFile:
        """A file at the namenode."""
        return self.namesystem.directory.file_at(path)

    def last_block(self, path: str) -> BlockInfo:
        """The last block of a file at the namenode."""
        block = self.file(path).last_block()
        assert block is not None, f"{path} has no block"
        return block

    def is_closed(self, path: str) -> bool:
        """Whether a file is closed."""
        return not self.file(path).is_under_construction

    def replicas(self, path: str, *, number: int = -1) -> dict[str, Replica]:
        """The replicas of one block of a file at all datanodes that are up, the last block's if nothing is said."""
        block_id = self.file(path).blocks[number].block_id
        found = {name: node.dataset.replicas.get(block_id) for name, node in sorted(self.cluster.datanodes.items())}
        return {name: replica for name, replica in found.items() if replica is not None}

    def read(self, path: str, limit_s: float = 600.0) -> bytes:
        """The bytes of a file as a new client reads them."""
        reader = self.client()

        async def read() -> bytes:
            return await (await reader.open(path)).read()

        return self.run(reader, read(), limit_s)
