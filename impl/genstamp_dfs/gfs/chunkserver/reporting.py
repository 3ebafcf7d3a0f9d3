"""Registration and heartbeats: what the master is told of the replicas, and what it says of leases and garbage.

Source: sections 2.6.2, 3.1 and 4.4.
"""

from itertools import islice

from genstamp_dfs.errors import NETWORK_FAILURES
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.chunkserver.leases import Leases
from genstamp_dfs.gfs.chunkserver.replicas import Replicas
from genstamp_dfs.gfs.chunkserver.room import Room
from genstamp_dfs.gfs.chunkserver.telling import Telling
from genstamp_dfs.gfs.errors import ChunkserverUnknown, GfsRefusal
from genstamp_dfs.gfs.messages.master_protocol import Heartbeat, Register
from genstamp_dfs.gfs.protocol import MASTER, ReplicaReport
from genstamp_dfs.gfs.runtime import Runtime


class Reporting:
    """Keeps the master informed."""

    def __init__(
        self,
        configuration: ChunkserverConfiguration,
        runtime: Runtime,
        replicas: Replicas,
        leases: Leases,
        room: Room,
        telling: Telling,
    ) -> None:
        self._configuration = configuration
        self._runtime = runtime
        self._replicas = replicas
        self._leases = leases
        self._room = room
        self._telling = telling
        self._turn: list[int] = []

    async def run(self) -> None:
        """Tell the master for ever that this chunkserver lives."""
        while True:
            try:
                await self._heartbeat()
            except ChunkserverUnknown:
                await self.register()
            except (*NETWORK_FAILURES, GfsRefusal):
                pass
            await self._runtime.sleep_us(self._configuration.heartbeat_period_us)

    async def register(self) -> None:
        """Say all that there is, until the master has heard it."""
        while True:
            # The master takes whoever registers to hold no lease.
            self._leases.end_all()
            name, rack = self._runtime.node, self._configuration.rack
            request = Register(name, rack, self._room.free_bytes, tuple(self._sound()))
            try:
                reply = await self._runtime.call(MASTER, request, timeout_us=self._configuration.master_timeout_us)
            except (*NETWORK_FAILURES, GfsRefusal):
                await self._runtime.sleep_us(self._configuration.heartbeat_period_us)
            else:
                self._delete(reply.garbage)
                return

    async def _heartbeat(self) -> None:
        sent_us = self._runtime.now_us()
        extend = self._leases.wanted()
        corrupt = tuple((one.handle, one.file.version) for one in self._replicas if one.is_corrupt)
        request = Heartbeat(self._runtime.node, self._room.free_bytes, extend, tuple(self._next()), corrupt)
        try:
            reply = await self._runtime.call(MASTER, request, timeout_us=self._configuration.master_timeout_us)
        except NETWORK_FAILURES:
            self._leases.still_wanted(extend)
            raise
        for handle, version in extend:
            if handle in reply.extended and self._leases.extend(handle, version, sent_us):
                self._telling.tell("learn_extension", handle, version, counted_us=str(sent_us))
        self._delete(reply.garbage)

    def _sound(self) -> list[ReplicaReport]:
        return [self._replicas.report(replica) for replica in self._replicas if not replica.is_corrupt]

    def _next(self) -> list[ReplicaReport]:
        """The replicas whose turn it is."""
        if not self._turn:
            self._turn = [replica.handle for replica in self._replicas]
        now = set(islice(self._turn, self._configuration.reported_at_once))
        self._turn = self._turn[len(now) :]
        return [report for report in self._sound() if report.handle in now]

    def _delete(self, garbage: tuple[tuple[int, int], ...]) -> None:
        """Delete what the master does not want any more, in the versions that it speaks of."""
        for handle, version in garbage:
            replica = self._replicas.find(handle)
            if replica is not None and replica.file.version <= version and not self._leases.is_held(handle):
                self._leases.end(handle, version)
                self._replicas.delete(handle)
                self._telling.tell("delete_replica", handle, version)
