"""Leading block recoveries: ask every location, agree, have the replicas updated, tell the namenode.

Each command has a process of its own, which does its blocks one after the other. What each answer means is decided in
`recovery_task` and `recovery_agreement`.

Not here: erasure-coded blocks.

Source: DN/BlockRecoveryWorker, Hadoop 3.4.1; facts G.3 to G.5.
"""

from genstamp_dfs.errors import NETWORK_FAILURES, HdfsIOException
from genstamp_dfs.events import EventSink
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.recovery_task import RecoveryTask
from genstamp_dfs.hdfs.datanode.repairs import Repair
from genstamp_dfs.hdfs.messages.datanode_protocol import CommitBlockSynchronization
from genstamp_dfs.hdfs.messages.inter_datanode import InitReplicaRecovery, UpdateReplicaUnderRecovery
from genstamp_dfs.hdfs.protocol import NAMENODE, RecoveringBlock
from genstamp_dfs.hdfs.runtime import Runtime
from genstamp_dfs.world.runtime import Task
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


class BlockRecoveryWorker:
    """Leads the recoveries that a datanode is told to lead."""

    def __init__(self, configuration: DataNodeConfiguration, runtime: Runtime, events: EventSink) -> None:
        self._configuration = configuration
        self._runtime = runtime
        self._events = events
        self._tasks: list[Task] = []
        self._led: list[RecoveringBlock] = []
        self._timeout_us = configuration.call_timeout_ms * MICROSECONDS_A_MILLISECOND

    async def recover_blocks(self, blocks: tuple[RecoveringBlock, ...]) -> None:
        """Lead the recoveries of one command (#recoverBlocks); a block that fails does not stop the next."""
        for command in blocks:
            self._led.append(command)
            try:
                await self.recover(command)
            finally:
                self._led.remove(command)

    def spawn(self, blocks: tuple[RecoveringBlock, ...]) -> None:
        """Lead the recoveries of a command, beside those of others."""
        self._tasks = [task for task in self._tasks if not task.is_done]
        self._tasks.append(self._runtime.spawn(self.recover_blocks(blocks), "block recovery"))

    def namenode_changed(self) -> None:
        """The datanode has registered anew: the namenode knows nothing of the recoveries that it leads.

        Hadoop goes on with them. Repaired, they end: what they change may be a block that is closed by now.
        """
        if Repair.RECOVERIES_END_WITH_THEIR_NAMENODE not in self._configuration.closed_holes:
            return
        for command in self._led:
            self._record("abandon_recovery", command)
        for task in self._tasks:
            task.cancel()
        self._tasks.clear()

    async def recover(self, command: RecoveringBlock) -> None:
        """Lead one attempt, to its commit or until it has to be abandoned (RecoveryTaskContiguous#recover)."""
        self._record("receive_recovery_command", command, generation_stamp=command.block.generation_stamp)
        task = RecoveryTask(command, self._configuration.closed_holes)
        while locations := task.locations_to_ask():
            await self._ask(task, locations[0])
        if task.reason_to_abandon() is not None:
            self._record("abandon_recovery", command)
            return
        agreement = task.agree()
        observed = {"participants": ",".join(agreement.participants), "delete": str(agreement.delete_block).lower()}
        self._record("sync_block", command, num_bytes=agreement.new_length, observed=observed)
        while participants := task.participants_to_update():
            await self._update(task, participants[0], agreement.new_length)
        if not task.is_ready_to_commit():
            self._record("abandon_recovery", command)
            return
        await self._commit(task, agreement.new_length, delete_block=agreement.delete_block)

    async def _ask(self, task: RecoveryTask, datanode: str) -> None:
        """initReplicaRecovery at one location."""
        try:
            info = await self._runtime.call(datanode, InitReplicaRecovery(task.command), timeout_us=self._timeout_us)
        except HdfsIOException as problem:
            if isinstance(problem, NETWORK_FAILURES):
                self._record("init_replica_recovery_failed", task.command, datanode=datanode)
            task.on_init_failure(datanode, problem)
        else:
            task.on_replica_info(datanode, info)

    async def _update(self, task: RecoveryTask, datanode: str, new_length: int) -> None:
        """updateReplicaUnderRecovery at one participant."""
        command = task.command
        new_block_id = (command.new_block or command.block).block_id
        request = UpdateReplicaUnderRecovery(task.old_block(datanode), command.recovery_id, new_block_id, new_length)
        try:
            await self._runtime.call(datanode, request, timeout_us=self._timeout_us)
        except HdfsIOException as problem:
            if isinstance(problem, NETWORK_FAILURES):
                self._record("update_replica_failed", command, datanode=datanode)
            task.on_update(datanode, succeeded=False)
        else:
            task.on_update(datanode, succeeded=True)

    async def _commit(self, task: RecoveryTask, new_length: int, *, delete_block: bool) -> None:
        """commitBlockSynchronization; whether it works is the namenode's business, a later attempt does better."""
        command = task.command
        request = CommitBlockSynchronization(
            command.block,
            command.recovery_id,
            new_length,
            close_file=True,
            delete_block=delete_block,
            new_targets=tuple(sorted(task.updated)),
        )
        try:
            await self._runtime.call(NAMENODE, request, timeout_us=self._timeout_us)
        except HdfsIOException as problem:
            self._record("report_back", command, refused_with=problem.hadoop_name, num_bytes=new_length)
        else:
            self._record("report_back", command, num_bytes=new_length)

    def _record(
        self,
        event: str,
        command: RecoveringBlock,
        *,
        datanode: str | None = None,
        refused_with: str | None = None,
        generation_stamp: int | None = None,
        num_bytes: int | None = None,
        observed: dict[str, str] | None = None,
    ) -> None:
        """Leave an event of the recovery."""
        node = self._runtime.node
        self._events.record(
            node=node,
            time_us=self._runtime.now_us(),
            kind="block",
            entity=str(command.block.block_id),
            event=event,
            arguments={"primary": node} if datanode is None else {"primary": node, "datanode": datanode},
            refused_with=refused_with,
            generation_stamp=generation_stamp,
            recovery_id=command.recovery_id,
            num_bytes=num_bytes,
            observed=observed,
        )
