"""What all steps have in common, whatever the protocol: a cluster in which everything waits, and the events of a step.

Not here: the steps.
"""

from collections.abc import Coroutine
from typing import Any, Final, NoReturn, TypeVar

from genstamp_dfs.errors import StepNotPossibleError
from genstamp_dfs.events import Event, EventLog
from genstamp_dfs.hdfs.client import DFSClient
from genstamp_dfs.hdfs.datanode.datanode import DataNode
from genstamp_dfs.hdfs.messages.data_transfer import CHUNK_BYTES
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.simulation.scenario import Work
from genstamp_dfs.stepwise.held_cluster import HeldCluster
from genstamp_dfs.stepwise.loop import HeldLoop
from genstamp_dfs.stepwise.network import HeldNetwork

Result = TypeVar("Result")

CHUNK: Final = bytes(CHUNK_BYTES)
"""What a packet carries."""


class Steps:
    """A cluster of the real cores, and what steps look up in it and record.

    Args:
        cluster: all nodes; its loop and its network hold things back.

    Attributes:
        log: the events of the steps.
        own: events of the step under way that no core records.
    """

    def __init__(self, cluster: HeldCluster) -> None:
        self.cluster = cluster
        assert isinstance(cluster.loop, HeldLoop)
        assert isinstance(cluster.network, HeldNetwork)
        self.loop, self.network = cluster.loop, cluster.network
        self.log = EventLog(cluster.log.namespace)
        self.own: list[dict[str, Any]] = []

    def start(self, datanodes: tuple[str, ...]) -> None:
        """Start the namenode and the datanodes, and let them get to know each other."""
        self.loop.holds = False
        self.cluster.start_namenode()
        for name in datanodes:
            self.cluster.start_datanode(name)
        self.loop.settle()
        self.loop.holds = True
        self.cluster.log.hand_over()

    def end(self) -> None:
        """Nothing goes on any more."""
        for machine in self.cluster.machines.values():
            if machine.life is not None:
                self.loop.kill(machine.life)
        self.loop.close()

    # -- events -------------------------------------------------------------------------------------------------

    def hand_over(self, step: str) -> list[Event]:
        """The events of a step: what the cores recorded, then what the step itself did."""
        raise NotImplementedError

    def not_now(self, event: str, why: str) -> NoReturn:
        """The step cannot happen now."""
        raise StepNotPossibleError(event, why)

    def needs(self, event: str, holds: object, why: str) -> None:
        """Go on only if something holds; `why` says what does not."""
        if not holds:
            self.not_now(event, why)

    # -- nodes --------------------------------------------------------------------------------------------------

    def work(self, client: DFSClient, job: Coroutine[Any, Any, Result]) -> Work[Result]:
        """Let an application begin something."""
        work: Work[Result] = Work()
        client.runtime.spawn(work.follow(job), "work")
        self.loop.settle()
        return work

    def datanode(self, event: str, name: str) -> DataNode:
        """A datanode, which must be up."""
        self.needs(event, self.cluster.is_up(name), f"{name} is down")
        return self.cluster.datanodes[name]

    @property
    def namenode(self) -> NameNode:
        """The namenode."""
        assert self.cluster.namenode is not None
        return self.cluster.namenode
