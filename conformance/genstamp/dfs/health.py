"""Which files below a path are healthy: as many replicas of each block as the file wants.

Not here: repairing; the namenode does that by itself.

Source: NN/NamenodeFsck, Hadoop 3.4.1.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from genstamp_dfs.errors import FileNotFoundException
from genstamp_dfs.hdfs.client.dfs_client import DFSClient
from genstamp_dfs.hdfs.messages.client_protocol import GetBlockLocations, GetFileInfo, GetListing, HdfsFileStatus


@dataclass(frozen=True)
class FileHealth:
    """One file.

    Attributes:
        is_open: it has a writer, or its writer's lease was not recovered yet.
        blocks: how many.
        low: blocks with fewer replicas than the file wants.
        missing: blocks without a replica, or with corrupt ones alone; the last one of an open file is not judged.
    """

    path: str
    length: int
    is_open: bool
    blocks: int
    low: int
    missing: int

    @property
    def text(self) -> str:
        """In a line."""
        state = "MISSING" if self.missing else "LOW" if self.low else "OK"
        is_open = ", open for writing" if self.is_open else ""
        return (
            f"{state} {on_a_line(self.path)}: {self.length:,} bytes, {self.blocks} blocks, "
            f"{self.low} with too few replicas, {self.missing} missing{is_open}"
        )


def on_a_line(name: str) -> str:
    r"""A name as one line shows it: what no terminal prints as it is goes as an escape of Python.

    >>> print(on_a_line("ü☃ x"), on_a_line("two\nlines"))
    ü☃ x two\nlines
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in name)


async def entries(client: DFSClient, path: str) -> AsyncIterator[HdfsFileStatus]:
    """The contents of a directory, page by page; a file is its own entry.

    Raises:
        FileNotFoundException: there is nothing at the path.
    """
    after = ""
    while True:
        page = await client.ask(GetListing(path, after))
        if page is None:
            raise FileNotFoundException(f"File does not exist: {path}")
        for entry in page.entries:
            yield entry
        if page.remaining == 0 or not page.entries:
            return
        after = page.entries[-1].path


async def files_below(client: DFSClient, path: str) -> AsyncIterator[tuple[str, HdfsFileStatus]]:
    """All files at and below a path, by name.

    Raises:
        FileNotFoundException: there is nothing at the path.
    """
    status = await client.ask(GetFileInfo(path))
    if status is None:
        raise FileNotFoundException(f"File does not exist: {path}")
    waiting = [(path, status)]
    while waiting:
        at, status = waiting.pop()
        if not status.is_directory:
            yield at, status
            continue
        below = [(str(PurePosixPath(at) / entry.path), entry) async for entry in entries(client, at)]
        waiting += reversed(below)


async def health_of(client: DFSClient, path: str, status: HdfsFileStatus) -> FileHealth:
    """Look at the blocks of a file."""
    located = await client.ask(GetBlockLocations(path))
    last = located.last_block if located.is_under_construction else None
    judged = [one for one in located.blocks if last is None or one.block.block_id != last.block.block_id]
    return FileHealth(
        path=path,
        length=status.length,
        is_open=located.is_under_construction,
        blocks=len(located.blocks),
        low=sum(0 < len(one.locations) < status.replication for one in judged),
        missing=sum(one.corrupt or not one.locations for one in judged),
    )
