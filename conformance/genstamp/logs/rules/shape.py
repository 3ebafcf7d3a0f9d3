"""What a rule about an observed event looks like: checks on stamps and lengths, and lifecycle events it stands for.

Leaves out the rules themselves (one module a kind beside this one) and how they are applied
(`genstamp.logs.automaton`, and once more, in the dumbest way, `genstamp.logs.oracle`).

A checker knows three numbers of an entity: its generation stamp, the id of its last recovery, its length. They are
kept in registers. Between two events that were seen, events that nobody saw may have changed a register; so a check
is a question about the order of a value and a register, and whether what was not seen can have moved the register
there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any, Literal

from genstamp.events import Kind


class Register(IntEnum):
    """What is remembered of an entity."""

    STAMP = 0
    RECOVERY_ID = 1
    LENGTH = 2


class Move(IntFlag):
    """How a register may stand after a step, compared with before."""

    LOWER = 1
    SAME = 2
    HIGHER = 4

    NOT_HIGHER = LOWER | SAME
    NOT_LOWER = SAME | HIGHER
    ANY = LOWER | SAME | HIGHER


Value = Literal["generation_stamp", "recovery_id", "num_bytes"]

Sets = Mapping[Register, Value | Literal["", "0"]]
"""What registers hold after an event: the value of the event, if it has one; "0" nought; "" nothing that is known."""


@dataclass(frozen=True)
class Effect:
    """What one event of a lifecycle does to the registers when nobody saw it.

    Attributes:
        stamp, recovery_id, length: how the register may move.
    """

    stamp: Move = Move.SAME
    recovery_id: Move = Move.SAME
    length: Move = Move.SAME

    def moves(self) -> tuple[Move, Move, Move]:
        """In the order of `Register`."""
        return self.stamp, self.recovery_id, self.length


@dataclass(frozen=True)
class Drift:
    """Steps that no lifecycle has, because they change a number and no state: bytes that arrive.

    Attributes:
        name: the event that shows such a step, where it is logged.
        states: ids of the states in which it happens.
        effect: how the registers move.
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

# For a value that is lower than, equal to or higher than what the register held last: how the register has to have
# moved since.
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
        value: which value of the event; a missing value passes every check.
        relation: "is" equal, strictly "above" or "below", "at_least", "at_most".
        register: which register; an unknown one passes every check.
        failed, wanted: what is said of a failure where the values would say nothing to a reader: they stand for names.
    """

    value: Value
    relation: Relation
    register: Register
    failed: str = ""
    wanted: str = ""

    def needs(self, order: int) -> Move:
        """How the register must have moved unseen for the check to hold.

        Args:
            order: -1, 0 or 1 as the value is below, equal to or above what the register held last.
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
    """One thing that an event may have been.

    Attributes:
        fires: events of the lifecycle, in sequence within the one step; none if the entity stays as it is.
        checks: in the order of the protocol.
        before: ids of the states in which it can happen; None for all in which `fires` is legal.
        after: ids of the states that are compatible with what was observed; None for all.
    """

    fires: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    before: frozenset[str] | None = None
    after: frozenset[str] | None = None


@dataclass(frozen=True)
class Rule:
    """What an observed event says about one entity that it concerns.

    Attributes:
        event: name in the event schema.
        ways: what it may have been; any of them suffices.
        source: section of the facts, and the method of Hadoop.
        role: in which part the entity is concerned, where it can be in several: "" or e.g. "new_holder".
        refused: None if the step was not refused, else the exception's simple name, or "*" for any.
        when: further conditions, names and values in `observed` or `arguments`; the value "*" stands for any.
        sets: registers and the value of the event that each takes.
        loosens: registers of which afterwards only a lower bound is known.
        late_sets_nothing: whether an event whose recovery id is below the stamp sets no register.
        shows_id: whether its recovery id was given out, be it unseen: then the register is at least that, once known.
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
    """No more of some events than of others, in whatever order: for steps of which nothing says whose they are.

    Attributes:
        events: what is counted; names in the event schema, of rules with the role "unplaced".
        within: what there must be as many of.
        source: section of the facts, and why.
        one_for_all: one of `within` suffices for any number.
    """

    events: tuple[str, ...]
    within: tuple[str, ...]
    source: str
    one_for_all: bool = False

    def allowed(self, events: Any, within: Any) -> Any:
        """How many events are allowed, by how many there are and how many they are counted against.

        >>> Balance(("finalize_replica",), ("write_block",), "").allowed(3, 2)
        2
        """
        return events * (within > 0) if self.one_for_all else within

    def sentence(self, events: int, within: int) -> str:
        """What does not balance, with its numbers.

        >>> Balance(("finalize_replica",), ("write_block",), "").sentence(3, 2)
        '3 of finalize_replica, and only 2 of write_block'
        """
        of, among = " and ".join(self.events), " and ".join(self.within)
        return f"{events} of {of}, and only {within} of {among}" if within else f"{events} of {of}, and no {among}"


@dataclass(frozen=True)
class RuleBook:
    """All rules of one kind of entity.

    Attributes:
        kind: which.
        effects: one for each event of the lifecycle, none left out.
        rules: the first that fits an event is taken; so those with more conditions come first.
        drifts: steps beside the lifecycle.
        balances: what is counted, where the order of events and whose they are is not known.
    """

    kind: Kind
    effects: Mapping[str, Effect]
    rules: tuple[Rule, ...]
    drifts: tuple[Drift, ...] = ()
    balances: tuple[Balance, ...] = ()


def states(*ids: str) -> frozenset[str]:
    """A set of states by id."""
    return frozenset(ids)
