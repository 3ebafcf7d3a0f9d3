"""The cores of a cluster, and what several steps look up.

Leaves out: any step; those are in `writing`, `recovery` and `faults`.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.hdfs.cluster.datanode import DataNode
from genstamp_dfs.hdfs.cluster.hand_client import DFSClient
from genstamp_dfs.hdfs.cluster.recorder import Recorder, Step
from genstamp_dfs.hdfs.messages.datanode_protocol import NamespaceInfo, RegisterDatanode
from genstamp_dfs.hdfs.namenode.base import Shown
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration, Repair
from genstamp_dfs.hdfs.namenode.edit_ops import AnyOp
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.protocol import (
    INTERNAL_LEASE_HOLDER,
    NAMENODE,
    Limits,
    Semantics,
)
from genstamp_dfs.world.request import Caller, Request

Answer = TypeVar("Answer")

OTHER_REPAIRS = frozenset({Repair.SOFT_LIMIT_TAKES_THE_FILE, Repair.APPEND_TO_A_FULL_BLOCK_PASSES_NONE})
"""Repairs that the step-by-step cluster does without: what it is held against knows neither of them."""


@dataclass
class NoEditLog:
    """The log of a namenode that never restarts: it only counts."""

    last_transaction: int = 0

    @property
    def synced_transaction(self) -> int:
        return self.last_transaction

    def log(self, op: AnyOp) -> None:  # noqa: ARG002
        """Count an edit."""
        self.last_transaction += 1


class ClusterBase(Recorder):
    """One namenode, some datanodes and clients, all in one place; virtual time stands in `now_us`.

    The classes of the cores are attributes, so that a subclass can put a broken core in.
    """

    namesystem_class: type[FSNamesystem] = FSNamesystem
    datanode_class: type[DataNode] = DataNode
    client_class: type[DFSClient] = DFSClient

    def __init__(
        self,
        *,
        clients: Sequence[str],
        datanodes: Sequence[str],
        semantics: Semantics,
        limits: Limits,
        seed: int,
    ) -> None:
        names = [*clients, *datanodes, NAMENODE]
        if len(set(names)) != len(names):
            raise ConfigurationError(f"node names are {names}, accepted: each once, and {NAMENODE!r} for the namenode")
        if not datanodes:
            raise ConfigurationError("there are no datanodes, accepted: 1 or more")
        super().__init__(f"BP-{seed}")
        self.semantics = semantics
        self.limits = limits
        self.namesystem = self.namesystem_class(
            NameNodeConfiguration(
                semantics,
                frozenset(Repair) - OTHER_REPAIRS if semantics is Semantics.REPAIRED else frozenset(),
                limits,
                minimal_block_size=1,
            ),
            self.clock,
            random.Random(f"placement {seed}"),
            NoEditLog(),
            NamespaceInfo(self.log.namespace, f"CID-{seed}", seed),
        )
        self.datanodes: dict[str, DataNode] = {}
        self.clients: dict[str, DFSClient] = {}
        self.block_of_file: dict[str, int] = {}
        self.file_of_block: dict[int, str] = {}
        for client in clients:
            self.add_client(client)
        for datanode in datanodes:
            self.datanodes[datanode] = self.datanode_class(datanode, semantics)
            self.register_datanode(datanode)

    def add_client(self, name: str) -> None:
        """A new client process."""
        self.clients[name] = self.client_class(name)

    def ask(self, handler: Callable[[Any, Caller], Answer], request: Request[Answer], node: str) -> Answer:
        """A call of a node at the namenode; what it shows beside its answer stands in `namesystem.shown`."""
        self.namesystem.shown = Shown()
        return handler(request, Caller(node))

    def register_datanode(self, datanode: str) -> None:
        """A datanode starts, and the namenode knows."""
        request = RegisterDatanode(datanode, self.log.namespace)
        self.namesystem.register_datanode(request, Caller(datanode))

    def heartbeat(self, datanode: str) -> None:
        """The datanode's heartbeat arrives. Leaves no event; what waits for it is a step of its own."""
        manager = self.namesystem.datanode_manager
        manager.heard_of(manager.datanodes[datanode], self.now_us)

    def replica_step(self, node: str, event: str, file: str, datanode: str, **others: str) -> Step:
        """A step on a replica; `others` are the arguments that come before file and datanode."""
        entity = f"{self.block_entity(file)}@{datanode}"
        return self.step(node, "replica", entity, event, **others, file=file, datanode=datanode)

    def block_entity(self, file: str) -> str:
        """The file's block as the key of an event; empty while it has none (no step is recorded then)."""
        return str(self.block_of_file.get(file, ""))

    # -- look-ups -----------------------------------------------------------------------------------------------

    def holder_in_events(self, holder: str) -> str:
        """A lease holder as events name it: a client, or the namenode, whatever name it holds the lease under."""
        return NAMENODE if holder.startswith(INTERNAL_LEASE_HOLDER) else holder

    def live_client(self, step: Step, client: str) -> DFSClient:
        """The client, which must be up."""
        dfs_client = self.clients[client]
        if not dfs_client.is_up:
            raise step.not_possible(f"{client} is down")
        return dfs_client

    def live_datanode(self, step: Step, datanode: str) -> DataNode:
        """The datanode, which must be up."""
        process = self.datanodes[datanode]
        if not process.is_up:
            raise step.not_possible(f"{datanode} is down")
        return process

    def block_id(self, step: Step, file: str) -> int:
        """The id of the file's block, which must have been allocated once."""
        block_id = self.block_of_file.get(file)
        if block_id is None:
            raise step.not_possible(f"{file} has no block")
        return block_id
