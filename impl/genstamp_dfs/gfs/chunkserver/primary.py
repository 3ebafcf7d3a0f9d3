"""The primary orders the mutations of a chunk (section 3.1, steps 4 to 7, and section 3.3).

Each gets the next serial number of the lease when it was done here, and is told to all secondaries; the client hears of
success when all of them have it on their disks. What fails here gets no number, and nobody else hears of it.

A call that the network repeats is carried out once, and one that comes after a later attempt of the same client at the
same data not at all: else an old write could undo a newer one that was acknowledged in between.

Not here: what secondaries do (`applying`), and how a lease comes and goes (`leases`).
"""

from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from genstamp_dfs.errors import DiskFullError, Refusal
from genstamp_dfs.gfs.chunkserver.applying import do
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.chunkserver.data_buffer import DataBuffer
from genstamp_dfs.gfs.chunkserver.leases import Lease, Leases
from genstamp_dfs.gfs.chunkserver.replicas import Replica, Replicas
from genstamp_dfs.gfs.chunkserver.telling import Telling
from genstamp_dfs.gfs.errors import CorruptReplica, MutationFailed, NoRoom, OutOfOrder, OutOfRange, RecordTooLarge
from genstamp_dfs.gfs.messages.chunkserver_protocol import Append, Apply, Write
from genstamp_dfs.gfs.protocol import Mutation
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.gfs.side_by_side import Outcome, together
from genstamp_dfs.world.request import Caller
from genstamp_dfs.world.runtime import Condition
from genstamp_dfs.world.volume import Volume

REMEMBERED: Final = 10_000
"""Of so many calls it is known what came of them, for each lease."""

_Call = tuple[bytes, int]


@dataclass
class Order:
    """The order of one lease.

    Attributes:
        version: of the lease.
        quiet: woken when nothing is half done.
        last: the last serial number that was given.
        half_done: how many mutations are.
        outcomes: what comes of the calls of clients.
        newest: of each pushed data the newest call that wants it done.
    """

    version: int
    quiet: Condition
    last: int = 0
    half_done: int = 0
    outcomes: OrderedDict[_Call, Outcome[int | None]] = field(default_factory=OrderedDict)
    newest: OrderedDict[bytes, int] = field(default_factory=OrderedDict)


class Primary:
    """Orders mutations under the leases of one chunkserver."""

    def __init__(
        self,
        configuration: ChunkserverConfiguration,
        runtime: Runtime,
        disk: Volume,
        replicas: Replicas,
        leases: Leases,
        buffer: DataBuffer,
        telling: Telling,
    ) -> None:
        self._configuration = configuration
        self._runtime = runtime
        self._disk = disk
        self._replicas = replicas
        self._leases = leases
        self._buffer = buffer
        self._telling = telling
        self._orders: dict[int, Order] = {}

    async def write(self, request: Write, caller: Caller) -> None:
        """Write pushed data at an offset.

        Raises:
            NotPrimary: no lease of this version is believed in.
            DataNotFound, OutOfRange, MutationFailed, OutOfOrder, NoRoom: as the errors say.
        """
        await self._once(request, caller, lambda lease: self._write(request, lease))

    async def append(self, request: Append, caller: Caller) -> int | None:
        """Append pushed data at the end of the chunk; gives its offset, or None if the chunk is full now.

        Raises:
            NotPrimary, DataNotFound, RecordTooLarge, MutationFailed, OutOfOrder, NoRoom: as the errors say.
        """
        return await self._once(request, caller, lambda lease: self._append(request, lease))

    async def wait_until_quiet(self, handle: int) -> None:
        """Wait until no mutation of the chunk is half done."""
        order = self._orders.get(handle)
        while order is not None and order.half_done:
            await order.quiet.wait()

    # -- one call once ----------------------------------------------------------------------------------------------

    async def _once(
        self, request: Write | Append, caller: Caller, work: Callable[[Lease], Coroutine[Any, Any, int | None]]
    ) -> int | None:
        lease = self._leases.held(request.handle, request.version)
        order = self._order(request.handle, request.version)
        call = (caller.client_id, caller.call_id)
        outcome = order.outcomes.get(call) if caller.client_id else None
        if outcome is None:
            if caller.client_id and order.newest.get(request.data_id, -1) > caller.call_id:
                raise OutOfOrder(f"{caller.machine} has tried again to have the data {request.data_id.hex()} written")
            outcome = Outcome(self._runtime, partial(work, lease), type(request).__name__)
            if caller.client_id:
                order.outcomes[call] = outcome
                order.newest[request.data_id] = caller.call_id
                for remembered in (order.outcomes, order.newest):
                    if len(remembered) > REMEMBERED:
                        remembered.popitem(last=False)
        return await outcome.result()

    def _order(self, handle: int, version: int) -> Order:
        order = self._orders.get(handle)
        if order is None or order.version != version:
            order = self._orders[handle] = Order(version, self._runtime.condition())
        return order

    # -- mutations --------------------------------------------------------------------------------------------------

    async def _write(self, request: Write, lease: Lease) -> None:
        data = self._buffer.get(request.data_id, self._runtime.now_us())
        limit = self._configuration.limits.chunk_bytes
        if request.offset < 0 or request.offset + len(data) > limit:
            raise OutOfRange(f"{len(data)} bytes at {request.offset} do not lie in a chunk of {limit} bytes")
        await self._mutate(request, lease, "order_mutation", request.offset, request.data_id, data)

    async def _append(self, request: Append, lease: Lease) -> int | None:
        data = self._buffer.get(request.data_id, self._runtime.now_us())
        limits = self._configuration.limits
        if len(data) > limits.record_bytes:
            raise RecordTooLarge(f"the record has {len(data)} bytes, {limits.record_bytes} are accepted")
        offset = self._replicas.get_of(request.handle, request.version).file.num_bytes
        if offset + len(data) <= limits.chunk_bytes:
            await self._mutate(request, lease, "order_append", offset, request.data_id, data)
            return offset
        if offset < limits.chunk_bytes:
            await self._pad(request, lease, offset)
        return None

    async def _pad(self, request: Append, lease: Lease, offset: int) -> None:
        """Fill the chunk; the client goes on with the next one, whether all replicas did it or not."""
        try:
            await self._mutate(request, lease, "pad_chunk", offset, b"", b"")
        except MutationFailed:
            return

    async def _mutate(
        self, request: Write | Append, lease: Lease, event: str, offset: int, data_id: bytes, data: bytes
    ) -> None:
        replica = self._replicas.get_of(request.handle, request.version)
        order = self._order(request.handle, request.version)
        limit = self._configuration.limits.chunk_bytes
        num_bytes = len(data) if data_id else limit - offset
        mutation = Mutation(order.last + 1, offset, data_id, num_bytes)
        try:
            do(replica, mutation, data, limit)
        except CorruptReplica as problem:
            self._leases.end(request.handle, request.version)
            self._tell("fail_at_primary", request, replica, mutation, problem)
            raise MutationFailed(f"the primary's replica of chunk {request.handle} is corrupt") from problem
        except DiskFullError:
            self._leases.end(request.handle, request.version)
            self._tell("fail_at_primary", request, replica, mutation, NoRoom())
            raise
        order.last = mutation.serial
        lease.is_used = True
        replica.touched_us = self._runtime.now_us()
        self._tell(event, request, replica, mutation)
        order.half_done += 1
        try:
            failed = await self._forward(request, lease.secondaries or (), mutation)
            if self._configuration.sync:
                await replica.on_disk(self._runtime, self._disk)
        finally:
            order.half_done -= 1
            order.quiet.notify_all()
        # After its lease a chunk may be copied, from a replica that has not done this yet.
        is_late = not self._leases.is_on(lease)
        if failed or is_late:
            where = f"failed at {', '.join(failed)}" if failed else "was done when the lease was over"
            refusal = MutationFailed(f"mutation {mutation.serial} of chunk {request.handle} {where}")
            self._tell("answer", request, replica, mutation, refusal)
            raise refusal
        self._tell("answer", request, replica, mutation)

    async def _forward(self, request: Write | Append, secondaries: tuple[str, ...], mutation: Mutation) -> list[str]:
        """Have all secondaries do it; gives those that did not, or did not say so."""

        async def does(secondary: str) -> bool:
            apply = Apply(request.handle, request.version, mutation)
            try:
                await self._runtime.call(secondary, apply, timeout_us=self._configuration.forward_timeout_us)
            except Refusal:
                return False
            return True

        done = await together(self._runtime, [partial(does, name) for name in secondaries], "forward")
        return [name for name, is_done in zip(secondaries, done, strict=True) if not is_done]

    def _tell(
        self,
        event: str,
        request: Write | Append,
        replica: Replica,
        mutation: Mutation,
        refusal: Refusal | None = None,
    ) -> None:
        self._telling.tell(
            event,
            request.handle,
            request.version,
            refusal=refusal,
            num_bytes=replica.file.num_bytes,
            serial=str(mutation.serial),
            offset=str(mutation.offset),
            data=request.data_id.hex(),
        )
