"""One automaton a kind of entity: what is possible after each observed event, as tables for an array look-up an event.

Derived from the lifecycles of the specification (states, edges), the rules (what an observed event stands for) and
what may have gone unseen. Stamps and lengths are not letters; what they are compared with the registers is. Leaves
out registers themselves (`genstamp.logs.registers`) and the loop over events (`genstamp.logs.kernel`).

Two sets of states are followed at once. *Possible*: every state that some insertion of unseen steps explains; empty
means violated. *Shown*: the states with no insertion that is not needed, so what the log shows; whether the entity's
life finished is read from it.
"""

from collections.abc import Iterable
from enum import IntEnum
from functools import cache
from typing import Any

import numpy as np

from genstamp.events import Kind
from genstamp.logs.graphs import graph
from genstamp.logs.rules import BOOKS
from genstamp.logs.rules.shape import Check, Register, Rule, Way
from genstamp.logs.unseen import ANYHOW, STILL, Moves, all_steps, closure

COMPARISONS: tuple[tuple[str, Register], ...] = (
    ("generation_stamp", Register.STAMP),
    ("recovery_id", Register.STAMP),
    ("recovery_id", Register.RECOVERY_ID),
    ("num_bytes", Register.LENGTH),
)
"""What is compared; a letter holds for each of them 0 for unknown, 1, 2, 3 for lower, equal, higher: two bits, the
first lowest.
"""

LETTERS = 4 ** len(COMPARISONS)

EMPTY = -1
"""Number of the empty set of states."""


class Assignment(IntEnum):
    """The update of a register."""

    LEFT = 0
    GENERATION_STAMP = 1
    RECOVERY_ID = 2
    NUM_BYTES = 3
    FORGOTTEN = 4
    LOOSENED = 5
    ZERO = 6
    SHOWN = 7


Needs = tuple[Moves | None, ...]
"""For each way of a rule how the registers must have moved unseen; None where no move would do."""


class Automaton:
    """The states and steps that the observed events of one entity leave possible; made by `automaton`.

    Attributes:
        kind: which entity.
        closure: what can have happened unseen.
        rules: the rules of the kind, in the order of their numbers.
        initial: the set of the state in which a life begins.
        start: the set of states that are possible before the first event: those of any life so far, where the source
        begins in the midst of it.
    """

    def __init__(self, kind: Kind, unseen: frozenset[str], begins_later: bool = False) -> None:
        self.kind = kind
        self.graph = graph(kind)
        self.closure = closure(kind, unseen)
        self.rules = BOOKS[kind].rules
        self.initial = 1 << self.graph.initial
        before = all_steps(kind) if begins_later else frozenset[str]()
        self.start = closure(kind, before).after(self.initial, ANYHOW)
        self._tables: Tables | None = None
        self._sets: dict[frozenset[str], int] = {}

    def needs(self, rule: Rule, letter: int) -> Needs:
        """How the registers must have moved for each way of a rule, given how the event's values compare with them."""
        return tuple(moves_needed(way.checks, letter) for way in rule.ways)

    def possible(self, states: int, rule: Rule, needs: Needs) -> int:
        """The set of states after an event, with any unseen steps before it."""
        after = 0
        for way, needed in zip(rule.ways, needs, strict=True):
            if needed is not None:
                after |= self._through(self.closure.after(states, needed), way)
        return after

    def shown(self, states: int, rule: Rule, needs: Needs) -> int:
        """The set of states after an event, with nothing unseen before it."""
        after = 0
        for way, needed in zip(rule.ways, needs, strict=True):
            if needed is not None and all(need & still for need, still in zip(needed, STILL, strict=True)):
                after |= self._through(states, way)
        return after

    def tables(self) -> "Tables":
        """The same as arrays; computed when first asked for."""
        if self._tables is None:
            self._tables = Tables(self)
        return self._tables

    def _through(self, states: int, way: Way) -> int:
        if way.forgets and states:
            return (1 << len(self.graph.states)) - 1
        if way.before is not None:
            states &= self._set_of(way.before)
        for event in way.fires:
            states = self.graph.image(states, event)
        return states if way.after is None else states & self._set_of(way.after)

    def _set_of(self, states: frozenset[str]) -> int:
        found = self._sets.get(states)
        if found is None:
            found = self._sets[states] = self.graph.set_of(states)
        return found


@cache
def automaton(kind: Kind, unseen: frozenset[str], begins_later: bool = False) -> Automaton:
    """The automaton of a kind of entity, made once for each choice of the steps that can have gone unseen.

    Args:
        kind: of the entity.
        unseen: the steps.
        begins_later: whether any steps at all can have come before the first event.
    """
    return Automaton(kind, unseen, begins_later)


def moves_needed(checks: Iterable[Check], letter: int) -> Moves | None:
    """How the registers must have moved unseen so that all checks hold; None if no move does that."""
    needed = list(ANYHOW)
    for check in checks:
        order = order_of(check, letter)
        if order is not None:
            needed[check.register] &= int(check.needs(order))
    return None if 0 in needed else (needed[0], needed[1], needed[2])


def order_of(check: Check, letter: int) -> int | None:
    """-1, 0 or 1 if the value that a check looks at is below, equal to or above the register; None if unknown."""
    order = letter >> _place(check) & 3
    return order - 2 if order else None


def in_order(check: Check, letter: int, order: int) -> int:
    """The letter, if that value were so."""
    return letter & ~(3 << _place(check)) | (order + 2) << _place(check)


def _place(check: Check) -> int:
    """Where in a letter the comparison stands that a check looks at."""
    return 2 * COMPARISONS.index((check.value, check.register))


def _bits_of(checks: Iterable[Check]) -> int:
    """The bits of a letter that some checks look at."""
    bits = 0
    for check in checks:
        bits |= 3 << _place(check)
    return bits


class Tables:
    """An automaton as arrays of numbers.

    Attributes:
        sets: the sets of states that occur, by their number: 0 is that in which a life begins; `EMPTY` is not among
        them. start: number of the set that is possible before the first event. action: by rule and letter, the number
        of what has to be done; many letters of a rule share one.
        actions: rule and needs of each action, by its number.
        possible, shown: by set and action, the number of the set after it. assigns: by rule and register, an
        `Assignment`. late: by rule, whether an event with a recovery id below the stamp sets no register.
    """

    def __init__(self, automaton: Automaton) -> None:
        rules = automaton.rules
        numbers: dict[tuple[int, Needs], int] = {}
        self.action: Any = np.zeros((len(rules), LETTERS), np.int32)
        for number, rule in enumerate(rules):
            looked_at = _bits_of(check for way in rule.ways for check in way.checks)
            # By letters in which nothing else is told: others need the same.
            by_letter = {letter: automaton.needs(rule, letter) for letter in range(LETTERS) if not letter & ~looked_at}
            for letter in range(LETTERS):
                key = number, by_letter[letter & looked_at]
                self.action[number, letter] = numbers.setdefault(key, len(numbers))
        self.actions = list(numbers)

        self.sets = list(dict.fromkeys((automaton.initial, automaton.start)))
        self.start = len(self.sets) - 1
        known = {0: EMPTY, **{states: number for number, states in enumerate(self.sets)}}
        possible: list[list[int]] = []
        shown: list[list[int]] = []
        for states in self.sets:  # Grows while it is walked through.
            for rows, step in ((possible, automaton.possible), (shown, automaton.shown)):
                row = []
                for number, needs in self.actions:
                    after = step(states, rules[number], needs)
                    if after not in known:
                        known[after] = len(self.sets)
                        self.sets.append(after)
                    row.append(known[after])
                rows.append(row)
        self.possible: Any = np.array(possible, np.int32)
        self.shown: Any = np.array(shown, np.int32)
        self.assigns: Any = np.array(
            [[_assignment(rule, register) for register in Register] for rule in rules], np.int8
        )
        self.late: Any = np.array([rule.late_sets_nothing for rule in rules], np.bool_)


def _assignment(rule: Rule, register: Register) -> Assignment:
    if register in rule.sets:
        name = rule.sets[register]
        return {"": Assignment.FORGOTTEN, "0": Assignment.ZERO}.get(name) or Assignment[name.upper()]
    if rule.shows_id and register is Register.RECOVERY_ID:
        return Assignment.SHOWN
    return Assignment.LOOSENED if register in rule.loosens else Assignment.LEFT
