"""Three real datanodes in virtual time, and a namenode that answers as it is told."""

import random
from typing import Any

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.events import EventLog
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.datanode import DataNode
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    BlockReport,
    Command,
    CommitBlockSynchronization,
    NamespaceInfo,
    RecoverBlocks,
    SendHeartbeat,
    VersionRequest,
)
from genstamp_dfs.hdfs.protocol import NAMENODE, Block, RecoveringBlock, ReplicaState, Semantics
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, Loop
from genstamp_dfs.simulation.network import Network, Node
from genstamp_dfs.simulation.runtime import SimulatedRuntime
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.times import SECOND_US

BLOCK = Block(7, 1001, 0)
DATA = random.Random(1).randbytes(3000)
ONE, TWO, THREE = NODES = ("datanode1", "datanode2", "datanode3")
F, RBW, RWR, RUR, TEMPORARY = ReplicaState


class NoWriter:
    """A writer that is not there any more when somebody asks."""

    is_alive = False
    has_last_packet = False

    def interrupt(self) -> None:
        """Nothing to do."""

    async def join(self, timeout_us: int) -> bool:
        del timeout_us
        return True


class World:
    """Three datanodes, and a namenode that answers as it is told."""

    def __init__(self, semantics: Semantics = Semantics.REPAIRED) -> None:
        self.loop = Loop()
        self.network = Network(self.loop, random.Random(0))
        self.log = EventLog("BP-1")
        self.configuration = DataNodeConfiguration(semantics=semantics)
        self.namespace = NamespaceInfo("BP-1", "CID-1", 1)
        self.told: list[Request[Any]] = []
        self.orders: dict[str, list[Command]] = {}
        self.refused: set[type[Request[Any]]] = set()
        self.slow_us: dict[type[Request[Any]], int] = {}
        self.namenode = SimulatedRuntime(self.loop, self.network, Life(NAMENODE), random.Random(9))
        self.network.join(Node(self.namenode.life, handler=self.answer))
        self.lives: dict[str, Life] = {}
        self.disks = {name: SimulatedDisk() for name in NODES}
        self.datanodes = {name: self.start(name) for name in NODES}
        self.run(1)
        self.told.clear()

    async def answer(self, request: Request[Any], caller: Caller) -> Any:
        del caller
        await self.namenode.sleep_us(self.slow_us.get(type(request), 0))
        if type(request) in self.refused:
            raise HdfsIOException("the namenode refuses")
        self.told.append(request)
        if isinstance(request, VersionRequest):
            return self.namespace
        if isinstance(request, SendHeartbeat):
            return tuple(self.orders.pop(request.datanode, ()))
        return () if isinstance(request, BlockReport) else None

    def start(self, name: str) -> DataNode:
        life = self.lives[name] = Life(name)
        runtime = SimulatedRuntime(self.loop, self.network, life, random.Random(name))
        disk = DiskOfLife(self.disks[name], life, random.Random(0))
        datanode = DataNode(self.configuration, runtime, disk, self.log)
        self.network.join(Node(life, datanode.handle, datanode.serve))
        runtime.spawn(datanode.start(), "start")
        return datanode

    def crash(self, name: str) -> None:
        self.loop.kill(self.lives[name])
        self.network.leave(self.lives[name])

    def run(self, seconds: float = 10) -> None:
        self.loop.run(until_us=self.loop.now_us + int(seconds * SECOND_US))

    def put(self, name: str, length: int, state: ReplicaState = RBW, acked: int | None = None) -> None:
        """Give a datanode a replica."""
        dataset = self.datanodes[name].dataset
        replica = dataset.create_rbw(BLOCK, NoWriter())
        dataset.write(replica, 0, DATA[:length], checksums_of(DATA[:length]))
        dataset.acknowledge(replica, length if acked is None else acked)
        if state is F:
            dataset.finalize_block(BLOCK)
        else:
            replica.state = state

    def replicas(self) -> list[tuple[ReplicaState, int, int] | None]:
        found = [datanode.dataset.get_replica(7) for datanode in self.datanodes.values()]
        return [None if one is None else (one.state, one.generation_stamp, one.num_bytes) for one in found]

    def heard(self, kind: type[Request[Any]]) -> list[Any]:
        return [request for request in self.told if isinstance(request, kind)]

    def recover(self, new_block: Block | None = None, recovery_id: int = 1002) -> None:
        """Order a recovery of the block on all three, led by the first."""
        self.orders[ONE] = [RecoverBlocks((RecoveringBlock(BLOCK, NODES, recovery_id, new_block),))]

    def events(self, *names: str) -> list[str]:
        return [event.event for event in self.log.events if event.event in names]


def commit(length: int, *targets: str, recovery_id: int = 1002, delete: bool = False) -> CommitBlockSynchronization:
    return CommitBlockSynchronization(BLOCK, recovery_id, length, True, delete, targets)
