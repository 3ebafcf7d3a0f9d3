"""Finds the keys that a user means, in the words in which logs and tools show them.

Not here: their story (`genstamp.logs.story`).
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from genstamp.errors import GenstampError
from genstamp.logs.kept import Kept
from genstamp.logs.tables import Key

_BLOCK = re.compile(r"blk_(-?\d+)(?:_\d+)?(?:\.meta)?(?:@(.+))?")
_EPOCH = re.compile(r"#\d+")

SHOWN_MAX = 20
"""Keys that are listed where many fit."""


class NoSuchKeyError(GenstampError):
    """No entity fits what was asked for.

    Attributes:
        asked: as it was given.
        others: entities that it is the name of, of another kind or namespace than was asked for, sorted.
    """

    def __init__(self, asked: str, others: Sequence[Key] = ()) -> None:
        known = (
            f"without --kind and --namespace there is {', '.join(map(str, others[:SHOWN_MAX]))}"
            if others
            else "a block is blk_ID, a replica blk_ID@DATANODE, a file its path or inode id, a lease its holder"
        )
        super().__init__(f"no entity {asked!r}; {known}")
        self.asked = asked
        self.others = tuple(others)


class AmbiguousKeyError(GenstampError):
    """Several entities fit.

    Attributes:
        asked: as it was given.
        keys: those that fit, sorted.
    """

    def __init__(self, asked: str, keys: list[Key]) -> None:
        more = f", and {len(keys) - SHOWN_MAX} more" if len(keys) > SHOWN_MAX else ""
        super().__init__(
            f"{len(keys)} entities are {asked!r}; choose with --kind and --namespace, or by the whole name:"
            f" {', '.join(map(str, keys[:SHOWN_MAX]))}{more}"
        )
        self.asked = asked
        self.keys = keys


def find_key(kept: Kept, asked: str, kind: str | None = None, namespace: str | None = None) -> Key:
    """The one key that is meant.

    Args:
        kept: tables of a check.
        asked: "blk_1073741825", "blk_1073741825_1001", "blk_1073741825@10.0.0.1:9866", a path, "PATH#EPOCH", an inode
            id, a holder of leases, or a node.
        kind, namespace: which of several.

    Raises:
        NoSuchKeyError: nothing fits.
        AmbiguousKeyError: several keys do.

    A path means every file that was ever there; a name that stands for itself is preferred to one that only holds it.
    """
    named = _keys(kept, asked)
    found = [key for key in named if kind in (None, key.kind) and namespace in (None, key.namespace)]
    if not found:
        raise NoSuchKeyError(asked, sorted(named))
    exact = [key for key in found if key.entity == asked]
    chosen = exact if len(exact) == 1 else found
    if len(chosen) > 1:
        raise AmbiguousKeyError(asked, sorted(chosen))
    return chosen[0]


def _keys(kept: Kept, asked: str) -> list[Key]:
    entity, kind = pa.compute.field("entity"), pa.compute.field("kind")
    block = _BLOCK.fullmatch(asked)
    if block is not None:
        of_replica = f"{block[1]}@{block[2]}"
        fits = (kind == "replica") & (entity == of_replica) if block[2] else (kind == "block") & (entity == block[1])
        return _judged(kept, fits)
    found = _judged(kept, entity == asked)
    if asked.startswith("/"):
        epochs = _judged(kept, (kind == "file") & pa.compute.starts_with(entity, asked + "#"))
        found += [key for key in epochs if _EPOCH.fullmatch(key.entity.removeprefix(asked))]
        found += _files_seen_at(kept, asked)
    return list(dict.fromkeys(found))


def _judged(kept: Kept, fits: Any) -> list[Key]:
    rows = kept.tables["verdicts"].to_table(columns=list(Key._fields), filter=fits).to_pylist()
    return [Key(**row) for row in rows]


def _files_seen_at(kept: Kept, path: str) -> list[Key]:
    """Files that are keyed otherwise, because they were renamed or are known by their inode."""
    places = set()
    for batch in kept.tables["events"].to_batches(columns=["entity", "kind", "arguments", "place"]):
        of_file = pa.compute.equal(batch.column("kind"), "file")
        told = _has_value(batch.column("arguments"), path)
        rows = np.flatnonzero(np.asarray(pa.compute.and_(of_file, pa.array(told))))
        places |= {tuple(place.as_py().values()) for place in batch.column("place").take(pa.array(rows))}
    if not places:
        return []
    columns = [*Key._fields, "unit", "place"]
    rows = kept.tables["concerns"].to_table(columns=columns, filter=pa.compute.field("kind") == "file").to_pylist()
    separated = kept.terms.separated
    found = {
        Key(separated.get((row["namespace"], row["unit"]), row["namespace"]), row["kind"], row["entity"])
        for row in rows
        if tuple(row["place"].values()) in places
    }
    return sorted(found)


def _has_value(maps: Any, value: str) -> Any:
    """Which of an array of maps hold a value."""
    hits = np.asarray(pa.compute.equal(maps.items, value), dtype=bool)
    offsets = np.asarray(maps.offsets)
    counted = np.concatenate(([0], np.cumsum(hits)))
    return counted[offsets[1:]] > counted[offsets[:-1]]
