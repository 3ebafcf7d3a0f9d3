"""What a followed log keeps of its keys: their events, within a bound, and a memory of those that had to go.

The events of a key are kept rather than where its automaton stands, so that a check of what has come so far is the
same as of a log at rest: the events of other nodes can still come, and be put before those that are there. Keys are
divided among shares; each share is one file for every batch that changed it, so that a batch that is run again finds
what it found before. Leaves out Spark.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.feather

from genstamp.logs.check import Terms, verdicts
from genstamp.logs.tables import CONCERNS, VERDICTS

KEY = ("namespace", "kind", "entity")

EVICTED = "evicted: its events had to make room, so nothing can be said"
"""Why a key is undetermined whose events are not kept any more."""

_STORED: Any = pa.schema(
    [*CONCERNS, pa.field("batch", pa.int64(), nullable=False), pa.field("ended", pa.bool_(), nullable=False)]
)
"""Rows that are kept: concerns, the batch that brought them, and whether the life of their key had ended by then."""

FORGOTTEN_BITS = 1 << 23
"""Of the memory of a share for keys that had to go: a Bloom filter, which never takes one that went for a new one."""

_HASHES = 4


@dataclass(frozen=True)
class Limits:
    """Bounds of a store.

    Attributes:
        rows: events that are kept, over all shares.
        shares: number of parts, each worked on by one task.
    """

    rows: int = 2_000_000
    shares: int = 8


class Share(msgspec.Struct, frozen=True):
    """Where one share of the store stands on disk.

    Attributes:
        directory: of the store.
        number: of the share.
        most_rows: that it keeps.
    """

    directory: str
    number: int
    most_rows: int

    def checked(self, new: Any, batch: int, terms: Terms) -> Any:
        """Adds the events of a batch, and judges the keys that it concerns.

        Args:
            new: a table of `tables.CONCERNS`, of keys of this share.
            batch: its number; what an earlier attempt at it has written is not looked at.
            terms: of the check.

        Returns:
            A table of `tables.VERDICTS`: the keys that the batch concerns, and those that had to go for it.
        """
        kept, forgotten = self._read(batch)
        rows = pa.concat_tables([kept, _stored(new, batch)])
        if not rows.num_rows:
            return VERDICTS.empty_table()
        numbers, firsts = keys_of(rows)
        keys = rows.select(KEY).take(pa.array(firsts))
        is_touched = np.zeros(len(firsts), bool)
        is_touched[numbers[kept.num_rows :]] = True
        is_lost = is_touched & forgotten.knows(keys)
        judged = is_touched & ~is_lost
        found = verdicts(rows.filter(pa.array(judged[numbers])).select(CONCERNS.names), terms)
        ended = _of_keys(numbers, np.asarray(rows.column("ended"))) & ~is_touched
        ended |= _is_among(keys, found.filter(pa.compute.equal(found.column("completion"), "complete")))
        stays = self._have_room(numbers, np.asarray(rows.column("batch")), ended, is_lost)
        forgotten.add(keys.filter(pa.array(~stays)))
        rows = rows.set_column(rows.schema.get_field_index("ended"), _STORED.field("ended"), pa.array(ended[numbers]))
        self._write(batch, rows.filter(pa.array(stays[numbers])), forgotten)
        gone = keys.filter(pa.array(~stays))
        return pa.concat_tables([_without(found, gone), _evicted(gone, np.bincount(numbers)[~stays])])

    def _have_room(self, numbers: Any, batches: Any, ended: Any, is_lost: Any) -> Any:
        """Which keys stay: if there are too many rows, those that ended go first, then those long unheard of."""
        counts = np.where(is_lost, 0, np.bincount(numbers))
        if counts.sum() <= self.most_rows:
            return ~is_lost
        last = np.zeros(len(counts), np.int64)
        np.maximum.at(last, numbers, batches)
        order = np.lexsort((np.arange(len(counts)), -last, ended))
        stays = np.zeros(len(counts), bool)
        # A tenth is left free, so that not every batch has to make room.
        stays[order] = np.cumsum(counts[order]) <= 0.9 * self.most_rows
        return stays & ~is_lost

    def _files(self) -> list[tuple[int, Path]]:
        directory = Path(self.directory) / f"share-{self.number:03d}"
        directory.mkdir(parents=True, exist_ok=True)
        return sorted((int(path.stem), path) for path in directory.glob("[0-9]*.arrow"))

    def _read(self, batch: int) -> tuple[Any, Forgotten]:
        before = [(number, path) for number, path in self._files() if number < batch]
        if not before:
            return _STORED.empty_table(), Forgotten()
        for _, path in before[:-2]:
            path.unlink(missing_ok=True)
        table = pyarrow.feather.read_table(before[-1][1])
        return table.cast(_STORED), Forgotten(table.schema.metadata[b"forgotten"])

    def _write(self, batch: int, rows: Any, forgotten: Forgotten) -> None:
        place = Path(self.directory) / f"share-{self.number:03d}" / f"{batch:012d}.arrow"
        attempt = place.with_name(f".{uuid.uuid4().hex}")
        pyarrow.feather.write_feather(
            rows.replace_schema_metadata({"forgotten": forgotten.content()}), attempt, compression="zstd"
        )
        attempt.replace(place)


class Forgotten:
    """Keys that had to go. A key that is new may be taken for one of them, and one of them never for a new one.

    Args:
        content: what `content` gave; none for a memory that is empty.
    """

    def __init__(self, content: bytes = b"") -> None:
        self._bits = np.frombuffer(content, np.uint8).copy() if content else np.zeros(0, np.uint8)

    def content(self) -> bytes:
        """The memory as bytes, empty as long as no key had to go."""
        return self._bits.tobytes()

    def add(self, keys: Any) -> None:
        """Remembers keys, a table of `KEY`."""
        if keys.num_rows:
            if not len(self._bits):
                self._bits = np.zeros(FORGOTTEN_BITS // 8, np.uint8)
            places = _places(keys)
            np.bitwise_or.at(self._bits, places >> 3, (1 << (places & 7)).astype(np.uint8))

    def knows(self, keys: Any) -> Any:
        """Which of some keys have been added; for others it says so seldom."""
        if not len(self._bits) or not keys.num_rows:
            return np.zeros(keys.num_rows, bool)
        places = _places(keys)
        return ((self._bits[places >> 3] >> (places & 7)) & 1).astype(bool).all(axis=0)


def _stored(new: Any, batch: int) -> Any:
    columns = [*new.columns, pa.array(np.full(new.num_rows, batch)), pa.array(np.zeros(new.num_rows, bool))]
    return pa.table(columns, schema=_STORED)


def _of_keys(numbers: Any, flags: Any) -> Any:
    """Whether a flag is set in any row of each key."""
    return np.bincount(numbers, weights=flags) > 0


def keys_of(rows: Any) -> tuple[Any, Any]:
    """The number of each row's key, counted from 0, and the first row of each key; `rows` has the columns of `KEY`."""
    numbers = np.zeros(rows.num_rows, np.int64)
    for name in KEY:
        codes = np.asarray(rows.column(name).combine_chunks().dictionary_encode().indices).astype(np.int64)
        _, numbers = np.unique(numbers * (rows.num_rows + 1) + codes, return_inverse=True)
    _, firsts, numbers = np.unique(numbers, return_index=True, return_inverse=True)
    return numbers, firsts


def _hashes(rows: Any) -> Any:
    """A hash of the key of each row, of 64 bits, that does not depend on the process."""
    found = np.full(rows.num_rows, 14695981039346656037, np.uint64)
    for name in KEY:
        encoded = rows.column(name).combine_chunks().dictionary_encode()
        of_values = np.array([_hash(value) for value in encoded.dictionary.to_pylist()], np.uint64)
        of_rows = of_values[np.asarray(encoded.indices)] if rows.num_rows else found
        found = (found ^ of_rows) * np.uint64(1099511628211)
        found ^= found >> np.uint64(29)
    return found


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def _places(keys: Any) -> Any:
    """The bits of a key in a memory, a row of the result for each of them."""
    first = _hashes(keys)
    second = (first >> np.uint64(32)) | np.uint64(1)
    steps = np.arange(_HASHES, dtype=np.uint64)[:, np.newaxis]
    return ((first + steps * second) % np.uint64(FORGOTTEN_BITS)).astype(np.int64)


def _is_among(keys: Any, others: Any) -> Any:
    """Which keys are among others, both tables with the columns of `KEY`."""
    wanted = set(zip(*(others.column(name).to_pylist() for name in KEY), strict=True))
    return np.array([key in wanted for key in zip(*(keys.column(name).to_pylist() for name in KEY), strict=True)], bool)


def _without(found: Any, gone: Any) -> Any:
    return found.filter(pa.array(~_is_among(found, gone))) if gone.num_rows else found


def _evicted(gone: Any, counts: Any) -> Any:
    """The verdicts of keys that had to go: none."""
    said = {"safety": "undetermined", "completion": "unknown", "path": "fast", "states": [], "failed": EVICTED}
    rows = [{**key, **said, "events": int(count)} for key, count in zip(gone.to_pylist(), counts, strict=True)]
    return pa.Table.from_pylist(rows, VERDICTS)
