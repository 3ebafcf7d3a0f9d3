"""A datanode: replicas on a disk, served to clients and other datanodes, reported to the namenode.

It has one volume. When that fails the datanode stops: it answers nobody any more, tells the namenode that its replicas
are gone, and ends (DataNode#handleVolumeFailures with no volume left).

Not here: how requests and connections reach it, which is the runtime's business; more than one block pool.

Source: DN/DataNode, Hadoop 3.4.1.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from genstamp_dfs.errors import (
    ConfigurationError,
    DiskFailedError,
    EOFException,
    HdfsIOException,
    RetriableException,
)
from genstamp_dfs.events import EventSink
from genstamp_dfs.hdfs.datanode.block_recovery_worker import BlockRecoveryWorker
from genstamp_dfs.hdfs.datanode.block_reports import BlockReports
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.data_xceiver import DataXceiver
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.datanode.replica_steps import ReplicaSteps
from genstamp_dfs.hdfs.datanode.service_actor import ServiceActor
from genstamp_dfs.hdfs.datanode.storage import StorageIdentity, open_storage
from genstamp_dfs.hdfs.messages.data_transfer import Operation
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    DatanodeError,
    ErrorReport,
    NamespaceInfo,
    ReportBadReplicas,
    VersionRequest,
)
from genstamp_dfs.hdfs.messages.inter_datanode import (
    GetReplicaVisibleLength,
    InitReplicaRecovery,
    UpdateReplicaUnderRecovery,
)
from genstamp_dfs.hdfs.protocol import NAMENODE, Block, ReplicaRecoveryInfo
from genstamp_dfs.hdfs.runtime import Connection, Runtime
from genstamp_dfs.world.disk import Disk
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.runtime import Task
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND
from genstamp_dfs.world.volume import Volume


class DataNode:
    """A datanode process.

    Args:
        configuration: its settings.
        runtime: the world.
        disk: its storage directory.
        events: takes what happens here.
        on_failure: called when the disk has failed and the datanode has stopped: its process shall end.
    """

    def __init__(
        self,
        configuration: DataNodeConfiguration,
        runtime: Runtime,
        disk: Disk,
        events: EventSink,
        on_failure: Callable[[DiskFailedError], None] = lambda failure: None,
    ) -> None:
        self.configuration = configuration
        self.runtime = runtime
        self.volume = Volume(disk, self._volume_failed)
        self._on_failure = on_failure
        self.events = events
        self.reports = BlockReports(configuration, runtime)
        self._steps: ReplicaSteps | None = None
        self._xceiver: DataXceiver | None = None
        self._identity: StorageIdentity | None = None
        self._tasks: list[Task] = []

    @property
    def dataset(self) -> FsDataset:
        """The replicas.

        Raises:
            RetriableException: the datanode has not started.
        """
        return self._running()[0].dataset

    # -- start and stop -----------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Ask the namenode whose blocks these are, load the replicas, register, and go on by itself from there.

        Waits for as long as the namenode cannot be reached.

        Raises:
            StorageError: the storage directory is not one of this cluster; it is as it was.
            DiskError: the disk failed.
            ConfigurationError: the datanode runs already.
        """
        if self._tasks:
            raise ConfigurationError(f"{self.runtime.node} runs already, accepted: one start")
        namespace = await self._ask_for_namespace()
        self._load(namespace)
        steps, xceiver = self._running()
        worker = BlockRecoveryWorker(self.configuration, self.runtime, self.events)
        assert self._identity is not None, "the storage directory is open"
        uuid = self._identity.datanode_uuid
        actor = ServiceActor(steps, self.reports, xceiver, worker, namespace.block_pool_id, uuid, self._report_bad)
        await actor.register()
        if self.volume.failure is not None:
            raise self.volume.failure
        self._tasks = [
            self.runtime.spawn(actor.offer_service(), "service actor"),
            self.runtime.spawn(self.reports.send_incremental_reports(steps.finish), "incremental reports"),
        ]

    async def _ask_for_namespace(self) -> NamespaceInfo:
        while True:
            try:
                return await self.runtime.call(NAMENODE, VersionRequest(), timeout_us=self._timeout_us())
            except HdfsIOException:
                await self.runtime.sleep_us(self.configuration.retry_interval_ms * MICROSECONDS_A_MILLISECOND)

    def _load(self, namespace: NamespaceInfo) -> None:
        """Open the storage directory, and find the replicas in it."""
        runtime = self.runtime
        self._identity = open_storage(self.volume, namespace, runtime.node, runtime.random)
        dataset = FsDataset(
            self.volume, namespace.block_pool_id, self.configuration, self.reports.add, runtime.time_ms()
        )
        self._steps = ReplicaSteps(dataset, self.configuration, runtime, self.events, self.volume)
        self._xceiver = DataXceiver(self._steps, self._report_bad)
        for block_id in sorted(dataset.replicas):
            self._steps.done("restart", block_id, dataset.replicas[block_id])

    async def stop(self, *, for_restart: bool = False) -> None:
        """Stop writing, reporting and leading recoveries; requests are refused from now on.

        Args:
            for_restart: tell writers that the datanode is back soon, and remember which replicas are written
                (DataNode#shutdownDatanode for an upgrade).
        """
        for task in self._tasks:
            task.cancel()
        self._tasks = []
        if self._steps is None or self._xceiver is None:
            return
        if for_restart:
            for receiver in list(self._xceiver.receivers):
                try:
                    await receiver.send_restart()
                except EOFException:
                    continue
            if self.volume.failure is None:
                self._steps.dataset.prepare_restart(self.runtime.time_ms())
        self._xceiver.interrupt()
        self._steps = self._xceiver = None

    # -- requests and connections -------------------------------------------------------------------------------

    async def serve(self, connection: Connection, operation: Operation) -> None:
        """Do what an operation on a connection asks for; closes the connection (`data_xceiver`)."""
        if self._xceiver is None:
            connection.close()
            return
        await self._xceiver.serve(connection, operation)

    async def handle(self, request: Request[Any], caller: Caller) -> Any:
        """Answer a client or another datanode.

        Raises:
            HdfsIOException: the request is refused.
            RetriableException: the datanode has not started.
        """
        match request:
            case GetReplicaVisibleLength():
                return self.dataset.get_replica_visible_length(request.block)
            case InitReplicaRecovery():
                return await self._init_replica_recovery(request, caller)
            case UpdateReplicaUnderRecovery():
                return await self._update_replica_under_recovery(request, caller)
            case _:
                raise HdfsIOException(f"a datanode does not answer {type(request).__name__}")

    async def _init_replica_recovery(self, request: InitReplicaRecovery, caller: Caller) -> ReplicaRecoveryInfo | None:
        """initReplicaRecovery (FsDatasetImpl#initReplicaRecovery; facts B.4)."""
        block, recovery_id = request.recovering.block, request.recovering.recovery_id
        steps, _ = self._running()
        operation = partial(steps.dataset.init_replica_recovery, block, recovery_id)
        return await steps.perform(
            "init_replica_recovery", block.block_id, operation, recovery_id=recovery_id, primary=caller.machine
        )

    async def _update_replica_under_recovery(self, request: UpdateReplicaUnderRecovery, caller: Caller) -> str:
        """updateReplicaUnderRecovery (FsDatasetImpl#updateReplicaUnderRecovery; facts B.4)."""
        block_id, recovery_id = request.old_block.block_id, request.recovery_id
        steps, _ = self._running()
        update = (request.old_block, recovery_id, request.new_length, request.new_block_id)
        await steps.perform(
            "update_replica_under_recovery",
            block_id,
            partial(steps.dataset.update_replica_under_recovery, *update),
            recovery_id=recovery_id,
            prepare=partial(steps.prepare_update, *update),
            primary=caller.machine,
        )
        assert self._identity is not None
        return self._identity.storage_id

    # -- below --------------------------------------------------------------------------------------------------

    def _running(self) -> tuple[ReplicaSteps, DataXceiver]:
        """What serves requests, if the datanode has started."""
        if self._steps is None or self._xceiver is None:
            raise RetriableException(f"{self.runtime.node} has not started")
        return self._steps, self._xceiver

    def _volume_failed(self, failure: DiskFailedError) -> None:
        """The step in which the disk failed raises the failure; the rest of the datanode ends after that step."""
        self.runtime.spawn(self._leave_service(failure), "end after a failure of the disk")

    async def _leave_service(self, failure: DiskFailedError) -> None:
        await self.stop()
        try:
            request = ErrorReport(self.runtime.node, DatanodeError.FATAL_DISK_ERROR, str(failure))
            await self.runtime.call(NAMENODE, request, timeout_us=self._timeout_us())
        except HdfsIOException:
            # The namenode misses the heartbeats.
            pass
        self._on_failure(failure)

    async def _report_bad(self, block: Block, datanode: str) -> None:
        """Tell the namenode of a corrupt replica; if that fails, whoever finds it next does (#reportBadBlock)."""
        try:
            request = ReportBadReplicas(datanode, (block,))
            await self.runtime.call(NAMENODE, request, timeout_us=self._timeout_us())
        except HdfsIOException:
            return

    def _timeout_us(self) -> int:
        return self.configuration.call_timeout_ms * MICROSECONDS_A_MILLISECOND
