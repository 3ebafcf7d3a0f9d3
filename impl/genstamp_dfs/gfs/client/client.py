"""What applications use: files with names, that are read, written, and appended to (section 2.1).

Not here: how bytes get to chunkservers (`mutating`) and back (`reading`).
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import TypeVar

from genstamp_dfs.events import EventSink
from genstamp_dfs.gfs.client.configuration import ClientConfiguration
from genstamp_dfs.gfs.client.locations import Locations
from genstamp_dfs.gfs.client.mutating import Mutating
from genstamp_dfs.gfs.client.reading import Reading
from genstamp_dfs.gfs.errors import ChunkNotFound, IsADirectory, OutOfRange, RecordTooLarge
from genstamp_dfs.gfs.messages import master_protocol as messages
from genstamp_dfs.gfs.messages.chunkserver_protocol import Append, Write
from genstamp_dfs.gfs.protocol import MASTER, ChunkLease, FileInfo, Limits
from genstamp_dfs.gfs.records import Record, RecordReader, encode_record
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.world.request import Request

Answer = TypeVar("Answer")


class Client:
    """A client.

    Args:
        configuration: its settings.
        runtime: its world.
        events: told of what it has pushed, and what it has heard.
    """

    def __init__(self, configuration: ClientConfiguration, runtime: Runtime, events: EventSink) -> None:
        self.configuration = configuration
        self.runtime = runtime
        self._locations = Locations(configuration, runtime)
        self._mutating = Mutating(configuration, runtime, events, self._locations)
        self._reading = Reading(configuration, runtime, self._locations)
        self._last_chunks: dict[str, int] = {}

    @property
    def limits(self) -> Limits:
        """What all nodes of the cluster agree on."""
        return self.configuration.limits

    # -- names --------------------------------------------------------------------------------------------------------

    async def create(self, path: str) -> None:
        """Make an empty file in a directory that exists."""
        await self._ask(messages.Create(path))

    async def make_directory(self, path: str) -> None:
        """Make a directory in one that exists."""
        await self._ask(messages.MakeDirectory(path))

    async def delete(self, path: str) -> str:
        """Delete a file or an empty directory; gives the hidden name of a file."""
        hidden = await self._ask(messages.Delete(path))
        self._forget()
        return hidden

    async def undelete(self, hidden: str, path: str = "") -> None:
        """Give a hidden file its old name back, or another one."""
        await self._ask(messages.Undelete(hidden, path))

    async def rename(self, source: str, target: str) -> None:
        """Give a file or directory another name."""
        await self._ask(messages.Rename(source, target))
        self._forget()

    async def snapshot(self, source: str, target: str) -> None:
        """Copy a file or directory, as it is now."""
        await self._ask(messages.Snapshot(source, target))
        self._forget()

    async def list(self, path: str, *, hidden: bool = False) -> tuple[FileInfo, ...]:
        """What is in a directory."""
        return await self._ask(messages.List(path, hidden))

    async def file_info(self, path: str) -> FileInfo:
        """What a path is."""
        return await self._ask(messages.GetFileInfo(path))

    # -- bytes --------------------------------------------------------------------------------------------------------

    async def write(self, path: str, offset: int, data: bytes) -> None:
        """Put bytes into a file, at an offset in bytes that is at most where its last chunk ends.

        What crosses the end of a chunk, or is large, is written in several parts, between which others may write.

        Raises:
            OutOfRange: the offset is negative.
            Refusal: it was refused, or failed for as long as the client tries: then the region is inconsistent.
        """
        if offset < 0:
            raise OutOfRange(f"offset {offset}, accepted: 0 or more")
        done = 0
        while done < len(data):
            index, inside = divmod(offset + done, self.configuration.limits.chunk_bytes)
            room = min(self.configuration.limits.chunk_bytes - inside, self.configuration.mutation_bytes)
            part = data[done : done + room]
            await self._mutating.mutate(path, index, part, partial(_write, inside))
            done += len(part)

    async def append(self, path: str, data: bytes) -> int:
        """Append data as one record, at least once; gives an offset in bytes at which it stands (section 3.3).

        Raises:
            RecordTooLarge: it has more bytes than a quarter of a chunk.
            Refusal: it was refused, or failed for as long as the client tries: then parts of it may stand there.
        """
        if len(data) > self.configuration.limits.record_bytes:
            most = self.configuration.limits.record_bytes
            raise RecordTooLarge(f"the record has {len(data)} bytes, at most {most} are accepted")
        remembered = self._last_chunks.pop(path, None)
        if remembered is not None:
            try:
                return await self._append_from(path, remembered, data)
            except ChunkNotFound:
                # The path has become another file's, with fewer chunks.
                self._mutating.forget()
        return await self._append_from(path, max(0, (await self._file(path)).chunks - 1), data)

    async def _append_from(self, path: str, index: int, data: bytes) -> int:
        """Append to a chunk, or to the first of the following ones that has room."""
        while (offset := await self._mutating.mutate(path, index, data, _append)) is None:
            index += 1
        self._last_chunks[path] = index
        return index * self.configuration.limits.chunk_bytes + offset

    async def append_record(self, path: str, record: Record) -> int:
        """Append a record that a reader finds again; one that is appended again, by whatever cause, is read once."""
        return await self.append(path, encode_record(record))

    async def open(self, path: str) -> FileInfo:
        """Begin to use a file: what is remembered of where its chunks are is forgotten (section 2.7.1).

        Raises:
            PathNotFound, IsADirectory: it is no file.
        """
        self._locations.forget_file(path)
        return await self._file(path)

    async def read(self, path: str, offset: int, num_bytes: int) -> bytes:
        """Bytes of a file, fewer than asked for at its end; where a chunk ends before the next one begins are zeros.

        The master is not asked while it is remembered where the chunks are. So a stale replica may be read, and bytes
        that were overwritten less than `cache_us` ago, unless the file was opened or written by this client since.
        No replica makes the file end too early: where one ends, the master is asked whether it still counts.

        Raises:
            OutOfRange: the offset or the number of bytes is negative.
            PathNotFound, IsADirectory: it is no file.
            Refusal: nobody has given them for as long as the client tries.
        """
        if offset < 0 or num_bytes < 0:
            raise OutOfRange(f"{num_bytes} bytes at offset {offset}, accepted: 0 or more of both")
        begun_us = self.runtime.now_us()
        pieces: list[bytes] = []
        done = 0
        while done < num_bytes:
            index, inside = divmod(offset + done, self.configuration.limits.chunk_bytes)
            wanted = min(num_bytes - done, self.configuration.limits.chunk_bytes - inside)
            piece = await self._reading.read(path, index, inside, wanted, begun_us)
            if piece is None:
                break
            is_end = len(piece.data) < wanted and piece.is_last
            pieces.append(piece.data if is_end else piece.data.ljust(wanted, b"\0"))
            done += len(pieces[-1])
            if is_end:
                break
        return b"".join(pieces)

    async def records(self, path: str) -> AsyncIterator[Record]:
        """The records of a file, each once, without padding and without what failed (section 2.7.2).

        The file is opened: all records are there that were acknowledged before.
        """
        begun_us = self.runtime.now_us()
        reader = RecordReader()
        for index in range((await self.open(path)).chunks):
            chunk = await self._reading.read(path, index, 0, self.configuration.limits.chunk_bytes, begun_us)
            if chunk is None:
                raise ChunkNotFound(f"chunk {index} of {path} is gone: it has become another file's path")
            for record in reader.read_chunk(chunk.data):
                yield record

    # -- below --------------------------------------------------------------------------------------------------------

    async def _file(self, path: str) -> FileInfo:
        found = await self.file_info(path)
        if found.is_directory:
            raise IsADirectory(f"{path} is a directory")
        return found

    async def _ask(self, request: Request[Answer]) -> Answer:
        return await self.runtime.call(MASTER, request, timeout_us=self.configuration.master_timeout_us)

    def _forget(self) -> None:
        """Paths, and those below them, become those of other files."""
        self._last_chunks.clear()
        self._mutating.forget()
        self._locations.forget()


def _write(offset: int, lease: ChunkLease, data_id: bytes) -> Request[None]:
    return Write(lease.handle, lease.version, offset, data_id)


def _append(lease: ChunkLease, data_id: bytes) -> Request[int | None]:
    return Append(lease.handle, lease.version, data_id)
