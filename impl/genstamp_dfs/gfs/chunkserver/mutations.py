"""Writes and record appends: the primary orders them, and all replicas do them in its order (sections 3.1 and 3.3).

The primary does a mutation itself and gives it its number in one step; then all secondaries are told, each of one after
the other. A secondary that misses one goes on with those after it, and the client is told that the mutation failed.

Leaves out: how clients try again.
"""

import msgspec

from genstamp_dfs.errors import Refusal
from genstamp_dfs.events import EventSink
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.chunkserver.data_buffer import DataBuffer
from genstamp_dfs.gfs.chunkserver.primaries import Primaries, Primary
from genstamp_dfs.gfs.chunkserver.replicas import Replicas
from genstamp_dfs.gfs.errors import GfsRefusal, MutationFailed, OutOfOrder, OutOfRange, RecordTooLarge, StaleVersion
from genstamp_dfs.gfs.messages.chunkserver_protocol import Append, Apply, Write
from genstamp_dfs.gfs.protocol import Mutation
from genstamp_dfs.gfs.runtime import Runtime


class Mutations:
    """What changes the bytes of replicas."""

    def __init__(
        self,
        configuration: ChunkserverConfiguration,
        runtime: Runtime,
        replicas: Replicas,
        buffer: DataBuffer,
        primaries: Primaries,
        events: EventSink,
    ) -> None:
        self._configuration = configuration
        self._limits = configuration.limits
        self._runtime = runtime
        self._replicas = replicas
        self._buffer = buffer
        self._primaries = primaries
        self._events = events
        self._turned = runtime.condition()
        self._applied: dict[int, tuple[int, int]] = {}

    # -- as the primary ---------------------------------------------------------------------------------------------

    async def write(self, request: Write) -> None:
        """Have data written at an offset on all replicas."""
        lease = self._primaries.of(request.handle, request.version)
        data = self._buffer.find(request.data_id)
        if request.offset < 0 or request.offset + len(data) > self._limits.chunk_bytes:
            raise OutOfRange(
                f"{len(data)} bytes at offset {request.offset} do not lie in a chunk of {self._limits.chunk_bytes}"
            )
        await self._order(lease, request.offset, request.data_id, len(data))

    async def append(self, request: Append) -> int | None:
        """Have data appended on all replicas at one offset; None if the chunk was padded instead."""
        lease = self._primaries.of(request.handle, request.version)
        data = self._buffer.find(request.data_id)
        if len(data) > self._limits.record_bytes:
            raise RecordTooLarge(f"the record has {len(data)} bytes, at most {self._limits.record_bytes} are accepted")
        offset = self._replicas.at_version(request.handle, request.version).length
        if offset + len(data) > self._limits.chunk_bytes:
            await self._order(lease, offset, b"", self._limits.chunk_bytes - offset)
            return None
        await self._order(lease, offset, request.data_id, len(data))
        return offset

    async def _order(self, lease: Primary, offset: int, data_id: bytes, num_bytes: int) -> None:
        """Do a mutation here, and have all secondaries do it.

        Raises:
            MutationFailed: some secondary has not.
        """
        mutation = Mutation(lease.serial + 1, offset, data_id, num_bytes)
        self._do(lease.handle, lease.version, mutation)
        lease.serial += 1
        lease.is_mutated = True
        self._tell("order_mutation", lease.handle, lease.version, mutation)
        self._primaries.begins(lease.handle)
        answers: dict[str, str] = {}
        for secondary in lease.secondaries:
            self._runtime.spawn(self._forward(lease, secondary, mutation, answers), "forward")
        try:
            while len(answers) < len(lease.secondaries):
                await self._turned.wait()
        finally:
            self._primaries.ends(lease.handle)
        failed = [f"{secondary} ({answer})" for secondary, answer in answers.items() if answer]
        if failed:
            raise MutationFailed(f"mutation {mutation.serial} of chunk {lease.handle}: {'; '.join(failed)}")

    async def _forward(self, lease: Primary, secondary: str, mutation: Mutation, answers: dict[str, str]) -> None:
        """Tell a secondary of a mutation, after those before it; notes why it was not done, or nothing."""
        answer = "it was not asked"
        try:
            while lease.turns.get(secondary, 0) < mutation.serial - 1:
                await self._turned.wait()
            request = Apply(lease.handle, lease.version, mutation)
            await self._runtime.call(secondary, request, timeout_us=self._configuration.forward_timeout_us)
            answer = ""
        except Refusal as refusal:
            answer = f"{type(refusal).__name__}: {refusal}"
        finally:
            lease.turns[secondary] = mutation.serial
            answers[secondary] = answer
            self._turned.notify_all()

    # -- as a secondary -----------------------------------------------------------------------------------------------

    async def apply(self, request: Apply) -> None:
        """Do the next mutation of the primary's order."""
        handle, version, mutation = request.handle, request.version, request.mutation
        try:
            if not self._primaries.takes_part(handle, version):
                raise StaleVersion(f"version {version} of chunk {handle} was not recorded in this life")
            of_version, last = self._applied.get(handle, (0, 0))
            if of_version == version and mutation.serial <= last:
                raise OutOfOrder(f"mutation {mutation.serial} of chunk {handle} comes after {last}")
            if mutation.offset < 0 or not 0 <= mutation.num_bytes <= self._limits.chunk_bytes - mutation.offset:
                raise OutOfRange(f"{mutation.num_bytes} bytes at offset {mutation.offset} do not lie in a chunk")
            self._do(handle, version, mutation)
        except GfsRefusal as refusal:
            self._tell("apply_mutation", handle, version, mutation, refusal.name)
            raise
        self._applied[handle] = (version, mutation.serial)
        self._tell("apply_mutation", handle, version, mutation)

    def _do(self, handle: int, version: int, mutation: Mutation) -> None:
        """Do a mutation to the replica here, at once."""
        replica = self._replicas.at_version(handle, version)
        if mutation.is_padding:
            replica.write_zeros(mutation.offset, mutation.offset + mutation.num_bytes)
            return
        data = self._buffer.find(mutation.data_id)
        if len(data) != mutation.num_bytes:
            raise OutOfRange(f"data {mutation.data_id.hex()} has {len(data)} bytes, not {mutation.num_bytes}")
        replica.write(mutation.offset, data)

    def _tell(self, event: str, handle: int, version: int, mutation: Mutation, refused_with: str | None = None) -> None:
        fields = msgspec.structs.asdict(mutation) | {"data_id": mutation.data_id.hex()}
        replica = self._replicas.find(handle)
        self._events.record(
            node=self._runtime.node,
            time_us=self._runtime.now_us(),
            kind="replica",
            entity=f"{handle}@{self._runtime.node}",
            event=event,
            arguments={name: str(value) for name, value in fields.items()},
            refused_with=refused_with,
            generation_stamp=version,
            num_bytes=replica.length if replica is not None else None,
        )
