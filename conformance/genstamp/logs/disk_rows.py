"""Rows on the disk that are put in the order of their units and of what these tell, however they came.

They are divided into files of which each has the rows between two places of that order, and fits in memory. Not here:
whose rows these are (`genstamp.logs.long_keys`).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from genstamp.logs.exchange import EXCHANGED

_PIECE = 1 << 16
"""Rows that are examined together."""

_MARKS = 16
"""Rows that are marked of those that are sorted at once: places at which they may be divided."""

_STRIDE_MIN = 64
_FILES_MAX = 256


class DiskRows:
    """Rows in a file.

    Args:
        path: of the file; others beside it have its name and a number while rows are put in order.
        rows_max: how many rows may be sorted at once, about; more if there are very many.
    """

    def __init__(self, path: Path, rows_max: int) -> None:
        self._path, self._rows_max = path, rows_max
        self._stride = max(_STRIDE_MIN, rows_max // _MARKS)
        self._count = 0
        self._marks: list[Any] = []
        self._writer = _writer(path)

    def add(self, rows: Any) -> None:
        """Takes a table of `exchange.EXCHANGED`."""
        self._writer.write_table(rows, max_chunksize=_PIECE)
        self._marks.append(_order_of(rows)[:, -self._count % self._stride :: self._stride])
        self._count += rows.num_rows

    def end(self) -> None:
        """Puts the rows in order; there are no more."""
        self._writer.close()
        marks = np.concatenate(self._marks, axis=1)
        marks = marks[:, np.lexsort(marks[::-1])]
        bounds = marks[:, _MARKS :: max(_MARKS, -(-marks.shape[1] // _FILES_MAX))]
        files = [self._path.with_name(f"{self._path.name}.{number}") for number in range(bounds.shape[1] + 1)]
        writers = [_writer(file) for file in files]
        for piece in self.pieces():
            place = _places(bounds, _order_of(piece))
            for number in np.unique(place).tolist():
                writers[number].write_table(piece.filter(pa.array(place == number)))
        for writer in writers:
            writer.close()
        with _writer(self._path) as writer:
            for file in files:
                if rows := list(_pieces(file)):
                    together = pa.concat_tables(rows).unify_dictionaries().combine_chunks()
                    order = np.lexsort(_order_of(together)[::-1])
                    writer.write_table(together.take(pa.array(order)), max_chunksize=_PIECE)
                file.unlink()

    def pieces(self) -> Iterator[Any]:
        """The rows, table by table."""
        return _pieces(self._path)


def _writer(path: Path) -> Any:
    return pa.ipc.new_stream(str(path), EXCHANGED, options=pa.ipc.IpcWriteOptions(compression="lz4"))


def _pieces(path: Path) -> Iterator[Any]:
    with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as reader:
        for batch in reader:
            yield pa.Table.from_batches([batch])


def _order_of(rows: Any) -> Any:
    """The sort columns of the rows, the most significant first."""
    return np.stack([rows.column(name).to_numpy().astype(np.int64) for name in ("unit", "sequence")])


def _places(bounds: Any, order: Any) -> Any:
    """For each of some rows how many bounds are not behind it."""
    both = np.concatenate([bounds, order], axis=1)
    by_order = np.lexsort(both[::-1])
    places = np.empty(len(by_order), np.int64)
    places[by_order] = np.cumsum(by_order < bounds.shape[1])
    return places[bounds.shape[1] :]
