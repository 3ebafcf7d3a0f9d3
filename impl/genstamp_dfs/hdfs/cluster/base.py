"""The cores of a cluster, the recording of their steps, and what several steps look up.

Leaves out: any step; those are in `writing`, `recovery` and `faults`.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genstamp_dfs.errors import ConfigurationError, HdfsIOException, StepNotPossibleError
from genstamp_dfs.events import Event, EventLog
from genstamp_dfs.hdfs.cluster.datanode import DataNode
from genstamp_dfs.hdfs.cluster.hand_client import DFSClient
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.protocol import INTERNAL_LEASE_HOLDER, NAMENODE, Limits, Semantics


@dataclass(frozen=True)
class Step:
    """A step that is about to be recorded: all that is known of its event before its outcome."""

    cluster: "ClusterBase"
    node: str
    kind: str
    entity: str
    event: str
    arguments: Mapping[str, str]

    def done(
        self,
        *,
        generation_stamp: int | None = None,
        recovery_id: int | None = None,
        num_bytes: int | None = None,
        observed: Mapping[str, str] | None = None,
    ) -> Event:
        """Record that the step happened."""
        return self.cluster.record(
            self,
            generation_stamp=generation_stamp,
            recovery_id=recovery_id,
            num_bytes=num_bytes,
            observed=observed,
        )

    def refused(
        self, refusal: HdfsIOException, *, recovery_id: int | None = None, num_bytes: int | None = None
    ) -> Event:
        """Record that the protocol refused the step."""
        return self.cluster.record(self, refused_with=refusal.hadoop_name, recovery_id=recovery_id, num_bytes=num_bytes)

    def not_possible(self, why: str) -> StepNotPossibleError:
        """The exception that says why the step cannot happen now."""
        return StepNotPossibleError(self.event, why)


class ClusterBase:
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
        self.now_us = 0
        self.semantics = semantics
        self.limits = limits
        self.log = EventLog(f"BP-{seed}")
        self.namesystem = self.namesystem_class(limits, semantics)
        self.datanodes: dict[str, DataNode] = {}
        self.clients: dict[str, DFSClient] = {}
        self.block_of_file: dict[str, int] = {}
        self.file_of_block: dict[int, str] = {}
        self._placement = random.Random(f"placement {seed}")
        for client in clients:
            self.add_client(client)
        for datanode in datanodes:
            self.datanodes[datanode] = self.datanode_class(datanode, semantics)
            self.namesystem.register_datanode(datanode)

    def add_client(self, name: str) -> None:
        """A new client process."""
        self.clients[name] = self.client_class(name)

    def choose_targets(self) -> tuple[str, ...]:
        """All live datanodes in a random order: the pipeline of a new block; none if none is up."""
        live = self.namesystem.datanode_manager.live_datanodes()
        self._placement.shuffle(live)
        return tuple(live)

    def heartbeat(self, datanode: str) -> None:
        """The datanode's heartbeat arrives. Leaves no event; what waits for it is a step of its own."""
        self.namesystem.datanode_manager.handle_heartbeat(datanode)

    # -- recording ----------------------------------------------------------------------------------------------

    def record(
        self,
        step: Step,
        *,
        refused_with: str | None = None,
        generation_stamp: int | None = None,
        recovery_id: int | None = None,
        num_bytes: int | None = None,
        observed: Mapping[str, str] | None = None,
    ) -> Event:
        """Write the step's event."""
        return self.log.record(
            node=step.node,
            time_us=self.now_us,
            kind=step.kind,
            entity=step.entity,
            event=step.event,
            arguments=step.arguments,
            refused_with=refused_with,
            generation_stamp=generation_stamp,
            recovery_id=recovery_id,
            num_bytes=num_bytes,
            observed=observed,
        )

    def step(self, node: str, kind: str, entity: str, event: str, **arguments: str) -> Step:
        """A step to be recorded; the arguments in the order in which the event shall name them."""
        return Step(self, node, kind, entity, event, arguments)

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
