"""Tables that an earlier check has kept, and what it took for granted.

Not here: making them (`genstamp.logs.run`, `genstamp.logs.local`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

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
    separated = [
        {"namespace": namespace, "unit": unit, "name": name}
        for (namespace, unit), name in sorted(terms.separated.items())
    ]
    told = {**vars(terms), "separated": separated}
    write_bytes(below(directory, MARK), msgspec.json.encode(told, order="deterministic"))


def read_kept(directory: str | Path) -> Kept:
    """The tables of a directory.

    Raises:
        NoTablesError: it is no result of a check.
    """
    try:
        told = msgspec.json.decode(read_bytes(below(directory, MARK)), type=dict[str, Any])
        told["separated"] = {(one["namespace"], one["unit"]): one["name"] for one in told["separated"]}
        terms = msgspec.convert(told, Terms)
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        raise NoTablesError(directory) from None
    names = (name for name in TABLES if is_there(below(directory, name)))
    tables = {name: dataset(below(directory, name)) for name in names}
    return Kept(tables, terms)


def check_and_keep(paths: Sequence[str], complete: bool = False, group: str | None = None) -> Kept:
    """The tables of a check in this process, in memory; see `check_locally`."""
    checked = check_locally(paths, complete=complete, group=group)
    return Kept({name: dataset(getattr(checked, name)) for name in TABLES}, checked.terms)
