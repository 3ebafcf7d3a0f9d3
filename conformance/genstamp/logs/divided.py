"""Rows in compact columns, divided into parts: files of Arrow, each with one batch a part, so that one part is read of
each without the others.

With a file for each part and writer there would be thousands of small ones. They are not compressed, as they are read
once and soon, but packed (`genstamp.logs.packed`). Leaves out which row is of which part (`genstamp.logs.parts`).
"""

import uuid
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from genstamp.logs.packed import Packer

_ROWS = b"rows of each part"
_DIRECTORY = "exchanged"


class DividedWriter:
    """Writes divided rows.

    Args:
        built: directory below which they are put.
        of: name of whose rows these are; what an earlier attempt has left under this name goes.
    """

    def __init__(self, built: Path, of: str) -> None:
        self._directory, self._of, self._attempt = built / _DIRECTORY, of, uuid.uuid4().hex
        self._number = 0
        self._packer = Packer()
        self._directory.mkdir(exist_ok=True)

    def write(self, tables: Sequence[Any], place: Any, ends: Any) -> None:
        """Takes rows.

        Args:
            tables: of them, of `exchange.EXCHANGED`.
            place: for each row of all where it goes, part by part.
            ends: where each part begins, and the end of the last.
        """
        packed = self._packer.pack(tables, place)
        sizes = {_ROWS: np.diff(ends).astype(np.int64).tobytes()}
        schema = packed.schema.with_metadata({**packed.schema.metadata, **sizes})
        with pa.ipc.new_file(str(self._waits(self._number)), schema) as writer:
            for begin, end in pairwise(ends.tolist()):
                writer.write_batch(packed.batch.slice(begin, end - begin))
        self._number += 1

    def close(self) -> None:
        """Puts the files in their places, each in one step."""
        for number in range(self._number):
            self._waits(number).replace(self._directory / f"{self._of}-{number:06d}.arrow")

    def abandon(self) -> None:
        """Takes away what was written."""
        # With the one after those, in whose midst the disk may have been full.
        for number in range(self._number + 1):
            self._waits(number).unlink(missing_ok=True)

    def _waits(self, number: int) -> Path:
        return self._directory / f".{self._of}-{number:06d}.{self._attempt}"


class Divided(NamedTuple):
    """A part of a file of divided rows.

    Attributes:
        path: of the file.
        of: whose rows these are.
        part: number of the part.
    """

    path: Path
    of: str
    part: int

    def num_rows(self) -> int:
        """How many rows the part has there."""
        return int(_rows_by_part(self.path)[self.part])

    def rows(self) -> Any:
        """A batch of them, packed."""
        with pa.memory_map(str(self.path)) as file:
            return pa.ipc.open_file(file).get_batch(self.part)


def rows_by_part(built: Path, parts: int) -> list[int]:
    """How many rows each of so many parts has in all."""
    rows = np.zeros(parts, np.int64)
    for path in (built / _DIRECTORY).glob("*.arrow"):
        rows += _rows_by_part(path)
    return [int(each) for each in rows]


def _rows_by_part(path: Path) -> Any:
    with pa.memory_map(str(path)) as file:
        return np.frombuffer(pa.ipc.open_file(file).schema.metadata[_ROWS], np.int64)


def divided(built: Path, part: int) -> Iterator[Divided]:
    """What there is of a part, in order of whose it is."""
    for path in sorted((built / _DIRECTORY).glob("*.arrow")):
        yield Divided(path, path.stem.rpartition("-")[0], part)
