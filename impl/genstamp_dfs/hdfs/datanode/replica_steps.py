"""Operations on replicas as steps of a process: a writer in the way is waited for, and each step leaves its event.

The disk is waited for while other processes run. A step forces names of files that it has changed after the operation,
and is over only then: its event and its answer come afterwards, as do other steps on the block and the reports that
tell of it. Bytes are forced before the operation, which finds that done.

Not here: what the operations do (`fs_dataset`).

Source: FD/FsDatasetImpl, its loops around MustStopExistingWriter, Hadoop 3.4.1; facts B.6.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

from genstamp_dfs.errors import DiskError, HdfsIOException
from genstamp_dfs.events import EventSink
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.datanode.replica_map import MustStopExistingWriter
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.hdfs.runtime import Runtime
from genstamp_dfs.world.disk import UNFINISHED_SUFFIX
from genstamp_dfs.world.runtime import Condition
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND
from genstamp_dfs.world.volume import Volume

Result = TypeVar("Result")

Prepare = Callable[[], Awaitable[None]]
"""Has the disk do what it can before an operation, while processes run that work on other blocks."""


class ReplicaSteps:
    """The replicas of a datanode for the processes that work on them."""

    def __init__(
        self,
        dataset: FsDataset,
        configuration: DataNodeConfiguration,
        runtime: Runtime,
        events: EventSink,
        volume: Volume,
    ) -> None:
        self.dataset = dataset
        self.configuration = configuration
        self.runtime = runtime
        self.events = events
        self._volume = volume
        self._turns: dict[int, Condition] = {}
        self._unforced: dict[int, dict[str, None]] = {}

    async def perform(
        self,
        event: str,
        block_id: int,
        operation: Callable[[], Result],
        *,
        recovery_id: int | None = None,
        prepare: Prepare | None = None,
        **arguments: str,
    ) -> Result:
        """Carry an operation out, and leave the event.

        A writer in its way has been interrupted; when it has ended, the operation begins again with its first check.

        Args:
            event: name of the step.
            block_id: of the replica.
            operation: the step; it may raise `MustStopExistingWriter`.
            recovery_id: of the recovery that the step belongs to.
            prepare: as `carry_out` has it.
            arguments: who takes part, for the event.

        Raises:
            HdfsIOException: the operation is refused, the disk fails, or the writer does not end in time.
        """
        while True:
            try:
                result = await self.carry_out(block_id, operation, prepare)
            except MustStopExistingWriter as must:
                if not await must.writer.join(self.configuration.stop_writer_timeout_ms * MICROSECONDS_A_MILLISECOND):
                    refusal = HdfsIOException(f"the writer of {must.replica.name} has not ended in time")
                    self.refused(event, block_id, refusal, recovery_id, arguments)
                    raise refusal from must
            except HdfsIOException as refusal:
                self.refused(event, block_id, refusal, recovery_id, arguments)
                raise
            except DiskError as problem:
                failure = HdfsIOException(str(problem))
                self.refused(event, block_id, failure, recovery_id, arguments)
                raise failure from problem
            else:
                self.done(event, block_id, self.dataset.get_replica(block_id), recovery_id, arguments)
                return result

    async def carry_out(self, block_id: int, operation: Callable[[], Result], prepare: Prepare | None = None) -> Result:
        """Carry an operation out while no other step on the block is under way, and have the names on the disk.

        Args:
            block_id: the block.
            operation: the operation.
            prepare: is done before it.

        Raises:
            HdfsIOException, MustStopExistingWriter: the operation is refused.
            DiskError: the disk failed.
        """
        async with self._turn(block_id):
            if prepare is not None:
                await prepare()
            with self.dataset.files.names_later() as directories:
                try:
                    return operation()
                finally:
                    if directories:
                        self._unforced[block_id] = directories

    async def finish(self) -> None:
        """Wait until the names are on the disk that steps have changed before.

        Raises:
            DiskError: the disk failed.
        """
        for block_id in list(self._unforced):
            async with self._turn(block_id):
                pass

    @asynccontextmanager
    async def _turn(self, block_id: int) -> AsyncIterator[None]:
        """No other step on the block is under way in the body, and the names are on the disk before it and after it.

        A process that ends meanwhile, because its connection did, leaves them to the next one.
        """
        while block_id in self._turns:
            await self._turns[block_id].wait()
        ended = self._turns[block_id] = self.runtime.condition()
        try:
            await self._force_names(block_id)
            yield
            await self._force_names(block_id)
        finally:
            del self._turns[block_id]
            ended.notify_all()

    async def _force_names(self, block_id: int) -> None:
        directories = self._unforced.get(block_id)
        if directories is not None:
            await self._volume.sync_directories(self.runtime, directories)
            del self._unforced[block_id]

    async def hsync(self, replica: Replica) -> None:
        """Force what is written of a replica to the disk (BlockReceiver#flushOrSync).

        Raises:
            DiskError: the disk failed, or has no room.
        """
        self.dataset.files.make_place(replica)
        await self.sync_ahead(replica)
        self.dataset.hsync(replica)

    async def sync_ahead(self, replica: Replica) -> None:
        """Have the bytes of a replica on the disk before a step forces them, so that it need not wait for the disk.

        Nobody may change the replica meanwhile.

        Raises:
            DiskError: the disk failed; the step must not try again.
        """
        files = self.dataset.files
        if replica.is_inherited:
            await self.make_own(replica)
        paths = files.block_path(replica), files.meta_path(replica)
        names = () if replica.are_names_synced else (replica.directory,)
        await self._volume.sync_ahead(self.runtime, *paths, directories=names)

    async def make_own(self, replica: Replica) -> None:
        """Write files anew that an earlier life has left; nobody may change the replica meanwhile.

        Raises:
            DiskError: the disk failed, or is full.
        """
        files = self.dataset.files
        for _ in files.writing_anew(replica):
            await self.runtime.sleep_us(0)
        paths = (files.block_path(replica), files.meta_path(replica))
        await self._volume.sync_ahead(self.runtime, *(path + UNFINISHED_SUFFIX for path in paths))
        files.take_places(replica)

    async def prepare_update(
        self, old_block: Block, recovery_id: int, new_length: int, new_block_id: int | None = None
    ) -> None:
        """Have on the disk what a recovery is going to finalize: the replica, or a copy of it beside it.

        Raises:
            HdfsIOException: as `ReplicaRecovery.update_replica_under_recovery`.
            DiskError: the disk failed, or is full.
        """
        replica = self.dataset.found_to_update(old_block, recovery_id)
        replicas = [replica]
        if new_block_id not in (None, replica.block_id) and replica.bytes_on_disk > new_length:
            assert new_block_id is not None
            for _ in self.dataset.copying(replica, recovery_id, new_length, new_block_id):
                await self.runtime.sleep_us(0)
            replicas.append(self.dataset.replicas[new_block_id])
        if self.dataset.syncs_recoveries():
            for each in replicas:
                await self.sync_ahead(each)

    def done(
        self,
        event: str,
        block_id: int,
        replica: Replica | None,
        recovery_id: int | None = None,
        arguments: Mapping[str, str] | None = None,
        num_bytes: int | None = None,
    ) -> None:
        """A step has happened; the event shows the replica as it is now, or another length of it."""
        node = self.runtime.node
        self.events.record(
            node=node,
            time_us=self.runtime.now_us(),
            kind="replica",
            entity=f"{block_id}@{node}",
            event=event,
            arguments={"datanode": node, **(arguments or {})},
            generation_stamp=None if replica is None else replica.generation_stamp,
            recovery_id=recovery_id,
            num_bytes=num_bytes if num_bytes is not None else None if replica is None else replica.num_bytes,
            observed={"replica_state": "none" if replica is None else replica.visible_state().name},
        )

    def refused(
        self,
        event: str,
        block_id: int,
        refusal: HdfsIOException,
        recovery_id: int | None = None,
        arguments: Mapping[str, str] | None = None,
    ) -> None:
        """A step was refused."""
        node = self.runtime.node
        self.events.record(
            node=node,
            time_us=self.runtime.now_us(),
            kind="replica",
            entity=f"{block_id}@{node}",
            event=event,
            arguments={"datanode": node, **(arguments or {})},
            refused_with=refusal.hadoop_name,
            recovery_id=recovery_id,
        )
