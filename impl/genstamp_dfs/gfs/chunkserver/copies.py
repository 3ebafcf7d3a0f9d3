"""Replicas that are made from others: on the same disk for a snapshot, from other chunkservers for one that was lost.

A replica that is here already, older or damaged, makes place first; what is half copied is removed after a crash.

Source: sections 3.4, 4.3 and 4.5.
"""

from collections.abc import Awaitable, Callable

from genstamp_dfs.errors import NETWORK_FAILURES
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.chunkserver.primaries import Primaries
from genstamp_dfs.gfs.chunkserver.replicas import UNFINISHED, Replicas
from genstamp_dfs.gfs.errors import GfsRefusal, NoReplica
from genstamp_dfs.gfs.messages.chunkserver_protocol import CloneChunk, CopyChunk, GetReplicaLength, Read
from genstamp_dfs.gfs.protocol import PIECE_BYTES
from genstamp_dfs.gfs.runtime import Runtime

Piece = Callable[[int], Awaitable[bytes]]
"""Gives the next bytes from an offset."""


class Copies:
    """Makes replicas from others."""

    def __init__(
        self, configuration: ChunkserverConfiguration, runtime: Runtime, replicas: Replicas, primaries: Primaries
    ) -> None:
        self._configuration = configuration
        self._runtime = runtime
        self._replicas = replicas
        self._primaries = primaries
        self._being_made: set[int] = set()

    async def copy(self, request: CopyChunk) -> None:
        """Copy a replica that is here."""
        source = self._replicas.at_version(request.source, request.source_version)
        if self._is_there(request.handle, request.version, source.length):
            return

        async def piece(offset: int) -> bytes:
            await self._runtime.sleep_us(0)
            return self._replicas.at_version(request.source, request.source_version).read(offset, PIECE_BYTES)

        await self._make(request.handle, request.version, source.length, piece)

    async def clone(self, request: CloneChunk) -> None:
        """Copy a replica of another chunkserver.

        Raises:
            NoReplica: none of them has given it whole.
        """
        reasons = []
        for source in request.sources:
            try:
                await self._clone_from(source, request)
            except (GfsRefusal, *NETWORK_FAILURES) as refusal:
                reasons.append(f"{source} ({type(refusal).__name__}: {refusal})")
            else:
                return
        raise NoReplica(f"chunk {request.handle} could not be cloned: {'; '.join(reasons) or 'no source is named'}")

    async def _clone_from(self, source: str, request: CloneChunk) -> None:
        handle, version = request.handle, request.version
        timeout_us = self._configuration.master_timeout_us
        length = await self._runtime.call(source, GetReplicaLength(handle, version), timeout_us=timeout_us)
        if self._is_there(handle, version, length):
            return

        async def piece(offset: int) -> bytes:
            wanted = min(PIECE_BYTES, length - offset)
            return await self._runtime.call(source, Read(handle, version, offset, wanted), timeout_us=timeout_us)

        await self._make(handle, version, length, piece)

    def _is_there(self, handle: int, version: int, length: int) -> bool:
        """Whether the replica is there already: the request has come twice."""
        found = self._replicas.find(handle)
        return found is not None and not found.is_corrupt and (found.version, found.length) == (version, length)

    async def _make(self, handle: int, version: int, length: int, piece: Piece) -> None:
        """Make a replica of so many bytes."""
        if handle in self._being_made:
            raise NoReplica(f"a replica of chunk {handle} is being made already")
        self._being_made.add(handle)
        self._primaries.forget(handle)
        try:
            replica = self._replicas.create(handle, UNFINISHED)
            while replica.length < length:
                data = await piece(replica.length)
                if not data:
                    raise NoReplica(f"the source of chunk {handle} has only {replica.length} of {length} bytes")
                replica.write(replica.length, data)
            replica.record_version(version)
        except BaseException:
            self._replicas.delete(handle)
            raise
        finally:
            self._being_made.discard(handle)
