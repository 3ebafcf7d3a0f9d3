"""Bytes from files here to files of a cluster, and back.

Not here: directories.
"""

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, Final

from genstamp_dfs.hdfs.client.dfs_client import DFSClient
from genstamp_dfs.hdfs.client.output_stream import DFSOutputStream

PIECE_BYTES: Final = 1 << 20
GET_PIECE_BYTES: Final = 8 << 20
MIB: Final = 1 << 20

Show = Callable[[str], None]


@dataclass(frozen=True)
class Flushing:
    """When to flush what is written.

    Attributes:
        every: bytes between two flushes; 0 for none before the end.
        to_disk: whether to have the datanodes force it to their disks (hsync, otherwise hflush).
        acknowledged: called with the acknowledged length of the file after each flush.
    """

    every: int = 0
    to_disk: bool = False
    acknowledged: Callable[[int], None] = lambda length: None


class Progress:
    """The progress of a transfer, in a line.

    Args:
        show: takes the line.
        name: of what is transferred.
        total: bytes, if that is known.
    """

    def __init__(self, show: Show, name: str, total: int | None) -> None:
        self._show = show
        self._name = name
        self._total = total
        self._began = time.monotonic()

    def at(self, done: int) -> None:
        """Note the number of bytes that are done."""
        seconds = max(time.monotonic() - self._began, 1e-6)
        of = "" if not self._total else f" of {self._total / MIB:,.1f}"
        share = "" if not self._total else f", {100 * done / self._total:.0f} %"
        self._show(f"{self._name}: {done / MIB:,.1f}{of} MiB{share}, {done / MIB / seconds:,.1f} MiB/s")


async def write_from(source: BufferedReader, stream: DFSOutputStream, flushing: Flushing, show: Show) -> int:
    """Write all of a file into a stream, and close it; gives how many bytes."""
    progress = Progress(show, stream.path, size_of(source))
    done = flushed = 0
    # In a thread: a pipe may be silent for long, and the lease has to be renewed meanwhile.
    while piece := await asyncio.to_thread(source.read1, PIECE_BYTES):
        await stream.write(piece)
        done += len(piece)
        if flushing.every and done - flushed >= flushing.every:
            await (stream.hsync() if flushing.to_disk else stream.hflush())
            flushed = done
            flushing.acknowledged(stream.position)
        progress.at(done)
    if flushing.to_disk:
        await stream.hsync()
    await stream.close()
    flushing.acknowledged(stream.position)
    return done


async def read_into(client: DFSClient, path: str, sink: BinaryIO, show: Show) -> int:
    """Copy the visible bytes of a file; gives how many."""
    opened = await client.open(path)
    progress = Progress(show, path, opened.length)
    done = 0
    reading = asyncio.create_task(opened.read(0, GET_PIECE_BYTES))
    try:
        while piece := await reading:
            done += len(piece)
            # The next piece comes while this one is written.
            reading = asyncio.create_task(opened.read(done, GET_PIECE_BYTES))
            await asyncio.to_thread(sink.write, piece)
            progress.at(done)
    finally:
        reading.cancel()
    sink.flush()
    return done


async def read_to_file(client: DFSClient, path: str, local: Path, show: Show) -> int:
    """Copy a file to one here, which appears when it is whole.

    Raises:
        OSError: it cannot be written.
    """
    unfinished = local.with_name(f"{local.name}.{os.getpid()}.part")
    try:
        with unfinished.open("xb") as sink:
            done = await read_into(client, path, sink, show)
        unfinished.replace(local)
    finally:
        unfinished.unlink(missing_ok=True)
    return done


def size_of(source: BinaryIO) -> int | None:
    """Length of a regular file; None for a pipe."""
    try:
        return os.fstat(source.fileno()).st_size or None
    except OSError:
        return None
