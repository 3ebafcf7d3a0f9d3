"""CRC32C of 512-byte chunks, and what a torn last chunk can still vouch for.

Not here: other checksum types, and where checksums lie on disk (`replica_files`).

Source: DataChecksum, Hadoop 3.4.1; facts W.4.7.
"""

import struct

import google_crc32c

from genstamp_dfs.hdfs.messages.data_transfer import CHECKSUM_BYTES, CHUNK_BYTES

_crc32c = google_crc32c.value


def chunk_count(num_bytes: int) -> int:
    """Number of chunks of so many bytes.

    >>> chunk_count(0), chunk_count(512), chunk_count(513)
    (0, 1, 2)
    """
    return -(-num_bytes // CHUNK_BYTES)


def checksums_of(data: bytes) -> bytes:
    """The checksums of the chunks of `data`, counted from its first byte, 4 bytes each, big-endian.

    >>> checksums_of(b"123456789").hex()
    'e3069283'
    """
    if len(data) <= CHUNK_BYTES:
        return _crc32c(data).to_bytes(CHECKSUM_BYTES, "big") if data else b""
    # One call cuts all chunks: cutting them one by one takes longer than the checksums themselves.
    whole, rest = divmod(len(data), CHUNK_BYTES)
    chunks = struct.unpack(f"{CHUNK_BYTES}s" * whole + f"{rest}s" * (rest > 0), data)
    return struct.pack(f">{len(chunks)}I", *map(_crc32c, chunks))


def first_mismatch(data: bytes, checksums: bytes) -> int | None:
    """Offset of the first chunk of `data` that its checksum does not fit or that has none; None if all fit.

    >>> first_mismatch(b"123456789", checksums_of(b"123456789"))
    >>> first_mismatch(bytes(600), checksums_of(bytes(512)))
    512
    """
    computed = checksums_of(data)
    if computed == checksums:
        return None
    for start in range(0, len(computed), CHECKSUM_BYTES):
        if computed[start : start + CHECKSUM_BYTES] != checksums[start : start + CHECKSUM_BYTES]:
            return start // CHECKSUM_BYTES * CHUNK_BYTES
    return None


def covered_prefix(chunk: bytes, checksum: bytes) -> int:
    """How many first bytes of a chunk the stored checksum vouches for; 0 if it fits none.

    A crash between the write of a chunk's bytes and that of its checksum, or in the middle of the latter, leaves the
    checksum of a shorter beginning of the chunk, or first bytes of the one and last bytes of the other. So a beginning
    counts if its checksum is stored, or if the stored one can be torn between its checksum and that of all bytes.

    >>> covered_prefix(b"abcdef", checksums_of(b"abcd"))
    4
    >>> covered_prefix(b"abcdef", checksums_of(b"abcdef")[:2] + checksums_of(b"abcd")[2:])
    4
    >>> covered_prefix(b"abcdef", checksums_of(b"fedcba"))
    0
    """
    whole = _crc32c(chunk).to_bytes(CHECKSUM_BYTES, "big")
    if whole == checksum:
        return len(chunk)
    torn = 0
    crc = _crc32c(chunk[:1])
    for length in range(1, len(chunk)):
        stored = crc.to_bytes(CHECKSUM_BYTES, "big")
        if stored == checksum:
            return length
        if any(_is_torn(checksum, stored, whole, cut) for cut in range(1, CHECKSUM_BYTES)):
            torn = length
        crc = google_crc32c.extend(crc, chunk[length : length + 1])
    return torn


def _is_torn(checksum: bytes, one: bytes, other: bytes, cut: int) -> bool:
    """Whether a write of one of two checksums over the other ended after `cut` bytes."""
    return checksum in (one[:cut] + other[cut:], other[:cut] + one[cut:])
