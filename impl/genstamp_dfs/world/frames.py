"""Frames of a log or an image: what was written whole is known by a checksum, what was torn by a crash is not taken.

    4 bytes   a mark
    4 bytes   length of what follows the checksum
    4 bytes   CRC32C of it
    ...       the body

Not here: what stands in a body.
"""

import struct
from collections.abc import Iterator
from typing import Final

import google_crc32c

HEADER: Final = struct.Struct(">4sII")


def encode_frame(mark: bytes, body: bytes) -> bytes:
    """The bytes of a frame; the mark has four bytes.

    >>> decode_frame(b"SYNC", encode_frame(b"SYNC", b"body"), 0)
    (b'body', 16)
    """
    return HEADER.pack(mark, len(body), google_crc32c.value(body)) + body


def decode_frame(mark: bytes, data: bytes, position: int) -> tuple[bytes, int] | None:
    """The body of the frame that begins at the position, and where it ends; None if no whole one does."""
    if len(data) - position < HEADER.size:
        return None
    found, length, checksum = HEADER.unpack_from(data, position)
    start = position + HEADER.size
    body = data[start : start + length]
    if found != mark or len(body) < length or google_crc32c.value(body) != checksum:
        return None
    return body, start + length


def frames_behind(mark: bytes, data: bytes, position: int) -> Iterator[int]:
    """Where whole frames begin, anywhere behind the position.

    A crash tears the last frame alone: where one stands behind damage, something in the middle was lost.
    """
    later = data.find(mark, position + 1)
    while later != -1:
        if decode_frame(mark, data, later) is not None:
            yield later
        later = data.find(mark, later + 1)
