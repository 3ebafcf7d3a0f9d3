"""What writes promise of each cell of a file: whose bytes may be read there.

A cell is `CELL_BYTES` bytes, and a write fills whole cells with its own number, so what is read tells who wrote it.
Whoever reads must find a write that had begun, and that was not acknowledged before another one began that has been
acknowledged since. A write that failed, or of which nobody knows what became, may take effect at any time, and leaves
the cell inconsistent: then anything may be read there that any such write has left, also torn (table 1 of the paper).

Replicas of a cell may differ while a write is under way, or after one that failed. When all writes of a cell have been
acknowledged its replicas are the same, also where the writes were concurrent: consistent, if not defined.

Not here: records; see `ledger`.
"""

import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from genstamp_dfs.gfs.simulation.plan import CELL_BYTES

NEVER: Final = 2**62
"""When something ends that has not ended."""

_CELL: Final = struct.Struct(f">{CELL_BYTES // 8}Q")
_UNWRITTEN: Final = bytes(CELL_BYTES)


@dataclass(eq=False)
class Write:
    """A write: its number from 1, when it began, when it was acknowledged, and its cells."""

    number: int
    begun_us: int
    cells: range
    ended_us: int = NEVER


def content(write: Write) -> bytes:
    """The bytes of a write."""
    return _CELL.pack(*[write.number] * (CELL_BYTES // 8)) * len(write.cells)


class Cells:
    """The writes to one file."""

    def __init__(self) -> None:
        self._writes: dict[int, list[Write]] = defaultdict(list)

    def begin(self, number: int, begun_us: int, offset: int, num_bytes: int) -> Write:
        """Somebody begins to write bytes from an offset on, both multiples of `CELL_BYTES`."""
        assert offset % CELL_BYTES == 0, f"a write begins at {offset}"
        assert num_bytes % CELL_BYTES == 0, f"a write has {num_bytes} bytes"
        write = Write(number, begun_us, range(offset // CELL_BYTES, (offset + num_bytes) // CELL_BYTES))
        for cell in write.cells:
            self._writes[cell].append(write)
        return write

    def problems(self, data: bytes, offset: int, end: int, begun_us: int, ended_us: int) -> list[str]:
        """What is wrong with bytes of the file, read between two times.

        Args:
            data: what was read; it may end before `end`, and then nothing was there.
            offset, end: which bytes of the file were asked for, multiples of `CELL_BYTES`.
            begun_us, ended_us: before and after the reading.
        """
        wrong: dict[str, list[int]] = defaultdict(list)
        for cell in range(offset // CELL_BYTES, end // CELL_BYTES):
            start = cell * CELL_BYTES - offset
            is_there = len(data) >= start + CELL_BYTES
            # Most cells were never written, and most of what is read is looked at here.
            if cell not in self._writes and (not is_there or data[start : start + CELL_BYTES] == _UNWRITTEN):
                continue
            numbers = set(_CELL.unpack_from(data, start)) if is_there else {0}
            for problem in self._problem(cell, numbers, begun_us, ended_us):
                wrong[problem].append(cell)
        return [f"{_named(cells)} {problem}" for problem, cells in wrong.items()]

    def differences(self, replicas: Mapping[str, bytes], offset: int, end: int, before_us: int) -> list[str]:
        """Where replicas of a chunk differ although all writes were acknowledged.

        Args:
            replicas: the bytes of each, by the chunkserver's name, from the offset on.
            offset, end: which bytes of the file these are, multiples of `CELL_BYTES`.
            before_us: writes that began later are not in them.
        """
        wrong: dict[str, list[int]] = defaultdict(list)
        for cell in range(offset // CELL_BYTES, end // CELL_BYTES):
            writes = [write for write in self._writes.get(cell, ()) if write.begun_us <= before_us]
            if any(write.ended_us >= before_us for write in writes):
                continue
            start = cell * CELL_BYTES - offset
            found = {name: data[start : start + CELL_BYTES].ljust(CELL_BYTES, b"\0") for name, data in replicas.items()}
            if len(set(found.values())) > 1:
                shown = ", ".join(f"{sorted(set(_CELL.unpack(data)))} at {name}" for name, data in found.items())
                wrong[f"is {shown}, though all of its writes were acknowledged"].append(cell)
        return [f"{_named(cells)} {problem}" for problem, cells in wrong.items()]

    def _problem(self, cell: int, numbers: set[int], begun_us: int, ended_us: int) -> Iterator[str]:
        writes = [write for write in self._writes.get(cell, ()) if write.begun_us <= ended_us]
        last_us = max((write.begun_us for write in writes if write.ended_us < begun_us), default=-1)
        allowed = {write.number for write in writes if write.ended_us >= last_us}
        if last_us < 0:
            allowed.add(0)
        is_unsure = any(write.ended_us == NEVER for write in writes)
        if not (numbers <= allowed and (len(numbers) == 1 or is_unsure)):
            yield f"read {sorted(numbers)}, accepted: one of {sorted(allowed)}"


def _named(cells: list[int]) -> str:
    """Cells of which the same is wrong."""
    return f"cell {cells[0]}:" if len(cells) == 1 else f"cell {cells[0]} and {len(cells) - 1} more:"
