"""The content of a log in pieces of whole lines.

Not here: lines themselves.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from genstamp.logs.streams import LINE_LENGTH_MAX, DamagedSourceError

PIECE_BYTES = 1 << 21
"""The number of bytes that are examined together, small enough to stay in the processor's cache."""


class Content(AbstractContextManager["Content"], Protocol):
    """Reads into existing memory."""

    def read_into(self, room: memoryview, /) -> int:
        """As `Stream.read_into`."""


def pieces(stream: Content) -> Iterator[tuple[bytearray, int] | None]:
    """The content in pieces: bytes, and where the whole lines in them end. None for a line that is too long to be kept.

    All pieces are the same memory, which is overwritten by the next: new memory for each would cost more than reading.

    Raises:
        DamagedSourceError: as `Stream.chunks`, after the whole lines before the damage.
    """
    data = bytearray(PIECE_BYTES + LINE_LENGTH_MAX)
    room = memoryview(data)
    size, overlong = 0, False
    damage: DamagedSourceError | None = None
    while damage is None:
        try:
            read = stream.read_into(room[size : size + PIECE_BYTES])
        except DamagedSourceError as error:
            damage, read = error, 0
        if not read:
            break
        size += read
        if overlong:
            begins = data.find(b"\n", 0, size) + 1
            if not begins:
                size = 0
                continue
            yield None
            overlong = False
            size = _move(room, begins, size)
        cut = data.rfind(b"\n", 0, size) + 1
        if cut:
            yield data, cut
            size = _move(room, cut, size)
        if size > LINE_LENGTH_MAX:
            size, overlong = 0, True
    if damage is not None:
        size = data.rfind(b"\n", 0, size) + 1
    if size:
        yield data, size
    if damage is not None:
        raise damage
    if overlong:
        yield None


def _move(room: memoryview, begins: int, ends: int) -> int:
    """Moves some bytes to the beginning; gives how many they are."""
    room[: ends - begins] = room[begins:ends]
    return ends - begins
