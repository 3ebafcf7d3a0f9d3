"""The image: the whole namespace in one file, with the transaction up to which it goes.

    8 bytes   `GSIMAGE` and the number of the layout
    4 bytes   CRC32C of what follows
    ...       msgpack: `Image`

An image is encoded in one go, between two calls, and so is one moment's; how long that takes is measured
(`Checkpoint.encode_us`). It is written piece by piece afterwards, while calls go on, under a temporary name that is
changed only when all of it is on disk.

Not here: Hadoop's format and its MD5 file; images that are made elsewhere and sent.

Source: NN/FSImage, NN/FSImageFormatProtobuf, NN/FSImageFormatPBINode, Hadoop 3.4.1; facts A.7.
"""

from typing import Final

import google_crc32c
import msgspec

from genstamp_dfs.errors import StorageError
from genstamp_dfs.hdfs.messages.client_protocol import HdfsFileStatus, LastBlockWithStatus
from genstamp_dfs.hdfs.namenode.edit_log import DIRECTORY
from genstamp_dfs.hdfs.namenode.edit_ops import CallOfClient
from genstamp_dfs.hdfs.namenode.storage_directory import IMAGE
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.world.disk import Disk

HEADER: Final = b"GSIMAGE\x01"
CHECKSUM_BYTES: Final = 4
TEMPORARY: Final = f"{IMAGE}.ckpt_"
PIECE_BYTES: Final = 4 * 1024 * 1024


class ImageInode(msgspec.Struct, frozen=True, array_like=True):
    """A file or directory; `parent` comes before it. A file under construction has a client name."""

    file_id: int
    parent: int
    name: str
    permission: int
    owner: str
    group: str
    modification_time_ms: int
    access_time_ms: int
    is_directory: bool
    replication: int = 0
    block_size: int = 0
    blocks: tuple[Block, ...] = ()
    client_name: str | None = None
    client_machine: str = ""
    truncate_block: Block | None = None


class ImageAnswer(msgspec.Struct, frozen=True, array_like=True):
    """An answer of the retry cache, under that of its types which it has; none for a call that answers nothing."""

    call: CallOfClient
    status: HdfsFileStatus | None = None
    appended: LastBlockWithStatus | None = None
    flag: bool | None = None


class Image(msgspec.Struct, frozen=True, array_like=True):
    """The namespace after a transaction, and the three counters.

    Attributes:
        answers: of the retry cache. Hadoop's image has none, so that a restart over a fresh image forgets them; here
            they are kept with the repair answers-are-kept.
        copied_blocks: by file, the blocks from which a truncate makes copies.
    """

    transaction: int
    generation_stamp: int
    block_id: int
    inode_id: int
    inodes: tuple[ImageInode, ...]
    answers: tuple[ImageAnswer, ...] = ()
    copied_blocks: tuple[tuple[int, Block], ...] = ()


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Image)


def image_name(transaction: int) -> str:
    """The name of the image that goes up to a transaction.

    >>> image_name(7)
    'fsimage_0000000000000000007'
    """
    return f"{IMAGE}{transaction:019d}"


def image_transactions(names: list[str]) -> list[int]:
    """The transactions of the images among the names, the latest first."""
    numbers = (name.removeprefix(IMAGE) for name in names if name.startswith(IMAGE))
    return sorted((int(number) for number in numbers if number.isdecimal()), reverse=True)


def encode_image(image: Image) -> bytes:
    """The bytes of an image file."""
    body = _ENCODER.encode(image)
    checksum: int = google_crc32c.value(body)
    return HEADER + checksum.to_bytes(CHECKSUM_BYTES, "big") + body


def read_image(disk: Disk, transaction: int) -> Image:
    """Read the image that goes up to a transaction.

    Raises:
        StorageError: it is damaged, or not of this layout.
    """
    path = f"{DIRECTORY}/{image_name(transaction)}"
    data = disk.read(path)
    start = len(HEADER) + CHECKSUM_BYTES
    if data[: len(HEADER)] != HEADER:
        raise StorageError(f"{path} does not begin like an image of this layout, {HEADER!r}")
    if google_crc32c.value(data[start:]).to_bytes(CHECKSUM_BYTES, "big") != data[len(HEADER) : start]:
        raise StorageError(f"{path} is damaged: its checksum does not match")
    try:
        image = _DECODER.decode(data[start:])
    except msgspec.MsgspecError as problem:
        raise StorageError(f"{path} is damaged: {problem}") from problem
    if image.transaction != transaction:
        raise StorageError(f"{path} goes up to transaction {image.transaction}")
    return image


class ImageWriter:
    """Writes the bytes of an image piece by piece; it has its name when all of it is on disk."""

    def __init__(self, disk: Disk, transaction: int, data: bytes) -> None:
        self.transaction = transaction
        self._disk = disk
        self._data = data
        self._written = 0
        self._path = f"{DIRECTORY}/{TEMPORARY}{transaction:019d}"
        if disk.exists(self._path):
            disk.remove(self._path)
        disk.create(self._path)

    def write_piece(self) -> bool:
        """Write some more; says whether the image is complete."""
        piece = self._data[self._written : self._written + PIECE_BYTES]
        self._disk.write(self._path, self._written, piece)
        self._written += len(piece)
        if self._written < len(self._data):
            return False
        self._disk.sync(self._path)
        self._disk.rename(self._path, f"{DIRECTORY}/{image_name(self.transaction)}")
        self._disk.sync_directory(DIRECTORY)
        return True

    def abandon(self) -> None:
        """Make what was written take no room: there will be no such image."""
        self._disk.remove(self._path)
