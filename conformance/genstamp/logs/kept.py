"""Tables that an earlier check has kept, and what it took for granted.

Not here: making them (`genstamp.logs.run`, `genstamp.logs.local`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.dataset

from genstamp.errors import GenstampError
from genstamp.logs.check import Terms
from genstamp.logs.local import check_locally
from genstamp.logs.opening import below, dataset, is_there, read_bytes, write_bytes
from genstamp.logs.tables import TABLES

MARK = "_genstamp_logs"
"""A file that shows a directory to be a result of the check, which may be replaced; it holds the terms."""

FOLLOWED = "_follow"
"""A directory that marks the tables of a check that follows logs and continues there."""


class NoTablesError(GenstampError):
    """A directory is no result of a check.

    Attributes:
        path: the directory.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(f"{path} holds no tables; genstamp logs check PATH... --out {path} makes them")
        self.path = path


class _Separated(msgspec.Struct, frozen=True):
    namespace: str
    unit: int
    name: str


class _Kept(msgspec.Struct, frozen=True):
    complete: bool
    situations_max: int
    sources: dict[str, list[str]]
    separated: list[_Separated]
    gapless: dict[str, bool] = {}
    parted: list[str] = []


@dataclass(frozen=True)
class Kept:
    """Tables that can be asked.

    Attributes:
        tables: an Arrow dataset by name, as in `genstamp.logs.tables.TABLES`.
        terms: of the check.
    """

    tables: Mapping[str, Any]
    terms: Terms


def write_terms(directory: str | Path, terms: Terms) -> None:
    """Keeps what a check takes for granted beside its tables."""
    kept = _Kept(
        terms.complete,
        terms.situations_max,
        {namespace: sorted(sources) for namespace, sources in sorted(terms.sources.items())},
        [_Separated(*key, name) for key, name in sorted(terms.separated.items())],
        dict(sorted(terms.gapless.items())),
        sorted(terms.parted),
    )
    write_bytes(below(directory, MARK), msgspec.json.encode(kept))


def read_kept(directory: str | Path) -> Kept:
    """The tables of a directory.

    Raises:
        NoTablesError: it is no result of a check.
    """
    try:
        kept = msgspec.json.decode(read_bytes(below(directory, MARK)), type=_Kept)
    except (OSError, msgspec.DecodeError):
        raise NoTablesError(directory) from None
    terms = Terms(
        kept.complete,
        {namespace: frozenset(sources) for namespace, sources in kept.sources.items()},
        {(one.namespace, one.unit): one.name for one in kept.separated},
        kept.situations_max,
        gapless=kept.gapless,
        parted=frozenset(kept.parted),
    )
    names = (name for name in TABLES if is_there(below(directory, name)))
    tables = {name: dataset(below(directory, name)) for name in names}
    return Kept(tables, terms)


def check_and_keep(paths: Sequence[str], complete: bool = False, group: str | None = None) -> Kept:
    """The tables of a check in this process, in memory; see `check_locally`."""
    checked = check_locally(paths, complete=complete, group=group)
    return Kept({name: pa.dataset.dataset(getattr(checked, name)) for name in TABLES}, checked.terms)
