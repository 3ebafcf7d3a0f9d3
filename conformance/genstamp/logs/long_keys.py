"""Checks keys of which one may have more rows than memory: key by key, one of very many rows piece by piece.

What the automaton knows of a key after one piece is what it begins the next with. Other keys are checked many at a
time, as soon as their rows are all there. Not here: what brings the rows of a key together, and what is checked of it
(`genstamp.logs.check`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from genstamp.events import KINDS, Kind
from genstamp.logs.answers import Answers, texts
from genstamp.logs.automaton import Automaton
from genstamp.logs.check import (
    Terms,
    ends_unlogged,
    known_of,
    names_file,
    nodes_of,
    rows_of,
    search,
    tell_excess,
    tell_rejection,
    tell_unruled,
    verdicts,
)
from genstamp.logs.disk_rows import DiskRows
from genstamp.logs.exchange import EXCHANGED, VALUES, Rows
from genstamp.logs.flat import KEY, SORTED
from genstamp.logs.kernel import Runs, run
from genstamp.logs.rules import weighed
from genstamp.logs.rules.shape import Balance
from genstamp.logs.steps import steps_taken
from genstamp.logs.tables import VERDICTS


def verdicts_in_order(
    tables: Iterable[Any],
    terms: Terms,
    directory: Path,
    rows_max: int,
    steps: list[Any],
    counts: list[Any] | None = None,
) -> Iterator[Any]:
    """One verdict for each key.

    Args:
        tables: of `flat.SORTED`, in which those of a key stand together, in any order; none is empty.
        terms: of the check.
        directory: for the rows of a long key, while it is checked.
        rows_max: how many rows of a key are held in memory.
        steps: takes tables of `tables.STEPS`.
        counts: as in `check.verdicts`.

    Returns:
        Tables of `tables.VERDICTS`.
    """
    for given in _whole_keys(tables, directory / "long", rows_max):
        if isinstance(given, _Long):
            for key in given.keys(terms):
                yield _verdict_of_long(given, key, terms, steps, counts)
        else:
            yield verdicts(given, terms, steps, counts)


class _Key(NamedTuple):
    namespace: str
    kind: Kind
    entity: str


class _Long:
    """Rows of one key of `flat.KEY` on the disk, in order: of a block and its replicas, or of all names with one hash.

    Args:
        rows: in order.
    """

    def __init__(self, rows: DiskRows) -> None:
        self._on_disk = rows

    def keys(self, terms: Terms) -> list[_Key]:
        """Each key that has rows here."""
        return list(dict.fromkeys(key for rows in self._rows(terms) for key, _ in _by_key(rows)))

    def of(self, key: _Key, terms: Terms) -> Iterator[tuple[Rows, Any]]:
        """The rows of a key, in order, piece by piece."""
        for rows in self._rows(terms):
            yield from ((rows, those) for found, those in _by_key(rows) if found == key)

    def _rows(self, terms: Terms) -> Iterator[Rows]:
        for rows in self._on_disk.pieces():
            yield rows_of(rows, terms)


def _by_key(rows: Rows) -> Iterator[tuple[_Key, Any]]:
    """The keys of some rows, and the rows of each."""
    columns = np.stack([rows.namespace, rows.kind, rows.name, rows.number])
    if (columns == columns[:, :1]).all():
        firsts, of_key = np.zeros(1, np.int64), np.zeros(len(rows.kind), np.int64)
    else:
        _, firsts, of_key = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    for number, first in enumerate(firsts.tolist()):
        entity = rows.entities(np.array([first]))[0].as_py()
        key = _Key(rows.namespaces[rows.namespace[first]], KINDS[rows.kind[first]], entity)
        yield key, np.flatnonzero(of_key.ravel() == number)


def _whole_keys(tables: Iterable[Any], path: Path, rows_max: int) -> Iterator[Any]:
    """Rows so that those of a key are in one table of `exchange.EXCHANGED`, or in a file if they are many."""
    whole: list[Any] = []
    last = _Last(path, rows_max // 2)
    for table in tables:
        keys = _keys(table)
        begin, end = last.goes_on_to(keys), int(np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))[-1])
        last.add(table.slice(0, begin), keys)
        if begin == table.num_rows:
            continue
        yield from last.end(whole)
        whole.append(table.slice(begin, end - begin))
        if _count(whole) >= rows_max // 2:
            yield _together(whole)
            whole = []
        last.add(table.slice(end), keys[end:])
    yield from last.end(whole)
    yield _together(whole)


class _Last:
    """The rows of the key that was met last, which may go on: in memory, or in a file as soon as they are too many.

    Args:
        path: of the file.
        rows_max: how many are held in memory.
    """

    def __init__(self, path: Path, rows_max: int) -> None:
        self._path, self._rows_max = path, rows_max
        self._held: list[Any] = []
        self._key: int | None = None
        self._on_disk: DiskRows | None = None

    def goes_on_to(self, keys: Any) -> int:
        """How many rows at the beginning of a table are of the key."""
        others = keys != self._key if self._key is not None else np.ones(len(keys), np.bool_)
        return int(others.argmax()) if others.any() else len(keys)

    def add(self, rows: Any, keys: Any) -> None:
        """Takes rows of one key, which is the first of some."""
        if not rows.num_rows:
            return
        self._key = int(keys[0])
        self._held.append(rows)
        if self._on_disk is not None or _count(self._held) > self._rows_max:
            self._on_disk = self._on_disk or DiskRows(self._path, self._rows_max // 2)
            self._on_disk.add(_together(self._held))
            self._held = []

    def end(self, whole: list[Any]) -> Iterator[_Long]:
        """Gives the key, if it is a long one; else puts its rows behind those of some whole keys."""
        if self._on_disk is not None:
            self._on_disk.end()
            yield _Long(self._on_disk)
            self._on_disk = None
        whole += self._held
        self._held = []


def _keys(table: Any) -> Any:
    return table.column(KEY).to_numpy()


def _count(tables: list[Any]) -> int:
    return sum(table.num_rows for table in tables)


def _together(tables: list[Any]) -> Any:
    return pa.concat_tables(tables or [SORTED.empty_table()]).unify_dictionaries().select(EXCHANGED.names)


def _verdict_of_long(rows: _Long, key: _Key, terms: Terms, steps: list[Any], counts: list[Any] | None) -> Any:
    """The verdict of one key whose rows do not fit in memory; of a log that may be a part nothing is asserted."""
    terms = replace(terms, complete=terms.complete and key.namespace not in terms.parted)
    known = known_of(key.kind, key.namespace, terms)
    of, balances = known.automaton(), known.balances

    def pieces() -> Iterator[tuple[Rows, Any]]:
        return rows.of(key, terms)

    told = _followed(of, pieces(), balances)
    runs = told.runs
    shown = np.array(of.tables().sets, np.int64)[runs.shown]
    has_file = any(names_file(each.rule[those]).any() for each, those in pieces())
    unlogged = np.array([ends_unlogged(key.kind, key.namespace, terms, has_file=has_file)])
    answers = Answers(of, shown, unlogged, runs.began, runs.rejected_at >= 0, runs.unknown > 0)
    if told.rejected is not None and not (len(told.nodes) > 1 and search(of, pieces, terms, 0, answers)):
        tell_rejection(of, runs, 0, *told.rejected, answers)
    for balance, (events, within) in zip(balances, told.counts, strict=True):
        allowed = balance.allowed(events, within)
        if events > allowed and answers.are_conformant()[0]:
            tell_excess(of, balance, (events, within), *_counted(of, balance, pieces(), int(allowed)), answers)
    if runs.unknown[0] and told.rejected is None:
        tell_unruled(runs, 0, answers)
    steps.append(steps_taken(of, runs.taken))
    names = [texts([name], [0]) for name in key]
    if counts is not None:
        counts.append(answers.counts())
    return pa.table([*names, *answers.columns(np.array([told.events], np.int64), answers.every())], schema=VERDICTS)


class _Told(NamedTuple):
    """The result of all events of a key.

    Attributes:
        runs: of the one entity.
        rejected: the row of the event that the fast path rejected, if it did.
        nodes: that its rows were seen by.
        counts: for each balance how often what is counted and what it is counted against.
        events: how many.
    """

    runs: Runs
    rejected: tuple[Rows, int] | None
    nodes: set[tuple[str, int]]
    counts: list[tuple[int, int]]
    events: int


def _followed(of: Automaton, pieces: Iterator[tuple[Rows, Any]], balances: Sequence[Balance]) -> _Told:
    """Runs the events of a key through the automaton, piece by piece."""
    runs: Runs | None = None
    rejected: tuple[Rows, int] | None = None
    nodes: set[tuple[str, int]] = set()
    counts = np.zeros((len(balances), 2), np.int64)
    events = 0
    for rows, those in pieces:
        stamps, ids, lengths = (getattr(rows, name)[those] for name in VALUES)
        runs = run(of.tables(), np.array([0, len(those)]), rows.rule[those], stamps, ids, lengths, runs)
        if rejected is None and runs.rejected_at[0] >= 0:
            rejected = rows, int(those[runs.rejected_at[0]])
        nodes |= nodes_of(rows, those)
        for number, balance in enumerate(balances):
            for column, steps in enumerate((balance.events, balance.within)):
                counts[number, column] += np.isin(rows.rule[those], weighed(of.rules, steps)).sum()
        events += len(those)
    assert runs is not None, "a key without rows has no verdict"
    return _Told(runs, rejected, nodes, [(int(one), int(other)) for one, other in counts], events)


def _counted(of: Automaton, balance: Balance, pieces: Iterator[tuple[Rows, Any]], before: int) -> tuple[Rows, int]:
    """The row of the event that is counted after so many."""
    for rows, those in pieces:
        counted = those[np.isin(rows.rule[those], weighed(of.rules, balance.events))]
        if len(counted) > before:
            return rows, int(counted[before])
        before -= len(counted)
    raise AssertionError(f"the count of events for {balance} has decreased")
