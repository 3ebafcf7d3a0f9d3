"""Storage directories for tests: a NameNode's with Hadoop's own edit log, a datanode's with the replicas that belong to
it, and images that belong to it or to nothing.
"""

import shutil
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from google.protobuf.message import Message

from genstamp.logs.local import check_locally
from genstamp.logs.readers import image_binary
from genstamp.logs.readers.edit_ops import LoggedBlock
from genstamp.logs.readers.image_pb2 import Children, Counters, Inode, OpenFile, Summary

POOL = "BP-1-10.0.0.1-1500000000000"
LAST_TXID = 121
ROOT_INODE = 16385


@dataclass
class ImageFile:
    """A file of an image that is made."""

    inode_id: int
    path: str
    blocks: list[LoggedBlock] = field(default_factory=list)
    client_name: str | None = None


def write_version(directory: Path, kind: str, **more: str) -> None:
    """The VERSION file of a storage directory."""
    told = {"storageType": kind, "layoutVersion": "-64", "namespaceID": "7", **more}
    (directory / "current").mkdir(parents=True, exist_ok=True)
    lines = ["#Mon Nov 23 02:00:00 UTC 2026", *(f"{name}={value}" for name, value in told.items())]
    (directory / "current" / "VERSION").write_text("\n".join(lines) + "\n", encoding="utf-8")


def name_directory(directory: Path, edits: Path) -> Path:
    """A NameNode's directory with the edit log of the repository; gives its `current`."""
    write_version(directory, "NAME_NODE", blockpoolID=POOL)
    shutil.copy(edits / "editsStored", directory / "current" / f"edits_{1:019d}-{LAST_TXID:019d}")
    return directory / "current"


def data_directory(directory: Path, blocks: Iterable[LoggedBlock], node: str = "datanode-a") -> Path:
    """A datanode's directory with a finalized replica of each block; gives the directory of the pool."""
    write_version(directory, "DATA_NODE", datanodeUuid=node)
    pool = directory / "current" / POOL
    for block in blocks:
        put_replica(pool / "current" / "finalized" / "subdir0", block)
    return pool


def put_replica(directory: Path, block: LoggedBlock) -> None:
    """A block file of the right length and its meta file."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / f"blk_{block.block_id}").open("wb") as content:
        content.truncate(block.num_bytes)
    (directory / f"blk_{block.block_id}_{block.generation_stamp}.meta").write_bytes(bytes(7))


def blocks_of(edits: Path) -> list[LoggedBlock]:
    """The blocks of files that the edit log closes and never opens or deletes again."""
    last: dict[str, LoggedBlock | None] = {}
    for event in check_locally([edits / "editsStored"]).events.to_pylist():
        if event["kind"] == "block":
            closed = event["event"] == "close"
            last[event["entity"]] = (
                LoggedBlock(int(event["entity"]), event["num_bytes"], event["generation_stamp"]) if closed else None
            )
    return [block for block in last.values() if block is not None]


def image(files: Iterable[ImageFile], *, txid: int, generation_stamp: int) -> bytes:
    """An fsimage in protobuf."""
    files = list(files)
    directories = {"": ROOT_INODE}
    children: dict[int, list[int]] = {ROOT_INODE: []}
    inodes = [Inode(type=2, id=ROOT_INODE, name=b"")]
    for file in files:
        *parents, name = file.path.strip("/").split("/")
        here = ""
        for parent in parents:
            above, here = here, f"{here}/{parent}"
            if here not in directories:
                directories[here] = 20_000 + len(directories)
                children[directories[above]].append(directories[here])
                children[directories[here]] = []
                inodes.append(Inode(type=2, id=directories[here], name=parent.encode()))
        children[directories[here]].append(file.inode_id)
        inodes.append(_inode(file, name))
    sections: dict[str, list[Message]] = {
        "NS_INFO": [Counters(generationStamp=generation_stamp, transactionId=txid)],
        # The first message counts; its fields are skipped.
        "INODE": [OpenFile(inodeId=ROOT_INODE), *inodes],
        "INODE_DIR": [Children(parent=parent, children=those) for parent, those in children.items()],
        "FILES_UNDERCONSTRUCTION": [OpenFile(inodeId=file.inode_id) for file in files if file.client_name is not None],
    }
    stored = bytearray(image_binary.MAGIC)
    summary = Summary(storedVersion=1, layoutVersion=0)
    for name, messages in sections.items():
        content = b"".join(map(_delimited, messages))
        summary.sections.add(name=name, length=len(content), offset=len(stored))
        stored += content
    end = _delimited(summary)
    return bytes(stored) + end + struct.pack(">i", len(end))


def _inode(file: ImageFile, name: str) -> Inode:
    inode = Inode(type=1, id=file.inode_id, name=name.encode())
    inode.file.SetInParent()
    for block in file.blocks:
        inode.file.blocks.add(
            blockId=block.block_id % (1 << 64), generationStamp=block.generation_stamp, numBytes=block.num_bytes
        )
    if file.client_name is not None:
        inode.file.writer.clientName = file.client_name
    return inode


def _delimited(message: Message) -> bytes:
    content = message.SerializeToString()
    length, prefix = len(content), bytearray()
    while length > 0x7F:
        prefix.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes([*prefix, length]) + content
