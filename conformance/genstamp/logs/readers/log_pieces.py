"""The content of a log in pieces of whole lines.

Leaves out lines themselves.
"""

from collections.abc import Iterator

from genstamp.logs.streams import LINE_LENGTH_MAX, DamagedSourceError, LinesOfRange, Stream

PIECE_BYTES = 1 << 22

_CHUNK = 1 << 22


def pieces(stream: Stream | LinesOfRange) -> Iterator[tuple[bytes, int] | None]:
    """The content in pieces: bytes, and where the whole lines in them end. None for a line that is too long to be kept.

    Raises:
        DamagedSourceError: as `Stream.chunks`, after the whole lines before the damage.
    """
    parts: list[bytes] = []
    size, overlong = 0, False
    damage: DamagedSourceError | None = None
    chunks = stream.chunks(_CHUNK)
    while damage is None:
        try:
            chunk = next(chunks, None)
        except DamagedSourceError as error:
            damage, chunk = error, None
        if chunk is None:
            break
        if overlong:
            _, newline, chunk = chunk.partition(b"\n")
            if not newline:
                continue
            yield None
            overlong = False
        parts.append(chunk)
        size += len(chunk)
        if size >= PIECE_BYTES:
            data = b"".join(parts)
            cut = data.rfind(b"\n") + 1
            if cut:
                yield data, cut
            overlong = len(data) - cut > LINE_LENGTH_MAX
            parts = [] if overlong else [data[cut:]]
            size = sum(map(len, parts))
    data = b"".join(parts)
    if damage is not None:
        data = data[: data.rfind(b"\n") + 1]
    if data:
        yield data, len(data)
    if damage is not None:
        raise damage
    if overlong:
        yield None
