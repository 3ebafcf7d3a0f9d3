"""The parts of a rule for an observed event: lifecycle events that it may stand for, and checks on stamps and lengths.

A checker keeps three numbers of an entity in registers: its generation stamp, the id of its last recovery, its length.
Between two observed events, unseen events may change a register. So a check compares a value of the event with the
register, and asks whether unseen events can have moved the register to where the check holds.

Not here: the rules (one module for each kind of entity), and how they are applied (`genstamp.logs.automaton`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any, Literal

from genstamp.events import Kind


class Register(IntEnum):
    """The numbers that a checker keeps of an entity."""

    STAMP = 0
    RECOVERY_ID = 1
    LENGTH = 2


class Move(IntFlag):
    """How a register may change in a step."""

    LOWER = 1
    SAME = 2
    HIGHER = 4

    NOT_HIGHER = LOWER | SAME
    NOT_LOWER = SAME | HIGHER
    ANY = LOWER | SAME | HIGHER


Value = Literal["generation_stamp", "recovery_id", "num_bytes"]

Sets = Mapping[Register, Value | Literal["", "0"]]
"""The registers that an event sets: to one of its values (if the event has it), to zero ("0"), or to unknown ("")."""


@dataclass(frozen=True)
class Effect:
    """How one unseen event of a lifecycle may change the registers.

    Attributes:
        stamp, recovery_id, length: how the register may move.
        or_else: another possible combination of moves.
    """

    stamp: Move = Move.SAME
    recovery_id: Move = Move.SAME
    length: Move = Move.SAME
    or_else: "Effect | None" = None

    def each(self) -> "tuple[Effect, ...]":
        """All possible combinations of moves."""
        return (self,) if self.or_else is None else (self, *self.or_else.each())

    def moves(self) -> tuple[Move, Move, Move]:
        """The moves in the order of `Register`."""
        return self.stamp, self.recovery_id, self.length


@dataclass(frozen=True)
class Drift:
    """A step that changes a register and no state, so that no lifecycle has it; for example, bytes arrive.

    Attributes:
        name: the event that shows such a step, where it is logged.
        states: the ids of the states in which it happens.
        effect: how the registers may move.
    """

    name: str
    states: frozenset[str]
    effect: Effect


Relation = Literal["is", "above", "at_least", "at_most", "below"]

_SENTENCES: Mapping[Relation, str] = {
    "is": "is not",
    "above": "is not above",
    "at_least": "is below",
    "at_most": "is above",
    "below": "is not below",
}

# For a value below, equal to or above the last known content of the register: how the register must have moved since.
_NEEDED: Mapping[Relation, tuple[Move, Move, Move]] = {
    "is": (Move.LOWER, Move.SAME, Move.HIGHER),
    "above": (Move.LOWER, Move.LOWER, Move.ANY),
    "at_least": (Move.LOWER, Move.NOT_HIGHER, Move.ANY),
    "at_most": (Move.ANY, Move.NOT_LOWER, Move.HIGHER),
    "below": (Move.ANY, Move.HIGHER, Move.HIGHER),
}


@dataclass(frozen=True)
class Check:
    """A value of the event stands in a relation to a register, at the moment of the event.

    Attributes:
        value: a value of the event; if the event does not have it, the check passes.
        relation: "is" equal, strictly "above" or "below", "at_least", "at_most".
        register: the register; if its content is unknown, the check passes.
        failed, wanted: the sentence for a failed check, and for what was expected, where the numbers stand for names.
    """

    value: Value
    relation: Relation
    register: Register
    failed: str = ""
    wanted: str = ""

    def needs(self, order: int) -> Move:
        """How the register must have moved unseen for the check to pass.

        Args:
            order: -1, 0 or 1 if the value is below, equal to or above the last known content of the register.
        """
        return _NEEDED[self.relation][order + 1]

    def sentence(self, value: int, register: int) -> str:
        """The check that failed, with its values.

        >>> Check("recovery_id", "above", Register.RECOVERY_ID).sentence(1002, 1002)
        'recovery id 1002 is not above 1002'
        """
        return self.failed or f"{self.value.replace('_', ' ')} {value} {_SENTENCES[self.relation]} {register}"


@dataclass(frozen=True)
class Way:
    """One possible meaning of an event.

    Attributes:
        fires: the lifecycle events that happen in this one step, in order; none if the entity does not change.
        checks: in the order of the protocol.
        before: the ids of the states in which it can happen; None for all in which `fires` is legal.
        after: the ids of the states that agree with the event; None for all.
        forgets: whether the state is unknown afterwards.
    """

    fires: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    before: frozenset[str] | None = None
    after: frozenset[str] | None = None
    forgets: bool = False


UNCHANGED = (Way(),)
"""The ways of an event that changes nothing."""


@dataclass(frozen=True)
class Rule:
    """The meaning of an observed event for one entity that it concerns.

    Attributes:
        event: the name in the event schema.
        ways: the possible meanings; one of them has to explain the event.
        source: the section of the facts file, and the method of Hadoop.
        role: the entity's role in the event, for example "new_holder"; "" where it has only one.
        refused: None if the step was not refused, else the exception's simple name, or "*" for any.
        when: further conditions, names and values in `observed` or `arguments`; the value "*" stands for any.
        sets: the registers that the event sets.
        loosens: the registers of which only a lower bound is known afterwards.
        late_sets_nothing: whether an event whose recovery id is below the stamp sets no register.
        shows_id: whether the event proves that its recovery id was granted: a known register is at least that id.
    """

    event: str
    ways: tuple[Way, ...]
    source: str
    role: str = ""
    refused: str | None = None
    when: Mapping[str, str] = field(default_factory=dict)
    sets: Sets = field(default_factory=dict)
    loosens: frozenset[Register] = frozenset()
    late_sets_nothing: bool = False
    shows_id: bool = False


@dataclass(frozen=True)
class Balance:
    """At most as many of some events as of others, in any order: for steps of replicas on unnamed datanodes.

    Attributes:
        events: the events that are limited; names in the event schema, of rules with the role "unplaced".
        within: the events that limit them.
        source: the section of the facts file, and the reason.
        one_for_all: whether one event of `within` allows any number.
    """

    events: tuple[str, ...]
    within: tuple[str, ...]
    source: str
    one_for_all: bool = False

    def allowed(self, events: Any, within: Any) -> Any:
        """How many of the events are allowed.

        Args:
            events: how many there are.
            within: how many limiting events there are.

        >>> Balance(("finalize_replica",), ("write_block",), "").allowed(3, 2)
        2
        """
        return events * (within > 0) if self.one_for_all else within

    def sentence(self, events: int, within: int) -> str:
        """The violation in words, with the numbers of events.

        >>> Balance(("finalize_replica",), ("write_block",), "").sentence(3, 2)
        '3 of finalize_replica, and only 2 of write_block'
        """
        of, among = " and ".join(self.events), " and ".join(self.within)
        return f"{events} of {of}, and only {within} of {among}" if within else f"{events} of {of}, and no {among}"


@dataclass(frozen=True)
class RuleBook:
    """All rules for one kind of entity.

    Attributes:
        kind: the kind.
        effects: one for every event of the lifecycle.
        rules: the first that applies to an event counts; those with more conditions come first.
        drifts: steps that the lifecycle does not have.
        balances: limits on numbers of events.
    """

    kind: Kind
    effects: Mapping[str, Effect]
    rules: tuple[Rule, ...]
    drifts: tuple[Drift, ...] = ()
    balances: tuple[Balance, ...] = ()


def lost(source: str) -> Rule:
    """The rule for a start of the NameNode that has lost an edit of the entity: its state and registers are unknown."""
    everything: Sets = dict.fromkeys(Register, "")
    return Rule("namenode_restart", (Way(forgets=True),), source, role="lost", sets=everything)


def states(*ids: str) -> frozenset[str]:
    """The set of these ids of states."""
    return frozenset(ids)


OR_REFUSED = (None, "*")
"""The refusals of an event that means the same whether it was refused or not."""


def each(
    events: str, ways: tuple[Way, ...], source: str, refusals: tuple[str | None, ...] = (None,), **rest: Any
) -> tuple[Rule, ...]:
    """A rule for each of some events, separated by blanks, and each of their refusals; `rest` as in `Rule`."""
    return tuple(Rule(event, ways, source, refused=refused, **rest) for event in events.split() for refused in refusals)
