"""Arrays that may be larger than memory: a large one is in a file without a name, which goes with it.

The system keeps in memory what is in use of it, and of the rest what there is room for. Not here: what is known to
stay small.
"""

import mmap
import os
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

MAPPED_FROM = 64 << 20
"""Bytes of the smallest array that is in a file."""


def zeros(shape: tuple[int, ...], dtype: Any) -> Any:
    """An array of zeros, below the directory for temporary files if it is large and there is room.

    Args:
        shape, dtype: as numpy has them.
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if size >= MAPPED_FROM and sys.platform == "linux":
        try:
            return np.frombuffer(_file_of_zeros(size), dtype).reshape(shape)
        except OSError:
            # Memory may do, where a disk has no room.
            pass
    return np.zeros(shape, dtype)


def _file_of_zeros(size: int) -> mmap.mmap:
    with tempfile.TemporaryFile() as file:
        # All of it now: a disk that is full later would end the process.
        os.posix_fallocate(file.fileno(), 0, size)
        return mmap.mmap(file.fileno(), size)


class Numbers:
    """Numbers that are put by, one after another."""

    def __init__(self) -> None:
        self._room, self._used = zeros((1 << 12,), np.int64), 0

    def __len__(self) -> int:
        return self._used

    def extend(self, more: Any) -> None:
        """Puts by an array of numbers."""
        end = self._used + len(more)
        if end > len(self._room):
            wider = zeros((1 << (end - 1).bit_length(),), np.int64)
            wider[: self._used] = self._room[: self._used]
            self._room = wider
        self._room[self._used : end] = more
        self._used = end

    def between(self, begins: int, ends: int) -> Any:
        """The numbers from a place to another; what is put by later does not change them."""
        return self._room[begins:ends]


class SeenReplicas:
    """Replicas that compiled code has seen, put by until a line asks for all of a datanode, in the order of lines."""

    def __init__(self) -> None:
        self._blocks = Numbers()
        self._seen: list[tuple[str, int, int]] = []

    def add(self, namespace: str, node: int, blocks: Any) -> None:
        """Replicas of a datanode were seen.

        Args:
            namespace: of the blocks.
            node: the number of the datanode.
            blocks: ids, an array of 64-bit integers.
        """
        self._blocks.extend(blocks)
        self._seen.append((namespace, node, len(self._blocks)))

    def take(self) -> Iterator[tuple[str, int, Any]]:
        """All that was added, which is forgotten."""
        seen, blocks, begins = self._seen, self._blocks, 0
        self._seen, self._blocks = [], Numbers()
        for namespace, node, ends in seen:
            yield namespace, node, blocks.between(begins, ends)
            begins = ends
