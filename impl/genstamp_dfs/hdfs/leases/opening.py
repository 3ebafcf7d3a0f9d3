"""The steps of opening, renaming and deleting files, of leases, and of their expiry.

Each method is one atomic step and leaves one event of its own name, but for the lease monitor's, which may release
several files in one pass.

Source: Hadoop 3.4.1; each step names its method.
"""

from genstamp_dfs.hdfs.leases.base import LeaseClusterBase, Stream, StreamStage
from genstamp_dfs.hdfs.leases.recorder import Step
from genstamp_dfs.hdfs.messages.client_protocol import (
    Append,
    Create,
    CreateFlag,
    Delete,
    RecoverLease,
    Rename2,
    RenewLease,
)
from genstamp_dfs.hdfs.namenode.lease_recovery import check_leases
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.namenode.tree_changes import remove_blocks
from genstamp_dfs.hdfs.protocol import NAMENODE, BlockUCState


class OpeningSteps(LeaseClusterBase):
    """create, append, recoverLease, renewLease, delete, rename, and the lease monitor."""

    def create(self, client: str, file: str) -> None:
        """create() without overwrite (FSNamesystem#startFile)."""
        self._create("create", client, file, CreateFlag.CREATE)

    def create_over(self, client: str, file: str) -> None:
        """create() with overwrite, where there is a file (FSDirWriteFileOp#startFile)."""
        step = self.client_step("create_over", client, file)
        if self.inode_at(file) is None and not self.is_in_safe_mode():
            raise step.not_possible(f"{file} does not exist, so that there is nothing to overwrite")
        self._create("create_over", client, file, CreateFlag.CREATE | CreateFlag.OVERWRITE)
        self._remove_blocks()

    def _create(self, event: str, client: str, file: str, flag: CreateFlag) -> None:
        step = self.client_step(event, client, file)
        inode = self.inode_at(file)
        if inode is not None and event == "create" and self._is_taken_over(client, inode):
            self._needs_replicas_before(step, inode)
        options = self.options
        request = Create(file, client, flag, replication=len(self.datanodes), block_size=options.block_size)
        answered = self.ask_for(step, request, client)
        if answered is not None:
            self._nobody_waits(file)
            self.known.streams[client, file] = Stream(answered[0].file_id)
            step.done()

    def append(self, client: str, file: str) -> None:
        """append() to a last block that has room (FSDirAppendOp#appendFile)."""
        self._append("append", client, file)

    def append_at_block_boundary(self, client: str, file: str) -> None:
        """append() to a full block, or to a file without one: the client is given none."""
        self._append("append_at_block_boundary", client, file)

    def _append(self, event: str, client: str, file: str) -> None:
        step = self.client_step(event, client, file)
        inode = self.inode_at(file)
        if inode is not None and not self.is_in_safe_mode():
            self._needs_boundary(step, client, inode, is_asked=event == "append_at_block_boundary")
        answered = self.ask_for(step, Append(file, client), client)
        if answered is None:
            return
        assert inode is not None, f"{file} was opened, and does not exist"
        self._nobody_waits(file)
        stream = self.known.streams[client, file] = Stream(inode.file_id)
        located = answered[0].block
        if located is None:
            step.done()
            return
        stream.stage, stream.block = StreamStage.STREAMING, located.block
        self.replicas_of(located.block).is_finalized = False
        self.known.unlogged.discard(located.block.block_id)
        step.done(generation_stamp=located.block.generation_stamp)

    def _needs_boundary(self, step: Step, client: str, inode: INodeFile, *, is_asked: bool) -> None:
        """Where the file will be opened, its last block is full or not, as was asked for."""
        blocks = list(inode.blocks)
        if inode.is_under_construction:
            if not self._is_taken_over(client, inode):
                return
            self._needs_replicas_before(step, inode)
            if self._is_stuck(inode):
                if is_asked:
                    raise step.not_possible(f"{inode.path} cannot be released")
                return
            if blocks and self.is_incomplete(blocks[-1]) and not (blocks[-1].replicas or blocks[-1].num_bytes):
                blocks.pop()
            if not all(block.is_complete for block in blocks):
                if is_asked:
                    raise step.not_possible(f"{inode.path} has something to recover")
                return
            if blocks and not self.namesystem.block_manager.is_sufficiently_replicated(blocks[-1]):
                if is_asked:
                    raise step.not_possible(f"{inode.path} would be closed, and not opened for want of a replica")
                return
        is_boundary = not blocks or blocks[-1].num_bytes == self.options.block_size
        if is_boundary is not is_asked:
            raise step.not_possible(f"the last block of {inode.path} is {'' if is_boundary else 'not '}full")

    def _is_stuck(self, inode: INodeFile) -> bool:
        """Hadoop, where a recovery could not close the file: it neither closes it now nor recovers anything."""
        last, before = inode.last_block(), inode.penultimate_block()
        return bool(last and before and last.is_complete and before.state is BlockUCState.COMMITTED)

    def _needs_replicas_before(self, step: Step, inode: INodeFile) -> None:
        """A block before a COMMITTED one has a replica, or is COMMITTED too.

        The namenode refuses to release the file for want of that replica, as of a COMMITTED one; after a restart, or
        while its datanode is down, a COMPLETE block may have none.
        """
        last, before = inode.last_block(), inode.penultimate_block()
        if self.is_in_safe_mode() or last is None or before is None:
            return
        if last.state is BlockUCState.COMMITTED and before.is_complete and not before.stored:
            raise step.not_possible(f"of the block before the last one of {inode.path} no replica is known")

    def _is_taken_over(self, client: str, inode: INodeFile) -> bool:
        """Whether a call of the client finds a file of somebody else whose lease is past its soft limit."""
        leases = self.namesystem.lease_manager
        lease, own = leases.get_lease(inode.client_name or ""), leases.get_lease(client)
        is_own = own is not None and inode.file_id in own.files
        return lease is not None and not is_own and leases.expired_soft_limit(lease, self.now_us)

    def recover_lease(self, client: str, file: str) -> None:
        """recoverLease() (FSNamesystem#recoverLease)."""
        step = self.client_step("recover_lease", client, file)
        inode = self.inode_at(file)
        if inode is not None:
            self._needs_replicas_before(step, inode)
        answered = self.ask_for(step, RecoverLease(file, client), client)
        if answered is not None:
            observed = {"closed": str(answered[0]).lower()}
            self.telling_primary(step).done(recovery_id=self.shown.recovery_id, observed=observed)

    def renew_lease(self, client: str) -> None:
        """renewLease() (FSNamesystem#renewLease)."""
        step = self.step(NAMENODE, "lease", client, "renew_lease", client=client)
        if client not in self.known.alive:
            raise step.not_possible(f"{client} is down")
        if self.ask_for(step, RenewLease(client), client) is not None:
            step.done()

    def delete(self, client: str, file: str) -> None:
        """delete(), and the removal of the file's blocks (FSDirDeleteOp#delete)."""
        step = self.client_step("delete", client, file)
        if self.inode_at(file) is None and not self.is_in_safe_mode():
            raise step.not_possible(f"{file} does not exist, so that there is nothing to delete")
        if self.ask_for(step, Delete(file), client) is not None:
            self._nobody_waits(file)
            self._remove_blocks()
            step.done()

    def rename(self, client: str, source: str, target: str) -> None:
        """rename() to a free path (FSDirRenameOp#renameTo)."""
        step = self.step(NAMENODE, "file", source, "rename", client=client, source=source, target=target)
        if client not in self.known.alive:
            raise step.not_possible(f"{client} is down")
        is_taken = self.inode_at(target) is not None
        if is_taken and self.inode_at(source) is not None and not self.is_in_safe_mode():
            raise step.not_possible(f"{target} is not free")
        if self.ask_for(step, Rename2(source, target), client) is not None:
            self.exchange(self.known.streams, source, target)
            self.exchange(self.known.led, source, target)
            step.done()

    def release_expired_lease(self, holder: str, file: str) -> None:
        """A pass of the lease monitor that finds the file, and perhaps others (LeaseManager#checkLeases)."""
        step = self.step(NAMENODE, "file", file, "release_expired_lease", holder=holder, file=file)
        if self.is_in_safe_mode():
            raise step.not_possible("the monitor does nothing in safe mode")
        leases = self.namesystem.lease_manager
        inode = self.inode_at(file)
        lease = None if inode is None else leases.leases_by_id.get(inode.file_id)
        if lease is None or self.holder_in_events(lease.holder) != holder:
            raise step.not_possible(f"{file} is not in the lease of {holder}")
        if not leases.expired_hard_limit(lease, self.now_us):
            raise step.not_possible(f"the lease of {lease.holder} is not past its hard limit")
        assert inode is not None, "a lease is of a file"
        self._needs_replicas_before(step, inode)
        self._check_leases()

    def _check_leases(self) -> None:
        passed = check_leases(self.namesystem)
        self.namenode.log_sync()
        for expired in passed:
            name = self.holder_in_events(expired.holder)
            event = "release_expired_lease"
            step = self.step(NAMENODE, "file", expired.path, event, holder=name, file=expired.path)
            if expired.refusal is not None:
                step.refused(expired.refusal)
                continue
            if expired.recovery_id is not None:
                block = self.last_block(expired.path)
                step = step.telling(primary=block.primary if block is not None and block.primary else "none")
            step.done(recovery_id=expired.recovery_id, observed={"closed": str(expired.closed).lower()})
        self.hand_out_commands()

    def _nobody_waits(self, file: str) -> None:
        """The file was opened again, or is gone: whoever has missed an answer about it has no claim to it."""
        for stream in self.streams_at(file):
            stream.is_unanswered = False

    def _remove_blocks(self) -> None:
        """What a deleted file has left is removed by now."""
        remove_blocks(self.namesystem, self.namenode.configuration.block_deletion_increment)
