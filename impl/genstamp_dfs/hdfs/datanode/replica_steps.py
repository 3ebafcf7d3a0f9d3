"""Operations on replicas as steps of a process: a writer in the way is waited for, and each step leaves its event.

Leaves out: what the operations do (`fs_dataset`).

Source: FD/FsDatasetImpl, its loops around MustStopExistingWriter, Hadoop 3.4.1; facts B.6.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from genstamp_dfs.errors import DiskError, HdfsIOException
from genstamp_dfs.events import EventSink
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.datanode.replica_map import MustStopExistingWriter
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.runtime import Runtime
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND
from genstamp_dfs.world.volume import Volume

Result = TypeVar("Result")


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

    async def perform(
        self,
        event: str,
        block_id: int,
        operation: Callable[[], Result],
        *,
        recovery_id: int | None = None,
        **arguments: str,
    ) -> Result:
        """Carry an operation out, and leave the event.

        A writer in its way has been interrupted; when it has ended, the operation begins again with its first check.

        Args:
            event: name of the step.
            block_id: of the replica.
            operation: the step; it may raise `MustStopExistingWriter`.
            recovery_id: of the recovery that the step belongs to.
            arguments: who takes part, for the event.

        Raises:
            HdfsIOException: the operation is refused, the disk fails, or the writer does not end in time.
        """
        while True:
            try:
                result = operation()
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

    async def sync_ahead(self, replica: Replica) -> None:
        """Have the bytes of a replica on the disk before a step forces them, so that it need not wait for the disk.

        Raises:
            DiskError: the disk failed; the step must not try again.
        """
        if replica.is_inherited:
            # The step writes its files anew.
            return
        files = self.dataset.files
        await self._volume.sync_ahead(self.runtime, files.block_path(replica), files.meta_path(replica))

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
