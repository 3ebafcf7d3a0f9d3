"""The steps of lease recovery and block recovery, and the deletion of what they leave behind.

Each method is one atomic step and leaves one event of its own name. A call between datanodes and its answer are one
step; that a call found nobody is another.

Leaves out: calls and answers that are lost while both ends are up.

Source: Hadoop 3.4.1; each step names its method.
"""

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.cluster.base import ClusterBase
from genstamp_dfs.hdfs.cluster.datanode import DataNode
from genstamp_dfs.hdfs.cluster.recorder import Step
from genstamp_dfs.hdfs.datanode.recovery_task import RecoveryTask
from genstamp_dfs.hdfs.messages.client_protocol import RecoverLease
from genstamp_dfs.hdfs.messages.datanode_protocol import CommitBlockSynchronization
from genstamp_dfs.hdfs.namenode.corruption import check_replica_corrupt
from genstamp_dfs.hdfs.protocol import NAMENODE, RecoveringBlock, ReportedReplica


class RecoverySteps(ClusterBase):
    """The steps from the loss of a lease to the close of the file."""

    # -- at the namenode ----------------------------------------------------------------------------------------

    def recover_lease(self, client: str, file: str) -> None:
        """recoverLease() (FSNamesystem#recoverLease)."""
        step = self.step(NAMENODE, "file", file, "recover_lease", client=client, file=file)
        dfs_client = self.live_client(step, client)
        try:
            closed = self.ask(self.namesystem.recover_lease, RecoverLease(file, client), client)
        except HdfsIOException as refusal:
            step.refused(refusal)
            return
        dfs_client.on_recover_lease(file)
        recovery_id = self.namesystem.shown.recovery_id
        step.done(recovery_id=recovery_id, observed={"closed": str(closed).lower()})

    def check_leases(self) -> None:
        """One pass of the lease monitor; a step `release_expired_lease` for each file (LeaseManager#checkLeases)."""
        for expired in self.namesystem.check_leases():
            holder = self.holder_in_events(expired.holder)
            step = self.step(NAMENODE, "file", expired.path, "release_expired_lease", holder=holder, file=expired.path)
            if expired.refusal is not None:
                step.refused(expired.refusal)
            elif expired.released is not None:
                step.done(
                    recovery_id=expired.released.recovery_id,
                    observed={"closed": str(expired.released.closed).lower()},
                )

    def commit_block_synchronization(self, primary: str, file: str) -> None:
        """The primary tells the outcome (FSNamesystem#commitBlockSynchronization). Ends the attempt in any case."""
        step = self.step(
            NAMENODE, "block", self.block_entity(file), "commit_block_synchronization", primary=primary, file=file
        )
        leader, task = self._task(step, primary, file)
        if task.agreement is None or not task.is_ready_to_commit():
            raise step.not_possible(f"{primary} has no updated replica to commit for {file}")
        agreement, command = task.agreement, task.command
        leader.end_recovery(command.block.block_id)
        try:
            request = CommitBlockSynchronization(
                command.block,
                command.recovery_id,
                agreement.new_length,
                close_file=True,
                delete_block=agreement.delete_block,
                new_targets=tuple(sorted(task.updated)),
            )
            self.ask(self.namesystem.commit_block_synchronization, request, primary)
        except HdfsIOException as refusal:
            step.refused(refusal, recovery_id=command.recovery_id, num_bytes=agreement.new_length)
            return
        inode = self.namesystem.directory.file_at(file)
        step.done(
            recovery_id=command.recovery_id,
            num_bytes=agreement.new_length,
            observed={
                "closed": str(not inode.is_under_construction).lower(),
                "deleted": str(inode.last_block() is None).lower(),
            },
        )

    # -- at the primary -----------------------------------------------------------------------------------------

    def receive_recovery_command(self, file: str, datanode: str) -> None:
        """The queued command leaves with a heartbeat's answer and arrives (DatanodeManager#handleHeartbeat)."""
        step = self.step(
            datanode, "block", self.block_entity(file), "receive_recovery_command", file=file, datanode=datanode
        )
        block_id = self.block_id(step, file)
        process = self.live_datanode(step, datanode)
        if block_id not in self.queued_recoveries(datanode):
            raise step.not_possible(f"no recovery of {file} is queued for {datanode}")
        command = self._take_recovery_command(datanode, block_id)
        if command is None:
            raise step.not_possible(f"the recovery of {file} that is queued for {datanode} is out of date")
        process.start_recovery(command)
        step.done(generation_stamp=command.block.generation_stamp, recovery_id=command.recovery_id)

    def sync_block(self, primary: str, file: str) -> None:
        """All locations have answered, and the primary agrees (RecoveryTaskContiguous#syncBlock)."""
        step = self.step(primary, "block", self.block_entity(file), "sync_block", primary=primary, file=file)
        _, task = self._task(step, primary, file)
        if task.locations_to_ask():
            raise step.not_possible(f"{', '.join(task.locations_to_ask())} has not been asked")
        if task.agreement is not None:
            raise step.not_possible(f"{primary} has agreed already: {task.agreement}")
        try:
            agreement = task.agree()
        except HdfsIOException as problem:
            raise step.not_possible(f"abandon_recovery is the step: {problem}") from problem
        step.done(
            recovery_id=task.command.recovery_id,
            num_bytes=agreement.new_length,
            observed={
                "participants": ",".join(agreement.participants),
                "delete": str(agreement.delete_block).lower(),
            },
        )

    def abandon_recovery(self, primary: str, file: str) -> None:
        """The attempt ends without a commit; nothing is rolled back (RecoveryTaskContiguous#recover)."""
        step = self.step(primary, "block", self.block_entity(file), "abandon_recovery", primary=primary, file=file)
        leader, task = self._task(step, primary, file)
        if task.reason_to_abandon() is None:
            raise step.not_possible(f"{primary} has no reason to give recovery {task.command.recovery_id} up")
        leader.end_recovery(task.command.block.block_id)
        step.done(recovery_id=task.command.recovery_id)

    # -- between datanodes --------------------------------------------------------------------------------------

    def init_replica_recovery(self, primary: str, file: str, datanode: str) -> None:
        """The primary asks a location, itself included (FsDatasetImpl#initReplicaRecovery)."""
        step = self.replica_step(datanode, "init_replica_recovery", file, datanode, primary=primary)
        task = self._task_asking(step, primary, file, datanode)
        process = self.live_datanode(step, datanode)
        recovery_id = task.command.recovery_id
        try:
            info = process.dataset.init_replica_recovery(task.command.block, recovery_id)
        except HdfsIOException as refusal:
            task.on_init_failure(datanode, refusal)
            step.refused(refusal, recovery_id=recovery_id)
            return
        task.on_replica_info(datanode, info)
        if info is None:
            step.done(recovery_id=recovery_id, observed={"replica_state": "none"})
            return
        step.done(
            generation_stamp=info.generation_stamp,
            recovery_id=recovery_id,
            num_bytes=info.num_bytes,
            observed={"replica_state": info.original_state.name},
        )

    def init_replica_recovery_failed(self, primary: str, file: str, datanode: str) -> None:
        """The primary asks a location that is down."""
        step = self.replica_step(primary, "init_replica_recovery_failed", file, datanode, primary=primary)
        task = self._task_asking(step, primary, file, datanode)
        self._needs_down(step, datanode)
        task.on_init_failure(datanode, None)
        step.done(recovery_id=task.command.recovery_id)

    def update_replica_under_recovery(self, primary: str, file: str, datanode: str) -> None:
        """The primary has a participant install the agreement (FsDatasetImpl#updateReplicaUnderRecovery)."""
        step = self.replica_step(datanode, "update_replica_under_recovery", file, datanode, primary=primary)
        task, new_length = self._task_updating(step, primary, file, datanode)
        process = self.live_datanode(step, datanode)
        recovery_id = task.command.recovery_id
        try:
            process.update_replica_under_recovery(task.old_block(datanode), recovery_id, new_length)
        except HdfsIOException as refusal:
            task.on_update(datanode, succeeded=False)
            step.refused(refusal, recovery_id=recovery_id, num_bytes=new_length)
            return
        task.on_update(datanode, succeeded=True)
        step.done(generation_stamp=recovery_id, recovery_id=recovery_id, num_bytes=new_length)

    def update_replica_failed(self, primary: str, file: str, datanode: str) -> None:
        """The primary asks a participant that is down."""
        step = self.replica_step(primary, "update_replica_failed", file, datanode, primary=primary)
        task, _ = self._task_updating(step, primary, file, datanode)
        self._needs_down(step, datanode)
        task.on_update(datanode, succeeded=False)
        step.done(recovery_id=task.command.recovery_id)

    # -- what is left behind ------------------------------------------------------------------------------------

    def invalidate_replica(self, file: str, datanode: str) -> None:
        """A datanode reports a stale replica, is told to delete it, and does (FsDatasetImpl#invalidate)."""
        step = self.replica_step(datanode, "invalidate_replica", file, datanode)
        block_id = self.block_id(step, file)
        process = self.live_datanode(step, datanode)
        replica = process.dataset.get_replica(block_id)
        if replica is None:
            raise step.not_possible(f"{datanode} has no replica of {file}")
        reported = replica.report()
        if not self.is_to_be_invalidated(reported):
            raise step.not_possible(f"the namenode orders no deletion of {reported}")
        process.invalidate(replica.block())
        step.done(generation_stamp=reported.generation_stamp)

    # -- what the namenode would answer -------------------------------------------------------------------------

    def queued_recoveries(self, datanode: str) -> list[int]:
        """Ids of the blocks whose recovery waits for this datanode's next heartbeat."""
        return [block.block_id for block in self.namesystem.datanode_manager.datanodes[datanode].recover_blocks]

    def _take_recovery_command(self, datanode: str, block_id: int) -> RecoveringBlock | None:
        """The queued command, which leaves the queue; None (and the queue as it is) if it is out of date.

        All expected locations are named, those that are down too: a call that finds nobody is a step here.
        """
        queue = self.namesystem.datanode_manager.datanodes[datanode].recover_blocks
        (block,) = (queued for queued in queue if queued.block_id == block_id)
        if block.is_complete or self.namesystem.is_out_of_date(datanode, block):
            return None
        queue.remove(block)
        return self.namesystem.recovery_command(block, block.expected_locations())

    def is_to_be_invalidated(self, reported: ReportedReplica) -> bool:
        """Whether the answer to this report would be an order to delete the replica.

        A replica of an unknown block goes; a stale one only while a good one is alive, so that the last replica with
        data is never lost on behalf of its stamp.

        Source: BlockManager#processReportedBlock, #markBlockAsCorrupt, Hadoop 3.4.1.
        """
        manager = self.namesystem.block_manager
        block = manager.get_stored_block(reported.block_id)
        if block is None:
            return True
        is_corrupted_during_write = reported.generation_stamp < block.generation_stamp
        is_corrupt = check_replica_corrupt(reported, block) is not None
        return is_corrupted_during_write and is_corrupt and manager.has_min_storage(block)

    # -- what these steps need ----------------------------------------------------------------------------------

    def _task(self, step: Step, primary: str, file: str) -> tuple[DataNode, RecoveryTask]:
        """The primary, which must be up, and the attempt that it leads for the file's block."""
        block_id = self.block_id(step, file)
        process = self.live_datanode(step, primary)
        task = process.tasks.get(block_id)
        if task is None:
            raise step.not_possible(f"{primary} leads no recovery of {file}")
        return process, task

    def _task_asking(self, step: Step, primary: str, file: str, datanode: str) -> RecoveryTask:
        """The attempt of the primary, which must still have to ask the datanode."""
        _, task = self._task(step, primary, file)
        if datanode not in task.locations_to_ask():
            raise step.not_possible(f"{primary} has still to ask {task.locations_to_ask()}, not {datanode}")
        return task

    def _task_updating(self, step: Step, primary: str, file: str, datanode: str) -> tuple[RecoveryTask, int]:
        """The attempt of the primary, which must still have to update the datanode, and the agreed length."""
        _, task = self._task(step, primary, file)
        if task.agreement is None or datanode not in task.participants_to_update():
            raise step.not_possible(f"{primary} has still to update {task.participants_to_update()}, not {datanode}")
        return task, task.agreement.new_length

    def _needs_down(self, step: Step, datanode: str) -> None:
        """The datanode must be down: a call that finds it is another step."""
        if self.datanodes[datanode].is_up:
            raise step.not_possible(f"{datanode} is up and would answer")
