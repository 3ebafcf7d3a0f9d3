"""Does what the primary of a chunk has ordered, in the primary's order (section 3.1, step 5).

Calls overtake one another on the network. So a mutation waits a while for the one before it; if that does not come, it
counts as failed here, and will not be done when it comes late. One that is repeated is done once.

Not here: who orders (`primary`).
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from genstamp_dfs.errors import DiskFullError, Refusal
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.chunkserver.data_buffer import DataBuffer
from genstamp_dfs.gfs.chunkserver.leases import Leases
from genstamp_dfs.gfs.chunkserver.replicas import Replica, Replicas
from genstamp_dfs.gfs.chunkserver.telling import Telling
from genstamp_dfs.gfs.errors import CorruptReplica, NoRoom, OutOfOrder, StaleVersion
from genstamp_dfs.gfs.messages.chunkserver_protocol import Apply
from genstamp_dfs.gfs.protocol import Mutation
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.world.runtime import Condition
from genstamp_dfs.world.volume import Volume

REMEMBERED: Final = 1_000
"""Of so many mutations that were done it is known that they were."""


@dataclass
class Order:
    """What was done of a primary's order.

    Attributes:
        version: of its lease.
        changed: woken when something more was done.
        last: serial number of the last one that was done, or failed.
        done: serial numbers of the last ones that were done.
    """

    version: int
    changed: Condition
    last: int = 0
    done: OrderedDict[int, None] = field(default_factory=OrderedDict)

    def step(self, serial: int, *, is_done: bool) -> None:
        """One more was done, or failed."""
        self.last = serial
        if is_done:
            self.done[serial] = None
            if len(self.done) > REMEMBERED:
                self.done.popitem(last=False)
        self.changed.notify_all()


def do(replica: Replica, mutation: Mutation, data: bytes, chunk_bytes: int) -> None:
    """Change a replica as a mutation says.

    Raises:
        CorruptReplica, OutOfRange, DiskFullError: as `ChunkFile.write`.
    """
    if mutation.is_padding:
        replica.file.pad(chunk_bytes)
        return
    try:
        replica.file.write(mutation.offset, data)
    except CorruptReplica:
        replica.is_corrupt = True
        raise


class Applying:
    """Applies what others order."""

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

    async def apply(self, request: Apply) -> None:
        """Do one mutation.

        Raises:
            ChunkNotFound, CorruptReplica: as `Replicas.get_of`.
            StaleVersion: it has another version, or one of an earlier life.
            OutOfOrder: a later one was done before.
            DataNotFound: its data is not here.
            DiskFullError: there is no room for it.
        """
        self._replicas.get_of(request.handle, request.version)
        if not self._leases.takes_part(request.handle, request.version):
            raise StaleVersion(f"version {request.version} of chunk {request.handle} was recorded by an earlier life")
        order = self._order(request.handle, request.version)
        await self._wait_for_predecessor(order, request.mutation.serial)
        # The world may have changed over the waiting.
        replica = self._replicas.get_of(request.handle, request.version)
        serial = request.mutation.serial
        if serial <= order.last:
            if serial not in order.done:
                raise OutOfOrder(f"mutation {serial} of chunk {request.handle} comes after {order.last}")
        else:
            self._do_next(replica, order, request)
        if self._configuration.sync:
            await replica.on_disk(self._runtime, self._disk)

    def _do_next(self, replica: Replica, order: Order, request: Apply) -> None:
        mutation = request.mutation
        try:
            data = b"" if mutation.is_padding else self._buffer.get(mutation.data_id, self._runtime.now_us())
            do(replica, mutation, data, self._configuration.limits.chunk_bytes)
        except (Refusal, DiskFullError) as problem:
            order.step(mutation.serial, is_done=False)
            self._tell("fail_to_apply", replica, request, problem if isinstance(problem, Refusal) else NoRoom())
            raise
        replica.touched_us = self._runtime.now_us()
        order.step(mutation.serial, is_done=True)
        self._tell("apply_mutation", replica, request)

    def _tell(self, event: str, replica: Replica, request: Apply, refusal: Refusal | None = None) -> None:
        mutation = request.mutation
        self._telling.tell(
            event,
            request.handle,
            request.version,
            refusal=refusal,
            num_bytes=replica.file.num_bytes,
            serial=str(mutation.serial),
            offset=str(mutation.offset),
        )

    def _order(self, handle: int, version: int) -> Order:
        order = self._orders.get(handle)
        if order is None or order.version != version:
            order = self._orders[handle] = Order(version, self._runtime.condition())
        return order

    async def _wait_for_predecessor(self, order: Order, serial: int) -> None:
        deadline_us = self._runtime.now_us() + self._configuration.predecessor_wait_us
        while order.last < serial - 1:
            left_us = deadline_us - self._runtime.now_us()
            if left_us <= 0:
                return
            await order.changed.wait(left_us)
