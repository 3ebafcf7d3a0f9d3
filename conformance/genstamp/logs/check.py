"""Checks the events of many entities: batches of Arrow in, one verdict a key out.

The fast path goes first (`genstamp.logs.kernel`); what it rejects goes to the slow path where other orders are
possible. Leaves out Spark, which calls this on each partition.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from genstamp.events import KINDS, Kind
from genstamp.logs.automaton import Automaton, Tables, automaton
from genstamp.logs.explain import explain, named
from genstamp.logs.kernel import MISSING, Runs, run
from genstamp.logs.orders import Found, SearchLimitError, Seen, find_order, seen
from genstamp.logs.registers import Registers, Values
from genstamp.logs.rules import NO_RULE, Balance, weighed
from genstamp.logs.sources import balanced, logs_no_end, unseen_steps
from genstamp.logs.steps import steps_taken
from genstamp.logs.tables import CONCERNS, VERDICTS

SITUATIONS_MAX = 20_000
"""How many situations the search for an order visits before it gives up, for each key."""


@dataclass(frozen=True)
class Terms:
    """What a check takes for granted.

    Attributes:
        complete: whether the sources are asserted to be whole; else any line may be missing.
        sources: names of the sources that tell of each namespace.
        separated: other names for namespaces, by namespace and unit, where two runs bear one.
        situations_max: bound of the slow path.
    """

    complete: bool = False
    sources: Mapping[str, frozenset[str]] = field(default_factory=dict)
    separated: Mapping[tuple[str, int], str] = field(default_factory=dict)
    situations_max: int = SITUATIONS_MAX


def verdicts(concerns: Any, terms: Terms, steps: list[Any] | None = None) -> Any:
    """One verdict for each key.

    Args:
        concerns: a table of `tables.CONCERNS`; all rows of a key, in any order.
        terms: of the check.
        steps: takes tables of `tables.STEPS`, if anybody wants them.

    Returns:
        A table of `tables.VERDICTS`; row order means nothing.
    """
    concerns = with_own_names(concerns, terms)
    parts = [pa.table({name: [] for name in VERDICTS.names}, schema=VERDICTS)]
    kinds = concerns.column("kind").combine_chunks()
    for kind in KINDS:
        of_kind = concerns.filter(pa.compute.equal(kinds, kind))
        for (unseen, balances), rows in _by_sources(of_kind, kind, terms):
            batch = _Batch(rows, automaton(kind, unseen), balances, terms)
            parts.append(batch.verdicts())
            if steps is not None:
                steps.append(batch.steps())
    return pa.concat_tables(parts)


def with_own_names(concerns: Any, terms: Terms) -> Any:
    """The rows with the names that tell two runs apart."""
    for (namespace, unit), name in terms.separated.items():
        column = concerns.column("namespace")
        here = pa.compute.and_(pa.compute.equal(column, namespace), pa.compute.equal(concerns.column("unit"), unit))
        renamed = pa.compute.if_else(here, name, column)
        concerns = concerns.set_column(
            concerns.schema.get_field_index("namespace"), CONCERNS.field("namespace"), renamed
        )
    return concerns


_Known = tuple[frozenset[str], tuple[Balance, ...]]
"""What can have gone unseen, and what can be weighed."""


def _by_sources(rows: Any, kind: Kind, terms: Terms) -> list[tuple[_Known, Any]]:
    """Rows apart by what the sources of their namespace tell."""
    if not rows.num_rows:
        return []
    if not terms.complete:
        return [((unseen_steps(kind, (), False), ()), rows)]
    namespaces = rows.column("namespace").combine_chunks()
    apart: dict[_Known, list[str]] = {}
    for namespace in pa.compute.unique(namespaces).to_pylist():
        sources = terms.sources[namespace]
        known = unseen_steps(kind, sources, True), balanced(kind, sources, True)
        apart.setdefault(known, []).append(namespace)
    return [(known, rows.filter(pa.compute.is_in(namespaces, pa.array(those)))) for known, those in apart.items()]


class _Batch:
    """Entities of one kind that are checked with one automaton."""

    def __init__(self, rows: Any, with_automaton: Automaton, balances: tuple[Balance, ...], terms: Terms) -> None:
        self._automaton = with_automaton
        self._balances = balances
        self._terms = terms
        rows = rows.combine_chunks()
        keys = _numbers(rows.column("namespace")) * rows.num_rows + _numbers(rows.column("entity"))
        order = np.lexsort((_plain(rows, "sequence"), _plain(rows, "unit"), keys))
        self._rows = rows.take(pa.array(order))
        keys = keys[order]
        firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        self._starts = np.append(firsts, len(keys)).astype(np.int64)
        self._rules = _plain(self._rows, "rule").astype(np.int32)
        self._values = [_values(self._rows, name) for name in Values._fields]

    def verdicts(self) -> Any:
        tables = self._automaton.tables()
        runs = run(tables, self._starts, self._rules, *self._values)
        self._taken = runs.taken
        rejected, unruled = runs.rejected_at >= 0, runs.unknown > 0
        firsts = self._rows.take(pa.array(self._starts[:-1]))
        shown = np.array(tables.sets, np.int64)[runs.shown]
        answers = _Answers(self._automaton, shown, self._ends_unlogged(firsts), runs.began, rejected, unruled)
        for entity in np.flatnonzero(rejected):
            self._slowly(int(entity), tables, runs, answers)
        for balance in self._balances:
            self._weigh(balance, answers)
        for entity in np.flatnonzero(unruled & ~rejected):
            answers.failed[entity] = f"{runs.unknown[entity]} events of which no rule says what they mean"
        columns = [firsts.column(name).combine_chunks() for name in ("namespace", "kind", "entity")]
        columns += answers.columns(np.diff(self._starts))
        return pa.table(columns, schema=VERDICTS)

    def _ends_unlogged(self, firsts: Any) -> Any:
        """For each entity whether its sources log no end."""
        namespaces = firsts.column("namespace").combine_chunks().dictionary_encode()
        sources = (self._terms.sources.get(name, frozenset()) for name in namespaces.dictionary.to_pylist())
        unlogged = [logs_no_end(self._automaton.kind, frozenset(names)) for names in sources]
        return np.array(unlogged, np.bool_)[np.asarray(namespaces.indices)]

    def _weigh(self, balance: Balance, answers: "_Answers") -> None:
        """Counts what has to balance; the first event in excess is the one rejected."""
        rules = self._automaton.rules
        counted = np.isin(self._rules, weighed(rules, balance.events))
        there = np.add.reduceat(np.isin(self._rules, weighed(rules, balance.within)), self._starts[:-1], dtype=np.int64)
        counts = np.add.reduceat(counted, self._starts[:-1], dtype=np.int64)
        allowed = np.where(there > 0, counts, 0) if balance.one_for_all else there
        for entity in np.flatnonzero((counts > allowed) & (answers.safety == "conformant")):
            start, end = self._starts[entity : entity + 2]
            at = int(start + np.flatnonzero(counted[start:end])[allowed[entity]])
            answers.reject(int(entity), self._rows.column("place")[at].as_py(), named(rules[self._rules[at]]))
            answers.failed[entity] = balance.sentence(int(counts[entity]), int(there[entity]))
            answers.accepted[entity] = f"it with one more {' or '.join(balance.within)}"

    def steps(self) -> Any:
        """The steps of the lifecycle that were seen, a table of `tables.STEPS`; asked for after the verdicts."""
        return steps_taken(self._automaton, self._taken)

    def _slowly(self, entity: int, tables: Tables, runs: Runs, answers: "_Answers") -> None:
        """Tries other orders for a rejected entity, and explains if none is accepted."""
        events = self._events(entity)
        if len({event.node for event in events}) > 1:
            answers.path[entity] = "slow"
            try:
                found = find_order(self._automaton, events, self._terms.situations_max)
            except SearchLimitError:
                answers.safety[entity] = "undetermined"
                answers.failed[entity] = f"no order was found among {self._terms.situations_max} situations"
                return
            if found is not None:
                answers.accept(entity, found)
                return
        at = int(runs.rejected_at[entity])
        held = [int(value) if runs.known[entity] >> i & 1 else None for i, value in enumerate(runs.held[entity])]
        registers = Registers((held[0], held[1], held[2]), int(runs.loose[entity]))
        event = self._event(at)
        why = explain(self._automaton, tables.sets[runs.possible[entity]], registers, event.rule, event.values)
        answers.rejected_event[entity] = named(self._automaton.rules[event.rule])
        answers.states_before[entity] = list(why.states_before)
        answers.failed[entity] = why.failed
        answers.accepted[entity] = why.accepted
        answers.place[entity] = self._rows.column("place")[at].as_py()

    def _events(self, entity: int) -> list[Seen]:
        indexes = range(self._starts[entity], self._starts[entity + 1])
        return [self._event(index) for index in indexes if self._rules[index] != NO_RULE]

    def _event(self, index: int) -> Seen:
        (row,) = self._rows.slice(index, 1).to_pylist()
        return seen(row)


class _Answers:
    """The columns of the verdicts that are found, one element an entity."""

    def __init__(
        self, automaton: Automaton, shown: Any, unlogged: Any, began: Any, rejected: Any, unruled: Any
    ) -> None:
        self._graph = automaton.graph
        self.shown = shown
        self._unlogged = unlogged
        self.safety = np.where(rejected, "violated", np.where(unruled, "undetermined", "conformant")).astype(object)
        completion = self._completion(shown, unlogged)
        self.completion = np.where(rejected | unruled | ~began, "unknown", completion).astype(object)
        self.path = np.full(len(shown), "fast", object)
        self.rejected_event, self.states_before, self.failed, self.accepted, self.place = (
            np.full(len(shown), None, object) for _ in range(5)
        )

    def accept(self, entity: int, found: Found) -> None:
        """Another order explained the events after all."""
        self.safety[entity] = "conformant"
        self.shown[entity] = found.shown
        if found.began:
            self.completion[entity] = str(self._completion(found.shown, self._unlogged[entity]))

    def _completion(self, shown: Any, unlogged: Any) -> Any:
        ends = self._graph.ends
        going_on = np.where((shown & ends == 0) & ~unlogged, "unfinished", "unknown")
        return np.where(shown & ~ends == 0, "complete", going_on)

    def reject(self, entity: int, place: Any, event: str) -> None:
        """All events together are not explained, whatever their order; the states are those at the end."""
        self.safety[entity], self.completion[entity] = "violated", "unknown"
        self.place[entity], self.rejected_event[entity] = place, event
        self.states_before[entity] = list(self._graph.members(int(self.shown[entity])))

    def columns(self, events: Any) -> list[Any]:
        """In the order of the table, from `safety` on."""
        names = {states: list(self._graph.members(int(states))) for states in np.unique(self.shown)}
        columns = [
            self.safety,
            self.completion,
            self.path,
            events,
            [names[states] for states in self.shown],
            self.rejected_event,
            self.states_before,
            self.failed,
            self.accepted,
            self.place,
        ]
        fields = list(VERDICTS)[-len(columns) :]
        return [pa.array(column, field.type) for column, field in zip(columns, fields, strict=True)]


def _numbers(column: Any) -> Any:
    """Each distinct value of a column as a number."""
    return np.asarray(column.combine_chunks().dictionary_encode().indices).astype(np.int64)


def _plain(rows: Any, name: str) -> Any:
    return np.asarray(rows.column(name).combine_chunks())


def _values(rows: Any, name: str) -> Any:
    return np.asarray(rows.column(name).combine_chunks().fill_null(MISSING)).astype(np.int64)
