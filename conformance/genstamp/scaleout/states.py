"""The states of one owner: in memory with a hash table, and as a file a level in the shared directory.

Files are written under another name and then renamed, and hold rows in order, so that a task that Spark runs twice
writes the same file twice. What an executor has in memory is only a copy of the files.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genstamp.scaleout import kernel
from genstamp_model.explore.table import BUCKET

_FULL = 0.6
_FIRST_STATES = 1024

Rows = NDArray[np.int64]


class Known:
    """A growing set of states, in the order in which they came."""

    def __init__(self, words: int) -> None:
        self.count = 0
        self.words = words
        self._library = kernel.library(words)
        self._store = np.empty((_FIRST_STATES, words), np.int64)
        self._buckets = 0
        self._table = self._empty_table()

    def _empty_table(self) -> NDArray[np.int64]:
        self._buckets = int(len(self._store) / _FULL / BUCKET) + 1
        return np.zeros((self._buckets + 1) * BUCKET, np.int64)

    def add(self, rows: Rows) -> Rows:
        """Those of some rows that are new, each once."""
        before = self.count
        self._make_room(len(rows))
        packed = np.ascontiguousarray(rows)
        self.count = self._library.run(
            kernel.enter_rows, self._table, self._buckets, self._store, before, packed, len(packed)
        )
        return self._store[before : self.count].copy()

    def _make_room(self, more: int) -> None:
        # A row is written behind the states before it is known to be new.
        needed = self.count + more + 1
        if needed <= len(self._store):
            return
        store = np.empty((max(needed, 2 * len(self._store)), self.words), np.int64)
        store[: self.count] = self._store[: self.count]
        self._store = store
        self._table = self._empty_table()
        self._library.run(kernel.enter_stored, self._table, self._buckets, self._store, self.count)


class Directory:
    """What all levels found, as files.

    Args:
        path: all executors see it under this name.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def _file(self, kind: str, level: int, owner: int, ending: str) -> Path:
        return self.path / f"{kind}-{level:05d}-{owner:05d}.{ending}"

    def write_states(self, level: int, owner: int, rows: Rows) -> None:
        """Write what an owner found on a level."""
        path = self._file("states", level, owner, "npy")
        temporary = path.with_suffix(f".{os.getpid()}")
        with temporary.open("wb") as file:
            np.save(file, rows, allow_pickle=False)
        temporary.replace(path)

    def states(self, level: int, owner: int, words: int) -> Rows:
        """What an owner found on a level; no rows where it found nothing."""
        path = self._file("states", level, owner, "npy")
        if not path.exists():
            return np.empty((0, words), np.int64)
        rows: Rows = np.load(path, allow_pickle=False)
        return rows

    def write_notes(self, kind: str, level: int, owner: int, notes: dict[str, Any]) -> None:
        """Write what a task tells of its work."""
        path = self._file(kind, level, owner, "json")
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(notes))
        temporary.replace(path)

    def notes(self, kind: str, level: int, owner: int) -> dict[str, Any] | None:
        """What a task told, if it was run."""
        path = self._file(kind, level, owner, "json")
        return json.loads(path.read_text()) if path.exists() else None

    def bytes_used(self) -> int:
        """Of all files."""
        return sum(file.stat().st_size for file in self.path.iterdir())


def in_order(rows: Rows) -> Rows:
    """The rows sorted, so that a file says nothing of how it came about."""
    return rows[np.lexsort(rows.T[::-1])]
