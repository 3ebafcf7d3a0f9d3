"""Checks the events of many entities: batches of Arrow in, one verdict a key out.

The fast path goes first (`genstamp.logs.kernel`); what it rejects goes to the slow path where other orders are
possible. Not here: Spark, which calls this on each partition.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute

from genstamp.events import KINDS, Kind
from genstamp.logs.answers import Answers, texts
from genstamp.logs.automaton import Automaton, automaton
from genstamp.logs.contradictions import Block, Contradiction, contradictions
from genstamp.logs.exchange import EXCHANGED, VALUES, Rows, exchanged, held_rows
from genstamp.logs.explain import explain, named
from genstamp.logs.grouping import by_key
from genstamp.logs.kernel import Runs, run
from genstamp.logs.orders import SearchLimitError, seen
from genstamp.logs.reach import Pieces, find_within_reach
from genstamp.logs.registers import Registers
from genstamp.logs.rules import BOOKS, NO_RULE, weighed
from genstamp.logs.rules.file import LATE
from genstamp.logs.rules.shape import Balance
from genstamp.logs.sources import EDIT_LOGS, NAMENODE_LOG, NAMENODE_LOGS
from genstamp.logs.sources.declared import balanced, logs_no_end, tells_alone, unseen_steps
from genstamp.logs.steps import steps_taken
from genstamp.logs.tables import VERDICTS

SITUATIONS_MAX = 20_000
"""How many situations the search for an order visits before it gives up, for each key."""


@dataclass(frozen=True)
class Terms:
    """The assumptions of a check.

    Attributes:
        complete: whether the sources are asserted to be whole; else any line may be missing, but of an edit log that
        shows to be whole.
        sources: names of the sources that cover each namespace.
        separated: other names for namespaces, by namespace and unit, where two runs bear one.
        situations_max: bound of the slow path.
        retold: the namespace of each name under which one of several tellings of the same steps is checked.
        gapless: the namespaces of whose edit logs no transaction is missing, and for each whether they begin with the
        first of the namespace.
        parted: the namespaces of logs that may be parts of others: what is a violation only if they are whole is
        undetermined there.
    """

    complete: bool = False
    sources: Mapping[str, frozenset[str]] = field(default_factory=dict)
    separated: Mapping[tuple[str, int], str] = field(default_factory=dict)
    situations_max: int = SITUATIONS_MAX
    retold: Mapping[str, str] = field(default_factory=dict)
    gapless: Mapping[str, bool] = field(default_factory=dict)
    parted: frozenset[str] = frozenset()


def verdicts(concerns: Any, terms: Terms, steps: list[Any] | None = None, counts: list[Any] | None = None) -> Any:
    """One verdict for each key.

    Args:
        concerns: a table of `tables.CONCERNS` or of `exchange.EXCHANGED`; all rows of a key, in any order.
        terms: of the check.
        steps: takes tables of `tables.STEPS`, if anybody wants them.
        counts: takes tables of `tables.COUNTS`, if these are enough for the keys of which no more is told.

    Returns:
        A table of `tables.VERDICTS`; row order means nothing. With `counts` only violated, undetermined and unfinished
        keys are in it.
    """
    rows = rows_of(concerns, terms)
    parts = [VERDICTS.empty_table()]
    against = contradictions(rows, terms.sources, terms.retold)
    for number, kind in enumerate(KINDS):
        of_kind = np.flatnonzero(rows.kind == number)
        for known, those in _by_sources(rows, of_kind, kind, terms):
            batch = _Batch(rows, those, known, terms, against if kind == "block" else {})
            parts.append(batch.verdicts(counts))
            if steps is not None:
                steps.append(batch.steps())
    return pa.concat_tables(parts)


def rows_of(concerns: Any, terms: Terms) -> Rows:
    """The rows of a table of `tables.CONCERNS` or of `exchange.EXCHANGED`, with the names that distinguish two runs."""
    rows = held_rows(concerns if concerns.schema.equals(EXCHANGED) else exchanged(concerns))
    _name_apart(rows, terms)
    return rows


def _name_apart(rows: Rows, terms: Terms) -> None:
    """Gives rows the names that distinguish two runs."""
    for (namespace, unit), name in terms.separated.items():
        if namespace in rows.namespaces:
            here = (rows.namespace == rows.namespaces.index(namespace)) & (rows.unit == unit)
            if name not in rows.namespaces:
                rows.namespaces.append(name)
            rows.namespace = np.where(here, rows.namespaces.index(name), rows.namespace)


class Known(NamedTuple):
    """What can be concluded about a kind of entity from the sources of a namespace.

    Attributes:
        kind: of the entity.
        unseen: what can have gone unseen.
        balances: what can be weighed.
        begins_later: whether any steps at all can have come before the first event.
    """

    kind: Kind
    unseen: frozenset[str]
    balances: tuple[Balance, ...]
    begins_later: bool

    def automaton(self) -> Automaton:
        """The automaton with which such entities are checked."""
        return automaton(self.kind, self.unseen, self.begins_later)


def known_of(kind: Kind, namespace: str, terms: Terms) -> Known:
    """What can be concluded about a kind of entity from the sources of a namespace."""
    sources = terms.sources.get(namespace, frozenset())
    gapless = namespace in terms.gapless and tells_alone(kind, sources)
    whole = sources if terms.complete else sources & EDIT_LOGS if gapless else frozenset[str]()
    # The user asserts of the whole of a log that it begins with the first step, too.
    begins_later = not terms.complete and gapless and not terms.gapless[namespace]
    return Known(kind, unseen_steps(kind, sources, whole), balanced(kind, sources, terms.complete), begins_later)


_WITH_FILE = [
    number
    for number, rule in enumerate(BOOKS["block"].rules)
    if rule.event in ("add_block", "start_recovery", "check_file_progress")
]


_LATE = [number for number, rule in enumerate(BOOKS["file"].rules) if rule.event == LATE]

_LINES_COME_LATE = "lines of the audit log come late, so that the order of the file's steps is not known"
_MORE_WAS_LOGGED = "the log may be a part of another one, in which more was logged"


def names_file(rules: Any) -> Any:
    """For each rule of an event of a block, whether the line in a NameNode's log names the block's file, too.

    Lines that close or delete a file do not name its blocks: of a block whose file no line has named no end is seen.
    """
    return np.isin(rules, _WITH_FILE)


def ends_unlogged(kind: Kind, namespace: str, terms: Terms, *, has_file: bool) -> bool:
    """Whether the sources of a namespace log no end of an entity; a block `has_file` if a line has named its file."""
    sources = frozenset(terms.sources.get(namespace, frozenset()))
    of_no_file = kind == "block" and not has_file and sources & {NAMENODE_LOG, NAMENODE_LOGS}
    return bool(of_no_file) or logs_no_end(kind, sources)


def _by_sources(rows: Rows, those: Any, kind: Kind, terms: Terms) -> list[tuple[Known, Any]]:
    """Rows apart by what the sources of their namespace tell."""
    if not len(those):
        return []
    namespaces = rows.namespace[those]
    apart: dict[Known, list[int]] = {}
    for namespace in np.unique(namespaces).tolist():
        apart.setdefault(known_of(kind, rows.namespaces[namespace], terms), []).append(namespace)
    if len(apart) == 1:
        return [(known, those) for known in apart]
    return [(known, those[np.isin(namespaces, each)]) for known, each in apart.items()]


class _Batch:
    """Entities of one kind that are checked with one automaton."""

    def __init__(
        self,
        rows: Rows,
        those: Any,
        known: Known,
        terms: Terms,
        against: Mapping[Block, Contradiction],
    ) -> None:
        self._automaton = known.automaton()
        self._balances = known.balances
        self._against = against
        self._terms = terms
        self._rows = rows
        words = rows.namespace[those].astype(np.int64) * len(rows.names) + rows.name[those]
        order, self._starts = by_key(words, rows.number[those], rows.unit[those], rows.sequence[those])
        self._order = those[order]
        self._rules = rows.rule[self._order]
        self._values = [getattr(rows, name)[self._order] for name in VALUES]

    def verdicts(self, counts: list[Any] | None) -> Any:
        """As `verdicts` gives them."""
        tables = self._automaton.tables()
        runs = run(tables, self._starts, self._rules, *self._values)
        self._taken = runs.taken
        rejected, unruled = runs.rejected_at >= 0, runs.unknown > 0
        firsts = self._order[self._starts[:-1]]
        shown = np.array(tables.sets, np.int64)[runs.shown]
        answers = Answers(self._automaton, shown, self._ends_unlogged(firsts), runs.began, rejected, unruled)
        for entity in np.flatnonzero(rejected):
            self._slowly(int(entity), runs, answers)
        for balance in self._balances:
            self._weigh(balance, answers)
        self._contradict(firsts, answers)
        if self._terms.complete:
            self._doubt(firsts, answers)
        for entity in np.flatnonzero(unruled & ~rejected):
            tell_unruled(runs, int(entity), answers)
        those = answers.every() if counts is None else answers.told()
        if counts is not None:
            counts.append(answers.counts())
        columns = [
            texts(self._rows.namespaces, self._rows.namespace[firsts[those]]),
            texts([self._automaton.kind], np.zeros(len(those), np.int32)),
            self._rows.entities(firsts[those]),
            *answers.columns(np.diff(self._starts)[those], those),
        ]
        return pa.table(columns, schema=VERDICTS)

    def _ends_unlogged(self, firsts: Any) -> Any:
        """For each entity whether its sources log no end."""
        kind, names = self._automaton.kind, self._rows.namespaces
        unlogged = np.array(
            [
                [ends_unlogged(kind, name, self._terms, has_file=has_file) for has_file in (False, True)]
                for name in names
            ]
        )
        have_file = np.logical_or.reduceat(names_file(self._rules), self._starts[:-1])
        return unlogged[self._rows.namespace[firsts], have_file.astype(np.int8)]

    def _weigh(self, balance: Balance, answers: Answers) -> None:
        """Counts what has to balance; the first event in excess is the one rejected."""
        rules = self._automaton.rules
        counted = np.isin(self._rules, weighed(rules, balance.events))
        there = np.add.reduceat(np.isin(self._rules, weighed(rules, balance.within)), self._starts[:-1], dtype=np.int64)
        counts = np.add.reduceat(counted, self._starts[:-1], dtype=np.int64)
        allowed = balance.allowed(counts, there)
        for entity in np.flatnonzero((counts > allowed) & answers.are_conformant()):
            start, end = self._starts[entity : entity + 2]
            at = int(self._order[start + np.flatnonzero(counted[start:end])[allowed[entity]]])
            found = int(counts[entity]), int(there[entity])
            tell_excess(self._automaton, balance, found, self._rows, at, answers, int(entity))

    def _contradict(self, firsts: Any, answers: Answers) -> None:
        """Rejects what another source contradicts."""
        rows = self._rows
        columns = np.stack([rows.namespace[firsts], rows.number[firsts], rows.name[firsts]], axis=1)
        for block, contradiction in self._against.items():
            for entity in np.flatnonzero((columns == block).all(axis=1) & answers.are_conformant()).tolist():
                answers.reject(
                    entity,
                    rejected_event=named(self._automaton.rules[rows.rule[contradiction.row]]),
                    failed=contradiction.failed,
                    accepted=contradiction.accepted,
                    place=rows.place(contradiction.row),
                )

    def _doubt(self, firsts: Any, answers: Answers) -> None:
        """Leaves open what is a violation only if nothing is missing, or late, where that is not known."""
        rows, terms = self._rows, replace(self._terms, complete=False)
        for entity in np.flatnonzero(answers.are_violated()).tolist():
            namespace = rows.namespaces[rows.namespace[firsts[entity]]]
            at = slice(*self._starts[entity : entity + 2])
            is_late = self._automaton.kind == "file" and np.isin(self._rules[at], _LATE).any()
            if not is_late and namespace not in terms.parted:
                continue
            known = known_of(self._automaton.kind, namespace, terms)
            found = _Batch(rows, self._order[at], known, terms, self._against).verdicts(None)
            if found.column("safety")[0].as_py() != "violated":
                answers.doubt(entity, _LINES_COME_LATE if is_late else _MORE_WAS_LOGGED)

    def steps(self) -> Any:
        """The steps of the lifecycle that were seen, a table of `tables.STEPS`; asked for after the verdicts."""
        return steps_taken(self._automaton, self._taken)

    def _slowly(self, entity: int, runs: Runs, answers: Answers) -> None:
        """Tries other orders for a rejected entity, and explains if none is accepted."""
        those = self._order[self._starts[entity] : self._starts[entity + 1]]
        decided = len(nodes_of(self._rows, those)) > 1 and search(
            self._automaton, lambda: iter([(self._rows, those)]), self._terms, entity, answers
        )
        if not decided:
            at = self._order[runs.rejected_at[entity]]
            tell_rejection(self._automaton, runs, entity, self._rows, int(at), answers)


def nodes_of(rows: Rows, those: Any) -> set[tuple[str, int]]:
    """The nodes that some rows were seen by; what one node wrote into two units counts as two."""
    ruled = those[rows.rule[those] != NO_RULE]
    pairs = np.unique(np.stack([rows.node[ruled], rows.unit[ruled]]), axis=1).T.tolist()
    return {(rows.nodes[node], unit) for node, unit in pairs}


def search(automaton: Automaton, pieces: Pieces, terms: Terms, entity: int, answers: Answers) -> bool:
    """Tries other orders of an entity's events; gives whether that decided it, be it that nothing can be decided."""
    answers.slow[entity] = True
    try:
        found = find_within_reach(automaton, pieces, terms.situations_max)
    except SearchLimitError:
        answers.leave_open(entity, f"no order was found among {terms.situations_max} situations")
        return True
    if found is not None:
        answers.accept(entity, found)
    return found is not None


def tell_rejection(automaton: Automaton, runs: Runs, entity: int, rows: Rows, at: int, answers: Answers) -> None:
    """Explains why the fast path has rejected the event of some row."""
    held = [int(value) if runs.known[entity] >> i & 1 else None for i, value in enumerate(runs.held[entity])]
    registers = Registers((held[0], held[1], held[2]), int(runs.loose[entity]))
    event = seen(rows.row(at))
    possible = automaton.tables().sets[runs.possible[entity]]
    why = explain(automaton, possible, registers, event.rule, event.values)
    answers.tell(
        entity,
        rejected_event=named(automaton.rules[event.rule]),
        states_before=list(why.states_before),
        failed=why.failed,
        accepted=why.accepted,
        place=rows.place(at),
    )


def tell_excess(
    automaton: Automaton,
    balance: Balance,
    counts: tuple[int, int],
    rows: Rows,
    at: int,
    answers: Answers,
    entity: int = 0,
) -> None:
    """Rejects what does not balance: how often it was counted, against how much, and the row of the first too many."""
    answers.reject(
        entity,
        rejected_event=named(automaton.rules[rows.rule[at]]),
        failed=balance.sentence(*counts),
        accepted=f"it with one more {' or '.join(balance.within)}",
        place=rows.place(at),
    )


def tell_unruled(runs: Runs, entity: int, answers: Answers) -> None:
    """Says why an entity is undetermined that has events without a rule."""
    answers.tell(entity, failed=f"{runs.unknown[entity]} events of which no rule says what they mean")
