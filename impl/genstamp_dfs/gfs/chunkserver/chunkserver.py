"""The chunkserver: what it is asked goes to the part that does it.

Not here: how requests come, and where the disk is.

Source: Ghemawat, Gobioff, Leung, "The Google File System", SOSP 2003, sections 2.3 to 5.2.
"""

from collections.abc import Callable
from typing import Any

from genstamp_dfs.errors import DiskError, DiskFailedError, DiskFullError, GenstampDfsError, Refusal
from genstamp_dfs.events import EventSink
from genstamp_dfs.gfs.chunkserver.applying import Applying
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.chunkserver.copying import Copying
from genstamp_dfs.gfs.chunkserver.data_buffer import DataBuffer
from genstamp_dfs.gfs.chunkserver.leases import Leases
from genstamp_dfs.gfs.chunkserver.primary import Primary
from genstamp_dfs.gfs.chunkserver.pushing import Pushing
from genstamp_dfs.gfs.chunkserver.replicas import Replica, Replicas
from genstamp_dfs.gfs.chunkserver.reporting import Reporting
from genstamp_dfs.gfs.chunkserver.room import Room
from genstamp_dfs.gfs.chunkserver.telling import Telling
from genstamp_dfs.gfs.errors import CorruptReplica, NoRoom, OutOfRange, StaleVersion
from genstamp_dfs.gfs.messages import chunkserver_protocol as messages
from genstamp_dfs.gfs.messages.data_flow import PushData
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES, PIECE_BYTES
from genstamp_dfs.gfs.runtime import Connection, Runtime
from genstamp_dfs.world.disk import Disk
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.volume import Volume

NEED_ROOM = (messages.CreateChunk, messages.CopyChunk, messages.CloneChunk, messages.RecordVersion)
"""What is refused while the disk counts as full: who takes no part in a lease is asked for no mutation."""


class Chunkserver:
    """One life of a chunkserver.

    Args:
        configuration: its settings.
        runtime: its world.
        disk: where its replicas are.
        events: told of its steps.
        on_failure: called when the disk has failed: the chunkserver answers nobody any more, and its process shall end.

    Attributes:
        leases: those that it believes in.
        replicas: what it has.
        buffer: data that was pushed to it.
    """

    def __init__(
        self,
        configuration: ChunkserverConfiguration,
        runtime: Runtime,
        disk: Disk,
        events: EventSink,
        on_failure: Callable[[DiskFailedError], None] = lambda failure: None,
    ) -> None:
        volume = Volume(disk, self._volume_failed)
        limits = configuration.limits
        telling = Telling(runtime, events)
        self.configuration = configuration
        self.runtime = runtime
        self.replicas = Replicas(runtime, volume, limits.chunk_bytes)
        self.leases = Leases(runtime, limits.lease_us)
        self.buffer = DataBuffer(configuration.buffer_bytes, configuration.buffer_age_us)
        self._disk = volume
        self._on_failure = on_failure
        self._telling = telling
        self._pushing = Pushing(configuration, runtime, self.buffer)
        self._primary = Primary(configuration, runtime, volume, self.replicas, self.leases, self.buffer, telling)
        self._applying = Applying(configuration, runtime, volume, self.replicas, self.leases, self.buffer, telling)
        self._copying = Copying(configuration, runtime, self.replicas, telling)
        self._room = Room(configuration, runtime, self.replicas)
        self._reporting = Reporting(configuration, runtime, self.replicas, self.leases, self._room, telling)

    async def start(self) -> None:
        """Find all replicas, register, and tell the master from now on; waits while the master is away.

        What a crash has taken from the disk is written again first, and waits until there is room for it.

        Raises:
            DiskError: the disk failed.
        """
        while True:
            try:
                self.replicas.load()
            except DiskFullError:
                await self.runtime.sleep_us(self.configuration.heartbeat_period_us)
            else:
                break
        self._telling.tell_of_node("start_chunkserver")
        self.runtime.spawn(self._scan(), "scan")
        self.runtime.spawn(self._age_buffer(), "aging of pushed data")
        await self._reporting.register()
        self.runtime.spawn(self._reporting.run(), "heartbeats")

    async def serve(self, connection: Connection, operation: PushData) -> None:
        """Take data that is pushed."""
        await self._pushing.serve(connection, operation)

    async def handle(self, request: Request[Any], caller: Caller) -> Any:
        """Do what is asked.

        Raises:
            GfsRefusal: the protocol refuses; NoRoom if the disk is full.
            DiskFailedError: the disk failed, now or earlier.
            GenstampDfsError: it is no request of a chunkserver.
        """
        if isinstance(request, NEED_ROOM):
            self._room.check()
        try:
            return await self._do(request, caller)
        except DiskFullError as problem:
            self._room.found_full()
            raise NoRoom(str(problem)) from problem
        except DiskFailedError:
            raise
        except DiskError as problem:
            # A file that is none, or is gone: this replica is no good, and the others are.
            replica = self.replicas.find(getattr(request, "handle", -1))
            corrupt = CorruptReplica(str(problem))
            if replica is not None:
                self._found_corrupt(replica, corrupt)
            raise corrupt from problem

    def _volume_failed(self, failure: DiskFailedError) -> None:
        """The step in which the disk has failed fails with it; the process ends when that step is over."""

        async def end() -> None:
            self._on_failure(failure)

        self.runtime.spawn(end(), "end after a failure of the disk")

    async def _do(self, request: Request[Any], caller: Caller) -> Any:
        match request:
            case messages.Write():
                return await self._primary.write(request, caller)
            case messages.Append():
                return await self._primary.append(request, caller)
            case messages.Apply():
                return await self._applying.apply(request)
            case messages.Read():
                return self._read(request)
            case messages.ReadBlocks():
                return self._read_blocks(request)
            case messages.CreateChunk():
                return await self._copying.create(request)
            case messages.CopyChunk():
                return await self._copying.copy(request)
            case messages.CloneChunk():
                return await self._copying.clone(request)
            case messages.RecordVersion():
                return await self._record_version(request)
            case messages.GrantLease():
                return self._grant(request)
            case messages.RevokeLease():
                return await self._revoke(request)
            case _:
                raise GenstampDfsError(f"{type(request).__name__} is no request of a chunkserver")

    # -- versions and leases ----------------------------------------------------------------------------------------

    async def _record_version(self, request: messages.RecordVersion) -> int:
        """Record a higher version; the one that is recorded already changes nothing, also in a later life."""
        handle, version = request.handle, request.version
        replica = self.replicas.get(handle)
        if version < replica.file.version:
            raise StaleVersion(f"the replica of chunk {handle} has version {replica.file.version}, not {version}")
        if version > replica.file.version:
            replica.file.record_version(version)
            self.leases.end(handle, version)
            await replica.on_disk(self.runtime, self._disk)
            if replica.file.version != version:
                raise StaleVersion(f"the replica of chunk {handle} has got version {replica.file.version} meanwhile")
            self.leases.count(handle, version)
            self._telling.tell("record_version", handle, version, num_bytes=replica.file.num_bytes)
        else:
            await replica.on_disk(self.runtime, self._disk)
            self._telling.tell("confirm_version", handle, version, num_bytes=replica.file.num_bytes)
        return replica.file.num_bytes

    def _grant(self, request: messages.GrantLease) -> None:
        self.replicas.get_of(request.handle, request.version)
        self.leases.grant(request.handle, request.version, request.secondaries)
        self._telling.tell("learn_lease", request.handle, request.version, secondaries=",".join(request.secondaries))

    async def _revoke(self, request: messages.RevokeLease) -> None:
        self.leases.end(request.handle, request.version)
        await self._primary.wait_until_quiet(request.handle)
        self._telling.tell("hear_revocation", request.handle, request.version)

    # -- reading ----------------------------------------------------------------------------------------------------

    def _read(self, request: messages.Read) -> bytes:
        replica = self.replicas.get(request.handle)
        if replica.file.version < request.version:
            raise StaleVersion(
                f"the replica of chunk {request.handle} has version {replica.file.version}, not {request.version}"
            )
        if request.num_bytes > PIECE_BYTES:
            raise OutOfRange(f"{request.num_bytes} bytes are read at once, {PIECE_BYTES} are accepted")
        replica.touched_us = self.runtime.now_us()
        try:
            return replica.file.read(request.offset, request.num_bytes)
        except CorruptReplica as problem:
            self._found_corrupt(replica, problem)
            raise

    def _read_blocks(self, request: messages.ReadBlocks) -> messages.Blocks:
        replica = self.replicas.get_of(request.handle, request.version)
        if request.count > PIECE_BYTES // CHECKSUM_BLOCK_BYTES:
            most = PIECE_BYTES // CHECKSUM_BLOCK_BYTES
            raise OutOfRange(f"{request.count} blocks are read at once, {most} are accepted")
        file = replica.file
        try:
            data, checksums = file.blocks(request.first, request.count)
        except CorruptReplica as problem:
            self._found_corrupt(replica, problem)
            raise
        return messages.Blocks(file.num_bytes, file.stored, file.changes, data, checksums)

    async def _age_buffer(self) -> None:
        """Give the room of pushed data back that nobody has asked for, also if nothing more is pushed."""
        while True:
            await self.runtime.sleep_us(self.configuration.heartbeat_period_us)
            self.buffer.age(self.runtime.now_us())

    async def _scan(self) -> None:
        """Look at the checksums of idle replicas, one at a time, the one longest not touched first (section 5.2)."""
        while True:
            await self.runtime.sleep_us(self.configuration.scan_period_us)
            idle = [replica for replica in self.replicas if not replica.is_corrupt]
            if idle:
                replica = min(idle, key=lambda one: (one.touched_us, one.handle))
                replica.touched_us = self.runtime.now_us()
                try:
                    replica.file.verify()
                except CorruptReplica as problem:
                    self._found_corrupt(replica, problem)
                except DiskFailedError:
                    raise
                except DiskError as problem:
                    self._found_corrupt(replica, CorruptReplica(str(problem)))

    def _found_corrupt(self, replica: Replica, problem: Refusal) -> None:
        replica.is_corrupt = True
        self._telling.tell("find_corrupt", replica.handle, replica.file.version, refusal=problem)
