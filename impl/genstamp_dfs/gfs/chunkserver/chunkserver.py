"""A chunkserver: what it is asked, and what it tells the master.

It registers with all that it has, and tells in heartbeats that it lives, which leases it wants to keep, and a part of
its replicas in turn. A master that does not know it is registered with again: then it holds no lease any more.

Leaves out: rebalancing.

Source: sections 2.6.2, 3.1, 4.4, 4.5 and 5.2.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from genstamp_dfs.errors import NETWORK_FAILURES, GenstampDfsError
from genstamp_dfs.events import EventSink
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.chunkserver.copies import Copies
from genstamp_dfs.gfs.chunkserver.data_buffer import DataBuffer
from genstamp_dfs.gfs.chunkserver.data_flow import DataFlow
from genstamp_dfs.gfs.chunkserver.mutations import Mutations
from genstamp_dfs.gfs.chunkserver.primaries import Primaries
from genstamp_dfs.gfs.chunkserver.replica_file import ReplicaFile
from genstamp_dfs.gfs.chunkserver.replicas import UNFINISHED, Replicas
from genstamp_dfs.gfs.errors import ChunkserverUnknown, CorruptReplica, GfsRefusal, OutOfRange, StaleVersion
from genstamp_dfs.gfs.messages import chunkserver_protocol as messages
from genstamp_dfs.gfs.messages.data_flow import PushData
from genstamp_dfs.gfs.messages.master_protocol import Heartbeat, Register
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES, MASTER, PIECE_BYTES
from genstamp_dfs.gfs.runtime import Connection, Runtime
from genstamp_dfs.world.disk import Disk
from genstamp_dfs.world.request import Caller, Request

Handler = Callable[[Any], Awaitable[Any]]


class Chunkserver:
    """One life of a chunkserver.

    Args:
        configuration: its settings.
        runtime: its world; the name of its node is the one that it has in the cluster.
        disk: its replicas.
        events: where it tells of its steps.
    """

    def __init__(
        self, configuration: ChunkserverConfiguration, runtime: Runtime, disk: Disk, events: EventSink
    ) -> None:
        self.configuration = configuration
        self.replicas = Replicas(disk)
        self.primaries = Primaries(runtime, configuration.limits.lease_us)
        self._runtime = runtime
        self._events = events
        self._next_report = 0
        buffer = DataBuffer(runtime, configuration.buffer_bytes, configuration.buffer_age_us)
        self._buffer = buffer
        self._flow = DataFlow(configuration, runtime, buffer)
        mutations = Mutations(configuration, runtime, self.replicas, buffer, self.primaries, events)
        copies = Copies(configuration, runtime, self.replicas, self.primaries)
        self._handlers: dict[type[Request[Any]], Handler] = {
            messages.CreateChunk: self._create_chunk,
            messages.RecordVersion: self._record_version,
            messages.GrantLease: self._grant_lease,
            messages.RevokeLease: self._revoke_lease,
            messages.CopyChunk: copies.copy,
            messages.CloneChunk: copies.clone,
            messages.Write: mutations.write,
            messages.Append: mutations.append,
            messages.Read: self._read,
            messages.Apply: mutations.apply,
            messages.GetReplicaLength: self._get_replica_length,
        }

    # -- what it is asked -------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Load the replicas, register, and begin to tell the master that it lives; waits while the master is away.

        Raises:
            DiskError: the disk failed.
        """
        self.replicas.load()
        self._tell("start_chunkserver", "node", self._runtime.node, {})
        await self._register()
        self._runtime.spawn(self._live(), "heartbeats")
        self._runtime.spawn(self._scan(), "scan")

    async def handle(self, request: Request[Any], _: Caller) -> Any:
        """Answer a request.

        Raises:
            GfsRefusal: it is refused.
            DiskError: the disk failed.
            GenstampDfsError: it is no request of a chunkserver.
        """
        handler = self._handlers.get(type(request))
        if handler is None:
            raise GenstampDfsError(f"{type(request).__name__} is no request of a chunkserver")
        return await handler(request)

    async def serve(self, connection: Connection, operation: PushData) -> None:
        """Take data that is pushed."""
        await self._flow.serve(connection, operation)

    async def _create_chunk(self, request: messages.CreateChunk) -> None:
        found = self.replicas.find(request.handle)
        if found is not None and found.length:
            raise StaleVersion(f"there is a replica of chunk {request.handle} with {found.length} bytes")
        self.replicas.create(request.handle, request.version)
        self._tell_of_replica("create_chunk", request.handle, request.version)

    async def _record_version(self, request: messages.RecordVersion) -> int:
        replica = self.replicas.whole(request.handle)
        if replica.version > request.version:
            raise StaleVersion(
                f"the replica of chunk {request.handle} has version {replica.version}, above {request.version}"
            )
        if replica.version < request.version:
            replica.record_version(request.version)
            self.primaries.recorded(request.handle, request.version)
            self._tell_of_replica("record_version", request.handle, request.version)
        return replica.length

    async def _grant_lease(self, request: messages.GrantLease) -> None:
        self.replicas.at_version(request.handle, request.version)
        self.primaries.grant(request.handle, request.version, request.secondaries)
        self._tell_of_replica("learn_lease", request.handle, request.version)

    async def _revoke_lease(self, request: messages.RevokeLease) -> None:
        await self.primaries.revoke(request.handle, request.version)
        self._tell_of_replica("drop_lease", request.handle, request.version)

    async def _read(self, request: messages.Read) -> bytes:
        inside = 0 <= request.offset <= self.configuration.limits.chunk_bytes
        if not inside or not 0 <= request.num_bytes <= PIECE_BYTES:
            raise OutOfRange(
                f"{request.num_bytes} bytes at offset {request.offset}, accepted: 0 to {PIECE_BYTES} in a chunk of "
                f"{self.configuration.limits.chunk_bytes}"
            )
        replica = self.replicas.whole(request.handle)
        if replica.version < request.version:
            raise StaleVersion(
                f"the replica of chunk {request.handle} has version {replica.version}, below {request.version}"
            )
        return replica.read(request.offset, request.num_bytes)

    async def _get_replica_length(self, request: messages.GetReplicaLength) -> int:
        return self.replicas.at_version(request.handle, request.version).length

    # -- what it tells the master -----------------------------------------------------------------------------------

    async def _register(self) -> None:
        """Say all that it has, until the master has heard it."""
        while True:
            self.primaries.forget_leases()
            request = Register(
                self._runtime.node, self.configuration.rack, self._free_bytes(), tuple(self.replicas.reports())
            )
            try:
                answer = await self._runtime.call(MASTER, request, timeout_us=self.configuration.master_timeout_us)
            except (GfsRefusal, *NETWORK_FAILURES):
                await self._runtime.sleep_us(self.configuration.heartbeat_period_us)
            else:
                self._delete(answer.garbage)
                return

    async def _live(self) -> None:
        """Tell the master again and again that it lives."""
        while True:
            await self._runtime.sleep_us(self.configuration.heartbeat_period_us)
            self._buffer.age()
            try:
                await self._heartbeat()
            except ChunkserverUnknown:
                await self._register()
            except (GfsRefusal, *NETWORK_FAILURES):
                continue

    async def _heartbeat(self) -> None:
        wanted = [lease for lease in self.primaries if lease.is_mutated]
        for lease in wanted:
            lease.is_mutated = False
        sent_us = self._runtime.now_us()
        request = Heartbeat(
            self._runtime.node,
            self._free_bytes(),
            tuple((lease.handle, lease.version) for lease in wanted),
            self._some_reports(),
            self.replicas.corrupt(),
        )
        try:
            answer = await self._runtime.call(MASTER, request, timeout_us=self.configuration.master_timeout_us)
        except NETWORK_FAILURES:
            for lease in wanted:
                lease.is_mutated = True
            raise
        for lease in wanted:
            if lease.handle in answer.extended:
                self.primaries.extend(lease.handle, lease.version, sent_us)
        self._delete(answer.garbage)

    def _some_reports(self) -> tuple[Any, ...]:
        """The next replicas in turn."""
        reports, count = self.replicas.reports(), self.configuration.reported_at_once
        if self._next_report >= len(reports):
            self._next_report = 0
        some = reports[self._next_report : self._next_report + count]
        self._next_report += count
        return tuple(some)

    def _delete(self, garbage: Iterable[tuple[int, int]]) -> None:
        """Delete what the master calls garbage, unless it has become something else meanwhile."""
        for handle, version in garbage:
            replica = self.replicas.find(handle)
            if replica is not None and UNFINISHED < replica.version <= version:
                self.primaries.forget(handle)
                self.replicas.delete(handle)
                self._tell_of_replica("delete_replica", handle, replica.version)

    def _free_bytes(self) -> int:
        return max(0, self.configuration.capacity_bytes - self.replicas.num_bytes())

    # -- in the background ------------------------------------------------------------------------------------------

    async def _scan(self) -> None:
        """Read all replicas through, one after the other, to find those that do not match their checksums."""
        while True:
            for replica in list(self.replicas):
                await self._runtime.sleep_us(self.configuration.scan_period_us)
                await self._verify(replica)
            await self._runtime.sleep_us(self.configuration.scan_period_us)

    async def _verify(self, replica: ReplicaFile) -> None:
        offset = 0
        while self.replicas.find(replica.handle) is replica and offset < replica.length and not replica.is_corrupt:
            try:
                replica.read(offset, CHECKSUM_BLOCK_BYTES)
            except CorruptReplica:
                self._tell_of_replica("find_corrupt", replica.handle, replica.version)
            offset += CHECKSUM_BLOCK_BYTES
            await self._runtime.sleep_us(0)

    # -- events -----------------------------------------------------------------------------------------------------

    def _tell_of_replica(self, event: str, handle: int, version: int) -> None:
        self._tell(event, "replica", f"{handle}@{self._runtime.node}", {"chunkserver": self._runtime.node}, version)

    def _tell(
        self, event: str, kind: str, entity: str, arguments: Mapping[str, str], version: int | None = None
    ) -> None:
        self._events.record(
            node=self._runtime.node,
            time_us=self._runtime.now_us(),
            kind=kind,
            entity=entity,
            event=event,
            arguments=arguments,
            generation_stamp=version,
        )
