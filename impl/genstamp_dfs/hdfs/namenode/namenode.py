"""A namenode: its calls, its clock, and what it keeps on disk.

Every call is plain and done when it returns. What it changed is in the edit log then, but not on the disk: whoever
drives the namenode calls `log_sync` before it sends an answer that waits for it (`needs_sync`), after a refusal too,
since a refused create may have started a recovery. Several calls may share one sync.

Not here: threads and locks, high availability, tokens, metrics.

Source: NN/NameNode, NN/NameNodeRpcServer, NN/FSNamesystem#loadFromDisk, Hadoop 3.4.1; facts E.0, I.5.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from genstamp_dfs.errors import (
    DiskError,
    HadoopIllegalArgumentException,
    HdfsIOException,
    UnsupportedOperationException,
)
from genstamp_dfs.events import EventSink
from genstamp_dfs.hdfs.messages.client_protocol import HdfsFileStatus, Truncate
from genstamp_dfs.hdfs.messages.datanode_protocol import BlockReceivedAndDeleted, NamespaceInfo
from genstamp_dfs.hdfs.namenode.calls import CALLS, Call, passed_bytes
from genstamp_dfs.hdfs.namenode.checkpoint import Checkpointer
from genstamp_dfs.hdfs.namenode.configuration import Clock, NameNodeConfiguration, Repair
from genstamp_dfs.hdfs.namenode.edit_ops import call_of
from genstamp_dfs.hdfs.namenode.fs_namesystem import EventDetails
from genstamp_dfs.hdfs.namenode.lease_recovery import ExpiredLease
from genstamp_dfs.hdfs.namenode.monitors import Monitors
from genstamp_dfs.hdfs.namenode.reserved import DirOp
from genstamp_dfs.hdfs.namenode.retry_cache import RetryCache
from genstamp_dfs.hdfs.namenode.start import start_namesystem
from genstamp_dfs.hdfs.protocol import INTERNAL_LEASE_HOLDER, NAMENODE, NO_FILE_ID
from genstamp_dfs.world.disk import Disk
from genstamp_dfs.world.request import Caller, Request, answer_type

Answer = TypeVar("Answer")


class NameNode:
    """A namenode that runs.

    Args:
        configuration: its settings.
        disk: its storage directory; an empty one becomes a new cluster's.
        clock: time.
        chance: where new replicas go, and the ids of a new cluster.
        events: where it tells of what it does.

    Raises:
        StorageError: the storage directory is foreign, of another layout, or damaged; it was left as it was.
        DiskError: the disk failed.
    """

    def __init__(
        self, configuration: NameNodeConfiguration, disk: Disk, clock: Clock, chance: random.Random, events: EventSink
    ) -> None:
        self.configuration = configuration
        self.retry_cache = RetryCache(configuration.retry_cache_expiry_ms)
        self._clock = clock
        self._events = events
        self.namesystem, self.edit_log = start_namesystem(configuration, disk, clock, chance, self.retry_cache)
        self._monitors = Monitors(self.namesystem)
        self.checkpointer = Checkpointer(configuration, disk, clock, self.edit_log)
        self.needs_sync = False
        self.failure: DiskError | None = None

    @property
    def namespace(self) -> NamespaceInfo:
        """Which cluster it keeps."""
        return self.namesystem.namespace

    # -- calls --------------------------------------------------------------------------------------------------

    def handle(self, request: Request[Answer], caller: Caller) -> Answer:
        """Answer a request; `needs_sync` says whether `log_sync` has to come before the answer is sent.

        Raises:
            HdfsIOException: the request is refused; `needs_sync` holds for this answer as well.
            DiskError: the disk failed earlier, and the namenode has stopped.
        """
        self._check_running()
        call = CALLS.get(type(request))
        if call is None:
            raise UnsupportedOperationException(f"{type(request).__name__} is no call of a namenode")
        details = self.namesystem.event = EventDetails(file_id=self._named_file(call, request))
        is_kept_truncate = isinstance(request, Truncate) and self.namesystem.repairs(Repair.ANSWERS_ARE_KEPT)
        is_cached = call.at_most_once or is_kept_truncate
        if is_cached:
            remembered = self.retry_cache.find(call_of(caller), self._clock.now_us())
            if remembered:
                _check_same_kind(request, caller, remembered[0])
                self.needs_sync = self.edit_log.has_unsynced
                self._record(call, request, caller, details, event="retry_cache_answers")
                answer: Answer = remembered[0]
                return answer
        try:
            answer = call.function(self.namesystem, request, caller)
        except HdfsIOException as refusal:
            self.needs_sync = self.edit_log.has_unsynced
            self._record(call, request, caller, details, refused_with=refusal.hadoop_name)
            raise
        # A delete or rename that answers false is carried out again (RetryCache#setState).
        if is_cached and answer is not False:
            self.retry_cache.add(call_of(caller), answer, self._clock.now_us())
        self.needs_sync = call.syncs and self.edit_log.has_unsynced
        if isinstance(answer, HdfsFileStatus) and call.name == "create":
            details.file_id, details.replaced_file_id = answer.file_id, details.file_id
        if isinstance(answer, bool):
            details.observed["answer" if call.name not in ("complete", "recover_lease") else "closed"] = (
                "true" if answer else "false"
            )
        self._record(call, request, caller, details)
        return answer

    def _check_running(self) -> None:
        if self.failure is not None:
            raise self.failure

    # -- time ---------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Do what is due: monitors of leases, datanodes and replicas, safe mode, a checkpoint.

        `needs_sync` says afterwards whether `log_sync` is to be called.

        Raises:
            DiskError: the disk failed, and the namenode has stopped.
        """
        self._check_running()
        for expired in self._monitors.do_what_is_due(self.namesystem):
            self._record_expired(expired)
        self.needs_sync = self.edit_log.has_unsynced
        with self._stopping_on_failure():
            self.checkpointer.go_on(self.namesystem, self.retry_cache)

    def log_sync(self) -> None:
        """Force all edits to the disk.

        Raises:
            DiskError: the disk failed. Nobody may be told of what was not synced, so the namenode stops.
        """
        force = self.begin_log_sync()
        if force is not None:
            force()
            self.end_log_sync()

    def begin_log_sync(self) -> Callable[[], None] | None:
        """Write the edits that wait to the log; gives what forces them to the disk, None if none wait.

        Another thread may call it while calls are answered here, but `end_log_sync` comes before the next `tick`, as
        that may roll the log, and before the next sync.

        Raises:
            DiskError: the disk failed, as what is given may say too. The namenode stops.
        """
        self._check_running()
        self.needs_sync = False
        with self._stopping_on_failure():
            force = self.edit_log.begin_sync()
        return None if force is None else partial(self._force, force)

    def end_log_sync(self) -> None:
        """What `begin_log_sync` has written is on the disk: answers that waited for it may go."""
        self.edit_log.end_sync()

    def close(self) -> None:
        """Force all edits to the disk and complete the log: the namenode stops in order.

        Raises:
            DiskError: the disk failed, now or earlier.
        """
        self._check_running()
        with self._stopping_on_failure():
            self.edit_log.close()

    def _force(self, force: Callable[[], None]) -> None:
        with self._stopping_on_failure():
            force()

    @contextmanager
    def _stopping_on_failure(self) -> Iterator[None]:
        """After a failure of the disk every further call fails with it."""
        try:
            yield
        except DiskError as failure:
            self.failure = failure
            raise

    # -- events -------------------------------------------------------------------------------------------------

    def _named_file(self, call: Call, request: Request[Any]) -> int | None:
        """Id of the file or directory that a call names, before it is carried out: by id, or what its path leads to."""
        if call.kind != "file":
            return None
        file_id: int = getattr(request, "file_id", NO_FILE_ID)
        if file_id != NO_FILE_ID:
            return file_id
        path: str = getattr(request, "path", "") or getattr(request, "source", "")
        try:
            inode = self.namesystem.directory.get(self.namesystem.resolve(path, DirOp.READ))
        except HdfsIOException:
            return None
        return None if inode is None else inode.file_id

    def record_start(self) -> None:
        """Tell that the namenode has started over what its storage directory has; whoever starts one says so."""
        self._events.record(
            node=NAMENODE,
            time_us=self._clock.now_us(),
            kind="node",
            entity=NAMENODE,
            event="namenode_restart",
            arguments={"transaction": str(self.edit_log.last_transaction)},
        )

    def _record(
        self,
        call: Call,
        request: Request[Any],
        caller: Caller,
        details: EventDetails,
        *,
        refused_with: str | None = None,
        event: str | None = None,
    ) -> None:
        """Tell of a call; of a report of several replicas, of each."""
        if isinstance(request, BlockReceivedAndDeleted):
            self._record_report(request, refused_with)
            return
        entity, arguments = call.describe(request, caller)
        if details.file is not None:
            arguments["file"] = details.file
        if call.kind != "node":
            self._identify(arguments, request, caller, details)
        self._events.record(
            node=NAMENODE,
            time_us=self._clock.now_us(),
            kind=call.kind,
            entity=entity,
            event=event or call.name,
            arguments=arguments,
            refused_with=refused_with,
            generation_stamp=details.generation_stamp,
            recovery_id=details.recovery_id,
            num_bytes=details.num_bytes,
            observed=details.observed,
        )

    def _identify(
        self, arguments: dict[str, str], request: Request[Any], caller: Caller, details: EventDetails
    ) -> None:
        """Say which file and block a call was about, whatever names they have had, and what it passed."""
        if details.file_id is not None:
            arguments["inode"] = str(details.file_id)
        if details.replaced_file_id is not None:
            arguments["replaced"] = str(details.replaced_file_id)
        if details.block_id is not None:
            arguments["block"] = str(details.block_id)
        if caller.call_id >= 0:
            arguments["call"] = f"{caller.machine} {caller.call_id}"
        arguments["transaction"] = str(self.edit_log.last_transaction)
        passed = passed_bytes(request)
        if passed is not None:
            arguments["passed_bytes"] = str(passed)

    def _record_report(self, request: BlockReceivedAndDeleted, refused_with: str | None) -> None:
        """Tell of each line of an incremental report: block_received, block_receiving, block_deleted."""
        for line in request.blocks:
            block = self.namesystem.block_manager.get_stored_block(line.block.block_id)
            inode = None if block is None else self.namesystem.directory.file_of(block)
            arguments = {"datanode": request.datanode}
            if inode is not None:
                arguments = {"file": inode.path, "datanode": request.datanode}
            self._events.record(
                node=NAMENODE,
                time_us=self._clock.now_us(),
                kind="replica",
                entity=f"{line.block.block_id}@{request.datanode}",
                event=f"block_{line.status.value}",
                arguments=arguments,
                refused_with=refused_with,
                generation_stamp=line.block.generation_stamp,
                num_bytes=line.block.num_bytes,
                observed={"block_state": "REMOVED" if block is None else block.state.value},
            )

    def _record_expired(self, expired: ExpiredLease) -> None:
        """Tell of a lease that the monitor has released, or could not."""
        holder = NAMENODE if expired.holder.startswith(INTERNAL_LEASE_HOLDER) else expired.holder
        self._events.record(
            node=NAMENODE,
            time_us=self._clock.now_us(),
            kind="file",
            entity=expired.path,
            event="release_expired_lease",
            arguments={"holder": holder, "file": expired.path, "inode": str(expired.file_id)}
            | {"transaction": str(self.edit_log.last_transaction)},
            refused_with=None if expired.refusal is None else expired.refusal.hadoop_name,
            recovery_id=expired.recovery_id,
            observed={} if expired.refusal is not None else {"closed": str(expired.closed).lower()},
        )


def _check_same_kind(request: Request[Any], caller: Caller, remembered: Any) -> None:
    """Refuse a call that has the number of another one: what that was answered is no answer to it."""
    kind = answer_type(type(request))
    if not isinstance(remembered, type(None) if kind is None else kind):
        raise HadoopIllegalArgumentException(
            f"call {caller.call_id} of client {caller.client_id.hex()} was answered with {type(remembered).__name__} "
            f"before, which {type(request).__name__} is not; accepted: a number for each call"
        )
