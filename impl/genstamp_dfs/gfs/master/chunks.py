"""All chunks: version, reference count, and where current replicas are, packed into columns.

A chunk has one row of a few dozen bytes and no object of its own; the paper's master has less than 64 bytes a chunk.
Rows stand in the order of handles, which only rise, so a handle is found by bisection. Locations are numbers of
chunkservers (`chunkservers`), in a few slots a row; they are not durable, while versions and counts are (`state`).

Not here: which file lists a chunk, and leases.

Source: sections 2.6.1 and 4.4.2.
"""

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from genstamp_dfs.errors import StorageError

NOBODY: Final = 0
"""Of a slot that has no location in it."""


class ChunkTable:
    """All chunks.

    Args:
        slots: how many locations of a chunk are known at most.
    """

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._handles = array("Q")
        self._versions = array("Q")
        self._references = array("I")
        self._locations = array("H")

    def __len__(self) -> int:
        return len(self._handles)

    def __iter__(self) -> Iterator[int]:
        """All handles."""
        return iter(self._handles)

    def __contains__(self, handle: int) -> bool:
        return self._find(handle) is not None

    @property
    def num_bytes(self) -> int:
        """Memory of all columns, with what is kept free for more rows, in bytes."""
        columns = (self._handles, self._versions, self._references, self._locations)
        return sum(column.__sizeof__() for column in columns)

    # -- what is durable ------------------------------------------------------------------------------------------

    def add(self, handle: int, version: int, references: int = 0) -> None:
        """A new chunk, whose handle is higher than all others."""
        assert not self._handles or handle > self._handles[-1], f"the handle {handle} is not new"
        self._handles.append(handle)
        self._versions.append(version)
        self._references.append(references)
        self._locations.extend([NOBODY] * self.slots)

    def remove(self, handles: Collection[int]) -> None:
        """Forget chunks."""
        gone = np.isin(_view(self._handles), np.fromiter(handles, dtype=np.uint64, count=len(handles)))
        kept = ~gone
        self._locations = _packed("H", _view(self._locations).reshape(-1, self.slots)[kept])
        self._versions = _packed("Q", _view(self._versions)[kept])
        self._references = _packed("I", _view(self._references)[kept])
        self._handles = _packed("Q", _view(self._handles)[kept])

    def version(self, handle: int) -> int:
        """The version under which replicas are current; KeyError if there is no such chunk."""
        return self._versions[self._row(handle)]

    def set_version(self, handle: int, version: int) -> None:
        """Raise the version."""
        row = self._row(handle)
        assert version >= self._versions[row], f"the version of {handle} would fall to {version}"
        self._versions[row] = version

    def references(self, handle: int) -> int:
        """How many places in lists of files have the chunk."""
        return self._references[self._row(handle)]

    def refer(self, handles: Iterable[int], change: int) -> None:
        """Count a reference more (1) or less (-1) for each handle."""
        for handle in handles:
            row = self._row(handle)
            assert self._references[row] + change >= 0, f"nothing refers to {handle}"
            self._references[row] += change

    def orphans(self) -> list[int]:
        """The chunks to which nothing refers."""
        chosen: list[int] = _view(self._handles)[_view(self._references) == 0].tolist()
        return chosen

    def columns(self) -> tuple[bytes, bytes, bytes]:
        """Handles, versions and reference counts, for a checkpoint."""
        return self._handles.tobytes(), self._versions.tobytes(), self._references.tobytes()

    def load(self, handles: bytes, versions: bytes, references: bytes) -> None:
        """Take the place of all chunks, without locations.

        Raises:
            StorageError: the columns are not those of one table.
        """
        columns = (array("Q"), array("Q"), array("I"))
        try:
            for column, data in zip(columns, (handles, versions, references), strict=True):
                column.frombytes(data)
        except ValueError as problem:
            raise StorageError(f"columns of chunks are cut: {problem}") from problem
        if len({len(column) for column in columns}) != 1:
            raise StorageError(f"columns of chunks have {', '.join(str(len(column)) for column in columns)} rows")
        self._handles, self._versions, self._references = columns
        self._locations = array("H", bytes(2 * self.slots * len(self._handles)))

    # -- where replicas are -----------------------------------------------------------------------------------------

    def locations(self, handle: int) -> list[int]:
        """The chunkservers with a current replica."""
        return [number for number in self._slots(handle) if number != NOBODY]

    def add_location(self, handle: int, chunkserver: int) -> bool:
        """A current replica is there; False if no slot is left for it."""
        slots = self._slots(handle)
        if chunkserver in slots:
            return True
        if NOBODY not in slots:
            return False
        self._locations[self._row(handle) * self.slots + slots.index(NOBODY)] = chunkserver
        return True

    def drop_location(self, handle: int, chunkserver: int) -> None:
        """No current replica is there."""
        slots = self._slots(handle)
        if chunkserver in slots:
            self._locations[self._row(handle) * self.slots + slots.index(chunkserver)] = NOBODY

    def set_locations(self, handle: int, chunkservers: Iterable[int]) -> None:
        """Current replicas are on these chunkservers and on no others."""
        chosen = list(chunkservers)
        start = self._row(handle) * self.slots
        self._locations[start : start + self.slots] = array("H", chosen + [NOBODY] * (self.slots - len(chosen)))

    def at(self, chunkserver: int) -> list[int]:
        """The chunks with a current replica there, to which something refers."""
        there = (_view(self._locations).reshape(-1, self.slots) == chunkserver).any(axis=1)
        chosen: list[int] = _view(self._handles)[there & (_view(self._references) > 0)].tolist()
        return chosen

    def drop_chunkserver(self, chunkserver: int) -> None:
        """Nothing is known any more to be on this chunkserver."""
        view = _view(self._locations)
        view[view == chunkserver] = NOBODY

    def counts(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Handles and numbers of locations of all chunks to which something refers."""
        referred = _view(self._references) > 0
        counts = np.count_nonzero(_view(self._locations).reshape(-1, self.slots), axis=1)
        return _view(self._handles)[referred], counts[referred]

    # -- below ------------------------------------------------------------------------------------------------------

    def _find(self, handle: int) -> int | None:
        row = bisect_left(self._handles, handle)
        return row if row < len(self._handles) and self._handles[row] == handle else None

    def _row(self, handle: int) -> int:
        row = self._find(handle)
        if row is None:
            raise KeyError(handle)
        return row

    def _slots(self, handle: int) -> "array[int]":
        start = self._row(handle) * self.slots
        return self._locations[start : start + self.slots]


def _view(column: "array[int]") -> npt.NDArray[Any]:
    """A column as numpy sees it; it may not grow while this is kept."""
    return np.frombuffer(column, dtype=f"u{column.itemsize}")


def _packed(code: str, values: npt.NDArray[Any]) -> "array[int]":
    column: array[int] = array(code)
    column.frombytes(values.tobytes())
    return column
