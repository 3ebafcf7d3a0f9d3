"""Keys apart on the disk: whoever reads writes the concerns part by part, and whoever checks reads one part of all.

So the events of a key come together in one exchange of compact columns in Parquet, in one process as on many machines,
and memory is bounded by the largest part. Leaves out reading and checking themselves.
"""

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from numba import njit

from genstamp.logs.check import Terms, verdicts
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.streams import is_compressed
from genstamp.logs.tables import CONCERNS

PART_BYTES = 64 << 20
"""Bytes of logs whose keys make one part, about: some 200 thousand events, 200 bytes each in memory."""

PARTS_MAX = 512
"""More would make files of a few rows."""

COMPRESSED_TO = 10
"""How many times smaller than its content a compressed log is, about."""

_ROWS_AT_ONCE = 400_000


def parts_for(units: Sequence[Unit]) -> int:
    """Into how many parts the keys of some units are divided."""
    size = 0
    for unit in units:
        for file in map(Path, unit.files):
            if file.is_file():
                size += file.stat().st_size * (COMPRESSED_TO if is_compressed(file) else 1)
    return min(PARTS_MAX, 1 + size // PART_BYTES)


class PartWriter:
    """Writes the concerns of a unit, all of a key in one part.

    Args:
        directory: of the table.
        unit: number of the unit.
        parts: how many parts there are.
    """

    def __init__(self, directory: Path, unit: int, parts: int) -> None:
        self._directory, self._unit, self._parts = directory, unit, parts
        self._attempt = uuid.uuid4().hex
        self._writers: dict[int, Any] = {}
        self._waiting: list[Any] = []
        self._rows = 0

    def write(self, rows: Any) -> None:
        """Takes a table of `tables.CONCERNS`."""
        self._waiting.append(rows)
        self._rows += rows.num_rows
        if self._rows >= _ROWS_AT_ONCE:
            self._divide()

    def close(self) -> None:
        """Puts the files in their places, each in one step and over what an earlier attempt of the same task left."""
        self._divide()
        for part, writer in self._writers.items():
            writer.close()
            self._waits(part).replace(self._directory / f"part-{part:06d}-unit-{self._unit:06d}.parquet")

    def _waits(self, part: int) -> Path:
        return self._directory / f".{part:06d}.{self._unit:06d}.{self._attempt}"

    def _divide(self) -> None:
        if not self._waiting:
            return
        rows = pa.concat_tables(self._waiting)
        self._waiting, self._rows = [], 0
        if self._parts == 1:
            self._put(0, rows)
            return
        part_of = part_of_keys(rows, self._parts)
        order = np.argsort(part_of, kind="stable")
        ends = np.searchsorted(part_of[order], np.arange(self._parts + 1))
        rows = rows.take(pa.array(order))
        for part in np.flatnonzero(np.diff(ends)):
            self._put(int(part), rows.slice(ends[part], ends[part + 1] - ends[part]))

    def _put(self, part: int, rows: Any) -> None:
        if part not in self._writers:
            self._writers[part] = pyarrow.parquet.ParquetWriter(self._waits(part), CONCERNS)
        self._writers[part].write_table(rows)


def part_of_keys(rows: Any, parts: int) -> Any:
    """For each row the part that its key falls to; of the entity alone, which is enough to keep a key together."""
    entities = rows.column("entity").combine_chunks()
    _, ends, text = entities.buffers()
    offsets = np.frombuffer(ends, np.int32)[entities.offset : entities.offset + len(entities) + 1]
    found = np.empty(len(entities), np.int64)
    _divide(offsets, np.frombuffer(text or b"", np.uint8), np.uint64(parts), found)
    return found


@njit(cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def _divide(offsets: Any, text: Any, parts: Any, found: Any) -> None:
    """FNV-1a, the same on every machine."""
    for index in range(len(offsets) - 1):
        value = np.uint64(0xCBF29CE484222325)
        for at in range(offsets[index], offsets[index + 1]):
            value = (value ^ np.uint64(text[at])) * np.uint64(0x100000001B3)
        found[index] = np.int64((value >> np.uint64(20)) % parts)


def check_part(built: Path, part: int, terms: Terms) -> None:
    """Checks the keys of one part of the concerns below a directory; writes their verdicts and steps beside them."""
    files = sorted((built / "concerns").glob(f"part-{part:06d}-*.parquet"))
    if not files:
        return
    concerns = pa.concat_tables(pyarrow.parquet.ParquetFile(file).read() for file in files)
    steps: list[Any] = []
    found = {"verdicts": [verdicts(concerns, terms, steps)], "steps": steps}
    for table, rows in found.items():
        if rows:
            waiting = built / table / f".{part:06d}.{uuid.uuid4().hex}"
            pyarrow.parquet.write_table(pa.concat_tables(rows), waiting)
            waiting.replace(built / table / f"part-{part:06d}.parquet")
