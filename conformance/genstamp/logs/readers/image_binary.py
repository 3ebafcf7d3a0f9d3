"""Reads binary fsimages in protobuf, layout version -52 and later.

An image is eight letters, sections of messages that each have their length before them, and a summary that tells
where each section is; the length of the summary comes last (4 bytes). Source: FSImageFormatProtobuf, FSImageUtil.

Not here: images before protobuf, and compressed sections save those of the codec that writes zlib.
`image_pb2` is made of `image.proto` by `python -m genstamp.logs.readers`.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.message import DecodeError

from genstamp.logs.readers.edit_ops import LoggedBlock
from genstamp.logs.readers.image import ImageChildren, ImageCounters, ImageInode, ImageItem, ImageOpenFile
from genstamp.logs.readers.image_pb2 import Children, Counters, Inode, OpenFile, Summary
from genstamp.logs.streams import Content, DamagedSourceError

MAGIC = b"HDFSIMG1"

SIZE_MAX = 1 << 30
"""Bytes of an image, which is read into memory as a whole; also of a section when it is expanded."""

MESSAGE_MAX = 64 << 20
"""Bytes of one message."""

_FILE, _DIRECTORY = 1, 2
_ZLIB = "org.apache.hadoop.io.compress.DefaultCodec"


def is_image(head: bytes) -> bool:
    """Whether a file that begins so is an fsimage in protobuf."""
    return head.startswith(MAGIC)


def items(content: Content) -> Iterator[ImageItem]:
    """The items of an image: counters, inodes, directories, files under construction.

    Raises:
        DamagedSourceError: it is damaged, larger than `SIZE_MAX`, or compressed in a way that is not read.
    """
    stored = _whole(content)
    summary = _summary(stored)
    readers: dict[str, Callable[[bytes], Iterator[ImageItem]]] = {
        "NS_INFO": _counters,
        "INODE": _inodes,
        "INODE_DIR": _directories,
        "FILES_UNDERCONSTRUCTION": _open_files,
    }
    sections = {section.name: section for section in summary.sections}
    for name, reader in readers.items():
        if name in sections:
            yield from reader(_section(stored, sections[name], summary.codec))
        elif name == "NS_INFO":
            raise DamagedSourceError("the image has no section NS_INFO")


def _whole(content: Content) -> bytes:
    stored = bytearray()
    for chunk in content.chunks():
        stored += chunk
        if len(stored) > SIZE_MAX:
            raise DamagedSourceError(f"the image has more than {SIZE_MAX} bytes")
    return bytes(stored)


def _summary(stored: bytes) -> Any:
    if len(stored) < len(MAGIC) + 4 or not is_image(stored):
        raise DamagedSourceError(f"the image has {len(stored)} bytes and no beginning and end")
    (length,) = struct.unpack(">i", stored[-4:])
    begin = len(stored) - 4 - length
    if length <= 0 or begin < len(MAGIC):
        raise DamagedSourceError(f"the summary of the image has {length} bytes, which cannot be")
    found = list(_messages(stored[begin:-4], Summary, "the summary"))
    if len(found) != 1:
        raise DamagedSourceError(f"the image has {len(found)} summaries, expected is one")
    return found[0]


def _section(stored: bytes, section: Any, codec: str) -> bytes:
    if section.offset + section.length > len(stored):
        raise DamagedSourceError(f"section {section.name[:40]!r} ends beyond the image")
    content = stored[section.offset : section.offset + section.length]
    if not codec:
        return content
    if codec != _ZLIB:
        raise DamagedSourceError(f"the image is compressed with {codec[:80]!r}, which is not read")
    try:
        decoder = zlib.decompressobj()
        content = decoder.decompress(content, SIZE_MAX)
    except zlib.error as error:
        raise DamagedSourceError(f"section {section.name[:40]!r} is damaged: {error}") from None
    if not decoder.eof:
        raise DamagedSourceError(f"section {section.name[:40]!r} ends early, or has more than {SIZE_MAX} bytes")
    return content


def _messages(content: bytes, kind: Any, of: str) -> Iterator[Any]:
    """Messages that each have their length before them."""
    position = 0
    while position < len(content):
        length, position = _length(content, position, of)
        if length > MESSAGE_MAX or position + length > len(content):
            raise DamagedSourceError(f"a message of {of} has {length} bytes, of which not all are there or allowed")
        message = kind()
        try:
            message.ParseFromString(content[position : position + length])
        except DecodeError:
            raise DamagedSourceError(f"a message of {of} is damaged") from None
        yield message
        position += length


def _length(content: bytes, position: int, of: str) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    number = 0
    for index, byte in enumerate(content[position : position + 5]):
        number |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return number, position + index + 1
    raise DamagedSourceError(f"a length in {of} does not end")


def _counters(content: bytes) -> Iterator[ImageItem]:
    for counters in _messages(content, Counters, "section NS_INFO"):
        yield ImageCounters(
            _signed(counters.transactionId),
            _signed(counters.generationStamp),
            _signed(counters.legacyGenerationStamp),
            _signed(counters.legacyLimit),
        )


def _inodes(content: bytes) -> Iterator[ImageInode]:
    # What comes first in the section only counts.
    length, begin = _length(content, 0, "section INODE")
    for number, inode in enumerate(_messages(content[begin + length :], Inode, "section INODE"), 1):
        if inode.type in (_FILE, _DIRECTORY):
            yield ImageInode(
                number,
                _signed(inode.id),
                inode.name.decode(errors="backslashreplace"),
                inode.type == _FILE,
                tuple(map(_block, inode.file.blocks)),
                inode.file.writer.clientName if inode.file.HasField("writer") else None,
            )


def _block(block: Any) -> LoggedBlock:
    return LoggedBlock(_signed(block.blockId), _signed(block.numBytes), _signed(block.generationStamp))


def _directories(content: bytes) -> Iterator[ImageChildren]:
    for directory in _messages(content, Children, "section INODE_DIR"):
        yield ImageChildren(_signed(directory.parent), tuple(map(_signed, directory.children)))


def _open_files(content: bytes) -> Iterator[ImageOpenFile]:
    for number, file in enumerate(_messages(content, OpenFile, "section FILES_UNDERCONSTRUCTION"), 1):
        yield ImageOpenFile(number, _signed(file.inodeId))


def _signed(number: int) -> int:
    """Java's long of an unsigned number."""
    return number - (1 << 64) if number >= 1 << 63 else number
