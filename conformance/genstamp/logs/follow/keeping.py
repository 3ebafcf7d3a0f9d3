"""The events that followed logs have given for the keys of one part, as a stateful processor of Spark with its state in
RocksDB.

The events of a key are kept rather than where its automaton stands, so that a check of what has come so far is the same
as of a log at rest: the events of other nodes can still come, and be put before those that are there. The rows of a
part are in some buckets, so that few of them are changed by a batch that concerns few keys. Not here: the query.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from genstamp.events import KINDS
from genstamp.logs.check import Terms, rows_of, verdicts
from genstamp.logs.exchange import EXCHANGED
from genstamp.logs.flat import FLAT, KEY, SORTED, TOLD, Meanings, keys_of_entities, number_of_table, packed, unpacked
from genstamp.logs.follow.options import Limits
from genstamp.logs.follow.places import own_gapless, own_names, own_sources, spans_together
from genstamp.logs.tables import SPANS, VERDICTS, Key

EVICTED = "evicted: its events had to make room, so nothing can be said"
"""Why a key is undetermined whose events are not kept any more."""

BUCKETS = 32
"""Of a part."""

FORGOTTEN_BITS = 1 << 23
"""Of the memory of a part for keys that had to go: a Bloom filter, which never takes one that went for a new one."""

_HASHES = 4

KEPT: Any = SORTED.append(pa.field("batch", pa.int64(), nullable=False)).append(
    pa.field("ended", pa.bool_(), nullable=False)
)
"""Rows that are kept, the batch that brought them, and whether all that has their key had ended by then."""


class Part:
    """The keys of one part.

    Args:
        buckets: packed tables of `KEPT` by number, a `MapState`.
        counts: how many rows are in each bucket.
        forgotten: content of `Forgotten`.
        most_rows: how many are kept.
    """

    def __init__(self, buckets: Any, counts: dict[int, int], forgotten: bytes, most_rows: int) -> None:
        self._buckets, self._most_rows = buckets, most_rows
        self.counts, self.forgotten = counts, Forgotten(forgotten)

    def checked(self, new: Any, batch: int, terms: Terms) -> Any:
        """Adds the events of a batch, and judges the keys that it concerns.

        Args:
            new: a table of `flat.SORTED`, of keys of this part.
            batch: its number.
            terms: of the check.

        Returns:
            A table of `tables.VERDICTS`: the keys that the batch concerns, and those that had to go for it.
        """
        is_lost = self.forgotten.knows(_keys(new))
        lost, new = new.filter(pa.array(is_lost)), new.filter(pa.array(~is_lost))
        more = [pa.array(np.full(new.num_rows, batch)), pa.array(np.zeros(new.num_rows, bool))]
        new = pa.table([*new.columns, *more], schema=KEPT)
        rows = pa.concat_tables([new, *map(self._kept, np.unique(_bucket_of(_keys(new))).tolist())])
        is_touched = np.isin(_keys(rows), _keys(new))
        found = verdicts(rows.filter(pa.array(is_touched)).select(EXCHANGED.names), terms)
        # A replica may stay behind for ever.
        is_open = pa.compute.not_equal(found.column("completion"), "complete")
        is_open = pa.compute.and_(is_open, pa.compute.not_equal(found.column("kind"), "replica"))
        is_ended = ~np.isin(_keys(rows), keys_of_entities(found.filter(is_open).column("entity")))
        is_ended = np.where(is_touched, is_ended, np.asarray(rows.column("ended")))
        at = KEPT.get_field_index("ended")
        self._keep(rows.set_column(at, KEPT.field(at), pa.array(is_ended)))
        told = [_evicted(lost, terms)]
        if sum(self.counts.values()) > self._most_rows:
            gone = self._make_room()
            found = found.filter(pa.array(~np.isin(keys_of_entities(found.column("entity")), _keys(gone))))
            told.append(_evicted(gone, terms))
        return pa.concat_tables([found, *told])

    def _make_room(self) -> Any:
        """The rows that had to go: first of keys that ended, then of those long unheard of."""
        every = sorted(self.counts)
        rows = pa.concat_tables(map(self._kept, every))
        keys, numbers, counts = np.unique(_keys(rows), return_inverse=True, return_counts=True)
        last, ended = np.zeros(len(keys), np.int64), np.zeros(len(keys), bool)
        np.maximum.at(last, numbers, np.asarray(rows.column("batch")))
        ended[numbers] = np.asarray(rows.column("ended"))
        order = np.lexsort((keys, -last, ended))
        stays = np.zeros(len(keys), bool)
        # A tenth is left free, so that not every batch has to make room.
        stays[order] = np.cumsum(counts[order]) <= 0.9 * self._most_rows
        self.forgotten.add(keys[~stays])
        self.counts.update(dict.fromkeys(every, 0))
        self._keep(rows.filter(pa.array(stays[numbers])))
        return rows.filter(pa.array(~stays[numbers]))

    def _kept(self, bucket: int) -> Any:
        return unpacked(self._buckets.getValue((bucket,))[0]) if self.counts.get(bucket) else KEPT.empty_table()

    def _keep(self, rows: Any) -> None:
        """Keeps all rows of the buckets that are concerned."""
        buckets = _bucket_of(_keys(rows))
        order = np.argsort(buckets, kind="stable")
        rows = rows.take(pa.array(order)).unify_dictionaries()
        numbers, begins = np.unique(buckets[order], return_index=True)
        for number, begin, end in zip(numbers.tolist(), begins, [*begins[1:], rows.num_rows], strict=True):
            self.counts[number] = int(end - begin)
            self._buckets.updateValue((number,), (packed(rows.slice(begin, end - begin).combine_chunks()),))


class Keeping(StatefulProcessor):
    """Keeps the rows of each part, and judges those keys that have new rows.

    Args:
        limits: see there.
        situations_max: bound of the slow path, for each key.
    """

    def __init__(self, limits: Limits, situations_max: int) -> None:
        self._limits, self._situations_max = limits, situations_max

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Takes the state."""
        self._buckets = handle.getMapState("buckets", "bucket int", "rows binary")
        self._known = handle.getValueState("known", "batch bigint, spans binary, counts binary")
        self._forgotten = handle.getValueState("forgotten", "bits binary")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:  # noqa: ARG002, N803
        """The tables of a batch for a part, of `judging.JUDGED`; the spans are those of all batches, and given by the
        first part only.
        """
        (part,) = key
        number, spans, counts = self._known.get() or (0, packed(SPANS.empty_table()), b"{}")
        forgotten = (self._forgotten.get() or (b"",))[0]
        given = pa.Table.from_batches([_flat(each) for each in rows], FLAT)
        is_told = np.asarray(given.column("common")) == number_of_table(TOLD)
        meanings = Meanings()
        for content in given.filter(pa.array(is_told)).column("rest").to_pylist():
            meanings.take(content)
        told = spans_together(pa.concat_tables([unpacked(spans), pa.Table.from_pylist(meanings.spans, SPANS)]))
        if part == 0:
            yield _judged("spans", told)
        by_key = given.filter(pa.array(~is_told))
        kept = Part(
            self._buckets,
            msgspec.json.decode(bytes(counts), type=dict[int, int]),
            bytes(forgotten),
            self._limits.rows // self._limits.parts,
        )
        if by_key.num_rows:
            (rows_of_part,) = by_key.combine_chunks().to_batches()
            terms = Terms(False, own_sources(told), own_names(told), self._situations_max, gapless=own_gapless(told))
            yield _judged("verdicts", kept.checked(meanings.sorted_rows(rows_of_part), number, terms))
        self._known.update((number + 1, packed(told), msgspec.json.encode(kept.counts)))
        if kept.forgotten.content() != bytes(forgotten):
            self._forgotten.update((kept.forgotten.content(),))


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
        """Remembers keys, an array of numbers as in `flat.KEY`."""
        if len(keys):
            if not len(self._bits):
                self._bits = np.zeros(FORGOTTEN_BITS // 8, np.uint8)
            places = _places(keys)
            np.bitwise_or.at(self._bits, places >> 3, (1 << (places & 7)).astype(np.uint8))

    def knows(self, keys: Any) -> Any:
        """Which of some keys have been added; for others it says so seldom."""
        if not len(self._bits) or not len(keys):
            return np.zeros(len(keys), bool)
        places = _places(keys)
        return ((self._bits[places >> 3] >> (places & 7)) & 1).astype(bool).all(axis=0)


def _places(keys: Any) -> Any:
    """The bits of keys in a memory, a row of the result for each of them."""
    first = _mixed(keys)
    second = (first >> np.uint64(32)) | np.uint64(1)
    steps = np.arange(_HASHES, dtype=np.uint64)[:, np.newaxis]
    return ((first + steps * second) % np.uint64(FORGOTTEN_BITS)).astype(np.int64)


def _mixed(keys: Any) -> Any:
    """A hash of 64 bits of each key, of which parts of keys know nothing."""
    found = (keys.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))


def _bucket_of(keys: Any) -> Any:
    return (_mixed(keys) % np.uint64(BUCKETS)).astype(np.int64)


def _keys(rows: Any) -> Any:
    return np.asarray(rows.column(KEY))


def _evicted(rows: Any, terms: Terms) -> Any:
    """The verdicts of keys that had to go, given their rows: none."""
    if not rows.num_rows:
        return VERDICTS.empty_table()
    held = rows_of(rows.select(EXCHANGED.names), terms)
    of = zip(
        (held.namespaces[each] for each in held.namespace),
        (KINDS[each] for each in held.kind),
        held.entities(np.arange(rows.num_rows)).to_pylist(),
        strict=True,
    )
    said = {"safety": "undetermined", "completion": "unknown", "path": "fast", "states": [], "failed": EVICTED}
    found = [
        {**dict(zip(Key._fields, key, strict=True)), **said, "events": count} for key, count in Counter(of).items()
    ]
    return pa.Table.from_pylist(found, VERDICTS)


def _flat(rows: Any) -> Any:
    return pa.RecordBatch.from_pandas(rows, schema=FLAT, preserve_index=False)


def _judged(table: str, rows: Any) -> Any:
    import pandas as pd

    return pd.DataFrame({"table": [table], "rows": [packed(rows)]})
